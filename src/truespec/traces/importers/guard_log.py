"""Decision logs of guards: the conversation as it was let happen, with every decision beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.shared import source_of, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.record import message_of
from truespec.traces.trace import Message, Trace

ASIDE = ("rules",)
"""Fields beside the conversation: the rules of the guard."""
_DECISION = ("action", "tool", "arguments", "objections", "not_evaluated", "asked")


@dataclass
class _Conversation:
    """What was read of one conversation."""

    start: Mapping[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    decisions: list[Mapping[str, Any]] = field(default_factory=list)
    owed: list[Any] | None = None
    chain: str = ""
    count: int = 0


def recognises(head: Any, _file: TraceFile) -> bool:
    """A line names the version of its shape."""
    return isinstance(head, dict) and "truespec_guard" in head


def read(file: TraceFile, _joins: Joins) -> Iterator[Trace | Problem]:
    """One trace for each conversation, in the order of their first lines.

    A line that was changed, moved or taken out is a problem with its place; the conversation is read on.
    """
    found: dict[str, _Conversation] = {}
    for line, value in file.lines():
        if isinstance(value, Problem):
            yield value
            continue
        if not isinstance(value, dict) or not isinstance(value.get("conversation"), str):
            yield file.problem(f"line {line}", "no line of a decision log")
            continue
        name = value["conversation"]
        one = found.setdefault(name, _Conversation())
        if value.get("after") != one.chain or value.get("number") != one.count:
            error = f"the log was changed: this line does not follow on the last one of conversation {name!r}"
            yield file.problem(f"line {line}", error)
        encoded = json.dumps(value, separators=(",", ":")).encode()
        one.chain = hashlib.sha256(encoded).hexdigest()[:32]
        one.count = value["number"] + 1 if isinstance(value.get("number"), int) else one.count + 1
        try:
            _take(one, value)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            yield file.problem(f"line {line}", f"no entry of a decision log: {error!r}")
    for name, one in found.items():
        yield _trace(file, name, one)


def _take(one: _Conversation, value: Mapping[str, Any]) -> None:
    what = value.get("what")
    if what == "start":
        one.start = value
    elif what == "message":
        one.messages.append(message_of(value["message"]))
    elif what == "decision":
        kept = {key: value[key] for key in _DECISION}
        one.decisions.append({**kept, "before_message": len(one.messages)})
    elif what == "end":
        one.owed = list(value["owed"])
    elif what != "broken":
        raise ValueError(f"an entry of the unknown kind {what!r}")


def _trace(file: TraceFile, name: str, one: _Conversation) -> Trace:
    listed = one.start.get("tools")
    listed = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else None
    kinds = {str(tool.get("name")): tool["kind"] for tool in listed or () if tool.get("kind")}
    return Trace(
        name,
        tuple(one.messages),
        source_of(file, "guard", name),
        one.start.get("system_prompt"),
        tool_schemas(listed, kinds),
        domain=one.start.get("domain"),
        metadata={"decisions": one.decisions, **({} if one.owed is None else {"owed": one.owed})},
    )
