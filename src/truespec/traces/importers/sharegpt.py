"""Conversations as models are trained on them: ShareGPT's `conversations`, xLAM's pairs, Glaive's texts.

`{conversations: [{from, value}]}` in its kinds (Hermes, LLaMA-Factory, APIGen-MT, ToolACE, ToolBench),
`{query, answers, tools}` (xLAM, APIGen) and `{system, chat}` (Glaive). Calls stand in a message's text; they
have no identifiers, so results are paired by the stated rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item, unknown_role
from truespec.traces.importers.parts import REFERENCES, Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import role_of, tool_call, tool_schemas, value_text
from truespec.traces.importers.told import WRITTEN, calls_of_text, parsed, told_in_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace

NAME = "sharegpt"
_LISTS = ("conversations", "conversation", "traces")
_CALLERS = ("function_call", "tool_call")
_BESIDE = frozenset(("tool_calls", "toolCalls", "function_call", *REFERENCES))
"""Fields beside `from` and `value` that hold calls or name them."""
_PREFERENCE = ("chosen", "rejected")
_ACTION = re.compile(r"^\s*(?:Thought:(.*?))?\s*Action:\s*([^\n]+?)\s*\nAction Input:\s*(.*)$", re.DOTALL)
_PYTHON = re.compile(r"^\s*\[\s*[\w .\-/]+\(.*\)\s*\]\s*$", re.DOTALL)
_GLAIVE = re.compile(r"^(USER|ASSISTANT|FUNCTION RESPONSE):", re.MULTILINE)
_GLAIVE_SHORT = re.compile(r"^(USER|A|FUNCTION RESPONSE):", re.MULTILINE)
"""The speakers of chats in which `A` stands for the assistant throughout."""
_GLAIVE_NAMES = {"USER": "human", "ASSISTANT": "gpt", "A": "gpt", "FUNCTION RESPONSE": "observation"}
_GLAIVE_MARK = "<functioncall>"
NAMELESS = "identifiers of results in a conversation whose calls have none tell nothing"
SPLIT = "a list of as many results as the calls before it has holds one for each, in order"


def _spoken(value: Any) -> list[Any] | None:
    """The messages of a record; None where it is no record of this kind."""
    if not isinstance(value, Mapping):
        return None
    for key in _LISTS:
        listed = value.get(key)
        if isinstance(listed, list) and listed and isinstance(listed[0], Mapping) and "from" in listed[0]:
            return listed
    if isinstance(value.get("query"), str) and "answers" in value and "tools" in value:
        return [
            {"from": "human", "value": value["query"]},
            {"from": "function_call", "value": value["answers"]},
        ]
    chat = value.get("chat")
    if isinstance(chat, str) and _GLAIVE.match(chat.lstrip()):
        return list(_glaive(chat.lstrip()))
    return None


def _glaive(chat: str) -> Iterator[Mapping[str, Any]]:
    speakers = _GLAIVE if "\nASSISTANT:" in chat else _GLAIVE_SHORT
    starts = list(speakers.finditer(chat))
    ends = [found.start() for found in starts[1:]] + [len(chat)]
    for found, end in zip(starts, ends, strict=True):
        text = chat[found.end() : end].replace("<|endoftext|>", "").strip()
        yield {"from": _GLAIVE_NAMES[found.group(1)], "value": text}


def recognises(head: Any, _file: TraceFile) -> bool:
    """A record of one of these kinds, alone or first of a list."""
    return _spoken(head[0] if isinstance(head, list) and head else head) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per record."""
    return each_trace(
        file,
        records(file, lambda v: _spoken(v) is not None),
        _spoken,
        lambda value, spoken, position: _trace(value, spoken, file, position, joins),
        "a conversation of from and value",
    )


def _trace(
    value: Mapping[str, Any], spoken: list[Any], file: TraceFile, position: str, joins: Joins
) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    system = value.get("system")
    if isinstance(system, str) and system.strip():
        messages.append(Message("system", system.removeprefix("SYSTEM: "), position="system"))
    for index, entry in enumerate(spoken):
        notes.place = f"{position}, message {index}"
        made = _messages(entry, messages, notes)
        messages += [replace(message, position=f"message {index}") for message in made]
    for name in _PREFERENCE:
        if isinstance(value.get(name), Mapping):
            place = f"{position}, {name}"
            file.ledger.items.drop("one of two replies to prefer, no part of the conversation", place)
    tools = tool_schemas(parsed(value.get("tools")))
    return trace_of(
        _unnamed(messages, notes),
        Origin(file, NAME, position, joins),
        identifier=value.get("id"),
        tools=tools,
        metadata={
            k: v
            for k, v in value.items()
            if k not in ("system", "tools", "chat", "query", "answers", "id", *_LISTS) and v is not None
        },
    )


def _unnamed(messages: list[Message], notes: Notes) -> list[Message]:
    """The messages; where no call has an identifier, those of results name none and are left out."""
    if any(call.id is not None for message in messages for call in message.calls):
        return messages
    if any(message.call_id is not None for message in messages):
        notes.ledger.rules[NAMELESS] += sum(message.call_id is not None for message in messages)
    return [replace(message, call_id=None) for message in messages]


