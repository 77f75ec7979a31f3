"""Ties that are broken by values are broken in both directions, wherever rows are chosen."""

from __future__ import annotations

import pytest
import sqlglot

from truespec.domains.sql.refute.ties import variants
from truespec.domains.sql.schema import read_schema

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)"
GROUPED = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"


def settled(query: str, *, ordered: bool) -> list[str] | None:
    return variants(sqlglot.parse_one(query, read="postgres"), read_schema(SCHEMA, "postgres"), ordered)


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
