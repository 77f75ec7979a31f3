"""OpenHands: resolver output and events of its software development kit.

Resolver output is lines `{instruction, history[], metrics, success}` of actions and observations; the kit
writes events `{kind: ActionEvent, tool_call, ...}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.exchanges import said_in
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes, call_of
from truespec.traces.importers.records import LINES_LOOKED_AT, entries, records, whole_or_lines
from truespec.traces.importers.shared import (
    dicts,
    role_of,
    source_of,
    text_of,
    tool_schemas,
    value_text,
)
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


READING = "the call of an event that keeps no call of the model is the kit's own reading of it"
_OF_EVENTS = ("tool_call_id", "tool_name", "llm_message", "system_prompt")
"""Fields of events that no other log's events have."""
_EVENTS_ASIDE = ("ConversationStateUpdateEvent", "PauseEvent", "TokenEvent", "StreamingDeltaEvent")


def _is_sdk_event(value: Any) -> bool:
    """An event of the software development kit (version 1), told by its `kind`."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not kind.endswith(("Event", "Observation")):
        return False
    return any(key in value for key in ("source", *_OF_EVENTS))


def _is_of_kind(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _has_events(head: Any) -> bool:
    """Whether a list, or the first line of several, holds events of the kit."""
    if isinstance(head, list):
        return bool(head) and _is_of_kind(head[0]) and any(map(_is_sdk_event, head[:LINES_LOOKED_AT]))
    return _is_sdk_event(head)


def _is_run(value: Any) -> bool:
    """A line of the kit's benchmarks: a run whose history is its events."""
    listed = value.get("history") if isinstance(value, dict) else None
    return isinstance(listed, list) and any(map(_is_sdk_event, listed))


def recognises(head: Any, _file: TraceFile) -> bool:
    """An instruction with a history, or events of its kind."""
    if _is_run(head[0] if isinstance(head, list) and head else head):
        return True
    if isinstance(head, dict) and "instruction" in head:
        return "history" in head or "git_patch" in head or "base_commit" in head
    if _has_events(head) or _begins_lines(head):
        return True
    if not isinstance(head, list) or not head or not _is_event(head[0]) or "role" in head[0]:
        return False
    return any(key in head[0] for key in ("args", "extras", "source", "content", "message"))


def _begins_lines(head: Any) -> bool:
    """Whether a value is an action of version 0, the first of those that are the lines of a file."""
    if not isinstance(head, dict) or "history" in head or "role" in head:
        return False
    return _is_event(head) and isinstance(head.get("args"), dict) and ("source" in head or "id" in head)


def _history(file: TraceFile) -> Iterator[tuple[str, Any]]:
    """Events that are the lines of a file, as one history, behind what could not be read."""
    listed = []
    for line, value in file.lines():
        if isinstance(value, Problem):
            yield f"line {line}", value
        else:
            listed.append(value)
    yield "document", {"history": listed}


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per line; events that are lines of their own are one."""
    if _has_events(file.head):
        yield from _of_events(records(file, _is_of_kind), "document", {}, file, joins)
        return
    if _is_run(file.head[0] if isinstance(file.head, list) and file.head else file.head):
        for position, value in entries(file):
            if _is_run(value):
                events = [(f"{position}, history/{n}", event) for n, event in enumerate(value["history"])]
                yield from _of_events(events, position, value, file, joins)
            else:
                yield (
                    value if isinstance(value, Problem) else file.problem(position, f"no run: {brief(value)}")
                )
        return
    if isinstance(file.head, list):
        value = file.document()
        listed: Any = [("document", value if isinstance(value, Problem) else {"history": value})]
    elif _begins_lines(file.head):
        listed = _history(file)
    else:
        listed = whole_or_lines(file)
    for position, value in listed:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield _trace(value, file, position, joins)
        except UNREADABLE as error:
            yield file.problem(position, f"no output of OpenHands: {error!r}")


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    events: list[Mapping[str, Any]] = []
    messages: list[Message] = []
    for index, event in enumerate(value["history"] or ()):
        # Older outputs hold pairs of action and observation.
        for one in event if isinstance(event, list) else [event]:
            if _is_event(one):
                events.append(one)
                messages.append(_message(one, index))
            else:
                file.ledger.items.drop("no action and no observation", f"{position}, history/{index}")
                file.ledger.problem(position, f"no action and no observation: {brief(one)}")
    _bind(messages, events)
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
        done = ToolCall("finish", {"outputs": arguments.get("outputs")}, f"event-{index}")
        calls = (_asked(event) or done,) if action == "finish" else ()
        return Message(role, text or None, calls, position=position)
    kept = {k: v for k, v in arguments.items() if k not in _ABOUT and v is not None}
    call = _asked(event) or ToolCall(action, kept, f"event-{index}")
    return Message("assistant", arguments.get("thought") or None, (call,), position=position)


def _asked(event: Mapping[str, Any]) -> ToolCall | None:
    """The call that the model made, of which the event is OpenHands' own reading; None where none is kept."""
    about = event.get("tool_call_metadata")
    reply = about.get("model_response") if isinstance(about, Mapping) else None
    said = said_in(reply)
    named = about.get("tool_call_id") if isinstance(about, Mapping) else None
    for call in dicts(said.get("tool_calls")) if said else ():
        if named is not None and call.get("id") == named:
            return call_of(call)
    return None


