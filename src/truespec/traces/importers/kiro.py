"""Conversations of Kiro's and Amazon Q's command lines: `{conversation_id, history: [{user, assistant}]}`.

A turn is a prompt, or the results of tools, and the agent's reply, with its calls. Older files keep a turn as
a list of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "kiro"
ATTACHED = "images beside what the user says are not kept"
_RESULTS = ("ToolUseResults", "CancelledToolUses")
_SAID = ("Prompt", *_RESULTS)
_REPLIES = ("ToolUse", "Response")


def _turn(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """What was asked and replied in a turn; None where it is none."""
    if isinstance(value, Mapping):
        value = [value.get("user"), value.get("assistant")]
    asked, replied = value[:2] if isinstance(value, list) and len(value) > 1 else (None, None)
    content = asked.get("content") if isinstance(asked, Mapping) else None
    if not isinstance(asked, Mapping) or not isinstance(content, Mapping) or not isinstance(replied, Mapping):
        return None
    known = any(key in content for key in _SAID) and any(key in replied for key in _REPLIES)
    return (asked, replied) if known else None


def _history(value: Any) -> list[Any] | None:
    listed = value.get("history") if isinstance(value, Mapping) else None
    return listed if isinstance(listed, list) and listed and _turn(listed[0]) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """A conversation, alone or first of a list."""
    return _history(head[0] if isinstance(head, list) and head else head) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation."""

    def made(value: Any, history: list[Any], position: str) -> Trace:
        notes = Notes(file.ledger, position)
        items: list[tuple[str, Any]] = []
        for number, one in enumerate(history):
            place = f"history/{number}"
            if (turn := _turn(one)) is None:
                notes.ledger.problem(f"{position}, {place}", f"no turn of a conversation: {brief(one)}")
                notes.ledger.items.drop("a turn that cannot be read", place)
            else:
                if turn[0].get("images"):
                    notes.ledger.rules[ATTACHED] += 1
                items += [(place, item) for item in (_asked(turn[0]["content"]), _replied(turn[1]))]
        messages = placed(items, position, notes)
        kept = {k: v for k, v in value.items() if k != "history" and v is not None}
        origin = Origin(file, NAME, position, joins)
        return trace_of(messages, origin, identifier=value.get("conversation_id"), metadata=kept)

    return each_trace(
        file, records(file, lambda v: _history(v) is not None), _history, made, "a conversation"
    )


def _asked(content: Mapping[str, Any]) -> dict[str, Any]:
    parts: list[Any] = []
    if "Prompt" in content:
        said = content["Prompt"]
        parts.append({"type": "text", "text": said.get("prompt") if isinstance(said, Mapping) else said})
    for key in _RESULTS:
        held = content.get(key)
        said = held.get("prompt") if isinstance(held, Mapping) else None
        held = held.get("tool_use_results") if isinstance(held, Mapping) else held
        for one in dicts(held):
            failed = {"is_error": True} if one.get("status") in ("Error", "Cancelled") else {}
            told = [_spoken(part) for part in dicts(one.get("content"))]
            about = {"tool_use_id": one.get("tool_use_id"), "output": told[0] if len(told) == 1 else told}
            parts.append({"type": "tool_result", **about, **failed})
        if said:  # what the user says on cancelling
            parts.append({"type": "text", "text": said})
    return {"role": "user", "content": parts}


def _spoken(part: Mapping[str, Any]) -> Any:
    """The value of a part of a result: `{"Text": …}`, `{"Json": …}`."""
    return next(iter(part.values())) if len(part) == 1 else part


def _replied(reply: Mapping[str, Any]) -> dict[str, Any]:
    body = next(reply[key] for key in _REPLIES if key in reply)
    parts: list[Any] = [{"type": "text", "text": body["content"]}] if body.get("content") else []
    parts += [
        {"type": "tool_use", "id": use.get("id"), "name": use.get("name"), "input": use.get("args")}
        for use in dicts(body.get("tool_uses"))
    ]
    return {"role": "assistant", "content": parts}
