"""Sort keys as the numbers that they are written for.

Statement. Rows sort alike by a moment and by its day, where it is the first of that day; by the first day of
a month, year or week and by the number of it; by a text such as `2024-03`, `2024` or `03` and by the number
that it is written for; by a year and then the month in it, and by the months since year 0.

Side conditions. A key is replaced where it is so in every part of a union. Two keys become one where they
sort in one direction, their NULLs too, and are NULL together.

Why. Each is written for one number only, in a fixed width where it is a text: its digits stand in the same
places, so that every collation sorts such texts as the numbers. Of months with one year, and only of those,
the number in the year tells which is earlier. Years have four digits; `assumed.py` says so where engines know
others.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.compile.scope import Denotation
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.dates import day_within
from truespec.domains.sql.ir.day_parts import months_of
from truespec.domains.sql.ir.facts import STARTS, WRITTEN
from truespec.domains.sql.ir.kinds import DATE, INT, TEXT
from truespec.domains.sql.ir.symbols import name_of, operands
from truespec.domains.sql.ir.values import Val


def in_numbers(query: Denotation) -> Denotation:
    """The query with its sort keys as numbers and days, where they are written for such."""
    query = _with_numbers(query)
    place = 0
    while place + 1 < len(query.sorts):
        merged = _merged(query, place)
        query, place = (query, place + 1) if merged is None else (merged, place)
    return query


def _with_numbers(query: Denotation) -> Denotation:
    width = len(query.names)
    terms = list(query.bag.terms)
    for i in range(width, width + len(query.sorts)):
        for read in (_number, _day):
            found = [read(term.outs[i]) for term in terms]
            known = [(unit, value) for unit, value in found if value is not None]
            if len(known) == len(terms) and len({unit for unit, _ in known}) == 1:
                terms = [
                    replace(t, outs=(*t.outs[:i], value, *t.outs[i + 1 :]))
                    for t, (_, value) in zip(terms, known, strict=True)
                ]
                break
    return replace(query, bag=Bag(tuple(terms)))


def _day(value: Val) -> tuple[str, Val | None]:
    """A day, or the day whose first moment a value is."""
    return "day", value if value.kind == DATE else day_within(value)


def _number(value: Val) -> tuple[str, Val | None]:
    """What is counted, and the number that a value is written for, or that begins with that day or moment."""
    names = WRITTEN if value.kind == TEXT else STARTS
    day = value if value.kind == TEXT else _day(value)[1]
    if day is None or not z3.is_app(day.val) or name_of(day.val) not in names:
        return "", None
    unit = name_of(day.val).rpartition(".")[2]
    return unit, Val(value.null, operands(day.val)[0], INT)


def _merged(query: Denotation, place: int) -> Denotation | None:
    """The query with the key at this place and the next as one; None where they are no year and month."""
    if query.sorts[place] != query.sorts[place + 1]:
        return None
    first = len(query.names) + place
    terms = []
    for term in query.bag.terms:
        year, month = term.outs[first], term.outs[first + 1]
        both = months_of(year, month)
        if both is None:
            return None
        key = Val(year.null, both, INT)
        terms.append(replace(term, outs=(*term.outs[:first], key, *term.outs[first + 2 :])))
    return replace(query, bag=Bag(tuple(terms)), sorts=query.sorts[:place] + query.sorts[place + 1 :])
