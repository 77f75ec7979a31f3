"""The first moment of the unit that a moment lies in, days by their numbers, and hours and minutes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import as_date, date_value
from truespec.domains.sql.compile.expr.numbers import no_error
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir import spans
from truespec.domains.sql.ir.dates import day, moment, on_the_clock, zoned
from truespec.domains.sql.ir.facts import MONTH_START, WEEK, WEEK_START, YEAR_START
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, SPAN, TEXT, Other
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.ordered_types import part_of_time
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported

_PARTS = {"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
"""Parts of a day, in microseconds."""


def _truncated(reader: Reader, node: exp.TimestampTrunc, scope: Scope) -> Val:
    value = date_value(reader, node.this, scope)
    unit = node.args["unit"].name.upper()
    if value.kind == DATE and reader.dialect.truncated_date_is_zoned:
        if unit in _PARTS:
            raise Unsupported(f"sql: DATE_TRUNC of a date by {unit}")
        return zoned(first_day(value, unit))
    if unit in _PARTS:
        size = _PARTS[unit]
        return Val(value.null, moment(value).val / size * size, DATETIME)
    return moment(first_day(day(value), unit))


def first_day(value: Val, unit: str) -> Val:
    """The first day of the unit that a day lies in."""
    whole = z3.IntSort()
    match unit:
        case "DAY":
            return value
        case "WEEK":
            # Weeks begin on Monday, and day 1 of the calendar was one.
            if z3.is_int_value(value.val):
                return Val(value.null, z3.simplify(value.val - (value.val + 6) % 7), DATE)
            weeks = z3.Function(WEEK, whole, whole)(value.val)
            return Val(value.null, z3.Function(WEEK_START, whole, whole)(weeks), DATE)
        case "MONTH":
            months = z3.Function("yearmonth", whole, whole)(value.val)
            return Val(value.null, z3.Function(MONTH_START, whole, whole)(months), DATE)
        case "QUARTER":
            months = z3.Function("yearmonth", whole, whole)(value.val)
            first = months - (months - 1) % 3
            return Val(value.null, z3.Function(MONTH_START, whole, whole)(first), DATE)
        case "YEAR":
            years = z3.Function("year", whole, whole)(value.val)
            return Val(value.null, z3.Function(YEAR_START, whole, whole)(years), DATE)
    raise Unsupported(f"sql: DATE_TRUNC by {unit}")


_DAYS = 28
"""Days that every month has."""


def _from_parts(reader: Reader, node: exp.DateFromParts, scope: Scope) -> Val:
    return made(reader, [node.args[name] for name in ("year", "month", "day")], scope)


def made(reader: Reader, numbers: Sequence[exp.Expr], scope: Scope) -> Val:
    """MAKE_DATE: the first of the month, and so many days on; the engine fails where there is no such day."""
    parts = [reader.value(part, scope) for part in numbers]
    if any(part.kind != INT for part in parts):
        raise Unsupported("sql: MAKE_DATE of numbers that are no integers")
    year, month, number = (part.val for part in parts)
    if not (z3.is_int_value(number) and 1 <= number.as_long() <= _DAYS):
        raise Unsupported("sql: MAKE_DATE of a day that not every month has")
    null = disj(*(part.null for part in parts))
    if not z3.is_int_value(year) or not 1 <= year.as_long() <= datetime.MAXYEAR:
        no_error(reader, conj(neg(null), neg(_is_year(year))), "a year that is none", scope)
    no_error(reader, conj(neg(null), disj(month < 1, month > 12)), "a month that is none", scope)
    months = z3.simplify(12 * year + month)
    first = z3.Function(MONTH_START, z3.IntSort(), z3.IntSort())(months)
    value = z3.simplify(first + number - 1)
    return Val(null, value, DATE)


def _is_year(year: Expr) -> Formula:
    """Whether a number is the year of some day."""
    some = z3.Int("some!day")
    of_day = z3.Function("year", z3.IntSort(), z3.IntSort())(some)
    return z3.Exists([some], of_day == year, patterns=[of_day])


def _clock_of(reader: Reader, node: exp.Hour | exp.Minute, scope: Scope) -> Val:
    value, part = reader.value(node.this, scope), type(node).__name__.upper()
    of_span = spans.part(value, part) if value.kind == SPAN else None
    if of_span is not None:
        return of_span
    of_time = part_of_time(value, part, reader.dialect)
    if of_time is not None:
        return of_time
    if isinstance(value.kind, Other) or (value.kind == TEXT and not reader.dialect.errors_raise):
        return opaque(reader.dialect, part, [value], INT)  # of a time of day, or of a text that may be one
    return on_the_clock(as_date(reader, value), part)


READERS: Readers = {
    exp.TimestampTrunc: _truncated,
    exp.DateFromParts: _from_parts,
    exp.Hour: _clock_of,
    exp.Minute: _clock_of,
}
