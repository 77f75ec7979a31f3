"""Text that hides nothing: what a reader could not see, or what would reorder the line, is named."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

LONGEST = 2_000
"""Longer texts are cut in the middle; nobody reads them, and a hostile one would drown the page."""

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", " ": "␣"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters that are seen as they are, or the name of one that is not."""

    text: str
    """The characters, or what stands for the hidden one."""
    hidden: str = ""
    """The code point and name of a hidden character, e.g. `U+202E RIGHT-TO-LEFT OVERRIDE`."""


def pieces(text: str, keep: str = "\n\t ", longest: int = LONGEST) -> list[Piece]:
    """The text in pieces; the characters of `keep` are left as they are.

    >>> [piece.text for piece in pieces("a" + chr(0x202E) + "b")]
    ['a', 'U+202E', 'b']
    """
    found: list[Piece] = []
    run: list[str] = []
    for character in cut(text, longest):
        if character in keep or _seen(character):
            run.append(character)
            continue
        if run:
            found.append(Piece("".join(run)))
            run = []
        found.append(Piece(_stand_in(character), named(character)))
    if run:
        found.append(Piece("".join(run)))
    return found


def in_line(text: str, longest: int = 160) -> str:
    """The text in one line of plain, visible characters.

    >>> print(in_line("a" + chr(10) + chr(0x202E)))
    a\\nU+202E
    """
    return "".join(piece.text for piece in pieces(text, keep=" ", longest=longest))


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and end with the number of characters left out between them."""
    if len(text) <= longest:
        return text
    tail = longest // 4
    head = longest - tail
    return f"{text[:head]} … {len(text) - longest} characters more … {text[len(text) - tail :]}"


def named(character: str) -> str:
    """The code point and name of a character, e.g. `U+0660 ARABIC-INDIC DIGIT ZERO`."""
    point = ord(character)
    fallback = "control character" if unicodedata.category(character) == "Cc" else ""
    if 0xD800 <= point <= 0xDFFF:
        fallback = "lone surrogate"
    return f"U+{point:04X} {unicodedata.name(character, fallback)}".strip()


def _seen(character: str) -> bool:
    if " " < character <= "~":
        return True
    # Marks would combine with what stands before them, and separators look like a plain space.
    return character.isprintable() and unicodedata.category(character)[0] not in "MZC"


def _stand_in(character: str) -> str:
    return _SHORT.get(character) or f"U+{ord(character):04X}"
