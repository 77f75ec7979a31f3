"""Two counts of the rows before differ by the first row and the rows between.

Statement. Let C(t) = #{x ∈ B : f(x) < t}. For s < t, C(t) = C(s) + #{x ∈ B : f(x) = s} +
#{x ∈ B : s < f(x) < t}; and likewise, with > for <, for the rows behind.

Where f is whole and one to one on B, and takes the values s and t there, the last count is t - s - 1 just
where each x with s < f(x) ≤ t has a predecessor: some y ∈ B with f(y) = f(x) - 1. It is never more.

Side conditions. `f(x) < t` is a conjunct of the count's condition, and t occurs in no other. That f is one to
one on B is proved.

Why. The order is total. A whole number between s and t is missing just where some least number above the
missing ones is there without its predecessor. The cases that matter: runs of days or numbers, which are
grouped by a value less its row's number, or by a running count of the rows that begin a run; rows whose
numbers differ by 1, of which one is the other's neighbour.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Bag, Term, bound, conjuncts, renamed
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, ite, neg
from truespec.domains.sql.ir.symbols import constants, is_eq, is_not, name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules.first_rows import same_choice


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A count of the rows that come before a value, or after it."""

    term: Term
    """The rows, without that condition."""
    place: Expr
    """What of a row is compared."""
    at: Expr
    """The count's parameter that it is compared with."""
    before: bool
    """Whether rows before are counted."""


def in_keys(aggregates: Aggregates, terms: list[Term], done: Container[str]) -> Iterator[tuple[Symbol, bool]]:
    """The counts that keys of groups are computed from, as they stand in these terms.

    Of some aggregates, by their names, what has to be known is `done`, whatever they are computed for.

    With each, whether what it is counted for is added to it or subtracted from it, as in a value less its
    row's number.
    """
    for term in terms:
        applied = aggregates.applied(term).values()
        keys = [a for symbol, arguments in applied if symbol.name not in done for a in arguments]
        keys += [out.val for group in term.groups for part in group.body.terms for out in part.outs]
        for key in filter(z3.is_arith, keys):
            summands = list(_summands(key))
            for symbol, arguments in aggregates.applied(Term((), (), TRUE, (Val(FALSE, key, INT),))).values():
                if symbol.function == "COUNT":
                    yield symbol, any(a.eq(part) for a in arguments for part in summands)
        for group in term.groups:
            yield from in_keys(aggregates, list(group.body.terms), done)


def numbered(aggregates: Aggregates, terms: list[Term]) -> Iterator[tuple[Symbol, Term, tuple[Expr, ...]]]:
    """The counts that stand in one comparison for several values, as two rows' numbers do.

    With each, a term where it stands and its arguments there.
    """
    for term in terms:
        for part in filter(_is_comparison, conjuncts(term.cond)):
            applied = aggregates.applied(replace(term, cond=part, outs=())).values()
            names = [symbol.name for symbol, _ in applied]
            for symbol, arguments in {s.name: (s, a) for s, a in applied if names.count(s.name) > 1}.values():
                if symbol.function == "COUNT":
                    yield symbol, term, arguments


def _is_comparison(part: Formula) -> bool:
    """Whether this is an equation, or an order of two numbers or its denial."""
    inner = part.arg(0) if is_not(part) else part
    return is_eq(part) or any(test(inner) for test in (z3.is_lt, z3.is_le, z3.is_gt, z3.is_ge))


def _summands(value: Expr) -> Iterator[Expr]:
    """What is added and subtracted, numbers before it left out."""
    kind = value.decl().kind()
    number = next((p for p in operands(value) if z3.is_int_value(p) or z3.is_rational_value(p)), None)
    if kind in (z3.Z3_OP_ADD, z3.Z3_OP_SUB, z3.Z3_OP_UMINUS) or (kind == z3.Z3_OP_MUL and number is not None):
        for part in operands(value):
            yield from _summands(part)
    else:
        yield value


