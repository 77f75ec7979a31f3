"""ROUND of a number that has no more digits is that number; ROUND goes into the branches of a CASE.

Statement. round(v, d) = v where v · 10^d is an integer. round(e(if p then v else w), d) = if p then
round(e(v), d) else round(e(w), d). round(v, d) = round(w, d) where v and w are one number by the laws of
fractions (`ir/quotients.py`); round(0, d) = 0, which is said where a factor of v is a COUNT or a SUM that
may be 0.

Side conditions. d is a literal. That v · 10^d is an integer is read off its form: integers, the values of a
DECIMAL(n, s) column with s ≤ d, sums, differences and products of such, SUM, MIN and MAX of such; and a
quotient of 0, which is 0 wherever it is a number.

Why. Rounding to d places is the identity on multiples of 10^-d, half-way cases being none of them; a column
of a DECIMAL type holds no other numbers, and these are closed under what is listed. A quotient by 0 is NULL
or an error that the reading rules out, and nothing is asked of the value beside a NULL.
"""

from __future__ import annotations

from fractions import Fraction

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.logic import Expr, disj, ite
from truespec.domains.sql.ir.quotients import reduced
from truespec.domains.sql.ir.symbols import is_ite, name_of, operands, substituted
from truespec.domains.sql.ir.world import World

MAX_CASES = 5
"""The deepest nesting of cases that is split: each case doubles the expression."""
MAX_SCALE = 30
"""More digits after the point than any dialect has."""


def rounded(world: World, aggregates: Aggregates, value: Expr, digits: int, depth: int = 0) -> Expr:
    """The rational `value` rounded to so many digits after the point."""
    value = z3.simplify(value)
    if z3.is_div(value) and z3.is_rational_value(value.arg(0)) and value.arg(0).as_fraction() == 0:
        return value.arg(0)
    case = _case(value) if depth < MAX_CASES else None
    if case is not None:
        test, yes, no = operands(case)
        sides = [substituted(value, (case, side)) for side in (yes, no)]
        return ite(test, *(rounded(world, aggregates, side, digits, depth + 1) for side in sides))
    scale = scale_of(world, aggregates, value)
    if scale is not None and scale <= digits:
        return value
    value, factors = reduced(value)
    nothing, places = z3.RealVal(0), z3.IntVal(digits)
    if value.eq(nothing):
        return value
    found = z3.Function("round", z3.RealSort(), z3.IntSort(), z3.RealSort())(value, places)
    if digits == 0:
        found = z3.ToReal(z3.Function("round to integer", z3.RealSort(), z3.IntSort())(value))
    zero = [factor == nothing for factor in factors if _may_vanish(aggregates, factor)]
    return ite(disj(*zero), nothing, found) if zero else found


def integer(number: Expr) -> Expr | None:
    """A rational as an integer, if its form tells that it is one."""
    if z3.is_to_real(number):
        return number.arg(0)
    if z3.is_rational_value(number):
        value = number.as_fraction()
        return z3.IntVal(value.numerator) if value.denominator == 1 else None
    if not is_ite(number):
        return None
    test, *branches = operands(number)
    sides = [integer(branch) for branch in branches]
    return None if None in sides else ite(test, *sides)


def _may_vanish(aggregates: Aggregates, factor: Expr) -> bool:
    """Whether a factor is a COUNT or a SUM, which is 0 where no row is."""
    value = factor.arg(0) if z3.is_to_real(factor) else factor
    symbol = aggregates.symbols.get(name_of(value)) if z3.is_app(value) else None
    return symbol is not None and symbol.function in ("COUNT", "SUM")


def _case(value: Expr) -> Expr | None:
    """The first CASE in an arithmetical expression."""
    if is_ite(value):
        return value
    if not z3.is_app(value) or value.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        return None
    return next((case for case in map(_case, operands(value)) if case is not None), None)


def scale_of(world: World, aggregates: Aggregates, value: Expr) -> int | None:
    """How many digits after the point suffice to write the value, if its form tells."""
    if value.sort() == z3.IntSort() or z3.is_to_real(value):
        return 0
    if z3.is_rational_value(value):
        return _digits(value.as_fraction())
    if not z3.is_app(value):
        return None
    if is_ite(value):
        parts = operands(value)[1:]
    elif z3.is_add(value) or z3.is_sub(value) or z3.is_mul(value) or value.decl().kind() == z3.Z3_OP_UMINUS:
        parts = operands(value)
    else:
        return _scale_of_name(world, aggregates, value)
    scales = [scale_of(world, aggregates, part) for part in parts]
    known = [scale for scale in scales if scale is not None]
    if len(known) < len(scales):
        return None
    total = sum(known) if z3.is_mul(value) else max(known)
    return total if total <= MAX_SCALE else None


def _scale_of_name(world: World, aggregates: Aggregates, value: Expr) -> int | None:
    name = str(value.decl().name())
    if name == "round" and value.num_args() == 2:
        digits: int = value.arg(1).as_long()
        return max(0, digits)
    symbol = aggregates.symbols.get(name)
    if symbol is not None and symbol.function in ("SUM", "MIN", "MAX", "ANY", "CHOICE"):
        scales = [scale_of(world, aggregates, term.outs[0].val) for term in symbol.bag.terms]
        known = [scale for scale in scales if scale is not None]
        return max(known) if known and len(known) == len(scales) else None
    return world.scale(name)


def _digits(number: Fraction) -> int | None:
    for scale in range(MAX_SCALE):
        if (number * 10**scale).denominator == 1:
            return scale
    return None
