"""AgentRx sample trajectories that are not tau-bench runs: Magentic-One's list of `{role, content}`,
and dialogues of `turns` with a speaker and a payload."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.shared import source_of, tool_call, value_text
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, Trace

NAME = "agentrx"
_HANDOVER = re.compile(r"\(-> ([\w .-]+)\)")
_USERS = ("customer", "user", "human", "client")


def recognises(head: Any, _file: TraceFile) -> bool:
    """Speakers of Magentic-One, or a dialogue's turns."""
    if isinstance(head, list) and head and isinstance(head[0], dict):
        roles = [m.get("role") for m in head[:5] if isinstance(m, dict)]
        return roles[:1] == ["human"] and any("Orchestrator" in str(role) for role in roles)
    return isinstance(head, dict) and isinstance(head.get("dialogue"), dict) and "turns" in head["dialogue"]


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file; of a damaged one, the messages that are whole."""
    messages: list[Message] = []
    value: Any = None
    if isinstance(file.head, list):
        for _, index, m in each_record(file, None, lambda m: isinstance(m, dict) and "role" in m):
            if isinstance(m, Problem):
                yield m
            else:
                messages.append(_spoken(m, index))
    else:
        value = file.document()
        if isinstance(value, Problem):
            yield value
            return
        try:
            messages = [_turn(turn) for turn in value["dialogue"]["turns"]]
        except UNREADABLE as error:
            yield file.problem("dialogue", f"no dialogue: {error!r}")
            return
    about = value if isinstance(value, dict) else {}
    session = (about.get("meta") or {}).get("session_id")
    ended = (about.get("dialogue") or {}).get("resolution")
    yield Trace(
        id=str(session or file.path.name.split(".")[0]),
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=joins.prompt,
        tools=joins.domain(None).tools,
        domain=None if about else "magentic-one",
        task={"goal": about["goal_description"]} if "goal_description" in about else None,
        outcome=Outcome(parts=ended if isinstance(ended, dict) else {}),
        metadata={k: v for k, v in about.items() if k not in ("dialogue", "goal_description")},
    )


def _spoken(m: Mapping[str, Any], index: int) -> Message:
    """The orchestrator's orders to an agent are calls of that agent; its reports are their results."""
    role, text = str(m["role"]), m.get("content")
    text = text if isinstance(text, str) else value_text(text)
    if role == "human":
        return Message("user", text)
    if found := _HANDOVER.search(role):
        return Message(
            "assistant",
            None,
            (tool_call(found.group(1), {"instruction": text}, f"order-{index}"),),
            name=role,
        )
    if role == "Orchestrator (thought)":
        return Message("assistant", None, reasoning=text, name="Orchestrator")
    if role.startswith("Orchestrator"):
        return Message("assistant", text, name=role)
    return Message("tool", text, tool=role, name=role)


def _turn(turn: Mapping[str, Any]) -> Message:
    payload = turn["payload"]
    position = f"seq {turn.get('seq')}"
    extra = {k: turn[k] for k in ("channel", "ts") if k in turn}
    if isinstance(call := payload.get("tool_call"), dict):
        made = tool_call(call.get("fn"), call.get("kwargs"), call.get("request_id"))
        return Message("assistant", None, (made,), position=position, extra=extra)
    if isinstance(result := payload.get("tool_result"), dict):
        return Message(
            "tool",
            value_text(result.get("data", result.get("error"))),
            call_id=result.get("request_id"),
            error=result.get("status") != "ok" if "status" in result else None,
            position=position,
            extra=extra,
        )
    who = str(turn.get("who"))
    role = "user" if who in _USERS else "system" if who == "system" else "assistant"
    return Message(role, payload.get("msg") or value_text(payload), position=position, name=who, extra=extra)
