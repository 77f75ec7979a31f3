"""Claude Code sessions: JSON lines of `user` and `assistant` entries with Anthropic blocks.

A model turn is split over several lines with the same `message.id`; it becomes one message again, placed
where its last line stands, unless a result came in between. Side chains (sub-agents) are marked by `name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.shared import source_of
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "claude-code"
_TYPES = ("user", "assistant", "system", "summary", "queue-operation", "file-history-snapshot", "progress")


def recognises(head: Any, file: TraceFile) -> bool:
    """A line with a session, or a session's summary."""
    if not isinstance(head, dict) or not isinstance(head.get("type"), str):
        return False
    if head["type"] not in _TYPES:  # of a later version: its other lines tell
        return "sessionId" in head and any(_is_entry(line) for line in first_lines(file))
    if (
        head["type"] in ("user", "assistant")
        and isinstance(head.get("message"), dict)
        and "timestamp" in head
    ):
        return "content" in head["message"]
    if "session_id" in head and head["type"] in ("system", "assistant", "user"):
        return "message" in head or "subtype" in head  # what the command line prints with stream-json
    return "sessionId" in head or "leafUuid" in head or "messageId" in head


def _is_entry(value: Any) -> bool:
    """Whether this is a line of a session in which the user or the agent speaks."""
    known = isinstance(value, dict) and value.get("type") in ("user", "assistant") and "uuid" in value
    return known and "sessionId" in value and isinstance(value.get("message"), dict)


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
        kind = entry.get("type")
        session = entry.get("sessionId") or entry.get("session_id") or session
        if kind not in ("user", "assistant") or not isinstance(entry.get("message"), dict):
            metadata.setdefault("other", []).append(entry)
            continue
        for key in ("cwd", "version", "gitBranch"):
            if entry.get(key):
                metadata.setdefault(key, entry[key])
        body: Mapping[str, Any] = entry["message"]
        model = body.get("model") or model
        extra = {k: entry[k] for k in ("uuid", "parentUuid", "timestamp", "permissionMode") if entry.get(k)}
        notes.place = f"line {line}"
        for message in messages_of_item({"role": kind, "content": body.get("content")}, notes):
            made = replace(
                message,
                position=f"line {line}",
                extra={**(message.extra or {}), **extra},
                name="sidechain" if entry.get("isSidechain") else None,
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
    yield Trace(
        id=session or file.path.stem,
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=joins.domain(None).tools,
        model=model,
        metadata=metadata,
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
