"""A recursion that meets no tuple twice gives the same with UNION and with UNION ALL.

Statement. Let B have no duplicates, let no tuple of B be one that S makes, and let each tuple that S makes
tell what S has made it from: a tuple of W, and the choice of the rows beside it. Then B UNION ALL S(W) has no
duplicates, and is B UNION S(W).

Side conditions. Each term of S ranges over one row of W and looks at no other. All three are proved, of any
W; no two terms of S make one tuple.

Why. Let a tuple be made in two ways, each a chain of choices from a tuple of B on. Where one of the chains is
of length 0, the tuple is of B, so that the other is as well, and they are one choice of B. Else both have the
same last choice and come from one tuple of W, by two shorter chains, which are one by induction. So no round
adds what was there, UNION leaves nothing out, and the rounds are the same. The case that matters: a tree that
is walked from its roots down, each row found by its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product

from truespec.domains.sql.ir.bags import Bag, Term, renamed, substitute_value
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import FALSE, Formula, conj
from truespec.domains.sql.ir.values import all_identical, identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.ended_recursion import takes_one
from truespec.domains.sql.rules.first_rows import same_choice
from truespec.domains.sql.rules.same_recursion import Recursion


def of(world: World, one: Recursion) -> bool:
    """Whether no tuple is met twice."""
    first, step = one.first.terms, one.step(one.round).terms
    if not first or not step or not all(takes_one(one.round, term) for term in step):
        return False
    return (
        all(_met(world, made, begun, FALSE) for made, begun in product(step, first))
        and _apart(world, first, None)
        and _apart(world, step, one.round)
    )


def _apart(world: World, terms: Sequence[Term], rounds: Bag | None) -> bool:
    """Whether no tuple is put out by two choices; rows of the round before count by their columns."""
    for (i, one), (j, other) in combinations_with_replacement(enumerate(terms), 2):
        copy = renamed(world, other)
        same = FALSE if i != j else same_choice(one, copy) if rounds is None else _same(rounds, one, copy)
        if not _met(world, one, copy, same, fresh=False):
            return False
    return True


def _met(world: World, one: Term, other: Term, same: Formula, *, fresh: bool = True) -> bool:
    """Whether two choices that put out one tuple are the same one."""
    copy = renamed(world, other) if fresh else other
    both = conj(condition(world, one), condition(world, copy), all_identical(one.outs, copy.outs))
    return world.holds(both, same)


def _same(rounds: Bag, one: Term, copy: Term) -> Formula:
    """Whether two choices of a term of the step are the same, of rows of the round that look alike."""
    (whole,) = rounds.terms
    ((variable, table),) = whole.rows
    alike: list[Formula] = []
    for (mine, other), (yours, _) in zip(one.rows, copy.rows, strict=True):
        if other != table:
            alike.append(mine == yours)
            continue
        for out in whole.outs:
            columns = (substitute_value(out, [(variable, row)]) for row in (mine, yours))
            alike.append(identical(*columns))
    groups = [
        identical(a, b)
        for g, h in zip(one.groups, copy.groups, strict=True)
        for a, b in zip(g.values, h.values, strict=True)
    ]
    return conj(*alike, *groups)
