"""The composite outcome score: the equally weighted mean of an outcome's parts (section 4.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PARTS = ("database", "communication", "actions", "assertions")
"""What an outcome can be made of."""


def parts_of(outcome: Mapping[str, Any]) -> dict[str, float]:
    """The parts of an outcome that exist, each from 0 to 1; what was not checked is left out.

    >>> parts_of({"db_check": {"db_match": True}, "nl_assertions": []})
    {'database': 1.0}
    """
    found: dict[str, float] = {}
    database = outcome.get("db_check")
    if isinstance(database, Mapping):
        match = database.get("db_match", database.get("db_reward"))
        if isinstance(match, (bool, int, float)):
            found["database"] = float(match)
    for name, key, mark in (
        ("communication", "communicate_checks", "met"),
        ("actions", "action_checks", "action_match"),
        ("assertions", "nl_assertions", "met"),
    ):
        checks = outcome.get(key)
        if isinstance(checks, list):
            marks = [c[mark] for c in checks if isinstance(c, Mapping) and isinstance(c.get(mark), bool)]
            if marks:
                found[name] = sum(marks) / len(marks)
    return found


def composite(outcome: Mapping[str, Any]) -> float | None:
    """The composite score from 0 to 100; None where no part exists."""
    parts = parts_of(outcome)
    return 100.0 * sum(parts.values()) / len(parts) if parts else None
