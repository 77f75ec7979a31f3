"""Arguments that fit a tool's JSON Schema, for generated conversations.

A rule says little about the arguments of a call. What it leaves open is filled in: required arguments are
added, values of the wrong type are replaced, and arguments that the tool does not take are left out. Equal
values stay equal, in texts too, since rules compare them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from truespec.rules.schemas import call_fits, validator
from truespec.rules.strings import Language, representatives
from truespec.traces.event import Event
from truespec.traces.trace import Message, ToolCall, ToolSchema, Trace
from truespec.verdict import TruespecError

DEEPEST = 6
"""Levels of a schema at which optional parts are no longer followed."""
MOST_STEPS = 20_000
"""Steps of the search for a text that matches a pattern."""
_FORMATS = {
    "date": "2024-05-15",
    "time": "10:30:00",
    "date-time": "2024-05-15T10:30:00Z",
    "email": "ada@example.com",
    "uri": "https://example.com/1",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
}
"""Texts of the formats that JSON Schema names."""


class _Unfilled(Exception):
    """No value was found for a schema."""


def with_fitting_arguments(trace: Trace) -> Trace:
    """The conversation with arguments that fit, as far as they were found; results stay with their calls."""
    schemas = {tool.name: tool for tool in trace.tools or ()}
    renamed: dict[str, Any] = {}
    messages = [
        replace(
            message, calls=tuple(_filled(call, schemas.get(call.name), renamed) for call in message.calls)
        )
        for message in trace.messages
    ]
    return replace(trace, messages=tuple(_mentioning(message, renamed) for message in messages))


def misfits(trace: Trace) -> list[str]:
    """The tools whose calls do not fit their schemas, in the order of the calls."""
    found = []
    for index, message in enumerate(trace.messages):
        for call in message.calls:
            event = Event("call", index, call.requestor, None, call.name, call.arguments or {}, call=call)
            event.trace = trace
            if not call_fits(event):
                found.append(call.name)
    return found


def _filled(call: ToolCall, tool: ToolSchema | None, renamed: dict[str, Any]) -> ToolCall:
    schema = tool.parameters if tool is not None else None
    if not isinstance(schema, Mapping) or call.arguments is None:
        return call
    try:
        return replace(call, arguments=_object(dict(call.arguments), schema, schema, renamed, 0))
    except _Unfilled:
        return call


def _object(
    given: Mapping[str, Any], schema: Mapping[str, Any], root: Any, renamed: dict[str, Any], depth: int
) -> dict[str, Any]:
    """An object that fits, with the given members where they may stay."""
    properties = schema.get("properties")
    named: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    free = not named or schema.get("additionalProperties") not in (None, False)
    made: dict[str, Any] = {}
    homeless = []
    for name, value in given.items():
        if name in named:
            made[name] = _repaired(value, named[name], root, renamed, name, depth)
        elif free:
            made[name] = value
        else:
            homeless.append(value)
    for name in schema.get("required") or ():
        if name not in made:
            wanted = named.get(name, {})
            # A value that nothing here takes by its name may still stand elsewhere.
            place = next((n for n, value in enumerate(homeless) if _fits(wanted, root, value)), None)
            made[name] = fitting(wanted, root, str(name), depth + 1) if place is None else homeless.pop(place)
    return made


def _repaired(value: Any, schema: Any, root: Any, renamed: dict[str, Any], name: str, depth: int) -> Any:
    schema = _followed(schema, root)
    if isinstance(value, dict) and isinstance(schema, Mapping) and schema.get("properties"):
        return _object(value, schema, root, renamed, depth + 1)
    if _fits(schema, root, value):
        return value
    if isinstance(value, list) and isinstance(schema, Mapping) and "items" in schema:
        items = [_repaired(item, schema["items"], root, renamed, name, depth + 1) for item in value]
        if _fits(schema, root, items):
            return items
    key = json.dumps(value, sort_keys=True, default=str)
    if key not in renamed or not _fits(schema, root, renamed[key]):
        renamed[key] = fitting(schema, root, name, depth + 1)
    return renamed[key]


def fitting(schema: Any, root: Any, name: str = "value", depth: int = 0) -> Any:
    """A short value that fits a schema; `name` is what texts without a condition say.

    >>> fitting({"type": "array", "items": {"type": "integer", "minimum": 3}}, {})
    [3]
    """
    schema = _followed(schema, root)
    for value in _candidates(schema, root, name, depth):
        if _fits(schema, root, value):
            return value
    raise _Unfilled(name)


def _candidates(schema: Any, root: Any, name: str, depth: int) -> Any:
    """Values to try, the likeliest first."""
    if not isinstance(schema, Mapping) or depth > 3 * DEEPEST:
        yield f"some {name.replace('_', ' ')}"
        return
    yield from schema.get("examples") or ()
    for key in ("default", "const"):
        if schema.get(key) is not None:
            yield schema[key]
    yield from schema.get("enum") or ()
    if isinstance(schema.get("allOf"), list):
        parts = [
            part for part in (_followed(one, root) for one in schema["allOf"]) if isinstance(part, Mapping)
        ]
        merged = {k: v for part in (*parts, schema) for k, v in part.items() if k != "allOf"}
        yield from _candidates(merged, root, name, depth + 1)
    for key in ("anyOf", "oneOf"):
        for option in schema.get(key) or ():
            try:
                yield fitting(option, root, name, depth + 1)
            except _Unfilled:
                continue
    kinds = schema.get("type", ())
    for kind in kinds if isinstance(kinds, list) else [kinds] if kinds else ["object", "string", "integer"]:
        yield from _of_kind(str(kind), schema, root, name, depth)


def _of_kind(kind: str, schema: Mapping[str, Any], root: Any, name: str, depth: int) -> Any:
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        high = schema.get("maximum", schema.get("exclusiveMaximum"))
        step = schema.get("multipleOf") or 1
        yield from (value for value in (1, low, high, step, 0) if value is not None)
        yield from (low + step,) if low is not None else ()
        yield from (high - step,) if high is not None else ()
        yield from (-(-low // step) * step,) if low is not None else ()
    elif kind == "string":
        yield from _texts(schema, name)
    elif kind == "boolean":
        yield from (True, False)
    elif kind == "null":
        yield None
    elif kind == "array":
        least = schema.get("minItems", 0)
        item = (
            fitting(schema.get("items", {}), root, name.removesuffix("s"), depth + 1)
            if depth < DEEPEST
            else 1
        )
        yield [item] * max(1, least)
        yield [item] * least
    elif kind == "object":
        yield _object({}, schema, root, {}, depth)


def _texts(schema: Mapping[str, Any], name: str) -> Any:
    if schema.get("format") in _FORMATS:
        yield _FORMATS[schema["format"]]
    least = schema.get("minLength", 0)
    if "pattern" not in schema:
        text = f"some {name.replace('_', ' ')}"
        yield text[: schema.get("maxLength", len(text))].ljust(least, "x")
        return
    languages: list[Language] = [("search", schema["pattern"], 0)]
    languages += [("longer", least)] if least else []
    steps = iter(range(MOST_STEPS))

    def check() -> None:
        if next(steps, None) is None:
            raise _Unfilled(name)

    try:
        yield from representatives((), languages, check)
    except (TruespecError, ValueError):  # no pattern, or one that is not regular
        raise _Unfilled(name) from None


def _followed(schema: Any, root: Any) -> Any:
    """The schema that local references lead to."""
    for _ in range(DEEPEST):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            return schema
        at = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            at = at.get(step) if isinstance(at, Mapping) else None
        schema = at
    raise _Unfilled("a reference")


def _fits(schema: Any, root: Any, value: Any) -> bool:
    if not isinstance(schema, Mapping):
        return True
    definitions = {
        key: root[key] for key in ("$defs", "definitions") if isinstance(root, Mapping) and key in root
    }
    try:
        return validator({**definitions, **schema})(value)
    except TruespecError:
        return False


def _mentioning(message: Message, renamed: Mapping[str, Any]) -> Message:
    """The message with the new values where its text mentions old ones."""
    text = message.text
    for key, value in renamed.items() if text else ():
        old = json.loads(key)
        if isinstance(old, str) and old and text:
            text = text.replace(old, str(value))
    return message if text == message.text else replace(message, text=text)
