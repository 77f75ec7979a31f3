"""Faults in the arguments of calls."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from truespec.faults.fault import Edit, Fault, grounded
from truespec.traces.trace import Trace

_OTHER: dict[str, Any] = {
    "string": 1234,
    "number": "twelve",
    "integer": "twelve",
    "boolean": "perhaps",
    "array": "none",
    "object": "none",
}
"""For each JSON type a value that is not of it."""


def _changed(trace: Trace, index: int, number: int, arguments: dict[str, Any]) -> Edit:
    edit = Edit(trace)
    calls = list(trace.messages[index].calls)
    calls[number] = replace(calls[number], arguments=arguments)
    edit.change(index, calls=tuple(calls))
    return edit


def corrupt_argument(trace: Trace, rng: random.Random) -> Fault | None:
    """An argument of a wrong type, a required one missing, or one that the tool does not have."""
    options: list[tuple[int, int, str, dict[str, Any]]] = []
    for index, message in enumerate(trace.messages):
        for number, call in enumerate(message.calls):
            schema = trace.schemas.get(call.name)
            parameters = schema.parameters if schema is not None else None
            if call.requestor != "assistant" or not call.arguments or not parameters:
                continue
            given = dict(call.arguments)
            for name, value in given.items():
                declared = (parameters.get("properties") or {}).get(name) or {}
                if declared.get("type") in _OTHER:
                    wrong = {**given, name: _OTHER[declared["type"]]}
                    options.append((index, number, f"{name} is no {declared['type']}", wrong))
                if name in (parameters.get("required") or ()):
                    rest = {key: inner for key, inner in given.items() if key != name}
                    options.append((index, number, f"{name} is missing", rest))
                del value
            options.append((index, number, "an argument that the tool does not have", {**given, "colour": 7}))
    if not options:
        return None
    index, number, note, arguments = rng.choice(options)
    edit = _changed(trace, index, number, arguments)
    return edit.fault("corrupt_argument", [index], ["invalid_argument"], note, ["skipped_verification"])


def invent_argument(trace: Trace, rng: random.Random) -> Fault | None:
    """An identifier that nobody has mentioned, of the shape of the one that was there."""
    options: list[tuple[int, int, str, str]] = []
    said = ""
    for index, message in enumerate(trace.messages):
        before, said = said, said + "\n" + (message.text or "").lower()
        for number, call in enumerate(message.calls):
            if call.requestor != "assistant" or not grounded(call, before):
                continue
            for name, value in (call.arguments or {}).items():
                if (
                    name.endswith("_id")
                    and isinstance(value, str)
                    and len(value) >= 5
                    and any(c.isdigit() for c in value)
                ):
                    options.append((index, number, name, value))
    if not options:
        return None
    index, number, name, value = rng.choice(options)
    whole = "\n".join(m.text or "" for m in trace.messages).lower()
    made = value
    for _ in range(50):
        made = "".join(_other(c, rng) for c in value)
        if made.lower().removeprefix("#") not in whole:
            break
    else:
        return None
    arguments = {**(trace.messages[index].calls[number].arguments or {}), name: made}
    edit = _changed(trace, index, number, arguments)
    note = f"{name} was {value} and became {made}"
    return edit.fault("invent_argument", [index], ["ungrounded_argument"], note, ["skipped_verification"])


def _other(character: str, rng: random.Random) -> str:
    if character.isdigit():
        return rng.choice("0123456789".replace(character, ""))
    return character
