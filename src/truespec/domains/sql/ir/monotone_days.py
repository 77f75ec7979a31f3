"""Functions of a day that never fall, or never rise, beside a number: from which day on they reach it.

A day moved by whole months, and the whole months between two days, compare with a literal as the day compares
with another literal: `d + INTERVAL '1 year' <= '2024-06-30'` asks of d what `d <= '2023-06-30'` asks, and
`TIMESTAMPDIFF(YEAR, d, '2024-06-30') >= 18` what `d <= '2006-06-30'` does. A day that a month lacks is moved
to its last one, so that days keep their order and may become equal; whole months are counted by the day of
the month.
"""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

import z3

from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, neg
from truespec.domains.sql.ir.symbols import is_ite, name_of, operands

FIRST, LAST = datetime.date.min.toordinal(), datetime.date.max.toordinal()
"""The days of the calendar."""
ADD_MONTHS = "addmonths"
"""The function that moves a day by a number of months."""
WHOLE = {"MONTH": "whole.months", "QUARTER": "whole.quarters", "YEAR": "whole.years"}
"""The functions from two days to the whole units from the first to the second, by unit."""
_MONTHS = {"whole.months": 1, "whole.quarters": 3, "whole.years": 12}


def added(day: Expr, months: Expr) -> Expr:
    """A day so many months on."""
    return z3.Function(ADD_MONTHS, *[z3.IntSort()] * 3)(day, months)


def whole(unit: str, since: Expr, until: Expr) -> Expr:
    """The whole units from one day to another, negative where the second is the earlier one."""
    return z3.Function(WHOLE[unit], *[z3.IntSort()] * 3)(since, until)


def compared(left: Expr, right: Expr) -> Formula | None:
    """`left < right` for such a function and a literal, as a statement about the day; None for others."""
    limit = _number(right)
    if limit is not None:
        reached = _reaches(left, ceil(limit))
        return None if reached is None else neg(reached)
    limit = _number(left)
    return None if limit is None else _reaches(right, floor(limit) + 1)


def equated(left: Expr, right: Expr) -> Formula | None:
    """`left = right` for such a function and a whole literal; None for others."""
    limit = _number(right)
    if limit is None:
        left, limit = right, _number(left)
    if limit is None or limit != floor(limit):
        return None
    from_here, from_next = _reaches(left, floor(limit)), _reaches(left, floor(limit) + 1)
    return None if from_here is None or from_next is None else z3.And(from_here, neg(from_next))


def _number(value: Expr) -> Fraction | None:
    if z3.is_int_value(value):
        return Fraction(value.as_long())
    return Fraction(value.as_fraction()) if z3.is_rational_value(value) else None


def _reaches(value: Expr, number: int) -> Formula | None:
    """That a function of a day is at least a number; None where the value is none that is known here."""
    while z3.is_app(value) and z3.is_to_real(value):
        value = value.arg(0)
    if not z3.is_app(value) or is_ite(value):
        return None
    name = name_of(value)
    if name != ADD_MONTHS and name not in _MONTHS:
        return None
    first, second = operands(value)
    literals = [z3.is_int_value(part) for part in (first, second)]
    if name == ADD_MONTHS and literals == [False, True]:
        months = second.as_long()
        return _since(first, number, lambda day: _moved(day, months))
    size = _MONTHS.get(name, 0)
    if size and literals == [True, False]:
        begin = first.as_long()
        return _since(second, number, lambda day: _whole(begin, day, size))
    if size and literals == [False, True]:
        end = second.as_long()
        # The whole units fall as the first day rises: their negatives rise.
        above = _since(first, 1 - number, lambda day: -_whole(day, end, size))
        return neg(above)
    return None


def _since(day: Expr, number: int, value: Callable[[int], int]) -> Formula:
    """That the value, which never falls as days rise, is at least a number."""
    low, high = FIRST, LAST + 1
    while low < high:
        middle = (low + high) // 2
        if value(middle) >= number:
            high = middle
        else:
            low = middle + 1
    if low == FIRST:
        return TRUE
    return FALSE if low > LAST else day >= low


def _moved(day: int, months: int) -> int:
    """A day so many months on; beyond the calendar, a day before or after all others."""
    start = datetime.date.fromordinal(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return FIRST - 1 if year < 1 else LAST + 1
    return datetime.date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1])).toordinal()


def _whole(since: int, until: int, size: int) -> int:
    """The whole units, of so many months each, from one day to another."""
    if until < since:
        return -_whole(until, since, size)
    one, two = datetime.date.fromordinal(since), datetime.date.fromordinal(until)
    months = 12 * (two.year - one.year) + two.month - one.month - (two.day < one.day)
    return months // size
