"""How many steps `re` can take at most on a text of a given length: a bound from the shape of a pattern.

For each part two numbers are bounded: the ways in which it can match from one position, which are the choices
that backtracking goes through, and the steps that all of them take together. A way after which the next
character cannot be the first one of what follows ends at once: it counts among the steps alone. So `\\w+`
before `\\s` goes on in one way. A bound may be far too large, never too small, but for the constant number of
machine steps that one step stands for.
"""

from __future__ import annotations

import math
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

from truespec.domains.regex.firsts import First, letters_of, starts

_LOOPS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_ENDLESS = math.inf
_COMPARED = 40
"""The most alternatives of which each two are compared."""

Bound = Callable[[int], tuple[float, float]]
"""From the length of a text to ways and steps."""


class _Place(NamedTuple):
    """Where a part stands."""

    flags: int
    inside: bool
    """Whether every position is behind the beginning of the text."""
    exact: bool
    """Whether it is asked with which characters parts can begin: the bound is tighter, and takes longer."""


def most_steps(tree: Any, length: int, search: bool = True) -> float:
    """The bound for a pattern as `re._parser.parse` gives it; infinite where it is beyond 10^18.

    >>> from re import _parser
    >>> most_steps(_parser.parse("yes|no"), 100) < 1_000
    True
    >>> most_steps(_parser.parse("(a+)+$"), 100)
    inf
    """
    return _total(tree, search)(length)


