"""Texts that are dates: what is known of SQLite's functions of a text x with x = DATE(x).

Statement. Let x = DATE(x), and let x not sort before some text that begins with a digit. Then x is
YYYY-MM-DD, the month from 1 to 12, the day from 1 to 31: STRFTIME('%Y-%m', x) and the first seven characters
of x are its month, STRFTIME('%Y', x) and the first four its year, '%m' and '%d' and the characters that
stand there its month and day in two digits. x sorts before a text just where its month and day, as numbers,
come before those of the first such text that does not; and after it likewise.
Let x = DATE(x, '+0 days') as well. Then x is one day of the calendar, and with its number n, JULIANDAY(x) is
n and a constant; x sorts before a text just where n is less than the first day whose text does not.

Side conditions. Texts sort by their bytes. Years have four digits: DATE() writes a minus before those below
0, which sorts before all digits. Literals are compared that begin with a digit, and by days those after the
first day of year 1; what is not covered is left open. For the second part x = DATE(x) is enough where the
engine at hand makes 2 March of 30 February: older versions give back each text whose day is at most 31, and
a modifier makes them reckon.

Why. DATE() gives YYYY-MM-DD, or NULL; such texts sort as their months and days do, and so each text cuts
them in two. STRFTIME gives back the parts that it has read, where no modifier makes it reckon.
"""

from __future__ import annotations

import bisect
import calendar
import datetime
import re
from collections.abc import Iterator, Mapping

import z3

from truespec.domains.sql.engines.sqlite import normalises_dates
from truespec.domains.sql.ir.kinds import TEXT_SORT
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, neg

_DATE, _RECKONED = "date:text", "date, +0 days:text"
"""The function DATE of a text, without a modifier and with one that changes nothing."""
DATE_FUNCTIONS = (_DATE, _RECKONED)
"""Both."""
_MONTHS, _YEARS, _MONTH, _DAY = (f"strftime {form}:text" for form in ("%Y-%m", "%Y", "%m", "%d"))
_PREFIX, _SUBSTRING = "prefix:text:int", "Substring length start this:int:int:text"
_JULIAN = "julianday:text"
_NAMES = {_MONTHS, _YEARS, _MONTH, _DAY, _PREFIX, _SUBSTRING, _JULIAN, "iso.date", "iso.written"}
_READ = "cast INTEGER:text"
"""The number that a text begins with."""
JULIAN_DAYS = "1721424.5"
"""What JULIANDAY adds to the number of a day."""
_LAST = datetime.date.max.toordinal()


class _Days:
    """The days of the calendar as a sequence of texts, for bisection."""

    def __len__(self) -> int:
        return _LAST

    def __getitem__(self, place: int) -> str:
        return datetime.date.fromordinal(place + 1).isoformat()


