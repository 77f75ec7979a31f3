"""Task files: what belongs into a context is not passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truespec.executors.recorded import read_records
from truespec.store.runs import read_tasks
from truespec.verdict import UsageError

TASK = {"id": "t", "domain": "regex", "statement": "Some a.", "oracle": "a+"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"contxt": {"flags": "i"}}, "did you mean 'context'"),
        ({"flags": "i"}, "'flags' stands beside the context"),
        ({"context": []}, "expected an object"),
        ({"context": ""}, "expected an object"),
    ],
)
def test_a_task_without_its_context_is_named(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({**TASK, **more}) + "\n", "utf-8")
    with pytest.raises(UsageError, match="line 1: ") as raised:
        read_tasks(path)
    assert said in str(raised.value)
    with pytest.raises(UsageError, match="record 1") as raised:
        read_records([("record 1", {**TASK, "candidate": "a", **more})], [])
    assert said in str(raised.value)


def test_other_fields_of_a_task_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({**TASK, "context": None, "unit": "km", "flags": 3}) + "\n", "utf-8")
    (task,) = read_tasks(path)
    assert (task.context, task.extra) == ({}, {"unit": "km", "flags": 3})
