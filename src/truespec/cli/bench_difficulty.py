"""`truespec bench difficulty`: how hard the bundled tasks are, as measured."""

from __future__ import annotations

import json
from collections import Counter
from statistics import median
from typing import Any

import click

from truespec.benchmark.bundled import baseline
from truespec.benchmark.difficulty import EASY, HARD, bounds, difficulty
from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.task import Task
from truespec.cli.common import echo
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Table, number, share

NOTE = (
    "Size: names and operators of the oracle. Words: those of the statement. Easy: a size in the lowest "
    "third and no more words than the median of the domain, and no reader was wrong; headlines leave "
    "easy tasks out. Read wrongly: recorded readers' answers that are refuted or invalid, of all."
)


@click.command()
@click.option("--domain", "domains", multiple=True, help="Only these domains.")
@click.option("--tasks", "each", is_flag=True, help="A row for each task instead of each domain.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each task.")
def difficulty_command(domains: tuple[str, ...], each: bool, as_json: bool) -> None:
    """Show how hard the bundled tasks are: size, length, and what readers made of them.

    Exit code: 0, 2 for a wrong call.
    """
    tasks = bundled_tasks(domains)
    read = _readings(tasks)
    if as_json:
        for task in tasks:
            echo(json.dumps(_measured(task, read)))
        return
    made = _by_task(tasks, read) if each else _by_domain(tasks, read)
    echo(made.to_markdown().rstrip())


def _readings(tasks: list[Task]) -> dict[str, Counter[bool]]:
    """By task, how many recorded readers' answers are wrong and how many are not."""
    found: dict[str, Counter[bool]] = {}
    for record in baseline.load(tasks).answers:
        if "scripted" not in record["model"]:
            wrong = record["verdict"]["answer"] in ("refuted", "invalid")
            found.setdefault(record["task"], Counter())[wrong] += 1
    return found


def _measured(task: Task, read: dict[str, Counter[bool]]) -> dict[str, Any]:
    asked = read.get(task.id, Counter())
    return {
        "task": task.id,
        "domain": task.domain,
        "size": difficulty(task.domain, task.oracle),
        "words": len(task.statement.split()),
        "read": asked.total(),
        "read_wrongly": asked[True],
        "tag": EASY if EASY in task.tags else HARD if HARD in task.tags else "",
    }


def _by_task(tasks: list[Task], read: dict[str, Counter[bool]]) -> Table:
    rows = []
    for task in tasks:
        one = _measured(task, read)
        wrong = f"{one['read_wrongly']} of {one['read']}" if one["read"] else "not read"
        rows.append((one["task"], one["domain"], str(one["size"]), str(one["words"]), wrong, one["tag"]))
    heads = ("task", "domain", "size", "words", "read wrongly", "tag")
    return Table("difficulty", "Difficulty by task", heads, tuple(rows), NOTE)


def _by_domain(tasks: list[Task], read: dict[str, Counter[bool]]) -> Table:
    rows = []
    for domain in sorted({task.domain for task in tasks}):
        some = [task for task in tasks if task.domain == domain]
        within = bounds(some)
        sizes = [difficulty(domain, task.oracle) for task in some]
        asked = sum((read.get(task.id, Counter()) for task in some), Counter[bool]())
        rows.append(
            (
                domain,
                number(len(some)),
                number(sum(EASY in task.tags for task in some)),
                number(sum(HARD in task.tags for task in some)),
                number(within.size),
                f"{median(sizes):g}",
                number(max(sizes)),
                f"{within.words:g}",
                share(Proportion(asked[True], asked.total())),
            )
        )
    heads = (
        "domain", "tasks", "easy", "hard", "size, lowest third", "size, median", "size, largest",
        "words, median", "read wrongly",
    )  # fmt: skip
    return Table("difficulty", "Difficulty of the bundled tasks", heads, tuple(rows), NOTE)
