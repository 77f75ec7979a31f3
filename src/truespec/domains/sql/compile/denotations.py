"""Small things that several readers do to bags of outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.kinds import BARE, UNTYPED
from truespec.domains.sql.ir.logic import FALSE
from truespec.domains.sql.ir.values import Val, computed, null_of


def each_output(bag: Bag, change: Callable[[Val], Val]) -> Bag:
    """The bag with each output changed on its own."""
    return bag.mapped(lambda outs: tuple(map(change, outs)))


def subquery_output(value: Val) -> Val:
    """What an expression makes of a subquery's value."""
    return null_of(BARE) if value.kind == UNTYPED else computed(value)


def without_empty(terms: Sequence[Term]) -> list[Term]:
    """The terms that are not plainly empty; one of them at least, since it tells the columns' kinds."""
    kept = [term for term in terms if not z3.is_false(term.cond)]
    return kept or [replace(term, cond=FALSE) for term in terms[:1]]


def outputs_of(bag: Bag) -> tuple[Val, ...]:
    """The outputs of some term, for their kinds; none where the bag has no term."""
    return bag.terms[0].outs if bag.terms else ()


def nullable_columns(bag: Bag) -> list[bool]:
    """For each output column, whether it may be NULL."""
    return [any(not z3.is_false(t.outs[i].null) for t in bag.terms) for i in range(len(outputs_of(bag)))]
