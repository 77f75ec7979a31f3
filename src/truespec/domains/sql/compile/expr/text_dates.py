"""SQLite's functions of texts that are dates.

Of most such functions nothing is known but that equal texts give equal results. A column whose constraints
say that each of its texts is what DATE makes of it holds days (`ir/iso_dates.py`): there its parts are
those of a day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.day_parts import day_of_month, month_number, month_text, two_digits, year_text
from truespec.domains.sql.ir.iso_dates import JULIAN_DAYS, date_functions, day_of_text, is_date
from truespec.domains.sql.ir.kinds import DATE, DATED, REAL, TEXT, Kind
from truespec.domains.sql.ir.logic import conj, disj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.symbols import functions
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.schema import Column, Table
from truespec.verdict import Unsupported

_MODIFIER = re.compile(
    r"[+-]?[0-9]{1,6} (?:day|month|year|hour|minute|second)s?|start of (?:day|month|year)|weekday [0-6]", re.I
)
"""What SQLite may do to a date, without the clock and without zones."""


def modified(reader: Reader, name: str, nodes: list[Any], scope: Scope, kind: Kind) -> Val:
    """SQLite's DATE, DATETIME, JULIANDAY, ... of a text, with modifiers as written."""
    written = [part if isinstance(part, exp.Literal) and part.is_string else None for part in nodes[1:]]
    steps = ["" if part is None else str(part.this).lower() for part in written]
    if not all(map(_MODIFIER.fullmatch, steps)):
        raise Unsupported(f"sql: the function {name.upper()} with such modifiers")
    return text_of_date(reader, ", ".join([name, *steps]), nodes[0], scope, kind)


def text_of_date(reader: Reader, name: str, node: Any, scope: Scope, kind: Kind) -> Val:
    """A function of a text that is read as a date where it is one.

    A text that is written may be a time zone's, a modifier's or the clock's, and is not read.
    """
    value = reader.value(node, scope)
    if value.kind not in (TEXT, DATED) or value.literal is not None:
        raise Unsupported(f"sql: a date function of a value of type {value.kind.shown}")
    day = day_in(reader, value) if name in _OF_DAYS else None
    if day is not None:
        part = _OF_DAYS[name]
        return value if part is None else part(day)
    found = opaque(reader.dialect, name, [replace(value, null=z3.BoolVal(False))], kind)
    return Val(disj(value.null, found.null), found.val, kind)


def part_of_date(reader: Reader, value: Val, start: int, length: int) -> Val | None:
    """Characters of a text that is a date, where they are a part of it; None elsewhere."""
    form = _PLACES.get((start, length))
    day = None if form is None else day_in(reader, value)
    if form is None or day is None:
        return None
    part = _OF_DAYS[f"strftime {form}"]
    return value if part is None else part(day)


def day_in(reader: Reader, value: Val) -> Val | None:
    """The day that a value is the text of, where it is a column of such texts; None elsewhere."""
    if value.kind != TEXT or not reader.dialect.dates_are_texts or reader.reads_check:
        return None
    name = str(value.val.decl().name()) if z3.is_app(value.val) and value.val.num_args() == 1 else ""
    world = reader.world
    if name.startswith("column ") and name not in world.dated_columns:
        world.dated_columns[name] = any(
            _holds_dates(reader, table, column)
            for table in world.schema.tables
            for column in table.columns
            if f"column {table.name}.{column.name}".lower() == name
        )
    return Val(value.null, day_of_text(value.val), DATE) if world.dated_columns.get(name) else None


def _holds_dates(reader: Reader, table: Table, column: Column) -> bool:
    """Whether the constraints of a table leave a column no texts but dates."""
    if not any(column.name.lower() in check.lower() for check in table.checks):
        return False
    world = reader.world
    row = world.fresh_row(table)
    value = world.column(table, column, row)
    given = conj(world.in_table(table, row), neg(value.null))
    made = any(functions(axiom).intersection(date_functions()) for axiom in world.axioms([given]))
    return made and world.holds(given, is_date(value.val))


def _julian(day: Val) -> Val:
    return Val(day.null, z3.ToReal(day.val) + z3.RealVal(JULIAN_DAYS), REAL)


_OF_DAYS: dict[str, Callable[[Val], Val] | None] = {
    "date": None,
    "strftime %Y-%m-%d": None,
    "strftime %Y-%m": month_text,
    "strftime %Y": year_text,
    "strftime %m": lambda day: two_digits(day, month_number(day)),
    "strftime %d": lambda day: two_digits(day, day_of_month(day).val),
    "julianday": _julian,
}
"""Functions of a text that is a date, by its day; None for the text itself."""
_PLACES = {(1, 10): "%Y-%m-%d", (1, 7): "%Y-%m", (1, 4): "%Y", (6, 2): "%m", (9, 2): "%d"}
"""Where parts of a date stand in its text: the first character's place, and how many they are."""
