"""What the attributes of a span mean, in every convention: which kind of work it is, what it took and gave.

The conventions differ in names only, so each question has one list of attribute names, read in order:
GenAI semantic conventions in their versions (messages as attributes, as events, as log records, as numbered
attributes), OpenInference, OpenLLMetry, Vercel's AI SDK, pydantic-ai and Logfire, Langfuse, LangSmith,
MLflow, Google's ADK.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.importers.items import SYSTEMS, messages_of, messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import (
    in_attribute,
    in_event,
    in_trees,
    parsed,
    trees,
    with_instructions,
)
from truespec.traces.importers.same_calls import named_alike
from truespec.traces.importers.shared import text_of, tool_schemas
from truespec.traces.importers.threads import keys_of
from truespec.traces.importers.turns import in_turns
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
    "agentops.span.kind",
    "genkit:metadata:subtype",
    "span.type",
)
_KIND_NAMES = {
    "GENERATION": "LLM",
    "CHAT_MODEL": "LLM",
    "EMBEDDING": "EMBEDDING",
    "WORKFLOW": "CHAIN",
    "TASK": "CHAIN",
    "MODEL": "LLM",
    "UTIL": "CHAIN",
    "FLOW": "CHAIN",
}
_OPERATIONS = {
    "chat": "LLM",
    "call_llm": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "completion": "LLM",
    "responses": "LLM",
    "respond": "LLM",
    "message": "LLM",
    "execute_tool": "TOOL",
    "tool_call": "TOOL",
    "invoke_agent": "AGENT",
    "create_agent": "AGENT",
    "invoke_workflow": "CHAIN",
    "chain": "CHAIN",
    "embeddings": "EMBEDDING",
}
MODELS = (
    "llm.model_name",
    "gen_ai.response.model",
    "gen_ai.request.model",
    "ai.response.model",
    "ai.model.id",
    "langfuse.observation.model.name",
    "model",
)
SENTRYS = "gen_ai.request.messages"
"""The attribute in which Sentry keeps a request, its absent texts as `None`."""
_INPUTS = (
    "gen_ai.input.messages",
    SENTRYS,
    "llm.messages",
    "llm.input_messages",
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
    "genkit:input",
    "input",
)
_NESTED = ("llm.input_messages", "llm.output_messages")
"""Attributes that hold messages; a text that is no JSON is not what was said."""
_REPLIES = ("gen_ai.output", "genai.output", "gen_ai.response.output_text")
"""Attributes that hold what a model said: a text in them that is JSON of no message is what it said."""
_OUTPUTS = (
    "gen_ai.output.messages",
    "llm.output_messages",
    "gcp.vertex.agent.llm_response",
    "response_data",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "gen_ai.completion",
    "traceloop.entity.output",
    "output.value",
    "genkit:output",
    "output",
    *_REPLIES,
)
MERGED = "(merged tools)"
"""The name that Google's ADK gives to the span that joins the results of parallel calls; no tool has it."""
HANDOFF = "handoff to "
"""How the names of spans begin in which one agent hands over to another; no tool runs in them."""
CONVERSATIONS = (
    "pydantic_ai.all_messages",
    "all_messages_events",
    "pydantic_ai.new_messages",
    "all_messages",
)
"""Attributes of agents that hold a whole conversation."""


_RAW = re.compile(r"llm\.[a-z0-9_]+\.(messages|contents|choices|candidates|content)")


