"""Calls, results and thoughts that are told in a message's text, by marks that models are trained to write.

A text counts as a call only where all of its marks hold calls that can be read. Each use is a rule of the
ledger; marks that cannot be read are a problem, and the text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import JSONDecodeError, JSONDecoder
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.literals import literal
from truespec.traces.importers.outcomes import TEXTS
from truespec.traces.importers.parts import Notes, call_of, is_call, kind_of_part
from truespec.traces.importers.reprs import of_literal, of_repr
from truespec.traces.importers.shared import role_of, spelt, tool_call, value_text
from truespec.traces.trace import Message, ToolCall

OPENED = ("<functioncall>", "[TOOL_CALLS]", "<|python_tag|>", "<|tool_call|>")
"""Marks that open a call, or a list of calls, which the next mark or the text's end closes: Glaive, Mistral,
Llama, Granite."""
MARKS = ("<tool_call>", "<tool_response>", "<think>", "<function_call>", "<function=", *OPENED)
"""What the texts that are looked at hold."""
WRITTEN = "calls that are written as a text are read as calls"
MARKED = "calls between marks such as <tool_call> in a text are read as calls"
NOTATED = "a reply that is Python's notation of a message is read as that message"
ANSWERED = "a text of <tool_response> blocks is read as results"
THOUGHT = "a text between <think> and </think> at the beginning of a reply is its reasoning"
EXECUTED = "a text that begins with 'EXECUTION RESULT of' answers a call of the tool that it names"
REPLIED = "a call in XML whose result the next message names is read as a call"
_REPLY = re.compile(r"\[(\w+)(?: for [^\n]*?)?\] Result:")
_FIELD = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
_CALLS_IN_TEXT = re.compile(r"^\s*(?:Calling tools:\s*)?(\[\s*\{.*\}\s*\])\s*$", re.DOTALL)
_RESULT_IN_TEXT = re.compile(r"^Call id: (\S+)\n")
_MARKED_CALL = re.compile(r"<(tool_call|function_call)>\s*(.*?)\s*</\1>", re.DOTALL)
_NAMED_CALL = re.compile(r"<function=([^>\s]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>(.*?)</parameter>", re.DOTALL)
_EXECUTED = re.compile(r"EXECUTION RESULT of \[([^\]\n]+)\]:[ \n]?")
_THOUGHTS = re.compile(r"^\s*<think>(.*?)</think>\s*", re.DOTALL)
_OPENED = re.compile("|".join(map(re.escape, OPENED)))
_CLOSED = re.compile(r"(?:</functioncall>|</s>|<\|\w+\|>|\s)+$")
_QUOTED = re.compile(r"""^\{\s*"name"\s*:\s*"([^"]+)"\s*,\s*"arguments"\s*:\s*'(\{.*\})'\s*\}$""", re.DOTALL)
"""Glaive's calls: the quotes around the arguments are none that JSON allows."""
_LISTED = re.compile(r"\[\{'name': [^\n]*'type': 'tool_call'\}\]$")
_RESPONSES = re.compile(r"\s*<tool_response>\s*(.*?)\s*</tool_response>\s*", re.DOTALL)
_CALL_FIELDS = frozenset(("name", "arguments", "parameters", "args", "id", "type", "function"))
_RESULT_FIELDS = frozenset(("name", "content", "result", "response", "tool_call_id", "id"))


def parsed(value: Any) -> Any:
    """A text that is JSON as its value; every other value as it is."""
    if isinstance(value, str) and value[:1] in '[{"':
        try:
            return loads(value)
        except (JSONDecodeError, ValueError):
            return value
    return value


def with_calls(text: str) -> dict[str, Any]:
    """What LangChain writes for a message as a text: its content, and behind it the list of its calls."""
    found = _LISTED.search(text)
    try:
        calls = literal(found[0]) if found else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        calls = None
    if found is None or not isinstance(calls, list):
        return {"content": text}
    return {"content": text[: found.start()], "tool_calls": calls}


def told_in_text(message: Message, notes: Notes) -> list[Message]:
    """The messages that a message with a text amounts to; most often itself alone."""
    text = message.text
    if text is None or message.calls:
        return [message]
    if message.role == "tool" and message.call_id is None and (found := _RESULT_IN_TEXT.match(text)):
        notes.ledger.rules["a result that begins with 'Call id:' answers that call"] += 1
        return [replace(message, call_id=found.group(1), text=text[found.end() :])]
    if (
        message.role in ("user", "tool")
        and (found := _EXECUTED.match(text))
        and found.group(1) in notes.called
    ):
        notes.ledger.rules[EXECUTED] += 1
        return [replace(message, role="tool", tool=found.group(1), text=text[found.end() :])]
    if message.role == "assistant" and (reply := _notated(message, text, notes)):
        return [reply]
    if any(mark in text for mark in MARKS):
        return _marked(message, text, notes)
    if not any(mark in text for mark in ("'function'", '"function"', "'tool_call'")):
        return [message]
    return _written(message, text, notes)


