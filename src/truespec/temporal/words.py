"""All short words at once: a truth value in all of them is one big integer, a bit to a word.

For k positions and n atoms there are 2^(nk) words. Each formula is evaluated once per loop start by the
equations of its operators, least or greatest solutions where they go round a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from truespec.temporal.pool import PAST, Kind, Pool

BITS = 16
"""At most so many variables: 2^16 words at once."""
LONGEST = 9
"""Longer words are left to the search."""


@dataclass(frozen=True, slots=True)
class Word:
    """A finite trace, or an infinite word that repeats its positions from `loop` on."""

    letters: tuple[frozenset[str], ...]
    """At each position the atoms that hold."""
    loop: int | None = None
    """Where the loop starts; None for a finite trace."""

    def __str__(self) -> str:
        """As people read it, `{a} {a,b} ({} {b})^w`."""
        shown = ["{" + ",".join(sorted(letter)) + "}" for letter in self.letters]
        if self.loop is None:
            return " ".join(shown)
        return " ".join([*shown[: self.loop], f"({' '.join(shown[self.loop :])})^w"])


@cache
def _columns(count: int) -> tuple[int, ...]:
    """One integer for each of `count` variables: bit w of variable v is bit v of w."""
    full = (1 << (1 << count)) - 1
    return tuple(full // ((1 << (1 << v)) + 1) << (1 << v) for v in range(count))


def values(
    pool: Pool, order: Sequence[int], letters: Sequence[Sequence[int]], loop: int | None, full: int
) -> list[list[int]]:
    """For each number its values by position; `letters[i]` holds the values of every atom at position i.

    `order` lists operands first. The result is indexed like the pool, empty where a number is not in `order`.
    """
    if loop is not None:
        # Past formulas settle after one more round of the loop for each past operator.
        rounds = sum(1 for n in order if pool.kind[n] >= PAST)
        rounds += rounds > 0
        period = len(letters) - loop
        letters = [*letters, *list(letters[loop:]) * rounds]
        loop += period * rounds
    at: list[list[int]] = [[]] * len(pool.kind)
    for n in order:
        at[n] = _row(pool.kind[n], pool.items[n], at, letters, loop, full)
    return at


def _row(
    kind: Kind,
    items: tuple[int, ...],
    at: list[list[int]],
    letters: Sequence[Sequence[int]],
    loop: int | None,
    full: int,
) -> list[int]:
    k = len(letters)
    if kind is Kind.LITERAL:
        place = items[0]
        return [row[place] for row in letters] if place >= 0 else [full ^ row[~place] for row in letters]
    if kind is Kind.AND or kind is Kind.OR:
        value = list(at[items[0]])
        for item in items[1:]:
            if kind is Kind.AND:
                value = [x & y for x, y in zip(value, at[item], strict=True)]
            else:
                value = [x | y for x, y in zip(value, at[item], strict=True)]
        return value
    if kind <= Kind.FALSE:
        return [full if kind is Kind.TRUE else 0] * k
    a = at[items[0]]
    if kind is Kind.NEXT or kind is Kind.WEAK_NEXT:
        if loop is not None:
            return [*a[1:], a[loop]]
        return [*a[1:], 0 if kind is Kind.NEXT else full]
    if kind is Kind.YESTERDAY or kind is Kind.WEAK_YESTERDAY:
        return [0 if kind is Kind.YESTERDAY else full, *a[:-1]]
    return _fixpoint(kind, a, at[items[1]], loop, full)


def _fixpoint(kind: Kind, a: list[int], b: list[int], loop: int | None, full: int) -> list[int]:
    k = len(a)
    value = [0] * k
    least = kind is Kind.UNTIL or kind is Kind.SINCE
    last = 0 if least else full
    backwards = kind is Kind.UNTIL or kind is Kind.RELEASE
    # The first round finds the value at the loop start, the second starts from it.
    for _ in range(2 if backwards and loop is not None else 1):
        for i in range(k - 1, -1, -1) if backwards else range(k):
            last = (b[i] | (a[i] & last)) if least else (b[i] & (a[i] | last))
            value[i] = last
        if backwards and loop is not None:
            last = value[loop]
    return value


def lowest(bits: int) -> int:
    """The number of the lowest set bit."""
    return (bits & -bits).bit_length() - 1


@dataclass(frozen=True, slots=True)
class Short:
    """What the short words show."""

    left: Word | None
    """A shortest word in which only the left formula holds; None where no short word shows one."""
    right: Word | None
    """A shortest word in which only the right formula holds."""
    length: int
    """All words up to this length were tried for both."""


def separate(pool: Pool, left: int, right: int, check: Callable[[], None], bits: int = BITS) -> Short:
    """The shortest words that separate the formulas in either direction, among the short words.

    Once one direction has its word, only words of few variables are tried for the other.
    """
    order, used = pool.below(left, right), pool.used(left, right)
    found: list[Word | None] = [None, None]
    longest = min(LONGEST, bits // max(1, len(used)))
    tried = 0
    for k in range(1, longest + 1):
        variables = len(used) * k
        if (found[0] or found[1]) and variables > bits // 2:
            break
        columns, full = _columns(variables), (1 << (1 << variables)) - 1
        rows = [[0] * len(pool.atoms) for _ in range(k)]
        for i, row in enumerate(rows):
            for j, place in enumerate(used):
                row[place] = columns[i * len(used) + j]
        for loop in [None] if pool.finite else range(k - 1, -1, -1):
            check()
            at = values(pool, order, rows, loop, full)
            x, y = at[left][0], at[right][0]
            for side, only in enumerate((x & ~y, y & ~x)):
                if only and found[side] is None:
                    word = lowest(only)
                    found[side] = Word(
                        tuple(frozenset(pool.atoms[p] for p in used if row[p] >> word & 1) for row in rows),
                        loop,
                    )
        tried = k
        if found[0] and found[1]:
            break
    return Short(found[0], found[1], tried)
