"""Values of a column, drawn by its type and by the constants that the queries compare it with."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.script import Value, ValueRow
from truespec.domains.sql.refute.check_constraints import kind_of
from truespec.domains.sql.refute.literals import Literals, Number, as_date, numeric_prefix
from truespec.domains.sql.refute.other_types import Pick, documents, picker
from truespec.domains.sql.schema import Column, Kind, Schema, Table
from truespec.verdict import Unsupported

HALVING = 0.5
"""How often a number that something is divided by is a power of two, which leaves quotients exact."""
DATED, NEARLY = 0.94, 0.97
"""How often a text that is read as a date is one, and how often it is one or nearly one."""
MIDNIGHT = 0.12
"""How often a moment is the first of its day, where ranges of days begin and end."""
_FIRST_DAY = datetime.date(2019, 7, 1)
_NUMBERS = (Kind.INT, Kind.DECIMAL, Kind.FLOAT)
_SMALL = {"TINYINT": 127, "SMALLINT": 32_767, "MEDIUMINT": 8_388_607}


@dataclass(slots=True)
class Style:
    """What one database's values have in common, so that rows meet."""

    spread: int
    """How many different small values there are."""
    nulls: float
    """How often a nullable column is NULL."""
    literal: float
    """How often a value is one that the queries mention."""
    offset: int
    """Where small values begin."""
    constancy: float
    """How often a column has one value throughout."""
    blanks: float = 0.0
    """How often a text has a blank before or after it."""
    capitals: float = 0.04
    """How often a text that is none of those mentioned is in capitals."""
    negative: float = 0.02
    """How often a number has a minus."""
    turn: bool = False
    """Whether days lie where a month ends."""
    years: bool = False
    """Whether days lie whole years apart."""
    together: bool = False
    """Whether all rows of a table have one parent, as long as keys leave room: large groups."""
    runs: bool = False
    """Whether days follow on each other, row by row, now and then with one twice or one left out."""
    upwards: bool = False
    """Whether rows that refer to two rows of one table lead from an earlier to a later one."""
    loops: float = 0.3
    """How often a row that may refer to its own table refers to itself."""
    last: list[int] = field(default_factory=lambda: [0])
    """The step that the last day of a run has."""
    ways: dict[str, int] = field(default_factory=dict)
    fixed: dict[str, Value] = field(default_factory=dict)
    turns: dict[str, int | None] = field(default_factory=dict)
    """Of a reference: 0 where one parent has all rows, 1 where parents come in turn, None where any comes."""

    wide: Style | None = field(default=None, init=False)
    close: Style | None = field(default=None, init=False)

    def of_many(self) -> Style:
        """The style of a column of many values; made once, since only what draws a value looks at it."""
        if self.wide is None:
            self.wide = self.widened(10)
        return self.wide

    def near(self) -> Style:
        """The style of values that are nearly always mentioned; made once, as `of_many` is."""
        if self.close is None:
            self.close = self._but(self.spread, 0.95, self.constancy, self.ways, self.fixed)
        return self.close

    def widened(self, by: int, fresh: bool = True) -> Style:
        """A style of more values; the columns with one value throughout keep it unless `fresh`."""
        spread, literal = self.spread + by, self.literal * 0.7
        if fresh:
            return self._but(spread, literal, 0.0, {}, {})
        return self._but(spread, literal, self.constancy, self.ways, self.fixed)

    def _but(
        self, spread: int, literal: float, constancy: float, ways: dict[str, int], fixed: dict[str, Value]
    ) -> Style:
        """The same style but for these: `dataclasses.replace` takes ten times as long, and rows ask often."""
        return Style(
            spread,
            self.nulls,
            literal,
            self.offset,
            constancy,
            self.blanks,
            self.capitals,
            self.negative,
            self.turn,
            self.years,
            self.together,
            self.runs,
            self.upwards,
            self.loops,
            self.last,
            ways,
            fixed,
            self.turns,
        )

    def parent(self, name: str, parents: Sequence[ValueRow], number: int, random: Random) -> ValueRow:
        """The parent of a table's row of this number: any, the same for all rows, or the next in turn."""
        if name not in self.turns:
            some = (0, 0, None, 1) if self.runs else (None, None, 0, 1, 1)
            alike = 0 if self.together else random.choice(some)
            self.turns[name] = alike
            self.ways[name] = random.randrange(len(parents))
        step = self.turns[name]
        if step is None:
            return random.choice(parents)
        return parents[(self.ways[name] + step * number) % len(parents)]

    def value(self, name: str, draw: Draw, random: Random) -> Value:
        """A column's next value: the same in every row of every table, of many, or as the style has it."""
        way = self.ways.get(name)
        if way is None:
            chance = random.random()
            way = 1 if chance < self.constancy else 2 if chance > 0.94 else 0
            self.ways[name] = way
        if way == 1:
            if name not in self.fixed:
                self.fixed[name] = draw(self, random)
            return self.fixed[name]
        return draw(self.of_many() if way == 2 else self, random)