def of(aggregates: Aggregates, symbol: Symbol, *, whole: bool) -> Formula | None:
    """What the rule says of a count, for all its parameters; None where it counts no rows before a value.

    `whole`: say also when no whole number between is missing.
    """
    counted = read(symbol)
    if counted is None:
        return None
    at = counted.at
    first, last = (aggregates.world.fresh(at.sort(), "arg") for _ in range(2))
    first_count, last_count = (_at(symbol, at, end) for end in (first, last))
    lesser, greater = (first_count, last_count) if counted.before else (last_count, first_count)
    start = first if counted.before else last
    edge = _edge(aggregates, counted, start)
    between = aggregates.count_term(_where(counted, first < counted.place, counted.place < last))
    facts = [greater == lesser + edge + between]
    if whole and at.sort() == z3.IntSort() and _one_to_one(aggregates, counted):
        ends = [_some(aggregates, counted, counted.place == end) for end in (first, last)]
        full = _all_follow(aggregates, counted, first, last)
        facts += [
            between <= last - first - 1,
            z3.Implies(conj(*ends), (between == last - first - 1) == full),
        ]
    formals = [*(formal for formal in symbol.formals if not formal.eq(at)), first, last]
    pattern = z3.MultiPattern(first_count, last_count)
    return z3.ForAll(formals, z3.Implies(first < last, conj(*facts)), patterns=[pattern])


def _edge(aggregates: Aggregates, counted: Counted, start: Expr) -> Expr:
    """The number of rows at a place: one at the most, where no two are at one place."""
    edge = _where(counted, counted.place == start)
    number = aggregates.count_term(edge)
    named = z3.is_app(number) and name_of(number) in aggregates.symbols
    if named and edge.groups and _one_to_one(aggregates, counted):
        return ite(exists(aggregates.world, Bag((edge,))), z3.IntVal(1), z3.IntVal(0))
    return number


def read(symbol: Symbol) -> Counted | None:
    """What a count counts, where it counts the rows before one of its parameters or after it."""
    (term,) = symbol.bag.terms
    own, formals = bound(term), {name_of(formal): formal for formal in symbol.formals}
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        ends = _less(part)
        if ends is None:
            continue
        others = [other for place, other in enumerate(parts) if place != index]
        for place, at, before in ((*ends, True), (*reversed(ends), False)):
            alone = z3.is_const(at) and name_of(at) in formals and constants(place) & own
            rest = Term(term.rows, term.groups, conj(*others), ())
            if alone and not _mentions(rest, at) and name_of(at) not in constants(place):
                return Counted(rest, place, at, before)
    return None


def _less(part: Formula) -> tuple[Expr, Expr] | None:
    """The sides of a conjunct that says that one is less than the other."""
    inner = part.arg(0) if is_not(part) else part
    if not z3.is_app(inner) or inner.num_args() != 2:
        return None
    left, right = operands(inner)
    if is_not(part):
        return (right, left) if z3.is_le(inner) else (left, right) if z3.is_ge(inner) else None
    return (left, right) if z3.is_lt(inner) else (right, left) if z3.is_gt(inner) else None


def _mentions(term: Term, formal: Expr) -> bool:
    bodies = [part for group in term.groups for part in group.body.terms]
    outs = [expression for out in term.outs for expression in (out.null, out.val)]
    named = any(name_of(formal) in constants(expression) for expression in (term.cond, *outs))
    return named or any(_mentions(part, formal) for part in bodies)


def _at(symbol: Symbol, at: Expr, end: Expr) -> Expr:
    return symbol.apply(tuple(end if formal.eq(at) else formal for formal in symbol.formals))


def _where(counted: Counted, *conditions: Formula) -> Term:
    return replace(counted.term, cond=conj(counted.term.cond, *conditions))


def _some(aggregates: Aggregates, counted: Counted, *conditions: Formula) -> Formula:
    return exists(aggregates.world, Bag((_where(counted, *conditions),)))


def _all_follow(aggregates: Aggregates, counted: Counted, first: Expr, last: Expr) -> Formula:
    """Whether each row after the first value, up to the last, has a predecessor."""
    other, place = _copy(aggregates, counted)
    follows = exists(
        aggregates.world, Bag((replace(other, cond=conj(other.cond, place == counted.place - 1)),))
    )
    return neg(_some(aggregates, counted, first < counted.place, counted.place <= last, neg(follows)))


def _one_to_one(aggregates: Aggregates, counted: Counted) -> bool:
    """Whether no two of the rows are at one place."""
    world = aggregates.world
    other, place = _copy(aggregates, counted)
    both = conj(condition(world, counted.term), condition(world, other), place == counted.place)
    return world.holds(both, same_choice(counted.term, other))


def _copy(aggregates: Aggregates, counted: Counted) -> tuple[Term, Expr]:
    """The rows under other names, and what is compared of them."""
    shown = replace(counted.term, outs=(Val(FALSE, counted.place, INT),))
    other = renamed(aggregates.world, shown)
    return replace(other, outs=()), other.outs[0].val
