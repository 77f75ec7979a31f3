"""pydantic-ai's message history: `[{kind: request|response, parts: [{part_kind, ...}]}]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Trace

NAME = "pydantic-ai"
_SPEAKERS = {"request": "user", "response": "assistant"}


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") in _SPEAKERS and isinstance(value.get("parts"), list)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A list that starts with a request or a response of parts."""
    return isinstance(head, list) and bool(head) and _is_message(head[0])


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    notes = Notes(file.ledger)
    messages: list[Message] = []
    model = None
    for _, index, value in each_record(file, None, _is_message):
        if isinstance(value, Problem):
            yield value
            continue
        notes.place = f"message {index}"
        if isinstance(value.get("instructions"), str) and not messages:
            messages.append(Message("system", value["instructions"], position=notes.place))
        try:
            messages += messages_of_item({"role": _SPEAKERS[value["kind"]], "parts": value["parts"]}, notes)
        except UNREADABLE as error:
            yield file.problem(notes.place, f"no message of pydantic-ai: {error!r}")
        model = model or value.get("model_name")
    yield trace_of(messages, Origin(file, NAME, "document", joins), identifier=file.path.name, model=model)
