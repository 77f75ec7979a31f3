"""From a model's reply to the specification in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truespec.benchmark.fences import fenced_blocks

_INLINE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a reply came to."""

    text: str | None
    """The specification, or None for a malformed reply."""
    strict: bool
    """Whether the reply had the form that was asked for: the specification in the last fenced block."""
    problem: str = ""
    """What was wrong with the reply, where it was not strictly well-formed."""


def read_answer(reply: str, *, tolerant: bool = False) -> Candidate:
    """The specification of a reply: the contents of its last fenced block.

    A tolerant reading also takes a reply that is one line, and a last line that holds one `inline` code span.

    >>> read_answer("So:\\n```\\na*\\n```").text
    'a*'
    >>> read_answer("a*").text, read_answer("a*", tolerant=True).text
    (None, 'a*')
    """
    blocks = fenced_blocks(reply)
    if blocks:
        text = blocks[-1]
        if text.strip():
            return Candidate(text, strict=True)
        return Candidate(None, strict=False, problem="the last fenced block is empty")
    problem = "no fenced block"
    if tolerant:
        lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
        if len(lines) == 1 and not _INLINE.search(lines[0]):
            return Candidate(lines[0], strict=False, problem=problem)
        spans = _INLINE.findall(lines[-1]) if lines else []
        if len(spans) == 1:
            return Candidate(spans[0], strict=False, problem=problem)
    return Candidate(None, strict=False, problem=problem)
