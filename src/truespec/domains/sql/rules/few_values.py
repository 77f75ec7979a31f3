"""A set whose values are all listed is counted value by value.

Statement. Let every tuple of the set G of one column be one of l1, ..., ln. Then
Σ_g∈G [φ(g)] = Σ_i [li ∈ G ∧ φ(li)].

Side conditions. In each term of G's bag a conjunct, or each part of a disjunction among its conjuncts, holds
an equation of what is put out with a literal. That the literals differ from one another is proved. The column
is never NULL.

Why. The tuples of G are those of the li that lie in it, each once.
"""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.bags import Group, Term, conjuncts
from truespec.domains.sql.ir.existence import group_formula
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, is_false, is_or, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_VALUES = 6
"""The most values that are listed, each a case of its own."""


def of(world: World, term: Term) -> list[Formula] | None:
    """For each listed value whether it is counted; None where the term is no such count."""
    if term.rows or len(term.groups) != 1:
        return None
    (group,) = term.groups
    if len(group.values) != 1 or not is_false(group.values[0].null):
        return None
    literals: list[Expr] = []
    for part in group.body.terms:
        listed = _listed(part)
        if listed is None:
            return None
        for new in listed:
            if not any(new.eq(old) for old in literals):
                literals.append(new)
    if not 0 < len(literals) <= MAX_VALUES:
        return None
    if len(literals) > 1 and not world.holds(TRUE, z3.Distinct(*literals)):
        return None
    (value,) = group.values
    inside = [Group((Val(FALSE, literal, value.kind),), group.body) for literal in literals]
    return [
        conj(substituted(term.cond, (value.val, literal)), group_formula(world, one))
        for literal, one in zip(literals, inside, strict=True)
    ]


def _listed(part: Term) -> list[Expr] | None:
    """The literals of which the condition says that what the term puts out is one."""
    value = part.outs[0].val
    for conjunct in conjuncts(part.cond):
        choices = operands(conjunct) if is_or(conjunct) else [conjunct]
        literals = [
            literal for choice in choices for literal in [_literal(choice, value)] if literal is not None
        ]
        if len(literals) == len(choices):
            return literals
    return None


def _literal(formula: Formula, value: Expr) -> Expr | None:
    """The literal that a formula says the value is."""
    for part in conjuncts(formula):
        for one, other in (operands(part), operands(part)[::-1]) if is_eq(part) else ():
            if one.eq(value) and not constants(other):
                return other
    return None
