"""Linear temporal logic on finite traces, with past.

Formulas are interned: equal formulas are one object. The constructors normalise a little and push negation to
the atoms, so that only the dual pairs below remain.

| text | reads | at position i of n |
| --- | --- | --- |
| `X a`, `N a` | next; weak next | i+1 < n and a there; i+1 = n or a there |
| `a U b`, `a R b` | until; release | b at some j >= i and a before; dual |
| `F a`, `G a` | finally; globally | at some, at every j >= i |
| `Y a`, `Z a` | yesterday; weak yesterday | i > 0 and a there; i = 0 or a there |
| `a S b`, `a T b` | since; triggered | b at some j <= i and a after it; dual |
| `O a`, `H a` | once; historically | at some, at every j <= i |

`W` is weak until, `a B b` weak since (a ever since b, or always). On a trace without positions, a formula has
the value that its residual has at the end: atoms, X, U, F are false; N, R, G are true (De Giacomo and Vardi,
"Linear temporal logic and linear dynamic logic on finite traces", IJCAI 2013, speak of non-empty ones only).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from truespec.verdict import Place, ReasonCode, SpecificationError

(
    TRUE,
    FALSE,
    ATOM,
    NOT_ATOM,
    AND,
    OR,
    NEXT,
    WEAK_NEXT,
    UNTIL,
    RELEASE,
    YESTERDAY,
    WEAK_YESTERDAY,
    SINCE,
    TRIGGERED,
) = range(14)
PAST: Final = (YESTERDAY, WEAK_YESTERDAY, SINCE, TRIGGERED)
FUTURE: Final = (NEXT, WEAK_NEXT, UNTIL, RELEASE)
_DUAL = {
    TRUE: FALSE,
    FALSE: TRUE,
    ATOM: NOT_ATOM,
    NOT_ATOM: ATOM,
    AND: OR,
    OR: AND,
    NEXT: WEAK_NEXT,
    WEAK_NEXT: NEXT,
    UNTIL: RELEASE,
    RELEASE: UNTIL,
    YESTERDAY: WEAK_YESTERDAY,
    WEAK_YESTERDAY: YESTERDAY,
    SINCE: TRIGGERED,
    TRIGGERED: SINCE,
}
MAX_DEPTH = 200
"""Formulas nested deeper are refused."""


class Formula:
    """A node; compare with `is`. `items` are the operands, `atom` the atom's number."""

    __slots__ = ("atom", "index", "items", "kind", "negated")

    def __init__(self, kind: int, items: tuple[Formula, ...], atom: int, index: int) -> None:
        self.kind = kind
        self.items = items
        self.atom = atom
        self.index = index
        self.negated: Formula | None = None

    def __repr__(self) -> str:
        return show(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.kind, self.items, self.atom)  # one object in another process, too


_table: dict[tuple[int, int, tuple[int, ...]], Formula] = {}


def _make(kind: int, items: tuple[Formula, ...] = (), atom: int = -1) -> Formula:
    key = (kind, atom, tuple(item.index for item in items))
    found = _table.get(key)
    if found is None:
        found = _table[key] = Formula(kind, items, atom, len(_table))
    return found


T: Final = _make(TRUE)
"""True at every position."""
F: Final = _make(FALSE)
"""False at every position."""


def atom(number: int) -> Formula:
    """The predicate with this number holds of the event."""
    return _make(ATOM, (), number)


def both(*parts: Formula) -> Formula:
    """All of them."""
    return _joined(AND, parts, T, F)


def either(*parts: Formula) -> Formula:
    """At least one of them."""
    return _joined(OR, parts, F, T)


def _joined(kind: int, parts: tuple[Formula, ...], unit: Formula, zero: Formula) -> Formula:
    flat: dict[int, Formula] = {}
    for part in parts:
        for item in part.items if part.kind == kind else (part,):
            if item is zero:
                return zero
            if item is not unit:
                flat[item.index] = item
    if any(item.negated is not None and item.negated.index in flat for item in flat.values()):
        return zero
    if not flat:
        return unit
    items = tuple(flat[index] for index in sorted(flat))
    return items[0] if len(items) == 1 else _make(kind, items)


