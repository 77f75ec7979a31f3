"""What is true of literals, whatever the database: how texts compare, and where years and months begin."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Mapping

import z3

from truespec.domains.sql.ir.kinds import TEXT_SORT, ZONED, Kind
from truespec.domains.sql.ir.logic import Expr, Formula, conj

_LENGTHS, _PREFIX = ("Length this:text", "Length binary=True this:text"), "prefix:text:int"
"""The functions for the length of a text, in characters and in bytes, and for its first characters."""
_REPLACE, _CONTAINS = "Replace expression replacement this:text:text:text", "contains:text:text"
"""The functions that put one text for another, and that find one in another."""
DAY_TEXT = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
"""Texts that engines write for days, if they are in the calendar: they sort alike under every collation."""
_OF_DIGITS = re.compile(
    r"text\.(?:yearmonth|digits\d)|format (?:[-/:.,]| (?!:)|%[YmdHMSy])*:(?:date|datetime)(?P<null>:\?)?"
)
"""Functions of days whose texts hold digits and signs alone, and no blank at the end."""

WRITTEN = frozenset({"text.yearmonth", "text.digits2", "text.digits4", "text.digits6"})
"""The functions from numbers to the texts that are written for them, all of one width."""


def collation(text: Expr) -> Expr:
    """The class of a text under the dialect's equality and order."""
    return z3.Function("collate", TEXT_SORT, z3.RealSort())(text)


def joined(first: Expr, second: Expr) -> Expr:
    """One text after another."""
    return z3.Function("concat", TEXT_SORT, TEXT_SORT, TEXT_SORT)(first, second)


def place_of(text: Expr, kind: Kind) -> Expr:
    """The place of an ENUM's value among the members, by which it is sorted."""
    return z3.Function(f"place {kind}", TEXT_SORT, z3.IntSort())(text)


def text_facts(
    texts: Mapping[str, Expr], enums: Mapping[tuple[str, ...], Kind], merges: bool, names: set[str]
) -> list[Formula]:
    """What is true of the text literals and the ENUMs among these names, and of the collation.

    `merges`: the collation calls texts equal that differ (`Dialect.collation_merges_texts`).
    """
    used = {text: const for text, const in texts.items() if const.decl().name() in names}
    facts: list[Formula] = []
    if len(used) > 1:
        facts.append(z3.Distinct(*used.values()))
    for members, kind in enums.items():
        if f"place {kind}" in names:
            for place, member in enumerate(members, 1):
                if member in used:
                    facts.append(place_of(used[member], kind) == place)
    if "concat" in names and "" in used:
        text = z3.Const("any!text", TEXT_SORT)
        both = joined(text, used[""]), joined(used[""], text)
        facts += [z3.ForAll([text], whole == text, patterns=[whole]) for whole in both]
    facts += _written(used, names)
    facts += _in_one_case(used, names)
    if "collate" in names:
        # Under every collation, texts that are written as days are come one after the other.
        days = sorted(text for text in used if DAY_TEXT.match(text))
        facts += [collation(used[a]) < collation(used[b]) for a, b in itertools.pairwise(days)]
        if merges:
            # The default collations agree on ASCII: case and trailing blanks do not count.
            plain = [text for text in used if text.isascii() and text.isprintable()]
            for left, right in itertools.combinations(plain, 2):
                same = left.lower().rstrip(" ") == right.lower().rstrip(" ")
                equal = collation(used[left]) == collation(used[right])
                facts.append(equal if same else z3.Not(equal))
            facts += _told_apart(names)
        else:
            text = z3.Const("any!text", TEXT_SORT)
            back = z3.Function("uncollate", z3.RealSort(), TEXT_SORT)
            facts.append(z3.ForAll([text], back(collation(text)) == text, patterns=[collation(text)]))
    return facts


def _in_one_case(used: Mapping[str, Expr], names: set[str]) -> list[Formula]:
    """What LOWER and UPPER make of a literal of letters, blanks and signs, where that is a literal too.

    Turkish has other forms of I.
    """
    facts: list[Formula] = []
    for name, turned, other in (("Lower this:text", str.lower, "I"), ("Upper this:text", str.upper, "i")):
        for text in used if name in names else ():
            if turned(text) in used and other not in text and re.fullmatch("[ -~]*", text):
                made = z3.Function(name, TEXT_SORT, TEXT_SORT)(used[text])
                facts.append(made == used[turned(text)])
    return facts


def _told_apart(names: set[str]) -> list[Formula]:
    """A collation calls texts of digits and signs equal, blanks at the end aside, only where they are one."""
    facts: list[Formula] = []
    back = z3.Function("uncollate signs", z3.RealSort(), TEXT_SORT)
    for name in sorted(names):
        found = _OF_DIGITS.fullmatch(name)
        if found is None:
            continue
        sorts = [z3.BoolSort(), z3.IntSort()] if found["null"] else [z3.IntSort()]
        parts = [z3.Const(f"part!{i}", sort) for i, sort in enumerate(sorts)]
        text = z3.Function(name, *sorts, TEXT_SORT)(*parts)
        facts.append(z3.ForAll(parts, back(collation(text)) == text, patterns=[collation(text)]))
    return facts


