"""Tables of a counterexample name their columns where the schema is known."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette")

from truespec.serve.app import _columns

ROWS: dict[str, Any] = {"t": [[1, None]], "wide": [[1, 2, 3]], "other": [[1]]}
DDL = "CREATE TABLE t (id INT, name TEXT); CREATE TABLE wide (a INT, b INT)"


@pytest.mark.parametrize(
    ("context", "named"),
    [
        ({"schema": DDL, "dialect": "sqlite"}, {"t": ["id", "name"]}),
        ({"schema": DDL}, {"t": ["id", "name"]}),
        ({}, {}),
        ({"schema": "CREATE TABLE"}, {}),
        ({"schema": DDL, "dialect": "none"}, {}),
    ],
)
def test_columns_are_named_where_the_schema_fits(
    context: dict[str, Any], named: dict[str, list[str]]
) -> None:
    assert _columns(ROWS, context) == named
