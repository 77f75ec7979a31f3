"""A format of traces: one line per message or call, `user:`, `agent:`, `call NAME {...}`, `result ...`.

# chatlog 1
user: Refund order 7, please.
call refund {"order": 7}
result refunded
agent: Done.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.shared import source_of
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace, prompt_of

NAME = "chatlog"
FIRST = "# chatlog 1"


def recognises(_head: Any, file: TraceFile) -> bool:
    """The first line says so; the first JSON value of the file is of no use here."""
    with file.open() as stream:
        return bytes(stream.read(len(FIRST))).decode("utf-8", "replace") == FIRST


def read(file: TraceFile, _joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file; a line that cannot be read is a problem with its number."""
    messages: list[Message] = []
    with file.open() as stream:
        lines = bytes(stream.read()).decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines[1:], 2):
        try:
            if line.strip():
                messages.append(_message(line, f"line {number}", messages))
        except ValueError as error:
            yield file.problem(f"line {number}", str(error))
    found = tuple(messages)
    yield Trace(file.path.stem, found, source_of(file, NAME, "file"), prompt_of(found))


def _message(line: str, place: str, before: list[Message]) -> Message:
    kind, _, rest = line.partition(" ")
    match kind:
        case "user:":
            return Message("user", rest, position=place)
        case "agent:":
            return Message("assistant", rest, position=place)
        case "call":
            name, _, arguments = rest.partition(" ")
            call = ToolCall(name, json.loads(arguments or "{}"), id=place)
            return Message("assistant", None, (call,), position=place)
        case "result":
            calls = [call for message in before for call in message.calls]
            if not calls:
                raise ValueError("a result before any call")
            return Message("tool", rest, call_id=calls[-1].id, tool=calls[-1].name, position=place)
    raise ValueError(f"{kind!r:.40}: expected user:, agent:, call or result")
