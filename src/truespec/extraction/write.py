"""Extracted rules as a file that people read and edit, as scenarios for tests, and as a report in numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from truespec.extraction.confirm import checks_record
from truespec.extraction.examples import as_lines, scenario
from truespec.extraction.read import CHECKS, Extracted, Extraction
from truespec.rules.language import VERSION
from truespec.traces.trace import Trace

WIDTH = 100
"""Columns of the file's text."""


def to_yaml(extraction: Extraction, head: Sequence[str] = ()) -> str:
    """A rule file. Beside each rule stand why it went where it did, and its examples."""
    lines = [f"# {line}" for line in head] + [f"truespec_rules: {VERSION}"]
    lines.append("rules:" if extraction.rules else "rules: []")
    for one in extraction.rules:
        lines.append(f"  # {one.route}: {_line(one.why)}")
        for check in one.checks:
            lines.append(f"  # check {check.name}: {check.status}: {_line(check.detail)}")
            if check.status != "passed":
                asked = (" | ".join(conversation) for conversation in check.conversations)
                lines += [f"  # question for a person: kept or broken? {_line(text)}" for text in asked]
        written = (json.dumps(formal, ensure_ascii=False, default=str) for formal in one.proposed)
        lines += [f"  # not taken: {_line(text)}" for text in written]
        if one.examples is not None:
            for word, trace in (("kept", one.examples.keeps), ("broken", one.examples.breaks)):
                if trace is not None:
                    lines.append(f"  # {word} by: {_line(' | '.join(as_lines(trace)))}")
        text = yaml.safe_dump([_value(one)], sort_keys=False, allow_unicode=True, width=WIDTH)
        lines += [f"  {line}" for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """A text that stays in its comment."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _value(one: Extracted) -> dict[str, Any]:
    rule = one.rule
    value: dict[str, Any] = {
        "id": rule.id,
        "text": rule.text,
        "category": rule.category,
        "severity": rule.severity,
        "force": rule.force,
    }
    if rule.violation:
        value["violation"] = rule.violation
    if rule.quote:
        value["quote"] = rule.quote
    if rule.position is not None:
        value["position"] = {"start": rule.position.start, "end": rule.position.end}
        if rule.position.prompt_sha256:
            value["position"]["prompt_sha256"] = rule.position.prompt_sha256
    if one.formal is not None:
        value["formal"] = dict(one.formal)
    else:
        value["kind"] = "semantic"
    return value


def scenarios(extraction: Extraction) -> list[Trace]:
    """The examples of all rules as traces, each saying what is expected of it."""
    made = []
    for one in extraction.rules:
        if one.examples is None:
            continue
        for expected, trace in (("keeps", one.examples.keeps), ("breaks", one.examples.breaks)):
            if trace is not None:
                made.append(scenario(one.rule, trace, expected))
    return made


def summary(extraction: Extraction) -> dict[str, Any]:
    """How many rules went where and why, and what was dropped."""
    rules = extraction.rules
    return {
        "rules": len(rules),
        "categories": dict(Counter(one.rule.category for one in rules)),
        "routes": dict(Counter(one.route for one in rules)),
        "forces": dict(Counter(one.rule.force for one in rules)),
        "why": dict(Counter(f"{one.route}: {_short(one.why)}" for one in rules).most_common()),
        "merged": [{"rule": rule, "into": into} for rule, into in extraction.merged],
        "checks": {
            name: dict(Counter(check.status for one in rules for check in one.checks if check.name == name))
            for name in CHECKS
        },
        "checked_rules": [checks_record(one) for one in rules if one.checks],
        "dropped": len(extraction.dropped),
        "dropped_rules": [{"category": d.category, "text": d.text, "why": d.why} for d in extraction.dropped],
    }


def _short(why: str) -> str:
    """The reason without what is particular to one rule."""
    for start in (
        "its formal part does not compile",
        "its formal part names no tool there is",
        *(f"{name} {status}" for name in CHECKS for status in ("failed", "not made")),
    ):
        if why.startswith(start):
            return start
    return why


def joined(extractions: Iterable[Extraction]) -> Extraction:
    """Several as one."""
    total = Extraction()
    for one in extractions:
        total += one
    return total
