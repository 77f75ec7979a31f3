"""OpenAI chat messages: a list of messages, `{messages, tools?, model?}`, or a line of either per trace.

Exports with a field around them (`{"trace": {"messages": ...}}`, `{"request": ..., "response": ...}`) are
read as well. What a response object adds after the request's messages is appended to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.census import unplaced
from truespec.traces.importers.exchanges import (
    FURTHER,
    REPLIES,
    REQUESTS,
    further,
    reply_of,
    request_of,
    said_in,
    tell_unsaid,
)
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import SYSTEMS, messages_of_item, openai_message
from truespec.traces.importers.pairing import paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace
from truespec.traces.importers.shared import number, role_of, source_of, tool_schemas
from truespec.traces.importers.told import told_by_reply
from truespec.traces.importers.told_sections import told_in_sections
from truespec.traces.importers.wrappers import is_typed_message
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, Trace, prompt_of

NAME = "openai"
_REPLY = "reply as it was read"
"""Whether a logged reply says nothing, and how many further replies stand beside it."""


_TAKEN = ("messages", "tools", "functions", "choices", _REPLY, *REQUESTS, *REPLIES)
"""Fields around the messages that have a place of their own."""


_PAGES = ("data", "results", "result", "logs", "requests", "records", "items", "rows")
"""Fields in which answers of interfaces hold the records of a log."""


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _body(value: Any) -> tuple[list[Any], Mapping[str, Any]] | None:
    """The messages of a record and the fields around them."""
    if isinstance(value, list):
        return (value, {}) if value and all(_is_message(m) for m in value) else None
    request = request_of(value, "messages")
    if request is None or not all(_is_message(m) for m in request["messages"]):
        return None
    messages = list(request["messages"])
    reply = reply_of(value)
    said = said_in(reply)
    if said is not None:
        messages.append(said)
    elif isinstance(reply, str) and messages and messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": reply})
    about = {**request, **value}
    if reply is not value or "choices" in value:
        about[_REPLY] = (reply if said is None and isinstance(reply, dict | list) else None, further(reply))
    return messages, about


def _page(head: Mapping[str, Any]) -> str | None:
    """The field in which a page of a log holds its records; None where there is none."""
    if "messages" in head:
        return None
    for key in _PAGES:
        listed = head.get(key)
        if (
            isinstance(listed, list)
            and listed
            and isinstance(listed[0], dict)
            and _body(listed[0]) is not None
        ):
            return key
    return None


def recognises(head: Any, _file: TraceFile) -> bool:
    """Messages with roles, in a list or in a field of that name."""
    if isinstance(head, list) and head:
        return _is_message(head[0]) or _body(head[0]) is not None
    if not isinstance(head, dict):
        return False
    if _page(head) is not None:
        return True
    listed = head.get("messages")
    return _body(head) is not None or (isinstance(listed, list) and not any(map(is_typed_message, listed)))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per document, line, or element of a list; requests of one conversation are one trace."""
    return grown(_traces(file, joins), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    return each_trace(
        file,
        _records(file),
        _body,
        lambda _, body, position: _trace(*body, file, position, joins),
        "messages with roles",
    )


def _records(file: TraceFile) -> Iterator[tuple[str, Any]]:
    name = str(file).lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        for line, value in file.lines():
            yield f"line {line}", value
        return
    head = file.head
    if isinstance(head, list) and head and not _is_message(head[0]):
        for _, index, value in each_record(file, None, lambda v: _body(v) is not None):
            yield f"record {index}", value
        return
    if isinstance(head, dict) and (page := _page(head)) is not None:
        for _, index, value in each_record(file, page, lambda v: _body(v) is not None):
            yield f"{page}/{index}", value
        return
    value = file.document()
    if isinstance(value, Problem):
        # Lines under another ending, or a list that is cut off: whole lines or whole messages are saved.
        if isinstance(head, list):
            kept = []
            for _, _, message in each_record(file, None, _is_message):
                if isinstance(message, Problem):
                    yield message.position, message
                else:
                    kept.append(message)
            if kept:
                yield "messages read before the damage", kept
            return
        for line, entry in file.lines():
            yield f"line {line}", entry
        return
    yield "document", value


_PLAIN = frozenset(("role", "content", "tool_calls", "tool_call_id", "name", "refusal", "id"))


def _may_tell(text: str) -> bool:
    """Whether a text may hold calls, results or thoughts by marks."""
    marked = "<t" in text or "<function" in text or "<|" in text or "[TOOL_CALLS]" in text
    return marked or text.startswith("EXECUTION RESULT")


def _messages(listed: list[Any], notes: Notes, position: str) -> list[Message]:
    made: list[Message] = []
    for index, m in enumerate(listed):
        content = m.get("content")
        plain = content is None or (isinstance(content, str) and not _may_tell(content))
        if plain and m.keys() <= _PLAIN and role_of(m["role"]):
            made.append(openai_message(m))
            for call in made[-1].calls:
                notes.called.setdefault(call.name, []).append(call.id)
        else:
            notes.place = f"{position}, message {index}"
            made += messages_of_item(m, notes)
    return paired(told_in_sections(told_by_reply(made, notes), notes), notes.ledger)


def _prompt_beside(around: Mapping[str, Any]) -> str | None:
    """The system prompt that stands beside messages of which none is the system's."""
    return next((around[key] for key in SYSTEMS if isinstance(around.get(key), str) and around[key]), None)


def _trace(
    listed: list[Any], around: Mapping[str, Any], file: TraceFile, position: str, joins: Joins
) -> Trace:
    messages = tuple(_messages(listed, Notes(file.ledger), position))
    silent, others = around.get(_REPLY, (None, 0))
    if silent is not None:
        tell_unsaid(silent, position, file.ledger)
    for _ in range(others):
        file.ledger.items.drop(FURTHER, position)
    unplaced(messages, position, file.ledger)
    domain = around.get("domain") if isinstance(around.get("domain"), str) else None
    known = joins.domain(domain)
    tools = tool_schemas(around.get("tools", around.get("functions")))
    metadata = {key: value for key, value in around.items() if key not in _TAKEN and value is not None}
    identifier = next(
        (around[k] for k in ("id", "trace_id", "conversation_id") if around.get(k) is not None), None
    )
    return Trace(
        id=str(identifier) if identifier is not None else f"{file.path.name}:{position}",
        messages=messages,
        source=source_of(file, NAME, position),
        system_prompt=prompt_of(messages) or _prompt_beside(around) or joins.prompt or known.policy,
        tools=tools if tools is not None else known.tools,
        model=around.get("model") if isinstance(around.get("model"), str) else None,
        domain=domain,
        task_id=str(around["task_id"]) if around.get("task_id") is not None else None,
        outcome=Outcome(number(around.get("reward"))),
        metadata=metadata,
    )
