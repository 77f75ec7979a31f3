"""A benchmark run on disk: its settings, its tasks, and the files that are derived from its ledgers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from truespec.benchmark.task import Origin, Task
from truespec.models.call import Settings
from truespec.store.lines import split_lines, to_line
from truespec.store.pairs import parse_json
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

    def to_json(self) -> dict[str, object]:
        """The contents of `run.json`."""
        return {**asdict(self), "models": list(self.models), "version": __version__}


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

    def create(self, config: Config, tasks: Iterable[Task]) -> None:
        """Write the settings and tasks; `UsageError` where the folder holds a run with others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(to_line(task.to_json()) for task in tasks)
        known = self.folder / "run.json"
        if known.exists():
            before = {k: v for k, v in json.loads(known.read_text("utf-8")).items() if k != "version"}
            after = {k: v for k, v in json.loads(json.dumps(config.to_json())).items() if k != "version"}
            if before != after or self.path("tasks").read_text("utf-8") != lines:
                changed = [name for name in after if before.get(name) != after[name]] or ["tasks"]
                raise UsageError(
                    f"{self.folder} holds a run with other {', '.join(changed)}: name another folder"
                )
        _replace(self.path("tasks"), lines)
        _replace(known, json.dumps(config.to_json(), indent=2) + "\n")

    def config(self) -> Config:
        """The settings of the run; `UsageError` where the folder holds none."""
        try:
            record = json.loads((self.folder / "run.json").read_text("utf-8"))
        except OSError:
            raise UsageError(
                f"{self.folder} holds no run: 'truespec bench run -o {self.folder}' makes one"
            ) from None
        except ValueError as error:
            raise UsageError(f"{self.folder / 'run.json'}: {error}") from None
        return Config(
            models=tuple(record["models"]),
            epochs=record["epochs"],
            settings=Settings(**record["settings"]),
            timeout=record["timeout"],
            tolerant=record["tolerant"],
        )

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


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a task file; `UsageError` names the line that holds none."""
    tasks: list[Task] = []
    try:
        lines = split_lines(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from None
    for number, line in enumerate(lines, 1):
        try:
            tasks.append(_read_task(parse_json(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: no task: {type(error).__name__}: {error}") from None
    ids = [task.id for task in tasks]
    if len(set(ids)) != len(ids):
        doubled = next(name for name in ids if ids.count(name) > 1)
        raise UsageError(f"{path}: the id {doubled!r} is given to two tasks")
    return tasks


_FIELDS = {"id", "domain", "statement", "context", "oracle", "tags", "source"}


def _read_task(record: object) -> Task:
    if not isinstance(record, dict):
        raise ValueError("expected an object")
    source = record.get("source") or {}
    return Task(
        id=record["id"],
        domain=record["domain"],
        statement=record["statement"],
        context=record.get("context", {}),
        oracle=record["oracle"],
        source=Origin(source.get("dataset", ""), source.get("file", ""), source.get("position", "")),
        tags=tuple(record.get("tags", ())),
        extra={name: value for name, value in record.items() if name not in _FIELDS},
    )


def _replace(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
