"""Tasks whose prompts tell their references."""

from __future__ import annotations

from collections.abc import Iterable

from truespec.benchmark.leaks import tells
from truespec.benchmark.task import Task, shown_context
from truespec.judges.prompts import ask_answer, meanings_of


def prompt_of(task: Task) -> str:
    """The prompt that a model gets."""
    return ask_answer(task.statement, shown_context(task), meanings_of(task))


def telling(tasks: Iterable[Task]) -> list[str]:
    """The identifiers of the tasks whose prompts tell."""
    return [task.id for task in tasks if tells(task, prompt_of(task))]
