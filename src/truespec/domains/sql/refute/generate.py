"""Small databases that satisfy the constraints of a schema, drawn to tell two queries apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.script import Database, Value, ValueRow, parents_first
from truespec.domains.sql.refute.check_constraints import Condition, condition, kind_of, parse
from truespec.domains.sql.refute.draws import Draw, Style, always_null, drawer
from truespec.domains.sql.refute.literals import Literals, as_date, collect
from truespec.domains.sql.schema import Kind, Schema, Table

MAX_ROWS = 9
"""Rows of a table, unless a condition on a group's size asks for more."""
EMPTY = 0.15
"""How often a table is empty."""
RUNS, RUN = 0.15, 5
"""How often days follow on each other, and how many rows tables then may have."""
GRID = 0.25
"""How often each parent has a row for each of the values that the queries mention of a key."""
MAX_GRID, GAPS = 4, 0.08
"""The most such values, and how often one of the rows is left out."""
TRIES = 12
"""How often a row that violates a key or a CHECK is drawn again."""
REDRAWS = 8
"""How often a value that violates a CHECK of its column is drawn again."""


Reference = tuple[str, tuple[int, ...], tuple[int, ...]]
"""A foreign key: the table, the places of its columns here, and there."""


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
        used, named = _used(schema, queries), named_columns(queries)
        self._tables = [
            Filled(table, schema, self._literals, named)
            for table in parents_first(schema)
            if table.name in used
        ]
        parents = {key.table for table in schema.tables if table.name in used for key in table.foreign_keys}
        self._leaves = used - parents
        self.recursive = any(
            clause.args.get("recursive") for query in queries for clause in query.find_all(exp.With)
        )
        """Whether a query goes round, which it may do for ever on rows that make a cycle."""
        self.tables = {table.name: table for table in self._tables}
        """The tables that are filled."""

    def some(self, table: str, many: int, random: Random) -> list[ValueRow]:
        """Rows of a table with values for every column, whatever its keys and references are."""
        style = Style(spread=4, nulls=0.1, literal=0.5, offset=0, constancy=0.0)
        return [self.tables[table].whole(style, random) for _ in range(many)]

    def without_values(self) -> list[tuple[str, str]]:
        """The columns that queries name and that are always NULL, each with its type."""
        return [
            (f"{table.name}.{column.name}", column.type.sql)
            for table in self._tables
            for place, column in enumerate(self._schema.table(table.name).columns)
            if table.draws[place] is always_null and place in table.telling
        ]

    def draw(self) -> Database:
        """The next database."""
        random = self._random
        biggest = random.choice((1, 2, 2, 3, 3, 4, 5, MAX_ROWS))
        asked = self._literals.rows
        full = asked and random.random() < 0.4
        if full:
            biggest = max(biggest, asked + 1)
        together = bool(full) and asked > MAX_ROWS and random.random() < 0.5
        runs = random.random() < RUNS
        biggest = max(biggest, RUN) if runs else biggest
        style = Style(
            spread=random.choice((1, 2, 2, 3, 3, 4, 6)),
            nulls=random.choice((0.0, 0.0, 0.1, 0.3, 0.6)) if not together else 0.0,
            literal=random.choice((0.2, 0.5, 0.8, 0.95)),
            offset=random.choice((0, 0, 0, 1, 5)),
            constancy=random.choice((0.0, 0.0, 0.2, 0.5, 0.8)) if not together else 0.7,
            blanks=random.choice((0.0,) * (4 if self._literals.folds else 9) + (0.3,)),
            capitals=random.choice((0.04, 0.3)) if self._literals.folds else 0.04,
            negative=random.choice((0.02,) * 5 + (0.4,)),
            turn=(place := random.random()) < 0.15,
            years=place > 0.9,
            together=together,
            runs=runs,
            loops=0.04 if self.recursive else 0.3,
            upwards=random.random() < (0.9 if self.recursive else 0.3),
        )
        # One at most: where two are empty, little is left to tell apart.
        empty = random.choice(self._tables).name if self._tables and random.random() < EMPTY else ""
        grid = any(table.grid for table in self._tables) and random.random() < GRID
        tables: dict[str, tuple[ValueRow, ...]] = {}
        for table in self._tables:
            size = 0 if table.name == empty else random.randint(1, biggest)
            if table.name in self._leaves and random.random() < (0.8 if runs else 0.5):
                size = max(size, random.randint(1, biggest), RUN if runs else 1)
            if full and random.random() < (0.8 if together else 0.5):
                size = biggest - random.randint(0, 1)
            drawn = table.draw_grid(style, tables, random) if grid else []
            tables[table.name] = tuple(drawn or table.draw(size, style, tables, random))
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


