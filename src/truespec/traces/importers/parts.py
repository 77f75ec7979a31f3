"""One part of a message, of any provider: text, thought, call, result, or something else.

A part is read by its declared type, or by the field that stands for one (`functionCall`, `toolUse`). The
names of types differ by provider, their structure does not: a call has a name, arguments and an identifier,
a result has an identifier and a value. Hosted tools (`web_search_call`) hold a call and its result in one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from truespec.traces.importers.outcomes import DENIED, TEXTS, outcome_of, with_reason
from truespec.traces.importers.shared import spelt, text_of, tool_call, value_text
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall

THOUGHTS = frozenset(
    (
        "thinking",
        "redacted_thinking",
        "reasoning",
        "reasoning_text",
        "thought",
        "reasoning_content",
    )
)
"""Types of parts that hold what the user does not see."""
ATTACHED = frozenset(
    (
        "image",
        "image_url",
        "input_image",
        "file",
        "input_file",
        "audio",
        "input_audio",
        "output_audio",
        "document",
        "media",
        "blob",
        "uri",
        "video",
        "image_file",
        "binary",
        "source",
        "source_url",
        "source_document",
        "step_start",
        "step_finish",
        "snapshot",
        "patch",
        "container_upload",
        "cache_point",
        "data",
        "file_data",
        "inline_data",
        "citations",
        "compaction",
        "context_management",
        "mcp_list_tools",
        "mcp_approval_response",
        "tool_approval_request",
        "tool_approval_response",
    )
)
"""Types of parts that are attachments or markers: they are kept beside the message."""
CALLS = frozenset(
    (
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "tool_call",
        "server_tool_call",
        "function_call",
        "function",
        "builtin_tool_call",
        "tool_invocation",
        "dynamic_tool",
        "mcp_approval_request",
        "custom",
        "tool_request",
        "tool_execution",
        "tool_call_invocation",
        "tool_call_block",
        "program",
    )
)
"""Types of parts that are calls, beside all that end in `_call`."""
RESULTS = frozenset(
    (
        "tool_result",
        "tool_call_response",
        "server_tool_call_response",
        "tool_response",
        "function_response",
        "function_result",
        "function_call_result",
        "tool_return",
        "builtin_tool_return",
        "tool_call_result",
        "tool_error",
        "tool_output",
        "program_output",
        "tool_search_output",
        "retry_prompt",
    )
)
"""Types of parts that are results, beside all that end in `_tool_result` or `_call_output`."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
KEYED = {
    "functionCall": "function_call",
    "function_call": "function_call",
    "toolUse": "tool_use",
    "tool_use": "tool_use",
    "toolCall": "tool_call",
    "tool_call": "tool_call",
    "tool_call_result": "tool_call_result",
    "functionResponse": "function_response",
    "function_response": "function_response",
    "toolResult": "tool_result",
    "tool_result": "tool_result",
    "reasoningContent": "reasoning",
    "toolRequest": "tool_request",
    "toolResponse": "tool_response",
    "server_tool_call": "server_tool_call",
    "server_tool_call_response": "server_tool_call_response",
    "executableCode": "executable_code_call",
    "executable_code": "executable_code_call",
    "codeExecutionResult": "executable_code_call_output",
    "code_execution_result": "executable_code_call_output",
}
"""Fields that stand for a type where a part has none; their value is the part."""
KEYED_RESULTS = tuple(key for key, kind in KEYED.items() if kind in RESULTS)
"""Fields that stand for a result."""
REFERENCES = (
    "toolCallId",
    "tool_call_id",
    "call_id",
    "callId",
    "callID",
    "toolUseId",
    "tool_use_id",
    "source_call_id",
)
"""Fields that hold the identifier of a call."""
REPEATED_CALL = "call"
"""The field, of a result and then of its message's `extra`, that repeats the call it answers (Cohere)."""
_OBSERVED = ("output", "result", "observation")
_TOOL_NAMES = ("toolName", "tool_name", "tool.name")
"""Fields that name a tool and nothing else."""
_NAMES = (*_TOOL_NAMES, "name", "function_name", "tool")
ARGUMENTS = (
    "arguments",
    "args",
    "input",
    "rawInput",
    "parameters",
    "kwargs",
    "tool_kwargs",
    "tool_args",
    "tool.args",
    "params_as_json",
)
"""Fields that hold what a tool is given."""
_VALUES = (
    "output",
    "result",
    "results",
    "outputs",
    "response",
    "content",
    "tool_return",
    "result_value",
    "observation",
    "errorText",
    "tools",
    "error",
    "tool_result",
)
ENVELOPES = ("toolCall", "toolResult", "tool_call", "tool_result")
"""Fields of a call or a result whose object holds it under `value`, beside a status (Goose)."""
_INVOCATION = "toolInvocation"
"""The field whose object is the call, with its result (Vercel's AI SDK 4, Mastra)."""
_OPENED = frozenset((*ENVELOPES, _INVOCATION))
_ABOUT = frozenset(
    (*REFERENCES, *_NAMES, *_VALUES, "id", "type", "status", "namespace", "created_by", "fingerprint")
)

