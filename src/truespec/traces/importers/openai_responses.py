"""OpenAI Responses: `{instructions?, input: [items], output: [items], tools?}`, or an item list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.exchanges import REQUESTS, reply_of, request_of
from truespec.traces.importers.growing import APPROVED, grown
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.newest_first import oldest_first
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes, is_call, is_result, kind_of_part
from truespec.traces.importers.shared import source_of, tool_schemas
from truespec.traces.importers.turns import in_turns
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "openai-responses"


def _items(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(item, dict)
        and "type" in item
        and (
            (item["type"] in ("reasoning", "message") and ("content" in item or "summary" in item))
            or ("role" not in item and (is_call(kind_of_part(item)) or is_result(kind_of_part(item))))
        )
        for item in value
    )


def _body(value: Any) -> Any:
    """A logged request with its reply, which may be streamed, as one object."""
    if not isinstance(value, dict):
        return value
    reply = reply_of(value)
    if isinstance(reply, list) and reply is value.get("output"):
        reply = value
    request = request_of(value, "input")
    if request is None:
        held = (value.get(key) for key in REQUESTS)
        request = next((one for one in held if isinstance(one, dict) and "input" in one), None)
    if isinstance(reply, dict) and isinstance(reply.get("output"), list):
        asked = value if request is None else request
        return {**asked, **reply, "input": asked.get("input")}
    return value if request is None else request


def _is_ours(value: Any) -> bool:
    value = _body(value)
    if isinstance(value, dict):
        return value.get("object") == "response" or _items(value.get("output")) or _items(value.get("input"))
    return _items(value)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A response object, or items with the API's types."""
    return _is_ours(head) or (isinstance(head, list) and bool(head) and _is_ours(head[0]))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation: a response, a list of items, or the requests of one conversation."""
    return grown(_traces(file, joins), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    value = file.document()
    entries = [("document", value)]
    if isinstance(value, Problem):
        lines = [(f"line {line}", entry) for line, entry in file.lines()]
        entries = lines if any(not isinstance(entry, Problem) for _, entry in lines) else entries
    elif isinstance(value, list) and not _items(value):
        entries = [(f"record {index}", entry) for index, entry in enumerate(value)]
    for position, entry in entries:
        if isinstance(entry, Problem):
            yield entry
        elif _is_ours(entry):
            entry = _body(entry)
            yield _trace({"input": entry} if isinstance(entry, list) else entry, file, position, joins)
        else:
            yield file.problem(position, "no Responses object")


def turns(items: Iterable[tuple[str, Any]], notes: Notes, spoken: int = 0) -> list[Message]:
    """The messages of items with their places; the first `spoken` items without a role are the user's.

    Items of one model turn (reasoning, text, several calls) are one message.
    """
    items = list(items)
    approved = {
        item.get("approval_request_id")
        for _, item in items
        if isinstance(item, Mapping) and item.get("type") == "mcp_call"
    }
    messages: list[Message] = []
    for index, (place, item) in enumerate(items):
        notes.place = place
        if (
            isinstance(item, Mapping)
            and item.get("type") == "mcp_approval_request"
            and item.get("id") in approved
        ):
            notes.ledger.rules[APPROVED] += 1
            continue
        typed = isinstance(item, Mapping) and "type" in item and item["type"] != "message"
        speaker = "assistant" if typed or index >= spoken else "user"
        at = place.rpartition(", ")[2]
        messages += [replace(message, position=at) for message in messages_of_item(item, notes, speaker)]
    return in_turns(messages)


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    given = value.get("input")
    listed = [given] if isinstance(given, str) else list(oldest_first(given or (), file.ledger))
    notes = Notes(file.ledger)
    items = [
        (f"{position}, item {n}", item) for n, item in enumerate([*listed, *(value.get("output") or ())])
    ]
    messages = turns(items, notes, len(listed))
    instructions = value.get("instructions")
    tools = tool_schemas(value.get("tools"))
    rest = {
        k: v
        for k, v in value.items()
        if k not in ("input", "output", "tools", "instructions") and v is not None
    }
    return Trace(
        id=str(value.get("id") or f"{file.path.name}:{position}"),
        messages=tuple(paired(messages, file.ledger)),
        source=source_of(file, NAME, position),
        system_prompt=instructions if isinstance(instructions, str) else prompt_of(messages) or joins.prompt,
        tools=tools if tools is not None else joins.domain(None).tools,
        model=value.get("model"),
        metadata=rest,
    )
