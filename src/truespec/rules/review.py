"""Every question about a list of rules, within one budget: each rule alone, and each pair.

Questions differ in cost by a factor of thousands, and most are cheap. All pairs are asked with a small limit
first; those without an answer are asked again with a larger one, until the budget is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truespec.rules.compare import (
    ANY_TOOLS,
    SECONDS,
    Health,
    Standing,
    Toolbox,
    compare,
    conflict,
    health,
    pairs,
)
from truespec.rules.rule import Rule

ROUNDS = (0.1, 1.0)
"""Seconds for one question in the rounds before the last, which has the caller's limit."""
SPENT = "the time for all questions was spent"
"""Why a question has no answer that was not asked, or not to its end."""
_LEAST = 0.01
"""A question with fewer seconds is not asked."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What two rules mean to each other."""

    left: str
    right: str
    relation: Standing
    """As `compare` says, or `contradictory`."""
    conflict: bool | None
    """Whether they contradict each other; None where it was not decided."""


@dataclass(frozen=True, slots=True)
class Review:
    """The answers, in the order of the rules."""

    states: dict[str, Health]
    pairs: tuple[Pair, ...]


def review(
    rules: Sequence[Rule],
    toolbox: Toolbox = ANY_TOOLS,
    seconds: float = SECONDS,
    budget: float = 60.0,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Review:
    """Ask about each rule and each pair; `seconds` bounds one question, `budget` all.

    A question that the budget does not reach is `unknown` with that reason. `report` takes the stage, how
    much is done, and how much there is.
    """
    end = time.monotonic() + budget

    def limit(most: float, share: float = 0.25) -> float:
        """The limit of the next question: at most this share of what is left."""
        return min(most, max(0.0, end - time.monotonic()) * share)

    states = {}
    for number, rule in enumerate(rules):
        report("rules", number, len(rules))
        states[rule.id] = (
            health(rule, toolbox, limit(seconds, 0.05)) if limit(1.0) > _LEAST else Health("unknown", SPENT)
        )
    found: dict[int, Pair] = {}
    open_ = list(enumerate(pairs(rules)))
    total = len(open_)
    for most in sorted({*(r for r in ROUNDS if r < seconds), seconds}):
        waiting = []
        for number, (one, other) in open_:
            bound = limit(most, 0.1)
            if bound < _LEAST:
                found.setdefault(number, Pair(one.id, other.id, Standing("unknown", SPENT), None))
                continue
            found[number], again = _pair(one, other, toolbox, bound)
            if again:
                waiting.append((number, (one, other)))
            report(f"pairs at {most:g} s ({len(waiting)} to ask again)", len(found) - len(waiting), total)
        open_ = waiting
    return Review(states, tuple(found[number] for number in sorted(found)))


def _pair(one: Rule, other: Rule, toolbox: Toolbox, seconds: float) -> tuple[Pair, bool]:
    """The answer, and whether more time may change it."""
    relation = compare(one, other, toolbox, seconds)
    clash: bool | None = False
    if relation.relation in ("incomparable", "unknown"):
        clash = conflict(one, other, toolbox, seconds)
    late = relation.relation == "unknown" and relation.reason.startswith("no decision within")
    bound = any(rule.formal is not None and rule.formal.bind for rule in (one, other))
    if clash:
        relation = Standing("contradictory", relation.reason, relation.left_only, relation.right_only)
    return Pair(one.id, other.id, relation, clash), (late or (clash is None and not bound)) and not clash
