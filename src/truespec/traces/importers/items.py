"""Messages of any provider, from one item of a conversation or from a value of unknown shape.

An item has a role and a content of parts, or it is itself a typed part (an item of the Responses API). One
item becomes one message wherever that is possible; a result inside it becomes a message of its own, in its
place. An item whose role is unknown is a problem with its place, never the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.files import brief
from truespec.traces.importers.beside import COMMAND, command_of, with_reference, with_results
from truespec.traces.importers.chunks import is_chunk, merged
from truespec.traces.importers.exchanges import FURTHER, said_in
from truespec.traces.importers.outcomes import outcome_of, with_reason
from truespec.traces.importers.parts import (
    KEYED_RESULTS,
    REFERENCES,
    THOUGHTS,
    Atom,
    Notes,
    atoms_of,
    call_of,
    is_bare_call,
    is_call,
    is_definition,
    is_result,
    kind_of_part,
)
from truespec.traces.importers.references import FOUND, LOST, REFERENCE
from truespec.traces.importers.reprs import of_repr
from truespec.traces.importers.shared import ROLE_NAMES, extras, role_of, spelt, text_of
from truespec.traces.importers.told import parsed, told_in_text, with_calls
from truespec.traces.importers.turns import in_turns, is_typed
from truespec.traces.importers.within import without_repeated_calls, without_repeated_texts
from truespec.traces.importers.wrappers import LANGCHAIN, is_item, unwrapped
from truespec.traces.trace import Message, ToolCall

_CALL_LISTS = ("tool_calls", "toolCalls", "toolInvocations", "tool_invocations", "invalid_tool_calls")
_CALL_ROLES = ("tool_call_invocation", "tool_call", "function_call", "tool_use")
"""Roles whose message is itself a call, where it has the call's fields (Retell)."""
ANSWERS = "a message of the user that names a call is that call's result"
APPROVAL = "what a person decides about a call before it runs is no result of it"
_ERRORS = ("error", "is_error", "isError", "tool_call_error")
"""Fields of a result that say whether, or why, its call failed."""
_OF_THE_MODEL = ("compaction", "mcp_list_tools")
"""Types of items that a reply holds beside what it says; a history repeats them."""
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking", "tool_plan")


def openai_messages(m: Mapping[str, Any], notes: Notes) -> list[Message]:
    """The messages that an item in OpenAI's chat shape amounts to: one, unless its parts hold results.

    `ValueError` names an unknown role.
    """
    several = isinstance(m.get("content"), list) and role_of(m.get("role")) not in (None, "tool")
    return messages_of_item(m, notes) if several else [openai_message(m)]


def openai_message(m: Mapping[str, Any]) -> Message:
    """The one message that an item without parts is; `ValueError` names an unknown role."""
    role = role_of(m.get("role"))
    if role is None:
        raise ValueError(unknown_role(m.get("role")))
    listed = m.get("tool_calls")
    content = m.get("content")
    if role == "tool":
        return _result(m, content, role)
    calls: tuple[ToolCall, ...] = ()
    if listed:
        calls = tuple([call_of(call, kind_of_part(call)) for call in listed if isinstance(call, Mapping)])
    elif isinstance(m.get("function_call"), Mapping):
        calls = (call_of(m["function_call"]),)
    text = content if content is None or isinstance(content, str) else text_of(content)
    reasoning = m.get("reasoning_content") or m.get("reasoning")
    name = m.get("name")
    return Message(
        role,
        text,
        calls,
        name=name if isinstance(name, str) else None,
        reasoning=reasoning if isinstance(reasoning, str) else None,
        extra=extras(m),
    )


def unknown_role(role: Any) -> str:
    """What to say of a role that no source is known to use."""
    return f"the role {str(role)[:60]!r} is unknown (known: {', '.join(ROLE_NAMES)}); the message is left out"


