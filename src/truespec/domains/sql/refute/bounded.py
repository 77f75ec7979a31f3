"""All databases up to a bound: so many rows per table, over a few values of each column."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from truespec.domains.sql.engines.script import Database, Value, ValueRow, parents_first
from truespec.domains.sql.refute.generate import Generator, named_columns, small_values
from truespec.domains.sql.schema import ForeignKey, Schema, Table
from truespec.verdict import JSON

MAX_DATABASES = 700
"""No larger set of databases is gone through."""
BOUNDS = ((2, 3), (2, 2), (1, 4), (1, 3), (1, 2))
"""Rows per table and values per column, from the most telling bound to the cheapest."""
_MAX_ROWS_OF_ONE = 200
"""A table with more possible rows is not enumerated."""

Pools = Mapping[tuple[str, str], tuple[Value, ...]]
"""The values of each column, by table and column name."""


@dataclass(frozen=True, slots=True)
class Space:
    """Every database with at most `rows` rows per table over `pools`, less those that break a key."""

    rows: int
    """Rows of a table, at most."""
    pools: Pools
    """Values by column."""
    databases: tuple[Database, ...]
    """All of them; an engine may refuse some for a constraint."""

    def bound(self, tried: int) -> dict[str, JSON]:
        """What a search through all of them may state."""
        values: dict[str, JSON] = {
            f"{table}.{column}": [v if isinstance(v, int | None) else str(v) for v in pool]
            for (table, column), pool in self.pools.items()
        }
        return {"rows_per_table": self.rows, "databases": tried, "values": values}


def space(schema: Schema, queries: Sequence[exp.Expr], generator: Generator) -> Space | None:
    """The largest space within `MAX_DATABASES`; None where even the smallest is too large."""
    named = named_columns(queries)
    for rows, size in BOUNDS:
        pools: dict[tuple[str, str], tuple[Value, ...]] = {}
        for table in parents_first(schema):
            if table.name in generator.tables:
                pools.update(_pools(table, generator, named, rows, size, pools))
        tables = [table for table in parents_first(schema) if table.name in generator.tables]
        if not all(_possible(table, pools) for table in tables):
            continue
        found = tuple(itertools.islice(_databases(tables, pools, rows, {}), MAX_DATABASES + 1))
        if len(found) <= MAX_DATABASES:
            return Space(rows, pools, found)
    return None


def _pools(
    table: Table, generator: Generator, named: set[str] | None, rows: int, size: int, known: Pools
) -> Iterator[tuple[tuple[str, str], tuple[Value, ...]]]:
    parents = {
        column: (key.table, reference)
        for key in table.foreign_keys
        for column, reference in zip(key.columns, key.references, strict=True)
    }
    keyed = {column for key in table.unique_keys() for column in key}
    for column in table.columns:
        if named is None or column.name.lower() in named:
            many = size
        else:
            many = rows if column.name in keyed else 1
        null: tuple[Value, ...] = (None,) if column.nullable and many > 1 else ()
        parent = known.get(parents.get(column.name, ("", "")))
        if parent is not None:
            values: tuple[Value, ...] = tuple(value for value in parent if value is not None)
        else:
            values = small_values(generator, table.name, column.name, many - len(null))
        yield (table.name, column.name), null + values


def _possible(table: Table, pools: Pools) -> bool:
    count = 1
    for column in table.columns:
        count *= len(pools[table.name, column.name])
    return count <= _MAX_ROWS_OF_ONE


def _databases(
    tables: Sequence[Table], pools: Pools, rows: int, done: dict[str, tuple[ValueRow, ...]]
) -> Iterator[Database]:
    if len(done) == len(tables):
        yield Database(dict(done))
        return
    table = tables[len(done)]
    place = {column.name: number for number, column in enumerate(table.columns)}
    parents = [
        (_places(key.columns, place), _keys_of(tables, key, done))
        for key in table.foreign_keys
        if key.table != table.name  # a table that refers to itself is left to the engine
    ]
    keys = [_places(key, place) for key in table.unique_keys()]
    possible = [
        row
        for row in itertools.product(*(pools[table.name, column.name] for column in table.columns))
        if all(_at(row, here) in there or None in _at(row, here) for here, there in parents)
    ]
    for size in range(rows + 1):
        for chosen in itertools.combinations_with_replacement(possible, size):
            if all(_are_apart(chosen, key) for key in keys):
                yield from _databases(tables, pools, rows, {**done, table.name: chosen})


def _places(columns: Sequence[str], place: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(place[column] for column in columns)


def _at(row: ValueRow, places: tuple[int, ...]) -> ValueRow:
    return tuple(row[place] for place in places)


def _keys_of(
    tables: Sequence[Table], key: ForeignKey, done: Mapping[str, tuple[ValueRow, ...]]
) -> set[ValueRow]:
    """What a foreign key may refer to."""
    parent = next(other for other in tables if other.name == key.table)
    places = _places(key.references, {column.name: number for number, column in enumerate(parent.columns)})
    return {_at(row, places) for row in done[key.table]}


def _are_apart(rows: Sequence[ValueRow], key: tuple[int, ...]) -> bool:
    """Whether no two rows have the same key; a key with a NULL is no other's."""
    full = [values for row in rows if None not in (values := _at(row, key))]
    return len(set(full)) == len(full)
