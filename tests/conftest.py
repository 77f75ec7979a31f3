"""Which tests run, and in which order.

`costs.yml` says what the dear tests cost: groups (`groups.py`) that cost much start first, and a test that
costs much is marked `slow`.
"""

# ruff: noqa: E402
from __future__ import annotations

import gc
import os
import sys

# Compiled code is kept, whatever the machine says: the tests start hundreds of processes of ours. This stands
# first, because what is imported here is compiled too: Hypothesis takes two seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# DuckDB and Z3 allocate and free small pieces all the time: the GNU C library keeps more of them at hand in
# each process that tests start, and DuckDB takes a quarter less time. Other C libraries do not read this.
os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.tcache_count=500:glibc.malloc.tcache_max=8192")

from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from cost import SLOW, Costs, cost
from groups import case_of, groups_of, scheduler
from messages import tell_ends_alone
from scratch import keep_in_memory
from searches import answers_alone

keep_in_memory()

# A busy machine draws and runs examples slowly: neither is a fault of the code under test.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")

ORDINARY = 0.05
"""The CPU seconds of a test of which no cost is kept."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, metavar="N", help="run N cases of each table only")
    parser.addoption("--cost", type=Path, metavar="FILE", help="write the CPU seconds of each test to FILE")


def pytest_configure(config: pytest.Config) -> None:
    if (path := config.getoption("--cost")) is not None:
        config.pluginmanager.register(Costs(path), "costs")
    tell_ends_alone(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: no collection of garbage looks at it, neither meanwhile nor afterwards.

    Later collections are rare: by default they take a tenth of the time of a test on formulas and trees.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if cost(item.nodeid) >= SLOW:
            item.add_marker(pytest.mark.slow)
    limit = config.getoption("--cases")
    if limit is not None:
        _keep_some_cases(config, items, limit)
    groups = groups_of(item.nodeid for item in items)
    weights: dict[str, float] = defaultdict(float)
    for item in items:
        weights[groups[item.nodeid]] += cost(item.nodeid) or ORDINARY
    # Heavy groups start first, so that no process is left alone with one at the end.
    items.sort(key=lambda item: (-weights[groups[item.nodeid]], groups[item.nodeid]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return scheduler(config, log)


def _keep_some_cases(config: pytest.Config, items: list[pytest.Item], limit: int) -> None:
    """Of each case table, and of each other test with parameters, the last and the first cases, none slow."""
    cases: dict[str, list[str]] = defaultdict(list)
    places: list[tuple[str, str, bool]] = []
    for item in items:
        table, case = case_of(item.nodeid)
        if not case:
            table, _, case = item.nodeid.partition("[")
        slow = item.get_closest_marker("slow") is not None
        places.append((table, case, slow))
        if case and case not in cases[table] and not slow:
            cases[table].append(case)
    chosen = {table: {*several[: limit - 1], *several[-1:]} for table, several in cases.items()}
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item, (table, case, slow) in zip(items, places, strict=True):
        (kept if not case or slow or case in chosen[table] else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def no_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test asks for answers alone."""
    answers_alone(monkeypatch)
