"""Logs of the Agent Client Protocol, between an editor and an agent: JSON-RPC messages, one by one.

What the user asks stands in requests `session/prompt`, what the agent says and does in notices
`session/update`: pieces of texts and of thoughts, calls, and what became of them under their identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.traces.files import HEAD_BYTES, Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.json_rpc import Session, Sessions, rpc_entries, rpc_messages
from truespec.traces.importers.shared import dicts, spelt, text_of, tool_call, value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "acp-log"
TITLED = "a call of ACP, whose log holds no name of the tool, is named by its title"
_MARKS = (b"session/update", b"session/prompt")
_UPDATE = "session/update"
_PROMPT = "session/prompt"
_TEXTS = {"user_message_chunk": "user", "agent_message_chunk": "assistant", "agent_thought_chunk": "thought"}
_CALLS = ("tool_call", "tool_call_update")
_ENDED = ("completed", "failed")
_FRAMES = ("session/new", "session/load", "session/cancel", "session/set_mode", "initialize", "authenticate")
"""Requests that say nothing of a conversation."""


def recognises(head: Any, file: TraceFile) -> bool:
    """A message of JSON-RPC first, and the methods of ACP in the part that is looked at."""
    if not isinstance(head, dict | list):
        return False
    with file.open() as stream:
        start = stream.read(HEAD_BYTES)
    if not any(mark in start for mark in _MARKS):
        return False
    return next(rpc_messages(head), None) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per session."""
    sessions = Sessions(_Session, file)
    for entry in rpc_entries(file, "JSON-RPC"):
        if isinstance(entry, Problem):
            yield entry
            continue
        for message in entry.messages:
            if (params := _about(message, entry.place, file)) is not None:
                session = sessions.at(spelt(params.get("sessionId") or ""), entry.place)
                session.add(params, entry.place)
    for name, session in sessions.items():
        if session.messages:
            origin = Origin(file, NAME, session.position, joins)
            yield trace_of(session.messages, origin, identifier=name)


def _about(message: Mapping[str, Any], place: str, file: TraceFile) -> Mapping[str, Any] | None:
    """What a message says of a conversation; None where it says nothing that is read, which is told."""
    method, params = message.get("method"), message.get("params")
    if message.get("error") is not None:
        file.ledger.problem(place, f"a request failed: {brief(message['error'])}")
    if not isinstance(method, str) or method in _FRAMES:
        return None
    if method in (_UPDATE, _PROMPT) and isinstance(params, Mapping):
        return params
    file.ledger.items.drop(f"a message {method[:60]!r} of ACP is not read", place)
    file.ledger.problem("document", f"messages {method[:60]!r} of ACP are not read")
    return None


@dataclass
class _Session(Session):
    """A conversation as it is put together."""

    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where each call stands: its message and its number there."""
    results: dict[str, int] = field(default_factory=dict)
    spoken: str | None = None
    """The kind of the last piece of a text, which the next one of its kind goes on with."""
    prompted: str = ""
    """What the user asked last, which an agent may repeat."""

    def add(self, params: Mapping[str, Any], place: str) -> None:
        """Take what a message says."""
        update = params.get("update")
        if not isinstance(update, Mapping):
            self.prompted = text_of(params.get("prompt")) or ""
            self.messages.append(Message("user", self.prompted or None, position=place))
            self.spoken = None
            return
        kind = str(update.get("sessionUpdate"))
        if kind in _TEXTS:
            self._say(_TEXTS[kind], text_of(update.get("content")) or "", place)
        elif kind in _CALLS and update.get("toolCallId") is not None:
            self._call(update, spelt(update["toolCallId"]), place)
        else:
            self.notes.ledger.items.drop(f"an update {kind[:60]!r} of ACP is not read", place)

    def _say(self, role: str, text: str, place: str) -> None:
        if role == "user" and text and text in self.prompted:
            return
        last = self.messages[-1] if self.messages else None
        speaker = "assistant" if role == "thought" else role
        if last is None or last.role != speaker or last.calls or self.spoken is None:
            last = Message(speaker, None, position=place)
            self.messages.append(last)
        if role == "thought":
            self.messages[-1] = replace(last, reasoning=(last.reasoning or "") + text)
        else:
            self.messages[-1] = replace(last, text=(last.text or "") + text)
        self.spoken = role

    def _call(self, update: Mapping[str, Any], named: str, place: str) -> None:
        given = update.get("rawInput")
        if named not in self.places:
            name = self._name(update)
            call = tool_call(name, given, named, text_input=isinstance(given, str))
            call = call if given is not None else replace(call, arguments=None, raw="")
            last = self.messages[-1] if self.messages else None
            if last is not None and last.role == "assistant":
                self.messages[-1] = replace(last, calls=(*last.calls, call))
            else:
                self.messages.append(Message("assistant", None, (call,), position=place))
            self.places[named] = len(self.messages) - 1, len(self.messages[-1].calls) - 1
        elif given is not None:
            at, number = self.places[named]
            known = list(self.messages[at].calls)
            known[number] = tool_call(known[number].name, given, named, text_input=isinstance(given, str))
            self.messages[at] = replace(self.messages[at], calls=tuple(known))
        self.spoken = None
        if update.get("status") in _ENDED:
            self._end(update, named, place)

    def _name(self, update: Mapping[str, Any]) -> str:
        """The name of a tool, which some agents keep in a field of their own; else the call's title."""
        about = update.get("_meta")
        held = [about, *about.values()] if isinstance(about, Mapping) else []
        names = (
            one[key]
            for one in held
            if isinstance(one, Mapping)
            for key in ("toolName", "tool_name")
            if key in one
        )
        if isinstance(name := next(names, None), str):
            return name
        self.notes.ledger.assumed[TITLED] += 1
        return str(update.get("title") or update.get("kind") or "tool")

    def _end(self, update: Mapping[str, Any], named: str, place: str) -> None:
        parts = [
            one.get("content", one) if one.get("type") == "content" else one
            for one in dicts(update.get("content"))
        ]
        texts = [part["text"] if isinstance(part.get("text"), str) else value_text(part) for part in parts]
        text = "\n".join(one for one in texts if one) or value_text(update.get("rawOutput"))
        failed = True if update["status"] == "failed" else None
        at, number = self.places[named]
        name = self.messages[at].calls[number].name
        made = Message("tool", text, call_id=named, tool=name, error=failed, position=place)
        if named in self.results:
            self.messages[self.results[named]] = made
        else:
            self.results[named] = len(self.messages)
            self.messages.append(made)
