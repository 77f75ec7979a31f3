"""Agreement beyond chance: Cohen's kappa."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from truespec.metrics.proportion import CONFIDENCE, Interval, quantile

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa over `total` items."""

    value: float
    """1 for full agreement, 0 for what chance gives."""
    interval: Interval
    """From the large-sample standard error (Fleiss, Cohen and Everitt 1969)."""
    observed: float
    """The share of items on which both agree."""
    total: int
    """How many items."""


def cohen_kappa(
    first: Sequence[Label], second: Sequence[Label], confidence: float = CONFIDENCE
) -> Kappa | None:
    """Kappa of two raters on the same items; None for no item or where chance alone agrees on all.

    >>> cohen_kappa("yyn", "yyn").value
    1.0
    """
    if len(first) != len(second):
        raise ValueError(f"two raters label the same items, not {len(first)} and {len(second)}")
    n = len(first)
    if not n:
        return None
    joint, rows, columns = Counter(zip(first, second, strict=True)), Counter(first), Counter(second)
    labels = set(rows) | set(columns)
    observed = sum(joint[label, label] for label in labels) / n
    chance = sum(rows[label] * columns[label] for label in labels) / (n * n)
    if chance == 1:
        return None
    kappa = (observed - chance) / (1 - chance)
    agree = sum(
        joint[label, label] / n * (1 - (rows[label] + columns[label]) / n * (1 - kappa)) ** 2
        for label in labels
    )
    differ = (1 - kappa) ** 2 * sum(
        joint[one, two] / n * ((columns[one] + rows[two]) / n) ** 2
        for one in labels
        for two in labels
        if one != two
    )
    variance = (agree + differ - (kappa - chance * (1 - kappa)) ** 2) / (n * (1 - chance) ** 2)
    half = quantile(confidence) * math.sqrt(max(0.0, variance))
    return Kappa(kappa, Interval(max(-1.0, kappa - half), min(1.0, kappa + half)), observed, n)
