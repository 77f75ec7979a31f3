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
    first: Sequence[Label],
    second: Sequence[Label],
    confidence: float = CONFIDENCE,
    clusters: Sequence[Hashable] | None = None,
) -> Kappa | None:
    """Kappa of two raters on the same items; None for no item or where chance alone agrees on all.

    `clusters` names the cluster of each item, e.g. its task: where one has several items, the interval comes
    from the jackknife over clusters.

    >>> cohen_kappa("yyn", "yyn").value
    1.0
    """
    if len(first) != len(second):
        raise ValueError(f"two raters label the same items, not {len(first)} and {len(second)}")
    n = len(first)
    if clusters is not None and len(clusters) != n:
        raise ValueError(f"every item has a cluster, not {len(clusters)} of {n}")
    if not n:
        return None
    joint, rows, columns = Counter(zip(first, second, strict=True)), Counter(first), Counter(second)
    labels = set(rows) | set(columns)
    observed, chance = _agreement(joint)
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
    if clusters is not None and len(set(clusters)) < n:
        variance = _jackknife(kappa, first, second, clusters)
    half = quantile(confidence) * math.sqrt(max(0.0, variance))
    return Kappa(kappa, Interval(max(-1.0, kappa - half), min(1.0, kappa + half)), observed, n)


def _jackknife(
    kappa: float, first: Sequence[Label], second: Sequence[Label], clusters: Sequence[Hashable]
) -> float:
    """The variance of kappa from leaving out one cluster at a time (Efron and Stein 1981).

    Infinite where there is one cluster alone, of which nothing follows.
    """
    joint = Counter(zip(first, second, strict=True))
    own: dict[Hashable, Counter[tuple[Label, Label]]] = {}
    for cluster, pair in zip(clusters, zip(first, second, strict=True), strict=True):
        own.setdefault(cluster, Counter())[pair] += 1
    if len(own) < 2:
        return math.inf
    parts = [_agreement(joint - one) for one in own.values()]
    values = [kappa if chance == 1 else (observed - chance) / (1 - chance) for observed, chance in parts]
    centre = math.fsum(values) / len(values)
    return (len(values) - 1) / len(values) * math.fsum((value - centre) ** 2 for value in values)


def _agreement(joint: Counter[tuple[Label, Label]]) -> tuple[float, float]:
    """The share of pairs that agree, and the share that chance gives two raters with these labels."""
    n = joint.total()
    rows, columns = Counter[Label](), Counter[Label]()
    for (one, two), count in joint.items():
        rows[one] += count
        columns[two] += count
    observed = sum(count for (one, two), count in joint.items() if one == two) / n
    return observed, sum(rows[label] * columns[label] for label in rows) / (n * n)
