"""Replies as the texts that were received: JSON, or the server-sent events of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truespec.traces.importers.chunks import events_of_sse
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.told import parsed


def is_stream(text: str) -> bool:
    """Whether a text begins as server-sent events do; a line that begins with a colon is a comment."""
    return text.lstrip().startswith(("data:", "event:", ": "))


def reply_of_text(text: str) -> Any:
    """A reply's value, the events of a streamed one as a list, or as the reply that they amount to."""
    if not is_stream(text):
        return parsed(text)
    events = [value for _, value in events_of_sse(text)]
    return _of_candidates(events) or _of_completions(events) or events


def _of_candidates(events: list[Any]) -> dict[str, Any] | None:
    """The reply of Gemini's whose pieces the events hold."""
    if not any(isinstance(event, Mapping) and "candidates" in event for event in events):
        return None
    parts: list[dict[str, Any]] = []
    others: set[Any] = set()
    for candidate in (one for event in dicts(events) for one in dicts(event.get("candidates"))):
        if candidate.get("index", 0) != 0:
            others.add(candidate["index"])
            continue
        content = candidate.get("content")
        for part in dicts(content.get("parts")) if isinstance(content, Mapping) else ():
            last = parts[-1] if parts else {}
            same = isinstance(last.get("text"), str) and last.get("thought") == part.get("thought")
            if same and isinstance(part.get("text"), str):
                parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
            else:
                parts.append(part)
    first = {"content": {"role": "model", "parts": parts}}
    return {"candidates": [first, *({"index": index} for index in others)]}


def _of_completions(events: list[Any]) -> dict[str, Any] | None:
    """The reply whose pieces the events of a completion of a prompt hold (OpenAI, Anthropic)."""
    said = [event for event in dicts(events) if event.get("object") == "text_completion"]
    choices = [one for event in said for one in dicts(event.get("choices"))]
    pieces = [one.get("text") for one in choices if one.get("index") in (None, 0)]
    pieces += [event.get("completion") for event in dicts(events) if event.get("type") == "completion"]
    texts = [piece for piece in pieces if isinstance(piece, str)]
    others = {one["index"] for one in choices if one.get("index") not in (None, 0)}
    if not texts:
        return None
    return {"choices": [{"message": {"content": "".join(texts)}}, *({"index": index} for index in others)]}
