"""Rows of one run share the number of runs begun up to them, as they share their value less their place.

Statement. Let f be whole and one to one on the rows of B, let C(x) = #{y ∈ B : f(y) < f(x)}, and let S(x) =
#{y ∈ B : f(y) ≤ f(x), and no z ∈ B has f(z) = f(y) - 1}. For x and x' of B, f(x) - C(x) = f(x') - C(x') just
where S(x) = S(x'). So groups by the one are groups by the other.

Side conditions. The difference may be turned around, multiplied, or have a number added to it. What B depends
on, such as a partition, is a key of the group as well. That each row that is grouped is of its B, and that f
is one to one there, is proved. Nothing but the grouping reads the key: its value is another one.

Why. Let f(x) < f(x'). C(x') - C(x) counts the rows from x on and before x', and is at most f(x') - f(x): it
is that number just where no whole number from f(x) to f(x') is missing. And S(x') - S(x) counts the rows
after x and up to x' that have no predecessor: where no number is missing there is none, and where there is
none, x' has a predecessor, this has one, and so on down to x. The case that matters: runs of days, told
apart by a day less its row's number in one query, and by a running count of the days that begin a run in
the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Bag, Term, renamed, substitute_term
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import rows_between, runs


def of(aggregates: Aggregates, term: Term, key: Val, others: Sequence[Val]) -> Val | None:
    """The number of runs begun up to a row, in place of a key; None where the key tells no runs apart.

    `others` are the keys beside it.
    """
    if not is_false(key.null) or key.val.sort() != z3.IntSort():
        return None
    for symbol, arguments in aggregates.applied(Term((), (), TRUE, (key,))).values():
        found = _before(aggregates, term, key.val, symbol, arguments, others)
        if found is not None:
            return _begun(aggregates, *found)
    return None


def _before(
    aggregates: Aggregates,
    term: Term,
    key: Expr,
    symbol: Symbol,
    arguments: tuple[Expr, ...],
    others: Sequence[Val],
) -> tuple[Term, Expr] | None:
    """The rows of B, with f as their output, and f of the row at hand."""
    counted = rows_between.read(symbol) if symbol.function == "COUNT" else None
    if counted is None or not counted.before:
        return None
    place = next(a for f, a in zip(symbol.formals, arguments, strict=True) if f.eq(counted.at))
    if place.sort() != z3.IntSort() or not runs.is_difference(key, place, symbol.apply(arguments)):
        return None
    given = [(f, a) for f, a in zip(symbol.formals, arguments, strict=True) if not f.eq(counted.at)]
    if any(constants(a) and not any(a.eq(o.val) or a.eq(o.null) for o in others) for _, a in given):
        return None
    shown = replace(counted.term, outs=(Val(FALSE, counted.place, INT),))
    rows = substitute_term(renamed(aggregates.world, shown), given)
    inside = any(
        aggregates.world.holds(
            condition(aggregates.world, term),
            conj(condition(aggregates.world, own), own.outs[0].val == place),
        )
        for own in aggregates.aligned(term, rows)
    )
    if not inside or not runs.one_to_one(aggregates, replace(rows, outs=()), rows.outs[0].val):
        return None
    return rows, place


def _begun(aggregates: Aggregates, rows: Term, place: Expr) -> Val:
    """S of the row at a place."""
    earlier = renamed(aggregates.world, rows)
    same = earlier.outs[0].val == rows.outs[0].val - 1
    follows = exists(aggregates.world, Bag((replace(earlier, cond=conj(earlier.cond, same), outs=()),)))
    upto = z3.Not(rows.outs[0].val > place)
    return aggregates.count(Bag((replace(rows, cond=conj(rows.cond, upto, neg(follows)), outs=()),)))
