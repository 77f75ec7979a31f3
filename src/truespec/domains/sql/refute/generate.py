"""Small databases that satisfy the constraints of a schema, drawn to tell two queries apart."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.script import Database, Value, ValueRow, parents_first
from truespec.domains.sql.refute.check import condition, parse
from truespec.domains.sql.refute.literals import Literals, Number, as_date, collect, numeric_prefix
from truespec.domains.sql.schema import Column, Kind, Schema, Table
from truespec.verdict import Unsupported

MAX_ROWS = 9
"""Rows of a table, unless a condition on a group's size asks for more."""
TRIES = 12
"""How often a row that violates a key or a CHECK is drawn again."""
_FIRST_DAY = datetime.date(2019, 7, 1)
_NUMBERS = (Kind.INT, Kind.DECIMAL, Kind.FLOAT)
_SMALL = {"TINYINT": 127, "SMALLINT": 32_767, "MEDIUMINT": 8_388_607}


class Generator:
    """Draws databases; the same seed draws the same ones."""

    def __init__(
        self,
        schema: Schema,
        queries: Sequence[exp.Expr],
        seed: int,
        witnesses: Mapping[str, Sequence[Value]] | None = None,
    ) -> None:
        """`Unsupported` names a column whose type has no values here.

        `witnesses` are values worth trying, by lower-case column, beside those that the queries mention.
        """
        checks = [
            tree for table in schema.tables for text in table.checks if (tree := parse(text, schema.dialect))
        ]
        self._schema = schema
        self._random = Random(seed)
        self._literals = collect([*queries, *checks])
        for name, values in (witnesses or {}).items():
            self._literals.by_column.setdefault(name, set()).update(v for v in values if v is not None)
        used = _used(schema, queries)
        self._tables = [
            _Table(table, schema, self._literals) for table in parents_first(schema) if table.name in used
        ]
        self.tables = {table.name: table for table in self._tables}
        """The tables that are filled."""

    def some(self, table: str, many: int, random: Random) -> list[ValueRow]:
        """Rows of a table with values for every column, whatever its keys and references are."""
        style = _Style(spread=4, nulls=0.1, literal=0.5, offset=0, constancy=0.0)
        return [self.tables[table].whole(style, random) for _ in range(many)]

    def draw(self) -> Database:
        """The next database."""
        random = self._random
        biggest = random.choice((1, 2, 2, 3, 3, 4, 5, MAX_ROWS))
        asked = self._literals.rows
        full = asked and random.random() < 0.4
        if full:
            biggest = max(biggest, asked + 1)
        style = _Style(
            spread=random.choice((1, 2, 2, 3, 3, 4, 6)),
            nulls=random.choice((0.0, 0.0, 0.1, 0.3, 0.6)),
            literal=random.choice((0.2, 0.5, 0.8, 0.95)),
            offset=random.choice((0, 0, 0, 1, 5)),
            constancy=random.choice((0.0, 0.0, 0.2, 0.5, 0.8)),
            blanks=random.choice((0.0,) * 9 + (0.3,)),
            negative=random.choice((0.02,) * 5 + (0.4,)),
            turn=random.random() < 0.15,
        )
        tables: dict[str, tuple[ValueRow, ...]] = {}
        for table in self._tables:
            size = 0 if random.random() < 0.06 else random.randint(1, biggest)
            if full and random.random() < 0.5:
                size = biggest - random.randint(0, 1)
            tables[table.name] = tuple(table.draw(size, style, tables, random))
        return Database(tables)


def _used(schema: Schema, queries: Sequence[exp.Expr]) -> set[str]:
    """The tables that queries name, and the parents that their rows need."""
    named = {str(node.name).lower() for query in queries for node in query.find_all(exp.Table)}
    used = {table.name for table in schema.tables if table.name.lower() in named}
    waiting = list(used)
    while waiting:
        for key in schema.table(waiting.pop()).foreign_keys:
            if key.table not in used:
                used.add(key.table)
                waiting.append(key.table)
    return used


