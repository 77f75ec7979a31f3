"""Values of types of which the equality and the order are known: times of day, years, UUIDs, bits, bytes.

Each has a rank, a number, by which it is compared: the order of these types is total, and no two values are
alike in it. The rank of a year is its number. A value that is written stands for itself: times have the order
of their digits, and UUIDs that are written otherwise differ.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable

import z3

from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.kinds import INT, TEXT, Kind, Other, Padded
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula
from truespec.domains.sql.ir.opaque import strict
from truespec.domains.sql.ir.symbols import name_of
from truespec.domains.sql.ir.values import Val, to_real

_ORDERED = re.compile(
    r"other:(TIME|YEAR|UUID|BIT|BYTEA|(?:TINY|MEDIUM|LONG)?BLOB|(?:VAR)?BINARY)(?:\(\d+\))?"
)
"""The labels of the types that are read so."""
_WRITTEN = "value!"
"""How the names of values that are written begin."""
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?", re.ASCII)
_YEARS = re.compile(r"19(?!00)[0-9]{2}|20[0-9]{2}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def is_ordered(kind: Kind) -> bool:
    """Whether values of a kind are compared by their ranks."""
    return isinstance(kind, Other) and not isinstance(kind, Padded) and _type_of(kind.label) != ""


def _type_of(label: str) -> str:
    found = _ORDERED.fullmatch(label)
    return "" if found is None else found[1]


TIME_OF_DAY = Other("other:TIME")
"""Times of day, as columns of type TIME hold them."""


def part_of_time(value: Val, part: str, dialect: Dialect) -> Val | None:
    """The hours or minutes of a time of day; None for any other value or part."""
    if _type_of(value.kind.label) != "TIME" or part not in ("HOUR", "MINUTE"):
        return None
    found = strict(dialect, f"{part} of a time", [value], INT)
    return to_real(found) if dialect.extract_is_numeric else found


def rank(value: Expr, kind: Kind) -> Expr:
    """The rank of a value among those of its type."""
    numbers = z3.IntSort() if _type_of(kind.label) == "YEAR" else z3.RealSort()
    return z3.Function(f"rank {kind.label}", kind.sort, numbers)(value)


def number_of(value: Val, beside: Val) -> Val | None:
    """A year beside a column of integers, as its number; None for all else.

    Of a constant, MariaDB makes a year first.
    """
    plain = beside.kind == INT and z3.is_app(beside.val) and name_of(beside.val).startswith("column ")
    if _type_of(value.kind.label) != "YEAR" or not plain:
        return None
    return Val(value.null, rank(value.val, value.kind), INT)


def written(value: Val, kind: Kind, dialect: Dialect) -> Val | None:
    """A literal beside a value of a type, as one of that type; None where it is not read.

    MariaDB makes of a year below 100 another one, and of `18` the eighteenth second.
    """
    literal = value.literal
    if literal is None and value.kind == INT and z3.is_int_value(value.val):
        literal = str(value.val.as_long())
    name = _type_of(kind.label)
    if literal is None or value.kind not in ({INT} if name == "YEAR" else {TEXT}):
        return None
    if name == "TIME":
        clock = _CLOCK.fullmatch(literal)
        if clock is None or (clock[1] is None and not dialect.literals_take_type):
            return None
        literal = literal if clock[1] else f"{literal}:00"
    elif name == "YEAR" and not _YEARS.fullmatch(literal):
        return None
    elif name == "UUID":
        if not _UUID.fullmatch(literal):
            return None
        literal = literal.lower()
    elif name != "YEAR" and not dialect.literals_take_type:
        return None
    return Val(FALSE, z3.Const(f"{_WRITTEN}{kind.label} {literal}", kind.sort), kind)


def facts(names: Iterable[str]) -> list[Formula]:
    """What is true of the ranks and the written values among these names."""
    found: list[Formula] = []
    values: dict[str, list[str]] = defaultdict(list)
    ranked: set[str] = set()
    for name in sorted(names):
        if name.startswith(_WRITTEN):
            label, _, literal = name.removeprefix(_WRITTEN).partition(" ")
            values[label].append(literal)
        elif name.startswith("rank other:"):
            ranked.add(name.removeprefix("rank "))
    for label in sorted(ranked):
        value = z3.Const("any!value", Other(label).sort)
        place = rank(value, Other(label))
        back = z3.Function(f"ranked {label}", place.sort(), value.sort())
        found.append(z3.ForAll([value], back(place) == value, patterns=[place]))
    for label, literals in values.items():
        kind = Other(label)
        consts = [z3.Const(f"{_WRITTEN}{label} {literal}", kind.sort) for literal in literals]
        if _type_of(label) in ("TIME", "YEAR", "UUID") and len(consts) > 1:
            found.append(z3.Distinct(*consts))
        if _type_of(label) == "YEAR" and label in ranked:
            found += [rank(one, kind) == int(text) for one, text in zip(consts, literals, strict=True)]
        if _type_of(label) == "TIME" and label in ranked:
            found += [rank(one, kind) < rank(other, kind) for one, other in itertools.pairwise(consts)]
    return found
