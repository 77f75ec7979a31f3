"""Runs read for one report: a run's name is part of every key, and calls without a reply are counted.

A model that occurs in several runs is a different respondent in each (`NAME [RUN]`): its settings may differ,
and so do its answers. A judge of several runs is one judge only where all of them asked it alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.metrics.table import Table, number
from truespec.store.runs import Config, Run
from truespec.verdict import ReasonCode, UsageError, unknown

NO_REPLY = "the call failed, was refused, or has not been made"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a report is made of."""

    answers: list[dict[str, Any]]
    """The answer records; `run` names the run, `model` the respondent, `model_name` the model."""
    judgements: list[dict[str, Any]]
    """The judgement records, with the same names; `judge_name` is the judge's model."""
    timeouts: list[dict[str, Any]]
    """What 'bench timeouts' recorded."""
    rounds: list[dict[str, Any]]
    """What 'bench run --rounds' recorded."""
    missing: list[dict[str, Any]]
    """A record for each answer that was asked for and did not come, its verdict unknown."""
    tasks: list[Task]
    """Each task once."""
    table: Table
    """The runs with their settings and counts."""

    @property
    def warning(self) -> str:
        """The first line of the report where calls have no reply; empty otherwise."""
        if not self.missing:
            return ""
        asked = len(self.answers) + len(self.missing)
        share = len(self.missing) / asked
        lost = Counter(str(record["model"]) for record in self.missing)
        names = ", ".join(f"{name} {count}" for name, count in lost.most_common(3))
        return (
            f"{len(self.missing)} of {asked} calls ({share:.0%}) have no reply ({names}). They count as "
            "unknown: success is a share of all that was asked."
        )


def read_runs(folders: Sequence[Path]) -> Loaded:
    """The records of runs, with distinct names.

    Raises `UsageError` where a folder holds no run, is named twice, or two runs hold different tasks under
    one identifier.
    """
    runs = [Run(folder) for folder in folders]
    configs = [run.config() for run in runs]
    names = _names([run.folder for run in runs])
    tasks = _tasks(runs, names)
    models = _several((name, config.models) for name, config in zip(names, configs, strict=True))
    read: dict[str, list[dict[str, Any]]] = {"answers": [], "judgements": [], "timeouts": [], "rounds": []}
    missing: list[dict[str, Any]] = []
    rows = []
    judges = _judges(runs, names, configs)
    for run, name, config in zip(runs, names, configs, strict=True):
        for kind, records in read.items():
            for record in run.read(kind):
                held = {**record, "limit": config.timeout} if kind == "answers" else dict(record)
                records.append(_named(held, name, models, judges, len(runs) > 1))
        own = [record for record in read["answers"] if record["run"] == name]
        lost = [_named(record, name, models, judges, len(runs) > 1) for record in _missing(run, config, own)]
        missing += lost
        rows.append(_row(name, config, len(run.tasks()), len(own), len(lost)))
    heads = ("run", "models", "tasks", "epochs", "asked", "answered", "no reply", "settings", "limit")
    note = f"No reply: {NO_REPLY}; it counts as unknown. Limit: of the verifier, per answer."
    table = Table("runs", "Runs and their settings", heads, tuple(rows), note)
    return Loaded(**read, missing=missing, tasks=tasks, table=table)


def _names(folders: Sequence[Path]) -> list[str]:
    """A name for each folder: its own, with as many of its parents' as tell it from the others."""
    whole = [folder.resolve() for folder in folders]
    if len(set(whole)) != len(whole):
        twice = next(folder for folder in whole if whole.count(folder) > 1)
        raise UsageError(f"the run {twice.name!r} is named twice")
    parts = 1
    while True:
        names = ["/".join(folder.parts[-parts:]) for folder in whole]
        if len(set(names)) == len(names):
            return names
        parts += 1


def _content(task: Task) -> dict[str, object]:
    """What a task says: several data sets may hold the same one, each at a place of its own."""
    return {name: value for name, value in task.to_json().items() if name != "source"}


def _tasks(runs: Sequence[Run], names: Sequence[str]) -> list[Task]:
    known: dict[str, tuple[Task, str]] = {}
    for run, name in zip(runs, names, strict=True):
        for task in run.tasks():
            other, where = known.setdefault(task.id, (task, name))
            if _content(other) != _content(task):
                raise UsageError(
                    f"the task {task.id!r} of the run {name!r} is another than that of {where!r}: "
                    "report the two apart"
                )
    return [task for task, _ in known.values()]


def _several(used: Iterable[tuple[str, Iterable[str]]]) -> set[str]:
    """Names that several runs use."""
    counts = Counter(name for _, names in used for name in set(names))
    return {name for name, count in counts.items() if count > 1}


def _judges(runs: Sequence[Run], names: Sequence[str], configs: Sequence[Config]) -> set[str]:
    """Judges that several runs asked in different ways."""
    ways: defaultdict[str, set[str]] = defaultdict(set)
    for run, config in zip(runs, configs, strict=True):
        for record in run.read("judgements"):
            asked = record.get("settings") or asdict(config.settings)
            ways[str(record["judge"])].add(repr((asked, config.tolerant)))
    return {judge for judge, found in ways.items() if len(found) > 1}


def _named(
    record: dict[str, Any], run: str, models: set[str], judges: set[str], several: bool
) -> dict[str, Any]:
    """The record with its run, and with names that tell respondents of different runs apart."""
    model = record.get("model")
    made = {**record, "run": run}
    if several and "id" in made:
        made["id"] = f"{run}|{made['id']}"
    if isinstance(model, str):
        made["model_name"] = model
        made["model"] = f"{model} [{run}]" if model in models else model
    judge = record.get("judge")
    if isinstance(judge, str):
        made["judge_name"] = judge
        made["judge"] = f"{judge} [{run}]" if judge in judges else judge
        if record.get("judge_model", judge) == model:  # who judges its own answers stays recognisable
            made["judge"] = made["model"] + (f" ({record['manner']})" if record.get("manner") else "")
    return made


def _missing(run: Run, config: Config, answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    held = {(answer["task"], answer.get("model_name"), answer["epoch"]) for answer in answers}
    return [
        {
            "id": f"{task.id}|{model}|{epoch}",
            "task": task.id,
            "domain": task.domain,
            "model": model,
            "epoch": epoch,
            "verdict": unknown(task.domain, ReasonCode.UNAVAILABLE, NO_REPLY, method="none").to_json(),
        }
        for model in (config.models if config.asked else ())
        for task in run.tasks()
        for epoch in range(config.epochs)
        if (task.id, model, epoch) not in held
    ]


def _row(name: str, config: Config, tasks: int, answered: int, lost: int) -> tuple[str, ...]:
    given = {key: value for key, value in vars_of(config.settings).items() if value not in (None, "", {})}
    settings = ", ".join(f"{key} {value}" for key, value in sorted(given.items()))
    counts = map(number, (tasks, config.epochs, answered + lost, answered, lost))
    asked = settings or "as the model's default"
    if not config.asked:
        asked = "made or recorded elsewhere"
    return (name, ", ".join(config.models), *counts, asked, f"{config.timeout:g} s")


def vars_of(settings: Any) -> dict[str, Any]:
    """The fields of a dataclass by name."""
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}
