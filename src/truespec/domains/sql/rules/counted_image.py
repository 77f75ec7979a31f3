"""The tuples that choices are mapped to are as many as the choices only where no two choices share one.

Statement. Let h map the choices of B onto the choices of A. Then COUNT[A] ≤ COUNT[B], and both are equal just
where no two choices of B have the same image.

Side conditions. A ranges over one group's tuples, and h(x) is what the group's bag puts out for x: that each
h(x) is a choice of A, and each choice of A some h(x), is proved for all values of the free variables of both;
where the counts are compared at a common argument, for equal values of these.

Why. Each choice of A has a preimage, and these are disjoint: as many as A are the preimages, and B is their
union, which is finite. The case that matters: COUNT(*) > COUNT(DISTINCT a) says that a value occurs twice.
A value that is NULL is no h(x), so that the rule says nothing where the counted column may be NULL.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, binding, is_tuple, normal, renamed
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import Formula, conj, neg
from truespec.domains.sql.ir.symbols import is_false, substituted
from truespec.domains.sql.ir.values import Val, all_identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.counted_subset import Compared, at_common_arguments
from truespec.domains.sql.rules.first_rows import same_choice

MAX_WAYS = 3
"""Ways tried to name the variables of A's bag like those of B."""


def of(aggregates: Aggregates, counts: Compared) -> Formula | None:
    """What the rule says of images and of what is mapped to them; None where no map is found."""
    world = aggregates.world
    image, whole, others, formals = at_common_arguments(world, counts)
    if image.rows or len(image.groups) != 1 or len(image.groups[0].body.terms) != 1:
        return None
    (group,) = image.groups
    for way in itertools.islice(aggregates.aligned(whole, group.body.terms[0]), MAX_WAYS):
        outs = tuple(map(normal, way.outs))
        if not _is_onto(world, image, whole, outs):
            continue
        copy = renamed(world, replace(whole, outs=outs))
        cond = conj(whole.cond, copy.cond, all_identical(outs, copy.outs), neg(same_choice(whole, copy)))
        twice = exists(world, Bag((Term(whole.rows + copy.rows, whole.groups + copy.groups, cond, ()),)))
        one, two = counts.one.apply(counts.one.formals), counts.two.apply(others)
        fact = conj(one <= two, (one == two) == neg(twice))
        patterns = [count for count, symbol in ((one, counts.one), (two, counts.two)) if symbol.formals]
        return z3.ForAll(formals, fact, patterns=[z3.MultiPattern(*patterns)]) if formals else fact
    return None


def _is_onto(world: World, image: Term, whole: Term, outs: tuple[Val, ...]) -> bool:
    """Whether these values of each choice of the whole are a choice of the image, and each is met."""
    (group,) = image.groups
    pairs = zip(group.values, outs, strict=True)
    if any(is_false(value.null) and not is_false(out.null) for value, out in pairs):
        return False
    found = substituted(condition(world, image), *binding(group.values, outs))
    if not world.holds(condition(world, whole), found):
        return False
    met = replace(whole, cond=conj(whole.cond, is_tuple(group.values, outs)), outs=())
    return world.holds(condition(world, image), exists(world, Bag((met,))))
