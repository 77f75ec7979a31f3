"""Planted mistakes: what people misunderstand about temporal operators, each told apart by a short word."""

from __future__ import annotations

from typing import Any

import pytest

from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.temporal import comparison, unfold
from truespec.temporal.words import Short
from truespec.verdict import Answer, Counterexample

MISCONCEPTIONS = [
    ("bad proposition", "G (a -> F b)", "G (a -> F c)", None, 2),
    ("bad state index", "a U (b & F c)", "a U b & F c", "weaker", 2),
    ("bad state index, next", "X (a & b)", "X a & b", "incomparable", 2),
    ("bad state quantification", "F a", "G a", "stronger", 2),
    ("exclusive until", "a U (!a & b)", "a U b", "weaker", 1),
    ("implicit eventually", "F a", "a", "stronger", 2),
    ("implicit always", "G a", "a", "weaker", 2),
    ("other implicit", "a U G a", "F G a", "weaker", 2),
    ("spreading next", "X X a", "X a & X X a", "stronger", 3),
    ("trace split by until", "a U (b & G c)", "G a & F (b & G c)", "stronger", 2),
    ("weak until", "a U b", "a W b", "weaker", 1),
]


@pytest.mark.parametrize(("name", "right", "wrong", "relation", "length"), MISCONCEPTIONS)
@pytest.mark.parametrize("logic", ["ltl", "ltlf"])
def test_misconceptions_are_refuted_by_short_words(
    name: str, right: str, wrong: str, relation: str | None, length: int, logic: str
) -> None:
    context: dict[str, Any] = {"logic": logic, "atoms": ["a", "b", "c"]}
    verdict = verify_pair(Pair("temporal", right, wrong, context), 20.0)
    assert verdict.answer is Answer.REFUTED
    assert verdict.relation
    assert relation is None or verdict.relation.value == relation
    assert isinstance(verdict.evidence, Counterexample)
    point = verdict.evidence.point
    letters = [*point.get("trace", []), *point.get("stem", []), *point.get("loop", [])]  # type: ignore[misc]
    assert len(letters) <= length, verdict


@pytest.mark.parametrize("broken", ["until never put off", "release ends", "claims not proved"])
def test_a_broken_unfolding_gives_no_wrong_verdict(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """The replay and the certificate stand between a mistake of the search and a verdict."""
    original = unfold.Unfolding._unfold

    def changed(self: unfold.Unfolding, number: int, state: unfold.State) -> list[int]:
        kind = self.pool.kind[number].name
        if broken == "until never put off" and kind == "UNTIL":
            return self.ways(self.pool.items[number][1], state)
        if broken == "release ends" and kind == "RELEASE":
            return self.ways(self.pool.items[number][1], state)
        if broken == "claims not proved" and kind in ("SINCE", "TRIGGER"):
            return [0]
        return original(self, number, state)

    monkeypatch.setattr(unfold.Unfolding, "_unfold", changed)
    # Without short words the search alone has the word.
    monkeypatch.setattr(comparison, "separate", lambda *_, **__: Short(None, None, 0))
    pairs = [("a U b", "F b"), ("G a", "a & X a"), ("F (a S b)", "F a"), ("a R b", "b"), ("G (a T b)", "G b")]
    caught = 0
    for logic in ("ltl", "ltlf"):
        for oracle, candidate in pairs:
            context: dict[str, Any] = {"logic": logic, "atoms": ["a", "b"]}
            verdict = verify_pair(Pair("temporal", oracle, candidate, context), 20.0)
            if verdict.answer is Answer.UNKNOWN:
                caught += 1
            elif verdict.answer is Answer.EQUIVALENT:
                checked = load("temporal").recheck(oracle, candidate, context, verdict, Limit.start(20.0))
                assert checked.status is not RecheckStatus.CONFIRMED
                caught += 1
    assert caught, "the mistake was met"
