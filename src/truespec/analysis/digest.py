"""What to look at first: violations without their followers, one entry for each rule, the worst on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.rules.rule import SEVERITIES


@dataclass
class Entry:
    """One rule that was broken."""

    rule: str
    """Its id."""
    text: str
    """What it says."""
    severity: str
    """The worst of its violations."""
    force: str
    """`mandatory` or `advisory`."""
    traces: int = 0
    """Traces that break it."""
    violations: int = 0
    """Violations that follow from no other."""
    took_effect: int = 0
    """Those of an act that took effect."""
    solved: int = 0
    """Traces with a perfect outcome that break it."""
    models: set[str] = field(default_factory=set)
    """Whose traces."""
    example: tuple[str, int, str] = ("", 0, "")
    """A trace, its message, and what was said or called there."""
    key: str = ""
    """The key of the example's artifact."""


def digest(artifacts: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Root violations by rule: mandatory before advisory, then by severity, then by traces.

    A violation that follows from another, or that is the same act, counts only for the one it follows from.
    """
    entries: dict[str, Entry] = {}
    for one in artifacts:
        rules = {rule["id"]: rule for rule in one["rules"]}
        seen: set[str] = set()
        for v in (v for result in one["results"] for v in result["violations"] if v["root"] is None):
            rule = rules.get(v["rule_id"], {})
            entry = entries.get(v["rule_id"])
            if entry is None:
                entry = entries[v["rule_id"]] = Entry(
                    v["rule_id"], rule.get("text", ""), v["severity"], rule.get("force", "mandatory")
                )
            entry.violations += 1
            entry.took_effect += v["effect"] == "took_effect"
            entry.severity = max(entry.severity, v["severity"], key=SEVERITIES.index)
            if not entry.example[0] or (v["effect"] == "took_effect" and not entry.took_effect > 1):
                entry.example = (one["trace_id"], v["message_index"], v["quote"])
                entry.key = one.get("key", "")
            if v["rule_id"] not in seen:
                seen.add(v["rule_id"])
                entry.traces += 1
                entry.models.add(one["model"] or "–")
                entry.solved += (one["outcome"].get("reward") or 0) >= 1.0
    return sorted(
        entries.values(),
        key=lambda e: (e.force != "mandatory", -SEVERITIES.index(e.severity), -e.traces, e.rule),
    )