def messages_of_item(item: Any, notes: Notes, default: str = "assistant") -> list[Message]:
    """The messages that one item of a conversation amounts to; `default` speaks where no role is given."""
    if isinstance(item, str):
        return told_in_text(Message(default, item), notes)
    if not isinstance(item, Mapping):
        notes.ledger.items.drop(f"no message but {brief(item, 30)}", notes.place)
        return []
    item = unwrapped(item)
    declared = item.get("role")
    kind = kind_of_part(item)
    if declared is None:
        if kind == REFERENCE:
            return _referenced(item, notes, default)
        role = LANGCHAIN.get(kind.replace("_", "").removesuffix("chunk"))
        if role is None and (is_call(kind) or is_result(kind) or kind in THOUGHTS or "content" not in item):
            if item.get("parts") is None and not any(item.get(key) for key in _CALL_LISTS):
                called = is_call(kind) or is_bare_call(item)
                speaker = "assistant" if called or kind in THOUGHTS or kind in _OF_THE_MODEL else default
                return _assembled(speaker, atoms_of(item, notes), notes)
        if role is None and is_bare_call(item):
            given = {key: held for key, held in item.items() if key != "content"}
            said: list[Atom] = [("text", text_of(item["content"]))]
            return _assembled("assistant", said + atoms_of(given, notes), notes)
        role = role or default
    else:
        role = role_of(declared)
        if role is None and str(declared) in notes.called:
            role, item = "tool", {**item, "name": str(declared)}
            notes.ledger.rules["a role that is the name of a called tool marks that tool's result"] += 1
        if role is None:
            notes.ledger.problem(notes.place, unknown_role(declared))
            notes.ledger.items.drop(f"unknown role {str(declared)[:60]!r}", notes.place)
            return []
    if role == "user" and isinstance(item.get("content"), str) and any(item.get(key) for key in REFERENCES):
        role = "tool"
        notes.ledger.rules[ANSWERS] += 1
    if is_definition(item.get("content")):
        notes.tools.append(item["content"])
        return []
    if declared in _CALL_ROLES and isinstance(item.get("name"), str) and "arguments" in item:
        return _assembled(role, atoms_of({**item, "type": "tool_call"}, notes), notes)
    if declared == "thinking":
        return _assembled(role, [("thought", text_of(item.get("content")))], notes)
    if "kind" in item and role == "assistant" and (command := command_of(item)) is not None:
        notes.ledger.rules[COMMAND] += 1
        return _assembled(role, [("call", command)], notes, extras(item))
    item = with_results(item, role, notes)
    parts = item.get("parts")
    parts = parsed(parts) if isinstance(parts, str) else parts  # a database keeps them as a text
    content = parts if isinstance(parts, list) else item.get("content")
    content = with_reference(item, content)
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        content = content["parts"]
    if isinstance(content, Mapping) and kind_of_part(content):
        content = [content]
    if role == "tool" and isinstance(content, list) and any(map(_is_approval, content)):
        notes.ledger.rules[APPROVAL] += 1
        content = [part for part in content if not _is_approval(part)]
        if not content:
            return []
    if role == "tool" and not _holds_results(content):
        return told_in_text(_result(item, content, role), notes)
    return _composed(item, role, content, notes)


def _referenced(item: Mapping[str, Any], notes: Notes, default: str) -> list[Message]:
    """The messages of the item that a reference names."""
    if (found := notes.ledger.item_named(item.get("id"))) is not None:
        notes.ledger.rules[FOUND] += 1
        return messages_of_item(found, notes, default)
    notes.ledger.items.drop(LOST, notes.place)
    notes.ledger.problem(notes.place, f"{LOST}: {str(item.get('id'))[:60]!r}")
    return []


def _composed(item: Mapping[str, Any], role: str, content: Any, notes: Notes) -> list[Message]:
    atoms: list[Atom] = []
    for key in _THOUGHT_FIELDS:
        if isinstance(item.get(key), str) and item[key]:
            atoms.append(("thought", item[key]))
            break
    if isinstance(content, list):
        atoms += _in_steps(content, notes)
        if role == "tool":
            atoms = without_repeated_texts(atoms)
    elif content is not None:
        atoms.append(("text", text_of(content) if not isinstance(content, str) else content))
    elif item.get("text") is not None and "content" not in item:
        atoms.append(("text", text_of(item["text"])))
    hidden = item.get("additional_kwargs")
    hidden = hidden if isinstance(hidden, dict) else None
    around = {**hidden, **item} if hidden else item
    for key in _CALL_LISTS:
        listed = around.get(key) or (hidden.get(key) if hidden else None)
        if not listed:
            continue
        if isinstance(listed, Mapping):
            listed = list(listed.values())
        for call in listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ():
            call = parsed(call)
            if isinstance(call, Mapping):
                inner = call.get("tool_call")
                call = inner if isinstance(inner, Mapping) else call
                known = is_call(kind_of_part(call)) or is_result(kind_of_part(call))
                atoms += atoms_of({**call, "type": call["type"] if known else "tool_invocation"}, notes)
    if "function_call" in around and isinstance(around["function_call"], Mapping):
        atoms.append(("call", call_of(around["function_call"])))
    name = item.get("name")
    made = _assembled(role, atoms, notes, extras(item), name if isinstance(name, str) else None)
    if len(made) == 1 and made[0].role in ("assistant", "user"):
        return told_in_text(made[0], notes)
    return made


