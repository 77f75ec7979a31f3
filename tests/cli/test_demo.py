"""`truespec demo`, for real: on the registered domains, through the worker pool."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from needs import ROOT
from snapshot import steady
from truespec.benchmark import bundled
from truespec.benchmark.bundled import Writing
from truespec.cli.demo import _usable
from truespec.cli.main import truespec
from truespec.domains.registry import DOMAINS, load
from truespec.reports.demo import domains, shown
from truespec.verdict import Answer, UsageError

README = ROOT / "README.md"


def test_the_demo_agrees_with_every_expectation(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = CliRunner().invoke(truespec, ["demo", "--out", str(out), "--timeout", "30"])
    assert result.exit_code == 0, result.output
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    schema = json.loads(files("truespec.reports").joinpath("summary.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(summary, schema)
    names = [name for name in domains() if name not in summary["run"]["skipped"]]
    assert shutil.which("coqc") is None or not summary["run"]["skipped"]
    assert sorted(summary["domains"]) == names
    expected = {
        answer.id: answer.expected.value for name in names for task in shown(name) for answer in task.answers
    }
    assert {record["id"]: record["answer"] for record in summary["verdicts"]} == expected
    assert summary["disagreements"] == []
    html = (out / "report.html").read_text(encoding="utf-8")
    for name in names:
        for task in shown(name):
            assert task.task.id in html
    assert "as expected" in result.output
    told = README.read_text(encoding="utf-8").partition("<!-- demo -->")[2].partition("<!-- /demo -->")[0]
    assert rows(told, names) == rows(result.output, names), "the README shows another table"


def test_the_demo_without_optional_tools_verifies_the_rest_and_names_them(tmp_path: Path) -> None:
    hide = "import sys\nfor name in ('duckdb', 'cvc5', 'psycopg'):\n    sys.modules[name] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hide)
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "truespec", "demo", "--out", str(tmp_path / "out")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "candidates are not decided: DuckDB is not installed" in run.stdout
    assert "pip install 'truespec[engines]'" in run.stdout  # not taken for markup
    assert "rocq was skipped" in run.stdout
    assert "not the expected" not in run.stdout
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["disagreements"] == []
    assert any((record["reason"] or {}).get("code") == "unavailable" for record in summary["verdicts"])


def rows(text: str, names: list[str]) -> list[list[str]]:
    """The counts of these domains in the demo's table; relations may stay open on a busy machine."""
    cells = [line.split() for line in steady(text)]
    return [row[:4] + row[7:9] for row in cells if row and row[0] in names]


def test_an_unusable_folder_is_told_before_any_work(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    for out, message in ((taken, "is no folder"), (taken / "below", "Not a directory")):
        result = CliRunner().invoke(truespec, ["demo", "--out", str(out)])
        assert isinstance(result.exception, UsageError)
        assert message in str(result.exception)


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


def test_a_domain_without_its_tools_is_skipped_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truespec.reports.demo.domains", lambda: ("fol", "rocq"))
    monkeypatch.setattr("truespec.cli.doctor.shutil.which", lambda name, **_: None)
    result = CliRunner().invoke(truespec, ["demo", "--out", str(tmp_path), "--timeout", "30", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert "rocq was skipped: Rocq (Coq) is not installed" in result.output
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert list(summary["domains"]) == ["fol"]
    assert list(summary["run"]["skipped"]) == ["rocq"]


def test_a_domain_runs_without_its_optional_tools_and_not_without_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tools = load("sql").tools
    assert {tool.optional for tool in tools} == {True, False}
    for installed in (False, True):
        monkeypatch.setattr(
            "truespec.cli.doctor.found_version",
            lambda tool, installed=installed: "1.0" if tool.optional is not installed else None,
        )
        usable, told = _usable(["sql"])
        assert usable == (["sql"] if installed else [])
        named = [tool.name for tool in tools if f"{tool.name} is not installed" in told.get("sql", "")]
        assert named == [tool.name for tool in tools if not tool.optional and not installed]
