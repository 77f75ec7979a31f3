"""A group column that is never NULL needs no NULL flag.

Statement. Σ_g∈G [g.c is not NULL] φ(g) = Σ_g∈H φ(g), where H holds the tuples of G's bag whose column c is
not NULL. The same where the bag itself has no NULL there.

Side conditions. "c is not NULL" is a conjunct of φ, or a conjunct of the condition of every term of G's
bag.

Why. The tuples of G that φ lets pass are those of H; the flag is false in all of them.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.bag import Bag, Group, Swap, Term, conjuncts, swap_term
from truespec.domains.sql.world import FALSE, Val, conj, neg


def apply(term: Term) -> Term:
    """The term without NULL flags that its condition or the groups' bags rule out."""
    groups = []
    swap: Swap = []
    said = {part.get_id() for part in conjuncts(term.cond)}
    for group in term.groups:
        sure = [i for i, value in enumerate(group.values) if _known(group, i, said)]
        swap += [(group.values[i].null, FALSE) for i in sure]
        groups.append(_without_flags(group, sure) if sure else group)
    if not swap:
        return term
    moved = swap_term(replace(term, rows=(), groups=()), swap)
    return replace(moved, rows=term.rows, groups=tuple(groups))


def _known(group: Group, column: int, said: set[int]) -> bool:
    flag = group.values[column].null
    if z3.is_false(flag):
        return False
    if neg(flag).get_id() in said:
        return True
    return all(_never(part, part.outs[column]) for part in group.body.terms)


def _never(part: Term, out: Val) -> bool:
    return z3.is_false(out.null) or neg(out.null).get_id() in {p.get_id() for p in conjuncts(part.cond)}


def _without_flags(group: Group, sure: list[int]) -> Group:
    values = tuple(replace(v, null=FALSE) if i in sure else v for i, v in enumerate(group.values))
    terms = []
    for part in group.body.terms:
        outs = tuple(_bare(out) if i in sure else out for i, out in enumerate(part.outs))
        present = [neg(part.outs[i].null) for i in sure]
        terms.append(replace(part, cond=conj(part.cond, *present), outs=outs))
    return Group(values, Bag(tuple(terms)))


def _bare(out: Val) -> Val:
    """The value below its normal form, where it is known not to be NULL."""
    value = out.val
    if z3.is_app_of(value, z3.Z3_OP_ITE) and value.arg(0).eq(out.null):
        value = value.arg(2)
    return Val(FALSE, value, out.kind)
