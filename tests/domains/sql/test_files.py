"""Files of SQL: statements, and which became which."""

from __future__ import annotations

import pytest

from truespec.domains.sql.files import align, statements
from truespec.verdict import SpecificationError, Unsupported


def test_statements_end_at_semicolons_outside_quotes_and_comments() -> None:
    text = "-- a; b\nSELECT ';' ;\n/* ; */ SELECT 2\n;; SELECT `a;b` FROM t"
    found = statements(text, "mysql")
    assert [(one.text, one.line) for one in found] == [
        ("SELECT ';'", 2),
        ("SELECT 2", 3),
        ("SELECT `a;b` FROM t", 4),
    ]


def test_dollar_quotes_hold_semicolons_in_postgresql() -> None:
    assert len(statements("SELECT $$a;b$$; SELECT 1", "postgres")) == 2


@pytest.mark.parametrize(
    ("text", "query", "head"),
    [
        ("SELECT 1", "SELECT 1", ""),
        ("(SELECT 1)", "(SELECT 1)", ""),
        ("with a as (select 1) select * from a", "with a as (select 1) select * from a", ""),
        ("CREATE VIEW v AS SELECT 1", "SELECT 1", "CREATE VIEW V AS"),
        ("create or replace view v (x) as select 1", "select 1", "CREATE OR REPLACE VIEW V ( X ) AS"),
        ("CREATE TABLE t (a INT)", None, ""),
        ("DELETE FROM t", None, ""),
    ],
)
def test_the_query_of_a_statement(text: str, query: str | None, head: str) -> None:
    (found,) = statements(text, "mysql")
    assert (found.query, found.head) == (query, head)


def test_a_dbt_model_names_its_tables() -> None:
    (found,) = statements("{{ config(materialized='view') }}\nSELECT a FROM {{ ref('orders') }}", "duckdb")
    assert found.query == "SELECT a FROM orders"
    (found,) = statements("SELECT a FROM {{ source('shop', 'orders') }}", "duckdb")
    assert found.query == "SELECT a FROM orders"


@pytest.mark.parametrize("text", ["SELECT {{ var('x') }}", "{% if a %}SELECT 1{% endif %}", "SELECT {{ 1/0 "])
def test_other_templates_are_refused(text: str) -> None:
    with pytest.raises(Unsupported, match="template"):
        statements(text, "duckdb")


def test_a_hostile_template_reaches_nothing() -> None:
    with pytest.raises(Unsupported):
        statements("SELECT {{ ref.__globals__ }}", "duckdb")


def test_an_unclosed_string_is_refused() -> None:
    with pytest.raises(SpecificationError):
        statements("SELECT 'a", "mysql")


def test_alignment_keeps_what_did_not_change() -> None:
    old = statements("SELECT 1; SELECT 2; SELECT 3", "mysql")
    new = statements("SELECT  1; SELECT 22; SELECT 3; SELECT 4", "mysql")
    pairs = align(old, new)
    assert [pair.unchanged for pair in pairs] == [True, False, True, False]
    assert pairs[1].old is not None
    assert pairs[1].new is not None
    assert pairs[3].old is None
