"""Tools' spans in traces of their own, brought to the calls that they carry out.

Where an exporter loses its context (another thread, a callback), a tool's span begins a trace of its own. It
belongs to the trace of the one call that it carries out: by the call's identifier, else by tool, arguments
and result within the time of that trace. A span for which there is no such call, or several, stays alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.files import Problem
from truespec.traces.importers.conventions import RawSpan, kind_of
from truespec.traces.importers.outcomes import outcome_of
from truespec.traces.importers.threads import canonical, outcome_key
from truespec.traces.importers.tool_runs import as_arguments, raised, tool_run
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, Span, ToolCall, Trace

RULE = "a tool's span in a trace of its own belongs to the trace of the one call that it carries out"
Group = tuple[str, list[RawSpan]]


def is_stray(raws: Sequence[RawSpan]) -> bool:
    """Whether a trace is nothing but runs of tools."""
    return bool(raws) and all(kind_of(raw) == "TOOL" for raw in raws)


@dataclass(frozen=True, slots=True)
class _Place:
    """A call of a trace."""

    trace: int
    index: int
    call: ToolCall


def brought_home(
    items: Sequence[Trace | Problem], strays: Iterable[Group], starts: Mapping[str, str], ledger: Ledger
) -> tuple[list[Trace | Problem], list[Group]]:
    """The traces with the spans that belong to their calls, and the traces that stay alone.

    `starts` tells when each span began.
    """
    made = list(items)
    places = [
        _Place(number, index, call)
        for number, trace in enumerate(made)
        if isinstance(trace, Trace)
        for index, message in enumerate(trace.messages)
        for call in message.calls
    ]
    alone: list[Group] = []
    for identifier, raws in strays:
        left = []
        for raw in raws:
            place = _place_of(raw, places, made, starts)
            trace = made[place.trace] if place is not None else None
            if place is None or not isinstance(trace, Trace):
                left.append(raw)
                continue
            ledger.rules[RULE] += 1
            places.remove(place)
            made[place.trace] = _with_run(trace, place, raw)
            places = [_moved(one, place, made) for one in places]
        if left:
            alone.append((identifier, left))
    return made, alone


def _place_of(
    raw: RawSpan, places: Sequence[_Place], made: Sequence[Trace | Problem], starts: Mapping[str, str]
) -> _Place | None:
    run = tool_run(raw)
    if run.identifier is not None:
        found = [p for p in places if p.call.id == run.identifier and p.call.name == run.name]
    else:
        given = canonical(as_arguments(run.arguments))
        text = outcome_of(run.output)[0]
        found = [
            place
            for place in places
            if place.call.name == run.name
            and canonical(place.call.arguments) == given
            and _within(raw, made[place.trace], starts)
            and (raw.failed or text is None or _told(made[place.trace], place.call.id, text))
        ]
    return found[0] if found and len({place.trace for place in found}) == 1 else None


def _within(raw: RawSpan, trace: Trace | Problem, starts: Mapping[str, str]) -> bool:
    times = [starts[span.id] for span in trace.spans if span.id in starts] if isinstance(trace, Trace) else []
    return bool(times) and bool(raw.start) and min(times) <= str(raw.start) <= max(times)


def _told(trace: Trace | Problem, identifier: str | None, text: str) -> bool:
    """Whether a call's result in a trace is this text."""
    messages = trace.messages if isinstance(trace, Trace) else ()
    return any(m.call_id == identifier and outcome_key(m.text) == outcome_key(text) for m in messages)


def _with_run(trace: Trace, place: _Place, raw: RawSpan) -> Trace:
    """The trace with the span, at the result of its call; a result that only the span tells is put there."""
    call = place.call
    at = next((i for i, m in enumerate(trace.messages) if m.role == "tool" and m.call_id == call.id), None)
    messages, spans = list(trace.messages), trace.spans
    if at is not None:
        messages[at] = replace(messages[at], error=True if raw.failed else messages[at].error)
    else:
        at = place.index + 1
        while at < len(messages) and messages[at].role == "tool":
            at += 1
        text, failed = outcome_of(tool_run(raw).output)
        error = True if raw.failed else failed
        text = raised(raw) if text is None else text
        messages.insert(
            at, Message("tool", text, call_id=call.id, tool=call.name, error=error, position=raw.id)
        )
        spans = tuple(_shifted(span, at) for span in spans)
    return replace(
        trace, messages=tuple(messages), spans=(*spans, Span(raw.id, raw.name, "TOOL", raw.parent, at))
    )


def _shifted(span: Span, at: int) -> Span:
    index = span.message_index
    return replace(span, message_index=index + 1) if index is not None and index >= at else span


def _moved(place: _Place, other: _Place, made: Sequence[Any]) -> _Place:
    """Where a call stands after a result may have been put into its trace."""
    if place.trace != other.trace or place.index <= other.index:
        return place
    messages = made[place.trace].messages
    held = any(call is place.call for call in messages[place.index].calls)
    return place if held else replace(place, index=place.index + 1)
