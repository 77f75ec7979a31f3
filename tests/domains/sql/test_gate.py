"""What the prover must not read: pairs that an engine tells apart, and near misses that are proved."""

from __future__ import annotations

import pytest

from truespec.domains.registry import load
from truespec.domains.sql.proof import prove
from truespec.solvers.limit import Limit
from truespec.verdict import SpecificationError, Undecided

ALL = ("mysql", "postgres", "sqlite", "duckdb")
THREE = "CREATE TABLE t (p INT, y INT); CREATE TABLE u (x INT, q INT); CREATE TABLE v (x INT, y INT);"
NUMBERS = "CREATE TABLE t (a INT, b INT, c INT);"
TRUTHS = "CREATE TABLE t (a BOOLEAN, b BOOLEAN, c BOOLEAN, i INT);"


def proved(dialect: str, schema: str, oracle: str, candidate: str, **context: object) -> bool:
    """Whether the prover alone calls the two queries equal."""
    domain = load("sql")
    read = domain.read_context({"dialect": dialect, "schema": schema, **context}, oracle)
    trees = [domain.parse(text, read).tree for text in (oracle, candidate)]
    try:
        found = prove(trees[0], trees[1], read.schema, read.order, read.settings, Limit.start(30))
    except (Undecided, SpecificationError):
        return False
    return found is not None


JOINS = [
    (
        "SELECT v.y FROM t, u RIGHT JOIN v ON u.x=v.x",
        "SELECT v.y FROM t CROSS JOIN u RIGHT JOIN v ON u.x=v.x",
    ),
    ("SELECT p, q FROM t, u NATURAL JOIN v", "SELECT p, q FROM t CROSS JOIN u NATURAL JOIN v"),
    ("SELECT p, q FROM t, u JOIN v USING (x)", "SELECT p, q FROM t CROSS JOIN u JOIN v USING (x)"),
]


@pytest.mark.parametrize("dialect", ["mysql", "postgres", "duckdb"])
@pytest.mark.parametrize(("oracle", "candidate"), JOINS)
def test_a_comma_binds_looser_than_a_join(dialect: str, oracle: str, candidate: str) -> None:
    assert not proved(dialect, THREE, oracle, candidate)


@pytest.mark.parametrize("dialect", ALL)
def test_a_comma_beside_an_inner_or_a_left_join_is_read(dialect: str) -> None:
    on = "ON u.x = v.x WHERE t.y = u.q"
    for join in ("JOIN", "LEFT JOIN"):
        assert proved(
            dialect,
            THREE,
            f"SELECT p FROM t, u {join} v {on}",
            f"SELECT p FROM t CROSS JOIN u {join} v {on}",
        )


def test_in_sqlite_a_comma_binds_like_a_join() -> None:
    assert proved("sqlite", THREE, *JOINS[0])


STARS = [
    ("SELECT * FROM u JOIN v USING (x)", "SELECT u.x, q, y FROM u JOIN v ON u.x=v.x", ALL),
    ("SELECT * FROM t JOIN v USING (y)", "SELECT t.y, p, x FROM t JOIN v ON t.y=v.y", ("mysql", "postgres")),
    ("SELECT * FROM t JOIN v USING (y)", "SELECT p, t.y, x FROM t JOIN v ON t.y=v.y", ("sqlite", "duckdb")),
    ("SELECT * FROM t NATURAL JOIN v", "SELECT p, t.y, x FROM t JOIN v ON t.y=v.y", ("sqlite", "duckdb")),
]


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(("oracle", "candidate", "where"), STARS)
def test_where_merged_columns_stand(
    dialect: str, oracle: str, candidate: str, where: tuple[str, ...]
) -> None:
    assert proved(dialect, THREE, oracle, candidate) == (dialect in where)


def test_mariadb_puts_the_right_table_first() -> None:
    assert not proved(
        "mysql",
        THREE,
        "SELECT * FROM t RIGHT JOIN v USING (y)",
        "SELECT v.y, p, x FROM t RIGHT JOIN v ON t.y=v.y",
    )


def test_mariadb_has_no_full_join() -> None:
    assert not proved(
        "mysql", THREE, "SELECT y FROM t FULL JOIN v USING (y)", "SELECT COALESCE(t.y, v.y) FROM t, v"
    )


CHAINS = [
    ("mysql", NUMBERS, "a = b < c", "a = (b < c)"),
    ("mysql", NUMBERS, "a <=> b < c", "a <=> (b < c)"),
    ("mysql", NUMBERS, "a NOT BETWEEN b AND 1 IN (0, 1)", "(a NOT BETWEEN b AND 1) IN (0, 1)"),
    ("mysql", NUMBERS, "a NOT BETWEEN b AND 1 LIKE c", "(a NOT BETWEEN b AND 1) LIKE c"),
    ("sqlite", NUMBERS, "a = b BETWEEN 0 AND 0", "a = (b BETWEEN 0 AND 0)"),
    ("sqlite", NUMBERS, "a = b IN (0, 2)", "a = (b IN (0, 2))"),
    ("sqlite", NUMBERS, "a <> b IN (1)", "a <> (b IN (1))"),
    ("duckdb", TRUTHS, "a IS DISTINCT FROM b = c", "a IS DISTINCT FROM (b = c)"),
]


@pytest.mark.parametrize(("dialect", "schema", "oracle", "candidate"), CHAINS)
def test_a_chain_of_comparisons_is_not_read(dialect: str, schema: str, oracle: str, candidate: str) -> None:
    assert not proved(
        dialect, schema, f"SELECT a FROM t WHERE {oracle}", f"SELECT a FROM t WHERE {candidate}"
    )


@pytest.mark.parametrize("dialect", ALL)
def test_parentheses_make_a_chain_readable(dialect: str) -> None:
    for test in (
        "(a = b) IS NULL",
        "NOT a = b",
        "NOT (a = b) AND c IS NOT NULL OR a <> -b",
        "(a < b) = (b < c)",
    ):
        oracle = f"SELECT a FROM t WHERE {test}"
        assert proved(dialect, NUMBERS, oracle, f"SELECT a FROM t WHERE ({test})")


def test_not_before_a_comparison_depends_on_the_mode() -> None:
    pair = "SELECT a FROM t WHERE NOT a = b", "SELECT a FROM t WHERE NOT (a = b)"
    assert proved("mysql", NUMBERS, *pair, settings={"sql_mode": "STRICT_TRANS_TABLES"})
    assert not proved("mysql", NUMBERS, *pair, settings={"sql_mode": "HIGH_NOT_PRECEDENCE"})


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize("key", ["(1)", "1 + 0"])
def test_a_constant_key_that_is_no_plain_ordinal(dialect: str, key: str) -> None:
    assert not proved(
        dialect,
        NUMBERS,
        f"SELECT MIN(a) FROM t GROUP BY b ORDER BY {key} LIMIT 1",
        "SELECT MIN(a) FROM t GROUP BY b LIMIT 1",
    )
