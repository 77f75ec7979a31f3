"""Sessions of command-line agents: opencode's exports, Gemini CLI's chats, Antigravity's transcripts.

opencode: `{info, messages: [{info: {role}, parts}]}`; a tool's part holds the call and its result. What
`opencode run` prints are these parts, one a line. Gemini CLI: `{sessionId, messages: [{type: user|gemini,
content, thoughts, toolCalls}]}`, or lines of these; a line may take the session back to an earlier entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.antigravity import is_line, messages_of_lines
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import dicts, text_of
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "cli-sessions"
_GEMINI = {"user": "user", "gemini": "assistant"}
_ASIDE = ("info", "error", "warning", "about", "help", "stats", "quit")
"""Entries of Gemini CLI that neither the user nor the agent said."""


BACK = "an entry that the user took back"
_PRINTED = ("step_start", "step_finish", "text", "tool_use", "reasoning")
"""Types of what `opencode run` prints."""
Loose = list[tuple[str, Any]]
"""Entries of a session, each with its place."""
CHECKPOINT = "what a session's checkpoint leaves out stays before it"
TWICE = "a result that a session holds at its call and again as a message is one result"


def _is_opencode(value: Any) -> bool:
    info = value.get("info") if isinstance(value, Mapping) else None
    return isinstance(info, Mapping) and isinstance(info.get("role"), str) and "parts" in value


def _is_printed(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("sessionID"), str):
        return False
    if value.get("type") == "error":
        return "error" in value
    return value.get("type") in _PRINTED and isinstance(value.get("part"), Mapping)


def _is_gemini(value: Any) -> bool:
    if not isinstance(value, Mapping) or "role" in value or "id" not in value:
        return False
    return value.get("type") in (*_GEMINI, *_ASIDE) and "content" in value and "timestamp" in value


def _is_meta(value: Any) -> bool:
    return isinstance(value, Mapping) and "sessionId" in value and "projectHash" in value


def _is_session(value: Any) -> bool:
    listed = value.get("messages") if isinstance(value, Mapping) else None
    if not isinstance(listed, list):
        return False
    if _is_meta(value):
        return True
    return bool(listed) and (_is_opencode(listed[0]) or _is_gemini(listed[0]))


def recognises(head: Any, _file: TraceFile) -> bool:
    """A session, or the first line of one that is written as lines."""
    first = head[0] if isinstance(head, list) and head else head
    if is_line(first):
        return True
    return _is_session(first) or _is_meta(first) or _is_opencode(first) or _is_printed(first)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per session; the lines of a file are one session."""
    about: dict[str, Any] = {}
    loose: Loose = []
    printed: dict[str, list[tuple[str, Any]]] = {}
    steps: list[tuple[str, Any]] = []
    for position, value in records(file, lambda v: _is_session(v) or _is_opencode(v) or _is_printed(v)):
        if isinstance(value, Problem):
            yield value
        elif is_line(value):
            steps.append((position, value))
        elif _is_session(value):
            listed = [(f"{position}, messages/{n}", m) for n, m in enumerate(value["messages"])]
            yield _trace(value, listed, file, position, joins)
        elif _is_opencode(value) or _is_gemini(value):
            loose.append((position, value))
        elif _is_printed(value):
            printed.setdefault(value["sessionID"], []).append((position, value))
        elif isinstance(value, Mapping) and set(value) == {"$rewindTo"}:
            loose = _taken_back(loose, value["$rewindTo"], position, file)
        elif isinstance(value, Mapping) and (_is_meta(value) or set(value) == {"$set"}):
            said = value.get("$set", value)
            about.update((key, one) for key, one in said.items() if key != "messages")
            loose += _checkpoint(said.get("messages"), f"{position}, $set/messages", loose, file)
        else:
            yield file.problem(position, f"expected a session or a message of one, found {brief(value)}")
    if loose:
        latest = {str(m.get("id") or place): (place, m) for place, m in loose}  # a line replaces earlier ones
        yield _trace(about, list(latest.values()), file, "document", joins)
    for name, events in printed.items():
        yield _of_printed(name, events, file, joins)
    if steps:
        said = messages_of_lines(steps, Notes(file.ledger))
        yield trace_of(said, Origin(file, NAME, "document", joins), identifier=file.path.name)


def _checkpoint(listed: Any, place: str, loose: Loose, file: TraceFile) -> Loose:
    """The messages that Gemini CLI goes on with from here; what it leaves out happened all the same."""
    held = [(f"{place}/{n}", one) for n, one in enumerate(listed) if _is_gemini(one)] if listed else []
    if {one.get("id") for _, one in loose} - {one.get("id") for _, one in held} and held:
        file.ledger.rules[CHECKPOINT] += 1
    return held


