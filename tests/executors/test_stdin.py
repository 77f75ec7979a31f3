"""Standard input: lines are checked as they arrive, other forms after a copy."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from truespec.executors.stdin import NAME, read_stdin
from truespec.traces.files import Problem
from truespec.traces.joins import Joins
from truespec.traces.record import to_line
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget


def conversation(number: int, size: int = 10) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"{number} " + "x" * size}, {"role": "assistant", "content": "yes"}]


def read(data: bytes, form: str | None = None) -> list[Trace | Problem]:
    return list(read_stdin(io.BytesIO(data), form, Joins(), Budget()))


LINES = b"".join(json.dumps(conversation(number)).encode() + b"\n" for number in range(30))


def test_lines_of_a_stream_are_the_traces_of_the_file() -> None:
    found = [item for item in read(LINES) if isinstance(item, Trace)]
    assert [one.messages[0].text for one in found] == [conversation(n)[0]["content"] for n in range(30)]
    assert {one.source.file for one in found} == {NAME}
    assert [one.source.position for one in found] == [f"line {n}" for n in range(1, 31)]
    assert len({one.source.sha256 for one in found}) == 30
    again = [item for item in read(LINES[: len(LINES) // 2]) if isinstance(item, Trace)]
    assert again[0] == found[0]  # what follows plays no part


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(LINES),
        json.dumps([conversation(n) for n in range(30)], indent=1).encode(),
        json.dumps({"messages": conversation(0)}, indent=1).encode(),
    ],
)
def test_other_forms_are_copied_first(data: bytes) -> None:
    found = read(data)
    assert found
    assert all(isinstance(item, Trace) and item.source.file == NAME for item in found)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"{broken\n", b"3\n", b"\x00\xff", LINES[:90]])
def test_damaged_input_is_a_problem_under_the_name_of_the_stream(data: bytes) -> None:
    found = [item for item in read(data) if isinstance(item, Problem)]
    assert all(item.file == NAME for item in found)
    assert found or not data.strip() or any(isinstance(item, Trace) for item in read(data))


def test_a_broken_line_costs_itself_alone() -> None:
    found = read(LINES + b"{broken\n" + LINES)
    assert sum(isinstance(item, Trace) for item in found) == 60
    assert [item.position for item in found if isinstance(item, Problem)] == ["line 31"]


def test_a_trace_is_there_before_the_stream_ends() -> None:
    reading, writing = os.pipe()
    seen: list[Any] = []
    arrived = threading.Event()

    def run() -> None:
        with os.fdopen(reading, "rb") as stream:
            for item in read_stdin(stream, None, Joins(), Budget()):
                seen.append(item)
                arrived.set()

    trace = next(item for item in read(LINES) if isinstance(item, Trace))
    reader = threading.Thread(target=run)
    reader.start()
    os.write(writing, (to_line(trace) + "\n").encode())
    assert arrived.wait(30)
    assert len(seen) == 1
    os.close(writing)
    reader.join(30)


def test_the_command_reads_a_long_stream_in_bounded_memory(tmp_path: Path) -> None:
    """120 MB of lines; the copy of earlier days left 120 MB in the folder for temporary files."""
    command = [
        sys.executable,
        "-m",
        "truespec",
        "trace",
        "check",
        "-",
        "--pack",
        "loops",
        "--jobs",
        "1",
        "--quiet",
    ]
    limit = 900 << 20  # address space; the libraries alone take several hundred
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
        assert process.stdin is not None
        for number in range(120):
            process.stdin.write(json.dumps(conversation(number, 1_000_000)).encode() + b"\n")
            assert sum(one.stat().st_size for one in tmp_path.rglob("*") if one.is_file()) == 0
        _, said = process.communicate()
    assert process.returncode == 0, said
