"""Sets of code points, and the Boolean algebra they form.

A set is a tuple of ascending boundaries `(a, b, c, d, ...)`: the code points from `a` up to but not including
`b`, from `c` up to `d`, and so on. Equal sets are equal tuples. Lone surrogates are code points like any
other, as in Python's strings.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise

from truespec.automata.algebra import Algebra, Alphabet

CodePoints = tuple[int, ...]
"""Ascending boundaries, an even number of them."""

LIMIT = 0x110000
"""One more than the last code point of Unicode."""
UNICODE: CodePoints = (0, LIMIT)
"""Every code point."""
ASCII: CodePoints = (0, 128)
"""Code points 0 to 127."""

_READABLE = (
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ _-.,:;!?/@#$%&*+=<>()[]{}|~^'\"`\\\n\t\r"
)
_RANK = bytes(_READABLE.find(chr(point)) if chr(point) in _READABLE else 120 for point in range(128))
_ORDER = ((0xA1, 0xD800), (0xE000, LIMIT), (0x80, 0xA1), (0xD800, 0xE000))
"""Beyond ASCII: letters and signs first, then control characters, lone surrogates last."""


def ranges(points: CodePoints) -> Iterable[tuple[int, int]]:
    """The runs `(first, end)`; `end` is one past the last."""
    return zip(points[::2], points[1::2], strict=True)


def of_ranges(runs: Iterable[tuple[int, int]]) -> CodePoints:
    """The union of runs `(first, end)` in any order.

    >>> of_ranges([(5, 9), (1, 3), (3, 6)])
    (1, 9)
    """
    out: list[int] = []
    for first, end in sorted(runs):
        if first >= end:
            continue
        if out and first <= out[-1]:
            out[-1] = max(out[-1], end)
        else:
            out += (first, end)
    return tuple(out)


def single(character: str) -> CodePoints:
    """The set of one character."""
    point = ord(character)
    return (point, point + 1)


def union(*sets: CodePoints) -> CodePoints:
    """The code points in any of the sets."""
    if len(sets) == 1:
        return sets[0]
    return of_ranges(run for points in sets for run in ranges(points))


def negate(points: CodePoints, within: CodePoints = UNICODE) -> CodePoints:
    """The code points of `within` that are not in `points`."""
    flipped = points[1:] if points[:1] == (0,) else (0, *points)
    flipped = flipped[:-1] if flipped[-1:] == (LIMIT,) else (*flipped, LIMIT)
    return flipped if within == UNICODE else intersect(flipped, within)


def intersect(left: CodePoints, right: CodePoints) -> CodePoints:
    """The code points in both."""
    out: list[int] = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, end = max(left[i], right[j]), min(left[i + 1], right[j + 1])
        if first < end:
            out += (first, end)
        if left[i + 1] < right[j + 1]:
            i += 2
        else:
            j += 2
    return tuple(out)


class Characters(Algebra[CodePoints, str]):
    """The algebra of sets of code points below one alphabet."""

    def __init__(self, alphabet: CodePoints = UNICODE) -> None:
        self._top = alphabet

    @property
    def bottom(self) -> CodePoints:
        """No code point."""
        return ()

    @property
    def top(self) -> CodePoints:
        """The alphabet."""
        return self._top

    def both(self, left: CodePoints, right: CodePoints) -> CodePoints:
        """Intersection."""
        return intersect(left, right)

    def either(self, left: CodePoints, right: CodePoints) -> CodePoints:
        """Union, within the alphabet."""
        return intersect(union(left, right), self._top)

    def negation(self, predicate: CodePoints) -> CodePoints:
        """Complement, within the alphabet."""
        return negate(predicate, self._top)

    def is_empty(self, predicate: CodePoints) -> bool:
        """Whether no code point of the alphabet is in it."""
        return not intersect(predicate, self._top)

    def witness(self, predicate: CodePoints) -> str:
        """The first character of a non-empty set in the order of `place`."""
        points = intersect(predicate, self._top)
        _, point = min(place(first, end) for first, end in ranges(points))
        return chr(point)

    def partition(self, predicates: Iterable[CodePoints]) -> Alphabet[CodePoints]:
        """The blocks, by one sweep over all boundaries; the most readable block first."""
        return _partition(self._top, tuple(dict.fromkeys(predicates)))


@lru_cache(maxsize=512)
def _partition(top: CodePoints, predicates: tuple[CodePoints, ...]) -> Alphabet[CodePoints]:
    # At a boundary the membership in every predicate that has it flips. Bit 0 is the alphabet itself.
    flips: dict[int, int] = {}
    for position, points in enumerate((top, *predicates)):
        for boundary in points:
            flips[boundary] = flips.get(boundary, 0) ^ (1 << position)
    pieces: dict[int, list[int]] = {}
    least: dict[int, tuple[int, int]] = {}
    signature = 0
    for first, end in pairwise([*sorted(flips), LIMIT]):
        signature ^= flips[first]
        if signature & 1 and first < end:
            here = place(first, end)
            known = pieces.get(signature)
            if known is None:
                pieces[signature], least[signature] = [first, end], here
            else:
                known += (first, end)
                least[signature] = min(least[signature], here)
    order = sorted(pieces, key=lambda mark: least[mark])
    blocks = tuple(of_ranges(ranges(tuple(pieces[mark]))) for mark in order)
    return Alphabet.of(blocks, list(predicates), [mark >> 1 for mark in order])


def place(first: int, end: int) -> tuple[int, int]:
    """The least code point of a run in a fixed order of all of them, readable ones first, with its rank.

    Because the order is total, the first separating string in shortlex order is the same one however finely
    the alphabet is cut into blocks.
    """
    if first < 128:
        run = _RANK[first:end]
        rank = min(run)
        return rank, first + run.index(rank)
    for rank, (low, high) in enumerate(_ORDER, 128):
        if first < high and end > low:
            return rank, max(first, low)
    raise ValueError(f"no code point from {first} up to {end}")


# Python's classes ------------------------------------------------------------------------------------


_LOOKED_AT = 0x40000 if sys.version_info < (3, 15) else LIMIT
"""Above, the Unicode of these Pythons has no letter, digit, space or case; a test asks Python about each."""


@cache
def _everything() -> str:
    # Byte by byte of the code points: far faster than character by character.
    data = bytearray(4 * _LOOKED_AT)
    for byte in range(3):
        digits = b"".join(bytes((value,)) * 256**byte for value in range(min(256, _LOOKED_AT >> 8 * byte)))
        data[byte::4] = digits * (_LOOKED_AT // len(digits))
    return data.decode("utf-32-le", "surrogatepass")


@cache
def category(letter: str, ascii_only: bool) -> CodePoints:
    r"""What `\d`, `\s` or `\w` matches in a string pattern, asked of Python itself once.

    >>> category("d", True)
    (48, 58)
    """
    # Runs that do not match are matched too: one step over a run is faster than a search through it.
    pattern = re.compile(f"(\\{letter}+)|\\{letter.upper()}+", re.ASCII if ascii_only else 0)
    text = _everything()[:128] if ascii_only else _everything()
    return tuple(boundary for match in pattern.finditer(text) if match[1] for boundary in match.span())


_CASED = 0x20000 if sys.version_info < (3, 15) else LIMIT
"""Above, the Unicode of these Pythons has no case; a test asks Python about each."""
_BLOCK = 128
"""Code points whose case is looked at together."""


@cache
def cased() -> str:
    """The characters that a case-insensitive match may confuse with another one."""
    points = set()
    everything = _everything()
    for start in range(0, _CASED, _BLOCK):
        block = everything[start : start + _BLOCK]
        # No mapping is shorter than its character, so a block that stays the same has no case at all.
        if block.lower() == block == block.upper():
            continue
        for point, character in enumerate(block, start):
            lower, upper = character.lower(), character.upper()
            if lower != character or upper != character:
                points.add(point)
                # Simple mappings are among the first characters of full ones: "ŉ".upper() is "ʼN".
                points.update(map(ord, lower + upper))
    return "".join(map(chr, sorted(points)))


@lru_cache(maxsize=4096)
def folded(source: str, plain: CodePoints, ascii_only: bool) -> CodePoints:
    """What a literal or class written as `source` matches when case is ignored, asked of Python itself.

    `plain` is what it matches otherwise; only characters with case can differ.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = re.compile(source, re.IGNORECASE | (re.ASCII if ascii_only else 0))
    # The source matches one character at a time, so one search finds them all.
    matched = of_ranges((ord(c), ord(c) + 1) for c in pattern.findall(cased()))
    return union(intersect(plain, _caseless()), matched)


@cache
def _caseless() -> CodePoints:
    return negate(of_ranges((ord(c), ord(c) + 1) for c in cased()))
