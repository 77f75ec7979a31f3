"""A recursion is its first part, and the recursion that begins with what the step makes of that.

Statement. The result of `B UNION ALL S(W)` is B + R, where R is the result of `S(B) UNION ALL S(W)`. The
result of `B UNION S(W)` holds the distinct tuples of B + R, where R is that of `S(B) UNION S(W)`.

Side conditions. Under UNION, each term of S ranges over one row of W and looks at no other. No part leaves
a choice to the engine, and only S names the recursion.

Why. Round n adds Sⁿ(B), which is what round n - 1 of the other one adds; either ends just where the other
does. Under UNION, what S makes of a bag is what it makes of its tuples one by one: both hold each tuple
that some Sⁿ(B) has, n ≥ 0 on one side and B or n ≥ 1 on the other. What matters is a tree that is walked
from its root, beside one that is walked from the root's children.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import ended_recursion
from truespec.domains.sql.rules.same_recursion import Recursion


def of(world: World, one: Recursion, step: Bag) -> Recursion | None:
    """The recursion that begins a round later; `step` is what the step makes of the round before."""
    if one.distinct and not all(ended_recursion.takes_one(one.round, term) for term in step.terms):
        return None
    first = one.step(one.first)
    return replace(one, number=next(world.recursions), first=first) if first.terms else None
