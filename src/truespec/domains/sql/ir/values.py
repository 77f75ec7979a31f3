"""Values that may be NULL, and what of them needs no dialect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import z3

from truespec.domains.sql.ir.kinds import (
    ALWAYS_NULL,
    BOOL,
    DATED,
    INT,
    LOOSE,
    NULL_KIND,
    NUMBERS,
    REAL,
    TEXT,
    Kind,
    Sealed,
)
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite, neg, real
from truespec.solvers.z3 import standing
from truespec.verdict import Unsupported


@dataclass(frozen=True, slots=True, eq=False)
class Val:
    """A value that may be NULL; `val` means nothing where `null` holds."""

    null: Formula
    """Whether it is NULL."""
    val: Expr
    """The value elsewhere."""
    kind: Kind
    """Which family of values it belongs to."""
    literal: str | None = None
    """The characters of a string literal, which other types may read."""
    sides: tuple[Formula, Formula] | None = None
    """Where a Boolean is true and where it is false, if these are known in a shorter form than by `null`."""


NULL = Val(TRUE, standing(lambda: z3.IntVal(0)), NULL_KIND)
"""NULL as written."""


def known(value: Val) -> Val:
    """The value where it is not NULL."""
    return Val(FALSE, value.val, value.kind, value.literal)


def null_of(kind: Kind) -> Val:
    """The NULL of a kind."""
    return Val(TRUE, kind.stand_in, kind)


def check_compared(values: Iterable[Val]) -> None:
    """`Unsupported` where a value is compared, grouped or counted whose `=` is not identity."""
    for value in values:
        if isinstance(value.kind, Sealed):
            raise Unsupported(f"sql: a comparison of values of type {value.kind.shown}")


def computed(value: Val) -> Val:
    """What an expression makes of a value that it passes on: of an ENUM its text."""
    kind = value.kind.in_expression
    return value if kind is value.kind else replace(value, kind=kind)


def identical(left: Val, right: Val) -> Formula:
    """Both NULL, or both the same value: how results are compared."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return conj(left.null, right.null)
    left, right = computed(left), computed(right)
    if left.kind != right.kind and not {left.kind, right.kind} <= {TEXT, DATED}:
        left, right = numeric(left), numeric(right)
        if left.kind != right.kind:
            left, right = to_real(left), to_real(right)
    same = left.val == right.val
    return disj(conj(left.null, right.null), conj(neg(left.null), neg(right.null), same))


def all_identical(left: Iterable[Val], right: Iterable[Val]) -> Formula:
    """Tuples compared by position."""
    return conj(*(identical(a, b) for a, b in zip(left, right, strict=True)))


def numeric(value: Val) -> Val:
    """A Boolean as 1 or 0; a number as itself."""
    if value.kind == BOOL:
        return Val(value.null, ite(value.val, z3.IntVal(1), z3.IntVal(0)), INT)
    if value.kind == NULL_KIND:
        return Val(TRUE, z3.IntVal(0), INT)
    if value.kind not in NUMBERS:
        raise Unsupported(f"sql: a value of type {value.kind.shown} where a number is needed")
    return value


def to_real(value: Val) -> Val:
    """A number as a rational, for comparing."""
    value = numeric(value)
    return value if value.kind == REAL else Val(value.null, real(value.val), REAL)


def together(left: Val, right: Val) -> tuple[Val, Val]:
    """Two numbers as the kind that a sum, difference or product of them has."""
    if left.kind == right.kind:
        return left, right
    kind = REAL if REAL in (left.kind, right.kind) else LOOSE
    return Val(left.null, real(left.val), kind), Val(right.null, real(right.val), kind)


def united(kinds: Iterable[Kind], *, typed_by_value: bool) -> Kind:
    """The kind of a value that is a number of one of these kinds.

    `typed_by_value`: the dialect keeps each number as it is (`Dialect.numbers_typed_by_value`).
    """
    kinds = set(kinds)
    if len(kinds) == 1:
        return next(iter(kinds))
    return REAL if REAL in kinds and not typed_by_value else LOOSE


def number(text: str) -> Val:
    """A numeric literal."""
    mantissa, _, exponent = text.lower().partition("e")
    if len(text) > 400 or (exponent and abs(int(exponent)) > 400):
        raise Unsupported(f"sql: the number {text[:20]}... is too long")
    if not exponent and mantissa.isdigit():
        if int(text) >= 2**63:
            raise Unsupported(f"sql: the number {text[:20]}... is beyond the engine's integers")
        return Val(FALSE, z3.IntVal(int(text)), INT)
    value = Fraction(text)
    return Val(FALSE, z3.RealVal(str(value)), REAL)
