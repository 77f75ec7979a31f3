r"""The `deepregex` dialect: `& ~`, whole-line match, `.` for any character.

From loosest to tightest: `|`, `&`, concatenation, repetition, `~` (Locascio et al., "Neural generation of
regular expressions", EMNLP 2016, checked upstream with an automaton library of this syntax). What that
library lacks, `\b`, has four readings to choose from.
"""

from __future__ import annotations

import re
from functools import cache

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

BOUNDARIES = ("word", "ignore", "anchor", "literal")
r"""Readings of `\b`: a true word boundary, nothing, the start or end of the line, the letter `b`."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_LARGEST = 4294967295
_TOKENS = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]?|\{[^}]*\}?|.", re.DOTALL)
_CLASS = r"\[\^?(?:[^\]\\]++|\\.)*+\]"
_PLAIN = rf"[^()\[\\{{]++|{_CLASS}|\\.|\{{[^}}]*\}}"
_GROUP = rf"\((?:{_PLAIN}|\((?:{_PLAIN})*+\))*+\)"
_PIECES = re.compile(
    rf"(?<!~)~?(?:{_GROUP}|{_CLASS}|\\.|[^()|&~*+?\[\\{{])(?:[*+?]|\{{[^}}]*\}})?|{_TOKENS.pattern}",
    re.DOTALL,
)
"""Tokens, but small groups, and atoms with their complement and repetition, are one; few are ever new."""
_SIMPLE: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse(text: str, boundary_reading: str, ascii_only: bool) -> Pattern:
    """Read a pattern; `SpecificationError` names the place and what was expected there."""
    check_size(text)
    atoms = _atoms(boundary_reading, ascii_only)
    try:
        return Pattern(text, _read(_PIECES.findall(text), atoms))
    except _Malformed:
        pass  # read it token by token, for the place
    tokens = _TOKENS.findall(text)
    try:
        return Pattern(text, _read(tokens, atoms))
    except _Malformed as problem:
        offset = sum(map(len, tokens[: problem.token])) + problem.inside
        raise syntax_error(problem.message, text, offset) from None


class _Malformed(Exception):
    def __init__(self, message: str, token: int = 0, inside: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.token = token
        """Which token is to blame."""
        self.inside = inside
        """Which character of it."""


def _read(tokens: list[str], atoms: _Atoms) -> Expression:
    """One pass with a stack of open groups; each level collects its parts until its operator ends it."""
    unions: list[Expression] = []
    meets: list[Expression] = []
    parts: list[Expression] = []
    negated = False
    opened: list[tuple[list[Expression], list[Expression], list[Expression], bool, int]] = []
    known = atoms.known
    for index, token in enumerate(tokens):
        if not negated and token in known:
            parts.append(known[token])
            continue
        if token in _SIMPLE or (token[0] == "{"):
            if negated or not parts:
                raise _Malformed(f"expected something to repeat or complement, found {token[0]!r}", index)
            least, most = _SIMPLE.get(token) or _bounds(token, index)
            parts[-1] = Repeat(parts[-1], least, most)
            continue
        if token == "(":
            opened.append((unions, meets, parts, negated, index))
            unions, meets, parts, negated = [], [], [], False
            continue
        if token == "~":
            negated = not negated
            continue
        if token in ("|", "&", ")"):
            if token == ")" and not opened:
                raise _Malformed("unbalanced parenthesis", index)
            after_tilde = index > 0 and tokens[index - 1] == "~"
            if after_tilde:
                raise _Malformed(f"expected something to repeat or complement, found {token!r}", index)
            if parts:
                meets.append(parts[0] if len(parts) == 1 else Sequence(tuple(parts)))
            elif token == ")" and tokens[index - 1] == "(":
                meets.append(EMPTY)
            else:
                raise _Malformed(
                    f"expected an expression, found {token!r}; write '()' for the empty line", index
                )
            parts = []
            if token == "&":
                continue
            unions.append(meets[0] if len(meets) == 1 else Both(tuple(meets)))
            meets = []
            if token == "|":
                continue
            atom: Expression = unions[0] if len(unions) == 1 else Either(tuple(unions))
            unions, meets, parts, negated, _ = opened.pop()
        else:
            atom = known[token] if token in known else atoms.read(token, index)
        if negated:
            atom = Complement(atom)
            negated = False
        parts.append(atom)
    if opened:
        raise _Malformed("missing ')', unterminated group", opened[-1][4])
    if tokens and tokens[-1] == "~":
        raise _Malformed("expected something to repeat or complement, the pattern ends", len(tokens))
    if not parts:
        raise _Malformed(
            "expected an expression, the pattern ends; write '()' for the empty line", len(tokens)
        )
    meets.append(parts[0] if len(parts) == 1 else Sequence(tuple(parts)))
    unions.append(meets[0] if len(meets) == 1 else Both(tuple(meets)))
    return unions[0] if len(unions) == 1 else Either(tuple(unions))


def _bounds(token: str, index: int) -> tuple[int, int | None]:
    low, comma, high = token[1:-1].partition(",") if token[-1] == "}" else ("", "", "")
    digits = low + high
    if not (digits.isascii() and digits.isdigit()):
        raise _Malformed("expected a repetition such as '{2}', '{2,}' or '{2,5}'", index)
    if max(len(low), len(high)) > 10 or max(int(low or 0), int(high or 0)) >= _LARGEST:
        raise _Malformed("the repetition number is too large", index)
    least = int(low or 0)
    most = (int(high) if high else None) if comma else least
    if most is not None and most < least:
        raise _Malformed("the least number of repetitions is greater than the most", index)
    return least, most


@cache
def _atoms(boundary_reading: str, ascii_only: bool) -> _Atoms:
    return _Atoms(boundary_reading, ascii_only)


class _Atoms:
    """What single tokens denote, remembered for the tokens met before."""

    def __init__(self, reading: str, ascii_only: bool) -> None:
        self.reading = reading
        self.ascii_only = ascii_only
        self.known: dict[str, Expression] = {}

    def read(self, token: str, index: int) -> Expression:
        """What a token or a piece of several denotes; `_Malformed` where it is none."""
        pieces = _TOKENS.findall(token)
        atom = self._read(token, index) if len(pieces) == 1 else _read(pieces, self)
        if len(token) <= _LONGEST_ATOM:
            if len(self.known) >= _MOST_ATOMS:
                self.known.clear()
            self.known[token] = atom
        return atom

    def _read(self, token: str, index: int) -> Expression:
        if token == ".":
            return Symbol(None)
        if token == "\\b":
            return self._boundary()
        if token[0] == "\\":
            return Symbol(self._escape(token, index, 0)[0])
        if token[0] == "[":
            return Symbol(self._class(token, index))
        return Symbol(characters.single(token))

    def _boundary(self) -> Expression:
        match self.reading:
            case "ignore":
                return EMPTY
            case "anchor":
                return Either((START, END))
            case "literal":
                return Symbol(characters.single("b"))
        return boundary(characters.category("w", self.ascii_only), holds=True)

    def _escape(self, token: str, index: int, at: int) -> tuple[CodePoints, str]:
        letter = token[1:]
        if not letter:
            raise _Malformed("the pattern ends after a backslash", index, at)
        if letter in "dsw":
            return characters.category(letter, self.ascii_only), ""
        if letter in "DSW":
            return characters.negate(characters.category(letter.lower(), self.ascii_only)), ""
        if letter in _ESCAPES:
            return characters.single(_ESCAPES[letter]), _ESCAPES[letter]
        if letter.isascii() and letter.isalnum():
            raise _Malformed(f"unknown escape '\\{letter}'", index, at)
        return characters.single(letter), letter

    def _class(self, token: str, index: int) -> CodePoints:
        if len(token) < 2 or token[-1] != "]":
            raise _Malformed("unterminated character class", index)
        negated = token[1] == "^"
        at = 2 if negated else 1
        end = len(token) - 1
        sets: list[CodePoints] = []
        while at < end:
            start = at
            points, low, at = self._member(token, index, at)
            if low and at + 1 < end and token[at] == "-":
                _, high, at = self._member(token, index, at + 1)
                if not high or high < low:
                    raise _Malformed(f"bad character range {token[start:at]!r}", index, start)
                points = (ord(low), ord(high) + 1)
            sets.append(points)
        if at > end:  # the last bracket is escaped
            raise _Malformed("unterminated character class", index)
        if not sets:
            raise _Malformed("empty character class", index)
        points = characters.union(*sets)
        return characters.negate(points) if negated else points

    def _member(self, token: str, index: int, at: int) -> tuple[CodePoints, str, int]:
        if token[at] != "\\":
            return characters.single(token[at]), token[at], at + 1
        if token[at + 1] == "b":
            raise _Malformed("no word boundary inside a character class", index, at)
        points, single = self._escape(token[at : at + 2], index, at)
        return points, single, at + 2


_MOST_ATOMS = 4096
_LONGEST_ATOM = 200
