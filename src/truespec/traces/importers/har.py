"""HTTP archives (HAR 1.2, as browsers, proxies and Polly.JS write them) of requests to models.

`{log: {entries: [{request: {postData: {text}}, response: {content: {text}}}]}}`: each entry is a model's
request with its reply, which may be streamed, in base64, or compressed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.http_exchanges import (
    NOTHING,
    group_of,
    request_of,
    text_of_bytes,
)
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.reply_texts import reply_of_text
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Trace

NAME = "har"


def _entries(value: Any) -> list[dict[str, Any]] | None:
    log = value.get("log") if isinstance(value, Mapping) else None
    if not isinstance(log, Mapping) or not ("creator" in log or "version" in log):
        return None
    return dicts(log["entries"]) if isinstance(log.get("entries"), list) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """The log of an archive."""
    return _entries(head) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per conversation: requests that repeat and continue earlier ones are one."""
    value = file.document()
    if isinstance(value, Problem):
        yield value
        return
    groups = []
    for number, entry in enumerate(_entries(value) or ()):
        place = f"entries/{number}"
        asked, said = entry.get("request"), entry.get("response")
        post = asked.get("postData") if isinstance(asked, Mapping) else None
        body = parsed(post.get("text")) if isinstance(post, Mapping) else None
        reply = _reply(said.get("content") if isinstance(said, Mapping) else None)
        if isinstance(reply, Problem):
            if request_of(body, None, Ledger()):
                yield file.problem(place, reply.message)
            reply = None
        if request := request_of(body, reply, file.ledger):
            groups.append(group_of(place, number, request, reply))
    if not groups:
        yield file.problem("document", NOTHING)
    yield from traces_of_spans(groups, file, NAME, joins)


def _reply(content: Any) -> Any:
    """A reply's value, the events of a streamed one as a list; a problem where it cannot be unpacked."""
    text = content.get("text") if isinstance(content, Mapping) else None
    if not isinstance(text, str):
        return None
    if isinstance(content, Mapping) and content.get("encoding") == "base64":
        pieces = parsed(text)  # Polly.JS keeps the chunks of a compressed reply
        pieces = pieces if isinstance(pieces, list) else [text]
        try:
            data = b"".join(base64.b64decode(str(piece), validate=True) for piece in pieces)
            text = text_of_bytes(data)
        except (binascii.Error, ValueError) as error:
            return Problem("", "", f"a reply that cannot be unpacked: {error}")
    return reply_of_text(text)
