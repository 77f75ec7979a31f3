"""Rows of verdicts in a notebook: a list that shows itself."""

from __future__ import annotations

import json
from pathlib import Path

import truespec
from truespec.store.rows import Rows


def test_a_batch_shows_counts_and_its_first_rows(tmp_path: Path) -> None:
    verdict = truespec.verify("regex", oracle="a*", candidate="a+", timeout=60.0).to_json()
    lines = [{"id": f"<b>{n}", **verdict} for n in range(23)] + [{"line": 24, "error": "no pair <i>"}]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = truespec.read_verdicts(tmp_path / "v.jsonl")
    assert isinstance(rows, Rows)
    assert rows == list(rows)
    shown = rows._repr_html_()
    assert "<b>24 rows</b>: 1 no verdict, 23 refuted" in shown
    assert shown.count("<tr>") == 21
    assert "4 further rows are not shown." in shown
    assert "&lt;b&gt;0" in shown
    assert "stronger" in shown


def test_no_row_at_all(tmp_path: Path) -> None:
    (tmp_path / "v.jsonl").write_text("")
    rows = truespec.read_verdicts(tmp_path / "v.jsonl")
    assert rows == []
    assert isinstance(rows, Rows)
    assert "<b>0 rows</b>: none" in rows._repr_html_()
