"""DATE_TRUNC: the first moment of the unit that a moment lies in."""

from __future__ import annotations

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import date_value
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.dates import day, moment, zoned
from truespec.domains.sql.ir.facts import MONTH_START, YEAR_START
from truespec.domains.sql.ir.kinds import DATE, DATETIME
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
            return Val(value.null, value.val - (value.val + 6) % 7, DATE)
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


READERS: Readers = {exp.TimestampTrunc: _truncated}
