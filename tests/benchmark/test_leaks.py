"""No prompt holds its reference, verbatim or after a trivial rewriting."""

from __future__ import annotations

import pytest

import needs
import truespec
from truespec.benchmark.leaks import telling_constraints, tells
from truespec.benchmark.respecbench import select
from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.sources.scythe import repaired
from truespec.benchmark.task import Origin, Task, shown_context
from truespec.judges.prompts import ask_answer, meanings_of


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


def prompt_of(task: Task) -> str:
    return ask_answer(task.statement, shown_context(task), meanings_of(task))


def telling(tasks: list[Task]) -> list[str]:
    return [task.id for task in tasks if tells(task, prompt_of(task))]


def test_no_bundled_prompt_tells_its_reference() -> None:
    assert telling(bundled_tasks(variants=True)) == []


@pytest.mark.slow
def test_no_prompt_of_the_paper_tells_its_reference_and_every_query_is_usable() -> None:
    chosen = {one.domain: one for one in select(needs.sources("."))}
    tasks = [task for one in chosen.values() for task in one.tasks]
    assert len(tasks) == 707
    assert telling(tasks) == []
    hidden = [task for task in tasks if "hidden" in task.extra]
    assert len(hidden) == 116, "74 hold the oracle verbatim or nearly so, the rest after a trivial rewriting"
    needs.tool("mariadbd")
    for task in chosen["sql"].tasks:
        verdict = truespec.verify("sql", task.oracle, task.oracle, task.context)
        assert verdict.answer.value == "equivalent", task.id
    assert len(chosen["sql"].rejected) == 9


def test_solutions_for_other_engines_are_repaired() -> None:
    text = "SELECT [Plan] FROM MyTable WHERE [Plan] = 'a;b'"
    assert repaired(text) == ("SELECT `Plan` FROM MyTable WHERE `Plan` = 'a;b'", ["brackets"])
    assert repaired("select * from @t1 x join @t2 y") == ("select * from t1 x join t2 y", ["table variable"])
    assert repaired("SELECT * FROM Call WHERE Call.id = 1;\n\nSELECT 2") == (
        "SELECT * FROM `Call` WHERE `Call`.id = 1",
        ["first of several", "reserved word"],
    )
    assert repaired("SELECT a FROM t") == ("SELECT a FROM t", [])
