"""A bounded sample of `python -m benchmarks ddl`: rows that our tables take, the text's own tables take."""

from __future__ import annotations

import pytest
from benchmarks import ddl

import needs
from truespec.domains.sql.engines.script import create_statements
from truespec.domains.sql.schema import Schema


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "count"), [("sqlite", 25), ("duckdb", 5), ("postgres", 5), ("mysql", 5)])
def test_rows_of_our_tables_are_legal_in_the_tables_of_the_text(dialect: str, count: int) -> None:
    for tool in {"mysql": ["mariadbd"], "postgres": ["psql"]}.get(dialect, []):
        needs.tool(tool)
    seen, finds = ddl.attack(dialect, 0, count, 60.0)
    assert not finds
    assert seen["DDLs"] == count
    assert seen["row sets legal in both"]


def test_a_constraint_that_is_dropped_silently_is_a_find(monkeypatch: pytest.MonkeyPatch) -> None:
    read = create_statements

    def forgetful(schema: Schema) -> list[str]:
        return [
            statement.replace("NOT NULL", "").split(", UNIQUE")[0] + ")" * (", UNIQUE" in statement)
            for statement in read(schema)
        ]

    monkeypatch.setattr(ddl, "create_statements", forgetful)
    assert ddl.attack("sqlite", 0, 60, 60.0)[1]
