"""Exports of chat servers that people run themselves: LibreChat's `messages`, Open WebUI's `chat.history`.

Both keep a tree of messages; the branch that ends at the message in force, else at the last one, is read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.importers.shared import dicts
from truespec.traces.importers.told import parsed

_CALL = re.compile(r'<details type="tool_calls"([^>]*)>.*?</details>\n?', re.DOTALL)
_THOUGHT = re.compile(r'<details type="reasoning"[^>]*>(.*?)</details>\n?', re.DOTALL)
_SUMMARY = re.compile(r"<summary>.*?</summary>", re.DOTALL)
_FIELD = re.compile(r'(\w+)="([^"]*)"')

Tree = tuple[Mapping[str, Mapping[str, Any]], str | None]
"""Nodes of `{parent, message}` by identifier, and the identifier of the last one."""


def tree_of(value: Mapping[str, Any]) -> Tree | None:
    """The tree of an export of either server; None where this is none."""
    listed = dicts(value.get("messages"))
    if listed and all("messageId" in one and "isCreatedByUser" in one for one in listed):
        nodes = {
            str(one["messageId"]): {"parent": one.get("parentMessageId"), "message": one} for one in listed
        }
        return nodes, str(listed[-1]["messageId"])
    chat = value.get("chat")
    history = chat.get("history") if isinstance(chat, Mapping) else None
    messages = history.get("messages") if isinstance(history, Mapping) else None
    if not isinstance(history, Mapping) or not isinstance(messages, Mapping):
        return None
    nodes = {
        str(name): {"parent": one.get("parentId"), "message": one}
        for name, one in messages.items()
        if isinstance(one, Mapping)
    }
    return nodes, history.get("currentId") or next(reversed(nodes), None)


def item_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of either server as an item of a conversation."""
    if "isCreatedByUser" not in message:
        content = message.get("content")
        said = list(_written(content)) if isinstance(content, str) else content
        return {"role": message.get("role"), "content": said}
    parts: list[Any] = []
    for part in dicts(message.get("content")):
        call = part.get("tool_call")
        called = part.get("type") == "tool_call" and isinstance(call, Mapping)
        parts.append({**dict(call or {}), "type": "tool_invocation"} if called else part)
    return {
        "role": "user" if message["isCreatedByUser"] else "assistant",
        "content": parts or message.get("text"),
    }


def _written(text: str) -> Iterator[Any]:
    """The parts of a text in which calls, results and thoughts stand as elements of a page."""
    text = _THOUGHT.sub("", text) if (thought := _THOUGHT.search(text)) else text
    if thought:
        yield {"type": "thought", "text": html.unescape(_SUMMARY.sub("", thought.group(1))).strip()}
    at = 0
    for found in _CALL.finditer(text):
        if before := text[at : found.start()].strip():
            yield before
        at = found.end()
        fields = {name: html.unescape(value) for name, value in _FIELD.findall(found.group(1))}
        given, result = parsed(fields.get("arguments")), parsed(fields.get("result"))
        about = {"call_id": fields.get("id"), "name": fields.get("name")}
        yield {"type": "function_call", **about, "arguments": parsed(given)}
        if fields.get("done") != "false" and result is not None:
            yield {"type": "function_call_output", **about, "output": result}
    if rest := text[at:].strip():
        yield rest
