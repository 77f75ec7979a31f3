"""A hang, a crash or a memory hog costs exactly the pair that caused it, whatever stands beside it."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from misbehave import GOOD, behave, engines

from truespec.domains.verify import Pair
from truespec.executors import pool
from truespec.executors.pool import Job, Workers, failed_verdict
from truespec.verdict import Answer, ReasonCode, Verdict

EXPECTED = {
    "hang": ReasonCode.TIMEOUT,
    "hang-in-c": ReasonCode.TIMEOUT,
    "deaf": ReasonCode.TIMEOUT,
    "segfault": ReasonCode.CRASH,
    "abort": ReasonCode.CRASH,
    "killed": ReasonCode.CRASH,
    "exit": ReasonCode.CRASH,
    "quit": ReasonCode.CRASH,
    "memory": ReasonCode.MEMORY,
    "raise": ReasonCode.CRASH,
}


def job(key: int, candidate: str, seconds: float | None = None) -> Job[int, Pair]:
    """A short limit for what never ends; everything else gets the time that it needs on a busy machine."""
    if seconds is None:
        seconds = 0.1 if EXPECTED.get(candidate) is ReasonCode.TIMEOUT else 20.0
    return Job(key, Pair("regex", "", candidate), seconds)


@pytest.fixture(params=[False, True], ids=["fresh", "copies"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers[Pair, Verdict]]:
    with Workers(behave, failed_verdict, [], jobs=2, memory=1 << 29, copies=request.param) as pool:
        yield pool


@pytest.mark.parametrize("bad", EXPECTED)
def test_one_bad_pair_among_good_ones(workers: Workers[Pair, Verdict], bad: str) -> None:
    kinds = ["good", "good", bad, "good", "good", "good"]
    verdicts = dict(workers.run(job(key, kind) for key, kind in enumerate(kinds)))
    assert sorted(verdicts) == list(range(6))
    for key, kind in enumerate(kinds):
        if kind == "good":
            assert verdicts[key] == GOOD
        else:
            reason = verdicts[key].reason
            assert reason is not None
            assert reason.code is EXPECTED[bad], verdicts[key]


@pytest.mark.parametrize("copies", [False, True], ids=["fresh", "copies"])
def test_what_a_pair_leaves_behind_ends_no_later_one(copies: bool) -> None:
    place = r"SIGABRT.* it was at truespec/executors/worker\.py, line \d+ \(_serve\)"
    with (
        Workers(behave, failed_verdict, [], copies=copies) as pool,
        pytest.warns(RuntimeWarning, match=place + ".* tried again"),
    ):
        found = dict(pool.run(job(key, kind) for key, kind in enumerate(["curse", "victim", "abort"])))
    assert (found[0], found[1]) == (GOOD, GOOD)
    assert found[2].reason is not None
    assert found[2].reason.code is ReasonCode.CRASH
    assert re.search(place, found[2].reason.detail)


@pytest.mark.parametrize("copies", [False, True], ids=["fresh", "copies"])
def test_a_worker_whose_address_space_fills_is_replaced_between_jobs(copies: bool) -> None:
    with Workers(behave, failed_verdict, [], memory=1 << 31, copies=copies) as pool:
        found = [pool.run_one(Pair("regex", "", "map 300_000_000"), 20.0) for _ in range(8)]
    assert [verdict.answer for verdict in found] == [Answer.EQUIVALENT] * 8
    assert 2 <= len({verdict.method for verdict in found}) <= 3


@pytest.mark.slow
def test_many_bad_pairs_among_good_ones(workers: Workers[Pair, Verdict]) -> None:
    """All good pairs are decided, and each bad one has its own exact outcome."""
    kinds = ["good"] * 200 + [kind for kind in EXPECTED for _ in range(3)]
    random.Random(7).shuffle(kinds)
    verdicts = dict(workers.run(job(key, kind) for key, kind in enumerate(kinds)))
    assert sorted(verdicts) == list(range(len(kinds)))
    for key, kind in enumerate(kinds):
        verdict = verdicts[key]
        if kind == "good":
            assert verdict == GOOD
        else:
            assert verdict.reason is not None
            assert verdict.reason.code is EXPECTED[kind], (kind, verdict)


def test_waiting_in_the_queue_is_not_charged(workers: Workers[Pair, Verdict]) -> None:
    """Eight pairs are all decided by two workers, each of which needs longer than the limit for its four."""
    verdicts = dict(workers.run(job(key, "sleep 1", 3.0) for key in range(8)))
    assert all(verdict.answer is Answer.EQUIVALENT for verdict in verdicts.values())


def test_what_a_pair_started_ends_with_it(workers: Workers[Pair, Verdict]) -> None:
    marker = "98765.25"
    dict(workers.run([job(0, f"child {marker}", 0.5), job(1, "good")]))
    deadline = time.monotonic() + 60
    while _running(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _running(marker)


@pytest.mark.parametrize("ending", ["hang", "killed", "good"])
def test_no_temporary_file_outlives_its_worker(ending: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Workers(behave, failed_verdict, []) as pool:
        kinds = ["litter", ending, "litter"]
        dict(pool.run(job(key, kind) for key, kind in enumerate(kinds)))
        assert len(list(tmp_path.iterdir())) == 1, "the folder of the worker that lives"
    assert list(tmp_path.iterdir()) == []


def test_workers_are_replaced_after_their_share_of_pairs() -> None:
    with Workers(behave, failed_verdict, [], jobs_per_worker=3) as pool:
        pids = {verdict.method for _, verdict in pool.run(job(key, "pid") for key in range(12))}
    assert len(pids) == 4


def test_a_late_job_waits_for_a_worker_that_holds_none(monkeypatch: Any) -> None:
    given: list[tuple[int, bool, int]] = []
    give = pool._Worker.give

    def noted(self: pool._Worker, job: Job[int, Pair]) -> None:
        given.append((job.key, job.late, len(self.held)))
        give(self, job)

    monkeypatch.setattr(pool._Worker, "give", noted)
    jobs = [replace(job(key, "good"), late=key > 4) for key in range(9)]
    with Workers(behave, failed_verdict, [], jobs=2, copies=True) as workers:
        assert sorted(dict(workers.run(jobs))) == list(range(9))
    assert [key for key, _, _ in given] == list(range(9))
    assert any(held for _, late, held in given if not late)
    assert not any(held for _, late, held in given if late)


KEEPS = """
import resource
from truespec.executors.forked import keep_memory
keep_memory()
for _ in range(5):
    blocks = [b"x" * (8 << 20) for _ in range(4)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of glibc")
def test_memory_that_is_kept_is_not_faulted_in_again() -> None:
    faults = [
        int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
        for script in (KEEPS, KEEPS.replace("\nkeep_memory()", ""))
    ]
    pages = (32 << 20) // os.sysconf("SC_PAGE_SIZE")
    assert faults[0] + 2 * pages < faults[1]


def test_an_idle_worker_that_dies_is_replaced() -> None:
    with Workers(behave, failed_verdict, []) as pool:
        pid = int(pool.run_one(Pair("regex", "", "pid"), 20.0).method)
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)
        assert pool.run_one(Pair("regex", "", "good"), 20.0) == GOOD


