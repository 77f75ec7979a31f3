"""`truespec demo`, for real: on the registered domains, through the worker pool."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from truespec.benchmark import bundled
from truespec.benchmark.bundled import Writing
from truespec.cli.main import truespec
from truespec.domains.registry import DOMAINS
from truespec.verdict import Answer


def test_the_demo_agrees_with_every_expectation(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = CliRunner().invoke(truespec, ["demo", "--out", str(out), "--timeout", "30"])
    assert result.exit_code == 0, result.output
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    schema = json.loads(files("truespec.reports").joinpath("summary.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(summary, schema)
    names = [name for name in bundled.domains() if name in DOMAINS]
    assert sorted(summary["domains"]) == names
    expected = {
        answer.id: answer.expected.value
        for name in names
        for task in bundled.tasks(name)
        for answer in task.answers
    }
    assert {record["id"]: record["answer"] for record in summary["verdicts"]} == expected
    assert summary["disagreements"] == []
    html = (out / "report.html").read_text(encoding="utf-8")
    for name in names:
        for task in bundled.tasks(name):
            assert task.task.id in html
    assert "as expected" in result.output


def test_a_wrong_expectation_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(name for name in bundled.domains() if name in DOMAINS)
    first = bundled.tasks(name)[0]
    planted = replace(
        first.answers[0], expected=Answer.REFUTED, written=Writing.CARELESS, note="planted for this test"
    )
    wrong = replace(first, answers=(planted, *first.answers[1:]))
    monkeypatch.setattr(bundled, "domains", lambda: (name,))
    monkeypatch.setattr(bundled, "tasks", lambda _: (wrong,))
    result = CliRunner().invoke(truespec, ["demo", "--out", str(tmp_path), "--timeout", "30", "--jobs", "1"])
    assert result.exit_code == 1, result.output
    assert f"{planted.id}  expected refuted, got equivalent" in result.output
    assert "1 verdict is not the expected one" in result.output
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summary["disagreements"] == [{"id": planted.id, "expected": "refuted", "answer": "equivalent"}]
