"""What a recursion passes on unchanged are values of its first part, whose tuples it holds.

Statement. Let R be the result of `B UNION [ALL] S(W)`, and U the columns that each tuple of S(W) has from a
tuple of W. For each tuple r of R there is a tuple of B that agrees with r in U; and each tuple of B is in R.

Side conditions. Each term of S ranges over a row of W and puts out, in the columns of U, this row's columns
as they are. The first is noted where keys name the rows of B, so that it speaks of no unknown row, and the
second beside it.

Why. By induction on the rounds, for the first; B is the first round. What matters are the root of a tree and
what is known of it, carried along to all below it.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import Formula, conj
from truespec.domains.sql.ir.symbols import operands, substituted
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.same_recursion import Recursion


def of(world: World, one: Recursion, step: Bag, result: Bag) -> list[Formula]:
    """What the rule says of the rows of the result; `step` is what the step makes of the round before."""
    places = carried(one.round, step)
    (whole,) = result.terms
    ((row, table),) = whole.rows
    inside = world.in_table(table, row)
    if not places or any(term.groups or not term.rows for term in one.first.terms):
        return []
    agreeing = [
        replace(part, cond=conj(part.cond, _agree(part, whole, places)), outs=())
        for part in (renamed(world, term) for term in one.first.terms)
    ]
    origin = exists(world, Bag(tuple(agreeing)))
    if _has_quantifier(origin):
        return []
    facts: list[Formula] = [z3.ForAll([row], z3.Implies(inside, origin), patterns=[inside])]
    every = range(len(whole.outs))
    for term in one.first.terms:
        there = renamed(world, whole)
        some = exists(
            world, Bag((replace(there, cond=conj(there.cond, _agree(term, there, every)), outs=()),))
        )
        rows = [own for own, _ in term.rows]
        inner = [world.in_table(other, own) for own, other in term.rows]
        pattern = inner[0] if len(inner) == 1 else z3.MultiPattern(*inner)
        facts.append(z3.ForAll(rows, z3.Implies(term.cond, some), patterns=[pattern]))
    return facts


def carried(rounds: Bag, step: Bag) -> list[int]:
    """The columns that each term of the step has from a row of the round before."""
    (whole,) = rounds.terms
    ((variable, table),) = whole.rows
    places = list(range(len(whole.outs)))
    for term in step.terms:
        own = [row for row, other in term.rows if other == table]
        if len(own) != 1:
            return []
        given = [
            (substituted(out.null, (variable, own[0])), substituted(out.val, (variable, own[0])))
            for out in whole.outs
        ]
        places = [p for p in places if _is(term.outs[p], given[p])]
    return places if step.terms else []


def _is(out: Val, column: tuple[Formula, Formula]) -> bool:
    return bool(out.null.eq(column[0]) and out.val.eq(column[1]))


def _agree(one: Term, other: Term, places: list[int] | range) -> Formula:
    return conj(*(identical(one.outs[place], other.outs[place]) for place in places))


def _has_quantifier(formula: Formula) -> bool:
    if z3.is_quantifier(formula):
        return True
    return any(map(_has_quantifier, operands(formula)))
