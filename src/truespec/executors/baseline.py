"""How the recorded baseline is made: answer sets and judges that were written down, verified on the spot."""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truespec.benchmark import bundled
from truespec.benchmark.answer import read_answer
from truespec.benchmark.bundled.baseline import (
    ANSWERS,
    JUDGEMENTS,
    TIMEOUTS,
    by_task,
    file_name,
    fingerprint,
    readings,
    scores,
)
from truespec.benchmark.select import bundled_tasks
from truespec.executors.bench import Wanted, new_run, run_judges, run_models, wanted_judgements
from truespec.judges.reader import ReaderJudge
from truespec.judges.scripted import JUDGES
from truespec.models.call import Call, Settings
from truespec.models.contract import Model, ModelError
from truespec.models.function import FunctionModel
from truespec.store.lines import to_line
from truespec.store.runs import Config, Run

SCRIPTED = {"careful (scripted)": 0.75, "hasty (scripted)": 0.4}
"""Scripted answer sets: each draws one of the task's own candidates, a right one with this chance."""


KINDS = ("formalization", "equivalence", "oracle")
"""What is judged."""
SETTINGS = Settings(reasoning_effort=None)
"""Nothing is sampled here; the settings are part of a call's key."""


def answer_sets() -> dict[str, Mapping[str, str]]:
    """Who answered, and what, by task: readers of the statements first, then the scripted sets."""
    sets: dict[str, Mapping[str, str]] = {f"reader {name}": given for name, given in readings().items()}
    entries = [entry for name in bundled.domains() for entry in bundled.tasks(name)]
    for name, share in SCRIPTED.items():
        drawn: dict[str, str] = {}
        for entry in entries:
            chance = random.Random(f"{name}/{entry.task.id}")
            right = [a.text for a in entry.answers if a.expected.value == "equivalent"]
            wrong = [a.text for a in entry.answers if a.expected.value != "equivalent"]
            texts = right if chance.random() < share else wrong
            if texts or right or wrong:
                drawn[entry.task.id] = chance.choice(texts or right or wrong)
        sets[name] = drawn
    return sets


SIMULATED = "simulated (30 % FAR, 10 % FRR)"
"""A judge that knows the verdict and errs at these rates, by lot; in 1 of 50 replies it is malformed."""


def _simulated(run: Run) -> Model:
    answers: list[dict[str, Any]] = run.read("answers")
    right = {record["id"]: record["verdict"]["answer"] == "equivalent" for record in answers}

    def reply(call: Call) -> str:
        chance = random.Random(call.key)
        about = call.subject.split("/", 2 if call.subject.startswith("equivalence/") else 1)[-1]
        truth = right.get(about, True)  # an oracle is right
        if chance.random() < 0.02:
            return "Score: 3"
        accepts = chance.random() >= 0.1 if truth else chance.random() < 0.3
        return f"```\n{chance.choice((2, 3, 3) if accepts else (0, 1, 1))}\n```"

    return FunctionModel(SIMULATED, reply)


def reader_judges() -> dict[str, Model]:
    """The readers who judged, by name; each knows the prompts that it read."""
    return {f"reader {name}": ReaderJudge(f"reader {name}", known) for name, known in scores().items()}


def to_judge(domains: Sequence[str] = ()) -> Iterator[Wanted]:
    """Every judgement of the answer sets and the oracles, with its prompts, whoever is to judge."""
    tasks = {task.id: task for task in bundled_tasks(domains)}
    answers = [
        {"task": task, "model": name, "epoch": 0, "candidate": read_answer(_fenced(text)).text}
        for name, given in answer_sets().items()
        for task, text in given.items()
        if task in tasks
    ]
    config = Config((), 1, SETTINGS, timeout=4.0, tolerant=False)
    return wanted_judgements(answers, tasks, config, ["anybody"], KINDS)


def _model(name: str, given: Mapping[str, str]) -> Model:
    def reply(call: Call) -> str:
        task = call.subject.removeprefix("answer/")
        if task not in given:
            raise ModelError(f"{name} has not answered {task!r}")
        return _fenced(given[task])

    return FunctionModel(name, reply)


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}\n"


@dataclass(frozen=True, slots=True)
class Built:
    """A run of the baseline, and what its readers left out."""

    run: Run
    """The run, verified and judged."""
    unanswered: int
    """Tasks that a reader did not answer."""
    unscored: int
    """Prompts that a reader has not judged, or whose texts have changed since."""


def build(
    folder: Path,
    *,
    timeout: float,
    jobs: int,
    domains: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Built:
    """A run of the recorded answer sets, the judging readers and the scripted judges on the bundled tasks."""
    sets = answer_sets()
    tasks = bundled_tasks(domains)
    run = new_run(
        folder,
        tasks,
        list(sets),
        epochs=1,
        **asdict(SETTINGS),
        timeout=timeout,
        tolerant=False,
    )
    given = {name: _model(name, answers) for name, answers in sets.items()}
    failures = run_models(run, jobs=jobs, progress=progress, given=given)
    readers = reader_judges()
    scripts = [*(f"scripted:{name}" for name in JUDGES), SIMULATED]
    run_judges(run, scripts, KINDS, progress=progress, given={SIMULATED: _simulated(run)})
    unscored = run_judges(run, list(readers), KINDS, progress=progress, given=readers)
    return Built(run, failures.count, unscored.count)


def store(run: Run, folder: Path) -> None:
    """Write a run's records as the package keeps them: small, and tied to the texts they were made for.

    One compressed file a model and one a judge.
    """
    of = {task.id: fingerprint(task) for task in run.tasks()}
    answers: dict[str, list[dict[str, Any]]] = {}
    for record in run.read("answers"):
        answers.setdefault(str(record["model"]), []).append(_slim(record, of))
    kept = {ANSWERS: answers, JUDGEMENTS: by_task(run.read("judgements"), of)}
    for kind, by_name in kept.items():
        if (folder / kind).exists():
            shutil.rmtree(folder / kind)
        (folder / kind).mkdir(parents=True)
        for name, records in by_name.items():
            lines = "".join(map(to_line, records)).encode("utf-8")
            (folder / kind / file_name(name)).write_bytes(gzip.compress(lines, mtime=0))
    (folder / f"{TIMEOUTS}.jsonl").write_text("".join(map(to_line, run.read("timeouts"))), encoding="utf-8")


def _slim(record: Mapping[str, Any], of: Mapping[str, str]) -> dict[str, Any]:
    """An answer record without its certificate, which `truespec recheck` makes anew from a fresh verdict."""
    verdict = dict(record["verdict"])
    evidence = verdict.get("evidence")
    if isinstance(evidence, dict) and isinstance(evidence.get("proof"), dict):
        verdict["evidence"] = {"proof": {**evidence["proof"], "certificate": None}}
    reply = record["reply"] if record["candidate"] is None else {**record["reply"], "text": ""}
    return {**record, "verdict": verdict, "reply": {**reply, "seconds": 0.0}, "of": of[record["task"]]}


__all__ = ["KINDS", "SCRIPTED", "Built", "answer_sets", "build", "reader_judges", "store", "to_judge"]
