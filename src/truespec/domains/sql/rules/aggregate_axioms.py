"""What is true of an aggregate's value, whatever the database.

Statement. COUNT is at least 0; at least 1 where the bag has a choice; at least 2 where it has two of them.
SUM is 0 where the bag has no choice.
MIN, MAX: where the bag is not empty, some tuple has the value and none has a smaller (greater) one.
ANY, CHOICE: where the bag is not empty, some tuple is the value.

Side conditions. The order is the dialect's: numbers, days and moments by value, texts by collation class. The
values are never NULL for MIN and MAX.

Why. It is what the aggregates mean; a finite bag of a total order has a least and a greatest value.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Symbol
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import DATED, TEXT
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.ordered_types import is_ordered
from truespec.domains.sql.ir.ordered_types import rank as ordered_rank
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World


def of(world: World, symbol: Symbol, *, pairs: bool = True) -> list[Formula]:
    """The axioms of one symbol, for all its parameters; `pairs`: also when a count is at least 2."""
    value = symbol.apply(symbol.formals)
    mentioned = [value]
    match symbol.function:
        case "COUNT":
            (term,) = symbol.bag.terms
            fact = conj(value >= 0, (value >= 1) == exists(world, symbol.bag))
            if pairs:
                fact = conj(fact, (value >= 2) == exists(world, Bag((_pair(world, term),))))
        case "SUM":
            fact = disj(exists(world, symbol.bag), value == symbol.kind.sort.cast(0))
        case "MIN" | "MAX":
            fact = _extreme(world, symbol, value)
        case "ANY" | "CHOICE":
            result = Val(symbol.null(symbol.formals), value, symbol.kind)
            mentioned += [] if is_false(result.null) else [result.null]
            chosen = _restricted(symbol.bag, lambda out: identical(out, result))
            fact = z3.Implies(exists(world, symbol.bag), exists(world, chosen))
        case _:
            return []
    if not symbol.formals:
        return [fact]
    return [z3.ForAll(list(symbol.formals), fact, patterns=mentioned)]


def _extreme(world: World, symbol: Symbol, value: Expr) -> Formula:
    def rank(expression: Expr) -> Expr:
        if is_ordered(symbol.kind):
            return ordered_rank(expression, symbol.kind)
        return world.collation(expression) if symbol.kind in (TEXT, DATED) else expression

    chosen = _restricted(symbol.bag, lambda out: out.val == value)
    if symbol.function == "MIN":
        beyond = _restricted(symbol.bag, lambda out: rank(out.val) < rank(value))
    else:
        beyond = _restricted(symbol.bag, lambda out: rank(out.val) > rank(value))
    attained = z3.Implies(exists(world, symbol.bag), exists(world, chosen))
    return conj(attained, neg(exists(world, beyond)))


def _restricted(bag: Bag, keep: object) -> Bag:
    assert callable(keep)
    return Bag(tuple(replace(t, cond=conj(t.cond, keep(t.outs[0])), outs=()) for t in bag.terms))


def _pair(world: World, term: Term) -> Term:
    """Two different choices of the term."""
    copy = renamed(world, term)
    apart = [neg(a == b) for (a, _), (b, _) in zip(term.rows, copy.rows, strict=True)]
    for left, right in zip(term.groups, copy.groups, strict=True):
        apart += [neg(identical(a, b)) for a, b in zip(left.values, right.values, strict=True)]
    differ = disj(*apart) if apart else FALSE
    return Term(term.rows + copy.rows, term.groups + copy.groups, conj(term.cond, copy.cond, differ), ())
