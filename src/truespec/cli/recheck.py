"""`truespec recheck`: do the verdicts of a file hold?"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import click

from truespec.cli.common import Seconds, echo
from truespec.cli.progress import Progress
from truespec.domains.contract import RecheckStatus
from truespec.executors.recheck import Rechecked, run_recheck

TIMEOUT = 30.0
"""Seconds per verdict: the checkers are simpler than the finders, and slower."""
UNANSWERED = "pair without a verdict"
"""What is counted for a pair that the verdict file says nothing about."""


@click.command()
@click.argument("verdicts", type=click.Path(path_type=Path))
@click.option("--pairs", required=True, type=click.Path(path_type=Path), help="The pairs they are about.")
@click.option("--timeout", type=Seconds(), default=TIMEOUT, show_default=True, help="Seconds per verdict.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def recheck(verdicts: Path, pairs: Path, timeout: float, jobs: int | None, as_json: bool) -> None:
    """Replay every counterexample and re-check every certificate of VERDICTS.

    The checkers share no code with the verifiers that found the evidence. What has no certificate, or could
    not be re-checked within the limit, is counted and named; it is neither confirmed nor a failure.

    Exit code: 0 when nothing failed, 1 on the first verdict that fails, 2 for files that do not fit together.
    """
    confirmed: Counter[str] = Counter()
    others: Counter[str] = Counter()
    unchecked: list[str] = []
    bar = Progress()
    for outcome in run_recheck(
        verdicts,
        pairs,
        timeout=timeout,
        jobs=jobs or len(os.sched_getaffinity(0)),
        progress=lambda done, total: bar.show("verdicts", done, total),
    ):
        answer = _subject(outcome)
        if outcome.recheck is None:
            others[answer] += 1
            if not outcome.line and others[answer] == 1:
                unchecked.append(f"{outcome.id!r}: {answer}")
            continue
        match outcome.recheck.status:
            case RecheckStatus.FAILED:
                if as_json:
                    found = {"line": outcome.line, "id": outcome.id, "answer": answer}
                    found |= {"by": outcome.recheck.by, "detail": outcome.recheck.detail}
                    echo(json.dumps(_record(confirmed, others, unchecked, found)))
                    sys.exit(1)
                echo(f"FAILED  line {outcome.line}, {outcome.id!r}: {answer}")
                echo(f"  {outcome.recheck.by}: {outcome.recheck.detail}")
                sys.exit(1)
            case RecheckStatus.CONFIRMED:
                confirmed[f"{answer}, by {outcome.recheck.by}"] += 1
            case _:
                others[f"{answer}, {outcome.recheck.status.value}"] += 1
                unchecked.append(f"{outcome.id!r}: {outcome.recheck.status.value}: {outcome.recheck.detail}")
    if as_json:
        echo(json.dumps(_record(confirmed, others, unchecked, None)))
        return
    if not confirmed and not others.keys() - {UNANSWERED}:
        echo(f"{verdicts} holds no verdict: nothing to check")
    for label, count in sorted(confirmed.items()):
        echo(f"confirmed    {count:6}  {label}")
    for label, count in sorted(others.items()):
        echo(f"not checked  {count:6}  {label}")
    for line in unchecked[:20]:
        echo(f"  {line}")
    if len(unchecked) > 20:
        echo(f"  ... and {len(unchecked) - 20} more")


def _subject(outcome: Rechecked) -> str:
    """What was to be checked, in a few words."""
    if outcome.answer:
        return outcome.answer.value
    if not outcome.line:
        return UNANSWERED
    return "error record" if outcome.recheck is None else "a record that is no verdict"


def _record(
    confirmed: Counter[str], others: Counter[str], unchecked: list[str], failed: dict[str, object] | None
) -> dict[str, object]:
    """The counts as plain JSON values; `failed` is the first verdict that does not hold."""
    return {"confirmed": confirmed, "not_checked": others, "undecided": unchecked, "failed": failed}
