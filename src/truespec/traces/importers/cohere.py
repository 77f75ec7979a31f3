"""Cohere's first chat interface: `{message, chat_history?, preamble?, tool_results?}`, with its reply.

A reply is `{text, tool_calls?, chat_history?}`. Read as a request, a reply with its history, or both logged
together, with the names of Oracle's service (`chatHistory`, `toolResults`) too. Nothing has an identifier:
each result repeats its call, and is paired by that. A history may leave a call out that a result repeats; it
then stands in the reply logged before, or else before its result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.exchanges import REPLIES, REQUESTS
from truespec.traces.importers.growing import WAITING, grown
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import REPEATED_CALL, Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts, tool_schemas
from truespec.traces.importers.threads import canonical
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall, ToolSchema, Trace

NAME = "cohere"
RESTORED = "a call that only its result repeats stands before that result"
_SNAKE = {
    "chatHistory": "chat_history",
    "toolResults": "tool_results",
    "toolCalls": "tool_calls",
    "preambleOverride": "preamble",
    "generationId": "generation_id",
    "finishReason": "finish_reason",
}
_ASKED = ("chat_history", "preamble", "tool_results", "generation_id", "conversation_id", "tools")
_INNER = ("chatRequest", "chatResponse", "chat_request", "chat_response")
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}


_HOLDING = frozenset((*_INNER, *REQUESTS, *REPLIES, "body", "message", "text"))
"""Fields without one of which a record holds neither a request nor a reply."""


def _snake(value: Any) -> Any:
    """An object with Cohere's names, out of the object that Oracle's service puts around it."""
    value = parsed(value)
    if not isinstance(value, Mapping):
        return value
    inner = next((value[key] for key in (*_INNER, "body") if isinstance(value.get(key), Mapping)), None)
    if inner is not None:
        return _snake(inner)
    return {_SNAKE.get(key, key): one for key, one in value.items()}


def _is_request(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("message"), str)
        and not isinstance(value.get("role"), str)
        and any(key in value for key in _ASKED[:3])
    )


def _is_reply(value: Any) -> bool:
    if not isinstance(value, Mapping) or "role" in value or not isinstance(value.get("text"), str):
        return False
    history = value.get("chat_history")
    if isinstance(history, list) and any(isinstance(m, Mapping) and "message" in m for m in history):
        return True
    return "generation_id" in value and ("finish_reason" in value or "tool_calls" in value)


def _exchange(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """A request and its reply, either empty where it is not there; None where the record holds neither."""
    if not isinstance(value, Mapping):
        return None
    own = _snake(value)
    request = next((r for r in (own, *(_snake(value.get(k)) for k in REQUESTS)) if _is_request(r)), None)
    replies = [_final(value.get(key)) for key in REPLIES]
    reply = next((r for r in (own, *replies) if _is_reply(r)), None)
    if request is None and reply is not None and reply is not own:
        asked = next((r for k in REQUESTS if isinstance(r := _snake(value.get(k)), Mapping)), {})
        request = asked if isinstance(asked.get("message"), str) else None
    if request is not None and reply is None:  # beside a request, a reply needs no field that tells it
        reply = next(
            (r for r in replies if isinstance(r, Mapping) and (r.get("text") or r.get("tool_calls"))), None
        )
    return (request or {}, reply or {}) if request is not None or reply is not None else None


def _final(reply: Any) -> Any:
    """A reply; that of a stream is in the last of its events."""
    reply = parsed(reply)
    if isinstance(reply, list):
        ends = [e for e in dicts(reply) if isinstance(e.get("response"), Mapping)]
        reply = ends[-1]["response"] if ends else None
    return _snake(reply)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A request or a reply of this interface, alone, logged, or first of a list."""
    first = head[0] if isinstance(head, list) and head else head
    return isinstance(first, Mapping) and not _HOLDING.isdisjoint(first) and _exchange(first) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation; requests of one conversation are one trace."""
    return grown(_traces(file, joins), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    said: deque[Message] = deque(maxlen=WAITING)
    return each_trace(
        file,
        records(file, lambda v: _exchange(v) is not None),
        _exchange,
        lambda value, exchange, position: _trace(*exchange, value, file, position, joins, said),
        "a request or a reply of Cohere's chat",
    )


@dataclass
class _Talk:
    """A conversation as it is put together."""

    position: str
    ledger: Ledger
    said: deque[Message]
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._notes = Notes(self.ledger)

    def add(self, item: Mapping[str, Any], place: str) -> None:
        self._notes.place = f"{self.position}, {place}"
        made = [replace(m, position=place) for m in messages_of_item(item, self._notes)]
        self._restore([m for m in made if m.role == "tool"], place)
        self.messages += made

    def _restore(self, results: list[Message], place: str) -> None:
        """Put the calls that only these results repeat before them, as an earlier reply said them."""
        open_calls = [_key(call.name, call.arguments) for call in self._open()]
        lost: list[ToolCall] = []
        for result in results:
            call = (result.extra or {}).get(REPEATED_CALL)
            if not isinstance(call, Mapping):
                continue
            key = _key(call.get("name"), call.get("parameters"))
            if key in open_calls:
                open_calls.remove(key)
            else:
                lost.append(ToolCall(str(call.get("name")), dict(call.get("parameters") or {})))
        if not lost:
            return
        wanted = sorted(_key(call.name, call.arguments) for call in lost)
        known = (
            m for m in reversed(self.said) if sorted(_key(c.name, c.arguments) for c in m.calls) == wanted
        )
        self.ledger.rules[RESTORED] += len(lost)
        self.messages.append(next(known, None) or Message("assistant", None, tuple(lost), position=place))

    def _open(self) -> list[ToolCall]:
        """The calls behind the last result."""
        after = max((n for n, m in enumerate(self.messages) if m.role == "tool"), default=-1)
        return [call for message in self.messages[after + 1 :] for call in message.calls]


def _key(name: Any, arguments: Any) -> str:
    return canonical([name, arguments or {}])


def _trace(
    request: Mapping[str, Any],
    reply: Mapping[str, Any],
    record: Mapping[str, Any],
    file: TraceFile,
    position: str,
    joins: Joins,
    said: deque[Message],
) -> Trace:
    talk = _Talk(position, file.ledger, said)
    if isinstance(prompt := request.get("preamble"), str) and prompt:
        talk.add({"role": "system", "content": prompt}, "preamble")
    told = reply.get("chat_history")
    history = dicts(told) if isinstance(told, list) and told else dicts(request.get("chat_history"))
    for index, item in enumerate(history):
        talk.add(item, f"chat_history/{index}")
    if not (isinstance(told, list) and told):
        _asked(request, talk)
    _replied(reply, talk)
    if not reply and (unread := [key for key in REPLIES if record.get(key)]):
        file.ledger.items.drop("a reply that is not read", f"{position}, {unread[0]}")
        file.ledger.problem(
            f"{position}, {unread[0]}", f"no reply of Cohere's chat: {brief(record[unread[0]])}"
        )
    said.extend(m for m in talk.messages if m.calls)
    tools = _tools(request.get("tools"))
    model = next((one for one in map(_model, (request, record, *map(record.get, REQUESTS))) if one), None)
    identifier = next((record[k] for k in ("id", "conversation_id", "request_id") if record.get(k)), None)
    known = ("message", "text", "preamble", "tools", "chat_history", "tool_results", "tool_calls")
    about = {**request, **reply, **record}
    return trace_of(
        talk.messages,
        Origin(file, NAME, position, joins),
        identifier=identifier,
        tools=tools,
        model=model,
        metadata={
            key: value
            for key, value in about.items()
            if key not in (*known, *_SNAKE, *_INNER, *REQUESTS, *REPLIES) and value is not None
        },
    )


def _model(value: Any) -> str | None:
    """The model that a request names; Oracle's service has it beside the request."""
    if not isinstance(value, Mapping):
        return None
    serving = value.get("servingMode")
    named = value.get("model") or (serving.get("modelId") if isinstance(serving, Mapping) else None)
    return named if isinstance(named, str) else None


