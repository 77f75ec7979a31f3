"""EXTRACT and other parts of days and moments."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import as_date, date_value, month_of, year_of
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir import monotone_days, ordered_types, spans
from truespec.domains.sql.ir.dates import CLOCK, day, on_the_clock
from truespec.domains.sql.ir.day_parts import day_of_month, month_number, year_number
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, REAL, SPAN, Sealed
from truespec.domains.sql.ir.logic import FALSE, disj
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import Val, to_real
from truespec.solvers.z3 import standing
from truespec.verdict import Unsupported


def _extract(reader: Reader, node: exp.Extract, scope: Scope) -> Val:
    part = node.this.name.upper()
    if reader.dialect.extract_of_null_is_double and z3.is_true(reader.value(node.expression, scope).null):
        raise Unsupported("sql: EXTRACT of a NULL, a DOUBLE in DuckDB whatever the part")
    if part in ("YEAR", "MONTH") and not isinstance(reader.value(node.expression, scope).kind, Sealed):
        if part == "YEAR":
            value = year_of(reader, exp.Year(this=node.expression), scope)
        else:
            value = month_of(reader, exp.Month(this=node.expression), scope)
        return to_real(value) if reader.dialect.extract_is_numeric else value
    span = reader.value(node.expression, scope)
    if isinstance(span.kind, Sealed):
        years = _age(reader, node.expression, scope) if part == "YEAR" else None
        if years is not None:
            return years
        return opaque(reader.dialect, f"extract {part}", [span], REAL)
    if span.kind == SPAN:
        found = spans.part(span, part)
        if found is None:
            return opaque(reader.dialect, f"extract {part}", [span], REAL)
        return to_real(found) if reader.dialect.extract_is_numeric else found
    clock = ordered_types.part_of_time(span, part, reader.dialect)
    if clock is not None:
        return clock
    value = as_date(reader, span)
    if part == "EPOCH" and reader.dialect.moments_differ_by_spans:
        seconds = spans.part(spans.between(value, _EPOCH), part)
        assert seconds is not None
        return seconds
    if part in CLOCK and value.kind == DATETIME:  # of a DATE, PostgreSQL has none
        found = on_the_clock(value, part)
        return to_real(found) if reader.dialect.extract_is_numeric else found
    if part in _COUNTED:
        found = _COUNTED[part](day(value))
        return to_real(found) if reader.dialect.extract_is_numeric else found
    return opaque(reader.dialect, f"extract {part}", [value], REAL)


_EPOCH = Val(FALSE, standing(lambda: z3.IntVal(datetime.date(1970, 1, 1).toordinal())), DATE)
"""The day from whose first moment seconds are counted."""


def _age(reader: Reader, node: Any, scope: Scope) -> Val | None:
    """The years of AGE(a, b) in PostgreSQL, of two days: the whole ones from b to a."""
    if not (isinstance(node, exp.Anonymous) and node.name.upper() == "AGE" and len(node.expressions) == 2):
        return None
    later, earlier = (date_value(reader, part, scope) for part in node.expressions)
    if not (reader.dialect.extract_is_numeric and later.kind == earlier.kind == DATE):
        return None
    years = monotone_days.whole("YEAR", earlier.val, later.val)
    return to_real(Val(disj(later.null, earlier.null), years, INT))


def _quarter(value: Val) -> Val:
    return Val(value.null, (month_number(value) + 2) / 3, INT)


def _year_and_month(value: Val) -> Val:
    return Val(value.null, 100 * year_number(value) + month_number(value), INT)


def _from_sunday(value: Val) -> Val:
    return Val(value.null, value.val % 7, INT)


def _from_monday(value: Val) -> Val:
    return Val(value.null, (value.val + 6) % 7 + 1, INT)


_COUNTED = {
    "DAY": day_of_month,
    "QUARTER": _quarter,
    "YEAR_MONTH": _year_and_month,
    "DOW": _from_sunday,
    "DAYOFWEEK": _from_sunday,
    "ISODOW": _from_monday,
}
"""Parts of a day that are computed: day 1 of the calendar was a Monday."""


def _quarter_of(reader: Reader, node: exp.Quarter, scope: Scope) -> Val:
    return _quarter(day(date_value(reader, node.this, scope)))


def _weekday_of(reader: Reader, node: exp.DayOfWeek, scope: Scope) -> Val:
    found = _from_sunday(day(date_value(reader, node.this, scope)))
    return replace(found, val=found.val + reader.dialect.number_of_sunday)


def _iso_weekday_of(reader: Reader, node: exp.DayOfWeekIso, scope: Scope) -> Val:
    return _from_monday(day(date_value(reader, node.this, scope)))


def _day_of_year(reader: Reader, node: exp.DayOfYear, scope: Scope) -> Val:
    return opaque(reader.dialect, "day of the year", [day(date_value(reader, node.this, scope))], INT)


def _day(reader: Reader, node: exp.Day, scope: Scope) -> Val:
    return day_of_month(day(date_value(reader, node.this, scope)))


def _seconds_of(reader: Reader, node: exp.TimeToUnix, scope: Scope) -> Val:
    """DuckDB's EPOCH: what EXTRACT gives."""
    if not reader.dialect.moments_differ_by_spans:
        raise Unsupported("sql: the seconds since 1970")
    return _extract(reader, exp.Extract(this=exp.var("EPOCH"), expression=node.this), scope)


READERS: Readers = {
    exp.Extract: _extract,
    exp.TimeToUnix: _seconds_of,
    exp.Day: _day,
    exp.DayOfMonth: _day,
    exp.Quarter: _quarter_of,
    exp.DayOfWeek: _weekday_of,
    exp.DayOfWeekIso: _iso_weekday_of,
    exp.DayOfYear: _day_of_year,
}
