"""The rows with fewer than n rows after them are n, or as many as there are.

Statement. Let a relation ≻ be a strict total order of the choices x that have B(x), and let C(x) be the
number of y with y ≻ x. Then COUNT[B(x) ∧ C(x) < n] = min(n, COUNT[B(x)]).

Side conditions. `C(x) < n` is a conjunct, n a positive literal, and B the others. One row is chosen, and C
counts rows of the same table. For all rows with B it is proved that what C counts has B, that no row is
counted for itself, that of two rows one is counted for the other, and that what is counted for one that is
counted is counted. It is not applied where rows are read by their distance, for which `frame_rows` is.

Why. A table is finite, so the choices with B have an order x_1 ≻ x_2 ≻ ... ≻ x_m, and C(x_i) = i - 1. Those
with i - 1 < n are the first min(n, m). A frame of n rows is such a set: COUNT(*) over it is n just where the
row has n rows before it.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term, conjuncts, substitute_term
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.symbols import constants, name_of, substituted
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.frame_rows import below


def number(aggregates: Aggregates, term: Term) -> Expr | None:
    """How many choices a term has; None where it is no such set."""
    if len(term.rows) != 1 or term.groups or aggregates.reads_neighbours:
        return None
    ((row, table),) = term.rows
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        count, most = below(part)
        if count is None or most < 1 or name_of(row) not in constants(count):
            continue
        symbol = aggregates.symbols.get(name_of(count)) if z3.is_app(count) else None
        if symbol is None or symbol.function != "COUNT" or len(symbol.bag.terms) != 1:
            continue
        (after,) = aggregates.instance(symbol, count).terms
        if after.groups or [other.name for _, other in after.rows] != [table.name]:
            continue
        whole = replace(term, cond=conj(*(other for place, other in enumerate(parts) if place != index)))
        if _ordered(aggregates.world, whole, after):
            every = aggregates.count_term(whole)
            return ite(every < most, every, z3.IntVal(most))
    return None


def _ordered(world: World, whole: Term, after: Term) -> bool:
    """Whether the rows that are counted for a row are those after it in a strict total order."""
    ((row, table),), ((counted, _),) = whole.rows, after.rows
    one, two, three = (world.fresh_row(table) for _ in range(3))
    inside = condition(world, whole)

    def has(x: Expr) -> Formula:
        return substituted(inside, (row, x))

    def follows(y: Expr, x: Expr) -> Formula:
        moved = substitute_term(replace(after, rows=()), [(counted, y), (row, x)])
        return condition(world, moved)

    pair = conj(has(one), has(two))
    return (
        world.holds(conj(has(one), follows(one, one)), z3.BoolVal(False))
        and world.holds(conj(has(one), follows(two, one)), has(two))
        and world.holds(conj(pair, neg(one == two)), disj(follows(two, one), follows(one, two)))
        and world.holds(conj(pair, has(three), follows(two, one), follows(three, two)), follows(three, one))
    )
