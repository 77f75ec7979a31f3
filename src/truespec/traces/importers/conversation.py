"""A trace from the items of a conversation, each with its place in the record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.files import TraceFile
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolSchema, Trace, prompt_of


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a conversation stands."""

    file: TraceFile
    form: str
    """The importer's name."""
    position: str
    """The place of its record in the file."""
    joins: Joins
    """What completes it."""


def placed(
    items: Iterable[tuple[str, Any]], position: str, notes: Notes, default: str = "assistant"
) -> list[Message]:
    """The messages of items, each at its place in the record at `position`."""
    made: list[Message] = []
    for place, item in items:
        notes.place = f"{position}, {place}"
        made += [replace(message, position=place) for message in messages_of_item(item, notes, default)]
    return made


def trace_of(
    messages: Sequence[Message],
    origin: Origin,
    *,
    identifier: Any = None,
    prompt: str | None = None,
    tools: tuple[ToolSchema, ...] | None = None,
    model: Any = None,
    **more: Any,
) -> Trace:
    """The trace of a conversation; what its source does not tell is joined.

    Without an identifier it is named after its file and its place.
    """
    file, position = origin.file, origin.position
    unnamed = f"{file.path.name}:{position}"
    return Trace(
        id=unnamed if identifier in (None, "") else str(identifier),
        messages=tuple(paired(messages, file.ledger)),
        source=source_of(file, origin.form, position),
        system_prompt=prompt or prompt_of(messages) or origin.joins.prompt,
        tools=origin.joins.domain(None).tools if tools is None else tools,
        model=model if isinstance(model, str) else None,
        **more,
    )
