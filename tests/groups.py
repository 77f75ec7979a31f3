"""How the tests are shared out between worker processes.

`--dist loadgroup` gives a group of tests to one process at a time. A group is a test file, so that what a
file sets up is set up once; files that load what takes seconds are one group. The laws of `conformance/` run
over thousands of cases of one file: there, a group is a share of one case table, and all laws of a case stay
together because they ask for the same verdicts. Groups are told from the names of the tests, which is all
that the sharing process knows.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

LAWS = "conformance/test_laws.py::"

TOGETHER = ("tests/models/test_inspect",)
"""How the names of files begin that are one group: what they all load takes seconds."""

SHARE = 40
"""About how many cases of one table a group holds."""


def case_of(test: str) -> tuple[str, str]:
    """The case table and the case that a conformance test runs on; two empty strings for any other test."""
    name = test.partition("[")[2]
    if LAWS not in test or name.count("-") < 2:
        return "", ""
    return "-".join(name.split("-", 2)[:2]), name


def groups_of(tests: Iterable[str]) -> dict[str, str]:
    """The group of each test."""
    tests = list(tests)
    tables: dict[str, set[str]] = defaultdict(set)
    for test in tests:
        table, case = case_of(test)
        tables[table].add(case)
    groups: dict[str, str] = {}
    for test in tests:
        table, case = case_of(test)
        shares = -(-len(tables[table]) // SHARE)
        share = zlib.crc32(case.encode()) % shares
        file = test.partition("::")[0]
        together = next((start for start in TOGETHER if file.startswith(start)), file)
        groups[test] = f"{table}-{share}" if case else together
    return groups


class Groups(LoadGroupScheduling):  # type: ignore[misc]  # without types
    """Gives each worker a whole group, in the order in which the groups were collected.

    What is asked for with each test costs the same however many tests there are: a test is found by its name,
    and one that has ended is forgotten.
    """

    def schedule(self) -> None:
        if self.collection is None:
            tests = next(iter(self.registered_collections.values()))  # the same in each worker
            self.groups = groups_of(tests)
            self.places = {test: place for place, test in enumerate(tests)}
        super().schedule()

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        test = self.registered_collections[node][item_index]
        groups = self.assigned_work[node]
        tests = groups[self.groups[test]]
        del tests[test]
        if not tests:
            del groups[self.groups[test]]
        self._reschedule(node)

    def _assign_work_unit(self, node: Any) -> None:
        group, tests = self.workqueue.popitem(last=False)
        self.assigned_work[node][group] = tests
        node.send_runtest_some([self.places[test] for test in tests])

    def _split_scope(self, nodeid: str) -> str:
        return self.groups[nodeid]


def scheduler(config: Any, log: Any) -> Groups | None:
    """The scheduler of `--dist loadgroup`; None for any other way to share."""
    return Groups(config, log) if config.getvalue("dist") == "loadgroup" else None
