"""A sum over a few rows is the values of these rows, one at a time.

Statement. Let C(y) be a count. Σ_y[φ(y) ∧ C(y) < n] v(y) = Σ_{i<n} Σ_y[φ(y) ∧ C(y) = i] v(y), and each sum
on the right is v of the one choice that it has, or 0 where it has none.

Side conditions. `C(y) < n` is a conjunct, n a small literal; or C(y) = 0 is, as "there is no such row".
That no two choices have φ and C(y) = i is proved of each i. It is applied where rows are read by their
distance (LAG, LEAD) and in a frame of so many rows: elsewhere both sides keep the sum whole. Where `C(y) = n`
is a conjunct of a sum, the sum is v of its one choice, or 0, wherever it stands.

Why. A count is a natural number, so each choice on the left has one of C(y) = 0, ..., C(y) = n - 1. A frame
of n rows before the current one holds those with fewer than n rows between, and LAG(v, i + 1) is v of the row
with i rows between.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, bound, conjuncts, renamed
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import Expr, Formula, conj, ite, neg
from truespec.domains.sql.ir.symbols import constants, functions, is_eq, is_false, is_not, name_of, operands
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.first_rows import same_choice

MAX_ROWS = 4
"""Longer frames stay whole."""


def of(aggregates: Aggregates, term: Term) -> list[Term] | None:
    """The choices of a term by their place, each a term that has one of them at most; None for others."""
    if not aggregates.reads_neighbours or not term.rows or term.groups:
        return None
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        places = _places(aggregates, term, part)
        if places is None:
            continue
        others = [other for place, other in enumerate(parts) if place != index]
        found = [replace(term, cond=conj(*others, place)) for place in places]
        if all(_single(aggregates.world, one) for one in found):
            return found
    return None


def at_place(aggregates: Aggregates, term: Term) -> list[Term] | None:
    """A term that has one choice at the most, as `C(y) = n` says; None for others."""
    own = {name_of(row) for row, _ in term.rows}
    if not own or term.groups:
        return None
    for part in filter(is_eq, conjuncts(term.cond)):
        applied = aggregates.applied(Term((), (), part, ())).values()
        plain = any(map(z3.is_int_value, operands(z3.simplify(part))))
        if plain and any(s.function == "COUNT" and constants(s.apply(a)) & own for s, a in applied):
            return [term] if _single(aggregates.world, term) else None
    return None


def total(aggregates: Aggregates, places: list[Term], value: bool) -> Expr:
    """The sum over such terms; `value`: of what they put out, which is never NULL, else of 1 for each."""
    parts = []
    for term in places:
        if is_false(term.cond):
            continue
        some = exists(aggregates.world, Bag((replace(term, outs=()),)))
        one = aggregates.any(Bag((term,))).val if value else z3.IntVal(1)
        parts.append(ite(some, one, term.outs[0].kind.stand_in if value else z3.IntVal(0)))
    return parts[0] if len(parts) == 1 else z3.Sum(*parts)


def _places(aggregates: Aggregates, term: Term, part: Formula) -> list[Formula] | None:
    """The ways to have fewer than so many rows between; None where the conjunct says something else."""
    own = {name_of(row) for row, _ in term.rows}
    if is_not(part) and z3.is_quantifier(part.arg(0)) and constants(part) & own and functions(part):
        return [part]
    count, number = below(part)
    symbol = aggregates.symbols.get(name_of(count)) if z3.is_app(count) and constants(part) & own else None
    if symbol is None or symbol.function != "COUNT" or not 1 < number <= MAX_ROWS:
        return None
    none = neg(exists(aggregates.world, aggregates.instance(symbol, count)))
    reached = [none, *(count < z3.IntVal(n) for n in range(2, number + 1))]
    return [none, *(conj(more, neg(fewer)) for fewer, more in itertools.pairwise(reached))]


def below(part: Formula) -> tuple[Expr, int]:
    """A value and a literal that it is below; the value is None where the formula says something else."""
    negated = is_not(part)
    inner = part.arg(0) if negated else part
    less, more = (z3.is_ge, z3.is_le) if negated else (z3.is_lt, z3.is_gt)
    if less(inner) and z3.is_int_value(inner.arg(1)):
        return inner.arg(0), inner.arg(1).as_long()
    if more(inner) and z3.is_int_value(inner.arg(0)):
        return inner.arg(1), inner.arg(0).as_long()
    return None, 0


def _single(world: World, term: Term) -> bool:
    """Whether no two choices of a term meet its condition."""
    if not bound(term):
        return True
    copy = renamed(world, term)
    return world.holds(conj(condition(world, term), condition(world, copy)), same_choice(term, copy))