def raw_request(attributes: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The attributes in which LiteLLM keeps a provider's own request and reply (`llm.openai.messages`)."""
    named = {found.group(1): key for key in attributes if (found := _RAW.fullmatch(key))}
    given = named.get("messages", named.get("contents"))
    return given, named.get("choices", named.get("candidates", named.get("content")))


SEVERAL = "several replies that one model call records are taken to be said one after the other"
_PROVIDERS = ("gen_ai.provider.name", "gen_ai.system", "llm.system")
_NUMBERED = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages.")
"""How attributes begin that hold the messages of a model call one by one."""


def is_named(raw: RawSpan) -> bool:
    """Whether a span says with a known operation what it does."""
    return str(raw.attributes.get("gen_ai.operation.name") or "").lower() in _OPERATIONS


def kind_of(raw: RawSpan) -> str:
    """LLM, TOOL, AGENT, CHAIN, SPAN or what the source calls it."""
    attributes = raw.attributes
    if attributes.get("gen_ai.tool.name") == MERGED:
        return "SPAN"
    if raw.name.startswith(HANDOFF) and first(attributes, "tool.name", "gen_ai.tool.name") is None:
        return "SPAN"
    kind = str(first(attributes, *KINDS) or "").strip('"')
    operation = _OPERATIONS.get(str(attributes.get("gen_ai.operation.name") or "").lower())
    if kind and str(kind).upper() not in ("SPAN", "UNKNOWN"):
        named = _KIND_NAMES.get(str(kind).upper(), str(kind).upper())
        return operation if named == "CHAIN" and operation in ("LLM", "TOOL") else named
    vercel = str(attributes.get("ai.operationId") or "")
    if vercel == "ai.toolCall":
        return "TOOL"
    if vercel:
        return "LLM" if vercel.endswith((".doGenerate", ".doStream")) else "AGENT"
    if attributes.get("experiment.operation_type") == "tool_call":
        return "TOOL"
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
        or "gen_ai.output.messages" in attributes
        or "request_data" in attributes
        or str(attributes.get("gcp.vertex.agent.llm_request") or "{}") != "{}"
    ):
        return "LLM"
    if any(k.startswith(_NUMBERED) for k in attributes):
        return "LLM"
    if raw_request(attributes)[0] is not None:
        return "LLM"
    if "gen_ai.tool.name" in attributes or _is_named_after_tool(raw):
        return "TOOL"
    return "SPAN"


def _is_named_after_tool(raw: RawSpan) -> bool:
    """Whether a span with `tool.name` runs that tool: frameworks note it at other steps, too."""
    name = raw.attributes.get("tool.name")
    steps = re.split(r"[\s./:]+", raw.name)
    return isinstance(name, str) and (steps[0].lower() in ("tool", "tools") or name in (raw.name, *steps))


def first(attributes: Mapping[str, Any], *keys: str) -> Any:
    """The first of these attributes that holds something."""
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


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
    for key in (
        "llm.invocation_parameters",
        "request_data",
        "model_request_parameters",
        "gcp.vertex.agent.llm_request",
    ):
        settings = parsed(attributes.get(key))
        if isinstance(settings, Mapping):
            config = settings.get("config")
            settings = {**settings, **config} if isinstance(config, Mapping) else settings
            listed = settings.get("tools", settings.get("function_tools"))
            if isinstance(listed, list):
                return tool_schemas(listed)
    return None


def inputs_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """The conversation that a model call was given."""
    attributes = raw.attributes
    return with_instructions(attributes, _asked(raw, notes), notes)


def _asked(raw: RawSpan, notes: Notes) -> list[Message]:
    """What a model call was given, beside the system's instructions."""
    attributes = raw.attributes
    if made := in_attribute(attributes, "gen_ai.input.messages", "user", notes):
        return made
    given, _ = raw_request(attributes)
    if given and (made := in_attribute(attributes, given, "user", notes)):
        return made
    flat = in_trees(attributes, ("llm.input_messages.", "gen_ai.prompt.", "llm.prompts."), "user", notes)
    if flat and _overwritten(flat) and (whole := in_attribute(attributes, "input.value", "user", notes)):
        notes.ledger.rules[OVERWRITTEN] += 1
        return whole
    if flat:
        return named_alike(flat, attributes.get("input.value"), "user")
    if made := [m for event in raw.events for m in in_event(event, notes, outputs=False)]:
        return made
    for key in _INPUTS:
        if key in _NESTED and isinstance(parsed(attributes.get(key)), str):
            continue
        if key == "events":
            listed = parsed(attributes.get(key))
            events = listed if isinstance(listed, list) else []
            made = [m for e in events for m in in_event(e, notes, outputs=False)] if events else []
        else:
            made = in_attribute(attributes, key, "user", notes)
            if key == SENTRYS:
                made = [replace(m, text=None) if m.calls and m.text == "None" else m for m in made]
        if made:
            return made
    return []


def _overwritten(messages: Sequence[Message]) -> bool:
    """Whether a reply has the name of a called tool, and calls beside that tool's result."""
    called = {call.name for message in messages for call in message.calls}
    return any(m.role == "assistant" and m.calls and m.text and m.name in called for m in messages)


OVERWRITTEN = "messages of which one overwrote another's attributes are read from the whole request"


def outputs_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """What a model call replied; blocks that a span of Anthropic's counts as choices are one reply."""
    made = _replied(raw, notes)
    said = sum(message.role == "assistant" for message in made)
    told = [
        raw.attributes,
        *(e["attributes"] for e in raw.events if isinstance(e.get("attributes"), Mapping)),
    ]
    if (
        said > 1
        and kind_of(raw) != "AGENT"
        and any(str(first(one, *_PROVIDERS)).lower() == "anthropic" for one in told)
    ):
        return in_turns(made)
    if said > 1:
        notes.ledger.assumed[SEVERAL] += said - 1
    return made


