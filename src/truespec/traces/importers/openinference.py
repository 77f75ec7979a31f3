"""Lists of spans with a `context`: OpenInference spans as Phoenix exports them, and what OpenTelemetry's
console exporters write.

A list, a page of Phoenix's API (`{data: [...]}`), a span per line, spans one behind the other over many
lines, several lists under names of their own, or a table of spans with columns such as `context.span_id`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.concatenated import values
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.log_records import Record, with_logs
from truespec.traces.importers.otlp import log_record
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

NAME = "openinference"
_COLUMN = "context.span_id"
_NESTED = ("llm", "input", "output", "openinference", "tool", "tool_call", "gen_ai", "ai", "traceloop")
"""Beginnings of names of attributes; a value of them that is an object holds further attributes."""


def _is_span(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get(_COLUMN), str):
        return True
    return isinstance(value.get("context"), dict) and "span_id" in value["context"]


_WHOLE = (".value", ".arguments", ".parameters")
"""Ends of names of attributes whose value is one text, or one object, of the application's own."""


def _is_record(value: Any) -> bool:
    """A log record of a console exporter."""
    return isinstance(value, dict) and "span_id" in value and "trace_id" in value and "body" in value


def _is_one(value: Any) -> bool:
    return _is_span(value) or _is_record(value)


def _is_table(value: Any) -> bool:
    """A table by columns: each column is an object of its rows."""
    return isinstance(value, dict) and isinstance(value.get(_COLUMN), dict)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A span with a context, alone, in a list or in a list under a name; or a table of spans."""
    if _is_table(head):
        return True
    if isinstance(head, dict) and not _is_one(head):
        lists = [value for value in head.values() if isinstance(value, list) and value]
        return bool(lists) and _is_span(lists[0][0])
    return _is_one(head[0] if isinstance(head, list) and head else head)


def _listed(file: TraceFile) -> Iterator[tuple[str, Any | Problem]]:
    if isinstance(file.head, list):
        for _, index, value in each_record(file, None, _is_one):
            yield f"span {index}", value
    elif _is_one(file.head):
        yield from values(file)
    else:
        value = file.document()
        if isinstance(value, Problem):
            yield "document", value
            return
        lists = [_rows(value)] if _is_table(value) else value.values() if isinstance(value, dict) else ()
        number = 0
        for listed in lists:
            for span in dicts(listed):
                yield f"span {number}", span
                number += 1


def _rows(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = {name: column for name, column in table.items() if isinstance(column, dict)}
    return [{name: column.get(row) for name, column in columns.items()} for row in columns[_COLUMN]]


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    found: list[tuple[str, RawSpan]] = []
    logs: list[Record] = []
    for place, value in _listed(file):
        if isinstance(value, Problem):
            yield value
        elif _is_span(value):
            found.append(_raw(value))
        elif _is_record(value):
            logs.append(log_record(value))
        else:
            yield file.problem(place, "no span with a context")
    yield from traces_of_spans(by_trace(with_logs(found, logs)), file, NAME, joins)


def _raw(span: Mapping[str, Any]) -> tuple[str, RawSpan]:
    if _COLUMN in span:
        span = _of_row(span)
    context = span["context"]
    attributes = flat_names(span.get("attributes") or {})
    if span.get("span_kind"):
        attributes.setdefault("openinference.span.kind", span["span_kind"])
    status = span.get("status")
    code = span.get("status_code") or (status.get("status_code") if isinstance(status, dict) else None)
    return str(context.get("trace_id")), RawSpan(
        id=str(context["span_id"]),
        parent=span.get("parent_id"),
        name=str(span.get("name", "")),
        start=span.get("start_time"),
        attributes=attributes,
        events=dicts(span.get("events")),
        failed=code == "ERROR",
    )


def _of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table of spans as the span."""
    made: dict[str, Any] = {"context": {}, "attributes": {}}
    for column, value in row.items():
        outer, _, rest = column.partition(".")
        if outer in ("context", "attributes") and rest:
            if value is not None:
                listed = isinstance(value, str) and value.startswith("[{") and not rest.endswith(_WHOLE)
                made[outer][rest] = parsed(value) if listed else value
        else:
            made[column] = value
    return made


def flat_names(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes under flat names, as conventions have them; some exports nest what has dots."""
    made: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.partition(".")[0] in _NESTED and isinstance(value, dict | list):
            made.update(_leaves(key, value))
        else:
            made[key] = value
    return made


def _is_tree(value: Any) -> bool:
    """Whether a list stands for numbered attributes; one of messages or of parts is a value of its own."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return False
    return not any("role" in item or "type" in item for item in value)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value and not name.endswith(_WHOLE):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}", inner)
    elif _is_tree(value):
        for number, inner in enumerate(value):
            yield from _leaves(f"{name}.{number}", inner)
    elif value is not None:
        yield name, value