Atom = tuple[str, Any]
"""`text`, `thought` or `other` with its value; `call` with a `ToolCall`, `result` with a `Message`; `role`
with a role that holds from here on."""


@dataclass
class Notes:
    """What is known and noted while the messages of one record are read."""

    ledger: Ledger = field(default_factory=Ledger)
    """Where losses are noted."""
    place: str = "document"
    """Where in the file the reading is."""
    tools: list[Mapping[str, Any]] = field(default_factory=list)
    """Definitions of tools that stand among the messages."""
    called: dict[str, list[str | None]] = field(default_factory=dict)
    """Identifiers of the calls read so far, by tool."""

    def skip(self, what: str) -> None:
        """Note an item of a type that is not read."""
        self.ledger.items.drop(f"type {what[:60]!r} is not read", self.place)
        self.ledger.problem(self.place, f"an item of the type {what[:60]!r} is not read")


def keyed(key: str, inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part that stands under a field of `KEYED`, with its type; Genkit names the call in `ref`."""
    name = {"callId": inner["ref"]} if key in ("toolRequest", "toolResponse") and inner.get("ref") else {}
    return {**inner, **name, "type": inner.get("type") or KEYED[key]}


def kind_of_part(part: Mapping[str, Any]) -> str:
    """The declared type of a part in lower case with underscores; empty where it declares none."""
    kind = part.get("type") or part.get("part_kind") or part.get("block_type")
    if kind is None and isinstance(part.get("content_type"), str) and "/" not in part["content_type"]:
        kind = part["content_type"]
    return _spelt(kind) if isinstance(kind, str) else ""


@lru_cache(maxsize=1024)
def _spelt(kind: str) -> str:
    """`toolCall`, `tool-call` and `tool.call` as `tool_call`."""
    return _HUMP.sub("_", kind).lower().replace("-", "_").replace(".", "_")


def is_definition(part: Any) -> bool:
    """Whether this is a tool that the agent was given, in OpenAI's shape, and no call of it."""
    function = part.get("function") if isinstance(part, Mapping) else None
    return isinstance(function, Mapping) and "parameters" in function and "arguments" not in function


def is_call(kind: str) -> bool:
    """Whether parts of this type are calls of tools."""
    return kind in CALLS or kind.endswith("_call")


def is_bare_call(part: Mapping[str, Any]) -> bool:
    """Whether a part without a type is a call: it names a tool, and holds what that was given."""
    named = (*_TOOL_NAMES, "tool") if any(key in part for key in _OBSERVED) else _TOOL_NAMES
    return isinstance(_first(part, named), str) and any(key in part for key in ARGUMENTS)


def is_result(kind: str) -> bool:
    """Whether parts of this type are results of calls."""
    return kind in RESULTS or kind.endswith(("_tool_result", "_call_output"))


def opened(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part with the fields that an envelope in it holds; one that holds a failure says so."""
    if _OPENED.isdisjoint(part):
        return part
    if isinstance(invocation := part.get(_INVOCATION), Mapping):
        return {**{name: one for name, one in part.items() if name != _INVOCATION}, **invocation}
    for key in ENVELOPES:
        inner = part.get(key)
        if not isinstance(inner, Mapping) or inner.keys() == {"status"}:
            continue
        if inner.keys() <= {"status", "value", "error", "Ok", "Err"}:
            value = next((inner[name] for name in ("value", "Ok", "error", "Err") if name in inner), None)
            rest = {name: one for name, one in part.items() if name != key}
            failed = {"is_error": True} if inner.get("status") == "error" or "Err" in inner else {}
            if key in ("toolResult", "tool_result"):
                return {**rest, "output": value, **failed}
            return {**rest, **value} if isinstance(value, Mapping) else {**rest, "error": value, **failed}
    return part


def atoms_of(part: Any, notes: Notes) -> list[Atom]:
    """What a part says."""
    if part is None:
        return []
    if not isinstance(part, Mapping):
        return [("text", part if isinstance(part, str) else value_text(part) or "")]
    kind = kind_of_part(part)
    if not kind or kind == "content":
        for key, stands_for in KEYED.items():
            if isinstance(part.get(key), Mapping):
                inner = part[key]
                kind, part = stands_for, keyed(key, inner)
                if kind == "reasoning":
                    part = (
                        inner.get("reasoningText") if isinstance(inner.get("reasoningText"), dict) else inner
                    )
                break
    if not kind and any(key in part for key in REFERENCES):
        kind = "tool_invocation" if any(key in part for key in ARGUMENTS) else "tool_result"
    if not kind and is_bare_call(part):
        kind = "tool_invocation"
        if _first(part, _TOOL_NAMES) is None:  # an event, whose `id` may be that of its session
            part = {key: value for key, value in part.items() if key != "id"}
    if "server_tool_call" in part and isinstance(part["server_tool_call"], Mapping):
        part = {**part["server_tool_call"], **part}
    if "server_tool_call_response" in part and isinstance(part["server_tool_call_response"], Mapping):
        part = {**part, "response": part["server_tool_call_response"]}
    if part.get("thought") is True:
        kind = "thought"
    named_tool = kind.startswith("tool_") and "toolCallId" in part and kind not in (*RESULTS, *ATTACHED)
    if is_definition(part):
        notes.tools.append(part)
        return []
    if is_result(kind):
        return [("result", result_of(opened(part), kind))]
    if is_call(kind) or named_tool:
        part = opened(part)
        if kind in CALLS and identifier_of(part) is None and not _names_a_tool(part):
            return [("other", part)]  # an exporter's mark of a call that stands elsewhere
        return _called(part, kind)
    if kind in THOUGHTS or "reasoning" in kind or "thinking" in kind:
        thought = text_of([part.get(k) for k in ("summary", "thinking", "text", "content", "reasoning")])
        return [("thought", thought)] if thought else [("other", part)]
    if kind in ("system_prompt", "user_prompt"):
        return [("role", kind.split("_")[0]), ("text", text_of(part.get("content")))]
    if kind in TEXTS or not kind:
        text = text_of(part.get("refusal") or {k: v for k, v in part.items() if k != "type"})
        return [("text", text)] if text is not None else [("other", part)]
    if kind in ATTACHED or kind.startswith("data_"):
        return [("other", part)]
    notes.skip(str(part.get("type") or kind))
    return [("other", part)]


def _names_a_tool(part: Mapping[str, Any]) -> bool:
    inner = part.get("function") or part.get("custom")
    return bool(_first(part, _NAMES) or inner)


def _first(part: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((part[key] for key in keys if part.get(key) is not None), None)


def identifier_of(part: Mapping[str, Any]) -> str | None:
    """The identifier of a call, or the one that a result refers to."""
    found = _first(part, REFERENCES)
    if found is None:
        named = ("id", "request_id", "tool_id") if "tool_name" in part else ("id", "tool_id")
        found = _first(part, named)
    if found is None and isinstance(part.get("origin"), Mapping):  # the call itself inside its result
        found = part["origin"].get("id")
    return None if found is None or found == "" else spelt(found)


def call_of(part: Mapping[str, Any], kind: str = "") -> ToolCall:
    """A call in any provider's shape."""
    function = part.get("function")
    if isinstance(function, Mapping):
        requestor = part.get("requestor")
        made = tool_call(
            _first(function, _NAMES), _first(function, ARGUMENTS), identifier_of(part), requestor
        )
        # OpenAI always writes arguments: an exporter that keeps no content left them out.
        unsaid = part.get("type") == "function" and not any(key in function for key in ARGUMENTS)
        return replace(made, arguments=None, raw="") if unsaid else made
    custom = part.get("custom")
    body = {**part, **custom} if isinstance(custom, Mapping) else part
    name = function if isinstance(function, str) else _first(body, _NAMES)
    if name is None:
        raw = str(part.get("type") or kind).removeprefix("tool-")
        name = raw.removesuffix("_call").removesuffix("Call")
    arguments = _first(body, ARGUMENTS)
    if arguments is None and (kind == "program" or (kind.endswith("_call") and kind not in CALLS)):
        arguments = {k: v for k, v in body.items() if k not in _ABOUT and v is not None}
    made = tool_call(
        name, arguments, identifier_of(part), part.get("requestor"), text_input=kind.startswith("custom")
    )
    garbled = part.get("parse_error")  # Inspect says what could not be parsed, and gives no arguments
    return replace(made, arguments=None, raw=spelt(garbled)) if garbled and not made.arguments else made


_ANSWERED_ELSEWHERE = ("tool_use", "tool_call", "function_call", "function", "mcp_approval_request")
"""Types of calls that a result elsewhere answers, by their identifier."""


def _called(part: Mapping[str, Any], kind: str) -> list[Atom]:
    call = call_of(part, kind)
    made: list[Atom] = [("call", call)]
    elsewhere = kind in _ANSWERED_ELSEWHERE and "tool_type" not in part
    if elsewhere and (call.id is not None or not any(part.get(k) for k in _OBSERVED)):
        return made
    if any(part.get(k) is not None for k in (*_OBSERVED, "results", "outputs", "errorText", "error")):
        made.append(("result", result_of(part, kind, call.name)))
    elif (denied := _denied(part)) is not None:
        made.append(("result", Message("tool", denied, call_id=call.id, tool=call.name, error=True)))
    return made


def _denied(part: Mapping[str, Any]) -> str | None:
    """What a model is told of a call that a person did not approve (AI SDK); None for any other call."""
    approval = part.get("approval")
    told = approval if isinstance(approval, Mapping) else {}
    if part.get("state") != "output-denied" and told.get("approved") is not False:
        return None
    return told["reason"] if isinstance(told.get("reason"), str) else DENIED


def _beside(part: Mapping[str, Any], why: Any) -> dict[str, Any] | None:
    """What a result says beside its text: the call that it repeats, and why its call failed."""
    kept = {REPEATED_CALL: part[REPEATED_CALL]} if isinstance(part.get(REPEATED_CALL), Mapping) else {}
    return {**kept, "error": why} if why is not None else kept or None


def result_of(part: Mapping[str, Any], kind: str = "", tool: str | None = None) -> Message:
    """A result in any provider's shape."""
    value = _first(part, _VALUES)
    text, failed = outcome_of(value)
    text, why = with_reason(text, part.get("error"))
    flag = _first(part, ("is_error", "isError", "error", "tool_call_error"))
    if isinstance(flag, bool):
        failed = flag
    elif (
        part.get("successful") is False
        or flag
        or part.get("errorText")
        or kind in ("tool_error", "retry_prompt")
    ):
        failed = True
    if part.get("status") in ("error", "failed", "output-error"):
        failed = True
    name = tool or _first(part, _NAMES)
    if name is None and isinstance(part.get("origin"), Mapping):
        name = _first(part["origin"], _NAMES)
    # A result that says that it names no call has only an identifier of its own.
    unnamed = kind.endswith("_output") and part.get("call_id", "") is None
    return Message(
        "tool",
        text,
        call_id=None if unnamed else identifier_of(part),
        tool=name if isinstance(name, str) else None,
        error=failed,
        extra=_beside(part, why),
    )
