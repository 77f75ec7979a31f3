"""The mean of the values at the middle places is the median.

Statement. Let S be a finite set of n rows with numbers v, numbered from 1 to n so that v does not fall.
The mean of v over the rows with n <= 2p <= n + 2, p their numbers, is the median of v over S:
PERCENTILE_CONT(0.5).

Side conditions. The numbers are integers where the engine's median of fractions is not their mean. The rows
averaged are those of S that meet a test of two counts, which is proved to be n <= 2p <= n + 2 wherever 1 <=
p <= n: n counts S, or n - p what comes after the row; p is one more than the rows before, or that and the
row's place among ties (`tied_numbers`). Proved of rows of S: the rows before are rows of S; those of lesser
v are before, those of greater v are not. Without ties, "before" is a strict total order; with ties, it is
"of lesser v", and the rows that tie are those of equal v. No v is NULL. S ranges over the rows of one
table.

Where S has a row, some row of S stands at a middle place: this is stated for the S of each row.

Why. Sorted so, the values at the places (n + 1) / 2 and (n + 2) / 2, rounded down, are the middle ones, and
which rows of equal v stand there makes no difference. Where S is empty, both are NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Ties
from truespec.domains.sql.ir.bags import Bag, Substitution, Term, conjuncts
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.kinds import INT, NUMBERS
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, functions, is_eq, name_of, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import tied_numbers
from truespec.domains.sql.schema import Table


@dataclass(frozen=True, slots=True)
class _Middle:
    """What is averaged: rows, and a test of two counts."""

    aggregates: Aggregates
    row: Expr
    table: Table
    inside: Formula
    """Whether the row is one of S."""
    value: Expr
    test: Formula
    """The test of the row's number."""

    def at(self, formula: Expr, row: Expr) -> Expr:
        """A formula of the row, of another row."""
        return substituted(formula, (self.row, row))

    def holds(self, given: Formula, goal: Formula) -> bool:
        return self.aggregates.world.holds(given, goal)


def of(aggregates: Aggregates, bag: Bag) -> tuple[Bag, str, Formula | None] | None:
    """The set S, if this bag holds the values at its middle places; its one output is never NULL.

    Beside it a count's name, and what is known wherever that count is spoken of.
    """
    if len(bag.terms) != 1 or len(bag.terms[0].rows) != 1 or bag.terms[0].groups:
        return None
    (term,) = bag.terms
    value = term.outs[0].val.arg(0) if z3.is_to_real(term.outs[0].val) else term.outs[0].val
    kind = INT if value.sort() == z3.IntSort() else term.outs[0].kind
    if kind not in NUMBERS or (kind != INT and not aggregates.world.dialect.median_of_fractions_is_mean):
        return None
    parts = conjuncts(term.cond)
    tests = [
        part for part in parts if any(n.startswith(("agg!", tied_numbers.PREFIX)) for n in functions(part))
    ]
    inside = conj(*(part for part in parts if not any(part.eq(test) for test in tests)))
    ((row, table),) = term.rows
    middle = _Middle(aggregates, row, table, inside, value, conj(*tests))
    applied = aggregates.applied(Term((), (), middle.test, ())).values()
    counts = [symbol.apply(arguments) for symbol, arguments in applied if symbol.function == "COUNT"]
    places = {place.get_id(): place for place in tied_numbers.places(middle.test)}
    if len(counts) != 2 or len(applied) != 2 or len(places) > 1:
        return None
    place = next(iter(places.values()), None)
    if place is not None and not (len(operands(place)) == 1 and operands(place)[0].eq(row)):
        return None
    for before, other in (counts, reversed(counts)):
        asked = (_is_middle(middle, before, other, place) and _counts(middle, other)) or (
            place is None
            and _is_middle(middle, before, other, None, after=True)
            and _turned(middle, before, other)
        )
        if asked and _numbers(middle, before, place):
            whole = Bag((replace(term, cond=inside, outs=(Val(FALSE, value, kind),)),))
            return whole, str(before.decl().name()), _filled(middle)
    return None


