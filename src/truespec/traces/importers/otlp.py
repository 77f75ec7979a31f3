"""OpenTelemetry spans as OTLP JSON (`resourceSpans`), whole or one export per line, with GenAI or
OpenInference attributes; and local dumps of spans with flat attributes (`{spans: [{attributes, ...}]}`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "otlp"


def recognises(head: Any, _file: TraceFile) -> bool:
    """OTLP's outer field, or spans with `attributes`."""
    if not isinstance(head, dict):
        return False
    if "resourceSpans" in head or "resource_spans" in head:
        return True
    spans = head.get("spans")
    return (
        isinstance(spans, list)
        and bool(spans)
        and isinstance(spans[0], dict)
        and "span_attributes" not in spans[0]
        and ("attributes" in spans[0] or str(head.get("schema", "")).startswith("otel"))
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id; exports of one trace in several lines are joined."""
    found: list[tuple[str, RawSpan]] = []
    metadata: dict[str, Any] = {}
    document = file.document()
    entries = [("document", document)]
    if isinstance(document, Problem):
        entries = [(f"line {line}", value) for line, value in file.lines()]
    for position, value in entries:
        if isinstance(value, Problem):
            yield value
            continue
        if not isinstance(value, dict):
            yield file.problem(position, f"expected an export of spans, found {brief(value)}")
            continue
        metadata.update(
            {k: v for k, v in value.items() if k not in ("resourceSpans", "resource_spans", "spans")}
        )
        for number, (span, resource) in enumerate(_spans(value)):
            try:
                found.append(_raw(span, resource))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                yield file.problem(f"{position}, span {number}", f"no span: {error!r}")
    for identifier, raws in by_trace(found):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins, metadata)


def _spans(value: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    for span in dicts(value.get("spans")):
        yield span, {}
    for group in dicts(value.get("resourceSpans") or value.get("resource_spans")):
        about = group.get("resource")
        resource = attributes_of(about.get("attributes") if isinstance(about, dict) else None)
        scopes = next((group[k] for k in _SCOPES if group.get(k)), None)
        for scope in dicts(scopes):
            for span in dicts(scope.get("spans")):
                yield span, resource


_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")


def _raw(span: Mapping[str, Any], resource: Mapping[str, Any]) -> tuple[str, RawSpan]:
    status = span.get("status") or {}
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    start = span.get("startTimeUnixNano", span.get("start_time_unix_nano", span.get("start_time_unix_ns", 0)))
    return str(span.get("traceId", span.get("trace_id", ""))), RawSpan(
        id=str(span.get("spanId", span.get("span_id"))),
        parent=span.get("parentSpanId") or span.get("parent_span_id") or None,
        name=str(span.get("name", "")),
        start=str(start).rjust(24, "0"),
        attributes={
            **{f"resource.{k}": v for k, v in resource.items()},
            **attributes_of(span.get("attributes")),
        },
        events=[
            {"name": event.get("name"), "attributes": attributes_of(event.get("attributes"))}
            for event in dicts(span.get("events"))
        ],
        failed=code in (2, "ERROR", "STATUS_CODE_ERROR"),
    )


def attributes_of(listed: Any) -> dict[str, Any]:
    """OTLP's list of keys and tagged values as a mapping; a mapping stays as it is."""
    if isinstance(listed, dict):
        return listed
    return {str(entry["key"]): _value(entry.get("value")) for entry in dicts(listed) if "key" in entry}


def _value(value: Any) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((tag, inner),) = value.items()
    if tag == "intValue":
        return int(inner)
    if tag == "arrayValue":
        return [_value(item) for item in (inner or {}).get("values", ())]
    if tag == "kvlistValue":
        return {entry["key"]: _value(entry.get("value")) for entry in (inner or {}).get("values", ())}
    return inner
