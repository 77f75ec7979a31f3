"""LangSmith run exports: runs with `run_type`, `inputs`, `outputs`; listed or nested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.records import whole_or_lines
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.importers.told import parsed
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

NAME = "langsmith"
_KINDS = {"llm": "LLM", "tool": "TOOL", "chain": "CHAIN", "retriever": "RETRIEVER"}


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or "run_type" not in value:
        return False
    return "id" in value or ("inputs" in value and "outputs" in value)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A run, a list that starts with one, or the page of runs that the API answers with."""
    head = head["runs"] if isinstance(head, dict) and isinstance(head.get("runs"), list) else head
    return _is_run(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per trace id."""
    if isinstance(file.head, list):
        values: list[Any] = [value for _, _, value in each_record(file, None, _is_run)]
    else:
        values = []
        for _, value in whole_or_lines(file):
            listed = value.get("runs") if isinstance(value, dict) and not _is_run(value) else None
            values += listed if isinstance(listed, list) else [value]
    values = [
        {**value, "id": f"run-{number}", "trace_id": value.get("trace_id") or "runs"}
        if _is_run(value) and "id" not in value
        else value
        for number, value in enumerate(values)
    ]
    roots = _roots([value for value in values if _is_run(value)])
    found: list[tuple[str, RawSpan]] = []
    for number, value in enumerate(values):
        if isinstance(value, Problem):
            yield value
        elif _is_run(value):
            stack = [(value, str(value.get("trace_id") or roots[str(value["id"])]))]
            while stack:
                run, trace = stack.pop()
                found.append((trace, _raw(run)))
                stack.extend((child, trace) for child in run.get("child_runs") or () if _is_run(child))
        else:
            yield file.problem(f"run {number}", "no run with a run_type")
    for identifier, raws in by_trace(found):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins)


def _roots(runs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Of each run the outermost one around it, for runs that do not name their trace."""
    parents = {str(run["id"]): str(run.get("parent_run_id")) for run in runs}
    roots: dict[str, str] = {}
    for start in parents:
        at, seen = start, {start}
        while parents[at] in parents and parents[at] not in seen:
            at = parents[at]
            seen.add(at)
        roots[start] = at
    return roots


def _object(value: Any) -> Mapping[str, Any]:
    """An object, or the one that a text is the JSON of; the bulk export writes texts."""
    value = parsed(value)
    return value if isinstance(value, Mapping) else {}


def _reason(error: Any) -> str | None:
    """Why a run failed, without the traceback behind it."""
    if not isinstance(error, str):
        return None
    return error.partition("Traceback (most recent call last)")[0].strip() or error or None


def _raw(run: Mapping[str, Any]) -> RawSpan:
    kind = _KINDS.get(str(run.get("run_type")), "CHAIN")
    extra = _object(run.get("extra"))
    invocation = _object(extra.get("invocation_params"))
    inputs, outputs = parsed(run.get("inputs")), parsed(run.get("outputs"))
    attributes: dict[str, Any] = {
        "openinference.span.kind": kind,
        "input.value": inputs,
        "output.value": outputs,
        "llm.model_name": _object(extra.get("metadata")).get("ls_model_name") or invocation.get("model"),
        "gen_ai.tool.definitions": invocation.get("tools"),
    }
    if kind == "TOOL":
        attributes["gen_ai.tool.name"] = run.get("name")
        attributes[ERROR] = _reason(run.get("error"))
    return RawSpan(
        id=str(run["id"]),
        parent=run.get("parent_run_id"),
        name=str(run.get("name") or ""),
        start=run.get("dotted_order") or run.get("start_time"),
        attributes={key: value for key, value in attributes.items() if value is not None},
        failed=bool(run.get("error")),
    )
