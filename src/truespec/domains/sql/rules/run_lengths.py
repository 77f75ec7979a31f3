"""Whole numbers without a gap are as many as the last one less the first, and one.

Statement. Let f be whole and one to one on a bag R, and let each x of R have a y of R with f(y) = f(x) - 1,
if some z of R has f(z) < f(x). Where R has a choice, #R = max f - min f + 1.

Side conditions. Both are proved of all x and z of R. It is stated where a query adds or subtracts the MAX and
the MIN of such a bag, and the count of one is asked for.

Why. R is finite. From the greatest number down, each is there until the least: f takes all whole numbers from
min f to max f, once each. The case that matters: the length of a run of days, by COUNT(*) in one query and by
the days from the first to the last in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Bag, Term, conjuncts, renamed
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import runs


def asked(aggregates: Aggregates, terms: Iterable[Term]) -> Iterator[Symbol]:
    """The MAX of bags of whole numbers that are added or subtracted beside a MIN, where there are counts."""
    if not {"MAX", "MIN", "COUNT"} <= {symbol.function for symbol in aggregates.symbols.values()}:
        return
    expressions = [
        expression
        for term in terms
        for expression in (*conjuncts(term.cond), *(out.val for out in term.outs))
    ]
    found = [_applied(aggregates, expression) for expression in expressions]
    if not any(symbol.function == "COUNT" for applied in found for symbol, _ in applied):
        return
    for expression, applied in zip(expressions, found, strict=True):
        for symbol, arguments in applied:
            if symbol.function == "MAX" and len(symbol.bag.terms) == 1 and _is_whole(symbol):
                others = [(o, a) for o, a in applied if o.function == "MIN" and _is_whole(o)]
                if others and _sums(expression, symbol.apply(arguments)):
                    yield symbol


def of(aggregates: Aggregates, symbol: Symbol) -> tuple[str, Formula] | None:
    """What the rule says of the MAX of a bag, with the name of its count; None where there may be gaps."""
    world, (term,) = aggregates.world, symbol.bag.terms
    place = term.outs[0].val
    rows = replace(term, outs=())
    lesser, before = (renamed(world, term) for _ in range(2))
    both = conj(condition(world, rows), condition(world, lesser), lesser.outs[0].val < place)
    follows = replace(before, cond=conj(before.cond, before.outs[0].val == place - 1), outs=())
    if not runs.one_to_one(aggregates, rows, place):
        return None
    if not world.holds(both, exists(world, Bag((follows,)))):
        return None
    count = aggregates.count_term(rows)
    name = next((s.name for s, _ in _applied(aggregates, count) if s.function == "COUNT"), None)
    if name is None:
        return None
    greatest, least = symbol.apply(symbol.formals), aggregates.extreme_value("MIN", symbol.bag)
    fact = z3.Implies(count >= 1, count == greatest - least + 1)
    formals = list(symbol.formals)
    return name, z3.ForAll(formals, fact, patterns=[count]) if formals else fact


def _applied(aggregates: Aggregates, expression: Expr) -> list[tuple[Symbol, tuple[Expr, ...]]]:
    return list(aggregates.applied(Term((), (), TRUE, (Val(FALSE, expression, INT),))).values())


def _is_whole(symbol: Symbol) -> bool:
    return bool(symbol.kind.sort == z3.IntSort())


def _sums(expression: Expr, part: Expr) -> bool:
    """Whether a part is added or subtracted somewhere in an expression."""
    todo, seen = [expression], set[int]()
    while todo:
        node = todo.pop()
        if node.get_id() in seen or not z3.is_app(node):
            continue
        seen.add(node.get_id())
        if (z3.is_add(node) or z3.is_sub(node)) and any(part.eq(one) for one in operands(node)):
            return True
        todo += operands(node)
    return False
