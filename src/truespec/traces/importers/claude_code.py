"""Claude Code sessions: JSON lines of `user` and `assistant` entries with Anthropic blocks.

What Cursor's command line prints has the same lines, and calls of tools in lines `tool_call` of their own.
A model turn is split over several lines with the same `message.id`; it becomes one message again, placed
where its last line stands, unless a result came in between. Side chains (sub-agents) are marked by `name`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.census import census
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.shared import source_of, tool_call, value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace

NAME = "claude-code"
LAST = "what the line that ends a run says is said last, where no message says it"
_TYPES = ("user", "assistant", "system", "summary", "queue-operation", "file-history-snapshot", "progress")


def recognises(head: Any, file: TraceFile) -> bool:
    """A line with a session, or a session's summary."""
    if not isinstance(head, dict) or not isinstance(head.get("type"), str):
        return False
    if head["type"] not in _TYPES:  # of a later version: its other lines tell
        return "sessionId" in head and any(_is_entry(line) for line in first_lines(file))
    if _is_dated(head):
        return "content" in head["message"]
    if "session_id" in head and head["type"] in ("system", "assistant", "user"):
        return "message" in head or "subtype" in head  # what the command line prints with stream-json
    if "sessionId" in head or "leafUuid" in head or "messageId" in head:
        return True
    return any(_is_entry(line) or _is_dated(line) for line in first_lines(file))


PROGRAM = "what the program says in the user's place (isMeta, isCompactSummary) is a message of the system"
_PROGRAMS = ("isMeta", "isCompactSummary")
_NOTIFIED = ("task-notification",)
"""Modes of a queued command that the program wrote."""


def _is_entry(value: Any) -> bool:
    """Whether this is a line of a session in which the user or the agent speaks."""
    known = isinstance(value, dict) and value.get("type") in ("user", "assistant") and "uuid" in value
    return known and "sessionId" in value and isinstance(value.get("message"), dict)


def _is_dated(value: Any) -> bool:
    """Whether this is a line in which the user or the agent speaks, with its time."""
    known = isinstance(value, dict) and value.get("type") in ("user", "assistant") and "timestamp" in value
    return known and isinstance(value.get("message"), dict)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    messages: list[Message] = []
    notes = Notes(file.ledger)
    open_turns: dict[str, int] = {}
    metadata: dict[str, Any] = {}
    model: str | None = None
    session: str | None = None
    for line, entry in file.lines():
        if isinstance(entry, Problem):
            yield entry
            continue
        if not isinstance(entry, dict):
            yield file.problem(f"line {line}", "expected an object")
            continue
        if (queued := _queued(entry)) is not None:
            metadata.setdefault("other", []).append(entry)  # with how it was shown to the model
            entry = queued
        kind = entry.get("type")
        notes.place = f"line {line}"
        session = entry.get("sessionId") or entry.get("session_id") or session
        if kind == "tool_call" and isinstance(entry.get("tool_call"), dict):
            messages += _printed(entry, messages, notes)
            continue
        if kind not in ("user", "assistant") or not isinstance(entry.get("message"), dict):
            metadata.setdefault("other", []).append(entry)
            if kind == "result":
                messages += _ended(entry, messages, notes)
            continue
        for key in ("cwd", "version", "gitBranch"):
            if entry.get(key):
                metadata.setdefault(key, entry[key])
        body: Mapping[str, Any] = entry["message"]
        model = body.get("model") or model
        extra = {k: entry[k] for k in ("uuid", "parentUuid", "timestamp", "permissionMode") if entry.get(k)}
        for message in messages_of_item({"role": kind, "content": body.get("content")}, notes):
            role = message.role
            if role == "user" and any(entry.get(key) is True for key in _PROGRAMS):
                role = "system"
                file.ledger.rules[PROGRAM] += 1
            made = Message(  # `replace` takes three times as long
                role,
                message.text,
                message.calls,
                message.call_id,
                message.tool,
                message.error,
                message.requestor,
                "sidechain" if entry.get("isSidechain") else None,
                message.reasoning,
                f"line {line}",
                {**(message.extra or {}), **extra},
            )
            turn = body.get("id")
            earlier = open_turns.get(turn) if kind == "assistant" and isinstance(turn, str) else None
            if earlier is not None:
                messages[earlier] = _joined(messages[earlier], made)
                continue
            if kind == "assistant" and isinstance(turn, str):
                open_turns[turn] = len(messages)
            messages.append(made)
    if not messages:
        yield file.problem("document", "a session without messages")
        return
    _left(metadata.get("other", []), messages, notes)
    if any(message.role == "tool" and message.call_id is None for message in messages):
        messages = paired(messages, file.ledger)
    yield Trace(
        id=session or file.path.stem,
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=joins.prompt,
        tools=joins.domain(None).tools,
        model=model,
        metadata=metadata,
    )


