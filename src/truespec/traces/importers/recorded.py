"""Messages as spans record them: in one attribute, in numbered attributes, as events and as log records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from json import JSONDecodeError
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.items import messages_of, messages_of_item
from truespec.traces.importers.literals import literal
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import role_of
from truespec.traces.importers.wrappers import is_item
from truespec.traces.peek import peek
from truespec.traces.trace import Message

CUT = "the rest of a value that its exporter cut off"
_JSON = ("[{", '{"')
"""How the JSON of messages begins."""


def parsed(value: Any) -> Any:
    """A text that is JSON, or a Python literal of a list or an object, as its value; else the value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{", '"'):
        try:
            return loads(value)
        except (JSONDecodeError, ValueError):
            if value.lstrip()[:1] == '"':
                return value
            try:
                return literal(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return value
    return value


def in_attribute(attributes: Mapping[str, Any], key: str, role: str, notes: Notes) -> list[Message]:
    """The messages in the value of one attribute."""
    value = attributes.get(key)
    if value is None or value == "":
        return []
    read = parsed(value)
    if isinstance(read, str) and read.startswith(_JSON) and (made := _cut_off(read, key, role, notes)):
        return made
    return messages_of(read, role, notes)


def _cut_off(text: str, key: str, role: str, notes: Notes) -> list[Message]:
    """The messages before the place where an exporter cut their JSON off, which is told.

    What the last one gives its tool may be cut, too: it is not known.
    """
    value = peek(text)
    listed = value if isinstance(value, list) else [value]
    inside = value.get("messages") if isinstance(value, Mapping) else None
    listed = [*listed, *inside] if isinstance(inside, list) else listed
    if not any(is_item(item) for item in listed):
        return []
    made = messages_of(value, role, notes)
    if made and made[-1].calls:
        *whole, last = made[-1].calls
        made[-1] = replace(made[-1], calls=(*whole, replace(last, arguments=None, raw="")))
    elif made and made[-1].role == "tool" and made[-1].text is None:
        made.pop()  # its text is what was cut
    notes.ledger.items.drop(CUT, notes.place)
    notes.ledger.problem(notes.place, f"the value of {key!r} is cut off: what follows is lost")
    return made


def with_instructions(attributes: Mapping[str, Any], made: list[Message], notes: Notes) -> list[Message]:
    """Messages behind the system's instructions that stand beside them, unless they hold those too."""
    system = parsed(attributes.get("gen_ai.system_instructions"))
    head = messages_of_item({"role": "system", "parts": system}, notes) if isinstance(system, list) else []
    if isinstance(system, str):
        cut = system.startswith(_JSON) and _cut_off(system, "gen_ai.system_instructions", "system", notes)
        head = cut or [Message("system", system)]
    told = [message.text for message in made if message.role == "system"]
    if not head and not told:
        head = _set_beside(attributes, notes)
    return [message for message in head if message.text not in told] + made


def _set_beside(attributes: Mapping[str, Any], notes: Notes) -> list[Message]:
    """The instructions among the settings of a model call, where Anthropic's API takes them."""
    settings = parsed(attributes.get("llm.invocation_parameters"))
    system = settings.get("system") if isinstance(settings, Mapping) else None
    if isinstance(system, str) and system:
        return [Message("system", system)]
    return messages_of_item({"role": "system", "content": system}, notes) if isinstance(system, list) else []


def in_event(event: Any, notes: Notes, outputs: bool) -> list[Message]:
    """A message that is recorded as an event or as a log record."""
    if not isinstance(event, Mapping):
        return []
    body = parsed(event.get("body"))
    told = event.get("attributes")
    extra = told if isinstance(told, Mapping) else {}
    if not isinstance(body, Mapping):  # Azure's inference client writes the body as an attribute
        body = parsed(extra.get("gen_ai.event.content"))
    given = {**extra, **(body if isinstance(body, Mapping) else {})}
    given = given or dict(event)
    name = str(given.get("event.name") or event.get("event.name") or event.get("name") or "")
    if not name.startswith("gen_ai."):
        return []
    given = {
        key: parsed(value) if key != "content" or _structured(value) else value
        for key, value in given.items()
    }
    if name == "gen_ai.choice":
        if not outputs:
            return []
        inner = given.get("message")
        if isinstance(inner, str):
            return [Message("assistant", inner)]
        if isinstance(inner, list):  # Strands writes the parts alone
            return messages_of_item({"role": "assistant", "content": inner}, notes)
        body = {**given, **inner} if isinstance(inner, Mapping) else given
        return messages_of_item({**_plain(body), "role": "assistant"}, notes)
    if name.startswith("gen_ai.client.inference.operation") or name == "gen_ai.client.operation.details":
        if outputs:
            return in_attribute(given, "gen_ai.output.messages", "assistant", notes)
        return with_instructions(given, in_attribute(given, "gen_ai.input.messages", "user", notes), notes)
    if name in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        if outputs == name.endswith("completion"):
            key = "gen_ai.completion" if outputs else "gen_ai.prompt"
            return in_attribute(given, key, "assistant" if outputs else "user", notes)
        return []
    if outputs or not name.endswith(".message"):
        return []
    role = name.split(".")[1]
    body = _plain(given)
    content = body.get("content")
    if isinstance(content, Mapping) and "parts" in content:  # Gemini's content says whose it is
        body = {**body, **content, "content": None}
        role = str(content.get("role") or role)
    return messages_of_item({**body, "role": role if role != "message" else body.get("role", role)}, notes)


def _structured(value: Any) -> bool:
    """Whether a content is the JSON of parts (Strands writes it so), not a text that happens to be JSON."""
    listed = parsed(value) if isinstance(value, str) and value[:2] == "[{" else None
    keys = ("text", "toolUse", "toolResult", "type", "reasoningContent", "image", "document", "cachePoint")
    return isinstance(listed, list) and all(
        isinstance(p, Mapping) and any(k in p for k in keys) for p in listed
    )


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    dropped = ("gen_ai.", "event.", "logfire.")
    return {
        k: v
        for k, v in body.items()
        if not k.startswith(dropped) and k not in ("index", "finish_reason", "message")
    }


def in_trees(
    attributes: Mapping[str, Any], prefixes: tuple[str, ...], role: str, notes: Notes
) -> list[Message]:
    """Messages in numbered attributes: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`."""
    made: list[Message] = []
    for prefix in prefixes:
        for tree in trees(attributes, prefix):
            inner = tree.get("message")
            body = dict(inner if isinstance(inner, Mapping) else tree)
            if isinstance(body.get("contents"), Mapping):
                parts = [part.get("message_content", part) for part in listed_of(body["contents"])]
                body["content"] = [_part(part) for part in parts]
            calls = [call.get("tool_call", call) for call in listed_of(body.get("tool_calls"))]
            if calls:
                body["tool_calls"] = calls
            elif "tool_calls" in body and not isinstance(body["tool_calls"], list):
                body["tool_calls"] = parsed(body["tool_calls"])
            if "function_call_name" in body:
                body["function_call"] = {
                    "name": body.pop("function_call_name"),
                    "arguments": body.pop("function_call_arguments_json", None),
                }
            content = body.get("content")
            if isinstance(content, Mapping) and content and all(str(key).isdigit() for key in content):
                content = body["content"] = [content[key] for key in sorted(content, key=int)]
            if content == "None" and role == "user" and body.get("role") == "assistant":
                body["content"] = None  # Langfuse's text of a message that only calls tools
            if content == '""':
                body["content"] = None  # OpenLLMetry's JSON of an empty text
            if _structured(content):
                body["content"] = parsed(content)
            elif content == "[]" and str(attributes.get("gen_ai.system")).lower() == "anthropic":
                body["content"] = None  # the exporter left out the blocks that are no text
            body.setdefault("role", role)
            body.pop("finish_reason", None)
            made += _apart(body, notes) if role_of(body["role"]) == "assistant" else []
            made += messages_of_item(body, notes, role)
        if made:
            return made
    return made


WRITTEN_OVER = "a result in a message over which a reply was written is a message of its own"


def _apart(body: dict[str, Any], notes: Notes) -> list[Message]:
    """The result in attributes over which an exporter wrote those of a reply, which loses them."""
    if not body.get("tool_call_id") or not isinstance(body.get("content"), str):
        return []
    notes.ledger.rules[WRITTEN_OVER] += 1
    told = {key: body.pop(key) for key in ("tool_call_id", "content", "name") if key in body}
    return messages_of_item({**told, "role": "tool"}, notes)


def _part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part in OpenInference's nesting: `{tool_use: ...}` and `{text: ...}` as they are, images flat."""
    return {"type": "image", **part} if "image" in part else part


def listed_of(tree: Any) -> list[Mapping[str, Any]]:
    """The entries of a numbered tree, in the order of their numbers."""
    if isinstance(tree, Mapping):
        tree = [tree[key] for key in sorted(tree, key=lambda k: int(k) if str(k).isdigit() else 0)]
    return [entry for entry in tree if isinstance(entry, Mapping)] if isinstance(tree, list) else []


def trees(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Numbered attributes below a prefix, nested at their dots."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if value is None or not key.startswith(prefix):
            continue
        number, _, path = key[len(prefix) :].partition(".")
        if not number.isdigit():
            continue
        at = found.setdefault(int(number), {})
        *steps, last = path.split(".") if path else [""]
        for step in steps:
            inner = at.setdefault(step, {})
            at = inner if isinstance(inner, dict) else {}
        at[last] = value
    return [found[number] for number in sorted(found)]
