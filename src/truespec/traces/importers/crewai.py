"""Logs of a crew's tasks, CrewAI's `output_log_file`: `{timestamp, task_name, task, agent, status, output}`.

A task that is started is what the crew was told, a task that is completed what its agent said. These logs
hold no calls of tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import entries
from truespec.traces.importers.shared import value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "crewai"
NO_CALLS = "a crew's log holds no calls of tools, so that none is known"
AGAIN = "a task that a later entry repeats is said once"
_FIELDS = frozenset(("task_name", "task", "agent", "status"))


def _is_entry(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() >= _FIELDS and "timestamp" in value


def recognises(head: Any, _file: TraceFile) -> bool:
    """A list of a log's entries, or its first line."""
    return _is_entry(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    run = StepRun(Notes(file.ledger), "document")
    told: set[str] = set()
    run.notes.ledger.assumed[NO_CALLS] += 1
    for place, entry in entries(file):
        if isinstance(entry, Problem):
            yield entry
            continue
        if not _is_entry(entry):
            yield file.problem(place, f"no entry of a crew's log: {brief(entry)}")
            continue
        task = value_text(entry["task"]) or ""
        if task not in told:
            run.say("user", task, place)
            told.add(task)
        else:
            run.notes.ledger.rules[AGAIN] += 1
        if (said := value_text(entry.get("output"))) is not None:
            agent = (value_text(entry["agent"]) or "").strip()
            run.messages.append(Message("assistant", said, name=agent or None, position=place))
    yield run.trace({}, file, NAME, joins)
