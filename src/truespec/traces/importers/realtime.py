"""Events of OpenAI's Realtime interface, one on each line: what a client and the server sent each other.

An item of the conversation is sent when it begins, when it ends, and with its response; it is read once, as
it was told last, at its first place. What the user said aloud is told by a transcription of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import dicts, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "openai-realtime"
LATEST = "an item that several events tell is read once, as it was told last"
_EVENTS = (
    "session.",
    "conversation.item.",
    "conversation.created",
    "response.",
    "input_audio_buffer.",
    "output_audio_buffer.",
    "rate_limits.",
    "error",
)
_HEARD = "conversation.item.input_audio_transcription.completed"
_GONE = ("conversation.item.deleted", "conversation.item.truncated")


def _is_ours(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("type"), str)
        and value["type"].startswith(_EVENTS)
    )


def recognises(head: Any, _file: TraceFile) -> bool:
    """An event with which such a log begins: of the session, or of an item of the conversation."""
    if not _is_ours(head):
        return False
    session, item = head.get("session"), head.get("item")
    if head["type"].startswith("session."):
        return isinstance(session, Mapping)
    return head["type"].startswith("conversation.item.") and isinstance(item, Mapping)


class _Items:
    """The items of a conversation in the order in which they began."""

    def __init__(self, file: TraceFile) -> None:
        self.ledger = file.ledger
        self.session: dict[str, Any] = {}
        self.items: dict[str, tuple[str, dict[str, Any]]] = {}
        self.heard: dict[str, str] = {}

    def add(self, event: Mapping[str, Any], place: str) -> None:
        kind = event["type"]
        if kind.startswith("session.") and isinstance(event.get("session"), Mapping):
            self.session.update({k: v for k, v in event["session"].items() if v is not None})
        elif kind == _HEARD:
            self.heard[str(event.get("item_id"))] = str(event.get("transcript") or "")
        elif isinstance(event.get("item"), Mapping):
            self._item(event["item"], place)
        elif kind == "response.done" and isinstance(event.get("response"), Mapping):
            for item in dicts(event["response"].get("output")):
                self._item(item, place)
        elif kind in _GONE or kind == "error":
            self.ledger.items.drop(f"an event of the type {kind!r} is not read", place)
            self.ledger.problem(place, f"an event of the type {kind!r} is not read: {brief(event)}")

    def _item(self, item: Mapping[str, Any], place: str) -> None:
        key = str(
            item.get("call_id") if item.get("type") == "function_call_output" else item.get("id") or place
        )
        key = f"{item.get('type')}:{key}"
        if key in self.items:
            self.ledger.rules[LATEST] += 1
            place = self.items[key][0]
        self.items[key] = place, dict(item)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace: the session."""
    found = _Items(file)
    for line, value in file.lines():
        if isinstance(value, Problem):
            yield value
        elif _is_ours(value):
            found.add(value, f"line {line}")
        else:
            yield file.problem(f"line {line}", f"expected an event of a session, found {brief(value)}")
    yield _trace(found, file, joins)


def _trace(found: _Items, file: TraceFile, joins: Joins) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    prompt = found.session.get("instructions")
    if isinstance(prompt, str) and prompt:
        messages.append(Message("system", prompt, position="session"))
    for place, item in found.items.values():
        notes.place = place
        messages += [replace(m, position=place) for m in messages_of_item(_spoken(item, found), notes)]
    tools = tool_schemas(found.session.get("tools"))
    model, identifier = found.session.get("model"), found.session.get("id")
    return trace_of(
        messages,
        Origin(file, NAME, "document", joins),
        identifier=identifier or file.path.name,
        prompt=prompt if isinstance(prompt, str) else None,
        tools=tools,
        model=model,
    )


def _spoken(item: Mapping[str, Any], found: _Items) -> Mapping[str, Any]:
    """The item with the words of what was said aloud."""
    if item.get("type") != "message":
        return item
    parts: list[Any] = []
    for part in dicts(item.get("content")):
        words = part.get("transcript") or (
            found.heard.get(str(item.get("id"))) if part.get("type") == "input_audio" else None
        )
        parts.append({"type": "text", "text": words} if isinstance(words, str) and words else part)
    return {"role": item.get("role"), "content": parts}
