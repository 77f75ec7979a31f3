"""What is around a message: LangChain's constructors, AutoGen's events, and other names of fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truespec.traces.importers.parts import (
    ATTACHED,
    REPEATED_CALL,
    RESULTS,
    THOUGHTS,
    is_bare_call,
    is_call,
    is_result,
    kind_of_part,
)
from truespec.traces.importers.shared import role_of
from truespec.traces.importers.told import parsed

LANGCHAIN = {
    "human": "user",
    "humanmessage": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "system": "system",
    "systemmessage": "system",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "functionmessage": "tool",
    "developer": "system",
}
"""Types of LangChain's messages, in small letters, with their roles."""
_AUTOGEN = {
    "UserMessage": "user",
    "SystemMessage": "system",
    "AssistantMessage": "assistant",
    "TextMessage": None,
    "MultiModalMessage": None,
    "StopMessage": None,
    "HandoffMessage": None,
    "ToolCallSummaryMessage": "assistant",
    "ThoughtEvent": "assistant",
    "ToolCallRequestEvent": "assistant",
    "FunctionExecutionResultMessage": "tool",
    "ToolCallExecutionEvent": "tool",
}
"""Types of AutoGen's messages and events, with their roles; None where the source says who speaks."""
_LETTA = {
    "system_message": "system",
    "user_message": "user",
    "assistant_message": "assistant",
    "reasoning_message": "assistant",
    "tool_call_message": "assistant",
    "approval_request_message": "assistant",
    "tool_return_message": "tool",
}
"""Types of Letta's messages, with their roles."""
_LANGCHAIN4J = {"USER": "user", "AI": "assistant", "SYSTEM": "system", "TOOL_EXECUTION_RESULT": "tool"}
"""Types of LangChain4j's messages, in its capitals, with their roles."""
_WRAPPING = frozenset(
    (
        *("Role", "kwargs", "data", "message_type", "value", "toolCallStates", "message"),
        *("tool_results", "toolResults", "content_json"),
    )
)
"""Fields without one of which a message that has a role stands in no wrapper."""
_CONTENTS = ("contents", "blocks", "items")
"""Fields that hold a message's parts in place of `content`: Agent Framework, LlamaIndex, Semantic Kernel."""


