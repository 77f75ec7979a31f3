"""From spans to a conversation, for every source that records units of work rather than messages.

Each model call carries the conversation so far; what is new in it since the last call of the same thread is
appended. Calls of sub-agents, whose conversations start differently, form threads of their own and stand
in the order of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from json import JSONDecodeError
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.shared import (
    blocks_messages,
    openai_message,
    parts_messages,
    text_of,
    tool_call,
    tool_schemas,
    value_text,
)
from truespec.traces.trace import Message, Span, ToolCall, ToolSchema


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
    """OpenInference or GenAI attributes."""
    events: Sequence[Mapping[str, Any]] = ()
    """`{name, attributes}` of its events."""
    failed: bool = False
    """Whether its status is an error."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What spans amount to."""

    messages: tuple[Message, ...]
    spans: tuple[Span, ...]
    tools: tuple[ToolSchema, ...] | None
    model: str | None
    agent: str | None


@dataclass
class _Thread:
    known: list[tuple[Any, ...]] = field(default_factory=list)


def conversation(raws: Iterable[RawSpan]) -> Conversation:
    """The messages of a trace's spans, with each span's place in them."""
    ordered = sorted(enumerate(raws), key=lambda item: (str(item[1].start or ""), item[0]))
    spans = [raw for _, raw in ordered]
    parents = {raw.id: raw for raw in spans}
    messages: list[Message] = []
    threads: list[_Thread] = []
    places: dict[str, int] = {}
    began: dict[str, int] = {}
    tools: dict[str, ToolSchema] = {}
    told_tools = False
    model: str | None = None
    agent: str | None = None
    answered: set[str] = set()
    told: set[str] = set()
    model_calls = any(kind_of(raw) == "LLM" for raw in spans)
    for raw in spans:
        kind = kind_of(raw)
        attributes = raw.attributes
        began[raw.id] = len(messages)
        listed = _tools_of(attributes)
        if listed is not None:
            told_tools = True
            tools.update({tool.name: tool for tool in listed})
        agent = agent or attributes.get("gen_ai.agent.name") or attributes.get("agent.name")
        if kind == "LLM":
            model = model or _first(
                attributes, "llm.model_name", "gen_ai.response.model", "gen_ai.request.model", "model"
            )
            inputs, outputs = _inputs(raw), _outputs(raw)
            if not outputs and not inputs:
                continue
            thread = _thread_of(threads, inputs)
            shared = _common(thread.known, inputs)
            for message in inputs[shared:]:
                thread.known.append(_key(message))
                if message.role == "tool" and _is_told(message, answered, told):
                    continue
                if message.role == "tool":
                    _note(message, answered, told)
                messages.append(_placed(message, raw.id))
            if outputs:
                places[raw.id] = len(messages)
                for message in outputs:
                    thread.known.append(_key(message))
                    messages.append(_placed(message, raw.id))
            elif shared < len(inputs):
                places[raw.id] = len(messages) - 1
        elif kind == "TOOL":
            name = str(
                _first(attributes, "gen_ai.tool.name", "tool.name", "tool_call.function.name") or raw.name
            )
            arguments = _first(
                attributes, "gen_ai.tool.call.arguments", "tool.args_json", "tool.parameters", "input.value"
            )
            output = _first(
                attributes,
                "gen_ai.tool.call.result",
                "tool.result_json",
                "tool.error_message",
                "output.value",
            )
            identifier = _first(attributes, "gen_ai.tool.call.id", "tool_call.id")
            asked = _asked(messages, name, identifier, answered)
            if asked is None and not model_calls:
                messages.append(
                    Message(
                        "assistant",
                        None,
                        (tool_call(name, arguments, identifier or raw.id),),
                        position=raw.id,
                    )
                )
                asked = identifier or raw.id
            if asked is not None:
                result = Message(
                    "tool",
                    value_text(output),
                    call_id=asked,
                    tool=name,
                    error=True if raw.failed else None,
                    position=raw.id,
                )
                places[raw.id] = len(messages)
                if not _is_told(result, answered, told):
                    messages.append(result)
                    _note(result, answered, told)
        elif not model_calls and kind in ("AGENT", "CHAIN", "SPAN"):
            for role, key in (("user", "input"), ("assistant", "output")):
                value = _first(attributes, f"agent.{key}_message", f"{key}.value")
                if (value is not None and raw.parent in parents) or (value is not None and kind == "AGENT"):
                    for message in messages_of(value, role):
                        places.setdefault(raw.id, len(messages))
                        messages.append(
                            replace(message, position=raw.id, name=attributes.get("gen_ai.agent.name"))
                        )
    if not messages:
        messages = _from_ends(spans)
    return Conversation(
        tuple(messages),
        tuple(_span(raw, places, began, spans, len(messages)) for raw in spans),
        tuple(tools.values()) if told_tools else None,
        None if model is None else str(model),
        None if agent is None else str(agent),
    )


