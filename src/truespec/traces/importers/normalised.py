"""Our own records, one JSON line each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.joins import Joins
from truespec.traces.record import from_record
from truespec.traces.trace import Trace, TraceError

ASIDE = ("position", "source", "metadata")
"""Fields beside the conversation: where a trace and its messages come from, and what the import told."""


def recognises(head: Any, _file: TraceFile) -> bool:
    """A record names its version."""
    return isinstance(head, dict) and "truespec_trace" in head


def read(file: TraceFile, _joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per line."""
    for line, value in file.lines():
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield from_record(value if isinstance(value, dict) else {})
        except TraceError as error:
            yield file.problem(f"line {line}", str(error))
