"""Days and moments: literals, and the one as the other."""

from __future__ import annotations

import contextlib
import datetime
import re

import z3

from truespec.domains.sql.ir.facts import DAY_ZONED, ZONED_DAY
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, ZONED, Kind
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula
from truespec.domains.sql.ir.symbols import operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.verdict import Unsupported

DAY = 86_400_000_000
"""Microseconds in a day."""
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?)?\Z", re.ASCII)


def read_date(world: World, literal: str) -> Val:
    """A date or a moment, as its literal says; `Unsupported` for one that no calendar has."""
    match = _DATE.match(literal)
    if not match:
        raise Unsupported(f"sql: the text {literal[:40]!r} where a date is needed")
    parts = [int(part) for part in match.groups() if part is not None]
    try:
        days = datetime.date(*parts[:3]).toordinal()
    except ValueError as error:
        raise Unsupported(f"sql: the text {literal[:40]!r} is no date of the calendar") from error
    world.note_date(days)
    if len(parts) == 3:
        return Val(FALSE, z3.IntVal(days), DATE)
    hour, minute, second = (*parts[3:], 0)[:3]
    if hour > 23 or minute > 59 or second > 59:
        raise Unsupported(f"sql: the text {literal[:40]!r} is no time of day")
    world.note_date(days + 1)
    world.to_the_second |= second > 0
    return Val(FALSE, z3.IntVal(days * DAY + (hour * 3600 + minute * 60 + second) * 1_000_000), DATETIME)


def number_of_day(value: Val) -> Val:
    """A day as MariaDB computes with it: the integer YYYYMMDD; what stands beside a NULL is no day."""
    if z3.is_int_value(value.val) and 1 <= value.val.as_long() <= datetime.date.max.toordinal():
        date = datetime.date.fromordinal(value.val.as_long())
        return Val(value.null, z3.IntVal(date.year * 10000 + date.month * 100 + date.day), INT)
    return Val(value.null, z3.Function("number.day", z3.IntSort(), z3.IntSort())(value.val), INT)


def moment_of_number(value: Val) -> Val:
    """An integer as MariaDB compares it with a day; one that is no date comes before all days."""
    if z3.is_int_value(value.val) and 1000_00_00 <= (number := value.val.as_long()) <= 9999_12_31:
        with contextlib.suppress(ValueError):
            days = datetime.date(number // 10000, number // 100 % 100, number % 100).toordinal()
            return Val(value.null, z3.IntVal(days * DAY), DATETIME)
    return Val(value.null, z3.Function("moment.number", z3.IntSort(), z3.IntSort())(value.val), DATETIME)


def zoned(value: Val) -> Val:
    """A day as its first moment in UTC, the session's zone: of such moments equality alone is known."""
    return Val(value.null, z3.Function(ZONED_DAY, z3.IntSort(), ZONED.sort)(value.val), ZONED)


def day_of_zoned(value: Val) -> Val:
    """The day of a moment with a zone."""
    if z3.is_app(value.val) and value.val.decl().name() == ZONED_DAY:
        return Val(value.null, value.val.arg(0), DATE)
    return Val(value.null, z3.Function(DAY_ZONED, ZONED.sort, z3.IntSort())(value.val), DATE)


def zoned_less(left: Val, right: Val) -> Formula | None:
    """Whether a moment with a zone is before another one, of which one is the first moment of a day."""
    first, second = day_within(left), day_within(right)
    if second is not None:
        return day_of_zoned(left).val < second.val
    if first is None:
        return None
    reached = day_of_zoned(right).val
    return z3.Or(first.val < reached, z3.And(first.val == reached, left.val != right.val))


def day_within(value: Val) -> Val | None:
    """The day whose first moment this is, by the form of the value; equal ones are of equal days."""
    if not z3.is_app(value.val):
        return None
    if value.val.decl().name() == ZONED_DAY:
        return Val(value.null, value.val.arg(0), DATE)
    days = _days(value.val) if value.kind == DATETIME else None
    return None if days is None else Val(value.null, days, DATE)


def _days(moment: Expr) -> Expr | None:
    """Microseconds as days, where they are written as whole days, or as a sum of such."""
    if z3.is_int_value(moment):
        days, rest = divmod(moment.as_long(), DAY)
        return None if rest else z3.IntVal(days)
    if z3.is_add(moment):
        parts = [_days(part) for part in operands(moment)]
        return None if any(part is None for part in parts) else z3.Sum(*parts)
    if not z3.is_mul(moment):
        return None
    for index, part in enumerate(operands(moment)):
        days = _days(part) if z3.is_int_value(part) else None
        if days is not None:
            others = [other for place, other in enumerate(operands(moment)) if place != index]
            rest = others[0] if len(others) == 1 else z3.Product(*others)
            return rest if days.as_long() == 1 else days * rest
    return None


def moment_like(day: Val, kind: Kind) -> Val:
    """The first moment of a day, of such a kind."""
    return zoned(day) if kind == ZONED else moment(day)


def moment(value: Val) -> Val:
    """A date as its first moment."""
    if value.kind == DATETIME:
        return value
    val = z3.IntVal(value.val.as_long() * DAY) if z3.is_int_value(value.val) else value.val * DAY
    return Val(value.null, val, DATETIME)


CLOCK = {"HOUR": (3_600_000_000, 24), "MINUTE": (60_000_000, 60)}
"""Parts of a time of day: their length in microseconds, and how many make up the next longer one."""


def on_the_clock(value: Val, part: str) -> Val:
    """The hour or the minute of a moment; a day's first moment has neither."""
    if value.kind == DATE:
        return Val(value.null, z3.IntVal(0), INT)
    size, number = CLOCK[part]
    return Val(value.null, value.val / size % number, INT)


def day(value: Val) -> Val:
    """The day of a moment."""
    if value.kind != DATETIME:
        return value
    whole = _days(value.val)
    val = value.val / DAY if whole is None else whole
    return Val(value.null, z3.simplify(val) if z3.is_int_value(value.val) else val, DATE)