def _from_ends(spans: Sequence[RawSpan]) -> list[Message]:
    """Without any model or tool call that says something: what the outermost spans took and gave."""
    for raw in spans:
        made = [
            replace(message, position=raw.id)
            for role, key in (("user", "input.value"), ("assistant", "output.value"))
            if raw.attributes.get(key) is not None
            for message in messages_of(raw.attributes[key], role)
        ]
        if made:
            return made
    return []


def _span(
    raw: RawSpan, places: Mapping[str, int], began: Mapping[str, int], spans: Sequence[RawSpan], count: int
) -> Span:
    place = places.get(raw.id)
    if place is None and count:
        below = {raw.id}
        for other in spans:
            if other.parent in below:
                below.add(other.id)
        inner = [places[i] for i in below if i in places]
        place = min(inner) if inner else min(began[raw.id], count - 1)
    return Span(raw.id, raw.name, kind_of(raw), raw.parent, place)


def kind_of(raw: RawSpan) -> str:
    """LLM, TOOL, AGENT, CHAIN or SPAN."""
    attributes = raw.attributes
    told = attributes.get("openinference.span.kind")
    if told:
        return str(told).upper()
    operation = str(attributes.get("gen_ai.operation.name") or "")
    if operation in ("chat", "text_completion", "generate_content", "completion"):
        return "LLM"
    if operation == "execute_tool" or attributes.get("experiment.operation_type") == "tool_call":
        return "TOOL"
    if operation in ("invoke_agent", "create_agent") or "agent.output_message" in attributes:
        return "AGENT"
    if any(k.startswith(("gen_ai.prompt.", "llm.input_messages.")) for k in attributes):
        return "LLM"
    if "gen_ai.tool.name" in attributes and "gen_ai.tool.call.arguments" in attributes:
        return "TOOL"
    return "SPAN"


def _first(attributes: Mapping[str, Any], *keys: str) -> Any:
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


def _placed(message: Message, span: str) -> Message:
    return message if message.position else replace(message, position=span)


def _key(message: Message) -> tuple[Any, ...]:
    calls = tuple((call.id or "", call.name) for call in message.calls)
    if calls:
        return ("assistant", calls)
    return (message.role, (message.text or "").strip())


def _common(known: Sequence[tuple[Any, ...]], inputs: Sequence[Message]) -> int:
    length = 0
    for old, new in zip(known, inputs, strict=False):
        if old != _key(new):
            break
        length += 1
    return length


def _thread_of(threads: list[_Thread], inputs: Sequence[Message]) -> _Thread:
    best = max(threads, key=lambda thread: _common(thread.known, inputs), default=None)
    if best is not None and inputs:
        shared = _common(best.known, inputs)
        speaks = any(inputs[i].role != "system" for i in range(shared))
        if shared and (speaks or all(m.role == "system" for m in inputs)):
            del best.known[shared:]
            return best
    elif best is not None:
        return threads[-1]
    threads.append(_Thread())
    return threads[-1]


def _is_told(message: Message, answered: set[str], told: set[str]) -> bool:
    if message.call_id is not None:
        return message.call_id in answered
    return (message.text or "") in told


def _note(message: Message, answered: set[str], told: set[str]) -> None:
    if message.call_id is not None:
        answered.add(message.call_id)
    told.add(message.text or "")


def _asked(messages: Sequence[Message], name: str, identifier: Any, answered: set[str]) -> str | None:
    """The identifier of the latest call of that tool which has no result."""
    for message in reversed(messages):
        for call in message.calls:
            if identifier is not None and call.id == str(identifier):
                return call.id
            if identifier is None and call.name == name and call.id is not None and call.id not in answered:
                return call.id
    return None