def named_columns(queries: Sequence[exp.Expr]) -> set[str] | None:
    """The columns that queries name, in lower case; None for all."""
    for query in queries:
        for star in query.find_all(exp.Star):
            if not isinstance(star.parent, exp.Count):
                return None
    return {str(column.name).lower() for query in queries for column in query.find_all(exp.Column)}


def small_values(generator: Generator, table: str, column: str, many: int) -> tuple[Value, ...]:
    """So many values of a column, those that are drawn first, or as many as there are."""
    random = Random(1)
    style = Style(spread=2, nulls=0.0, literal=0.6, offset=0, constancy=0.0)
    draw = generator.tables[table].draw_of(column)
    found: dict[Value, None] = {}
    for _ in range(40):
        if len(found) == many:
            break
        found[draw(style, random)] = None
    return tuple(found)


class Filled:
    """A table that is filled."""

    def __init__(self, table: Table, schema: Schema, literals: Literals, named: set[str] | None) -> None:
        self.name = table.name
        self._names = [column.name.lower() for column in table.columns]
        # a fixed value is shared by columns of one name and kind
        self._labels = [f"{column.name.lower()} {column.type.sql}" for column in table.columns]
        self.nullable = [column.nullable for column in table.columns]
        self._types = [column.type for column in table.columns]
        alone = _checks_of_one(table, schema)
        self.draws = [
            _within(drawer(column, table, schema, literals), name, alone.get(name, ()))
            for name, column in zip(self._names, table.columns)
        ]
        place = {column.name: position for position, column in enumerate(table.columns)}
        self.keys = [tuple(place[name] for name in key) for key in _keys(table)]
        self._keyed = [any(position in key for key in self.keys) for position in range(len(table.columns))]
        self._folds = DIALECTS[schema.dialect].collation_merges_texts
        self.references: list[Reference] = []
        for key in table.foreign_keys:
            parent = schema.table(key.table)
            there = {column.name: position for position, column in enumerate(parent.columns)}
            self.references.append(
                (
                    key.table,
                    tuple(place[name] for name in key.columns),
                    tuple(there[name] for name in key.references),
                )
            )
        self.kinds = [kind_of(column, table, schema.dialect) for column in table.columns]
        self.telling = [place for place, name in enumerate(self._names) if named is None or name in named]
        """The columns that the queries name; all where they name none."""
        self.telling = self.telling or list(range(len(self._names)))
        self.edges = _edges(self.references, self.name)
        self.grid = self._grid(literals)
        """A reference and a column that make a key together, and values of it; None where there are none."""
        self._referring = [f"{self.name} {here}" for _, here, _ in self.references]
        self._checks = [found for text in table.checks if (found := condition(text, schema.dialect))]

    def draw_of(self, column: str) -> Draw:
        """How values of a column are drawn."""
        return self.draws[self._names.index(column.lower())]

    def refers(self, place: int) -> bool:
        """Whether a column refers to another row."""
        return any(place in here for _, here, _ in self.references)

    def row(
        self, style: Style, others: dict[str, tuple[ValueRow, ...]], own: list[ValueRow], random: Random
    ) -> ValueRow | None:
        """One row beside others, which may have a key of theirs; None where none was found."""
        return self._row(style, others, own, random, 1, 1)

    def holds(self, rows: Sequence[ValueRow], others: Mapping[str, Sequence[ValueRow]]) -> bool:
        """Whether rows have their own keys, refer to rows, and satisfy the CHECKs that are read."""
        seen: list[set[Any]] = [set() for _ in self.keys]
        for row in rows:
            if not self._fits(row, seen) or not self._references_hold(row, others, rows):
                return False
            if any(value is None and not free for value, free in zip(row, self.nullable, strict=True)):
                return False
            for known, key in zip(seen, self.keys, strict=True):
                known.add(self._key(row, key))
        return True

    def whole(self, style: Style, random: Random) -> ValueRow:
        """One row, each of its values drawn by itself, that satisfies the CHECKs if one is found."""
        row: ValueRow = ()
        for attempt in range(TRIES):
            wide = style.widened(attempt)
            row = tuple(
                None if nullable and random.random() < style.nulls else draw(wide, random)
                for nullable, draw in zip(self.nullable, self.draws, strict=True)
            )
            if self._passes(row):
                break
        return row

    def draw(
        self, size: int, style: Style, others: dict[str, tuple[ValueRow, ...]], random: Random
    ) -> list[ValueRow]:
        rows: list[ValueRow] = []
        seen: list[set[Any]] = [set() for _ in self.keys]
        room = max(1, size // 3) if size > MAX_ROWS + 4 else 1  # many rows need many keys
        for _ in range(size):
            for attempt in range(TRIES):
                row = self._row(style, others, rows, random, attempt, room)
                if row is None:
                    break
                if self._fits(row, seen):
                    rows.append(row)
                    for known, key in zip(seen, self.keys):
                        known.add(self._key(row, key))
                    break
        return rows

    def _grid(self, literals: Literals) -> tuple[Reference, int, list[Value]] | None:
        """A reference and a column that make a key together, and the values that are written beside it."""
        for reference, key in itertools.product(self.references, self.keys):
            rest = [place for place in key if place not in reference[1]]
            if reference[0] == self.name or len(rest) != 1 or len(key) != len(reference[1]) + 1:
                continue
            fits = _FITTING.get(self._types[rest[0]].kind, _never)
            written = [value for value in literals.exact.get(self._names[rest[0]], ()) if fits(value)]
            if 2 <= len(written) <= MAX_GRID:
                return reference, rest[0], sorted(written, key=str)
        return None

    def draw_grid(
        self, style: Style, others: dict[str, tuple[ValueRow, ...]], random: Random
    ) -> list[ValueRow]:
        """A row for each parent and each value of the key's other column, now and then one left out."""
        if self.grid is None:
            return []
        (table, here, there), place, values = self.grid
        rows: list[ValueRow] = []
        for parent, value in itertools.product(others.get(table, ()), values):
            drawn = self._row(style, others, rows, random, 0, 1) if random.random() > GAPS else None
            if drawn is None:
                continue
            row = list(drawn)
            row[place] = value
            for mine, theirs in zip(here, there):
                row[mine] = parent[theirs]
            if self._references_hold(row, others, rows) and self._fits(tuple(row), self._seen(rows)):
                rows.append(tuple(row))
        return rows

    def _seen(self, rows: Sequence[ValueRow]) -> list[set[Any]]:
        """The keys that rows have."""
        return [{self._key(row, key) for row in rows} for key in self.keys]

    def _row(
        self,
        style: Style,
        others: dict[str, tuple[ValueRow, ...]],
        own: list[ValueRow],
        random: Random,
        attempt: int,
        room: int,
    ) -> ValueRow | None:
        # Each failure widens the pool, so that keys find room; first for the columns of keys alone.
        keeps = style.together and attempt < TRIES // 2
        wide = style.widened(attempt * room, fresh=not keeps) if attempt else style
        row: list[Value] = [
            None
            if nullable and random.random() < style.nulls
            else (wide if keyed or attempt > 3 else style).value(name, draw, random)
            for name, nullable, keyed, draw in zip(self._labels, self.nullable, self._keyed, self.draws)
        ]
        for name, (table, here, there) in zip(self._referring, self.references):
            parents: Sequence[ValueRow] = own if table == self.name else others.get(table, ())
            nullable = any(self.nullable[place] for place in here)
            if nullable and (not parents or random.random() < style.nulls):
                row[next(place for place in here if self.nullable[place])] = None
                continue
            if table == self.name and random.random() < style.loops:
                for place, source in zip(here, there):
                    row[place] = row[source]
                continue
            if not parents:
                return None
            free = attempt > (TRIES // 2 if style.together else 1)
            parent = random.choice(parents) if free else style.parent(name, parents, len(own), random)
            for place, source in zip(here, there):
                row[place] = parent[source]
        for pair in self.edges if style.upwards else ():
            if len(others.get(self.references[pair[0]][0], ())) < 2 and random.random() > style.loops:
                return None
            self._point_upwards(row, pair, others, random)
        if len(self.references) > 1 and not self._references_hold(row, others, own):
            return None if attempt == TRIES - 1 else self._row(style, others, own, random, attempt + 1, room)
        for place, nullable in enumerate(self.nullable):
            if row[place] is None and not nullable:
                return None
        return tuple(row)

    def _point_upwards(
        self,
        row: list[Value],
        pair: tuple[int, int],
        others: dict[str, tuple[ValueRow, ...]],
        random: Random,
    ) -> None:
        """Let a row lead from a parent to a later one: rows that are edges then make no cycle."""
        (table, first, there), (_, second, _) = (self.references[number] for number in pair)
        parents = others.get(table, ())
        if len(parents) < 2 or any(row[place] is None for place in (*first, *second)):
            return
        low, high = sorted(random.sample(range(len(parents)), 2))
        for here, number in ((first, low), (second, high)):
            for place, source in zip(here, there):
                row[place] = parents[number][source]

    def _references_hold(
        self, row: Sequence[Value], others: Mapping[str, Sequence[ValueRow]], own: Sequence[ValueRow]
    ) -> bool:
        for table, here, there in self.references:
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
        for known, key in zip(seen, self.keys):
            if any(row[place] is None for place in key):
                continue
            if self._key(row, key) in known:
                return False
        return self._passes(row)

    def _passes(self, row: ValueRow) -> bool:
        if not self._checks:
            return True
        by_name = dict(zip(self._names, row))
        answers = [check(by_name) for check in self._checks]
        return all(answer is None or answer for answer in answers)


def _never(_: Value) -> bool:
    return False


_FITTING: Mapping[Kind, Callable[[Value], bool]] = {
    Kind.INT: lambda value: isinstance(value, int),
    Kind.TEXT: lambda value: isinstance(value, str),
    Kind.DATE: lambda value: isinstance(value, str) and as_date(value) is not None and len(value) == 10,
}
"""Which written values are values of a column."""


def _edges(references: Sequence[Reference], own: str) -> list[tuple[int, int]]:
    """The references, two by two, that name the same columns of one other table."""
    return [
        (first, second)
        for first, second in itertools.combinations(range(len(references)), 2)
        if references[first][0] == references[second][0] != own
        and references[first][2] == references[second][2]
    ]


def _checks_of_one(table: Table, schema: Schema) -> dict[str, list[Condition]]:
    """The CHECKs that speak of one column alone, by its lower-case name."""
    found: dict[str, list[Condition]] = {}
    for text in table.checks:
        tree, holds = parse(text, schema.dialect), condition(text, schema.dialect)
        names = {str(column.name).lower() for column in tree.find_all(exp.Column)} if tree else set()
        if holds is not None and len(names) == 1:
            found.setdefault(names.pop(), []).append(holds)
    return found


def _within(draw: Draw, name: str, checks: Sequence[Condition]) -> Draw:
    """Values that satisfy a column's own CHECKs, if a few draws find one; at last those that they mention."""
    if not checks:
        return draw

    def drawn(style: Style, random: Random) -> Value:
        value = None
        for attempt in range(REDRAWS):
            value = draw(style if attempt < REDRAWS // 2 else style.near(), random)
            answers = [holds({name: value}) for holds in checks]
            if all(answer is None or answer for answer in answers):
                break
        return value

    return drawn


def _keys(table: Table) -> tuple[tuple[str, ...], ...]:
    return table.unique_keys()
