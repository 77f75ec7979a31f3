"""What was found in a corpus of traces, in sentences and as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from truespec.analysis.classifier import Classifier, Follows, classifiers, follows
from truespec.analysis.corpus import AGGREGATE, Lost, Row, lost, row_of
from truespec.analysis.digest import Entry, digest
from truespec.analysis.judge_runs import JudgeRun
from truespec.analysis.mean import Mean
from truespec.analysis.missed import Hidden, hidden
from truespec.analysis.profiles import Standing, Trait, standings, traits
from truespec.analysis.recorded import Standing as Judge
from truespec.analysis.trends import Trend, trend
from truespec.metrics.table import UNDEFINED, percent
from truespec.version import __version__


@dataclasses.dataclass(frozen=True)
class Analysis:
    """Everything that was found in a corpus."""

    rows: Sequence[Row]
    lost: Lost
    follows: Follows
    classifiers: Sequence[Classifier]
    hidden: Hidden
    models: Sequence[Standing]
    domains: Sequence[Standing]
    groups: Sequence[Standing]
    traits: Sequence[Trait]
    digest: Sequence[Entry]
    trend: Trend | None
    judges: Sequence[Judge]
    runs: Sequence[JudgeRun]


def analyse(
    artifacts: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]] | None = None,
    judges: Sequence[Judge] = (),
    runs: Sequence[JudgeRun] = (),
) -> Analysis:
    """The four questions, profiles, costs and the digest; trends where an older run is given."""
    rows = [row_of(one) for one in artifacts]
    return Analysis(
        rows,
        lost(rows),
        follows(rows),
        classifiers(rows),
        hidden(rows),
        standings(rows, lambda row: row.model),
        standings(rows, lambda row: row.domain),
        standings(rows, lambda row: f"{row.domain}, {row.model}"),
        traits(rows),
        digest(artifacts),
        trend([row_of(one) for one in before], rows) if before is not None else None,
        judges,
        runs,
    )


def shown_mean(value: Mean | None, digits: int = 1) -> str:
    """A mean with its interval."""
    if value is None:
        return UNDEFINED
    return f"{value.value:.{digits}f} [{value.interval.low:.{digits}f}–{value.interval.high:.{digits}f}]"


def shown_range(low: float, high: float) -> str:
    """An interval."""
    return f"[{low:.2f}–{high:.2f}]"


def shown_p(value: float) -> str:
    """A p-value."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def headline(found: Analysis) -> list[str]:
    """The findings in sentences, for people who read no further."""
    said = [f"{found.lost}."]
    aggregate = next((one for one in found.classifiers if one.name == AGGREGATE), None)
    if found.follows.rank is not None:
        rank = found.follows.rank
        said.append(
            f"The aggregate and the composite outcome score agree in rank to {rank.value:.2f} "
            f"{shown_range(rank.interval.low, rank.interval.high)} over {rank.total} traces, "
            f"{found.follows.within or 0.0:.2f} within models in environments."
        )
    if aggregate is not None and aggregate.auc is not None:
        auc = aggregate.auc
        said.append(
            f"As a classifier of failure the aggregate has an AUC of {auc.value:.2f} "
            f"{shown_range(auc.interval.low, auc.interval.high)}, "
            f"{aggregate.within or 0.5:.2f} within groups."
        )
    if found.hidden.solved.total:
        said.append(
            f"{found.hidden.solved.hits} of {found.hidden.solved.total} traces with a perfect outcome "
            f"({percent(found.hidden.solved.value)}) break a mandatory rule; of the others "
            f"{percent(found.hidden.failed.value)}."
        )
    differing = [t for t in found.traits if t.significant]
    if found.traits:
        clean = [t for t in differing if not t.confounds]
        said.append(
            f"{len(differing)} of {len(found.traits)} comparisons of a model with others in its environment "
            f"differ after correction, {len(clean)} of them with the same prompt and tasks."
        )
    if found.trend is not None:
        said.append(
            f"Against the older run: kinds of violation that are surely more frequent: "
            f"{len(found.trend.regressions)}; tasks that got worse: {len(found.trend.worse)}."
        )
    return said


def summary(found: Analysis) -> dict[str, Any]:
    """The figures as plain JSON values."""
    return {
        "lost": dataclasses.asdict(found.lost),
        "headline": headline(found),
        "follows": dataclasses.asdict(found.follows),
        "classifiers": [
            {key: value for key, value in dataclasses.asdict(one).items() if key != "curve"}
            for one in found.classifiers
        ],
        "hidden": dataclasses.asdict(found.hidden),
        "models": [dataclasses.asdict(one) for one in found.models],
        "domains": [dataclasses.asdict(one) for one in found.domains],
        "groups": [dataclasses.asdict(one) for one in found.groups],
        "profiles": [{**dataclasses.asdict(one), "differs": one.significant} for one in found.traits],
        "judges": [dataclasses.asdict(one) for one in found.judges],
        "judge_runs": [dataclasses.asdict(one) for one in found.runs],
        "trend": dataclasses.asdict(found.trend) if found.trend is not None else None,
        "digest": [{**dataclasses.asdict(e), "models": sorted(e.models)} for e in found.digest],
        "version": __version__,
    }
