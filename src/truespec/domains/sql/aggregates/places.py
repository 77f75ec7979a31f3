"""What is known of the value of the row at a place: the first one, or one so many rows away."""

from __future__ import annotations

import z3

from truespec.domains.sql.aggregates.abstraction import abstracted
from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.logic import Expr, Formula
from truespec.domains.sql.ir.symbols import name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import first_exists


def fact_of(aggregates: Aggregates, value: Expr, first: Bag, among: Bag, place: int) -> Formula | None:
    """What `first_exists` says of the symbol of a choice; None where it cannot be said."""
    both, formals, arguments = abstracted(aggregates.world, Bag((*first.terms, *among.terms)))
    known = {argument.get_id(): formal for formal, argument in zip(formals, arguments, strict=True)}
    applied = operands(value)
    if {argument.get_id() for argument in applied} != known.keys():
        return None
    symbol = aggregates.symbols[name_of(value)]
    places = tuple(known[argument.get_id()] for argument in applied)
    chosen = Val(symbol.null(places), symbol.apply(places), symbol.kind)
    several = len(first.terms)
    bags = Bag(both.terms[:several]), Bag(both.terms[several:])
    fact = first_exists.of(aggregates, *bags, chosen, place)
    return z3.ForAll(formals, fact, patterns=[chosen.val, chosen.null]) if formals else fact
