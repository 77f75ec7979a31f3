"""The recorded baseline: answers to the bundled tasks, scores, verdicts and times, as they were found.

Its records hold no statement and no oracle; they are joined with the tasks by `fingerprint`, so that a record
of a task that has changed since is left out instead of being shown beside another text.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from truespec.benchmark.task import Task

ANSWERS, JUDGEMENTS, TIMEOUTS = "answers", "judgements", "timeouts"
"""What the folder `baseline/` holds: a folder with a file a model, one with a file a judge, and a file."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the package recorded on its own tasks."""

    answers: list[dict[str, Any]]
    """Answer records, as in a run's folder."""
    judgements: list[dict[str, Any]]
    """Judgement records, as in a run's folder."""
    timeouts: list[dict[str, Any]]
    """What longer limits decided, as `truespec bench timeouts` writes it."""
    stale: int
    """Answers to tasks that have changed since, or are gone."""


def fingerprint(task: Task) -> str:
    """What a record was made for: the task's texts, in twelve hexadecimal digits."""
    content = [task.domain, task.statement, task.context, task.oracle, task.extra.get("meanings", {})]
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]


def load(tasks: Sequence[Task], folder: Traversable | None = None) -> Baseline:
    """The records on these tasks, readers before scripts; of the package, where no other folder is named."""
    folder = folder or files(__package__).joinpath("baseline")
    known = {task.id: fingerprint(task) for task in tasks}
    answers = sorted(_read(folder, ANSWERS), key=lambda record: "(scripted)" in record["model"])
    current = [record for record in answers if known.get(record["task"]) == record["of"]]
    names = {record["id"] for record in current}
    domains = {task.id: task.domain for task in tasks}
    judged = [record for record in _read(folder, JUDGEMENTS) if known.get(record["task"]) == record["of"]]
    return Baseline(
        answers=current,
        judgements=[one for record in judged for one in _each(record, domains[record["task"]])],
        timeouts=[record for record in _read(folder, TIMEOUTS) if record["id"] in names],
        stale=len(answers) - len(current),
    )


def file_name(name: str) -> str:
    """Where the records of a model or judge are kept: its name without what no file name should hold."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + ".jsonl.gz"


def by_task(
    judgements: Iterable[Mapping[str, Any]], of: Mapping[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Judgement records by judge, one line a task; `of` holds the fingerprints.

    Left out are times and problems, and, but for once a line, what the records of a line share.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for record in judgements:
        task, judge = str(record["task"]), str(record["judge"])
        line = found.setdefault(judge, {}).setdefault(
            task, {"of": of[task], "task": task, "judge": judge, "judged": []}
        )
        said = [[reply["text"], reply["input_tokens"], reply["output_tokens"]] for reply in record["replies"]]
        line["judged"].append({**{name: record[name] for name in _OWN}, "said": said})
    return {judge: list(lines.values()) for judge, lines in found.items()}


_OWN = ("kind", "model", "epoch", "scores", "judgement")
"""What a judgement does not share with the others of its judge on its task."""


def _each(line: Mapping[str, Any], domain: str) -> Iterator[dict[str, Any]]:
    """The judgement records that `by_task` put into one line."""
    for own in line["judged"]:
        replies = [
            {"text": text, "seconds": 0.0, "input_tokens": read, "output_tokens": written, "cost": 0.0}
            for text, read, written in own["said"]
        ]
        shared = {"task": line["task"], "judge": line["judge"], "domain": domain}
        kept = {name: own[name] for name in _OWN}
        yield {**shared, **kept, "replies": replies, "problems": [""] * len(replies)}


def readings() -> dict[str, dict[str, str]]:
    """Answers that readers wrote from statement and context alone: by reader, then by task."""
    folder = files(__package__).joinpath("readings")
    found: dict[str, dict[str, str]] = {}
    if not folder.is_dir():
        return found
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".jsonl")):
        for line in folder.joinpath(name).read_text("utf-8").split("\n"):
            if line:
                record: Mapping[str, str] = json.loads(line)
                found.setdefault(record["reader"], {}).setdefault(record["task"], record["answer"])
    return found


def scores() -> dict[str, dict[str, int]]:
    """Scores that readers wrote as judges: by reader, then by the key of the prompt they judged.

    A key holds all texts that were judged, so that a score of a text that has changed since is found no more.
    """
    found: dict[str, dict[str, int]] = {}
    folder = files(__package__).joinpath("scores")
    for path in sorted(folder.iterdir(), key=lambda file: file.name):
        for line in () if path.name == "README.md" else path.read_text("utf-8").splitlines():
            record = json.loads(line)
            mine = found.setdefault(record["reader"], {})
            mine.update(zip(record["of"], record["scores"], strict=True))
    return found


def _read(folder: Traversable, name: str) -> list[dict[str, Any]]:
    """The records of a file, or of all files of a folder in the order of their names."""
    below = folder.joinpath(name)
    paths = sorted(below.iterdir(), key=lambda file: file.name) if below.is_dir() else []
    if (single := folder.joinpath(f"{name}.jsonl")).is_file():
        paths.append(single)
    return [json.loads(line) for path in paths for line in _text(path).split("\n") if line]


def _text(path: Traversable) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.name.endswith(".gz") else content).decode("utf-8")
