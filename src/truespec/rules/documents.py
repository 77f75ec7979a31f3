"""Documents of JSON values: copied whole, and put together."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types of JSON values that hold no others."""


def copied(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of its own, down to the last list."""
    return {key: _copied(value) for key, value in document.items()}


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _copied(inner) for key, inner in value.items()}
    if kind is list:
        return [_copied(inner) for inner in value]
    return value if kind in _PLAIN else copy.deepcopy(value)


def merge(into: dict[str, Any], other: Mapping[str, Any]) -> None:
    """Put the values of one document into another; arrays are joined place by place."""
    for key, value in other.items():
        into[key] = _merged(into[key], value) if key in into else value


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        merge(old, new)
        return old
    if isinstance(old, list) and isinstance(new, list):
        pairs = itertools.zip_longest(old, new)
        return [b if a is None else a if b is None else _merged(a, b) for a, b in pairs]
    return new
