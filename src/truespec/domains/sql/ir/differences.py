"""Differences: which of `a - b` and `b - a` an expression is, by its form."""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.values import Val


def is_negative(value: Val) -> bool:
    """Whether an integer is a sum whose first part, by the name of its function, is taken away.

    A hint: whoever negates such a value has to negate it back.
    """
    if value.kind != INT or not z3.is_app(value.val):
        return False
    parts = _parts(value.val, 1)
    named = sorted((str(part.decl().name()), sign) for part, sign in parts if not z3.is_int_value(part))
    names = [name for name, _ in named]
    return len(named) > 1 and len(set(names)) == len(names) and named[0][1] < 0


def _parts(expression: Expr, sign: int) -> list[tuple[Expr, int]]:
    """The parts of a sum with their signs."""
    if z3.is_add(expression):
        return [found for part in expression.children() for found in _parts(part, sign)]
    if z3.is_sub(expression):
        first, *rest = expression.children()
        return [*_parts(first, sign), *(found for part in rest for found in _parts(part, -sign))]
    if z3.is_app(expression) and expression.decl().kind() == z3.Z3_OP_UMINUS:
        return _parts(expression.arg(0), -sign)
    return [(expression, sign)] if z3.is_app(expression) else []
