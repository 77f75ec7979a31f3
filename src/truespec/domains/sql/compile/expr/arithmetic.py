"""Arithmetic and rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import date_arithmetic, interval_of, shift
from truespec.domains.sql.compile.expr.numbers import (
    arithmetic_operand,
    check_typed,
    no_error,
    only_operand,
    operand,
    rounded,
    truncated,
)
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.kinds import INT, LOOSE, REAL
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.opaque import opaque, strict
from truespec.domains.sql.ir.values import Val, number, to_real, together
from truespec.verdict import Unsupported


def _neg(reader: Reader, node: exp.Neg, scope: Scope) -> Val:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        value = number(node.this.this)
        return Val(FALSE, z3.simplify(-value.val), value.kind)
    value = only_operand(reader, node.this, scope)
    return Val(value.null, -value.val, value.kind)


def _read(reader: Reader, node: exp.Binary, scope: Scope) -> tuple[Val, Val]:
    return reader.value(node.this, scope), reader.value(node.expression, scope)


def _operands(reader: Reader, values: Sequence[Val]) -> tuple[Val, Val]:
    check_typed(reader, values)
    left, right = (operand(reader, value) for value in values)
    return together(left, right)


def _add(reader: Reader, node: exp.Add, scope: Scope) -> Val:
    for one, other in ((node.this, node.expression), (node.expression, node.this)):
        step = interval_of(other.unnest())
        if step is not None:
            return shift(reader, one, step, scope, 1)
    values = _read(reader, node, scope)
    dates = date_arithmetic(reader, *values, 1)
    if dates is not None:
        return dates
    left, right = _operands(reader, values)
    return Val(disj(left.null, right.null), left.val + right.val, left.kind)


def _sub(reader: Reader, node: exp.Sub, scope: Scope) -> Val:
    step = interval_of(node.expression.unnest())
    if step is not None:
        return shift(reader, node.this, step, scope, -1)
    values = _read(reader, node, scope)
    dates = date_arithmetic(reader, *values, -1)
    if dates is not None:
        return dates
    left, right = _operands(reader, values)
    return Val(disj(left.null, right.null), left.val - right.val, left.kind)


def _mul(reader: Reader, node: exp.Mul, scope: Scope) -> Val:
    left, right = _operands(reader, _read(reader, node, scope))
    return Val(disj(left.null, right.null), left.val * right.val, left.kind)


def _div(reader: Reader, node: exp.Div, scope: Scope) -> Val:
    left = arithmetic_operand(reader, node.this, scope)
    right = arithmetic_operand(reader, node.expression, scope)
    zero = _is_zero(right)
    stops = not reader.dialect.quotients_may_be_infinite
    no_error(reader, conj(neg(left.null), neg(right.null), zero), "a division by zero", scope, stops=stops)
    null = disj(left.null, right.null, zero)
    if reader.dialect.division_truncates and REAL not in (left.kind, right.kind):
        if LOOSE in (left.kind, right.kind):
            raise Unsupported("sql: a quotient of numbers that the engine may hold as integers or not")
        return Val(null, truncated(left.val, right.val), INT)
    return Val(null, to_real(left).val / to_real(right).val, REAL)


def _integer_division(reader: Reader, node: exp.IntDiv, scope: Scope) -> Val:
    left, right = _operands(reader, _read(reader, node, scope))
    zero = _is_zero(right)
    no_error(reader, conj(neg(left.null), neg(right.null), zero), "a division by zero", scope)
    null = disj(left.null, right.null, zero)
    if left.kind != INT:
        raise Unsupported("sql: DIV of numbers that are no integers")
    quotient = Val(null, truncated(left.val, right.val), INT)
    return to_real(quotient) if reader.dialect.div_is_numeric else quotient


def _mod(reader: Reader, node: exp.Mod, scope: Scope) -> Val:
    left, right = _operands(reader, _read(reader, node, scope))
    if left.kind != INT:
        raise Unsupported("sql: a remainder of numbers that are no integers")
    zero = _is_zero(right)
    no_error(reader, conj(neg(left.null), neg(right.null), zero), "a division by zero", scope)
    rest = left.val - right.val * truncated(left.val, right.val)
    if z3.is_int_value(right.val) and right.val.as_long() > 0:
        rest = ite(left.val >= 0, left.val % right.val, -((-left.val) % right.val))
    return Val(disj(left.null, right.null, zero), rest, INT)


def _abs(reader: Reader, node: exp.Abs, scope: Scope) -> Val:
    value = only_operand(reader, node.this, scope)
    return Val(value.null, ite(value.val >= 0, value.val, -value.val), value.kind)


def _sign(reader: Reader, node: exp.Sign, scope: Scope) -> Val:
    """1, 0 or -1, in a type that differs between engines."""
    value = only_operand(reader, node.this, scope)
    zero, one = z3.RealVal(0), z3.RealVal(1)
    number = to_real(value).val
    return Val(value.null, ite(number > zero, one, ite(number < zero, -one, zero)), LOOSE)


def _round(reader: Reader, node: exp.Round, scope: Scope) -> Val:
    value = only_operand(reader, node.this, scope)
    decimals = node.args.get("decimals")
    digits = Val(FALSE, z3.IntVal(0), INT) if decimals is None else reader.value(decimals, scope)
    if digits.kind != INT or not z3.is_int_value(digits.val):
        raise Unsupported("sql: ROUND to digits that are no literal")
    if value.kind == INT and digits.val.as_long() >= 0:
        return value if reader.dialect.round_keeps_integers else to_real(value)
    return Val(value.null, rounded(reader, value, digits.val.as_long()), REAL)


def _trunc(reader: Reader, node: exp.Trunc, scope: Scope) -> Val:
    """TRUNC and TRUNCATE: the number without the digits behind so many of them."""
    value = only_operand(reader, node.this, scope)
    decimals = node.args.get("decimals")
    digits = Val(FALSE, z3.IntVal(0), INT) if decimals is None else reader.value(decimals, scope)
    if digits.kind != INT or not z3.is_int_value(digits.val) or not 0 <= digits.val.as_long() <= 9:
        raise Unsupported("sql: TRUNC to digits that are no small literal")
    number = to_real(value).val
    if digits.val.as_long() == 0:
        whole = ite(number >= 0, z3.ToInt(number), -z3.ToInt(-number))
        return Val(value.null, z3.ToReal(whole), LOOSE)
    scale = z3.RealVal(10 ** digits.val.as_long())
    size = z3.ToReal(z3.ToInt(ite(number >= 0, number, -number) * scale)) / scale
    return Val(value.null, ite(number >= 0, size, -size), LOOSE)


def _floor(reader: Reader, node: exp.Floor, scope: Scope) -> Val:
    value = only_operand(reader, node.this, scope)
    return _whole(reader, value, value.val if value.kind == INT else z3.ToInt(value.val))


def _ceil(reader: Reader, node: exp.Ceil, scope: Scope) -> Val:
    value = only_operand(reader, node.this, scope)
    return _whole(reader, value, value.val if value.kind == INT else -z3.ToInt(-value.val))


def _whole(reader: Reader, value: Val, whole: Expr) -> Val:
    """What FLOOR and CEILING make of a value: in MariaDB an integer, else a number of its own type."""
    result = Val(value.null, whole, INT)
    dialect = reader.dialect
    if dialect.floor_of_integer_is_integer if value.kind == INT else dialect.floor_of_fraction_is_integer:
        return result
    return replace(to_real(result), kind=REAL if value.kind == INT else value.kind)


def _pow(reader: Reader, node: exp.Pow, scope: Scope) -> Val:
    left, right = only_operand(reader, node.this, scope), reader.value(node.expression, scope)
    if right.kind == INT and z3.is_int_value(right.val) and right.val.as_long() in (1, 2, 3):
        power = Val(left.null, z3.Product(*[left.val] * right.val.as_long()), left.kind)
        return to_real(power)
    if reader.dialect.errors_raise:
        raise Unsupported("sql: a power that is no small literal, which fails on some values")
    return opaque(reader.dialect, "pow", [to_real(left), to_real(right)], REAL)


def _bits(reader: Reader, node: exp.Binary, scope: Scope) -> Val:
    """The bits of two integers; the lowest one says whether a number is odd, whatever its sign."""
    left, right = _operands(reader, _read(reader, node, scope))
    if left.kind != INT or right.kind != INT:
        raise Unsupported(f"sql: bits of numbers that are no integers ({node.sql()[:40]})")
    null = disj(left.null, right.null)
    if isinstance(node, exp.BitwiseAnd):
        for one, other in ((left, right), (right, left)):
            if z3.is_int_value(one.val) and one.val.as_long() == 1:
                return Val(null, other.val % 2, INT)
    if reader.dialect.bits_have_no_sign:
        raise Unsupported(f"sql: bits, which have no sign there ({node.sql()[:40]})")
    return strict(reader.dialect, type(node).__name__, [left, right], INT)


def _is_zero(value: Val) -> Formula:
    if z3.is_int_value(value.val) or z3.is_rational_value(value.val):
        return TRUE if z3.is_true(z3.simplify(value.val == 0)) else FALSE
    return value.val == (z3.IntVal(0) if value.kind == INT else z3.RealVal(0))


READERS: Readers = {
    exp.Neg: _neg,
    exp.Add: _add,
    exp.Sub: _sub,
    exp.Mul: _mul,
    exp.Div: _div,
    exp.IntDiv: _integer_division,
    exp.Mod: _mod,
    exp.Abs: _abs,
    exp.Sign: _sign,
    exp.Round: _round,
    exp.Floor: _floor,
    exp.Ceil: _ceil,
    exp.Trunc: _trunc,
    exp.BitwiseAnd: _bits,
    exp.BitwiseOr: _bits,
    exp.BitwiseXor: _bits,
    exp.Pow: _pow,
}
