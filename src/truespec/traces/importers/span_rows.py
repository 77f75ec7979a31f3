"""Spans as the stores of telemetry keep them: a row for each span.

Logfire's queries, ClickHouse's table of OpenTelemetry, Elasticsearch, Application Insights, Honeycomb, the
SDKs of JavaScript and Go: attributes stand in one column or in many, and columns are spelt in many ways, so
that they are known by their letters alone. Rows come as lines, as a list, in a page, or by columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from truespec.traces.concatenated import values
from truespec.traces.files import HEAD_BYTES, Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.openinference import flat_names
from truespec.traces.importers.otlp import attributes_of
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "span-rows"
ASIDE = ("message",)
"""The label of a row."""
PENDING = "a row that says that a span has begun is passed over; another one says how it ended"
_SPANS = ("spanid", "tracespanid", "contextspanid")
_TRACES = ("traceid", "tracetraceid", "contexttraceid", "operationid")
_CONTEXTS = ("spanContext", "_spanContext", "SpanContext")
"""Fields in which the SDKs of JavaScript and Go keep the identifiers of a span."""
_OWN_ID = frozenset(("operationid", "instrumentationscope", "instrumentationlibrary"))
"""Columns beside which `id` is the identifier of the span."""
_PARENTS = (
    "parentspancontext",
    "parent",
    "parentspanid",
    "traceparentid",
    "operationparentid",
    "parentid",
)
_NAMES = ("spanname", "name", "operationname")
_STARTS = (
    "starttimestamp",
    "starttimeunixnano",
    "starttimens",
    "starttime",
    "timestamp",
    "timegenerated",
    "start",
    "time",
)
_HOLDERS = ("attributes", "spanattributes", "customdimensions", "properties", "tags")
"""Columns that hold all attributes of a span."""
_EVENTS = ("otelevents", "events", "spanevents")
_STATUS = ("otelstatuscode", "statuscode", "status")
_WHY = ("otelstatusmessage", "statusmessage")
_CONVENTIONS = (
    "gen_ai.",
    "llm.",
    "ai.",
    "traceloop.",
    "openinference.",
    "input.",
    "output.",
    "tool.",
    "tool_call.",
    "pydantic_ai.",
    "logfire.",
    "langfuse.",
    "langsmith.",
    "session.",
)
"""How names of attributes begin in the conventions."""
_OURS = frozenset(
    ("request_data", "agent_name", "tool_arguments", "all_messages_events", "model_request_parameters")
)
_DEPTH = 4


@lru_cache(maxsize=4096)
def _letters(name: str) -> str:
    """`trace.span_id`, `SpanId` and `span_id` by their letters."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _columns(row: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in row.items():
        if value is not None and value != "":
            made.setdefault(_letters(name), value)
    return made


