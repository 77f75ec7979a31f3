"""Polynomials over the rationals, and quotients of two of them.

A polynomial maps monomials to coefficients that are not zero; a monomial is a sorted tuple of
(atom, exponent). What the atoms stand for is the business of `normal.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from truespec.domains.arith.numbers import Number, exact
from truespec.verdict import Incomplete

Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, Number]
"""No value is zero."""

ONE: Monomial = ()
MAX_TERMS = 3_000
"""Larger polynomials are not computed."""


class TooManyTerms(Incomplete):
    """A polynomial of more than `MAX_TERMS` monomials."""


def constant(value: Number) -> Polynomial:
    """A constant polynomial."""
    return {ONE: value} if value else {}


def atom(index: int) -> Polynomial:
    """The polynomial of one atom."""
    return {((index, 1),): 1}


def plus(a: Polynomial, b: Polynomial, factor: Number = 1) -> Polynomial:
    """`a + factor * b`."""
    total = dict(a)
    for monomial, coefficient in b.items():
        new = total.get(monomial, 0) + coefficient * factor
        if new:
            total[monomial] = exact(new)
        else:
            total.pop(monomial, None)
    return total


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """`a * b`."""
    if len(a) * len(b) > 40 * MAX_TERMS:
        raise TooManyTerms("an expression too large to expand")
    product: Polynomial = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial = multiply_monomials(left, right)
            new = product.get(monomial, 0) + x * y
            if new:
                product[monomial] = exact(new)
            else:
                product.pop(monomial, None)
    if len(product) > MAX_TERMS:
        raise TooManyTerms("an expression too large to expand")
    return product


def scale(a: Polynomial, factor: Number) -> Polynomial:
    """`factor * a`."""
    return {monomial: exact(coefficient * factor) for monomial, coefficient in a.items()} if factor else {}


def multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a:
        return b
    if not b:
        return a
    exponents = dict(a)
    for index, exponent in b:
        exponents[index] = exponents.get(index, 0) + exponent
    return tuple(sorted(exponents.items()))


def divide_monomials(a: Monomial, b: Monomial) -> Monomial | None:
    """The quotient where `b` divides `a`."""
    exponents = dict(a)
    for index, exponent in b:
        left = exponents.get(index, 0) - exponent
        if left < 0:
            return None
        exponents[index] = left
    return tuple((index, exponent) for index, exponent in sorted(exponents.items()) if exponent)


def as_constant(a: Polynomial) -> Number | None:
    """The value of a constant polynomial."""
    if not a:
        return 0
    return a[ONE] if len(a) == 1 and ONE in a else None


def leading(a: Polynomial) -> Monomial:
    """The greatest monomial, by degree and then by a fixed order; the order is multiplicative."""
    return max(a, key=_rank)


def _rank(monomial: Monomial) -> tuple[int, tuple[tuple[int, int], ...]]:
    # Graded lexicographic: a lower atom index is greater.
    return sum(exponent for _, exponent in monomial), tuple(
        (-index, exponent) for index, exponent in monomial
    )


def quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """`a / b` where the division is exact, else None."""
    if not b:
        return None
    head = leading(b)
    rest = dict(a)
    found: Polynomial = {}
    for _ in range(len(a) + MAX_TERMS):
        if not rest:
            return found
        top = leading(rest)
        monomial = divide_monomials(top, head)
        if monomial is None:
            return None
        coefficient = exact(Fraction(rest[top]) / b[head])
        found[monomial] = coefficient
        rest = plus(rest, times({monomial: coefficient}, b), -1)
    return None


def content(a: Polynomial) -> Fraction:
    """The positive rational `c` that makes `a / c` a primitive integer polynomial."""
    numerators = [coefficient.numerator for coefficient in a.values()]
    denominators = [coefficient.denominator for coefficient in a.values()]
    return Fraction(gcd(*numerators) or 1, lcm(*denominators))


def primitive(a: Polynomial) -> tuple[Polynomial, Number]:
    """`(p, c)` with `a = c * p`, where `p` is primitive and its leading coefficient is positive."""
    if not a:
        return a, 1
    factor = content(a)
    if a[leading(a)] < 0:
        factor = -factor
    return scale(a, 1 / factor), exact(factor)


def common_monomial(a: Polynomial) -> Monomial:
    """The greatest monomial that divides every term."""
    monomials = iter(a)
    shared = dict(next(monomials, ONE))
    for monomial in monomials:
        exponents = dict(monomial)
        shared = {index: min(exponent, exponents.get(index, 0)) for index, exponent in shared.items()}
        shared = {index: exponent for index, exponent in shared.items() if exponent}
        if not shared:
            break
    return tuple(sorted(shared.items()))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of polynomials; the denominator is primitive and not zero."""

    over: Polynomial
    """The numerator."""
    under: Polynomial
    """The denominator."""

    def is_polynomial(self) -> bool:
        """Whether the denominator is one."""
        return as_constant(self.under) == 1


UNIT: Polynomial = {ONE: 1}


def whole(a: Polynomial) -> Ratio:
    """A polynomial as a quotient."""
    return Ratio(a, UNIT)


def ratio(over: Polynomial, under: Polynomial) -> Ratio:
    """The quotient, with common monomials, exact divisors and constants cancelled."""
    if not over:
        return Ratio({}, UNIT)
    under, factor = primitive(under)
    over = scale(over, 1 / Fraction(factor))
    if as_constant(under) is not None:
        return Ratio(over, UNIT)
    shared = common_monomial(plus_monomials(common_monomial(over), common_monomial(under)))
    if shared:
        over = {_known(divide_monomials(m, shared)): c for m, c in over.items()}
        under = {_known(divide_monomials(m, shared)): c for m, c in under.items()}
    if as_constant(under) is not None:
        return Ratio(over, UNIT)
    exactly = quotient(over, under)
    if exactly is not None:
        return whole(exactly)
    if len(over) > 1:
        inverse = quotient(under, over)
        if inverse is not None:
            under, factor = primitive(inverse)
            return Ratio(constant(exact(1 / Fraction(factor))), under)
    return Ratio(over, under)


def plus_monomials(a: Monomial, b: Monomial) -> Polynomial:
    """The two monomials as a polynomial, to take what both share."""
    return {a: 1, b: 1}


def _known(monomial: Monomial | None) -> Monomial:
    assert monomial is not None
    return monomial


def add_ratios(a: Ratio, b: Ratio, factor: Number = 1) -> Ratio:
    """`a + factor * b`."""
    if a.under == b.under:
        return (
            ratio(plus(a.over, b.over, factor), a.under)
            if not a.is_polynomial()
            else whole(plus(a.over, b.over, factor))
        )
    return ratio(plus(times(a.over, b.under), times(b.over, a.under), factor), times(a.under, b.under))


def multiply_ratios(a: Ratio, b: Ratio) -> Ratio:
    """`a * b`."""
    if a.is_polynomial() and b.is_polynomial():
        return whole(times(a.over, b.over))
    left, right = ratio(a.over, b.under), ratio(b.over, a.under)
    return ratio(times(left.over, right.over), times(left.under, right.under))


def divide_ratios(a: Ratio, b: Ratio) -> Ratio:
    """The quotient of two ratios; where `b` is zero everywhere it is undefined, and 0 stands in."""
    if not b.over:
        return whole({})
    return multiply_ratios(a, ratio(b.under, b.over))


def same(a: Ratio, b: Ratio) -> bool:
    """Whether the two are one rational function."""
    if a.under == b.under:
        return a.over == b.over
    return times(a.over, b.under) == times(b.over, a.under)
