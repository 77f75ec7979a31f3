"""Kinds: the families of values that are computed with alike.

A kind decides how a value is represented (its Z3 sort), what stands where a NULL has no value, and which
conversions and comparisons are read. Two kinds are the same where they are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import z3

from truespec.domains.sql.ir.logic import FALSE, Expr
from truespec.solvers.z3 import standing

TEXT_SORT = standing(lambda: z3.DeclareSort("Text"))
"""Texts by their bytes; nothing but equality is built in."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of values; `str` is its label, which names symbols of Z3 and tells kinds apart."""

    label: str
    """A text that no other kind has."""

    def __str__(self) -> str:
        return self.label

    @property
    def shown(self) -> str:
        """How messages call it."""
        return self.label

    @property
    def sort(self) -> Any:
        """The Z3 sort of its values."""
        return _SORTS[self.label]

    @property
    def stand_in(self) -> Expr:
        """The value that stands where a NULL has none, so that each tuple has one representation."""
        return (
            _STAND_INS[self.label] if self.label in _STAND_INS else z3.Const(f"nil!{self.label}", self.sort)
        )

    @property
    def in_expression(self) -> Kind:
        """The kind of an expression that passes such a value on."""
        return self


INT = Kind("int")
"""What the engine computes as an integer."""
REAL = Kind("real")
"""What the engine computes as a fraction; a rational here."""
LOOSE = Kind("loose")
"""What the engine may compute as either; a rational here.

SQLite goes by the value stored, PostgreSQL by the width of the integers summed. Only division and text tell
this kind from the other numbers, and neither is read.
"""
BOOL = Kind("bool")
"""Truth values."""
TEXT = Kind("text")
"""Texts."""
DATE = Kind("date")
"""Days, counted."""
DATETIME = Kind("datetime")
"""Moments: microseconds, counted."""
TIME = Kind("time")
"""Times of day: microseconds, counted."""
SPAN = Kind("span")
"""Intervals from one moment to another: microseconds, counted (`ir/spans.py`)."""
CLASS = Kind("class")
"""Texts up to what the collation calls equal."""
NULL_KIND = Kind("null")
"""NULL as written, which has no type."""
DATED = Kind("dated")
"""SQLite's columns of type DATE, TIME and DATETIME: texts, but what is written like a number is a number.

A text beside such a column becomes a number as well where it can, so that only other literals are compared.
"""

NUMBERS = frozenset({INT, REAL, LOOSE})
"""Kinds of number."""
MOMENTS = frozenset({DATE, DATETIME})
"""Kinds of day and moment."""


@dataclass(frozen=True, slots=True)
class Other(Kind):
    """A type that is not modelled beyond equality; its label is `other:` and the type."""

    @property
    def shown(self) -> str:
        return self.label.removeprefix("other:")

    @property
    def sort(self) -> Any:
        return z3.DeclareSort(self.label)


UNTYPED = Other("other:NULL")
"""An output that is NULL as written in every row: another side of a UNION gives it a type."""
BARE = Other("other:NULL column")
"""Such an output seen from outside, where an engine gives it a type that is not modelled."""
ZONED = Other("other:TIMESTAMPTZ")
"""PostgreSQL's moments with a zone."""
ALWAYS_NULL = frozenset({NULL_KIND, UNTYPED, BARE})
"""Kinds of values that are NULL in every row, and have no type that a query has written."""


@dataclass(frozen=True, slots=True)
class Padded(Other):
    """PostgreSQL's CHAR(n): such a value is its text without the blanks at its end."""

    @property
    def sort(self) -> Any:
        return TEXT_SORT


@dataclass(frozen=True, slots=True)
class Enumerated(Kind):
    """An ENUM column: a text that is sorted by its place among the members, as long as queries pass it on."""

    @property
    def sort(self) -> Any:
        return TEXT_SORT

    @property
    def stand_in(self) -> Expr:
        return TEXT.stand_in

    @property
    def in_expression(self) -> Kind:
        return TEXT


@dataclass(frozen=True, slots=True)
class Sealed(Kind):
    """Values that are shown or tested for NULL and never compared: their `=` is no identity."""

    derived: bool = False
    """Whether the value is no column any more: an engine may sort it otherwise."""

    @property
    def shown(self) -> str:
        return self.label.removeprefix("sealed:")

    @property
    def sort(self) -> Any:
        return z3.DeclareSort(self.label)

    @property
    def in_expression(self) -> Kind:
        return replace(self, derived=True)


def padded(size: int) -> Padded:
    """The kind of CHAR(n)."""
    return Padded(f"other:CHAR({size})")


def enumerated(place: int) -> Enumerated:
    """The kind of the ENUM columns with one list of members, by the list's number."""
    return Enumerated(f"enum:{place}")


_SORTS: dict[str, Any] = {
    **dict.fromkeys(("int", "date", "datetime", "time", "span", "null"), standing(z3.IntSort)),
    **dict.fromkeys(("real", "loose", "class"), standing(z3.RealSort)),
    **dict.fromkeys(("text", "dated"), TEXT_SORT),
    "bool": standing(z3.BoolSort),
}
_STAND_INS: dict[str, Expr] = {
    **dict.fromkeys(("int", "date", "datetime", "time", "span", "null"), standing(lambda: z3.IntVal(0))),
    **dict.fromkeys(("real", "loose", "class"), standing(lambda: z3.RealVal(0))),
    "bool": FALSE,
}
