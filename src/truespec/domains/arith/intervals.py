"""Closed intervals of numbers, and the signs that they imply.

A sign is `+`, `-`, `0`, `0+` or `0-` (or zero), `!` (not zero) or `?` (not known).
"""

from __future__ import annotations

from fractions import Fraction

from truespec.domains.arith.numbers import Number, exact

Interval = tuple[Number | None, Number | None]
"""Closed bounds; None is unbounded."""
EVERYWHERE: Interval = (None, None)


def floor(a: Number) -> int:
    """The greatest integer that is not above `a`."""
    return a.numerator // a.denominator


def sign_of(low: Number | None, high: Number | None) -> str:
    """The sign of every number between the bounds."""
    if low is not None and low > 0:
        return "+"
    if high is not None and high < 0:
        return "-"
    if low == 0:
        return "0" if high == 0 else "0+"
    return "0-" if high == 0 else "?"


def multiplied(a: str, b: str) -> str:
    """The sign of a product, by the signs of its factors."""
    if "0" in (a, b):
        return "0"
    if "?" in (a, b):
        return "?"
    if "!" in (a, b):
        other = b if a == "!" else a
        return "!" if other in ("!", "+", "-") else "?"
    sign = "+" if a[-1] == b[-1] else "-"
    return ("0" if "0" in a + b else "") + sign


def product(a: Interval, b: Interval) -> Interval:
    """The products of the numbers of two intervals."""
    ends: list[tuple[int, Number]] = []
    for x, x_sign in ((a[0], -1), (a[1], 1)):
        for y, y_sign in ((b[0], -1), (b[1], 1)):
            if x is not None and y is not None:
                ends.append((0, x * y))
            elif x is None and y is None:
                ends.append((x_sign * y_sign, 0))
            else:
                finite, sign = (y, x_sign) if x is None else (x, y_sign)
                assert finite is not None
                ends.append((0, 0) if finite == 0 else (sign if finite > 0 else -sign, 0))
    low, high = min(ends), max(ends)
    return (None if low[0] < 0 else exact(low[1])), (None if high[0] > 0 else exact(high[1]))


def powered(a: Interval, exponent: int) -> Interval:
    """The powers of the numbers of an interval; the exponent is at least 1."""
    result = a
    for _ in range(exponent - 1):
        result = product(result, a)
    if exponent % 2 == 0 and (result[0] is None or result[0] < 0):
        return 0, result[1]
    return result


def inverse(a: Interval) -> Interval:
    """The inverses of the numbers of an interval of positive numbers."""
    low, high = a
    return (
        0 if high is None else exact(1 / Fraction(high)),
        None if low is None or low <= 0 else exact(1 / Fraction(low)),
    )
