"""Three-valued logic: a Boolean by where it is true and where it is false."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.kinds import BOOL, INT, NULL_KIND, NUMBERS
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj, disj, neg
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported


def from_truth(true: Formula, false: Formula) -> Val:
    """A Boolean from when it is true and when it is false."""
    return Val(neg(disj(true, false)), true, BOOL, sides=(true, false))


def where_true(value: Val) -> Formula:
    """Where a Boolean is true."""
    if value.sides is not None:
        return value.sides[0]
    return conj(neg(value.null), value.val)


def where_false(value: Val) -> Formula:
    """Where a Boolean is false."""
    if value.sides is not None:
        return value.sides[1]
    return conj(neg(value.null), neg(value.val))


def logical_not(value: Val) -> Val:
    """NOT."""
    sides = None if value.sides is None else (value.sides[1], value.sides[0])
    return Val(value.null, neg(value.val), BOOL, sides=sides)


def logical_and(values: Sequence[Val]) -> Val:
    """AND."""
    return from_truth(conj(*map(where_true, values)), disj(*map(where_false, values)))


def logical_or(values: Sequence[Val]) -> Val:
    """OR."""
    return from_truth(disj(*map(where_true, values)), conj(*map(where_false, values)))


def truth(dialect: Dialect, value: Val) -> Val:
    """A value in a Boolean context."""
    if value.kind == BOOL:
        return value
    if value.kind == NULL_KIND:
        return Val(TRUE, FALSE, BOOL)
    if value.kind in NUMBERS and not dialect.has_boolean_type:
        zero = z3.IntVal(0) if value.kind == INT else z3.RealVal(0)
        return Val(value.null, value.val != zero, BOOL)
    raise Unsupported(f"sql: a value of type {value.kind.shown} used as a condition")
