"""A recursion that ends after a few rounds is the sum of its rounds.

Statement. Let S map bags of tuples to bags so that S(U + V) = S(U) + S(V), and let a power Sⁿ(B) be empty on
every database. The result of `B UNION ALL S(W)` is B + S(B) + ... + Sⁿ⁻¹(B), and that of `B UNION S(W)` the
distinct tuples of this sum.

Side conditions. Each term of S ranges over one row of W, and speaks of W by the columns of this row alone:
no condition, group or aggregate looks at other rows of W. That Sⁿ(B) is empty is seen from its conditions
alone, as that of a level which is counted and bounded; for n there is a limit.

Why. A round of UNION ALL is handed what the round before has added, which is Sⁱ(B). A round of UNION is
handed what is new among that: what is left out has been handed to S before, so what S makes of it has been
met, and S of a bag has the tuples that S has of the bag's distinct tuples, since S is a sum over them.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    MAX_TERMS,
    Bag,
    Group,
    Substitution,
    Term,
    conjuncts,
    renamed,
    substitute_term,
)
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj
from truespec.domains.sql.ir.symbols import functions, is_false, is_true
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, membership

MAX_ROUNDS = 8
"""Longer recursions are not written out."""
MAX_ROWS = 40
"""The most rows that all rounds may range over, taken together."""


def of(world: World, first: Bag, rows: Bag, step: Bag) -> Bag | None:
    """The sum of the rounds; None where the recursion does not plainly end.

    `rows` stands for the rows of the round before, and `step` is what the step makes of them.
    """
    if not first.terms or not all(takes_one(rows, term) for term in step.terms):
        return None
    found = list(first.terms)
    last = list(first.terms)
    for _ in range(MAX_ROUNDS):
        made = (applied(world, rows, part, term) for term in last for part in step.terms)
        last = [term for term in made if not is_false(term.cond)]
        found += last
        if not last:
            return Bag(tuple(found))
        if len(found) > MAX_TERMS or sum(len(term.rows) for term in found) > MAX_ROWS:
            return None
    return None


def takes_one(rows: Bag, part: Term) -> bool:
    """Whether a term of the step ranges over one row of the round before and looks at no other."""
    ((_, table),) = rows.terms[0].rows
    own = [row for row, other in part.rows if other == table]
    if len(own) != 1:
        return False
    plain = _instead(rows, part, tuple(Val(FALSE, out.kind.stand_in, out.kind) for out in rows.terms[0].outs))
    named = {name for out in rows.terms[0].outs for name in functions(out.null) | functions(out.val)}
    named |= functions(rows.terms[0].cond)
    return not _functions(plain) & named and not any(name.startswith("agg!") for name in _functions(plain))


def _functions(term: Term) -> frozenset[str]:
    """The functions that a term applies, in its groups too."""
    found = frozenset[str](functions(term.cond))
    for out in term.outs:
        found |= functions(out.null) | functions(out.val)
    return found.union(*(_functions(part) for group in term.groups for part in group.body.terms))


def applied(world: World, rows: Bag, part: Term, term: Term) -> Term:
    """What a term of the step makes of a term of the round before."""
    part, term = renamed(world, part), renamed(world, term)
    made = _instead(rows, part, term.outs)
    kept = [one for one in (*conjuncts(term.cond), *conjuncts(made.cond)) if not is_true(z3.simplify(one))]
    cond: Formula = conj(*kept)
    if is_false(z3.simplify(cond)):
        cond = FALSE
    outs = tuple(replace(out, null=z3.simplify(out.null), val=z3.simplify(out.val)) for out in made.outs)
    groups: tuple[Group, ...] = term.groups + made.groups
    return Term(term.rows + made.rows, groups, cond, outs)


def _instead(rows: Bag, part: Term, outs: tuple[Val, ...]) -> Term:
    """A term of the step with these values in place of the columns of its row of the round before."""
    (whole,) = rows.terms
    ((variable, table),) = whole.rows
    (own,) = [row for row, other in part.rows if other == table]
    substitution: Substitution = [(membership(own, table), TRUE)]
    for column, out in zip(whole.outs, outs, strict=True):
        if not is_false(column.null):
            substitution.append((z3.substitute(column.null, (variable, own)), out.null))
        substitution.append((z3.substitute(column.val, (variable, own)), out.val))
    others = tuple(pair for pair in part.rows if pair[1] != table)
    return replace(substitute_term(replace(part, rows=others), substitution), rows=others)
