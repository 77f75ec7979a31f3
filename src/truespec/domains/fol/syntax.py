"""First-order formulas as values: no functions, equality, predicates of any arity.

A term is a constant's name or the number of a bound variable. Every quantifier of a formula binds a number
of its own, so shadowing is settled once, by the parser, and nobody has to rename anything afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Term = str | int
"""A constant by its name, or a bound variable by its number."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms; a nullary predicate has none."""

    predicate: str
    """The predicate's name."""
    terms: tuple[Term, ...]
    """Its arguments, in order."""


@dataclass(frozen=True, slots=True)
class Equal:
    """Two terms denote the same element."""

    left: Term
    """One term."""
    right: Term
    """The other."""


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    body: Formula
    """What is denied."""


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of one or more formulas."""

    parts: tuple[Formula, ...]
    """The conjuncts."""


@dataclass(frozen=True, slots=True)
class Or:
    """Inclusive disjunction of one or more formulas."""

    parts: tuple[Formula, ...]
    """The disjuncts."""


@dataclass(frozen=True, slots=True)
class Xor:
    """An odd number of the parts holds; for two parts the exclusive *or*."""

    parts: tuple[Formula, ...]
    """The operands of one chain; the operator is associative."""


@dataclass(frozen=True, slots=True)
class Implies:
    """Material implication."""

    left: Formula
    """The antecedent."""
    right: Formula
    """The consequent."""


@dataclass(frozen=True, slots=True)
class Iff:
    """An even number of the parts fails; for two parts the biconditional."""

    parts: tuple[Formula, ...]
    """The operands of one chain; the operator is associative."""


@dataclass(frozen=True, slots=True)
class All:
    """Universal quantification over a non-empty domain."""

    variable: int
    """The number it binds."""
    body: Formula
    """Its scope."""


@dataclass(frozen=True, slots=True)
class Some:
    """Existential quantification over a non-empty domain."""

    variable: int
    """The number it binds."""
    body: Formula
    """Its scope."""


Formula = Atom | Equal | Not | And | Or | Xor | Implies | Iff | All | Some


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct subformulas, left to right."""
    match formula:
        case Atom() | Equal():
            return ()
        case Not(body) | All(_, body) | Some(_, body):
            return (body,)
        case Implies(left, right):
            return (left, right)
    return formula.parts


def with_children(formula: Formula, parts: tuple[Formula, ...]) -> Formula:
    """The same operator over other subformulas, as many as `children` gave."""
    match formula:
        case Atom() | Equal():
            return formula
        case Not():
            return Not(parts[0])
        case All(variable, _):
            return All(variable, parts[0])
        case Some(variable, _):
            return Some(variable, parts[0])
        case Implies():
            return Implies(parts[0], parts[1])
    return type(formula)(parts)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and everything below it, parents first."""
    stack = [formula]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def terms(formula: Formula) -> tuple[Term, ...]:
    """The terms that stand directly in an atom or equality; empty for every other formula."""
    match formula:
        case Atom(_, found):
            return found
        case Equal(left, right):
            return (left, right)
    return ()


def constants(*formulas: Formula) -> list[str]:
    """The constants in order of first occurrence."""
    seen: dict[str, None] = {}
    for formula in formulas:
        for part in subformulas(formula):
            for term in terms(part):
                if isinstance(term, str):
                    seen.setdefault(term)
    return list(seen)


def predicates(*formulas: Formula) -> dict[str, int]:
    """The predicates with their arities, in order of first occurrence."""
    seen: dict[str, int] = {}
    for formula in formulas:
        for part in subformulas(formula):
            if isinstance(part, Atom):
                seen.setdefault(part.predicate, len(part.terms))
    return seen


def has_equality(*formulas: Formula) -> bool:
    """Whether an equality occurs."""
    return any(isinstance(part, Equal) for formula in formulas for part in subformulas(formula))
