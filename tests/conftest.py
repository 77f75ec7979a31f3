"""How the tests are shared out between worker processes.

`--dist loadgroup` gives a group of tests to one process at a time. A group is a test file, so that what a
file sets up is set up once. The laws of `conformance/` run over thousands of cases of one file: there, a
group is a share of one case table, and all laws of a case stay together because they ask for the same
verdicts. `costs.yml` says what the dear tests cost: groups that cost much start first, and a test that costs
a second or more is marked `slow`.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from cost import SLOW, Costs, cost

# A busy machine draws and runs examples slowly: neither is a fault of the code under test.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")

# Compiled code is kept, whatever the machine says: the tests start hundreds of processes of ours.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SHARE = 40
"""About how many cases of one table a group holds."""

ORDINARY = 0.05
"""The CPU seconds of a test of which no cost is kept."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, metavar="N", help="run N cases of each table only")
    parser.addoption("--cost", type=Path, metavar="FILE", help="write the CPU seconds of each test to FILE")


def pytest_configure(config: pytest.Config) -> None:
    if (path := config.getoption("--cost")) is not None:
        config.pluginmanager.register(Costs(path), "costs")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if cost(item.nodeid) >= SLOW:
            item.add_marker(pytest.mark.slow)
    limit = config.getoption("--cases")
    if limit is not None:
        _keep_first_cases(config, items, limit)
    tables: Counter[str] = Counter()
    seen: set[str] = set()
    for item in items:
        table, case = _case(item)
        if case and case not in seen:
            seen.add(case)
            tables[table] += 1
    weights: dict[str, float] = defaultdict(float)
    groups: dict[pytest.Item, str] = {}
    for item in items:
        groups[item] = group = _group(item, tables)
        weights[group] += cost(item.nodeid) or ORDINARY
        item.add_marker(pytest.mark.xdist_group(group))
    # Heavy groups start first, so that no process is left alone with one at the end.
    items.sort(key=lambda item: (-weights[groups[item]], groups[item]))


def _keep_first_cases(config: pytest.Config, items: list[pytest.Item], limit: int) -> None:
    """Of each case table, and of each other test with parameters, only the first cases that are not slow."""
    first: dict[str, list[str]] = defaultdict(list)
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        table, case = _case(item)
        if not case:
            table, _, case = item.nodeid.partition("[")
        slow = item.get_closest_marker("slow") is not None
        if case and case not in first[table] and len(first[table]) < limit and not slow:
            first[table].append(case)
        (kept if not case or slow or case in first[table] else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def _group(item: pytest.Item, tables: Counter[str]) -> str:
    table, case = _case(item)
    if not case:
        return item.nodeid.partition("::")[0]
    shares = -(-tables[table] // SHARE)
    return f"{table}-{zlib.crc32(case.encode()) % shares}"


def _case(item: pytest.Item) -> tuple[str, str]:
    """The case table and the case that a conformance test runs on; two empty strings for any other test."""
    callspec = getattr(item, "callspec", None)
    case = callspec.params.get("case") if callspec and "/conformance/" in item.nodeid else None
    return (f"{case.domain}-{case.table}", str(case)) if case is not None else ("", "")
