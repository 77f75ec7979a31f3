"""A series is counted from where another one begins.

Statement. Σ_{g ∈ {c1, ..., cn}} φ(g) = Σ_{h ∈ {c1 + c, ..., cn + c}} φ(h - c), for each number c.

Side conditions. Each term of the group's body puts out a constant there, whatever its condition, and never
NULL. These are whole numbers or days, which are both integers here; what the term puts out keeps its kind.

Why. g = h - c is a correspondence of the choices, one to one. Days from a first one meet the first one plus
a number, such as those of `generate_series(0, 30)`.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Group, Substitution, Term, substitute_term
from truespec.domains.sql.ir.kinds import DATE, INT, Kind
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

Start = tuple[bool, int]
"""Whether a series is one of days, and what it begins with."""


def both(world: World, left: Bag, right: Bag) -> tuple[Bag, Bag] | None:
    """Both with their series beginning alike; None where they do, or where a side has none or several."""
    starts = begins(left), begins(right)
    if starts[0] == starts[1] or not all(len(some) == 1 for some in starts):
        return None
    target = max(starts[0] | starts[1])
    one, other = (Bag(tuple(of(world, term, target) for term in bag.terms)) for bag in (left, right))
    return one, other


def of(world: World, term: Term, target: Start) -> Term:
    """The term with its series beginning so."""
    groups: list[Group] = []
    substitution: Substitution = []
    for group in term.groups:
        for place, value in enumerate(group.values):
            start = _start(group, place)
            if start is None or start == target:
                continue
            kind = DATE if target[0] else INT
            new = Val(value.null, world.fresh(z3.IntSort(), "group"), kind)
            substitution.append((value.val, new.val - z3.IntVal(target[1] - start[1])))
            values = (*group.values[:place], new, *group.values[place + 1 :])
            group = Group(values, _moved(group.body, place, target[1] - start[1], kind))
        groups.append(group)
    if not substitution:
        return term
    return replace(substitute_term(replace(term, groups=()), substitution), groups=tuple(groups))


def _moved(body: Bag, place: int, by: int, kind: Kind) -> Bag:
    """The body with so much more in one column."""
    terms = []
    for term in body.terms:
        out = Val(term.outs[place].null, z3.IntVal(term.outs[place].val.as_long() + by), kind)
        terms.append(replace(term, outs=(*term.outs[:place], out, *term.outs[place + 1 :])))
    return Bag(tuple(terms))


def begins(bag: Bag) -> set[Start]:
    """What the series that a bag's terms range over begin with."""
    places = [(group, place) for t in bag.terms for group in t.groups for place in range(len(group.values))]
    found = [_start(group, place) for group, place in places]
    return {start for start in found if start is not None}


def _start(group: Group, place: int) -> Start | None:
    """What a column of constants begins with; None for another column."""
    value = group.values[place]
    if value.kind not in (INT, DATE) or not is_false(value.null) or not group.body.terms:
        return None
    outs = [term.outs[place] for term in group.body.terms]
    if not all(is_false(out.null) and z3.is_int_value(out.val) for out in outs):
        return None
    return value.kind == DATE, min(out.val.as_long() for out in outs)
