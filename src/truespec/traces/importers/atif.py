"""Harbor ATIF trajectories: `{schema_version, session_id, agent, steps[]}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.shared import source_of, text_of, tool_call, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "atif"
ASIDE = ("subagent_trajectory_ref",)
"""Fields beside the conversation: what is said of a file with a conversation of its own."""
_ROLES = {"agent": "assistant", "user": "user", "system": "system"}
_PLACED = ("step_id", "source", "message", "tool_calls", "observation", "reasoning_content")


def recognises(head: Any, _file: TraceFile) -> bool:
    """Its version tag."""
    return isinstance(head, dict) and str(head.get("schema_version", "")).startswith("ATIF")


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file; of a damaged one, the steps that are whole."""
    messages: list[Message] = []
    header: Mapping[str, Any] = {}
    stream = each_record(file, "steps", lambda s: isinstance(s, dict) and "source" in s, needs=("agent",))
    for around, index, step in stream:
        header = around
        if isinstance(step, Problem):
            yield step
            continue
        try:
            messages += _messages(step)
        except UNREADABLE as error:
            yield file.problem(f"steps/{index}", f"no step of ATIF: {error!r}")
    agent = header.get("agent") or {}
    tools = tool_schemas(agent.get("tool_definitions"))
    yield Trace(
        id=str(header.get("session_id") or file.path.name),
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=tools if tools is not None else joins.domain(None).tools,
        model=agent.get("model_name"),
        metadata={
            "agent": {k: v for k, v in agent.items() if k != "tool_definitions"},
            **{k: v for k, v in header.items() if k in ("final_metrics", "schema_version", "notes", "extra")},
        },
    )


def _messages(step: Mapping[str, Any]) -> Iterator[Message]:
    position = f"step {step.get('step_id')}"
    calls = tuple(
        tool_call(c.get("function_name"), c.get("arguments"), c.get("tool_call_id"))
        for c in step.get("tool_calls") or ()
    )
    extra = {k: v for k, v in step.items() if k not in _PLACED and v is not None}
    yield Message(
        _ROLES.get(str(step["source"]), "assistant"),
        text_of(step.get("message")) or None,
        calls,
        reasoning=step.get("reasoning_content"),
        position=position,
        extra=extra or None,
    )
    names = {call.id: call.name for call in calls}
    for result in (step.get("observation") or {}).get("results") or ():
        identifier = result.get("source_call_id")
        yield Message(
            "tool",
            text_of(result.get("content")),
            call_id=identifier,
            tool=names.get(identifier),
            position=position,
        )
