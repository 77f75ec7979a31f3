"""How many steps `re` can take at most on a text of a given length: a bound from the shape of a pattern.

For each part two numbers are bounded: the ways in which it can match from one position, which are the choices
that backtracking goes through, and the steps that all of them take together. A bound may be far too large,
never too small, but for the constant number of machine steps that one step stands for.
"""

from __future__ import annotations

import math
import re._constants as sre  # type: ignore[import-not-found]
from typing import Any

_LOOPS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_ENDLESS = math.inf


def most_steps(tree: Any, length: int, search: bool = True) -> float:
    """The bound for a pattern as `re._parser.parse` gives it; infinite where it is beyond 10^18.

    >>> from re import _parser
    >>> most_steps(_parser.parse("yes|no"), 100) < 1_000
    True
    >>> most_steps(_parser.parse("(a+)+$"), 100)
    inf
    """
    _, steps = _sequence(tree, length)
    total = steps * (length + 1) if search else steps
    return total if total < 1e18 else _ENDLESS


def longest_within(tree: Any, search: bool, base: int, per_character: int, most: int = 1 << 40) -> int:
    """The greatest length, up to `most`, for which the bound stays within `base + per_character * length`."""

    def within(length: int) -> bool:
        return most_steps(tree, length, search) <= base + per_character * length

    if within(most):
        return most
    low, high = 0, 1
    while within(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def _sequence(tree: Any, length: int) -> tuple[float, float]:
    """Ways and steps of parts that follow each other."""
    ways, steps = 1.0, 1.0
    for item in tree:
        more, taken = _part(item, length)
        steps += ways * taken
        ways *= more
        if steps > 1e18 or ways > 1e18:
            return _ENDLESS, _ENDLESS
    return ways, steps


def _part(item: Any, length: int) -> tuple[float, float]:
    name, value = item
    if name is sre.SUBPATTERN:
        return _sequence(value[3], length)
    if name is sre.BRANCH:
        ways, steps = 0.0, 1.0
        for branch in value[1]:
            more, taken = _sequence(branch, length)
            ways, steps = ways + more, steps + taken
        return ways, steps
    if name in _LOOPS or name is sre.POSSESSIVE_REPEAT:
        least, most, body = value
        ways, steps = _loop(least, most, body, length)
        return (1.0, steps) if name is sre.POSSESSIVE_REPEAT else (ways, steps)
    if name is sre.ATOMIC_GROUP:
        return 1.0, _sequence(value, length)[1]
    if name in (sre.ASSERT, sre.ASSERT_NOT):
        return 1.0, 1 + _sequence(value[1], length)[1]
    if name is sre.GROUPREF:
        return 1.0, length + 1.0
    if name is sre.GROUPREF_EXISTS:
        _, yes, no = value
        sides = [_sequence(side, length) for side in (yes, no) if side is not None]
        return max(1.0, sum(w for w, _ in sides)), 1 + sum(s for _, s in sides)
    if name is sre.IN:
        return 1.0, 1.0 + len(value) / 8
    return 1.0, 1.0


def _loop(least: int, most: int, body: Any, length: int) -> tuple[float, float]:
    ways, steps = _sequence(body, length)
    if steps == _ENDLESS:
        return ways, steps
    width, _ = body.getwidth()
    # Beyond the least number of rounds, a round that takes nothing is the last one.
    rounds = float(min(int(most), length // width + 1 if width else int(least) + length + 1))
    if ways <= 1:
        return rounds + 1, (rounds + 1) * (steps + 1)
    if (rounds + 1) * math.log(ways) > 42:
        return _ENDLESS, _ENDLESS
    total = (ways ** (rounds + 1) - 1) / (ways - 1)
    return total, total * (steps + 1)
