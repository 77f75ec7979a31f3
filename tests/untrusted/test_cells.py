"""No text from outside becomes a formula when a table is opened in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from truespec.metrics.table import Table
from truespec.reports.dataset import write_csv
from truespec.untrusted.cells import STARTS, cell

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3+cmd",
    "@SUM(1)",
    "\t=1+1",
    "\r=1",
    "\n=1",
    "＝1+1",
    '=HYPERLINK("x","y")',
    "-1,5e",
    "+1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_gets_an_apostrophe_in_every_table(text: str, tmp_path: Path) -> None:
    assert cell(text) == "'" + text
    table = Table("t", "T", ("model", text), ((text, "0.5"),))
    read = list(csv.reader(io.StringIO(table.to_csv())))
    path = tmp_path / "items.csv"
    write_csv(path, {"model": "VARCHAR"}, [{"model": text}])
    with path.open(newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    for found in (read[0][1], read[1][0], written[0]["model"]):
        assert found == "'" + text
        assert not found.startswith(STARTS)


@pytest.mark.parametrize("value", ["", "a=b", "-1.5", "-3", "-12.5%", "'x", None, -3, 0.5, True])
def test_everything_else_is_left_alone(value: object) -> None:
    assert cell(value) == value
