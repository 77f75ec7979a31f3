"""Shares over clusters: several answers to one task say less than as many answers to different tasks.

The variance of a share is the cluster-robust one of a ratio (Cochran 1977, section 3.12): clusters are
independent, items of one cluster need not be. The effective size is the number of independent items with the
same variance, and Wilson's interval is taken at that size (Dean and Pagano 2015). Where every item is a
cluster of its own, this is Wilson's interval; where all items of a cluster agree, it is Wilson's interval
over clusters.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from truespec.metrics.proportion import CONFIDENCE, Interval, Proportion, wilson


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval, and the size of what it was measured on."""

    value: float
    """The estimate."""
    interval: Interval
    """Its confidence interval."""
    total: int
    """How many items, tasks or domains it was made of."""


Counts = Mapping[Hashable, tuple[int, int]]
"""By cluster, the hits and the number of items."""


def counted(items: Iterable[tuple[Hashable, bool]]) -> dict[Hashable, tuple[int, int]]:
    """The counts by cluster of items that are given as cluster and hit.

    >>> counted([("a", True), ("a", False), ("b", True)])
    {'a': (1, 2), 'b': (1, 1)}
    """
    found: dict[Hashable, tuple[int, int]] = {}
    for cluster, hit in items:
        hits, total = found.get(cluster, (0, 0))
        found[cluster] = (hits + hit, total + 1)
    return found


def clustered(items: Iterable[tuple[Hashable, bool]]) -> Proportion:
    """The share of hits among items that are given as cluster and hit.

    >>> ten = [(task, task < 4) for task in range(10)]
    >>> clustered(ten).wilson() == clustered(ten * 20).wilson() == Proportion(4, 10).wilson()
    True
    """
    return proportion(counted(items))


def proportion(counts: Counts) -> Proportion:
    """The share of hits over clusters."""
    hits = sum(hits for hits, _ in counts.values())
    total = sum(items for _, items in counts.values())
    if total == len(counts):
        return Proportion(hits, total)
    return Proportion(hits, total, effective_size(counts))


def effective_size(counts: Counts) -> float:
    """How many independent items have the variance that the clusters show; at most the number of items.

    Where no item or every item is a hit, the clusters show no variance: their items are taken to agree
    always, as those of a deterministic model do (Kish 1965).
    """
    hits = sum(hits for hits, _ in counts.values())
    total = sum(items for _, items in counts.values())
    if hits in (0, total):
        return min(float(total), total**2 / sum(items**2 for _, items in counts.values()))
    # In whole numbers, so that a deterministic model has exactly as many items as tasks.
    squares = sum((own * total - hits * items) ** 2 for own, items in counts.values())
    return float(total) if squares == 0 else min(float(total), hits * (total - hits) * total**2 / squares)


def paired_difference(first: Counts, second: Counts, confidence: float = CONFIDENCE) -> Estimate | None:
    """The share of `first` minus the share of `second`, which may be of the same clusters.

    The interval recovers the variance from the two shares' own intervals (Zou and Donner 2008), with the
    correlation that the clusters show: for one item a cluster, Newcombe's method 10 for paired shares (1998).
    None where one of them is of nothing.
    """
    one, two = proportion(first), proportion(second)
    reach_one, reach_two = one.wilson(confidence), two.wilson(confidence)
    if one.value is None or two.value is None or reach_one is None or reach_two is None:
        return None
    correlation = _correlation(first, second)
    value = one.value - two.value

    def reach(here: float, there: float) -> float:
        return math.sqrt(max(0.0, here**2 + there**2 - 2 * correlation * here * there))

    low = value - reach(one.value - reach_one.low, reach_two.high - two.value)
    high = value + reach(reach_one.high - one.value, two.value - reach_two.low)
    tasks = len(first.keys() | second.keys())
    return Estimate(value, Interval(max(-1.0, low), min(1.0, high)), tasks)


def _correlation(first: Counts, second: Counts) -> float:
    """How far clusters that are above the one share are above the other one too; 0 where either is the same
    in every cluster."""
    one, two = _above(first), _above(second)
    spread = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in two.values()))
    if spread == 0:
        return 0.0
    return max(-1.0, min(1.0, sum(value * two.get(key, 0.0) for key, value in one.items()) / spread))


def _above(counts: Counts) -> dict[Hashable, float]:
    hits = sum(hits for hits, _ in counts.values())
    total = sum(items for _, items in counts.values())
    return {key: (own * total - hits * items) / total**2 for key, (own, items) in counts.items()}


def mean_share(parts: Sequence[Proportion], confidence: float = CONFIDENCE) -> Estimate | None:
    """The mean of the shares that are defined, of independent samples such as different domains.

    The interval recovers the variance from the intervals of the parts (Zou and Donner 2008).
    """
    known = [(part.value, part.wilson(confidence)) for part in parts]
    found = [Estimate(value, reach, 1) for value, reach in known if value is not None and reach is not None]
    return mean_estimate(found)


def mean_estimate(parts: Sequence[Estimate], *, together: bool = False) -> Estimate | None:
    """The mean of estimates of independent samples; None of nothing.

    With `together`, the samples need not be independent, e.g. models on the same tasks: the interval is the
    widest that their intervals allow.
    """
    if not parts:
        return None
    count = len(parts)
    centre = sum(part.value for part in parts) / count
    below = [(part.value - part.interval.low) / count for part in parts]
    above = [(part.interval.high - part.value) / count for part in parts]
    down, up = (sum(below), sum(above)) if together else (math.hypot(*below), math.hypot(*above))
    return Estimate(centre, Interval(centre - down, centre + up), count)


def mean_value(
    values: Mapping[Hashable, Sequence[float]], items: int, confidence: float = CONFIDENCE
) -> Estimate | None:
    """The mean of values from 0 to 1, one a task, tasks grouped by cluster; None of nothing.

    `items` is the number of answers behind them: the values say no more than as many independent answers.
    """
    total = sum(map(len, values.values()))
    if not total:
        return None
    centre = sum(map(math.fsum, values.values())) / total
    if centre <= 0 or centre >= 1:
        size = total**2 / sum(len(own) ** 2 for own in values.values())
    else:
        squares = math.fsum((math.fsum(own) - centre * len(own)) ** 2 for own in values.values())
        variance = squares / total**2
        size = items if variance * items <= centre * (1 - centre) else centre * (1 - centre) / variance
    centre = min(1.0, max(0.0, centre))
    return Estimate(centre, wilson(centre, size, confidence), total)
