"""Independent readings of the bundled tasks: each is of a known task, and every disagreement was examined."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

import pytest

from truespec.benchmark import bundled
from truespec.benchmark.bundled.baseline import readings
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer

TASKS = {one.task.id: one.task for name in bundled.domains() for one in bundled.tasks(name)}
RECORDS = [
    json.loads(line)
    for file in files(bundled).joinpath("readings").iterdir()
    for line in file.read_text(encoding="utf-8").splitlines()
]


def test_readings_are_of_known_tasks_and_of_each_once() -> None:
    assert {record["task"] for record in RECORDS} <= TASKS.keys()
    count = Counter((record["reader"], record["task"]) for record in RECORDS)
    assert max(count.values()) == 1
    assert sum(map(len, readings().values())) == len(RECORDS)


def test_every_disagreement_was_examined() -> None:
    for record in RECORDS:
        assert record["before"] in {answer.value for answer in Answer}
        assert record["answer"].strip()
        if record["before"] != Answer.EQUIVALENT.value:
            assert record.get("examined"), record["task"]


@pytest.mark.parametrize("name", ["arith", "fol", "regex"])
def test_what_agreed_still_agrees(name: str) -> None:
    for record in RECORDS:
        task = TASKS[record["task"]]
        if task.domain == name and record["before"] == Answer.EQUIVALENT.value:
            verdict = verify_pair(Pair(name, task.oracle, record["answer"], task.context), 20.0)
            assert verdict.answer is Answer.EQUIVALENT, (record["task"], verdict)
