"""Rows in an order have a first one, so that its value is there wherever there is a row.

Statement. Let F be the choices of a bag B that no choice of B sorts before. If B has a choice, F has one; the
value that stands for F is then that of some choice of F. Let F be, for a number n > 1, the choices of B that
n - 1 choices of B sort before. F has a choice just where B has n.

Side conditions. "Sorts before" is irreflexive and transitive, as the dialect's order of keys is; for n > 1 it
is total as well, which is proved. F and B are spoken of at the same values of their free variables.

Why. A finite set has minimal elements in a strict partial order, and in a total one an element at each place
up to their number. FIRST_VALUE, LAG and LEAD take the value of such a row, and are NULL for want of one just
where their partition, or its part on that side, has no row, or fewer than so many.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import Formula, conj, disj, neg
from truespec.domains.sql.ir.values import Val, identical


def of(aggregates: Aggregates, first: Bag, among: Bag, value: Val, place: int) -> Formula:
    """That some first choice has the value, or the one at a place, where there are so many choices."""
    having = Bag(
        tuple(replace(t, cond=conj(t.cond, identical(t.outs[0], value)), outs=()) for t in first.terms)
    )
    return disj(neg(reached(aggregates, among, place)), exists(aggregates.world, having))


def reached(aggregates: Aggregates, among: Bag, place: int) -> Formula:
    """Whether there are so many choices."""
    if place == 1:
        return exists(aggregates.world, among)
    return aggregates.count(among).val >= place
