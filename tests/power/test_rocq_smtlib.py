"""Mistakes planted in the translation to SMT-LIB: the comparison with the evaluator must find each."""

from __future__ import annotations

import random

import pytest

from domains.rocq import formulas
from domains.rocq.test_smtlib import FREE, points, z3_says
from truespec.domains.rocq import smtlib
from truespec.domains.rocq.smtlib import Node, obligation, read

SLIPS = {
    "Minus": "(- {1} {0})",
    "Div": "(div {} {})",
    "Mod": "(mod {} {})",
    "Min": "(z_max {} {})",
    "Max": "(z_min {} {})",
    "Abs": "(- {})",
    "If": "(ite {0} {2} {1})",
    "AtMost": "(< {} {})",
    "Below": "(<= {} {})",
    "And": "(or {} {})",
    "Or": "(xor {} {})",
    "Imp": "(=> {1} {0})",
    "Iff": "(=> {} {})",
}
TEXTS = {
    "division by zero": ("FLOOR", "(= b 0) 0", "(= b 0) a"),
    "remainder by zero": ("FLOOR", "(= b 0) a", "(= b 0) 0"),
    "Euclidean division": ("FLOOR", "(div (- a) (- b))", "(div a b)"),
    "Euclidean remainder": ("FLOOR", "(- (mod (- a) (- b)))", "(mod a b)"),
    "sign of the remainder": ("FLOOR", "(- (mod (- a) (- b)))", "(mod (- a) (- b))"),
}


def found() -> bool:
    """Whether the comparison finds a difference."""
    if any(z3_says(obligation(read(text))) != "sat" for text in formulas.INVALID):
        return True
    rng = random.Random(3)
    for _ in range(300):
        formula = formulas.quantified(rng, FREE) if rng.random() < 0.4 else formulas.test(rng, 6, FREE)
        env = points(rng)
        holds, fails = formula, Node("Not", (formula,))
        if not formulas.value(formula, env):
            holds, fails = fails, holds
        right, wrong = (obligation(read(formulas.at_point(one, env))) for one in (holds, fails))
        if z3_says(right, 1_000) == "sat" or z3_says(wrong, 1_000) == "unsat":
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("head", SLIPS)
def test_a_wrong_operator_is_found(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(smtlib.OPERATORS, head, _Slip(SLIPS[head], smtlib.OPERATORS[head].count("{}")))
    assert found()


@pytest.mark.slow
@pytest.mark.parametrize("slip", TEXTS)
def test_a_wrong_definition_is_found(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, right, wrong = TEXTS[slip]
    text = getattr(smtlib, name)
    assert right in text
    monkeypatch.setattr(smtlib, name, text.replace(right, wrong))
    assert found()


@pytest.mark.slow
@pytest.mark.parametrize("slip", ["quantifiers", "binders", "functions"])
def test_a_wrong_printer_is_found(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if slip == "quantifiers":
        monkeypatch.setattr(smtlib, "QUANTIFIERS", {"All": "exists", "Ex": "forall"})
    elif slip == "binders":
        right = smtlib._Printer._variable
        monkeypatch.setattr(
            smtlib._Printer,
            "_variable",
            lambda self, index, depth: f"b{index}" if index < depth else right(self, index, depth),
        )
    else:
        shown = smtlib._Printer.show
        monkeypatch.setattr(
            smtlib._Printer,
            "show",
            lambda self, node, depth: shown(
                self, Node("App", node.args, "0") if node.head == "App" else node, depth
            ),
        )
    assert found()


class _Slip(str):
    """A format with the number of arguments of the right one."""

    arguments: int

    def __new__(cls, text: str, arguments: int) -> _Slip:
        made = super().__new__(cls, text)
        made.arguments = arguments
        return made

    def count(self, *_: object) -> int:
        return self.arguments
