"""TRAIL traces: `{trace_id, spans[]}` with nested `child_spans` and OpenInference `span_attributes`.

Answers of AgentOps' interface have this shape too, with attributes nested at their dots.

Human annotations of the same corpus name span ids; `Trace.locate` resolves them to messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.otlp import flat
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import trace_of_spans
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

NAME = "trail"


def recognises(head: Any, _file: TraceFile) -> bool:
    """Spans with `span_attributes`."""
    if not isinstance(head, dict) or "trace_id" not in head:
        return False
    spans = head.get("spans")
    return isinstance(spans, list) and bool(spans) and isinstance(spans[0], dict) and "span_id" in spans[0]


def _is_span(value: Any) -> bool:
    return isinstance(value, dict) and "span_id" in value


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file; of a damaged file, the outer spans that are whole."""
    value = file.document()
    if isinstance(value, Problem):
        yield value
        spans = [
            s for _, _, s in each_record(file, "spans", lambda s: isinstance(s, dict) and "span_id" in s)
        ]
        value = {
            "trace_id": (file.head or {}).get("trace_id"),
            "spans": [s for s in spans if not isinstance(s, Problem)],
        }
        if not value["spans"]:
            return
    if not isinstance(value, dict):
        yield file.problem("document", "expected an object with spans")
        return
    raws: list[RawSpan] = []
    stack = dicts(value.get("spans"))[::-1]
    while stack:
        span = stack.pop()
        raws.append(_raw(span))
        stack.extend(dicts(span.get("child_spans"))[::-1])
    identifier = str(value.get("trace_id"))
    yield trace_of_spans(identifier, raws, file, NAME, "document", joins)


def _raw(span: Mapping[str, Any]) -> RawSpan:
    attributes = flat(span.get("span_attributes") or {})
    logs = [log.get("body") for log in dicts(span.get("logs"))]
    if logs:
        attributes["logs"] = logs
    return RawSpan(
        id=str(span.get("span_id")),
        parent=span.get("parent_span_id"),
        name=str(span.get("span_name", "")),
        start=span.get("timestamp", span.get("start_time")),
        attributes=attributes,
        events=span.get("events") or (),
        failed=str(span.get("status_code")).lower() == "error",
    )
