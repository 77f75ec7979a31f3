"""Recorded answers and judgements as a run: verified against their own oracle, joined, and reported."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import needs
from truespec.cli.bench import bench
from truespec.executors.recorded import read_records, read_verdict, sample
from truespec.judges.judgement import Judgement
from truespec.metrics.table import Cell
from truespec.reports.bench import tables
from truespec.reports.bench_runs import read_runs
from truespec.store.runs import Run
from truespec.verdict import UsageError

PAIR = {"domain": "regex", "context": {}, "oracle": "a+", "statement": "Some a."}


def call(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(bench, ["import", *words])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def write(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_answers_and_judges_of_a_file(tmp_path: Path) -> None:
    records = [
        {**PAIR, "candidate": "aa*", "model": "m", "judges": {"strict": "NO", "lax": "yes", "scores": 3}},
        {**PAIR, "candidate": "a*", "model": "m", "judges": {"strict": "NO", "lax": "Yes.", "scores": "1"}},
        {**PAIR, "candidate": "b", "model": "n", "judges": {"strict": False, "lax": True, "scores": 0}},
        {**PAIR, "reply": "No idea.", "model": "n", "judges": {"strict": "hm", "lax": "yes", "scores": 7}},
        {**PAIR, "reply": "Well:\n```\n[a]+\n```", "model": "n"},
    ]
    result = call(write(tmp_path / "r.jsonl", records), "-o", str(tmp_path / "run"), "--jobs", "1")
    assert "5 answers of 2 models" in result.output
    loaded = read_runs([tmp_path / "run"])
    assert len(loaded.tasks) == 1
    answers = [one["verdict"]["answer"] for one in loaded.answers]
    assert answers == ["equivalent", "refuted", "refuted", "invalid", "equivalent"]
    assert [one["epoch"] for one in loaded.answers] == [0, 1, 0, 1, 2]
    assert loaded.missing == [], "nobody was asked for more"
    found = {table.name: table for table in tables(loaded.answers, loaded.judgements, loaded.tasks)}
    pooled = found["judges-pooled"]
    far = {row[0].split("judged by ")[1] + " " + row[0].split(", ")[1]: row[1] for row in pooled.rows}
    counts = {name: cell.counts for name, cell in far.items() if isinstance(cell, Cell)}
    assert counts == {
        "strict m": (0, 1),
        "strict n": (0, 1),
        "lax m": (1, 1),
        "lax n": (2, 2),
        "scores m": (0, 1),
        "scores n": (0, 1),
    }
    assert not {"position", "thresholds-equivalence"} & set(found), "one verdict on each pair shows no order"
    report = CliRunner().invoke(bench, ["report", str(tmp_path / "run"), "-o", str(tmp_path / "out")])
    assert report.exit_code == 0, report.output
    assert "recorded elsewhere" in (tmp_path / "out/tables/runs.md").read_text()


def test_a_record_keeps_its_own_oracle() -> None:
    task = {"id": "t", "domain": "regex", "statement": "Some a.", "context": {}, "oracle": "a+"}
    from truespec.store.runs import read_task

    records = [
        {**PAIR, "task": "t", "candidate": "a"},
        {**PAIR, "task": "t", "oracle": "b+", "candidate": "a"},
        {**PAIR, "context": {"alphabet": "ascii"}, "candidate": "a"},
        {**PAIR, "candidate": "c"},
    ]
    found = read_records([(f"line {n}", one) for n, one in enumerate(records)], [read_task(task)])
    tasks = [one.given.task for one in found]
    assert [one.oracle for one in tasks] == ["a+", "b+", "a+", "a+"]
    assert tasks[0].id == tasks[3].id == "t"
    assert [one.given.epoch for one in found] == [0, 0, 0, 1]
    assert [one.extra.get("variant_of") for one in tasks] == [None, "t", "t", None], "one cluster"
    assert len({one.id for one in tasks}) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"domain": "sqql"}, "line 2: there is no domain 'sqql'"),
        ({"oracle": None}, "line 2: the field 'oracle' is null"),
        ({"candidate": 5}, "line 2: expected a text in 'candidate'"),
        ({"model": 7}, "line 2: the field 'model' is no name"),
        ({"judges": ["yes"]}, "line 2: the field 'judges' is no object"),
    ],
)
def test_a_record_that_is_no_answer_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    path = write(tmp_path / "r.jsonl", [{**PAIR, "candidate": "a"}, {**PAIR, "candidate": "a", **change}])
    result = call(path, "-o", str(tmp_path / "run"), code=1)
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)
    assert not (tmp_path / "run").exists()


def test_wrong_calls(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", [{**PAIR, "candidate": "a"}])
    for words in ([], [path, "--source", "spider"], ["--source", "spider"], [path, "--from", "."]):
        assert "--source NAME --from DIR" in str(call(*words, "-o", str(tmp_path / "x"), code=1).exception)
    call(path, "-o", str(tmp_path / "run"), "--model", "somebody")
    assert Run(tmp_path / "run").config().models == ("somebody",)
    again = CliRunner().invoke(
        bench, ["run", "--model", "scripted:overlap", "--domain", "regex", "-o", str(tmp_path / "run")]
    )
    assert "made or imported answers" in str(again.exception)
    again = CliRunner().invoke(
        bench,
        ["run", "--model", "scripted:overlap", "--domain", "rocq", "--limit", "1", "-o", str(tmp_path / "m")],
    )
    assert again.exit_code == 1, "a judge writes no specification"
    assert "holds a run of models" in str(call(path, "-o", str(tmp_path / "m"), code=1).exception)


def test_verdicts_in_words_and_numbers() -> None:
    accept, reject, lost = Judgement.ACCEPT, Judgement.REJECT, Judgement.UNKNOWN
    said = {"YES": accept, " no. ": reject, "Equivalent": accept, True: accept, 0: reject, "2": accept}
    assert {one: read_verdict(one)[0] for one in said} == said
    assert [read_verdict(one)[0] for one in ("", "yes and no", 4, None, 1.5)] == [lost] * 5


def test_samples_are_spread_and_lasting() -> None:
    records = [(f"line {n}", {**PAIR, "candidate": f"a{n}", "model": "mn"[n % 2]}) for n in range(40)]
    found = read_records(records)
    few = sample(found, 5)
    assert Counter(one.given.model for one in few) == {"m": 5, "n": 5}
    assert {one.given.name for one in few} == {one.given.name for one in sample(found[::-1], 5)}
    assert {one.given.name for one in few} <= {one.given.name for one in sample(found, 6)}


@pytest.mark.parametrize(
    ("source", "folder", "models"),
    [("logic-lm", "fol/logic_lm", 3), ("gsm-symbolic", "gsm", 3), ("lang2ltl", "ltl/lang2ltl", 1)],
)
def test_published_answers(tmp_path: Path, source: str, folder: str, models: int) -> None:
    origin = needs.sources(folder)
    result = call(
        *("--source", source, "--from", str(origin), "--limit", "4", "--jobs", "1"),
        *("-o", str(tmp_path / "run")),
    )
    assert f"{4 * models} answers of {models} models" in result.output
    assert {one["verdict"]["answer"] for one in Run(tmp_path / "run").read("answers")} & {  # type: ignore[index]
        "equivalent",
        "refuted",
        "invalid",
    }


@pytest.mark.slow
def test_published_judges(tmp_path: Path) -> None:
    origin = needs.sources("sql/llm_judge_equiv")
    out = str(tmp_path / "run")
    call("--source", "judge-sql", "--from", str(origin), "--limit", "3", "--jobs", "1", "-o", out)
    judges = Counter(one["judge"] for one in Run(tmp_path / "run").read("judgements"))
    assert judges == dict.fromkeys(("gpt4", "gpt3.5", "llama3", "mistralai", "gemini"), 3)
