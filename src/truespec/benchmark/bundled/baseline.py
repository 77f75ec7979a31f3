"""The recorded baseline: answers to the bundled tasks, scores, verdicts and times, as they were found.

Its records hold no statement and no oracle; they are joined with the tasks by `fingerprint`, so that a record
of a task that has changed since is left out instead of being shown beside another text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from truespec.benchmark.task import Task

FILES = ("answers", "judgements", "timeouts")
"""The files of the folder `baseline/`, JSON Lines each."""


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


def load(tasks: Sequence[Task]) -> Baseline:
    """The records on these tasks; empty where the package holds none."""
    known = {task.id: fingerprint(task) for task in tasks}
    answers = _read("answers")
    current = [record for record in answers if known.get(record["task"]) == record["of"]]
    names = {record["id"] for record in current}
    domains = {task.id: task.domain for task in tasks}
    judgements = [record for record in _read("judgements") if known.get(record["task"]) == record["of"]]
    return Baseline(
        answers=current,
        judgements=[_whole(record, domains[record["task"]]) for record in judgements],
        timeouts=[record for record in _read("timeouts") if record["id"] in names],
        stale=len(answers) - len(current),
    )


def slim(judgement: Mapping[str, Any], of: str) -> dict[str, Any]:
    """A judgement record without what the task tells and what a script does not have: times and problems."""
    kept = ("task", "model", "epoch", "kind", "judge", "scores", "judgement")
    said = [[reply["text"], reply["input_tokens"], reply["output_tokens"]] for reply in judgement["replies"]]
    return {"of": of, **{name: judgement[name] for name in kept}, "said": said}


def _whole(record: Mapping[str, Any], domain: str) -> dict[str, Any]:
    """The judgement record that `slim` made small."""
    replies = [
        {"text": text, "seconds": 0.0, "input_tokens": read, "output_tokens": written, "cost": 0.0}
        for text, read, written in record["said"]
    ]
    return {**record, "domain": domain, "replies": replies, "problems": [""] * len(replies)}


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


def _read(name: str) -> list[dict[str, Any]]:
    path = files(__package__).joinpath("baseline", f"{name}.jsonl")
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
