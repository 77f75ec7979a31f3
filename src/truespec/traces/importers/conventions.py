"""What the attributes of a span mean, in every convention: which kind of work it is, what it took and gave.

The conventions differ in names only, so each question has one list of attribute names, read in order:
GenAI semantic conventions in their versions (messages as attributes, as events, as log records, as numbered
attributes), OpenInference, OpenLLMetry, Vercel's AI SDK, pydantic-ai and Logfire, Langfuse, LangSmith,
MLflow, Google's ADK.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.items import SYSTEMS, messages_of, messages_of_item
from truespec.traces.importers.parts import REFERENCES, Notes
from truespec.traces.importers.shared import text_of, tool_schemas
from truespec.traces.trace import Message, ToolSchema


@dataclass(frozen=True, slots=True)
class RawSpan:
    """A span of any source, its attributes flat under their conventional names."""

    id: str
    """Its identifier."""
    parent: str | None
    """The containing span's identifier."""
    name: str
    """Its name."""
    start: Any
    """When it began; comparable within one trace."""
    attributes: Mapping[str, Any]
    """The attributes of any convention."""
    events: Sequence[Mapping[str, Any]] = ()
    """`{name, attributes}` of its events, and of the log records that belong to it."""
    failed: bool = False
    """Whether its status is an error."""


KINDS = (
    "openinference.span.kind",
    "langfuse.observation.type",
    "langsmith.span.kind",
    "traceloop.span.kind",
    "mlflow.spanType",
    "span.type",
)
_KIND_NAMES = {
    "GENERATION": "LLM",
    "CHAT_MODEL": "LLM",
    "EMBEDDING": "EMBEDDING",
    "WORKFLOW": "CHAIN",
    "TASK": "CHAIN",
}
_OPERATIONS = {
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "completion": "LLM",
    "responses": "LLM",
    "message": "LLM",
    "execute_tool": "TOOL",
    "tool_call": "TOOL",
    "invoke_agent": "AGENT",
    "create_agent": "AGENT",
    "invoke_workflow": "CHAIN",
    "chain": "CHAIN",
    "embeddings": "EMBEDDING",
}
TOOL_NAMES = (
    "gen_ai.tool.name",
    "ai.toolCall.name",
    "tool.name",
    "tool_call.function.name",
    "traceloop.entity.name",
)
TOOL_IDS = (
    "gen_ai.tool.call.id",
    "ai.toolCall.id",
    "tool_call.id",
    "tool.call_id",
    "tool_call_id",
    "tool.id",
)
TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "ai.toolCall.args",
    "tool_arguments",
    "tool.args_json",
    "gcp.vertex.agent.tool_call_args",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "traceloop.entity.input",
    "input.value",
    "gen_ai.prompt",
    "input",
    "tool_call.function.arguments",
    "tool.parameters",
)
TOOL_RESULTS = (
    "gen_ai.tool.call.result",
    "ai.toolCall.result",
    "tool_response",
    "tool.result_json",
    "gcp.vertex.agent.tool_response",
    "tool.error_message",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "output.value",
    "gen_ai.completion",
    "output",
)
MODELS = (
    "llm.model_name",
    "gen_ai.response.model",
    "gen_ai.request.model",
    "ai.response.model",
    "ai.model.id",
    "langfuse.observation.model.name",
    "model",
)
_INPUTS = (
    "gen_ai.input.messages",
    "ai.prompt.messages",
    "events",
    "gcp.vertex.agent.llm_request",
    "request_data",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "gen_ai.prompt",
    "traceloop.entity.input",
    "ai.prompt",
    "input.value",
    "input",
)
_OUTPUTS = (
    "gen_ai.output.messages",
    "gcp.vertex.agent.llm_response",
    "response_data",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "gen_ai.completion",
    "traceloop.entity.output",
    "output.value",
    "output",
)
CONVERSATIONS = (
    "pydantic_ai.all_messages",
    "all_messages_events",
    "pydantic_ai.new_messages",
    "all_messages",
)
"""Attributes of agents that hold a whole conversation."""


