"""Databases made from one that is worth a second look: a row more or less, another value in a row.

A drawn database says nothing of the next one. Here a small change of a database is the next one, so that
what a pair of queries needs (five edges in a row, two moments exactly half an hour apart, a third interval
inside the first) comes about step by step.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from random import Random

from sqlglot import exp

from truespec.domains.sql.engines.script import Database, Value, ValueRow
from truespec.domains.sql.refute.draws import Style
from truespec.domains.sql.refute.generate import Filled, Generator
from truespec.domains.sql.refute.neighbours import Neighbours
from truespec.domains.sql.schema import Kind

MAX_SIZE = 14
"""Rows of a table beyond which none is added."""
TRIES = 8
"""How often a change that breaks a key, a reference or a CHECK is made otherwise."""
MORE = 0.5
"""How often one more change is made."""
_NO_NEAR = (Kind.BOOL, Kind.ENUM, Kind.TIME)
"""Kinds whose values have no neighbours."""

Tables = dict[str, list[ValueRow]]


class Mutator:
    """Changes databases of one pair; the same seed makes the same changes."""

    def __init__(self, generator: Generator, queries: Sequence[exp.Expr], seed: int) -> None:
        self._tables = generator.tables
        self._recursive = generator.recursive
        self._random = Random(seed)
        self._style = Style(spread=5, nulls=0.1, literal=0.6, offset=0, constancy=0.0)
        self._neighbours = Neighbours(queries, self._random)
        self._changes: Sequence[tuple[Callable[[Tables, str], bool], int]] = (
            (self._other_value, 12),
            (self._row_like, 6),
            (self._row_after, 4),
            (self._new_row, 1),
            (self._without_row, 2),
            (self._exchanged, 1),
        )
        """What makes a change in a table, false where it does not apply; each with how often it is tried."""

    def changed(self, database: Database) -> Database:
        """The database with a change or a few that keep what the schema declares, or none."""
        tables = {name: list(rows) for name, rows in database.tables.items()}
        while True:
            self._change(tables)
            if self._random.random() > MORE:
                return Database({name: tuple(rows) for name, rows in tables.items()})

    def _change(self, tables: Tables) -> None:
        random = self._random
        names = [name for name in tables if name in self._tables]
        changes, weights = zip(*self._changes, strict=True)
        for _ in range(TRIES if names else 0):
            (name,) = random.choices(names, [1 + len(tables[name]) for name in names])
            before = {other: list(rows) for other, rows in tables.items()}
            (change,) = random.choices(changes, weights)
            if change(tables, name) and self._holds(tables):
                return
            tables.update(before)

    def _holds(self, tables: Tables) -> bool:
        known = [name for name in tables if name in self._tables]
        return all(self._tables[name].holds(tables[name], tables) for name in known) and not (
            self._recursive and any(_goes_round(self._tables[name], tables[name]) for name in known)
        )

    def _other_value(self, tables: Tables, name: str) -> bool:
        """Another value in one row; rows that refer to it follow."""
        rows = tables[name]
        if not rows:
            return False
        number = self._random.randrange(len(rows))
        row = list(rows[number])
        self._vary(row, tables, name)
        return self._put(tables, name, number, tuple(row))

    def _row_like(self, tables: Tables, name: str) -> bool:
        """One row more: another's copy but for its keys, and often for other values."""
        rows, random = tables[name], self._random
        if not 0 < len(rows) < MAX_SIZE:
            return False
        row = list(random.choice(rows))
        self._make_apart(row, tables, name)
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            self._vary(row, tables, name)
        rows.insert(random.randint(0, len(rows)), tuple(row))
        return True

    def _row_after(self, tables: Tables, name: str) -> bool:
        """One row more, which begins where another ends: a column of it has the value of another column."""
        rows, kinds, random = tables[name], self._tables[name].kinds, self._random
        pairs = [
            (first, second)
            for first, second in itertools.permutations(range(len(kinds)), 2)
            if kinds[first] is kinds[second]
        ]
        if not 0 < len(rows) < MAX_SIZE or not pairs:
            return False
        row = list(random.choice(rows))
        first, second = random.choice(pairs)
        row[first] = row[second]
        self._make_apart(row, tables, name, but=first)
        row[second] = self._value(tables, name, second, row)
        rows.insert(random.randint(0, len(rows)), tuple(row))
        return True

    def _make_apart(self, row: list[Value], tables: Tables, name: str, but: int | None = None) -> None:
        """Give a row keys of its own, by a column of each that refers to no other row, where there is one."""
        table = self._tables[name]
        for key in table.keys:
            loose = [place for place in key if place != but and not table.refers(place)]
            place = self._random.choice(loose or list(key))
            row[place] = self._fresh(tables, name, place)

    def _fresh(self, tables: Tables, name: str, place: int) -> Value:
        """A value for a key: one more than the largest or one less than the least, or any."""
        random = self._random
        own = [row[place] for row in tables[name]]
        whole = [value for value in own if isinstance(value, int) and not isinstance(value, bool)]
        if whole and not self._tables[name].refers(place) and random.random() < 0.7:
            return max(whole) + 1 if random.random() < 0.8 else min(whole) - 1
        return self._value(tables, name, place)

    def _new_row(self, tables: Tables, name: str) -> bool:
        if len(tables[name]) >= MAX_SIZE:
            return False
        parents = {other: tuple(rows) for other, rows in tables.items()}
        row = self._tables[name].row(self._style, parents, tables[name], self._random)
        if row is None:
            return False
        tables[name].append(row)
        return True

    def _without_row(self, tables: Tables, name: str) -> bool:
        if not tables[name]:
            return False
        tables[name].pop(self._random.randrange(len(tables[name])))
        return True

    def _exchanged(self, tables: Tables, name: str) -> bool:
        """Two rows exchange their values in one column."""
        rows, random = tables[name], self._random
        if len(rows) < 2:
            return False
        one, other = random.sample(range(len(rows)), 2)
        first, second = list(rows[one]), list(rows[other])
        place = random.randrange(len(first))
        first[place], second[place] = second[place], first[place]
        rows[one], rows[other] = tuple(first), tuple(second)
        return first[place] != second[place]

    def _vary(self, row: list[Value], tables: Tables, name: str) -> None:
        """Another value in one column of a row; where it refers to a row, another row's key."""
        table, random = self._tables[name], self._random
        place = random.choice(table.telling)
        reference = next((one for one in table.references if place in one[1]), None)
        if reference is not None:
            parent, here, there = reference
            parents = [*tables.get(parent, ()), *([tuple(row)] if parent == name else [])]
            if parents and random.random() > self._style.nulls:
                chosen = random.choice(parents)
                for mine, theirs in zip(here, there, strict=True):
                    row[mine] = chosen[theirs]
                return
        row[place] = self._value(tables, name, place, row)

    def _value(self, tables: Tables, name: str, place: int, row: Sequence[Value] = ()) -> Value:
        """A value for a column: drawn, or one of the column, of the row or of the database, or near it."""
        table, random = self._tables[name], self._random
        chance = random.random()
        if chance < 0.06 and table.nullable[place]:
            return None
        kind = table.kinds[place]
        values = self._like(tables, name, place, row, kind, chance) if chance > 0.3 else []
        if not values:
            return table.draws[place](self._style, random)
        value = random.choice(values)
        if kind in _NO_NEAR or random.random() < 0.4:
            return value
        return self._neighbours.near(value, kind)

    def _like(
        self, tables: Tables, name: str, place: int, row: Sequence[Value], kind: Kind, chance: float
    ) -> list[Value]:
        """Values of a kind, by chance those of the column, of the row or of the whole database."""
        if chance < 0.6 or kind in _NO_NEAR:
            found = [*(other[place] for other in tables[name]), *row[place : place + 1]]
        elif chance < 0.8:
            kinds = self._tables[name].kinds
            found = [value for value, alike in zip(row, kinds, strict=False) if alike is kind]
        else:
            found = [
                value
                for other, rows in tables.items()
                if other in self._tables
                for one in rows
                for value, alike in zip(one, self._tables[other].kinds, strict=True)
                if alike is kind
            ]
        return [value for value in found if value is not None]

    def _put(self, tables: Tables, name: str, number: int, row: ValueRow) -> bool:
        """Put a row in another's place and its key into rows that refer to it; whether the two differ."""
        before = tables[name][number]
        tables[name][number] = row
        for other, table in self._tables.items():
            for parent, here, there in table.references:
                old, new = ([one[place] for place in there] for one in (before, row))
                if parent == name and old != new:
                    rows = tables.get(other, [])
                    rows[:] = [_referring(child, here, old, new) for child in rows]
        return before != row


def _referring(row: ValueRow, here: Sequence[int], old: list[Value], new: list[Value]) -> ValueRow:
    """A row that refers to the new key where it did to the old one."""
    if [row[place] for place in here] != old:
        return row
    values = dict(zip(here, new, strict=True))
    return tuple(values.get(place, value) for place, value in enumerate(row))


def _goes_round(table: Filled, rows: Sequence[ValueRow]) -> bool:
    """Whether rows that refer to each other, or lead from a row of another table to one, make a cycle."""
    pairs = [(here, there) for parent, here, there in table.references if parent == table.name]
    pairs += [(table.references[first][1], table.references[second][1]) for first, second in table.edges]
    for first, second in pairs:
        steps: dict[ValueRow, set[ValueRow]] = {}
        for row in rows:
            one, other = (tuple(row[place] for place in places) for places in (first, second))
            steps.setdefault(one, set()).add(other)
        left = set(steps)
        while ends := {node for node in left if not steps[node] & left}:
            left -= ends
        if any(None not in node for node in left):
            return True
    return False