def _notated(message: Message, text: str, notes: Notes) -> Message | None:
    """The reply that a text is Python's notation of: a message of OpenAI's, or one part of a reply."""
    value = of_literal(text) or of_repr(text)
    if value is None:
        return None
    if value.get("object") == "response" and isinstance(value.get("output"), list):
        value = _of_response(value["output"])
    kind, said, calls = kind_of_part(value), value.get("content"), value.get("tool_calls")
    if kind in TEXTS and isinstance(value.get("text"), str):
        said, calls = value["text"], None
    elif is_call(kind) and isinstance(value.get("name"), str):
        said, calls = None, [value]
    elif role_of(value.get("role")) != "assistant" or "content" not in value:
        return None
    if not (said is None or isinstance(said, str)) or not (calls is None or isinstance(calls, list)):
        return None
    notes.ledger.rules[NOTATED] += 1
    made = [call_of(call, kind) for call in calls or () if isinstance(call, Mapping)]
    return _calling(replace(message, text=said), made, notes)


def _of_response(output: list[Any]) -> dict[str, Any]:
    """What the items of a reply of OpenAI's Responses say, as a message; nothing where one is neither said
    nor called.
    """
    items = [item for item in output if isinstance(item, Mapping) and item.get("type") != "reasoning"]
    calls = [item for item in items if is_call(kind_of_part(item)) and isinstance(item.get("name"), str)]
    texts = [
        part.get("text")
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, Mapping)
    ]
    spoken = sum(item.get("type") == "message" for item in items)
    if len(calls) + spoken < len(items) or not all(isinstance(text, str) for text in texts):
        return {}
    return {"role": "assistant", "content": "\n".join(map(str, texts)) or None, "tool_calls": calls or None}


def _written(message: Message, text: str, notes: Notes) -> list[Message]:
    """A JSON list (koog) or a Python list (smolagents) of calls."""
    match = _CALLS_IN_TEXT.match(text) if message.role in ("assistant", "tool") else None
    listed = parsed(match.group(1)) if match else None
    if match and not isinstance(listed, list):
        try:
            listed = literal(match.group(1))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            listed = None
    if not isinstance(listed, list) or not all(
        isinstance(c, Mapping)
        and (isinstance(c.get("function"), Mapping) or c.get("type") == "tool_call")
        and c.get("id")
        for c in listed
    ):
        return [message]
    notes.ledger.rules[WRITTEN] += 1
    return [_calling(Message("assistant", extra=message.extra), [call_of(c) for c in listed], notes)]


def _calling(message: Message, calls: list[ToolCall], notes: Notes) -> Message:
    for call in calls:
        notes.called.setdefault(call.name, []).append(call.id)
    return replace(message, calls=tuple(calls))


def _marked(message: Message, text: str, notes: Notes) -> list[Message]:
    if message.role in ("tool", "user"):
        return _responses(message, text, notes)
    if message.role != "assistant":
        return [message]
    if found := _THOUGHTS.match(text):
        notes.ledger.rules[THOUGHT] += 1
        thought = "\n".join(t for t in (message.reasoning, found.group(1).strip()) if t)
        text = text[found.end() :]
        message = replace(message, text=text or None, reasoning=thought or None)
    if _OPENED.search(text):
        return _behind_marks(message, text, notes)
    marks = [inner for _, inner in _MARKED_CALL.findall(text)]
    outside = _MARKED_CALL.sub("", text)
    named = _NAMED_CALL.findall(outside)
    calls = [call for inner in marks for call in _calls(inner)]
    calls += [call for name, body in named if (call := _named_call(name, body)) is not None]
    opened = text.count("<tool_call>") + text.count("<function_call>") + outside.count("<function=")
    if not opened:
        return [message]
    if len(marks) + len(named) != opened or len(calls) < opened:
        return _unread(message, notes)
    notes.ledger.rules[MARKED] += len(calls)
    rest = _NAMED_CALL.sub("", outside).strip()
    return [_calling(replace(message, text=rest or None), calls, notes)]


def _unread(message: Message, notes: Notes) -> list[Message]:
    notes.ledger.problem(notes.place, "a call between marks in a text cannot be read; the text is kept")
    notes.ledger.calls.drop("a call between marks in a text that cannot be read", notes.place)
    return [message]


