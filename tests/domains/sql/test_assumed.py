"""What a proof says that it takes for granted of the values in a database."""

from __future__ import annotations

import pytest
import sqlglot

from truespec.domains.sql.assumed import assumptions
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import read_schema


@pytest.mark.parametrize(
    ("dialect", "value", "reckoned"),
    [
        ("mysql", "c + INTERVAL 72 HOUR", True),
        ("mysql", "ADDDATE(c, n)", True),
        ("mysql", "n + 1", False),
        ("postgres", "c + make_interval(days => n)", True),
        ("postgres", "c + n", True),
        ("postgres", "(SELECT MAX(q.x) FROM (SELECT c AS x FROM t) q) - n", True),
        ("duckdb", "DATE '2024-01-01' + n", True),
        ("postgres", "c - e", False),
        ("postgres", "EXTRACT(YEAR FROM c) + n", False),
    ],
)
def test_a_proof_says_that_what_is_added_to_dates_stays_in_the_calendar(
    dialect: str, value: str, reckoned: bool
) -> None:
    schema = read_schema("CREATE TABLE t (id INT PRIMARY KEY, c DATE, e DATE, n INT)", dialect)
    tree = sqlglot.parse_one(f"SELECT id FROM t WHERE {value} IS NOT NULL", read=dialect)
    said = "dates and moments that intervals are added to stay within the engine's calendar"
    assert (said in assumptions([tree], schema, Settings())) is reckoned


@pytest.mark.parametrize(
    ("dialect", "kind", "said"),
    [
        ("postgres", "FLOAT", ["the numbers of t.c are finite", "arithmetic with t.c is exact"]),
        ("postgres", "NUMERIC(10, 2)", ["the numbers of t.c are finite"]),
        ("duckdb", "DATE", ["the dates of t.c are finite"]),
        ("mysql", "DOUBLE", ["arithmetic with t.c is exact"]),
        ("mysql", "DECIMAL(10, 2)", []),
        ("mysql", "DATE", ["the dates of t.c are of the calendar; no zero date is stored"]),
        ("mysql", "DATETIME", ["the dates of t.c are of the calendar; no zero date is stored"]),
    ],
)
def test_a_proof_says_what_it_takes_for_granted(dialect: str, kind: str, said: list[str]) -> None:
    schema = read_schema(f"CREATE TABLE t (id INT PRIMARY KEY, c {kind}, d {kind});", dialect)
    tree = sqlglot.parse_one("SELECT id FROM t WHERE c IS NOT NULL", read=dialect)
    assert list(assumptions([tree], schema, Settings())) == said


@pytest.mark.parametrize("join", ["NATURAL JOIN u", "JOIN u USING (c)", "JOIN u ON t.c = u.c"])
def test_a_proof_rests_on_columns_that_a_join_merges(join: str) -> None:
    schema = read_schema("CREATE TABLE t (id INT, c FLOAT); CREATE TABLE u (c FLOAT);", "postgres")
    tree = sqlglot.parse_one(f"SELECT id FROM t {join}", read="postgres")
    assert "the numbers of t.c, u.c are finite" in assumptions([tree], schema, Settings())


@pytest.mark.parametrize(
    ("dialect", "query", "said"),
    [
        (
            "mysql",
            "SELECT a / 3 FROM t",
            ["quotients and averages are exact; the engine keeps 4 digits more than the dividend has "
             "(div_precision_increment)"],
        ),
        ("mysql", "SELECT a FROM t GROUP BY a HAVING AVG(b) > 1", ["quotients and averages are exact"]),
        ("mysql", "SELECT VAR_POP(a) FROM t", ["quotients and averages are exact"]),
        ("mysql", "SELECT a DIV 3, a % 3, ROUND(a, 2) FROM t", []),
        ("postgres", "SELECT AVG(a) FROM t", ["quotients that are not cut to integers"]),
        ("sqlite", "SELECT a / 3.0 FROM t", ["quotients that are not cut to integers"]),
        ("duckdb", "SELECT a / 3 FROM t", ["quotients and averages are exact; the engine rounds them"]),
        ("duckdb", "SELECT a // 3 FROM t", []),
    ],
)  # fmt: skip
def test_a_proof_says_that_it_takes_quotients_as_exact(dialect: str, query: str, said: list[str]) -> None:
    schema = read_schema("CREATE TABLE t (a INT, b INT)", dialect)
    if schema.dialect == "sqlite":
        schema = read_schema("CREATE TABLE t (a INT, b INT) STRICT", dialect)
    tree = sqlglot.parse_one(query, read=dialect)
    found = assumptions([tree], schema, Settings())
    assert len(found) == len(said)
    assert all(one.startswith(begin) for one, begin in zip(found, said, strict=True))


def test_a_proof_names_the_digits_of_quotients_that_the_context_sets() -> None:
    schema = read_schema("CREATE TABLE t (a INT)", "mysql")
    tree = sqlglot.parse_one("SELECT AVG(a) FROM t", read="mysql")
    (found,) = assumptions([tree], schema, Settings(digits=9))
    assert "9 digits more" in found
