"""What is known of polynomials at every legal point: signs, bounds and integrality.

It is deduced from the facts that the constraints supply and from the atoms' own bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.intervals import (
    EVERYWHERE,
    Interval,
    inverse,
    multiplied,
    powered,
    product,
    sign_of,
)
from truespec.domains.arith.numbers import Number, exact
from truespec.domains.arith.polynomial import Polynomial, Ratio

PATIENCE = 150
"""Facts looked at for one question of integrality."""


@dataclass(frozen=True, slots=True)
class Atom:
    """What a polynomial is over."""

    kind: str
    """`var floor trunc round if pow mod`."""
    args: tuple[Ratio, ...] = ()
    """The operands."""
    tag: object = None
    """A variable's name, the decimals of a rounding, the condition of a choice."""
    integral: bool = False
    """Whether it is an integer at every legal point."""
    bounds: Interval = EVERYWHERE
    """Bounds at every legal point."""


@dataclass
class Facts:
    """What holds at every legal point, over the atoms of one `Knowledge`."""

    integral: list[Ratio] = field(default_factory=list)
    """Integers."""
    fractional: list[Ratio] = field(default_factory=list)
    """Not integers."""
    nonzero: list[Polynomial] = field(default_factory=list)
    """Not zero."""
    positive: list[Polynomial] = field(default_factory=list)
    """Greater than zero."""
    nonnegative: list[Polynomial] = field(default_factory=list)
    """At least zero."""


