"""Recursions that begin alike and go on alike have the same result.

Statement. The results of `B UNION [ALL] S(W)` and `B' UNION [ALL] S'(W)` are the same bag where B and B' are
the same bag, and S(W) and S'(W) are the same bag for every bag W of tuples of these kinds.

Side conditions. Both keep duplicates or neither does. The columns have the same kinds, which values of S do
not change. No part leaves a choice to the engine. Only S names the recursion, and it does so once.

Why. By induction on the rounds: equal rounds hand equal tuples W to the next one. A column that is never NULL
in B, nor in S(W) where it is never NULL in W, is never NULL. A recursion that does not end has no result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.kinds import Kind

Same = Callable[[Bag, Bag], bool]
"""Whether two bags are proved to hold the same tuples equally often."""


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """A recursion that was read."""

    first: Bag
    """The tuples that it begins with."""
    step: Bag
    """The tuples that a round adds, in terms of the relation that stands for the round before."""
    kinds: tuple[Kind, ...]
    """The kinds of its columns."""
    nullable: tuple[bool, ...]
    """Which columns may be NULL."""
    distinct: bool
    """Whether tuples are kept once (UNION)."""


def name_of(known: list[Recursion], new: Recursion, same: Same) -> str:
    """The name of the relation that the recursion yields: that of an earlier one which is proved the same."""
    for number, old in enumerate(known):
        if apply(old, new, same):
            return f"recursion {number}"
    known.append(new)
    return f"recursion {len(known) - 1}"


def apply(old: Recursion, new: Recursion, same: Same) -> bool:
    """Whether two recursions have the same result by this rule."""
    alike = (old.kinds, old.nullable, old.distinct) == (new.kinds, new.nullable, new.distinct)
    return alike and same(old.first, new.first) and same(old.step, new.step)
