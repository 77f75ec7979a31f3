"""Sentences of FOLIO that do not determine a formula: no tasks, whatever a model answers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from truespec.benchmark.sources._fol import aligned, closeness
from truespec.benchmark.task import Task
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer

LIMIT = 4.0
"""Seconds for comparing two formulas of one sentence."""
DIGITS = 16
"""Hexadecimal digits of a sentence's hash."""
CHANGED = "FOLIO v2 gives the sentence a formula over the same names that means something else"
"""The criterion that is tested, where version 2 is there."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """What a reader found."""

    criteria: Mapping[str, str]
    """A word for each criterion, with the criterion."""
    sentences: Mapping[str, str]
    """The word of each sentence, by the hash of sentence and formula."""


@cache
def read_unfit() -> Unfit:
    """The list that comes with the package; `folio_unfit.toml` says how it was made."""
    text = files(__package__).joinpath("folio_unfit.toml").read_text("utf-8")
    record = tomllib.loads(text)
    return Unfit(record["criteria"], record["sentences"])


def mark(task: Task) -> str:
    """The hash by which the list names a sentence with its formula."""
    return sha256(f"{task.statement}\n{task.oracle}".encode()).hexdigest()[:DIGITS]


def determined(tasks: Iterable[Task], every: Sequence[Task], rejected: list[str]) -> Iterator[Task]:
    """The tasks whose sentence determines the formula; the others are noted with the criterion they fail.

    `every` holds the tasks of all versions.
    """
    later: dict[str, list[str]] = {}
    for task in every:
        if "v2" in task.tags:
            later.setdefault(task.statement, []).append(task.oracle)
    unfit = read_unfit()
    for task in tasks:
        word = unfit.sentences.get(mark(task))
        why = unfit.criteria[word] if word else ""
        if not why and any(_differs(task, formula) for formula in later.get(task.statement, ())):
            why = CHANGED
        if why:
            rejected.append(f"{task.id}: {why}")
        else:
            yield task


def _differs(task: Task, formula: str) -> bool:
    """Whether a formula over the same names, up to their case, has another meaning."""
    if closeness(task.oracle, formula) > 1:
        return False
    other = aligned(task.oracle, formula)
    verdict = verify_pair(Pair("fol", task.oracle, other, dict(task.context)), LIMIT)
    return verdict.answer is Answer.REFUTED