def _tools_of(attributes: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    told = _json(attributes.get("gen_ai.tool.definitions"))
    if told is not None:
        return tool_schemas(told)
    listed = []
    for index in range(1000):
        text = attributes.get(f"llm.tools.{index}.tool.json_schema")
        if text is None:
            break
        listed.append(_json(text))
    if listed:
        return tool_schemas(listed)
    parameters = _json(attributes.get("llm.invocation_parameters"))
    if isinstance(parameters, dict) and isinstance(parameters.get("tools"), list):
        return tool_schemas(parameters["tools"])
    return None


def _inputs(raw: RawSpan) -> list[Message]:
    attributes = raw.attributes
    system = _json(attributes.get("gen_ai.system_instructions"))
    head = parts_messages({"role": "system", "parts": system}) if isinstance(system, list) else []
    told = _json(attributes.get("gen_ai.input.messages"))
    if isinstance(told, list):
        return head + [m for item in told if isinstance(item, dict) for m in parts_messages(item)]
    flat = _flat_messages(attributes, "llm.input_messages.") or _numbered(attributes, "gen_ai.prompt.")
    if flat:
        return head + flat
    made = [
        m
        for event in raw.events
        for name in [str(event.get("name", ""))]
        if name.startswith("gen_ai.") and name.endswith(".message")
        for m in [_event_message(name, event.get("attributes") or event.get("body") or {})]
    ]
    if made:
        return head + made
    value = attributes.get("input.value")
    return head + (messages_of(value, "user") if value is not None else [])


def _outputs(raw: RawSpan) -> list[Message]:
    attributes = raw.attributes
    told = _json(attributes.get("gen_ai.output.messages"))
    if isinstance(told, list):
        return [m for item in told if isinstance(item, dict) for m in parts_messages(item)]
    flat = _flat_messages(attributes, "llm.output_messages.") or _numbered(attributes, "gen_ai.completion.")
    if flat:
        return flat
    for event in raw.events:
        if event.get("name") == "gen_ai.choice":
            body = event.get("attributes") or event.get("body") or {}
            message = _json(body.get("message")) or body
            return [openai_message({"role": "assistant", **message})] if isinstance(message, dict) else []
    value = attributes.get("output.value")
    return messages_of(value, "assistant") if value is not None else []


def _event_message(name: str, attributes: Mapping[str, Any]) -> Message:
    body = {key: _json(value) if key == "tool_calls" else value for key, value in attributes.items()}
    return openai_message({"role": name.split(".")[1], **body})


def _numbered(attributes: Mapping[str, Any], prefix: str) -> list[Message]:
    """OpenLLMetry's `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name`."""
    return [openai_message({"role": "assistant", **tree}) for tree in _trees(attributes, prefix)]


def _flat_messages(attributes: Mapping[str, Any], prefix: str) -> list[Message]:
    """OpenInference's `llm.input_messages.0.message.role` and so on."""
    made = []
    for tree in _trees(attributes, prefix):
        body = tree.get("message", tree)
        calls = []
        for entry in _listed(body.get("tool_calls")):
            call = entry.get("tool_call", entry)
            function = call.get("function", {})
            calls.append(tool_call(function.get("name"), function.get("arguments"), call.get("id")))
        text = body.get("content")
        if text is None and "contents" in body:
            text = text_of([part.get("message_content", part) for part in _listed(body["contents"])])
        message = openai_message({"role": body.get("role", "assistant"), "content": text})
        if message.role == "tool":
            identifier = body.get("tool_call_id")
            message = replace(
                message, call_id=None if identifier is None else str(identifier), tool=body.get("name")
            )
        made.append(replace(message, calls=tuple(calls)) if calls and message.role != "tool" else message)
    return made


def _listed(tree: Any) -> list[Mapping[str, Any]]:
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree, key=lambda k: int(k) if str(k).isdigit() else 0)]
    return [entry for entry in tree or () if isinstance(entry, dict)]


