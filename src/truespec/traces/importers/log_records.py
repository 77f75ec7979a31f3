"""Log records that tell what model calls were given and what they replied.

A record belongs to the span that was current when it was written. Some instrumentations write the records of
several model calls while only the span around all of them is current: such records are split at each request
that follows a reply, and each part is a model call of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.importers.conventions import RawSpan, inputs_of, kind_of, outputs_of
from truespec.traces.importers.parts import Notes

_REPLIES = ("gen_ai.choice", "gen_ai.content.completion")
_DETAILS = ("gen_ai.client.inference.operation.details", "gen_ai.client.operation.details")


@dataclass(frozen=True, slots=True)
class Record:
    """A log record of a span."""

    trace: str
    """Identifier of the trace."""
    span: str
    """Identifier of the span."""
    time: str
    """When it was written, comparable with the start of spans; empty where the source does not say."""
    event: Mapping[str, Any]
    """Its `{name, attributes, body}`."""


def with_logs(found: Sequence[tuple[str, RawSpan]], logs: Sequence[Record]) -> Iterator[tuple[str, RawSpan]]:
    """The spans with their log records as events; records of model calls without a span form spans."""
    by_span: dict[tuple[str, str], list[Record]] = {}
    for record in _at_requests(found, logs):
        by_span.setdefault((record.trace, record.span), []).append(record)
    told = _told(found) if by_span else set()
    for trace, raw in found:
        own = by_span.pop((trace, raw.id), [])
        made = [] if trace in told or kind_of(raw) == "LLM" else _calls(own)
        if made and _runs_a_tool(raw, made):
            made = []
        if own and not made:
            raw = replace(raw, events=[*raw.events, *(record.event for record in own)])
        yield trace, raw
        yield from _as_spans(trace, raw.id, raw.id, made)
    for (trace, span), own in by_span.items():
        made = _calls(own)
        if len(made) == 1:  # the span's own records: it is what another file would hold
            yield trace, _as_span(span, None, made[0])
        else:
            yield from _as_spans(trace, span, None, made)


def _at_requests(found: Iterable[tuple[str, RawSpan]], logs: Sequence[Record]) -> Iterator[Record]:
    """The records, with each reply at the span of its request.

    The reply of a streamed model call may be written when only the span around it is current: it answers the
    latest request inside that span.
    """
    if not all(record.time for record in logs):
        yield from logs
        return
    parents = {(trace, raw.id): raw.parent for trace, raw in found}
    asked: set[tuple[str, str]] = set()
    latest: dict[tuple[str, str | None], str] = {}
    for record in sorted(logs, key=lambda record: record.time):
        here = (record.trace, record.span)
        if record.event["name"] not in (*_REPLIES, *_DETAILS):
            asked.add(here)
            latest[(record.trace, parents.get(here))] = record.span
        elif here not in asked:
            unknown = (record.trace, None)  # without the spans, the latest request of the trace
            place = latest.get(here) or (None if here in parents else latest.get(unknown))
            record = replace(record, span=place or record.span)
        yield record


def _told(found: Iterable[tuple[str, RawSpan]]) -> set[str]:
    """The traces in which the spans of model calls hold messages themselves."""
    told: set[str] = set()
    for trace, raw in found:
        if trace not in told and kind_of(raw) == "LLM":
            notes = Notes()
            if inputs_of(raw, notes) or outputs_of(raw, notes):
                told.add(trace)
    return told


def _runs_a_tool(raw: RawSpan, made: Sequence[Sequence[Record]]) -> bool:
    """Whether the records of a tool's span are only what the tool took and gave."""
    names = {str(record.event["name"]) for records in made for record in records}
    return kind_of(raw) == "TOOL" and names <= {"gen_ai.tool.message", "gen_ai.choice"}


def _calls(own: Iterable[Record]) -> list[list[Record]]:
    """The records of each model call: a request that follows a reply begins another call."""
    records = [record for record in own if str(record.event["name"]).startswith("gen_ai.")]
    if all(record.time for record in records):
        records.sort(key=lambda record: record.time)
    calls: list[list[Record]] = []
    replied = True
    for record in records:
        name = str(record.event["name"])
        if name in _DETAILS or (replied and name not in _REPLIES) or not calls:
            calls.append([])
        calls[-1].append(record)
        replied = name in (*_REPLIES, *_DETAILS)
    return calls


def _as_spans(
    trace: str, span: str, parent: str | None, calls: Iterable[Sequence[Record]]
) -> Iterator[tuple[str, RawSpan]]:
    for number, records in enumerate(calls, 1):
        yield trace, _as_span(f"{span}/log-{number}", parent, records)


def _as_span(identifier: str, parent: str | None, records: Sequence[Record]) -> RawSpan:
    attributes = {"gen_ai.operation.name": "chat"}
    events = [record.event for record in records]
    return RawSpan(identifier, parent, "log records", records[0].time, attributes, events)
