"""The normal form of a term: the simplifying rules, in their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.logic import folded
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import (
    distinct_of_unique,
    group_determined,
    known_flags,
    known_values,
)

Rule = Callable[[World, Term], Term]
"""A term of the same choices and outputs, in a simpler form."""


def folding(world: World, term: Term) -> Term:
    """Boolean constants folded away."""
    outs = tuple(replace(o, null=folded(o.null), val=folded(o.val)) for o in term.outs)
    return replace(term, cond=folded(term.cond), outs=outs)


def keys_of_groups(world: World, term: Term) -> Term:
    """Rows that a key determines dropped, also where a group's variables tell the key."""
    return reduced(world, term, by_groups=True)


RULES: tuple[Rule, ...] = (folding, reduced, known_flags.apply)
"""What is applied to every term."""
GROUP_RULES: tuple[Rule, ...] = (
    known_values.apply,
    distinct_of_unique.apply,
    group_determined.apply,
    folding,
    keys_of_groups,
    known_flags.apply,
)
"""What is applied then, to a term with groups."""


def normalised(world: World, term: Term) -> Term:
    """The term in normal form."""
    for rule in RULES:
        term = rule(world, term)
    if term.groups:
        for rule in GROUP_RULES:
            term = rule(world, term)
    return term
