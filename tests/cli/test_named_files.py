"""Files and folders that a caller names: what is wrong with one is said with its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.main import sentence, truespec

TRACE = {"trace_id": "t1", "messages": [{"role": "user", "content": "hi"}]}
RULES = "rules:\n  - {id: polite, text: Be polite.}\n"
STUCK = "/proc/self/mem"
"""A file that opens and cannot be read."""


def run(line: str) -> Result:
    return CliRunner().invoke(truespec, line.split())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.jsonl").write_text(json.dumps(TRACE) + "\n")
    Path("r.yml").write_text(RULES)
    Path("empty").touch()
    Path("folder").mkdir()
    Path("bytes").write_bytes(b"\xff\x00")
    Path("unnamed.json").write_text('[{"name": "look"}, {"title": "book"}]')
    Path("kinds.json").write_text('{"look": "reads"}')
    return tmp_path


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("trace check t.jsonl --rules r.yml --tools empty", "empty is no JSON"),
        (
            "trace check t.jsonl --rules r.yml --tools t.jsonl",
            "t.jsonl: expected a JSON list",
        ),
        ("rules check r.yml --tools unnamed.json", "unnamed.json: entry 1 describes no tool with a name"),
        ("rules extract --prompt empty --tools empty", "empty is no JSON"),
        ("trace check t.jsonl --rules r.yml --types kinds.json", "kinds.json: the type of 'look' is 'reads'"),
        ("rules test r.yml --types unnamed.json", "unnamed.json: expected a JSON object from tools"),
        ("guard mcp --rules r.yml --types kinds.json -- true", "kinds.json: the type of 'look'"),
        ("trace check t.jsonl --rules r.yml --prompt bytes", "bytes: not UTF-8 at byte 0"),
        ("rules extract --prompt bytes", "bytes: not UTF-8 at byte 0"),
        ("trace check t.jsonl --rules r.yml --baseline bytes", "bytes: not UTF-8 at byte 0"),
        ("trace check t.jsonl --rules r.yml --join folder", "folder completes no trace"),
        ("trace check t.jsonl --rules r.yml --resume", "--resume keeps what an output holds"),
        ("trace check t.jsonl --rules r.yml -o a.jsonl --sarif a.jsonl", "a.jsonl is named for two outputs"),
        ("trace check t.jsonl --rules r.yml --junit a --sarif folder/../a", "is named for two outputs"),
        ("sql diff empty empty --schema empty", "neither holds a statement"),
        ("recheck - --pairs -", "standard input cannot hold both"),
        ("otel t.jsonl --endpoint collector", "--endpoint 'collector': expected an address"),
        (f"rules check {STUCK}", f"{STUCK}: Input/output error"),
        (f"trace check {STUCK} --rules r.yml", f"{STUCK}: Input/output error"),
        (f"trace check t.jsonl --rules r.yml --prompt {STUCK}", f"{STUCK}: Input/output error"),
        (f"trace check t.jsonl --rules r.yml --scoring {STUCK}", f"{STUCK}: Input/output error"),
    ],
)
def test_a_wrong_file_is_named(line: str, says: str) -> None:
    result = run(line)
    assert isinstance(result.exception, Exception)
    assert says in sentence(result.exception)
    assert not Path("a.jsonl").exists()


@pytest.mark.parametrize("command", ["check --rules r.yml", "import", "select -o out.jsonl"])
def test_what_holds_no_trace_is_named(command: str) -> None:
    result = run(f"trace {command} folder t.jsonl")
    assert "folder: folder: no file in it ends as traces do" in result.stderr


def test_a_file_that_is_read_as_another_format_is_named() -> None:
    result = run("trace check t.jsonl --rules r.yml --format tau2")
    assert "t.jsonl: file: nothing in it is read as tau2" in result.stderr
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("verfy regex a b", "No such command 'verfy'. Did you mean 'verify'?"),
        ("rules chek r.yml", "No such command 'chek'. Did you mean 'check'?"),
        ("verify regex a b --timout 3", "no such option: --timout. Did you mean --timeout?"),
        ("verify regex a --timout=3", "Did you mean --timeout? A text like this stands behind '--'"),
        ("regex explain a --svgg x", "Did you mean --svg?"),
    ],
)
def test_a_misspelt_name_is_told_from_those_there_are(line: str, says: str) -> None:
    result = run(line)
    assert result.exit_code == 2
    assert says in result.stderr
