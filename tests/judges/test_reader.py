"""A judge who wrote the scores down: each belongs to the texts that were read, and to no others."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from truespec.benchmark.bundled import baseline
from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.task import Task
from truespec.executors.baseline import KINDS, SETTINGS, reader_judges, to_judge
from truespec.executors.bench import wanted_judgements
from truespec.judges.reader import ReaderJudge, prompt_key
from truespec.judges.score import read_score
from truespec.models.call import Call
from truespec.models.contract import ModelError
from truespec.store.runs import Config


def test_a_score_is_given_for_the_prompt_that_was_read() -> None:
    judge = ReaderJudge("reader x", {prompt_key("this"): 2})
    assert read_score(judge.reply(Call("reader x", "", "this")).text).value == 2
    with pytest.raises(ModelError, match="no score for 'oracle/t'"):
        judge.reply(Call("reader x", "", "that", subject="oracle/t"))


def test_a_changed_text_makes_its_scores_stale() -> None:
    (judge,) = reader_judges().values()
    config = Config((), 1, SETTINGS, timeout=4.0, tolerant=False)
    known = baseline.scores()["c"]
    task = next(
        t
        for t in bundled_tasks(["fol"])
        for wanted in wanted_judgements([_oracle_as_answer(t)], {t.id: t}, config, [judge.name], ["oracle"])
        if prompt_key(wanted.calls[0].prompt) in known
    )
    for changed, has in ((task, True), (replace(task, statement=task.statement + " Or not."), False)):
        answer = _oracle_as_answer(changed)
        (wanted,) = wanted_judgements([answer], {task.id: changed}, config, [judge.name], ["oracle"])
        if has:
            assert read_score(judge.reply(wanted.calls[0]).text).value in range(4)
        else:
            with pytest.raises(ModelError):
                judge.reply(wanted.calls[0])


def _oracle_as_answer(task: Task) -> dict[str, object]:
    return {"task": task.id, "model": "m", "epoch": 0, "candidate": task.oracle}


def test_the_store_is_well_formed() -> None:
    tasks = {task.id for task in bundled_tasks()}
    folder = Path(baseline.__file__).parent / "scores"
    for path in folder.glob("*.jsonl"):
        for record in map(json.loads, path.read_text("utf-8").splitlines()):
            assert record["task"] in tasks
            assert record["kind"] in KINDS
            assert len(record["of"]) == len(record["scores"]) == 1 + (record["kind"] == "equivalence")
            assert set(record["scores"]) <= {0, 1, 2, 3}


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`tools/scores.py` with a store of its own and only the tasks of one domain."""
    path = Path(__file__).parents[2] / "tools" / "scores.py"
    spec = importlib.util.spec_from_file_location("scores_tool", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    some = list(to_judge(["rocq"]))[:40]
    monkeypatch.setattr(module, "STORE", tmp_path / "store")
    monkeypatch.setattr(module, "to_judge", lambda: iter(some))
    return module


def test_scores_are_exported_and_imported(tool: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "reading"
    tool.export(folder, "nobody")
    key = [json.loads(line) for line in (folder / "key.jsonl").read_text("utf-8").splitlines()]
    assert {one["role"] for one in key} == {"F", "E"}
    page = (folder / "equivalence-rocq.md").read_text("utf-8")
    assert page.count("## Specification A\n") == sum(one["role"] == "E" for one in key)
    first = next(one for one in key if one["role"] == "F")
    two = next(one for one in key if one["role"] == "E" and one["of"][0] != one["of"][1])
    (folder / "scores-F-rocq.txt").write_text(f"{first['task']} {first['number']} 3\n", "utf-8")
    (folder / "scores-E-rocq.txt").write_text(f"\n{two['task']} {two['number']} 2 1\n", "utf-8")
    tool.take(folder, "nobody")
    tool.take(folder, "nobody")
    kept = [json.loads(line) for line in (tmp_path / "store/nobody-rocq.jsonl").read_text().splitlines()]
    assert [(one["kind"], one["of"], one["scores"]) for one in kept] == [
        ("equivalence", two["of"], [2, 1]),
        ("formalization", first["of"], [3]),
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [("nothing 0 3", "line 1: nobody asked for nothing 0"), ("{task} {number} 4", "scores of 0 to 3")],
)
def test_what_is_no_score_is_refused(tool: ModuleType, tmp_path: Path, line: str, says: str) -> None:
    tool.export(tmp_path / "reading", "nobody")
    key = json.loads((tmp_path / "reading/key.jsonl").read_text("utf-8").splitlines()[-1])
    assert key["role"] == "F"
    (tmp_path / "reading/scores-F-rocq.txt").write_text(line.format(**key) + "\n", "utf-8")
    with pytest.raises(SystemExit, match=says):
        tool.take(tmp_path / "reading", "nobody")
    assert not (tmp_path / "store").exists()
