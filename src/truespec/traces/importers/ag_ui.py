"""Recorded events of AG-UI, the protocol between agents and user interfaces, as lines, a list or a stream.

A message, and each call's arguments, arrive in pieces under their identifiers; a call names the message that
it belongs to. Snapshots, and the input of a run, hold the whole conversation so far: they give the order, and
what is known of it stays as it is. One trace per thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import entries
from truespec.traces.importers.shared import dicts, tool_schemas
from truespec.traces.importers.streamed import first_of_sse, is_sse, values_of_sse
from truespec.traces.joins import Joins
from truespec.traces.trace import Outcome, Trace

NAME = "ag-ui"
KNOWN = "a message of a snapshot that is known by its identifier, its calls or its words is that message"
_TYPES = re.compile(
    r"(?:RUN_(?:STARTED|FINISHED|ERROR)|STEP_(?:STARTED|FINISHED)|MESSAGES_SNAPSHOT|STATE_(?:SNAPSHOT|DELTA)"
    r"|TEXT_MESSAGE_(?:START|CONTENT|END|CHUNK)|TOOL_CALL_(?:START|ARGS|END|CHUNK|RESULT)|RAW|CUSTOM"
    r"|(?:THINKING|REASONING|ACTIVITY)_[A-Z_]+)"
)
_OF_ALL = (
    "runId",
    "threadId",
    "messageId",
    "toolCallId",
    "run_id",
    "thread_id",
    "message_id",
    "tool_call_id",
)
_FRAMES = ("STEP_STARTED", "STEP_FINISHED", "TOOL_CALL_END", "TEXT_MESSAGE_END", "RUN_FINISHED")
"""Events that only say where something begins or ends."""


def _event(value: Any) -> Mapping[str, Any] | None:
    """The event in a value, which may hold it under `event`; RAW holds there what is none of AG-UI."""
    inner = value.get("event") if isinstance(value, Mapping) else None
    return next((one for one in (inner, value) if _is_event(one)), None)


def _is_event(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, Mapping) else None
    return isinstance(kind, str) and _TYPES.fullmatch(kind) is not None


def _field(event: Mapping[str, Any], name: str) -> Any:
    """A field by its name, or by that with underscores, which Python's models write."""
    found = event.get(name)
    return found if found is not None else event.get(re.sub(r"(?=[A-Z])", "_", name).lower())


