"""The normalised trace as one JSON line; `schema.json` beside this file publishes its shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from truespec.traces.trace import Message, Outcome, Source, Span, ToolCall, ToolSchema, Trace, TraceError

VERSION = 1
"""The version of the record's shape, in its field `truespec_trace`."""
SCHEMA = Path(__file__).with_name("schema.json")
"""The published JSON Schema of a record."""


def to_record(trace: Trace) -> dict[str, Any]:
    """The trace as plain JSON values, without fields that hold nothing."""
    record: dict[str, Any] = {"truespec_trace": VERSION}
    for entry in fields(trace):
        value = getattr(trace, entry.name)
        if value is None or (value == () and entry.name == "spans") or value == {}:
            continue
        if entry.name == "messages":
            record["messages"] = [message_record(message) for message in value]
        elif entry.name in ("tools", "spans"):
            record[entry.name] = [_kept(asdict(item)) for item in value]
        elif entry.name in ("source", "outcome"):
            record[entry.name] = _kept(asdict(value))
        else:
            record[entry.name] = value
    return record


def from_record(record: Mapping[str, Any]) -> Trace:
    """The trace of a record; `TraceError` names the field that is wrong."""
    if record.get("truespec_trace") != VERSION:
        raise TraceError(
            f'a trace record has "truespec_trace": {VERSION}, not {record.get("truespec_trace")!r}'
        )
    values = {key: value for key, value in record.items() if key != "truespec_trace"}
    try:
        values["messages"] = tuple(message_of(m) for m in values["messages"])
        values["source"] = Source(**values["source"])
        if "tools" in values:
            values["tools"] = tuple(ToolSchema(**tool) for tool in values["tools"])
        if "spans" in values:
            values["spans"] = tuple(
                Span(**{"parent": None, "message_index": None, **s}) for s in values["spans"]
            )
        if "outcome" in values:
            values["outcome"] = Outcome(**values["outcome"])
        return Trace(**values)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise TraceError(f"not a trace record: {error}") from None


def message_of(record: Mapping[str, Any]) -> Message:
    """The message of such a record; `TypeError` or `ValueError` where it is none."""
    return Message(**{**record, "calls": tuple(ToolCall(**call) for call in record.get("calls", ()))})


def to_line(trace: Trace) -> str:
    """One JSON line, without its line end. Lone surrogates survive as escapes."""
    return line_of(to_record(trace))


def line_of(record: Mapping[str, Any]) -> str:
    """Plain values as one line of JSON, which knows no NaN and no Infinity: their names stand for them."""
    try:
        return json.dumps(record, separators=(",", ":"), default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(record), separators=(",", ":"), default=str)


def beyond_json(value: Any) -> bool:
    """Whether a value holds a number that JSON cannot write.

    >>> beyond_json({"a": [1.5]}), beyond_json({"a": [float("inf")]})
    (False, True)
    """
    kind = type(value)
    if kind is float:
        return bool(value - value)
    if kind is dict:
        return any(type(one) in _NUMBERS and beyond_json(one) for one in value.values())
    return kind in (list, tuple) and any(beyond_json(one) for one in value if type(one) in _NUMBERS)


_NUMBERS = frozenset((float, dict, list, tuple))
"""Types of values that may be, or hold, a number that JSON cannot write."""


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else json.dumps(value)
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list | tuple) else value


def message_record(message: Message) -> dict[str, Any]:
    """A message as plain JSON values, without fields that hold nothing."""
    record: dict[str, Any] = {}
    for entry in fields(message):
        value = getattr(message, entry.name)
        if value is None or value == () or (entry.name == "requestor" and value == "assistant"):
            continue
        record[entry.name] = value if entry.name != "calls" else [_call(call) for call in value]
    return record


def _call(call: ToolCall) -> dict[str, Any]:
    record = _kept(asdict(call))
    record.setdefault("arguments", None)
    if record["requestor"] == "assistant":
        del record["requestor"]
    return record


def _kept(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}
