"""Question 1: does a score tell failures from successes, and follow the outcome? (4.2, Figures 5 and 8)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truespec.analysis.corpus import AGGREGATE, Row, by_group, evaluators
from truespec.analysis.mean import SCORE, Mean, Rank, mean, spearman
from truespec.metrics.ranking import Auc, Threshold, roc_auc, threshold_curve

COUNT = "violations"
"""How the number of violations of mandatory rules is named, as a score."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A score as a classifier of failure."""

    name: str
    """The evaluator, `aggregate`, or `violations`."""
    auc: Auc | None
    """Over all traces; None without a failure or without a success."""
    within: float | None
    """The mean over models in environments, each weighted by its pairs: what differs between these is out."""
    failed: Mean | None
    """The score of failures."""
    solved: Mean | None
    """The score of successes."""
    curve: tuple[Threshold, ...]
    """What flagging every score up to a threshold catches."""


def classifiers(rows: Sequence[Row]) -> list[Classifier]:
    """Every score on the traces that have it and an outcome. Few violations count as a high score."""
    return [_classifier(name, rows) for name in (*evaluators(rows), *((COUNT,) if rows else ()))]


def _score(row: Row, name: str) -> float | None:
    return -float(sum(row.binding.values())) if name == COUNT else row.scores.get(name)


def _classifier(name: str, rows: Sequence[Row]) -> Classifier:
    failed, solved = _sides(rows, name)
    pairs = weighted = 0.0
    for group in by_group(rows).values():
        low, high = _sides(group, name)
        auc = _auc(low, high)
        if auc is not None:
            pairs += len(low) * len(high)
            weighted += len(low) * len(high) * auc.value
    return Classifier(
        name,
        _auc(failed, solved),
        weighted / pairs if pairs else None,
        mean(failed, None if name == COUNT else SCORE),
        mean(solved, None if name == COUNT else SCORE),
        tuple(threshold_curve(failed, solved)) if failed and solved else (),
    )


def _sides(rows: Sequence[Row], name: str) -> tuple[list[float], list[float]]:
    known = [(row.solved, _score(row, name)) for row in rows if row.solved is not None]
    return (
        [value for solved, value in known if value is not None and not solved],
        [value for solved, value in known if value is not None and solved],
    )


def _auc(failed: Sequence[float], solved: Sequence[float]) -> Auc | None:
    """Failures score low: their negated score is the higher one."""
    return roc_auc([-v for v in failed], [-v for v in solved])


@dataclass(frozen=True, slots=True)
class Follows:
    """The aggregate beside the composite outcome score, trace by trace (Figure 5)."""

    rank: Rank | None
    """How far the two orders agree."""
    quarters: tuple[tuple[Mean, Mean], ...]
    """For each quarter of the traces by aggregate: the aggregate and the composite score."""
    curve: tuple[tuple[float, float, float], ...]
    """Along the traces from the lowest aggregate: position from 0 to 1, mean aggregate, mean composite."""
    total: int
    """How many traces have both."""
    within: float | None
    """The mean correlation over models in environments, weighted by their traces."""


def follows(rows: Sequence[Row], points: int = 40) -> Follows:
    """The complete traces whose outcome has parts, sorted by aggregate."""
    pairs = _pairs(rows)
    quarters, curve = [], []
    for number in range(min(4, len(pairs))):
        part = pairs[len(pairs) * number // 4 : len(pairs) * (number + 1) // 4]
        one, other = mean([a for a, _ in part], SCORE), mean([c for _, c in part], SCORE)
        if one is not None and other is not None:
            quarters.append((one, other))
    steps = min(points, len(pairs))
    for number in range(steps):
        part = pairs[len(pairs) * number // steps : len(pairs) * (number + 1) // steps]
        place = (number + 0.5) / steps
        curve.append((place, sum(a for a, _ in part) / len(part), sum(c for _, c in part) / len(part)))
    groups = [rank for group in by_group(rows).values() if (rank := _rank(_pairs(group))) is not None]
    traces = sum(rank.total for rank in groups)
    within = sum(rank.value * rank.total for rank in groups) / traces if traces else None
    return Follows(_rank(pairs), tuple(quarters), tuple(curve), len(pairs), within)


def _pairs(rows: Sequence[Row]) -> list[tuple[float, float]]:
    return sorted(
        (row.scores[AGGREGATE], row.composite) for row in rows if row.complete and row.composite is not None
    )


def _rank(pairs: Sequence[tuple[float, float]]) -> Rank | None:
    return spearman([a for a, _ in pairs], [c for _, c in pairs])
