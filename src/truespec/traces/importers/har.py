"""HTTP archives (HAR 1.2, as browsers, proxies and Polly.JS write them) of requests to models.

`{log: {entries: [{request: {postData: {text}}, response: {content: {text}}}]}}`: each entry is a model's
request with its reply, which may be streamed, in base64, or compressed.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.chunks import events_of_sse
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.span_traces import traces_of_spans
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "har"
OTHER = "an entry of an archive that is no request to a model is passed over"
LONGEST = 1 << 24
"""Bytes that one compressed reply may unpack to."""
_ASKED = ("messages", "input", "contents", "message", "prompt")
"""Fields of a request to a model that hold what it is given."""


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
        if not isinstance(body, Mapping) or not any(key in body for key in _ASKED):
            file.ledger.rules[OTHER] += 1
            continue
        reply = _reply(said.get("content") if isinstance(said, Mapping) else None)
        if isinstance(reply, Problem):
            yield file.problem(place, reply.message)
            reply = None
        attributes = {"span.type": "LLM", "input.value": body, "output.value": reply}
        attributes |= {key: body[key] for key in ("model", "tools") if body.get(key) is not None}
        groups.append((place, [RawSpan(place, None, "request", number, attributes)]))
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
            if data[:2] == b"\x1f\x8b":
                engine = zlib.decompressobj(31)
                data = engine.decompress(data, LONGEST)
                if not engine.eof:
                    raise ValueError(f"it does not end within {LONGEST:,} bytes")
            text = data.decode("utf-8")
        except (binascii.Error, zlib.error, ValueError) as error:
            return Problem("", "", f"a reply that cannot be unpacked: {error}")
    if text.lstrip().startswith(("data:", "event:")):
        return [value for _, value in events_of_sse(text)]
    return parsed(text)
