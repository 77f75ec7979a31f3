"""A run grows without asking anything twice; judges have a manner of their own; names are checked first."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.bench import bench
from truespec.judges.judgement import Judgement
from truespec.judges.manner import Manner, majority
from truespec.models.call import Settings
from truespec.reports.bench import join
from truespec.reports.bench_runs import read_runs
from truespec.store.runs import Run

SOURCE = """
import pathlib

here = pathlib.Path(__file__).parent

def _log(call):
    with (here / "log").open("a") as file:
        file.write(call.key + "\\n")

def one(call):
    _log(call)
    (here / "prompt").write_text(call.system + "\\n=====\\n" + call.prompt)
    return "```\\na*\\n```"

two = one

def fickle(call):
    _log(call)
    return f"```\\n{(0, 3, 3)[call.epoch % 3]}\\n```"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "growing_model.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("growing_model", None)
    tasks = choose(bundled_tasks(["regex"]), [], 4)
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(task.to_json()) + "\n" for task in tasks[:2]))
    (tmp_path / "four.jsonl").write_text("".join(json.dumps(task.to_json()) + "\n" for task in tasks))
    return tmp_path


def call(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(bench, list(words))
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def made(here: Path) -> list[str]:
    return (here / "log").read_text().split() if (here / "log").exists() else []


def test_models_tasks_epochs_and_the_limit_are_added(here: Path) -> None:
    base = ["run", "--model", "python:growing_model:one", "-o", "r"]
    call(*base, "--tasks", "two.jsonl")
    assert len(made(here)) == 2
    grown = call(*base, "--tasks", "four.jsonl", "--model", "python:growing_model:two", "--epochs", "2")
    assert "grows: models: python:growing_model:two; 2 tasks; 2 answers per task instead of 1" in grown.output
    assert len(made(here)) == len(set(made(here))) == 2 * 4 * 2
    call(*base, "--tasks", "two.jsonl", "--timeout", "6")
    assert len(made(here)) == 16, "what was asked stays, and nothing is asked again"
    run = Run(Path("r"))
    assert (len(run.tasks()), run.config().epochs, len(run.config().models)) == (4, 2, 2)
    assert run.config().timeout == 6.0
    assert len(run.read("answers")) == 16
    assert read_runs([Path("r")]).missing == []


def test_what_answers_rest_on_cannot_change(here: Path) -> None:
    base = ["run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r"]
    call(*base)
    result = call(*base, "--temperature", "0.2", code=1)
    assert "other settings" in str(result.exception)
    lines = [json.loads(line) for line in (here / "two.jsonl").read_text().splitlines()]
    lines[0]["oracle"] = "b"
    (here / "other.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = call("run", "--model", "python:growing_model:one", "--tasks", "other.jsonl", "-o", "r", code=1)
    assert "another task" in str(result.exception)
    assert len(made(here)) == 2


def test_names_are_checked_before_any_call(here: Path) -> None:
    call("run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r")
    before = made(here)
    judges = ("--judge", "python:growing_model:fickle", "--judge", "python:growing_model:misspelt")
    result = call("judge", "r", *judges, code=1)
    assert "has no attribute 'misspelt'" in str(result.exception)
    assert made(here) == before


def test_a_judge_with_settings_and_samples_of_its_own(here: Path) -> None:
    call("run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r")
    judge = ["judge", "r", "--judge", "python:growing_model:fickle", "--kind", "formalization"]
    call(*judge)
    call(*judge, "--samples", "3", "--temperature", "0.5", "--max-tokens", "20")
    assert "odd number" in str(call(*judge, "--samples", "2", code=1).exception)
    loaded = read_runs([Path("r")])
    items = join(loaded.answers, loaded.judgements)
    name = "python:growing_model:fickle"
    told = f"{name} (temperature 0.5, max tokens 20, 3 samples)"
    by_judge = {judge: {i.judgement for i in items if i.judge == judge} for judge in (name, told)}
    assert by_judge == {name: {Judgement.REJECT}, told: {Judgement.ACCEPT}}, "one 0, or 0, 3 and 3"
    sampled = [one for one in loaded.judgements if one["judge"] == told]
    assert {(tuple(one["scores"]), len(one["replies"])) for one in sampled} == {((3,), 3)}
    assert sampled[0]["settings"]["max_tokens"] == 20
    assert call("report", "r", "-o", "out").exit_code == 0


def test_majorities() -> None:
    accept, reject, lost = Judgement.ACCEPT, Judgement.REJECT, Judgement.UNKNOWN
    assert majority([accept, reject, accept]) is accept
    assert majority([accept, reject, lost]) is majority([lost]) is lost
    with pytest.raises(ValueError, match="odd number"):
        Manner(Settings(), 4)
    assert Manner(Settings()).described(Settings()) == ""
    assert Manner(Settings(reasoning_effort=None)).described(Settings()) == "reasoning effort default"


def test_prompts_and_examples_of_ones_own(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine/answer.md").write_text("Write it down.\n\n{language}")
    shots = [
        {"id": "shot", "domain": "regex", "statement": "Any b.", "context": {}, "oracle": "b"},
        {"id": "other", "domain": "fol", "statement": "Some P.", "context": {}, "oracle": "∃x P(x)"},
    ]
    (here / "shots.jsonl").write_text("".join(json.dumps(shot) + "\n" for shot in shots))
    base = ["run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r"]
    call(*base, "--prompts", "mine", "--few-shot", "shots.jsonl")
    system, _, prompt = (here / "prompt").read_text().partition("\n=====\n")
    assert system.startswith("Write it down.")
    assert "regular expression" in system
    assert prompt.startswith("## Example 1\n\n### Context")
    assert "### Statement\n\nAny b.\n\n### Answer\n\n```\nb\n```" in prompt
    assert "∃x" not in prompt, "examples are of the task's domain"
    assert Run(Path("r")).config().prompts["answer"].startswith("Write it down.")
    assert "other prompts, examples" in str(call(*base, code=1).exception)
    call("judge", "r", "--judge", "scripted:overlap", "--kind", "formalization")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("answr.md", "{language}", "no prompt has this name: expected answer.md"),
        ("answer.md", "Nothing.", "lacks {language}"),
        ("notes.txt", "", "holds no prompt"),
    ],
)
def test_prompts_that_are_wrong(here: Path, name: str, text: str, said: str) -> None:
    (here / "mine").mkdir()
    (here / f"mine/{name}").write_text(text)
    base = ["run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r"]
    assert said in str(call(*base, "--prompts", "mine", code=1).exception)
    assert not (here / "r").exists()


def test_an_example_must_not_tell_an_answer(here: Path) -> None:
    base = ["run", "--model", "python:growing_model:one", "--tasks", "two.jsonl", "-o", "r"]
    assert "tells the answer" in str(call(*base, "--few-shot", "four.jsonl", code=1).exception)
    assert made(here) == []


def test_the_cap_is_told_and_a_higher_one_continues(here: Path) -> None:
    base = ["run", "--model", "python:growing_model:one", "--tasks", "four.jsonl", "-o", "r"]
    result = call(*base, "--max-cost", "1", "--concurrency", "1", code=1)
    assert "3 calls were not made: python:growing_model:one does not say what a call costs" in result.output
    assert len(made(here)) == 1
    priced = ["--price", "python:growing_model:one=1,1"]
    assert "MODEL=INPUT,OUTPUT" in call(*base, "--price", "1,1", code=2).output
    call(*base, *priced)
    assert len(made(here)) == 4


BAD: list[tuple[dict[str, Any], str]] = [
    ({"context": "x"}, "line 1: no task: the field 'context' is \"x\", expected an object"),
    ({"oracle": 7}, "the field 'oracle' is 7, expected a string"),
    ({"statement": None}, "the field 'statement' is null, expected a string"),
    ({"tags": "hard"}, "the field 'tags' is \"hard\", expected a list"),
]


@pytest.mark.parametrize(("change", "said"), BAD)
def test_a_task_of_another_shape_is_refused_with_its_place(
    here: Path, change: dict[str, Any], said: str
) -> None:
    record = {"id": "a", "domain": "regex", "statement": "s", "context": {}, "oracle": "a"}
    (here / "bad.jsonl").write_text(json.dumps({**record, **change}))
    result = call("run", "--model", "python:growing_model:one", "--tasks", "bad.jsonl", "-o", "r", code=1)
    assert said in str(result.exception)


def test_wrong_calls_say_what_to_do(here: Path) -> None:
    base = ["run", "--model", "python:growing_model:one", "-o", "r"]
    said = str(call(*base, "--domain", "sqql", code=1).exception)
    assert "there is no domain 'sqql': did you mean 'sql'?" in said
    said = str(call("baseline", "--domain", "sqql", "-o", "b", code=1).exception)
    assert "there is no domain 'sqql'" in said
    (here / "templates").mkdir()
    said = str(call(*base, "--tasks", "templates", code=1).exception)
    assert "templates is a folder without a tasks.jsonl" in said
    os.rename(here / "two.jsonl", here / "templates/tasks.jsonl")
    call(*base, "--tasks", "templates")
