"""A task (statement, context, oracle) and a pair (oracle, candidate), as records of JSON Lines files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

HIDDEN = "hidden"
"""The field of a task that names the constraints which no prompt shows; they hold all the same."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record of an upstream data set comes from."""

    dataset: str
    """The name given to `truespec data import`."""
    file: str
    """The file, relative to the folder that was imported."""
    position: str = ""
    """The line or record in that file, e.g. `line 12`."""

    def to_json(self) -> dict[str, object]:
        """The record's `source`."""
        return {"dataset": self.dataset, "file": self.file, "position": self.position}


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to formalise."""

    id: str
    """Unique in its file."""
    domain: str
    """Which language the answer is written in."""
    statement: str
    """The natural-language statement shown to a model."""
    context: Mapping[str, object]
    """The declarations shown to a model; also the context of every pair made from the task."""
    oracle: str
    """The reference specification; never shown to a model."""
    source: Origin
    """Where it comes from."""
    tags: tuple[str, ...] = ()
    """Marks such as `p1` or `no-range:mult`."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """More fields of the record."""

    def to_json(self) -> dict[str, object]:
        """The line of `tasks.jsonl`."""
        return {
            "id": self.id,
            "domain": self.domain,
            "statement": self.statement,
            "context": dict(self.context),
            "oracle": self.oracle,
            "tags": list(self.tags),
            "source": self.source.to_json(),
            **self.extra,
        }


def shown_context(task: Task) -> Mapping[str, object]:
    """A task's context as models and formalization judges see it: without its hidden constraints."""
    hidden, constraints = task.extra.get(HIDDEN), task.context.get("constraints")
    if not isinstance(hidden, Sequence) or not isinstance(constraints, Sequence):
        return task.context
    return {**task.context, "constraints": [one for one in constraints if one not in hidden]}


@dataclass(frozen=True, slots=True)
class PairRecord:
    """An oracle with a recorded candidate."""

    id: str
    """Unique in its file."""
    domain: str
    """Which language both are written in."""
    context: Mapping[str, object]
    """What both are read against."""
    oracle: str
    """The reference specification."""
    candidate: str
    """The specification under test."""
    source: Origin
    """Where it comes from."""
    upstream_label: object = None
    """A label that upstream gave under its own assumptions; no verifier reads it."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """More fields of the record, e.g. `model` or `statement`."""

    def to_json(self) -> dict[str, object]:
        """The line of `pairs.jsonl`."""
        label = {} if self.upstream_label is None else {"upstream_label": self.upstream_label}
        return {
            "id": self.id,
            "domain": self.domain,
            "context": dict(self.context),
            "oracle": self.oracle,
            "candidate": self.candidate,
            **label,
            "source": self.source.to_json(),
            **self.extra,
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of the data set that was left out, and why."""

    source: Origin
    """Where it is."""
    reason: str
    """Why, in a sentence that names the construct."""

    def to_json(self) -> dict[str, object]:
        """The line of `skipped.jsonl`."""
        return {"source": self.source.to_json(), "reason": self.reason}
