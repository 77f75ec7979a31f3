"""How hard a task is: by the size of its oracle, the length of its statement, and what readers made of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from truespec.benchmark.task import Task

EASY, HARD = "easy", "hard"
"""The tags of the ends of the scale. Easy tasks are left out of a report's headline."""

_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|\w+|[^\s\w(),;\[\]]+")
_PIECE = re.compile(r"\\.|\{[^}]*\}|\(\?[:=!<>a-zA-Z-]+|[^\s()]")


def difficulty(domain: str, oracle: str) -> int:
    """The number of words and operators in the oracle; of letters, classes and operators in a pattern.

    Grouping and separators do not count. Sizes compare within a domain, not between domains.

    >>> difficulty("fol", "∀x (Dog(x) → Barks(x))"), difficulty("regex", r"(?:\\d{2}|x)+")
    (7, 6)
    """
    return len((_PIECE if domain == "regex" else _WORD).findall(oracle))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Up to where tasks of one domain are easy."""

    size: int
    """Words and operators of an oracle: a third of the domain's oracles are no larger."""
    words: float
    """Words of a statement: the median."""


def bounds(tasks: Sequence[Task]) -> Bounds:
    """The bounds that the tasks of a domain set; `ValueError` where there is none."""
    sizes = sorted(difficulty(task.domain, task.oracle) for task in tasks)
    if not sizes:
        raise ValueError("no tasks")
    return Bounds(sizes[(len(sizes) - 1) // 3], median(len(task.statement.split()) for task in tasks))


def is_easy(task: Task, within: Bounds, misread: Collection[str]) -> bool:
    """Whether a task is small and short for its domain, and no reader got it wrong.

    `misread` are the ids of tasks that a recorded reader answered wrongly. A task tagged `hard` is not easy.
    """
    return (
        HARD not in task.tags
        and task.id not in misread
        and difficulty(task.domain, task.oracle) <= within.size
        and len(task.statement.split()) <= within.words
    )
