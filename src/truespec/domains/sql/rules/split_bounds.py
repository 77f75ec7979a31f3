"""A sum up to and including a row is the sum before it and the row itself.

Statement. Σ_y[φ(y) ∧ k(y) ≤ e] v(y) = Σ_y[φ(y) ∧ k(y) < e] v(y) + Σ_y[φ(y) ∧ k(y) = e] v(y), and likewise
for ≥ and for a disjunction of which `k(y) = e` is one part.

Side conditions. None; it is applied where `e` does not depend on the choice and is no literal, and the
equation determines a row by a key, or the tuple of a group, so that the last sum has one summand at most.

Why. The order is total: each choice counted on the left has exactly one of k(y) < e and k(y) = e. It makes
ROW_NUMBER() and a count of the rows up to here, or a running sum and a join with the earlier rows, meet.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Term, bound, conjuncts, flat
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.logic import Expr, Formula, conj, folded
from truespec.domains.sql.ir.symbols import constants, is_eq, is_not, is_or, operands, substituted
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import group_determined


def of(world: World, term: Term) -> tuple[Term, Term] | None:
    """The choices that reach a bound exactly, and the others; None where no bound determines a row."""
    own = bound(term)
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        for equation, rest in _bounds(part):
            left, right = operands(equation)
            if bool(constants(left) & own) == bool(constants(right) & own):
                continue
            if not constants(left) or not constants(right):
                continue  # a literal bounds the sums on either side alike
            others = [p for i, p in enumerate(parts) if i != index]
            exact = replace(term, cond=conj(*others, equation))
            exact = reduced(world, exact) if term.rows else group_determined.apply(world, exact)
            if len(exact.rows) + len(exact.groups) < len(term.rows) + len(term.groups):
                return exact, replace(term, cond=flat(conj(*others, rest)))
    return None


def _bounds(part: Formula) -> list[tuple[Formula, Formula]]:
    """The ways to read a conjunct as `an equation or else something that excludes it`."""
    if is_not(part) and (z3.is_lt(part.arg(0)) or z3.is_gt(part.arg(0))):
        left, right = operands(part.arg(0))
        strict = right < left if z3.is_lt(part.arg(0)) else left < right
        return [(left == right, strict)]
    if z3.is_le(part) or z3.is_ge(part):
        left, right = operands(part)
        return [(left == right, left < right if z3.is_le(part) else right < left)]
    if is_or(part):
        return [(piece, _otherwise(part, piece)) for piece in operands(part) if _is_equation(piece)]
    return []


def _otherwise(part: Formula, equation: Expr) -> Formula:
    rest = folded(substituted(part, (equation, z3.BoolVal(False))))
    sides = {side.get_id() for side in operands(equation)}
    orders = (part for part in conjuncts(rest) if z3.is_lt(part) or z3.is_gt(part))
    if any({side.get_id() for side in operands(part)} == sides for part in orders):
        return rest  # which excludes the equation
    return conj(rest, z3.Not(equation))


def _is_equation(piece: Formula) -> bool:
    return bool(is_eq(piece)) and not z3.is_bool(piece.arg(0))
