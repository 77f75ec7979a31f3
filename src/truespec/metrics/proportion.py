"""A share of a count, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
"""The confidence of every interval by default."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, `low <= high`."""

    low: float
    """The lower bound."""
    high: float
    """The upper bound."""

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval runs upwards, not from {self.low} to {self.high}")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Proportion:
    """`hits` out of `total`, e.g. the refuted candidates that a judge accepted."""

    hits: int
    """How many."""
    total: int
    """Out of how many."""
    effective: float | None = None
    """How many independent items would say as much; None where all `total` items are independent."""

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.total:
            raise ValueError(f"{self.hits} of {self.total} is no proportion")
        if self.effective is not None and not 0 < self.effective <= self.total:
            raise ValueError(f"{self.total} items are worth at most as many, not {self.effective}")

    @property
    def value(self) -> float | None:
        """The share, or None of nothing."""
        return self.hits / self.total if self.total else None

    def wilson(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Wilson's score interval (Wilson 1927) at the effective size, or None of nothing.

        >>> interval = Proportion(0, 10).wilson()
        >>> round(interval.low, 3), round(interval.high, 3)
        (0.0, 0.278)
        """
        if not self.total:
            return None
        size = self.total if self.effective is None else self.effective
        return wilson(self.hits / self.total, size, confidence)


def wilson(value: float, size: float, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval for a share `value`, from 0 to 1, of `size` independent items."""
    z, n, p = quantile(confidence), size, value
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if p == 0 else centre - half
    high = 1.0 if p == 1 else centre + half
    return Interval(max(0.0, low), min(1.0, high))


def quantile(confidence: float) -> float:
    """The two-sided standard normal quantile, 1.96 for 0.95; `ValueError` outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def difference(first: Proportion, second: Proportion, confidence: float = CONFIDENCE) -> Interval | None:
    """Newcombe's interval for `first - second` of independent samples (Newcombe 1998, method 10)."""
    one, two = first.wilson(confidence), second.wilson(confidence)
    if one is None or two is None:
        return None
    p, q = first.hits / first.total, second.hits / second.total
    low = p - q - math.hypot(p - one.low, two.high - q)
    high = p - q + math.hypot(one.high - p, q - two.low)
    return Interval(low, high)
