"""Calls into which an exporter merged several, because it did not look at the index of streamed pieces.

Their arguments are the objects of all of them, one behind the other, under one name. Which object belonged to
which tool the call does not say; a request that repeats the reply does, and so do the tools' spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truespec.traces.importers.parts import Notes
from truespec.traces.importers.told import objects_in
from truespec.traces.trace import Message, ToolCall

MERGED = "a call into which its exporter merged several"


def merged_into(call: ToolCall) -> int:
    """How many calls one call stands for."""
    if call.arguments is not None or not call.raw or not call.raw.lstrip().startswith("{"):
        return 1
    found = objects_in(call.raw)
    return len(found) if found and len(found) > 1 and all(isinstance(one, dict) for one in found) else 1


def without_merged(messages: Sequence[Message], notes: Notes) -> list[Message]:
    """The messages of a reply without merged calls, which are told."""
    made = []
    for message in messages:
        kept = tuple([call for call in message.calls if merged_into(call) == 1])
        for call in message.calls:
            if (count := merged_into(call)) > 1:
                notes.ledger.calls.drop(MERGED, notes.place)
                notes.ledger.problem(notes.place, f"{MERGED}: {count} stand in one of {call.name[:60]!r}")
        if kept == message.calls:
            made.append(message)
        elif kept or message.text or message.reasoning:
            made.append(replace(message, calls=kept))
    return made
