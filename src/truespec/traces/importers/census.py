"""Every call and result that stands anywhere in a value, found by structure alone, whatever the format.

Importers read the parts of a source that they know. The census reads all of it, and knows nothing about
formats: a call declares itself by its type or by the field that refers to it, and has a name, arguments and
an identifier; a result refers to an identifier. What it finds and an importer did not take is recovered or
reported, so no call gets lost in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from truespec.traces.files import loads
from truespec.traces.importers.parts import (
    ENVELOPES,
    KEYED,
    REFERENCES,
    REPEATED_CALL,
    call_of,
    is_call,
    is_result,
    keyed,
    kind_of_part,
    opened,
    result_of,
)
from truespec.traces.importers.shared import role_of, tool_call
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall

_MARKS = ("tool_", "tool-", "toolC", "toolU", "toolR", "function", "call_id", '_call"')
_ARGUMENTS = frozenset(("arguments", "args", "input", "tool_kwargs", "params_as_json"))
_REFERENCES = frozenset(REFERENCES)
_DEPTH = 60
_NESTED = (dict, list)
_LOOKED_AT = frozenset((dict, list, str))
_TELLING = frozenset(("function", "id", "tool_name", "toolInvocation", *ENVELOPES, *REFERENCES))
"""Fields without which an object is neither a call nor a result that can be identified."""

Found = ToolCall | Message


def spelling(value: Any) -> bytes | None:
    """A value as text, the same for equal ones and faster than a look at it; None where it has none."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return None


def census(value: Any, seen: set[bytes | None] | None = None) -> Iterator[Found]:
    """The calls, and the results as messages, that have identifiers, in the order of the value.

    With `seen`, objects in lists that are spelt there are passed over; the others are added.

    >>> [c.id for c in census({"x": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]})]
    ['t1']
    """
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str):
            if value.lstrip()[:1] in ("[", "{") and any(mark in value for mark in _MARKS):
                try:
                    inner: Any = (loads(value),)
                except ValueError:
                    continue
            else:
                continue
        elif isinstance(value, list):
            inner = value
        elif isinstance(value, Mapping):
            found = one_of(value)
            if isinstance(found, Message) and "tool_output" in value:
                if isinstance(value.get("tool_kwargs"), Mapping):
                    yield tool_call(value.get("tool_name"), value["tool_kwargs"], found.call_id)
            if found is not None:
                yield found
                if isinstance(found, ToolCall):
                    continue
            inner = list(value.values()) if KEYED.keys().isdisjoint(value) else _told_by_keys(value)
        else:
            continue
        if seen is not None and type(inner) is list and value is inner:
            inner = _unseen(inner, seen)
        if depth < _DEPTH:
            waiting += [(item, depth + 1) for item in reversed(inner) if type(item) in _LOOKED_AT]


def _unseen(listed: list[Any], seen: set[bytes | None]) -> list[Any]:
    made = []
    for one in listed:
        if type(one) is dict:
            spelt = spelling(one)
            if spelt in seen:
                continue
            if spelt is not None:
                seen.add(spelt)
        made.append(one)
    return made


def _told_by_keys(value: Mapping[str, Any]) -> list[Any]:
    """The fields of an object, those that their names declare with a type."""
    return [
        keyed(key, item) if key in KEYED and isinstance(item, dict) and "type" not in item else item
        for key, item in value.items()
    ]


def one_of(value: Mapping[str, Any]) -> Found | None:
    """The call, or the result, that an object is, where it has an identifier."""
    if _TELLING.isdisjoint(value):
        return None
    kind = kind_of_part(value)
    function = value.get("function")
    if is_call(kind) or is_result(kind):
        value = opened(value)
    reference = None
    if not _REFERENCES.isdisjoint(value):
        reference = next((value[key] for key in REFERENCES if isinstance(value.get(key), str)), None)
    if isinstance(function, Mapping):
        if (
            isinstance(function.get("name"), str)
            and "arguments" in function
            and isinstance(value.get("id"), str)
        ):
            return call_of(value, kind)
        return None
    if is_result(kind) and (reference or isinstance(value.get("id"), str)):
        return result_of(value, kind)
    if kind == "tool" or (isinstance(value.get("role"), str) and role_of(value["role"]) == "tool"):
        return result_of(value, kind) if reference and "content" in value else None
    if reference is None and isinstance(value.get("tool_name"), str):
        reference = next((str(value[key]) for key in ("tool_id", "request_id") if value.get(key)), None)
        if reference and "tool_output" in value:
            return _of_llamaindex(value, reference)
    if _ARGUMENTS.isdisjoint(value):
        return None
    if any(isinstance(value.get(key), str) and value[key] for key in ("name", "toolName", "tool_name")):
        if is_call(kind) and (reference or isinstance(value.get("id"), str)):
            return call_of(value, kind)
        if reference and not kind:
            return call_of(value, kind)
    return None


def _of_llamaindex(value: Mapping[str, Any], reference: str) -> Message:
    """The result that an event of LlamaIndex's workflows holds."""
    output = value["tool_output"]
    output = output if isinstance(output, Mapping) else {"content": output}
    failed = {"is_error": output["is_error"]} if isinstance(output.get("is_error"), bool) else {}
    told = output.get("content", output.get("blocks"))
    about = {"tool_call_id": reference, "name": value["tool_name"]}
    return result_of({**about, "output": told, **failed}, "tool_result")


def unplaced(messages: Sequence[Message], position: str, ledger: Ledger) -> None:
    """Report the calls in fields of messages that are not read, unless a message holds them elsewhere."""
    taken: set[str | None] | None = None
    for index, message in enumerate(messages):
        for key, value in message.extra.items() if message.extra else ():
            if key == REPEATED_CALL or not isinstance(value, _NESTED) or not value:
                continue
            for found in census(value):
                if taken is None:
                    taken = {call.id for one in messages for call in one.calls}
                if not isinstance(found, ToolCall) or found.id in taken or str(found.id) in ledger.aliases:
                    continue
                place = f"{position}, message {index}"
                ledger.calls.drop(f"a call in the field {key[:60]!r}, which is not read", place)
                ledger.problem(place, f"a call of {found.name!r} in the field {key[:60]!r} is not read")


def nested(attributes: Mapping[str, Any]) -> list[Any]:
    """Flat attributes for the census: those with numbered steps as trees, the rest as they are."""
    made: list[Any] = []
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        if "tool_call" in key and _NUMBERED.search(key):
            at = tree
            *steps, last = key.split(".")
            for step in steps:
                inner = at.setdefault(step, {})
                at = inner if isinstance(inner, dict) else {}
            at[last] = value
        elif isinstance(value, dict | list | str):
            made.append(value)
    return [*made, tree] if tree else made


def held(
    values: Sequence[Iterable[Any]],
) -> tuple[dict[str, tuple[int, ToolCall]], dict[str, tuple[int, Message]]]:
    """The calls and the results in groups of values by identifier, each with its first group's number."""
    calls: dict[str, tuple[int, ToolCall]] = {}
    results: dict[str, tuple[int, Message]] = {}
    texts: set[str] = set()
    seen: set[bytes | None] = set()
    for number, group in enumerate(values):
        for value in group:
            if isinstance(value, str):
                if value in texts:
                    continue
                texts.add(value)
            for found in census(value, seen):
                if isinstance(found, ToolCall) and found.id is not None:
                    calls.setdefault(found.id, (number, found))
                elif isinstance(found, Message) and found.call_id is not None:
                    results.setdefault(found.call_id, (number, found))
    return calls, results


_NUMBERED = re.compile(r"\.\d+\.")
