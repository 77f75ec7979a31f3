"""OpenHands: resolver output and events of its software development kit.

Resolver output is lines `{instruction, history[], metrics, success}` of actions and observations; the kit
writes events `{kind: ActionEvent, tool_call, ...}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records, whole_or_lines
from truespec.traces.importers.shared import source_of, text_of, tool_schemas, value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Outcome, ToolCall, Trace

NAME = "openhands"
_SPEECH = ("message", "finish", "system", "recall")
_ABOUT = (
    "thought",
    "action",
    "source",
    "id",
    "timestamp",
    "message",
    "is_confirmed",
    "action_risk",
    "keep_prompt",
)


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and ("action" in value or "observation" in value)


_EVENTS_ASIDE = ("ConversationStateUpdateEvent", "PauseEvent", "TokenEvent", "StreamingDeltaEvent")


def _is_sdk_event(value: Any) -> bool:
    """An event of the software development kit (version 1), told by its `kind`."""
    return isinstance(value, dict) and str(value.get("kind", "")).endswith("Event") and "source" in value


def recognises(head: Any, _file: TraceFile) -> bool:
    """An instruction with a history, or events of its kind."""
    if isinstance(head, dict) and "instruction" in head:
        return "history" in head or "git_patch" in head or "base_commit" in head
    if _is_sdk_event(head[0] if isinstance(head, list) and head else head):
        return True
    if not isinstance(head, list) or not head or not _is_event(head[0]) or "role" in head[0]:
        return False
    return any(key in head[0] for key in ("args", "extras", "source", "content", "message"))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per line."""
    if _is_sdk_event(file.head[0] if isinstance(file.head, list) and file.head else file.head):
        yield from _of_events(file, joins)
        return
    if isinstance(file.head, list):
        value = file.document()
        entries: Any = [("document", value if isinstance(value, Problem) else {"history": value})]
    else:
        entries = whole_or_lines(file)
    for position, value in entries:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield _trace(value, file, position, joins)
        except UNREADABLE as error:
            yield file.problem(position, f"no output of OpenHands: {error!r}")


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    messages: list[Message] = []
    for index, event in enumerate(value["history"] or ()):
        # Older outputs hold pairs of action and observation.
        pair = event if isinstance(event, list) else [event]
        messages += [_message(one, index) for one in pair if _is_event(one)]
    _bind(messages)
    issue = value.get("issue") or {}
    return Trace(
        id=f"{issue['owner']}/{issue['repo']}#{issue['number']}"
        if {"owner", "repo", "number"} <= issue.keys()
        else str(value.get("instance_id") or f"{file.path.name}:{position}"),
        messages=tuple(messages),
        source=source_of(file, NAME, position),
        system_prompt=joins.prompt,
        tools=joins.domain(None).tools,
        task={k: value[k] for k in ("issue", "instruction", "issue_type") if value.get(k) is not None}
        or None,
        outcome=Outcome(
            float(value["success"]) if isinstance(value.get("success"), bool) else None,
            {
                k: value[k]
                for k in ("comment_success", "result_explanation", "error")
                if value.get(k) is not None
            },
        ),
        metadata={k: value[k] for k in ("git_patch", "base_commit", "metrics", "metadata") if value.get(k)},
    )


def _message(event: Mapping[str, Any], index: int) -> Message:
    position = f"history/{index}"
    arguments = event.get("args") if isinstance(event.get("args"), dict) else event
    assert isinstance(arguments, dict)
    if "observation" in event and "action" not in event:
        code = event.get("exit_code", (event.get("extras") or {}).get("exit_code"))
        failed = event["observation"] == "error" or (isinstance(code, int) and code not in (0, -1))
        return Message(
            "tool",
            text_of(event.get("content")),
            tool=str(event["observation"]),
            error=failed,
            position=position,
        )
    action = str(event["action"])
    if action in _SPEECH:
        speaker = event.get("source") or ("user" if index == 0 else "agent")
        text = arguments.get("content") or arguments.get("thought") or event.get("message")
        role = "system" if action == "system" else "user" if speaker == "user" else "assistant"
        calls = (
            (ToolCall("finish", {"outputs": arguments.get("outputs")}, f"event-{index}"),)
            if action == "finish"
            else ()
        )
        return Message(role, text or None, calls, position=position)
    kept = {k: v for k, v in arguments.items() if k not in _ABOUT and v is not None}
    return Message(
        "assistant",
        arguments.get("thought") or None,
        (ToolCall(action, kept, f"event-{index}"),),
        position=position,
    )


