"""Jaeger's JSON of traces: `{data: [{traceID, spans: [{operationName, tags, logs, references}]}]}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.records import whole_or_lines
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "jaeger"


def _is_trace(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "traceID" in value
        and any("operationName" in span for span in dicts(value.get("spans")))
    )


def _traces(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    return [one for one in (value if isinstance(value, list) else [value]) if _is_trace(one)]


def recognises(head: Any, _file: TraceFile) -> bool:
    """A trace with spans that have an operation, alone, in a list or under `data`."""
    return bool(_traces(head))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace of the source."""
    found: list[tuple[str, RawSpan]] = []
    for position, value in whole_or_lines(file):
        if isinstance(value, Problem):
            yield value
            continue
        traces = _traces(value)
        if not traces:
            yield file.problem(position, "no trace with spans")
        for trace in traces:
            for index, span in enumerate(dicts(trace.get("spans"))):
                try:
                    found.append(_raw(span, trace))
                except UNREADABLE as error:
                    yield file.problem(f"trace {trace.get('traceID')}, span {index}", f"no span: {error!r}")
    yield from traces_of_spans(by_trace(found), file, NAME, joins)


def _raw(span: Mapping[str, Any], trace: Mapping[str, Any]) -> tuple[str, RawSpan]:
    tags = _values(span.get("tags"))
    parent = next((ref.get("spanID") for ref in dicts(span.get("references"))), None)
    events = []
    for log in dicts(span.get("logs")):
        fields = _values(log.get("fields"))
        events.append({"name": fields.pop("event", fields.pop("name", None)), "attributes": fields})
    return str(span.get("traceID") or trace["traceID"]), RawSpan(
        id=str(span["spanID"]),
        parent=parent or span.get("parentSpanID") or None,
        name=str(span.get("operationName", "")),
        start=str(span.get("startTime") or 0).rjust(24, "0"),
        attributes=tags,
        events=events,
        failed=tags.get("error") in (True, "true") or tags.get("otel.status_code") == "ERROR",
    )


def _values(listed: Any) -> dict[str, Any]:
    return {str(tag["key"]): tag.get("value") for tag in dicts(listed) if "key" in tag}