@dataclass(slots=True)
class _Style:
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
    negative: float = 0.02
    """How often a number has a minus."""
    turn: bool = False
    """Whether days lie where a month ends."""
    ways: dict[str, int] = field(default_factory=dict)
    fixed: dict[str, Value] = field(default_factory=dict)
    turns: dict[str, int | None] = field(default_factory=dict)
    """Of a reference: 0 where one parent has all rows, 1 where parents come in turn, None where any comes."""

    def widened(self, by: int) -> _Style:
        return replace(
            self, spread=self.spread + by, literal=self.literal * 0.7, constancy=0.0, ways={}, fixed={}
        )

    def parent(self, name: str, parents: Sequence[ValueRow], number: int, random: Random) -> ValueRow:
        """The parent of a table's row of this number: any, the same for all rows, or the next in turn."""
        if name not in self.turns:
            alike = random.choice((None, None, 0, 1, 1))
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
        return draw(self.widened(10) if way == 2 else self, random)


Draw = Callable[[_Style, Random], Value]


def small_values(generator: Generator, table: str, column: str, many: int) -> tuple[Value, ...]:
    """So many values of a column, those that are drawn first, or as many as there are."""
    random = Random(1)
    style = _Style(spread=2, nulls=0.0, literal=0.6, offset=0, constancy=0.0)
    draw = generator.tables[table].draw_of(column)
    found: dict[Value, None] = {}
    for _ in range(40):
        if len(found) == many:
            break
        found[draw(style, random)] = None
    return tuple(found)


class _Table:
    def __init__(self, table: Table, schema: Schema, literals: Literals) -> None:
        self.name = table.name
        self._names = [column.name.lower() for column in table.columns]
        # a fixed value is shared by columns of one name and kind
        self._kinds = [f"{column.name.lower()} {column.type.sql}" for column in table.columns]
        self._nullable = [column.nullable for column in table.columns]
        self._draws = [_drawer(column, table, schema, literals) for column in table.columns]
        place = {column.name: position for position, column in enumerate(table.columns)}
        self._keys = [tuple(place[name] for name in key) for key in _keys(table)]
        self._keyed = [any(position in key for key in self._keys) for position in range(len(table.columns))]
        self._folds = DIALECTS[schema.dialect].collation_merges_texts
        self._references = []
        for key in table.foreign_keys:
            parent = schema.table(key.table)
            there = {column.name: position for position, column in enumerate(parent.columns)}
            self._references.append(
                (
                    key.table,
                    tuple(place[name] for name in key.columns),
                    tuple(there[name] for name in key.references),
                )
            )
        self._referring = [f"{self.name} {here}" for _, here, _ in self._references]
        self._checks = [found for text in table.checks if (found := condition(text, schema.dialect))]

    def draw_of(self, column: str) -> Draw:
        """How values of a column are drawn."""
        return self._draws[self._names.index(column.lower())]

    def whole(self, style: _Style, random: Random) -> ValueRow:
        """One row, each of its values drawn by itself, that satisfies the CHECKs if one is found."""
        row: ValueRow = ()
        for attempt in range(TRIES):
            wide = style.widened(attempt)
            row = tuple(
                None if nullable and random.random() < style.nulls else draw(wide, random)
                for nullable, draw in zip(self._nullable, self._draws, strict=True)
            )
            if self._passes(row):
                break
        return row

    def draw(
        self, size: int, style: _Style, others: dict[str, tuple[ValueRow, ...]], random: Random
    ) -> list[ValueRow]:
        rows: list[ValueRow] = []
        seen: list[set[Any]] = [set() for _ in self._keys]
        for _ in range(size):
            for attempt in range(TRIES):
                row = self._row(style, others, rows, random, attempt)
                if row is None:
                    break
                if self._fits(row, seen):
                    rows.append(row)
                    for known, key in zip(seen, self._keys):
                        known.add(self._key(row, key))
                    break
        return rows

    def _row(
        self,
        style: _Style,
        others: dict[str, tuple[ValueRow, ...]],
        own: list[ValueRow],
        random: Random,
        attempt: int,
    ) -> ValueRow | None:
        # Each failure widens the pool, so that keys find room; first for the columns of keys alone.
        wide = style.widened(attempt) if attempt else style
        row: list[Value] = [
            None
            if nullable and random.random() < style.nulls
            else (wide if keyed or attempt > 3 else style).value(name, draw, random)
            for name, nullable, keyed, draw in zip(self._kinds, self._nullable, self._keyed, self._draws)
        ]
        for name, (table, here, there) in zip(self._referring, self._references):
            parents: Sequence[ValueRow] = own if table == self.name else others.get(table, ())
            nullable = any(self._nullable[place] for place in here)
            if nullable and (not parents or random.random() < style.nulls):
                row[next(place for place in here if self._nullable[place])] = None
                continue
            if table == self.name and random.random() < 0.3:
                for place, source in zip(here, there):
                    row[place] = row[source]
                continue
            if not parents:
                return None
            parent = random.choice(parents) if attempt > 1 else style.parent(name, parents, len(own), random)
            for place, source in zip(here, there):
                row[place] = parent[source]
        if len(self._references) > 1 and not self._references_hold(row, others, own):
            return None if attempt == TRIES - 1 else self._row(style, others, own, random, attempt + 1)
        for place, nullable in enumerate(self._nullable):
            if row[place] is None and not nullable:
                return None
        return tuple(row)

    def _references_hold(
        self, row: list[Value], others: dict[str, tuple[ValueRow, ...]], own: list[ValueRow]
    ) -> bool:
        for table, here, there in self._references:
            values = tuple(row[place] for place in here)
            if None in values:
                continue
            parents = [*own, tuple(row)] if table == self.name else others.get(table, ())
            if not any(tuple(parent[place] for place in there) == values for parent in parents):
                return False
        return True

    def _key(self, row: ValueRow, key: tuple[int, ...]) -> Any:
        values = tuple(row[place] for place in key)
        if self._folds:
            return tuple(v.casefold().rstrip() if isinstance(v, str) else v for v in values)
        return values

    def _fits(self, row: ValueRow, seen: list[set[Any]]) -> bool:
        for known, key in zip(seen, self._keys):
            if any(row[place] is None for place in key):
                continue
            if self._key(row, key) in known:
                return False
        return self._passes(row)

    def _passes(self, row: ValueRow) -> bool:
        by_name = dict(zip(self._names, row))
        answers = [check(by_name) for check in self._checks]
        return all(answer is None or answer for answer in answers)


