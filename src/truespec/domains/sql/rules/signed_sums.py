"""A sum of positive numbers is positive, and one of numbers none of which is negative is not negative.

Statement. Where v(x) > 0 for all x with φ(x), and some x has φ(x), Σ_x[φ(x)] v(x) > 0; and likewise for < 0.
Where v(x) ≥ 0 for all x with φ(x), Σ_x[φ(x)] v(x) ≥ 0; and likewise for ≤ 0.

Side conditions. That v has the sign wherever φ holds is proved. Exact arithmetic: no sum overflows.

Why. A finite sum of positive numbers is at least the one that is there; where none is negative, it is at
least 0, as is the sum of nothing. The cases that matter: a share of a total is no division by zero where only
positive numbers are summed, HAVING asks nothing of such a total, and `> 0` asks of one what `<> 0` asks.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from truespec.domains.sql.ir.aggregates import Symbol
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import Formula
from truespec.domains.sql.ir.symbols import is_eq, is_not, operands
from truespec.domains.sql.ir.world import World


def compared(terms: list[Term]) -> Iterator[Formula]:
    """The conditions of these terms that compare something with a number, and those inside their outputs."""
    for term in terms:
        for part in conjuncts(term.cond):
            inner = part.arg(0) if is_not(part) else part
            if _is_comparison(inner):
                yield inner
        yield from _tests(term)


def _tests(term: Term) -> Iterator[Formula]:
    """The orders with a number that the outputs of a term test."""
    todo = [expression for out in term.outs for expression in (out.null, out.val)]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if node.get_id() in seen or not z3.is_app(node):
            continue
        seen.add(node.get_id())
        if z3.is_bool(node) and _is_comparison(node) and not is_eq(node):
            yield node
        else:
            todo += operands(node)


def _is_comparison(part: Formula) -> bool:
    return bool(z3.is_app(part) and part.num_args() == 2 and any(map(_is_number, operands(part))))


def of(world: World, symbol: Symbol) -> Formula | None:
    """What the rule says of a sum, for all its parameters; None where the values have no one sign."""
    (term,) = symbol.bag.terms
    given, value = condition(world, term), term.outs[0].val
    total = symbol.apply(symbol.formals)
    for sign in (1, -1):
        if world.holds(given, sign * value > 0):
            fact = z3.Implies(exists(world, symbol.bag), sign * total > 0)
            formals = list(symbol.formals)
            return z3.ForAll(formals, fact, patterns=[total]) if formals else fact
    for sign in (1, -1):
        if world.holds(given, sign * value >= 0):
            fact = sign * total >= 0
            formals = list(symbol.formals)
            return z3.ForAll(formals, fact, patterns=[total]) if formals else fact
    return None


def _is_number(part: object) -> bool:
    return bool(z3.is_int_value(part) or z3.is_rational_value(part))
