"""Groups by a column for which the other query lists constants are read constant by constant.

Statement. Let x be a column of a group G, and l1, ..., ln literals that differ, or NULL. Then
Σ_g∈G φ(g) = Σ_i Σ_g∈G [g.x is li] φ(g) + Σ_g∈G [g.x is none of them] φ(g).

Side conditions. That the literals differ from one another is proved. It is applied where x is put out as it
is, and the literals are what terms of the other query put out in its place.

Why. A tuple of G is counted in one of the cases, and once, whichever literals they are. A union of one query
for each of some categories so meets the groups by category; where a CHECK lists them, the last case is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.logic import TRUE, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_false, is_true
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_VALUES = 8
"""The most constants that make a case each."""


def of(world: World, term: Term, others: Sequence[Term]) -> list[Term] | None:
    """The cases of a term by what terms of the other query put out; None where no column tells them."""
    for group in term.groups:
        for value in group.values:
            places = [place for place, out in enumerate(term.outs) if _is(out, value)]
            for place in places:
                tests = _tests(world, value, [other.outs[place] for other in others])
                if tests:
                    cases = [*tests, _none_of(tests)]
                    return [replace(term, cond=conj(term.cond, test)) for test in cases]
    return None


def _is(out: Val, value: Val) -> bool:
    return out.kind == value.kind and out.val.eq(value.val) and out.null.eq(value.null)


def _none_of(tests: Sequence[Formula]) -> Formula:
    return conj(*map(neg, tests))


def _tests(world: World, value: Val, outs: Sequence[Val]) -> list[Formula]:
    """That a value is one of the constants that are put out, each in turn; nothing where there are none."""
    literals = [out.val for out in outs if is_false(out.null) and not constants(out.val)]
    if any(out.kind != value.kind for out in outs if is_false(out.null)):
        return []
    found = [one for i, one in enumerate(literals) if not any(one.eq(other) for other in literals[:i])]
    if len(found) > MAX_VALUES or (len(found) > 1 and not world.holds(TRUE, z3.Distinct(*found))):
        return []
    tests: list[Formula] = [conj(neg(value.null), value.val == literal) for literal in found]
    nulls = any(is_true(out.null) for out in outs) and not is_false(value.null)
    return [*tests, value.null] if nulls else tests
