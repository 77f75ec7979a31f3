"""What the first part of a recursion has, and each round keeps, all of its tuples have.

Statement. Let R be the result of `B UNION [ALL] S(W)`, and P a condition on a tuple. Where P holds of each
tuple of B, and of each tuple that S makes of tuples of which it holds, P holds of each tuple of R.

Side conditions. Both are proved, of each term; each term of S ranges over one row of W. P speaks of one
column that is never NULL: that an integer is at least the least literal that B has there, or that it is the
key of a row of a table that foreign keys refer to.

Why. By induction on the rounds. What matters is a root at level 0, which is no tuple of the levels below
it, and a tree over a table of edges, whose nodes are looked up afterwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import z3

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import is_false, substituted
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.same_recursion import Recursion
from truespec.domains.sql.schema import Table

Test = Callable[[Expr], Formula]
"""A condition on the value of a column."""
MOST_TABLES = 3
"""In how many tables a column may be looked up."""


def of(world: World, one: Recursion, step: Bag, result: Bag) -> list[Formula]:
    """What the rule says of the rows of the result; `step` is what the step makes of the round before."""
    (whole,) = result.terms
    ((row, table),) = whole.rows
    inside = world.in_table(table, row)
    facts: list[Formula] = []
    for place, nullable in enumerate(one.nullable):
        if nullable or not all(is_false(term.outs[place].null) for term in one.first.terms):
            continue
        for test in _tests(world, one, place):
            begins = all(world.holds(condition(world, t), test(t.outs[place].val)) for t in one.first.terms)
            if begins and _kept(world, one.round, step, place, test):
                known = test(whole.outs[place].val)
                facts.append(z3.ForAll([row], z3.Implies(inside, known), patterns=[inside]))
    return facts


def _tests(world: World, one: Recursion, place: int) -> Iterator[Test]:
    levels = [z3.simplify(term.outs[place].val) for term in one.first.terms]
    if one.kinds[place] == INT and all(map(z3.is_int_value, levels)):
        least = min(level.as_long() for level in levels)
        yield lambda value: value >= least
        return
    referred = {foreign.table.lower() for table in world.schema.tables for foreign in table.foreign_keys}
    tables = [table for table in world.schema.tables if table.name.lower() in referred]
    for table in itertools.islice(tables, MOST_TABLES):
        for key in table.unique_keys():
            column = world.column(table, table.column(key[0]), world.fresh_row(table))
            if len(key) == 1 and column.kind == one.kinds[place] == INT:
                yield _is_key(world, table, key)


def _is_key(world: World, table: Table, key: tuple[str, ...]) -> Test:
    def test(value: Expr) -> Formula:
        row = world.inverse(table, key, (value,))
        column = world.column(table, table.column(key[0]), row)
        return conj(world.in_table(table, row), z3.Not(column.null), column.val == value)

    return test


def _kept(world: World, rounds: Bag, step: Bag, place: int, test: Test) -> bool:
    """Whether the test holds of what the step puts out where it holds of the round before."""
    (whole,) = rounds.terms
    ((variable, table),) = whole.rows
    for term in step.terms:
        own = [row for row, other in term.rows if other == table]
        if len(own) != 1 or not is_false(term.outs[place].null):
            return False
        before = test(substituted(whole.outs[place].val, (variable, own[0])))
        if not world.holds(conj(condition(world, term), before), test(term.outs[place].val)):
            return False
    return bool(step.terms)