def recognises(head: Any, file: TraceFile) -> bool:
    """A first event that names its run, its message or its call."""
    if head is None or isinstance(head, str):
        head = first_of_sse(file)
    event = _event(head[0] if isinstance(head, list) and head else head)
    return event is not None and any(name in event for name in _OF_ALL)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per thread; events that name none belong to the thread of the last run."""
    threads: dict[str, _Thread] = {}
    current = ""
    for place, value in values_of_sse(file) if is_sse(file) else entries(file):
        event = None if isinstance(value, Problem) else _event(value)
        if isinstance(value, Problem):
            yield value
        elif event is None:
            yield file.problem(place, f"expected an event of AG-UI, found {brief(value)}")
        else:
            current = str(_field(event, "threadId") or current)
            thread = threads.setdefault(current, _Thread(Notes(file.ledger), place))
            thread.add(event, place)
    for name, thread in threads.items():
        yield thread.trace(name, file, joins)


@dataclass(eq=False)
class _Item:
    """A message as it is put together."""

    place: str
    body: dict[str, Any]


@dataclass
class _Thread:
    """A conversation as it is put together."""

    notes: Notes
    position: str
    items: list[_Item] = field(default_factory=list)
    said: dict[str, list[_Item]] = field(default_factory=dict)
    """Messages by their identifiers; one that goes on behind results is several."""
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    callers: dict[str, _Item] = field(default_factory=dict)
    """The message of each call."""
    answers: dict[str, _Item] = field(default_factory=dict)
    """The result of each call."""
    chunks: dict[str, Any] = field(default_factory=dict)
    """The message and the call that the latest chunks named: chunks that name none belong to them."""
    thoughts: list[str] = field(default_factory=list)
    tools: Any = None
    ended: str | None = None
    told: set[str] = field(default_factory=set)

    def add(self, event: Mapping[str, Any], place: str) -> None:
        """Take an event."""
        kind = str(event["type"])
        if kind == "RUN_STARTED":
            given = event.get("input")
            if isinstance(given, Mapping):
                self.tools = given.get("tools") or self.tools
                self._resume(dicts(given.get("messages")), place)
        elif kind == "MESSAGES_SNAPSHOT":
            self._resume(dicts(event.get("messages")), place)
        elif kind.startswith("TEXT_MESSAGE_") and kind not in _FRAMES:
            item = self._message(self._named(event, kind, "messageId"), event.get("role"), place)
            item.body["content"] = (item.body.get("content") or "") + str(event.get("delta") or "")
        elif kind == "TOOL_CALL_RESULT":
            self._answer(event, place)
        elif kind.startswith("TOOL_CALL_") and kind not in _FRAMES:
            self._call(event, place)
        elif kind.startswith(("THINKING_", "REASONING_")):
            if isinstance(event.get("delta"), str):
                self.thoughts.append(event["delta"])
        elif kind == "RUN_ERROR":
            self.ended = str(event.get("message") or "error")
            self.notes.ledger.problem(place, f"the run ended in an error: {self.ended[:200]}")
        elif kind not in _FRAMES:
            self.notes.ledger.items.drop(f"an event of the type {kind!r} is not read", place)
            if kind not in self.told and not kind.startswith("STATE_"):
                self.told.add(kind)
                self.notes.ledger.problem(place, f"events of the type {kind!r} are not read")

    def _named(self, event: Mapping[str, Any], kind: str, field_name: str) -> Any:
        """What an event belongs to: only the first chunk has to name it."""
        named = _field(event, field_name)
        if not kind.endswith("_CHUNK"):
            return named
        if named is not None:
            self.chunks[field_name] = named
        return self.chunks.get(field_name)

    def _message(self, name: Any, role: Any, place: str) -> _Item:
        """The message with an identifier; one that results follow already goes on as another one."""
        known = self.said.get(str(name)) if name is not None else None
        item = known[-1] if known else None
        if item is not None and not self._is_answered(item):
            return item
        body: dict[str, Any] = {"role": role or (item.body["role"] if item else "assistant"), "content": None}
        if self.thoughts and body["role"] == "assistant":
            body["reasoning"] = "".join(self.thoughts)
            self.thoughts = []
        item = _Item(place, body)
        self.items.append(item)
        if name is not None:
            self.said.setdefault(str(name), []).append(item)
        return item

    def _is_answered(self, item: _Item) -> bool:
        for other in reversed(self.items):
            if other is item:
                return False
            if other.body["role"] == "tool":
                return True
        return False

    def _call(self, event: Mapping[str, Any], place: str) -> None:
        named = str(self._named(event, str(event["type"]), "toolCallId"))
        call = self.calls.get(named)
        if call is None:
            if (name := _field(event, "toolCallName")) is None:
                self.notes.ledger.calls.drop("a piece of a call that did not begin", place)
                self.notes.ledger.problem(place, f"a piece of a call that did not begin: {brief(event)}")
                return
            item = self._message(_field(event, "parentMessageId"), "assistant", place)
            call = {"type": "function", "id": named, "function": {"name": name, "arguments": ""}}
            item.body.setdefault("tool_calls", []).append(call)
            self.calls[named], self.callers[named] = call, item
        if isinstance(delta := event.get("delta"), str):
            call["function"]["arguments"] += delta

    def _answer(self, event: Mapping[str, Any], place: str) -> None:
        named = str(_field(event, "toolCallId"))
        if named in self.answers:
            return
        item = _Item(place, {"role": "tool", "toolCallId": named, "content": event.get("content")})
        self.items.append(item)
        self.answers[named] = item

    def _resume(self, listed: list[dict[str, Any]], place: str) -> None:
        """Put the messages in the order of a list of all of them; one that it lacks stays in its place."""
        ordered: list[_Item] = []
        kept: set[int] = set()
        for number, message in enumerate(listed):
            calls = dicts(_field(message, "toolCalls"))
            item = self._known(message, calls)
            if item is None:
                body = {k: v for k, v in message.items() if k not in ("toolCalls", "tool_calls")}
                item = _Item(f"{place}, messages/{number}", {"role": "assistant", **body})
                self._register(item)
            else:
                self.notes.ledger.rules[KNOWN] += 1
            for call in calls:
                if str(call.get("id")) not in self.calls:
                    item.body.setdefault("tool_calls", []).append(call)
                    self.calls[str(call.get("id"))], self.callers[str(call.get("id"))] = call, item
            if id(item) not in kept:
                kept.add(id(item))
                ordered.append(item)
        before: _Item | None = None
        for item in self.items:
            if id(item) not in kept:
                ordered.insert(len(ordered) if before is None else ordered.index(before) + 1, item)
            before = item
        self.items = ordered

    def _known(self, message: Mapping[str, Any], calls: list[dict[str, Any]]) -> _Item | None:
        if message.get("role") == "tool":
            return self.answers.get(str(_field(message, "toolCallId")))
        for call in calls:
            if (item := self.callers.get(str(call.get("id")))) is not None:
                return item
        words = (message.get("role"), message.get("content"))
        named = self.said.get(str(message.get("id")), [])
        same = (one for one in named or self.items if (one.body["role"], one.body.get("content")) == words)
        found = next(same, None) if words[1] and not calls else None
        return found or (named[0] if named else None)

    def _register(self, item: _Item) -> None:
        body = item.body
        if body["role"] == "tool":
            self.answers[str(_field(body, "toolCallId"))] = item
        if body.get("id") is not None:
            self.said.setdefault(str(body["id"]), []).append(item)

    def trace(self, name: str, file: TraceFile, joins: Joins) -> Trace:
        """The trace of the thread."""
        if self.thoughts:
            self._message(None, "assistant", self.position)
        listed = [(item.place, item.body) for item in self.items]
        return trace_of(
            placed(listed, self.position, self.notes),
            Origin(file, NAME, self.position, joins),
            identifier=name,
            tools=tool_schemas(self.tools),
            outcome=Outcome(ended=self.ended),
        )
