"""Google's Interactions interface: `{steps: [{type: user_input | thought | function_call | ...}]}`.

An interaction is what one request asked for and all that came of it; `previous_interaction_id` names the one
that it goes on from. What built-in tools are given and give are steps `..._call` and `..._result`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.growing import grown
from truespec.traces.importers.openai_responses import turns
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts, text_of, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "gemini-interactions"
ASIDE = ("input", "output_text")
"""Fields that repeat what the steps say."""
_SPOKEN = {"user_input": "user", "model_output": "assistant"}
_CALL, _RESULT = "_call", "_result"


def _is_ours(value: Any) -> bool:
    listed = value.get("steps") if isinstance(value, dict) else None
    return isinstance(listed, list) and any(step.get("type") in _SPOKEN for step in dicts(listed))


def recognises(head: Any, _file: TraceFile) -> bool:
    """An interaction, alone or first of a list or of lines."""
    return _is_ours(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation."""
    made = each_trace(
        file,
        records(file, _is_ours),
        lambda value: _is_ours(value) or None,
        lambda value, _, position: _trace(value, file, position, joins),
        "an interaction with steps",
    )
    return grown(made, file.ledger)


def _trace(record: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    notes = Notes(file.ledger, position)
    items = [(f"{position}, steps/{n}", _item(step)) for n, step in enumerate(dicts(record["steps"]))]
    config = record.get("generation_config")
    around = {**config, **record} if isinstance(config, Mapping) else record
    earlier = record.get("previous_interaction_id")
    return trace_of(
        turns(items, notes),
        Origin(file, NAME, position, joins),
        identifier=record.get("id"),
        prompt=text_of(around.get("system_instruction")),
        tools=tool_schemas(record.get("tools")),
        model=record.get("model"),
        metadata={"previous_response_id": earlier} if earlier else {},
    )


def _item(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step as an item of OpenAI's Responses, whose names the readers of parts know."""
    kind = str(step.get("type"))
    if kind in _SPOKEN:
        return {**step, "type": "message", "role": _SPOKEN[kind]}
    if kind == "thought":
        return {"type": "reasoning", "summary": step.get("summary") or []}
    if kind.endswith(_CALL) and "arguments" in step:
        name = step.get("name") or kind.removesuffix(_CALL)
        return {**step, "type": "function_call", "call_id": step.get("id"), "name": name}
    if kind.endswith(_RESULT) and "result" in step:
        error = {"is_error": step["is_error"]} if isinstance(step.get("is_error"), bool) else {}
        return {**step, "type": "function_call_output", "output": step["result"], **error}
    return dict(step)
