"""Paths that grow at their end are the paths that grow at their beginning.

Statement. Let P be a bag of pairs, and let X∘Y hold (x, z) as often as there are (x, y) in X and (y, z) in Y.
The results of `P UNION [ALL] W∘P` and of `P UNION [ALL] P∘W` are the same bag.

Side conditions. Both keep duplicates or neither does. That the first parts are the same bag, and each step
one of the two for every bag W of pairs of these kinds, is proved; without duplicates, that they hold the same
pairs. A NULL is no y that two pairs share.

Why. Composition is associative. By induction, round n adds P∘...∘P of n + 1 factors on either side; without
duplicates, what has been met before is left out on either side, and both are the union of all rounds. Where
the rounds end, they end on both sides: with duplicates at the first product that is empty, without them since
the values are finitely many.
"""

from __future__ import annotations

from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.logic import conj, neg
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.same_recursion import Recursion, Same


def apply(world: World, old: Recursion, new: Recursion, same: Same) -> bool:
    """Whether two recursions have the same result by this rule."""
    if (old.kinds, old.distinct) != (new.kinds, new.distinct) or len(set(old.kinds)) != 1:
        return False
    if len(old.kinds) != 2 or not same(old.first, new.first):
        return False
    return (_grows_at_end(world, old, same) and _grows_at_start(world, new, same)) or (
        _grows_at_start(world, old, same) and _grows_at_end(world, new, same)
    )


def _grows_at_end(world: World, one: Recursion, same: Same) -> bool:
    return same(one.step(one.round), _composed(world, one.round, one.first))


def _grows_at_start(world: World, one: Recursion, same: Same) -> bool:
    return same(one.step(one.round), _composed(world, one.first, one.round))


def _composed(world: World, left: Bag, right: Bag) -> Bag:
    """X∘Y."""
    terms = []
    for before in left.terms:
        for after in right.terms:
            one, other = renamed(world, before), renamed(world, after)
            end, start = one.outs[1], other.outs[0]
            meet = conj(neg(end.null), neg(start.null), end.val == start.val)
            cond = conj(one.cond, other.cond, meet)
            outs = (one.outs[0], other.outs[1])
            terms.append(Term(one.rows + other.rows, one.groups + other.groups, cond, outs))
    return Bag(tuple(terms))
