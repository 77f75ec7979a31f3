"""Aggregates of two terms that are equal in a context, and one put for the other.

Statement. Let h be the condition of one term and h' that of another over the same variables, p and p' their
conjuncts without aggregates, and a = b for aggregates a of the first and b of the second wherever p and p'
hold. Let h'[a/b] and v'[a/b] be the second's condition and outputs with a in place of b. The terms put out
the same for each choice where p and p' are equivalent, h and h'[a/b] are so under p ∧ p', and v is v'[a/b]
under p ∧ p' ∧ h ∧ h'[a/b].

Side conditions. a and b stand outside quantifiers; the NULL flag of b is replaced along with b, where b has
one.

Why. Where neither p nor p' holds, neither term puts anything out. Where both hold, b is a, so that h' is
h'[a/b] and v' is v'[a/b].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import z3

from truespec.domains.sql.ir.bags import Substitution, Term, substitute_term
from truespec.domains.sql.ir.logic import Expr, Formula, conj


@dataclass(frozen=True, slots=True, eq=False)
class Equal:
    """Two aggregates that are equal in a context."""

    given: Formula
    """Where they are."""
    pairs: tuple[tuple[Expr, Expr], ...]
    """The aggregate of the first term with that of the second; and their NULL flags, where they have any."""

    @property
    def fact(self) -> Formula:
        """The equation as a statement."""
        return z3.Implies(self.given, conj(*(one == other for one, other in self.pairs)))


def rewritten(term: Term, equal: Iterable[Equal]) -> Term:
    """The second term with aggregates of the first in place of those that equal them."""
    turned: Substitution = []
    for some in equal:
        for one, other in some.pairs:
            if not any(other.eq(old) for old, _ in turned):
                turned.append((other, one))
    return substitute_term(term, turned)