Draw = Callable[[Style, Random], Value]


def drawer(column: Column, table: Table, schema: Schema, literals: Literals) -> Draw:
    """How values of a column are drawn."""
    dialect = DIALECTS[schema.dialect]
    kind = kind_of(column, table, schema.dialect)
    mentioned = _beside(column.name, table, schema, literals.by_column, set())
    exact = _beside(column.name, table, schema, literals.exact, set())
    if kind in _NUMBERS:
        return _numbers(column, mentioned, exact, literals, schema.dialect)
    if kind is Kind.BOOL:
        # A BOOLEAN of MariaDB and SQLite is a number; truths other than 1 are rare, so that they come last.
        many = not dialect.has_boolean_type
        return lambda style, random: 2 if many and random.random() < 0.02 else random.randint(0, 1)
    if kind is Kind.ENUM:
        return _members(column, mentioned)
    if kind is Kind.TEXT or (kind is Kind.OTHER and dialect.types_are_affinities):
        texts = _texts(column, mentioned, literals)
        if column.name.lower() in literals.documents:
            return _nearly_documents(documents(literals), texts)
        if not dialect.dates_are_texts or column.name.lower() not in literals.dated:
            return texts
        timed = any(isinstance(value, str) and as_date(value) and len(value) > 10 for value in mentioned)
        of_dates = Kind.DATETIME if timed else Kind.DATE
        days = _moments(of_dates, mentioned, exact, literals, _CALENDAR)
        return _nearly_dates(days, texts)
    if kind is Kind.OTHER and column.type.sql.upper() == "TIMESTAMPTZ":
        return _moments(Kind.DATETIME, mentioned, exact, literals, _CALENDAR)
    if kind in (Kind.DATE, Kind.DATETIME):
        narrow = dialect.timestamp_range_is_narrow and column.type.sql.upper().startswith("TIMESTAMP")
        return _moments(kind, mentioned, exact, literals, _STAMPS if narrow else _CALENDAR)
    if kind is Kind.TIME:
        return lambda style, random: f"{random.randint(0, style.spread):02d}:{random.choice((0, 30)):02d}:00"
    pick = picker(column.type.sql, mentioned, literals, braces=dialect.lists_are_written_in_braces)
    if pick is not None:
        return lambda style, random: pick(style.spread, random)
    if column.nullable:
        return always_null
    raise Unsupported(
        f"schema: no values of type {column.type.sql!r} (column {table.name}.{column.name}) are drawn"
    )


def always_null(_: Style, __: Random) -> Value:
    """The only value of a column whose type has no values here."""
    return None


def _nearly_documents(pick: Pick, texts: Draw) -> Draw:
    """Documents, now and then any text."""
    return lambda style, random: (
        texts(style, random) if random.random() > DATED else pick(style.spread, random)
    )


def _nearly_dates(days: Draw, texts: Draw) -> Draw:
    """Days, now and then one with a time or with a mistake in it, and at times any text."""

    def draw(style: Style, random: Random) -> Value:
        choice = random.random()
        if choice > NEARLY:
            return texts(style, random)
        day = str(days(style, random))
        return day if choice < DATED else random.choice(_NEARLY_DATES)(day)

    return draw


_NEARLY_DATES: Sequence[Callable[[str], str]] = (
    lambda day: f"{day[:10]} 18:00:00",
    lambda day: f"{day[:8]}31",
    lambda day: f"{day[:8]}32",
    lambda day: f"{day[:5]}13{day[7:10]}",
    lambda day: f"{day[:10]}x",
    lambda day: day[:7],
)
"""What is written nearly as a day is: SQLite takes some of these for days."""


