"""Functions that are read as NULL where an argument is, and nowhere else: so the engines have it."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.accept import read_settings
from truespec.domains.sql.engines.result import Rows
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.schema import read_schema

CALLS = {
    "postgres": (
        *(
            "STARTS_WITH(s, 'a')",
            "STARTS_WITH('a', s)",
            "s ~* 'a'",
            "s SIMILAR TO 'a'",
            "TRANSLATE(s, 'a', 'b')",
        ),
        *("TRANSLATE('a', s, 'b')", "MD5(s)", "INITCAP(s)", "QUOTE_LITERAL(s)", "SPLIT_PART(s, 'a', 1)"),
        *("SPLIT_PART('a', s, 1)", "LPAD(s, 3, 'a')", "RPAD('a', 3, s)", "REPEAT(s, 2)", "ASCII(s)"),
        *("REGEXP_REPLACE(s, 'a', 'b')", "BIT_LENGTH(s)", "OCTET_LENGTH(s)", "AGE(d, DATE '2020-01-01')"),
    ),
    "sqlite": ("s GLOB 'a'", "'a' GLOB s"),
    "duckdb": (
        *("STARTS_WITH(s, 'a')", "STARTS_WITH('a', s)", "ENDS_WITH(s, 'a')", "ENDS_WITH('a', s)", "MD5(s)"),
        *(
            "CONTAINS(s, 'a')",
            "CONTAINS('a', s)",
            "PREFIX(s, 'a')",
            "SUFFIX('a', s)",
            "TRANSLATE(s, 'a', 'b')",
        ),
        *("TRANSLATE('a', s, 'b')", "REGEXP_FULL_MATCH(s, 'a')", "s SIMILAR TO 'a'", "SPLIT_PART(s, 'a', 1)"),
        *("SPLIT_PART('a', s, 1)", "LPAD(s, 3, 'a')", "REPEAT(s, 2)", "REGEXP_REPLACE(s, 'a', 'b')"),
        *("REGEXP_EXTRACT(s, 'a')", "REGEXP_EXTRACT(s, '(a)', 1)", "ASCII(s)", "UNICODE(s)"),
        *(
            "LEVENSHTEIN(s, 'a')",
            "LEVENSHTEIN('a', s)",
            "WEEK(d)",
            "DAYOFYEAR(d)",
            "DAYNAME(d)",
            "MONTHNAME(d)",
        ),
        *("EPOCH(d)", "AGE(d, DATE '2020-01-01')"),
    ),
}
"""Calls with a column each, by dialect."""


@pytest.mark.parametrize("dialect", CALLS)
def test_strict_functions_are_null_where_an_argument_is(dialect: str) -> None:
    schema = read_schema("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9), d DATE)", dialect)
    outputs = ", ".join(f"({call}) IS NULL" for call in CALLS[dialect])
    answer = registry.engine(dialect).run(
        schema,
        ["INSERT INTO t VALUES (1, NULL, NULL), (2, 'a', '2020-01-01')"],
        (f"SELECT {outputs} FROM t ORDER BY id",) * 2,
        read_settings({}, dialect),
    )[0]
    assert isinstance(answer, Rows), answer
    nulls, values = answer.rows
    assert all(nulls), [c for c, n in zip(CALLS[dialect], nulls, strict=True) if not n]
    assert not any(values), [c for c, n in zip(CALLS[dialect], values, strict=True) if n]


@pytest.mark.parametrize("dialect", CALLS)
def test_each_strict_signature_has_a_call(dialect: str) -> None:
    named = set()
    for call in CALLS[dialect]:
        for node in sqlglot.parse_one(call, read=dialect).walk():
            named.add(str(node.this).upper() if isinstance(node, exp.Anonymous) else type(node).__name__)
    strict = {name for name, known in FUNCTIONS[dialect].read.items() if known.strict}
    assert strict <= named, strict - named


def test_no_signature_of_mariadb_is_strict() -> None:
    assert not any(known.strict for known in FUNCTIONS["mysql"].read.values())
