"""A mean with its interval, and the agreement of two rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.metrics.proportion import CONFIDENCE, Interval, quantile


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `total` values."""

    value: float
    """The mean."""
    interval: Interval
    """From the standard error; the value itself for a single one."""
    total: int
    """How many values."""

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.interval.low:.1f}–{self.interval.high:.1f}]"


def mean(
    values: Sequence[float], within: tuple[float, float] | None = None, confidence: float = CONFIDENCE
) -> Mean | None:
    """The mean; None of nothing. The interval stays `within` what the values can be.

    >>> mean([1.0, 3.0]).value
    2.0
    """
    n = len(values)
    if not n:
        return None
    centre = sum(values) / n
    spread = math.sqrt(sum((v - centre) ** 2 for v in values) / (n - 1)) if n > 1 else 0.0
    half = quantile(confidence) * spread / math.sqrt(n)
    low, high = within or (-math.inf, math.inf)
    return Mean(centre, Interval(max(low, centre - half), min(high, centre + half)), n)


SCORE = (0.0, 100.0)
"""What a score can be."""


@dataclass(frozen=True, slots=True)
class Rank:
    """Spearman's correlation over `total` pairs."""

    value: float
    """1 for the same order, 0 for none, -1 for the opposite one."""
    interval: Interval
    """By Fisher's transformation with Bonett and Wright's standard error (2000)."""
    total: int
    """How many pairs."""


def spearman(first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE) -> Rank | None:
    """The correlation of ranks, ties sharing theirs; None below four pairs or where a side is constant.

    >>> spearman([1, 2, 3, 4], [10, 20, 30, 40]).value
    1.0
    """
    n = len(first)
    if n < 4 or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    x, y = _ranks(first), _ranks(second)
    centre = (n + 1) / 2
    above = sum((a - centre) * (b - centre) for a, b in zip(x, y, strict=True))
    below = math.sqrt(sum((a - centre) ** 2 for a in x) * sum((b - centre) ** 2 for b in y))
    value = max(-1.0, min(1.0, above / below))
    if abs(value) > 1 - 1e-12:
        return Rank(float(round(value)), Interval(value, value), n)
    half = quantile(confidence) * math.sqrt((1 + value * value / 2) / (n - 3))
    z = math.atanh(value)
    return Rank(value, Interval(math.tanh(z - half), math.tanh(z + half)), n)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for i in order[start:end]:
            ranks[i] = (start + end + 1) / 2
        start = end
    return ranks
