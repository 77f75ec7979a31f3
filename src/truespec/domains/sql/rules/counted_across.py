"""A row is numbered above the rows before it, in a union above those of all its parts.

Statement. Let a bag be the sum of terms t_1, ..., t_n, and let N_k(a) = #{x : C_k(x, a)} be counts that the
terms apply, t_i at A_i(y) for its choice y. Where C_k(y, A_j(z)), not C_k(y, A_i(y)), and C_l(x, A_i(y))
makes C_l(x, A_j(z)) for all x, for choices y of t_i and z of t_j: N_k(A_i(y)) + 1 ≤ N_k(A_j(z)), and
N_l(A_i(y)) ≤ N_l(A_j(z)).

Side conditions. C_k counts rows of the same tables as t_i has, and each value of A_i(y) depends on y alone or
not on y. All three are proved for all rows y and z, l by l; a count for which it is not proved is left out.

Why. What N_l counts for y it counts for z too, and N_k counts y besides. What matters is that numbers which
are sums of such counts, one for each part of a union, tell the rows of the union apart; and that of a
partition's rows one alone is the third.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Term, conjuncts, renamed
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, name_of, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_TERMS = 4
"""Unions of more parts are left alone."""
MAX_COUNTS = 6
"""As are terms with more counts."""
LEAST_PLACE = 2
"""The least number of rows before a row for which a place is spoken of."""
Arguments = dict[str, tuple[Expr, ...]]
"""What the counts of a term are applied to, by their names."""


def placed(aggregates: Aggregates, terms: Sequence[Term]) -> list[Term]:
    """The terms whose rows have one place each, as `COUNT = n` says, with these counts as their outputs.

    Of the first places the axioms of counts say enough.
    """
    found = []
    for term in terms:
        counts: list[Val] = []
        for part in filter(is_eq, conjuncts(term.cond)):
            number = next((s for s in operands(z3.simplify(part)) if z3.is_int_value(s)), None)
            if number is None or number.as_long() < LEAST_PLACE:
                continue
            applied = aggregates.applied(Term((), (), part, ())).values()
            counts += [Val(FALSE, s.apply(a), INT) for s, a in applied if s.function == "COUNT"]
        if counts and term.rows and not term.groups:
            found.append(replace(term, outs=tuple(counts)))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A term with the counts that it applies."""

    term: Term
    arguments: Arguments

    def renamed(self, world: World) -> _Part:
        """The same with new variables."""
        copy = renamed(world, self.term)
        names = [(old, new) for (old, _), (new, _) in zip(self.term.rows, copy.rows, strict=True)]
        moved = {
            name: tuple(substituted(argument, *names) for argument in arguments)
            for name, arguments in self.arguments.items()
        }
        return _Part(copy, moved)


def of(aggregates: Aggregates, terms: Sequence[Term]) -> Iterator[tuple[str, Formula]]:
    """What the rule says of the counts that these terms put out, each fact with the name of a count."""
    if not 1 <= len(terms) <= MAX_TERMS or any(term.groups or not term.rows for term in terms):
        return
    parts = [_Part(term, _applied(aggregates, term)) for term in terms]
    shared = frozenset[str].intersection(*(frozenset(part.arguments) for part in parts))
    symbols = [aggregates.symbols[name] for name in sorted(shared)]
    symbols = [symbol for symbol in symbols if _is_plain(symbol)]
    if len(symbols) > MAX_COUNTS:
        return
    for one, other in itertools.product(parts, repeat=2):
        first, second = one.renamed(aggregates.world), other.renamed(aggregates.world)
        for symbol in symbols:
            yield from _facts(aggregates.world, symbol, symbols, first, second)


def _facts(
    world: World, symbol: Symbol, symbols: Sequence[Symbol], first: _Part, second: _Part
) -> Iterator[tuple[str, Formula]]:
    """What follows where a choice of the first part is counted for one of the second."""
    (counted,) = symbol.bag.terms
    if [table.name for _, table in counted.rows] != [table.name for _, table in first.term.rows]:
        return
    own = [row for row, _ in first.term.rows]
    before = _before(symbol, counted, own, second.arguments[symbol.name])
    itself = _counts(symbol, counted, own, first.arguments[symbol.name])
    if not world.holds(conj(before, itself), FALSE):
        return
    variables = [*own, *(row for row, _ in second.term.rows)]
    for other in sorted(symbols, key=lambda one: one is not symbol):
        low, high = (other.apply(part.arguments[other.name]) for part in (first, second))
        if _grows(world, other, before, first, second):
            fact = z3.Implies(before, low + (1 if other is symbol else 0) <= high)
            yield other.name, z3.ForAll(variables, fact, patterns=[z3.MultiPattern(low, high)])
        elif other is symbol:
            return


def _grows(world: World, symbol: Symbol, before: Formula, first: _Part, second: _Part) -> bool:
    """Whether all that is counted for the one choice is counted for the other."""
    counted = renamed(world, symbol.bag.terms[0])
    rows = [row for row, _ in counted.rows]
    here, there = (_counts(symbol, counted, rows, part.arguments[symbol.name]) for part in (first, second))
    return world.holds(conj(before, here), there)


def _before(symbol: Symbol, counted: Term, rows: Sequence[Expr], arguments: Sequence[Expr]) -> Formula:
    """Whether a choice is counted for another one."""
    return _counts(symbol, counted, rows, arguments)


def _counts(symbol: Symbol, counted: Term, rows: Sequence[Expr], arguments: Sequence[Expr]) -> Formula:
    """Whether a count counts these rows at these arguments."""
    own = [(old, new) for (old, _), new in zip(counted.rows, rows, strict=True)]
    return substituted(counted.cond, *own, *zip(symbol.formals, arguments, strict=True))


def _applied(aggregates: Aggregates, term: Term) -> Arguments:
    """The counts that a term puts out, each applied once, to values of the term's rows or of none."""
    found = aggregates.applied(replace(term, cond=TRUE)).values()
    names, rows = [symbol.name for symbol, _ in found], {name_of(row) for row, _ in term.rows}
    return {
        symbol.name: arguments
        for symbol, arguments in found
        if names.count(symbol.name) == 1
        and all(constants(a) <= rows or not constants(a) & rows for a in arguments)
        and any(constants(a) & rows for a in arguments)
        and all(map(_is_matched, arguments))
    }


def _is_matched(argument: Expr) -> bool:
    """Whether Z3 takes an argument for a part of a pattern."""
    if z3.is_int_value(argument) or z3.is_rational_value(argument):
        return True
    return z3.is_app_of(argument, z3.Z3_OP_UNINTERPRETED) and all(map(_is_matched, operands(argument)))


def _is_plain(symbol: Symbol) -> bool:
    """Whether this is a count of the rows of one term, over tables."""
    if symbol.function != "COUNT" or not symbol.formals or len(symbol.bag.terms) != 1:
        return False
    (term,) = symbol.bag.terms
    return bool(term.rows) and not term.groups
