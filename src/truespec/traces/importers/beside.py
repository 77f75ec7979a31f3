"""Results, and the identifiers of their calls, in fields of a message beside its content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truespec.traces.importers.parts import REFERENCES, Notes, identifier_of, is_result, kind_of_part
from truespec.traces.trace import ToolCall

_RESULT_LISTS = ("tool_results", "tool_responses")
"""Fields of a message that hold results beside its content: ElevenLabs, AutoGen 0.2."""
BESIDE = "a text of results that stand beside it one by one is no result of its own"


def with_results(item: Mapping[str, Any], role: str, notes: Notes) -> Mapping[str, Any]:
    """The item with the results that stand in a field of their own among its parts."""
    for key in _RESULT_LISTS:
        listed = item.get(key)
        if not isinstance(listed, list) or not listed or not all(isinstance(one, Mapping) for one in listed):
            continue
        content = item.get("content")
        said = content if isinstance(content, list) else [content] if content else []
        if role == "tool" and said:
            notes.ledger.rules[BESIDE] += 1
            said = []
        results = [{**one, "type": "tool_result"} for one in listed]
        return {**{k: v for k, v in item.items() if k not in (key, "name")}, "content": [*said, *results]}
    return item


def with_reference(item: Mapping[str, Any], content: Any) -> Any:
    """The content; its one result, where it names no call, answers the one that the message names (Azure)."""
    named = {key: item[key] for key in REFERENCES if item.get(key)}
    if not named or not isinstance(content, list) or len(content) != 1 or not isinstance(content[0], Mapping):
        return content
    (part,) = content
    if is_result(kind_of_part(part)) and identifier_of(part) is None:
        return [{**named, **part}]
    return content


COMMAND = "a text whose kind says that it is a command is a call of it"
_COMMANDS = ("command", "bash", "shell")
_CALLS = ("tool_calls", "toolCalls", "tool_call", "function_call")


def command_of(item: Mapping[str, Any]) -> ToolCall | None:
    """The call that an item is whose kind says that its text is a command.

    >>> command_of({"kind": "command", "content": "ls"}).arguments
    {'command': 'ls'}
    """
    kind, text = item.get("kind"), item.get("content", item.get("text"))
    if kind not in _COMMANDS or not isinstance(text, str) or any(item.get(key) for key in _CALLS):
        return None
    return ToolCall(kind, {kind: text})
