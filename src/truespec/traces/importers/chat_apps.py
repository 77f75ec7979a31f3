"""Data exports of chat applications: ChatGPT's `mapping` of messages, Claude's `chat_messages`, chat servers.

A ChatGPT conversation is a tree; the branch that ends at `current_node` is read, and the messages of other
branches are counted. A message to a recipient other than `all` is a call of that tool; the tool's next
message is its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.chat_servers import item_of, tree_of
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "chat-apps"
BRANCHES = "messages of other branches of an edited conversation are passed over"
_THOUGHTS = ("thoughts", "reasoning_recap")


def _is_ours(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("mapping"), Mapping) and "current_node" in value:
        return True
    return isinstance(value.get("chat_messages"), list) or tree_of(value) is not None


def recognises(head: Any, _file: TraceFile) -> bool:
    """A conversation of either application, alone or first of a list."""
    first = head[0] if isinstance(head, list) and head else head
    if isinstance(first, Mapping) and isinstance(first.get("mapping"), Mapping):
        nodes = list(first["mapping"].values())
        return (
            bool(nodes) and isinstance(nodes[0], Mapping) and {"parent", "message"} & nodes[0].keys() != set()
        )
    return _is_ours(first)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation."""
    return each_trace(
        file,
        records(file, _is_ours),
        lambda value: _is_ours(value) or None,
        lambda value, _, position: _trace(value, file, position, joins),
        "a conversation of a chat application",
    )


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    notes = Notes(file.ledger)
    items: Iterator[tuple[str, Mapping[str, Any]]]
    if (tree := tree_of(value)) is not None:
        items = ((place, item_of(message)) for place, message in _branch(*tree, notes))
    elif "mapping" in value:
        items = _chatgpt(value, notes)
    else:
        items = _claude(value)
    messages = placed(items, position, notes)
    identifier = (
        value.get("conversation_id") or value.get("conversationId") or value.get("uuid") or value.get("id")
    )
    about = ("title", "name", "create_time", "created_at", "default_model_slug")
    model = value.get("default_model_slug")
    return trace_of(
        messages,
        Origin(file, NAME, position, joins),
        identifier=identifier,
        model=model,
        metadata={key: value[key] for key in about if value.get(key) is not None},
    )


def _claude(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, entry in enumerate(dicts(value["chat_messages"])):
        content = entry.get("content")
        said = content if isinstance(content, list) and content else entry.get("text")
        yield f"chat_messages/{index}", {"role": entry.get("sender"), "content": said}


def _chatgpt(value: Mapping[str, Any], notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, message in _branch(value["mapping"], value.get("current_node"), notes):
        item = _of_chatgpt(message)
        if item is not None:
            yield place, item


def _branch(
    mapping: Mapping[str, Any], at: str | None, notes: Notes
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The messages from the root to the node that is given."""
    path: list[str] = []
    while isinstance(at, str) and isinstance(mapping.get(at), Mapping) and len(path) <= len(mapping):
        path.append(at)
        at = mapping[at].get("parent")
    spoken = sum(isinstance(n, Mapping) and isinstance(n.get("message"), Mapping) for n in mapping.values())
    listed = [
        (p, mapping[p]["message"]) for p in reversed(path) if isinstance(mapping[p].get("message"), Mapping)
    ]
    if spoken > len(listed):
        notes.ledger.rules[BRANCHES] += spoken - len(listed)
    yield from listed


def _of_chatgpt(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
    author, content = message.get("author"), message.get("content")
    author = author if isinstance(author, Mapping) else {}
    content = content if isinstance(content, Mapping) else {}
    kind, role = str(content.get("content_type")), author.get("role")
    parts = content.get("parts")
    said: list[Any] = (
        list(parts) if isinstance(parts, list) else [content[k] for k in ("text", "result") if content.get(k)]
    )
    said = [p if isinstance(p, str) else {"type": "image", **p} for p in said if isinstance(p, Mapping) or p]
    if kind in _THOUGHTS:
        told = [t.get("content") for t in dicts(content.get("thoughts"))] or [content.get("content")]
        return (
            {"role": role, "content": [{"type": "thought", "text": t} for t in told if t]}
            if any(told)
            else None
        )
    recipient = message.get("recipient")
    if role == "assistant" and isinstance(recipient, str) and recipient not in ("all", ""):
        text = "\n".join(p for p in said if isinstance(p, str))
        given: Any = text if text.lstrip()[:1] == "{" else {"input": text}
        return {"role": role, "content": [{"type": "function_call", "name": recipient, "arguments": given}]}
    if role == "tool":
        return {"role": "tool", "name": None, "content": _text(said)}
    return {"role": role, "content": said} if said else None


def _text(said: list[Any]) -> Any:
    """What a tool said, as one text where all parts are texts."""
    return "\n".join(said) if said and all(isinstance(part, str) for part in said) else said