def _in_steps(parts: Sequence[Any], notes: Notes) -> list[Atom]:
    """What parts say; where they mark steps, results stand behind all calls of their step."""
    atoms: list[Atom] = []
    waiting: list[Atom] = []
    stepped = False
    for part in parts:
        about = part if isinstance(part, Mapping) else {}
        if about.get("type") == "step-start":
            atoms, waiting, stepped = atoms + waiting, [], True
        for atom in atoms_of(part, notes):
            later = stepped and atom[0] == "result" and about.get("providerExecuted") is not True
            (waiting if later else atoms).append(atom)
    return atoms + waiting


def _is_approval(part: Any) -> bool:
    return isinstance(part, Mapping) and kind_of_part(part) == "tool_approval_response"


def _holds_results(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(part, Mapping)
        and (
            is_result(kind_of_part(part))
            or is_call(kind_of_part(part))
            or any(key in part for key in KEYED_RESULTS)
        )
        for part in content
    )


def _result(item: Mapping[str, Any], content: Any, role: str) -> Message:
    text, failed = outcome_of(content)
    if content is None:
        text, failed = outcome_of(next((item[key] for key in ("result", "text") if key in item), None))
    error = next((item[key] for key in _ERRORS if item.get(key) not in (None, "")), None)
    text, why = with_reason(text, error)
    if isinstance(error, bool):
        failed = error
    elif error or item.get("status") == "error" or item.get("successful") is False:
        failed = True
    hidden = item.get("additional_kwargs")
    item = {**hidden, **item} if isinstance(hidden, Mapping) else item
    identifier = next((item[key] for key in REFERENCES if item.get(key)), item.get("id"))
    name = item.get("name") or item.get("tool_name") or item.get("toolName") or item.get("function")
    return Message(
        role,
        text,
        call_id=None if identifier is None or isinstance(identifier, list) else spelt(identifier),
        tool=name if isinstance(name, str) else None,
        error=failed,
        requestor="user" if item.get("requestor") == "user" else "assistant",
        extra=extras(item) if why is None else {**(extras(item) or {}), "error": why},
    )


