"""Lists that have the newest entry first, as pages of interfaces have them by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truespec.traces.importers.census import census
from truespec.traces.importers.parts import is_call, is_result, kind_of_part
from truespec.traces.importers.shared import role_of
from truespec.traces.ledger import Ledger
from truespec.traces.trace import ToolCall

RULE = "a list in which each result stands before its call has the newest first and is read backwards"


def oldest_first(items: Sequence[Any], ledger: Ledger) -> Sequence[Any]:
    """The items; backwards where all results that name a call of the list stand before it."""
    if not _answers_first(items):
        return items
    called: dict[str, int] = {}
    answered: dict[str, int] = {}
    for index, item in enumerate(items):
        for found in census(item):
            if isinstance(found, ToolCall):
                called.setdefault(str(found.id), index)
            else:
                answered.setdefault(str(found.call_id), index)
    pairs = [(answered[name], called[name]) for name in answered if name in called]
    if not pairs or any(result >= call for result, call in pairs):
        return items
    ledger.rules[RULE] += 1
    return list(reversed(items))


def _answers_first(items: Sequence[Any]) -> bool:
    """Whether a result comes before all calls, by a look at the items alone."""
    for item in items:
        if not isinstance(item, Mapping):
            continue
        kind = kind_of_part(item)
        content = item.get("content")
        kinds = (
            [kind_of_part(p) for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []
        )
        if is_call(kind) or item.get("tool_calls") or any(map(is_call, kinds)):
            return False
        if is_result(kind) or role_of(item.get("role")) == "tool" or any(map(is_result, kinds)):
            return True
    return False