def _keys(table: Table) -> tuple[tuple[str, ...], ...]:
    return table.unique_keys()


def _drawer(column: Column, table: Table, schema: Schema, literals: Literals) -> Draw:
    """How values of a column are drawn."""
    dialect = DIALECTS[schema.dialect]
    kind = column.type.kind
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
        return _texts(column, mentioned, literals)
    if kind in (Kind.DATE, Kind.DATETIME):
        narrow = dialect.timestamp_range_is_narrow and column.type.sql.upper().startswith("TIMESTAMP")
        return _moments(kind, mentioned, exact, literals, _STAMPS if narrow else _CALENDAR)
    if kind is Kind.TIME:
        return lambda style, random: f"{random.randint(0, style.spread):02d}:{random.choice((0, 30)):02d}:00"
    raise Unsupported(
        f"schema: no values of type {column.type.sql!r} (column {table.name}.{column.name}) are drawn"
    )


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

    def draw(style: _Style, random: Random) -> Value:
        choice = random.random()
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

    def draw(style: _Style, random: Random) -> Value:
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

    def draw(style: _Style, random: Random) -> Value:
        text = plain(style, random)
        if style.blanks and random.random() < style.blanks:
            return random.choice((text + " ", " " + text, " "))[:length]
        return text

    def plain(style: _Style, random: Random) -> str:
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
        return text.upper() if choice < 0.04 else text

    return draw


def _later(day: datetime.date, days: int) -> datetime.date:
    """So many days later; the last day that dates have where there are no more."""
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return datetime.date.max


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

    def draw(style: _Style, random: Random) -> Value:
        choice = random.random()
        if own and choice < style.literal:
            day = random.choice(written if random.random() < 0.4 else own)
        elif everywhere and choice > 0.8:
            day = random.choice(everywhere)
        elif choice < (0.25 if apart else 0.1):
            day = _later(base, random.choice(apart if apart and choice > 0.05 else steps))
        else:
            first = _later(base, style.offset)
            if style.turn:
                first = base.replace(day=calendar.monthrange(base.year, base.month)[1])
            day = _later(first, random.randrange(style.spread))
        text = min(max(day, bounds[0]), bounds[1]).isoformat()
        if kind is Kind.DATETIME:
            return (
                f"{text} {random.randrange(min(style.spread * 4, 24)):02d}:{random.choice((0, 0, 30)):02d}:00"
            )
        return text

    return draw
