"""From a judge's words to a score of 0 to 3 (RESpecBench, appendix B)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truespec.benchmark.fences import fenced_blocks

PASS = 2
"""The least score that accepts a candidate."""

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_LABELLED = re.compile(
    r"(?:final\s+)?(?:score|rating|grade)[^\w\-]{0,6}([0-9]+)(?:\s*/\s*3)?(?![\d.])", re.IGNORECASE
)
_BARE = re.compile(r"[^\w\-]{0,4}([0-9]+)(?:\s*/\s*3)?[^\w\-]{0,4}")


@dataclass(frozen=True, slots=True)
class Score:
    """What a judge's reply came to."""

    value: int | None
    """0 to 3, or None for a malformed reply."""
    strict: bool
    """Whether the reply had the form that was asked for: the score alone in the last fenced block."""
    problem: str = ""
    """What was wrong with a malformed reply, or what a tolerant reading passed over."""

    def __post_init__(self) -> None:
        if self.value is not None and not 0 <= self.value <= 3:
            raise ValueError(f"a score is 0 to 3, not {self.value}")
        if (self.value is None or not self.strict) and not self.problem:
            raise ValueError("a reply that is not strictly well-formed has a problem")


def read_score(reply: str, *, tolerant: bool = False) -> Score:
    """The score of a reply: the integer that stands alone in its last fenced block.

    A tolerant reading also takes a labelled score (`Score: 3`) there, and else a last line that is one.

    >>> read_score("Right.\\n```\\n3\\n```").value
    3
    >>> read_score("```\\nScore: 3\\n```").value, read_score("```\\nScore: 3\\n```", tolerant=True).value
    (None, 3)
    """
    blocks = fenced_blocks(reply)
    last = blocks[-1].strip() if blocks else ""
    if re.fullmatch(r"[0-9]+", last):
        if last in {"0", "1", "2", "3"}:
            return Score(int(last), strict=True)
        return Score(None, strict=False, problem=f"score {last[:20]} is out of range")
    problem = "the last fenced block holds more than a score" if blocks else "no fenced block"
    if not tolerant:
        return Score(None, strict=False, problem=problem)
    lines = [line for line in reply.strip().splitlines() if line.strip()]
    for text in (last, lines[-1] if lines else ""):
        found = _LABELLED.findall(text) or [m.group(1) for m in [_BARE.fullmatch(text.strip())] if m]
        values = set(found)
        if len(values) == 1 and (value := values.pop()) in {"0", "1", "2", "3"}:
            return Score(int(value), strict=False, problem=problem)
    return Score(None, strict=False, problem=problem)
