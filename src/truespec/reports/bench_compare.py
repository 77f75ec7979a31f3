"""Models against each other: ranks, paired differences, and what several answers to a task would come to.

A task and its variants are one cluster; models are compared on the tasks that both were asked.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from truespec.metrics.clustered import Counts, Estimate, counted, mean_share, mean_value, paired_difference
from truespec.metrics.comparing import holm, sign_flip_exact
from truespec.metrics.epochs import majority_at, pass_at
from truespec.metrics.proportion import Interval
from truespec.metrics.table import Table, estimated, number, share
from truespec.reports.bench_items import answer_of, cluster_of, grouped, share_of
from truespec.verdict import Answer

SIGNIFICANT = 0.05
"""The adjusted p-value below which two models are called different."""
DOUBLE = "(scripted)"
"""Marks the name of an answer set that a script drew; it is compared with no model."""
SEVERAL = (1, 2, 3, 5, 10, 20, 50, 100)
"""The numbers of answers of which pass@k and majority@k are shown, as far as a run has so many."""

Records = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models on the tasks that both were asked."""

    first: str
    """One model."""
    second: str
    """The other."""
    tasks: int
    """How many tasks both were asked."""
    gap: Estimate
    """The first one's share of answers proved equivalent minus the second one's."""
    p: float
    """The exact test that both do equally well."""
    adjusted: float
    """The same, adjusted for the number of comparisons (Holm 1979)."""


def comparison_tables(asked: Records) -> list[Table]:
    """Every table of this module that the answers can fill; scripted sets stand in for models elsewhere."""
    models = [record for record in asked if DOUBLE not in str(record["model"])]
    by_model = grouped(models or asked, lambda record: str(record["model"]))
    found = []
    if len(by_model) > 1:
        pairs = compare(by_model)
        found += [leaderboard(by_model, pairs)]
        found += [comparisons(pairs)] if pairs else []
    several = epochs(by_model)
    return [*found, several] if several else found


def is_right(record: dict[str, Any]) -> bool:
    """Whether the answer is proved equivalent; a call without a reply is not."""
    return answer_of(record) is Answer.EQUIVALENT


def compare(by_model: Mapping[str, Records]) -> list[Pair]:
    """Every two models that were asked a common task, in order."""
    raw: list[tuple[str, str, int, Estimate, float]] = []
    tasks = {model: grouped(some, lambda record: str(record["task"])) for model, some in by_model.items()}
    for first, second in combinations(by_model, 2):
        common = tasks[first].keys() & tasks[second].keys()
        one, two = ([r for r in by_model[m] if r["task"] in common] for m in (first, second))
        gap = paired_difference(_counts(one), _counts(two))
        if gap is None:
            continue
        apart: dict[Hashable, Fraction] = {}
        for task in common:
            mine, theirs = tasks[first][task], tasks[second][task]
            cluster = cluster_of(mine[0])
            apart[cluster] = apart.get(cluster, Fraction()) + _part(mine) - _part(theirs)
        raw.append((first, second, len(common), gap, sign_flip_exact(list(apart.values()))))
    adjusted = holm([p for *_, p in raw])
    return [Pair(*found, p) for found, p in zip(raw, adjusted, strict=True)]


def _counts(some: Records) -> Counts:
    return counted((cluster_of(record), is_right(record)) for record in some)


def _part(some: Records) -> Fraction:
    return Fraction(sum(map(is_right, some)), len(some))


def ranks(models: Sequence[str], pairs: Sequence[Pair]) -> dict[str, tuple[int, int]]:
    """The ranks that each model may have: behind those that are surely better, before those surely worse.

    The tests are adjusted together, so that all ranks hold at once with 95 % confidence (Mogstad and others
    2024, "Inference for Ranks").
    """
    better, worse = dict.fromkeys(models, 0), dict.fromkeys(models, 0)
    for pair in pairs:
        if pair.adjusted < SIGNIFICANT and pair.gap.value:
            ahead, behind = (pair.first, pair.second) if pair.gap.value > 0 else (pair.second, pair.first)
            better[behind] += 1
            worse[ahead] += 1
    return {model: (1 + better[model], len(models) - worse[model]) for model in models}


