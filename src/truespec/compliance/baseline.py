"""Accepted violations: a file that names them, so that a check fails on new ones only.

An entry names one violation by its trace, rule, message and quote, and the severity at which it was accepted.
Scores are not changed by an acceptance: an accepted violation is known, not absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from truespec.rules.rule import SEVERITIES
from truespec.untrusted.inputs import text_of
from truespec.untrusted.nesting import check_json
from truespec.verdict import UsageError

VERSION = 1
"""The version of the file's form."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """One accepted violation."""

    fingerprint: str
    """The hash that the violation is recognised by."""
    trace_id: str
    """The trace, for readers."""
    rule_id: str
    """The rule, for readers."""
    message_index: int
    """The message, for readers."""
    quote: str
    """What the violation shows, for readers."""
    severity: str
    """The severity at which it was accepted; a graver one is not covered."""
    reason: str = ""
    """Why it was accepted."""


@dataclass
class Baseline:
    """The accepted violations of a file, and which of them a check has met."""

    entries: dict[str, Accepted] = field(default_factory=dict)
    """By fingerprint."""
    met: set[str] = field(default_factory=set)
    """Fingerprints that occurred in the traces marked so far."""
    rules: set[str] = field(default_factory=set)
    """Rules that were evaluated on the traces marked so far; nobody asks where there are no entries."""
    traces: set[str] = field(default_factory=set)
    """Traces marked so far, where there are entries."""

    def mark(self, artifact: Mapping[str, Any]) -> None:
        """Set `accepted` on each violation of an artifact to the reason of its entry; drop older marks."""
        if self.entries:
            self.traces.add(artifact["trace_id"])
            self.rules |= {one["rule_id"] for one in artifact["checks"] if one["status"] != "not_evaluated"}
        for v in violations_in(artifact):
            v.pop("accepted", None)
            if not self.entries:
                continue
            entry = self.entries.get(fingerprint(artifact, v))
            if entry is None:
                continue
            self.met.add(entry.fingerprint)
            if SEVERITIES.index(v["severity"]) <= SEVERITIES.index(entry.severity):
                v["accepted"] = entry.reason

    def gone(self) -> list[Accepted]:
        """Entries whose rule was evaluated and whose trace was checked, but that no longer occur."""
        return [
            one
            for name, one in self.entries.items()
            if name not in self.met and one.trace_id in self.traces and one.rule_id in self.rules
        ]

    def accept(self, artifacts: Iterable[Mapping[str, Any]], rules: Iterable[str], reason: str) -> int:
        """Add the violations of `rules` (of all rules where none is named); how many are new entries."""
        chosen, before = set(rules), len(self.entries)
        for artifact in artifacts:
            for v in violations_in(artifact):
                name = fingerprint(artifact, v)
                known = self.entries.get(name)
                graver = known is not None and SEVERITIES.index(v["severity"]) > SEVERITIES.index(
                    known.severity
                )
                if (chosen and v["rule_id"] not in chosen) or (known is not None and not graver):
                    continue
                self.entries[name] = Accepted(
                    name,
                    artifact["trace_id"],
                    v["rule_id"],
                    v["message_index"],
                    v["quote"],
                    v["severity"],
                    reason or (known.reason if known else ""),
                )
        return len(self.entries) - before

    def text(self) -> str:
        """The file: JSON, one entry a line, in a fixed order, for readable differences."""
        entries = sorted(
            self.entries.values(), key=lambda one: (one.trace_id, one.message_index, one.rule_id)
        )
        lines = ",\n".join("  " + json.dumps(asdict(one), ensure_ascii=True) for one in entries)
        return f'{{"version": {VERSION}, "accepted": [\n{lines}\n]}}\n'


def violations_in(artifact: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The violations of an artifact, over all evaluators."""
    for result in artifact["results"]:
        yield from result["violations"]


def fingerprint(artifact: Mapping[str, Any], violation: Mapping[str, Any]) -> str:
    """The hash of what makes a violation the same one in a later run; the file's bytes play no part."""
    names = [artifact["domain"], artifact["task_id"], artifact["trace_id"]]
    names += [violation["rule_id"], violation["message_index"], violation.get("call"), violation["quote"]]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:20]


def read_baseline(path: Path) -> Baseline:
    """The baseline of a file; `UsageError` names the entry that is malformed."""
    try:
        text = text_of(path, None)
        check_json(text)
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{path}: no baseline: {error}; write one with 'truespec trace accept'") from None
    if not isinstance(value, dict) or not isinstance(value.get("accepted"), list):
        raise UsageError(f'{path}: no baseline: expected {{"version": {VERSION}, "accepted": [...]}}')
    if value.get("version") != VERSION:
        raise UsageError(f"{path}: version {value.get('version')!r} of a baseline; this one reads {VERSION}")
    found = Baseline()
    for number, entry in enumerate(value["accepted"], 1):
        try:
            one = Accepted(**entry)
        except TypeError as error:
            raise UsageError(f"{path}: entry {number}: {error}") from None
        texts = (one.fingerprint, one.trace_id, one.rule_id, one.reason)
        if not all(isinstance(text, str) for text in texts) or one.severity not in SEVERITIES:
            raise UsageError(
                f"{path}: entry {number}: names are texts, a severity is one of {', '.join(SEVERITIES)}"
            )
        found.entries[one.fingerprint] = one
    return found