def test_workers_end_when_their_parent_is_killed() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from misbehave import behave\n"
        "from truespec.domains.verify import Pair\n"
        "from truespec.executors.pool import Job, Workers, failed_verdict\n"
        "with Workers(behave, failed_verdict, [], jobs=2) as pool:\n"
        "    jobs = [Job(k, Pair('regex', '', 'pid'), 60.0) for k in range(50)]\n"
        "    pids = {int(v.method) for _, v in pool.run(jobs)}\n"
        "    print(*pids, flush=True)\n"
        "    dict(pool.run(Job(k, Pair('regex', '', 'hang'), 100.0) for k in range(2)))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert pids
        parent.kill()
    deadline = time.monotonic() + 60
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_alive(pid) for pid in pids)


def _running(argument: str) -> bool:
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return any(argument in line and not line.startswith("Z") for line in listed.splitlines())


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


LARGE = "x" * (4 << 20)
"""More than a pipe holds: sending it waits for the reader."""


def test_a_large_pair_behind_a_hanging_one_does_not_stop_the_clock() -> None:
    jobs = [
        job(0, "hang"),
        Job(1, Pair("regex", LARGE, "good"), 20.0),
        Job(2, Pair("regex", LARGE, "hang"), 0.1),
    ]
    jobs.append(Job(3, Pair("regex", LARGE, "good"), 20.0))
    with Workers(behave, failed_verdict, [], jobs=1) as pool:
        pool.run_one(Pair("regex", "", "good"), 20.0)
        started = time.monotonic()
        verdicts = dict(pool.run(jobs))
    assert time.monotonic() - started < 120
    assert verdicts[1] == verdicts[3] == GOOD
    for key in (0, 2):
        reason = verdicts[key].reason
        assert reason is not None
        assert reason.code is ReasonCode.TIMEOUT


def test_a_large_pair_given_to_a_worker_that_is_stopped_is_timed() -> None:
    with Workers(behave, failed_verdict, [], jobs=1) as pool:
        pool.run_one(Pair("regex", "", "good"), 20.0)
        (worker,) = pool._workers
        os.kill(worker._process.pid, signal.SIGSTOP)
        verdict = pool.run_one(Pair("regex", LARGE, "good"), 0.5)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.TIMEOUT


@pytest.mark.slow
def test_a_worker_starts_the_engines_of_its_pairs_alone() -> None:
    """A server that no pair asks for costs each worker half a second or more."""
    pairs = [
        Pair("sql", "SELECT 1", "SELECT 1", {"dialect": name}) for name in ("sqlite", "sqlite", "duckdb")
    ]
    with Workers(engines, lambda *_: "failed", ["sql"]) as pool:
        found = dict(pool.run(Job(number, pair, 60.0) for number, pair in enumerate(pairs)))
    assert found == {0: "sqlite", 1: "sqlite", 2: "sqlite duckdb"}