def _beside(
    column: str,
    table: Table,
    schema: Schema,
    literals: Mapping[str, set[Number | str]],
    seen: set[tuple[str, str]],
) -> set[Any]:
    """The values that stand beside a column, or beside one that refers to it, which finds them only here."""
    seen.add((table.name, column))
    found = set(literals.get(column.lower(), ()))
    for child in schema.tables:
        for key in child.foreign_keys:
            if schema.table(key.table).name != table.name:
                continue
            for here, there in zip(key.columns, key.references, strict=True):
                if there.lower() == column.lower() and (child.name, here) not in seen:
                    found |= _beside(here, child, schema, literals, seen)
    return found


def _numbers(column: Column, mentioned: set[Any], exact: set[Any], literals: Literals, dialect: str) -> Draw:
    kind, name = column.type.kind, column.type.sql.upper()
    scale = column.type.scale if kind is Kind.DECIMAL and column.type.scale is not None else 0
    digits = (column.type.precision or 10) - scale if kind is Kind.DECIMAL else 10
    biggest = min(
        next((size for small, size in _SMALL.items() if name.startswith(small)), 2**31 - 1), 10**digits - 1
    )
    smallest = 0 if "UNSIGNED" in name or name.startswith("U") else -biggest - 1

    def fit(value: Any) -> Number | None:
        if isinstance(value, str):
            if not DIALECTS[dialect].text_columns_convert:
                return None
            value = Decimal(numeric_prefix(value))
        if kind is Kind.INT and value != int(value):
            value = int(value)
        if isinstance(value, Decimal):
            value = round(value, scale) if kind is Kind.DECIMAL else value
            value = int(value) if value == int(value) else value
        return value if smallest <= value <= biggest else None

    def fitting(values: set[Any]) -> list[Number]:
        return sorted({fitted for value in values if (fitted := fit(value)) is not None})

    # By the size of the set: `0` beside `-1` and `1`, an average, a percentage.
    own, all_numbers = fitting(mentioned), fitting(set(literals.numbers))
    written = fitting(exact) or own
    shifts = [number for number in literals.shifts if abs(number) < biggest]
    fractions = [Decimal("0.5")] * 3
    if kind is Kind.DECIMAL and scale > 1 and not DIALECTS[dialect].divides_in_binary:
        fractions += [Decimal("0.25"), Decimal("0.05"), Decimal("0.99")]
    elif kind is Kind.FLOAT or scale > 1:  # exact in binary, in which DuckDB and SQLite divide
        fractions += [Decimal("0.25"), Decimal("0.75")]
    if kind is Kind.INT or (kind is Kind.DECIMAL and scale == 0):
        fractions = []
    divides = column.name.lower() in literals.divisors

    def draw(style: Style, random: Random) -> Value:
        choice = random.random()
        if divides and random.random() < HALVING:
            return random.choice((1, 2, 4, 8))
        if own and choice < style.literal:
            pick = random.random()
            return random.choice(own[: style.spread * 3] if pick < 0.2 else written if pick < 0.6 else own)
        if all_numbers and choice > 0.93:
            return random.choice(all_numbers)
        value: Value = random.randint(0 if choice < 0.2 else 1, style.spread) + style.offset
        if shifts and choice > 0.75 and isinstance(value, int):
            value = min(value + random.choice(shifts), biggest)
        if smallest < 0 and isinstance(value, int) and random.random() < style.negative:
            value = -value
        if fractions and random.random() < 0.3 and isinstance(value, int):
            return value + random.choice(fractions)
        return min(value, biggest) if isinstance(value, int) else value

    return draw


def _members(column: Column, mentioned: set[Any]) -> Draw:
    values = list(column.type.values)
    if not values:
        raise Unsupported(f"schema: the ENUM of column {column.name} has no members")
    lower = {str(value).lower() for value in mentioned}
    own = [value for value in values if value.lower() in lower]

    def draw(style: Style, random: Random) -> Value:
        if own and random.random() < style.literal:
            return random.choice(own)
        return random.choice(values[: style.spread + 1] if random.random() < 0.5 else values)

    return draw