def _bind(messages: list[Message]) -> None:
    """An observation answers the action before it."""
    last: ToolCall | None = None
    for index, message in enumerate(messages):
        if message.role == "tool" and last is not None:
            messages[index] = Message(
                "tool",
                message.text,
                call_id=last.id,
                tool=last.name,
                error=message.error,
                position=message.position,
            )
            last = None
        elif message.calls:
            last = message.calls[-1]


def _of_events(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The trace of a list, or of lines, of the kit's events. The actions of one reply are one message."""
    notes = Notes(file.ledger)
    messages: list[Message] = []
    replies: dict[str, int] = {}
    tools = None
    for position, event in records(file, _is_sdk_event):
        if isinstance(event, Problem):
            yield event
            continue
        notes.place = position
        item = _item_of(event, notes)
        if item is None:
            continue
        if event.get("kind") == "SystemPromptEvent":
            tools = tool_schemas(event.get("tools"))
        for made in messages_of_item(item, notes, "tool" if "Observation" in str(event["kind"]) else "user"):
            message = replace(made, position=position)
            reply = event.get("llm_response_id") if event.get("kind") == "ActionEvent" else None
            at = replies.get(reply) if isinstance(reply, str) else None
            if at is not None:  # an action of a reply that is known: no result can stand between them
                first = messages[at]
                text = "\n".join(t for t in (first.text, message.text) if t) or None
                messages[at] = replace(first, text=text, calls=first.calls + message.calls)
                continue
            if isinstance(reply, str):
                replies[reply] = len(messages)
            messages.append(message)
    yield trace_of(messages, Origin(file, NAME, "document", joins), identifier=file.path.name, tools=tools)


def _item_of(event: Any, notes: Notes) -> Mapping[str, Any] | None:
    """An event of the kit as an item of a conversation; None where it says nothing."""
    kind = event.get("kind") if isinstance(event, dict) else None
    if kind == "SystemPromptEvent":
        return {"role": "system", "content": event.get("system_prompt")}
    if kind == "MessageEvent" and isinstance(event.get("llm_message"), dict):
        return {"reasoning_content": event.get("reasoning_content"), **event["llm_message"]}
    if kind == "ActionEvent":
        call = event.get("tool_call")
        call = dict(call) if isinstance(call, dict) else {"arguments": event.get("action")}
        function = call.get("function")
        body = function if isinstance(function, dict) else call
        named = {"id": event.get("tool_call_id"), "name": event.get("tool_name")}
        listed = [{"type": "tool_call", **named, "arguments": body.get("arguments")}]
        return {
            "role": "assistant",
            "content": [*(event.get("thought") or ()), *listed],
            "reasoning_content": event.get("reasoning_content"),
        }
    if kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        seen = event.get("observation")
        failed = kind != "ObservationEvent" or (isinstance(seen, dict) and seen.get("is_error") is True)
        content = seen.get("content", seen.get("output", seen)) if isinstance(seen, dict) else None
        told = content if content is not None else event.get("error", event.get("rejection_reason"))
        return {
            "role": "tool",
            "tool_call_id": event.get("tool_call_id"),
            "name": event.get("tool_name"),
            "content": told if isinstance(told, str | list) else value_text(told),
            **({"is_error": True} if failed else {}),
        }
    if kind not in _EVENTS_ASIDE:
        notes.ledger.items.drop(f"an event of the kind {str(kind)[:60]!r}", notes.place)
    return None
