"""Quotients of numbers in one normal form: a sum of products of powers, each with one coefficient.

`100 * a / b`, `a / b * 100` and `a / (b / 100)` are one number wherever `b` is no zero, and so are `(a - b)
/ b` and `a / b - 1`. Where a divisor is 0 the quotient is NULL or an error that the reading rules out, and
nothing is asked of the value beside a NULL. A divisor that is a sum of several products is a factor by
itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import z3

from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import is_ite, operands

Product = tuple[tuple[int, int], ...]
"""Factors by their numbers, each with its power; in order."""
MAX_PRODUCTS = 12
"""The longest sum that is written out."""


class _TooLong(Exception):
    """The sum has too many products."""


class _Sums:
    """Sums of products over factors that have numbers."""

    def __init__(self) -> None:
        self.factors: dict[int, Expr] = {}

    def of(self, value: Expr) -> dict[Product, Fraction]:
        """A number as a sum of products, with their coefficients."""
        if z3.is_rational_value(value) or z3.is_int_value(value):
            number = value.as_fraction() if z3.is_rational_value(value) else Fraction(value.as_long())
            return {(): Fraction(number)} if number else {}
        if not z3.is_app(value) or is_ite(value):
            return self._factor(value)
        parts = operands(value)
        if z3.is_to_real(value) and _is_arithmetic(parts[0]):
            return self.of(parts[0])
        if z3.is_add(value) or z3.is_sub(value):
            sums = [self.of(part) for part in parts]
            signs = [1] + [1 if z3.is_add(value) else -1] * (len(parts) - 1)
            return _added(zip(sums, signs, strict=True))
        if value.decl().kind() == z3.Z3_OP_UMINUS:
            return _added([(self.of(parts[0]), -1)])
        if z3.is_mul(value):
            found = self.of(parts[0])
            for part in parts[1:]:
                found = _multiplied(found, self.of(part))
            return found
        if z3.is_div(value):
            return _multiplied(self.of(parts[0]), self._inverse(parts[1]))
        return self._factor(value)

    def _inverse(self, divisor: Expr) -> dict[Product, Fraction]:
        below = self.of(divisor)
        if len(below) != 1:
            below = self._factor(self.written(below)) if below else self._factor(divisor)
        ((product, coefficient),) = below.items()
        return {tuple((factor, -power) for factor, power in product): 1 / coefficient}

    def _factor(self, value: Expr) -> dict[Product, Fraction]:
        if value.sort() == z3.IntSort():
            value = z3.ToReal(value)
        self.factors[value.get_id()] = value
        return {((value.get_id(), 1),): Fraction(1)}

    def written(self, total: dict[Product, Fraction]) -> Expr:
        """The expression of a sum: equal sums have one."""
        parts = [self._product(product, total[product]) for product in sorted(total)]
        if not parts:
            return z3.RealVal(0)
        return parts[0] if len(parts) == 1 else z3.Sum(*parts)

    def _product(self, product: Product, coefficient: Fraction) -> Expr:
        above = [self.factors[factor] for factor, power in product for _ in range(power)]
        below = [self.factors[factor] for factor, power in product for _ in range(-power)]
        if coefficient != 1 or not above:
            above.insert(0, z3.RealVal(str(coefficient)))
        top = above[0] if len(above) == 1 else z3.Product(*above)
        return top if not below else top / (below[0] if len(below) == 1 else z3.Product(*below))


def reduced(value: Expr) -> tuple[Expr, list[Expr]]:
    """A rational in normal form; and the factors of it that are 0 only where it is, or the value as it is."""
    sums = _Sums()
    try:
        total = sums.of(value)
    except _TooLong:
        return value, []
    factors: list[Expr] = []
    if len(total) == 1:
        (product,) = total
        factors = [sums.factors[factor] for factor, power in product if power > 0]
    return sums.written(total), factors


def _is_arithmetic(value: Expr) -> bool:
    kinds = (z3.Z3_OP_ADD, z3.Z3_OP_SUB, z3.Z3_OP_MUL, z3.Z3_OP_UMINUS)
    return z3.is_int_value(value) or (z3.is_app(value) and value.decl().kind() in kinds)


def _added(sums: Iterable[tuple[dict[Product, Fraction], int]]) -> dict[Product, Fraction]:
    total: dict[Product, Fraction] = {}
    for one, sign in sums:
        for product, coefficient in one.items():
            total[product] = total.get(product, Fraction(0)) + sign * coefficient
    return _checked({product: number for product, number in total.items() if number})


def _multiplied(one: dict[Product, Fraction], other: dict[Product, Fraction]) -> dict[Product, Fraction]:
    total: dict[Product, Fraction] = {}
    for first, number in one.items():
        for second, by in other.items():
            powers = dict(first)
            for factor, power in second:
                powers[factor] = powers.get(factor, 0) + power
            product = tuple(sorted((factor, power) for factor, power in powers.items() if power))
            total[product] = total.get(product, Fraction(0)) + number * by
    return _checked({product: number for product, number in total.items() if number})


def _checked(total: dict[Product, Fraction]) -> dict[Product, Fraction]:
    if len(total) > MAX_PRODUCTS:
        raise _TooLong
    return total
