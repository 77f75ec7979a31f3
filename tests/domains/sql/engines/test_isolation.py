"""A bounded sample of `python -m benchmarks isolation`: no pair and no text affects another."""

from __future__ import annotations

import sys

import pytest

import needs
from truespec.domains.sql.engines import registry

sys.path.insert(0, str(needs.ROOT))

from benchmarks import isolation

TOOLS = {"mysql": "mariadbd", "postgres": "psql"}


@pytest.mark.live
@pytest.mark.parametrize("dialect", list(registry.ENGINES))
def test_hostile_texts_sent_directly_are_refused_and_leave_nothing(dialect: str) -> None:
    if dialect in TOOLS:
        needs.tool(TOOLS[dialect])
    seen, finds = isolation.attack(dialect, {"duckdb": 80}.get(dialect, 200), 3)
    assert not finds
    assert min(seen[kind] for kind in ("query", "refused", "showing")) > 0


@pytest.mark.live
def test_pairs_answer_alike_in_two_orders() -> None:
    for tool in TOOLS.values():
        needs.tool(tool)
    seen, finds = isolation.in_two_orders(isolation.pairs(20, 3), 3)
    assert not finds
    assert seen["equivalent"] + seen["refuted"] > 5
