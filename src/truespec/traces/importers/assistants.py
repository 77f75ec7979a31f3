"""OpenAI's Assistants interface: `thread.message`, `thread.run` and `thread.run.step` objects at any depth.

A thread's lists come newest first; the objects are put in order of their times. The calls of a step hold
their outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import dicts, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "openai-assistants"
_OBJECTS = ("thread.message", "thread.run", "thread.run.step", "thread")
_DEPTH = 6
BY_TIME = "messages and steps of a thread stand in order of their times"


def _objects(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if depth > _DEPTH:
        return
    if isinstance(value, Mapping):
        if value.get("object") in _OBJECTS:
            yield value
        for inner in value.values():
            if isinstance(inner, Mapping | list):
                yield from _objects(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner, depth + 1)


def recognises(head: Any, _file: TraceFile) -> bool:
    """Any object of a thread."""
    return next(_objects(head), None) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per thread."""
    threads: dict[str, list[Mapping[str, Any]]] = {}
    latest = "thread"
    for position, value in records(file, lambda v: next(_objects(v), None) is not None):
        if isinstance(value, Problem):
            yield value
            continue
        found = list(_objects(value))
        if not found:
            yield file.problem(position, "no object of a thread")
        for one in found:
            name = one.get("thread_id") or (one.get("id") if one["object"] == "thread" else None)
            latest = str(name) if name else latest
            threads.setdefault(latest, []).append(one)
    for identifier, listed in threads.items():
        yield _trace(identifier, listed, file, joins)


def _time(one: Mapping[str, Any]) -> tuple[float, int]:
    at = one.get("created_at")
    return (at if isinstance(at, int | float) else 0.0, one["object"] == "thread.message")


def _trace(identifier: str, listed: list[Mapping[str, Any]], file: TraceFile, joins: Joins) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    runs = [one for one in listed if one["object"] == "thread.run"]
    known: set[str] = set()
    file.ledger.rules[BY_TIME] += 1
    spoken = [one for one in listed if one["object"] in ("thread.message", "thread.run.step")]
    for one in sorted(spoken, key=_time):
        name = str(one.get("id"))
        if name in known:
            continue
        known.add(name)
        notes.place = name
        if one["object"] == "thread.run.step" and not _calls(one):
            continue  # it stands for a message of the thread
        messages += [replace(m, position=name) for m in messages_of_item(_item(one), notes)]
    told = {call.id for message in messages for call in message.calls}
    for run in runs:  # calls that a run waits for stand in no step yet
        action = run.get("required_action")
        asked = action.get("submit_tool_outputs") if isinstance(action, Mapping) else None
        calls = [c for c in dicts((asked or {}).get("tool_calls")) if c.get("id") not in told]
        if calls:
            messages += messages_of_item({"role": "assistant", "content": None, "tool_calls": calls}, notes)
    prompt = next((r["instructions"] for r in runs if isinstance(r.get("instructions"), str)), None)
    tools = next((tool_schemas(r["tools"]) for r in runs if r.get("tools")), None)
    model = next((r["model"] for r in runs if isinstance(r.get("model"), str)), None)
    return trace_of(
        messages,
        Origin(file, NAME, identifier, joins),
        identifier=file.path.name if identifier == "thread" else identifier,
        prompt=prompt,
        tools=tools,
        model=model,
    )


def _item(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as it is; a step as the calls that it made, with their results behind them."""
    if one["object"] == "thread.message":
        return {"role": one.get("role"), "content": one.get("content")}
    parts: list[Mapping[str, Any]] = []
    results: list[Mapping[str, Any]] = []
    for call in _calls(one):
        kind = str(call.get("type"))
        body = call.get(kind) if isinstance(call.get(kind), Mapping) else {}
        assert isinstance(body, Mapping)
        output = next((body[k] for k in ("output", "outputs", "results") if body.get(k) is not None), None)
        name = body.get("name") or kind
        given = body.get("arguments")
        if given is None:
            given = {k: v for k, v in body.items() if k not in ("output", "outputs", "results", "name")}
        about = {"call_id": call.get("id"), "name": name}
        parts.append({"type": "function_call", **about, "arguments": given})
        if output is not None:
            results.append({"type": "function_call_output", **about, "output": output})
    return {"role": "assistant", "content": [*parts, *results]}


def _calls(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    details = step.get("step_details")
    return dicts(details.get("tool_calls")) if isinstance(details, Mapping) else []
