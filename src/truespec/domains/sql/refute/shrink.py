"""Fewer rows and simpler values on which two queries still differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truespec.domains.sql.engines.script import Database, Value
from truespec.domains.sql.refute.check_constraints import kind_of
from truespec.domains.sql.schema import Kind, Schema

_SIMPLE: dict[Kind, tuple[Value, ...]] = {
    Kind.INT: (1, 2, 3, 0, 4, 5),
    Kind.DECIMAL: (1, 2, 3, 0, 4, 5),
    Kind.FLOAT: (1, 2, 3, 0, 4, 5),
    Kind.TEXT: ("a", "b", "c", "d"),
    Kind.OTHER: ("a", "b", "c", "d"),
    Kind.DATE: ("2020-01-01", "2020-01-02", "2020-01-03"),
    Kind.DATETIME: ("2020-01-01 00:00:00", "2020-01-02 00:00:00", "2020-01-03 00:00:00"),
    Kind.TIME: ("00:00:00", "01:00:00", "02:00:00"),
}
"""The values that a reader likes best."""


def shrink(schema: Schema, database: Database, still: Callable[[Database], bool]) -> Database:
    """A database with fewer rows and simpler values that `still` tells the queries apart.

    Rows go in halves, quarters and so on (Zeller and Hildebrandt, "Simplifying and isolating
    failure-inducing input", 2002), then references that need not be there, then values become simple ones.
    """
    database = _fewer_rows(database, still)
    for other in _without_parents(schema, database):
        if still(other):
            database = _fewer_rows(other, still)
            break
    return _fewer_rows(_simpler_values(schema, database, still), still)


def _fewer_rows(database: Database, still: Callable[[Database], bool]) -> Database:
    # Children before their parents, which they hold in place: the schema's order is parents first.
    for name in reversed(list(database.tables)):
        size = len(database.tables[name])
        while size >= 1:
            place = 0
            while place < len(database.tables[name]):
                rows = database.tables[name]
                fewer = _with(database, name, rows[:place] + rows[place + size :])
                if still(fewer):
                    database = fewer
                else:
                    place += size
            size //= 2
    return database


def _without_parents(schema: Schema, database: Database) -> Iterator[Database]:
    """References that need not be there become NULL, so that their parents can go."""
    for table in schema.tables:
        rows = database.tables.get(table.name, ())
        for key in table.foreign_keys:
            places = [
                p for p, column in enumerate(table.columns) if column.name in key.columns and column.nullable
            ]
            if places and any(row[places[0]] is not None for row in rows):
                emptied = tuple(
                    tuple(None if place in places else cell for place, cell in enumerate(row)) for row in rows
                )
                without = _with(database, table.name, emptied)
                yield _with(without, key.table, ()) if key.table != table.name else without


def _simpler_values(schema: Schema, database: Database, still: Callable[[Database], bool]) -> Database:
    """One value becomes another wherever it stands in columns of its kind, so that joins survive."""
    for kind, simple in _SIMPLE.items():
        places = {
            table.name: [
                place
                for place, column in enumerate(table.columns)
                if kind_of(column, table, schema.dialect) is kind
            ]
            for table in schema.tables
        }
        for value in _values(database, places):
            present = _values(database, places)
            better = simple[: simple.index(value)] if value in simple else simple
            fresh = next((other for other in better if other not in present), None)
            for other in dict.fromkeys((*better[:1], fresh)):
                if other is not None and still(renamed := _renamed(database, places, value, other)):
                    database = renamed
                    break
    return database


def _values(database: Database, places: dict[str, list[int]]) -> list[Value]:
    """The values in these columns, each once, in their order."""
    found: dict[Value, None] = {}
    for name, rows in database.tables.items():
        for row in rows:
            for place in places.get(name, ()):
                if row[place] is not None:
                    found[row[place]] = None
    return list(found)


def _renamed(database: Database, places: dict[str, list[int]], old: Value, new: Value) -> Database:
    return Database(
        {
            name: tuple(
                tuple(
                    new if place in places.get(name, ()) and _equal(cell, old) else cell
                    for place, cell in enumerate(row)
                )
                for row in rows
            )
            for name, rows in database.tables.items()
        }
    )


def _equal(cell: Value, value: Value) -> bool:
    return cell == value and isinstance(cell, str) == isinstance(value, str)


def _with(database: Database, name: str, rows: tuple[tuple[Value, ...], ...]) -> Database:
    return Database({**database.tables, name: rows})
