"""Judges of traces asked about known faults and their clean twins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from truespec.compliance.calibration import Trial, new_violations
from truespec.compliance.evaluators.answer import Judged
from truespec.compliance.evaluators.contract import Subject
from truespec.executors.evaluate import Judging, Spent, ask_each
from truespec.judges.judgement import Judgement
from truespec.metrics.calibration import Item
from truespec.verdict import Answer

CHUNK = 32
"""Trials whose calls run side by side."""


def calibrate_traces(
    trials: Iterator[Trial],
    judging: Judging,
    progress: Callable[[int], None] = lambda done: None,
    total: Spent | None = None,
) -> list[Item]:
    """Two items for each trial: the clean twin, which nothing is wrong with, and the faulty trace.

    What the calls took is added to the total.
    """
    spent = Spent() if total is None else total
    items: list[Item] = []
    done = 0
    while chunk := list(islice(trials, CHUNK)):
        asked: list[tuple[Subject, str]] = []
        for trial in chunk:
            asked += [(trial.clean, trial.evaluator.name), (trial.faulty, trial.evaluator.name)]
        answers = ask_each(asked, judging, spent)
        for number, trial in enumerate(chunk):
            items += _items(trial, answers[2 * number : 2 * number + 2], judging.judge)
        done += len(chunk)
        progress(done)
    return items


def _items(trial: Trial, answers: Sequence[Judged | None], judge: str) -> list[Item]:
    fault = trial.fault
    domain = fault.clean.domain or "unknown"
    clean, faulty = answers
    before = clean.result if clean is not None else None
    after = faulty.result if faulty is not None else None

    def item(truth: Answer, judgement: Judgement, located: bool | None = None) -> Item:
        return Item(judge, fault.kind, domain, truth, judgement, located)

    made = []
    if before is None or before.score is None:
        made.append(item(Answer.EQUIVALENT, Judgement.UNKNOWN))
    else:
        wrong = any(v.rule_id in trial.ids for v in before.violations)
        made.append(item(Answer.EQUIVALENT, Judgement.REJECT if wrong else Judgement.ACCEPT))
    if before is None or after is None or before.score is None or after.score is None:
        made.append(item(Answer.REFUTED, Judgement.UNKNOWN))
    else:
        more = new_violations(trial, before.violations, after.violations)
        located = any(v.message_index in fault.places for v in more) if more else None
        made.append(item(Answer.REFUTED, Judgement.REJECT if more else Judgement.ACCEPT, located))
    return made
