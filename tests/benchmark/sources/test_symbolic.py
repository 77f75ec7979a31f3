"""Symbolic predicates become tables that hold the rows of which they are true."""

from __future__ import annotations

import pytest

from truespec.benchmark.sources._sql import Table
from truespec.benchmark.sources._symbolic import written_out

R = Table("R", {"X": "INT", "Y": "INT"})


def test_a_predicate_over_rows_is_membership_in_a_table_of_its_own() -> None:
    queries = [
        "SELECT * FROM R A WHERE B1(A) AND B2(A)",
        "SELECT * FROM (SELECT * FROM R X WHERE B1(X)) Y WHERE B2(Y)",
    ]
    texts, tables = written_out(queries, [R], "mysql")
    assert {table.name: table.columns for table in tables[1:]} == {
        "HOLDS_B1": {"C0": "INT", "C1": "INT"},
        "HOLDS_B2": {"C0": "INT", "C1": "INT"},
    }
    inside = "EXISTS(SELECT 1 FROM HOLDS_B1 WHERE HOLDS_B1.C0 <=> X.X AND HOLDS_B1.C1 <=> X.Y)"
    outside = "EXISTS(SELECT 1 FROM HOLDS_B2 WHERE HOLDS_B2.C0 <=> Y.X AND HOLDS_B2.C1 <=> Y.Y)"
    assert texts[1] == f"SELECT * FROM (SELECT * FROM R AS X WHERE {inside}) AS Y WHERE {outside}"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM R A WHERE B1(C)",
        "SELECT * FROM R A WHERE F(A)",
        "SELECT * FROM R A",
        "SELECT * FROM (SELECT X FROM R) A WHERE B1(A)",
        "SELECT * FROM S A WHERE B1(A)",
    ],
)
def test_what_is_no_predicate_over_rows_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match=r"is no|has no|is given|no predicate"):
        written_out([query, query], [R, Table("S", {"T": "VARCHAR(9)"})], "mysql")