class _Written:
    """All that is written as days are, each month with 31 of them, as a sequence of texts."""

    def __len__(self) -> int:
        return 10_000 * 12 * 31

    def __getitem__(self, place: int) -> str:
        rest, day = divmod(place, 31)
        year, month = divmod(rest, 12)
        return f"{year:04d}-{month + 1:02d}-{day + 1:02d}"

    @staticmethod
    def number(place: int) -> int:
        """32 times the month, and the day."""
        return 32 * (place // 31 + 1) + place % 31 + 1


def is_written(text: Expr) -> Formula:
    """Whether a text is four digits, two and two: those of a month and of a day up to 31."""
    return z3.Function("iso.written", TEXT_SORT, z3.BoolSort())(text)


def month_of_text(text: Expr) -> Expr:
    """The months up to that of such a text, since year 0."""
    return z3.Function("iso.month", TEXT_SORT, z3.IntSort())(text)


def day_of_month_of_text(text: Expr) -> Expr:
    """The day of the month of such a text."""
    return z3.Function("iso.dom", TEXT_SORT, z3.IntSort())(text)


def is_date(text: Expr) -> Formula:
    """Whether a text is so written and a day of the calendar."""
    return z3.Function("iso.date", TEXT_SORT, z3.BoolSort())(text)


def day_of_text(text: Expr) -> Expr:
    """The day of a text that is a date."""
    return z3.Function("iso.day", TEXT_SORT, z3.IntSort())(text)


def date_functions() -> list[str]:
    """The functions whose texts are days of the calendar wherever they begin with a digit."""
    return [_DATE, _RECKONED] if normalises_dates() else [_RECKONED]


def iso_facts(texts: Mapping[str, Expr], names: set[str], checks: str) -> list[Formula]:
    """What follows for the functions and literals among these names; `checks`: all CHECKs of the schema.

    Where no such function is left and no literal is compared but those of the CHECKs, nothing is asked for.
    """
    if not names & {_DATE, _RECKONED}:
        return []
    literals = {t: c for t, c in texts.items() if c.decl().name() in names and re.match("[0-9]", t, re.ASCII)}
    compared = any(f"'{text}'" not in checks for text in literals)
    if not compared and not names & _NAMES:
        return []
    text, whole = z3.Const("any!text", TEXT_SORT), z3.IntSort()
    written, dated, day = is_written(text), is_date(text), day_of_text(text)
    found: list[Formula] = []
    for name in sorted(names & {_DATE, _RECKONED}):
        says = conj(written, dated) if name in date_functions() else written
        found += _recognised(name, text, says, literals)
    parts = [(written, function) for function in _functions(text)]
    julian = (_JULIAN, [text], z3.ToReal(day) + z3.RealVal(JULIAN_DAYS))
    for premise, (name, arguments, value) in [*parts, (dated, julian)]:
        if name not in names:
            continue
        sorts = [argument.sort() for argument in arguments]
        called = z3.Function(name, *sorts, value.sort())(*arguments)
        known = [called == value]
        if f"{name}?" in names:
            known.append(neg(z3.Function(f"{name}?", *sorts, z3.BoolSort())(*arguments)))
        found.append(z3.ForAll([text], z3.Implies(premise, conj(*known)), patterns=[called]))
    if "collate" in names and literals:
        found += _ordered(text, literals)
    if _READ in names:
        number = z3.Int("number!")
        for width in (2, 4):
            digits = z3.Function(f"text.digits{width}", whole, TEXT_SORT)(number)
            read = z3.Function(_READ, TEXT_SORT, whole)(digits)
            found.append(z3.ForAll([number], z3.Implies(number >= 0, read == number), patterns=[read]))
    return found


def _recognised(name: str, text: Expr, says: Formula, literals: Mapping[str, Expr]) -> Iterator[Formula]:
    """A text is a date that DATE leaves as it is, and that no text with a digit first comes after."""
    order = z3.Function("collate", TEXT_SORT, z3.RealSort())
    late = disj(*(order(text) >= order(literal) for literal in literals.values()))
    made = z3.Function(name, TEXT_SORT, TEXT_SORT)(text)
    null = z3.Function(f"{name}?", TEXT_SORT, z3.BoolSort())(text)
    yield z3.ForAll([text], z3.Implies(conj(neg(null), made == text, late), says), patterns=[made])


def _functions(text: Expr) -> Iterator[tuple[str, list[Expr], Expr]]:
    """Functions with their arguments, and their values for a text that is written as a date is."""
    whole = z3.IntSort()
    months = month_of_text(text)
    years = (months - 1) / 12

    def digits(width: int, number: Expr) -> Expr:
        return z3.Function(f"text.digits{width}", whole, TEXT_SORT)(number)

    month = z3.Function("text.yearmonth", whole, TEXT_SORT)(months)
    two = {_MONTH: digits(2, months - 12 * years), _DAY: digits(2, day_of_month_of_text(text))}
    yield _MONTHS, [text], month
    yield _YEARS, [text], digits(4, years)
    yield _PREFIX, [text, z3.IntVal(7)], month
    yield _PREFIX, [text, z3.IntVal(4)], digits(4, years)
    yield _PREFIX, [text, z3.IntVal(10)], text
    for name, start in ((_MONTH, 6), (_DAY, 9)):
        yield name, [text], two[name]
        yield _SUBSTRING, [z3.IntVal(2), z3.IntVal(start), text], two[name]


def _month_named(literal: str) -> tuple[int, int] | None:
    """The year and month that a literal begins with."""
    found = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])", literal, re.ASCII)
    return None if found is None or found[1] == "0000" else (int(found[1]), int(found[2]))


def _ordered(text: Expr, literals: Mapping[str, Expr]) -> Iterator[Formula]:
    """How dates sort beside literals: by their months and days as written, and by the days that they are."""
    order = z3.Function("collate", TEXT_SORT, z3.RealSort())
    own, day, of_month = order(text), day_of_text(text), day_of_month_of_text(text)
    number = 32 * month_of_text(text) + of_month
    written, days = [conj(of_month >= 1, of_month <= 31)], []
    for literal, value in literals.items():
        below, above = own < order(value), own > order(value)
        start, end = (side(_Written(), literal) for side in (bisect.bisect_left, bisect.bisect_right))
        written += [below == (number < _Written.number(start)), above == (number >= _Written.number(end))]
        first, last = 1 + bisect.bisect_left(_Days(), literal), bisect.bisect_right(_Days(), literal)
        if first > 1:
            days += [below == (day < first), above == (day > last)]
        if (named := _month_named(literal)) is not None:
            length = calendar.monthrange(*named)[1]
            days.append(z3.Implies(month_of_text(text) == 12 * named[0] + named[1], of_month <= length))
    yield z3.ForAll([text], z3.Implies(is_written(text), conj(*written)), patterns=[own])
    if days:
        yield z3.ForAll([text], z3.Implies(is_date(text), conj(*days)), patterns=[own])
