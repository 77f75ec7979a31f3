"""An aggregate at a known flag is the aggregate of the bag in which that flag is put in place.

Statement. Let f(p, y) name an aggregate of the bag B(p, y). Then f(true, y) is that aggregate of B(true, y),
and likewise for false.

Side conditions. The argument is literally true or false. Choices keep their names: each is its own.

Why. It is what the name stands for. B(true, y) may have a simpler form, and the name of an equal bag.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import z3

from truespec.domains.sql.bag import Bag, Swap, Term, renamed, swap_bag
from truespec.domains.sql.world import Expr, folded, is_truth

if TYPE_CHECKING:
    from truespec.domains.sql.aggregate import Aggregates, Symbol


def apply(aggregates: Aggregates, term: Term) -> Term:
    """The term with such aggregates named anew; those below quantifiers and in groups stay."""
    swap: Swap = []
    for symbol, arguments in aggregates.applied(term).values():
        if symbol.function in ("COUNT", "SUM", "MIN", "MAX") and any(map(is_truth, arguments)):
            swap.append((symbol.apply(arguments), _named(aggregates, symbol, arguments)))
    if not swap:
        return term
    outs = tuple(
        replace(o, null=folded(z3.substitute(o.null, *swap)), val=folded(z3.substitute(o.val, *swap)))
        for o in term.outs
    )
    return replace(term, cond=folded(z3.substitute(term.cond, *swap)), outs=outs)


def _named(aggregates: Aggregates, symbol: Symbol, arguments: tuple[Expr, ...]) -> Expr:
    bag = Bag(tuple(renamed(aggregates.world, term) for term in symbol.bag.terms))
    bag = swap_bag(bag, list(zip(symbol.formals, arguments, strict=True)))
    if symbol.function == "COUNT":
        return aggregates.count_term(bag.terms[0])
    if symbol.function == "SUM":
        return aggregates.sum_term(bag.terms[0], bag.terms[0].outs[0].val)
    return aggregates.extreme_value(symbol.function, bag)
