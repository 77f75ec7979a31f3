"""A query that was read stays read; nobody who gets it can change what the next one gets."""

from __future__ import annotations

import pytest
from sqlglot import exp

from truespec.domains.sql.context import Context
from truespec.domains.sql.domain import KEPT_QUERIES, Sql
from truespec.domains.sql.engines.accept import accept
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.text.query import read_query
from truespec.verdict import SpecificationError

DDL = "CREATE TABLE t (a INTEGER, b TEXT)"
TEXT = "SELECT a, -- which\n COUNT(*) FROM t WHERE b = 'x' AND a IN (1, 2) GROUP BY a ORDER BY 1 LIMIT 3"


@pytest.fixture
def sql() -> Sql:
    return Sql()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed."""
    found: list[str] = []

    def noted(text: str, *others: object) -> exp.Expr:
        found.append(text)
        return read_query(text, *others)  # type: ignore[arg-type]

    monkeypatch.setattr("truespec.domains.sql.domain.read_query", noted)
    return found


def context(sql: Sql, **changes: object) -> Context:
    return sql.read_context({"schema": DDL, "dialect": "sqlite", **changes}, "")


def test_a_text_is_parsed_once_for_its_schema_dialect_and_settings(sql: Sql, reads: list[str]) -> None:
    for _ in range(3):
        sql.parse(TEXT, context(sql))
        sql.parse(TEXT, context(sql, order="bag"))
    assert reads == [TEXT]
    sql.parse(TEXT, context(sql, schema="CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)"))
    sql.parse(TEXT, context(sql, dialect="duckdb"))
    sql.parse(TEXT + " ", context(sql))
    assert len(reads) == 4


def test_each_reader_has_a_tree_of_its_own_with_its_places(sql: Sql) -> None:
    first = sql.parse(TEXT, context(sql))
    noted = [(type(node), dict(node.meta)) for node in first.tree.walk()]
    first.tree.set("limit", None)
    for node in first.tree.find_all(exp.Literal):
        node.meta.clear()
        node.set("this", "9")
    again = sql.parse(TEXT, context(sql))
    assert again.tree is not first.tree
    assert [(type(node), node.meta) for node in again.tree.walk()] == noted
    assert again.tree.sql() == Sql().parse(TEXT, context(sql)).tree.sql()
    assert again.text == first.text


def test_the_engine_is_asked_again(sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite begins a pair there; and what is refused is refused each time."""
    known = sql.parse(TEXT, context(sql)).text
    asked: list[str] = []

    def noted(text: str, schema: Schema, settings: Settings) -> None:
        asked.append(text)
        accept(text, schema, settings)

    monkeypatch.setattr("truespec.domains.sql.domain.accept", noted)
    for _ in range(2):
        sql.parse(TEXT, context(sql))
        with pytest.raises(SpecificationError, match="missing"):
            sql.parse("SELECT missing FROM t", context(sql))
    assert asked == [known, known]


def test_few_stay(sql: Sql, reads: list[str]) -> None:
    for number in range(KEPT_QUERIES + 1):
        sql.parse(f"SELECT {number} FROM t", context(sql))
    sql.parse(f"SELECT {KEPT_QUERIES} FROM t", context(sql))
    assert len(reads) == KEPT_QUERIES + 1
    sql.parse("SELECT 0 FROM t", context(sql))
    assert len(reads) == KEPT_QUERIES + 2
