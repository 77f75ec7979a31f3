"""Re-checking establishes again which side of a refuted pair implies which."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.recheck import Claim, recheck_claim
from truespec.verdict import Relation

X = {"variables": {"x": {"type": "int"}}}
NATURAL = {"signature": "(x : Z) : Prop"}
PAIRS: list[tuple[str, str, str, dict[str, Any], Relation]] = [
    ("arith", "x > 0", "x > 1  # more", X, Relation.STRONGER),
    ("arith", "x > 1", "x > 0", X, Relation.WEAKER),
    ("arith", "x > 0", "x < 5", X, Relation.INCOMPARABLE),
    ("arith", "x > 0", "x > 0 and 1 / (x - 3) != 7", X, Relation.STRONGER),
    ("fol", "P(a)", "∀x P(x)", {}, Relation.STRONGER),
    ("fol", "∀x P(x)", "∃x P(x)", {}, Relation.WEAKER),
    ("fol", "P(a) ∨ Q(a)", "P(a) ∨ R(a)", {"predicates": {"P": 1, "Q": 1, "R": 1}}, Relation.INCOMPARABLE),
    ("regex", "a*", "a+", {}, Relation.STRONGER),
    ("regex", "a+", "(?:a|b)+", {"match": "search"}, Relation.WEAKER),
    ("regex", r"\d+", "[0-9a]", {}, Relation.INCOMPARABLE),
    ("regex", r"(?i)k", r"k|K", {}, Relation.STRONGER),
    ("regex", "(.*a.*)&(.*b.*)", "ab", {"dialect": "deepregex"}, Relation.STRONGER),
    ("temporal", "F a", "G a", {}, Relation.STRONGER),
    ("temporal", "a U b", "a W b", {"logic": "ltl"}, Relation.WEAKER),
    ("temporal", "-> a X b", "-> a F b", {"logic": "ltl", "syntax": "prefix"}, Relation.WEAKER),
    ("temporal", "X a", "F b", {"atoms": ["a", "b"]}, Relation.INCOMPARABLE),
]


@pytest.mark.parametrize(("domain", "oracle", "candidate", "context", "relation"), PAIRS)
def test_a_relation_is_established_again(
    domain: str, oracle: str, candidate: str, context: dict[str, Any], relation: Relation
) -> None:
    pair = Pair(domain, oracle, candidate, context)
    verdict = verify_pair(pair, 20.0)
    assert verdict.relation is relation
    checked = recheck_claim(Claim(pair, verdict), 30.0)
    assert checked.status is RecheckStatus.CONFIRMED, checked
    for other in set(Relation) - {relation}:
        tampered = recheck_claim(Claim(pair, replace_relation(verdict, other)), 30.0)
        assert tampered.status is RecheckStatus.FAILED, (other, tampered)


def replace_relation(verdict: Any, relation: Relation) -> Any:
    """The verdict with another relation, past the check of its record."""
    changed = replace(verdict, relation=None)
    object.__setattr__(changed, "relation", relation)
    return changed


def test_rocq_proves_an_implication_again() -> None:
    needs.tool("coqc")
    texts = ("Definition spec (x : Z) : Prop := x > 0.", "Definition spec (x : Z) : Prop := x > 1.")
    pair = Pair("rocq", *texts, NATURAL)
    verdict = verify_pair(pair, 20.0)
    assert verdict.relation is Relation.STRONGER
    assert recheck_claim(Claim(pair, verdict), 60.0).status is RecheckStatus.CONFIRMED
    for other in (Relation.WEAKER, Relation.INCOMPARABLE):
        tampered = recheck_claim(Claim(pair, replace_relation(verdict, other)), 60.0)
        assert tampered.status is RecheckStatus.FAILED, (other, tampered)


def test_what_cannot_be_established_again_is_not_called_confirmed() -> None:
    needs.tool("coqc")
    texts = ("Definition spec (x : Z) : Prop := x > 0.", "Definition spec (x : Z) : Prop := x < 5.")
    pair = Pair("rocq", *texts, NATURAL)
    verdict = verify_pair(pair, 20.0)
    assert verdict.relation is Relation.INCOMPARABLE
    checked = recheck_claim(Claim(pair, verdict), 60.0)
    assert checked.status is RecheckStatus.UNDECIDED
    assert "the counterexample holds" in checked.detail
