"""Recorded streams: chunks as JSON lines, as a list, or as the server-sent events that were received."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import HEAD_BYTES, Problem, TraceFile, brief
from truespec.traces.importers.chunks import events_of_sse, is_chunk, merged
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.exchanges import FURTHER, REPLIES, request_of
from truespec.traces.importers.inner_lines import read_as_lines
from truespec.traces.importers.items import messages_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.ui_stream import is_ui_event, joined
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Trace

NAME = "stream"


def is_sse(file: TraceFile) -> bool:
    """Whether a file is server-sent events as they were received."""
    if file.is_zip:
        return False
    with file.open() as stream:
        return stream.read(256).lstrip().startswith((b"data:", b"event:", b": "))


def first_of_sse(file: TraceFile) -> Any:
    """The data of the first of a file's server-sent events; None where it holds none."""
    if not is_sse(file):
        return None
    with file.open() as stream:
        start = stream.read(HEAD_BYTES).decode("utf-8", "replace")
    return next((value for _, value in events_of_sse(start)), None)


def values_of_sse(file: TraceFile) -> Iterator[tuple[str, Any]]:
    """The data of a file's server-sent events, each with its place."""
    data = file.whole()
    if isinstance(data, Problem):
        yield data.position, data
        return
    for number, value in events_of_sse(data.decode("utf-8", "replace")):
        yield f"line {number}", value


def recognises(head: Any, file: TraceFile) -> bool:
    """Chunks of a known interface, or server-sent events."""
    if isinstance(head, dict) and _is_request(head):
        return any(map(is_chunk, first_lines(file)))
    if isinstance(head, dict) and head.get("type") in ("start", "step-start"):
        return any(map(is_ui_event, first_lines(file)))
    return is_chunk(head[0] if isinstance(head, list) and head else head) or (
        not isinstance(head, dict | list) and is_sse(file)
    )


_GIVEN = ("messages", "input", "contents")


def _is_request(value: Any) -> bool:
    """Whether a value is a request to a model, without a reply."""
    if not isinstance(value, dict) or any(key in value for key in REPLIES):
        return False
    return any(request_of(value, field) is not None for field in _GIVEN)


def _exchanges(listed: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Requests with the chunks behind each, as logged requests with their replies."""
    made: list[dict[str, Any]] = []
    for _, value in listed:
        if _is_request(value):
            request = next(found for field in _GIVEN if (found := request_of(value, field)) is not None)
            made.append({"request": request})
        elif is_chunk(value) and made:
            made[-1].setdefault("response", []).append(value)
    return made


def _values(file: TraceFile) -> Iterator[tuple[str, Any]]:
    if is_sse(file):
        yield from values_of_sse(file)
    elif isinstance(file.head, list):
        for _, index, value in each_record(file, None, is_chunk):
            yield f"record {index}", value
    else:
        for number, value in file.lines():
            yield f"line {number}", value


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file: its replies in order."""
    chunks: list[Mapping[str, Any]] = []
    listed = list(_values(file))
    if listed and _is_request(listed[0][1]):
        yield from _of_requests(listed, file, joins)
        return
    of_ui = any(is_ui_event(value) for _, value in listed)
    for position, value in listed:
        if isinstance(value, Problem):
            yield value
        elif is_chunk(value) or (of_ui and isinstance(value, Mapping) and "type" in value):
            chunks.append(value)
        else:
            yield file.problem(position, f"expected a chunk of a streamed reply, found {brief(value)}")
    if not chunks:
        return
    notes = Notes(file.ledger)
    messages: list[Message] = []
    model = None
    for number, reply in enumerate(joined(chunks) if of_ui else merged(chunks)):
        notes.place = f"reply {number}"
        model = model or reply.get("model")
        messages += messages_of(reply, "assistant", notes)
    file.ledger.rules["chunks of one streamed reply are one message"] += len(chunks)
    yield trace_of(messages, Origin(file, NAME, "document", joins), identifier=file.path.name, model=model)


def _of_requests(listed: list[tuple[str, Any]], file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The conversations of requests that stand before the chunks of their replies."""
    for position, value in listed:
        if isinstance(value, Problem):
            yield value
        elif not (_is_request(value) or is_chunk(value)):
            yield file.problem(position, f"expected a request or a chunk of its reply, found {brief(value)}")
    exchanges = _exchanges(listed)
    for number, exchange in enumerate(exchanges):
        for _ in list(merged(exchange.get("response", ())))[1:]:
            file.ledger.items.drop(FURTHER, f"request {number}")
            yield file.problem(f"request {number}", f"left out: {FURTHER}")
    found = read_as_lines(exchanges, file, joins, NAME)
    if found is None:
        yield file.problem("document", "requests of no known format")
        return
    file.ledger.rules["chunks behind a request are its reply"] += sum(is_chunk(value) for _, value in listed)
    yield from found[1]
