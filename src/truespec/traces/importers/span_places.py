"""What spans amount to: a conversation, and each span's place in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from truespec.traces.importers.conventions import RawSpan
from truespec.traces.trace import Message, Span, ToolSchema


@dataclass(frozen=True, slots=True)
class Conversation:
    """What spans amount to."""

    messages: tuple[Message, ...]
    spans: tuple[Span, ...]
    tools: tuple[ToolSchema, ...] | None
    model: str | None
    agent: str | None


def placed(
    spans: Sequence[RawSpan],
    kinds: Mapping[str, str],
    places: Mapping[str, int],
    began: Mapping[str, int],
    count: int,
) -> tuple[Span, ...]:
    """The spans with the messages that they brought, or else that were in force when they began.

    `places` are the messages that spans brought, `began` how many messages there were, `count` all messages.
    """
    made = []
    for raw in spans:
        place = places.get(raw.id)
        if place is None and count:
            inner = [places[i] for i in _below(spans, raw.id) if i in places]
            place = min(inner) if inner else min(began[raw.id], count - 1)
        made.append(Span(raw.id, raw.name, kinds[raw.id], raw.parent, place))
    return tuple(made)


def related(parents: Mapping[str, str | None], one: str, other: str) -> bool:
    """Whether one span contains the other, or both are the same."""
    for start, end in ((one, other), (other, one)):
        at: str | None = start
        seen: set[str] = set()
        while at is not None and at not in seen:
            if at == end:
                return True
            seen.add(at)
            at = parents.get(at)
    return False


def _below(spans: Sequence[RawSpan], identifier: str) -> Iterator[str]:
    below = {identifier}
    for other in spans:
        if other.parent in below:
            below.add(other.id)
            yield other.id
