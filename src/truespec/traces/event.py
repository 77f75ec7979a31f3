"""A trace as a sequence of events: messages, calls, results, in the order in which they happened.

A message yields one `message` event and then one `call` event for each call in it; the result of a call
yields one `result` event, which carries the call's tool and arguments again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.trace import Message, ToolCall, Trace

NO_ARGUMENTS: Mapping[str, Any] = {}


class Event:
    """One thing that happened. Plain and mutable for speed; nobody changes it once it is made."""

    __slots__ = (
        "args",
        "by",
        "call",
        "calls",
        "extra",
        "failed",
        "index",
        "kind",
        "notes",
        "number",
        "said",
        "text",
        "tool",
        "trace",
        "type",
    )

    def __init__(
        self,
        kind: str,
        index: int,
        by: str,
        text: str | None = None,
        tool: str | None = None,
        args: Mapping[str, Any] = NO_ARGUMENTS,
        failed: bool | None = None,
        calls: int = 0,
        said: bool = False,
        type: str | None = None,
        number: int = 0,
        call: ToolCall | None = None,
        trace: Trace | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind = kind
        """`message`, `call` or `result`."""
        self.index = index
        """The index of its message in the trace."""
        self.by = by
        """Who spoke (`user`, `assistant`, `system`) or who asked for the call."""
        self.text = text
        """The message's text; a call has the text of its message, a result its own."""
        self.tool = tool
        """The tool of a call or a result."""
        self.args = args
        """The arguments of a call, or of the call that a result answers; empty where they did not parse."""
        self.failed = failed
        """Whether the call failed: known for results, and for calls of a trace that is complete."""
        self.calls = calls
        """How many calls the message holds."""
        self.said = said
        """Whether the message holds text that is not blank."""
        self.type = type
        """`read`, `write` or `generic`, where known."""
        self.number = number
        """The call's position in its message."""
        self.call = call
        """The call itself."""
        self.trace = trace
        """The trace it belongs to, or what is known of it on line; None where nothing is."""
        self.extra = extra
        """What its source says of its message besides, such as the time."""
        self.notes: dict[Any, tuple[str, bool]] | None = None
        """What conditions noted about values of other types than they ask for, and whether they were read."""

    def __repr__(self) -> str:
        return f"Event({self.kind} {self.index} by {self.by}: {self.tool or self.text!r})"


KINDS = frozenset(("message", "call", "result"))
"""The kinds of events."""


def events(
    trace: Trace, pairing: str = "nearest", kinds_wanted: frozenset[str] = KINDS, with_results: bool = True
) -> Iterator[Event]:
    """The events of a complete trace, of the kinds that are wanted; each call knows whether it failed.

    Without `with_results`, calls do not know it, which is cheaper.

    `pairing` says which result a call has when an identifier is used again: the `nearest`, which is what
    happened, or the `last`, as tools that key results by identifier see it.
    """
    kinds = trace.kinds
    messages = trace.messages
    says, answers = "message" in kinds_wanted, "result" in kinds_wanted
    acts = "call" in kinds_wanted
    results = trace.results if with_results else {}
    origins = trace.origins if answers else {}
    last: dict[str, int] = {}
    if pairing == "last":
        last = {m.call_id: i for i, m in enumerate(messages) if m.role == "tool" and m.call_id is not None}
    for index, message in enumerate(messages):
        role = message.role
        text = message.text
        if role == "tool":
            if not answers:
                continue
            origin = origins.get(index)
            call = messages[origin[0]].calls[origin[1]] if origin is not None else None
            tool = call.name if call is not None else message.tool
            yield Event(
                "result",
                index,
                message.requestor if call is None else call.requestor,
                text,
                tool,
                (call.arguments or NO_ARGUMENTS) if call is not None else NO_ARGUMENTS,
                message.failed,
                type=kinds.get(tool) if tool is not None else None,
                call=call,
                trace=trace,
                extra=message.extra,
            )
            continue
        calls = message.calls
        count = len(calls)
        said = bool(text) and not text.isspace()  # type: ignore[union-attr]
        if says:
            yield Event(
                "message", index, role, text, calls=count, said=said, trace=trace, extra=message.extra
            )
        for number, call in enumerate(calls if acts else ()):
            answer = results.get((index, number))
            if last and call.id is not None:
                answer = last.get(call.id)
            yield Event(
                "call",
                index,
                call.requestor,
                text,
                call.name,
                call.arguments or NO_ARGUMENTS,
                None if answer is None else messages[answer].failed,
                count,
                said,
                kinds.get(call.name),
                number,
                call,
                trace,
                message.extra,
            )


class Feed:
    """Events of a conversation that is still going on; calls do not know their results yet."""

    def __init__(self, kinds: Mapping[str, str] | None = None) -> None:
        self.kinds = kinds or {}
        """The kind of each tool, where known."""
        self.count = 0
        """Messages so far."""
        self._open: dict[str, list[ToolCall]] = {}
        self._unnamed: deque[ToolCall] = deque()

    def feed(self, message: Message) -> list[Event]:
        """The events of the next message, which is taken."""
        made = self.events_of(message)
        self.commit(message)
        return made

    def commit(self, message: Message) -> None:
        """Take the next message. A result closes its call: `Trace.results` says which one that is."""
        self.count += 1
        if message.role == "tool":
            asked = self.asked(message)
            if asked is not None:
                self._unnamed = deque(call for call in self._unnamed if call is not asked)
                if asked.id is not None:
                    same = [call for call in self._open.pop(asked.id, ()) if call is not asked]
                    if same:
                        self._open[asked.id] = same
        elif message.calls:
            self._unnamed = deque(message.calls)
            for call in message.calls:
                if call.id is not None:
                    self._open.setdefault(call.id, []).append(call)

    def asked(self, message: Message) -> ToolCall | None:
        """The open call that a result answers; None where there is none."""
        if message.call_id is not None:
            return self._open[message.call_id][-1] if message.call_id in self._open else None
        return self._unnamed[0] if self._unnamed else None

    def events_of(self, message: Message) -> list[Event]:
        """The events of a message, if it were the next."""
        index = self.count
        if message.role == "tool":
            call = self.asked(message)
            tool = call.name if call is not None else message.tool
            return [
                Event(
                    "result",
                    index,
                    message.requestor if call is None else call.requestor,
                    message.text,
                    tool,
                    (call.arguments or NO_ARGUMENTS) if call is not None else NO_ARGUMENTS,
                    message.failed,
                    type=self.kinds.get(tool) if tool is not None else None,
                    call=call,
                    extra=message.extra,
                )
            ]
        text, count = message.text, len(message.calls)
        said = bool(text) and not text.isspace()  # type: ignore[union-attr]
        made = [Event("message", index, message.role, text, calls=count, said=said, extra=message.extra)]
        for number, call in enumerate(message.calls):
            made.append(
                Event(
                    "call",
                    index,
                    call.requestor,
                    text,
                    call.name,
                    call.arguments or NO_ARGUMENTS,
                    None,
                    count,
                    said,
                    self.kinds.get(call.name),
                    number,
                    call,
                    extra=message.extra,
                )
            )
        return made
