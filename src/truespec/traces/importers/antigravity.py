"""Transcripts of Google's Antigravity: lines `{step_index, source, type, content, thinking, tool_calls}`.

The user speaks in lines of the source `USER_EXPLICIT`, the model in `PLANNER_RESPONSE`; what a tool gave is a
line behind them, of the model's or of the system's source, which names no call. It answers the first call
without a result of the response before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from truespec.traces.files import brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import dicts, text_of, tool_call
from truespec.traces.importers.told import parsed
from truespec.traces.trace import Message, ToolCall

_TYPES = ("USER_INPUT", "USER_MESSAGE", "PLANNER_RESPONSE", "NOTIFY_USER")
_SAYING = ("PLANNER_RESPONSE", "NOTIFY_USER")
_SYSTEMS = (
    *("SYSTEM_MESSAGE", "CHECKPOINT", "EPHEMERAL_MESSAGE", "CONVERSATION_HISTORY", "KNOWLEDGE_ARTIFACTS"),
    "USER_SETTINGS_CHANGE",
)
"""Types of lines that the program writes for the model."""
ANSWERS = "what a tool gave answers the first call without a result of the response before it"
EMPTY = "a step that says nothing is passed over"


def is_line(value: Any) -> bool:
    """Whether this is a line of a transcript."""
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str) or "role" in value:
        return False
    return value.get("source") in ("USER_EXPLICIT", "USER", "MODEL", "SYSTEM") and (
        "step_index" in value or value["type"] in _TYPES
    )


def messages_of_lines(lines: Iterable[tuple[str, Mapping[str, Any]]], notes: Notes) -> list[Message]:
    """The messages of a transcript, of lines with their places."""
    made: list[Message] = []
    open_calls: list[ToolCall] = []
    for place, line in lines:
        kind, source = line["type"], line["source"]
        text = text_of(line.get("content"))
        listed = dicts(line.get("tool_calls"))
        if source.startswith("USER"):
            made.append(Message("user", text, position=place))
        elif source == "MODEL" and (kind in _SAYING or listed):
            calls = [_call(one, f"{line.get('step_index', place)}-{n}") for n, one in enumerate(listed)]
            said = text if kind in _SAYING else None
            thought = text_of(line.get("thinking"))
            if not (said or thought or calls):
                notes.ledger.rules[EMPTY] += 1
                continue
            made.append(Message("assistant", said, tuple(calls), reasoning=thought, position=place))
            open_calls = calls or open_calls
            if kind not in _SAYING and text is not None:
                made.append(_result(open_calls.pop(0), line, text, place, notes))
        elif text is None:
            notes.ledger.rules[EMPTY] += 1
        elif kind not in _SYSTEMS and open_calls:
            made.append(_result(open_calls.pop(0), line, text, place, notes))
        elif source == "SYSTEM":
            made.append(Message("system", text, position=place))
        else:
            notes.ledger.results.drop("what a tool gave, where no call is open", place)
            notes.ledger.problem(place, f"what a tool gave answers no call: {brief(line)}")
    return made


def _call(value: Mapping[str, Any], name: str) -> ToolCall:
    """A call; what it gives its tool may be the JSON of texts."""
    given = parsed(value.get("args", value.get("arguments")))
    if isinstance(given, Mapping):
        given = {key: parsed(one) if _is_quoted(one) else one for key, one in given.items()}
    return tool_call(value.get("name"), given, str(value.get("id") or f"step-{name}"))


def _is_quoted(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"'


def _result(call: ToolCall, line: Mapping[str, Any], text: str, place: str, notes: Notes) -> Message:
    notes.ledger.rules[ANSWERS] += 1
    failed = True if line.get("status") == "ERROR" or line.get("error") else None
    return Message("tool", text, call_id=call.id, tool=call.name, error=failed, position=place)
