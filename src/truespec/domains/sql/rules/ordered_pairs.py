"""LEAST and GREATEST of two values, as keys, are the two values in either order.

Statement. Let x and y be values of a row. Σ[φ] f(LEAST(x, y), GREATEST(x, y)) = Σ[φ ∧ x < y] f(x, y) + Σ[φ
∧ ¬(x < y)] f(y, x). Where the second sum has the same tuples as the first, the distinct tuples of both are
those of the first.

Side conditions. x and y are numbers or days, none NULL: each key is an IF of one comparison whose branches
are what it compares, as LEAST, GREATEST and CASE WHEN x < y THEN x ELSE y END are. Where x = y both
branches are one value. That two terms hold the same tuples is proved.

Why. A row has x < y or has it not. Pairs that are joined both ways round are so counted once each way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Substitution, Term, bound
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, neg
from truespec.domains.sql.ir.symbols import constants, is_false, is_ite, operands
from truespec.domains.sql.ir.values import Val


def cases(term: Term, keys: Iterable[Val]) -> list[tuple[Formula, Substitution]]:
    """The two cases of a term, and what a key is in each; one without a test where no key asks for them."""
    picks = [(pick, key.val) for key in keys if is_false(key.null) and (pick := _pick(key.val))]
    own = bound(term)
    if not picks or not all(constants(value) & own for value in picks[0][0][:2]):
        return [(TRUE, [])]
    x, y, _ = picks[0][0]
    both = {x.get_id(), y.get_id()}
    same = [(value, least) for (a, b, least), value in picks if {a.get_id(), b.get_id()} == both]
    return [
        (test, [(value, low if least else high) for value, least in same])
        for test, low, high in ((x < y, x, y), (neg(x < y), y, x))
    ]


def distinct(aggregates: Aggregates, bag: Bag) -> Bag:
    """The bag without terms that hold the same tuples as an earlier one: for its distinct tuples."""
    kept: list[Term] = []
    for term in bag.terms:
        if not any(aggregates.same(Bag((term,)), Bag((old,))) for old in kept):
            kept.append(term)
    return replace(bag, terms=tuple(kept))


def _pick(value: Expr) -> tuple[Expr, Expr, bool] | None:
    """The two values of which this is one by their order, and whether it is the lesser."""
    if not is_ite(value):
        return None
    test, yes, no = operands(value)
    if not (z3.is_lt(test) or z3.is_le(test) or z3.is_gt(test) or z3.is_ge(test)):
        return None
    one, other = operands(test)
    if one.eq(other) or {one.get_id(), other.get_id()} != {yes.get_id(), no.get_id()}:
        return None
    rising = z3.is_lt(test) or z3.is_le(test)
    return one, other, yes.eq(one) == rising
