"""Exports of tracing platforms that keep units of work with `input` and `output`: one table of field names.

Braintrust, Weave, Opik, Galileo, HoneyHive, Datadog, Lunary, Mastra and MLflow name the same things
differently: the identifier, the parent, the trace, the kind, the times, what was taken, given and failed.
Each question has one list of places, read in order; a dot leads into an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.items import messages_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import value_text
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.importers.told import parsed
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Trace

NAME = "platforms"
_IDS = ("span_id", "spanId", "event_id", "id")
_PARENTS = ("span_parents", "parent_span_id", "parent_id", "parentRunId", "parent_run_id", "parentSpanId")
_TRACES = ("root_span_id", "trace_id", "session_id", "traceId", "runId")
_KINDS = (
    "span_attributes.type",
    "attributes.weave.kind",
    "meta.kind",
    "meta.span.kind",
    "span_kind",
    "span_type",
    "spanType",
    "event_type",
    "type",
)
_NAMES = ("attributes.toolId", "span_attributes.name", "event_name", "name", "op_name", "display_name")
_STARTS = (
    "metrics.start",
    "start_time",
    "started_at",
    "start_ns",
    "start_time_ns",
    "start_time_unix_nano",
    "startTime",
    "createdAt",
    "created_at",
    "created",
)
_INPUTS = ("input", "inputs", "meta.input.messages", "meta.input.value", "meta.input")
_OUTPUTS = ("output", "outputs", "meta.output.messages", "meta.output.value", "meta.output")
_ERRORS = ("error", "exception", "error_info", "errorInfo", "meta.error", "error_message")
_MODELS = (
    "metadata.model",
    "model",
    "inputs.model",
    "config.model",
    "meta.model_name",
    "attributes.llm.request.model",
)
_TOOLS = ("metadata.tools", "tools", "inputs.tools", "params.tools", "config.tools")
_INNER = ("spans", "children", "child_spans")
_SORTS = {
    "llm": "LLM",
    "chat": "LLM",
    "chat_model": "LLM",
    "generation": "LLM",
    "model": "LLM",
    "tool": "TOOL",
    "function_call": "TOOL",
    "agent": "AGENT",
    "workflow": "CHAIN",
    "chain": "CHAIN",
    "task": "CHAIN",
    "general": "CHAIN",
    "function": "CHAIN",
    "guardrail": "CHAIN",
    "retriever": "RETRIEVER",
    "retrieval": "RETRIEVER",
    "embedding": "EMBEDDING",
    "score": "SCORE",
    "eval": "CHAIN",
    "trace": "CHAIN",
    "session": "CHAIN",
    "agent_run": "AGENT",
    "model_generation": "CHAIN",
    "model_step": "LLM",
    "model_chunk": "CHAIN",
    "tool_call": "TOOL",
    "mcp_tool_call": "TOOL",
    "workflow_run": "CHAIN",
    "workflow_step": "CHAIN",
}
_UNENDED = ("span_started", "span_updated")
BEGUN = "an event that says that a span has begun is passed over; another one says how it ended"
WHOLE = "a request that its exporter cut off is the one that the span around the model call holds whole"
_DEPTH = 40


def _at(value: Mapping[str, Any], path: str) -> Any:
    """What stands at a path; the name of a field may hold a dot itself."""
    if path in value:
        return value[path]
    first, dot, rest = path.partition(".")
    inner = value.get(first) if dot else None
    return _at(inner, rest) if isinstance(inner, Mapping) else None


def _first(value: Mapping[str, Any], paths: tuple[str, ...]) -> Any:
    return next((found for path in paths if (found := _at(value, path)) not in (None, "", [])), None)


def _kind(value: Mapping[str, Any]) -> str | None:
    """LLM, TOOL and the like; None where the value declares no kind that is known."""
    kind = _first(value, _KINDS)
    if isinstance(kind, str) and kind.lower() in _SORTS:
        return _SORTS[kind.lower()]
    if not isinstance(value.get("op_name"), str):
        return None
    given, reply = value.get("inputs"), value.get("output")
    asked = isinstance(given, Mapping) and any(k in given for k in ("messages", "contents", "input"))
    said = isinstance(reply, Mapping) and any(k in reply for k in ("choices", "content", "candidates"))
    answered = isinstance(reply, Mapping) and reply.get("object") == "response"
    return "LLM" if asked and (said or answered) else "CHAIN"


def _is_span(value: Any) -> bool:
    if not isinstance(value, Mapping) or not any(key in value for key in (*_IDS, "spans")):
        return False
    if _kind(value) is None:
        return False
    if isinstance(value.get("spans"), list):
        return value.get("type") in _SORTS
    named = isinstance(_first(value, _IDS), str) and isinstance(_first(value, _TRACES), str)
    return named and any(
        _at(value, path) is not None for path in (*_INPUTS[:2], *_OUTPUTS[:2], "meta.kind", "meta.span.kind")
    )


def _spans(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The outermost spans in a value."""
    if _is_span(value):
        yield value
    elif depth < 4:
        inner = value if isinstance(value, list) else value.values() if isinstance(value, Mapping) else ()
        for one in inner:
            if isinstance(one, Mapping | list):
                yield from _spans(one, depth + 1)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A span with a kind, an identifier and its trace, in a list or below a field."""
    return next(_spans(head), None) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    found: list[tuple[str, RawSpan]] = []
    for position, value in records(file, lambda v: next(_spans(v), None) is not None):
        if isinstance(value, Problem):
            yield value
            continue
        if isinstance(value, Mapping) and value.get("type") in _UNENDED:
            file.ledger.rules[BEGUN] += 1
            continue
        before = len(found)
        for number, span in enumerate(_spans(value)):
            found += _raws(span, f"{position}/{number}", None, None)
        if len(found) == before:
            yield file.problem(position, f"expected a span with input and output, found {brief(value)}")
    for identifier, raws in by_trace(_ended(found)):
        # A run of a tool answers its model's call, under whose identifier it is known.
        file.ledger.aliases.update({raw.id: identifier for raw in raws if _is_run(raw)})
        whole = [_whole(raw, raws, file.ledger) for raw in raws]
        yield trace_of_spans(identifier, whole, file, NAME, identifier, joins)


def _is_run(raw: RawSpan) -> bool:
    return raw.attributes.get("openinference.span.kind") == "TOOL"


def _whole(raw: RawSpan, raws: Sequence[RawSpan], ledger: Ledger) -> RawSpan:
    """A model call whose request its exporter cut off, with the one that the span around it holds whole."""
    given = raw.attributes.get("input.value")
    if not isinstance(given, str) or not given.startswith('{"'):
        return raw
    around = next((one.attributes.get("input.value") for one in raws if one.id == raw.parent), None)
    listed = around.get("messages") if isinstance(around, Mapping) else None
    if not isinstance(listed, list):
        return raw
    said = [message.text for message in messages_of(listed, "user", Notes()) if message.text]
    if not said or json.dumps(said[0], ensure_ascii=False)[1:-1] not in given:
        return raw
    ledger.rules[WHOLE] += 1
    return replace(raw, attributes={**raw.attributes, "input.value": around})


def _ended(found: list[tuple[str, RawSpan]]) -> list[tuple[str, RawSpan]]:
    """The spans, of those that are told when they begin and when they end the latter."""
    latest = {(trace, raw.id): (trace, raw) for trace, raw in found}
    return list(latest.values())


def _raws(
    span: Mapping[str, Any], place: str, parent: str | None, trace: str | None, depth: int = 0
) -> Iterator[tuple[str, RawSpan]]:
    """A span and those inside it."""
    identifier = str(_first(span, _IDS) or place)
    name = str(_first(span, _TRACES) or trace or identifier)
    yield name, _raw(span, identifier, parent)
    if depth > _DEPTH:
        return
    for key in _INNER:
        listed = span.get(key)
        for number, inner in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(inner, Mapping):
                yield from _raws(inner, f"{place}/{number}", identifier, name, depth + 1)


def _raw(span: Mapping[str, Any], identifier: str, parent: str | None) -> RawSpan:
    kind = _kind(span) or "CHAIN"
    above = _first(span, _PARENTS)
    above = above[0] if isinstance(above, list) and above else above
    name = str(_first(span, _NAMES) or "")
    if name.startswith("weave:"):
        name = name.rpartition("/")[2].partition(":")[0]
    error = _first(span, _ERRORS)
    status = span.get("status_code")
    model = _first(span, _MODELS)
    attributes = {
        "openinference.span.kind": kind,
        "input.value": _given(parsed(_first(span, _INPUTS))),
        "output.value": _given(parsed(_first(span, _OUTPUTS))),
        "model": model if isinstance(model, str) else None,
        "gen_ai.tool.definitions": _first(span, _TOOLS) if kind == "LLM" else None,
        "gen_ai.tool.name": name if kind == "TOOL" else None,
        "gen_ai.tool.call.id": span.get("tool_call_id"),
        ERROR: _failure(error),
    }
    start = _first(span, _STARTS)
    return RawSpan(
        id=identifier,
        parent=str(above) if above is not None else parent,
        name=name,
        start=f"{start:024.6f}" if isinstance(start, int | float) else str(start or ""),
        attributes={key: value for key, value in attributes.items() if value is not None},
        failed=bool(error) or span.get("level") == "ERROR" or (isinstance(status, int) and status >= 400),
    )


def _given(value: Any) -> Any:
    """The inputs of a traced method without the object that it belongs to; a lone value as it is."""
    if isinstance(value, Mapping) and (value.keys() == {"value"} or value.keys() == {"body"}):
        return parsed(next(iter(value.values())))
    return {k: v for k, v in value.items() if k != "self"} if isinstance(value, Mapping) else value


def _failure(error: Any) -> str | None:
    if isinstance(error, Mapping):
        error = next((error[k] for k in ("message", "value", "error") if error.get(k)), error)
    return value_text(error)
