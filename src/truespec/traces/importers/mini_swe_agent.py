"""mini-swe-agent trajectories: `{info, messages, trajectory_format}`.

The messages are those of a chat. Where the model writes its command in a fenced block, the block is a call of
`bash` and the next message its result. A message of the role `exit` is the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.step_run import LAST
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, ToolCall, Trace

NAME = "mini-swe-agent"
ACTED = "a command that a message holds beside its text is a call of bash"
FENCED = "a command in a fenced block is a call of bash, and the next message its result"
_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)\s*\n(.*?)\n?```", re.DOTALL)


def recognises(head: Any, _file: TraceFile) -> bool:
    """The name of its format, or what its outcome holds."""
    if not isinstance(head, dict):
        return False
    info = head.get("info")
    named = str(head.get("trajectory_format", "")).startswith("mini-swe-agent")
    if named or (isinstance(info, dict) and "mini_version" in info):
        return True
    listed = head.get("messages")
    return isinstance(info, dict) and isinstance(listed, list) and any(map(_actions, listed))


def _actions(message: Any) -> list[Any]:
    """The commands that a message holds beside its text, as the agent read them."""
    extra = message.get("extra") if isinstance(message, dict) else None
    listed = extra.get("actions") if isinstance(extra, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    notes = Notes(file.ledger)
    header: Mapping[str, Any] = {}
    messages: list[Message] = []
    ends: dict[str, Any] = {}
    entries = each_record(file, "messages", lambda v: isinstance(v, dict) and "role" in v, needs=("info",))
    for around, index, entry in entries:
        header = around
        notes.place = f"messages/{index}"
        if isinstance(entry, Problem):
            yield entry
        elif entry["role"] == "exit":
            extra = entry.get("extra")
            ends = {"message": entry.get("content"), **(extra if isinstance(extra, dict) else {})}
        else:
            for made in messages_of_item(entry, notes):
                messages.append(_told(replace(made, position=notes.place), messages, notes))
    info = header.get("info")
    info = info if isinstance(info, dict) else {}
    ended = info.get("exit_status", ends.get("exit_status"))
    yield trace_of(
        messages,
        Origin(file, NAME, "document", joins),
        identifier=header.get("instance_id") or file.path.name,
        outcome=Outcome(parts=ends, ended=ended if isinstance(ended, str) else None),
        metadata={k: v for k, v in header.items() if k != "messages" and v is not None},
    )


def _told(message: Message, before: list[Message], notes: Notes) -> Message:
    if message.role == "assistant" and message.text and not message.calls:
        blocks = list(_BLOCK.finditer(message.text))
        if len(blocks) == 1:
            notes.ledger.rules[FENCED] += 1
            text = (message.text[: blocks[0].start()] + message.text[blocks[0].end() :]).strip()
            call = ToolCall("bash", {"command": blocks[0].group(1)}, f"command-{len(before)}")
            return replace(message, text=text or None, calls=(call,))
    if message.role == "assistant" and not message.calls and (acted := _actions(message.extra)):
        notes.ledger.rules[ACTED] += len(acted)
        given = [{k: v for k, v in one.items() if k != "tool_call_id" and v is not None} for one in acted]
        ids = [str(one.get("tool_call_id") or f"command-{len(before)}.{n}") for n, one in enumerate(acted)]
        calls = [ToolCall("bash", body, name) for body, name in zip(given, ids, strict=True)]
        return replace(message, calls=tuple(calls))
    last = before[-1] if before else None
    if message.role == "user" and last is not None and last.calls:
        call = last.calls[-1]
        if call.id is not None and call.id.startswith("command-"):
            if len(last.calls) > 1:
                notes.ledger.assumed[LAST] += 1
            return Message(
                "tool",
                message.text,
                call_id=call.id,
                tool=call.name,
                position=message.position,
                extra=message.extra,
            )
    return message
