"""What case tables cannot say: limits, infinite models, hostile texts, forged verdicts, random pairs."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

import pytest

from fol_pairs import disagreement, random_formula, random_pair
from truespec.domains.contract import RecheckStatus
from truespec.domains.fol import canonical, herbrand, mutate, prove
from truespec.domains.fol.context import read
from truespec.domains.fol.decide import Comparison
from truespec.domains.fol.parse import parse
from truespec.domains.fol.syntax import Not
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import (
    JSON,
    Answer,
    Counterexample,
    OutOfTime,
    Proof,
    ReasonCode,
    Relation,
    ToolMissing,
    Verdict,
    equivalent,
)

DENSE = "∀x ¬R(x, x) ∧ ∀x ∀y ∀z (R(x, y) ∧ R(y, z) → R(x, z)) ∧ ∀x ∃y R(x, y)"
"""A strict order without a last element: it has models, all of them infinite."""


def decide(oracle: str, candidate: str, seconds: float = 20.0, **context: Any) -> Verdict:
    return verify_pair(Pair("fol", oracle, candidate, context), seconds)


def test_a_difference_that_only_infinite_models_show_is_unknown() -> None:
    verdict = decide("∃x (R(x, x) ∧ ¬R(x, x))", DENSE, seconds=2.0)
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.evidence is not None
    assert verdict.evidence.to_json()["bounded"]["domain_size"] >= 3  # type: ignore[index]


def test_an_infinite_difference_beside_a_finite_one_leaves_the_relation_open() -> None:
    verdict = decide("∀x R(x, x)", DENSE, seconds=2.0)
    assert verdict.answer is Answer.REFUTED
    assert verdict.relation is None


def test_axioms_with_infinite_models_only_prove_nothing() -> None:
    verdict = decide("P(a)", "P(a) ∧ ∃x R(a, x)", seconds=2.0, axioms=[DENSE])
    assert verdict.answer is Answer.UNKNOWN


def test_every_prover_proves_and_none_proves_too_much() -> None:
    context = read({}, "∀x ∃y R(x, y)")
    assert context.predicates == {"R": 2}
    true = [parse("∃y ∀x R(x, y)").formula, parse("¬∀x ∃y R(x, y)").formula]
    false = [parse("∀x ∃y R(x, y)").formula, parse("¬∃y ∀x R(x, y)").formula]
    for prover in (prove.by_z3, prove.by_e, prove.by_cvc5):
        assert prover(true, Limit.start(20.0)), prover
        assert prover(false, Limit.start(2.0)) is None, prover


HOSTILE = {
    "parentheses": ("∀x P(x)", "(" * 40_000 + "P" + ")" * 40_000, "unsupported"),
    "negations": ("∀x P(x)", "¬" * 90_000 + "∀x P(x)", "unsupported"),
    "open parentheses": ("∀x P(x)", "(" * 50_000, "syntax"),
    "a million characters": ("∀x P(x)", "P(a) ∧ " * 150_000 + "P(a)", "unsupported"),
    "commas": ("P(a)", "P(" + "," * 50_000 + ")", "syntax"),
    "a long name": ("P(a)", "P" * 50_000 + "(a)", "scope"),
    "a lone surrogate": ("P(a)", "P(\udfff)", "syntax"),
    "a null character": ("P(a)", "\0", "syntax"),
    "a byte order mark": ("P(a)", "\ufeffP(a)", "syntax"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_get_a_reason(name: str) -> None:
    oracle, candidate, code = HOSTILE[name]
    verdict = decide(oracle, candidate)
    assert verdict.reason is not None
    assert verdict.reason.code.value == code
    verdict.reason.detail.encode("utf-8")


def test_long_chains_and_wide_predicates_are_decided() -> None:
    assert decide("P(a)", "P(a) ∧ " * 9_000 + "P(a)").answer is Answer.EQUIVALENT
    assert decide("P(a)", "P(a) ⊕ " * 9_000 + "P(a)").answer is Answer.EQUIVALENT
    assert decide("P(a)", "P(a) ↔ " * 9_001 + "P(a)").answer is Answer.REFUTED
    names = [f"x{number}" for number in range(30)]
    atom = f"A({', '.join(names)})"
    every, some = (sign + f" {sign}".join(names) + f" {atom}" for sign in "∀∃")
    assert decide(every, some).relation is Relation.WEAKER
    points = [f"c{number}" for number in range(30)]
    swapped = f"A({', '.join(points[::-1])})"
    assert decide(f"A({', '.join(points)})", swapped).relation is Relation.INCOMPARABLE


def test_fifty_quantifiers_end_within_the_limit() -> None:
    names = [f"x{number}" for number in range(50)]
    prefix = "".join(f"{'∀∃'[place % 2]}{name} " for place, name in enumerate(names))
    matrix = " ∧ ".join(f"R({one}, {two})" for one, two in pairwise(names))
    verdict = decide("∀x R(x, x)", f"{prefix}({matrix})", seconds=2.0)
    assert verdict.answer in (Answer.UNKNOWN, Answer.REFUTED)
    assert verdict.reason is None or verdict.reason.code.value in ("incomplete", "timeout")


# -- recheck has teeth -----------------------------------------------------------------------------------


def recheck(oracle: str, candidate: str, verdict: Verdict, **context: Any) -> RecheckStatus:
    return load("fol").recheck(oracle, candidate, context, verdict, Limit.start(20.0)).status


def test_recheck_refuses_a_forged_proof() -> None:
    for by in ("z3", "E 3.5", "Herbrand truth table"):
        forged = equivalent("fol", "m", Proof(by, ("nothing",)))
        assert recheck("∀x P(x)", "∃x P(x)", forged) is RecheckStatus.FAILED
        assert recheck("∀x P(x)", "¬∃x ¬P(x)", forged) is RecheckStatus.CONFIRMED


def test_recheck_refuses_forged_counterexamples() -> None:
    oracle, candidate, axioms = "P(a)", "Q(a)", ["∃x (P(x) ∧ ¬Q(x))"]
    verdict = decide(oracle, candidate, axioms=axioms)
    assert isinstance(verdict.evidence, Counterexample)
    assert recheck(oracle, candidate, verdict, axioms=axioms) is RecheckStatus.CONFIRMED
    point = dict(verdict.evidence.point)
    forgeries: list[dict[str, JSON]] = [
        {**point, "predicates": {"P": [], "Q": []}},  # both sides false, the axiom too
        {**point, "constants": {}},
        {**point, "constants": {"a": "nobody"}},
        {**point, "domain": []},
        {**point, "domain": ["e1", "e1"]},
        {**point, "predicates": {"P": [["e1", "e1"]], "Q": []}},
        {**point, "predicates": {"P": [["e1"]]}},
        {},
    ]
    for forged in forgeries:
        wrong = replace(verdict, evidence=replace(verdict.evidence, point=forged))
        assert recheck(oracle, candidate, wrong, axioms=axioms) is RecheckStatus.FAILED, forged
    exchanged = replace(
        verdict,
        evidence=replace(
            verdict.evidence,
            oracle_value=verdict.evidence.candidate_value,
            candidate_value=verdict.evidence.oracle_value,
        ),
    )
    assert recheck(oracle, candidate, exchanged, axioms=axioms) is RecheckStatus.FAILED


# -- random pairs ----------------------------------------------------------------------------------------


def test_random_pairs_agree_with_the_twin_and_survive_recheck() -> None:
    answers = set()
    for seed in range(250):
        oracle, candidate, context = random_pair(random.Random(seed))
        verdict = verify_pair(Pair("fol", oracle, candidate, context), 20.0)
        answers.add(verdict.answer)
        assert disagreement(oracle, candidate, context, verdict) is None, (oracle, candidate, context)
    assert {Answer.EQUIVALENT, Answer.REFUTED} <= answers


def test_what_shares_a_normal_form_or_lacks_a_herbrand_model_is_refuted_by_no_prover() -> None:
    same = unsatisfiable = 0
    for seed in range(60):
        chance = random.Random(seed)
        predicates, constants = {"P": 1, "Q": chance.choice([1, 2]), "Z": 0}, ["a", "b"]
        text = random_formula(chance, 4, [], predicates, constants, equality=chance.random() < 0.4)
        formula = parse(text).formula
        for mutant in islice(mutate.mutants(formula, predicates, tuple(constants)), 15):
            lost, added = [formula, Not(mutant)], [mutant, Not(formula)]
            if canonical.same(formula, mutant):
                same += 1
                assert prove.by_e(lost, Limit.start(20.0)), text
                assert prove.by_e(added, Limit.start(20.0)), text
            found = herbrand.solve(lost, Limit.start(20.0))
            if isinstance(found, str):
                unsatisfiable += 1
                assert prove.by_e(lost, Limit.start(20.0)), text
    assert same > 20
    assert unsatisfiable > 20


@pytest.mark.slow
def test_thousands_of_random_pairs_agree_with_the_twin_and_survive_recheck() -> None:
    for seed in range(1_000, 2_500):
        oracle, candidate, context = random_pair(random.Random(seed))
        verdict = verify_pair(Pair("fol", oracle, candidate, context), 20.0)
        assert disagreement(oracle, candidate, context, verdict) is None, (oracle, candidate, context)


def test_the_recheck_imports_nothing_of_the_finder() -> None:
    import ast
    from pathlib import Path

    import truespec.domains.fol.recheck as room

    for path in Path(str(room.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and "domains.fol" in node.module:
                assert node.module.startswith("truespec.domains.fol.recheck"), (path.name, node.module)


def test_a_prover_that_is_missing_is_a_reason_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle, candidate = (parse(text).formula for text in ("∀x P(x)", "∃x P(x)"))
    comparison = Comparison(oracle, candidate, read({}, "∀x P(x)"), Limit.start(200.0))
    monkeypatch.setattr("truespec.domains.fol.prove.missing", dict)
    verdict = comparison._undecided(None)
    assert verdict.reason is not None
    assert (verdict.reason.code, verdict.method) == (ReasonCode.INCOMPLETE, "finite models, Z3, E and cvc5")
    monkeypatch.setattr("truespec.domains.fol.prove.missing", lambda: {"E": "E is not installed: get it"})
    verdict = comparison._undecided(None)
    assert verdict.reason is not None
    assert (verdict.reason.code, verdict.method) == (ReasonCode.UNAVAILABLE, "finite models, Z3 and cvc5")
    assert "E is not installed: get it" in verdict.reason.detail
    late = comparison._undecided(OutOfTime("late"))
    assert late.reason is not None
    assert late.reason.code is ReasonCode.TIMEOUT


def test_missing_provers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks() -> None:
        raise ToolMissing("the prover E is not installed")

    monkeypatch.setattr("truespec.solvers.eprover.binary", lacks)
    monkeypatch.setattr("truespec.solvers.cvc5.available", lambda: False)
    assert list(prove.missing()) == ["E", "cvc5"]
