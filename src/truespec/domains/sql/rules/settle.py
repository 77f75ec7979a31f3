"""All simplifying rules in a fixed order, until none applies."""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.bag import Term, reduced
from truespec.domains.sql.rules import distinct_of_unique, group_determined, known_flags, known_values
from truespec.domains.sql.world import World, folded


def settled(world: World, term: Term) -> Term:
    """The term in normal form."""
    term = known_flags.apply(world, reduced(world, _folded(term)))
    if not term.groups:
        return term
    term = known_values.apply(term)
    term = group_determined.apply(world, distinct_of_unique.apply(world, term))
    return known_flags.apply(world, reduced(world, _folded(term), by_groups=True))


def _folded(term: Term) -> Term:
    outs = tuple(replace(o, null=folded(o.null), val=folded(o.val)) for o in term.outs)
    return replace(term, cond=folded(term.cond), outs=outs)
