"""Texts that are dates: what is known of SQLite's functions of a text x with x = DATE(x, '+0 days').

Statement. Let x = DATE(x, '+0 days'), and let x not sort before some text that begins with a digit. Then x
is YYYY-MM-DD for one day of the calendar, and with its number n: STRFTIME('%Y-%m', x) and the first seven
characters of x are the month of n, STRFTIME('%Y', x) and the first four its year, '%m' and '%d' and the
characters that stand there its month and day in two digits, JULIANDAY(x) is n and a constant. x sorts
before a text just where n is less than the first day whose text does not, and after it just where n is
greater than the last day whose text does not.

Side conditions. Texts sort by their bytes. Years have four digits: DATE() writes a minus before those below
0, which sorts before all digits. Literals are compared that begin with a digit and sort after the first day
of year 1; what is not covered is left open. x = DATE(x) is enough where the engine at hand makes 2 March of
30 February: older versions give back each text whose day is at most 31, and a modifier makes them reckon.

Why. DATE() gives YYYY-MM-DD, or NULL; such texts sort as their days do, and so each text cuts the days in
two.
"""

from __future__ import annotations

import bisect
import datetime
import re
from collections.abc import Iterable, Iterator, Mapping

import z3

from truespec.domains.sql.engines.sqlite import normalises_dates
from truespec.domains.sql.ir.kinds import TEXT_SORT
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, neg

_DATE, _RECKONED = "date:text", "date, +0 days:text"
"""The function DATE of a text, without a modifier and with one that changes nothing."""
_MONTHS, _YEARS, _MONTH, _DAY = (f"strftime {form}:text" for form in ("%Y-%m", "%Y", "%m", "%d"))
_PREFIX, _SUBSTRING = "prefix:text:int", "Substring length start this:int:int:text"
_JULIAN = "julianday:text"
_NAMES = {_MONTHS, _YEARS, _MONTH, _DAY, _PREFIX, _SUBSTRING, _JULIAN, "iso.date"}
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


def is_date(text: Expr) -> Formula:
    """Whether a text is a date of four digits, two and two."""
    return z3.Function("iso.date", TEXT_SORT, z3.BoolSort())(text)


def day_of_text(text: Expr) -> Expr:
    """The day of a text that is a date."""
    return z3.Function("iso.day", TEXT_SORT, z3.IntSort())(text)


def date_functions() -> list[str]:
    """The functions whose texts are days of the calendar wherever they begin with a digit."""
    return [_DATE, _RECKONED] if normalises_dates() else [_RECKONED]


def named_days(texts: Iterable[str]) -> set[int]:
    """The first days of the months and years, and the days, that literals name."""
    found = set()
    for text in texts:
        if re.fullmatch(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?-?", text, re.ASCII):
            first = 1 + bisect.bisect_left(_Days(), text)
            if 1 < first <= _LAST:
                found.add(first)
    return found


def iso_facts(texts: Mapping[str, Expr], names: set[str], checks: str) -> list[Formula]:
    """What follows for the functions and literals among these names; `checks`: all CHECKs of the schema.

    Where no such function is left and no literal is compared but those of the CHECKs, nothing is asked for.
    """
    dates = [name for name in date_functions() if name in names]
    if not dates:
        return []
    literals = {t: c for t, c in texts.items() if c.decl().name() in names and re.match("[0-9]", t, re.ASCII)}
    compared = any(f"'{text}'" not in checks for text in literals)
    if not compared and not names & _NAMES:
        return []
    text, whole = z3.Const("any!text", TEXT_SORT), z3.IntSort()
    dated, day = is_date(text), day_of_text(text)
    found = [fact for name in dates for fact in _recognised(name, text, dated, literals)]
    for name, parts, value in _functions(text, day):
        if name not in names:
            continue
        sorts = [part.sort() for part in parts]
        called = z3.Function(name, *sorts, value.sort())(*parts)
        known = [called == value]
        if f"{name}?" in names:
            known.append(neg(z3.Function(f"{name}?", *sorts, z3.BoolSort())(*parts)))
        found.append(z3.ForAll([text], z3.Implies(dated, conj(*known)), patterns=[called]))
    if "collate" in names:
        order = z3.Function("collate", TEXT_SORT, z3.RealSort())
        cuts = [fact for t, c in literals.items() for fact in _cut(t, order(text), order(c), day)]
        if cuts:
            found.append(z3.ForAll([text], z3.Implies(dated, conj(*cuts)), patterns=[order(text)]))
    if _READ in names:
        number = z3.Int("number!")
        written = z3.Function("text.digits2", whole, TEXT_SORT)(number)
        read = z3.Function(_READ, TEXT_SORT, whole)(written)
        found.append(z3.ForAll([number], z3.Implies(number >= 0, read == number), patterns=[read]))
    return found


def _recognised(name: str, text: Expr, dated: Formula, literals: Mapping[str, Expr]) -> Iterator[Formula]:
    """A text is a date that DATE leaves as it is, and that no text with a digit first comes after."""
    order = z3.Function("collate", TEXT_SORT, z3.RealSort())
    late = disj(*(order(text) >= order(literal) for literal in literals.values()))
    made = z3.Function(name, TEXT_SORT, TEXT_SORT)(text)
    null = z3.Function(f"{name}?", TEXT_SORT, z3.BoolSort())(text)
    yield z3.ForAll([text], z3.Implies(conj(neg(null), made == text, late), dated), patterns=[made])


def _functions(text: Expr, day: Expr) -> Iterator[tuple[str, list[Expr], Expr]]:
    """Functions with their arguments, and their values for the date."""
    whole = z3.IntSort()
    months = z3.Function("yearmonth", whole, whole)(day)
    years = z3.Function("year", whole, whole)(day)
    first = z3.Function("start.yearmonth", whole, whole)(months)

    def digits(width: int, number: Expr) -> Expr:
        return z3.Function(f"text.digits{width}", whole, TEXT_SORT)(number)

    month = z3.Function("text.yearmonth", whole, TEXT_SORT)(months)
    two = {_MONTH: digits(2, months - 12 * years), _DAY: digits(2, day - first + 1)}
    yield _MONTHS, [text], month
    yield _YEARS, [text], digits(4, years)
    yield _PREFIX, [text, z3.IntVal(7)], month
    yield _PREFIX, [text, z3.IntVal(4)], digits(4, years)
    yield _PREFIX, [text, z3.IntVal(10)], text
    for name, start in ((_MONTH, 6), (_DAY, 9)):
        yield name, [text], two[name]
        yield _SUBSTRING, [z3.IntVal(2), z3.IntVal(start), text], two[name]
    yield _JULIAN, [text], z3.ToReal(day) + z3.RealVal(JULIAN_DAYS)


def _cut(literal: str, own: Expr, other: Expr, day: Expr) -> Iterator[Formula]:
    """Which days sort before a literal, and which after it."""
    first = 1 + bisect.bisect_left(_Days(), literal)
    last = bisect.bisect_right(_Days(), literal)
    if first > 1:
        yield (own < other) == (day < first)
        yield (own > other) == (day > last)
