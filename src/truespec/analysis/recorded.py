"""Verdicts that a judge gave earlier, beside outcomes: agreement, AUC, and what they cost.

The files are those of tau2-bench's judge runs, plain or gzip:
`{"entries": [{simulation_id, tau2_reward, judge_verdict, ...}]}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truespec.metrics.agreement import Kappa, cohen_kappa
from truespec.metrics.proportion import Proportion
from truespec.metrics.ranking import Auc, roc_auc
from truespec.traces.files import Problem, TraceFile
from truespec.verdict import UsageError

FAVOURABLE = ("pass", "passed", "satisfied", "satisfactory", "compliant", "correct", "success", "yes")
"""Words that stand for a pass; judges drift from the one they were given."""
UNFAVOURABLE = (
    "fail", "failed", "unsatisfied", "not satisfied", "dissatisfied", "unsatisfactory", "non-compliant",
    "noncompliant", "not compliant", "incorrect", "failure", "no",
)  # fmt: skip
"""Words that stand for a fail."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One verdict on one trace."""

    trace_id: str
    """The trace."""
    passed: bool | None
    """What the judge said; None where its word is neither a pass nor a fail."""
    solved: bool
    """Whether the outcome is perfect."""
    model: str | None
    """The judge."""
    cost: float
    """What the verdict cost, in dollars."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A judge under one prompt, against outcomes."""

    name: str
    """The file's name: environment and prompt."""
    agreed: Proportion
    """Verdicts that agree with the outcome."""
    kappa: Kappa | None
    """Agreement beyond chance."""
    auc: Auc | None
    """The verdict as a score of failure."""
    cost: float
    """Dollars for all verdicts."""
    unread: int
    """Verdicts that are neither a pass nor a fail; not evaluated, and in no other figure."""


def word_of(verdict: Any) -> bool | None:
    """A verdict's word as a pass or a fail; None for any other word.

    >>> word_of("Compliant."), word_of("fail"), word_of("maybe")
    (True, False, None)
    """
    word = " ".join(str(verdict).lower().replace("_", " ").strip(" .!\"'*").split())
    return True if word in FAVOURABLE else False if word in UNFAVOURABLE else None


def read_recorded(path: Path) -> list[Recorded]:
    """The verdicts of a file; `UsageError` where it holds none."""
    try:
        value = TraceFile(path).document()
        if isinstance(value, Problem):
            raise UsageError(f"{value}: expected recorded verdicts")
        entries = value["entries"]
        return [
            Recorded(
                str(entry["simulation_id"]),
                word_of(entry["judge_verdict"]),
                float(entry["tau2_reward"]) >= 1.0,
                entry.get("judge_model"),
                float(entry.get("judge_cost_usd") or 0.0),
            )
            for entry in entries
        ]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{path}: no recorded verdicts: {error!r}") from None


def standing(name: str, verdicts: Sequence[Recorded]) -> Standing:
    """How the verdicts agree with the outcomes."""
    read = [(one.passed, one.solved) for one in verdicts if one.passed is not None]
    said, true = [passed for passed, _ in read], [solved for _, solved in read]
    failed = [float(not passed) for passed, solved in read if not solved]
    solved_ = [float(not passed) for passed, solved in read if solved]
    return Standing(
        name,
        Proportion(sum(a == b for a, b in read), len(read)),
        cohen_kappa(said, true),
        roc_auc(failed, solved_),
        sum(one.cost for one in verdicts),
        len(verdicts) - len(read),
    )