def negation(formula: Formula) -> Formula:
    """Its negation, pushed to the atoms."""
    if formula.negated is None:
        kind = _DUAL[formula.kind]
        if formula.kind in (AND, OR):
            made = (either if formula.kind == AND else both)(*(negation(item) for item in formula.items))
        else:
            made = _make(kind, tuple(negation(item) for item in formula.items), formula.atom)
        formula.negated = made
        made.negated = formula
    return formula.negated


def implies(left: Formula, right: Formula) -> Formula:
    """If the one, then the other."""
    return either(negation(left), right)


def next_(a: Formula) -> Formula:
    """There is a next event, and a holds of it."""
    return F if a is F else _make(NEXT, (a,))


def weak_next(a: Formula) -> Formula:
    """If there is a next event, a holds of it."""
    return T if a is T else _make(WEAK_NEXT, (a,))


def until(a: Formula, b: Formula) -> Formula:
    """b comes, and a holds until then."""
    return F if b is F else _make(UNTIL, (a, b))


def release(a: Formula, b: Formula) -> Formula:
    """b holds up to and with the first a, or to the end."""
    return T if b is T else _make(RELEASE, (a, b))


def finally_(a: Formula) -> Formula:
    """a holds now or later."""
    return until(T, a)


def globally(a: Formula) -> Formula:
    """a holds now and at every later event."""
    return release(F, a)


def yesterday(a: Formula) -> Formula:
    """There is an event before this one, and a holds of it."""
    return F if a is F else _make(YESTERDAY, (a,))


def weak_yesterday(a: Formula) -> Formula:
    """If there is an event before this one, a holds of it."""
    return T if a is T else _make(WEAK_YESTERDAY, (a,))


def since(a: Formula, b: Formula) -> Formula:
    """b was, and a has held after it up to now."""
    return F if b is F else _make(SINCE, (a, b))


def triggered(a: Formula, b: Formula) -> Formula:
    """b has held from the last a on, that one included, or from the start."""
    return T if b is T else _make(TRIGGERED, (a, b))


def once(a: Formula) -> Formula:
    """a holds now or held before."""
    return since(T, a)


def historically(a: Formula) -> Formula:
    """a holds now and held at every earlier event."""
    return triggered(F, a)