def emptiness(empty: Expr, names: set[str]) -> list[Formula]:
    """A text is empty where its length is 0, where its first characters are, and in capitals as it stands."""
    text, size = z3.Const("any!text", TEXT_SORT), z3.Int("size!")
    facts: list[Formula] = []
    for name in sorted(names & set(_LENGTHS)):
        length = z3.Function(name, TEXT_SORT, z3.IntSort())(text)
        facts.append(z3.ForAll([text], (length <= 0) == (text == empty), patterns=[length]))
    for name in sorted(names & {"Lower this:text", "Upper this:text"}):
        turned = z3.Function(name, TEXT_SORT, TEXT_SORT)(text)
        facts.append(z3.ForAll([text], (turned == empty) == (text == empty), patterns=[turned]))
    if _PREFIX in names:
        start = z3.Function(_PREFIX, TEXT_SORT, z3.IntSort(), TEXT_SORT)(text, size)
        same = (start == empty) == (text == empty)
        facts.append(z3.ForAll([text, size], z3.Implies(size >= 1, same), patterns=[start]))
    return facts


def taken_out(empty: Expr, names: set[str]) -> list[Formula]:
    """Taking a text out of another one changes it just where it stands in it, if it has a first character.

    REPLACE and the search compare bytes, as dialects do whose collation merges no texts. A text that begins
    with NUL has the length 0 in SQLite, which takes nothing out for it. Letters in another case are as many
    as before at least in this: none is made of some, and some of none.
    """
    if not names >= {_REPLACE, _CONTAINS, _LENGTHS[0]}:
        return []
    whole, part = (z3.Const(f"any!text{place}", TEXT_SORT) for place in range(2))
    length = z3.Function(_LENGTHS[0], TEXT_SORT, z3.IntSort())
    left = z3.Function(_REPLACE, *[TEXT_SORT] * 4)(part, empty, whole)
    held = z3.Function(_CONTAINS, TEXT_SORT, TEXT_SORT, z3.BoolSort())(whole, part)
    same = z3.Implies(length(part) >= 1, (left == whole) == z3.Not(held))
    facts = [z3.ForAll([whole, part], same, patterns=[left])]
    for name in sorted(names & {"Lower this:text", "Upper this:text"}):
        turned = z3.Function(name, TEXT_SORT, TEXT_SORT)(whole)
        some = (length(turned) >= 1) == (length(whole) >= 1)
        facts.append(z3.ForAll([whole], some, patterns=[turned]))
    return facts


def digits(number: Expr, width: int) -> Expr:
    """A number as a text, zeros before it up to the width."""
    return z3.Function(f"text.digits{width}", z3.IntSort(), TEXT_SORT)(number)


def _written(used: Mapping[str, Expr], names: set[str]) -> list[Formula]:
    """Which numbers and months the literals are, and that no two of them are written alike."""
    facts: list[Formula] = []
    number = z3.Int("number!")
    for width in (2, 4, 6):
        if f"text.digits{width}" not in names:
            continue
        back = z3.Function(f"digits{width}.text", TEXT_SORT, z3.IntSort())
        written = digits(number, width)
        facts.append(z3.ForAll([number], back(written) == number, patterns=[written]))
        for text, const in used.items():
            if re.fullmatch(rf"[0-9]{{{width}}}", text, re.ASCII) and (width < 4 or text[0] != "0"):
                facts.append(digits(z3.IntVal(int(text)), width) == const)
    if "text.yearmonth" in names:
        for text, const in used.items():
            if re.fullmatch(r"[1-9][0-9]{3}-(0[1-9]|1[0-2])", text, re.ASCII):
                month = z3.IntVal(int(text[:4]) * 12 + int(text[5:]))
                facts.append(z3.Function("text.yearmonth", z3.IntSort(), TEXT_SORT)(month) == const)
    return [*facts, *_sorted_as_numbers(names)]


def _sorted_as_numbers(names: set[str]) -> list[Formula]:
    """Texts that are written for months, or for numbers of one width, sort as those do."""
    facts: list[Formula] = []
    number, other = z3.Int("number!"), z3.Int("other number!")
    for name in sorted(WRITTEN):
        if names >= {name, "collate"}:
            one, next_one = (
                collation(z3.Function(name, z3.IntSort(), TEXT_SORT)(n)) for n in (number, other)
            )
            order = (one < next_one) == (number < other)
            facts.append(z3.ForAll([number, other], order, patterns=[z3.MultiPattern(one, next_one)]))
    return facts


