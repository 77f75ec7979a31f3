r"""The `deepregex` dialect: `& ~`, whole-line match, `.` for any character.

From loosest to tightest: `|`, `&`, concatenation, repetition, `~` (Locascio et al., "Neural generation of
regular expressions", EMNLP 2016, checked upstream with an automaton library of this syntax). What that
library lacks, `\b`, has four readings to choose from.
"""

from __future__ import annotations

from collections.abc import Callable

from truespec.automata.expression import (
    EMPTY,
    END,
    START,
    Both,
    Complement,
    Either,
    Expression,
    Repeat,
    Sequence,
    Symbol,
)
from truespec.domains.regex import characters
from truespec.domains.regex.characters import CodePoints
from truespec.domains.regex.python_dialect import boundary
from truespec.domains.regex.syntax import Pattern, check_size, syntax_error
from truespec.verdict import SpecificationError

BOUNDARIES = ("word", "ignore", "anchor", "literal")
r"""Readings of `\b`: a true word boundary, nothing, the start or end of the line, the letter `b`."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_LARGEST = 4294967295


def parse(text: str, boundary_reading: str, ascii_only: bool) -> Pattern:
    """Read a pattern; `SpecificationError` names the place and what was expected there."""
    check_size(text)
    if text.count("~") > 10_000:
        raise syntax_error("more than 10000 complements", text, 0)
    parser = _Parser(text, boundary_reading, ascii_only)
    expression = parser.union()
    if parser.at < len(text):
        raise parser.error("unbalanced parenthesis" if parser.next() == ")" else "unexpected character")
    return Pattern(text, expression)


class _Parser:
    def __init__(self, text: str, boundary_reading: str, ascii_only: bool) -> None:
        self.text = text
        self.reading = boundary_reading
        self.ascii_only = ascii_only
        self.at = 0

    def next(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def error(self, message: str, at: int | None = None) -> SpecificationError:
        return syntax_error(message, self.text, self.at if at is None else at)

    def union(self) -> Expression:
        return self._level("|", self._meet, Either)

    def _meet(self) -> Expression:
        return self._level("&", self._sequence, Both)

    def _level(
        self,
        operator: str,
        inner: Callable[[], Expression],
        form: Callable[[tuple[Expression, ...]], Expression],
    ) -> Expression:
        parts = [inner()]
        while self.next() == operator:
            self.at += 1
            parts.append(inner())
        return parts[0] if len(parts) == 1 else form(tuple(parts))

    def _sequence(self) -> Expression:
        parts: list[Expression] = []
        while self.next() not in ("", "|", "&", ")"):
            parts.append(self._repetition())
        if not parts:
            seen = f"found {self.next()!r}" if self.next() else "the pattern ends"
            raise self.error(f"expected an expression, {seen}; write '()' for the empty line")
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repetition(self) -> Expression:
        body = self._complement()
        while self.next() and self.next() in "*+?{":
            least, most = self._bounds()
            body = Repeat(body, least, most)
        return body

    def _bounds(self) -> tuple[int, int | None]:
        start = self.at
        character = self.text[start]
        self.at += 1
        if character != "{":
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        end = self.text.find("}", start)
        inside = self.text[start + 1 : end] if end >= 0 else ""
        low, comma, high = inside.partition(",")
        if not all(part.isascii() and (part.isdigit() or not part) for part in (low, high)) or not (
            low or high
        ):
            raise self.error("expected a repetition such as '{2}', '{2,}' or '{2,5}'", start)
        if max(len(low), len(high)) > 10 or max(int(low or 0), int(high or 0)) >= _LARGEST:
            raise self.error("the repetition number is too large", start)
        self.at = end + 1
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            raise self.error("the least number of repetitions is greater than the most", start)
        return least, most

    def _complement(self) -> Expression:
        marks = 0
        while self.next() == "~":
            self.at += 1
            marks += 1
        body = self._atom()
        return Complement(body) if marks % 2 else body

    def _atom(self) -> Expression:
        start = self.at
        character = self.next()
        self.at += 1
        if character == "(":
            if self.next() == ")":
                self.at += 1
                return EMPTY
            inner = self.union()
            if self.next() != ")":
                raise self.error("missing ')', unterminated group", start)
            self.at += 1
            return inner
        if character == "[":
            return Symbol(self._class(start))
        if character == ".":
            return Symbol(None)
        if character == "\\":
            if self.next() == "b":
                self.at += 1
                return self._boundary()
            return Symbol(self._escape(start)[0])
        if character in ("", "|", "&", ")") or character in "*+?{":
            self.at = start
            seen = f"found {character!r}" if character else "the pattern ends"
            raise self.error(f"expected something to repeat or complement, {seen}")
        return Symbol(characters.single(character))

    def _boundary(self) -> Expression:
        match self.reading:
            case "ignore":
                return EMPTY
            case "anchor":
                return Either((START, END))
            case "literal":
                return Symbol(characters.single("b"))
        return boundary(characters.category("w", self.ascii_only), holds=True)

    def _escape(self, start: int) -> tuple[CodePoints, str]:
        letter = self.next()
        if not letter:
            raise self.error("the pattern ends after a backslash", start)
        self.at += 1
        if letter in "dsw":
            return characters.category(letter, self.ascii_only), ""
        if letter in "DSW":
            return characters.negate(characters.category(letter.lower(), self.ascii_only)), ""
        if letter in _ESCAPES:
            return characters.single(_ESCAPES[letter]), _ESCAPES[letter]
        if letter.isascii() and letter.isalnum():
            raise self.error(f"unknown escape '\\{letter}'", start)
        return characters.single(letter), letter

    def _class(self, start: int) -> CodePoints:
        negated = self.next() == "^"
        if negated:
            self.at += 1
        sets: list[CodePoints] = []
        while self.next() != "]":
            at = self.at
            points, low = self._member(start)
            if low and self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                _, high = self._member(start)
                if not high or high < low:
                    raise self.error(f"bad character range {self.text[at : self.at]!r}", at)
                points = (ord(low), ord(high) + 1)
            sets.append(points)
        if not sets:
            raise self.error("empty character class", start)
        self.at += 1
        points = characters.union(*sets)
        return characters.negate(points) if negated else points

    def _member(self, start: int) -> tuple[CodePoints, str]:
        character = self.next()
        if not character:
            raise self.error("unterminated character class", start)
        at = self.at
        self.at += 1
        if character == "\\":
            if self.next() == "b":
                raise self.error("no word boundary inside a character class", at)
            return self._escape(at)
        return characters.single(character), character
