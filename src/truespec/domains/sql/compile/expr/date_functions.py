"""Functions of dates, and dates moved by intervals."""

from __future__ import annotations

import datetime
import re
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.numbers import as_number, truncated
from truespec.domains.sql.compile.expr.text_dates import text_of_date
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir import monotone_days, spans
from truespec.domains.sql.ir.dates import (
    DAY,
    day,
    day_of_zoned,
    day_within,
    moment,
    read_date,
    zoned,
)
from truespec.domains.sql.ir.day_parts import (
    begin_of_month,
    month_begun,
    month_number,
    month_text,
    months,
    two_digits,
    year_number,
    year_text,
)
from truespec.domains.sql.ir.facts import ZONED_DAY, digits
from truespec.domains.sql.ir.kinds import (
    DATE,
    DATETIME,
    INT,
    MOMENTS,
    TEXT,
    ZONED,
)
from truespec.domains.sql.ir.logic import FALSE, Formula, disj
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported


def date_arithmetic(reader: Reader, left: Val, right: Val, sign: int) -> Val | None:
    """In PostgreSQL and DuckDB, a date plus or minus days, and the days or the span between two dates."""
    if not reader.dialect.dates_count_days:
        return None
    null = disj(left.null, right.null)
    if left.kind == DATE and right.kind == INT:
        return Val(null, z3.simplify(left.val + right.val * sign), DATE)
    if left.kind == right.kind == DATE and sign < 0:
        return Val(null, left.val - right.val, INT)
    if left.kind in MOMENTS and right.kind in MOMENTS and sign < 0 and reader.dialect.moments_differ_by_spans:
        return spans.between(left, right)
    return None


_AS_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""How MariaDB writes a day as a text."""
_FORMAT = re.compile(r"[^%]|%(.)", re.DOTALL)
"""A letter of a date format, or a character that stands for itself."""


def date_value(reader: Reader, node: Any, scope: Scope) -> Val:
    return as_date(reader, _dated(reader, node, scope))


def _dated(reader: Reader, node: Any, scope: Scope) -> Val:
    # The parser wraps what DATE_FORMAT is given.
    node = _written(node)
    return reader.value(_of_days(node) if reader.dialect.mixed_branches_are_texts else node, scope)


def _of_days(node: Any) -> Any:
    """CASE, IF or COALESCE of texts and days as one of days, for a date function to read.

    The engine makes texts of all branches and reads a day from the one that it takes; from the text of a day
    it reads that day. So texts that are written as days are may be read first.
    """
    if not isinstance(node, exp.Case | exp.If | exp.Coalesce):
        return node
    node = node.copy()
    for branch in _branches(node):
        if isinstance(branch, exp.Literal) and branch.is_string and _AS_DAY.fullmatch(branch.this):
            branch.replace(exp.Cast(this=branch.copy(), to=exp.DataType.build("DATE")))
    return node


def _branches(node: Any) -> list[Any]:
    """What CASE, IF or COALESCE may be."""
    if isinstance(node, exp.Coalesce):
        return [node.this, *node.expressions]
    if isinstance(node, exp.If):
        return [node.args.get("true"), node.args.get("false")]
    return [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]


def as_date(reader: Reader, value: Val) -> Val:
    if value.kind == TEXT and value.literal is not None and reader.dialect.text_literals_convert:
        value = read_date(reader.world, value.literal)
    if value.kind == ZONED:
        value = day_within(value) or value  # the first moment of a day, in UTC
    if value.kind not in MOMENTS:
        raise Unsupported(f"sql: a date function of a value of type {value.kind}")
    return value


def _to_date(reader: Reader, node: exp.TsOrDsToDate, scope: Scope) -> Val:
    return day(date_value(reader, node.this, scope))


def _to_moment(reader: Reader, node: exp.TsOrDsToTimestamp, scope: Scope) -> Val:
    return moment(date_value(reader, node.this, scope))


def _datediff(reader: Reader, node: exp.DateDiff, scope: Scope) -> Val:
    unit = node.args.get("unit")
    if unit is not None and reader.dialect.datediff_counts_boundaries:
        return _boundaries(reader, node, unit.name.upper(), scope)
    if not reader.dialect.datediff_counts_days or (unit is not None and unit.name.upper() != "DAY"):
        raise Unsupported("sql: DATEDIFF outside MySQL")
    left, right = _counted_day(reader, node.this, scope), _counted_day(reader, node.expression, scope)
    return Val(disj(left.null, right.null), left.val - right.val, INT)


def _boundaries(reader: Reader, node: exp.DateDiff, unit: str, scope: Scope) -> Val:
    """How many units begin after the first moment, up to the second."""
    values = [date_value(reader, part, scope) for part in (node.this, node.expression)]
    null = disj(*(value.null for value in values))
    if unit == "DAY":
        last, first = (day(value).val for value in values)
    elif unit in ("MONTH", "YEAR"):
        number = z3.Function("year" if unit == "YEAR" else "yearmonth", z3.IntSort(), z3.IntSort())
        last, first = (number(day(value).val) for value in values)
    elif unit in ("HOUR", "MINUTE", "SECOND"):
        last, first = (moment(value).val / spans.SIZES[unit] for value in values)
    else:
        raise Unsupported(f"sql: DATEDIFF by {unit}")
    return Val(null, last - first, INT)


def whole_units(reader: Reader, arguments: list[Any], scope: Scope) -> Val:
    """DuckDB's DATE_SUB: the whole units from one moment to another, cut toward zero."""
    unit = str(arguments[0].name).upper() if isinstance(arguments[0], exp.Literal) else ""
    earlier, later = (moment(date_value(reader, part, scope)) for part in arguments[1:])
    if unit not in spans.SIZES:
        raise Unsupported(f"sql: DATE_SUB by {unit or 'no literal'}")
    number = truncated(later.val - earlier.val, z3.IntVal(spans.SIZES[unit]))
    return Val(disj(earlier.null, later.null), number, INT)


