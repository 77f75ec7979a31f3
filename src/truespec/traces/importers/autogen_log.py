"""The event log of AutoGen (from 0.4): lines `LLMCall`, `ToolCall` and `Message` of `autogen_core.events`.

A call of a model holds the conversation so far and the reply. Where no model's call is logged, the messages
that agents sent each other are the conversation: each stands in many lines, under one identifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import entries, first_lines
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import trace_of_spans
from truespec.traces.importers.told import parsed
from truespec.traces.importers.wrappers import is_typed_message
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "autogen-log"
AGAIN = "a message of AutoGen's log that an earlier line holds too is read once"
BETWEEN = "what agents of AutoGen sent each other stands in the requests of their models"
CARRIED = "a tool's run of AutoGen's log is told by the messages of its agent"
_MODELS = ("LLMCall", "LLMStreamEnd")
_ASIDE = ("LLMStreamStart", "MessageDropped", "MessageHandlerException", "AgentConstructionException")
_TYPES = (*_MODELS, *_ASIDE, "ToolCall", "Message")
_DEPTH = 8


def _is_event(value: Any) -> bool:
    if not isinstance(value, Mapping) or value.get("type") not in _TYPES:
        return False
    return "agent_id" in value or "delivery_stage" in value or "payload" in value


def recognises(head: Any, file: TraceFile) -> bool:
    """Two events of the log, or one that nothing follows."""
    if isinstance(head, list):
        return bool(head) and all(map(_is_event, head[:2]))
    return _is_event(head) and _is_event(next(first_lines(file), head))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    events: list[tuple[str, Mapping[str, Any]]] = []
    for place, value in entries(file):
        if isinstance(value, Problem):
            yield value
        elif not _is_event(value):
            yield file.problem(place, f"no event of AutoGen's log: {brief(value)}")
        else:
            events.append((place, value))
            if value["type"] in _ASIDE[1:]:
                file.ledger.problem(place, f"{value['type']}: {brief(value)}")
    if any(event["type"] in _MODELS for _, event in events):
        if sent := sum(event["type"] == "Message" for _, event in events):
            file.ledger.assumed[BETWEEN] += sent
        raws = [raw for number, (_, event) in enumerate(events) if (raw := _span(event, number)) is not None]
        yield trace_of_spans(file.path.name, raws, file, NAME, "document", joins)
    elif events:
        yield _of_messages(events, file, joins)


def _span(event: Mapping[str, Any], number: int) -> RawSpan | None:
    """The call of a model or of a tool as a span; None for another event."""
    kind = event["type"]
    if kind in _MODELS:
        reply = event.get("response")
        model = reply.get("model") if isinstance(reply, Mapping) else None
        attributes = {
            "openinference.span.kind": "LLM",
            "input.value": {"messages": event.get("messages")},
            "output.value": reply,
            "model": model,
            "tools": event.get("tools"),
        }
    elif kind == "ToolCall":
        attributes = {
            "openinference.span.kind": "TOOL",
            "gen_ai.tool.name": event.get("tool_name"),
            "input.value": event.get("arguments"),
            "output.value": event.get("result"),
        }
    else:
        return None
    given = {key: value for key, value in attributes.items() if value is not None}
    return RawSpan(f"event-{number}", None, str(kind), f"{number:09}", given)


def _of_messages(events: list[tuple[str, Mapping[str, Any]]], file: TraceFile, joins: Joins) -> Trace:
    """The trace of the messages that agents sent each other."""
    known: set[str] = set()
    items: list[tuple[str, Any]] = []
    for place, event in events:
        for message in _messages(parsed(event.get("payload"))):
            name = str(message.get("id") or sorted(message.items(), key=str))
            if name in known:
                file.ledger.rules[AGAIN] += 1
            else:
                known.add(name)
                items.append((place, message))
        if event["type"] == "ToolCall":
            file.ledger.rules[CARRIED] += 1
    notes = Notes(file.ledger, "document")
    messages = placed(items, "document", notes)
    taken = [call.name for message in messages for call in message.calls]
    for place, event in events:
        if event["type"] == "ToolCall" and event.get("tool_name") not in taken:
            file.ledger.calls.drop("a tool's run that no message tells", place)
            file.ledger.problem(place, f"a tool's run that no message tells: {brief(event)}")
    return trace_of(messages, Origin(file, NAME, "document", joins), identifier=file.path.name)


def _messages(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The messages in what was sent, in order; what an agent did stands before what it replies."""
    if isinstance(value, Mapping):
        if is_typed_message(value) and "content" in value:
            yield value
        elif depth < _DEPTH:
            for inner in (*dicts(value.get("inner_messages")), *value.values()):
                if isinstance(inner, Mapping | list):
                    yield from _messages(inner, depth + 1)
    elif isinstance(value, list) and depth < _DEPTH:
        for inner in value:
            yield from _messages(inner, depth + 1)
