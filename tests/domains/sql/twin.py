"""SQLite on small random databases: an independent twin.

It reads nothing of the domain: the DDL goes to SQLite as it stands, values come from the texts, and results
are compared as bags. It sees what SQLite's dialect sees, so cases that turn on another dialect pass it by.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

DATABASES = 250
"""How many databases are tried."""
ROWS = 4
"""Most rows of a table."""
STEPS = 200_000
"""Steps of SQLite's machine after which a query, such as a recursion that does not end, is given up."""


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> dict[str, Any] | None:
    """A database on which the results differ as bags, or None."""
    ddl = context.get("schema", "")
    texts = f"{ddl} {oracle} {candidate}"
    numbers = {0, 1, 2, 3} | {int(n) + d for n in re.findall(r"\b\d{1,4}\b", texts) for d in (-1, 0, 1)}
    words = [w for w in re.findall(r"'([^']*)'", texts) if not re.match(r"\d{4}-", w)] + ["a", "b"]
    dates = [*re.findall(r"'(\d{4}-\d\d-\d\d)'", texts), "2019-06-15", "2020-02-01"]
    connection = sqlite3.connect(":memory:")
    connection.set_progress_handler(lambda: 1, STEPS)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(ddl)
        for text in (oracle, candidate):  # what SQLite does not read fails on every database
            connection.execute(f"EXPLAIN {text}")
        drawn = _drawn(_tables(connection), tuple(sorted(numbers)), tuple(words), tuple(dates))
        for database in itertools.islice(drawn, DATABASES):
            try:
                rows = _fill(connection, database)
                left = connection.execute(oracle).fetchall()
                right = connection.execute(candidate).fetchall()
            except sqlite3.Error:
                continue
            finally:
                connection.rollback()
            if left != right and _bag(left) != _bag(right):
                return rows
    except sqlite3.Error:  # a schema or a query that SQLite does not read
        pass
    finally:
        connection.close()
    return None


def _bag(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(round(c, 6) if isinstance(c, int | float) else c for c in row) for row in rows)


Tables = tuple[tuple[str, tuple[tuple[bool, str], ...]], ...]
"""Each table, and of each of its columns whether it may be NULL, and which values it takes."""
Rows = list[tuple[str, list[Any]]]
"""The rows that a database is offered, each with its table."""


def _tables(connection: sqlite3.Connection) -> Tables:
    found: list[tuple[str, tuple[tuple[bool, str], ...]]] = []
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns: list[tuple[bool, str]] = []
        for _, _, kind, notnull, _, key in connection.execute(f'PRAGMA table_info("{table}")'):
            values = "numbers"
            if re.search("date|time", kind, re.IGNORECASE):
                values = "dates"
            elif re.search("char|text|enum", kind, re.IGNORECASE):
                values = "words"
            columns.append((not notnull and not key, values))
        found.append((table, tuple(columns)))
    return tuple(found)


class _Databases:
    """Databases that are drawn when they are first asked for, and kept: a case and its mutants share them."""

    def __init__(self, draw: Iterator[Rows]) -> None:
        self._draw = draw
        self._kept: list[Rows] = []

    def __iter__(self) -> Iterator[Rows]:
        for index in itertools.count():
            if index == len(self._kept):
                self._kept.append(next(self._draw))
            yield self._kept[index]


@lru_cache(maxsize=16)
def _drawn(
    tables: Tables, numbers: tuple[int, ...], words: tuple[str, ...], dates: tuple[str, ...]
) -> _Databases:
    return _Databases(_draw(tables, numbers, words, dates))


def _draw(
    tables: Tables, numbers: tuple[int, ...], words: tuple[str, ...], dates: tuple[str, ...]
) -> Iterator[Rows]:
    random = Random(7)
    while True:
        small = random.sample(numbers, min(len(numbers), random.choice([2, 3, 6])))
        values: dict[str, Sequence[Any]] = {"numbers": small, "words": words, "dates": dates}
        yield [
            (
                table,
                [
                    None if nullable and random.random() < 0.2 else random.choice(values[kind])
                    for nullable, kind in columns
                ],
            )
            for _ in range(2)  # parents may come after children
            for table, columns in tables
            for _ in range(random.randint(0, ROWS))
        ]


def _fill(connection: sqlite3.Connection, database: Rows) -> dict[str, Any]:
    """The rows that the schema allows."""
    found: dict[str, Any] = {}
    for table, row in database:
        try:
            connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})', row)
            found.setdefault(table, []).append(row)
        except sqlite3.IntegrityError:
            continue
    return found
