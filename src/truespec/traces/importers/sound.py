"""What of a trace JSON cannot say, or its source does not say as a text: reported, and kept as text.

The names and identifiers of calls are texts. A source may write another value there; its JSON stands for it.
Arguments that hold NaN, Infinity or a number too large for one are no JSON object: they stay as text.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.merged_calls import MERGED, merged_into
from truespec.traces.importers.shared import Spelt
from truespec.traces.ledger import Ledger
from truespec.traces.record import beyond_json
from truespec.traces.trace import Message, ToolCall, Trace

DIGITS = "an identifier that is a whole number is taken as its digits"
_PLAIN = (str, type(None))


def sound(trace: Trace, ledger: Ledger) -> Trace:
    """The trace with plain texts and with arguments that JSON can hold; most traces are so already."""
    doubtful = [
        index
        for index, message in enumerate(trace.messages)
        if (message.calls or message.call_id is not None) and _is_doubtful(message)
    ]
    if not doubtful:
        return trace
    messages = list(trace.messages)
    for index in doubtful:
        place = f"{trace.source.position}, message {index}"
        message = messages[index]
        messages[index] = replace(
            message,
            calls=tuple([_call(call, ledger, place) for call in message.calls]),
            call_id=None if message.call_id is None else str(message.call_id),
        )
    return replace(trace, messages=tuple(messages))


def _is_doubtful(message: Message) -> bool:
    if type(message.call_id) not in _PLAIN:
        return True
    for call in message.calls:
        if type(call.name) is not str or not call.name or type(call.id) not in _PLAIN:
            return True
        if call.arguments is None or beyond_json(call.arguments):
            return True
    return False


def _call(call: ToolCall, ledger: Ledger, place: str) -> ToolCall:
    if not call.name:
        ledger.problem(place, "a call without a name")
    elif isinstance(call.name, Spelt):
        ledger.problem(place, f"the name of a call is no text but {call.name[:60]}; its JSON stands for it")
    if isinstance(call.id, Spelt):
        if call.id.isdigit():
            ledger.rules[DIGITS] += 1
        else:
            told = f"the identifier of the call of {call.name!r} is no text but {call.id[:60]}"
            ledger.problem(place, f"{told}; its JSON stands for it")
    arguments, raw = call.arguments, call.raw
    if arguments is not None and beyond_json(arguments):
        arguments, raw = None, json.dumps(arguments, default=str)
    if arguments is None and _is_beyond(raw or ""):
        told = "hold NaN, Infinity or a number too large for JSON"
        ledger.problem(place, f"the arguments of the call of {call.name!r} {told}; they are kept as text")
    identifier = None if call.id is None else str(call.id)
    if (count := merged_into(call)) > 1:
        ledger.problem(place, f"{MERGED}: {count} stand in one of {call.name[:60]!r}; it is kept as it is")
    return ToolCall(str(call.name), arguments, identifier, call.requestor, raw)


def _is_beyond(text: str) -> bool:
    try:
        value: Any = loads(text)
    except ValueError:
        return False
    return beyond_json(value)
