"""Of the keys of a GROUP BY, those that determine the others say which rows are in a group.

Statement. Let G be the distinct tuples (k(r), c(r)) of the rows r of a bag B, and let k determine c on B.
For each (k, c) in G, the rows r with k(r) = k and c(r) = c are the rows with k(r) = k.

Side conditions. (k, c) ranges over G alone, as the groups of a GROUP BY do. That k determines c is seen
from the form: in each term of B, the same places of the tuple are the columns of a unique key, none of
which may be NULL, of one row of one table, or what a conjunct says that they equal; c is a column of that
row. That the row is in the table is a conjunct.

Why. Two rows of B with equal k hold the same row of that table, and hence the same c. An aggregate over the
group is then a function of k, whatever else a query groups by to show it.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from truespec.domains.sql.ir.bags import Bag, Term, conjuncts, normal
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import is_eq, is_false, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, membership
from truespec.domains.sql.schema import Table


def telling(world: World, keyed: Bag) -> list[int]:
    """The places of the keys that say which rows are in a group; all where none determines another."""
    every = list(range(len(keyed.terms[0].outs)))
    if len(every) < 2:
        return every
    rows = [list(_rows(world, term)) for term in keyed.terms]
    for table in dict.fromkeys(table for _, table in rows[0]):
        for key in table.unique_keys():
            found = [
                _places(world, term, some, table, key) for term, some in zip(keyed.terms, rows, strict=True)
            ]
            first = found[0]
            if first is None or any(places != first for places in found[1:]):
                continue
            determined = {place for place, column in first if column not in key}
            if determined:
                return [place for place in every if place not in determined]
    return every


def _rows(world: World, term: Term) -> Iterator[tuple[Expr, Table]]:
    """The rows that the condition of a term says to be in a table, whether chosen or determined by a key."""
    for part in conjuncts(term.cond):
        for table in world.tables:
            if z3.is_app(part) and part.num_args() == 1 and part.eq(membership(part.arg(0), table)):
                yield part.arg(0), table


def _places(
    world: World, term: Term, rows: list[tuple[Expr, Table]], table: Table, key: tuple[str, ...]
) -> list[tuple[int, str]] | None:
    """Which columns of one row of the table stand at which places, the whole key among them; None without."""
    equal = [operands(part) for part in conjuncts(term.cond) if is_eq(part)]
    for row, other in rows:
        if other.name != table.name:
            continue
        found = [
            (place, name)
            for place, out in enumerate(term.outs)
            if (name := _column(world, out, table, row, equal)) is not None
        ]
        shown = {name for _, name in found}
        nullable = [not is_false(world.column(table, table.column(name), row).null) for name in key]
        if shown.issuperset(key) and not any(nullable):
            return found
    return None


def _column(world: World, out: Val, table: Table, row: Expr, equal: list[tuple[Expr, ...]]) -> str | None:
    """The column of a row that a value is, its NULL included."""
    for column in table.columns:
        value = world.column(table, column, row)
        same = out.val.eq(value.val) or out.val.eq(normal(value).val)
        said = any({a.get_id(), b.get_id()} == {out.val.get_id(), value.val.get_id()} for a, b in equal)
        if (same or said) and out.null.eq(value.null):
            return column.name
    return None
