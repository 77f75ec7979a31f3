"""Rounds of repair: who is asked again, what is told, when a chain ends, and what the table says."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from truespec.cli.bench import bench
from truespec.metrics.table import Cell
from truespec.reports.bench_rounds import rounds_table
from truespec.store.runs import Run

# right: repaired by nothing; late: right in the second round, if it sees a counterexample; lost: right at
# first and spoilt by being asked again; broken: no specification at first.
SOURCE = """
import pathlib, re

here = pathlib.Path(__file__).parent
ORACLES = {"late": "a+b", "lost": "c", "never": "d", "broken": "e", "open": "f"}

def _log(call, what):
    with (here / "log").open("a") as file:
        file.write(call.key + "\\n")
    with (here / "prompts").open("a") as file:
        file.write(what + call.prompt + "\\n<<<>>>\\n")

def model(call):
    name = call.subject.removeprefix("answer/")
    _log(call, name + ": ")
    again = "## Your answer, attempt" in call.prompt
    told = call.prompt.rpartition("## What is known of it")[2]
    text = {"late": "a*b", "lost": "c", "never": "dd", "broken": "", "open": "f"}[name]
    if name == "late" and "result of your specification" in told:
        text = "a+b"
    if name == "lost" and again:
        text = "cc"
    if name == "broken" and again:
        text = "e"
    return f"```\\n{text}\\n```"

def judge(call):
    _log(call, "judge: ")
    wrong = "a*b" in call.prompt
    return "It looks odd.\\n```\\n" + ("0" if wrong else "3") + "\\n```"
"""
NAMES = ("late", "lost", "never", "broken", "open")
ORACLES = {"late": "a+b", "lost": "c", "never": "d", "broken": "e", "open": "f"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rounds_model.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("rounds_model", None)
    tasks = [
        {"id": name, "domain": "regex", "statement": f"About {name}.", "context": {}, "oracle": ORACLES[name]}
        for name in NAMES
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return tmp_path


def run(*words: str, code: int = 0) -> Result:
    base = ["run", "--model", "python:rounds_model:model", "--tasks", "tasks.jsonl", "-o", "r", "--jobs", "1"]
    result = CliRunner().invoke(bench, [*base, *words])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def chains(feedback: str) -> dict[str, dict[str, Any]]:
    found: list[dict[str, Any]] = Run(Path("r")).read("rounds")
    return {one["task"]: one for one in found if one["feedback"] == feedback}


def table() -> dict[str, dict[str, str]]:
    found = Run(Path("r"))
    made = rounds_table(found.read("rounds"), found.read("answers"))
    return {row[0].rpartition(", ")[2]: dict(zip(made.columns, row, strict=True)) for row in made.rows}


def test_each_kind_of_feedback(here: Path) -> None:
    kinds = [word for kind in ("none", "answer", "counterexample", "judge") for word in ("--feedback", kind)]
    run("--rounds", "2", *kinds, "--feedback-judge", "python:rounds_model:judge")
    assert {name: len(one["rounds"]) for name, one in chains("none").items()} == dict.fromkeys(NAMES, 2)
    told = chains("counterexample")
    assert {name: (len(one["rounds"]), one["ended"]) for name, one in told.items()} == {
        "late": (1, "equivalent"),
        "lost": (0, "equivalent"),
        "never": (2, "rounds"),
        "broken": (1, "equivalent"),
        "open": (0, "equivalent"),
    }
    assert told["late"]["rounds"][0]["told"].endswith(
        'input: {"string": "b"}\nintended result: false\nresult of your specification: true'
    )
    assert told["broken"]["rounds"][0]["told"].startswith("The reply held no specification")
    answer = chains("answer")
    assert len(answer["late"]["rounds"]) == 2, "without the counterexample, the model does not mend it"
    assert "string" not in answer["late"]["rounds"][0]["told"]
    judged = chains("judge")
    assert judged["never"]["ended"] == "accepted", "the judge takes a wrong answer for right"
    assert len(judged["late"]["opinions"]) == 2
    assert (
        "A judge read your specification and rejects it:\n\nIt looks odd."
        in judged["late"]["rounds"][0]["told"]
    )
    shown = table()
    after = {
        kind: (row["at first"], row["after round 1"], row["after round 2"]) for kind, row in shown.items()
    }
    assert {kind: tuple(cell.split(" ")[0] for cell in row) for kind, row in after.items()} == {
        "none": ("40.0%", "40.0%", "40.0%"),
        "answer": ("40.0%", "60.0%", "60.0%"),
        "counterexample": ("40.0%", "80.0%", "80.0%"),
        "judge": ("40.0%", "60.0%", "60.0%"),
    }
    assert {kind: row["right ones lost"] for kind, row in shown.items()} == {
        **dict.fromkeys(shown, "0"),
        "none": "1",
    }
    assert shown["judge"]["wrong where the judge accepts"].startswith("25.0% (1/4")
    assert shown["counterexample"]["gain"].startswith("+40.0%")
    assert (shown["none"]["calls"], shown["counterexample"]["calls"]) == ("10", "4")


def test_no_oracle_is_told_and_no_call_is_made_twice(here: Path) -> None:
    run("--rounds", "2")
    first = (here / "log").read_text().split()
    run("--rounds", "2")
    run("--rounds", "3", "--feedback", "answer")
    made = (here / "log").read_text().split()
    assert made[: len(first)] == first
    assert len(made) == len(set(made))
    kinds = Counter(one["feedback"] for one in Run(Path("r")).read("rounds"))
    assert kinds == {"counterexample": 5, "answer": 5}, "other kinds are kept"
    for prompt in (here / "prompts").read_text().split("\n<<<>>>\n"):
        name, _, text = prompt.partition(": ")
        if name == "late" and "attempt 2" not in text:
            assert "a+b" not in text


def test_the_report_shows_the_rounds(here: Path) -> None:
    run("--rounds", "1")
    result = CliRunner().invoke(bench, ["report", "r", "-o", "out"])
    assert result.exit_code == 0, result.output
    text = (here / "out/tables/rounds.md").read_text()
    assert "python:rounds_model:model, counterexample" in text
    found = rounds_table(Run(Path("r")).read("rounds"), Run(Path("r")).read("answers"))
    assert isinstance(found.rows[0][2], Cell)
    assert found.rows[0][2].counts == (2, 5)


def test_a_failed_repair_ends_its_chain_and_is_told(here: Path) -> None:
    price = ["--price", "python:rounds_model:model=1,1"]
    run()
    result = run("--rounds", "1", "--max-cost", "0.000001", "--concurrency", "1", *price, code=1)
    assert "calls were not made" in result.output
    assert Counter(one["ended"] for one in chains("counterexample").values())["no reply"] == 2
    run("--rounds", "1")
    ended = Counter(one["ended"] for one in chains("counterexample").values())
    assert ended == {"equivalent": 4, "rounds": 1}
