"""Tests for a difference, and what many tests at once do to them."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

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
