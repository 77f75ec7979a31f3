"""OpenHands resolver output: lines `{instruction, history[], metrics, success}` of actions and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.shared import source_of, text_of
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


def recognises(head: Any, _file: TraceFile) -> bool:
    """An instruction with a history, or events of its kind."""
    if isinstance(head, dict) and "instruction" in head:
        return "history" in head or "git_patch" in head or "base_commit" in head
    return isinstance(head, list) and bool(head) and _is_event(head[0]) and "role" not in head[0]


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per line."""
    if isinstance(file.head, list):
        value = file.document()
        entries: Any = [("document", value if isinstance(value, Problem) else {"history": value})]
    else:
        document = file.document()
        entries = [("document", document)]
        if isinstance(document, Problem):
            entries = [(f"line {line}", value) for line, value in file.lines()]
    for position, value in entries:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield _trace(value, file, position, joins)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
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
