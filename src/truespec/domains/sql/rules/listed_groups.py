"""Groups by a column whose values are all listed are read value by value.

Statement. Let a column x of the set G hold one of l1, ..., ln, or NULL, in every tuple. Then
Σ_g∈G φ(g) = Σ_i Σ_g∈G [g.x = li] φ(g) + Σ_g∈G [g.x is NULL] φ(g).

Side conditions. What each term of G's bag puts out in the column is a tree of cases all of whose leaves are
literals. That the literals differ from one another is proved.

Why. Each tuple of G has exactly one of these values in the column, so each choice is counted in one of the
cases, and once. A pivot by CASE becomes a union of one query per case.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Group, Term
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_false, is_ite, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_VALUES = 6
"""The most values that are listed, each a case of its own."""


def of(world: World, term: Term) -> list[Term] | None:
    """The cases of a term; None where no column of its groups is listed."""
    for group in term.groups:
        for index, value in enumerate(group.values):
            leaves = _leaves_of(group, index)
            if leaves is None or (len(leaves) > 1 and not world.holds(TRUE, z3.Distinct(*leaves))):
                continue
            tests: list[Formula] = [conj(neg(value.null), value.val == leaf) for leaf in leaves]
            tests += [] if is_false(value.null) else [value.null]
            return [replace(term, cond=conj(term.cond, test)) for test in tests]
    return None


def _leaves_of(group: Group, index: int) -> list[Expr] | None:
    """The literals that a column of a group may hold; None where others may occur, or where they are many."""
    found: list[Expr] = []
    for part in group.body.terms:
        for leaf in _leaves(_where_known(part.outs[index])):
            if constants(leaf):
                return None
            if not any(leaf.eq(known) for known in found):
                found.append(leaf)
    return found if 1 < len(found) <= MAX_VALUES else None


def _where_known(out: Val) -> Expr:
    """The value where it is not NULL: what stands in for NULL is no value that is listed."""
    if is_ite(out.val):
        test, stand_in, value = operands(out.val)
        if test.eq(out.null) and stand_in.eq(out.kind.stand_in):
            return value
    return out.val


def _leaves(value: Expr) -> list[Expr]:
    """What a tree of cases may come to; the class of a text goes by the text."""
    if is_ite(value):
        return [leaf for branch in operands(value)[1:] for leaf in _leaves(branch)]
    if z3.is_app(value) and value.num_args() == 1 and is_ite(value.arg(0)):
        return [value.decl()(leaf) for leaf in _leaves(value.arg(0))]
    return [value]
