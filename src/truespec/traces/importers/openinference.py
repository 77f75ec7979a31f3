"""OpenInference span lists as Phoenix exports them: `[{name, context, span_kind, attributes, ...}]`, a span
per line, or several lists under names of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

NAME = "openinference"


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, dict) and isinstance(value.get("context"), dict) and "span_id" in value["context"]
    )


def recognises(head: Any, _file: TraceFile) -> bool:
    """A span with a context, alone or first of a list."""
    if isinstance(head, dict) and head and all(isinstance(value, list) for value in head.values()):
        head = next(iter(head.values()))
    return _is_span(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    found = []
    if isinstance(file.head, list):
        values = [value for _, _, value in each_record(file, None, _is_span)]
    elif _is_span(file.head):
        values = [value for _, value in file.lines()]
    else:
        value = file.document()
        lists = value.values() if isinstance(value, dict) else ()
        values = [value] if isinstance(value, Problem) else [s for listed in lists for s in dicts(listed)]
    for number, value in enumerate(values):
        if isinstance(value, Problem):
            yield value
        elif _is_span(value):
            found.append(_raw(value))
        else:
            yield file.problem(f"span {number}", "no span with a context")
    for identifier, raws in by_trace(found):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins)


def _raw(span: Mapping[str, Any]) -> tuple[str, RawSpan]:
    context = span["context"]
    attributes = dict(span.get("attributes") or {})
    if span.get("span_kind"):
        attributes.setdefault("openinference.span.kind", span["span_kind"])
    return str(context.get("trace_id")), RawSpan(
        id=str(context["span_id"]),
        parent=span.get("parent_id"),
        name=str(span.get("name", "")),
        start=span.get("start_time"),
        attributes=attributes,
        events=span.get("events") or (),
        failed=span.get("status_code") == "ERROR",
    )
