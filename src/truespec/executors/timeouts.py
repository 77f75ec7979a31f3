"""The timeout study: what longer limits decide of the answers that a run left unknown (RESpecBench, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from truespec.executors.batch import run_batch
from truespec.store.runs import Run
from truespec.verdict import UsageError

LIMITS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Seconds per pair."""
LASTING = frozenset({"unsupported", "unavailable", "oracle"})
"""Reasons that no limit changes; every other pair is tried again at each limit."""


def study(
    run: Run,
    limits: Sequence[float] = LIMITS,
    *,
    jobs: int,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[dict[str, Any]]:
    """Verify what is unknown again, at each limit above the run's own, until it is decided.

    Writes `timeouts.jsonl`, one record a pair and limit tried: its answer there, the reason where it is still
    unknown, and its wall time. A pair decided at one limit is decided at all longer ones. The verdicts of an
    interrupted study are kept.
    """
    own = run.config().timeout
    pairs = {str(pair["id"]): pair for pair in run.read("pairs")}
    answers: list[dict[str, Any]] = run.read("answers")
    if not answers:
        raise UsageError(
            f"{run.folder} holds no answers yet: run 'truespec bench run -o {run.folder} ...' first"
        )
    records: list[dict[str, Any]] = []
    open_ = [record["id"] for record in answers if _is_open(record["verdict"]) and record["id"] in pairs]
    for limit in sorted(limit for limit in limits if limit > own):
        if not open_:
            break
        name = f"timeouts-{limit:g}"
        run.write(f"{name}-pairs", [pairs[one] for one in open_])
        run_batch(
            run.path(f"{name}-pairs"),
            run.path(name),
            timeout=limit,
            jobs=jobs,
            resume=True,
            progress=lambda done, total, _, limit=limit: progress(f"at {limit:g} s", done, total),  # type: ignore[misc]
        )
        verdicts: list[dict[str, Any]] = run.read(name)
        records += [
            {
                "id": verdict["id"],
                "domain": verdict["domain"],
                "limit": limit,
                "answer": verdict["answer"],
                "reason": verdict["reason"]["code"] if verdict["reason"] else None,
                "seconds": verdict["seconds"],
            }
            for verdict in verdicts
        ]
        open_ = [verdict["id"] for verdict in verdicts if _is_open(verdict)]
    run.write("timeouts", records)
    return records


def may_change(answer: str, reason: str | None) -> bool:
    """Whether a longer limit could decide what has this answer and reason."""
    return answer == "unknown" and reason not in LASTING


def _is_open(verdict: dict[str, Any]) -> bool:
    return may_change(verdict["answer"], verdict["reason"]["code"] if verdict["reason"] else None)
