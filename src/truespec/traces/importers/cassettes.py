"""Cassettes of HTTP, as VCR.py, pytest-recording and Ruby's VCR write them in YAML or JSON.

`{interactions: [{request: {body}, response: {body: {string}}}]}`, or `http_interactions`; LangChain keeps
`{requests: [...], responses: [...]}`, one beside the other. A body is a text, bytes that may be compressed,
or the parsed value (`parsed_body`). Each pair is a model's request with its reply, which may be streamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.http_exchanges import (
    NOTHING,
    group_of,
    request_of,
    text_of_bytes,
)
from truespec.traces.importers.reply_texts import reply_of_text
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace
from truespec.traces.yaml_values import NoYaml, load

NAME = "cassettes"
LARGEST = 64 << 20
"""Bytes of a cassette in YAML that are read."""
_LOOKED_AT = 4096
_LISTS = ("interactions", "http_interactions")
_STARTS = re.compile(
    rb"(?:%YAML[^\n]*\n|---[ \t]*\r?\n|\s*#[^\n]*\n|\w+: [^\n{\[]*\r?\n)*"
    rb"(?:interactions|http_interactions|requests):\s*\n\s*-\s*(?:request|body|headers|&)"
)


def _is_yaml(file: TraceFile) -> bool:
    if file.is_zip:
        return False
    with file.open() as stream:
        return _STARTS.match(stream.read(_LOOKED_AT)) is not None


def _pairs(value: Any) -> Iterator[tuple[str, Any, Any]]:
    """The requests with their replies, each with its place."""
    if not isinstance(value, Mapping):
        return
    for key in _LISTS:
        for number, one in enumerate(dicts(value.get(key))):
            yield f"{key}/{number}", one.get("request"), one.get("response")
    asked, said = value.get("requests"), value.get("responses")
    if isinstance(asked, list) and isinstance(said, list):
        for number, (request, response) in enumerate(zip_longest(asked, said)):
            yield f"requests/{number}", request, response


def recognises(head: Any, file: TraceFile) -> bool:
    """A cassette's list of interactions with a request in each."""
    if head is None:
        return _is_yaml(file)
    listed = next((head[key] for key in _LISTS if key in head), None) if isinstance(head, dict) else None
    one = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(one, Mapping) and isinstance(one.get("request"), Mapping) and "response" in one


def _value(file: TraceFile) -> Any:
    if file.head is not None:
        return file.document()
    data = file.whole()
    if isinstance(data, Problem):
        return data
    if len(data) > LARGEST:
        return file.problem("document", f"more than {LARGEST >> 20} MiB of YAML in one document")
    try:
        value = load(data.decode("utf-8", "replace"))
    except NoYaml as error:
        return file.problem("document", f"no YAML: {error}")
    file.keep(value, len(data))
    return value


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation: requests that repeat and continue earlier ones are one."""
    value = _value(file)
    if isinstance(value, Problem):
        yield value
        return
    groups = []
    for number, (place, request, response) in enumerate(_pairs(value)):
        asked, said = _body(request), _body(response)
        reply = None if isinstance(said, ValueError) else said
        body = request_of(asked, reply, file.ledger)
        if body is None:
            continue
        if response is None:
            yield file.problem(place, "a request without its reply; the recording may be cut off")
        if isinstance(said, ValueError):
            yield file.problem(place, f"a reply that cannot be unpacked: {said}")
        groups.append(group_of(place, number, body, reply))
    if not groups:
        yield file.problem("document", NOTHING)
    yield from traces_of_spans(groups, file, NAME, joins)


def _body(message: Any) -> Any:
    """What a request or a reply holds; a `ValueError` that says why it cannot be read."""
    if not isinstance(message, Mapping):
        return None
    if message.get("parsed_body") is not None:
        return message["parsed_body"]
    body = message.get("body", message.get("content"))
    if isinstance(body, Mapping):
        keys = ("string", "text", "base64_string")
        held = next((key for key in keys if body.get(key) is not None), None)
        if held is None:
            return body
        body = body[held]
    try:
        return reply_of_text(text_of_bytes(body) if isinstance(body, bytes) else body) if body else None
    except (ValueError, TypeError, AttributeError) as error:
        return ValueError(str(error))
