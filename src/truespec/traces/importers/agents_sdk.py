"""Runs of the OpenAI Agents SDK: the spans that its trace processors export, and states of runs.

A span is `{object: trace.span, span_data}`. A state, as a run that waits for an approval is kept, is
`{$schemaVersion, original_input, generated_items, session_items, model_responses}`: the items of the session
are the whole history, those of the run may have been cut for the next agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.openai_responses import turns
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes, is_call, kind_of_part
from truespec.traces.importers.records import each_trace, records, whole_or_lines
from truespec.traces.importers.shared import dicts, source_of
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace, prompt_of

NAME = "openai-agents"
_KINDS = {"generation": "LLM", "response": "LLM", "function": "TOOL", "agent": "AGENT"}


_WAITING = ("tool_approval_item",)
APPROVALS = "an item that waits for the approval of a call repeats that call"

BEHIND = "a call that only a reply of a state holds is put behind the state's items"


def _is_ours(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") in ("trace", "trace.span")


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and "$schemaVersion" in value and "original_input" in value


def recognises(head: Any, _file: TraceFile) -> bool:
    """A trace, a span or a state of the SDK, alone or first of a list."""
    first = head[0] if isinstance(head, list) and head else head
    return _is_ours(first) or _is_state(first) or _posted(first) is not None


def _posted(value: Any) -> list[Any] | None:
    """The traces and spans of a request to OpenAI's collector, or of a dump of both."""
    listed = value.get("data", value.get("spans")) if isinstance(value, dict) else None
    return listed if isinstance(listed, list) and listed and all(map(_is_ours, listed)) else None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id, or per state."""
    if _is_state(file.head[0] if isinstance(file.head, list) and file.head else file.head):
        yield from each_trace(
            file,
            records(file, _is_state),
            lambda value: value if _is_state(value) else None,
            lambda value, _, position: _of_state(value, file, position, joins),
            "a state of a run",
        )
        return
    if _posted(file.head) is not None:
        values = [
            (f"{place}, {number}", one)
            for place, posted in whole_or_lines(file)
            for number, one in enumerate(_posted(posted) or [posted])
        ]
    elif isinstance(file.head, list):
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


def _of_state(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    """The conversation so far: what was given, then the items of the session."""
    notes = Notes(file.ledger, position)
    key = "session_items" if value.get("session_items") else "generated_items"
    given = value["original_input"]
    listed = [given] if isinstance(given, str) else list(given or ())
    items = [(f"original_input/{n}", item) for n, item in enumerate(listed)]
    called: set[Any] = set()
    for number, item in enumerate(dicts(value.get(key))):
        raw = item.get("raw_item")
        if item.get("type") in _WAITING or not isinstance(raw, Mapping):
            file.ledger.rules[APPROVALS] += 1  # the call itself is an item before it
            continue
        called.add(raw.get("call_id", raw.get("id")))
        items.append((f"{key}/{number}", raw))
    lost = list(_held_back(value, called))
    if lost:
        file.ledger.rules[BEHIND] += len(lost)
        items += lost
    messages = turns(items, notes, len(listed))
    agent = value.get("current_agent")
    return Trace(
        id=str(value.get("conversation_id") or f"{file.path.name}:{position}"),
        messages=tuple(paired(messages, file.ledger)),
        source=source_of(file, NAME, position),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=joins.domain(None).tools,
        metadata={"agent": agent["name"]} if isinstance(agent, Mapping) and "name" in agent else {},
    )


def _held_back(value: Mapping[str, Any], called: set[Any]) -> Iterator[tuple[str, Any]]:
    """The calls of replies that are not among the items that were read, with their places."""
    for number, reply in enumerate(dicts(value.get("model_responses"))):
        for at, item in enumerate(dicts(reply.get("output"))):
            if is_call(kind_of_part(item)) and item.get("call_id", item.get("id")) not in called:
                yield f"model_responses/{number}/output/{at}", item


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
    error = span.get("error")
    if kind == "function" and isinstance(error, Mapping):
        attributes[ERROR] = error.get("message")
    return str(span.get("trace_id")), RawSpan(
        id=str(span.get("id")),
        parent=span.get("parent_id"),
        name=str(data.get("name") or kind),
        start=span.get("started_at"),
        attributes={key: value for key, value in attributes.items() if value is not None},
        failed=bool(span.get("error")),
    )
