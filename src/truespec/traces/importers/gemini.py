"""Google's Gemini interface: `{systemInstruction?, contents: [{role, parts}], tools?}`, with its reply.

Read as a request alone, a request logged with its response (whole or as the chunks of a stream), a line of a
batch (`{key, request}`), and with the SDK's names (`system_instruction`, `config`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.exchanges import REPLIES, REQUESTS, reply_of, request_of, said_in, tell_unsaid
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import SYSTEMS
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts, text_of, tool_schemas
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "gemini"
_ABOUT = ("contents", "tools", "config", "messages", *SYSTEMS, *REPLIES, *REQUESTS)


def _is_ours(value: Any) -> bool:
    request = request_of(value, "contents")
    return request is not None and any(isinstance(c, dict) and "parts" in c for c in request["contents"])


def recognises(head: Any, _file: TraceFile) -> bool:
    """A request with contents, alone, logged, or first of a list."""
    return _is_ours(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation; requests of one conversation are one trace."""
    return grown(_traces(file, joins), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    return each_trace(
        file,
        records(file, _is_ours),
        lambda value: _is_ours(value) or None,
        lambda value, _, position: _trace(value, file, position, joins),
        "a request of Gemini with contents",
    )


def _trace(record: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    request = request_of(record, "contents")
    assert request is not None
    config = request.get("config", request.get("generationConfig"))
    around = {**config, **request} if isinstance(config, Mapping) else request
    listed = [(f"contents/{index}", item) for index, item in enumerate(request["contents"])]
    if (said := _said(record)) is not None:
        listed.append(("response", said))
    elif (reply := reply_of(record)) is not record:
        tell_unsaid(reply, position, file.ledger)
    notes = Notes(file.ledger)
    messages = placed(listed, position, notes, "user")
    system = next((text_of(around[key]) for key in SYSTEMS if around.get(key)), None)
    tools = tool_schemas(around.get("tools"))
    model = around.get("model")
    identifier = record.get("id", record.get("key"))
    return trace_of(
        messages,
        Origin(file, NAME, position, joins),
        identifier=identifier,
        prompt=system,
        tools=tools,
        model=model,
        metadata={k: v for k, v in {**request, **record}.items() if k not in _ABOUT and v is not None},
    )


def _said(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The reply as one content; the chunks of a stream are put together."""
    for key in REPLIES:
        chunks = parsed(record.get(key))
        if isinstance(chunks, list) and chunks and all(isinstance(c, dict) for c in chunks):
            said = [one for one in map(said_in, chunks) if one is not None]
            if said:
                return {"role": "model", "parts": _joined(p for one in said for p in dicts(one.get("parts")))}
    return said_in(reply_of(record))


def _joined(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts with neighbouring pieces of one text put together."""
    made: list[dict[str, Any]] = []
    for part in parts:
        last = made[-1] if made else {}
        if "text" in part and "text" in last and part.get("thought") == last.get("thought"):
            made[-1] = {**last, **part, "text": f"{last['text']}{part['text']}"}
        else:
            made.append(part)
    return made
