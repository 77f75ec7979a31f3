"""Codex sessions: rollout files (`{timestamp, type, payload}` lines) and what `codex exec --json` prints.

The items of a rollout are those of the Responses API. Its events repeat what the items say, for a screen:
only a completed item that no item of the API repeats is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.openai_responses import turns
from truespec.traces.importers.parts import Notes, is_call, is_result, kind_of_part
from truespec.traces.importers.shared import text_of, value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "codex"
_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_PRINTED = ("thread.started", "turn.started", "item.started", "item.completed", "item.updated")
_ENDS = ("turn.completed", "turn.failed", "error")
_SPEAKERS = {"user_message": "user", "agent_message": "assistant"}
"""Events that show what is said, with who says it."""
_SHOWN = "shown"
"""Marks an item that an event of the screen tells."""
REPEATED = "an event of a session that repeats items, or tells of the screen, is passed over"


def recognises(head: Any, _file: TraceFile) -> bool:
    """The first line of a rollout, of an old rollout, or of what was printed."""
    if not isinstance(head, dict):
        return False
    if head.get("type") in _PRINTED:
        return "thread_id" in head or "item" in head or head["type"] == "turn.started"
    if head.get("type") in _LINES and isinstance(head.get("payload"), dict):
        return True
    return {"id", "timestamp", "instructions"} <= head.keys() and "messages" not in head


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    about: dict[str, Any] = {}
    items: list[tuple[str, Any]] = []
    began = 0  # where the process began whose items are printed: the next one counts its items anew
    for line, entry in file.lines():
        place = f"line {line}"
        if isinstance(entry, Problem):
            yield entry
        elif not isinstance(entry, dict):
            yield file.problem(place, f"expected an object, found {brief(entry)}")
        elif isinstance(entry.get("payload"), dict):
            _of_rollout(entry, place, about, items, file)
        elif entry.get("type") in (*_PRINTED, *_ENDS):
            began = len(items) if entry.get("type") == "thread.started" else began
            _of_print(entry, place, about, items, began)
        elif "instructions" in entry and "type" not in entry:
            about.update(entry)
        elif "record_type" in entry:
            file.ledger.rules[REPEATED] += 1
        elif "role" in entry or is_call(kind_of_part(entry)) or "type" in entry:
            items.append((place, entry))
        else:
            yield file.problem(place, f"no line of a session: {brief(entry)}")
    items = _without_repeats(items, file)
    base = about.get("base_instructions")
    prompt = text_of(base) if isinstance(base, Mapping) else None
    prompt = prompt or (about["instructions"] if isinstance(about.get("instructions"), str) else None)
    notes = Notes(file.ledger)
    head = [Message("system", prompt, position="line 1")] if prompt else []
    messages = head + turns(items, notes)
    yield trace_of(
        messages,
        Origin(file, NAME, "document", joins),
        identifier=about.get("id") or about.get("thread_id") or file.path.name,
        model=about.get("model"),
        metadata={k: v for k, v in about.items() if k not in ("instructions", "base_instructions") and v},
    )


def _of_rollout(
    entry: Mapping[str, Any], place: str, about: dict[str, Any], items: list[tuple[str, Any]], file: TraceFile
) -> None:
    kind, payload = entry.get("type"), entry["payload"]
    if kind == "response_item":
        items.append((place, payload))
    elif kind == "session_meta":
        about.update({**payload, **about})
    elif kind == "turn_context":
        about["model"] = payload.get("model") or about.get("model")
    elif kind == "compacted":
        about.setdefault("compacted", []).append(payload)
        file.ledger.rules["a session was compacted here: what follows repeats what stands before"] += 1
    elif payload.get("type") == "item_completed" and isinstance(payload.get("item"), Mapping):
        listed = _printed(payload["item"], done=True)
        items.extend((place, {**one, _SHOWN: True}) for one in listed)
    elif (role := _SPEAKERS.get(str(payload.get("type")))) and isinstance(
        text := payload.get("message", payload.get("text")), str
    ):
        said = [{"type": "output_text", "text": text}]
        items.append((place, {"type": "message", "role": role, "content": said, _SHOWN: True}))
    else:
        file.ledger.rules[REPEATED] += 1


def _without_repeats(items: list[tuple[str, Any]], file: TraceFile) -> list[tuple[str, Any]]:
    """The items, without those that a screen was shown and that the others say too."""
    if not any(isinstance(item, Mapping) and _SHOWN in item for _, item in items):
        return items
    told = {
        key for _, item in items if isinstance(item, Mapping) and _SHOWN not in item for key in _keys(item)
    }
    said = {role: "\0".join(key[1] for key in told if key[0] == role) for role in _SPEAKERS.values()}
    made: list[tuple[str, Any]] = []
    for place, item in items:
        if isinstance(item, Mapping) and _SHOWN in item:
            own = _keys(item)
            known = not own or not told.isdisjoint(own) or item.get("type") == "reasoning"
            if known or any(key[1] in said.get(key[0], "") for key in own):
                file.ledger.rules[REPEATED] += 1
                continue
            item = {name: value for name, value in item.items() if name != _SHOWN}
        made.append((place, item))
    return made


def _keys(item: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """By what an item is known: the call that it makes or answers, or who says what."""
    kind = str(item.get("type"))
    if item.get("call_id") is not None:
        return {("result" if is_result(kind) else "call", str(item["call_id"]))}
    said = text_of(item.get("content"))
    return {(str(item.get("role")), said.strip())} if said else set()


def _of_print(
    entry: Mapping[str, Any], place: str, about: dict[str, Any], items: list[tuple[str, Any]], began: int
) -> None:
    item = entry.get("item")
    if entry.get("type") == "thread.started":
        about["thread_id"] = entry.get("thread_id")
    elif isinstance(item, Mapping) and item.get("type") == "error":
        about.setdefault("errors", []).append(item.get("message"))
    elif isinstance(item, Mapping):
        listed = _printed(item, done=entry["type"] == "item.completed")
        # An item is printed when it starts and when it ends: the call stands where it started.
        known = next(
            (i for i, (_, one) in enumerate(items) if i >= began and one.get("printed") == item.get("id")),
            None,
        )
        if known is not None:
            items[known] = (items[known][0], listed.pop(0))
        items.extend((place, one) for one in listed)
    elif entry.get("type") in _ENDS:
        about.setdefault("turns", []).append(dict(entry))


def _printed(item: Mapping[str, Any], done: bool) -> list[dict[str, Any]]:
    """A printed item as items of the Responses API: a call is followed by its result."""
    kind, name = kind_of_part({"type": item.get("type") or item.get("item_type")}), item.get("id")
    if kind in ("agent_message", "assistant_message", "user_message"):
        text = {"type": "output_text", "text": text_of(item.get("text", item.get("content")))}
        role = "user" if kind == "user_message" else "assistant"
        return [{"type": "message", "role": role, "content": [text], "printed": name}]
    if kind == "reasoning":
        return [{"type": "reasoning", "summary": [{"text": item.get("text")}], "printed": name}]
    if kind == "command_execution":
        given = {"command": item.get("command")}
        tool, output = "command_execution", item.get("aggregated_output", item.get("stdout"))
    elif kind == "mcp_tool_call":
        given, tool = item.get("arguments") or {}, str(item.get("tool"))
        output = item.get("result") or item.get("error")
    elif kind in ("file_change", "web_search", "todo_list", "collab_tool_call"):
        left = ("id", "type", "status", "item_type")
        given, tool, output = {k: v for k, v in item.items() if k not in left}, kind, item.get("status")
    else:
        return [{**item, "printed": name}]
    call = {"type": "function_call", "call_id": name, "name": tool, "arguments": given, "printed": name}
    if not done:
        return [call]
    failed = item.get("status") == "failed" or item.get("exit_code") not in (None, 0)
    output = output.get("content", output) if isinstance(output, Mapping) else output
    told = output if isinstance(output, list) else value_text(output)
    result = {"type": "function_call_output", "call_id": name, "output": told, "name": tool}
    return [call, {**result, **({"is_error": True} if failed else {})}]
