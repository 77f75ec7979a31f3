"""Objects that hold one conversation in several places: AutoGen's teams, A2A's tasks, the AI SDK's steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.importers.items import SYSTEMS
from truespec.traces.importers.shared import dicts, text_of
from truespec.traces.importers.told import parsed
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


_ASKED = ("messages", "input", "contents")


def thread_of_steps(value: Any) -> tuple[str | None, list[Any]] | None:
    """The prompt and the conversation of the steps of one run of Vercel's AI SDK, or of a result with them.

    A step's response holds what the run said so far, its request what the model was given.
    """
    listed = value.get("steps") if isinstance(value, Mapping) else value
    if not isinstance(listed, list) or not listed or not all(_is_step(step) for step in listed):
        return None
    request = listed[0].get("request")
    body = parsed(request.get("body")) if isinstance(request, Mapping) else None
    body = body if isinstance(body, Mapping) else {}
    given: list[Any] = next((body[key] for key in _ASKED if isinstance(body.get(key), list)), [])
    said: list[dict[str, Any]] = []
    for step in listed:
        messages = dicts(step["response"]["messages"])
        said = messages if messages[: len(said)] == said else [*said, *messages]
    system = next((text_of(body[key]) for key in SYSTEMS if body.get(key)), None)
    return system, [*given, *said]


def _is_step(value: Any) -> bool:
    if not isinstance(value, Mapping) or "finishReason" not in value:
        return False
    response = value.get("response")
    return isinstance(response, Mapping) and isinstance(response.get("messages"), list)
