"""How deeply a text nests, measured before a parser that recurses sees it.

libyaml's composer, JSON parsers and every function that walks a parsed value use one stack frame per level.
A text of a few kilobytes can overflow the stack of the process, which ends it without an exception. Every
JSON or YAML text from outside is therefore measured first, by code that does not recurse. What orjson has
read within its limit is measured as a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from gc import get_referents, is_tracked
from itertools import accumulate
from typing import Any

from truespec.verdict import Place

DEPTH = 200
"""Levels of arrays, objects, sequences and mappings that are read; no real file seen so far has 40."""

_BRACKETS = b'[]{}"'
_OTHERS = bytes(byte for byte in range(256) if byte not in _BRACKETS)
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class TooDeep(ValueError):
    """A text that nests more deeply than we read; the message names the limit."""

    def __init__(self, most: int, place: Place | None = None) -> None:
        super().__init__(f"nested more than {most} levels deep; flatten it")
        self.place = place
        """Where the first level too many opens, where that is known."""


def json_depth(text: str | bytes) -> int:
    """The deepest nesting in a JSON text; brackets inside strings do not count.

    For a text that is no JSON, this is at least the depth that a parser reaches before it stops.

    >>> json_depth('{"a": [1, "[[["]}')
    2
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    # In JSON a backslash stands inside strings only. Dropping escaped backslashes, then escaped quotes,
    # leaves quotes that open or close a string.
    data = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS).replace(b'""', b"")
    outside = b"".join(data.split(b'"')[::2])
    return max(accumulate(map(_STEP.__getitem__, outside), initial=0))


def check_json(text: str | bytes, most: int = DEPTH) -> None:
    """Raise `TooDeep` for a JSON text that nests more than `most` levels deep."""
    opening = (b"[", b"{") if isinstance(text, bytes) else ("[", "{")
    if sum(map(text.count, opening)) > most and json_depth(text) > most:  # type: ignore[arg-type]
        raise TooDeep(most)


def is_deep(value: Any, most: int = DEPTH) -> bool:
    """Whether a value that a JSON parser made has more than `most` levels of arrays and objects.

    This is faster than `check_json`, for texts that a parser with a limit of its own has read: orjson stops
    at 1,024 levels without harm.
    """
    return not _is_shallow(value, most) and _has_levels(value, most)


def _is_shallow(value: Any, most: int) -> bool:
    """Whether a value surely has no more than `most` levels, by what the garbage collector knows of it.

    CPython tracks every list, and every dict that holds a list or a dict. So what a level tracks is all of
    it but dicts without further levels, and those are one level behind a tracked one. No step of this is
    taken in Python for a value.
    """
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most - 1):
        level = list(filter(is_tracked, get_referents(*level)))
        if not level:
            return True
    return False


def _has_levels(value: Any, most: int) -> bool:
    """Whether a value has more than `most` levels, counted one by one."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def yaml_events(text: str, loader: Any, most: int = DEPTH) -> Iterator[Any]:
    """The parse events of a YAML text, as `yaml.parse` gives them; `TooDeep` at the level that is too many.

    Reading events needs no recursion; composing values from them does. So this runs first.
    """
    import yaml

    depth = 0
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > most:
                mark = event.start_mark
                raise TooDeep(most, Place(mark.line + 1, mark.column + 1) if mark else None)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        yield event