def _queued(entry: dict[str, Any]) -> dict[str, Any] | None:
    """What the user wrote while the agent worked, as an entry of the user; None for other entries."""
    held = entry.get("attachment") if entry.get("type") == "attachment" else None
    if not isinstance(held, dict) or held.get("type") != "queued_command" or not held.get("prompt"):
        return None
    by_program = held.get("commandMode") in _NOTIFIED or held.get("isMeta") is True
    said = {"role": "user", "content": held["prompt"]}
    return {**entry, "type": "user", "message": said, "isMeta": by_program}


def _printed(entry: Mapping[str, Any], before: list[Message], notes: Notes) -> list[Message]:
    """A call as Cursor prints it: where it starts, and where it has completed with its result."""
    named, place = entry.get("call_id"), notes.place
    tools = [(name, body) for name, body in entry["tool_call"].items() if isinstance(body, Mapping)]
    if not tools:
        notes.ledger.calls.drop("a call without its tool", place)
        notes.ledger.problem(place, f"a call without its tool: {brief(entry)}")
        return []
    name, body = tools[0]
    given = body.get("arguments") if name == "function" else body.get("args")
    call = tool_call(body.get("name", name) if name == "function" else name, given, named)
    known = [c for m in before for c in m.calls if named is not None and c.id == named]
    made = [] if known else [Message("assistant", None, (call,), position=place)]
    result = body.get("result", entry.get("result"))
    if result is not None:
        told = next(iter(result.values())) if isinstance(result, Mapping) and len(result) == 1 else result
        failed = True if isinstance(result, Mapping) and not result.keys() & {"success", "content"} else None
        text = value_text(told)
        made.append(Message("tool", text, call_id=call.id, tool=call.name, error=failed, position=place))
    return made


def _ended(entry: Mapping[str, Any], before: list[Message], notes: Notes) -> list[Message]:
    """What the line that ends a run says, where no message before it says it."""
    said = entry.get("result")
    if entry.get("is_error") is True:
        notes.ledger.problem(notes.place, f"the run ended in an error: {brief(said or entry)}")
        return []
    if not isinstance(said, str) or not said.strip():
        return []
    told = "".join(m.text for m in before if m.role == "assistant" and m.text)
    if "".join(said.split()) in "".join(told.split()):
        return []
    notes.ledger.rules[LAST] += 1
    return [Message("assistant", said, position=notes.place)]


def _left(others: list[Mapping[str, Any]], messages: list[Message], notes: Notes) -> None:
    """Report the calls in lines that no message is made of."""
    taken = {call.id for message in messages for call in message.calls}
    missing: dict[str, str] = {}
    for entry in others:
        if entry.get("type") != "file-history-snapshot":
            for found in census(entry):
                if isinstance(found, ToolCall) and found.id not in taken:
                    missing.setdefault(str(found.id), str(entry.get("type"))[:60])
    for kind, count in Counter(missing.values()).items():
        for _ in range(count):
            notes.ledger.calls.drop(f"a call in a line of the type {kind!r}, which is not read", "document")
        notes.ledger.problem(
            "document", f"{count} calls stand in lines of the type {kind!r}, which are not read"
        )


def _joined(first: Message, second: Message) -> Message:
    return replace(
        first,
        text="\n".join(t for t in (first.text, second.text) if t is not None)
        if first.text or second.text
        else None,
        calls=first.calls + second.calls,
        reasoning="\n".join(t for t in (first.reasoning, second.reasoning) if t) or None,
    )
