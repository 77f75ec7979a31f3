"""Which tasks are easy is measured: by size, by length and by what readers made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truespec.benchmark import bundled
from truespec.benchmark.bundled import baseline, read
from truespec.benchmark.difficulty import EASY, HARD, bounds, difficulty, is_easy
from truespec.benchmark.select import bundled_tasks, choose


def test_tasks_that_readers_got_wrong_are_those_of_the_baseline() -> None:
    wrong = {
        record["task"]
        for record in baseline.load(bundled_tasks()).answers
        if "scripted" not in record["model"] and record["verdict"]["answer"] in ("refuted", "invalid")
    }
    assert read.misread() == wrong


@pytest.mark.parametrize("domain", bundled.domains())
def test_easy_tasks_are_small_and_short_and_never_hard(domain: str) -> None:
    tasks = [entry.task for entry in bundled.tasks(domain)]
    easy = [task for task in tasks if EASY in task.tags]
    sizes = sorted(difficulty(domain, task.oracle) for task in tasks)
    assert len(tasks) / 10 < len(easy) < len(tasks) / 2
    for task in easy:
        assert HARD not in task.tags
        assert task.id not in read.misread()
        assert sum(size < difficulty(domain, task.oracle) for size in sizes) <= len(sizes) / 3
    assert choose(tasks, [domain], None, [EASY]) == easy


def test_each_condition_counts() -> None:
    tasks = [entry.task for entry in bundled.tasks("fol")]
    within = bounds(tasks)
    task = next(task for task in tasks if EASY in task.tags)
    bare = replace(task, tags=())
    assert is_easy(bare, within, ())
    assert not is_easy(bare, within, [task.id])
    assert not is_easy(replace(bare, tags=(HARD,)), within, ())
    assert not is_easy(replace(bare, statement=" word" * 500), within, ())
    assert not is_easy(replace(bare, oracle=f"{task.oracle} ∧ (" + " ∧ ".join(["A"] * 500) + ")"), within, ())


def test_bounds_need_tasks() -> None:
    with pytest.raises(ValueError, match="no tasks"):
        bounds([])
