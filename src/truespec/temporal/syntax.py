"""Formulas of linear temporal logic with past, as trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

CONSTANTS = ("true", "false")
FUTURE_UNARY = ("X", "N", "F", "G")
PAST_UNARY = ("Y", "Z", "O", "H")
UNARY = ("!", *FUTURE_UNARY, *PAST_UNARY)
FUTURE_BINARY = ("U", "R", "W", "M")
PAST_BINARY = ("S", "T", "B")
TEMPORAL_BINARY = (*FUTURE_BINARY, *PAST_BINARY)
PAST = (*PAST_UNARY, *PAST_BINARY)
CONNECTIVES = ("&", "|", "->", "<->", "xor")
OPERATORS = (*UNARY, *TEMPORAL_BINARY, *CONNECTIVES)


@dataclass(frozen=True, slots=True)
class Formula:
    """An operator with its operands, an atom, or a constant.

    >>> write(Formula("U", (atom("a"), Formula("!", (atom("b"),)))))
    'a U !b'
    """

    op: str
    """One of `OPERATORS`, `true`, `false`, or `atom`."""
    items: tuple[Formula, ...] = ()
    """The operands: two or more for `&` and `|`, one or two for the others."""
    name: str = ""
    """The name of an atom."""


TRUE = Formula("true")
FALSE = Formula("false")


def atom(name: str) -> Formula:
    """The atom of this name."""
    return Formula("atom", (), name)


def negation(formula: Formula) -> Formula:
    """The formula under `!`."""
    return Formula("!", (formula,))


def conjunction(items: list[Formula]) -> Formula:
    """All of the formulas: `true` for none."""
    return Formula("&", tuple(items)) if len(items) > 1 else items[0] if items else TRUE


def disjunction(items: list[Formula]) -> Formula:
    """One of the formulas: `false` for none."""
    return Formula("|", tuple(items)) if len(items) > 1 else items[0] if items else FALSE


def at_most_one(names: tuple[str, ...]) -> Formula:
    """At every position at most one of the atoms holds."""
    rows = [[negation(atom(other)) for other in names if other != name] for name in names]
    return Formula("G", (disjunction([conjunction(row) for row in rows]),)) if len(names) > 1 else TRUE


def parts(formula: Formula) -> Iterator[Formula]:
    """Every occurrence of a subformula, the formula first, in the order of the text."""
    todo = [formula]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(one.items))


def atoms(formula: Formula) -> list[str]:
    """The names of the atoms, in order of first occurrence."""
    return list(dict.fromkeys(one.name for one in parts(formula) if one.op == "atom"))


def size(formula: Formula) -> int:
    """The number of operators, atoms and constants; a conjunction of n parts has n - 1 operators."""
    return sum(max(1, len(one.items) - 1) for one in parts(formula))


TIGHTNESS = {"<->": 1, "->": 2, "xor": 3, "|": 4, "&": 5, **dict.fromkeys(TEMPORAL_BINARY, 6)}
"""From loose to tight; unary operators bind tighter than all of these."""
UNARY_TIGHTNESS = 7


def write(formula: Formula, name: Callable[[str], str] = str) -> str:
    """The formula in infix notation, with the parentheses that the precedence needs; `name` spells an
    atom."""
    return _write(formula, 0, name)


def _write(formula: Formula, outside: int, name: Callable[[str], str]) -> str:
    op, items = formula.op, formula.items
    if op == "atom":
        return name(formula.name)
    if op in CONSTANTS:
        return op
    if op in UNARY:
        inner = _write(items[0], UNARY_TIGHTNESS, name)
        return f"!{inner}" if op == "!" else f"{op} {inner}"
    tight = TIGHTNESS[op]
    if op in ("&", "|"):
        text = f" {op} ".join(_write(item, tight + 1, name) for item in items)
    else:
        left, right = items
        # Both sides of an operator of the same tightness are bracketed unless it groups to the right.
        after = tight if op in ("->", *TEMPORAL_BINARY) and right.op == op else tight + 1
        text = f"{_write(left, tight + 1, name)} {op} {_write(right, after, name)}"
    return f"({text})" if tight < outside else text


_PREFIX = {"->": "i", "<->": "e", "xor": "^"}


def write_prefix(formula: Formula) -> str:
    """The formula in prefix notation, with blanks between tokens, as Lang2LTL writes it.

    >>> write_prefix(Formula("->", (atom("a"), Formula("F", (atom("b"),)))))
    'i a F b'
    """
    if formula.op == "atom":
        return formula.name
    if formula.op in CONSTANTS:
        return formula.op
    op = _PREFIX.get(formula.op, formula.op)
    items = [write_prefix(item) for item in formula.items]
    if len(items) < 3:
        return " ".join([op, *items])
    return " ".join([op] * (len(items) - 1)) + " " + " ".join(items)
