"""pydantic-ai's message history: `[{kind: request|response, parts: [{part_kind, ...}]}]`.

The list alone, its messages as lines, or the lists of several runs: a line each, in a field of a record, or
as a text in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import are_lines, whole_or_lines
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Trace

NAME = "pydantic-ai"
_SPEAKERS = {"request": "user", "response": "assistant"}


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") in _SPEAKERS and isinstance(value.get("parts"), list)


def _history(value: Any) -> list[Any] | None:
    """The messages that a value is, or that a field of it holds."""
    value = parsed(value) if isinstance(value, str) and '"part_kind"' in value else value
    if isinstance(value, list):
        return value if value and _is_message(value[0]) else None
    if _is_message(value):
        return [value]
    if not isinstance(value, Mapping):
        return None
    return next((found for inner in value.values() if (found := _in_field(inner)) is not None), None)


def _in_field(inner: Any) -> list[Any] | None:
    return _history(inner) if isinstance(inner, list | str) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """A request or a response of parts, alone, first of a list, or in a field of a record."""
    first = head[0] if isinstance(head, list) and head else head
    return _history(first) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace for a list of messages and for messages as lines; else one for each conversation."""
    if isinstance(file.head, list) and file.head and _is_message(file.head[0]) and not are_lines(file):
        listed = [(f"message {index}", value) for _, index, value in each_record(file, None, _is_message)]
        yield from _trace(listed, Origin(file, NAME, "document", joins), file.path.name)
        return
    values = list(_records(file))
    if all(_is_message(value) or isinstance(value, Problem) for _, value in values):
        yield from _trace(values, Origin(file, NAME, "document", joins), file.path.name)
        return
    yield from grown(_traces(values, file, joins), file.ledger)


def _records(file: TraceFile) -> Iterator[tuple[str, Any]]:
    for position, value in whole_or_lines(file):
        if isinstance(value, list) and not (value and _is_message(value[0])):
            yield from ((f"{position}, record {number}", inner) for number, inner in enumerate(value))
        else:
            yield position, value


def _traces(values: Iterable[tuple[str, Any]], file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    for position, value in values:
        if isinstance(value, Problem):
            yield value
        elif (history := _history(value)) is None:
            yield file.problem(position, f"expected messages of pydantic-ai, found {brief(value)}")
        else:
            listed = [(f"{position}, message {index}", message) for index, message in enumerate(history)]
            yield from _trace(listed, Origin(file, NAME, position, joins), None)


def _trace(
    listed: Iterable[tuple[str, Any]], origin: Origin, identifier: str | None
) -> Iterator[Trace | Problem]:
    notes = Notes(origin.file.ledger)
    messages: list[Message] = []
    model = None
    for place, value in listed:
        if isinstance(value, Problem):
            yield value
            continue
        notes.place = place
        if not _is_message(value):
            yield origin.file.problem(place, f"no message of pydantic-ai: {brief(value)}")
            continue
        if isinstance(value.get("instructions"), str) and not messages:
            messages.append(Message("system", value["instructions"], position=notes.place))
        try:
            messages += messages_of_item({"role": _SPEAKERS[value["kind"]], "parts": value["parts"]}, notes)
        except UNREADABLE as error:
            yield origin.file.problem(notes.place, f"no message of pydantic-ai: {error!r}")
        model = model or value.get("model_name")
    yield trace_of(messages, origin, identifier=identifier, model=model)