def _taken_back(loose: Loose, name: Any, position: str, file: TraceFile) -> Loose:
    """The entries before the one that the session was taken back to."""
    at = next((n for n, (_, entry) in enumerate(loose) if entry.get("id") == name), None)
    if at is None:
        file.ledger.problem(position, f"the session is taken back to {brief(name)}, which it does not hold")
        return loose
    for place, _ in loose[at:]:
        file.ledger.items.drop(BACK, place)
    file.ledger.problem(position, f"{len(loose) - at} entries that the user took back are left out")
    return loose[:at]


def _of_printed(name: str, events: list[tuple[str, Any]], file: TraceFile, joins: Joins) -> Trace:
    """The trace of what `opencode run` printed: the agent's part of a session."""
    parts = []
    for place, event in events:
        if event["type"] == "error":
            file.ledger.problem(place, f"the run met an error: {brief(event['error'])}")
        else:
            parts.append(event["part"])
    entry = {"info": {"role": "assistant"}, "parts": parts}
    place = events[0][0]
    return _trace({"sessionId": name}, [(place, entry)], file, place, joins)


def _trace(
    about: Mapping[str, Any], listed: list[tuple[str, Any]], file: TraceFile, position: str, joins: Joins
) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    model = None
    aside: list[Any] = []
    answered: set[str] = set()
    for place, entry in listed:
        notes.place = place
        if _is_opencode(entry):
            info = entry["info"]
            item: Any = {"role": info["role"], "content": list(_steps(dicts(entry["parts"])))}
            named = info.get("modelID")
            system = text_of(info.get("system"))
            if system and not any(m.role == "system" for m in messages):
                messages.insert(0, Message("system", system, position=place))
        elif _is_gemini(entry) and entry["type"] in _GEMINI:
            item, named = _of_gemini(entry), entry.get("model")
        elif _is_gemini(entry):
            aside.append(entry)
            continue
        else:
            notes.ledger.items.drop("no message of a session", place)
            continue
        model = named if isinstance(named, str) else model
        for made in messages_of_item(item, notes):
            if made.role == "tool" and made.call_id in answered:
                notes.ledger.rules[TWICE] += 1
                continue
            answered |= {made.call_id} if made.role == "tool" and made.call_id else set()
            messages.append(replace(made, position=place))
    info = about.get("info")
    identifier = about.get("sessionId") or (info.get("id") if isinstance(info, Mapping) else None)
    kept = {k: v for k, v in about.items() if k != "messages" and v is not None}
    return trace_of(
        messages,
        Origin(file, NAME, position, joins),
        identifier=identifier or file.path.name,
        model=model,
        metadata={**kept, **({"other": aside} if aside else {})},
    )


def _of_gemini(entry: Mapping[str, Any]) -> dict[str, Any]:
    thoughts = [
        ": ".join(str(t[k]) for k in ("subject", "description") if t.get(k))
        for t in dicts(entry.get("thoughts"))
    ]
    calls, results = [], []
    for call in dicts(entry.get("toolCalls")):
        about = {"toolCallId": call.get("id"), "name": call.get("name")}
        calls.append({"type": "tool_call", **about, "args": call.get("args")})
        result = dicts(call.get("result"))
        if result and all(isinstance(part.get("functionResponse"), Mapping) for part in result):
            values = [part["functionResponse"].get("response") for part in result]
            results.append(_result(about, values[0] if len(values) == 1 else values, call.get("status")))
        elif call.get("result"):
            results.append(_result(about, call["result"], call.get("status")))
    said = entry.get("content")
    parts = said if isinstance(said, list) else [{"type": "text", "text": said}] if said else []
    return {
        "role": _GEMINI[entry["type"]],
        "content": [*parts, *calls, *results],
        "reasoning": "\n".join(thoughts) or None,
    }


def _result(about: Mapping[str, Any], value: Any, status: Any) -> dict[str, Any]:
    failed = {"is_error": True} if status in ("error", "cancelled") else {}
    return {"type": "tool_result", **about, "output": value, **failed}


def _steps(parts: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The parts of an opencode message; the results of a step's calls stand behind all of its calls."""
    waiting: list[Mapping[str, Any]] = []
    for part in parts:
        state = part.get("state", {**part, "input": part["args"]} if "args" in part else None)
        if part.get("type") == "step-start":
            yield from waiting
            waiting = []
        if part.get("type") != "tool" or not isinstance(state, Mapping):
            yield part
            continue
        about = {"toolCallId": part.get("callID") or part.get("id"), "name": part.get("tool")}
        yield {"type": "tool_call", **about, "args": state.get("input")}
        if state.get("status") in ("completed", "error"):
            value = state.get("output") if state.get("output") is not None else state.get("error")
            ended = state.get("metadata")
            code = ended.get("exit") if isinstance(ended, Mapping) else None
            failed = isinstance(code, int) and code != 0
            waiting.append(_result(about, value, "error" if failed else state["status"]))
    yield from waiting
