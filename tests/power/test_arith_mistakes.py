"""Planted mistakes in arithmetic: each shows on the case tables, as a wrong answer or a failed re-check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from cases import Case, cases
from truespec.domains.arith import decide, evaluate, facts, knowledge, normal, points, semantics, smt
from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.conditions import NOTHING
from truespec.domains.arith.domain import Arithmetic
from truespec.domains.arith.numbers import exact
from truespec.domains.contract import RecheckStatus
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, TruespecError

Plant = Callable[[pytest.MonkeyPatch], None]


def _meaning(op: str, wrong: Callable[..., Any]) -> Plant:
    """An operation whose meaning is wrong, in the laws and in the generated code."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = semantics.meaning

        def meaning(algebra: Any, name: str, extra: Any, args: Any) -> Any:
            return wrong(algebra, *args) if name == op else right(algebra, name, extra, args)

        patch.setattr(semantics, "meaning", meaning)
        patch.setattr(evaluate, "_source", lambda term, names: None)
        patch.setattr(decide, "same_form", lambda *_: False)

    return plant


def _truncated(al: Any, a: Any, b: Any) -> Any:
    quotient = al.divide(a, b)
    minus = al.multiply(al.constant(-1), quotient)
    up = al.multiply(al.constant(-1), al.floor(minus))
    return al.choose(al.less(quotient, al.constant(0)), up, al.floor(quotient))


def _half_up(al: Any, a: Any) -> Any:
    return al.floor(al.add(a, al.constant(Fraction(1, 2))))


def _remainder(al: Any, a: Any, b: Any) -> Any:
    product = al.multiply(b, _truncated(al, a, b))
    return al.add(a, al.multiply(al.constant(-1), product))


def _patched(owner: Any, name: str, value: Any, *, alone: str) -> Plant:
    """A mistake in one route, which then decides alone: another route may well make up for it."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(owner, name, value)
        if alone != "forms":
            patch.setattr(decide, "same_form", lambda *_: False)
        if alone != "sampling":
            patch.setattr(decide.Comparison, "_best", lambda self, points: None)
        if alone == "laws":
            patch.setattr(evaluate, "_source", lambda term, names: None)

    return plant


def _power(a: Any, n: Any) -> Any:
    return 0 if a == 0 else exact(Fraction(a) ** int(n))


def _strict_sign(low: Any, high: Any) -> str:
    return "+" if low is not None and low >= 0 else "-" if high is not None and high <= 0 else "?"


MISTAKES: dict[str, Plant] = {
    "floor division truncates": _meaning("//", _truncated),
    "the remainder has the sign of the dividend": _meaning("%", _remainder),
    "round goes half up": _meaning("round", _half_up),
    "int floors": _meaning("int", lambda al, a: al.floor(a)),
    "ceil adds one": _meaning("ceil", lambda al, a: al.add(al.floor(a), al.constant(1))),
    "at most is less": _meaning("<=", lambda al, a, b: al.less(a, b)),
    "min takes the greater": _meaning("min", lambda al, a, b: al.choose(al.less(a, b), b, a)),
    "abs keeps the sign": _meaning("abs", lambda al, a: a),
    "division is total": _patched(semantics, "condition", lambda *_: None, alone="laws"),
    "zero to the power zero is zero": _patched(
        evaluate.Exact, "power", staticmethod(_power), alone="sampling"
    ),
    "a normal form forgets where it is defined": _patched(
        normal.Normaliser, "obligations", lambda self, a: NOTHING, alone="forms"
    ),
    "everything is an integer": _patched(
        normal.Normaliser, "is_integral", lambda self, a: True, alone="forms"
    ),
    "every sign is positive": _patched(normal.Normaliser, "sign", lambda self, a: "+", alone="forms"),
    "a guard is forgotten": _patched(normal, "guarded", lambda *_: NOTHING, alone="forms"),
    "negation of a literal is itself": _patched(normal, "negate", lambda a: a, alone="forms"),
    "a denominator is dropped": _patched(
        poly, "divide_ratios", lambda a, b: poly.whole(a.over), alone="forms"
    ),
    "a bound is wrong": _patched(
        facts, "_narrow", lambda forms, name, bounds, strict=False: _shifted(forms, name), alone="forms"
    ),
    "a strict bound is kept as it is": _patched(knowledge, "sign_of", _strict_sign, alone="forms"),
    "floors are not tied to their operands": _patched(
        smt.Compiler, "floor", lambda self, a: self.constant(0), alone="solver"
    ),
    "any point is legal": _patched(points, "_all_hold", lambda checks: lambda *_: True, alone="sampling"),
    "everything has one form": _patched(poly, "same", lambda a, b: True, alone="forms"),
}


def _shifted(forms: Any, name: str) -> None:
    index = forms.variable_atoms[name]
    forms.atoms[index] = replace(forms.atoms[index], bounds=(1, 1))


def decided_wrongly(case: Case) -> bool:
    """Whether the mistake shows: a wrong answer, a failed re-check, or a replay that contradicts it."""
    domain = Arithmetic()
    limit = Limit.start(3.0)
    try:
        context = domain.read_context(case.context, case.oracle)
        oracle, candidate = domain.parse(case.oracle, context), domain.parse(case.candidate, context)
        verdict = domain.decide(oracle, candidate, context, limit)
    except TruespecError as error:
        return "replay" in str(error) or "contradict" in str(error)
    if verdict.answer.value != case.expect:
        return True
    if verdict.answer is Answer.EQUIVALENT:
        return False  # right, if for a wrong reason
    check = domain.recheck(case.oracle, case.candidate, case.context, verdict, limit)
    return check.status is RecheckStatus.FAILED


WHERE = {
    "floor division truncates": "floor_division",
    "the remainder has the sign of the dividend": "floor_division",
    "round goes half up": "rounding",
    "int floors": "rounding",
    "ceil adds one": "rounding",
    "division is total": "partiality",
    "zero to the power zero is zero": "partiality",
    "min takes the greater": "choices",
    "abs keeps the sign": "choices",
    "a strict bound is kept as it is": "partiality",
    "a guard is forgotten": "partiality",
    "negation of a literal is itself": "choices",
    "floors are not tied to their operands": "floor_division",
    "a bound is wrong": "constraints",
    "any point is legal": "constraints",
}
"""The table in which a mistake is looked for first."""
DECIDED = [case for case in cases("arith") if case.expect in ("equivalent", "refuted")]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MISTAKES[mistake](monkeypatch)
    likely = sorted(DECIDED, key=lambda case: case.table != WHERE.get(mistake))
    assert any(map(decided_wrongly, likely)), mistake


def test_without_a_mistake_nothing_is_found() -> None:
    """The harness itself is sound: the truncation law, for one, is Python's."""
    assert math.trunc(Fraction(-7, 2)) == -3
    assert not any(map(decided_wrongly, DECIDED[:60]))
