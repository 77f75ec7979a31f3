"""The index over judgements: standings, order, changed and damaged files; labels in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truespec.store.labels import Label, Labels
from truespec.store.study import FALSE_ACCEPT, FALSE_REJECT, Studies, StudyQuery, is_study, standing_of
from truespec.verdict import UsageError

ANSWERS = {"t1": "equivalent", "t2": "refuted", "t3": "unknown", "t4": "invalid", "t5": "equivalent"}
SAID = {"t1": "accept", "t2": "accept", "t3": "reject", "t4": "reject", "t5": "reject"}


def judgement(task: str, said: str, kind: str = "formalization", **more: Any) -> dict[str, Any]:
    names = {"task": task, "judge": "j", "domain": "regex", "kind": kind, "model": "m", "epoch": 0}
    replies = [{"text": f"I read {task} and say {said}."}]
    return {**names, "scores": [3], "judgement": said, "replies": replies, "problems": [""], **more}


def write(folder: Path, judgements: list[dict[str, Any]], after: str = "") -> None:
    tasks = [
        {"id": t, "domain": "regex", "statement": f"Say {t}.", "oracle": "a", "context": {}} for t in ANSWERS
    ]
    answers = [
        {"id": t, "task": t, "domain": "regex", "model": "m", "epoch": 0, "candidate": "Straße"}
        | {"reply": {"text": ""}, "verdict": {"answer": answer, "domain": "regex"}}
        for t, answer in ANSWERS.items()
    ]
    for name, records in (("tasks", tasks), ("answers", answers), ("judgements", judgements)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    with (folder / "judgements.jsonl").open("a") as file:
        file.write(after)


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[Studies]:
    oracles = [judgement("t1", "accept", "oracle", model=None)]
    write(
        tmp_path, [judgement(task, said) for task, said in SAID.items()] + oracles, 'broken\n{"task": "t1"}\n'
    )
    made = Studies([tmp_path])
    made.refresh(made.studies[0])
    yield made
    made.close()


@pytest.mark.parametrize(
    ("said", "answer", "standing"),
    [
        ("accept", "refuted", "false accept"),
        ("accept", "invalid", "false accept"),
        ("reject", "equivalent", "false reject"),
        ("accept", "equivalent", "agree"),
        ("reject", "refuted", "agree"),
        ("reject", "unknown", "undecided"),
        ("unknown", "refuted", "undecided"),
        ("accept", "", "undecided"),
    ],
)
def test_how_a_judgement_stands(said: str, answer: str, standing: str) -> None:
    assert standing_of(said, answer) == standing


def test_disagreements_come_first(studies: Studies) -> None:
    study = studies.studies[0]
    assert (study.items, study.of_oracles, study.broken) == (5, 1, 2)
    _, rows = studies.listed(study, StudyQuery())
    assert [row["task"] for row in rows] == ["t2", "t5", "t3", "t1", "t4"]
    assert [row["standing"] for row in rows[:2]] == [FALSE_ACCEPT, FALSE_REJECT]
    counted = {"false accept": 1, "false reject": 1, "undecided": 1, "agree": 2}
    assert studies.counts(study) == [("j", "formalization", counted)]


def test_each_has_neighbours_in_the_order_of_its_list(studies: Studies) -> None:
    study = studies.studies[0]
    _, rows = studies.listed(study, StudyQuery())
    numbers = [row["n"] for row in rows]
    found = [studies.beside(study, StudyQuery(), n) for n in numbers]
    assert found == list(zip([None, *numbers[:-1]], [*numbers[1:], None], strict=True))


@pytest.mark.parametrize(
    ("query", "tasks"),
    [
        (StudyQuery(standing=FALSE_ACCEPT), ["t2"]),
        (StudyQuery(standing="no such"), []),
        (StudyQuery(text="i READ t3"), ["t3"]),
        (StudyQuery(text="say t4."), ["t4"]),
        (StudyQuery(text="STRASSE", limit=1), ["t2"]),
        (StudyQuery(judge="another"), []),
        (StudyQuery(keys=()), []),
        (StudyQuery(keys=(), without=True, offset=4), ["t4"]),
    ],
)
def test_a_list_is_filtered(studies: Studies, query: StudyQuery, tasks: list[str]) -> None:
    _, rows = studies.listed(studies.studies[0], query)
    assert [row["task"] for row in rows] == tasks


def test_one_judgement_comes_with_its_answer_and_task(studies: Studies) -> None:
    found = studies.judged(studies.studies[0], 2)
    assert found
    assert found.task
    assert found.answer
    assert (found.judgement["task"], found.answer["task"], found.task["id"]) == ("t2", "t2", "t2")
    assert studies.judged(studies.studies[0], 9) is None


def test_changed_files_are_read_anew(studies: Studies, tmp_path: Path) -> None:
    study = studies.studies[0]
    write(tmp_path, [judgement("t9", "accept")])
    studies.refresh(study)
    assert study.items == 1
    found = studies.judged(study, 1)
    assert found
    assert (found.answer, found.task, found.standing) == (None, None, "undecided")
    (tmp_path / "judgements.jsonl").write_text(json.dumps(judgement("t8", "reject")) + "\n")
    with pytest.raises(UsageError, match="was changed"):
        studies.judged(study, 1)
    (tmp_path / "judgements.jsonl").unlink()
    assert not is_study(tmp_path)
    with pytest.raises(UsageError, match="judgements"):
        studies.refresh(study)


def test_labels_outlive_the_program_and_the_last_one_counts(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "labels.jsonl")
    for name, label in (("a", "right"), ("b", "wrong"), ("a", "unclear"), ("b", "")):
        labels.add(Label("run", name, label, "=1+1", "2026-01-01T00:00:00Z", {"answer": "refuted"}))
    again = Labels(tmp_path / "labels.jsonl")
    for one in (labels, again):
        assert one.keys("run") == {"a"}
        assert one.keys("run", "unclear") == {"a"}
        assert one.keys("run", "right") == one.keys("other") == set()
    assert again.of("run", "b") is None
    (line,) = again.as_lines().splitlines()
    assert json.loads(line)["label"] == "unclear"
    assert again.as_csv() == (
        "run,record,label,note,time,answer\nrun,a,unclear,'=1+1,2026-01-01T00:00:00Z,refuted\n"
    )


@pytest.mark.parametrize(
    "line", ["[]", "{", '{"run": 1}', '{"run": "r", "record": "a", "label": 1, "note": "", "time": ""}']
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "labels.jsonl").write_text(line + "\n")
    with pytest.raises(UsageError, match="line 1: no label"):
        Labels(tmp_path / "labels.jsonl")


def test_labels_in_a_folder_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder does not exist"):
        Labels(tmp_path / "no" / "labels.jsonl")
