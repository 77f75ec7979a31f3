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
_ARGUMENTS = ("arguments", "args", "input", "tool_kwargs", "params_as_json")
_DEPTH = 60
_NESTED = (dict, list)
_TELLING = frozenset(("function", "id", "tool_name", "toolInvocation", *ENVELOPES, *REFERENCES))
"""Fields without which an object is neither a call nor a result that can be identified."""

Found = ToolCall | Message


def census(value: Any, depth: int = 0) -> Iterator[Found]:
    """The calls, and the results as messages, that have identifiers, in the order of the value.

    >>> [c.id for c in census({"x": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]})]
    ['t1']
    """
    if depth > _DEPTH:
        return
    if isinstance(value, str):
        if value.lstrip()[:1] in ("[", "{") and any(mark in value for mark in _MARKS):
            try:
                inner = loads(value)
            except ValueError:
                return
            yield from census(inner, depth + 1)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list | str):
                yield from census(item, depth + 1)
    elif isinstance(value, Mapping):
        found = one_of(value)
        if found is not None:
            if (
                isinstance(found, Message)
                and isinstance(value.get("tool_kwargs"), Mapping)
                and "tool_output" in value
            ):
                yield tool_call(value.get("tool_name"), value["tool_kwargs"], found.call_id)
            yield found
            if isinstance(found, ToolCall):
                return
        for key, item in value.items():
            if isinstance(item, dict | list | str):
                if key in KEYED and isinstance(item, dict) and "type" not in item:
                    item = keyed(key, item)
                yield from census(item, depth + 1)


def one_of(value: Mapping[str, Any]) -> Found | None:
    """The call, or the result, that an object is, where it has an identifier."""
    if _TELLING.isdisjoint(value):
        return None
    kind = kind_of_part(value)
    function = value.get("function")
    if is_call(kind) or is_result(kind):
        value = opened(value)
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
    named = next(
        (value[key] for key in ("name", "toolName", "tool_name") if isinstance(value.get(key), str)), None
    )
    given = any(key in value for key in _ARGUMENTS)
    if named and given:
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
    for number, group in enumerate(values):
        for value in group:
            if isinstance(value, str):
                if value in texts:
                    continue
                texts.add(value)
            for found in census(value):
                if isinstance(found, ToolCall) and found.id is not None:
                    calls.setdefault(found.id, (number, found))
                elif isinstance(found, Message) and found.call_id is not None:
                    results.setdefault(found.call_id, (number, found))
    return calls, results


_NUMBERED = re.compile(r"\.\d+\.")
