"""The greatest of some counts is that of a row which is counted, or 0.

Statement. Let N(a) = #{x : C(x, a)}, and let B be a bag of values N(A(b)) for its choices b. Where C(x, A(b))
for some b and x, MAX(B) is the greatest N(A(b)) over all pairs of b and x with C(x, A(b)). Elsewhere it is 0,
if B has a choice.

Side conditions. B is one term that chooses a tuple of a group. The count ranges over rows of tables. Where
each N(A(b)) is proved to be at least 1, the rule says nothing.

Why. N(A(b)) is at least 1 just where some x is counted for it, and 0 elsewhere; how often a value occurs does
not matter. What matters are islands of rows: those in which nothing is counted are not looked at, so that
islands which begin with what ends a run are as long as those which end with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj
from truespec.domains.sql.ir.symbols import is_false, name_of
from truespec.domains.sql.ir.values import Val

SHARE = 4
"""That a count is at least 1 is seen with this part of the effort, or not at all."""


def of(aggregates: Aggregates, function: str, bag: Bag) -> tuple[Formula, Bag]:
    """The bag whose greatest value it is, none being NULL, and where that is so: it is 0 elsewhere."""
    pairs = pairs_of(aggregates, function, bag.terms)
    return (TRUE, bag) if pairs is None else (exists(aggregates.world, pairs), pairs)


def pairs_of(aggregates: Aggregates, function: str, terms: Sequence[Term]) -> Bag | None:
    """The pairs of a choice and a row that is counted for it; None where the rule does not apply."""
    if function != "MAX" or len(terms) != 1 or not terms[0].groups:
        return None
    (term,) = terms
    if term.outs[0].kind != INT or not is_false(term.outs[0].null):
        return None
    count = z3.simplify(term.outs[0].val)
    symbol = aggregates.symbols.get(name_of(count)) if z3.is_app(count) else None
    if symbol is None or symbol.function != "COUNT" or not symbol.formals:
        return None
    (counted,) = aggregates.instance(symbol, count).terms
    if counted.groups or aggregates.world.holds(condition(aggregates.world, term), count >= 1, SHARE):
        return None
    out = Val(FALSE, count, INT)
    pair = replace(term, rows=term.rows + counted.rows, cond=conj(term.cond, counted.cond), outs=(out,))
    return Bag((pair,))
