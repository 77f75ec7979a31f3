"""Spans: the intervals from one moment to another, as microseconds.

PostgreSQL and DuckDB write such an interval as days and a time of day, both of one sign and without months,
so that its microseconds tell all of it: equal ones are shown alike. Any intervals compare by their
microseconds, a month being 30 days. An interval as written may show the same microseconds otherwise (24
hours, 1 day): it is read beside a comparison alone, and one of months or years not at all.
"""

from __future__ import annotations

import re

import z3

from truespec.domains.sql.ir.dates import DAY, moment
from truespec.domains.sql.ir.kinds import INT, REAL, SPAN
from truespec.domains.sql.ir.logic import FALSE, Expr, disj, ite
from truespec.domains.sql.ir.values import Val

SIZES = {
    "MICROSECOND": 1,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": DAY,
    "WEEK": 7 * DAY,
}
"""Units of one length, in microseconds."""
_WRITTEN = re.compile(r"(\d{1,9}) ([A-Za-z]+)\Z", re.ASCII)
_SHORT = {"SEC": "SECOND", "MIN": "MINUTE"}


def between(later: Val, earlier: Val) -> Val:
    """The span from one day or moment to another one."""
    val = moment(later).val - moment(earlier).val
    return Val(disj(later.null, earlier.null), val, SPAN)


def written(amount: str, unit: str) -> Val | None:
    """A whole number of units as a span; None for units that have no one length."""
    word = unit.upper().removesuffix("S")
    size = SIZES.get(_SHORT.get(word, word))
    if size is None or not re.fullmatch(r"-?\d{1,9}", amount, re.ASCII):
        return None
    return Val(FALSE, z3.IntVal(int(amount) * size), SPAN)


def of_text(literal: str) -> Val | None:
    """The span that a text beside one is read as, where it is a number and a unit."""
    match = _WRITTEN.match(literal)
    return None if match is None else written(match[1], match[2])


def part(value: Val, name: str) -> Val | None:
    """A part of a span: its seconds in all, or its days, or the hours or minutes beside them."""
    if name == "EPOCH":
        return Val(value.null, z3.ToReal(value.val) / z3.RealVal(SIZES["SECOND"]), REAL)
    sizes = {"DAY": (DAY, None), "HOUR": (SIZES["HOUR"], 24), "MINUTE": (SIZES["MINUTE"], 60)}
    if name not in sizes:
        return None
    size, most = sizes[name]
    return Val(
        value.null, ite(value.val >= 0, _whole(value.val, size, most), -_whole(-value.val, size, most)), INT
    )


def _whole(size_of: Expr, size: int, most: int | None) -> Expr:
    whole = size_of / size
    return whole if most is None else whole % most
