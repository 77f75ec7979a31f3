"""What the terminal shows: help texts, the table, refutations in words."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from reports import samples
from snapshot import snapshot
from truespec.cli.main import truespec
from truespec.reports.table import overview, refutations, surprises, write


@pytest.mark.parametrize("name", ["demo", "view"])
def test_help(name: str) -> None:
    result = CliRunner().invoke(truespec, [name, "--help"], terminal_width=100, prog_name="truespec")
    snapshot(f"help-{name}.txt", result.output)


def test_table_and_refutations() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False, color_system=None)
    write(console, overview(samples.entries()), refutations(samples.entries()), surprises(samples.entries()))
    assert isinstance(console.file, io.StringIO)
    text = "".join(line.rstrip() + "\n" for line in console.file.getvalue().splitlines())
    assert max(map(len, text.splitlines()[:10])) <= 80
    snapshot("demo-table.txt", text)


@pytest.mark.parametrize("words", [["trace"], ["trace", "check"], ["trace", "report"], ["rules"]])
def test_help_on_traces(words: list[str]) -> None:
    result = CliRunner().invoke(truespec, [*words, "--help"], terminal_width=100, prog_name="truespec")
    snapshot(f"help-{'-'.join(words)}.txt", result.output)


def test_table_of_a_check(tmp_path: Path) -> None:
    call = {"type": "function", "function": {"name": "book", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Two seats."},
        {"role": "assistant", "content": "I book.", "tool_calls": [{"id": n, **call} for n in ("a", "b")]},
    ]
    (tmp_path / "t.json").write_text(json.dumps(messages))
    packs = ["--pack", "no_text_with_call", "--pack", "one_call_per_message", "--pack", "loops"]
    result = CliRunner().invoke(truespec, ["trace", "check", str(tmp_path / "t.json"), *packs])
    snapshot("check-table.txt", result.output)
