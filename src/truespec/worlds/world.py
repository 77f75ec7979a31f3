"""What a model of an environment is, and the database that it changes.

A model says what each tool does. It is only believed as far as it predicts what the recorded conversation
holds: `replay.py` compares every result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from truespec.verdict import TruespecError

Row = dict[str, Any]
"""One record of a table, as plain JSON values."""
Tables = Mapping[str, Mapping[str, Row]]
"""A database: tables by name, records by their keys."""


class Refused(TruespecError):
    """The tool itself refuses the call: nothing changes, and the agent reads the message."""


class State:
    """A database that one conversation changes. The records that it does not change are shared."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        """The database at the start; it is never changed."""
        self.changed: dict[tuple[str, str], Row] = {}
        """The records that were touched, by table and key."""

    def get(self, table: str, key: object) -> Row | None:
        """A record to read, or None where there is none."""
        if not isinstance(key, str):
            return None
        return self.changed.get((table, key)) or self.tables.get(table, {}).get(key)

    def edit(self, table: str, key: str) -> Row:
        """A record to change; it has to be there."""
        place = (table, key)
        if place not in self.changed:
            self.changed[place] = deepcopy(self.tables[table][key])
        return self.changed[place]

    def add(self, table: str, key: str, row: Row) -> Row:
        """A new record."""
        self.changed[table, key] = row
        return row

    def has(self, table: str, key: str) -> bool:
        """Whether there is such a record."""
        return self.get(table, key) is not None


Tool = Callable[[State, Mapping[str, Any]], Any]
"""Carries a call out: changes the state and returns what the agent reads, as plain JSON values or a text.
Raises `Refused` where the tool refuses."""


@dataclass(frozen=True)
class World:
    """The model of one environment."""

    name: str
    """The environment, as traces name their domain."""
    tables: tuple[str, ...]
    """The tables that its database has to have."""
    writes: Mapping[str, Tool]
    """The tools that change the database."""
    reads: Mapping[str, Tool] = field(default_factory=dict)
    """Tools that look up records; their results are compared, too."""
    harmless: frozenset[str] = frozenset()
    """Tools that change nothing and whose results are not predicted."""

    def lacks(self, database: object) -> str:
        """Why a database is none of this environment, in words; empty where it is one."""
        if not isinstance(database, Mapping):
            return f"expected an object with the tables {', '.join(self.tables)}"
        missing = [name for name in self.tables if not isinstance(database.get(name), Mapping)]
        return f"there is no table {missing[0]!r}" if missing else ""
