"""What several formats have in common: roles, message texts, argument texts, tool schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from json import JSONDecodeError
from typing import Any, Protocol

from truespec.traces.files import Problem, TraceFile, brief, loads
from truespec.traces.record import beyond_json
from truespec.traces.trace import Source, ToolCall, ToolSchema, Trace

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "gemini": "assistant",
    "function_call": "assistant",
    "tool_calls": "assistant",
    "tool_call_invocation": "assistant",
    "thinking": "assistant",
    "tool-call": "assistant",
    "tool_call": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
    "environment": "tool",
    "tool-response": "tool",
    "tool_response": "tool",
    "tool_call_result": "tool",
    "tool-result": "tool",
    "tool_result": "tool",
    "toolresult": "tool",
    "toolmessage": "tool",
}
ROLE_NAMES = tuple(_ROLES)
"""The roles that sources are known to use."""


class Spelt(str):
    """A name or an identifier that its source does not write as a text: the JSON of what it writes.

    `sound.py` reports it and puts a plain text in its place.
    """

    __slots__ = ()


def spelt(value: Any) -> str:
    """A name or an identifier as a text."""
    return value if isinstance(value, str) else Spelt(brief(value, 1 << 30))


class Reader(Protocol):
    """What an importer module offers."""

    def recognises(self, head: Any, file: TraceFile) -> bool:
        """Whether a file whose first value starts as `head` is of this format."""

    def read(self, file: TraceFile, joins: Any) -> Iterable[Trace | Problem]:
        """The traces of a file, with a problem in the place of each that cannot be read."""


def role_of(role: Any) -> str | None:
    """The normalised role; None for a role that no source is known to use.

    The enumerations of some exporters write `MessageRole.USER` for `user`.
    """
    found = _ROLES.get(role) if isinstance(role, str) else None
    return found or _ROLES.get(str(role).lower().rpartition(".")[2])


def text_of(content: Any) -> str | None:
    """The text of a message's content, which may be a string or a list of parts."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        for key in ("text", "content", "value", "thinking", "parts"):
            inner = content.get(key)
            if isinstance(inner, str | list) or (isinstance(inner, dict) and "value" in inner):
                return text_of(inner)
        return None
    if isinstance(content, list):
        texts = [text for part in content if (text := text_of(part)) is not None]
        return "\n".join(texts) if texts else None
    return str(content)


def value_text(value: Any) -> str | None:
    """A result's value as text: strings as they are, all else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return brief(value, limit=1 << 30)


def tool_call(
    name: Any,
    arguments: Any,
    identifier: Any = None,
    requestor: str | None = "assistant",
    text_input: bool = False,
) -> ToolCall:
    """A call whose arguments may be an object or its JSON text.

    With `text_input` the tool takes a text, no object; it becomes the argument `input`.
    """
    raw = None
    if text_input and isinstance(arguments, str):
        arguments = {"input": arguments}
    if isinstance(arguments, str):
        raw = arguments
        try:
            arguments = loads(raw) if raw.strip() else {}
            if isinstance(arguments, str) and arguments[:1] == "{":  # JSON of JSON
                arguments = loads(arguments)
            if beyond_json(arguments):
                arguments = None
        except JSONDecodeError:
            arguments = None
    elif arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raw, arguments = raw if raw is not None else brief(arguments, 1 << 30), None
    else:
        raw = None
    return ToolCall(
        "" if name is None else spelt(name),
        arguments,
        None if identifier is None else spelt(identifier),
        requestor if requestor == "user" else "assistant",
        raw,
    )


_PLACED = frozenset(
    [
        "role",
        "content",
        "tool_calls",
        "function_call",
        "name",
        "tool_call_id",
        "error",
        "requestor",
        "function",
        "id",
        "reasoning",
        "reasoning_content",
        "parts",
        "type",
        "additional_kwargs",
        "invalid_tool_calls",
        "call_id",
        "toolCallId",
        "toolInvocations",
    ]
)


def extras(m: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of a message that have no place of their own, without those that hold nothing."""
    kept = {key: value for key, value in m.items() if key not in _PLACED and value is not None}
    return kept or None


def tool_schemas(listed: Any, kinds: Mapping[str, str] | None = None) -> tuple[ToolSchema, ...] | None:
    """Tools in OpenAI's, Anthropic's, MCP's or Google's shape; None where there is no list."""
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return None
    made = []
    for entry in _declared(listed):
        function = entry.get("function", entry.get("toolSpec"))
        body: Mapping[str, Any] = function if isinstance(function, Mapping) else entry
        name = body.get("name")
        if not isinstance(name, str):
            continue
        schema = next(
            (
                body[k]
                for k in ("parameters", "input_schema", "inputSchema")
                if isinstance(body.get(k), Mapping)
            ),
            None,
        )
        hints = body.get("annotations")
        kind = (kinds or {}).get(name)
        if kind is None and isinstance(hints, Mapping) and isinstance(hints.get("readOnlyHint"), bool):
            kind = "read" if hints["readOnlyHint"] else "write"
        made.append(ToolSchema(name, schema, str(body.get("description") or ""), kind))
    return tuple(made)


_DEPTH = 50
"""Deeper schemas are taken as they are."""


def _declared(listed: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """The tools of a list; Google nests several in one entry, and writes the types of schemas in capitals."""
    for entry in listed:
        if not isinstance(entry, Mapping):
            continue
        nested = entry.get("function_declarations", entry.get("functionDeclarations"))
        if not isinstance(nested, list):
            yield entry
            continue
        for tool in dicts(nested):
            yield {key: _small_types(value) if key == "parameters" else value for key, value in tool.items()}


def _small_types(schema: Any, depth: int = 0) -> Any:
    """A schema with the names of its types in small letters, as JSON Schema has them."""
    if depth > _DEPTH:
        return schema
    if isinstance(schema, Mapping):
        return {
            key: value.lower() if key == "type" and isinstance(value, str) else _small_types(value, depth + 1)
            for key, value in schema.items()
        }
    return [_small_types(item, depth + 1) for item in schema] if isinstance(schema, list) else schema


def source_of(file: TraceFile, form: str, position: str) -> Source:
    """Where a trace comes from."""
    return Source(form, str(file), file.sha256, position)


def dicts(listed: Any) -> list[dict[str, Any]]:
    """The objects in a list; empty where there is no list."""
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def number(value: Any) -> float | None:
    """A score as a number; None for what is none, such as NaN."""
    if isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, int | float) and not beyond_json(value) else None
