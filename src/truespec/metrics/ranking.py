"""How well a score ranks failures: the area under the ROC curve."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.metrics.proportion import CONFIDENCE, Interval, Proportion, quantile


@dataclass(frozen=True, slots=True)
class Auc:
    """The chance that a positive item scores higher than a negative one, ties counting half."""

    value: float
    """0.5 where the score says nothing."""
    interval: Interval
    """From DeLong, DeLong and Clarke-Pearson's variance (1988)."""
    positives: int
    """How many positive items."""
    negatives: int
    """How many negative items."""


def roc_auc(
    positive: Sequence[float], negative: Sequence[float], confidence: float = CONFIDENCE
) -> Auc | None:
    """The AUC of the scores of positive against negative items; None where either is empty.

    >>> roc_auc([3, 4], [1, 2]).value
    1.0
    """
    m, n = len(positive), len(negative)
    if not m or not n:
        return None
    low, high = sorted(negative), sorted(positive)
    above = [(bisect_left(low, x) + bisect_right(low, x)) / 2 / n for x in positive]
    below = [1 - (bisect_left(high, y) + bisect_right(high, y)) / 2 / m for y in negative]
    area = sum(above) / m
    variance = 0.0
    if m > 1:
        variance += sum((v - area) ** 2 for v in above) / (m - 1) / m
    if n > 1:
        variance += sum((v - area) ** 2 for v in below) / (n - 1) / n
    half = quantile(confidence) * math.sqrt(variance)
    return Auc(area, Interval(max(0.0, area - half), min(1.0, area + half)), m, n)


@dataclass(frozen=True, slots=True)
class Threshold:
    """What flagging every item with a score of at most `score` does."""

    score: float
    """The threshold."""
    caught: Proportion
    """Positive items flagged."""
    false_alarms: Proportion
    """Negative items flagged."""


def threshold_curve(positive: Sequence[float], negative: Sequence[float]) -> list[Threshold]:
    """Every distinct threshold of a score that is low for positive items, ascending."""
    low_positive, low_negative = sorted(positive), sorted(negative)
    return [
        Threshold(
            score,
            Proportion(bisect_right(low_positive, score), len(positive)),
            Proportion(bisect_right(low_negative, score), len(negative)),
        )
        for score in sorted({*positive, *negative})
    ]
