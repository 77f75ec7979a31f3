"""Answers of ToolBench: `{answer_generation: {train_messages, function}, trys | tree, ...}`.

The last of the growing requests is the conversation that led to the answer; the search that found it holds
the observation behind its last call. Calls on branches that were given up are counted and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "toolbench"
_DEPTH = 200


def _requests(value: Any) -> list[Any] | None:
    held = value.get("answer_generation") if isinstance(value, Mapping) else None
    listed = held.get("train_messages") if isinstance(held, Mapping) else None
    if not isinstance(listed, list) or not listed or not isinstance(listed[-1], list):
        return None
    return listed if "trys" in value or "tree" in value else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """An answer with its search."""
    return _requests(head) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per answer."""

    def made(value: Any, requests: list[Any], position: str) -> Trace:
        notes = Notes(file.ledger, position)
        items = [(f"message {number}", item) for number, item in enumerate(requests[-1])]
        runs = list(_runs([value.get("trys"), value.get("tree")]))
        last = requests[-1][-1] if requests[-1] else None
        call = last.get("function_call") if isinstance(last, Mapping) else None
        if isinstance(call, Mapping):
            given = (str(call.get("name")), parsed(call.get("arguments")))
            told = next((seen for *run, seen in reversed(runs) if (run[0], parsed(run[1])) == given), None)
            if told is not None:
                items.append(("search", {"role": "function", "name": call.get("name"), "content": told}))
        messages = placed(items, position, notes)
        left = len(runs) - sum(len(message.calls) for message in messages)
        for _ in range(left):
            notes.ledger.calls.drop("a call on a branch that was given up", position)
        if left > 0:
            notes.ledger.problem(position, f"{left} calls stand on branches of the search that were given up")
        held = value["answer_generation"]
        origin = Origin(file, NAME, position, joins)
        return trace_of(messages, origin, identifier=file.path.name, tools=tool_schemas(held.get("function")))

    listed = records(file, lambda v: _requests(v) is not None)
    return each_trace(file, listed, _requests, made, "an answer with its search")


def _runs(value: Any, action: str = "", depth: int = 0) -> Iterator[tuple[str, Any, Any]]:
    """The tools that a search ran: name, input and what was observed; a list is a chain of nodes."""
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _runs(item, action, depth + 1)
            if isinstance(item, Mapping) and item.get("node_type") == "Action":
                action = str(item.get("description"))
    elif isinstance(value, Mapping):
        kind = value.get("node_type")
        if kind == "Action Input" and "observation" in value:
            yield action, value.get("description"), value["observation"]
        below = str(value.get("description")) if kind == "Action" else action
        for key in ("chain", "tree", "children"):
            yield from _runs(value.get(key), below, depth + 1)
