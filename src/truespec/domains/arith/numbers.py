"""Exact numbers: an `int` where the value is integral, a `Fraction` elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

Number = int | Fraction
"""A rational; a `Fraction` is never integral here."""


class Undefined:
    """The outcome of a division by zero: equal to itself, different from every value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()
"""The only instance."""

Value = int | Fraction | bool | Undefined
"""What an expression yields at a point."""

MAX_BITS = 13_000
"""Larger integers are not computed: they could not be printed, and a tower of powers has no end."""


class TooLarge(ArithmeticError):
    """A value of more than `MAX_BITS` bits."""


def exact(value: Number) -> Number:
    """The same number, as an `int` where it is integral."""
    return value.numerator if value.denominator == 1 else value


def bits(value: Number) -> int:
    """The size of a number."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def show(value: Value) -> str:
    """A value as people read it: `3`, `-1/2`, `True` or `undefined`."""
    if not isinstance(value, bool | Undefined) and bits(value) > MAX_BITS:
        raise TooLarge(f"a value of {bits(value):,} bits")
    return str(value)