def _messages(entry: Any, before: list[Message], notes: Notes) -> list[Message]:
    if not isinstance(entry, Mapping):
        notes.ledger.items.drop("no message of from and value", notes.place)
        return []
    speaker, text = str(entry.get("from")), entry.get("value")
    role = role_of(speaker)
    if role is None:
        notes.ledger.problem(notes.place, unknown_role(speaker))
        notes.ledger.items.drop(f"unknown role {speaker[:60]!r}", notes.place)
        return []
    if not isinstance(text, str):
        return messages_of_item({"role": role, "content": text}, notes)
    if _BESIDE & entry.keys():
        rest = {key: given for key, given in entry.items() if key not in ("from", "value")}
        return messages_of_item({**rest, "role": role, "content": text}, notes)
    if speaker in _CALLERS:
        return _calling(text, notes)
    if role == "tool":
        return _results(text, before, notes)
    if role == "assistant" and (called := _called(text, notes)) is not None:
        notes.ledger.rules[WRITTEN] += 1
        return [called]
    if role == "user" and _GLAIVE_MARK in text:
        notes.ledger.problem(notes.place, f"a text of the user's holds the mark {_GLAIVE_MARK}; it is kept")
        notes.ledger.calls.drop("a call in a text of the user's", notes.place)
    return told_in_text(Message(role, text), notes)


def _calling(text: str, notes: Notes) -> list[Message]:
    """A message of calls: JSON, several objects, calls between marks; a thought may stand before them."""
    (told,) = told_in_text(Message("assistant", text), notes)
    calls = told.calls or tuple(calls_of_text(told.text or ""))
    if calls:
        for call in calls if not told.calls else ():
            notes.called.setdefault(call.name, []).append(call.id)
        return [replace(told, text=told.text if told.calls else None, calls=calls)]
    notes.ledger.problem(notes.place, "a call that is no JSON object with a name; the text is kept")
    notes.ledger.calls.drop("a call that cannot be read", notes.place)
    return [told]


def _asked(before: list[Message]) -> tuple[ToolCall, ...]:
    """The calls behind what was said last by anybody else: entries that follow one another call together."""
    calls: list[ToolCall] = []
    for message in reversed(before):
        if not message.calls:
            break
        calls[:0] = message.calls
    return tuple(calls)


def _results(text: str, before: list[Message], notes: Notes) -> list[Message]:
    asked = _asked(before)
    value = parsed(text)
    if isinstance(value, list) and len(value) == len(asked) and (len(asked) > 1 or _named(value, asked)):
        (notes.ledger.rules if _named(value, asked) else notes.ledger.assumed)[SPLIT] += len(asked)
        return [
            Message("tool", value_text(_inner(one, call)), tool=call.name)
            for one, call in zip(value, asked, strict=True)
        ]
    return told_in_text(Message("tool", text), notes)


def _named(value: list[Any], asked: tuple[ToolCall, ...]) -> bool:
    """Whether each entry names the tool of its call."""
    return all(isinstance(v, Mapping) and v.get("name") == c.name for v, c in zip(value, asked, strict=True))


def _inner(one: Any, call: ToolCall) -> Any:
    if isinstance(one, Mapping) and one.get("name") == call.name and len(one) == 2:
        return next(value for key, value in one.items() if key != "name")
    return one


def _called(text: str, notes: Notes) -> Message | None:
    """The calls of a text: `Action:` (ToolBench), `[f(x=1)]` (ToolACE)."""
    if found := _ACTION.match(text):
        thought, name, given = found.groups()
        return Message(
            "assistant",
            None,
            (tool_call(name, given.strip()),),
            reasoning=(thought or "").strip() or None,
        )
    if not _PYTHON.match(text):
        return None
    if calls := _python_calls(text):
        return Message("assistant", None, tuple(calls))
    notes.ledger.problem(notes.place, "a text that looks like a call cannot be read as one; it is kept")
    notes.ledger.calls.drop("a call in a text that cannot be read", notes.place)
    return None


def _python_calls(text: str) -> list[ToolCall]:
    """`[Get Weather(city="Delft")]`: names may hold spaces, which Python does not allow."""
    names: list[str] = []

    def plain(found: re.Match[str]) -> str:
        names.append(found.group(2).strip())
        return f"{found.group(1)}n{len(names) - 1}("

    source = re.sub(r"((?:^\s*\[|\)\s*,)\s*)([\w .\-/]+)\(", plain, text)
    try:
        node = ast.parse(source.strip(), mode="eval").body
        made = []
        for one in node.elts if isinstance(node, ast.List) else []:
            if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Name) or one.args:
                return []
            given = {word.arg: ast.literal_eval(word.value) for word in one.keywords if word.arg}
            made.append(tool_call(names[int(one.func.id[1:])], given))
        return made
    except (SyntaxError, ValueError, IndexError, MemoryError, RecursionError):
        return []
