"""Calls that stand in the named sections of a text, as DSPy's ReAct has a model write them.

A reply names `next_tool_name` and `next_tool_args`, or `tool_calls`; a request repeats what was done so far
as `tool_name_0`, `tool_args_0` and `observation_0`. Sections are `[[ ## name ## ]]`, XML or JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import tool_call
from truespec.traces.trace import Message, ToolCall

SECTIONS = "calls in the sections of a text, such as next_tool_name, are read as calls"
_TELLING = ("## ]]", "next_tool_name", "<tool_calls>", "<trajectory>")
"""What the texts that are looked at hold."""
_MARK = re.compile(r"^\[\[ ## (\w+) ## \]\][ \t]*\n?", re.MULTILINE)
_FIELD = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)
_DONE = re.compile(r"^(?:\[\[ ## |<)(?:thought|tool_name)_0(?: ## \]\]|>)", re.MULTILINE)
"""Where a request begins to tell what was done so far."""
_TAIL = "\n\nRespond with"
"""How DSPy goes on behind the last section of a request."""


def told_in_sections(messages: Sequence[Message], notes: Notes) -> list[Message]:
    """The messages, with the calls and results that replies and requests tell in sections."""
    made: list[Message] = []
    for message in messages:
        text = message.text or ""
        told = None
        if not message.calls and any(mark in text for mark in _TELLING):
            told = _reply(message, text) if message.role == "assistant" else None
            told = _request(message, text) if message.role == "user" else told
        if told is None:
            made.append(message)
            continue
        notes.ledger.rules[SECTIONS] += sum(len(one.calls) for one in told)
        made += told
    return made


def _sections(text: str) -> dict[str, str]:
    marked = _MARK.split(text)[1:]
    listed = zip(marked[::2], marked[1::2], strict=True) if marked else _FIELD.findall(text)
    return {name: body.strip() for name, body in listed}


def _reply(message: Message, text: str) -> list[Message] | None:
    given: Mapping[str, Any] = _sections(text) or _object(text)
    calls: list[ToolCall] = []
    if isinstance(name := given.get("next_tool_name"), str) and "next_tool_args" in given:
        calls = [tool_call(name.strip().strip("\"'"), given["next_tool_args"])]
        said = given.get("next_thought")
        kept = given.keys() - {"next_thought", "next_tool_name", "next_tool_args", "completed"}
        return None if kept else [replace(message, text=_text(said), calls=tuple(calls))]
    told = given.get("tool_calls")
    listed = _object(told) if isinstance(told, str) else told
    listed = listed.get("tool_calls") if isinstance(listed, Mapping) else listed
    if not isinstance(listed, list) or not listed:
        return None
    for one in listed:
        if not isinstance(one, Mapping) or not isinstance(one.get("name"), str):
            return None
        calls.append(tool_call(one["name"], one.get("args", one.get("arguments"))))
    rest = {k: v for k, v in given.items() if k not in ("tool_calls", "completed") and v}
    said = "\n\n".join(f"[[ ## {name} ## ]]\n{body}" for name, body in rest.items())
    return [replace(message, text=said or None, calls=tuple(calls))]


def _request(message: Message, text: str) -> list[Message] | None:
    if "trajectory" not in text:
        return None
    text, tail, rest = text.rpartition(_TAIL) if _TAIL in text else (text, "", "")
    first = _DONE.search(text)
    asked, done = (text[: first.start()], text[first.start() :]) if first else (text, "")
    given = _sections(done)
    made = [replace(message, text=f"{asked.rstrip()}{tail}{rest}")]
    number = 0
    while (name := given.get(f"tool_name_{number}")) is not None:
        call = tool_call(name, given.get(f"tool_args_{number}"))
        made.append(Message("assistant", _text(given.get(f"thought_{number}")), (call,)))
        if (seen := given.get(f"observation_{number}")) is not None:
            made.append(Message("tool", seen, tool=name))
        number += 1
    return made


def _object(text: Any) -> dict[str, Any]:
    try:
        value = loads(text) if isinstance(text, str) and text.lstrip()[:1] in ("{", "[") else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {"tool_calls": value} if isinstance(value, list) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
