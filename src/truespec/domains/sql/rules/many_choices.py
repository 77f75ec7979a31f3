"""A count is at least n just where there are n different choices.

Statement. COUNT[A] ≥ n just where there are choices x1, ..., xn of A, no two of which are the same.

Side conditions. n is a small number: a condition asks for n or more, or for fewer. Rows differ as rows;
groups differ in a value or in what is NULL.

Why. It is what counting means. For n up to 2 the axioms say so of each count; more choices are costly to
speak of, and are spoken of only where a query asks for them: two kinds of things and no third, three orders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import TRUE, Formula, conj, neg
from truespec.domains.sql.ir.symbols import is_eq, is_not, operands
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.first_rows import same_choice

LEAST, MOST = 2, 4
"""The numbers of choices that are spoken of here; the first is spoken of by the axioms."""
LONGEST = 7
"""The longest run that `runs` speaks of."""


def compared(aggregates: Aggregates, formula: Formula) -> Iterator[tuple[Symbol, int]]:
    """The counts that a formula compares with a number, and the numbers of choices that this asks for."""
    if not is_eq(formula):
        formula = z3.simplify(formula)  # the number of a row is a count and 1
        formula = formula.arg(0) if is_not(formula) else formula
    for one, other in itertools.permutations(operands(formula), 2):
        if not z3.is_int_value(one):
            continue
        for symbol, arguments in aggregates.applied(Term((), (), formula, ())).values():
            if symbol.function == "COUNT" and other.eq(symbol.apply(arguments)):
                first = one.eq(formula.arg(0))
                numbers = asked(formula.decl().kind(), one.as_long(), first=first)
                yield from ((symbol, n) for n in numbers if LEAST <= n <= LONGEST)


def asked(comparison: int, number: int, *, first: bool) -> tuple[int, ...]:
    """The numbers of choices that a comparison with a number, which stands `first` or last, tells apart."""
    if comparison in (z3.Z3_OP_GE, z3.Z3_OP_LT):
        return (number + 1,) if first else (number,)
    if comparison in (z3.Z3_OP_LE, z3.Z3_OP_GT):
        return (number,) if first else (number + 1,)
    return number, number + 1


def of(world: World, symbol: Symbol, number: int) -> Formula:
    """What the rule says of a count, for all its parameters."""
    (term,) = symbol.bag.terms
    copies = [replace(renamed(world, term), outs=()) for _ in range(number)]
    apart = [neg(same_choice(one, other)) for one, other in itertools.combinations(copies, 2)]
    several = Term(
        tuple(row for copy in copies for row in copy.rows),
        tuple(group for copy in copies for group in copy.groups),
        conj(TRUE, *(copy.cond for copy in copies), *apart),
        (),
    )
    count = symbol.apply(symbol.formals)
    fact = (count >= number) == exists(world, Bag((several,)))
    formals = list(symbol.formals)
    return z3.ForAll(formals, fact, patterns=[count]) if formals else fact