def longest_within(tree: Any, search: bool, base: int, per_character: int, most: int = 1 << 40) -> int:
    """The greatest length, up to `most`, for which the bound stays within `base + per_character * length`."""
    total = _total(tree, search, exact=False)

    def within(length: int) -> bool:
        return total(length) <= base + per_character * length

    if within(most):
        return most
    total = _total(tree, search)
    if within(most):
        return most
    low, high = 0, 1
    while within(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def _total(tree: Any, search: bool, exact: bool = True) -> Callable[[int], float]:
    """The steps of a match at the beginning, with `search` also of one at each later position."""
    flags = int(tree.state.flags)
    first = _sequence(tree, _Place(flags, False, exact), None)
    later = _sequence(tree, _Place(flags, True, exact), None) if search else None

    def total(length: int) -> float:
        steps = first(length)[1]
        if later is not None:
            steps += later(length)[1] * length
        return steps if steps < 1e18 else _ENDLESS

    return total


def _constant(ways: float, steps: float) -> Bound:
    return lambda length: (ways, steps)


_ONE = _constant(1.0, 1.0)


def _sequence(tree: Any, place: _Place, after: First | None) -> Bound:
    """Parts that follow each other; `after` is how the text has to go on behind them, where that is known."""
    parts: list[Bound] = []
    for item in reversed(tree):
        parts.append(_part(item, place, after))
        after = starts(item, place.flags, after) if place.exact else None
    parts.reverse()

    def bound(length: int) -> tuple[float, float]:
        ways, steps = 1.0, 1.0
        for part in parts:
            more, taken = part(length)
            if ways:  # an infinite number of steps that is never taken
                steps += ways * taken
                ways *= more
            if steps > 1e18 or ways > 1e18:
                return _ENDLESS, _ENDLESS
        return ways, steps

    return bound


def _part(item: Any, place: _Place, after: First | None) -> Bound:
    name, value = item
    if name is sre.SUBPATTERN:
        _, added, removed, body = value
        if added or removed:
            return _sequence(body, place._replace(flags=place.flags & ~removed | added), None)
        return _sequence(body, place, after)
    if name is sre.BRANCH:
        return _branch(value[1], place, after)
    if name in _LOOPS:
        return _loop(value, place, after)
    if name is sre.POSSESSIVE_REPEAT:
        return _once(_loop(value, place, None))
    if name is sre.ATOMIC_GROUP:
        return _once(_sequence(value, place, None))
    if name in (sre.ASSERT, sre.ASSERT_NOT):
        return _once(_sequence(value[1], place._replace(inside=False), None))
    if name is sre.GROUPREF:
        return lambda length: (1.0, length + 1.0)
    if name is sre.GROUPREF_EXISTS:
        return _branch([side for side in value[1:] if side is not None], place, after, least=1.0)
    if name is sre.IN:
        return _constant(1.0, 1.0 + len(value) / 8)
    if name is sre.AT and place.inside:
        beginning = value is sre.AT_BEGINNING and not place.flags & sre.SRE_FLAG_MULTILINE
        if beginning or value is sre.AT_BEGINNING_STRING:
            return _constant(0.0, 1.0)
    return _ONE


def _once(inner: Bound) -> Bound:
    """What matches in one way, after as many steps as the inner part takes."""
    return lambda length: (1.0, 1 + inner(length)[1])


def _branch(branches: Any, place: _Place, after: First | None, least: float = 0.0) -> Bound:
    bounds = [_sequence(branch, place, after) for branch in branches]
    others = _steps_of_others(branches, place.flags) if place.exact else None

    def bound(length: int) -> tuple[float, float]:
        sides = [one(length) for one in bounds]
        ways, steps = [more for more, _ in sides], [taken for _, taken in sides]
        if others is None:
            return max(least, sum(ways)), 1.0 + sum(steps)
        return max(least, *ways), 1.0 + max(map(sum, zip(steps, others, strict=True)))

    return bound


def _steps_of_others(branches: Any, flags: int) -> list[float] | None:
    """For each alternative, the steps of the others on a text that agrees longest with it.

    None where several may match. Two alternatives that exclude each other at one place do not both agree with
    a text beyond it.
    """
    if not 1 < len(branches) <= _COMPARED:
        return None
    prefixes = [_prefix(branch, flags) for branch in branches]
    steps = [0.0] * len(prefixes)
    for one, other in combinations(range(len(prefixes)), 2):
        pairs = enumerate(zip(prefixes[one], prefixes[other], strict=False))
        place = next((at for at, (mine, theirs) in pairs if mine.letters.excludes(theirs.letters)), None)
        if place is None:
            return None
        for mine, theirs in ((one, other), (other, one)):
            steps[mine] += 1 + sum(first.cost for first in prefixes[theirs][: place + 1])
    return steps


def _prefix(branch: Any, flags: int) -> list[First]:
    """The first parts of an alternative, as far as each takes one character."""
    prefix: list[First] = []
    for item in branch:
        first = starts(item, flags, None) if letters_of(item, flags) is not None else None
        if first is None:
            break
        prefix.append(first)
    return prefix


def _loop(loop: tuple[int, int, Any], place: _Place, after: First | None) -> Bound:
    least, most, body = loop
    width, _ = body.getwidth()
    one = _prefix(body, place.flags) if after is not None and len(body) == 1 else []
    around = after
    if after is not None and int(most) > 1:
        again = starts((sre.SUBPATTERN, (None, 0, 0, body)), place.flags, None)
        around = again.joined(after) if again is not None else None
    inner = _sequence(body, place, around)
    # Where what follows cannot begin with a character of the loop, it goes on behind the last of them alone.
    handed = one[0].cost + after.cost if one and after and one[0].letters.excludes(after.letters) else None

    def bound(length: int) -> tuple[float, float]:
        ways, steps = inner(length)
        if steps == _ENDLESS:
            return _ENDLESS, steps
        # Beyond the least number of rounds, a round that takes nothing is the last one.
        rounds = float(min(int(most), length // width + 1 if width else int(least) + length + 1))
        if handed is not None:
            return 1.0, (rounds + 1) * handed
        if ways <= 1:
            return rounds + 1, rounds * (steps + 1) + 1
        if (rounds + 1) * math.log(ways) > 42:
            return _ENDLESS, _ENDLESS
        total = (ways ** (rounds + 1) - 1) / (ways - 1)
        return total, total * (steps + 1)

    return bound
