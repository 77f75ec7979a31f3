"""OpenTelemetry spans and log records as OTLP JSON, with GenAI or OpenInference attributes.

Exports (`resourceSpans`, `resourceLogs`), whole, in a list, or one behind the other; traces of Grafana Tempo
(`batches`); single spans and records per line, as Amazon CloudWatch keeps them; and local dumps of spans with
flat attributes (`{spans: [{attributes, ...}]}`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.concatenated import values
from truespec.traces.files import UNREADABLE, Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan, first
from truespec.traces.importers.log_records import Record, with_logs
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "otlp"


def recognises(head: Any, _file: TraceFile) -> bool:
    """OTLP's outer field, spans with `attributes`, or a single span or log record."""
    head = head[0] if isinstance(head, list) and head else head
    if not isinstance(head, dict):
        return False
    head = _inner(head)
    if _is_single(head) or any(key in head for key in (*_GROUPS, *_LOG_GROUPS)):
        return True
    spans = head.get("spans")
    return (
        isinstance(spans, list)
        and bool(spans)
        and isinstance(spans[0], dict)
        and "span_attributes" not in spans[0]
        and ("attributes" in spans[0] or str(head.get("schema", "")).startswith("otel"))
    )


def _inner(value: dict[str, Any]) -> dict[str, Any]:
    """The export inside an answer of Tempo."""
    trace = value.get("trace")
    held = isinstance(trace, dict) and any(isinstance(trace.get(key), list) for key in _GROUPS)
    return trace if held and isinstance(trace, dict) else value


def _is_single(value: Mapping[str, Any]) -> bool:
    """Whether this is one span, or one log record of a span, outside of any export."""
    if not isinstance(value.get("traceId"), str) or not isinstance(value.get("spanId"), str):
        return False
    return "body" in value or ("name" in value and isinstance(value.get("attributes"), dict | list))


def _entries(file: TraceFile) -> Iterator[tuple[str, Any | Problem]]:
    """The exports of a file, with their places."""
    document = file.document()
    entries = values(file) if isinstance(document, Problem) else [("document", document)]
    for position, value in entries:
        for number, item in enumerate(value if isinstance(value, list) else [value]):
            place = f"{position}, export {number}" if isinstance(value, list) else position
            if isinstance(item, dict) and _is_single(_inner(item)):
                item = {"logs" if "body" in item else "spans": [item]}
            yield place, _inner(item) if isinstance(item, dict) else item


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id; exports of one trace in several lines are joined."""
    found: list[tuple[str, RawSpan]] = []
    metadata: dict[str, Any] = {}
    logs: list[Record] = []
    for position, value in _entries(file):
        if isinstance(value, Problem):
            yield value
            continue
        if not isinstance(value, dict):
            yield file.problem(position, f"expected an export of spans, found {brief(value)}")
            continue
        metadata.update({k: v for k, v in value.items() if k not in _ENVELOPE})
        logs += _logs(value)
        for number, (span, resource) in enumerate(_spans(value)):
            try:
                found.append(_raw(span, resource, f"{position}, span {number}"))
            except UNREADABLE as error:
                yield file.problem(f"{position}, span {number}", f"no span: {error!r}")
    yield from traces_of_spans(by_trace(with_logs(found, logs)), file, NAME, joins, metadata)


def _spans(value: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    for span in dicts(value.get("spans")):
        about = span.get("resource")
        yield span, attributes_of(about.get("attributes")) if isinstance(about, dict) else {}
    for group in dicts(next((value[key] for key in _GROUPS if value.get(key)), None)):
        about = group.get("resource")
        resource = attributes_of(about.get("attributes") if isinstance(about, dict) else None)
        scopes = next((group[k] for k in _SCOPES if group.get(k)), None)
        for scope in dicts(scopes):
            for span in dicts(scope.get("spans")):
                yield span, resource


def _logs(value: Mapping[str, Any]) -> Iterator[Record]:
    """The log records that belong to spans."""
    for record in dicts(value.get("logs")):
        yield log_record(record)
    for group in dicts(next((value[key] for key in _LOG_GROUPS if value.get(key)), None)):
        for scope in dicts(group.get("scopeLogs", group.get("scope_logs"))):
            for record in dicts(scope.get("logRecords", scope.get("log_records"))):
                yield log_record(record)


def log_record(record: Mapping[str, Any]) -> Record:
    """A log record in OTLP's JSON, or as a console exporter writes it."""
    attributes = attributes_of(record.get("attributes"))
    name = first(record, "eventName", "event_name") or attributes.get("event.name")
    event = {"name": name, "attributes": attributes, "body": _value(record.get("body"))}
    times = (record.get(key) for key in _TIMES)
    time = next((str(time) for time in times if time not in (None, "", 0, "0")), "")
    return Record(
        trace=str(first(record, "traceId", "trace_id") or ""),
        span=str(first(record, "spanId", "span_id") or ""),
        time=time.rjust(24, "0") if time.isdigit() else time,
        event=event,
    )


