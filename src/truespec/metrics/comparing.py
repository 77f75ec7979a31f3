"""Tests for a difference, and what many tests at once do to them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, gcd, lcm

from truespec.metrics.proportion import Proportion


def fisher_exact(first: Proportion, second: Proportion) -> float:
    """The two-sided p-value of Fisher's exact test that two proportions are the same.

    >>> round(fisher_exact(Proportion(3, 4), Proportion(1, 4)), 4)
    0.4857
    """
    hits, total = first.hits + second.hits, first.total + second.total
    seen = comb(first.total, first.hits) * comb(second.total, second.hits)
    least, extreme = max(0, hits - second.total), 0
    weight = comb(first.total, least) * comb(second.total, hits - least)
    for k in range(least, min(hits, first.total) + 1):
        if weight <= seen:
            extreme += weight
        # The next weight by its exact ratio to this one: binomials of thousands are dear to make anew.
        weight = weight * (first.total - k) * (hits - k) // ((k + 1) * (second.total - hits + k + 1))
    return min(1.0, extreme / comb(total, hits))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """The two-sided exact p-value that two raters of the same items err equally often (McNemar 1947)."""
    n, k = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return 1.0
    return min(1.0, 2 * sum(comb(n, i) for i in range(k + 1)) / (1 << n))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for many comparisons by Holm's step-down method (1979), in the given order.

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = worst
    return adjusted


def sign_flip_exact(differences: Sequence[Fraction | int]) -> float:
    """The two-sided exact p-value that two respondents do equally well, given their difference by cluster.

    Where they do, every difference is as likely as its opposite (Fisher's randomization test for pairs,
    1935). With one answer a task this is McNemar's exact test.

    >>> sign_flip_exact([1] * 5 + [0] * 10), mcnemar_exact(5, 0)
    (0.0625, 0.0625)
    """
    exact = [abs(Fraction(one)) for one in differences]
    scale = lcm(*(one.denominator for one in exact))
    sizes = [int(one * scale) for one in exact if one]
    if not sizes:
        return 1.0
    step = gcd(*sizes)
    sizes = [size // step for size in sizes]
    seen = abs(int(sum(map(Fraction, differences)) * scale)) // step
    # How many choices of signs make those that are positive sum to s: field s of one long number.
    width, total = len(sizes) + 1, sum(sizes)
    ways = 1
    for size in sizes:
        ways += ways << (size * width)
    # The sum of all differences is 2 s - total: at least as far from 0 as the one seen, on one side.
    most = (total - seen) // 2
    tail, mask = 0, (1 << width) - 1
    for _ in range(most + 1):
        tail += ways & mask
        ways >>= width
    return min(1.0, float(Fraction(2 * tail, 1 << len(sizes))))
