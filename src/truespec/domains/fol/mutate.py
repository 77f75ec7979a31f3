"""Single-point changes of a formula: the slips that people and models make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, zip_longest

from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Some,
    Xor,
    children,
    with_children,
)

Local = Callable[[Formula, tuple[int, ...], "Names"], Iterator[Formula]]
"""The changes of one kind at one place, given the variables in scope and the names there are."""


class Names:
    """The names a mutation may put in place of others."""

    def __init__(self, predicates: Mapping[str, int], constants: tuple[str, ...]) -> None:
        self.predicates = predicates
        self.constants = constants


def mutants(formula: Formula, predicates: Mapping[str, int], constants: tuple[str, ...]) -> Iterator[Formula]:
    """The changed formulas, each once, kinds in turn, in a fixed order."""
    names = Names(predicates, constants)
    kinds = [_everywhere(formula, kind, (), names) for kind in KINDS]
    seen = {formula}
    for mutant in chain.from_iterable(zip_longest(*kinds)):
        if mutant is not None and mutant not in seen:
            seen.add(mutant)
            yield mutant


def _everywhere(formula: Formula, kind: Local, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    yield from kind(formula, scope, names)
    inner = (*scope, formula.variable) if isinstance(formula, All | Some) else scope
    parts = children(formula)
    for place, part in enumerate(parts):
        for changed in _everywhere(part, kind, inner, names):
            yield with_children(formula, (*parts[:place], changed, *parts[place + 1 :]))


def _connective(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    match formula:
        case And(parts):
            yield Or(parts)
            if len(parts) == 2:
                yield Implies(*parts)
        case Or(parts):
            yield And(parts)
            yield Xor(parts)
        case Xor(parts):
            yield Or(parts)
            yield Iff(parts)
        case Implies(left, right):
            yield And((left, right))
            yield Iff((left, right))
        case Iff(parts):
            if len(parts) == 2:
                yield Implies(*parts)
            yield Xor(parts)


def _converse(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, Implies):
        yield Implies(formula.right, formula.left)


def _quantifier(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    match formula:
        case All(variable, body):
            yield Some(variable, body)
        case Some(variable, body):
            yield All(variable, body)


def _order(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, All | Some) and isinstance(formula.body, All | Some):
        if type(formula) is not type(formula.body):
            inner = formula.body
            yield type(inner)(inner.variable, type(formula)(formula.variable, inner.body))


def _sign(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, Not):
        yield formula.body
    elif isinstance(formula, Atom | Equal):
        yield Not(formula)


def _drop(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, And | Or | Xor) and len(formula.parts) > 1:
        for place in range(len(formula.parts)):
            rest = formula.parts[:place] + formula.parts[place + 1 :]
            yield rest[0] if len(rest) == 1 else type(formula)(rest)
    elif isinstance(formula, Implies):
        yield formula.right


def _arguments(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, Atom):
        row = formula.terms
        for place in range(len(row) - 1):
            if row[place] != row[place + 1]:
                swapped = (*row[:place], row[place + 1], row[place], *row[place + 2 :])
                yield Atom(formula.predicate, swapped)


def _term(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, Atom):
        for place, term in enumerate(formula.terms):
            others = [name for name in names.constants if name != term][:3]
            variables = [variable for variable in scope if variable != term]
            for other in chain[str | int](others, variables):
                yield Atom(formula.predicate, (*formula.terms[:place], other, *formula.terms[place + 1 :]))


def _predicate(formula: Formula, scope: tuple[int, ...], names: Names) -> Iterator[Formula]:
    if isinstance(formula, Atom):
        for name, arity in names.predicates.items():
            if name != formula.predicate and arity == len(formula.terms):
                yield Atom(name, formula.terms)


KINDS: tuple[Local, ...] = (
    _quantifier,
    _connective,
    _sign,
    _converse,
    _drop,
    _arguments,
    _order,
    _predicate,
    _term,
)
"""The kinds of slips, in the order in which they take turns."""
