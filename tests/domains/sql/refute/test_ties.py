"""Ties that are broken by values are broken in both directions, wherever rows are chosen."""

from __future__ import annotations

import sqlite3

import pytest
import sqlglot

from truespec.domains.sql.refute.ties import variants
from truespec.domains.sql.schema import read_schema

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)"
GROUPED = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"


def settled(query: str, *, ordered: bool) -> list[str] | None:
    found = variants(sqlglot.parse_one(query, read="postgres"), read_schema(SCHEMA, "postgres"), ordered)
    return None if found is None else found.texts


def test_the_first_of_equal_rows_of_groups_is_chosen_in_both_directions() -> None:
    found = settled(f"SELECT DISTINCT ON (n) n, a FROM ({GROUPED}) g ORDER BY n", ordered=False)
    assert [text.count(" DESC") for text in found or []] == [0, 2]


def test_equal_rows_of_which_all_is_shown_are_no_choice() -> None:
    found = settled(f"SELECT DISTINCT ON (n) n, a FROM ({GROUPED}) g ORDER BY n, a", ordered=False)
    assert found == []


def test_a_union_of_distinct_rows_chooses_nothing() -> None:
    assert settled("SELECT a FROM t UNION SELECT b FROM t", ordered=False) == []


@pytest.mark.parametrize(
    ("source", "known"),
    [(f"({GROUPED}) g", True), (f"({GROUPED}) g, t", False), (f"(SELECT * FROM ({GROUPED}) h) g", True)],
)
def test_a_star_over_one_subquery_alone_has_its_columns(source: str, known: bool) -> None:
    found = settled(f"SELECT * FROM {source} ORDER BY n", ordered=True)
    assert bool(found) is known


STARRED = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER ({}) AS n FROM ({}) AS g {}) AS h WHERE n = 1"


@pytest.mark.parametrize(
    ("over", "window", "rows", "choice"),
    [
        ("ORDER BY a", "", "(1, 5, 7), (2, 5, 8)", True),
        ("ORDER BY a", "", "(1, 5, 7), (2, 6, 8)", False),
        ("PARTITION BY b ORDER BY a", "", "(1, 5, 7), (2, 5, 8)", False),
        ("PARTITION BY a", "", "(1, 5, 7), (2, 5, 8)", True),
        ("w", "WINDOW w AS (ORDER BY a)", "(1, 5, 7), (2, 5, 8)", True),
        (
            "w",
            "WINDOW w AS (ORDER BY a ROWS BETWEEN CURRENT ROW AND CURRENT ROW)",
            "(1, 5, 7), (2, 5, 8)",
            True,
        ),
        ("w", "WINDOW w AS (ORDER BY a)", "(1, 5, 7), (2, 6, 8)", False),
        ("ORDER BY a", "", "(1, NULL, 7), (2, NULL, 8)", True),
    ],
)
def test_where_a_star_hides_the_outputs_the_rows_that_tie_are_counted(
    over: str, window: str, rows: str, choice: bool
) -> None:
    text = STARRED.format(over, "SELECT a, b, MIN(id) AS id FROM t GROUP BY a, b", window)
    found = variants(sqlglot.parse_one(text, read="sqlite"), read_schema(SCHEMA, "sqlite"), False)
    assert found is not None
    connection = sqlite3.connect(":memory:")
    connection.execute(SCHEMA)
    connection.execute(f"INSERT INTO t VALUES {rows}")
    counted = [connection.execute(question).fetchone()[0] for question in found.questions]
    assert [bool(count) for count in counted] == [choice]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT -a AS b, ROW_NUMBER() OVER (ORDER BY b) AS c FROM (SELECT DISTINCT a, b FROM t) AS s",
        f"SELECT ({STARRED.format('ORDER BY a', GROUPED + ' HAVING a = u.a', '')}) FROM t AS u",
        "WITH RECURSIVE r AS (SELECT a, 1 AS k FROM t UNION ALL"
        " SELECT *, ROW_NUMBER() OVER (ORDER BY a) FROM (SELECT a FROM r WHERE k < 3) AS s) SELECT * FROM r",
    ],
    ids=["an output of the name", "rows around it", "a recursion's own rows"],
)
def test_rows_that_tie_are_not_counted_where_they_are_not_there_alone(text: str) -> None:
    assert variants(sqlglot.parse_one(text, read="sqlite"), read_schema(SCHEMA, "sqlite"), False) is None


def test_rows_that_tie_in_qualify_are_counted() -> None:
    text = f"SELECT a, n FROM ({GROUPED}) g QUALIFY ROW_NUMBER() OVER (ORDER BY n) = 1"
    found = variants(sqlglot.parse_one(text, read="duckdb"), read_schema(SCHEMA, "duckdb"), False)
    assert found is not None
    assert [one.count("OVER (ORDER BY n)") for one in found.questions] == [2]