def _bind(messages: list[Message], events: Sequence[Mapping[str, Any]]) -> None:
    """An observation answers the call that it names, else its cause, else the action before it."""
    last: ToolCall | None = None
    calls: dict[str | None, ToolCall] = {}
    causes: dict[Any, ToolCall | None] = {}
    for index, (message, event) in enumerate(zip(messages, events, strict=True)):
        if message.role != "tool":
            last = message.calls[-1] if message.calls else last
            causes[event.get("id")] = message.calls[-1] if message.calls else None
            calls.update({call.id: call for call in message.calls})
            continue
        about = event.get("tool_call_metadata")
        call = calls.get(about.get("tool_call_id")) if isinstance(about, Mapping) else None
        if call is None:
            cause = event.get("cause")
            call = causes[cause] if cause is not None and cause in causes else last
        if call is not None:
            messages[index] = replace(message, call_id=call.id, tool=call.name)
            last = None if call is last else last


def _of_events(
    listed: Iterable[tuple[str, Any]], place: str, run: Mapping[str, Any], file: TraceFile, joins: Joins
) -> Iterator[Trace | Problem]:
    """The trace of a run of the kit, from its events. The actions of one reply are one message."""
    notes = Notes(file.ledger)
    messages: list[Message] = []
    replies: dict[str, int] = {}
    tools = None
    for position, event in listed:
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
    yield trace_of(
        messages,
        Origin(file, NAME, place, joins),
        identifier=run.get("instance_id") or file.path.name,
        tools=tools,
        task={"instruction": run["instruction"]} if run.get("instruction") else None,
        metadata={k: run[k] for k in ("test_result", "metrics", "metadata", "error") if run.get(k)},
    )


def _item_of(event: Any, notes: Notes) -> Mapping[str, Any] | None:
    """An event of the kit as an item of a conversation; None where it says nothing."""
    kind = event.get("kind") if isinstance(event, dict) else None
    if kind == "SystemPromptEvent":
        return {"role": "system", "content": event.get("system_prompt")}
    if kind == "MessageEvent" and isinstance(event.get("llm_message"), dict):
        said = {"reasoning_content": event.get("reasoning_content"), **event["llm_message"]}
        speaker = role_of(event.get("source"))
        return {"role": speaker, **said} if speaker and "role" not in said else said
    if kind == "ActionEvent":
        call = event.get("tool_call")
        if not isinstance(call, dict):
            notes.ledger.rules[READING] += 1
            action = event.get("action")
            given = {k: v for k, v in action.items() if k != "kind"} if isinstance(action, dict) else action
            call = {"arguments": given}
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
