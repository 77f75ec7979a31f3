"""Texts for models in tags that they cannot close, and values out of replies that hold JSON."""

from __future__ import annotations

import html
import json
from typing import Any

from truespec.benchmark.fences import fenced_blocks

MOST_STARTS = 200
"""In a reply with more opening braces, only so many are tried."""


def tagged(name: str, text: str, **attributes: object) -> str:
    """A text between tags. What stands in it is data: it is escaped and cannot end the tag.

    >>> print(tagged("rules", "a < b", count=1))
    <rules count="1">
    a &lt; b
    </rules>
    """
    given = "".join(f' {key}="{html.escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{given}>\n{escaped(text)}\n</{name}>"


def enclosed(name: str, parts: str, **attributes: object) -> str:
    """Parts that are tagged already, between tags of their own."""
    given = "".join(f' {key}="{html.escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{given}>\n{parts}\n</{name}>"


def escaped(text: str) -> str:
    """A text in which nothing reads as a tag."""
    return html.escape(text, quote=False)


def read_object(reply: str) -> dict[str, Any] | None:
    """The JSON object of a reply: in its last fenced block that holds one, or else the last that stands free.

    >>> read_object('So: {"score": 1} I think.')
    {'score': 1}
    """
    found = _object(reply)
    try:
        return None if found is None else _sound(found)
    except RecursionError:
        return None


def _object(reply: str) -> dict[str, Any] | None:
    for block in reversed(fenced_blocks(reply)):
        found = _whole(block)
        if found is not None:
            return found
    found = _whole(reply)
    if found is not None:
        return found
    decoder = json.JSONDecoder()
    best: dict[str, Any] | None = None
    position = 0
    for _ in range(MOST_STARTS):
        position = reply.find("{", position)
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(reply, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        if isinstance(value, dict):
            best = value
        position = end
    return best


def _sound(value: Any) -> Any:
    """The value without halves of surrogate pairs, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_sound(item) for item in value]
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return value


def _whole(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
