"""Parts of a day: its year, its month, and how they are written."""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.dates import DAY
from truespec.domains.sql.ir.facts import MONTH_START, digits
from truespec.domains.sql.ir.kinds import DATE, INT, NUMBERS, TEXT, TEXT_SORT
from truespec.domains.sql.ir.logic import FALSE, Expr
from truespec.domains.sql.ir.symbols import name_of, operands
from truespec.domains.sql.ir.values import Val


def year_number(value: Val) -> Expr:
    """The year of a day."""
    return z3.Function("year", z3.IntSort(), z3.IntSort())(value.val)


def months(value: Val) -> Expr:
    """The months up to that of a day, since year 0."""
    return z3.Function("yearmonth", z3.IntSort(), z3.IntSort())(value.val)


def month_number(value: Val) -> Expr:
    """The month of a day, from 1 to 12."""
    return months(value) - 12 * year_number(value)


def month_begin(value: Val) -> Expr:
    """The first day of the month of a day."""
    return begin_of_month(months(value))


def begin_of_month(number: Expr) -> Expr:
    """The first day of a month that is given by its number, as `months` counts."""
    return z3.Function(MONTH_START, z3.IntSort(), z3.IntSort())(number)


def month_begun(day: Expr) -> Expr | None:
    """The number of the month that a day begins by its form; None for any other day."""
    return operands(day)[0] if z3.is_app(day) and name_of(day) == MONTH_START else None


def month_told(one: Expr, other: Expr) -> tuple[Expr, Expr] | None:
    """A month that `one = other` tells, and that it is the other side's; None where it tells none.

    That is so where one side is, by its form, the first day or moment of the month.
    """
    day, told = one, other
    if z3.is_mul(day) and len(operands(day)) == 2 and operands(day)[1].eq(z3.IntVal(DAY)):
        day, told = operands(day)[0], told / DAY
    month = month_begun(day)
    return None if month is None else (month, months(Val(FALSE, told, DATE)))


def day_of_month(value: Val) -> Val:
    """The days since the month began, and one."""
    return Val(value.null, value.val - month_begin(value) + 1, INT)


def month_text(value: Val) -> Val:
    """Year and month of a day, as in 2024-03."""
    return Val(value.null, z3.Function("text.yearmonth", z3.IntSort(), TEXT_SORT)(months(value)), TEXT)


def two_digits(value: Val, number: Expr) -> Val:
    """A number of a day in two digits."""
    return Val(value.null, digits(number, 2), TEXT)


def year_text(value: Val) -> Val:
    """The year of a day in four digits."""
    return Val(value.null, digits(year_number(value), 4), TEXT)


def months_of(year: Val, month: Val) -> Expr | None:
    """The months since year 0, where one value is a year and the other the month in it, by their form."""
    if not {year.kind, month.kind} <= NUMBERS or not year.null.eq(month.null):
        return None
    one, other = _whole(year.val), _whole(month.val)
    if not z3.is_app(one):
        return None
    if name_of(one) == "year":
        both = months(Val(FALSE, operands(one)[0], DATE))
    elif z3.is_idiv(one) and operands(one)[1].eq(z3.IntVal(12)):
        both = operands(one)[0] + 1
    else:
        return None
    rest = z3.simplify(other - (both - 12 * one))
    return both if z3.is_int_value(rest) and rest.as_long() == 0 else None


def _whole(number: Expr) -> Expr:
    """A number without its conversion from a whole one."""
    return operands(number)[0] if z3.is_app(number) and z3.is_to_real(number) else number