class Knowledge:
    """Atoms, the facts about them, and what follows for a polynomial or a ratio over them."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.facts = Facts()
        self.integrality: dict[tuple[object, object], bool] = {}
        self.patience = PATIENCE

    def sign(self, a: Ratio) -> str:
        """`+ - 0`, `0+ 0-` (or zero), `!` (not zero) or `?`, at every legal point where it is defined."""
        top = self._sign(a.over)
        if a.is_polynomial() or top == "0":
            return top
        return multiplied(top, self._sign(a.under))

    def _sign(self, a: Polynomial) -> str:
        constant = poly.as_constant(a)
        if constant is not None:
            return "0" if constant == 0 else "+" if constant > 0 else "-"
        low, high = self._range(a)
        found = sign_of(low, high)
        if found in ("+", "-"):
            return found
        shared = poly.common_monomial(a)
        if shared and (len(a) > 1 or len(shared) > 1):
            # A product has the sign of its factors.
            rest = {
                m: c
                for m, c in ((poly.divide_monomials(m, shared), c) for m, c in a.items())
                if m is not None
            }
            product = self._sign(rest)
            for index, exponent in shared:
                factor = self._sign(poly.atom(index))
                for _ in range(1 if exponent % 2 else 2):
                    product = multiplied(product, factor)
            if product != "?":
                return product
        for strict, facts in (("+", self.facts.positive), ("0+", self.facts.nonnegative)):
            for fact in facts:
                for sense in (1, -1):
                    shown = self._exceeds(a if sense == 1 else poly.scale(a, -1), fact)
                    if shown:
                        sign = "+" if strict == "+" or shown == "+" else "0+"
                        return sign if sense == 1 else sign.replace("+", "-")
        form, _ = poly.primitive(a)
        if any(form == other for other in self.facts.nonzero):
            return "!"
        if found in ("?", "0+", "0-") and any(self._misses(a, fact) for fact in self.facts.fractional):
            return {"0+": "+", "0-": "-"}.get(found, "!")
        return found

    def _misses(self, a: Polynomial, fact: Ratio) -> bool:
        """Whether `a == 0` would make a fraction of the facts an integer."""
        if not fact.is_polynomial():
            return False
        for monomial, coefficient in fact.over.items():
            if monomial and monomial in a:
                factor = exact(-Fraction(coefficient) / a[monomial])
                _, rest = self.split(poly.whole(poly.plus(fact.over, a, factor)))
                return not rest.over
        return False

    def _exceeds(self, a: Polynomial, fact: Polynomial) -> str:
        """`+` or `0+` where `a - c * fact` has that sign for some `c > 0`, else nothing."""
        for monomial, coefficient in fact.items():
            if monomial and monomial in a:
                factor = Fraction(a[monomial]) / coefficient
                if factor > 0:
                    rest = poly.plus(a, fact, exact(-factor))
                    found = sign_of(*self._range(rest)) if rest else "0+"
                    if found in ("+", "0+", "0"):
                        return "+" if found == "+" else "0+"
        return ""

    def bounds(self, a: Ratio) -> Interval:
        """Bounds on the value at every legal point."""
        low, high = self._range(a.over)
        if a.is_polynomial():
            return low, high
        under = self._range(a.under)
        if sign_of(*under) != "+":
            return EVERYWHERE
        return product((low, high), inverse(under))

    def _range(self, a: Polynomial) -> Interval:
        low: Number | None = 0
        high: Number | None = 0
        for monomial, coefficient in a.items():
            span: Interval = (coefficient, coefficient)
            for index, exponent in monomial:
                bounds = self.atoms[index].bounds
                span = product(span, powered(bounds, exponent))
            low = None if low is None or span[0] is None else low + span[0]
            high = None if high is None or span[1] is None else high + span[1]
        return low, high

    def is_integral(self, a: Ratio) -> bool:
        """Whether the constraints and the form make it an integer."""
        _, rest = self.split(a)
        if not rest.over:
            return True
        key = (frozenset(rest.over.items()), frozenset(rest.under.items()))
        known = self.integrality.get(key)
        if known is None:
            self.patience = PATIENCE
            known = self.integrality[key] = self._combines(rest, 3)
        return known

    def split(self, a: Ratio) -> tuple[Polynomial, Ratio]:
        """`a` as an integer-valued polynomial plus a rest."""
        if not a.is_polynomial():
            return {}, a
        part: Polynomial = {}
        rest: Polynomial = {}
        for monomial, coefficient in a.over.items():
            if all(self.atoms[index].integral for index, _ in monomial):
                low = coefficient.numerator // coefficient.denominator
                left = exact(coefficient - low)
                if low:
                    part[monomial] = low
                if left:
                    rest[monomial] = left
            else:
                rest[monomial] = coefficient
        return part, poly.whole(rest)

    def mirrored(self, a: Ratio) -> tuple[Polynomial, Ratio] | None:
        """`(p, b)` with `floor(a) = p - floor(b)`, where one of `a` and `b` is to stand for both; or None.

        Where `a = q / m` with an integer-valued `q`, its floor is that of `(m - 1 - q) / m` with the other
        sign: so a ceiling has the form of a floor. `b` is `a` for its own mirror, so one of them is less.
        """
        over = a.over
        if not a.is_polynomial() or not all(self.atoms[index].integral for m in over for index, _ in m):
            return None
        bottom = lcm(*(coefficient.denominator for coefficient in over.values()))
        most = poly.constant(exact(Fraction(bottom - 1, bottom)))
        part, other = self.split(poly.whole(poly.plus(most, over, -1)))
        order = [*sorted(monomial for monomial in over if monomial != poly.ONE), poly.ONE]
        if [other.over.get(m, 0) for m in order] >= [over.get(m, 0) for m in order]:
            return None
        return poly.plus({}, part, -1), other

    def _combines(self, a: Ratio, depth: int) -> bool:
        """Whether `a` is an integer combination of integral facts and integer-valued polynomials."""
        for fact in self.facts.integral:
            self.patience -= 1
            if self.patience < 0:
                return False
            if depth > 1 and self._is_product(a, fact):
                return True
            for multiple in self._multiples(a, fact):
                rest = poly.add_ratios(a, poly.multiply_ratios(multiple, fact), -1)
                _, rest = self.split(rest)
                if not rest.over:
                    return True
                if depth > 1 and len(rest.over) < len(a.over) and self._combines(rest, depth - 1):
                    return True
        return False

    def _is_product(self, a: Ratio, fact: Ratio) -> bool:
        """Whether `a` is the fact times another combination of facts."""
        if not set(atoms_of(fact)) <= set(atoms_of(a)):
            return False
        other = poly.divide_ratios(a, fact)
        if len(other.over) >= len(a.over) and len(other.under) >= len(a.under) and other.under != a.under:
            return False
        _, rest = self.split(other)
        return not rest.over or self._combines(rest, 1)

    def _multiples(self, a: Ratio, fact: Ratio) -> list[Ratio]:
        """Integer-valued factors of the fact that may cancel something of `a`."""
        found: list[Ratio] = []
        if a.under == fact.under:
            for monomial, coefficient in a.over.items():
                for other, divisor in fact.over.items():
                    quotient = poly.divide_monomials(monomial, other)
                    if quotient is None or not all(self.atoms[index].integral for index, _ in quotient):
                        continue
                    factor = Fraction(coefficient) / divisor
                    candidates = {factor} if factor.denominator == 1 else set()
                    if a.is_polynomial() and not quotient and factor.denominator != 1:
                        # a = c * f modulo 1 for an integer c.
                        solved = _congruence(Fraction(divisor), Fraction(coefficient))
                        candidates = {Fraction(solved)} if solved is not None else set()
                    found.extend(poly.whole({quotient: c.numerator}) for c in candidates if c)
        whole = poly.divide_ratios(a, fact)
        if whole.is_polynomial():
            part, rest = self.split(whole)
            if not rest.over:
                found.append(poly.whole(part))
        unique: list[Ratio] = []
        for each in found:
            if each.over and each not in unique:
                unique.append(each)
        return unique[:12]


def atoms_of(a: Ratio) -> list[int]:
    """The atoms in the monomials of a ratio."""
    return [index for monomial in (*a.over, *a.under) for index, _ in monomial]


def _congruence(divisor: Fraction, target: Fraction) -> int | None:
    """The least positive `c` with `c * divisor - target` an integer."""
    scale = divisor.denominator * target.denominator // gcd(divisor.denominator, target.denominator)
    a, b = int(divisor * scale), int(target * scale)
    common = gcd(a, scale)
    if b % common:
        return None
    modulus = scale // common
    return (b // common * pow(a // common, -1, modulus)) % modulus if modulus > 1 else 1
