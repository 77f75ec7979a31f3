"""Which tasks a run asks, and which it refuses to ask."""

from __future__ import annotations

from typing import Any

import pytest

from truespec.benchmark.select import check_oracles
from truespec.benchmark.task import Origin, Task
from truespec.verdict import UsageError


def task(domain: str, oracle: str, context: dict[str, Any] | None = None) -> Task:
    return Task(f"{domain}-{oracle}", domain, "Say it.", context or {}, oracle, Origin("here", ""))


GOOD = [
    task("regex", "a+"),
    task("regex", r"(a)\1"),
    task("fol", "∀x (P(x) → Q(x))"),
    task("sql", "SELECT a FROM t", {"schema": "CREATE TABLE t (a INT)"}),
    task("rocq", "Definition spec (x : Z) : Prop := x = 1.", {"signature": "(x : Z) : Prop"}),
    task("temporal", "G a"),
]


def test_what_can_be_read_may_be_asked() -> None:
    check_oracles(GOOD, "mine.jsonl")


@pytest.mark.parametrize(
    "broken",
    [
        task("regex", "(a"),
        task("regex", "a", {"dialekt": "python"}),
        task("arith", "x +", {"variables": {"x": {"type": "int"}}}),
        task("fol", "∀x P(x"),
        task("rocq", "", {"signature": "(x : Z) : Prop"}),
    ],
    ids=lambda one: one.id,
)
def test_a_broken_reference_is_refused_before_any_call(broken: Task) -> None:
    with pytest.raises(UsageError, match=r"mine\.jsonl: 1 of 7 tasks have a reference that cannot be read"):
        check_oracles([*GOOD, broken], "mine.jsonl")
