"""A run of numbers that follow one another is as long as its numbers go on.

Statement. Let C(x) = #{y ∈ B : f(y) < f(x)}. Then #{x ∈ B : f(x) - C(x) = g} ≥ n just where there are
x, y1, ..., y(n-1) ∈ B with f(x) - C(x) = g and f(yi) = f(x) + i.

Side conditions. f is whole and one to one on B, which is proved. The difference may be turned around,
multiplied, or have a number added to it. That C counts rows of the same B is proved for each x ∈ B.

Why. Let f(x) < f(y). Then C(y) - C(x) is 1 and the number of rows between, at most f(y) - f(x); where the
differences are equal, no whole number between is missing, so that those of one g follow one another. And
where f(y) = f(x) + 1, no row lies between, so that x and y have the same difference.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import (
    Bag,
    Term,
    bound,
    conjuncts,
    renamed,
    substitute_term,
)
from truespec.domains.sql.ir.dates import DAY
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import rows_between
from truespec.domains.sql.rules.first_rows import same_choice

FACTORS = (1, -1, DAY, -DAY)
"""What the difference may be multiplied by: days may be moments."""


def of(aggregates: Aggregates, symbol: Symbol, number: int) -> tuple[Formula, Symbol] | None:
    """What the rule says of a count and a number, for all parameters; None where it counts no run.

    With it, the count C of the rows before.
    """
    (term,) = symbol.bag.terms
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        if not is_eq(part):
            continue
        for key in operands(part):
            rest = replace(term, cond=conj(*(p for i, p in enumerate(parts) if i != index)))
            numbered = key.sort() == z3.IntSort() and constants(key) & bound(term)
            found = _place(aggregates, rest, key) if numbered else None
            if found is not None:
                return _fact(aggregates, symbol, rest, part, found[0], number), found[1]
    return None


def _fact(
    aggregates: Aggregates, symbol: Symbol, rest: Term, key: Formula, place: Expr, number: int
) -> Formula:
    world = aggregates.world
    shown = replace(rest, outs=(Val(FALSE, place, INT),))
    run = renamed(world, replace(shown, cond=conj(rest.cond, key)))
    rows, groups, conds = list(run.rows), list(run.groups), [run.cond]
    for step in range(1, number):
        other = renamed(world, shown)
        rows += other.rows
        groups += other.groups
        conds += [other.cond, other.outs[0].val == run.outs[0].val + step]
    count = symbol.apply(symbol.formals)
    following = Bag((Term(tuple(rows), tuple(groups), conj(*conds), ()),))
    fact = (count >= number) == exists(world, following, by_rows=True)
    formals = list(symbol.formals)
    return z3.ForAll(formals, fact, patterns=[count]) if formals else fact


def _place(aggregates: Aggregates, rows: Term, key: Expr) -> tuple[Expr, Symbol] | None:
    """What the rows are numbered by, where the key is such a number less the count of the rows before it."""
    for symbol, arguments in aggregates.applied(Term((), (), TRUE, (Val(FALSE, key, INT),))).values():
        counted = rows_between.read(symbol) if symbol.function == "COUNT" else None
        if counted is None or not counted.before:
            continue
        position = next(i for i, formal in enumerate(symbol.formals) if formal.eq(counted.at))
        place = arguments[position]
        if place.sort() != z3.IntSort() or not is_difference(key, place, symbol.apply(arguments)):
            continue
        others = [(f, a) for f, a in zip(symbol.formals, arguments, strict=True) if not f.eq(counted.at)]
        shown = replace(counted.term, outs=(Val(FALSE, counted.place, INT),))
        before = substitute_term(renamed(aggregates.world, shown), others)
        if _same_rows(aggregates, rows, before, place) and one_to_one(aggregates, rows, place):
            return place, symbol
    return None


def is_difference(key: Expr, place: Expr, count: Expr) -> bool:
    """Whether the key is the place less the count, but for a factor and a number beside it."""
    return any(z3.is_int_value(z3.simplify(key - factor * (place - count))) for factor in FACTORS)


def _same_rows(aggregates: Aggregates, rows: Term, before: Term, place: Expr) -> bool:
    """Whether the rows that are counted before one of these are of these, at their places."""
    world = aggregates.world
    one = renamed(world, replace(rows, outs=(Val(FALSE, place, INT),)))
    for other in aggregates.aligned(one, before):
        goal = conj(condition(world, one) == condition(world, other), one.outs[0].val == other.outs[0].val)
        if world.holds(condition(world, rows), goal):
            return True
    return False


def one_to_one(aggregates: Aggregates, rows: Term, place: Expr) -> bool:
    world = aggregates.world
    one = replace(rows, outs=(Val(FALSE, place, INT),))
    copy = renamed(world, one)
    both = conj(condition(world, one), condition(world, copy), copy.outs[0].val == place)
    return world.holds(both, same_choice(one, copy))
