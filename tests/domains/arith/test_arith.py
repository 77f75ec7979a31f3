"""What no case table can say of arithmetic: hostile texts, and evaluators that must agree."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from truespec.domains.arith.context import read_context
from truespec.domains.arith.evaluate import compiled, evaluate
from truespec.domains.arith.lower import lower
from truespec.domains.arith.numbers import Undefined
from truespec.domains.arith.replay import replay
from truespec.domains.arith.syntax import read
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, Verdict

CONTEXT = {"variables": {"x": {"type": "int"}, "y": {"type": "int"}, "r": {"type": "real"}}}


def decide(oracle: str, candidate: str, **context: object) -> Verdict:
    return verify_pair(Pair("arith", oracle, candidate, {**CONTEXT, **context}), 20.0)


def test_a_tower_of_powers_equals_itself() -> None:
    assert decide("9 ** 9 ** 9", "9 ** 9 ** 9").answer is Answer.EQUIVALENT


@pytest.mark.parametrize(
    "text",
    [
        "9 ** 9 ** 9 ** 9",
        "(" * 100_000,
        "-" * 100_000 + "x",
        "not " * 5_000 + "x",
        "x" + " + x" * 4_000,
        "1" * 1_000_000,
        "1e999999999",
        "1e-999999999",
        "min(" + "x, " * 9_000 + "x)",
        "x" + " if x else x" * 5_000,
        "x ** 10 ** 10",
        "(x + y + r + 1) ** 200",
        "x" + " * (x + 1)" * 300,
        "\0x",
        "\ud800",
        "x\r\r\r",
        "x" * 100_000,
        "round(x, 10 ** 9)",
        "2 ** x ** x",
        "0x" + "f" * 100_000,
    ],
    ids=lambda text: ascii(text[:16]),
)
def test_hostile_texts_are_contained(text: str) -> None:
    verdict = verify_pair(Pair("arith", "x", text, CONTEXT), 3.0)
    assert verdict.reason is None or verdict.reason.code.value != "crash", verdict


TEXTS = [
    "x // y", "x % y", "r // y", "r % 2.5", "int(r)", "round(r)", "round(r, 1)", "round(x, -1)",
    "floor(r) - ceil(r)", "x ** 2", "x ** -1", "x ** 0", "(-2) ** x if 0 <= x < 5 else 0",
    "abs(x - y)", "min(x, y, r)", "max(1 / x, r)", "1 / x > 0 or y > 0", "y > 0 or 1 / x > 0",
    "x < y < 1 / r", "x == y == r", "is_int(r)", "divides(x, y)", "divides(r, 0.5)",
    "not (x > 0 and 1 / y < r)", "(x if y > 0 else r) / x", "Fraction(x, y) + Fraction(r)",
    "(x > 0) == (y > 0)", "-x ** 2", "2 ** -1 + x", "1 if 1 / x > 0 else 1", "0.1 + x",
    "1e3 * r - .5",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_three_evaluators_agree(text: str) -> None:
    """The laws of `semantics.py`, the generated code, and Python on fractions."""
    context = read_context(CONTEXT)
    term = lower(read(text), context.variables, context.arena)
    fast = compiled(term, ["x", "y", "r"])
    integers = (-7, -3, -2, -1, 0, 1, 2, 3, 4, 10)
    rationals = (
        Fraction(0),
        Fraction(5, 2),
        Fraction(-5, 2),
        Fraction(1, 3),
        Fraction(7, 2),
        Fraction(-1),
        Fraction(1, 4),
    )
    for x, y, r in itertools.product(integers, integers, rationals):
        point: dict[str, Fraction | int] = {"x": x, "y": y, "r": r}
        slow = evaluate(term, point)
        assert fast(x, y, r) == slow, point
        assert replay(text, point) == (None if isinstance(slow, Undefined) else slow), point


def test_what_is_too_large_to_compute_proves_nothing() -> None:
    """Neither a contradiction nor an equality follows from values that were not computed."""
    huge = "2 ** (100000 * y) > 1"
    verdict = decide("x", "x + 1", constraints=["1 <= x <= 2", "1 <= y <= 2", huge])
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason is not None
    assert verdict.reason.code.value != "oracle", verdict
    verdict = decide(
        "7 ** (100000 * x)", "7 ** (100000 * x) + 1", constraints=["1 <= x <= 2", "y == 0", "r == 0"]
    )
    assert verdict.answer is not Answer.EQUIVALENT, verdict


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("ceil(x / 30) * ceil(y / 30)", "((x + 29) // 30) * ((y + 29) // 30)"),
        ("(2 * x - y) // 4", "-((y - 2 * x + 3) // 4)"),
        ("x // 2", "x - (x + 1) // 2"),
    ],
)
def test_floors_and_their_mirrors_have_one_form(oracle: str, candidate: str) -> None:
    """Without a solver, whose time for such products changes from call to call."""
    assert decide(oracle, candidate).method == "normal form"