def _first(columns: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((columns[name] for name in names if name in columns), None)


def _row(value: Any) -> Mapping[str, Any] | None:
    """The row of a span that a value is, or holds as Elasticsearch's `_source`."""
    if not isinstance(value, Mapping):
        return None
    held = value.get("_source")
    row: Mapping[str, Any] = held if isinstance(held, Mapping) else value
    for name in _CONTEXTS:
        if isinstance(row.get(name), Mapping):
            row = {**row[name], **row}
    columns = _columns(row)
    spans = _SPANS if _OWN_ID.isdisjoint(columns) else (*_SPANS, "id")
    if not isinstance(_first(columns, spans), str) or not isinstance(_first(columns, _TRACES), str):
        return None
    return row


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in row.items():
        if value is None or value == "":
            continue
        prefix, _, rest = name.partition(".")
        if _letters(name) in _HOLDERS:
            held = parsed(value)
            if isinstance(held, Mapping | list):
                made |= flat_names(_untagged(attributes_of(_keyed(held))))
        elif rest and _letters(prefix) in _HOLDERS:
            made |= flat_names(
                {rest: parsed(value) if isinstance(value, str) and value[:2] in _LISTED else value}
            )
        elif name.startswith(_CONVENTIONS):
            made[name] = value
    return made


def _untagged(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as Sentry writes them (`{value, type}`) with their values alone."""
    tagged = [
        key
        for key, one in attributes.items()
        if isinstance(one, Mapping) and one.keys() <= {"value", "type", "unit"} and "value" in one
    ]
    return {**attributes, **{key: attributes[key]["value"] for key in tagged}}


def _keyed(held: Any) -> Any:
    """Attributes as the SDK of Go writes them (`{Key, Value: {Type, Value}}`) as an object."""
    if not isinstance(held, list) or not any("Key" in entry for entry in dicts(held)):
        return held
    return {
        str(entry.get("Key")): value.get("Value")
        if isinstance(value := entry.get("Value"), Mapping)
        else value
        for entry in dicts(held)
    }


_LISTED = ("[{", "[ ")
"""How a cell begins that holds a list of messages."""


def _is_telling(row: Mapping[str, Any]) -> bool:
    """Whether a row has attributes of a known convention."""
    return any(name.startswith(_CONVENTIONS) or name in _OURS for name in _attributes(row))


def _rows_of(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The rows in a value."""
    if (row := _row(value)) is not None:
        yield row
        return
    if depth > _DEPTH:
        return
    if isinstance(value, Mapping):
        named = dicts(value.get("columns"))
        names = [str(column.get("name")) for column in named]
        listed = value.get("rows")
        if named and all(isinstance(column.get("values"), list) for column in named):
            for cells in zip(*(column["values"] for column in named), strict=False):
                yield from _rows_of(dict(zip(names, cells, strict=True)), _DEPTH + 1)
        elif named and isinstance(listed, list) and listed and isinstance(listed[0], list):
            for cells in listed:
                if isinstance(cells, list):
                    yield from _rows_of(dict(zip(names, cells, strict=False)), _DEPTH + 1)
        else:
            for inner in value.values():
                if isinstance(inner, Mapping | list):
                    yield from _rows_of(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, Mapping | list):
                yield from _rows_of(inner, depth + 1)


def recognises(head: Any, file: TraceFile) -> bool:
    """Rows with identifiers of a span and of its trace, one of them with attributes of a known convention."""
    first = next(_rows_of(head), None)
    if first is None:
        return False
    if any(map(_is_telling, _rows_of(head))):
        return True
    with file.open() as stream:
        start = stream.read(HEAD_BYTES)
    return b"mlflow." not in start and any(mark in start for mark in _MARKS)


_MARKS = (b"gen_ai.", b"llm.", b"traceloop.", b"openinference.", b"ai.operationId", b"pydantic_ai.")
"""What the beginning of a file holds where a further row tells of a model."""


def _values(file: TraceFile) -> Iterator[tuple[str, Any]]:
    """The document, its lines, or the values one behind the other over several lines."""
    if isinstance(file.head, list) or not isinstance(file.document(), Problem):
        yield from records(file, lambda v: _row(v) is not None)
        return
    yield from values(file)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    found: list[tuple[str, RawSpan]] = []
    for position, value in _values(file):
        if isinstance(value, Problem):
            yield value
            continue
        rows = list(_rows_of(value))
        if not rows:
            yield file.problem(position, f"expected a row of a span, found {brief(value)}")
        for row in rows:
            if row.get("kind") == "pending_span":
                file.ledger.rules[PENDING] += 1
            else:
                found.append(_raw(row))
    yield from traces_of_spans(by_trace(found), file, NAME, joins)


def _raw(row: Mapping[str, Any]) -> tuple[str, RawSpan]:
    columns = _columns(row)
    attributes = _attributes(row)
    parent, start = _first(columns, _PARENTS), _first(columns, _STARTS)
    if isinstance(parent, Mapping):
        parent = _first(_columns(parent), _SPANS)
    if isinstance(start, list) and all(isinstance(one, int) for one in start):
        start = "".join(f"{one:012d}" for one in start)  # seconds and nanoseconds
    status = _first(columns, _STATUS)
    if isinstance(status, Mapping):
        status = _first(_columns(status), ("code", "statuscode"))
    failed = (
        status == 2 or "ERROR" in str(status).upper() or columns.get("success") in (False, "False", "false")
    )
    why = _first(columns, _WHY)
    if failed and isinstance(why, str):
        attributes.setdefault(ERROR, why)
    if (kind := columns.get("spankind")) in _KINDS:
        attributes.setdefault("openinference.span.kind", kind)
    return str(_first(columns, _TRACES)), RawSpan(
        id=str(_first(columns, (*_SPANS, "id"))),
        parent=None if parent is None or not str(parent).strip("0") else str(parent),
        name=str(_first(columns, _NAMES) or ""),
        start=str(start or 0).rjust(24, "0") if str(start or 0).isdigit() else str(start),
        attributes=attributes,
        events=list(_events(columns)),
        failed=failed,
    )


_KINDS = ("LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "RERANKER")
"""OpenInference's kinds of spans."""


def _events(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    names, told = columns.get("eventsname"), columns.get("eventsattributes")
    if isinstance(names, list) and isinstance(told, list):
        for name, attributes in zip(names, told, strict=False):
            yield {"name": name, "attributes": attributes_of(attributes)}
    for event in dicts(parsed(_first(columns, _EVENTS))):
        held = _columns(event)
        attributes = parsed(_first(held, ("attributes", "eventattributes")))
        yield {"name": _first(held, ("name", "eventname")), "attributes": attributes_of(attributes)}
