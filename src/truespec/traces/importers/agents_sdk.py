"""Spans of the OpenAI Agents SDK as its trace processors export them: `{object: trace.span, span_data}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

NAME = "openai-agents"
_KINDS = {"generation": "LLM", "response": "LLM", "function": "TOOL", "agent": "AGENT"}


def _is_ours(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") in ("trace", "trace.span")


def recognises(head: Any, _file: TraceFile) -> bool:
    """A trace or a span of the SDK, alone or first of a list."""
    return _is_ours(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    if isinstance(file.head, list):
        values = [(f"record {index}", value) for _, index, value in each_record(file, None, _is_ours)]
    else:
        values = [(f"line {line}", value) for line, value in file.lines()]
    found: list[tuple[str, RawSpan]] = []
    for position, value in values:
        if isinstance(value, Problem):
            yield value
        elif not _is_ours(value):
            yield file.problem(position, f"expected a span, found {brief(value)}")
        elif value["object"] == "trace.span":
            found.append(_raw(value))
    for identifier, raws in by_trace(found):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins)


def _raw(span: Mapping[str, Any]) -> tuple[str, RawSpan]:
    span_data = span.get("span_data")
    data: Mapping[str, Any] = span_data if isinstance(span_data, Mapping) else {}
    kind = str(data.get("type"))
    reply = data.get("response") if isinstance(data.get("response"), Mapping) else data.get("output")
    attributes = {
        "openinference.span.kind": _KINDS.get(kind, "CHAIN"),
        "input.value": data.get("input"),
        "output.value": reply,
        "model": data.get("model"),
        "gen_ai.tool.name": data.get("name") if kind == "function" else None,
    }
    return str(span.get("trace_id")), RawSpan(
        id=str(span.get("id")),
        parent=span.get("parent_id"),
        name=str(data.get("name") or kind),
        start=span.get("started_at"),
        attributes={key: value for key, value in attributes.items() if value is not None},
        failed=bool(span.get("error")),
    )
