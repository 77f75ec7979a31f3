"""Questions 3 and 4: how models and environments compare, and what is a model's own (4.4, 4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from truespec.analysis.corpus import Row, by_group, evaluators
from truespec.analysis.mean import SCORE, Mean, mean
from truespec.metrics.comparing import fisher_exact, holm
from truespec.metrics.proportion import Interval, Proportion, difference

SIGNIFICANT = 0.05
"""The adjusted p-value below which a difference is reported as one."""
SAME_TASKS = 0.5
"""Below this share of common tasks, two groups are said to have had other tasks."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The means of one model, environment, or model in an environment."""

    name: str
    """Which."""
    traces: int
    """How many."""
    scores: Mapping[str, Mean]
    """By evaluator; the aggregate over complete traces only."""
    reward: Mean | None
    """Of the outcome, in percent."""
    composite: Mean | None
    """Of the composite outcome score."""
    cost: Mean | None
    """Per trace."""
    seconds: Mean | None
    """Per trace."""
    size: Mean | None
    """Messages per trace."""


def standings(rows: Sequence[Row], name: Callable[[Row], str]) -> list[Standing]:
    """The means of the groups that a name makes, by name."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return [_standing(key, groups[key]) for key in sorted(groups)]


def _standing(name: str, rows: Sequence[Row]) -> Standing:
    scores = {
        evaluator: found
        for evaluator in evaluators(rows)
        if (found := mean([row.scores[evaluator] for row in rows if evaluator in row.scores], SCORE))
        is not None
    }
    return Standing(
        name,
        len(rows),
        scores,
        mean([100 * row.reward for row in rows if row.reward is not None], SCORE),
        mean([row.composite for row in rows if row.composite is not None], SCORE),
        mean([row.cost for row in rows if row.cost is not None]),
        mean([row.seconds for row in rows if row.seconds is not None]),
        mean([float(row.size) for row in rows]),
    )


@dataclass(frozen=True, slots=True)
class Trait:
    """A kind of violation in one model's traces, against the other models of the same environment."""

    domain: str
    """The environment."""
    model: str
    """The model."""
    kind: str
    """The kind of violation."""
    mine: Proportion
    """Its traces that show it."""
    others: Proportion
    """The others' traces that do."""
    times: int
    """How often it occurs in its traces."""
    gap: Interval | None
    """Newcombe's interval of the difference."""
    p: float
    """Fisher's exact test, adjusted for all comparisons by Holm's method."""
    confounds: tuple[str, ...]
    """What else differs: `prompt`, `tasks`."""

    @property
    def significant(self) -> bool:
        """Whether the difference is one by the adjusted test."""
        return self.p < SIGNIFICANT


def traits(rows: Sequence[Row]) -> list[Trait]:
    """Every model and kind in every environment with more than one model, the surest differences first.

    A model is compared with those that were given its prompt, and with all others only where there are none.
    """
    groups = by_group(rows)
    raw: list[tuple[str, str, str, Proportion, Proportion, int, tuple[str, ...]]] = []
    for (domain, model), mine in groups.items():
        rest = [
            row for (where, who), some in groups.items() if where == domain and who != model for row in some
        ]
        if not rest:
            continue
        # Where others were given the same prompt, only these are compared with.
        prompts = {row.prompt for row in mine}
        alike = [row for row in rest if row.prompt in prompts and row.prompt is not None]
        rest = alike if alike and len(prompts) == 1 else rest
        odd = confounds(mine, rest)
        for kind in sorted({kind for row in (*mine, *rest) for kind in (*row.binding, *row.advisory)}):
            first, second = _showing(mine, kind), _showing(rest, kind)
            times = sum(row.binding.get(kind, 0) + row.advisory.get(kind, 0) for row in mine)
            raw.append((domain, model, kind, first, second, times, odd))
    adjusted = holm([fisher_exact(first, second) for *_, first, second, _, _ in raw])
    found = [
        Trait(domain, model, kind, first, second, times, difference(first, second), p, odd)
        for (domain, model, kind, first, second, times, odd), p in zip(raw, adjusted, strict=True)
    ]
    return sorted(found, key=lambda t: (t.p, -abs((t.mine.value or 0) - (t.others.value or 0))))


def _showing(rows: Sequence[Row], kind: str) -> Proportion:
    return Proportion(sum(kind in row.binding or kind in row.advisory for row in rows), len(rows))


def confounds(mine: Sequence[Row], rest: Sequence[Row]) -> tuple[str, ...]:
    """What else tells two groups apart: other prompts, or mostly other tasks."""
    found = []
    prompts, others = {row.prompt for row in mine}, {row.prompt for row in rest}
    if len(prompts | others) > 1 or None in prompts | others:
        found.append("prompt")
    tasks, theirs = {row.task for row in mine}, {row.task for row in rest}
    if len(tasks & theirs) < SAME_TASKS * len(tasks | theirs):
        found.append("tasks")
    return tuple(found)
