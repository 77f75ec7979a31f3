"""What commands on traces may write: never over what they read, and to pipes and devices as to files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.main import truespec
from truespec.executors.artifact_file import write_whole
from truespec.verdict import UsageError

TRACE = {"trace_id": "t1", "messages": [{"role": "user", "content": "hi"}]}
RULES = "rules:\n  - {id: polite, text: Be polite.}\n"


def run(*arguments: str | Path, given: str = "") -> Result:
    return CliRunner().invoke(truespec, [str(one) for one in arguments], input=given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    (tmp_path / "rules.yml").write_text(RULES)
    (tmp_path / "link.jsonl").hardlink_to(tmp_path / "traces.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "trace check traces.jsonl -o traces.jsonl",
        "trace check traces.jsonl -o link.jsonl",
        "trace check traces.jsonl --junit traces.jsonl",
        "trace check traces.jsonl --rules rules.yml -o rules.yml",
        "trace import traces.jsonl -o traces.jsonl",
        "trace select traces.jsonl -o link.jsonl",
        "rules compile rules.yml -o rules.yml",
        "rules explain rules.yml --scenarios rules.yml",
        "sql diff traces.jsonl rules.yml --schema rules.yml --sarif link.jsonl",
        "hook sql traces.jsonl --schema rules.yml --sarif traces.jsonl",
        "regex explain @traces.jsonl a --svg traces.jsonl",
    ],
)
def test_an_input_is_no_output(folder: Path, line: str) -> None:
    words = [
        re.sub(r"[\w.]+\.(jsonl|yml)$", lambda name: f"{folder}/{name[0]}", word) for word in line.split()
    ]
    result = run(*words)
    assert isinstance(result.exception, UsageError)
    assert "is the input itself" in str(result.exception)
    assert (folder / "traces.jsonl").read_text() == json.dumps(TRACE) + "\n"
    assert (folder / "rules.yml").read_text() == RULES


def test_standard_output_holds_the_table(folder: Path) -> None:
    result = run("trace", "check", folder / "traces.jsonl", "-o", "-")
    assert "standard output holds the table" in str(result.exception)


@pytest.mark.parametrize("command", ["check", "import"])
def test_an_output_inside_the_folder_is_not_read(folder: Path, command: str) -> None:
    (folder / "link.jsonl").unlink()
    for _ in range(2):
        result = run("trace", command, folder, "-o", folder / "a.jsonl")
        assert result.exit_code == 0
        assert "no known format" not in result.output
        assert len((folder / "a.jsonl").read_text().splitlines()) == 1


def test_a_device_takes_artifacts_and_its_faults_are_named(folder: Path) -> None:
    result = run("trace", "check", folder / "traces.jsonl", "-o", "/dev/full")
    assert isinstance(result.exception, UsageError)
    assert str(result.exception).startswith("/dev/full: No space left")
    assert run("trace", "check", folder / "traces.jsonl", "-o", "/dev/null").exit_code == 0
    resumed = run("trace", "check", folder / "traces.jsonl", "-o", "/dev/null", "--resume")
    assert "--resume needs an output file" in str(resumed.exception)
    with pytest.raises(UsageError, match=r"^/dev/full"):
        write_whole(Path("/dev/full"), "x" * 100_000)


def test_a_pipe_is_checked_once_and_not_imported(folder: Path) -> None:
    read, write = os.pipe()
    os.write(write, (json.dumps(TRACE) + "\n").encode())
    os.close(write)
    output = folder / "found.jsonl"
    result = run("trace", "check", f"/dev/fd/{read}", "-o", output)
    assert result.exit_code == 0
    assert [json.loads(line)["trace_id"] for line in output.read_text().splitlines()] == ["t1"]
    refused = run("trace", "import", f"/dev/fd/{read}")
    os.close(read)
    assert "is a pipe" in str(refused.exception)


def test_a_picture_that_is_not_drawn_is_told(tmp_path: Path) -> None:
    result = run("regex", "explain", "a", "(", "--svg", tmp_path / "both.svg")
    assert result.exit_code == 4
    assert "both.svg was not written" in result.output
