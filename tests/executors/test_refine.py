"""Statements refined by a model: new ones are taken, doubtful ones are not, nothing is asked twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.data import data
from truespec.executors.refine import refine
from truespec.models.call import Call
from truespec.models.contract import ModelError
from truespec.models.function import FunctionModel
from truespec.store.lines import to_line
from truespec.store.runs import read_tasks

TASKS = choose(bundled_tasks(["regex"]), [], 4)


def reply(call: Call) -> str:
    task = next(task for task in TASKS if call.subject == f"refine/{task.id}")
    assert task.oracle in call.prompt
    assert "more specific" in call.system
    number = TASKS.index(task)
    if number == 3:
        raise ModelError("401: no")
    texts = ["A date, exactly.\n  Nothing else.", f"Match {task.oracle} please.", ""]
    return f"Here:\n```\n{texts[number]}\n```"


def test_what_may_be_taken_is_taken(tmp_path: Path) -> None:
    made: list[str] = []

    def counted(call: Call) -> str:
        made.append(call.subject)
        return reply(call)

    ledger = tmp_path / "calls.sqlite"
    first = refine(TASKS, FunctionModel("m", counted), ledger)
    assert first[0].task.statement == "A date, exactly. Nothing else."
    assert first[0].task.extra["statement_before"] == TASKS[0].statement
    assert first[0].task.oracle == TASKS[0].oracle
    assert [one.problem for one in first[1:]] == [
        "the statement quotes the reference",
        "the last fenced block is empty",
        "m: ModelError: 401: no",
    ]
    assert [one.task for one in first[1:]] == TASKS[1:]
    assert refine(TASKS, FunctionModel("m", counted), ledger) == first
    assert sorted(made) == sorted([f"refine/{task.id}" for task in TASKS] + [f"refine/{TASKS[3].id}"])


def test_the_command_keeps_order_and_other_domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [*choose(bundled_tasks(["fol"]), [], 1), *TASKS]
    (tmp_path / "tasks.jsonl").write_text(
        "".join(to_line(task.to_json()) for task in every), encoding="utf-8"
    )
    monkeypatch.setattr("truespec.models.registry.open_model", lambda name: FunctionModel(name, reply))
    arguments = ["refine", str(tmp_path / "tasks.jsonl"), "--model", "m", "--domain", "regex"]
    result = CliRunner().invoke(data, [*arguments, "-o", str(tmp_path / "out")], catch_exceptions=False)
    assert result.exit_code == 1
    assert "1 of 4 statements refined" in result.output
    found = read_tasks(tmp_path / "out" / "tasks.jsonl")
    assert [task.id for task in found] == [task.id for task in every]
    assert found[0].statement == every[0].statement
    assert found[1].statement.startswith("A date, exactly.")