MONTH_START, YEAR_START = "start.yearmonth", "start.year"
"""The functions from a month, or a year, to its first day."""


WEEK, WEEK_START = "number.week", "start.week"
"""The functions from a day to the number of its week (of day 1 it is 1), and from that to its Monday."""
STARTS = frozenset({MONTH_START, YEAR_START, WEEK_START})
"""The functions to first days: each tells the number that it is given."""
ZONED_DAY, DAY_ZONED = "zoned.day", "day.zoned"
"""The functions from a day to its first moment with a zone, and back."""


def _starts(names: set[str]) -> list[Formula]:
    """The first day of a month, or of a year, is the first day that is not before it."""
    facts: list[Formula] = []
    day, number = z3.Int("day!"), z3.Int("number!")
    for count, first in (("yearmonth", MONTH_START), ("year", YEAR_START)):
        if first in names:
            begins = z3.Function(first, z3.IntSort(), z3.IntSort())(number)
            within = z3.Function(count, z3.IntSort(), z3.IntSort())
            facts.append(z3.ForAll([number], within(begins) == number, patterns=[begins]))
            order = (within(day) >= number) == (day >= begins)
            pattern = z3.MultiPattern(within(day), begins)
            facts.append(z3.ForAll([day, number], order, patterns=[pattern]))
    if "text.yearmonth" in names:
        # A month is written in one way, and no other month so.
        written = z3.Function("text.yearmonth", z3.IntSort(), TEXT_SORT)(number)
        read = z3.Function("yearmonth.text", TEXT_SORT, z3.IntSort())
        facts.append(z3.ForAll([number], read(written) == number, patterns=[written]))
    if ZONED_DAY in names:
        zoned = z3.Function(ZONED_DAY, z3.IntSort(), ZONED.sort)
        back = z3.Function(DAY_ZONED, ZONED.sort, z3.IntSort())
        facts.append(z3.ForAll([day], back(zoned(day)) == day, patterns=[zoned(day)]))
    return facts


def _in_step(names: set[str]) -> list[Formula]:
    """A day of an earlier year, month or week is an earlier day: what the greatest of several days needs."""
    if not any(name.startswith("agg!") for name in names):
        return []
    facts: list[Formula] = []
    day, other = z3.Int("day!"), z3.Int("other day!")
    for name in ("year", "yearmonth", WEEK):
        if name in names:
            count = z3.Function(name, z3.IntSort(), z3.IntSort())
            order = z3.Implies(count(day) < count(other), day < other)
            pattern = z3.MultiPattern(count(day), count(other))
            facts.append(z3.ForAll([day, other], order, patterns=[pattern]))
    return facts


def date_facts(dates: set[int], names: set[str]) -> list[Formula]:
    """Where the years and months near the dates that are written begin and end; dates count days."""
    facts: list[Formula] = []
    day = z3.Int("day!")
    years = {datetime.date.fromordinal(days).year for days in dates}
    if "year" in names and years:
        year = z3.Function("year", z3.IntSort(), z3.IntSort())(day)
        bounds = []
        for number in sorted({y for base in years for y in (base, base + 1)}):
            if 1 <= number <= 9999:
                first = datetime.date(number, 1, 1).toordinal()
                bounds.append((year >= number) == (day >= first))
        facts.append(z3.ForAll([day], conj(*bounds), patterns=[year]))
    if "yearmonth" in names:
        months = {(d.year, d.month) for d in map(datetime.date.fromordinal, dates)}
        both = z3.Function("yearmonth", z3.IntSort(), z3.IntSort())(day)
        bounds = []
        for y, m in sorted(months | {(y + m // 12, m % 12 + 1) for y, m in months}):
            if 1 <= y <= 9999:
                bounds.append((both >= y * 12 + m) == (day >= datetime.date(y, m, 1).toordinal()))
        facts.append(z3.ForAll([day], conj(*bounds), patterns=[both]))
    if {"year", "yearmonth"} <= names:
        year, both = (z3.Function(name, z3.IntSort(), z3.IntSort())(day) for name in ("year", "yearmonth"))
        month = both - 12 * year
        facts.append(z3.ForAll([day], conj(month >= 1, month <= 12), patterns=[z3.MultiPattern(year, both)]))
    if WEEK_START in names:
        # Division by 7 says the same, and takes Z3 long.
        week, begins = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in (WEEK, WEEK_START))
        number = z3.Int("number!")
        same = conj(begins(number) == 7 * number - 6, week(begins(number)) == number)
        facts.append(z3.ForAll([number], same, patterns=[begins(number)]))
        within = conj(7 * week(day) - 6 <= day, day <= 7 * week(day))
        facts.append(z3.ForAll([day], within, patterns=[week(day)]))
    return [*facts, *_starts(names), *_in_step(names)]
