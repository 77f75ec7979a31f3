"""Series whose ends are values: `GENERATE_SERIES(lo, hi)` beside a table, `UNNEST(RANGE(1, n))`.

A series is that of its elements' numbers, from 0 on, so that it ranges over the rows of all integers
(`progressions.py`): those whose element is no later than its end. Months and years are added one by one, and
a day that a month lacks is the month's last one from there on: such an element is known as a function of the
first one and its number, unless the first one begins a month.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import z3
from sqlglot import exp

from truespec.domains.sql.compile.progressions import integers
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Name, Scope
from truespec.domains.sql.compile.series import SERIES, size_of
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.dates import DAY, day_within, moment, moment_like
from truespec.domains.sql.ir.facts import MONTH_START
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, MOMENTS, ZONED, Kind
from truespec.domains.sql.ir.logic import FALSE, Expr, conj, ite, neg
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported

_MICROSECONDS = {"minute": 60_000_000, "hour": 3_600_000_000, "day": DAY, "week": 7 * DAY}
_MONTHS = {"month": 1, "year": 12}


@dataclass(frozen=True, slots=True)
class Series:
    """A series in FROM."""

    node: exp.Expr
    """The call."""
    name: Name
    """What its column is called."""


def series_of(node: exp.Expr) -> Series | None:
    """The series that a part of FROM is; None for anything else."""
    alias = node.args.get("alias")
    if not isinstance(node, exp.Table) or not isinstance(node.this, SERIES) or node.args.get("joins"):
        return None
    if alias is None or alias.this is None or len(alias.columns) != 1:
        return None
    return Series(node.this, Name(alias.name.lower(), alias.columns[0].name.lower()))


def elements_of(reader: Reader, series: Series, scope: Scope) -> Bag:
    """The elements of a series, whose ends are read in a scope; NULL has none."""
    start, end, step = (series.node.args.get(part) for part in ("start", "end", "step"))
    first, last = reader.value(start, scope), reader.value(end, scope)
    table = integers(reader.world)
    row = reader.world.fresh_row(table)
    place = reader.world.column(table, table.columns[0], row).val
    found = _numbered(first, last, step, place)
    if found is None:
        raise Unsupported("sql: a series of such values", place_of(series.node))
    value, limit = found
    open_end = bool(series.node.args.get("is_end_exclusive"))
    within = value.val < limit if open_end else value.val <= limit
    cond = conj(
        reader.world.in_table(table, row), place >= z3.IntVal(0), within, neg(first.null), neg(last.null)
    )
    return Bag((Term(((row, table),), (), cond, (_shown(reader, value, first, last),)),))


def _numbered(first: Val, last: Val, step: exp.Expr | None, place: Expr) -> tuple[Val, Expr] | None:
    """The element of a number, and what it may not be later than."""
    if first.kind == last.kind == INT:
        plain = isinstance(step, exp.Literal) and not step.is_string and str(step.this).isdigit()
        size = 1 if step is None else int(step.name) if plain else 0
        return None if size < 1 else (Val(FALSE, _moved(first.val, size, place), INT), last.val)
    distance = size_of(step)
    if distance is None or not {first.kind, last.kind} <= MOMENTS:
        return None
    count, unit = distance
    days = [value if value.kind == DATE else day_within(value) for value in (first, last)]
    if unit in _MONTHS:
        return _by_months(first, last, days, count * _MONTHS[unit], place)
    size = count * _MICROSECONDS[unit]
    begin, end = days
    if begin is not None and end is not None and size % DAY == 0:
        return Val(FALSE, _moved(begin.val, size // DAY, place), DATE), end.val
    return Val(FALSE, _moved(moment(first).val, size, place), DATETIME), moment(last).val


def _by_months(first: Val, last: Val, days: list[Val | None], count: int, place: Expr) -> tuple[Val, Expr]:
    begin, end = days
    whole = z3.IntSort()
    later = z3.Function(f"after {count} months", whole, whole, whole)
    if begin is None or end is None:
        return Val(FALSE, later(moment(first).val, place), DATETIME), moment(last).val
    months = z3.Function("yearmonth", whole, whole)(begin.val)
    month_start = z3.Function(MONTH_START, whole, whole)
    begins = begin.val == month_start(months)
    day = ite(begins, month_start(_moved(months, count, place)), later(begin.val * DAY, place) / DAY)
    return Val(FALSE, day, DATE), end.val


def _moved(first: Expr, size: int, place: Expr) -> Expr:
    return first + (place if size == 1 else z3.IntVal(size) * place)


def _shown(reader: Reader, value: Val, first: Val, last: Val) -> Val:
    """An element as the engine puts it out: of two days it is a moment, in PostgreSQL one with a zone."""
    if value.kind == INT:
        return value
    kind: Kind = DATETIME
    if first.kind == last.kind == DATE and reader.dialect.truncated_date_is_zoned:
        kind = ZONED
    return moment_like(value, kind) if value.kind == DATE else replace(value, kind=DATETIME)
