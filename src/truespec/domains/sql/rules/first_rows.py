"""LIMIT keeps the rows that few rows precede.

Statement. Where the sort keys order the choices of a bag B totally, `B ORDER BY k LIMIT n OFFSET m` holds
the choices x of B with m ≤ #{y ∈ B : y sorts before x} < m + n. Likewise LAG(v, n) is v of the y with n - 1
rows between y and x.

Side conditions. No two different choices of B tie; this is proved. "Sorts before" is the dialect's order,
the place of NULLs included, key by key.

Why. In a finite total order, the number of smaller elements is an element's position.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.comparisons import less, null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj, disj, neg
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World


@dataclass(frozen=True, slots=True)
class Sort:
    """One ORDER BY key."""

    descending: bool
    """DESC."""
    nulls_first: bool
    """Where NULLs go."""


def before(world: World, left: Sequence[Val], right: Sequence[Val], sorts: Sequence[Sort]) -> Formula:
    """Whether the keys `left` sort strictly before the keys `right`."""
    result: Formula = FALSE
    for a, b, sort in reversed(list(zip(left, right, sorts, strict=True))):
        one, two = (b, a) if sort.descending else (a, b)
        smaller = where_true(less(world, one, two))
        nulls = conj(a.null, neg(b.null)) if sort.nulls_first else conj(neg(a.null), b.null)
        result = disj(smaller, nulls, conj(null_safe_equal(world, a, b), result))
    return result


def total(world: World, bag: Bag) -> bool:
    """Whether no two different choices of the bag have equal outputs, as sort keys compare."""
    for (i, one), (j, two) in itertools.combinations_with_replacement(enumerate(bag.terms), 2):
        copy = renamed(world, two)
        tie = conj(*(null_safe_equal(world, a, b) for a, b in zip(one.outs, copy.outs, strict=True)))
        both = conj(condition(world, one), condition(world, copy), tie)
        if not world.holds(both, same_choice(one, copy) if i == j else FALSE):
            return False
    return True


def same_choice(one: Term, copy: Term) -> Formula:
    """Whether two namings of a term's variables mean the same rows and groups."""
    rows = [a == b for (a, _), (b, _) in zip(one.rows, copy.rows, strict=True)]
    groups = [
        identical(a, b)
        for g, h in zip(one.groups, copy.groups, strict=True)
        for a, b in zip(g.values, h.values, strict=True)
    ]
    return conj(*rows, *groups)


def kept(
    aggregates: Aggregates, bag: Bag, width: int, sorts: Sequence[Sort], limit: tuple[int | None, int]
) -> Bag | None:
    """The choices that LIMIT and OFFSET keep; None where the order may leave a choice.

    The sort keys are the outputs from `width` on.
    """
    world = aggregates.world
    number, skipped = limit
    if number == 0:
        return Bag(tuple(replace(term, cond=FALSE) for term in bag.terms[:1]))
    if not total(world, Bag(tuple(replace(t, outs=t.outs[width:]) for t in bag.terms))):
        return None
    terms = []
    for term in bag.terms:
        earlier = []
        for other in bag.terms:
            copy = renamed(world, other)
            test = before(world, copy.outs[width:], term.outs[width:], sorts)
            earlier.append(replace(copy, cond=conj(copy.cond, test), outs=()))
        terms.append(
            replace(term, cond=conj(term.cond, _position(aggregates, Bag(tuple(earlier)), number, skipped)))
        )
    return Bag(tuple(terms))


def _position(aggregates: Aggregates, earlier: Bag, number: int | None, skipped: int) -> Formula:
    if (number, skipped) == (1, 0):
        return neg(exists(aggregates.world, earlier))
    if (number, skipped) == (1, 1):
        two = _two_of(aggregates.world, earlier)
        return conj(exists(aggregates.world, earlier), neg(exists(aggregates.world, two)))
    position = aggregates.count(earlier).val
    if number == 1:
        return position == z3.IntVal(skipped)
    first = TRUE if skipped == 0 else position >= z3.IntVal(skipped)
    last = TRUE if number is None else position < z3.IntVal(skipped + number)
    return conj(first, last)


def _two_of(world: World, bag: Bag) -> Bag:
    """The pairs of different choices of a bag."""
    pairs = []
    for (i, one), (j, other) in itertools.combinations_with_replacement(enumerate(bag.terms), 2):
        copy = renamed(world, other)
        apart = neg(same_choice(one, copy)) if i == j else TRUE
        pairs.append(
            Term(one.rows + copy.rows, one.groups + copy.groups, conj(one.cond, copy.cond, apart), ())
        )
    return Bag(tuple(pairs))