def kind_of(raw: RawSpan) -> str:
    """LLM, TOOL, AGENT, CHAIN, SPAN or what the source calls it."""
    attributes = raw.attributes
    told = first(attributes, *KINDS)
    if told and str(told).upper() not in ("SPAN", "UNKNOWN"):
        return _KIND_NAMES.get(str(told).upper(), str(told).upper())
    vercel = str(attributes.get("ai.operationId") or "")
    if vercel == "ai.toolCall":
        return "TOOL"
    if vercel:
        return "LLM" if vercel.endswith((".doGenerate", ".doStream")) else "AGENT"
    if attributes.get("experiment.operation_type") == "tool_call":
        return "TOOL"
    operation = _OPERATIONS.get(str(attributes.get("gen_ai.operation.name") or "").lower())
    if operation:
        return operation
    if "agent.output_message" in attributes or any(key in attributes for key in CONVERSATIONS):
        return "AGENT"
    if any(
        key in attributes for key in ("gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "tool_arguments")
    ):
        return "TOOL"
    if "gen_ai.tool.name" in attributes and ("input.value" in attributes or "output.value" in attributes):
        return "TOOL"
    if (
        "llm.request.type" in attributes
        or "gen_ai.input.messages" in attributes
        or "request_data" in attributes
    ):
        return "LLM"
    if any(k.startswith(("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.")) for k in attributes):
        return "LLM"
    return "SPAN"


def first(attributes: Mapping[str, Any], *keys: str) -> Any:
    """The first of these attributes that holds something."""
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


def parsed(value: Any) -> Any:
    """A text that is JSON, or a Python literal of a list or an object, as its value; else the value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{", '"'):
        try:
            return loads(value)
        except (JSONDecodeError, ValueError):
            if value.lstrip()[:1] == '"':
                return value
            try:
                return ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return value
    return value


def tools_of(attributes: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    """The tools that a span declares; None where it declares none."""
    listed: Any = first(
        attributes, "gen_ai.tool.definitions", "ai.prompt.tools", "mlflow.chat.tools", "tools"
    )
    listed = parsed(listed)
    if isinstance(listed, list):
        return tool_schemas([parsed(entry) for entry in listed])
    flat = [
        parsed(tree.get("tool", {}).get("json_schema")) if isinstance(tree.get("tool"), Mapping) else None
        for tree in trees(attributes, "llm.tools.")
    ]
    flat = flat or [
        {**tree, "parameters": parsed(tree.get("parameters"))}
        for tree in trees(attributes, "llm.request.functions.")
    ]
    if flat:
        return tool_schemas(flat)
    for key in ("llm.invocation_parameters", "request_data", "model_request_parameters"):
        told = parsed(attributes.get(key))
        if isinstance(told, Mapping):
            listed = told.get("tools", told.get("function_tools"))
            if isinstance(listed, list):
                return tool_schemas(listed)
    return None


def inputs_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """The conversation that a model call was given."""
    attributes = raw.attributes
    system = parsed(first(attributes, "gen_ai.system_instructions"))
    head = messages_of_item({"role": "system", "parts": system}, notes) if isinstance(system, list) else []
    if isinstance(system, str):
        head = [Message("system", system)]
    if made := _of_key(attributes, "gen_ai.input.messages", "user", notes):
        return head + made
    flat = _of_trees(attributes, ("llm.input_messages.", "gen_ai.prompt.", "llm.prompts."), "user", notes)
    if flat:
        return head + flat
    if made := [m for event in raw.events for m in _event(event, notes, outputs=False)]:
        return head + made
    for key in _INPUTS:
        if key == "events":
            listed = parsed(attributes.get(key))
            events = listed if isinstance(listed, list) else []
            made = [m for e in events for m in _event(e, notes, outputs=False)] if events else []
        else:
            made = _of_key(attributes, key, "user", notes)
        if made:
            return head + made
    return head


def outputs_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """What a model call replied."""
    attributes = raw.attributes
    if made := _of_key(attributes, "gen_ai.output.messages", "assistant", notes):
        return made
    flat = _of_trees(
        attributes, ("llm.output_messages.", "gen_ai.completion.", "llm.completions."), "assistant", notes
    )
    if flat:
        return flat
    listed = parsed(attributes.get("events"))
    events = [*raw.events, *(listed if isinstance(listed, list) else ())]
    if made := [m for event in events for m in _event(event, notes, outputs=True)]:
        return made
    calls = parsed(attributes.get("ai.response.toolCalls"))
    text = first(attributes, "ai.response.text", "ai.response.object")
    if text is not None or isinstance(calls, list):
        return messages_of_item(
            {
                "role": "assistant",
                "content": text or None,
                "toolCalls": calls if isinstance(calls, list) else None,
                "reasoning": attributes.get("ai.response.reasoning"),
            },
            notes,
        )
    for key in _OUTPUTS:
        if made := _of_key(attributes, key, "assistant", notes):
            return made
    return []


def conversation_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """The whole conversation that an agent's span holds."""
    for key in CONVERSATIONS:
        listed = parsed(raw.attributes.get(key))
        if isinstance(listed, list) and listed:
            if any(isinstance(e, Mapping) and "event.name" in e for e in listed):
                return [m for e in listed for m in (*_event(e, notes, False), *_event(e, notes, True))]
            made = [m for item in listed for m in messages_of_item(item, notes, "user")]
            if made:
                return made
    return []


def _of_key(attributes: Mapping[str, Any], key: str, role: str, notes: Notes) -> list[Message]:
    value = attributes.get(key)
    return [] if value is None or value == "" else messages_of(parsed(value), role, notes)


def prompt_of_span(raw: RawSpan) -> str | None:
    """The system prompt among the inputs of a span that is no model call."""
    given = parsed(first(raw.attributes, *_INPUTS))
    told = (
        next((given[key] for key in SYSTEMS if given.get(key)), None) if isinstance(given, Mapping) else None
    )
    return told if isinstance(told, str) else None


def _event(event: Any, notes: Notes, outputs: bool) -> list[Message]:
    """A message that is recorded as an event or as a log record."""
    if not isinstance(event, Mapping):
        return []
    body = parsed(event.get("body"))
    told = event.get("attributes")
    given = {**(told if isinstance(told, Mapping) else {}), **(body if isinstance(body, Mapping) else {})}
    given = given or dict(event)
    name = str(given.get("event.name") or event.get("event.name") or event.get("name") or "")
    if not name.startswith("gen_ai."):
        return []
    given = {
        key: parsed(value) if key != "content" or _structured(value) else value
        for key, value in given.items()
    }
    if name == "gen_ai.choice":
        if not outputs:
            return []
        inner = given.get("message")
        if isinstance(inner, str):
            return [Message("assistant", inner)]
        body = {**given, **inner} if isinstance(inner, Mapping) else given
        return messages_of_item({**_plain(body), "role": "assistant"}, notes)
    if name.startswith("gen_ai.client.inference.operation") or name == "gen_ai.client.operation.details":
        key = "gen_ai.output.messages" if outputs else "gen_ai.input.messages"
        return _of_key(given, key, "assistant" if outputs else "user", notes)
    if name in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        if outputs == name.endswith("completion"):
            key = "gen_ai.completion" if outputs else "gen_ai.prompt"
            return _of_key(given, key, "assistant" if outputs else "user", notes)
        return []
    if outputs or not name.endswith(".message"):
        return []
    role = name.split(".")[1]
    body = _plain(given)
    return messages_of_item({**body, "role": role if role != "message" else body.get("role", role)}, notes)


def _structured(value: Any) -> bool:
    """Whether a content is the JSON of parts (Strands writes it so), not a text that happens to be JSON."""
    listed = parsed(value) if isinstance(value, str) and value[:2] == "[{" else None
    keys = ("text", "toolUse", "toolResult", "type")
    return isinstance(listed, list) and all(
        isinstance(p, Mapping) and any(k in p for k in keys) for p in listed
    )


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    dropped = ("gen_ai.", "event.", "logfire.")
    return {
        k: v
        for k, v in body.items()
        if not k.startswith(dropped) and k not in ("index", "finish_reason", "message")
    }


def _of_trees(
    attributes: Mapping[str, Any], prefixes: tuple[str, ...], role: str, notes: Notes
) -> list[Message]:
    """Messages in numbered attributes: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`."""
    made: list[Message] = []
    for prefix in prefixes:
        for tree in trees(attributes, prefix):
            inner = tree.get("message")
            body = dict(inner if isinstance(inner, Mapping) else tree)
            if isinstance(body.get("contents"), Mapping):
                parts = [part.get("message_content", part) for part in listed_of(body["contents"])]
                body["content"] = [_part(part) for part in parts]
            calls = [call.get("tool_call", call) for call in listed_of(body.get("tool_calls"))]
            if calls:
                body["tool_calls"] = calls
            elif "tool_calls" in body and not isinstance(body["tool_calls"], list):
                body["tool_calls"] = parsed(body["tool_calls"])
            if "function_call_name" in body:
                body["function_call"] = {
                    "name": body.pop("function_call_name"),
                    "arguments": body.pop("function_call_arguments_json", None),
                }
            content = body.get("content")
            if content == "None" and role == "user" and body.get("role") == "assistant":
                body["content"] = None  # Langfuse's text of a message that only calls tools
            if _structured(content):
                body["content"] = parsed(content)
            body.setdefault("role", role)
            body.pop("finish_reason", None)
            made += messages_of_item(body, notes, role)
        if made:
            return made
    return made


def _part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part in OpenInference's nesting: `{tool_use: ...}` and `{text: ...}` as they are, images flat."""
    return {"type": "image", **part} if "image" in part else part


def listed_of(tree: Any) -> list[Mapping[str, Any]]:
    """The entries of a numbered tree, in the order of their numbers."""
    if isinstance(tree, Mapping):
        tree = [tree[key] for key in sorted(tree, key=lambda k: int(k) if str(k).isdigit() else 0)]
    return [entry for entry in tree if isinstance(entry, Mapping)] if isinstance(tree, list) else []


def trees(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Numbered attributes below a prefix, nested at their dots."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        number, _, path = key[len(prefix) :].partition(".")
        if not number.isdigit():
            continue
        at = found.setdefault(int(number), {})
        *steps, last = path.split(".") if path else [""]
        for step in steps:
            inner = at.setdefault(step, {})
            at = inner if isinstance(inner, dict) else {}
        at[last] = value
    return [found[number] for number in sorted(found)]


_WRAPPERS = ("input", "inputs", "kwargs", "arguments", "args", "tool_input", "params")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a tool's span says."""

    name: str
    arguments: Any
    identifier: str | None
    output: Any


def tool_run(raw: RawSpan) -> ToolRun:
    """The call and the result in the span of a tool."""
    attributes = raw.attributes
    name = str(first(attributes, *TOOL_NAMES) or raw.name)
    arguments = parsed(first(attributes, *TOOL_ARGUMENTS))
    output = parsed(first(attributes, *TOOL_RESULTS))
    identifier = first(attributes, *TOOL_IDS)
    if isinstance(arguments, Mapping):
        if arguments.get("type") in ("tool_call", "tool_use", "function_call") or "toolCallId" in arguments:
            identifier = identifier or first(arguments, *REFERENCES, "id")
            name = str(first(arguments, "name", "toolName") or name)
            arguments = first(arguments, "args", "input", "arguments")
        elif set(arguments) <= {"args", "kwargs", "sanitize_inputs_outputs"} and "kwargs" in arguments:
            arguments = arguments["kwargs"] if not arguments.get("args") else arguments
        elif len(arguments) == 1:
            ((key, inner),) = arguments.items()
            inner = parsed(inner)
            arguments = inner if key in _WRAPPERS and isinstance(inner, Mapping) else arguments
    output = _inner_output(output)
    if isinstance(output, Mapping):
        identifier = identifier or first(output, *REFERENCES)
    elif isinstance(output, list) and len(output) == 1 and isinstance(output[0], Mapping):
        identifier = identifier or first(output[0], *REFERENCES)
    return ToolRun(name, parsed(arguments), None if identifier is None else str(identifier), output)


def _inner_output(output: Any) -> Any:
    """LangChain's tool message inside its wrappers."""
    for _ in range(3):
        if not isinstance(output, Mapping):
            break
        if isinstance(output.get("kwargs"), Mapping) and isinstance(output.get("id"), list):
            output = output["kwargs"]
        elif set(output) == {"output"} or (
            "output" in output
            and isinstance(output["output"], Mapping)
            and "tool_call_id" in output["output"]
        ):
            output = parsed(output["output"])
        else:
            break
    return output


def ends_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """What a span took and gave, as what the user said and the agent replied."""
    made: list[Message] = []
    for role, keys in (
        ("user", ("agent.input_message", *_INPUTS)),
        ("assistant", ("agent.output_message", *_OUTPUTS)),
    ):
        value = first(raw.attributes, *(key for key in keys if key != "events"))
        if value is not None:
            read = messages_of(parsed(value), role, notes)
            text = text_of(value) if not read and isinstance(value, str) else None
            made += read or ([Message(role, text)] if text else [])
    return made
