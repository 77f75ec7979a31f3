"""A count over independent variables is a product of counts.

Statement. Σ_(x,y)[φ(x) ∧ ψ(y)] v(x) = (Σ_x[φ(x)] v(x)) · COUNT_y[ψ(y)].

Side conditions. Each conjunct of the condition, and the value, mentions variables of one factor only.
Conjuncts that relate two variables to one outer expression are first read as one equation for each.

Why. Finite sums distribute over products.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Term, bound, conjuncts, named
from truespec.domains.sql.ir.keys import equalities
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, name_of, operands


def pinned(term: Term) -> Term:
    """Equalities with a common outer expression, each member set equal to that expression alone."""
    parts = conjuncts(term.cond)
    classes = equalities(parts)
    own = bound(term)
    anchors: dict[int, Expr] = {}
    for part in parts:
        if is_eq(part):
            for side in operands(part):
                members = [side, *classes.get(side.get_id(), ())]
                free = sorted((m for m in members if not constants(m) & own), key=str)
                if free:
                    anchors[side.get_id()] = free[0]
    done: list[Formula] = []
    for part in parts:
        sides = operands(part) if is_eq(part) else []
        if sides and all(side.get_id() in anchors for side in sides):
            done += [side == anchors[side.get_id()] for side in sides if not side.eq(anchors[side.get_id()])]
        else:
            done.append(part)
    return replace(term, cond=conj(*done))


def of(term: Term, value: set[str] | None = None) -> list[Term]:
    """The factors of a term; with `value`, the first holds those variables and the outputs."""
    units: list[set[str]] = [{name_of(row)} for row, _ in term.rows]
    units += [named(group.values) for group in term.groups]
    own = bound(term)
    links: list[set[str]] = [own & constants(part) for part in conjuncts(term.cond)]
    if value is not None:
        links.append(value & own)
    for link in links:
        touched = [unit for unit in units if unit & link]
        if len(touched) > 1:
            merged = set().union(*touched)
            units = [unit for unit in units if not unit & link] + [merged]
    if value is not None:
        units.sort(key=lambda unit: not unit & value)
    parts = conjuncts(term.cond)
    free = [part for part in parts if not constants(part) & own]
    factors = []
    for index, unit in enumerate(units):
        inside = [part for part in parts if constants(part) & unit]
        factors.append(
            Term(
                tuple(pair for pair in term.rows if name_of(pair[0]) in unit),
                tuple(group for group in term.groups if named(group.values) & unit),
                conj(*inside, *(free if index == 0 else ())),
                term.outs if index == 0 and value is not None else (),
            )
        )
    return factors or [replace(term, outs=term.outs if value is not None else ())]
