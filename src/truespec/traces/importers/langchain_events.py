"""Events of LangChain's `astream_events`: what each model and each tool took and gave, as spans.

`{event: on_chat_model_end, run_id, parent_ids, data: {input, output}}`. The pieces of streams and the events
of chains repeat what models and tools say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import value_text
from truespec.traces.importers.span_traces import by_trace, traces_of_spans
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "langchain-events"
ASIDE = ("chunk", "metadata")
"""Fields beside the conversation: pieces of what an event at the end holds whole, and settings of a run."""
_KINDS = {"on_chat_model": "LLM", "on_llm": "LLM", "on_tool": "TOOL"}
PIECES = "events of streams and of chains are passed over: models and tools say the same"


def _is_ours(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and str(value.get("event")).startswith("on_")
        and isinstance(value.get("run_id"), str)
        and isinstance(value.get("data", {}), Mapping)
    )


def recognises(head: Any, _file: TraceFile) -> bool:
    """An event with a run and its data."""
    return _is_ours(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per outermost run; where no event names one, all events are of one."""
    began: dict[str, Any] = {}
    parents: dict[str, Any] = {}
    found: list[tuple[str, RawSpan]] = []
    for number, (position, value) in enumerate(records(file, _is_ours)):
        if isinstance(value, Problem):
            yield value
        elif not _is_ours(value):
            yield file.problem(position, f"expected an event of a run, found {brief(value)}")
        else:
            what, _, when = str(value["event"]).rpartition("_")
            if isinstance(above := value.get("parent_run_id"), str):
                parents[value["run_id"]] = above
            if what not in _KINDS or when == "stream":
                file.ledger.rules[PIECES] += 1
            elif when == "start":
                began[value["run_id"]] = value
            else:
                found.append(_raw(value, _KINDS[what], began.pop(value["run_id"], {}), number))
    for value in began.values():
        file.ledger.problem("file", f"the run {value['run_id'][:40]!r} of {value.get('name')!r} has no end")
    found = [_below(trace, raw, parents) for trace, raw in found]
    named = any(raw.parent for _, raw in found)
    groups = found if named else [(found[0][0], raw) for _, raw in found]
    yield from traces_of_spans(by_trace(groups), file, NAME, joins)


def _generation(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


def _below(trace: str, raw: RawSpan, parents: Mapping[str, str]) -> tuple[str, RawSpan]:
    """A span whose events name only the run just around it, in the trace of the outermost one."""
    if raw.parent is not None or raw.id not in parents:
        return trace, raw
    outer, seen = parents[raw.id], {raw.id}
    while outer in parents and outer not in seen:
        seen.add(outer)
        outer = parents[outer]
    return outer, replace(raw, parent=parents[raw.id])


def _raw(event: Mapping[str, Any], kind: str, start: Mapping[str, Any], number: int) -> tuple[str, RawSpan]:
    above = event.get("parent_ids") or start.get("parent_ids") or []
    data, before = event.get("data") or {}, start.get("data") or {}
    output = data.get("output")
    if output is None and isinstance(listed := data.get("generations"), list):
        output = {"generations": [[_generation(one) for one in batch] for batch in listed if batch]}
    error = data.get("error")
    about = event.get("metadata")
    attributes = {
        "openinference.span.kind": kind,
        "input.value": data.get("input") if data.get("input") is not None else before.get("input"),
        "output.value": output,
        "gen_ai.tool.name": event.get("name", start.get("name")) if kind == "TOOL" else None,
        "gen_ai.tool.call.id": data.get("tool_call_id"),
        "model": about.get("ls_model_name") if isinstance(about, Mapping) else None,
        ERROR: value_text(error),
    }
    return str(above[0] if above else event["run_id"]), RawSpan(
        id=event["run_id"],
        parent=above[-1] if above else None,
        name=str(event.get("name") or ""),
        start=f"{number:012d}",
        attributes={key: value for key, value in attributes.items() if value is not None},
        failed=error is not None,
    )
