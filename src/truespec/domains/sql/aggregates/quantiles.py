"""Quantiles as functions of a bag of values."""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import LOOSE
from truespec.domains.sql.ir.logic import FALSE, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import Val


def quantile(aggregates: Aggregates, bag: Bag, name: str, *, between: bool) -> Val:
    """The quantile of the one column of filled values; NULL where no value is.

    Equal bags give equal results. What lies `between` two values is a number of which no more is said: its
    type and its digits differ between engines.
    """
    world = aggregates.world
    empty = neg(exists(world, Bag(tuple(replace(t, outs=()) for t in bag.terms))))
    chosen = aggregates.unknown(f"quantile {name} {'between' if between else 'among'}", bag)
    chosen = replace(chosen, null=FALSE)
    if between:
        chosen = opaque(world.dialect, f"value of the quantile {name}", [chosen], LOOSE)
    return Val(empty, chosen.val, chosen.kind)
