"""A fault of known kind and place, and the editing of traces."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.trace import Message, Outcome, ToolCall, Trace


@dataclass(frozen=True, slots=True)
class Fault:
    """A trace with one fault, and the trace it was made from."""

    kind: str
    """What was done, e.g. `drop_confirmation`."""
    clean: Trace
    """The twin without the fault."""
    faulty: Trace
    """The trace with it."""
    places: frozenset[int]
    """The messages of the faulty trace at which the fault shows."""
    breaks: frozenset[str]
    """The kinds of violation that it is, e.g. `skipped_confirmation`."""
    origin: tuple[int | None, ...]
    """For each message of the faulty trace, the message of the clean one that it was; None for a new one."""
    note: str = ""
    """What was done there, in words."""
    follows: frozenset[str] = frozenset()
    """The kinds of violation that may follow from it elsewhere."""

    def __post_init__(self) -> None:
        if len(self.origin) != len(self.faulty.messages):
            raise ValueError(f"{self.kind}: every message of the faulty trace has an origin or None")
        if not self.places or not all(0 <= place < len(self.origin) for place in self.places):
            raise ValueError(f"{self.kind}: a fault shows at messages of the faulty trace, not {self.places}")

    def record(self) -> dict[str, Any]:
        """Kind and place as plain JSON values."""
        return {
            "kind": self.kind,
            "places": sorted(self.places),
            "breaks": sorted(self.breaks),
            "note": self.note,
            "clean": self.clean.id,
        }


Injector = Callable[[Trace, random.Random], "Fault | None"]
"""Makes a trace with one fault of its kind, at a place the generator chooses; None where there is none."""

Line = tuple[Message, int | None]
"""A message with the index it had in the clean trace."""


class Edit:
    """A conversation being edited, which remembers where each message comes from."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.lines: list[Line] = [(message, index) for index, message in enumerate(trace.messages)]

    def where(self, index: int) -> int:
        """The present place of a message of the clean trace."""
        return next(place for place, (_, origin) in enumerate(self.lines) if origin == index)

    def change(self, index: int, **fields: Any) -> None:
        """Change fields of a message of the clean trace."""
        place = self.where(index)
        message, origin = self.lines[place]
        self.lines[place] = (replace(message, **fields), origin)

    def drop(self, indices: Iterable[int]) -> None:
        """Take messages of the clean trace out."""
        gone = set(indices)
        self.lines = [line for line in self.lines if line[1] not in gone]

    def move(self, indices: Iterable[int], before: int) -> None:
        """Put messages of the clean trace, in their order, before another one."""
        moved = set(indices)
        block = [line for line in self.lines if line[1] in moved]
        self.lines = [line for line in self.lines if line[1] not in moved]
        place = self.where(before)
        self.lines[place:place] = block

    def insert(self, after: int, messages: Iterable[Message]) -> int:
        """Put new messages after one of the clean trace; the place of the first."""
        place = self.where(after) + 1
        self.lines[place:place] = [(message, None) for message in messages]
        return place

    def cut(self, after: int) -> None:
        """Drop everything after a message of the clean trace."""
        del self.lines[self.where(after) + 1 :]

    def fault(
        self,
        kind: str,
        places: Iterable[int],
        breaks: Iterable[str],
        note: str = "",
        follows: Iterable[str] = (),
    ) -> Fault:
        """The edited trace as a fault; how it would have been scored is unknown."""
        clean = self.trace
        faulty = replace(
            clean,
            id=f"{clean.id}~{kind}",
            messages=tuple(message for message, _ in self.lines),
            outcome=Outcome(),
            source=replace(clean.source, position=f"{clean.source.position}~{kind}"),
            spans=(),
        )
        origin = tuple(origin for _, origin in self.lines)
        return Fault(
            kind, clean, faulty, frozenset(places), frozenset(breaks), origin, note, frozenset(follows)
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A call of the agent that stands alone in its message, with its result."""

    message: int
    """Its message."""
    result: int
    """The message of its result."""
    tool: str
    """Its tool."""
    ok: bool
    """Whether it succeeded."""


def steps(trace: Trace) -> Iterator[Step]:
    """The agent's lone calls whose result is the next message."""
    for index, message in enumerate(trace.messages):
        if message.role != "assistant" or len(message.calls) != 1:
            continue
        call = message.calls[0]
        result = trace.results.get((index, 0))
        if call.requestor == "assistant" and result == index + 1:
            yield Step(index, result, call.name, not trace.messages[result].failed)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts_in(inner)


def grounded(call: ToolCall, said: str) -> bool:
    """Whether every identifying text among a call's arguments stands in what was said, in lower case."""
    found = (text.lower() for text in texts_in(dict(call.arguments or {})) if _identifies(text))
    return all(text.removeprefix("#") in said for text in found)


def _identifies(text: str) -> bool:
    return len(text) >= 4 and any(c.isdigit() for c in text)


def still_grounded(trace: Trace, gone: Iterable[int]) -> bool:
    """Whether every identifying argument stands somewhere before its call even without some messages.

    Identifying is a text of four characters or more with a digit.
    """
    lost = set(gone)
    said = ""
    for index, message in enumerate(trace.messages):
        if index in lost:
            continue
        texts = [text for call in message.calls for text in texts_in(dict(call.arguments or {}))]
        for wanted in (text.lower().removeprefix("#") for text in texts if _identifies(text)):
            earlier = [trace.messages[i].text or "" for i in lost if i < index]
            if wanted not in said and any(wanted in text.lower() for text in earlier):
                return False
        said += "\n" + (message.text or "").lower()
    return True
