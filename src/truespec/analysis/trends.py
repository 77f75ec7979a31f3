"""What changed between two runs: shares of traces that break a rule, mean scores, traces that got worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.analysis.corpus import AGGREGATE, Row, by_group
from truespec.analysis.profiles import SIGNIFICANT, confounds
from truespec.metrics.comparing import fisher_exact, holm
from truespec.metrics.proportion import Interval, Proportion, difference

DROP = 10.0
"""By so many points an aggregate has to fall for a trace to count as worse."""


@dataclass(frozen=True, slots=True)
class Change:
    """The share of traces that show a kind of violation, before and now."""

    domain: str
    """The environment."""
    model: str
    """The model."""
    kind: str
    """The kind of violation."""
    before: Proportion
    """In the older run."""
    now: Proportion
    """In the newer one."""
    gap: Interval | None
    """Newcombe's interval of the difference, now less before."""
    p: float
    """Fisher's exact test, adjusted for all comparisons by Holm's method."""
    confounds: tuple[str, ...]
    """What else differs between the runs."""

    @property
    def significant(self) -> bool:
        """Whether the difference is one by the adjusted test."""
        return self.p < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Trend:
    """Two runs beside each other."""

    changes: tuple[Change, ...]
    """Every kind for every model in an environment that both runs hold, the surest first."""
    worse: tuple[tuple[str, str, float, float], ...]
    """Tasks whose mean aggregate fell by more than `DROP`: environment and model, task, before, now."""
    only_before: int
    """Groups that the newer run does not hold."""
    only_now: int
    """Groups that the older run does not hold."""

    @property
    def regressions(self) -> list[Change]:
        """Kinds that are surely more frequent now."""
        return [c for c in self.changes if c.significant and (c.now.value or 0) > (c.before.value or 0)]


def trend(before: Sequence[Row], now: Sequence[Row]) -> Trend:
    """What changed from one run to the other, by environment and model."""
    old, new = by_group(before), by_group(now)
    raw = []
    worse: list[tuple[str, str, float, float]] = []
    for key in [key for key in new if key in old]:
        odd = confounds(new[key], old[key])
        for kind in sorted({kind for row in (*old[key], *new[key]) for kind in row.binding}):
            first, second = _share(old[key], kind), _share(new[key], kind)
            raw.append((*key, kind, first, second, odd))
        was, is_ = _by_task(old[key]), _by_task(new[key])
        worse += [
            (f"{key[1]}, {key[0]}", task, was[task], is_[task])
            for task in sorted(was.keys() & is_.keys())
            if is_[task] < was[task] - DROP
        ]
    adjusted = holm([fisher_exact(second, first) for *_, first, second, _ in raw])
    changes = [
        Change(domain, model, kind, first, second, difference(second, first), p, odd)
        for (domain, model, kind, first, second, odd), p in zip(raw, adjusted, strict=True)
    ]
    changes.sort(key=lambda c: (c.p, -abs((c.now.value or 0) - (c.before.value or 0))))
    worse.sort(key=lambda entry: entry[3] - entry[2])
    return Trend(tuple(changes), tuple(worse), len(old.keys() - new.keys()), len(new.keys() - old.keys()))


def _share(rows: Sequence[Row], kind: str) -> Proportion:
    return Proportion(sum(kind in row.binding for row in rows), len(rows))


def _by_task(rows: Sequence[Row]) -> dict[str, float]:
    total: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for row in rows:
        if row.complete and row.task is not None:
            total[row.task] += row.scores[AGGREGATE]  # type: ignore[assignment]
            count[row.task] += 1
    return {task: total[task] / count[task] for task in count}
