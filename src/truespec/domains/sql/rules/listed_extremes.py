"""The extreme of values that are written out asks which of them there are.

Statement. Let every value of a bag B be one of the literals l1 > l2 > ... > ln, by cases. Where B is not
empty, MAX(B) is l1 where some choice of B has the value l1, else l2 where some choice has l2, ..., else ln;
for MIN the literals rise.

Side conditions. The values are numbers, and none is NULL: each is a literal, or an IF of such values. There
are at most `MAX_VALUES` literals. Where B is empty the value means nothing: that SQL says NULL there is
stated beside it.

Why. It is what MIN and MAX mean. MAX(CASE WHEN p THEN 1 ELSE 0 END) = 1 so is EXISTS(p).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import z3

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, conj, ite, neg
from truespec.domains.sql.ir.symbols import is_ite, operands
from truespec.domains.sql.ir.world import World

MAX_VALUES = 3
"""The most literals that are told apart."""
MAX_CASES = 6
"""The most cases of one value."""


def of(world: World, function: str, bag: Bag) -> Expr | None:
    """MIN or MAX of the bag's one column; None where its values are not written out."""
    places: dict[Fraction, list[tuple[int, Formula]]] = {}
    literals: dict[Fraction, Expr] = {}
    for place, term in enumerate(bag.terms):
        cases = list(_cases(term.outs[0].val, TRUE))
        if len(cases) > MAX_CASES or any(literal is None for _, literal in cases):
            return None
        for test, literal in cases:
            number = Fraction(str(literal))
            literals[number] = literal
            places.setdefault(number, []).append((place, test))
    if not 1 < len(literals) <= MAX_VALUES:
        return None
    weakest, *stronger = sorted(literals, reverse=function == "MIN")
    value = literals[weakest]
    for number in stronger:
        having = (
            replace(bag.terms[place], cond=conj(bag.terms[place].cond, test), outs=())
            for place, test in places[number]
        )
        value = ite(exists(world, Bag(tuple(having))), literals[number], value)
    return value


def _cases(value: Expr, test: Formula) -> Iterator[tuple[Formula, Expr | None]]:
    """The literals that a value may be, each with its condition; None for a value that is no literal."""
    if is_ite(value):
        choice, yes, no = operands(value)
        yield from _cases(yes, conj(test, choice))
        yield from _cases(no, conj(test, neg(choice)))
    elif z3.is_int_value(value) or z3.is_rational_value(value):
        yield test, value
    else:
        yield test, None