def unwrapped(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message inside its wrappers, with its parts in `content`."""
    if "role" in item and _WRAPPING.isdisjoint(item) and item.get("type") != "Message":
        return _with_content(item)
    if _is_dotnet(item):
        return _of_dotnet(item)
    if _is_langchain4j(item):
        return _of_langchain4j(item)
    if isinstance(told := item.get("content_json"), str) and "content" not in item:
        item = {**{k: v for k, v in item.items() if k != "content_json"}, "content": parsed(told)}
    if _is_griptape(item):
        return {**item, "content": [_of_griptape(part) for part in item["content"]]}
    for _ in range(3):
        names = item.get("id")
        if isinstance(names, list) and names and isinstance(item.get("kwargs"), Mapping):
            kind = str(names[-1]).lower().removesuffix("chunk")
            role = LANGCHAIN.get(kind)
            item = {**item["kwargs"], **({"role": role} if role else {})}
        elif isinstance(item.get("data"), Mapping) and kind_of_part(item) in LANGCHAIN:
            item = {"type": item["type"], **item["data"]}
        elif item.get("message_type") in _LETTA and "role" not in item:
            item = _of_letta(item)
        elif is_agent_event(item):
            item = _of_llamaindex(item["value"])
        elif isinstance(item.get("toolCallStates"), list) and isinstance(item.get("message"), Mapping):
            item = _of_continue(item)
        elif "role" not in item and isinstance(item.get("content"), Mapping) and "role" in item["content"]:
            item = item["content"]  # an event of Google's ADK
        elif isinstance(item.get("message"), Mapping) and "content" not in item and "parts" not in item:
            outer = {"role": item["role"]} if isinstance(item.get("role"), str) else {}
            item = {**outer, **item["message"]}
        elif isinstance(item.get("role"), str) and "content" not in item and _of_cohere(item):
            rest = {k: v for k, v in item.items() if k not in ("message", "tool_results", "toolResults")}
            item = {**rest, "content": _of_cohere(item)}
        else:
            break
    if speaker := _speaker(item):
        item = {**item, "role": speaker}
    return _with_content(_of_autogen(item) if _is_autogen(item) else item)


def _is_griptape(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    return (
        item.get("type") == "Message"
        and isinstance(content, list)
        and any(isinstance(part, Mapping) and isinstance(part.get("artifact"), Mapping) for part in content)
    )


def _of_griptape(part: Any) -> Any:
    """A text, a call or a result that Griptape keeps as an artifact; the name of a call is its tool's and its
    activity's, as the model gives it.
    """
    artifact = part.get("artifact") if isinstance(part, Mapping) else None
    if not isinstance(artifact, Mapping):
        return part
    value, kind = artifact.get("value"), part.get("type")
    action = part.get("action", value)
    if kind == "TextMessageContent":
        return {"type": "text", "text": value}
    if not isinstance(action, Mapping) or not isinstance(action.get("tag"), str):
        return part
    if kind == "ActionCallMessageContent":
        given = action.get("input")
        inner = given.get("values", given) if isinstance(given, Mapping) and len(given) == 1 else given
        name = "_".join(str(action[key]) for key in ("name", "path") if action.get(key))
        return {"type": "tool_use", "id": action["tag"], "name": name, "input": inner}
    if kind == "ActionResultMessageContent":
        failed = artifact.get("type") == "ErrorArtifact"
        return {"type": "tool_result", "tool_use_id": action["tag"], "content": value, "is_error": failed}
    return part


def _speaker(item: Mapping[str, Any]) -> str | None:
    """Who says a message that has no role, where a field names a speaker that is known as a role."""
    if "role" in item or not any(
        isinstance(item.get(key), str | list) for key in ("content", "parts", "text")
    ):
        return None
    named = (item.get(key) for key in ("sender", "speaker"))
    return next((name for name in named if isinstance(name, str) and role_of(name)), None)


def _is_dotnet(item: Mapping[str, Any]) -> bool:
    role = item.get("Role")
    return isinstance(role, Mapping) and isinstance(role.get("Label"), str)


def _of_dotnet(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of Semantic Kernel for .NET; a tool is named after its plugin and its function."""
    parts: list[Any] = []
    listed = item.get("Items")
    for one in listed if isinstance(listed, list) else ():
        kind = one.get("$type") if isinstance(one, Mapping) else None
        if kind == "TextContent":
            parts.append({"type": "text", "text": one.get("Text")})
        elif kind in ("FunctionCallContent", "FunctionResultContent"):
            called = kind == "FunctionCallContent"
            name = "-".join(str(one[key]) for key in ("PluginName", "FunctionName") if one.get(key))
            about = {"call_id": one.get("Id" if called else "CallId"), "name": name}
            given = {"arguments": one.get("Arguments")} if called else {"output": one.get("Result")}
            parts.append({"type": "function_call" if called else "function_result", **about, **given})
        else:
            parts.append({**one, "type": str(kind)} if isinstance(one, Mapping) else one)
    return {"role": item["Role"]["Label"], "content": parts, "name": item.get("AuthorName")}


def _is_langchain4j(item: Mapping[str, Any]) -> bool:
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in _LANGCHAIN4J or "role" in item:
        return False
    return any(key in item for key in ("contents", "text", "toolExecutionRequests"))


def _of_langchain4j(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of LangChain4j's memory; a result names its call."""
    role = _LANGCHAIN4J[item["type"]]
    if role == "tool":
        about = {"toolCallId": item.get("id"), "name": item.get("toolName")}
        failed = {"is_error": item["isError"]} if isinstance(item.get("isError"), bool) else {}
        return {
            "role": role,
            "content": [{"type": "tool_result", **about, "output": item.get("text"), **failed}],
        }
    contents = item.get("contents")
    told = contents if isinstance(contents, list) else [item["text"]] if item.get("text") else []
    listed = item.get("toolExecutionRequests")
    calls = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    parts = [*told, *({**call, "type": "tool_call"} for call in calls)]
    return {"role": role, "content": parts, "reasoning": item.get("thinking"), "name": item.get("name")}


def _of_cohere(item: Mapping[str, Any]) -> list[Any]:
    """The content of a message of Cohere's first interface: a text, or results with their calls."""
    parts: list[Any] = [item["message"]] if isinstance(item.get("message"), str) and item["message"] else []
    listed = item.get("tool_results", item.get("toolResults"))
    for one in listed if isinstance(listed, list) else ():
        call = one.get("call") if isinstance(one, Mapping) else None
        if isinstance(call, Mapping):
            outputs = one.get("outputs")
            value = outputs[0] if isinstance(outputs, list) and len(outputs) == 1 else outputs
            repeated = {REPEATED_CALL: call} if "parameters" in call else {}
            parts.append({"type": "tool_result", "name": call.get("name"), "output": value, **repeated})
    return parts


def _with_content(item: Mapping[str, Any]) -> Mapping[str, Any]:
    if item.get("content") is not None or "parts" in item:
        return item
    for key in _CONTENTS:
        listed = item.get(key)
        if isinstance(listed, list) and listed and all(isinstance(part, Mapping) for part in listed):
            # A result names its call in its part; the name beside it is the speaker's.
            return {**{k: v for k, v in item.items() if k not in (key, "name")}, "content": listed}
    return item


def _is_autogen(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("type"), str) and item["type"] in _AUTOGEN and "role" not in item


def _of_autogen(item: Mapping[str, Any]) -> Mapping[str, Any]:
    role = _AUTOGEN[item["type"]] or ("user" if item.get("source") == "user" else "assistant")
    made: dict[str, Any] = {"role": role, "content": item.get("content")}
    if item["type"] == "ThoughtEvent":
        return {"role": role, "content": [{"type": "thought", "text": item.get("content")}]}
    if isinstance(item.get("content"), list):
        kind = "function_result" if role == "tool" else "function_call"
        made["content"] = [
            {**part, "type": kind}
            if isinstance(part, Mapping) and ("arguments" in part or "call_id" in part)
            else part
            for part in item["content"]
        ]
    if isinstance(item.get("thought"), str) and item["thought"]:
        made["reasoning"] = item["thought"]
    return made


def _of_letta(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message whose kind, not its role, says what it is."""
    kind = item["message_type"]
    if kind == "tool_return_message":
        return {"role": "tool", "content": [{**item, "type": "tool_result", "id": None}]}
    if kind == "reasoning_message":
        return {"role": "assistant", "content": [{"type": "thought", "text": item.get("reasoning")}]}
    made: dict[str, Any] = {"role": _LETTA[kind], "content": item.get("content")}
    called = item.get("tool_calls") or item.get("tool_call")
    if isinstance(called, Mapping | list):
        made["tool_calls"] = called if isinstance(called, list) else [called]
    return made


_REPEATING = ("AgentStream", "ToolCall")
"""Events of LlamaIndex's workflows whose words and calls the agent's output holds too."""


def repeats_output(item: Any) -> bool:
    """Whether this is an event of a workflow of LlamaIndex that another event repeats as a whole."""
    if not isinstance(item, Mapping) or not isinstance(item.get("value"), Mapping):
        return False
    name = item.get("qualified_name")
    return isinstance(name, str) and name.startswith("llama_index.") and name.endswith(_REPEATING)


def is_agent_event(item: Mapping[str, Any]) -> bool:
    """Whether this is an event of a workflow of LlamaIndex in which an agent speaks or a tool answers."""
    value = item.get("value")
    if not isinstance(value, Mapping) or not isinstance(item.get("qualified_name"), str):
        return False
    reply = value.get("response")
    return (isinstance(reply, Mapping) and isinstance(reply.get("role"), str)) or "tool_output" in value


def _of_llamaindex(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if "tool_output" not in value:
        calls = value.get("tool_calls")
        return {**value["response"], "tool_calls": calls if isinstance(calls, list) else []}
    output = value["tool_output"]
    output = output if isinstance(output, Mapping) else {"content": output}
    told = output.get("content", output.get("blocks"))
    about = {"toolCallId": value.get("tool_id"), "name": value.get("tool_name")}
    failed = {"is_error": output["is_error"]} if isinstance(output.get("is_error"), bool) else {}
    return {"role": "tool", "content": [{"type": "tool_result", **about, "output": told, **failed}]}


def _of_continue(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of Continue; its calls, with their results, may stand beside it alone."""
    message = item["message"]
    if message.get("toolCalls"):
        return {k: v for k, v in item.items() if k not in ("toolCallStates", "message")} | dict(message)
    states = [state for state in item["toolCallStates"] if isinstance(state, Mapping)]
    said = message.get("content")
    parts = list(said) if isinstance(said, list) else [said] if said else []
    for state in states:
        call = state.get("toolCall")
        about = {"toolCallId": state.get("toolCallId")}
        parts.append({"type": "tool_call", **(call if isinstance(call, Mapping) else {}), **about})
    for state in states:
        output = state.get("output")
        if output is not None:
            texts = (
                [one.get("content") if isinstance(one, Mapping) else one for one in output]
                if isinstance(output, list)
                else [output]
            )
            text = "\n".join(str(one) for one in texts)
            parts.append({"type": "tool_result", "toolCallId": state.get("toolCallId"), "output": text})
    return {**message, "content": parts}


def is_typed_message(value: Any) -> bool:
    """Whether a value without a role is a message by its type, in LangChain's or AutoGen's names."""
    if not isinstance(value, Mapping) or "role" in value:
        return False
    if _speaker(value):
        return True
    if _is_dotnet(value):
        return "Items" in value
    if _is_langchain4j(value):
        return True
    if isinstance(value.get("id"), list) and isinstance(value.get("kwargs"), Mapping):
        return str(value["id"][-1]).lower().removesuffix("chunk") in LANGCHAIN if value["id"] else False
    if _is_autogen(value):
        return "content" in value
    if value.get("message_type") in _LETTA:
        return True
    if kind_of_part(value).replace("_", "").removesuffix("chunk") not in LANGCHAIN:
        return False
    if isinstance(value.get("data"), Mapping):
        return True
    return "content" in value and (
        "additional_kwargs" in value
        or "tool_call_id" in value
        or value["type"] in ("human", "ai", "HumanMessage", "AIMessage")
    )


def is_item(value: Any) -> bool:
    """Whether a value declares itself an item of a conversation: by a role, or by a known type."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("role"), str) or is_typed_message(value) or is_agent_event(value):
        return True
    kind = kind_of_part(value)
    if kind.replace("_", "").removesuffix("chunk") in LANGCHAIN or kind in RESULTS or is_result(kind):
        return True
    if is_call(kind) or kind in THOUGHTS or kind in ("message", *ATTACHED):
        return True
    if isinstance(value.get("id"), list) and isinstance(value.get("kwargs"), Mapping):
        return True
    content = value.get("content")
    if isinstance(content, Mapping) and isinstance(content.get("role"), str):
        return True
    return (
        "toolCallId" in value
        or is_bare_call(value)
        or (isinstance(value.get("message"), Mapping) and is_item(value["message"]))
    )
