"""Values near a value: apart by what the queries mention, in the units in which they may mean it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from random import Random

from sqlglot import exp

from truespec.domains.sql.engines.script import Value
from truespec.domains.sql.schema import Kind

MANY = 100
"""A number from which on it is rather one of seconds than of minutes or days."""
BORDERS = 0.1
"""How often a moment is moved to the beginning of its day, and how often a day to that of its month."""
JOINED = 0.3
"""How often a text is two, where the queries mention a sign that may stand between them."""
SCALED = 0.15
"""How often a number is a small multiple of another, or nearly one: a border of what is divided."""
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86_400, "WEEK": 604_800}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_DAY = 86_400
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?\Z", re.ASCII)
_BIGGEST = 10**9


class Neighbours:
    """Values near others, for one pair of queries."""

    def __init__(self, queries: Sequence[exp.Expr], random: Random) -> None:
        self._random = random
        self._steps = sorted({1, *(number for query in queries for number in _numbers(query))})
        units = {str(unit.name).upper() for query in queries for unit in query.find_all(exp.Var)}
        self._units = sorted({"DAY", *(units & {*_SECONDS, *_MONTHS})})
        texts = {str(one.name) for query in queries for one in query.find_all(exp.Literal) if one.is_string}
        self._signs = sorted(text for text in texts if 0 < len(text) < 3 and not text.isalnum())
        """Texts that may stand between the parts of a text."""
        self._timed = sorted({"SECOND", "MINUTE", "HOUR", *self._units})

    def near(self, value: Value, kind: Kind) -> Value:
        """A value so far away as the queries mention, or one more or less, or a text that looks alike."""
        random = self._random
        step = random.choice(self._steps) if random.random() < 0.7 else 1
        sign = random.choice((1, -1))
        if isinstance(value, str):
            return self._later(value, sign * step, kind) if _MOMENT.match(value) else self._alike(value)
        if isinstance(value, bool) or value is None:
            return value
        if kind is not Kind.INT and random.random() < 0.2:
            return value + sign * Decimal("0.5")
        if random.random() < SCALED:
            value = value * random.choice((2, 3, 4, 8))
            step = random.choice((0, 1))
        near = value + sign * (step + random.choice((0, 0, 0, 1, -1)))
        return near if -_BIGGEST < near < _BIGGEST else value

    def _later(self, text: str, step: int, kind: Kind) -> str:
        """A day or moment so many units later, now and then a little more or less; a text may get a time."""
        random = self._random
        try:
            moment = datetime.datetime.fromisoformat(text)
        except ValueError:  # a text that is no day
            return self._alike(text)
        timed = len(text) > 10 or (kind is Kind.TEXT and random.random() < 0.4)
        unit = random.choice(self._timed if timed else self._units)
        if timed and abs(step) >= MANY:
            unit = "SECOND"
        extra = random.choice((0, 0, 0, 0, 0, 1, -1, 20, -20)) * (1 if timed else _DAY)
        try:
            if unit in _MONTHS:
                moment = _months_later(moment, step * _MONTHS[unit])
                extra = random.choice((0, 0, 0, 1, -1, 5)) * _DAY
            else:
                moment += datetime.timedelta(seconds=step * _SECONDS[unit])
            moment += datetime.timedelta(seconds=extra)
        except (OverflowError, ValueError):
            return text
        if random.random() < BORDERS:
            moment = moment.replace(hour=0, minute=0, second=0)
        if random.random() < BORDERS:
            moment = moment.replace(day=1)
        if not 1000 <= moment.year <= 9000:
            return text
        return moment.isoformat(sep=" ") if timed else moment.date().isoformat()

    def _alike(self, text: str) -> str:
        """A text that one character or its case tells apart, or what stands on one side of a sign in it."""
        random = self._random
        if self._signs and random.random() < JOINED:
            return f"{text}{random.choice(self._signs)}{random.choice((text, *'ab'))}"
        place = random.randint(0, len(text))
        sign = next((at for at, letter in enumerate(text) if not (letter.isalnum() or letter == " ")), 0)
        return random.choice(
            (
                text.swapcase(),
                text[:sign] + text[sign:].swapcase(),
                random.choice("abxyz") + text[sign:],
                text[: sign + 1] + random.choice("abxyz"),
                text[:place] + random.choice("ab z0") + text[place:],
                text[:place] + text[place + 1 :],
            )
        )


def _months_later(moment: datetime.datetime, months: int) -> datetime.datetime:
    """The same day so many months later, the 28th where that month may not have it."""
    years, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=years, month=month + 1, day=min(moment.day, 28))


def _numbers(query: exp.Expr) -> list[int]:
    """The whole numbers that a query mentions, also in texts as in '-1 day'."""
    found = [
        int(digits)
        for literal in query.find_all(exp.Literal)
        for digits in re.findall(r"\d{1,7}", str(literal.name)[:20], re.ASCII)
    ]
    return [number for number in found if 0 < number < 100_000]