_BEFORE_ALL = "0000-01-01"
"""The day from which TO_DAYS counts, as the parser writes it; MariaDB counts 365 days in that year."""


def _counted_day(reader: Reader, node: Any, scope: Scope) -> Val:
    written = node.this if isinstance(node, exp.TsOrDsToDate) else node
    if isinstance(written, exp.Literal) and written.this == _BEFORE_ALL:
        return Val(FALSE, z3.IntVal(datetime.date.min.toordinal() - 365), DATE)
    return day(date_value(reader, node, scope))


def _timestampdiff(reader: Reader, node: exp.TimestampDiff, scope: Scope) -> Val:
    left, right = date_value(reader, node.this, scope), date_value(reader, node.expression, scope)
    unit = node.args["unit"].name.upper() if node.args.get("unit") is not None else ""
    null = disj(left.null, right.null)
    if left.kind == right.kind == DATE and unit == "DAY":
        return Val(null, left.val - right.val, INT)
    if not reader.dialect.datediff_counts_days or unit not in (*spans.SIZES, "MONTH", "QUARTER", "YEAR"):
        raise Unsupported(f"sql: TIMESTAMPDIFF by {unit or 'no unit'}")
    if left.kind == right.kind == DATE and unit in monotone_days.WHOLE:
        return Val(null, monotone_days.whole(unit, right.val, left.val), INT)
    left, right = moment(left), moment(right)
    if unit not in spans.SIZES:
        return opaque(reader.dialect, f"timestampdiff {unit}", [left, right], INT)
    return Val(null, truncated(left.val - right.val, z3.IntVal(spans.SIZES[unit])), INT)


def _last_day(reader: Reader, node: exp.LastDay, scope: Scope) -> Val:
    if node.args.get("unit") is not None:
        raise Unsupported("sql: LAST_DAY of a unit")
    value = day(date_value(reader, node.this, scope))
    next_one = begin_of_month(months(value) + 1)
    return Val(value.null, next_one - 1, DATE)


def weekday(reader: Reader, node: exp.Expr, scope: Scope) -> Val:
    """MariaDB's WEEKDAY: 0 for Monday. Day 1 of the calendar was a Monday."""
    value = day(date_value(reader, node, scope))
    return Val(value.null, (value.val + 6) % 7, INT)


def _dateadd(reader: Reader, node: exp.DateAdd, scope: Scope) -> Val:
    return shift(reader, node.this, node, scope, 1)


def _datesub(reader: Reader, node: exp.DateSub, scope: Scope) -> Val:
    return shift(reader, node.this, node, scope, -1)


