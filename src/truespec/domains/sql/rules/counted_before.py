"""The rows counted for a row are those counted for one of them, and the others.

Statement. Let N(a) = #{x ∈ T : C(x, a)} count rows of a table T, and let A be values of a row of T. Where
C(x, A(y)) and C(y, A(z)) make C(x, A(z)), and C(x, A(x)) never holds, for all rows x, y and z of T: for each
y with C(y, A(z)), N(A(z)) = N(A(y)) + 1 + #{x ∈ T : x ≠ y and C(x, A(z)) and not C(x, A(y))}.

Side conditions. C ranges over the rows of one table alone; that it is such an order is proved. A is what the
count is applied to somewhere, values of one row of T and of nothing else.

Why. The rows counted for y are among those counted for z, as C is transitive, and y is none of them. What
matters are the numbers of rows under an order of several keys: of two rows whose numbers differ by 1, there
is no other between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, name_of, operands, substituted
from truespec.domains.sql.schema import Table


def of(aggregates: Aggregates, symbol: Symbol, term: Term, arguments: tuple[Expr, ...]) -> Formula | None:
    """What the rule says of a count that stands in a term; None where it does not apply there."""
    world, order = aggregates.world, read(symbol, term, arguments)
    if order is None:
        return None
    table, counts, values = order.table, order.counts, order.values
    x, y, z = (world.fresh_row(table) for _ in range(3))
    whole = order.whole
    if not world.holds(conj(counts(whole, x, y), counts(whole, y, z)), counts(whole, x, z)):
        return None
    if not world.holds(counts(whole, x, x), FALSE):
        return None
    names = set(map(name_of, symbol.formals))
    compared = conj(*(part for part in conjuncts(whole) if constants(part) & names))
    since = conj(counts(whole, x, z), neg(x == y), neg(counts(compared, x, y)))
    more = aggregates.count_term(Term(((x, table),), (), since, ()))
    first, last = symbol.apply(values(y)), symbol.apply(values(z))
    fact = z3.Implies(counts(whole, y, z), last == first + 1 + more)
    return z3.ForAll([y, z], fact, patterns=[z3.MultiPattern(first, last)])


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What a count of the rows of one table says of two of them."""

    symbol: Symbol
    own: Expr
    """The row that is counted."""
    table: Table
    whole: Formula
    """Which rows are counted."""
    row: Expr
    """The row for which they are counted."""
    arguments: tuple[Expr, ...]
    """What the count is applied to: values of that row."""

    def values(self, of_row: Expr) -> tuple[Expr, ...]:
        """What the count of another row is applied to."""
        return tuple(substituted(argument, (self.row, of_row)) for argument in self.arguments)

    def counts(self, part: Formula, one: Expr, other: Expr) -> Formula:
        """What a part of the condition says where one row is counted for another."""
        pairs = zip(self.symbol.formals, self.values(other), strict=True)
        return substituted(part, (self.own, one), *pairs)


def read(symbol: Symbol, term: Term, arguments: tuple[Expr, ...]) -> Order | None:
    """A count as it stands in a term, if it counts rows of one table for a row of it."""
    (counted,) = symbol.bag.terms
    row = one_row(term, arguments)
    if row is None or counted.groups or len(counted.rows) != 1:
        return None
    ((own, table),) = counted.rows
    if own.sort() != row.sort() or constants(counted.cond) - {name_of(own), *map(name_of, symbol.formals)}:
        return None
    return Order(symbol, own, table, counted.cond, row, arguments)


def one_row(term: Term, arguments: tuple[Expr, ...]) -> Expr | None:
    """The row that all arguments are values of, alone; None where there is none."""
    names = frozenset[str]().union(*(constants(argument) for argument in arguments))
    row = next((row for row, _ in term.rows if names == {name_of(row)}), None)
    plain = all(z3.is_app_of(part, z3.Z3_OP_UNINTERPRETED) for part in _parts(arguments))
    return row if plain else None


def _parts(expressions: tuple[Expr, ...]) -> Iterator[Expr]:
    for expression in expressions:
        yield expression
        yield from _parts(operands(expression))
