"""SQLite's functions of texts that are dates.

Of most such functions nothing is known but that equal texts give equal results. A column whose constraints
say that each of its texts is what DATE makes of it holds dates (`ir/iso_dates.py`): there its parts are
those of a day.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.compile.series import DAYS_AFTER
from truespec.domains.sql.ir.comparisons import written_text
from truespec.domains.sql.ir.dates import day, read_date
from truespec.domains.sql.ir.facts import DAY_TEXT
from truespec.domains.sql.ir.iso_dates import (
    DATE_FUNCTIONS,
    JULIAN_DAYS,
    day_of_month_of_text,
    day_of_text,
    is_date,
    is_written,
    month_of_text,
)
from truespec.domains.sql.ir.kinds import DATED, INT, REAL, TEXT, TEXT_SORT, Kind
from truespec.domains.sql.ir.logic import FALSE, Expr, conj, disj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.symbols import functions
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.schema import Column, Table
from truespec.verdict import Unsupported

_MODIFIER = re.compile(
    r"[+-]?[0-9]{1,6} (?:day|month|year|hour|minute|second)s?|start of (?:day|month|year)|weekday [0-6]", re.I
)
"""What SQLite may do to a date, without the clock and without zones."""
_STEP = re.compile(r"(?P<number>[+-]?[0-9]{1,4}) (?P<unit>day|month|year)s?|start of (?P<start>month|year)")
"""What moves a day as it is written to another one."""


def modified(reader: Reader, name: str, nodes: list[Any], scope: Scope, kind: Kind) -> Val:
    """SQLite's DATE, DATETIME, JULIANDAY, ... of a text, with modifiers as written."""
    moved = _moved_by(reader, name, nodes, scope)
    if moved is not None:
        return moved
    written = [part if isinstance(part, exp.Literal) and part.is_string else None for part in nodes[1:]]
    steps = ["" if part is None else str(part.this).lower() for part in written]
    if not all(map(_MODIFIER.fullmatch, steps)):
        raise Unsupported(f"sql: the function {name.upper()} with such modifiers")
    return text_of_date(reader, ", ".join([name, *steps]), nodes[0], scope, kind)


def _moved_by(reader: Reader, name: str, nodes: list[Any], scope: Scope) -> Val | None:
    """DATE of a day as it is written, moved by a number of days: `DATE('2024-01-31', '+' || n || ' days')`.

    Nothing more is known of it than which number it is of; `compile/series.py` writes out those of a series.
    """
    if name != "date" or len(nodes) != 2 or not isinstance(nodes[1].unnest(), exp.DPipe):
        return None
    first, *number, last = nodes[1].unnest().flatten()
    signs = [part.name if isinstance(part, exp.Literal) and part.is_string else "" for part in (first, last)]
    literal = written_text(reader.world, reader.value(nodes[0], scope))
    if signs not in (["+", " days"], ["+", " day"]) or len(number) != 1 or literal is None:
        return None
    count = reader.value(number[0], scope)
    if count.kind != INT or not DAY_TEXT.match(literal):
        return None
    found = opaque(reader.dialect, f"{DAYS_AFTER}{literal}", [replace(count, null=FALSE)], TEXT)
    return Val(disj(count.null, found.null), found.val, TEXT)


def text_of_date(reader: Reader, name: str, node: Any, scope: Scope, kind: Kind) -> Val:
    """A function of a text that is read as a date where it is one.

    A text that is written may be a time zone's, a modifier's or the clock's, and is not read, unless it is a
    day of which a day is made.
    """
    value = reader.value(node, scope)
    made = _made_of_day(reader, name, value)
    if made is not None:
        return made
    if name == "julianday" and value.literal is not None and DAY_TEXT.match(value.literal):
        number = read_date(reader.world, value.literal)
        return Val(FALSE, z3.ToReal(day(number).val) + z3.RealVal(JULIAN_DAYS), REAL)
    if value.kind not in (TEXT, DATED) or value.literal is not None:
        raise Unsupported(f"sql: a date function of a value of type {value.kind.shown}")
    if name in _PARTS and holds_dates(reader, value):
        part = _PARTS[name]
        return value if part is None else part(value)
    if name == "julianday" and holds_dates(reader, value, days=True):
        return Val(value.null, z3.ToReal(day_of_text(value.val)) + z3.RealVal(JULIAN_DAYS), REAL)
    found = opaque(reader.dialect, name, [replace(value, null=z3.BoolVal(False))], kind)
    return Val(disj(value.null, found.null), found.val, kind)


