"""A running total that has reached a number reached it first at some row.

Statement. Let B(a) = Σ_x[C(x, a)] v(x) sum over rows x of a table T, and let A be values of a row of T, so
that C(x, A(y)), "x goes before y", is a strict order that is total on the rows before any one. For a number
c > 0 and each row z with B(A(z)) ≥ c there is a row y before z with B(A(y)) < c ≤ B(A(y)) + v(y); and so for
> in place of ≥, where c ≥ 0. If v is never negative, B(A(z)) ≥ B(A(y)) + v(y) for each y before z.

Side conditions. C ranges over the rows of one table alone; that it is such an order, and the sign of v, are
proved for all rows. A is what the sum is applied to somewhere, values of one row of T and of nothing else.
It is stated for the numbers that a query compares such a total with.

Why. Let y1, ..., ym be the rows before z in their order. The rows before yi are y1, ..., y(i-1), since before
is transitive and total among them, so that B(A(yi)) is the sum of the first i - 1 values, and B(A(z)) that of
all m. The sum of none is 0 and has not reached c; at the first i at which the sum of i values has, yi is the
row sought. The case that matters: the day on which a total was reached, as the first of those on which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_not, name_of, operands, substituted
from truespec.domains.sql.rules.counted_before import one_row

MOST_LIMITS = 2
"""How many numbers are spoken of for one total."""


@dataclass(frozen=True, slots=True)
class Total:
    """A running total that is compared with a number."""

    symbol: Symbol
    """The sum over the rows before."""
    term: Term
    """A term in which it is applied."""
    arguments: tuple[Expr, ...]
    """What it is applied to there."""
    limit: Fraction
    """The number."""
    strict: bool
    """Whether it is to be passed, and not to be reached."""


def asked(aggregates: Aggregates, terms: list[Term]) -> Iterator[Total]:
    """The sums over the rows before that these terms compare with numbers."""
    for term in terms:
        for part in conjuncts(term.cond):
            bound = _bound(part.arg(0) if is_not(part) else part)
            if bound is None:
                continue
            for symbol, arguments in aggregates.applied(Term((), (), part, ())).values():
                if symbol.function == "SUM" and arguments and (bound[0] > 0 or (bound[1] and bound[0] == 0)):
                    yield Total(symbol, term, arguments, *bound)


def _bound(part: Formula) -> tuple[Fraction, bool] | None:
    """The number that a comparison is with, and whether it is to be passed; None for other formulas."""
    if not z3.is_app(part) or part.num_args() != 2 or part.decl().kind() not in _ORDERS:
        return None
    for place, side in enumerate(operands(part)):
        if z3.is_int_value(side) or z3.is_rational_value(side):
            below = part.decl().kind() in (z3.Z3_OP_LT, z3.Z3_OP_GE)
            number = Fraction(side.as_long()) if z3.is_int_value(side) else Fraction(side.as_fraction())
            return number, below == (place == 0)
    return None


_ORDERS = (z3.Z3_OP_LT, z3.Z3_OP_LE, z3.Z3_OP_GT, z3.Z3_OP_GE)


def of(aggregates: Aggregates, total: Total) -> list[Formula]:
    """What the rule says of a total; nothing where it does not apply there."""
    world, symbol = aggregates.world, total.symbol
    (summed,) = symbol.bag.terms
    row = one_row(total.term, total.arguments)
    if row is None or summed.groups or len(summed.rows) != 1:
        return []
    ((own, table),) = summed.rows
    value = summed.outs[0].val
    names = constants(summed.cond) | constants(value)
    if own.sort() != row.sort() or names - {name_of(own), *map(name_of, symbol.formals)}:
        return []
    if constants(value) - {name_of(own)}:
        return []
    x, y, z = (z3.Const(f"row.{table.name.lower()}?{place}", own.sort()) for place in range(3))

    def values(of_row: Expr) -> tuple[Expr, ...]:
        return tuple(substituted(argument, (row, of_row)) for argument in total.arguments)

    def before(one: Expr, other: Expr) -> Formula:
        return substituted(summed.cond, (own, one), *zip(symbol.formals, values(other), strict=True))

    if not world.holds(before(x, x), FALSE):
        return []
    if not world.holds(conj(before(x, y), before(y, z)), before(x, z)):
        return []
    both = conj(before(x, z), before(y, z), neg(x == y))
    if not world.holds(both, z3.Or(before(x, y), before(y, x))):
        return []
    at = {place: symbol.apply(values(of_row)) for place, of_row in (("y", y), ("z", z))}
    after = at["y"] + substituted(value, (own, y))
    reached = _reached(total, symbol.apply(values(z)).sort())
    first = conj(world.in_table(table, y), before(y, z), neg(reached(at["y"])), reached(after))
    known = z3.Implies(reached(at["z"]), z3.Exists([y], first))
    facts = [z3.ForAll([z], known, patterns=[at["z"]])]
    if world.holds(before(x, z), substituted(value, (own, x)) >= 0):
        grows = z3.Implies(before(y, z), at["z"] >= after)
        facts.append(z3.ForAll([y, z], grows, patterns=[z3.MultiPattern(at["y"], at["z"])]))
    return facts


def _reached(total: Total, sort: z3.SortRef) -> Callable[[Expr], Formula]:
    """That a sum has reached the number, or passed it."""
    limit = total.limit
    if sort == z3.IntSort():
        least = floor(limit) + 1 if total.strict else ceil(limit)
        return lambda value: value >= least
    number = z3.Q(limit.numerator, limit.denominator)
    return (lambda value: value > number) if total.strict else (lambda value: value >= number)
