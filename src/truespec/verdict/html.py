"""Verdict records and their flat rows as small HTML tables, for notebooks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

LONGEST = 300
"""Characters of a value that are shown."""
MOST_ROWS = 20
"""Rows of a batch that are shown."""
COLUMNS = ("id", "domain", "answer", "relation", "reason", "counterexample", "method", "seconds", "error")
"""Columns of a batch that are shown, as far as a row has a value there."""


def as_html(record: Mapping[str, Any]) -> str:
    """The table; every text of the record is escaped, and long ones are cut with an ellipsis."""
    evidence, reason = record["evidence"] or {}, record["reason"] or {}
    proof = evidence.get("proof") or {}
    rows: list[tuple[str, object]] = [
        ("domain", record["domain"]),
        ("relation", record["relation"]),
        ("counterexample", evidence.get("counterexample")),
        ("oracle", evidence.get("oracle_value") if "counterexample" in evidence else None),
        ("candidate", evidence.get("candidate_value") if "counterexample" in evidence else None),
        ("replayed by", evidence.get("replayed_by")),
        ("proof by", proof.get("by")),
        ("trusts", ", ".join(proof.get("trusts") or ()) or None),
        ("reason", f"{reason['code']}: {reason['detail']}" if reason else None),
        ("method", record["method"]),
        ("seconds", f"{record['seconds']:.3g}"),
    ]
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{_shown(value)}</td></tr>"
        for name, value in rows
        if value is not None
    )
    return f"<table><caption><b>{escape(record['answer'])}</b></caption>{cells}</table>"


def rows_as_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """A batch: how many rows have which answer, and the first rows; those that are left out are counted."""
    counts = Counter(str(row.get("answer") or "no verdict") for row in rows)
    counted = ", ".join(f"{count} {answer}" for answer, count in sorted(counts.items())) or "none"
    first = rows[:MOST_ROWS]
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in first)]
    head = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in names)}</tr>" for row in first)
    left_out = len(rows) - len(first)
    more = f"<p>{left_out} further rows are not shown.</p>" if left_out else ""
    caption = f"<caption><b>{len(rows)} rows</b>: {escape(counted)}</caption>"
    return f"<div><table>{caption}<tr>{head}</tr>{body}</table>{more}</div>"


def _cell(value: object) -> str:
    shown = "" if value is None else _shown(value)
    return f"<td style='text-align:left'>{shown}</td>"


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return escape(text.encode("utf-8", "backslashreplace").decode("utf-8"))
