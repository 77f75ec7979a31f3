"""Runs of scripted models: the tables say what theory says, and a killed run makes no call twice."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from truespec.benchmark.select import bundled_tasks, choose
from truespec.executors.bench import new_run, run_judges, run_models
from truespec.executors.calls import run_calls
from truespec.judges.judgement import Judgement
from truespec.metrics.judging import judge_rates
from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError, Transient
from truespec.reports.bench import join, tables
from truespec.store.calls import CallLedger
from truespec.store.runs import Run
from truespec.verdict import Answer, UsageError

pytestmark = pytest.mark.slow  # a run of the benchmark is made once for all of them

DEFAULTS: dict[str, Any] = {
    "epochs": 1,
    "temperature": 1.0,
    "reasoning_effort": "medium",
    "max_tokens": None,
    "timeout": 10.0,
    "tolerant": False,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One model answers the bundled tasks of two domains."""
    tasks = choose(bundled_tasks(["fol", "regex"]), [], 30)
    run = new_run(
        tmp_path_factory.mktemp("run"), tasks, ["python:scripted:writer"], **{**DEFAULTS, "epochs": 2}
    )
    assert run_models(run, jobs=2).count == 0
    return run


def rates(run: Run, judge: str, kind: str) -> Any:
    assert run_judges(run, [f"python:scripted:{judge}"], [kind]).count == 0
    items = join(run.read("answers"), run.read("judgements"))
    chosen = [i for i in items if i.judge == f"python:scripted:{judge}" and i.kind == kind]
    assert len(chosen) == len(run.read("answers"))
    return judge_rates((i.answer, i.judgement) for i in chosen)


def test_answers_are_verified(run: Run) -> None:
    counts = Counter(Answer(record["verdict"]["answer"]) for record in run.read("answers"))  # type: ignore[index]
    assert counts[Answer.EQUIVALENT] > 20
    assert counts[Answer.REFUTED] > 20


@pytest.mark.parametrize("kind", ["formalization", "equivalence"])
def test_judges_with_one_answer(run: Run, kind: str) -> None:
    always, never = rates(run, "generous", kind), rates(run, "strict", kind)
    assert (always.far.value, always.frr.value) == (1.0, 0.0)
    assert (never.far.value, never.frr.value) == (0.0, 1.0)
    assert always.inflation == pytest.approx(1 - always.verifier_success.value)
    assert never.inflation == pytest.approx(-never.verifier_success.value)
    lost = rates(run, "mumbling", kind)
    assert (lost.far.value, lost.malformed.value) == (None, 1.0)


def test_a_coin_errs_half_the_time(run: Run) -> None:
    coin = rates(run, "coin", "formalization")
    assert 0.5 in coin.far.wilson(0.999)
    assert 0.5 in coin.frr.wilson(0.999)


def test_a_judge_that_goes_by_the_order_is_found_out(run: Run) -> None:
    biased = rates(run, "first_lover", "equivalence")
    assert biased.judge_success.value == 0.0, "3 and 0 sum to less than 4"
    found = {table.name: table for table in tables(run.read("answers"), run.read("judgements"))}
    row = next(row for row in found["position"].rows if "first_lover" in row[0])
    assert row[1].startswith("100.0%")
    assert row[2] == "+3.00"


def test_oracles_are_judged_once_a_task(run: Run) -> None:
    run_judges(run, ["python:scripted:generous"], ["oracle"])
    judged = [record for record in run.read("judgements") if record["kind"] == "oracle"]
    assert len(judged) == len(run.tasks())
    found = {table.name: table for table in tables(run.read("answers"), run.read("judgements"))}
    assert found["oracles"].rows[0][-2].startswith("100.0% (")


def test_a_folder_keeps_to_its_run(run: Run) -> None:
    with pytest.raises(UsageError, match="other settings"):
        new_run(run.folder, run.tasks(), ["python:scripted:writer"], **{**DEFAULTS, "temperature": 0.5})


class Moody(Model):
    name = "moody"

    def __init__(self, failures: int, error: type[ModelError]) -> None:
        self.failures, self.error, self.made = failures, error, 0

    def reply(self, call: Call) -> Reply:
        self.made += 1
        if self.made <= self.failures:
            raise self.error("not now")
        return Reply("yes")