def _asked(request: Mapping[str, Any], talk: _Talk) -> None:
    """What a request adds to its history: the user's message, then results."""
    message = request.get("message")
    last = next((m.text for m in reversed(talk.messages) if m.role == "user"), None)
    results = dicts(request.get("tool_results"))
    # With results, the interface wants the question once more, or an empty message.
    if isinstance(message, str) and message and not (results and message == last):
        talk.add({"role": "USER", "message": message}, "message")
    if results:
        talk.add({"role": "TOOL", "tool_results": results}, "tool_results")


def _replied(reply: Mapping[str, Any], talk: _Talk) -> None:
    """Add the reply where the history that it holds does not end with it."""
    text, calls = reply.get("text"), dicts(reply.get("tool_calls"))
    if not (text or calls):
        return
    last = talk.messages[-1] if talk.messages else None
    if last is not None and last.role == "assistant":
        same = [_key(c.name, c.arguments) for c in last.calls] == [
            _key(c.get("name"), c.get("parameters")) for c in calls
        ]
        if same and (last.text or "") == (text or ""):
            return
    talk.add({"role": "CHATBOT", "message": text or "", "tool_calls": calls}, "reply")


def _tools(listed: Any) -> tuple[ToolSchema, ...] | None:
    """Tools with Cohere's definitions of parameters, as JSON Schema."""
    if not isinstance(listed, list):
        return None
    made = []
    for tool in dicts(listed):
        given = tool.get("parameter_definitions", tool.get("parameterDefinitions"))
        if isinstance(given, Mapping):
            defined = {k: v for k, v in given.items() if isinstance(v, Mapping)}
            tool = {
                **tool,
                "parameters": {
                    "type": "object",
                    "properties": {name: _schema(one) for name, one in defined.items()},
                    "required": [
                        name
                        for name, one in defined.items()
                        if True in (one.get("required"), one.get("isRequired"))
                    ],
                },
            }
        made.append(tool)
    return tool_schemas(made)


def _schema(defined: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of one parameter; a type that has no counterpart is left out."""
    kind = str(defined.get("type") or "").lower()
    made: dict[str, Any] = {"description": defined["description"]} if defined.get("description") else {}
    if kind in _TYPES:
        made["type"] = _TYPES[kind]
    elif kind.startswith("list"):
        made["type"] = "array"
    elif kind.startswith("dict"):
        made["type"] = "object"
    return made
