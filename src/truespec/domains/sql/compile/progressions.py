"""Long series: numbers or days at equal distances, by what number each is of them.

There is a relation of all integers, each once. A series is that of its elements' numbers, from 0 on: those
below its length. Series of one length and distance so range over the same rows, whatever they begin with.
"""

from __future__ import annotations

import itertools

import z3

from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.dates import day_within, moment_like
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, Kind
from truespec.domains.sql.ir.logic import FALSE, conj
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Column, Table, Type
from truespec.domains.sql.schema import Kind as ColumnKind

LONG = 12
"""No more constants than this are a series of their own, of which each is one case: the months of a year."""
INTEGERS = "#integers"
"""The relation of all integers; the `#` keeps it apart from the tables of a schema."""


def shortened(world: World, bag: Bag) -> Bag | None:
    """Constants, one in each term, as a series; None where they are few, or at no equal distances."""
    if len(bag.terms) <= LONG or len(bag.terms[0].outs) != 1:
        return None
    kind = bag.terms[0].outs[0].kind
    numbers, base = [], DATE if kind == DATETIME else kind
    for term in bag.terms:
        value = day_within(term.outs[0]) if kind == DATETIME else term.outs[0]
        if value is None or value.kind != base or not z3.is_int_value(value.val):
            return None
        if not is_false(value.null):
            return None
        numbers.append(value.val.as_long())
    if base not in (INT, DATE):
        return None
    numbers.sort()
    step = numbers[1] - numbers[0]
    if step < 1 or any(b - a != step for a, b in itertools.pairwise(numbers)):
        return None
    return series(world, Val(FALSE, z3.IntVal(numbers[0]), base), step, len(numbers), kind)


def series(world: World, first: Val, step: int, count: int, kind: Kind) -> Bag:
    """So many numbers or days from the first one on, or the first moments of these days, of such a kind."""
    table = integers(world)
    row = world.fresh_row(table)
    place = world.column(table, table.columns[0], row).val
    cond = conj(world.in_table(table, row), place >= z3.IntVal(0), place < z3.IntVal(count))
    more = place if step == 1 else z3.IntVal(step) * place
    value = Val(first.null, first.val + more if first.val.as_long() else more, first.kind)
    return Bag(
        (Term(((row, table),), (), cond, (moment_like(value, kind) if kind != value.kind else value,)),)
    )


def integers(world: World) -> Table:
    """The relation of all integers, in which each number has a row, and one alone."""
    known = world.adopted.get(INTEGERS)
    if known is not None:
        return known
    column = Column("n", Type(ColumnKind.OTHER, sql="#int"), nullable=False)
    table = Table(INTEGERS, (column,), uniques=(("n",),))
    number = z3.Int("number!")
    world.adopt(table, {column: INT})
    row = world.inverse(table, ("n",), (number,))
    there = conj(world.in_table(table, row), world.column(table, column, row).val == number)
    world.adopt(table, {column: INT}, [z3.ForAll([number], there, patterns=[row])])
    return table
