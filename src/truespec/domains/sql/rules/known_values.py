"""A group column that is never NULL needs no NULL flag.

Statement. Where no tuple of G's bag has a NULL in column c, Σ_g∈G φ(g) = Σ_g∈G φ(g) with g.c's flag false.

Side conditions. "c is not NULL" is a conjunct of the condition of every term of G's bag. That the term itself
asks for it is rule `known_flags`.

Why. The flag is false in all tuples of G.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Group, Substitution, Term, conjuncts, flat, substitute_term
from truespec.domains.sql.ir.logic import FALSE, conj, neg
from truespec.domains.sql.ir.symbols import is_false, is_ite
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, term: Term) -> Term:
    """The term without NULL flags that its groups' bags rule out."""
    groups = []
    substitution: Substitution = []
    for group in term.groups:
        sure = [i for i in range(len(group.values)) if _known(group, i)]
        substitution += [(group.values[i].null, FALSE) for i in sure]
        groups.append(_without_flags(group, sure) if sure else group)
    if not substitution:
        return term
    moved = substitute_term(replace(term, rows=(), groups=()), substitution)
    return replace(moved, rows=term.rows, groups=tuple(groups))


def _known(group: Group, column: int) -> bool:
    if is_false(group.values[column].null):
        return False
    return all(_never(part, part.outs[column]) for part in group.body.terms)


def _never(part: Term, out: Val) -> bool:
    return is_false(out.null) or neg(out.null).get_id() in {p.get_id() for p in conjuncts(part.cond)}


def _without_flags(group: Group, sure: list[int]) -> Group:
    values = tuple(replace(v, null=FALSE) if i in sure else v for i, v in enumerate(group.values))
    terms = []
    for part in group.body.terms:
        outs = tuple(_bare(out) if i in sure else out for i, out in enumerate(part.outs))
        present = [neg(part.outs[i].null) for i in sure]
        terms.append(replace(part, cond=flat(conj(part.cond, *present)), outs=outs))
    return Group(values, Bag(tuple(terms)))


def _bare(out: Val) -> Val:
    """The value below its normal form, where it is known not to be NULL."""
    value = out.val
    if is_ite(value) and value.arg(0).eq(out.null):
        value = value.arg(2)
    return Val(FALSE, value, out.kind)
