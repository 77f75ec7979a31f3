"""Laws of first-order logic, applied wherever they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truespec.domains.fol.normal import Normalizer, TooLarge
from truespec.domains.fol.syntax import (
    All,
    And,
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

Law = Callable[[Formula], Formula]
"""A formula of the same meaning as the given one; the given one where the law does not apply."""


def rewritings(formula: Formula) -> Iterator[Formula]:
    """Formulas of the same meaning, one for each law, each once."""
    seen = {formula}
    for law in LAWS:
        other = _everywhere(law, formula)
        if other not in seen:
            seen.add(other)
            yield other
    try:
        other = Normalizer().nnf(formula)
    except TooLarge:
        return
    if other not in seen:
        yield other


def _everywhere(law: Law, formula: Formula) -> Formula:
    return law(with_children(formula, tuple([_everywhere(law, part) for part in children(formula)])))


def commute(formula: Formula) -> Formula:
    """Operands of ∧, ∨, ⊕, ↔ and = in reverse order."""
    if isinstance(formula, And | Or | Xor | Iff):
        return type(formula)(formula.parts[::-1])
    return Equal(formula.right, formula.left) if isinstance(formula, Equal) else formula


def contrapose(formula: Formula) -> Formula:
    """P → Q as ¬Q → ¬P."""
    return Implies(Not(formula.right), Not(formula.left)) if isinstance(formula, Implies) else formula


def material(formula: Formula) -> Formula:
    """P → Q as ¬P ∨ Q."""
    return Or((Not(formula.left), formula.right)) if isinstance(formula, Implies) else formula


def de_morgan(formula: Formula) -> Formula:
    """P ∧ Q as ¬(¬P ∨ ¬Q), and the dual."""
    if isinstance(formula, And):
        return Not(Or(tuple([Not(part) for part in formula.parts])))
    if isinstance(formula, Or):
        return Not(And(tuple([Not(part) for part in formula.parts])))
    return formula


def dual_quantifiers(formula: Formula) -> Formula:
    """∀x P as ¬∃x ¬P, and the dual."""
    if isinstance(formula, All):
        return Not(Some(formula.variable, Not(formula.body)))
    if isinstance(formula, Some):
        return Not(All(formula.variable, Not(formula.body)))
    return formula


def spell_out(formula: Formula) -> Formula:
    """P ⊕ Q as ¬(P ↔ Q), P ↔ Q as two implications."""
    if isinstance(formula, Xor) and len(formula.parts) == 2:
        return Not(Iff(formula.parts))
    if isinstance(formula, Iff) and len(formula.parts) == 2:
        one, two = formula.parts
        return And((Implies(one, two), Implies(two, one)))
    return formula


def curry(formula: Formula) -> Formula:
    """P ∧ Q → R as P → (Q → R)."""
    if isinstance(formula, Implies) and isinstance(formula.left, And):
        result = formula.right
        for part in reversed(formula.left.parts):
            result = Implies(part, result)
        return result
    return formula


def distribute(formula: Formula) -> Formula:
    """∀x (P ∧ Q) as ∀x P ∧ ∀x Q, ∃x (P ∨ Q) as ∃x P ∨ ∃x Q."""
    if isinstance(formula, All) and isinstance(formula.body, And):
        return And(tuple([All(formula.variable, part) for part in formula.body.parts]))
    if isinstance(formula, Some) and isinstance(formula.body, Or):
        return Or(tuple([Some(formula.variable, part) for part in formula.body.parts]))
    return formula


def swap_alike(formula: Formula) -> Formula:
    """∀x ∀y P as ∀y ∀x P, and the same for ∃."""
    if isinstance(formula, All | Some) and type(formula.body) is type(formula):
        inner = formula.body
        return type(formula)(inner.variable, type(formula)(formula.variable, inner.body))
    return formula


LAWS: tuple[Law, ...] = (
    commute,
    contrapose,
    material,
    de_morgan,
    dual_quantifiers,
    spell_out,
    curry,
    distribute,
    swap_alike,
)
"""The laws, each with the name of what it does."""
