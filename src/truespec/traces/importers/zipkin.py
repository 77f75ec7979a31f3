"""Zipkin's JSON of spans, version 2: `[{traceId, id, parentId, name, timestamp, tags, annotations}]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.records import whole_or_lines
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "zipkin"


def _is_span(value: Any) -> bool:
    named = isinstance(value, dict) and isinstance(value.get("tags"), dict)
    return named and isinstance(value.get("traceId"), str) and isinstance(value.get("id"), str)


def _spans(value: Any) -> Iterator[Any]:
    """The spans of a value; a list of traces is a list of lists."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def recognises(head: Any, _file: TraceFile) -> bool:
    """A span with tags, alone, in a list, or in a list of lists."""
    return _is_span(next(_spans(head), None))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    found: list[tuple[str, RawSpan]] = []
    for position, value in whole_or_lines(file):
        if isinstance(value, Problem):
            yield value
            continue
        for index, span in enumerate(_spans(value)):
            if isinstance(span, dict) and isinstance(span.get("id"), str):
                found.append(_raw(span))
            else:
                yield file.problem(f"{position}, span {index}", "no span with an identifier")
    yield from traces_of_spans(by_trace(found), file, NAME, joins)


def _raw(span: Mapping[str, Any]) -> tuple[str, RawSpan]:
    tags = span.get("tags")
    attributes = dict(tags) if isinstance(tags, dict) else {}
    return str(span.get("traceId")), RawSpan(
        id=str(span["id"]),
        parent=span.get("parentId") or None,
        name=str(span.get("name") or ""),
        start=str(span.get("timestamp") or 0).rjust(24, "0"),
        attributes=attributes,
        events=[_event(note.get("value")) for note in dicts(span.get("annotations"))],
        failed="error" in attributes or attributes.get("otel.status_code") == "ERROR",
    )


def _event(value: Any) -> dict[str, Any]:
    """An annotation: the name of an event, `{name: attributes}`, or both with a bar between."""
    found = parsed(value)
    if isinstance(found, dict) and len(found) == 1:
        ((name, attributes),) = found.items()
        return {"name": name, "attributes": attributes if isinstance(attributes, dict) else {}}
    name, bar, rest = str(value).partition("|")
    attributes = parsed(rest.rpartition("|")[0] or rest) if bar else {}
    return {"name": name, "attributes": attributes if isinstance(attributes, dict) else {}}
