"""What a term asks of a value that it says to be one from outside.

Statement. Σ_r [x(r) = y ∧ φ(x(r)) ∧ ψ(r)] v(r) = [φ(y)] Σ_r [x(r) = y ∧ ψ(r)] v(r); likewise there is such an
r on the left just where φ(y) holds and there is one on the right.

Side conditions. y mentions nothing that the term binds. φ(x(r)) mentions r in x(r) alone, and does so.

Why. Equals are put for equals, and φ(y) is one condition for all choices. What WHERE asks of a group's key is
so asked of the group, as HAVING does, and the aggregates of the group are those without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truespec.domains.sql.ir.bags import Term, bound, conjuncts
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, operands, substituted


def told_outside(term: Term) -> tuple[list[Formula], Term]:
    """What is so asked of values from outside, said of them; and the term without it."""
    own = bound(term)
    parts = conjuncts(term.cond)
    known = [pair for part in parts for pair in _given(part, own)]
    told: list[Formula] = []
    inner: list[Formula] = []
    for part in parts if known else ():
        said = part if is_eq(part) or not constants(part) & own else substituted(part, *known)
        if said is part or constants(said) & own or not constants(said):
            inner.append(part)
        else:
            told.append(said)
    return told, replace(term, cond=conj(*inner)) if told else term


def _given(part: Formula, own: set[str]) -> Iterator[tuple[Expr, Expr]]:
    """A value of a choice, and the one from outside that a conjunct says it is."""
    if is_eq(part):
        for side, other in (operands(part), operands(part)[::-1]):
            if constants(side) and constants(side) <= own and constants(other) and not constants(other) & own:
                yield side, other
