"""What a condition says of a NULL flag or a Boolean holds beside it.

Statement. [¬p ∧ φ(p)] · t(p) = [¬p ∧ φ(false)] · t(false), and likewise for p. For a group variable whose
NULL flag is known to be false, Σ_(n,g)∈G [¬n] ψ(g) = Σ_g∈{k ∈ G : k is not NULL} ψ(g).

Side conditions. `p` is a conjunct of the condition and an atom: a column's NULL flag, a Boolean column, a
variable. Membership of a row in its table stays as it is, because quantifiers are triggered by it.

Why. The term contributes nothing where the condition is false.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.bag import Bag, Group, Swap, Term, conjuncts, flat, swap_bag
from truespec.domains.sql.world import FALSE, TRUE, Expr, Val, conj, folded, neg


def apply(term: Term) -> Term:
    """The term with known flags put in place; a fixed point of the rule."""
    done: set[int] = set()
    while True:
        units: Swap = []
        parts = conjuncts(term.cond)
        for part in parts:
            atom, value = (part.arg(0), FALSE) if z3.is_not(part) else (part, TRUE)
            if _is_flag(atom) and atom.get_id() not in done:
                units.append((atom, value))
                done.add(atom.get_id())
        if not units:
            return term
        stated = [atom if z3.is_true(value) else neg(atom) for atom, value in units]
        keep = {part.get_id() for part in stated}
        rest = [folded(z3.substitute(part, *units)) for part in parts if part.get_id() not in keep]
        outs = tuple(_moved(out, units) for out in term.outs)
        groups = tuple(_narrowed(group, units) for group in term.groups)
        term = Term(term.rows, groups, flat(conj(*stated, *rest)), outs)


def _is_flag(atom: Expr) -> bool:
    if not z3.is_app(atom) or atom.decl().kind() != z3.Z3_OP_UNINTERPRETED:
        return False
    return not str(atom.decl().name()).startswith("rows ")


def _moved(value: Val, units: Swap) -> Val:
    null, val = folded(z3.substitute(value.null, *units)), value.val
    if not z3.is_true(null):
        val = folded(z3.substitute(val, *units))
    return replace(value, null=null, val=val)


def _narrowed(group: Group, units: Swap) -> Group:
    body = swap_bag(group.body, units)
    never = {atom.get_id() for atom, value in units if z3.is_false(value)}
    strict = [not z3.is_false(v.null) and v.null.get_id() in never for v in group.values]
    if not any(strict):
        return Group(group.values, body)
    values = tuple(replace(v, null=FALSE) if s else v for v, s in zip(group.values, strict, strict=True))
    terms = []
    for part in body.terms:
        known = [neg(out.null) for out, s in zip(part.outs, strict, strict=True) if s]
        outs = [replace(out, null=FALSE) if s else out for out, s in zip(part.outs, strict, strict=True)]
        terms.append(apply(replace(part, cond=conj(part.cond, *known), outs=tuple(outs))))
    return Group(values, Bag(tuple(terms)))
