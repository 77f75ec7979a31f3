"""Anthropic messages: `{system?, messages, tools?, model?}` with content blocks; a list or lines of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.chunks import is_chunk, merged
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of, text_of, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "anthropic"
_BLOCKS = {"tool_use", "tool_result", "thinking", "server_tool_use"}


def _is_ours(value: Any) -> bool:
    if isinstance(value, list):
        messages: Any = value
        recognised = False
    elif isinstance(value, dict) and isinstance(value.get("messages"), list):
        messages = value["messages"]
        tools = value.get("tools")
        recognised = "system" in value or (
            isinstance(tools, list)
            and bool(tools)
            and isinstance(tools[0], dict)
            and "input_schema" in tools[0]
        )
    else:
        return False
    return recognised or any(
        isinstance(part, dict) and part.get("type") in _BLOCKS
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for part in message["content"]
    )


def recognises(head: Any, _file: TraceFile) -> bool:
    """A system text beside the messages, tools with `input_schema`, or blocks of its kinds."""
    return _is_ours(head) or (isinstance(head, list) and bool(head) and _is_ours(head[0]))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation; requests of one conversation are one trace."""
    return grown(_traces(file, joins), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    value = file.document()
    if isinstance(value, Problem):
        entries = [(f"line {line}", entry) for line, entry in file.lines()]
        if all(isinstance(entry, Problem) for _, entry in entries):
            entries = [("document", value)]
    elif isinstance(value, list) and value and isinstance(value[0], dict) and "messages" in value[0]:
        entries = [(f"record {index}", entry) for index, entry in enumerate(value)]
    else:
        entries = [("document", value)]
    for position, entry in entries:
        if isinstance(entry, Problem):
            yield entry
            continue
        try:
            yield _trace({"messages": entry} if isinstance(entry, list) else entry, file, position, joins)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            yield file.problem(position, f"no Anthropic conversation: {error!r}")


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    for index, m in enumerate(value["messages"]):
        notes.place = place = f"messages/{index}"
        messages += [replace(made, position=place) for made in messages_of_item(m, notes, "user")]
    answer = value.get("response")
    if isinstance(answer, list) and answer and all(is_chunk(chunk) for chunk in answer):
        answer = next(merged(answer))
    if isinstance(answer, dict) and isinstance(answer.get("content"), list):
        notes.place = "response"
        made = messages_of_item({"role": "assistant", **answer}, notes)
        messages += [replace(message, position="response") for message in made]
    tools = tool_schemas(value.get("tools"))
    rest = {
        k: v
        for k, v in value.items()
        if k not in ("messages", "system", "tools", "response") and v is not None
    }
    return Trace(
        id=str(value.get("id") or f"{file.path.name}:{position}"),
        messages=tuple(paired(messages, file.ledger)),
        source=source_of(file, NAME, position),
        system_prompt=text_of(value.get("system")) or joins.prompt,
        tools=tools if tools is not None else joins.domain(None).tools,
        model=value.get("model"),
        metadata=rest,
    )