def _made_of_day(reader: Reader, name: str, value: Val) -> Val | None:
    """DATE of a day as it is written, moved step by step; None for all else."""
    function, *steps = name.split(", ")
    literal = written_text(reader.world, value)
    if function != "date" or literal is None or not DAY_TEXT.match(literal):
        return None
    try:
        made: datetime.date | None = datetime.date.fromisoformat(literal)
        for step in steps:
            made = None if made is None else _moved(made, step)
    except (ValueError, OverflowError):
        return None
    return None if made is None else Val(value.null, reader.world.text(made.isoformat()), TEXT)


def _moved(start: datetime.date, step: str) -> datetime.date | None:
    """A day moved by a modifier; None for one that is not read, or a day that a month may lack."""
    found = _STEP.fullmatch(step)
    if found is None:
        return None
    if found["start"]:
        return start.replace(day=1) if found["start"] == "month" else start.replace(month=1, day=1)
    number = int(found["number"])
    if found["unit"] == "day":
        return start + datetime.timedelta(days=number)
    months = number * (12 if found["unit"] == "year" else 1)
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return None if start.day > 28 else start.replace(year=years, month=month + 1)


def part_of_date(reader: Reader, value: Val, start: int, length: int) -> Val | None:
    """Characters of a text that is a date, where they are a part of it; None elsewhere."""
    form = _PLACES.get((start, length))
    if form is None or not holds_dates(reader, value):
        return None
    part = _PARTS[f"strftime {form}"]
    return value if part is None else part(value)


def holds_dates(reader: Reader, value: Val, *, days: bool = False) -> bool:
    """Whether a value is of a column of texts that are written as days are, or of `days` alone."""
    if value.kind != TEXT or not reader.dialect.dates_are_texts or reader.reads_check:
        return False
    name = str(value.val.decl().name()) if z3.is_app(value.val) and value.val.num_args() == 1 else ""
    if not name.startswith("column "):
        return False
    known = reader.world.dated_columns
    if (name, days) not in known:
        known[name, days] = any(
            _holds(reader, table, column, days)
            for table in reader.world.schema.tables
            for column in table.columns
            if f"column {table.name}.{column.name}".lower() == name
        )
    return known[name, days]


def _holds(reader: Reader, table: Table, column: Column, days: bool) -> bool:
    """Whether the constraints of a table leave a column no other texts."""
    if not any(column.name.lower() in check.lower() for check in table.checks):
        return False
    world = reader.world
    row = world.fresh_row(table)
    value = world.column(table, column, row)
    given = conj(world.in_table(table, row), neg(value.null))
    made = any(functions(axiom).intersection(DATE_FUNCTIONS) for axiom in world.axioms([given]))
    return made and world.holds(given, (is_date if days else is_written)(value.val))


def _year(value: Val) -> Expr:
    return (month_of_text(value.val) - 1) / 12


def _text(value: Val, function: str, number: Expr) -> Val:
    return Val(value.null, z3.Function(function, z3.IntSort(), TEXT_SORT)(number), TEXT)


_PARTS: dict[str, Callable[[Val], Val] | None] = {
    "date": None,
    "strftime %Y-%m-%d": None,
    "strftime %Y-%m": lambda value: _text(value, "text.yearmonth", month_of_text(value.val)),
    "strftime %Y": lambda value: _text(value, "text.digits4", _year(value)),
    "strftime %m": lambda value: _text(value, "text.digits2", month_of_text(value.val) - 12 * _year(value)),
    "strftime %d": lambda value: _text(value, "text.digits2", day_of_month_of_text(value.val)),
}
"""Functions of a text that is a date, by its parts; None for the text itself."""
_PLACES = {(1, 10): "%Y-%m-%d", (1, 7): "%Y-%m", (1, 4): "%Y", (6, 2): "%m", (9, 2): "%d"}
"""Where parts of a date stand in its text: the first character's place, and how many they are."""
