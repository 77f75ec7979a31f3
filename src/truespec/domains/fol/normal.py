"""Normal forms: negations inward, quantifiers inward (miniscoping), and Skolem constants outward.

A set of sentences whose existential quantifiers, after miniscoping, stand under no universal one belongs to
the Bernays-Schönfinkel class: with each existential variable replaced by a fresh constant it has a model
exactly if it has one over those constants alone (the substructure that the constants generate; the sentences
are universal, hence preserved). Without equality, distinct elements for distinct constants are enough
(Herbrand).
"""

from __future__ import annotations

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
    Term,
    Xor,
    children,
    with_children,
)

MAX_NODES = 4_000
"""Normal forms beyond this size are not built; ⊕ and ↔ over quantifiers double what they stand on."""


class TooLarge(Exception):
    """The normal form would exceed `MAX_NODES`."""


def negate(formula: Formula) -> Formula:
    """The negation, without a doubled sign."""
    return formula.body if isinstance(formula, Not) else Not(formula)


class Normalizer:
    """Builds negation normal forms; counts nodes over all its calls."""

    def __init__(self) -> None:
        self.nodes = 0
        # By identity; the formula is kept beside, so that its identity is not given to another.
        self.quantified: dict[int, tuple[Formula, bool]] = {}

    def count(self) -> None:
        """One node more; `TooLarge` past the bound."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge

    def has_quantifier(self, formula: Formula) -> bool:
        """Whether a quantifier occurs in the formula."""
        known = self.quantified.get(id(formula))
        if known is not None:
            return known[1]
        found = isinstance(formula, All | Some) or any(
            self.has_quantifier(part) for part in children(formula)
        )
        self.quantified[id(formula)] = (formula, found)
        return found

    def nnf(self, formula: Formula, positive: bool = True) -> Formula:
        """Negations stand before quantifier-free formulas only, and ⊕, ↔, → above no quantifier."""
        self.count()
        if isinstance(formula, Not):
            return self.nnf(formula.body, not positive)
        if not self.has_quantifier(formula):
            return formula if positive else negate(formula)
        if isinstance(formula, And | Or):
            parts = tuple([self.nnf(part, positive) for part in formula.parts])
            return join(And if isinstance(formula, And) is positive else Or, parts)
        if isinstance(formula, Implies):
            left, right = self.nnf(formula.left, not positive), self.nnf(formula.right, positive)
            return join(Or if positive else And, (left, right))
        if isinstance(formula, All | Some):
            body = self.nnf(formula.body, positive)
            return self.push(All if isinstance(formula, All) is positive else Some, formula.variable, body)
        assert isinstance(formula, Xor | Iff)
        # Halved, so that a long chain does not nest deeply; both operators are associative.
        middle = len(formula.parts) // 2
        left, right = [
            half[0] if len(half) == 1 else type(formula)(half)
            for half in (formula.parts[:middle], formula.parts[middle:])
        ]
        same = isinstance(formula, Iff) is positive
        return join(
            And,
            (
                join(Or, (self.nnf(left, not same), self.nnf(right, True))),
                join(Or, (self.nnf(left, same), self.nnf(right, False))),
            ),
        )

    def push(self, kind: type[All] | type[Some], variable: int, body: Formula) -> Formula:
        """The quantifier moved inward as far as it goes.

        ∀ passes ∧ and whatever part of ∨ does not mention the variable; ∃ the same with ∨ and ∧ exchanged.
        """
        self.count()
        if not mentions(body, variable):
            return body
        shared, split = (And, Or) if kind is All else (Or, And)
        if isinstance(body, shared):
            return join(shared, tuple([self.push(kind, variable, part) for part in body.parts]))
        if isinstance(body, split):
            inside = tuple(part for part in body.parts if mentions(part, variable))
            outside = tuple(part for part in body.parts if not mentions(part, variable))
            if outside:
                return join(split, (*outside, self.push(kind, variable, join(split, inside))))
        elif isinstance(body, Not) and isinstance(body.body, And | Or | Implies):
            return self.push(kind, variable, _one_step(body.body))
        elif isinstance(body, Implies):
            return self.push(kind, variable, join(Or, (negate(body.left), body.right)))
        elif isinstance(body, kind):
            inner = self.push(kind, variable, body.body)
            if not (isinstance(inner, kind) and inner.variable == variable):
                return self.push(kind, body.variable, inner)
        return kind(variable, body)


def join(kind: type[And] | type[Or], parts: tuple[Formula, ...]) -> Formula:
    """The conjunction or disjunction, flattened."""
    flat: list[Formula] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def mentions(formula: Formula, variable: int) -> bool:
    """Whether the variable occurs free; numbers are bound at most once on a path."""
    stack = [formula]
    while stack:
        top = stack.pop()
        if isinstance(top, Atom):
            if variable in top.terms:
                return True
        elif isinstance(top, Equal):
            if variable in (top.left, top.right):
                return True
        else:
            stack.extend(children(top))
    return False


def _one_step(denied: And | Or | Implies) -> Formula:
    """The negation of `denied` with the sign moved one operator inward."""
    if isinstance(denied, Implies):
        return join(And, (denied.left, negate(denied.right)))
    parts = tuple([negate(part) for part in denied.parts])
    return join(Or, parts) if isinstance(denied, And) else join(And, parts)


def skolemize(formulas: list[Formula]) -> tuple[list[Formula], list[str]] | None:
    """Each existential variable under no universal one becomes a constant of its own.

    Takes the output of `Normalizer.nnf`. None where a universal quantifier stands above an existential one: a
    constant would not do. The names `!1`, `!2`, ... are no names of the language.
    """
    fresh: list[str] = []

    def walk(formula: Formula, universal: bool, binding: dict[int, str]) -> Formula | None:
        if isinstance(formula, Some):
            if universal:
                return None
            fresh.append(f"!{len(fresh) + 1}")
            return walk(formula.body, False, {**binding, formula.variable: fresh[-1]})
        if isinstance(formula, All):
            body = walk(formula.body, True, binding)
            return None if body is None else All(formula.variable, body)
        if isinstance(formula, Atom | Equal):
            return _substituted(formula, binding) if binding else formula
        parts = []
        for part in children(formula):
            walked = walk(part, universal, binding)
            if walked is None:
                return None
            parts.append(walked)
        return with_children(formula, tuple(parts))

    result = []
    for formula in formulas:
        walked = walk(formula, False, {})
        if walked is None:
            return None
        result.append(walked)
    return result, fresh


def _substituted(formula: Atom | Equal, binding: dict[int, str]) -> Formula:
    def term(term: Term) -> Term:
        return binding.get(term, term) if isinstance(term, int) else term

    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple([term(one) for one in formula.terms]))
    return Equal(term(formula.left), term(formula.right))
