"""`truespec trace import`: the ledger, `--strict` and `--json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.traces.record import to_line
from truespec.traces.trace import Trace

GOOD = {"role": "user", "content": "hi"}


def run(folder: Path, value: object, *options: str) -> tuple[int, str, str]:
    path = folder / "x.json"
    path.write_text(json.dumps(value))
    result = CliRunner().invoke(truespec, ["trace", "import", str(path), *options])
    return result.exit_code, result.stdout, result.stderr


def test_a_loss_is_told_and_strict_fails(tmp_path: Path) -> None:
    lossy = [GOOD, {"role": "narrator", "content": "x"}]
    code, _, told = run(tmp_path, lossy)
    assert code == 0
    assert "items: 2 seen, 1 taken, 1 dropped" in told
    assert "unknown role 'narrator'" in told
    assert run(tmp_path, lossy, "--strict")[0] == 1
    assert run(tmp_path, [GOOD], "--strict")[0] == 0


def test_ledgers_as_json(tmp_path: Path) -> None:
    _, _, told = run(tmp_path, [GOOD], "--json")
    record = json.loads(told.splitlines()[0])
    assert record["items"] == {"seen": 1, "taken": 1, "dropped": {}}
    assert record["lossless"] is True


def test_a_stopped_import_says_how_far_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def stopping(trace: Trace) -> str:
        if written:
            raise KeyboardInterrupt
        written.append(trace.id)
        return to_line(trace)

    monkeypatch.setattr("truespec.cli.trace_import.to_line", stopping)
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps([GOOD]))
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(truespec, ["trace", "import", str(tmp_path), "-o", str(out)])
    assert result.exit_code == 130
    assert f"stopped after 1 traces: {out} holds no more" in result.stderr
    assert len(out.read_text().splitlines()) == 1


def test_a_hyphen_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, printed, _ = run(tmp_path, [GOOD], "-o", "-")
    assert (code, json.loads(printed)["messages"]) == (0, [{"role": "user", "text": "hi"}])
    rules = CliRunner().invoke(truespec, ["rules", "compile", "--pack", "confirmation", "-o", "-"])
    assert json.loads(rules.stdout)
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    path, out = tmp_path / "a.json", tmp_path / "out.jsonl"
    path.write_text(json.dumps([GOOD]))
    result = CliRunner().invoke(truespec, ["trace", "import", str(path), str(path), "-o", str(out)])
    assert f"{path}: file: named twice; it is read once" in result.stderr
    assert "1 traces, 1 problems" in result.stderr
    assert len(out.read_text().splitlines()) == 1
