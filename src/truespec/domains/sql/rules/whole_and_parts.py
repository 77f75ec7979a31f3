"""A count over a whole is the count over a part and the count over the rest, and so is a sum.

Statement. Where B(x) implies A(x), COUNT[A] = COUNT[B] + COUNT[A ∧ ¬B]; where v and w agree on all x that
have B(x), Σ[A] v = Σ[B] w + Σ[A ∧ ¬B] v.

Where a row z that is at hand is the only one that has A and not B, COUNT[A ∧ ¬B] = 1 and Σ[A ∧ ¬B] v = v(z).

Side conditions. Both terms range over the same variables, after a renaming; the implication and the agreement
are proved wherever `given` holds, and the equation is stated for there alone.

Why. Each choice counted on the left has B or has it not. The case of one row: those up to a row in some order
are those before it, and itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.kinds import REAL
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import is_not, substituted
from truespec.domains.sql.ir.values import Val, all_identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Table

MAX_TRIED = 24
"""Pairs of a whole and a part that are tried."""
MAX_FACTS = 8
"""Equations stated for one comparison."""
MAX_WAYS = 3
"""Ways tried to rename a part's variables to those of its whole."""

Aligned = Callable[[Term, Term], Iterator[Term]]
"""The ways to name the second term's variables like the first one's."""


def of(aggregates: Aggregates, terms: list[Term], given: Formula, aligned: Aligned) -> list[Formula]:
    """Equations between the counts and sums in these terms, and rests that may be among them."""
    known = _counted(aggregates, terms)
    rows = [pair for term in terms[:1] for pair in term.rows]
    facts: list[Formula] = []
    tried: set[tuple[int, int]] = set()
    if len(known) < 2:
        return []
    said: dict[int, frozenset[int]] = {}
    divided: set[int] = set()
    while len(tried) < MAX_TRIED and len(facts) < MAX_FACTS:
        said |= {e.get_id(): _said(aggregates, e) for e in known if e.get_id() not in said}
        pairs = [p for p in itertools.permutations(known, 2) if (p[0].get_id(), p[1].get_id()) not in tried]
        if not pairs:
            break
        # A part asks for all that its whole does, mostly in the same words; one division of each first.
        pair = min(
            pairs,
            key=lambda p: (p[0].get_id() in divided, len(said[p[0].get_id()] - said[p[1].get_id()])),
        )
        tried.add((pair[0].get_id(), pair[1].get_id()))
        rest = _rest(aggregates, *pair, given, aligned, rows)
        if rest is not None:
            facts.append(z3.Implies(given, pair[0] == pair[1] + rest))
            divided.add(pair[0].get_id())
            new = _applications(aggregates, rest)
            # The rest of a part is the part, and of no use.
            tried |= {(pair[0].get_id(), other.get_id()) for other in new}
            known = [other for other in new if not any(other.eq(old) for old in known)] + known
    return facts


def _said(aggregates: Aggregates, count: Expr) -> frozenset[int]:
    """The conjuncts of what is counted that deny nothing, by their form, whatever its rows are called."""
    symbol = aggregates.symbols[str(count.decl().name())]
    (term,) = aggregates.instance(symbol, count).terms
    places = [
        (row, z3.Const(f"row in place {place}", row.sort())) for place, (row, _) in enumerate(term.rows)
    ]
    return frozenset(substituted(part, *places).hash() for part in conjuncts(term.cond) if not is_not(part))


def rest_of(aggregates: Aggregates, whole: Expr, part: Expr, given: Formula) -> Expr | None:
    """The count over what a part leaves of a whole where `given` holds; None if it is no part."""
    return _rest(aggregates, whole, part, given, aggregates.aligned, [])


def _rest(
    aggregates: Aggregates,
    whole: Expr,
    part: Expr,
    given: Formula,
    aligned: Aligned,
    rows: list[tuple[Expr, Table]],
) -> Expr | None:
    """The count or sum over what the part leaves of the whole; None where it is no part."""
    one, two = (aggregates.symbols[str(e.decl().name())] for e in (whole, part))
    if (one.function, one.kind) != (two.function, two.kind):
        return None
    world = aggregates.world
    all_, some = aggregates.instance(one, whole).terms[0], aggregates.instance(two, part).terms[0]
    for way in itertools.islice(aligned(all_, some), MAX_WAYS):
        if world.contradictory([*conjuncts(all_.cond), *conjuncts(way.cond)]):
            continue  # apart, and no part of it
        if _lies_in(world, way, all_, given):
            left = replace(all_, cond=conj(all_.cond, neg(condition(world, way))))
            only = _only(world, left, given, rows)
            if one.function == "COUNT":
                return z3.IntVal(1) if only is not None else aggregates.count_term(left)
            value = all_.outs[0].val
            if only is not None:
                return substituted(value, (left.rows[0][0], only))
            return aggregates.sum_term(left, value)
    return None


def _only(world: World, rest: Term, given: Formula, rows: list[tuple[Expr, Table]]) -> Expr | None:
    """The one of these rows that is the only choice of the rest; None where none is."""
    if len(rest.rows) != 1 or rest.groups:
        return None
    ((row, table),) = rest.rows
    for known, other in rows:
        if (
            other == table
            and world.holds(conj(given, rest.cond), row == known)
            and world.holds(given, substituted(rest.cond, (row, known)))
        ):
            return known
    return None


def _lies_in(world: World, part: Term, whole: Term, given: Formula) -> bool:
    """Whether each choice of the part is one of the whole, and puts out the same there."""
    goal = conj(condition(world, whole), all_identical(whole.outs, part.outs))
    return world.holds(conj(given, condition(world, part)), goal)


def _counted(aggregates: Aggregates, terms: list[Term]) -> list[Expr]:
    found: list[Expr] = []
    for term in terms:
        for symbol, arguments in aggregates.applied(term).values():
            expression = symbol.apply(arguments)
            if symbol.function in ("COUNT", "SUM") and not any(expression.eq(old) for old in found):
                found.append(expression)
    return found


def _applications(aggregates: Aggregates, value: Expr) -> list[Expr]:
    return _counted(aggregates, [Term((), (), TRUE, (Val(FALSE, value, REAL),))])
