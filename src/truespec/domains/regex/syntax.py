"""What both dialects share: specifications as values, positions, and the limits on hostile texts."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from truespec.automata.expression import Expression
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

LONGEST = 50_000
"""Code points in a pattern; longer ones are not attempted."""
DEEPEST = 1_000
"""Nested groups in a pattern."""
_STACK = 60_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A specification that was read."""

    text: str
    """As written."""
    expression: Expression
    """What it denotes."""


def syntax_error(message: str, text: str, offset: int) -> SpecificationError:
    """A positioned error with the line and a caret below the place."""
    place = Place.at(text, offset)
    lines = text.split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    start = max(0, place.column - 41)
    shown = line[start : start + 80]
    printable = "".join(c if c.isprintable() else "·" for c in shown)
    caret = " " * (place.column - 1 - start) + "^"
    return SpecificationError(ReasonCode.SYNTAX, f"{message} at {place}\n  {printable}\n  {caret}")


def unsupported(what: str, text: str, offset: int, advice: str) -> Unsupported:
    """A construct that has no regular meaning here, with its place."""
    return Unsupported(f"{what} at {Place.at(text, offset)}: {advice}")


def check_size(text: str) -> None:
    """Refuse what is too long or nested too deeply before anything recurses over it."""
    if len(text) > LONGEST:
        raise Unsupported(f"a pattern of {len(text)} characters: at most {LONGEST} are attempted")
    if text.count("(") <= DEEPEST:
        return
    depth = deepest = 0
    for character in text:
        if character == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif character == ")":
            depth -= 1
    if deepest > DEEPEST:
        raise Unsupported(f"groups nested {deepest} deep: at most {DEEPEST} are attempted")


class deep_stack:
    """Room for recursion over long patterns; Python frames live on the heap, so this is safe."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, _STACK))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self.before)
