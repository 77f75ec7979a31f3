"""What identifies the parts of a conversation, and a thread of it as the model calls so far show it.

A call and a result are known by their identifiers, a text by its speaker and its place in the thread.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.traces.importers.parts import THOUGHTS, kind_of_part
from truespec.traces.importers.recorded import parsed
from truespec.traces.trace import Message, ToolCall

_SYSTEM = ("text", "system")
ATTACHED = "\0attached: "
"""How the key of a message begins that holds nothing but images, files and the like."""


@dataclass(slots=True)
class Thread:
    atoms: list[tuple[Any, ...]] = field(default_factory=list)
    by: list[str] = field(default_factory=list)
    """The span that brought each atom."""
    places: dict[tuple[Any, ...], list[int]] = field(default_factory=dict)

    def add(self, key: tuple[Any, ...], span: str) -> None:
        self.places.setdefault(key, []).append(len(self.atoms))
        self.atoms.append(key)
        self.by.append(span)

    def find(self, key: tuple[Any, ...], start: int) -> int | None:
        """The place of an atom from `start` on.

        A system prompt heads each request; another agent's stands behind what is repeated.
        """
        if key[:2] == _SYSTEM:
            return start - 1 if key in self.places else None
        places = self.places.get(key, ())
        at = bisect_left(places, start)
        return places[at] if at < len(places) else None

    def shared(self, keys: Sequence[tuple[Any, ...]]) -> tuple[int, int]:
        """How many atoms it shares with a conversation, in order: of speakers, and of the system."""
        at = spoken = system = 0
        for key in keys:
            if key[:2] == _SYSTEM:
                system += key in self.places
                continue
            place = self.find(key, at)
            if place is not None:
                at = place + 1
                spoken += 1
        return spoken, system


def canonical(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, default=str)
    except (TypeError, ValueError):
        return str(value)


_WRAPPERS = ("result", "output", "content", "response", "text")
"""Fields in which frameworks hand a result on where it is no object."""
_FLAGS = ("isError", "is_error", "type", "_meta", "meta")


def outcome_key(text: str | None) -> str:
    """A result's text, one for all spellings of the same JSON, with or without what is around it."""
    value: Any = (text or "").strip()
    for _ in range(_LAYERS):
        inner = parsed(value) if isinstance(value, str) and value[:1] in ("[", "{") else value
        inner = _inside(inner)
        if inner is value:
            break
        value = inner.strip() if isinstance(inner, str) else inner
    return value if isinstance(value, str) else canonical(value)


_LAYERS = 6
"""How many layers around a result are taken off."""


def _inside(value: Any) -> Any:
    """What an object or a list holds that only hands a result on; every other value as it is."""
    if isinstance(value, Mapping):
        kept = [key for key in value if key not in _FLAGS]
        return value[kept[0]] if len(kept) == 1 and kept[0] in _WRAPPERS else value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping) and "text" in value[0]:
        return value[0]["text"]
    return value


def call_key(call: ToolCall) -> tuple[Any, ...]:
    if call.id is not None:
        return ("call", call.id, call.name)
    return ("call", None, call.name, canonical(call.arguments if call.arguments is not None else call.raw))


def keys_of(message: Message) -> list[tuple[Any, ...]]:
    """The atoms of a message: its text, its calls, or its result."""
    if message.role == "tool":
        if message.call_id:
            return [("result", message.call_id)]
        return [("result", None, outcome_key(message.text))]
    text = (message.text or "").strip()
    keys: list[tuple[Any, ...]] = [("text", message.role, text)] if text else []
    keys += [call_key(call) for call in message.calls]
    if not keys and (attached := _attached(message)):
        return [("text", message.role, ATTACHED + canonical(attached))]
    return keys


def _attached(message: Message) -> list[Any]:
    """The parts of a message that are attached to it; a thought that is not told is none."""
    listed = (message.extra or {}).get("content")
    parts = listed if isinstance(listed, list) else []
    return [part for part in parts if not (isinstance(part, Mapping) and kind_of_part(part) in THOUGHTS)]


def reduced(message: Message, keys: Sequence[tuple[Any, ...]]) -> Message:
    """The message with the atoms that are new."""
    if message.role == "tool":
        return message
    spoken = any(key[0] == "text" for key in keys)
    kept = tuple(call for call in message.calls if call_key(call) in keys)
    if spoken and len(kept) == len(message.calls):
        return message
    return replace(message, text=message.text if spoken else None, calls=kept)


def is_unique(key: tuple[Any, ...]) -> bool:
    """Whether an identifier is not used again: long, and no tool's name."""
    return len(str(key[1])) >= 12 and key[1] != key[-1]
