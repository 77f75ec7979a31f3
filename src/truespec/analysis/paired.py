"""Two versions of an agent on the same tasks: the difference of each measure, task by task.

A task counts once in each measure, with the mean over its traces, so that a version with more runs of an easy
task gains nothing. Which models acted plays no part. Whether a measure is worse is decided by the exact sign
test over tasks, adjusted by Holm's method; the interval of the mean difference shows the size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from truespec.analysis.corpus import AGGREGATE, Row
from truespec.analysis.mean import Mean, mean
from truespec.analysis.profiles import SIGNIFICANT
from truespec.metrics.comparing import holm, mcnemar_exact
from truespec.verdict import UsageError

Task = tuple[str, str]
"""Environment and task."""
SHOWN = 3
"""Tasks that an error names of each side."""


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure on the tasks for which both versions have it."""

    name: str
    """What is measured."""
    more_is_better: bool
    """Whether a higher value is the better one."""
    before: float
    """The mean over tasks in the older version."""
    now: float
    """The mean over tasks in the newer one."""
    gap: Mean
    """The mean difference, now less before, with its interval by the normal approximation."""
    better: int
    """Tasks on which the newer version is better."""
    worse: int
    """Tasks on which it is worse; on the others the two are equal."""
    p: float
    """The exact sign test, two-sided, adjusted by Holm's method within its group of measures."""

    @property
    def is_worse(self) -> bool:
        """Whether the newer version is worse, by the adjusted test."""
        return self.p < SIGNIFICANT and self.worse > self.better

    def record(self) -> dict[str, object]:
        """As plain JSON values."""
        return {
            "name": self.name,
            "before": self.before,
            "now": self.now,
            "difference": self.gap.value,
            "interval": [self.gap.interval.low, self.gap.interval.high] if self.gap.total > 1 else None,
            "tasks": self.gap.total,
            "better": self.better,
            "worse": self.worse,
            "p": self.p,
            "is_worse": self.is_worse,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions beside each other."""

    measures: tuple[Paired, ...]
    """The aggregate score, the outcome, and the share of traces that break a mandatory rule."""
    kinds: tuple[Paired, ...]
    """The share of traces that show each kind of violation of mandatory rules, the surest first."""
    common: int
    """Tasks that both versions have."""
    only_before: int
    """Tasks of the older version alone."""
    only_now: int
    """Tasks of the newer version alone."""
    without_task: int
    """Traces of both that name no task; they are left out."""
    unknown_now: Mapping[str, int]
    """Rules that were evaluated in the older version and are not in the newer, with the number of tasks."""
    unknown_before: Mapping[str, int]
    """The same the other way round."""

    @property
    def worse(self) -> list[Paired]:
        """What is worse in the newer version."""
        return [one for one in (*self.measures, *self.kinds) if one.is_worse]

    @property
    def too_few(self) -> bool:
        """Whether no result on so few tasks could be distinguished from chance."""
        return min(mcnemar_exact(0, self.common) * len(self.measures), 1.0) >= SIGNIFICANT


def compare(before: Sequence[Row], now: Sequence[Row]) -> Comparison:
    """The newer version against the older one; `UsageError` where they have no task in common."""
    old, new = _by_task(before), _by_task(now)
    common = sorted(old.keys() & new.keys())
    if not common:
        raise UsageError(
            f"no common task, so there is nothing to compare: the older run has {_some(old)}, the newer "
            f"{_some(new)}; both runs need traces of the same tasks in the same environment"
        )
    pairs = [(old[task], new[task]) for task in common]
    measures = [
        _paired("aggregate score", True, pairs, lambda row: row.scores.get(AGGREGATE)),
        _paired("outcome", True, pairs, lambda row: row.reward),
        _paired("breaks a mandatory rule", False, pairs, lambda row: float(bool(row.binding))),
    ]
    names = sorted({kind for sides in pairs for rows in sides for row in rows for kind in row.binding})
    kinds = [_paired(name, False, pairs, _shows(name)) for name in names]
    return Comparison(
        tuple(_adjusted(measures)),
        tuple(sorted(_adjusted(kinds), key=lambda one: (one.p, -abs(one.gap.value)))),
        len(common),
        len(old.keys() - new.keys()),
        len(new.keys() - old.keys()),
        sum(row.task is None for row in (*before, *now)),
        _unknown(pairs),
        _unknown([(second, first) for first, second in pairs]),
    )


def _unknown(pairs: Sequence[tuple[list[Row], list[Row]]]) -> dict[str, int]:
    """Rules that are evaluated on the first side of a pair alone, with the number of such pairs."""
    found: Counter[str] = Counter()
    for first, second in pairs:
        known = frozenset[str]().union(*(row.evaluated for row in first))
        found.update(known.difference(*(row.evaluated for row in second)))
    return dict(sorted(found.items()))


def _shows(kind: str) -> Callable[[Row], float]:
    return lambda row: float(kind in row.binding)


def _by_task(rows: Sequence[Row]) -> Mapping[Task, list[Row]]:
    tasks: dict[Task, list[Row]] = defaultdict(list)
    for row in rows:
        if row.task is not None:
            tasks[row.domain, row.task].append(row)
    return tasks


def _some(tasks: Mapping[Task, list[Row]]) -> str:
    named = ", ".join(f"{task} ({domain})" for domain, task in sorted(tasks)[:SHOWN])
    return f"{len(tasks)} tasks{f', e.g. {named}' if named else ''}"


def _paired(
    name: str,
    more_is_better: bool,
    pairs: Sequence[tuple[list[Row], list[Row]]],
    value: Callable[[Row], float | None],
) -> Paired | None:
    """The measure on the tasks for which both sides have it; None where there is no such task."""
    sides = [(_mean(old, value), _mean(new, value)) for old, new in pairs]
    known = [(first, second) for first, second in sides if first is not None and second is not None]
    gap = mean([second - first for first, second in known])
    if gap is None:
        return None
    up = sum(second > first for first, second in known)
    down = sum(second < first for first, second in known)
    better, worse = (up, down) if more_is_better else (down, up)
    before = sum(first for first, _ in known) / len(known)
    return Paired(
        name, more_is_better, before, before + gap.value, gap, better, worse, mcnemar_exact(up, down)
    )


def _mean(rows: Sequence[Row], value: Callable[[Row], float | None]) -> float | None:
    known = [found for row in rows if (found := value(row)) is not None]
    return sum(known) / len(known) if known else None


def _adjusted(measures: Sequence[Paired | None]) -> list[Paired]:
    known = [one for one in measures if one is not None]
    return [replace(one, p=p) for one, p in zip(known, holm([one.p for one in known]), strict=True)]
