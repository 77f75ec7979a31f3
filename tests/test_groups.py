"""Groups of tests stay together when two processes share the tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

import needs
from groups import Groups, groups_of

FILES = ("tests/test_changes.py", "tests/verdict", "tests/store")


def test_a_file_is_run_by_one_process() -> None:
    line = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadgroup"]
    run = subprocess.run(
        [*line, "--no-loadscope-reorder", *FILES], capture_output=True, text=True, check=False, cwd=needs.ROOT
    )
    by_file: dict[str, set[str]] = defaultdict(set)
    for process, file in re.findall(r"\[(gw\d)\].*? (tests/\S+?)::", run.stdout):
        by_file[file].add(process)
    assert len(by_file) > 2, run.stdout + run.stderr
    assert all(len(processes) == 1 for processes in by_file.values()), by_file
    assert set().union(*by_file.values()) == {"gw0", "gw1"}


def test_all_laws_of_a_case_are_one_group() -> None:
    laws = [f"tests/conformance/test_laws.py::{law}" for law in ("test_a", "test_b")]
    cases = [f"sql-{table}-case_{number}-x" for table in ("core", "names") for number in range(100)]
    groups = groups_of(f"{law}[{case}]" for law in laws for case in cases)
    for case in cases:
        assert groups[f"{laws[0]}[{case}]"] == groups[f"{laws[1]}[{case}]"]
    assert len(set(groups.values())) == 6
    assert groups_of([f"{laws[0]}[sql]", "tests/a.py::test[a-b-c]"]) == {
        f"{laws[0]}[sql]": "tests/conformance/test_laws.py",
        "tests/a.py::test[a-b-c]": "tests/a.py",
    }


class Worker:
    """What a scheduler asks of a worker process."""

    gateway = SimpleNamespace(id="gw")
    shutting_down = False

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send_runtest_some(self, places: list[int]) -> None:
        self.sent += places

    def shutdown(self) -> None:
        self.shutting_down = True


def test_each_test_is_sent_once_and_forgotten_when_it_has_ended(pytestconfig: pytest.Config) -> None:
    tests = [f"tests/file_{number % 7}.py::test_{number}" for number in range(100)]
    line: Any = SimpleNamespace(
        option=SimpleNamespace(loadscopereorder=False), getvalue={"tx": ["popen"] * 2, "dist": ""}.get
    )
    line.rootpath, line.getoption = pytestconfig.rootpath, line.getvalue
    groups, workers = Groups(line), [Worker(), Worker()]
    for worker in workers:
        groups.add_node(worker)
        groups.add_node_collection(worker, list(tests))
    groups.schedule()
    done: dict[int, int] = defaultdict(int)
    while any(len(worker.sent) > done[number] for number, worker in enumerate(workers)):
        for number, worker in enumerate(workers):
            if len(worker.sent) > done[number]:
                groups.mark_test_complete(worker, worker.sent[done[number]])
                done[number] += 1
                kept = sum(len(group) for group in groups.assigned_work[worker].values())
                assert kept == len(worker.sent) - done[number]
    assert sorted(place for worker in workers for place in worker.sent) == list(range(100))
    assert not groups.has_pending
    assert groups.tests_finished
    for worker in workers:
        assert worker.shutting_down
        assert [groups.remove_node(worker)] == [None]
