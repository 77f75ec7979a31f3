"""Formulas of Z3, folded as they are built: a constant part never reaches the solver."""

from __future__ import annotations

from typing import Any

import z3
from z3 import z3core

from truespec.domains.sql.ir.symbols import (
    is_and,
    is_eq,
    is_false,
    is_ite,
    is_not,
    is_or,
    is_true,
    operands,
    remembered,
)
from truespec.solvers.z3 import standing

Formula = Any
"""A Z3 Boolean."""
Expr = Any
"""A Z3 expression of any sort."""

TRUE = standing(lambda: z3.BoolVal(True))
FALSE = standing(lambda: z3.BoolVal(False))


def _all_of(parts: list[Formula]) -> Formula:
    """`z3.And` of formulas; Z3's Python layer takes ten times as long to find out that they are some."""
    context = parts[0].ctx
    return z3.BoolRef(z3core.Z3_mk_and(context.ref(), len(parts), _array(parts)), context)


def _some_of(parts: list[Formula]) -> Formula:
    """`z3.Or` of formulas."""
    context = parts[0].ctx
    return z3.BoolRef(z3core.Z3_mk_or(context.ref(), len(parts), _array(parts)), context)


def _array(parts: list[Formula]) -> Any:
    return (z3.Ast * len(parts))(*(part.as_ast() for part in parts))


def conj(*parts: Formula) -> Formula:
    """Conjunction, folded where a part is constant."""
    kept = []
    for part in parts:
        if is_false(part):
            return FALSE
        if not is_true(part):
            kept.append(part)
    return _all_of(kept) if len(kept) > 1 else kept[0] if kept else TRUE


def disj(*parts: Formula) -> Formula:
    """Disjunction, folded where a part is constant."""
    kept = []
    for part in parts:
        if is_true(part):
            return TRUE
        if not is_false(part):
            kept.append(part)
    return _some_of(kept) if len(kept) > 1 else kept[0] if kept else FALSE


def neg(part: Formula) -> Formula:
    """Negation, folded where the part is constant or a negation."""
    if is_true(part):
        return FALSE
    if is_false(part):
        return TRUE
    if is_not(part):
        return operands(part)[0]
    return z3.BoolRef(z3core.Z3_mk_not(part.ctx_ref(), part.as_ast()), part.ctx)


def ite(test: Formula, yes: Expr, no: Expr) -> Expr:
    """If-then-else, folded where the test is constant or the branches agree."""
    if is_true(test) or yes.eq(no):
        return yes
    if is_false(test):
        return no
    if any(map(is_truth, (yes, no))):
        return disj(conj(test, yes), conj(neg(test), no)) if not is_true(no) else disj(neg(test), yes)
    return z3.If(test, yes, no)


@remembered
def folded(expression: Expr) -> Expr:
    """Boolean constants folded away, and equalities of literals; nothing else changes its form."""
    result = expression
    if z3.is_app(expression) and expression.num_args() > 0:
        parts = [folded(part) for part in operands(expression)]
        if is_and(expression):
            result = conj(*parts)
        elif is_or(expression):
            result = disj(*parts)
        elif is_not(expression):
            result = neg(parts[0])
        elif is_ite(expression):
            result = ite(*parts)
        elif is_eq(expression) and z3.is_bool(parts[0]) and any(map(is_truth, parts)):
            truth, other = parts if is_truth(parts[0]) else reversed(parts)
            result = other if is_true(truth) else neg(other)
        elif is_eq(expression) and parts[0].eq(parts[1]):
            result = TRUE
        elif is_eq(expression) and all(z3.is_int_value(p) or z3.is_rational_value(p) for p in parts):
            result = z3.simplify(parts[0] == parts[1])
        elif any(not a.eq(b) for a, b in zip(parts, operands(expression), strict=True)):
            result = rebuilt(expression, parts)
    return result


def is_truth(expression: Expr) -> bool:
    """Whether this is a constant."""
    return bool(is_true(expression) or is_false(expression))


def rebuilt(node: Expr, children: list[Expr]) -> Expr:
    """The application with other arguments."""
    if is_and(node):
        return _all_of(children)
    if is_or(node):
        return _some_of(children)
    if z3.is_add(node):
        return z3.Sum(*children)
    if z3.is_mul(node):
        return z3.Product(*children)
    return node.decl()(*children)


def real(value: Expr) -> Expr:
    """An integer expression as a rational one."""
    if z3.is_int_value(value):
        return z3.RealVal(value.as_long())
    return z3.ToReal(value) if value.sort() == z3.IntSort() else value


def whole(value: Expr) -> Expr | None:
    """A rational expression as an integer one, where its form says that it is whole; None for others."""
    if z3.is_to_real(value):
        return value.arg(0)
    if z3.is_rational_value(value):
        return z3.IntVal(value.numerator_as_long()) if value.denominator_as_long() == 1 else None
    sums = z3.is_add(value) or z3.is_sub(value) or z3.is_mul(value) or value.decl().kind() == z3.Z3_OP_UMINUS
    if not (sums or is_ite(value)):
        return None
    test, parts = (value.arg(0), operands(value)[1:]) if is_ite(value) else (None, operands(value))
    found: list[Expr] = [whole(part) for part in parts]
    if any(part is None for part in found):
        return None
    if test is not None:
        return z3.If(test, *found)
    if z3.is_add(value):
        return z3.Sum(*found)
    if z3.is_mul(value):
        return z3.Product(*found)
    return -found[0] if len(found) == 1 else found[0] - z3.Sum(*found[1:])
