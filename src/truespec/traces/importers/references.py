"""Items that a request of OpenAI's Responses names by their identifiers instead of repeating them.

`{"type": "item_reference", "id": "msg_1"}` stands for the item `msg_1` of an earlier reply or request. It is
read where the file holds that item, in whatever field; else it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from truespec.traces.files import Passed
from truespec.traces.importers.told import parsed

REFERENCE = "item_reference"
"""The type of an item that names another one."""
FOUND = "a reference to an item is that item, as the file holds it elsewhere"
LOST = "a reference to an item that the file does not hold"
_HELD = ("content", "summary", "arguments", "output", "action", "input", "code", "queries", "result")
"""Fields of items that hold more than their names."""


class Items:
    """The items of a file by their identifiers; looked for when the first reference is met."""

    def __init__(self, passed: Passed) -> None:
        self._passed = passed

    def find(self, name: Any) -> Mapping[str, Any] | None:
        """The item with an identifier."""
        return self._named.get(name) if isinstance(name, str) else None

    @cached_property
    def _named(self) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        waiting = [value for _, value in self._passed.values][::-1]
        while waiting:
            value = parsed(waiting.pop())
            if isinstance(value, Mapping):
                name, kind = value.get("id"), value.get("type")
                if isinstance(name, str) and isinstance(kind, str) and any(key in value for key in _HELD):
                    found.setdefault(name, value)
                waiting += list(value.values())[::-1]
            elif isinstance(value, list):
                waiting += value[::-1]
        return found