def shift(reader: Reader, node: exp.Expr, interval: Any, scope: Scope, sign: int) -> Val:
    """A date moved by an interval; in MariaDB a text is a text again, in the standard form."""
    value = _dated(reader, node, scope)
    whole = z3.is_app(value.val) and value.val.decl().name() == ZONED_DAY
    dated = value if value.kind == ZONED and whole else as_date(reader, value)
    moved = _moved(reader, dated, interval, scope, sign)
    if not reader.dialect.shifted_texts_stay_texts or value.kind != TEXT:
        return moved
    number = z3.simplify(moved.val)
    if not z3.is_int_value(number) or not z3.is_false(z3.simplify(moved.null)):
        raise Unsupported("sql: a text moved by an interval that is no literal")
    days, rest = divmod(number.as_long() * (DAY if moved.kind == DATE else 1), DAY)
    if not 1 <= days <= datetime.date.max.toordinal():
        raise Unsupported("sql: a date outside the calendar")
    start = datetime.datetime.fromordinal(days)
    text = str(start.date() if moved.kind == DATE else start + datetime.timedelta(microseconds=rest))
    return Val(FALSE, reader.world.text(text), TEXT, text)


_WHOLE = re.compile(r"-?\d{1,9}\Z", re.ASCII)


def _moved(reader: Reader, value: Val, interval: Any, scope: Scope, sign: int) -> Val:
    """A date moved by an interval; dates outside the calendar are out of scope, as overflow is."""
    amount_node = interval.this if isinstance(interval, exp.Interval) else interval.expression
    if isinstance(amount_node, exp.Interval):
        interval, amount_node = amount_node, amount_node.this
    unit = interval.args.get("unit")
    if (unit is None and not reader.dialect.intervals_default_to_days) or not isinstance(
        unit, exp.Var | None
    ):
        raise Unsupported("sql: an interval without a unit, or with several")
    unit_name = unit.name.upper() if unit is not None else "DAY"
    if isinstance(amount_node, exp.Literal) and _WHOLE.match(amount_node.this):
        # The parser makes a text of a number in an interval; engines read either as the number.
        amount = Val(FALSE, z3.IntVal(int(amount_node.this)), INT)
    else:
        amount = as_number(reader, reader.value(amount_node, scope))
    if amount.kind != INT or not reader.dialect.intervals_read:
        raise Unsupported("sql: an interval that is no whole number")
    null = disj(value.null, amount.null)
    word = unit_name.removesuffix("S")
    factor = {"DAY": 1, "WEEK": 7}.get(word)
    keeps = reader.dialect.shifted_dates_stay_dates
    if not keeps and not isinstance(interval, exp.Interval):
        raise Unsupported("sql: date arithmetic")
    if factor is None:
        return _moved_by(reader, value, amount, null, sign, word)
    if value.kind == ZONED:
        return zoned(Val(null, day_of_zoned(value).val + amount.val * (sign * factor), DATE))
    if value.kind == DATE and keeps:
        moved = z3.simplify(value.val + amount.val * (sign * factor))
        if z3.is_int_value(moved):
            reader.world.note_date(moved.as_long())
        return Val(null, moved, DATE)
    return Val(null, moment(value).val + amount.val * (sign * factor * DAY), DATETIME)


_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
"""Units of several lengths, in months."""


def _moved_by(reader: Reader, value: Val, amount: Val, null: Formula, sign: int, unit: str) -> Val:
    """A moment moved by months, of which it keeps the time of day, or by parts of a day."""
    if unit in _MONTHS:
        first = day_of_zoned(value) if value.kind == ZONED else day(value)
        moved = _shift_months(reader, first, amount, null, sign * _MONTHS[unit])
        if value.kind == ZONED:
            return zoned(moved)
        if value.kind == DATETIME and day_within(value) is not None:
            return moment(moved)
        if value.kind == DATE and reader.dialect.shifted_dates_stay_dates:
            return moved
        if value.kind == DATE:
            return moment(moved)
        return Val(null, moment(moved).val + value.val % DAY, DATETIME)
    if unit not in ("HOUR", "MINUTE", "SECOND") or value.kind == ZONED:
        raise Unsupported(f"sql: an interval of {unit}")
    return Val(null, moment(value).val + amount.val * (sign * spans.SIZES[unit]), DATETIME)


