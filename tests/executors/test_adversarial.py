"""Adversarial candidates: refuted, accepted by the judge, recorded, and no call made twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import truespec
from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.bench import bench
from truespec.executors.adversarial import SEARCH, TRIES, Found, Sought, search
from truespec.executors.candidates import DEPTHS, proposals
from truespec.judges.manner import Manner
from truespec.models.call import Call, Settings
from truespec.models.function import FunctionModel
from truespec.reports.candidates import accepted
from truespec.store.runs import Run
from truespec.verdict import UsageError

TASKS = choose(bundled_tasks(["regex"]), [], 3)


class Judge:
    """Accepts where the candidate is of even length; counts its calls."""

    def __init__(self, reply: str = "") -> None:
        self.calls: Counter[str] = Counter()
        self.reply = reply

    def __call__(self, call: Call) -> str:
        self.calls[call.key] += 1
        text = call.prompt.rpartition("```\n")[0].rpartition("```\n")[2].strip()
        return self.reply or f"```\n{3 if len(text) % 2 == 0 else 0}\n```"


def sought(kind: str = "formalization", seed: int = 0) -> Sought:
    return Sought("judge", kind, Manner(Settings()), seed, 4.0)


def run_search(folder: Path, judge: Judge, count: int = 6, what: Sought | None = None) -> Found:
    model = FunctionModel("judge", judge)
    return search(Run(folder), TASKS, count, what or sought(), jobs=1, given={"judge": model})


def test_kept_are_refuted_and_accepted_and_a_search_goes_on(tmp_path: Path) -> None:
    first = Judge()
    found = run_search(tmp_path, first)
    pairs: list[dict[str, Any]] = Run(tmp_path).read("pairs")
    assert len(found.kept) == len(pairs) == 6
    for pair in pairs:
        assert len(pair["candidate"]) % 2 == 0
        assert (pair["accepted_by"], pair["kind"], pair["scores"]) == ("judge", "formalization", [3])
        assert pair["expected"] == "refuted"
        verdict = truespec.verify("regex", pair["oracle"], pair["candidate"], pair["context"])
        assert verdict.answer.value == "refuted"
        assert pair["mutation"]
    tried: list[dict[str, Any]] = Run(tmp_path).read("tried")
    assert len(tried) == len(first.calls) >= 6
    assert {one["judgement"] for one in tried} == {"accept", "reject"}

    again = Judge()
    assert [one.proposal.text for one in run_search(tmp_path, again).kept] == [
        one.proposal.text for one in found.kept
    ]
    assert not again.calls, "recorded replies are not asked for again"

    more = Judge()
    grown = run_search(tmp_path, more, 10)
    assert len(grown.kept) == len(Run(tmp_path).read("pairs")) == 10
    assert not more.calls.keys() & first.calls.keys()


def test_both_orders_decide_of_equivalence(tmp_path: Path) -> None:
    judge = Judge("```\n2\n```")
    found = run_search(tmp_path, judge, 2, sought("equivalence"))
    assert len(found.kept) == 2
    assert all(one.extra["scores"] == [2, 2] for one in found.kept)
    assert len(judge.calls) == 2 * len(found.tried)


def test_a_judge_that_accepts_nothing_ends_the_search(tmp_path: Path) -> None:
    found = run_search(tmp_path, Judge("```\n1\n```"), 2)
    assert not found.kept
    assert 2 * TRIES <= len(found.tried) <= 2 * TRIES + 64
    assert not (tmp_path / "run.json").exists()


def test_a_malformed_reply_is_no_acceptance(tmp_path: Path) -> None:
    found = run_search(tmp_path, Judge("Score: 3"), 2)
    assert not found.kept
    rows = accepted(found.tried).rows
    assert rows[0] == ("regex", str(len(found.tried)), str(len(found.tried)), "–")


def test_another_search_or_run_is_not_overwritten(tmp_path: Path) -> None:
    run_search(tmp_path, Judge(), 2)
    with pytest.raises(UsageError, match="another search"):
        run_search(tmp_path, Judge(), 2, sought(seed=1))
    (tmp_path / SEARCH).unlink()
    with pytest.raises(UsageError, match="holds a run already"):
        run_search(tmp_path, Judge(), 2)


def test_deeper_material_follows_and_repeats_nothing() -> None:
    task = TASKS[0]
    shallow, deep = [[one.text for one in proposals(task, 3, depths)] for depths in (1, DEPTHS)]
    assert deep[: len(shallow)] == shallow
    assert len(deep) == len(set(deep)) > len(shallow)
    assert task.oracle not in deep


def test_every_candidate_with_a_mutation_says_its_kind() -> None:
    for one in proposals(TASKS[0], 0):
        assert bool(one.mutation) == ("mutant" in one.made)


@pytest.mark.slow
def test_the_command_takes_a_scripted_judge(tmp_path: Path) -> None:
    from click.testing import CliRunner

    arguments = ["candidates", "-n", "4", "--domain", "regex", "--limit", "3", "--jobs", "1"]
    judge = ["--judge", "scripted:overlap", "--price", "scripted:overlap=1,1"]
    result = CliRunner().invoke(bench, [*arguments, *judge, "-o", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert "4 of 4 wrong candidates that scripted:overlap accepts" in result.output
    assert "another" in result.output
    wrong = CliRunner().invoke(bench, [*arguments, "--judge", "scripted:overlp", "-o", str(tmp_path / "no")])
    assert wrong.exit_code != 0
    assert not (tmp_path / "no").exists()
