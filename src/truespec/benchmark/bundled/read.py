"""From the TOML files of this folder to tasks with their recorded answers.

A file may hold `[defaults]` with a `context` and `meanings` for all its tasks; what a task gives itself wins.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.benchmark.difficulty import EASY, bounds, difficulty, is_easy
from truespec.benchmark.task import HIDDEN, Origin, Task
from truespec.domains.registry import DOMAINS
from truespec.verdict import Answer


class Writing(Enum):
    """How a recorded answer was written."""

    REWRITTEN = "rewritten"
    """Right, in another form than the oracle."""
    CARELESS = "careless"
    """Wrong, as a hasty reader of the statement would have it."""
    MALFORMED = "malformed"
    """Outside the language."""
    UNUSUAL = "unusual"
    """Inside the language, with a construct that the verifier does not decide."""


EXPECTED = {
    Writing.REWRITTEN: Answer.EQUIVALENT,
    Writing.CARELESS: Answer.REFUTED,
    Writing.MALFORMED: Answer.INVALID,
    Writing.UNUSUAL: Answer.UNKNOWN,
}
"""The answer that each way of writing leads to."""


MISTAKES = (
    "bad prop",
    "bad state index",
    "bad state quantification",
    "exclusive U",
    "implicit F",
    "implicit G",
    "other implicit",
    "spreading X",
    "trace split by U",
    "weak U",
)
"""The misconceptions about temporal formulas that Greenman et al. found (Little Tricky Logic, 2022)."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A candidate that somebody wrote for a task."""

    id: str
    """The task's id and a number from 1, e.g. `regex-ip-octet/2`."""
    text: str
    """The specification."""
    written: Writing
    """How it was written."""
    expected: Answer
    """What it deserves, reasoned out by hand; no verifier reads it."""
    note: str = ""
    """The detail that was missed, or the law that makes it right."""
    mistake: str = ""
    """The misconception that a wrong answer shows, one of `MISTAKES`; empty where none was named."""

    def __post_init__(self) -> None:
        if self.expected is not EXPECTED[self.written]:
            raise ValueError(f"{self.id}: {self.written.value!r} does not lead to {self.expected.value!r}")
        if self.written in (Writing.CARELESS, Writing.UNUSUAL) and not self.note:
            raise ValueError(f"{self.id}: a note says which detail was missed")
        if self.mistake and (self.mistake not in MISTAKES or self.written is not Writing.CARELESS):
            raise ValueError(
                f"{self.id}: {self.mistake!r} is no mistake of a wrong answer: {', '.join(MISTAKES)}"
            )


@dataclass(frozen=True, slots=True)
class BundledTask:
    """A task of ours with its recorded answers."""

    task: Task
    """Statement, context, oracle."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What each declared name stands for, units included; shown to a model beside the context."""
    answers: tuple[RecordedAnswer, ...] = ()
    """Right and wrong answers, in the order of the file."""
    in_demo: bool = True
    """Whether `truespec demo` shows it: the tasks of `DOMAIN.toml`, not those of the folder `DOMAIN/`."""


_FIELDS = {"id", "statement", "oracle", "tags", "candidates"}
_OPTIONAL = {"context", "meanings", HIDDEN}


def domains() -> tuple[str, ...]:
    """The domains that have bundled tasks, in the order of the alphabet."""
    return tuple(sorted({file.partition("/")[0].removesuffix(".toml") for file in _files()}))


@cache
def tasks(domain: str) -> tuple[BundledTask, ...]:
    """The bundled tasks of a domain, those of its demo first; none where there is no file."""
    found: list[BundledTask] = []
    for name in _files():
        if name == f"{domain}.toml" or name.startswith(f"{domain}/"):
            with files(__package__).joinpath(name).open("rb") as file:
                content = tomllib.load(file)
            defaults = content.get("defaults", {})
            found += [
                _read(domain, name, f"task {number}", defaults, record)
                for number, record in enumerate(content["task"], 1)
            ]
    return _with_easy(found)


def _with_easy(found: list[BundledTask]) -> tuple[BundledTask, ...]:
    """The tasks of a domain, the easy ones tagged."""
    if not found:
        return ()
    within = bounds([entry.task for entry in found])
    return tuple(
        replace(entry, task=replace(entry.task, tags=(*entry.task.tags, EASY)))
        if is_easy(entry.task, within, misread())
        else entry
        for entry in found
    )


@cache
def misread() -> frozenset[str]:
    """The ids of the bundled tasks that a recorded reader answered wrongly."""
    text = files(__package__).joinpath("misread.json").read_text("utf-8")
    return frozenset(json.loads(text))


@cache
def _files() -> tuple[str, ...]:
    """`DOMAIN.toml` of every domain, then `DOMAIN/SUBJECT.toml`, each in the order of the alphabet."""
    here = files(__package__)
    plain = sorted(entry.name for entry in here.iterdir() if entry.name.endswith(".toml"))
    folders = sorted(entry.name for entry in here.iterdir() if entry.name in DOMAINS and entry.is_dir())
    return (*plain, *(f"{name}/{one}" for name in folders for one in _toml(name)))


def _toml(folder: str) -> list[str]:
    entries = files(__package__).joinpath(folder).iterdir()
    return sorted(entry.name for entry in entries if entry.name.endswith(".toml"))


def _read(
    domain: str, file: str, position: str, defaults: Mapping[str, Any], record: Mapping[str, Any]
) -> BundledTask:
    if not _FIELDS <= record.keys() <= _FIELDS | _OPTIONAL:
        raise ValueError(
            f"{file}, {position}: fields {sorted(record)}, expected {sorted(_FIELDS | _OPTIONAL)}"
        )
    oracle = record["oracle"].removesuffix("\n")
    task = Task(
        id=record["id"],
        domain=domain,
        statement=record["statement"],
        context={**defaults.get("context", {}), **record.get("context", {})},
        oracle=oracle,
        source=Origin("bundled", file, position),
        tags=tuple(record["tags"]),
        extra={
            "difficulty": difficulty(domain, oracle),
            **({HIDDEN: record[HIDDEN]} if HIDDEN in record else {}),
        },
    )
    answers = [
        RecordedAnswer(
            id=f"{task.id}/{number}",
            text=answer["text"].removesuffix("\n"),
            written=Writing(answer["written"]),
            expected=Answer(answer["expected"]),
            note=answer.get("note", ""),
            mistake=answer.get("mistake", ""),
        )
        for number, answer in enumerate(record["candidates"], 1)
    ]
    meanings = {**defaults.get("meanings", {}), **record.get("meanings", {})}
    return BundledTask(task, meanings, tuple(answers), in_demo="/" not in file)