def _shift_months(reader: Reader, value: Val, amount: Val, null: Formula, factor: int) -> Val:
    if z3.is_int_value(value.val) and z3.is_int_value(amount.val):
        start = datetime.date.fromordinal(value.val.as_long())
        total = start.year * 12 + start.month - 1 + amount.val.as_long() * factor
        year, month = divmod(total, 12)
        if not 1 <= year < 9999:
            raise Unsupported("sql: a date outside the calendar")
        first = datetime.date(year, month + 1, 1)
        last = (datetime.date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1) - first).days
        moved = first.replace(day=min(start.day, last)).toordinal()
        reader.world.note_date(moved)
        return Val(null, z3.IntVal(moved), DATE)
    number = amount.val * factor
    month = month_begun(value.val)
    if month is not None:
        return Val(null, begin_of_month(month + number), DATE)  # it has a first day as well
    if z3.is_int_value(value.val):
        start = datetime.date.fromordinal(value.val.as_long())
        if start.day == 1:
            return Val(null, begin_of_month(12 * start.year + start.month + number), DATE)
    return Val(null, monotone_days.added(value.val, z3.simplify(number)), DATE)


def interval_of(node: Any) -> Any:
    """A multiple of an interval as one interval; None for anything else."""
    if isinstance(node, exp.Interval):
        return node
    if not isinstance(node, exp.Mul):
        return None
    for one, other in ((node.this, node.expression), (node.expression, node.this)):
        one = one.unnest()
        if (
            isinstance(one, exp.Interval)
            and isinstance(one.this, exp.Literal)
            and _WHOLE.match(one.this.this)
        ):
            number = exp.Literal.number(one.this.this)
            return exp.Interval(this=exp.Mul(this=number, expression=other), unit=one.args.get("unit"))
    return None


def year_of(reader: Reader, node: exp.Year, scope: Scope) -> Val:
    value = day(date_value(reader, node.this, scope))
    return Val(value.null, year_number(value), INT)


def month_of(reader: Reader, node: exp.Month, scope: Scope) -> Val:
    value = day(date_value(reader, node.this, scope))
    return Val(value.null, month_number(value), INT)


def _timetostr(reader: Reader, node: exp.TimeToStr, scope: Scope) -> Val:
    form = node.args.get("format")
    if not isinstance(form, exp.Literal):
        raise Unsupported("sql: a date format that is no literal")
    if reader.dialect.dates_are_texts:
        return text_of_date(reader, f"strftime {form.this}", _written(node.this), scope, TEXT)
    value = day(date_value(reader, node.this, scope))
    if form.this == "%Y-%m":
        return month_text(value)
    if form.this == "%Y%m":
        return Val(value.null, digits(100 * year_number(value) + month_number(value), 6), TEXT)
    if form.this == "%Y":
        return year_text(value)
    if form.this == "%m":
        return two_digits(value, month_number(value))
    letters = {piece[1] for piece in _FORMAT.finditer(form.this) if piece[1]}
    if not letters <= reader.dialect.date_format_letters or form.this.endswith("%"):
        raise Unsupported(f"sql: the date format {form.this[:40]!r}")
    whole = date_value(reader, node.this, scope)
    return opaque(reader.dialect, f"format {form.this}", [whole], TEXT)


def _written(node: Any) -> Any:
    """What stands in the text: the parser wraps it."""
    return node.this if isinstance(node, exp.TsOrDsToTimestamp) else node


def _date_of(reader: Reader, node: exp.Date, scope: Scope) -> Val:
    if reader.dialect.dates_are_texts:
        return text_of_date(reader, "date", node.this, scope, TEXT)
    return day(date_value(reader, node.this, scope))


READERS: Readers = {
    exp.TsOrDsToDate: _to_date,
    exp.TsOrDsToTimestamp: _to_moment,
    exp.DateDiff: _datediff,
    exp.TimestampDiff: _timestampdiff,
    exp.LastDay: _last_day,
    exp.DateAdd: _dateadd,
    exp.DateSub: _datesub,
    exp.Year: year_of,
    exp.Month: month_of,
    exp.TimeToStr: _timetostr,
    exp.Date: _date_of,
}
