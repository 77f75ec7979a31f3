"""An aggregate at arguments that are known is the aggregate of the bag in which they are put in place.

Statement. Let f(p, y) name an aggregate of the bag B(p, y). Then f(true, y) is that aggregate of B(true, y),
and likewise for false; f(e(y), y) is that aggregate of B(e(y), y). There, where the condition says x(r) = y
for a choice r, a conjunct that speaks of p may be read with y in place of x(r).

Side conditions. The argument is literally true or false, or another argument, a variable, occurs in it; or it
is a column e of a row r of the term whose key y is another argument, so that it is e of the row that has the
key. Choices keep their names: each is its own. The equation with y does not mention p, and stays a conjunct.

Why. It is what the name stands for, and equals are put for equals. What is put in place may have a simpler
form, and the name of an equal bag: a group's column that its key determines is no further argument.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import (
    Bag,
    Substitution,
    Term,
    bound,
    conjuncts,
    flat,
    renamed,
    substitute_bag,
)
from truespec.domains.sql.ir.logic import Expr, conj, folded, is_truth
from truespec.domains.sql.ir.symbols import constants, inside, is_eq, is_false, name_of, operands, substituted
from truespec.domains.sql.ir.world import World


def apply(aggregates: Aggregates, term: Term) -> Term:
    """The term with such aggregates named anew; those below quantifiers and in groups stay."""
    substitution: Substitution = []
    for symbol, arguments in aggregates.applied(term).values():
        if symbol.function not in ("COUNT", "SUM", "MIN", "MAX"):
            continue
        known, back = _by_keys(aggregates.world, term, arguments)
        free = [is_truth(argument) or _depends(argument, known) for argument in known]
        if any(free):
            keys = [formal for formal, known in zip(symbol.formals, free, strict=True) if not known]
            named = _named(aggregates, symbol, known, keys)
            substitution.append((symbol.apply(arguments), substituted(named, *back) if back else named))
    if not substitution:
        return term
    outs = tuple(
        replace(
            o,
            null=folded(substituted(o.null, *substitution)),
            val=folded(substituted(o.val, *substitution)),
        )
        for o in term.outs
    )
    return replace(term, cond=folded(substituted(term.cond, *substitution)), outs=outs)


def _by_keys(world: World, term: Term, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], Substitution]:
    """The arguments with the key's inverse in place of a row whose key is one of them; and the way back."""
    back: Substitution = []
    for row, table in term.rows:
        for key in table.unique_keys():
            columns = [world.column(table, table.column(name), row) for name in key]
            values = [world.key_expression(column) for column in columns]
            if not all(is_false(c.null) for c in columns) or not all(
                any(value.eq(argument) for argument in arguments) for value in values
            ):
                continue
            image = world.inverse(table, key, tuple(values))
            back.append((image, row))
            arguments = tuple(
                argument
                if any(argument.eq(value) for value in values)
                else substituted(argument, (row, image))
                for argument in arguments
            )
            break
    return arguments, back


def _depends(argument: Expr, arguments: tuple[Expr, ...]) -> bool:
    """Whether another argument occurs in this one."""
    if z3.is_const(argument):
        return False
    parts = inside(argument)
    return any(other.get_id() in parts for other in arguments if not other.eq(argument))


def _named(aggregates: Aggregates, symbol: Symbol, arguments: tuple[Expr, ...], keys: list[Expr]) -> Expr:
    bag = Bag(tuple(renamed(aggregates.world, term) for term in symbol.bag.terms))
    known_names = {name_of(formal) for formal in symbol.formals} - {name_of(key) for key in keys}
    bag = Bag(tuple(_rewritten(term, keys, known_names) for term in bag.terms))
    bag = substitute_bag(bag, list(zip(symbol.formals, arguments, strict=True)))
    bag = Bag(tuple(replace(term, cond=flat(folded(term.cond))) for term in bag.terms))
    if symbol.function == "COUNT":
        return aggregates.count_term(bag.terms[0])
    if symbol.function == "SUM":
        return aggregates.sum_term(bag.terms[0], bag.terms[0].outs[0].val)
    return aggregates.extreme_value(symbol.function, bag)


def _rewritten(term: Term, keys: list[Expr], known_names: set[str]) -> Term:
    """The term in which conjuncts about known formals read the other formals for what equals them."""
    own = bound(term)
    substitution: Substitution = []
    for part in conjuncts(term.cond):
        if is_eq(part):
            for side, other in (operands(part), operands(part)[::-1]):
                known = constants(side)
                if known & own and not known & known_names and any(other.eq(key) for key in keys):
                    substitution.append((side, other))
    if not substitution:
        return term
    parts = (
        substituted(part, *substitution) if constants(part) & known_names else part
        for part in conjuncts(term.cond)
    )
    return replace(term, cond=conj(*parts))
