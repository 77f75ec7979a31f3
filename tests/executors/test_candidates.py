"""Labelled candidates: balanced, seeded, each label the verifier's, and a run that judges can judge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import truespec
from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.bench import bench
from truespec.executors.bench import run_judges
from truespec.executors.candidates import labelled, write_run
from truespec.reports.bench import join
from truespec.store.runs import Run
from truespec.verdict import Answer

pytestmark = pytest.mark.slow  # candidates are labelled once for all of them

TASKS = choose(bundled_tasks(["arith", "fol", "regex"]), [], 8)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    found, _ = labelled(TASKS, 61, seed=5, timeout=10, jobs=2)
    run = Run(tmp_path_factory.mktemp("candidates"))
    write_run(run, found, 10)
    return run


def pairs(run: Run) -> list[dict[str, Any]]:
    return run.read("pairs")


def test_labels_are_balanced_in_each_domain_and_spread_over_tasks(run: Run) -> None:
    counts = Counter((pair["domain"], pair["expected"]) for pair in pairs(run))
    assert sum(counts.values()) == 61
    assert all(counts[name, label] in (10, 11) for name in ("arith", "fol", "regex") for label in LABELS)
    assert len({pair["task"] for pair in pairs(run)}) > 15
    assert {"mutant", "rewriting", "rewriting of a mutant"} <= {pair["made"] for pair in pairs(run)}
    texts = [(pair["task"], pair["candidate"]) for pair in pairs(run)]
    assert len(set(texts)) == len(texts)
    assert all(pair["candidate"] != pair["oracle"] for pair in pairs(run))


LABELS = ("equivalent", "refuted")


def test_a_label_is_what_the_verifier_says(run: Run) -> None:
    for pair in pairs(run)[::6]:
        again = truespec.verify(pair["domain"], pair["oracle"], pair["candidate"], pair["context"], 10)
        assert again.answer.value == pair["expected"], pair


def test_the_seed_decides(run: Run) -> None:
    again, _ = labelled(TASKS, 61, seed=5, timeout=10, jobs=1)
    assert [one.proposal.text for one in again] == [pair["candidate"] for pair in pairs(run)]
    other, _ = labelled(TASKS, 61, seed=6, timeout=10, jobs=2)
    assert [one.proposal.text for one in other] != [pair["candidate"] for pair in pairs(run)]


def test_judges_judge_them_like_any_answer(run: Run) -> None:
    assert run_judges(run, ["python:scripted:generous"], ["equivalence"]).count == 0
    items = join(run.read("answers"), run.read("judgements"))
    assert len(items) == 61
    assert {item.answer for item in items} == {Answer.EQUIVALENT, Answer.REFUTED}


def test_too_little_material_is_said(tmp_path: Path) -> None:
    arguments = ["-n", "5000", "--domain", "regex", "--limit", "1", "-o", str(tmp_path), "--jobs", "1"]
    result = CliRunner().invoke(bench, ["candidates", *arguments])
    assert result.exit_code == 1
    assert 0 < len(Run(tmp_path).read("pairs")) < 5000