def _behind_marks(message: Message, text: str, notes: Notes) -> list[Message]:
    """The calls behind marks that have no closing one."""
    said, *bodies = _OPENED.split(text)
    calls: list[ToolCall] = []
    for body in bodies:
        inner = _CLOSED.sub("", body).strip()
        quoted = _QUOTED.match(inner)
        made = [tool_call(quoted[1], quoted[2])] if quoted else calls_of_text(inner)
        if not made:
            return _unread(message, notes)
        calls += made
    notes.ledger.rules[MARKED] += len(calls)
    return [_calling(replace(message, text=said.strip() or None), calls, notes)]


def _calls(inner: str) -> list[ToolCall]:
    """The call, or the list of calls, between two marks."""
    if inner.startswith("<function="):
        named = _NAMED_CALL.findall(inner)
        made = (
            [_named_call(name, body) for name, body in named]
            if not _NAMED_CALL.sub("", inner).strip()
            else []
        )
        return [call for call in made if call is not None] if None not in made else []
    return calls_of_text(inner)


def _named_call(name: str, body: str) -> ToolCall | None:
    """`<function=NAME><parameter=KEY>VALUE</parameter></function>`: every argument is a text."""
    if _PARAMETER.sub("", body).strip():
        return None
    given = {key: value.removeprefix("\n").removesuffix("\n") for key, value in _PARAMETER.findall(body)}
    return ToolCall(name, given)


def calls_of_text(text: str) -> list[ToolCall]:
    """The calls of a text that is JSON, Python's notation, or several objects behind one another."""
    value = parsed(text.strip())
    if isinstance(value, str):
        value = objects_in(text)
    if value is None:
        try:
            value = literal(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
    return calls_of_value(value)


def objects_in(text: str) -> list[Any] | None:
    """The JSON objects of a text that holds nothing else but commas and white space; None for another one."""
    decoder, found, at = JSONDecoder(), [], 0
    while at < len(text):
        if text[at] in ", \t\r\n":
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        found.append(value)
    return found


def calls_of_value(value: Any) -> list[ToolCall]:
    """The calls that an object, or a list of objects, with a name and arguments stands for."""
    made: list[ToolCall] = []
    for one in value if isinstance(value, list) else [value]:
        body = one.get("function", one) if isinstance(one, Mapping) else None
        if not isinstance(body, Mapping) or not isinstance(body.get("name"), str):
            return []
        if set(one) - _CALL_FIELDS:
            return []
        given = next((body[k] for k in ("arguments", "parameters", "args") if k in body), None)
        made.append(tool_call(body["name"], given, one.get("id")))
    return made


def _responses(message: Message, text: str, notes: Notes) -> list[Message]:
    """Results between marks, where the text holds nothing else and some call was made before."""
    if _RESPONSES.sub("", text) or (message.role == "user" and not notes.called):
        return [message]
    made: list[Message] = []
    for inner in _RESPONSES.findall(text):
        value = parsed(inner)
        name, identifier, told = message.tool, message.call_id, inner
        if isinstance(value, Mapping) and "name" in value and not set(value) - _RESULT_FIELDS:
            name = value["name"] if isinstance(value["name"], str) else name
            identifier = value.get("tool_call_id", value.get("id", identifier))
            given = next((value[k] for k in ("content", "result", "response") if k in value), None)
            told = value_text(given) or ""
        made.append(
            Message(
                "tool",
                told,
                call_id=None if identifier is None else spelt(identifier),
                tool=name,
                error=message.error,
                extra=message.extra if not made else None,
            )
        )
    notes.ledger.rules[ANSWERED] += len(made)
    return made or [message]


def told_by_reply(messages: Sequence[Message], notes: Notes) -> list[Message]:
    """The messages with calls in XML (Cline, Roo Code), each known by the next message, its result.

    `<read_file><path>a</path></read_file>` is a call where the user's next message begins with
    `[read_file for 'a'] Result:`.
    """
    made = list(messages)
    for index in [n for n, one in enumerate(made) if n and one.text and one.text[0] == "["]:
        asked, answer = made[index - 1], made[index]
        found = _REPLY.match(answer.text or "") if answer.role == "user" else None
        if found is None or asked.role != "assistant" or asked.calls or not asked.text:
            continue
        name = found.group(1)
        block = re.search(rf"<{name}>((?:(?!<{name}>).)*)</{name}>\s*$", asked.text, re.DOTALL)
        if block is None:
            continue
        given = {key: value.strip() for key, value in _FIELD.findall(block.group(1))}
        call = ToolCall(name, given, f"call-{index - 1}-0")
        made[index - 1] = replace(asked, text=asked.text[: block.start()].strip() or None, calls=(call,))
        text = (answer.text or "")[found.end() :].lstrip("\n")
        made[index] = replace(answer, role="tool", text=text, call_id=call.id, tool=name)
        notes.ledger.rules[REPLIED] += 1
    return made
