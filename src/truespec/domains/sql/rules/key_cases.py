"""Rows whose key is one of several values are chosen case by case.

Statement. Σ[φ ∧ (D1 ∨ ... ∨ Dn)] v = Σ_i Σ[φ ∧ Di ∧ ¬D1 ∧ ... ∧ ¬D(i-1)] v.

Side conditions. None; it is applied where each case determines by a key a row that the whole does not, so
that the row need not be chosen there, and in counts and sums where each case states what a column equals.

Why. Each choice counted on the left has a first Di that holds, and is counted in the case of that one, once.
`JOIN team ON team.id IN (home, away)` so meets a UNION ALL of the homes and the aways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truespec.domains.sql.ir.bags import Term, bound, conjuncts
from truespec.domains.sql.ir.keys import reduced, unnumbered
from truespec.domains.sql.ir.logic import Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_eq, is_or, operands
from truespec.domains.sql.ir.world import World

MAX_CASES = 4
"""The most parts of a disjunction that are taken for cases."""


def of(world: World, term: Term) -> list[Term] | None:
    """The cases of a term; None where no disjunction says what the keys of a row may be."""
    for cases in _cases(term):
        found = [reduced(world, case) for case in cases]
        if all(len(case.rows) < len(term.rows) for case in found):
            return found
    return None


def summed(term: Term) -> list[Term] | None:
    """The cases of a term whose choices are counted; None where none states what a column equals."""
    own = bound(term)
    return next((cases for cases in _cases(term, own) if cases), None)


def _cases(term: Term, own: set[str] | None = None) -> Iterator[list[Term]]:
    """The cases by each disjunction; with `own`, where each part says what one of these variables' values is.

    Their order does not depend on how the query writes them, nor on how variables are numbered.
    """
    parts = conjuncts(term.cond)
    for index, part in enumerate(parts):
        if not is_or(part) or len(operands(part)) > MAX_CASES:
            continue
        written = sorted(operands(part), key=lambda case: unnumbered([case]))
        if own is not None and not all(_states(case, own) for case in written):
            continue
        others = [other for i, other in enumerate(parts) if i != index]
        yield [
            replace(term, cond=conj(*others, case, *(neg(before) for before in written[:place])))
            for place, case in enumerate(written)
        ]


def _states(case: Formula, own: set[str]) -> bool:
    """Whether a case states that a value of these variables equals one from outside."""
    for part in conjuncts(case):
        if is_eq(part):
            sides = [constants(side) for side in operands(part)]
            if all(sides) and sum(bool(side & own) for side in sides) == 1:
                return True
    return False
