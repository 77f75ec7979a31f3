"""SWE-agent `.traj` files: `history` holds the conversation, `trajectory` the steps, `info` the outcome.

Versions without function calling write the action as text; it becomes a call named by its first word, so that
rules can speak about it, and the next observation its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.items import openai_messages
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of, text_of
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, ToolCall, Trace, prompt_of

NAME = "swe-agent"


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and ("agent" in value or "message_type" in value)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A history of entries that name their agent, or a trajectory of actions."""
    if not isinstance(head, dict):
        return False
    history, steps = head.get("history"), head.get("trajectory")
    return (isinstance(history, list) and bool(history) and _is_entry(history[0])) or (
        isinstance(steps, list) and bool(steps) and isinstance(steps[0], dict) and "action" in steps[0]
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    history: list[Mapping[str, Any]] = []
    header: Mapping[str, Any] = {}
    for around, _, entry in each_record(file, "history", _is_entry, needs=("info",)):
        header = around
        if isinstance(entry, Problem):
            yield entry
        else:
            history.append(entry)
    messages: list[Message] = []
    notes = Notes(file.ledger)
    for index, entry in enumerate(history):
        messages.append(_message(entry, index, messages[-1] if messages else None, notes))
    info = header.get("info") or {}
    yield Trace(
        id=file.path.name.removesuffix(".gz").removesuffix(".traj"),
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=joins.domain(None).tools,
        domain=str(header["environment"]) if header.get("environment") else None,
        outcome=Outcome(
            parts={k: v for k, v in info.items() if v is not None}, ended=info.get("exit_status")
        ),
        metadata={
            k: header[k] for k in ("trajectory", "replay_config", "environment") if header.get(k) is not None
        },
    )


def _message(entry: Mapping[str, Any], index: int, before: Message | None, notes: Notes) -> Message:
    extra = {
        k: v
        for k, v in entry.items()
        if k in ("is_demo", "message_type", "thought", "agent", "state") and v is not None
    }
    said = {k: v for k, v in entry.items() if k in ("role", "content", "tool_calls")}
    message, *others = openai_messages(said, notes)
    if others:
        raise ValueError(f"entry {index} holds results of tools beside what is said")
    if message.role == "tool":
        identifiers = entry.get("tool_call_ids") or [None]
        return Message("tool", message.text, call_id=identifiers[0], extra=extra)
    calls = message.calls
    action = entry.get("action")
    if (
        message.role == "assistant"
        and not calls
        and isinstance(action, str)
        and action.strip()
        and not entry.get("is_demo")
    ):
        name, _, rest = action.strip().partition(" ")
        calls = (ToolCall(name.split("\n")[0], {"command": rest.strip()}, f"action-{index}"),)
    if message.role == "user" and before is not None and before.calls and not entry.get("is_demo"):
        last = before.calls[-1]
        if last.id is not None and last.id.startswith("action-"):
            return Message(
                "tool", text_of(entry.get("content")), call_id=last.id, tool=last.name, extra=extra
            )
    return Message(message.role, message.text, calls, extra=extra)
