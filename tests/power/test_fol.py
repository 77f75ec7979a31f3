"""Planted mistakes in the finder are found by the replay, by the re-check or by the twin.

Each plant makes the finder believe something false; at least one of its verdicts on the case tables must then
be contradicted by code that does not share the mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cases import Case, cases
from truespec.domains.contract import RecheckStatus
from truespec.domains.fol import canonical, decide, herbrand, model, normal, prove, simulate, smtlib
from truespec.domains.fol import parse as parsing
from truespec.domains.fol.syntax import All, And, Iff, Implies, Or, Some, Xor
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer

Plant = Callable[[pytest.MonkeyPatch], None]


def converse_implication(patch: pytest.MonkeyPatch) -> None:
    """The simulation reads P → Q as Q → P."""
    true_value = simulate.Universe._value

    def value(self: Any, formula: Any, binding: Any) -> int:
        if isinstance(formula, Implies):
            formula = Implies(formula.right, formula.left)
        return true_value(self, formula, binding)

    patch.setattr(simulate.Universe, "_value", value)


def existential_universal(patch: pytest.MonkeyPatch) -> None:
    """Simulation and replay both read ∀ as ∃."""
    for owner, name in ((simulate.Universe, "_value"), (model._Evaluation, "value")):
        true_value = getattr(owner, name)

        def value(self: Any, formula: Any, binding: Any, true_value: Any = true_value) -> Any:
            if isinstance(formula, All):
                formula = Some(formula.variable, formula.body)
            return true_value(self, formula, binding)

        patch.setattr(owner, name, value)


def inclusive_xor(patch: pytest.MonkeyPatch) -> None:
    """Simulation and replay both read ⊕ as ∨."""
    for owner, name in ((simulate.Universe, "_value"), (model._Evaluation, "value")):
        true_value = getattr(owner, name)

        def value(self: Any, formula: Any, binding: Any, true_value: Any = true_value) -> Any:
            if isinstance(formula, Xor):
                formula = Or(formula.parts)
            return true_value(self, formula, binding)

        patch.setattr(owner, name, value)


def one_skolem_constant(patch: pytest.MonkeyPatch) -> None:
    """Every existential variable gets the same constant."""
    true_skolemize = normal.skolemize

    def skolemize(formulas: Any) -> Any:
        found = true_skolemize(formulas)
        if found is None:
            return None
        sentences, fresh = found
        for name in fresh[1:]:
            sentences = [_replace(one, name, fresh[0]) for one in sentences]
        return sentences, fresh[:1]

    patch.setattr(normal, "skolemize", skolemize)


def _replace(formula: Any, old: str, new: str) -> Any:
    from truespec.domains.fol.renaming import Renaming

    return Renaming({}, {old: new}).apply(formula)


def all_over_or(patch: pytest.MonkeyPatch) -> None:
    """Miniscoping moves ∀ through ∨."""
    true_push = normal.Normalizer.push

    def push(self: Any, kind: Any, variable: int, body: Any) -> Any:
        if kind is All and isinstance(body, Or):
            return Or(tuple(true_push(self, kind, variable, part) for part in body.parts))
        return true_push(self, kind, variable, body)

    patch.setattr(normal.Normalizer, "push", push)


def directionless_implication(patch: pytest.MonkeyPatch) -> None:
    """The normal form confuses → with ↔."""
    true_form = canonical._Builder.form

    def form(self: Any, formula: Any, positive: bool, levels: Any) -> Any:
        if isinstance(formula, Implies):
            formula = Iff((formula.left, formula.right))
        return true_form(self, formula, positive, levels)

    patch.setattr(canonical._Builder, "form", form)
    patch.setattr(simulate.Universe, "truth", lambda self, formula: self.full)


def no_quantifier_order(patch: pytest.MonkeyPatch) -> None:
    """The text for Z3 has every quantifier as ∃."""
    true_text = smtlib._text

    def text(formula: Any, names: Any, points: Any) -> str:
        return true_text(formula, names, points).replace("forall", "exists")

    patch.setattr(smtlib, "_text", text)
    patch.setattr(simulate.Universe, "truth", lambda self, formula: self.full)
    patch.setattr(herbrand, "prove", lambda sentences: False)
    patch.setattr(herbrand, "solve", lambda sentences, limit: None)
    patch.setattr(canonical, "same", lambda left, right: False)


def trusting_prover(patch: pytest.MonkeyPatch) -> None:
    """Z3's boundary takes every end for a proof."""
    patch.setattr(prove, "by_z3", lambda sentences, limit: "z3")
    patch.setattr(simulate, "BUDGET", 3)


def or_before_and(patch: pytest.MonkeyPatch) -> None:
    """The parser binds ∨ tighter than ∧."""
    patch.setitem(parsing._LOOSENESS, "and", 2)
    patch.setitem(parsing._LOOSENESS, "or", 1)
    patch.setitem(parsing._BY_LOOSENESS, 1, Or)
    patch.setitem(parsing._BY_LOOSENESS, 2, And)
    parsing.parse.cache_clear()


def left_implication(patch: pytest.MonkeyPatch) -> None:
    """The parser groups → to the left."""
    true_formula = parsing._Parser.formula

    def formula(self: Any, loosest: int) -> Any:
        if loosest == 4 and self.kinds[self.at - 1] == "implies":
            loosest = 3
        return true_formula(self, loosest)

    patch.setattr(parsing._Parser, "formula", formula)
    parsing.parse.cache_clear()


def forgotten_axioms(patch: pytest.MonkeyPatch) -> None:
    """The comparison forgets the axioms when it looks for a difference."""
    true_init = decide.Comparison.__init__

    def init(self: Any, oracle: Any, candidate: Any, context: Any, limit: Any) -> None:
        from dataclasses import replace

        true_init(self, oracle, candidate, replace(context, axioms=()), limit)

    patch.setattr(decide.Comparison, "__init__", init)


PLANTS: list[Plant] = [
    converse_implication,
    existential_universal,
    inclusive_xor,
    one_skolem_constant,
    all_over_or,
    directionless_implication,
    no_quantifier_order,
    trusting_prover,
    or_before_and,
    left_implication,
    forgotten_axioms,
]


def contradicted(case: Case) -> bool:
    """Whether the replay or the re-check refuses the verdict on this case."""
    verdict = verify_pair(Pair("fol", case.oracle, case.candidate, case.context), 20.0)
    if verdict.reason is not None:
        return verdict.reason.code.value == "crash" and "does not replay" in verdict.reason.detail
    assert verdict.answer in (Answer.EQUIVALENT, Answer.REFUTED)
    checked = load("fol").recheck(case.oracle, case.candidate, case.context, verdict, Limit.start(20.0))
    return checked.status is RecheckStatus.FAILED


DECIDED = [case for case in cases("fol") if case.expect in ("equivalent", "refuted")]
SHORTEST_FIRST = sorted(DECIDED, key=lambda case: len(case.oracle + case.candidate))
"""A mistake shows on a short formula as well, and the provers do not search for seconds there."""


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_mistake_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    try:
        assert any(contradicted(case) for case in SHORTEST_FIRST), plant.__doc__
    finally:
        monkeypatch.undo()
        parsing.parse.cache_clear()


def test_without_a_plant_nothing_is_contradicted() -> None:
    assert not any(contradicted(case) for case in DECIDED[::5])
