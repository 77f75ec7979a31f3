"""`assert_equivalent`: what a failing test says, by the function and by the fixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import truespec
from truespec.testing import assert_equivalent as asserted

DDL = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER);"


def test_a_proved_pair_passes(assert_equivalent: Callable[..., None]) -> None:
    assert_equivalent(
        "sql", "SELECT DISTINCT a FROM t", "SELECT a FROM t", schema=DDL, dialect="sqlite", timeout=30
    )


@pytest.mark.parametrize(
    ("domain", "oracle", "candidate", "fields", "says"),
    [
        (
            "sql",
            "SELECT b FROM t",
            "SELECT b FROM t\nWHERE b = b",
            {"schema": DDL, "dialect": "sqlite"},
            [
                "sql: refuted\n",
                "SELECT b FROM t\n             WHERE b = b",
                "INSERT INTO",
                "the oracle gives     (NULL)",
            ],
        ),
        ("regex", "a*", "a+", {}, ["stronger than the oracle", "the oracle matches the empty string"]),
        ("regex", "a", "(a", {}, ["regex: invalid", "syntax: candidate:"]),
        ("regex", r"(a)\1", "aa", {}, ["regex: unknown", "unsupported: oracle: back-reference"]),
    ],
)
def test_a_failure_is_readable(
    domain: str, oracle: str, candidate: str, fields: dict[str, Any], says: list[str]
) -> None:
    with pytest.raises(AssertionError) as raised:
        asserted(domain, oracle, candidate, timeout=30, **fields)
    for part in says:
        assert part in str(raised.value), raised.value


def test_a_wrong_call_is_no_failure_of_the_test() -> None:
    with pytest.raises(truespec.ContextError, match="did you mean 'flags'"):
        asserted("regex", "a", "a", flgas="i")