def _trees(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
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


def _json(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return loads(value)
        except (JSONDecodeError, ValueError):
            return None
    return value


_SPEAKER = re.compile(r"^(system|developer|user|assistant|tool|human): ", re.MULTILINE)


def messages_of(value: Any, role: str) -> list[Message]:
    """The messages in a value of unknown shape; a bare text is one message of `role`."""
    if isinstance(value, str):
        parsed = _json(value) if value[:1] in '[{"' else None
        if isinstance(parsed, list | dict):
            made = messages_of(parsed, role)
            if made:
                return made
        if isinstance(parsed, str):
            value = parsed
        starts = list(_SPEAKER.finditer(value))
        if starts and starts[0].start() == 0:
            ends = [found.start() for found in starts[1:]] + [len(value)]
            return [
                openai_message({"role": found.group(1), "content": value[found.end() : end].rstrip("\n")})
                for found, end in zip(starts, ends, strict=True)
            ]
        return [Message(role, value)]
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and _is_message(item) for item in value):
            return [m for item in value for m in _one(item)]
        if value and all(isinstance(item, list) for item in value):
            return messages_of(value[0], role)
        if value and all(isinstance(item, dict) and "toolName" in item for item in value):
            calls = tuple(
                tool_call(item["toolName"], item.get("input", item.get("args")), item.get("toolCallId"))
                for item in value
            )
            return [Message("assistant", None, calls)]
        return []
    if isinstance(value, dict):
        return _of_dict(value, role)
    return []


def _of_dict(value: Mapping[str, Any], role: str) -> list[Message]:
    if _is_message(value):
        return _one(value)
    head = (
        [Message("system", text)]
        if isinstance(text := value.get("system", value.get("instructions")), str)
        else []
    )
    for key in ("messages", "contents", "input_messages", "history"):
        if isinstance(value.get(key), list):
            return head + messages_of(value[key], role)
    for key in ("choices", "candidates", "generations"):
        listed = value.get(key)
        while isinstance(listed, list) and listed and isinstance(listed[0], list):
            listed = listed[0]
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            inner = listed[0].get("message") or listed[0].get("content") or listed[0]
            if isinstance(inner, dict):
                return [
                    replace(m, role="assistant") if m.role == "user" else m
                    for m in _one({"role": "assistant", **inner})
                ]
            return [Message("assistant", text_of(inner))]
    if isinstance(value.get("output"), list):
        return head + [m for item in value["output"] if isinstance(item, dict) for m in _one(item)]
    if isinstance(value.get("message"), dict):
        return _one({"role": role, **value["message"]})
    for key in ("prompt", "input", "content", "output", "response", "text"):
        if isinstance(value.get(key), str):
            return [*head, Message(role, value[key])]
        if isinstance(value.get(key), list | dict):
            inner = messages_of(value[key], role)
            if inner:
                return head + inner
    return head


_ITEMS = ("function_call", "function_call_output", "message", "reasoning")


def _is_message(item: Mapping[str, Any]) -> bool:
    return (
        isinstance(item.get("role"), str)
        or item.get("type") in ("human", "ai", "system", "tool", *_ITEMS)
        or _constructor(item) is not None
    )


def _constructor(item: Mapping[str, Any]) -> str | None:
    """LangChain's serialised messages name their class."""
    names = item.get("id")
    if isinstance(names, list) and names and isinstance(item.get("kwargs"), dict):
        last = str(names[-1])
        for start, role in (
            ("Human", "user"),
            ("AI", "assistant"),
            ("System", "system"),
            ("Tool", "tool"),
            ("Function", "tool"),
        ):
            if last.startswith(start):
                return role
    return None


def _one(item: Mapping[str, Any]) -> list[Message]:
    """One message of any known shape; may become several."""
    if (role := _constructor(item)) is not None:
        return [openai_message({**item["kwargs"], "role": role})]
    kind = item.get("type")
    if kind == "function_call":
        return [
            Message(
                "assistant", None, (tool_call(item.get("name"), item.get("arguments"), item.get("call_id")),)
            )
        ]
    if kind == "function_call_output":
        return [Message("tool", value_text(item.get("output")), call_id=item.get("call_id"))]
    if kind == "reasoning":
        thought = text_of(item.get("summary") or item.get("content"))
        return [Message("assistant", None, reasoning=thought)] if thought else []
    if "role" not in item and kind in ("human", "ai", "system", "tool"):
        item = {**item, "role": kind}
    if isinstance(item.get("parts"), list):
        return parts_messages(item)
    content = item.get("content")
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        return parts_messages({"role": item.get("role"), "parts": content["parts"]})
    if isinstance(content, list):
        kinds = {part.get("type") for part in content if isinstance(part, dict)}
        if kinds & {"tool_use", "tool_result", "thinking"}:
            return blocks_messages(item)
        if "tool-call" in kinds or "tool-result" in kinds:
            return _vercel(item, content)
    return [openai_message(item)]


def _vercel(item: Mapping[str, Any], content: Sequence[Any]) -> list[Message]:
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool-call":
            calls.append(
                tool_call(part.get("toolName"), part.get("input", part.get("args")), part.get("toolCallId"))
            )
        elif kind == "tool-result":
            value = part.get("output", part.get("result"))
            results.append(
                Message("tool", value_text(value), call_id=part.get("toolCallId"), tool=part.get("toolName"))
            )
        elif (text := text_of(part)) is not None:
            texts.append(text)
    made = []
    if texts or calls:
        made.append(
            Message(openai_message({"role": item.get("role")}).role, "\n".join(texts) or None, tuple(calls))
        )
    return made + results
