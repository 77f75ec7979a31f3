"""Calls that a source tells twice, once with their identifiers and once without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.importers.items import messages_of
from truespec.traces.importers.pairing import made_up
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.threads import canonical
from truespec.traces.trace import Message, ToolCall


def named_alike(messages: list[Message], told: Any, role: str) -> list[Message]:
    """Messages with the identifiers that the same messages have in another value, which an exporter left out.

    Only where both tell the same calls, and as many results, in the same order.
    """
    if all(call.id for m in messages for call in m.calls) and all(
        m.call_id for m in messages if m.role == "tool"
    ):
        return messages
    value = parsed(told)
    if not isinstance(value, Mapping | list):
        return messages
    whole = messages_of(value, role, Notes())
    named = [call for message in whole for call in message.calls]
    if [_key(call) for message in messages for call in message.calls] != [_key(call) for call in named]:
        return messages
    answers = [message for message in whole if message.role == "tool"]
    alike = len(answers) == sum(message.role == "tool" for message in messages)
    called, answered = iter(named), iter(answers)
    made = []
    for message in messages:
        if message.calls:
            twins = [next(called) for _ in message.calls]
            calls = tuple(replace(c, id=c.id or t.id) for c, t in zip(message.calls, twins, strict=True))
            message = replace(message, calls=calls)
        elif message.role == "tool" and alike:
            twin = next(answered)
            message = replace(message, call_id=message.call_id or twin.call_id)
        made.append(message)
    return made


def _key(call: ToolCall) -> tuple[str, str]:
    return call.name, canonical(call.arguments)


def without_named(
    found: Sequence[tuple[int, ToolCall]], taken: Iterable[ToolCall]
) -> list[tuple[int, ToolCall]]:
    """The calls that are not the same as one that was taken without an identifier."""
    unnamed = Counter(_key(call) for call in taken if made_up(call.id))
    kept = []
    for number, call in found:
        if unnamed[_key(call)]:
            unnamed[_key(call)] -= 1
        else:
            kept.append((number, call))
    return kept
