"""What several formats have in common: message texts, argument texts, OpenAI's and OTel's message shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from json import JSONDecodeError
from typing import Any, Protocol

from truespec.traces.files import Problem, TraceFile, brief, loads
from truespec.traces.trace import Message, Source, ToolCall, ToolSchema, Trace

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}


class Reader(Protocol):
    """What an importer module offers."""

    def recognises(self, head: Any, file: TraceFile) -> bool:
        """Whether a file whose first value starts as `head` is of this format."""

    def read(self, file: TraceFile, joins: Any) -> Iterable[Trace | Problem]:
        """The traces of a file, with a problem in the place of each that cannot be read."""


def role_of(role: Any) -> str:
    """The normalised role; a speaker with a name of its own acts as the assistant."""
    return _ROLES.get(str(role).lower(), "assistant")


def text_of(content: Any) -> str | None:
    """The text of a message's content, which may be a string or a list of parts."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        for key in ("text", "content", "value"):
            if isinstance(content.get(key), str | list):
                return text_of(content[key])
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
    name: Any, arguments: Any, identifier: Any = None, requestor: str | None = "assistant"
) -> ToolCall:
    """A call whose arguments may be an object or its JSON text."""
    raw = None
    if isinstance(arguments, str):
        raw = arguments
        try:
            arguments = loads(raw) if raw.strip() else {}
        except JSONDecodeError:
            arguments = None
    elif arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raw, arguments = raw if raw is not None else brief(arguments, 1 << 30), None
    else:
        raw = None
    return ToolCall(
        str(name or ""),
        arguments,
        None if identifier is None else str(identifier),
        requestor if requestor == "user" else "assistant",
        raw,
    )


def openai_message(m: Mapping[str, Any]) -> Message:
    """A message in OpenAI's chat shape, and in the shapes that tools derive from it."""
    role = role_of(m.get("role"))
    calls: tuple[ToolCall, ...] = ()
    if listed := m.get("tool_calls"):
        calls = tuple(_openai_call(call) for call in listed if isinstance(call, dict))
    elif isinstance(function := m.get("function_call"), dict):
        calls = (tool_call(function.get("name"), function.get("arguments")),)
    content = m.get("content")
    text = content if content is None or isinstance(content, str) else text_of(content)
    error = m.get("error")
    if role == "tool":
        identifier = m.get("tool_call_id", m.get("id"))
        return Message(
            "tool",
            text,
            call_id=None if identifier is None else str(identifier),
            tool=m.get("name") or (m.get("function") if isinstance(m.get("function"), str) else None),
            error=error if isinstance(error, bool) else (True if error else None),
            requestor="user" if m.get("requestor") == "user" else "assistant",
            extra=extras(m),
        )
    reasoning = m.get("reasoning_content") or m.get("reasoning")
    return Message(
        role,
        text,
        calls,
        name=m.get("name"),
        reasoning=reasoning if isinstance(reasoning, str) else None,
        extra=extras(m),
    )


def _openai_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function")
    if isinstance(function, dict):
        return tool_call(
            function.get("name"), function.get("arguments"), call.get("id"), call.get("requestor")
        )
    return tool_call(
        function if isinstance(function, str) else call.get("name"),
        call.get("arguments", call.get("args", call.get("input"))),
        call.get("id", call.get("tool_call_id")),
        call.get("requestor"),
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
    ]
)


def extras(m: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of a message that have no place of their own, without those that hold nothing."""
    kept = {key: value for key, value in m.items() if key not in _PLACED and value is not None}
    if isinstance(m.get("content"), list) and any(
        isinstance(part, dict) and part.get("type") not in (None, "text", "input_text", "output_text")
        for part in m["content"]
    ):
        kept["content"] = m["content"]
    return kept or None


def blocks_messages(m: Mapping[str, Any], position: str | None = None) -> list[Message]:
    """A message in Anthropic's shape: its blocks as one message, and one more for each tool result."""
    role = role_of(m.get("role"))
    content = m.get("content")
    if isinstance(content, str) or content is None:
        return [Message(role, content, position=position)]
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    other: list[Any] = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(block, str):
            texts.append(block)
        elif kind == "text":
            texts.append(str(block.get("text", "")))
        elif kind in ("tool_use", "server_tool_use"):
            calls.append(tool_call(block.get("name"), block.get("input"), block.get("id")))
        elif kind in ("tool_result", "web_search_tool_result"):
            results.append(
                Message(
                    "tool",
                    text_of(block.get("content")),
                    call_id=block.get("tool_use_id"),
                    error=block.get("is_error") if isinstance(block.get("is_error"), bool) else None,
                    position=position,
                )
            )
        elif kind in ("thinking", "redacted_thinking"):
            thoughts.append(str(block.get("thinking") or ""))
        else:
            other.append(block)
    made = list(results)
    if texts or calls or thoughts or other or not results:
        made.append(
            Message(
                role,
                "\n".join(texts) if texts else None,
                tuple(calls),
                reasoning="\n".join(thoughts) or None,
                position=position,
                extra={"content": other} if other else None,
            )
        )
    return made


def parts_messages(m: Mapping[str, Any], position: str | None = None) -> list[Message]:
    """A message of the GenAI semantic conventions: `{role, parts: [{type, ...}]}`, or Google's `parts`."""
    role = role_of(m.get("role"))
    parts = m.get("parts")
    if not isinstance(parts, list):
        return [openai_message(m)]
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        if kind == "tool_call" or "function_call" in part or "functionCall" in part:
            call = part.get("function_call") or part.get("functionCall") or part
            calls.append(tool_call(call.get("name"), call.get("arguments", call.get("args")), call.get("id")))
        elif kind == "tool_call_response" or "function_response" in part or "functionResponse" in part:
            answer = part.get("function_response") or part.get("functionResponse") or part
            value = answer.get("response", answer.get("result"))
            results.append(
                Message(
                    "tool",
                    value_text(value),
                    call_id=answer.get("id"),
                    tool=answer.get("name"),
                    position=position,
                )
            )
        elif kind in ("reasoning", "thinking"):
            thoughts.append(str(part.get("content", "")))
        elif (text := text_of(part)) is not None:
            texts.append(text)
    made: list[Message] = []
    if texts or calls or thoughts or not results:
        made.append(
            Message(
                "assistant"
                if calls and role == "tool"
                else role
                if role != "tool" or results
                else "assistant",
                "\n".join(texts) if texts else None,
                tuple(calls),
                reasoning="\n".join(thoughts) or None,
                position=position,
            )
            if role != "tool" or calls
            else Message("tool", "\n".join(texts) if texts else None, position=position)
        )
    return made + results


def tool_schemas(listed: Any, kinds: Mapping[str, str] | None = None) -> tuple[ToolSchema, ...] | None:
    """Tools in OpenAI's, Anthropic's or MCP's shape; None where there is no list."""
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return None
    made = []
    for entry in listed:
        if not isinstance(entry, Mapping):
            continue
        function = entry.get("function")
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


def source_of(file: TraceFile, form: str, position: str) -> Source:
    """Where a trace comes from."""
    return Source(form, str(file), file.sha256, position)


def dicts(listed: Any) -> list[dict[str, Any]]:
    """The objects in a list; empty where there is no list."""
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def number(value: Any) -> float | None:
    """A score as a number; None for what is none."""
    if isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, int | float) else None
