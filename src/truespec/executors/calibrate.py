"""Judges asked about what is known to be right or wrong: faults put into traces, and the bundled answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path

from truespec.benchmark import bundled
from truespec.benchmark.task import Task
from truespec.compliance.calibration import Trial, new_violations, trials
from truespec.compliance.evaluators.answer import Judged
from truespec.compliance.evaluators.contract import Subject
from truespec.executors.asking import Progress
from truespec.executors.bench import new_run, run_judges, run_models
from truespec.executors.evaluate import Judging, Spent, ask_each
from truespec.faults.registry import KINDS
from truespec.judges.judgement import Judgement
from truespec.metrics.calibration import Item
from truespec.models.call import Call, Settings
from truespec.models.contract import ModelError
from truespec.models.function import FunctionModel
from truespec.models.registry import open_model
from truespec.store.calls import CallLedger
from truespec.traces.importers.registry import files_below, read
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget
from truespec.verdict import Answer, UsageError

CHUNK = 32
"""Trials whose calls run side by side."""


RECORDED = "recorded answers"
"""The name of the model that gives the bundled answers."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How judges of traces are asked."""

    models: Sequence[str]
    """The judges."""
    ledger: Path
    """Where replies are kept."""
    settings: Settings
    """Temperature and longest reply."""
    budget: int
    """Characters of one prompt."""
    concurrency: int
    """Calls at once."""


@dataclass(frozen=True, slots=True)
class Planted:
    """Which faults are put into traces."""

    kinds: Sequence[str]
    """Kinds of faults, see `faults.registry`."""
    seed: int
    """Where they are put."""
    limit: int
    """Faults for each kind and domain."""


def fault_kinds(names: str) -> list[str]:
    """The kinds of faults in a list with commas between, or `all`; `UsageError` for an unknown one."""
    found = list(KINDS) if names == "all" else [name.strip() for name in names.split(",")]
    for name in found:
        if name not in KINDS:
            raise UsageError(f"no fault {name!r}; there are {', '.join(KINDS)}")
    return found


def judge_faults(
    files: Sequence[Path],
    joins: Joins | None,
    planted: Planted,
    asking: Asking,
    progress: Callable[[str, int], None],
    spent: MutableMapping[str, Spent],
) -> list[Item]:
    """Each judge on faulty traces and their clean twins; `spent` gets what its calls took.

    `progress` takes the judge and its faults so far.
    """
    items: list[Item] = []
    with ExitStack() as closing:
        opened = {name: open_model(name) for name in dict.fromkeys(asking.models)}
        for model in opened.values():
            closing.callback(model.close)
        asking.ledger.parent.mkdir(parents=True, exist_ok=True)
        ledger = closing.enter_context(CallLedger(asking.ledger))
        unpacking = Budget()
        paths = list(files_below(files))
        for name in opened:
            # One trace of each file in turn, so that few faults still come from many agents.
            streams = [
                (item for item in read(path, None, joins, unpacking) if isinstance(item, Trace))
                for path in paths
            ]
            stream = (trace for row in zip_longest(*streams) for trace in row if trace is not None)
            judging = Judging(
                opened,
                ledger,
                name,
                settings=asking.settings,
                budget=asking.budget,
                concurrency=asking.concurrency,
            )
            found = trials(stream, planted.kinds, planted.seed, planted.limit)
            total = spent.setdefault(name, Spent())
            items += calibrate_traces(found, judging, partial(progress, name), total)
    return items


def judge_bundled(
    folder: Path,
    tasks: Sequence[Task],
    models: Sequence[str],
    kinds: Sequence[str],
    concurrency: int,
    progress: Progress,
    temperature: float,
    max_tokens: int | None,
) -> None:
    """A run in the folder: the judges on the bundled answers to these tasks; the truth is the verifier's."""
    wanted = {task.id for task in tasks}
    answers = {
        entry.task.id: [answer.text for answer in entry.answers]
        for name in bundled.domains()
        for entry in bundled.tasks(name)
        if entry.task.id in wanted
    }

    def recorded(call: Call) -> str:
        texts = answers[call.subject.removeprefix("answer/")]
        if call.epoch >= len(texts):
            raise ModelError("this task has fewer answers")
        return f"```\n{texts[call.epoch]}\n```\n"

    run = new_run(
        folder,
        tasks,
        [RECORDED],
        epochs=max(map(len, answers.values()), default=1),
        temperature=temperature,
        reasoning_effort="medium",
        max_tokens=max_tokens,
        timeout=4.0,
        tolerant=False,
    )
    given = {RECORDED: FunctionModel(RECORDED, recorded)}
    run_models(run, concurrency=concurrency, given=given, progress=progress)
    run_judges(run, models, kinds, concurrency=concurrency, progress=progress)


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
