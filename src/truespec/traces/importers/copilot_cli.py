"""Sessions of GitHub's Copilot on the command line: `events.jsonl`, an event of the session on each line.

What was said and asked stands in `user.message` and `assistant.message`, results in
`tool.execution_complete`. An execution whose request no message holds is a call of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.outcomes import outcome_of
from truespec.traces.importers.shared import dicts, source_of, spelt, tool_call
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "copilot-cli"
STARTED = "a started execution whose request no message holds is a call of its own"
_SAID = {"user.message": "user", "assistant.message": "assistant", "system.message": "system"}
_ASIDE = (
    "session.",
    "assistant.turn_",
    "assistant.reasoning",
    "assistant.intent",
    "assistant.usage",
    "assistant.message_",
    "assistant.streaming_",
    "tool.execution_partial",
    "tool.execution_progress",
    "hook.",
    "permission.",
)
"""How the types of events begin that say nothing, or what another event says."""


def _is_ours(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("data"), Mapping)
        and isinstance(value.get("type"), str)
        and (
            value["type"] in _SAID
            or value["type"].startswith(("session.", "assistant.turn_", "tool.execution_"))
        )
    )


def recognises(head: Any, file: TraceFile) -> bool:
    """An event of a session on the first line."""
    return _is_ours(head) and not str(head["type"]).startswith(("session.created", "session.updated"))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace: the session."""
    session = _Session(file.ledger)
    for line, value in file.lines():
        if isinstance(value, Problem):
            yield value
        elif not _is_ours(value) and not (isinstance(value, Mapping) and isinstance(value.get("type"), str)):
            yield file.problem(f"line {line}", f"expected an event of a session, found {brief(value)}")
        else:
            session.add(value, f"line {line}")
    session.close()
    messages = tuple(session.messages)
    yield Trace(
        id=str(session.about.get("sessionId") or file.path.name),
        messages=messages,
        source=source_of(file, NAME, "document"),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=joins.domain(None).tools,
        model=session.model,
        metadata={k: v for k, v in session.about.items() if k != "sessionId" and v is not None},
    )


class _Session:
    """A session as its events tell it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.messages: list[Message] = []
        self.about: dict[str, Any] = {}
        self.model: str | None = None
        self._called: set[str] = set()
        self._unread: Counter[str] = Counter()
        self._places: dict[str, str] = {}

    def add(self, event: Mapping[str, Any], place: str) -> None:
        kind, data = event["type"], event.get("data")
        data = data if isinstance(data, Mapping) else {}
        if kind == "session.start":
            self.about = {k: v for k, v in data.items() if isinstance(v, str | int | Mapping)}
        named = data.get("newModel") or data.get("model") or data.get("selectedModel")
        self.model = named if isinstance(named, str) else self.model
        if kind in _SAID:
            self._said(_SAID[kind], data, place)
        elif kind == "tool.execution_start":
            identifier = data.get("toolCallId")
            if identifier is not None and str(identifier) not in self._called:
                self._called.add(str(identifier))
                call = tool_call(data.get("toolName"), data.get("arguments"), identifier)
                self.messages.append(Message("assistant", None, (call,), position=place))
                self.ledger.rules[STARTED] += 1
        elif kind == "tool.execution_complete":
            self._result(data, place)
        elif not kind.startswith(_ASIDE):
            self._unread[kind] += 1
            self._places.setdefault(kind, place)
            self.ledger.items.drop(f"an event of the type {kind[:60]!r} is not read", place)

    def _said(self, role: str, data: Mapping[str, Any], place: str) -> None:
        calls = []
        for request in dicts(data.get("toolRequests")):
            identifier = request.get("toolCallId")
            if identifier is None or str(identifier) not in self._called:
                self._called.add(str(identifier))
                calls.append(tool_call(request.get("name"), request.get("arguments"), identifier))
        text = data.get("content")
        thought = data.get("reasoningText")
        if text or calls or thought:
            self.messages.append(
                Message(
                    role,
                    text if isinstance(text, str) and text else None,
                    tuple(calls),
                    reasoning=thought if isinstance(thought, str) else None,
                    position=place,
                )
            )

    def _result(self, data: Mapping[str, Any], place: str) -> None:
        error = data.get("error")
        value = data.get("result", error)
        if isinstance(value, Mapping):
            value = value.get("content", value.get("message", value))
        text, failed = outcome_of(value)
        failed = True if data.get("success") is False or error else failed
        identifier = data.get("toolCallId")
        self.messages.append(
            Message(
                "tool",
                text,
                call_id=None if identifier is None else spelt(identifier),
                tool=data["toolName"] if isinstance(data.get("toolName"), str) else None,
                error=failed,
                position=place,
            )
        )

    def close(self) -> None:
        """Report the types of events that were not read."""
        for kind, count in self._unread.items():
            self.ledger.problem(self._places[kind], f"{count} events of the type {kind[:60]!r} are not read")