def _texts(column: Column, mentioned: set[Any], literals: Literals) -> Draw:
    length = min(column.type.precision or 60, 60)

    def fitting(values: set[Any]) -> list[str]:
        return sorted({str(value)[:length] for value in values if "\\" not in str(value)})

    own = fitting({value for value in mentioned if isinstance(value, str)})
    everywhere = fitting(set(literals.texts))
    letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"]
    dated = [value for value in sorted(literals.dates) if len(value) <= length]

    def draw(style: Style, random: Random) -> Value:
        text = plain(style, random)
        if style.blanks and random.random() < style.blanks:
            return random.choice((text + " ", " " + text, " "))[:length]
        return text

    def plain(style: Style, random: Random) -> str:
        choice = random.random()
        if own and choice < style.literal:
            return random.choice(own)
        if everywhere and choice > 0.93:
            return random.choice(everywhere)
        if dated and choice > 0.88:
            return random.choice(dated)
        if choice < 0.01:
            return ""
        text = letters[(random.randrange(style.spread) + style.offset) % len(letters)]
        return text.upper() if random.random() < style.capitals else text

    return draw


def _later(day: datetime.date, days: int) -> datetime.date:
    """So many days later; the last day that dates have where there are no more."""
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return datetime.date.max


def _years_later(day: datetime.date, years: int) -> datetime.date:
    """The same day of a later year; the 28th where that year has no 29th of February."""
    year = min(day.year + years, datetime.date.max.year)
    return day.replace(year=year, day=min(day.day, 28) if day.month == 2 else day.day)


_CALENDAR = (datetime.date.min, datetime.date.max)
_STAMPS = (datetime.date(1970, 1, 2), datetime.date(2038, 1, 18))
"""The days that MariaDB's TIMESTAMP holds whole."""


def _moments(
    kind: Kind,
    mentioned: set[Any],
    exact: set[Any],
    literals: Literals,
    bounds: tuple[datetime.date, datetime.date],
) -> Draw:
    def days(values: set[Any]) -> list[datetime.date]:
        return sorted({day for value in values if isinstance(value, str) and (day := as_date(value))})

    own = days(mentioned)
    written = days(exact) or own
    everywhere = days(set(literals.dates))
    # A year or month that stands alone, as in YEAR(d) = 2020.
    for value in sorted(v for v in (mentioned | literals.numbers) if isinstance(v, int) and 1900 < v < 2100):
        everywhere += [datetime.date(value, 1, 1), datetime.date(value, 12, 31), datetime.date(value, 6, 15)]
    base = (own or everywhere or [_FIRST_DAY])[0]
    steps = [28, 29, 30, 31, 365, 366]
    apart = [days for span in literals.spans for days in (span - 1, span, span + 1) if 0 < days < 100_000]
    # Also so far from the last day of a month: a number of days is no difference of dates read as numbers.
    turn = calendar.monthrange(base.year, base.month)[1] - base.day
    apart += [turn + days for days in (0, *apart)] if apart else []

    def draw(style: Style, random: Random) -> Value:
        choice = random.random()
        if style.runs and choice < 0.95:
            style.last[0] += random.choice((0, 1, 1, 1, 1, 2))
            day = _later(base, style.last[0])
        elif own and choice < style.literal:
            day = random.choice(written if random.random() < 0.4 else own)
        elif everywhere and choice > 0.8:
            day = random.choice(everywhere)
        elif choice < (0.25 if apart else 0.1):
            day = _later(base, random.choice(apart if apart and choice > 0.05 else steps))
        else:
            first = _later(base, style.offset)
            if style.turn:
                first = base.replace(day=calendar.monthrange(base.year, base.month)[1])
            step = random.randrange(style.spread)
            day = _years_later(first, step) if style.years else _later(first, step)
        text = min(max(day, bounds[0]), bounds[1]).isoformat()
        if kind is Kind.DATETIME:
            if random.random() < MIDNIGHT:
                return f"{text} 00:00:00"
            hour = random.randrange(min(style.spread * 4, 24))
            return f"{text} {hour:02d}:{random.choice((0, 0, 30)):02d}:00"
        return text

    return draw
