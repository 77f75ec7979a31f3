"""What a condition states holds beside it.

Statement. [¬p ∧ φ(p)] · t(p) = [¬p ∧ φ(false)] · t(false), and likewise for p. For a group variable whose
NULL flag is known to be false, Σ_(n,g)∈G [¬n] ψ(g) = Σ_g∈{k ∈ G : k is not NULL} ψ(g).

Side conditions. `p` is a conjunct of the condition, and neither a quantifier nor a constant. It stays in
place itself.

Why. The term contributes nothing where the condition is false.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Group, Substitution, Term, conjuncts, flat, substitute_bag
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj, folded, neg, rebuilt
from truespec.domains.sql.ir.symbols import is_false, is_not, is_true, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, term: Term) -> Term:
    """The term with what is known put in place; a fixed point of the rule."""
    done: set[int] = set()
    while True:
        parts = conjuncts(term.cond)
        units: Substitution = []
        for part in parts:
            atom, value = (part.arg(0), FALSE) if is_not(part) else (part, TRUE)
            if z3.is_app(atom) and not (is_true(atom) or is_false(atom)) and atom.get_id() not in done:
                units.append((atom, value))
                done.add(atom.get_id())
        if not units:
            return term
        # The flag of a group variable that is never NULL is no variable any more.
        gone = {v.null.get_id() for group in term.groups for v in group.values} & {
            a.get_id() for a, _ in units
        }
        kept = [part for part in parts if not (is_not(part) and part.arg(0).get_id() in gone)]
        cond = flat(conj(*(_rewritten(world, part, units) for part in kept)))
        outs = tuple(_moved(world, out, units) for out in term.outs)
        groups = tuple(_narrowed(world, group, units) for group in term.groups)
        term = Term(term.rows, groups, cond, outs)


def _rewritten(world: World, part: Formula, units: Substitution) -> Formula:
    """A conjunct in which the others, but not itself, are put in place."""
    world.limit.check()
    if is_not(part):
        return neg(_rewritten(world, part.arg(0), units))
    if not z3.is_app(part):
        return substituted(part, *units)
    if part.num_args() == 0:
        return part
    return folded(rebuilt(part, [substituted(child, *units) for child in operands(part)]))


def _moved(world: World, value: Val, units: Substitution) -> Val:
    world.limit.check()
    null, val = folded(substituted(value.null, *units)), value.val
    if not is_true(null):
        val = folded(substituted(val, *units))
    return Val(null, val, value.kind, value.literal)  # the sides may mention a flag that is gone


def _narrowed(world: World, group: Group, units: Substitution) -> Group:
    body = substitute_bag(group.body, units)
    never = {atom.get_id() for atom, value in units if is_false(value)}
    strict = [not is_false(v.null) and v.null.get_id() in never for v in group.values]
    if not any(strict):
        return Group(group.values, body)
    values = tuple(replace(v, null=FALSE) if s else v for v, s in zip(group.values, strict, strict=True))
    terms = []
    for part in body.terms:
        known = [neg(out.null) for out, s in zip(part.outs, strict, strict=True) if s]
        outs = [Val(FALSE, out.val, out.kind) if s else out for out, s in zip(part.outs, strict, strict=True)]
        terms.append(apply(world, replace(part, cond=conj(part.cond, *known), outs=tuple(outs))))
    return Group(values, Bag(tuple(terms)))
