"""The stream of a message of Vercel's AI SDK, put together: as its server sends it, or as
`fullStream` gives it to the program.

Events name what they are pieces of: `text-delta` and `reasoning-delta` a part, `tool-input-available`,
`tool-output-available` and `tool-output-error` a call; in a program `tool-call`, `tool-result` and
`tool-error`. `start` begins a message. Version 4 names some of the fields otherwise (`textDelta`, `args`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_MARKS = frozenset(
    (
        "start-step",
        "text-start",
        "text-delta",
        "tool-input-start",
        "tool-input-available",
        "tool-output-available",
        "tool-output-error",
    )
)
"""Types of events that no other stream has."""
_CALLS = {
    "tool-input-available": ("input",),
    "tool-input-error": ("input", "errorText"),
    "tool-output-available": ("output",),
    "tool-output-error": ("errorText",),
    "tool-output-denied": (),
    "tool-call": ("input", "args"),
    "tool-result": ("output", "result"),
    "tool-error": ("error",),
}
"""Events of a call, with what they tell of it."""
_ASIDE = (
    *("start", "finish", "start-step", "finish-step", "abort", "message-metadata", "ping"),
    *("text-start", "text-end", "reasoning-start", "reasoning-end", "raw", "step-start", "step-finish"),
)
"""Events that tell nothing of their own: the input's pieces are told whole once it is there."""
_PIECES = ("delta", "textDelta", "text", "inputTextDelta", "argsTextDelta")
"""Fields that hold the piece."""
_EARLIER = {"args": "input", "result": "output"}
"""Fields of a call as version 4 names them, and as later ones do."""


def is_ui_event(value: Any) -> bool:
    """Whether a value is an event of such a stream."""
    return isinstance(value, Mapping) and value.get("type") in _MARKS


def joined(events: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages that the events are the pieces of, as the SDK keeps them."""
    made: dict[str, Any] = {}
    parts: dict[tuple[str, Any], dict[str, Any]] = {}
    step = 0

    def message() -> dict[str, Any]:
        calls = {key for kind, key in parts if kind == "call" and "input" in parts["call", key]}
        for (kind, key), part in parts.items():
            if kind == "call" and key not in calls and "text" in part:
                part["input"] = part.pop("text")  # the stream ended before the input was whole
        return {**made, "role": "assistant", "parts": [_without_text(part) for part in parts.values()]}

    for event in events:
        kind = str(event.get("type"))
        if kind == "start" and parts:
            yield message()
            made, parts = {}, {}
        if kind == "start":
            made = {"id": event["messageId"]} if event.get("messageId") else {}
        elif kind == "start-step":
            step += 1
        elif kind in ("text-delta", "reasoning-delta", "reasoning") and _piece(event) is not None:
            name = kind.partition("-")[0]
            part = parts.setdefault((name, (step, event.get("id"))), {"type": name, "text": ""})
            part["text"] += _piece(event)
        elif kind.startswith("tool-"):
            call = event.get("toolCallId", event.get("id"))
            part = parts.setdefault(("call", call), {"type": "dynamic-tool", "toolCallId": call})
            told = ("toolName", *_CALLS.get(kind, ()))
            part |= {_EARLIER.get(key, key): event[key] for key in told if key in event}
            part["text"] = part.get("text", "") + (_piece(event) or "")
        elif kind not in _ASIDE:
            parts[kind, len(parts)] = dict(event)
    if parts:
        yield message()


def _piece(event: Mapping[str, Any]) -> str | None:
    """The piece that an event holds; None where it holds none."""
    return next((event[key] for key in _PIECES if isinstance(event.get(key), str)), None)


def _without_text(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] != "dynamic-tool":
        return part
    return {key: value for key, value in part.items() if key != "text"}
