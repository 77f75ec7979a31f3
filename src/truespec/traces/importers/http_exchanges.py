"""Recorded requests to models with their replies, as archives and cassettes of HTTP hold them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from truespec.traces.importers.conventions import RawSpan
from truespec.traces.ledger import Ledger

OTHER = "an entry of an archive that is no request to a model is passed over"
NOTHING = "no entry is a request to a model that holds messages, an input or a prompt; no trace is made"
LONGEST = 1 << 24
"""Bytes that one compressed reply may unpack to."""
_ASKED = ("messages", "input", "contents", "message", "prompt")
"""Fields of a request to a model that hold what it is given."""


def request_of(body: Any, reply: Any, ledger: Ledger) -> Mapping[str, Any] | None:
    """The body of a request to a model that says something; None for every other, which is counted."""
    listed = reply.get("data") if isinstance(reply, Mapping) else None
    vectors = (
        isinstance(listed, list) and listed and isinstance(listed[0], Mapping) and "embedding" in listed[0]
    )
    if isinstance(body, Mapping) and any(key in body for key in _ASKED) and not vectors:
        return body
    ledger.rules[OTHER] += 1
    return None


def group_of(place: str, number: int, body: Mapping[str, Any], reply: Any) -> tuple[str, list[RawSpan]]:
    """A request and its reply as the one model call of a trace."""
    attributes = {"span.type": "LLM", "input.value": body, "output.value": reply}
    attributes |= {key: body[key] for key in ("model", "tools") if body.get(key) is not None}
    return place, [RawSpan(place, None, "request", number, attributes)]


def text_of_bytes(data: bytes) -> str:
    """A body as a text, unpacked where it is compressed; `ValueError` says why it cannot be."""
    engine = None
    if data[:2] == b"\x1f\x8b":
        engine = zlib.decompressobj(31)
    elif data[:1] == b"\x78":
        engine = zlib.decompressobj()
    if engine is not None:
        try:
            data = engine.decompress(data, LONGEST)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not engine.eof:
            raise ValueError(f"it does not end within {LONGEST:,} bytes")
    return data.decode("utf-8")