def walk(formula: Formula) -> list[Formula]:
    """The formula and all below it, each once, operands first."""
    order: list[Formula] = []
    seen: set[int] = set()
    stack = [(formula, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node.index not in seen:
            seen.add(node.index)
            stack.append((node, True))
            stack.extend((item, False) for item in node.items)
    return order


def is_state(formula: Formula) -> bool:
    """Whether it speaks of the current event alone."""
    return all(node.kind <= OR for node in walk(formula))


_UNARY: dict[str, Callable[[Formula], Formula]] = {
    "!": negation,
    "X": next_,
    "N": weak_next,
    "F": finally_,
    "G": globally,
    "Y": yesterday,
    "Z": weak_yesterday,
    "O": once,
    "H": historically,
}
_BINARY: dict[str, tuple[int, Callable[[Formula, Formula], Formula]]] = {
    "<->": (1, lambda a, b: both(implies(a, b), implies(b, a))),
    "->": (2, implies),
    "|": (3, either),
    "&": (4, both),
    "U": (5, until),
    "R": (5, release),
    "W": (5, lambda a, b: release(b, either(a, b))),
    "S": (5, since),
    "T": (5, triggered),
    "B": (5, lambda a, b: triggered(b, either(a, b))),
}
_TOKEN = re.compile(r"\s*(<->|->|[!&|()]|[A-Za-z_][\w.-]*|$)")


def parse(text: str, names: Callable[[str], int]) -> Formula:
    """Read a formula; `names` gives the number of an atom's name, or raises.

    From loosest: `<->`, `->` (to the right), `|`, `&`, the binary temporal operators (to the right), the
    unary ones. Capital letters alone are operators.

    >>> parse("G(a -> O b)", "ab".index) is parse("G(!a | O b)", "ab".index)
    True
    """
    tokens: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or (found.group(1) == "" and found.end() < len(text)):
            raise SpecificationError(
                ReasonCode.SYNTAX, f"unexpected {text[at:].lstrip()[:1]!r} in the formula", Place.at(text, at)
            )
        if found.group(1):
            tokens.append((found.group(1), found.start(1)))
        at = found.end()
    tokens.append(("", len(text)))
    position = 0

    def fail(what: str) -> SpecificationError:
        word, place = tokens[position]
        return SpecificationError(
            ReasonCode.SYNTAX,
            f"expected {what}, found {word or 'the end of the formula'!r}",
            Place.at(text, place),
        )

    def unary(depth: int) -> Formula:
        nonlocal position
        if depth > MAX_DEPTH:
            raise fail(f"at most {MAX_DEPTH} levels of nesting")
        word, place = tokens[position]
        if word in _UNARY:
            position += 1
            return _UNARY[word](unary(depth + 1))
        if word == "(":
            position += 1
            inner = binary(1, depth + 1)
            if tokens[position][0] != ")":
                raise fail("')'")
            position += 1
            return inner
        if not word or not (word[0].isalpha() or word[0] == "_") or word in _BINARY:
            raise fail("an atom, an operator or '('")
        position += 1
        if word in ("true", "false"):
            return T if word == "true" else F
        try:
            return atom(names(word))
        except (KeyError, ValueError):
            raise SpecificationError(
                ReasonCode.SCOPE,
                f"no predicate is called {word!r}; define it under 'define'",
                Place.at(text, place),
            ) from None

    def binary(level: int, depth: int) -> Formula:
        nonlocal position
        if depth > MAX_DEPTH:
            raise fail(f"at most {MAX_DEPTH} levels of nesting")
        left = unary(depth + 1)
        while True:
            entry = _BINARY.get(tokens[position][0])
            if entry is None or entry[0] < level:
                return left
            position += 1
            # Arrows and temporal operators group to the right, the others to the left.
            right = binary(entry[0] if entry[0] in (2, 5) else entry[0] + 1, depth + 1)
            left = entry[1](left, right)

    made = binary(1, 0)
    if tokens[position][0]:
        raise fail("an operator or the end")
    return made


def show(formula: Formula, names: Callable[[int], str] = lambda number: f"p{number}") -> str:
    """The formula as text that `parse` reads."""
    texts: dict[int, str] = {}
    for node in walk(formula):
        parts = [texts[item.index] for item in node.items]
        kind = node.kind
        if kind in (TRUE, FALSE):
            made = "true" if kind == TRUE else "false"
        elif kind in (ATOM, NOT_ATOM):
            made = ("!" if kind == NOT_ATOM else "") + names(node.atom)
        elif kind in (AND, OR):
            made = "(" + (" & " if kind == AND else " | ").join(parts) + ")"
        elif len(parts) == 1:
            made = {NEXT: "X", WEAK_NEXT: "N", YESTERDAY: "Y", WEAK_YESTERDAY: "Z"}[kind] + _spaced(parts[0])
        else:
            first, second = node.items
            short = {(UNTIL, T): "F", (RELEASE, F): "G", (SINCE, T): "O", (TRIGGERED, F): "H"}.get(
                (kind, first)
            )
            if short:
                made = short + _spaced(parts[1])
            else:
                sign = {UNTIL: "U", RELEASE: "R", SINCE: "S", TRIGGERED: "T"}[kind]
                made = f"({texts[first.index]} {sign} {texts[second.index]})"
        texts[node.index] = made
    return texts[formula.index]


def _spaced(text: str) -> str:
    return text if text.startswith("(") else " " + text