def _assembled(
    role: str,
    atoms: Iterable[Atom],
    notes: Notes,
    extra: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> list[Message]:
    """Atoms as messages in their order: a result ends the message before it."""
    made: list[Message] = []
    held: dict[str, list[Any]] = {}

    def close() -> None:
        calls = tuple(held.get("call", ()))
        kept: dict[str, Any] = dict(extra or {}) if not made else {}
        if others := held.get("other"):
            kept["content"] = others
        texts, thoughts = held.get("text", ()), held.get("thought", ())
        speaker = "assistant" if calls and role in ("tool", "system") else role
        made.append(
            Message(
                speaker,
                "\n".join(texts) if texts else None,
                calls,
                name=name,
                reasoning="\n".join(thoughts) or None,
                extra=kept or None,
            )
        )
        held.clear()

    for what, value in without_repeated_calls(atoms):
        if what == "result":
            if held:
                close()
            made.append(value)
        elif what == "role":
            if held and value != role:
                close()
            role = value
        elif what == "call":
            held.setdefault("call", []).append(value)
            notes.called.setdefault(value.name, []).append(value.id)
        else:
            held.setdefault(what, []).append(value if what == "other" else value or "")
    if held or not made:
        close()
    return made


_SPEAKER = re.compile(
    r"^(system|developer|user|assistant|tool|human|System|Human|AI|Tool|User|Assistant): ", re.MULTILINE
)


def messages_of(value: Any, role: str, notes: Notes) -> list[Message]:
    """The messages in a value of unknown shape; a bare text is one message of `role`."""
    if isinstance(value, str):
        return _of_text(value, role, notes)
    if isinstance(value, list):
        if not value:
            return []
        if all(is_chunk(item) for item in value):
            return [m for reply in merged(value) for m in _of_dict(reply, role, notes)]
        if len(value) == 2 and all(isinstance(v, str) for v in value) and role_of(value[0]):
            return [Message(role_of(value[0]) or role, value[1])]
        value = [(of_repr(item) or item) if isinstance(item, str) else item for item in value]
        if all(isinstance(item, list) for item in value):
            if all(is_item(inner) for item in value for inner in item):
                for _ in value[1:]:
                    notes.ledger.items.drop("a further conversation of a batch", notes.place)
                return messages_of(value[0], role, notes)  # batches: one conversation each
            return [m for item in value for m in messages_of(item, role, notes)]
        if any(is_item(item) for item in value):
            made = [m for item in value for m in messages_of_item(parsed(item), notes, role)]
            return in_turns(made) if any(is_typed(item) for item in value) else made
        replies = [said_in(item) for item in value]
        return [m for one in replies for m in messages_of_item(one, notes, role)] if all(replies) else []
    return _of_dict(value, role, notes) if isinstance(value, Mapping) else []


def _of_text(value: str, role: str, notes: Notes) -> list[Message]:
    inner = parsed(value)
    if isinstance(inner, list | dict):
        made = messages_of(inner, role, notes)
        if made:
            return made
    if isinstance(inner, str):
        value = inner
    written = of_repr(value)
    if written is not None and is_item(written):
        return messages_of_item(written, notes, role)
    starts = list(_SPEAKER.finditer(value))
    if starts and starts[0].start() == 0:
        ends = [found.start() for found in starts[1:]] + [len(value)]
        texts = [value[found.end() : end].rstrip("\n") for found, end in zip(starts, ends, strict=True)]
        return [
            m
            for found, text in zip(starts, texts, strict=True)
            if text != "None"
            for m in messages_of_item({"role": found.group(1), **with_calls(text)}, notes)
        ]
    return told_in_text(Message(role, value), notes)


SYSTEMS = ("system", "instructions", "system_prompt", "systemInstruction", "system_instruction", "preamble")
"""Fields of an object that hold its system prompt."""
_LISTS = ("messages", "contents", "input_messages", "history", "new_messages")
_REPLIES = ("choices", "candidates", "generations")
_FIELDS = ("role", "content")
_TEXTS = (
    "prompt",
    "input",
    "content",
    "output",
    "response",
    "result",
    "text",
    "query",
    "question",
    "completion",
)


def _of_dict(value: Mapping[str, Any], role: str, notes: Notes) -> list[Message]:
    if is_item(value):
        return messages_of_item(value, notes, role)
    config = value.get("config")
    around = {**config, **value} if isinstance(config, Mapping) else value
    system = next((around[key] for key in SYSTEMS if around.get(key) is not None), None)
    prompt = text_of(system) if isinstance(system, str | list | dict) else None
    head = [Message("system", prompt)] if prompt else []
    if role == "assistant" and any(value.get(key) for key in _CALL_LISTS):
        said = value["response"] if is_item(value.get("response")) else {}  # LlamaIndex: beside the calls
        return head + messages_of_item({"role": role, **value, **said}, notes)
    for key in _LISTS:
        listed = parsed(value.get(key))
        if isinstance(listed, list) and listed:
            return head + messages_of(listed, role, notes)
    for key in _REPLIES:
        listed = value.get(key)
        if isinstance(listed, list) and listed and isinstance(listed[0], list):
            for _ in listed[1:]:
                notes.ledger.items.drop("a further conversation of a batch", notes.place)
        while isinstance(listed, list) and listed and isinstance(listed[0], list):
            listed = listed[0]
        if isinstance(listed, list) and listed and isinstance(listed[0], Mapping):
            for _ in listed[1:]:
                notes.ledger.items.drop(FURTHER, notes.place)
            return _reply(listed[0], notes)
    for key in ("output", "input", "message", "response"):
        inner = parsed(value.get(key))
        if isinstance(inner, list) and any(is_item(item) for item in inner):
            return head + messages_of(inner, role, notes)
        if isinstance(inner, Mapping) and (is_item(inner) or key == "message"):
            return head + messages_of_item(inner, notes, role)
    if isinstance(value.get("content"), list) and any(
        kind_of_part(p) for p in value["content"] if isinstance(p, Mapping)
    ):
        return head + messages_of_item({"role": role, "content": value["content"]}, notes)
    if value.get("content") in _FIELDS and len(value) == 1:
        notes.ledger.items.drop("a content that is only the name of a field", notes.place)
        return head
    for key in ("args", "prompts"):
        given = value.get(key)
        if isinstance(given, list) and len(given) == 1 and isinstance(given[0], str):
            return head + _of_text(given[0], role, notes)
    for key in _TEXTS:
        if isinstance(value.get(key), str):
            return [*head, Message(role, value[key])]
        if isinstance(value.get(key), list | dict):
            made = messages_of(value[key], role, notes)
            if made:
                return head + made
    return head


def _reply(choice: Mapping[str, Any], notes: Notes) -> list[Message]:
    """The first of several possible replies; the agent says it whatever role it declares."""
    inner = choice.get("message") or choice.get("content") or choice.get("delta") or choice
    if not isinstance(inner, Mapping):
        return [Message("assistant", text_of(inner))]
    made = messages_of_item(
        {**inner} if "role" in inner or "kwargs" in inner else {"role": "assistant", **inner}, notes
    )
    return [replace(m, role="assistant") if m.role == "user" else m for m in made]
