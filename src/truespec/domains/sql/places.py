"""Where the parts of a query stand in its text, as it was given.

The parser notes where names, literals and most functions begin. What begins with a keyword is placed by the
tokens before the first of these in it; a part without any has no place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from truespec.domains.sql.written import UNREAD, note_parts, tokens_of, unread
from truespec.verdict import Nondeterministic, Place, SpecificationError, Unsupported

SIDES = ("oracle", "candidate")
"""What the queries of a pair are called, in their order."""

_KEY = "place"  # of a node's notes: its line and column, both from 1
_OPENERS: dict[type, frozenset[str]] = {
    kind: frozenset(words.split())
    for kind, words in (
        (exp.Select, "SELECT"),
        (exp.Values, "VALUES"),
        (exp.Subquery, "("),
        (exp.Paren, "("),
        (exp.Tuple, "("),
        (exp.Case, "CASE"),
        (exp.If, "WHEN IF IIF"),
        (exp.Cast, "CAST CONVERT DATE TIME DATETIME TIMESTAMP"),
        (exp.TryCast, "TRY_CAST"),
        (exp.Exists, "EXISTS"),
        (exp.Not, "NOT !"),
        (exp.Neg, "-"),
        (exp.Interval, "INTERVAL"),
        (exp.Any, "ANY SOME"),
        (exp.All, "ALL"),
        (exp.Distinct, "DISTINCT"),
        (exp.From, "FROM"),
        (exp.Join, "NATURAL ASOF POSITIONAL LEFT RIGHT FULL INNER CROSS SEMI ANTI STRAIGHT_JOIN JOIN"),
        (exp.Lateral, "LATERAL"),
        (exp.Where, "WHERE"),
        (exp.Group, "GROUP"),
        (exp.Rollup, "ROLLUP"),
        (exp.Cube, "CUBE"),
        (exp.GroupingSets, "GROUPING"),
        (exp.Having, "HAVING"),
        (exp.Qualify, "QUALIFY"),
        (exp.Order, "ORDER"),
        (exp.WindowSpec, "ROWS RANGE GROUPS"),
        (exp.Limit, "LIMIT"),
        (exp.Offset, "OFFSET"),
        (exp.Fetch, "FETCH"),
        (exp.With, "WITH"),
    )
}
_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
# A construct does not begin before one of these: the part before it ends there.
_ENDS = {TokenType.R_PAREN, TokenType.COMMA, TokenType.SEMICOLON, TokenType.STRING, TokenType.NUMBER}


def mark(tree: exp.Expr, text: str, dialect: str) -> None:
    """Note at every node that stands somewhere where it stands; copies of the node keep the note.

    What the text says and the tree does not is noted at the root (`written.py`).
    """
    tokens = tokens_of(text, dialect)
    strange = unread(text, tokens, dialect)
    if strange is not None:
        place = Place.at(text, strange[1].start)
        tree.meta[UNREAD] = (strange[0], place.line, place.column)
    index = {token.start: number for number, token in enumerate(tokens)}
    first: dict[int, int] = {}  # of a node: the number of the first token in it that the parser noted
    begun: dict[int, list[exp.Expr]] = defaultdict(list)  # of a token: the nodes it is the first of
    nodes = list(tree.walk(bfs=True))  # a node comes after those that hold it
    own = {number for node in nodes if (number := index.get(node.meta.get("start", -1))) is not None}
    for node in reversed(nodes):
        number = index.get(node.meta.get("start", -1))
        parts = [first[id(part)] for part in node.iter_expressions() if id(part) in first]
        known = [*parts, *([] if number is None else [number])]
        if known:
            first[id(node)] = min(known)
    note_parts([(node, first.get(id(node))) for node in nodes if isinstance(node, exp.Extract)], tokens)
    for node in nodes:
        if id(node) in first and index.get(node.meta.get("start", -1)) != first[id(node)]:
            begun[first[id(node)]].append(node)
    begins = dict(first)
    for number, chain in begun.items():
        window = _window(tokens, number, own)
        for node in chain:
            found = next((place for place in window if _opens(node, tokens, place)), None)
            if found is not None:
                begins[id(node)] = found
                window = window[window.index(found) + 1 :]
    shown: dict[int, int] = {}
    for node in reversed(nodes):
        parts = [begins[id(part)] for part in node.iter_expressions() if id(part) in begins]
        if id(node) in begins:
            begins[id(node)] = shown[id(node)] = min([begins[id(node)], *parts])
        if isinstance(node, exp.SetOperation) and id(node.expression) in begins:
            right = begins[id(node.expression)]
            between = range(right - 1, max(-1, right - 6), -1)
            shown[id(node)] = next((n for n in between if tokens[n].text.upper() in _OPERATORS), right)
    for node in nodes:
        if id(node) in shown:
            place = Place.at(text, tokens[shown[id(node)]].start)
            node.meta[_KEY] = (place.line, place.column)
    for node in nodes:
        node._meta = _Notes(node._meta) if node._meta else None


class _Notes(dict[str, Any]):
    """The notes of a node. Nothing changes the values, so a copy shares them, in half the time."""

    def __deepcopy__(self, _: object) -> _Notes:
        return _Notes(self)


def _window(tokens: Sequence[Token], number: int, own: set[int]) -> list[int]:
    """The keywords and parentheses right before a token."""
    low = number
    while low and low - 1 not in own and tokens[low - 1].token_type not in _ENDS:
        low -= 1
    return list(range(low, number))


def _opens(node: exp.Expr, tokens: Sequence[Token], place: int) -> bool:
    """Whether a token is what a construct of this kind begins with."""
    written = tokens[place].text.upper()
    called = place + 1 < len(tokens) and tokens[place + 1].token_type is TokenType.L_PAREN
    words = _OPENERS.get(type(node))
    if words is None:
        if not called or not isinstance(node, exp.Func) or isinstance(node, exp.Connector):
            return False
        return tokens[place].token_type is TokenType.VAR or written in node.sql_names()
    if written == "(" and place and tokens[place - 1].text.upper() in ("CAST", "CONVERT", "TRY_CAST", "IF"):
        return False
    return written in words or written.split(" ")[0] in words


def place_of(node: Any) -> Place | None:
    """The place of a node of a marked tree, or of the first of several; None where it is not known."""
    node = node[0] if isinstance(node, list) and node else node
    found = node.meta_get(_KEY) if isinstance(node, exp.Expr) else None
    return None if found is None else Place(*found)


def place_of_parse_error(error: SqlglotError, text: str, dialect: str) -> Place | None:
    """Where the parser stopped: at a token, of which it names the last character, or in a string."""
    if isinstance(error, ParseError) and error.errors:
        stop = error.errors[0].get("line"), error.errors[0].get("col")
        found = (token.start for token in tokens_of(text, dialect) if (token.line, token.col) == stop)
        offset = next(found, None)
        return None if offset is None else Place.at(text, offset)
    unclosed = re.search(r"^Missing .* from \d+:(\d+)$", str(error.__cause__), re.DOTALL)
    return Place.at(text, int(unclosed[1])) if unclosed else None


def second_statement(text: str, dialect: str) -> Place | None:
    """Where the second of several statements begins."""
    tokens = tokens_of(text, dialect)
    ends = [token.token_type is TokenType.SEMICOLON for token in tokens]
    first = ends.index(False) if False in ends else 0
    later = (n for n in range(first, len(tokens)) if not ends[n] and any(ends[first:n]))
    number = next(later, None)
    return None if number is None else Place.at(text, tokens[number].start)


class At:
    """`with At(node):` what has no answer inside is placed at the node, where nothing inside has a place."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Unsupported | Nondeterministic | SpecificationError) and error.place is None:
            error.place = place_of(self.node)


class OfSide:
    """`with OfSide(0):` what has no answer inside says in the oracle or the candidate where it stands."""

    __slots__ = ("side",)

    def __init__(self, side: int) -> None:
        self.side = side

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Unsupported | Nondeterministic | SpecificationError):
            return
        place = "" if error.place is None else f", {error.place}"
        message = f"{error.message} ({SIDES[self.side]}{place})"
        if isinstance(error, SpecificationError):
            raise SpecificationError(error.code, message) from error
        raise type(error)(message) from error
