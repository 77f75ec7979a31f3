"""ROW_NUMBER where rows tie: each way to number the rows of a tie is a choice, and a proof holds for all.

Statement. ROW_NUMBER of a row x is 1, and the number of rows before it, and p(x), its place among the rows
that tie with it. Of p no more is known than that: p(x) is at least 0; of rows that tie, no two have the
same place; one has the place 0.

Side conditions. p is a new function for each window that is read. The rows are those of one term over
tables alone, in no subquery that may be evaluated more than once and in no recursion. A query with such a
function is not called determined; where no proof is found, that rows may tie is the reason.

Why. An engine sorts the rows in some way that the sort keys allow, and so numbers each tie from 0 on. What
is proved of every p is true of each way. Two evaluations that choose differently are two functions, as are
two copies.
"""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Ties
from truespec.domains.sql.ir.bags import Term, renamed, substitute_term
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, name_of, operands
from truespec.domains.sql.rules.first_rows import same_choice

PREFIX = "tie!"
"""How the names of such functions begin."""


def place(aggregates: Aggregates, own: Term, peer: Term) -> Expr | None:
    """The place of a row among the rows that tie with it; None where the rule does not apply.

    `own` is the row's term; `peer` has variables of its own, and the condition that its row ties.
    """
    rows = [row for row, _ in own.rows]
    if not rows or own.groups or peer.groups or len(peer.rows) != len(rows):
        return None
    if constants(peer.cond) - {name_of(row) for row, _ in (*own.rows, *peer.rows)}:
        return None
    function = z3.Function(f"{PREFIX}{len(aggregates.ties)}", *(row.sort() for row in rows), z3.IntSort())
    aggregates.ties[function.name()] = _ties(aggregates, own, peer, function)
    return function(*rows)


def places(formula: Formula) -> list[Expr]:
    """The places among ties that a formula speaks of."""
    found, todo = [], [formula]
    while todo:
        node = todo.pop()
        if z3.is_app(node) and name_of(node).startswith(PREFIX):
            found.append(node)
        elif z3.is_app(node):
            todo += operands(node)
    return found


def _ties(aggregates: Aggregates, own: Term, peer: Term, function: z3.FuncDeclRef) -> Ties:
    """The rows that tie, and what is known of their places."""
    world = aggregates.world
    ours = renamed(world, Term(own.rows, (), own.cond, ()))
    tied = substitute_term(
        Term((), (), peer.cond, ()),
        [(old, new) for (old, _), (new, _) in zip(own.rows, ours.rows, strict=True)],
    ).cond
    one, other = [row for row, _ in ours.rows], [row for row, _ in peer.rows]
    first, second = function(*one), function(*other)
    inside = condition(world, ours)
    tied = conj(*(world.in_table(table, row) for row, table in peer.rows), tied)
    apart = z3.Implies(conj(inside, tied, first == second), same_choice(ours, peer))
    least = z3.Exists(other, conj(tied, second == 0), patterns=[second])
    facts = (
        z3.ForAll([*one, *other], apart, patterns=[z3.MultiPattern(first, second)]),
        z3.ForAll(one, z3.Implies(inside, conj(first >= 0, least)), patterns=[first]),
    )
    return Ties(tuple(one), tuple(other), tied, facts)