def leaderboard(by_model: Mapping[str, Records], pairs: Sequence[Pair]) -> Table:
    """The models by their success on the tasks that all of them were asked, with the ranks they may have."""
    asked = [{str(record["task"]) for record in some} for some in by_model.values()]
    common = set[str].intersection(*asked)
    if any(tasks != common for tasks in asked):
        by_model = {model: [r for r in some if r["task"] in common] for model, some in by_model.items()}
        pairs = compare(by_model)
    success = {model: share_of(some, is_right) for model, some in by_model.items()}
    reach = ranks(list(by_model), pairs)
    rows = []
    for model in sorted(by_model, key=lambda name: (-(success[name].value or 0.0), name)):
        value = success[model].value
        place = 1 + sum((other.value or 0.0) > (value or 0.0) for other in success.values())
        rank = number(place if common else None, interval=Interval(*reach[model]))
        domains = grouped(by_model[model], lambda record: str(record["domain"])).values()
        overall = estimated(mean_share([share_of(some, is_right) for some in domains]))
        rows.append((model, rank, share(success[model]), overall))
    left = "" if all(tasks == common for tasks in asked) else ", the others left out"
    note = (
        f"On the {len(common)} tasks that every model was asked{left}. Beside each rank stand the ranks that "
        "the paired comparisons, adjusted together, do not exclude with 95 % confidence. Pooled: every "
        "answer once; overall: mean over the domains."
    )
    heads = ("model", "rank", "pooled", "overall")
    return Table("leaderboard", "Leaderboard", heads, tuple(rows), note)


def comparisons(pairs: Sequence[Pair]) -> Table:
    """Every two models: the paired difference, its interval, and the exact test."""
    rows = [
        (
            f"{pair.first} minus {pair.second}",
            number(pair.tasks),
            estimated(pair.gap, signed=True),
            number(pair.p, ".3g"),
            number(pair.adjusted, ".3g"),
        )
        for pair in pairs
    ]
    heads = ("models", "tasks", "difference", "p", "p adjusted")
    note = (
        "Difference of the shares proved equivalent on the tasks that both were asked, with its 95 % "
        "interval by task. p: exact sign-flip test over tasks (McNemar's exact test where each task has one "
        f"answer); adjusted by Holm's method for {len(pairs)} comparisons."
    )
    return Table("comparisons", "Models compared on the same tasks", heads, tuple(rows), note)


def epochs(by_model: Mapping[str, Records]) -> Table | None:
    """pass@k and majority@k by model; None where no model gave several answers to each of its tasks."""
    least = {
        model: min(map(len, grouped(some, lambda record: str(record["task"])).values()))
        for model, some in by_model.items()
    }
    most = max(least.values(), default=0)
    if most < 2:
        return None
    sizes = [k for k in SEVERAL if k <= most]
    odd = [k for k in sizes if k % 2 and k > 1]
    rows = []
    for model, some in by_model.items():
        tasks = list(grouped(some, lambda record: str(record["task"])).values())

        def mean(
            estimate: Any, k: int, tasks: list[list[dict[str, Any]]] = tasks, items: int = len(some)
        ) -> Estimate:
            values: dict[Hashable, list[float]] = {}
            for one in tasks:
                value = estimate(k, sum(map(is_right, one)), len(one))
                values.setdefault(cluster_of(one[0]), []).append(value)
            found = mean_value(values, items)
            assert found
            return found

        cells = [
            estimated(mean(estimate, k) if k <= least[model] else None)
            for estimate, several in ((pass_at, sizes), (majority_at, odd))
            for k in several
        ]
        rows.append((model, number(least[model]), *cells))
    heads = ("model", "answers per task", *[f"pass@{k}" for k in sizes], *[f"majority@{k}" for k in odd])
    note = (
        "Means over tasks with 95 % intervals by task, unbiased from all answers. pass@k: one of k answers "
        "is right. majority@k: more than half of k answers are right, so that they win every vote."
    )
    return Table("epochs", "Several answers to a task", heads, tuple(rows), note)
