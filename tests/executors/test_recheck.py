"""Claims whose record fits neither its own counterexample nor a usable oracle are not confirmed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.recheck import Claim, recheck_claim
from truespec.verdict import Answer, Relation

INTEGER = {"variables": {"x": {"type": "int"}}}
PREDICATE = {"predicates": {"P": 1}, "constants": ["a"]}

REFUTED = [
    Pair("regex", "a*", "a+"),
    Pair("arith", "x > 0", "x > 1", INTEGER),
    Pair("fol", "∃x P(x)", "∀x P(x)", PREDICATE),
]


@pytest.mark.parametrize("pair", REFUTED, ids=lambda pair: pair.domain)
def test_a_relation_that_the_counterexample_contradicts_fails(pair: Pair) -> None:
    verdict = verify_pair(pair, 10.0)
    assert verdict.relation is Relation.STRONGER
    assert recheck_claim(Claim(pair, verdict), 20.0).status is RecheckStatus.CONFIRMED
    try:
        turned = replace(verdict, relation=Relation.WEAKER)
    except ValueError:  # a Boolean counterexample denies it on its face: such a verdict cannot be built
        return
    assert recheck_claim(Claim(pair, turned), 20.0).status is RecheckStatus.FAILED


CONTRADICTORY: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    ("arith", "x + 1", "1 + x", INTEGER, {"constraints": ["x > 0", "x < 0"]}),
    ("fol", "¬∀x P(x)", "∃x ¬P(x)", PREDICATE, {"axioms": ["P(a)", "¬P(a)"]}),
]


@pytest.mark.live
@pytest.mark.parametrize("case", CONTRADICTORY, ids=lambda case: str(case[0]))
def test_an_equivalence_under_a_contradictory_context_fails(
    case: tuple[str, str, str, dict[str, Any], dict[str, Any]],
) -> None:
    needs.module("cvc5")
    domain, oracle, candidate, context, contradiction = case
    verdict = verify_pair(Pair(domain, oracle, candidate, context), 10.0)
    assert verdict.answer is Answer.EQUIVALENT
    claim = Claim(Pair(domain, oracle, candidate, {**context, **contradiction}), verdict)
    assert recheck_claim(claim, 20.0).status is RecheckStatus.FAILED
