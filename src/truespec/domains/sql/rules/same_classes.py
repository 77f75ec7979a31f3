"""Groups of the same rows by different keys are the same groups where the keys tell the same rows apart.

Statement. Let G = {k(r) : r ∈ B} and H = {l(r) : r ∈ B}. Then Σ_g∈G φ(g) = Σ_h∈H ψ(h), when
k(r) = k(s) just where l(r) = l(s), for all r, s ∈ B, and φ(k(r)) = ψ(l(r)) for all r ∈ B.

Side conditions. Either side is one group and nothing beside it, and the group's bag is one term. The rows
of both bags are matched once, and the same rows stand on either side of φ(k(r)) = ψ(l(r)).

Why. k(r) ↦ l(r) is a function from G onto H, since k(r) = k(s) makes l(r) = l(s), and one to one, since
l(r) = l(s) makes k(r) = k(s).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from truespec.domains.sql.ir.bags import Term, binding, renamed, substitute_term
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import Formula, conj
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World

MAX_ALIGNMENTS = 4
"""Ways tried to match the rows of both bags."""

Align = Callable[[Term, Term], Iterable[Term]]
"""The second term in the variables of the first, in all ways that give each its own."""


def instances(
    world: World, left: Term, right: Term, given: Formula, align: Align, *, new: bool = False
) -> Iterator[tuple[Term, Term]]:
    """What either side puts out for a row of both bags, where the keys tell the same rows apart.

    `new`: keys that are written alike are passed over, for which no rule is needed.
    """
    if any(term.rows or len(term.groups) != 1 for term in (left, right)):
        return
    bodies = [term.groups[0].body.terms for term in (left, right)]
    if any(len(body) != 1 or not (body[0].rows or body[0].groups) for body in bodies):
        return
    (one,), (other,) = bodies
    for aligned in itertools.islice(align(one, other), MAX_ALIGNMENTS):
        if new and len(one.outs) == len(aligned.outs) and all(map(_alike, one.outs, aligned.outs)):
            return
        if not world.holds(given, condition(world, one) == condition(world, aligned)):
            continue
        width = len(one.outs)
        both = renamed(world, replace(one, outs=one.outs + aligned.outs))
        if _same_pairs(world, both, width, given):
            yield _at(left, both, both.outs[:width]), _at(right, both, both.outs[width:])


def _alike(one: Val, other: Val) -> bool:
    return bool(one.val.eq(other.val) and one.null.eq(other.null))


def _same_pairs(world: World, both: Term, width: int, given: Formula) -> bool:
    """Whether two rows agree in the first keys just where they agree in the others."""
    copy = renamed(world, both)
    equal = [identical(a, b) for a, b in zip(both.outs, copy.outs, strict=True)]
    premise = conj(given, condition(world, both), condition(world, copy))
    one, other = conj(*equal[:width]), conj(*equal[width:])
    if not world.in_steps:
        return world.holds(premise, one == other)
    return all(world.holds(conj(premise, some), goal) for some, goal in ((one, other), (other, one)))


def _at(term: Term, row: Term, key: tuple[Val, ...]) -> Term:
    """The term for the group in which a row lies."""
    alone = Term((), (), term.cond, term.outs)
    inside = substitute_term(alone, binding(term.groups[0].values, key))
    return Term(row.rows, row.groups, conj(row.cond, inside.cond), inside.outs)