_TIMES = (
    "timeUnixNano",
    "time_unix_nano",
    "timestamp",
    "observedTimeUnixNano",
    "observed_time_unix_nano",
    "observed_timestamp",
)
_STARTS = (
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time_unix_ns",
    "start_time",
    "startTime",
)
_FAILED = (2, "ERROR", "STATUS_CODE_ERROR", "error")
_GROUPS = ("resourceSpans", "resource_spans", "batches")
_LOG_GROUPS = ("resourceLogs", "resource_logs")
_ENVELOPE = (*_GROUPS, *_LOG_GROUPS, "spans", "logs")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")


def _raw(span: Mapping[str, Any], resource: Mapping[str, Any], place: str) -> tuple[str, RawSpan]:
    """A span with its trace's identifier; its identifiers may stand in its context. `place` names it else."""
    if isinstance(context := span.get("context"), Mapping):
        span = {**context, **span}
    status = span.get("status") or {}
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    above = first(span, "parentSpanId", "parent_span_id", "parent_id", "parent")
    above = above.get("span_id") if isinstance(above, Mapping) else above
    return str(first(span, "traceId", "trace_id") or ""), RawSpan(
        id=str(first(span, "spanId", "span_id") or place),
        parent=str(above) if above else None,
        name=str(span.get("name", "")),
        start=str(first(span, *_STARTS) or 0).rjust(24, "0"),
        attributes={
            **{f"resource.{k}": v for k, v in resource.items()},
            **_beside(span),
            **attributes_of(span.get("attributes")),
        },
        events=[
            {"name": event.get("name"), "attributes": attributes_of(event.get("attributes"))}
            for event in dicts(span.get("events"))
        ],
        failed=(code or span.get("status_code")) in _FAILED,
    )


def _beside(span: Mapping[str, Any]) -> dict[str, Any]:
    """What a span took and gave, where an exporter keeps it beside the attributes."""
    found = {f"{end}.value": span[end] for end in ("input", "output") if span.get(end) not in (None, "", {})}
    return found if isinstance(span.get("attributes"), dict) else {}


_ROOTS = ("gen_ai", "llm", "agentops", "openinference", "traceloop", "tool", "agent")
"""First steps of names of attributes, under which some exporters nest the others."""
_VALUES = ("arguments", "parameters", "result", "input", "output", "content", "definitions", "metadata")
"""Last steps of names of attributes whose value may be an object."""


def flat(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes with those that an exporter nests (AgentOps) under their names with dots."""
    made: dict[str, Any] = {}
    for key, value in attributes.items():
        if key in _ROOTS and isinstance(value, Mapping):
            made.update(_steps(key, value))
        else:
            made[key] = value
    return made


def _steps(path: str, value: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and key not in _VALUES and depth < 8:
            yield from _steps(f"{path}.{key}", inner, depth + 1)
        else:
            yield f"{path}.{key}", inner


def attributes_of(listed: Any) -> dict[str, Any]:
    """OTLP's list of keys and tagged values as a mapping; a mapping stays as it is."""
    if isinstance(listed, dict):
        return listed
    return {str(entry["key"]): _value(entry.get("value")) for entry in dicts(listed) if "key" in entry}


def _value(value: Any) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        return None if value == {} else value
    ((tag, inner),) = value.items()
    tag = tag.replace("_v", "V")
    if tag not in _TAGS:
        return value
    if tag == "intValue":
        return int(inner)
    if tag == "arrayValue":
        return [_value(item) for item in (inner or {}).get("values", ())]
    if tag == "kvlistValue":
        return {entry["key"]: _value(entry.get("value")) for entry in (inner or {}).get("values", ())}
    return inner


_TAGS = frozenset(
    ("stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue")
)