def _filled(middle: _Middle) -> Formula | None:
    """That each S with a row has one at a middle place; None where a row does not tell its S."""
    solved: Substitution = []
    own = name_of(middle.row)
    for part in conjuncts(middle.inside):
        for one, other in (operands(part), operands(part)[::-1]) if is_eq(part) else ():
            if (
                z3.is_const(one)
                and constants(one)
                and own not in constants(one)
                and constants(other) == {own}
            ):
                solved.append((one, other))
    inside = substituted(middle.inside, *solved) if solved else middle.inside
    if constants(inside) | constants(middle.test) != {own}:
        return None
    x, m = (middle.aggregates.world.fresh_row(middle.table) for _ in range(2))
    known = [middle.aggregates.world.in_table(middle.table, row) for row in (x, m)]
    there = substituted(middle.at(middle.inside, m), *((g, middle.at(e, x)) for g, e in solved))
    some = z3.Exists([m], conj(known[1], there, middle.at(middle.test, m)), patterns=[known[1]])
    return z3.ForAll([x], z3.Implies(conj(known[0], middle.at(inside, x)), some), patterns=[known[0]])


def _is_middle(
    middle: _Middle, before: Expr, other: Expr, place: Expr | None, *, after: bool = False
) -> bool:
    """Whether the test asks for the middle places; the other count is of S, or of what comes `after`."""
    p, n, tied = (z3.Int(f"middle {name}") for name in ("place", "number", "tie"))
    rest = [] if place is None else [(place, tied)]
    earlier = p - 1 - tied if rest else p - 1
    test = substituted(middle.test, (before, earlier), (other, n - p if after else n), *rest)
    return middle.holds(conj(p >= 1, p <= n), test == conj(n <= 2 * p, 2 * p <= n + 2))


def _turned(middle: _Middle, before: Expr, after: Expr) -> bool:
    """Whether a count is of the rows of S that have the row before them."""
    found, turned = _counted(middle, before), _counted(middle, after)
    if found is None or turned is None:
        return False
    (y, says), (z, later) = found, turned
    x = middle.row
    here = substituted(says, (y, x), (x, z))
    inside = middle.at(middle.inside, z)
    return middle.holds(middle.inside, later == conj(inside, here))


def _counted(middle: _Middle, count: Expr) -> tuple[Expr, Formula] | None:
    """The row that a count speaks of, and what it says of it; None where that is not one row of the table."""
    symbol = middle.aggregates.symbols[str(count.decl().name())]
    (term,) = middle.aggregates.instance(symbol, count).terms
    if len(term.rows) != 1 or term.groups or term.rows[0][1] != middle.table:
        return None
    return term.rows[0][0], condition(middle.aggregates.world, term)


def _counts(middle: _Middle, number: Expr) -> bool:
    """Whether a count is that of S."""
    found = _counted(middle, number)
    return found is not None and middle.holds(middle.inside, found[1] == middle.at(middle.inside, found[0]))


def _numbers(middle: _Middle, before: Expr, place: Expr | None) -> bool:
    """Whether the rows before a row number S so that the values do not fall."""
    found = _counted(middle, before)
    if found is None:
        return False
    x, (y, says) = middle.row, found
    z = middle.aggregates.world.fresh_row(middle.table)
    inside = {row.get_id(): middle.at(middle.inside, row) for row in (x, y, z)}
    value = {row.get_id(): middle.at(middle.value, row) for row in (x, y)}
    mine, yours = value[x.get_id()], value[y.get_id()]
    both = conj(inside[x.get_id()], inside[y.get_id()])

    def earlier(one: Expr, two: Expr) -> Formula:
        return substituted(says, (y, one), (x, two))

    if not middle.holds(conj(inside[x.get_id()], says), inside[y.get_id()]):
        return False
    if place is not None:
        ties = middle.aggregates.ties[str(place.decl().name())]
        same = _tied(ties, x, y)
        if same is None or not middle.holds(both, says == (yours < mine)):
            return False
        return middle.holds(inside[x.get_id()], same == conj(inside[y.get_id()], mine == yours))
    return (
        middle.holds(both, conj(z3.Implies(yours < mine, says), z3.Implies(says, yours <= mine)))
        and middle.holds(inside[x.get_id()], neg(earlier(x, x)))
        and middle.holds(conj(both, neg(x == y)), says != earlier(x, y))
        and middle.holds(conj(both, inside[z.get_id()], says, earlier(z, y)), earlier(z, x))
    )


def _tied(ties: Ties, row: Expr, other: Expr) -> Formula | None:
    """Whether two rows tie, where ties are of single rows of this sort."""
    if len(ties.own) != 1 or ties.own[0].sort() != row.sort():
        return None
    return substituted(ties.tied, (ties.own[0], row), (ties.others[0], other))
