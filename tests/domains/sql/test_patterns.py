"""Patterns: an error where one is malformed, and what date formats say of years before Christ."""

from __future__ import annotations

import pytest
import sqlglot

import truespec
from sql_pairs import proved
from truespec.domains.sql.assumed import assumptions
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.schema import read_schema
from truespec.verdict import Proof

WORDS = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20) NOT NULL, p VARCHAR(20) NOT NULL)"
SAME = "SELECT id FROM t"


def either(test: str) -> str:
    """A query for all rows, which tries the condition first."""
    return f"SELECT id FROM t WHERE {test} OR id = id"


MALFORMED = [
    "s LIKE p",
    "s NOT LIKE p",
    "s ILIKE p",
    "s LIKE 'a\\'",
    "s LIKE p || ''",
    "s LIKE CONCAT('%', p)",
    "s ~ p",
    "s !~ p",
    "s ~ 'a\\'",
    "s ~ '('",
    "s ~ '[z-a]'",
    "s ~ 'a{3,2}'",
    "s ~ '*a'",
    "s ~ 'a**'",
    "s ~ '[[:no:]]'",
    "s ~ '\\1'",
]


@pytest.mark.parametrize("test", MALFORMED)
def test_a_malformed_pattern_is_an_error_in_postgresql(test: str) -> None:
    rows = ["INSERT INTO t VALUES (1, 'ab', 'a\\'), (2, 'c', '(')"]
    with pytest.raises(Exception, match=r"LIKE pattern must not end|invalid regular expression"):
        engine("postgres").replay([WORDS, *rows], either(test), Settings())
    assert not proved("postgres", WORDS, either(test), SAME)


@pytest.mark.parametrize(
    "test",
    [
        "s LIKE '%a_'",
        "s NOT ILIKE ('a%')",
        "s LIKE 'a\\\\'",
        "s LIKE ''",
        "s LIKE '%' || p || '%'",
        "s LIKE CONCAT(p, '%')",
        "s ~ '^[A-Za-z][A-Za-z0-9_.-]*@leetcode\\.com$'",
        "s !~ '[^0-9]'",
        "s ~ '(^| )DIAB1'",
        "s ~ '^(ab|c+)?\\d{2,}$'",
    ],
)
def test_a_pattern_that_is_one_is_read(test: str) -> None:
    assert proved("postgres", WORDS, either(test), SAME)
    rows = ["INSERT INTO t VALUES (1, 'ab', 'a\\'), (2, 'c', '(')"]
    assert len(engine("postgres").replay([WORDS, *rows], either(test), Settings())) == 2


def test_patterns_of_the_other_dialects() -> None:
    for dialect in ("mysql", "sqlite", "duckdb"):
        assert proved(dialect, WORDS, either("s LIKE p"), SAME)
    assert proved("mysql", WORDS, either("s REGEXP p"), SAME)
    assert not proved("duckdb", WORDS, either("s ~ p"), SAME)
    part = "SELECT s ~ 'a' FROM t", "SELECT REGEXP_MATCHES(s, 'a') FROM t"
    assert not proved("duckdb", WORDS, *part)  # before version 2, ~ asked for all of the text


def test_a_regular_expression_over_a_date_is_no_pattern_of_like() -> None:
    dates = "CREATE TABLE t (id INT PRIMARY KEY, d DATE)"
    like = "SELECT id FROM t WHERE d LIKE '2020-01%'"
    assert proved("mysql", dates, like, "SELECT id FROM t WHERE DATE_FORMAT(d, '%Y-%m') = '2020-01'")
    assert not proved("mysql", dates, like, "SELECT id FROM t WHERE d REGEXP '2020-01%'")


def test_a_format_of_postgresql_hides_what_is_before_christ() -> None:
    schema = "CREATE TABLE t (id INT PRIMARY KEY, d DATE)"
    month = "SELECT id FROM t WHERE TO_CHAR(d, 'YYYY-MM') = '2020-01'"
    days = "SELECT id FROM t WHERE d >= '2020-01-01' AND d < '2020-02-01'"
    rows = [schema, "INSERT INTO t VALUES (1, '2020-01-15'), (2, '2020-01-15 BC')"]
    found = [len(engine("postgres").replay(rows, query, Settings())) for query in (month, days)]
    assert found == [2, 1]
    verdict = truespec.verify(
        "sql", month, days, context={"schema": schema, "dialect": "postgres"}, timeout=60
    )
    assert isinstance(verdict.evidence, Proof)
    assert "the dates of t.d, and those made of them, are of the years 1 to 9999" in verdict.evidence.trusts
    trees = [sqlglot.parse_one(days, read="postgres")]
    assert assumptions(trees, read_schema(schema, "postgres"), Settings()) == ("the dates of t.d are finite",)
