"""Objects that hold one conversation in several places: teams of AutoGen, tasks of A2A."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.importers.shared import dicts, text_of
from truespec.traces.importers.wrappers import is_item


def thread_of_team(value: Mapping[str, Any]) -> list[Any] | None:
    """The conversation of a team of AutoGen, where it holds every call that its agents remember besides."""
    states = value.get("agent_states")
    states = [one for one in states.values() if isinstance(one, Mapping)] if isinstance(states, dict) else []
    threads = [thread for one in states if isinstance(thread := one.get("message_thread"), list) and thread]
    if len(threads) != 1 or not set(_called_in(states)) <= set(_called_in(threads[0])):
        return None
    return [item for item in threads[0] if is_item(item)]


def thread_of_task(value: Mapping[str, Any]) -> list[Any] | None:
    """The conversation of a task of A2A: its history, what its status says, and its artifacts."""
    status = value.get("status")
    if "contextId" not in value or not isinstance(status, Mapping) or "state" not in status:
        return None
    thread: list[Mapping[str, Any]] = [*dicts(value.get("history"))]
    known = {one.get("messageId") for one in thread}
    last = status.get("message")
    if isinstance(last, Mapping) and (last.get("messageId") is None or last["messageId"] not in known):
        thread.append(last)
    given = [{"role": "agent", "parts": dicts(one.get("parts"))} for one in dicts(value.get("artifacts"))]
    told = [text_of(one.get("parts")) for one in thread]
    return [*thread, *(one for one in given if text_of(one["parts"]) not in told)] or None


def _called_in(value: Any, depth: int = 0) -> Iterator[str]:
    """The identifiers of AutoGen's calls anywhere in a value."""
    if isinstance(value, Mapping) and {"id", "name", "arguments"} <= value.keys():
        yield str(value["id"])
    elif isinstance(value, Mapping | list) and depth < 20:
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _called_in(inner, depth + 1)
