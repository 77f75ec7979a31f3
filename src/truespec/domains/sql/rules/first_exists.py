"""Rows in an order have a first one, so that its value is there wherever there is a row.

Statement. Let F be the choices of a bag B that no choice of B sorts before. If B has a choice, F has one; the
value that stands for F is then that of some choice of F.

Side conditions. "Sorts before" is irreflexive and transitive, as the dialect's order of keys is; F and B are
spoken of at the same values of their free variables.

Why. A finite set has minimal elements in a strict partial order. FIRST_VALUE, LAG and LEAD take the value of
such a row, and are NULL for want of one just where their partition, or its part on that side, has no row.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import Formula, conj, disj, neg
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World


def of(world: World, first: Bag, among: Bag, value: Val) -> Formula:
    """That some first choice has the value, where there is any choice."""
    having = Bag(
        tuple(replace(t, cond=conj(t.cond, identical(t.outs[0], value)), outs=()) for t in first.terms)
    )
    return disj(neg(exists(world, among)), exists(world, having))
