"""Texts of the shapes that CHECKs ask for."""

from __future__ import annotations

import re

import pytest
import sqlglot
from sqlglot import exp

import needs
from truespec.domains.sql.engines.contract import BadDatabase, Settings
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.engines.script import insert_statements
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.shapes import matches, samples
from truespec.domains.sql.schema import read_schema

NEEDED = {"mysql": "mariadbd", "postgres": "psql"}


@pytest.mark.parametrize(
    "pattern", ["^[A-Z]{3}$", r"^\d{2}-\w+@x\.com$", "[^a]b?", "^[[:digit:]]{4}$", "a.c"]
)
def test_samples_match_their_pattern(pattern: str) -> None:
    found = samples(pattern)
    assert found
    assert all(re.search(pattern.replace("[[:digit:]]", "[0-9]"), text) for text in found)


def test_what_is_no_plain_pattern_has_no_samples() -> None:
    assert samples("^(a|b)$") == samples("a|b") == samples("[") == []


@pytest.mark.parametrize(
    ("kind", "text", "pattern", "expected"),
    [
        (exp.Like, "abc", "a%", True),
        (exp.Like, "abc", "b%", False),
        (exp.Like, "a.c", "a_c", True),
        (exp.Glob, "A1x", "[A-Z][0-9]*", True),
        (exp.Glob, "A1x", "[A-Z][0-9]", False),
        (exp.RegexpLike, "xab", "^ab", False),
        (exp.RegexpLike, "xab", "[", None),
        (exp.RegexpLike, "a" * 40 + "b", "^(a+)+$", None),  # which takes for ever
        (exp.Like, "a" * 40, "%a%a%a%a%a%a%b", None),
    ],
)
def test_texts_have_a_shape_or_not(
    kind: type[exp.Expr], text: str, pattern: str, expected: bool | None
) -> None:
    assert matches(kind, text, pattern) is expected


@pytest.mark.parametrize(
    ("dialect", "ddl"),
    [
        ("sqlite", "a TEXT PRIMARY KEY CHECK (length(a) = 3), b TEXT CHECK (b GLOB '[A-Z][0-9]*')"),
        pytest.param(
            "postgres",
            "a TEXT PRIMARY KEY CHECK (a ~ '^[A-Z]{3}$'), b CHAR(2) CHECK (b = UPPER(b)),"
            " c JSONB CHECK (jsonb_typeof(c) = 'array')",
            marks=pytest.mark.live,
        ),
        pytest.param(
            "mysql", "a VARCHAR(9) PRIMARY KEY CHECK (a REGEXP '^[0-9]{5}$')", marks=pytest.mark.live
        ),
    ],
)
def test_rows_have_the_shapes_that_checks_ask_for(dialect: str, ddl: str) -> None:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    schema = read_schema(f"CREATE TABLE t ({ddl})", dialect)
    query = "SELECT * FROM t"
    generator = Generator(schema, [sqlglot.parse_one(query, read=dialect)], 1)
    drawn = [generator.draw() for _ in range(30)]
    assert sum(bool(database.tables["t"]) for database in drawn) > 20
    inserts = [insert_statements(database, schema) for database in drawn]
    answers = engine(dialect).run_many(schema, inserts, [query], Settings(), seconds=1.0, arrangement=0)
    assert not any(isinstance(answer, BadDatabase) for answer in answers)
