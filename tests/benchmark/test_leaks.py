"""No prompt holds its reference, verbatim or after a trivial rewriting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from itertools import takewhile

import pytest

import needs
import truespec
from benchmark.telling import telling
from truespec.benchmark import leaks
from truespec.benchmark.leaks import ROUNDINGS, telling_constraints, tells
from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.sources.gsm_symbolic import read
from truespec.benchmark.sources.scythe import repaired
from truespec.benchmark.task import Origin, PairRecord, Task, shown_context
from truespec.judges.prompts import ask_answer, meanings_of
from truespec.verdict import Answer


@pytest.mark.parametrize(
    ("oracle", "constraint"),
    [
        ("int(n * f)", "is_int(n * f)"),
        ("int(n * f)", "is_int(f*n)"),
        ("a - b - c", "a - (b + c) > 0"),
        ("a - b - c", "b + c < a"),
        ("a - b - c", "1 <= a - b - c <= 9"),
        ("int(100 * (a + b) / (a + b + c))", "is_int((b + a) * 100 / (c + b + a))"),
        ("(a + b) * c", "(a + b) * c / 60 < 14"),
        ("a / b", "divides(a, b)"),
        ("100 * a / b", "divides(100, b / a)"),
        ("a * (1 + b)", "a + a * b <= 200"),
        ("a // b - 1", "a // b > 1"),
        ("(a * b + c) // f", "divides(a * b + c, f)"),
        ("a - int(b * c) - f", "a - b * c > f"),
        ("a - b // c", "b / c < a"),
        ("100 * (a / b) * c / (f * 60)", "(a / b) * c < f * 60"),
        ("a - int(b * c + f)", "is_int(f + c * b)"),
        ("n * (a * b * c - f)", "a * b * c > f"),
        ("n * (a + 1) ** b", "(1 + a) ** b * n < 99"),
        ("round(a * b * 100 - 6.25, 2)", "a * b * 100 > 6.25"),
    ],
)
def test_constraints_that_tell(oracle: str, constraint: str) -> None:
    names = ["a", "b", "c", "f", "n"]
    assert telling_constraints(oracle, [constraint, "1 <= a <= 9"], names) == [constraint]


@pytest.mark.parametrize(
    ("oracle", "constraint"),
    [
        ("a - b - c", "a > b"),
        ("a * 7", "a * 2 <= 90"),
        ("a * b + c", "a * b <= 90"),
        ("(a + b) * c", "a + b < 10"),
        ("a - b", "divides(a, b)"),
        ("a if a > b else b", "a != b"),
        ("3 * a + (c - a - b)", "a + b <= c"),
        ("a * b + 7", "a * b > 3"),
    ],
)
def test_constraints_that_do_not(oracle: str, constraint: str) -> None:
    assert telling_constraints(oracle, [constraint], ["a", "b", "c"]) == []


def test_a_hidden_constraint_is_not_shown_and_still_holds() -> None:
    context = {
        "variables": {"n": {"type": "int"}, "f": {"type": "real"}},
        "constraints": ["n > 0", "is_int(n * f)"],
    }
    extra = {"hidden": ["is_int(n * f)"]}
    task = Task("t", "arith", "Take f of n.", context, "int(n * f)", Origin("here", ""), (), extra)
    prompt = ask_answer(task.statement, shown_context(task), meanings_of(task))
    assert "is_int" not in prompt
    assert "n > 0" in prompt
    assert not tells(task, prompt)
    whole = Task("t", "arith", "Take f of n.", context, "int(n * f)", Origin("here", ""))
    assert tells(whole, ask_answer(whole.statement, shown_context(whole), {}))
    assert truespec.verify("arith", task.oracle, "n * f", task.context).answer.value == "equivalent"


def test_no_bundled_prompt_tells_its_reference() -> None:
    assert telling(bundled_tasks(variants=True)) == []


@pytest.mark.slow
def test_no_expression_copied_from_a_shown_constraint_is_right() -> None:
    """What a model could copy, judged by the verifier, which knows nothing of how constraints are hidden."""
    right = []
    records = takewhile(lambda one: not isinstance(one, PairRecord), read(needs.sources("gsm")))
    for task in (one for one in records if isinstance(one, Task)):
        shown = shown_context(task)["constraints"]
        assert isinstance(shown, list)
        right += [
            (task.id, text)
            for text in {text for constraint in shown for text in copied(constraint)}
            if truespec.verify("arith", task.oracle, text, task.context, 2.0).answer is Answer.EQUIVALENT
        ]
    assert right == []


def copied(constraint: str) -> Iterator[str]:
    """The expressions over two names or more that stand in a constraint, or are one step away."""
    for node in ast.walk(ast.parse(constraint.strip(), mode="eval")):
        if len({one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - ROUNDINGS - {"divides"}) < 2:
            continue
        match node:
            case ast.Call(func=ast.Name(id="divides"), args=[one, other]):
                yield f"({ast.unparse(one)}) // ({ast.unparse(other)})"
            case ast.Compare(left=one, comparators=[other]):
                yield f"({ast.unparse(one)}) - ({ast.unparse(other)})"
                yield f"({ast.unparse(other)}) - ({ast.unparse(one)})"
            case ast.BinOp() | ast.Call():
                yield ast.unparse(node)


def test_solutions_for_other_engines_are_repaired() -> None:
    text = "SELECT [Plan] FROM MyTable WHERE [Plan] = 'a;b'"
    assert repaired(text) == ("SELECT `Plan` FROM MyTable WHERE `Plan` = 'a;b'", ["brackets"])
    assert repaired("select * from @t1 x join @t2 y") == ("select * from t1 x join t2 y", ["table variable"])
    assert repaired("SELECT * FROM Call WHERE Call.id = 1;\n\nSELECT 2") == (
        "SELECT * FROM `Call` WHERE `Call`.id = 1",
        ["first of several", "reserved word"],
    )
    assert repaired("SELECT a FROM t") == ("SELECT a FROM t", [])


def test_numbers_are_compared_up_to_the_first_other_one() -> None:
    asked: list[int] = []

    def numbers(*of: int) -> Iterator[Fraction]:
        for one in of:
            asked.append(one)
            yield Fraction(one)

    assert leaks._is_one(numbers(2, 2, 2))
    assert not leaks._is_one(numbers(2, 2, 3))
    asked.clear()
    assert not leaks._is_one(numbers(1, 2, 3, 4))
    assert asked == [1, 2]
