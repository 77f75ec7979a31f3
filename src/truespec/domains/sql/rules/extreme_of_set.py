"""MIN and MAX do not count: bags that hold the same tuples have the same extremes.

Statement. MIN(B) = MIN(C) and MAX(B) = MAX(C) where each value of B is a value of C and conversely.

Side conditions. The function is MIN or MAX. Both inclusions are proved. Texts that the collation calls equal
are equal by their bytes, which `AggregateTable.extreme` has proved of each bag.

Why. The least and the greatest of some values depend on which there are, not on how often. The cases that
matter: a row that is joined to for its existence alone, and EXISTS in its place.
"""

from __future__ import annotations

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag

FUNCTIONS = ("MIN", "MAX")
"""The aggregates that depend on the set of values alone."""


def apply(aggregates: Aggregates, function: str, left: Bag, right: Bag) -> bool:
    """Whether the function has the same value over both bags by this rule."""
    return function in FUNCTIONS and aggregates.same_tuples(left, right)
