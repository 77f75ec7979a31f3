"""Quotients of expanded polynomials with rational coefficients: the numbers of the second translation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm

from truespec.domains.arith.replay import CannotReplay

MAX_TERMS = 4_000
"""Larger polynomials are not translated."""

Symbols = tuple[str, ...]
Sum = dict[Symbols, Fraction]
"""A polynomial: sorted symbols to coefficients that are not zero."""


@dataclass(frozen=True, slots=True)
class Number:
    """`top / bottom`, and where it is defined."""

    top: Sum
    bottom: Sum
    defined: str = "true"


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition, and where it is defined."""

    text: str
    defined: str = "true"


ONE: Sum = {(): Fraction(1)}


def as_number(value: int | Fraction) -> Number:
    return Number({(): Fraction(value)}, ONE)


def added(a: Sum, b: Sum, factor: Fraction) -> Sum:
    total = dict(a)
    for symbols, coefficient in b.items():
        total[symbols] = total.get(symbols, Fraction(0)) + factor * coefficient
    return {symbols: coefficient for symbols, coefficient in total.items() if coefficient}


def multiplied(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > 20 * MAX_TERMS:
        raise CannotReplay("a polynomial too large to expand")
    total: Sum = {}
    for (left, x), (right, y) in product(a.items(), b.items()):
        symbols = tuple(sorted(left + right))
        total[symbols] = total.get(symbols, Fraction(0)) + x * y
    return {symbols: coefficient for symbols, coefficient in total.items() if coefficient}


def made(top: Sum, bottom: Sum, defined: str) -> Number:
    """A quotient with common symbols cancelled and the denominator's content made one."""
    if not top:
        return Number({}, ONE, defined)
    shared = _common([*top, *bottom])
    top = {_without(symbols, shared): c for symbols, c in top.items()}
    bottom = {_without(symbols, shared): c for symbols, c in bottom.items()}
    factor = _content(bottom)
    top = {symbols: c / factor for symbols, c in top.items()}
    bottom = {symbols: c / factor for symbols, c in bottom.items()}
    if top == bottom:
        return Number(ONE, ONE, defined)
    return Number(top, bottom, defined)


def plus(a: Number, b: Number) -> Number:
    defined = both(a.defined, b.defined)
    if a.bottom == b.bottom:
        return made(added(a.top, b.top, Fraction(1)), a.bottom, defined)
    top = added(multiplied(a.top, b.bottom), multiplied(b.top, a.bottom), Fraction(1))
    return made(top, multiplied(a.bottom, b.bottom), defined)


def minus(a: Number, b: Number) -> Number:
    return plus(a, times(as_number(-1), b))


def times(a: Number, b: Number) -> Number:
    defined = both(a.defined, b.defined)
    left, right = made(a.top, b.bottom, ""), made(b.top, a.bottom, "")
    return made(multiplied(left.top, right.top), multiplied(left.bottom, right.bottom), defined)


def _common(terms: list[Symbols]) -> Symbols:
    shared = list(terms[0])
    for symbols in terms[1:]:
        left = list(symbols)
        kept = []
        for symbol in shared:
            if symbol in left:
                left.remove(symbol)
                kept.append(symbol)
        shared = kept
    return tuple(shared)


def _without(symbols: Symbols, removed: Symbols) -> Symbols:
    left = list(symbols)
    for symbol in removed:
        left.remove(symbol)
    return tuple(left)


def _content(a: Sum) -> Fraction:
    """The rational whose removal leaves coprime integers and a positive first coefficient."""
    first = a[min(a, key=lambda symbols: (-len(symbols), symbols))]
    size = Fraction(gcd(*(c.numerator for c in a.values())), lcm(*(c.denominator for c in a.values())))
    return size if first > 0 else -size


def scaled(a: Sum) -> Sum:
    """A positive multiple with coprime integer coefficients."""
    if not a:
        return a
    factor = abs(_content(a))
    return {symbols: c / factor for symbols, c in a.items()}


def factors(a: Sum) -> list[Sum]:
    """Factors whose product differs from zero exactly where `a` does: symbols, and what is left."""
    if not a:
        return [a]
    shared = _common(list(a))
    rest = {_without(symbols, shared): c for symbols, c in a.items()}
    found: list[Sum] = [{(symbol,): Fraction(1)} for symbol in sorted(set(shared))]
    content = _content(rest)
    return found if set(rest) == {()} else [*found, {symbols: c / content for symbols, c in rest.items()}]


def both(a: str, b: str) -> str:
    if a in ("true", b) or b == "false":
        return b
    if b == "true" or a == "false":
        return a
    return f"(and {a} {b})"
