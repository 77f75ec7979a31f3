"""Random formulas, and everything that can contradict a verdict on a pair of them."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample, Verdict

_spec = importlib.util.spec_from_file_location(
    "twin_fol_random", Path(__file__).parent / "domains" / "fol" / "twin.py"
)
assert _spec
assert _spec.loader
twin = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twin)
twin.__dict__["MODELS"] = 1_500


def random_formula(
    chance: random.Random,
    depth: int,
    scope: list[str],
    predicates: dict[str, int],
    constants: list[str],
    equality: bool,
) -> str:
    """A fully parenthesised sentence; quantifiers shadow each other now and then."""
    names = scope + constants

    def part(inner: list[str] = scope) -> str:
        return f"({random_formula(chance, depth - 1, inner, predicates, constants, equality)})"

    roll = chance.random()
    if depth <= 0 or roll < 0.15:
        if equality and names and chance.random() < 0.3:
            return f"{chance.choice(names)} {chance.choice(['=', '≠'])} {chance.choice(names)}"
        fitting = [name for name, arity in predicates.items() if names or not arity]
        name = chance.choice(fitting)
        row = ", ".join(chance.choice(names) for _ in range(predicates[name]))
        return f"{name}({row})" if row else name
    if roll < 0.45:
        variable = chance.choice("xyz")
        inner = scope if variable in scope else [*scope, variable]
        return f"{chance.choice('∀∃')}{variable} {part(inner)}"
    if roll < 0.58:
        return f"¬{part()}"
    sign = chance.choice(["∧", "∨", "→", "↔", "⊕"])
    count = 2 if sign == "→" or chance.random() < 0.7 else 3
    return f" {sign} ".join(part() for _ in range(count))


def random_pair(chance: random.Random) -> tuple[str, str, dict[str, Any]]:
    """An oracle with another formula, a mutant of it, or a rewriting of it; sometimes an axiom."""
    predicates = {
        "Z": 0,
        **{name: chance.choice([1, 1, 1, 2, 2, 3]) for name in "PQR"[: chance.randint(1, 3)]},
    }
    constants = ["a", "b", "c"][: chance.randint(0, 3)]
    equality = chance.random() < 0.4
    context: dict[str, Any] = {"predicates": predicates, "constants": constants}

    def formula(most: int) -> str:
        return random_formula(chance, chance.randint(1, most), [], predicates, constants, equality)

    if chance.random() < 0.2:
        context["axioms"] = [formula(2)]
    oracle, roll, domain = formula(4), chance.random(), load("fol")
    if roll < 0.4:
        return oracle, formula(4), context
    others = list(domain.mutants(oracle, context) if roll < 0.7 else domain.rewritings(oracle, context))
    return oracle, chance.choice(others or [oracle]), context


def disagreement(oracle: str, candidate: str, context: dict[str, Any], verdict: Verdict) -> str | None:
    """What contradicts the verdict: the twin, the size of its counterexample, or the re-check."""
    if verdict.reason is not None and verdict.reason.code.value == "oracle":
        return None if context.get("axioms") else "an oracle without axioms is usable"
    if verdict.answer not in (Answer.EQUIVALENT, Answer.REFUTED):
        return f"not decided: {verdict.reason}"
    model = twin.differ(oracle, candidate, context)
    if model is not None:
        if verdict.answer is Answer.EQUIVALENT:
            return f"the twin tells them apart: {model}"
        assert isinstance(verdict.evidence, Counterexample)
        domain = verdict.evidence.point["domain"]
        assert isinstance(domain, list)
        if len(domain) > model["size"]:
            return f"the twin has a smaller counterexample: {model}"
    checked = load("fol").recheck(oracle, candidate, context, verdict, Limit.start(20.0))
    return None if checked.status is RecheckStatus.CONFIRMED else str(checked)
