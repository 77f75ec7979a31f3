"""Several runs in one report: nothing mixes, nothing that was asked for vanishes."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.benchmark.task import Origin, Task
from truespec.cli.bench import bench
from truespec.judges.judgement import Judgement
from truespec.models.call import Settings
from truespec.reports.bench_items import join
from truespec.reports.bench_runs import read_runs
from truespec.store.runs import Config, Run
from truespec.verdict import Answer, UsageError

TASKS = [
    Task(f"t{n}", "regex", "A few letters.", {}, "a", Origin("made here", "", ""), (), {}) for n in range(8)
]
REPLY = {"text": "", "seconds": 0.1, "input_tokens": 1, "output_tokens": 1, "cost": None}


def verdict(answer: str) -> dict[str, Any]:
    reason = None if answer == "equivalent" else {"code": "timeout", "detail": "late"}
    relation = None
    evidence: Any = {"proof": {"by": "b", "trusts": ["b"], "confirmed_by": [], "certificate": None}}
    if answer == "refuted":
        reason, relation = None, "weaker"
        evidence = {
            "counterexample": {"string": "b"},
            "oracle_value": False,
            "candidate_value": True,
            "replayed_by": "re",
        }
    return {
        "domain": "regex",
        "answer": answer,
        "relation": relation,
        "method": "m",
        "evidence": evidence,
        "reason": reason,
        "seconds": 0.001,
        "version": "0",
        "environment": {},
    }


def make(
    folder: Path, temperature: float, right: set[int], answered: range = range(8), tasks: list[Task] = TASKS
) -> Path:
    """A run of one model, right on some tasks, with a judge that is never wrong."""
    run = Run(folder)
    run.create(Config(("m",), 1, Settings(temperature=temperature), 4.0, tolerant=False), tasks)
    answers, judgements = [], []
    for number in answered:
        about = {"task": f"t{number}", "domain": "regex", "model": "m", "epoch": 0}
        truth = "equivalent" if number in right else "refuted"
        answers.append(
            {
                "id": f"t{number}|m|0",
                **about,
                "candidate": "a",
                "strict": True,
                "problem": "",
                "reply": REPLY,
                "verdict": verdict(truth),
            }
        )
        judged = {"judge": "j", "kind": "equivalence", "replies": []}
        accepted = number in right
        said = "accept" if accepted else "reject"
        judgements.append({**about, **judged, "scores": [9 if accepted else 1] * 2, "judgement": said})
    run.write("answers", answers)
    run.write("judgements", judgements)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [make(tmp_path / "cold", 0.0, {0, 1, 2}), make(tmp_path / "hot", 1.0, {5, 6, 7})]


def judgement_names() -> set[str]:
    from truespec.judges.judgement import Judgement

    return {one.value for one in Judgement}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_judge_without_errors_has_none_in_any_order_of_runs(
    runs: list[Path], order: tuple[int, int]
) -> None:
    assert {"accept", "reject"} <= judgement_names()
    loaded = read_runs([runs[number] for number in order])
    items = join(loaded.answers, loaded.judgements)
    assert len(items) == 16
    for item in items:
        assert (item.judgement is Judgement.ACCEPT) == (item.answer is Answer.EQUIVALENT)


def test_a_model_of_two_runs_is_two_respondents(runs: list[Path]) -> None:
    loaded = read_runs(runs)
    assert {record["model"] for record in loaded.answers} == {"m [cold]", "m [hot]"}
    assert {record["judge"] for record in loaded.judgements} == {"j [cold]", "j [hot]"}
    assert {record["model_name"] for record in loaded.answers} == {"m"}
    alone = read_runs(runs[:1])
    assert {record["model"] for record in alone.answers} == {"m"}


def test_calls_without_a_reply_count_as_unknown_and_are_said_first(tmp_path: Path) -> None:
    folder = make(tmp_path / "run", 0.0, {0, 1}, range(2))
    loaded = read_runs([folder])
    assert len(loaded.missing) == 6
    assert loaded.warning.startswith("6 of 8 calls (75%) have no reply (m 6)")
    result = CliRunner().invoke(bench, ["report", str(folder), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("6 of 8 calls")
    assert "(2/8" in (tmp_path / "out/tables/success.md").read_text()
    assert "| run | m | 8 | 1 | 8 | 2 | 6 |" in (tmp_path / "out/tables/runs.md").read_text()
    assert "6 of 8 calls" in (tmp_path / "out/report.html").read_text()


def test_exports_name_the_run_and_the_model(runs: list[Path], tmp_path: Path) -> None:
    result = CliRunner().invoke(bench, ["report", *map(str, runs), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    for name in ("answers", "judgements"):
        with (tmp_path / f"out/data/{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {(row["run"], row["model"]) for row in rows} == {("cold", "m"), ("hot", "m")}
    with (tmp_path / "out/data/answers.csv").open(newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert len(set(ids)) == 16


def test_runs_with_one_folder_name_are_told_apart(tmp_path: Path) -> None:
    one, two = make(tmp_path / "a/run", 0.0, {0}), make(tmp_path / "b/run", 0.0, {1})
    assert {record["run"] for record in read_runs([one, two]).answers} == {"a/run", "b/run"}
    with pytest.raises(UsageError, match="named twice"):
        read_runs([one, one])


def test_other_tasks_under_one_identifier_are_refused(tmp_path: Path) -> None:
    one = make(tmp_path / "one", 0.0, {0})
    other = [Task("t0", "regex", "Other.", {}, "b", Origin("made here", "", ""), (), {})]
    two = make(tmp_path / "two", 0.0, {0}, range(1), other)
    with pytest.raises(UsageError, match="'t0' of the run 'two' is another"):
        read_runs([one, two])
    elsewhere = [replace(TASKS[0], source=Origin("another set", "g", "line 3"))]
    same = make(tmp_path / "same", 0.0, {0}, range(1), elsewhere)
    assert len(read_runs([one, same]).answers) > len(read_runs([one]).answers), (
        "the same task of two data sets"
    )


@pytest.mark.slow
def test_the_command_counts_failed_calls_in_what_it_prints(tmp_path: Path) -> None:
    arguments = ["--model", "python:scripted:failing", "--domain", "regex", "--limit", "2", "--epochs", "2"]
    result = CliRunner().invoke(bench, ["run", *arguments, "--jobs", "1", "-o", str(tmp_path / "run")])
    assert result.exit_code == 1
    assert "2 of 4 calls (50%) have no reply" in result.output
    assert re.search(r"\| \d+\.\d% \([0-2]/4, ", result.output), result.output
