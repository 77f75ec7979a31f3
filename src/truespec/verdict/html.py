"""A verdict record as a small HTML table, for notebooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

LONGEST = 300
"""Characters of a value that are shown."""


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


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return escape(text.encode("utf-8", "backslashreplace").decode("utf-8"))
