"""Labels that a person gives to records of runs: one JSON object a line, appended; the last one counts."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from truespec.store.lines import to_line
from truespec.untrusted.cells import csv_line
from truespec.untrusted.nesting import check_json
from truespec.verdict import UsageError

VERDICT_LABELS = ("right", "wrong", "unclear")
"""What a person may say of a verdict."""
STUDY_LABELS = ("verdict is right", "judge is right", "statement is ambiguous", "unclear")
"""What a person may say of a judgement beside a verdict."""
LONGEST_NOTE = 2_000
"""Characters of a note."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label."""

    run: str
    """The run, as it was named."""
    record: str
    """The record of the run: the id of a pair, or the key of a judgement."""
    label: str
    """What was said; empty where an earlier label is withdrawn."""
    note: str
    """Why, in the person's words."""
    time: str
    """When, in UTC."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the label is about: answer, judgement, task and the like."""


class Labels:
    """The labels of a file, and those that are added to it; safe from threads."""

    def __init__(self, path: Path) -> None:
        """Read the file where it exists; `UsageError` names a line that holds no label."""
        self.path = path
        self._lock = threading.Lock()
        self._last: dict[tuple[str, str], Label] = {}
        if not path.exists():
            if not path.absolute().parent.is_dir():
                raise UsageError(f"{path}: its folder does not exist")
            return
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._keep(_label(path, number, line))

    def _keep(self, label: Label) -> None:
        self._last.pop((label.run, label.record), None)
        if label.label:
            self._last[label.run, label.record] = label

    def of(self, run: str, record: str) -> Label | None:
        """The label of a record."""
        return self._last.get((run, record))

    def keys(self, run: str, label: str = "") -> set[str]:
        """The records of a run with this label, or with any."""
        with self._lock:
            found = list(self._last.values())
        return {one.record for one in found if one.run == run and label in ("", one.label)}

    def add(self, label: Label) -> None:
        """Append a label to the file; one without a text withdraws the one before."""
        with self._lock:
            with self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(to_line(asdict(label)))
            self._keep(label)

    def as_lines(self) -> str:
        """The label of each record, one JSON object a line."""
        with self._lock:
            return "".join(to_line(asdict(one)) for one in self._last.values())

    def as_csv(self) -> str:
        """The same as CSV; texts that a spreadsheet would run as formulas are defused."""
        with self._lock:
            found = list(self._last.values())
        names = list(dict.fromkeys(name for one in found for name in one.facts))
        head = ["run", "record", "label", "note", "time", *names]
        lines = [csv_line(head)]
        for one in found:
            facts = [_cell(one.facts.get(name)) for name in names]
            lines.append(csv_line([one.run, one.record, one.label, one.note, one.time, *facts]))
        return "".join(lines)


def _cell(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _label(path: Path, number: int, line: bytes) -> Label:
    try:
        check_json(line)
        found = Label(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}, line {number}: no label: {error}") from None
    texts = (found.run, found.record, found.label, found.note, found.time)
    if not all(isinstance(text, str) for text in texts) or not isinstance(found.facts, dict):
        raise UsageError(f"{path}, line {number}: no label: run, record, label, note and time are texts")
    return found
