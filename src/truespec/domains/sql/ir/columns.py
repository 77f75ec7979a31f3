"""One kind for each output column of several bags, as set operations and grouping want it."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.kinds import ALWAYS_NULL, BARE, BOOL, INT, NULL_KIND, NUMBERS, UNTYPED, Kind
from truespec.domains.sql.ir.logic import ite, real
from truespec.domains.sql.ir.symbols import is_true
from truespec.domains.sql.ir.values import Val, computed, null_of, united
from truespec.verdict import Unsupported


def coerced(bags: Sequence[Bag], dialect: Dialect, nulls: Kind = BARE) -> list[Bag]:
    """The bags with outputs of one kind per column; raises where the kinds do not meet.

    `nulls` is the kind of a column of NULLs without a type.
    """
    if len(bags) > 1 and not all(bag.terms for bag in bags):
        raise Unsupported("sql: a side without any rows, whose types are not known")
    width = len(bags[0].terms[0].outs) if bags[0].terms else 0
    kinds: list[set[Kind]] = [set() for _ in range(width)]
    for bag in bags:
        for term in bag.terms:
            if len(term.outs) != width:
                raise Unsupported("sql: sides of unequal width")
            for i, out in enumerate(term.outs):
                kinds[i].add(out.kind)
    goals = [_meet(column, dialect, nulls) for column in kinds]
    return [bag.mapped(lambda outs: tuple(map(_cast, outs, goals))) for bag in bags]


def _meet(kinds: set[Kind], dialect: Dialect, nulls: Kind) -> Kind:
    kinds = kinds - (ALWAYS_NULL if dialect.nulls_are_untyped else {NULL_KIND, UNTYPED})
    if not kinds:
        return nulls
    if len(kinds) == 1:
        return next(iter(kinds))
    passed_on = {kind.in_expression for kind in kinds}
    if len(passed_on) == 1:
        return next(iter(passed_on))
    if kinds <= {*NUMBERS, BOOL} and not (BOOL in kinds and dialect.has_boolean_type):
        numbers = {INT if kind == BOOL else kind for kind in kinds}
        return united(numbers, typed_by_value=dialect.numbers_typed_by_value)
    raise Unsupported(f"sql: one column with values of types {' and '.join(sorted(map(str, kinds)))}")


def _cast(value: Val, goal: Kind) -> Val:
    if value.kind == goal:
        return value
    if is_true(value.null) or value.kind in ALWAYS_NULL:
        return null_of(goal)
    if goal == value.kind.in_expression:
        return computed(value)
    raw = ite(value.val, z3.IntVal(1), z3.IntVal(0)) if value.kind == BOOL else value.val
    return Val(value.null, raw if goal == INT else real(raw), goal)
