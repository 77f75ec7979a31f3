"""Lines of a log of events that say again what the conversation of another line says.

A framework that logs each step writes a request with all that was said before it, then its reply, its calls
and their results as events of their own. Requests that go on become one conversation (`growing.py`); the
events are read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from truespec.traces.files import Problem
from truespec.traces.importers.growing import UNIQUE
from truespec.traces.importers.pairing import made_up
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, Trace

HELD = "a record whose calls, results and words another record's conversation holds is read there alone"
REPLY = "a reply behind a request, in a log that holds replies both alone and in later requests, ends it"


class _Talk:
    """A conversation with what it holds."""

    def __init__(self, number: int, trace: Trace) -> None:
        self.number = number
        self.trace = trace
        self.calls = {call.id for message in trace.messages for call in message.calls}
        self.results = {m.call_id: _spoken(m) for m in trace.messages if m.role == "tool"}
        self.said = {_spoken(m) for m in trace.messages if m.role == "assistant"}

    @property
    def waits(self) -> bool:
        """Whether it ends without a reply."""
        return self.trace.messages[-1].role != "assistant"

    def holds(self, message: Message) -> bool:
        """Whether it says what a message says."""
        if message.role == "tool":
            return self.results.get(message.call_id) == _spoken(message)
        named = all(call.id in self.calls and _is_unique(call.id) for call in message.calls)
        return named and (not message.text or _spoken(message) in self.said)

    def add(self, message: Message) -> None:
        """Go on with a reply."""
        self.trace = replace(self.trace, messages=(*self.trace.messages, message))


def _spoken(message: Message) -> str:
    return (message.text or "").strip()


def _is_unique(name: str | None) -> bool:
    return not made_up(name) and len(name or "") >= UNIQUE


def without_contained(items: Iterable[Trace | Problem], ledger: Ledger) -> Iterator[Trace | Problem]:
    """The items without records that others hold; a last reply ends the conversation before it."""
    listed = list(items)
    talks = [
        _Talk(number, item)
        for number, item in enumerate(listed)
        if isinstance(item, Trace) and any(message.role == "user" for message in item.messages)
    ]
    events = [
        (number, item)
        for number, item in enumerate(listed)
        if isinstance(item, Trace)
        and item.messages
        and not item.spans
        and all(message.role in ("assistant", "tool") for message in item.messages)
    ]
    called = {number for number, item in events if any(message.calls for message in item.messages)}
    left: set[int] = set()
    holding: dict[str | None, list[_Talk]] = {}
    for talk in talks:
        for name in talk.calls:
            holding.setdefault(name, []).append(talk)
    for number, item in events:
        first = next((call.id for message in item.messages for call in message.calls), None)
        if any(all(map(talk.holds, item.messages)) for talk in holding.get(first, ())):
            left.add(number)
    said = {text for talk in talks for text in talk.said} if left else set()
    for number, item in events if left else ():
        if number in called or len(item.messages) > 1:
            continue
        if _spoken(item.messages[0]) in said:
            left.add(number)
            continue
        waiting = [talk for talk in talks if talk.number < number and talk.waits]
        if len(waiting) == 1:
            waiting[0].add(item.messages[0])
            said.add(_spoken(item.messages[0]))
            ledger.assumed[REPLY] += 1
            left.add(number)
    if left:
        ledger.rules[HELD] += len(left)
    kept = {talk.number: talk.trace for talk in talks}
    yield from (kept.get(number, item) for number, item in enumerate(listed) if number not in left)
