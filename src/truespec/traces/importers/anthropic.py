"""Anthropic messages: `{system?, messages, tools?, model?}` with content blocks; a list or lines of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.census import unplaced
from truespec.traces.importers.exchanges import (
    REPLIES,
    REQUESTS,
    opened_log,
    reply_of,
    request_of,
    said_in,
    tell_unsaid,
)
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of, text_of, tool_schemas
from truespec.traces.importers.told import told_by_reply
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "anthropic"
_BLOCKS = {"tool_use", "tool_result", "thinking", "server_tool_use"}


def _is_ours(value: Any) -> bool:
    if isinstance(value, list):
        messages: Any = value
        recognised = False
    elif (request := request_of(value, "messages")) is not None:
        messages = request["messages"]
        tools = request.get("tools")
        recognised = "system" in request or (
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
    if isinstance(head, dict) and isinstance(head.get("requests"), list):
        head = head["requests"]
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
    elif isinstance(value, dict) and isinstance(value.get("requests"), list):
        entries = [(f"requests/{index}", entry) for index, entry in enumerate(value["requests"])]
    elif isinstance(value, list) and value and request_of(value[0], "messages") is not None:
        entries = [(f"record {index}", entry) for index, entry in enumerate(value)]
    else:
        entries = [("document", value)]
    for position, entry in entries:
        if isinstance(entry, Problem):
            yield entry
            continue
        try:
            yield _trace({"messages": entry} if isinstance(entry, list) else entry, file, position, joins)
        except UNREADABLE as error:
            yield file.problem(position, f"no Anthropic conversation: {error!r}")


def _trace(record: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    record = opened_log(record)
    value = request_of(record, "messages")
    if value is None:
        raise ValueError("no messages")
    notes = Notes(file.ledger)
    messages: list[Message] = []
    for index, m in enumerate(value["messages"]):
        notes.place = place = f"messages/{index}"
        messages += [replace(made, position=place) for made in messages_of_item(m, notes, "user")]
    reply = reply_of(record)
    if (said := said_in(reply)) is not None or isinstance(reply, dict):
        content = reply.get("content") if said is None else None
        if said is not None or isinstance(content, list):
            notes.place = "response"
            made = messages_of_item(said or {"role": "assistant", "content": content}, notes)
            messages += [replace(message, position="response") for message in made]
        elif reply is not record:
            tell_unsaid(reply, position, file.ledger)
    elif isinstance(reply, str) and reply and (not messages or messages[-1].role != "assistant"):
        messages.append(Message("assistant", reply, position="response"))
    elif reply is not record:
        tell_unsaid(reply, position, file.ledger)
    tools = tool_schemas(value.get("tools"))
    rest = {
        k: v
        for k, v in {**record, **value}.items()
        if k not in ("messages", "system", "tools", *REPLIES, *REQUESTS) and v is not None
    }
    unplaced(messages, position, file.ledger)
    return Trace(
        id=str(record.get("id") or f"{file.path.name}:{position}"),
        messages=tuple(paired(told_by_reply(messages, notes), file.ledger)),
        source=source_of(file, NAME, position),
        system_prompt=text_of(value.get("system")) or joins.prompt,
        tools=tools if tools is not None else joins.domain(None).tools,
        model=_model({**record, **value}),
        metadata=rest,
    )


def _model(value: Mapping[str, Any]) -> str | None:
    named = value.get("model", value.get("modelId"))
    return named if isinstance(named, str) else None
