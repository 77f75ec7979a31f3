"""The same traces judged by several judges: what each costs, and how well its scores tell failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.analysis.classifier import classifiers
from truespec.analysis.corpus import AGGREGATE, row_of
from truespec.metrics.ranking import Auc

NOBODY = "monitors alone"
"""The judge of a run that asked no model."""


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """One run."""

    judge: str
    """The model that judged."""
    traces: int
    """How many."""
    complete: int
    """How many have an aggregate."""
    aggregate: Auc | None
    """The aggregate as a classifier of failure."""
    output: Auc | None
    """The output specification's score as one."""
    cost: float | None
    """Dollars per trace; None where a judge was asked and nobody said what it cost."""
    tokens: float
    """Tokens per trace, in and out."""


def judge_run(artifacts: Sequence[Mapping[str, Any]]) -> JudgeRun:
    """The figures of a run."""
    judged = [one["judged"] for one in artifacts if isinstance(one.get("judged"), Mapping)]
    names = sorted({str(one.get("model")) for one in judged})
    rows = [row_of(one) for one in artifacts]
    found = {one.name: one.auc for one in classifiers(rows)}
    costs = [one.get("cost") for one in judged]
    tokens = sum((one.get("input_tokens") or 0) + (one.get("output_tokens") or 0) for one in judged)
    known = [float(cost) for cost in costs if isinstance(cost, (int, float))]
    total = max(1, len(artifacts))
    return JudgeRun(
        ", ".join(names) or NOBODY,
        len(artifacts),
        sum(row.complete for row in rows),
        found.get(AGGREGATE),
        found.get("output_spec"),
        0.0 if not judged else sum(known) / total if len(known) == len(costs) else None,
        tokens / total,
    )
