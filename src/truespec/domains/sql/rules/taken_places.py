"""A place that is passed is taken.

Statement. Let N(a) = #{x ∈ T : C(x, a)} count rows of a table T, and let A be values of a row of T, so that
C(x, A(y)), "x goes before y", is a strict order that is total on the rows before any one. For a number n ≥ 0
and each row z with N(A(z)) > n there is a row y before z with N(A(y)) = n.

Side conditions. C ranges over the rows of one table alone; that it is such an order is proved for all rows. A
is what the count is applied to somewhere, values of one row of T and of nothing else. It is stated for the
places at which a query asks for a row, but for the first one, of which `least_rows` speaks.

Why. Let y1, ..., ym be the rows before z in their order, m = N(A(z)) > n. The rows before y(n+1) are y1, ...,
yn: what goes before it goes before z, and before is total among these. The case that matters: the row before
the last one, by its number in one query and by LAG or by a count in the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import is_eq, operands
from truespec.domains.sql.rules.counted_before import read

Asked = tuple[Symbol, Term, tuple[Expr, ...], int]
"""A count, a term where it stands, what it is applied to there, and the number that is asked for."""
MOST = 4
"""The last place that is spoken of."""


def asked(aggregates: Aggregates, terms: list[Term]) -> Iterator[Asked]:
    """The counts that these terms ask to be one number."""
    for term in terms:
        for part in filter(is_eq, conjuncts(term.cond)):
            sides = operands(z3.simplify(part))
            number = next((side.as_long() for side in sides if z3.is_int_value(side)), 0)
            if not 1 <= number <= MOST:
                continue
            for symbol, arguments in aggregates.applied(Term((), (), part, ())).values():
                if symbol.function == "COUNT" and any(s.eq(symbol.apply(arguments)) for s in sides):
                    yield symbol, term, arguments, number


def of(aggregates: Aggregates, place: Asked) -> Formula | None:
    """What the rule says of a count; None where it does not apply there."""
    world, (symbol, term, arguments, number) = aggregates.world, place
    order = read(symbol, term, arguments)
    if order is None:
        return None
    x, y, z = (z3.Const(f"row.{order.table.name.lower()}?{i}", order.own.sort()) for i in range(3))

    def before(one: Expr, other: Expr) -> Formula:
        return order.counts(order.whole, one, other)

    if not world.holds(before(x, x), FALSE):
        return None
    if not world.holds(conj(before(x, y), before(y, z)), before(x, z)):
        return None
    both = conj(before(x, z), before(y, z), neg(x == y))
    if not world.holds(both, z3.Or(before(x, y), before(y, x))):
        return None
    inside = world.in_table(order.table, y)
    taken = z3.Exists(
        [y], conj(inside, before(y, z), symbol.apply(order.values(y)) == number), patterns=[inside]
    )
    passed = symbol.apply(order.values(z))
    return z3.ForAll([z], z3.Implies(passed > number, taken), patterns=[passed])