def test_passing_failures_are_retried_and_lasting_ones_are_not(tmp_path: Path) -> None:
    call = Call("moody", "", "?")
    with CallLedger(tmp_path / "calls.sqlite") as ledger:
        lasting = Moody(1, ModelError)
        assert isinstance(dict(run_calls([call], {"moody": lasting}, ledger))[call], ModelError)
        assert (lasting.made, ledger.get(call)) == (1, None)
        waits: list[float] = []
        passing = Moody(3, Transient)
        assert dict(run_calls([call], {"moody": passing}, ledger, sleep=waits.append)) == {call: Reply("yes")}
        assert passing.made == 4
        assert len(waits) == 3
        assert waits[0] < waits[1] < waits[2]
        again = Moody(0, ModelError)
        assert dict(run_calls([call, call], {"moody": again}, ledger)) == {call: Reply("yes")}
        assert again.made == 0


@pytest.mark.slow
def test_a_run_killed_ten_times_makes_no_call_twice(tmp_path: Path) -> None:
    log = tmp_path / "log"
    here = Path(__file__).parent
    environment = {**os.environ, "TRUESPEC_TEST_CALL_LOG": str(log), "PYTHONPATH": str(here)}
    models = ["--model", "python:scripted:writer", "--model", "python:scripted:writer_two"]
    folder = tmp_path / "run"
    answer = [
        "bench",
        "run",
        *models,
        "--domain",
        "fol",
        "--limit",
        "80",
        "--epochs",
        "3",
        "-o",
        str(folder),
        "--timeout",
        "10",
    ]
    judge = ["bench", "judge", str(folder), "--judge", "python:scripted:generous"]
    chance = random.Random(4)
    quiet: dict[str, Any] = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def command(arguments: list[str]) -> list[str]:
        return [sys.executable, "-m", "truespec", *arguments]

    # The first kills are of a smaller run, which then grows: one model, one answer to each task.
    small = [*answer[:2], *models[:2], *answer[6:]]
    small[small.index("--epochs") + 1] = "1"
    for arguments, kills in ((small, 2), (answer, 4), (judge, 4)):
        for _ in range(kills):
            enough = calls(log) + chance.randrange(30)
            with subprocess.Popen(command(arguments), **quiet) as process:
                while process.poll() is None and calls(log) <= enough:
                    time.sleep(0.01)
                time.sleep(chance.uniform(0.0, 0.05))
                process.send_signal(signal.SIGKILL)
        subprocess.run(command(arguments), check=True, **quiet)
    made = [line.split()[1] for line in log.read_text().splitlines()]
    assert made
    assert len(made) == len(set(made)), "a call is made again"
    assert set(made) == replies(folder)
    killed = Run(folder)
    names = ["python:scripted:writer", "python:scripted:writer_two"]
    calm = new_run(tmp_path / "calm", killed.tasks(), names, **{**DEFAULTS, "epochs": 3})
    run_models(calm, jobs=2)
    run_judges(calm, ["python:scripted:generous"], ["formalization", "equivalence"])
    assert lasting(killed.read("answers")) == lasting(calm.read("answers"))
    assert lasting(killed.read("judgements")) == lasting(calm.read("judgements"))


def calls(log: Path) -> int:
    """How many calls the models wrote down."""
    return log.read_bytes().count(b"\n") if log.exists() else 0


def replies(folder: Path) -> set[str]:
    """The keys of the calls whose replies a run has recorded."""
    path = folder / "calls.sqlite"
    if not path.exists():
        return set()
    with contextlib.closing(sqlite3.connect(path)) as database:
        try:
            return {key for (key,) in database.execute("SELECT key FROM calls")}
        except sqlite3.OperationalError:  # killed before the table was made
            return set()


def lasting(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records without what the clock decides: times, and which of several procedures was first."""
    kept = []
    for record in records:
        copy = {k: v for k, v in record.items() if k not in {"reply", "replies"}}
        if "verdict" in copy:
            copy["verdict"] = {k: copy["verdict"][k] for k in ("answer", "relation", "reason")}
        kept.append(copy)
    return kept


def test_judgement_names_are_those_of_the_records() -> None:
    assert {judgement.value for judgement in Judgement} == {"accept", "reject", "unknown"}
