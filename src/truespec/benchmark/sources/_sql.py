"""What the readers of SQL data sets share: tables in parts, and the DDL they make."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from truespec.verdict import UsageError

csv.field_size_limit(min(sys.maxsize, 1 << 27))


@dataclass(slots=True)
class Table:
    """A table while it is put together."""

    name: str
    """Its name."""
    columns: dict[str, str] = field(default_factory=dict)
    """Type by column name, in order."""
    primary_key: tuple[str, ...] = ()
    """The columns of its primary key."""
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    """Other keys."""
    not_null: set[str] = field(default_factory=set)
    """Columns declared NOT NULL."""
    foreign_keys: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = field(default_factory=list)
    """Columns, parent and the parent's columns."""
    checks: list[str] = field(default_factory=list)
    """CHECK conditions."""
    indexes: list[tuple[str, ...]] = field(default_factory=list)
    """Columns that a foreign key refers to and no key covers: InnoDB wants an index there."""

    def column(self, name: str) -> str | None:
        """The name of a column as the table spells it."""
        return next((column for column in self.columns if column.lower() == name.lower()), None)

    def ddl(self, quote: str = "`") -> str:
        """The CREATE TABLE statement, names in these quotes."""

        def names(columns: tuple[str, ...]) -> str:
            return ", ".join(f"{quote}{column}{quote}" for column in columns)

        parts = [
            f"{names((column,))} {kind}" + (" NOT NULL" if column in self.not_null else "")
            for column, kind in self.columns.items()
        ]
        if self.primary_key:
            parts.append(f"PRIMARY KEY ({names(self.primary_key)})")
        parts += [f"UNIQUE ({names(unique)})" for unique in self.uniques]
        parts += [f"INDEX ({names(index)})" for index in self.indexes]
        parts += [
            f"FOREIGN KEY ({names(columns)}) REFERENCES {names((parent,))} ({names(references)})"
            for columns, parent, references in self.foreign_keys
        ]
        parts += [f"CHECK ({check})" for check in self.checks]
        return f"CREATE TABLE {names((self.name,))} (" + ", ".join(parts) + ")"


def schema(tables: list[Table], quote: str = "`") -> str:
    """The DDL of all tables, parents before their children where that is possible."""
    done: list[Table] = []
    waiting = list(tables)
    while waiting:
        known = {table.name for table in done}
        ready = [
            table
            for table in waiting
            if all(parent in known or parent == table.name for _, parent, _ in table.foreign_keys)
        ] or waiting[:1]
        done += ready
        waiting = [table for table in waiting if table not in ready]
    return ";\n".join(table.ddl(quote) for table in done)


def home(folder: Path, inside: str, what: str) -> Path:
    """The folder that holds `inside`: `folder` itself or one at most three levels below it."""
    for pattern in ("", "*/", "*/*/", "*/*/*/"):
        found = sorted(folder.glob(pattern + inside))
        if found:
            return found[0].parent if "/" not in inside else found[0].parents[inside.count("/")]
    raise UsageError(f"{folder} holds no {what}: expected {inside} there or below it")


def rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The records of a CSV file with a header, numbered from 1."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 1):
            yield number, {str(name).strip(): value or "" for name, value in row.items() if name}


def natural(path: Path) -> tuple[int, str]:
    """Sorts `2.csv` before `10.csv`."""
    digits = re.match(r"\d+", path.stem)
    return (int(digits.group()) if digits else 1 << 60, path.stem)


def text(value: str) -> str:
    """A text as a literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
