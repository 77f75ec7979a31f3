"""A benchmark run on disk: its settings, its tasks, and the files that are derived from its ledgers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Origin, Task
from truespec.models.call import Settings
from truespec.store.beside import misplaced
from truespec.store.lines import split_lines, to_line
from truespec.store.pairs import parse_json
from truespec.untrusted.inputs import text_of
from truespec.verdict import UsageError
from truespec.version import __version__


@dataclass(frozen=True, slots=True)
class Config:
    """What a run asks of whom."""

    models: tuple[str, ...]
    """The answering models, by name."""
    epochs: int
    """How often each task is answered."""
    settings: Settings
    """How the models are asked."""
    timeout: float
    """The verifier's wall limit, in seconds per pair."""
    tolerant: bool
    """Whether answers and scores in a form that was not asked for are read all the same."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompts by role that replace the package's."""
    examples: tuple[Task, ...] = ()
    """Solved tasks that are shown with each task of their domain."""
    asked: bool = True
    """Whether models were asked. Where candidates were made or answers imported, none is missing."""

    def to_json(self) -> dict[str, object]:
        """The contents of `run.json`."""
        return {
            "models": list(self.models),
            "epochs": self.epochs,
            "settings": asdict(self.settings),
            "timeout": self.timeout,
            "tolerant": self.tolerant,
            "prompts": dict(self.prompts),
            "examples": [task.to_json() for task in self.examples],
            "asked": self.asked,
            "version": __version__,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Config:
        """Read what `to_json` wrote, of this version or an earlier one."""
        return cls(
            models=tuple(record["models"]),
            epochs=record["epochs"],
            settings=Settings(**record["settings"]),
            timeout=record["timeout"],
            tolerant=record["tolerant"],
            prompts=record.get("prompts", {}),
            examples=tuple(read_task(one) for one in record.get("examples", ())),
            asked=record.get("asked", record["models"] != ["generated"]),
        )

    def grown(self, later: Config) -> Config:
        """This run with what a later command adds: models, answers per task, another limit.

        Raises `ValueError` naming what no run can change, since its answers were made under it.
        """
        fixed = ("settings", "tolerant", "prompts", "examples")
        changed = [name for name in fixed if getattr(self, name) != getattr(later, name)]
        if changed:
            raise ValueError(", ".join(changed))
        models = tuple(dict.fromkeys((*self.models, *later.models)))
        return replace(later, models=models, epochs=max(self.epochs, later.epochs))


class Run:
    """A folder that holds one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def calls(self) -> Path:
        """The ledger of model calls."""
        return self.folder / "calls.sqlite"

    def path(self, name: str) -> Path:
        """A JSON Lines file of the run, e.g. `answers`."""
        return self.folder / f"{name}.jsonl"

    def create(self, config: Config, tasks: Iterable[Task]) -> list[str]:
        """Write the settings and tasks, and return in words what they add to the run that the folder holds.

        A run grows and never shrinks: models, tasks and answers per task are added to those before. The limit
        of the verifier is the new one. `UsageError` where the folder's run has other settings, or another
        task of the same name.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        given, news = list(tasks), []
        known = self.folder / "run.json"
        if known.exists():
            before, held = self.config(), self.tasks()
            try:
                config = before.grown(config)
            except ValueError as error:
                raise UsageError(
                    f"{self.folder} holds a run with other {error}: name another folder"
                ) from None
            by_name = {task.id: task for task in held}
            for task in given:
                if task.id in by_name and by_name[task.id].to_json() != task.to_json():
                    raise UsageError(
                        f"{self.folder} holds a run with another task {task.id!r}: name another folder"
                    )
            added = [task for task in given if task.id not in by_name]
            given = held + added
            news = _news(before, config, len(added))
        _replace(self.path("tasks"), "".join(to_line(task.to_json()) for task in given))
        _replace(known, json.dumps(config.to_json(), indent=2) + "\n")
        return news

    def config(self) -> Config:
        """The settings of the run; `UsageError` where the folder holds none."""
        try:
            return Config.from_json(json.loads((self.folder / "run.json").read_text("utf-8")))
        except OSError:
            raise UsageError(
                f"{self.folder} holds no run: 'truespec bench run -o {self.folder}' makes one"
            ) from None
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{self.folder / 'run.json'}: {type(error).__name__}: {error}") from None

    def tasks(self) -> list[Task]:
        """The tasks of the run, in order."""
        return read_tasks(self.path("tasks"))

    def read(self, name: str) -> list[dict[str, object]]:
        """The records of one of its files; empty where it has not been written."""
        path = self.path(name)
        return [json.loads(line) for line in split_lines(path.read_text("utf-8"))] if path.exists() else []

    def write(self, name: str, records: Iterable[Mapping[str, object]]) -> None:
        """Replace one of its files at once: a reader sees the old or the new one, never a part."""
        _replace(self.path(name), "".join(map(to_line, records)))


def _news(before: Config, after: Config, tasks: int) -> list[str]:
    """What a run has more than before, in words."""
    models = [name for name in after.models if name not in before.models]
    found = [f"models: {', '.join(models)}"] if models else []
    found += [f"{tasks} tasks"] if tasks else []
    if after.epochs > before.epochs:
        found.append(f"{after.epochs} answers per task instead of {before.epochs}")
    if after.timeout != before.timeout:
        found.append(f"a limit of {after.timeout:g} s instead of {before.timeout:g} s")
    return found


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a task file, or of a folder's `tasks.jsonl`; `UsageError` names the line with none."""
    tasks: list[Task] = []
    if path.is_dir():
        if not (path / "tasks.jsonl").is_file():
            raise UsageError(
                f"{path} is a folder without a tasks.jsonl: name a file of tasks, or a folder that "
                "'truespec data import' wrote"
            )
        path = path / "tasks.jsonl"
    lines = split_lines(text_of(path, None))
    for number, line in enumerate(lines, 1):
        try:
            tasks.append(read_task(parse_json(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: no task: {_said(error)}") from None
    ids = [task.id for task in tasks]
    if len(set(ids)) != len(ids):
        doubled = next(name for name in ids if ids.count(name) > 1)
        raise UsageError(f"{path}: the id {doubled!r} is given to two tasks")
    return tasks


_FIELDS = {"id", "domain", "statement", "context", "oracle", "tags", "source"}


def _said(error: Exception) -> str:
    return f"the field {error} is missing" if isinstance(error, KeyError) else str(error)


def read_task(record: object) -> Task:
    """The task of a record; `ValueError` or `KeyError` names the field that is wrong or missing."""
    if not isinstance(record, dict):
        raise ValueError("expected an object")
    for name in ("id", "domain", "statement", "oracle"):
        if not isinstance(record[name], str):
            raise ValueError(f"the field {name!r} is {json.dumps(record[name])[:60]}, expected a string")
    for name in ("context", "source"):
        if not isinstance(record.get(name, {}), dict | None):
            raise ValueError(f"the field {name!r} is {json.dumps(record[name])[:60]}, expected an object")
    if not isinstance(record.get("tags", []), list):
        raise ValueError(f"the field 'tags' is {json.dumps(record['tags'])[:60]}, expected a list")
    if problem := misplaced(record, record["domain"]):
        raise ValueError(problem)
    source = record.get("source") or {}
    return Task(
        id=record["id"],
        domain=record["domain"],
        statement=record["statement"],
        context=record.get("context") or {},
        oracle=record["oracle"],
        source=Origin(source.get("dataset", ""), source.get("file", ""), source.get("position", "")),
        tags=tuple(record.get("tags", ())),
        extra={name: value for name, value in record.items() if name not in _FIELDS},
    )


def _replace(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
