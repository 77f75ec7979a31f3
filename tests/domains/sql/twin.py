"""SQLite on small random databases: an independent twin.

It reads nothing of the domain: the DDL goes to SQLite as it stands, values come from the texts, and results
are compared as bags. It sees what SQLite's dialect sees, so cases that turn on another dialect pass it by.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
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
    random = Random(7)
    connection = sqlite3.connect(":memory:")
    connection.set_progress_handler(lambda: 1, STEPS)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(ddl)
        tables = _tables(connection)
        for _ in range(DATABASES):
            try:
                rows = _fill(connection, tables, random, sorted(numbers), words, dates)
                left = connection.execute(oracle).fetchall()
                right = connection.execute(candidate).fetchall()
            except sqlite3.Error:
                continue
            finally:
                connection.rollback()
            if _bag(left) != _bag(right):
                return rows
    except sqlite3.Error:  # a schema that SQLite does not read
        pass
    finally:
        connection.close()
    return None


def _bag(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(round(c, 6) if isinstance(c, int | float) else c for c in row) for row in rows)


Tables = dict[str, list[tuple[bool, str]]]
"""Of each column of each table: whether it may be NULL, and which values it takes."""


def _tables(connection: sqlite3.Connection) -> Tables:
    found: Tables = {}
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        found[table] = []
        for _, _, kind, notnull, _, key in connection.execute(f'PRAGMA table_info("{table}")'):
            values = "numbers"
            if re.search("date|time", kind, re.IGNORECASE):
                values = "dates"
            elif re.search("char|text|enum", kind, re.IGNORECASE):
                values = "words"
            found[table].append((not notnull and not key, values))
    return found


def _fill(
    connection: sqlite3.Connection,
    tables: Tables,
    random: Random,
    numbers: list[int],
    words: list[str],
    dates: list[str],
) -> dict[str, Any]:
    small = random.sample(numbers, min(len(numbers), random.choice([2, 3, 6])))
    values: dict[str, list[Any]] = {"numbers": small, "words": words, "dates": dates}
    found: dict[str, Any] = {}
    for _ in range(2):  # parents may come after children
        for table, columns in tables.items():
            marks = ", ".join("?" * len(columns))
            for _ in range(random.randint(0, ROWS)):
                row = [
                    None if nullable and random.random() < 0.2 else random.choice(values[kind])
                    for nullable, kind in columns
                ]
                try:
                    connection.execute(f'INSERT INTO "{table}" VALUES ({marks})', row)
                    found.setdefault(table, []).append(row)
                except sqlite3.IntegrityError:
                    continue
    return found
