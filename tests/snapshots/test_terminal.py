"""What the terminal shows: help texts, the table, refutations in words."""

from __future__ import annotations

import io
import sys

import pytest
from click.testing import CliRunner
from rich.console import Console

from needs import ROOT
from snapshot import snapshot
from truespec.cli.main import truespec
from truespec.reports.table import overview, refutations, surprises, write

sys.path.insert(0, str(ROOT / "tests" / "reports"))
import samples


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
