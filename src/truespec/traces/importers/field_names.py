"""The names and places of fields, as messages to a reader tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Path = tuple[Any, ...]
"""A field, innermost first: its step, and the path of what it stands in; `()` at the outside."""

_TAGS = ("stringValue", "arrayValue", "kvlistValue", "values", "string_value")
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)|^\d+$")


@lru_cache(maxsize=4096)
def last_step(name: str) -> str:
    """The last step of a name that is no number."""
    steps = [step for step in re.split(r"[./]", name) if step and step != "#"]
    while steps and steps[-1] in ("value", "stringValue"):
        steps.pop()
    return steps[-1] if steps else ""


def steps_of(path: Path) -> Iterator[Any]:
    """The steps of a field, innermost first."""
    while path:
        yield path[0]
        path = path[1]


def named(path: Path) -> str:
    """The name of a field: its steps without numbers and tags."""
    steps: list[str] = []
    while path and len(steps) < _INNERMOST:
        step, path = path
        if type(step) is not int and step not in _TAGS:
            steps.append(_step(step))
    steps.reverse()
    return "/".join(steps)


@lru_cache(maxsize=4096)
def _step(key: Any) -> str:
    return _NUMBER.sub("#", str(key)[:80])


_INNERMOST = 6
"""Innermost steps that name a field."""


def placed(place: str, path: Path) -> str:
    """The place of a field: where its value stands, and the steps with a number that lead there."""
    steps = []
    while path:
        steps.append(path)
        path = path[1]
    listed = [
        f"{steps[n + 1][0] if n + 1 < len(steps) else ''}/{step[0]}"
        for n, step in enumerate(steps)
        if type(step[0]) is int
    ]
    return ", ".join([place, *reversed(listed)])
