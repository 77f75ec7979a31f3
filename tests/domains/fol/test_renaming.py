"""The search for a renaming is an option, reports apart from the answer, and its finds are proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Verdict


def decide(oracle: str, candidate: str, **context: Any) -> Verdict:
    return verify_pair(Pair("fol", oracle, candidate, context), 20.0)


def test_other_names_stay_invalid_and_the_renaming_is_noted() -> None:
    oracle = "∀x (Dog(x) → Bark(x)) ∧ Dog(rex)"
    candidate = "∀y (¬Barks(y) → ¬IsDog(y)) ∧ IsDog(r)"
    assert not decide(oracle, candidate).notes
    verdict = decide(oracle, candidate, renaming="search")
    assert verdict.answer is Answer.INVALID
    assert verdict.notes["renaming"] == {
        "predicates": {"IsDog": "Dog", "Barks": "Bark"},
        "constants": {"r": "rex"},
        "proved_by": "Herbrand truth table",
    }
    assert Verdict.from_json(verdict.to_json()).notes == verdict.notes


def test_swapped_names_stay_refuted_and_the_renaming_is_noted() -> None:
    verdict = decide("∀x (P(x) → Q(x))", "∀x (Q(x) → P(x))", renaming="search")
    assert verdict.answer is Answer.REFUTED
    renaming = verdict.notes["renaming"]
    assert isinstance(renaming, dict)
    assert renaming["predicates"] == {"Q": "P", "P": "Q"}


def test_an_equivalent_pair_needs_no_renaming() -> None:
    verdict = decide("P(a) ∧ P(b)", "P(b) ∧ P(a)", renaming="search")
    assert verdict.answer is Answer.EQUIVALENT
    assert not verdict.notes


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("∀x (Dog(x) → Bark(x))", "∀x (IsDog(x) ∧ Barks(x))"),  # means something else under every renaming
        ("P(a) ∨ ¬P(a)", "Q(a) ∧ ¬Q(a)"),
        ("Likes(a, b)", "Loves(a)"),  # no predicate of that arity
        ("P(a)", "Q(a) ∧ (R(a) ∨ ¬R(a))"),  # two names for one
        ("P(a) ∧ Q(a)", "P(a) ∧ P(a)"),
    ],
)
def test_no_renaming_is_invented(oracle: str, candidate: str) -> None:
    verdict = decide(oracle, candidate, renaming="search")
    assert verdict.answer in (Answer.INVALID, Answer.REFUTED)
    assert not verdict.notes


def test_axioms_count() -> None:
    axioms = ["∀x (P(x) ↔ ¬Q(x))"]
    assert decide("P(a)", "¬Z(a)", renaming="search", axioms=axioms).notes
    assert not decide("P(a)", "¬Z(a)", renaming="search").notes


def test_recheck_follows_the_renaming_and_refuses_a_false_one() -> None:
    pair = Pair("fol", "P(anna) ∧ ∀y Q(y)", "R(b) ∧ ∀anna S(anna)", {"renaming": "search"})
    verdict = verify_pair(pair, 20.0)
    domain = load("fol")
    limit = Limit.start(20.0)
    checked = domain.recheck(pair.oracle, pair.candidate, pair.context, verdict, limit)
    assert checked.status is RecheckStatus.CONFIRMED, checked
    false = replace(
        verdict, notes={"renaming": {"predicates": {"R": "Q", "S": "P"}, "constants": {"b": "anna"}}}
    )
    checked = domain.recheck(pair.oracle, pair.candidate, pair.context, false, limit)
    assert checked.status is RecheckStatus.FAILED, checked


def test_an_oracle_outside_the_signature_stays_unusable() -> None:
    context = {"predicates": {"P": 1}, "constants": ["a"], "renaming": "search"}
    verdict = verify_pair(Pair("fol", "Q(a)", "P(a)", context), 20.0)
    assert verdict.reason is not None
    assert verdict.reason.code.value == "oracle"
