"""OpenTelemetry spans as OTLP JSON (`resourceSpans`), whole or one export per line, with GenAI or
OpenInference attributes; and local dumps of spans with flat attributes (`{spans: [{attributes, ...}]}`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
    if any(key in head for key in (*_GROUPS, *_LOG_GROUPS)):
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
    logs: list[tuple[str, str, Any, Mapping[str, Any]]] = []
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
        metadata.update({k: v for k, v in value.items() if k not in (*_GROUPS, *_LOG_GROUPS, "spans")})
        logs += _logs(value)
        for number, (span, resource) in enumerate(_spans(value)):
            try:
                found.append(_raw(span, resource))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                yield file.problem(f"{position}, span {number}", f"no span: {error!r}")
    for identifier, raws in by_trace(_with_logs(found, logs)):
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


def _logs(value: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, Mapping[str, Any]]]:
    """The log records that belong to a span: its trace, the span, the time, and the record as an event."""
    for group in dicts(next((value[key] for key in _LOG_GROUPS if value.get(key)), None)):
        for scope in dicts(group.get("scopeLogs", group.get("scope_logs"))):
            for record in dicts(scope.get("logRecords", scope.get("log_records"))):
                trace, span = (
                    record.get("traceId", record.get("trace_id")),
                    record.get("spanId", record.get("span_id")),
                )
                attributes = attributes_of(record.get("attributes"))
                name = record.get("eventName", record.get("event_name")) or attributes.get("event.name")
                event = {"name": name, "attributes": attributes, "body": _value(record.get("body"))}
                yield str(trace or ""), str(span or ""), record.get("timeUnixNano"), event


def _with_logs(
    found: list[tuple[str, RawSpan]], logs: list[tuple[str, str, Any, Mapping[str, Any]]]
) -> Iterator[tuple[str, RawSpan]]:
    """The spans with their log records as events; records whose span is not here make a span of their own."""
    by_span: dict[tuple[str, str], list[tuple[Any, Mapping[str, Any]]]] = {}
    for trace, span, time, event in logs:
        by_span.setdefault((trace, span), []).append((time, event))
    for trace, raw in found:
        own = by_span.pop((trace, raw.id), ())
        yield trace, replace(raw, events=[*raw.events, *(event for _, event in own)]) if own else raw
    for (trace, span), own in by_span.items():
        if any(str(event["name"]).startswith("gen_ai.") for _, event in own):
            start = str(own[0][0] or 0).rjust(24, "0")
            attributes = {"gen_ai.operation.name": "chat"}
            yield trace, RawSpan(span, None, "log records", start, attributes, [event for _, event in own])


_GROUPS = ("resourceSpans", "resource_spans")
_LOG_GROUPS = ("resourceLogs", "resource_logs")
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