def _sentrys(attributes: Mapping[str, Any], notes: Notes) -> str | None:
    """The text of a reply that Sentry keeps beside its calls: bare, or as a message."""
    told = attributes.get("gen_ai.response.text")
    if told is None or (read := parsed(told)) == told:
        return told if isinstance(told, str) and told else None
    made = messages_of(read, "assistant", notes)
    return "\n".join(m.text for m in made if m.text and m.text != "None") or None


def _in_words(value: Any) -> Any:
    """A reply without the fields that Sentry writes as the text `None`."""
    return {key: one for key, one in value.items() if one != "None"} if isinstance(value, Mapping) else value


def _replied(raw: RawSpan, notes: Notes) -> list[Message]:
    attributes = raw.attributes
    if made := in_attribute(attributes, "gen_ai.output.messages", "assistant", notes):
        return made
    _, said = raw_request(attributes)
    reply = parsed(attributes[said]) if said else None
    if said and isinstance(reply, list):
        key = said.rpartition(".")[2]
        if made := messages_of(
            {"role": "assistant", key: reply} if key == "content" else {key: reply}, "assistant", notes
        ):
            return made
    flat = in_trees(
        attributes, ("llm.output_messages.", "gen_ai.completion.", "llm.completions."), "assistant", notes
    )
    if flat:
        text = attributes.get("ai.response.text")
        if isinstance(text, str) and text and all(message.text is None for message in flat):
            flat[0] = replace(flat[0], text=text)  # OpenInference's processor leaves it out beside calls
        return named_alike(flat, attributes.get("output.value"), "assistant")
    listed = parsed(attributes.get("events"))
    events = [*raw.events, *(listed if isinstance(listed, list) else ())]
    if made := [m for event in events for m in in_event(event, notes, outputs=True)]:
        return made
    calls = parsed(first(attributes, "ai.response.toolCalls", "gen_ai.response.tool_calls"))
    text = first(attributes, "ai.response.text", "ai.response.object")
    told = _in_words(parsed(attributes.get("gen_ai.response.text")))
    if text is None and calls is None and isinstance(told, Mapping):
        return messages_of(told, "assistant", notes)
    text = _sentrys(attributes, notes) if text is None else text
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
        if key in _NESTED and isinstance(parsed(attributes.get(key)), str):
            continue
        if made := in_attribute(attributes, key, "assistant", notes):
            return made
    said = first(attributes, *_REPLIES)
    return [Message("assistant", said)] if isinstance(said, str) and said else []


def conversation_of(raw: RawSpan, notes: Notes) -> list[Message]:
    """The whole conversation that an agent's span holds."""
    for key in CONVERSATIONS:
        listed = parsed(raw.attributes.get(key))
        if isinstance(listed, list) and listed:
            if any(isinstance(e, Mapping) and "event.name" in e for e in listed):
                return [m for e in listed for m in (*in_event(e, notes, False), *in_event(e, notes, True))]
            made = [m for item in listed for m in messages_of_item(item, notes, "user")]
            if made:
                return made
    return []


def prompt_of_span(raw: RawSpan) -> str | None:
    """The system prompt among the inputs of a span that is no model call."""
    given = parsed(first(raw.attributes, *_INPUTS))
    prompt = (
        next((given[key] for key in SYSTEMS if given.get(key)), None) if isinstance(given, Mapping) else None
    )
    if not isinstance(prompt, str):
        told = with_instructions(raw.attributes, [], Notes())
        prompt = told[0].text if told else raw.attributes.get("system_prompt")
    return prompt if isinstance(prompt, str) else None


def ends_of(raw: RawSpan, notes: Notes, unread: bool = True) -> list[Message]:
    """What a span took and gave, as what the user said and the agent replied.

    With `unread`, a value in which no message is recognised is the text that was said.
    """
    made: list[Message] = []
    said: list[Message] = []
    for role, keys in (
        ("user", ("agent.input_message", *_INPUTS)),
        ("assistant", ("agent.output_message", *_OUTPUTS)),
    ):
        made, said = said, []
        value = first(raw.attributes, *(key for key in keys if key != "events"))
        if value is not None:
            read = messages_of(parsed(value), role, notes)
            text = text_of(value) if isinstance(value, str) and parsed(value) else None
            said = read or ([Message(role, text)] if text and unread else [])
    told = {key for message in said for key in keys_of(message)}
    if all(key in told for message in made for key in keys_of(message)):
        return said  # the reply is the whole conversation
    return made + said
