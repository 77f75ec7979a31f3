"""Reading formulas, in infix notation and in the prefix notation of Lang2LTL.

Infix, from tight to loose: the unary operators; `U R W M S T B`, grouping right; `&`; `|`; `xor`; `->`,
grouping right; `<->`. Prefix: tokens between blanks, `!` may stand before its operand without one; `i` is
implication, `e` equivalence, `^` exclusive or.
"""

from __future__ import annotations

import re

from truespec.domains.temporal.tokens import LETTERS, Token, tokens
from truespec.temporal.syntax import (
    CONSTANTS,
    TEMPORAL_BINARY,
    TIGHTNESS,
    UNARY,
    Formula,
    atom,
)
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

DEEPEST = 200
"""Formulas that nest more deeply are not read."""
_LOOSEST, _TEMPORAL = 1, TIGHTNESS["U"]
_RIGHT = ("->", *TEMPORAL_BINARY)


def parse_infix(text: str) -> Formula:
    """The formula that a text denotes; `SpecificationError` names the place of a slip.

    >>> from truespec.temporal.syntax import write
    >>> write(parse_infix("[](p -> <> q U r)"))
    'G (p -> F q U r)'
    """
    return _Infix(text).formula()


class _Infix:
    """Precedence climbing over the tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(tokens(text))
        self.next = 0

    def formula(self) -> Formula:
        if self.tokens[0].kind == "end":
            raise SpecificationError(ReasonCode.SYNTAX, "the formula is empty")
        found = self._binary(_LOOSEST, 0)
        left = self.tokens[self.next]
        if left.kind != "end":
            hint = _glued(left.text) if left.kind == "atom" else ""
            raise self._error(left, "expected an operator or the end of the formula" + hint)
        return found

    def _error(self, token: Token, expected: str) -> SpecificationError:
        seen = "the formula ends" if token.kind == "end" else f"unexpected {token.text!r:.60}"
        return SpecificationError(ReasonCode.SYNTAX, f"{seen}: {expected}", Place.at(self.text, token.offset))

    def _binary(self, tightness: int, depth: int) -> Formula:
        left = self._unary(depth)
        while True:
            token = self.tokens[self.next]
            own = TIGHTNESS.get(token.kind, 0)
            if own < tightness or not own:
                return left
            self.next += 1
            if token.kind in _RIGHT:
                left = Formula(token.kind, (left, self._binary(own, depth + 1)))
                continue
            items = [left, self._binary(own + 1, depth + 1)]
            while token.kind in ("&", "|") and self.tokens[self.next].kind == token.kind:
                self.next += 1
                items.append(self._binary(own + 1, depth + 1))
            left = Formula(token.kind, tuple(items))
            depth += token.kind not in ("&", "|")

    def _unary(self, depth: int) -> Formula:
        token = self.tokens[self.next]
        _check_depth(self.text, token.offset, depth)
        self.next += 1
        if token.kind in UNARY:
            return Formula(token.kind, (self._unary(depth + 1),))
        if token.kind == "atom":
            return atom(token.text)
        if token.kind in CONSTANTS:
            return Formula(token.kind)
        if token.kind != "(":
            raise self._error(token, "expected an atom, a unary operator or '('" + _hint(token))
        found = self._binary(_LOOSEST, depth + 1)
        closing = self.tokens[self.next]
        if closing.kind != ")":
            where = Place.at(self.text, token.offset)
            raise self._error(closing, f"expected ')' for the {token.text!r} at {where}")
        if (token.text, closing.text) in (
            ("[", "}"),
            ("[", ")"),
            ("(", "]"),
            ("(", "}"),
            ("{", "]"),
            ("{", ")"),
        ):
            raise self._error(closing, f"the bracket {token.text!r} is closed by another kind")
        self.next += 1
        return found


def _hint(token: Token) -> str:
    if token.kind in LETTERS:
        return f"; {token.text!r} is a binary operator, and an atom of that name stands in quotes"
    return ""


def _glued(name: str) -> str:
    """A hint where an operator letter and an atom were probably written together."""
    found = re.fullmatch(f"([{LETTERS}]+)([a-z]\\w*)", name)
    return f"; write {' '.join(found[1])} {found[2]} with blanks if operators are meant" if found else ""


def _check_depth(text: str, offset: int, depth: int) -> None:
    if depth > DEEPEST:
        raise Unsupported(f"more than {DEEPEST} levels of nesting", Place.at(text, offset))


_PREFIX = {"i": "->", "e": "<->", "^": "xor", "->": "->", "<->": "<->", "&&": "&", "||": "|", "~": "!"}
_PREFIX |= {op: op for op in ("!", "&", "|", *LETTERS)}
_PREFIX_TOKEN = re.compile(r"!|~|[^\s!~]+")
_PREFIX_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*")


def parse_prefix(text: str) -> Formula:
    """The formula that a text in prefix notation denotes.

    >>> from truespec.temporal.syntax import write
    >>> write(parse_prefix("& U ! a b F i c d"))
    '!a U b & F (c -> d)'
    """
    pieces = [(match.group(), match.start()) for match in _PREFIX_TOKEN.finditer(text)]
    if not pieces:
        raise SpecificationError(ReasonCode.SYNTAX, "the formula is empty")
    done: list[
        tuple[Formula, int]
    ] = []  # formulas of the pieces behind, the next one on top, with their depth
    for piece, offset in reversed(pieces):
        found, depth = _prefix_item(text, piece, offset, done)
        _check_depth(text, offset, depth)
        done.append((found, depth))
    if len(done) > 1:
        offset = _end_of_first(pieces)
        raise SpecificationError(
            ReasonCode.SYNTAX,
            f"unexpected {text[offset:].split(maxsplit=1)[0]!r:.60}: the formula ended before it",
            Place.at(text, offset),
        )
    return done[0][0]


def _prefix_item(text: str, piece: str, offset: int, done: list[tuple[Formula, int]]) -> tuple[Formula, int]:
    op = _PREFIX.get(piece)
    if op is None:
        if piece in CONSTANTS:
            return Formula(piece), 0
        if _PREFIX_ATOM.fullmatch(piece):
            return atom(piece), 0
        raise SpecificationError(
            ReasonCode.SYNTAX,
            f"unexpected {piece!r:.60}: expected an operator, or an atom of letters, digits and _ "
            "that begins with a small letter",
            Place.at(text, offset),
        )
    count = 1 if op in UNARY else 2
    if len(done) < count:
        message = f"the formula ends: {piece!r} needs {count} operand{'s' * (count - 1)}"
        raise SpecificationError(ReasonCode.SYNTAX, message, Place.at(text, offset))
    first, depth = done.pop()
    if count == 1:
        return Formula(op, (first,)), depth + 1
    second, other = done.pop()
    if op not in ("&", "|"):
        return Formula(op, (first, second)), max(depth, other) + 1
    # Nested conjunctions are one conjunction of more parts.
    left = first.items if first.op == op else (first,)
    right = second.items if second.op == op else (second,)
    return Formula(op, left + right), max(depth + (first.op != op), other + (second.op != op))


def _end_of_first(pieces: list[tuple[str, int]]) -> int:
    """Where the text goes on behind its first whole formula."""
    needed = 1
    for piece, offset in pieces:
        if needed == 0:
            return offset
        op = _PREFIX.get(piece)
        needed += -1 if op is None else 0 if op in UNARY else 1
    return pieces[-1][1]
