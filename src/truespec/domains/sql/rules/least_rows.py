"""Below each row there is a first one.

Statement. Let Q(y, x), "y goes before x", be a strict order of the rows of a table T, and P(y, x) a
condition that implies Q(y, x). For each row x of T, there is no y with P(y, x), or there is a row m of T
with Q(m, x) and no y with P(y, m).

Side conditions. That P holds of rows of T alone, and that Q is irreflexive and transitive, is proved: for
all Q of a pair, NULLs and ties included. T is one table; P speaks of x and y alone; Q is P or all but one
of its conjuncts. It is stated where a query asks that there is no y for its row, by a count of 0 or by NOT
EXISTS, also as one of several cases, beside a MIN or MAX, or where ties are broken by keys (`alike_ties`),
or of the rows that are grouped.

Why. T is finite: of the y with Q(y, x), one has no other of them before it. What P sets before that one, Q
sets before x as well. The cases that matter: the row of ROW_NUMBER() = 1 beside the group's MIN, which some
row attains; the sessions of a visitor, each begun by a visit that no other one comes shortly before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj
from truespec.domains.sql.ir.symbols import constants, is_eq, is_not, is_or, name_of, operands, substituted
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import tied_numbers
from truespec.domains.sql.schema import Table

MAX_ORDERS = 3
"""The most orders that are spoken of for one pair."""
MAX_PARTS = 6
"""The most conjuncts of which each is left out in turn."""


@dataclass(frozen=True, slots=True)
class First:
    """A condition that no row goes before a row."""

    table: Table
    """The table of both rows."""
    row: Expr
    """The row that is first."""
    holds: Formula
    """The condition as it stands."""
    other: Expr
    """The variable for the row before."""
    before: Formula
    """Whether that row goes before the first one: P."""

    def key(self) -> Formula:
        """P between rows of fixed names: orders that differ in the names of rows alone have one."""
        sort = self.row.sort()
        names = [(self.row, z3.Const("row!after", sort)), (self.other, z3.Const("row!before", sort))]
        return z3.simplify(substituted(self.before, *names))


def asked(aggregates: Aggregates, terms: list[Term]) -> Iterator[First]:
    """The conditions of these terms that a row is first."""
    for term in terms:
        parts = [
            case for part in conjuncts(term.cond) for case in (operands(part) if is_or(part) else [part])
        ]
        for (row, table), part in itertools.product(term.rows, parts):
            if constants(part) != {name_of(row)}:
                continue
            found = _counted(aggregates, part, row, table) or _excluded(aggregates, part, row, table)
            if found is not None:
                yield found


def of(world: World, first: First) -> Formula | None:
    """What the rule says of a first row; None where "before" is not proved to be a strict order."""
    table, sort = first.table, first.row.sort()
    x, y, z = (z3.Const(f"row.{table.name.lower()}?{place}", sort) for place in range(3))

    def goes(order: Formula, one: Expr, two: Expr) -> Formula:
        return substituted(order, (first.other, one), (first.row, two))

    if not world.holds(conj(world.in_table(table, x), goes(first.before, y, x)), world.in_table(table, y)):
        return None
    inside = conj(*(world.in_table(table, row) for row in (x, y, z)))

    def strict(order: Formula) -> bool:
        return world.holds(
            conj(inside, goes(order, z, y), goes(order, y, x)), goes(order, z, x)
        ) and world.holds(conj(inside, goes(order, x, x)), FALSE)

    order = next(filter(strict, _wider(first.before)), None)
    if order is None:
        return None
    at = [substituted(first.holds, (first.row, row)) for row in (x, y)]
    known = world.in_table(table, y)
    least = z3.Exists([y], conj(known, goes(order, y, x), at[1]), patterns=[known])
    return z3.ForAll(
        [x], disj(z3.Not(world.in_table(table, x)), at[0], least), patterns=[world.in_table(table, x)]
    )


def _wider(before: Formula) -> Iterator[Formula]:
    """A condition, and all but one of its conjuncts."""
    yield before
    parts = conjuncts(before)
    for place in range(len(parts)) if len(parts) <= MAX_PARTS else ():
        yield conj(*parts[:place], *parts[place + 1 :])


def _counted(aggregates: Aggregates, part: Formula, row: Expr, table: Table) -> First | None:
    """A count of the rows before that is 0."""
    applied = list(aggregates.applied(Term((), (), part, ())).values())
    if len(applied) != 1 or applied[0][0].function != "COUNT":
        return None
    symbol, arguments = applied[0]
    count = symbol.apply(arguments)
    # A place among ties is at least 0 as well: where their sum is 0, both are.
    plain = z3.simplify(substituted(part, *((tied, z3.IntVal(0)) for tied in tied_numbers.places(part))))
    sides = {side.get_id() for side in operands(plain)} if is_eq(plain) else set()
    if sides != {z3.simplify(count).get_id(), z3.IntVal(0).get_id()}:
        return None
    (term,) = aggregates.instance(symbol, count).terms
    if len(term.rows) != 1 or term.groups or term.rows[0][1] != table:
        return None
    other = term.rows[0][0]
    return First(
        table,
        row,
        count == 0,
        other,
        conj(aggregates.world.in_table(table, other), condition(aggregates.world, term)),
    )


def _excluded(aggregates: Aggregates, part: Formula, row: Expr, table: Table) -> First | None:
    """A row before that there is none of."""
    if not is_not(part) or not z3.is_quantifier(part.arg(0)):
        return None
    inner = part.arg(0)
    if not inner.is_exists() or inner.num_vars() != 1 or inner.var_sort(0) != row.sort():
        return None
    other = aggregates.world.fresh_row(table)
    return First(table, row, part, other, z3.substitute_vars(inner.body(), other))
