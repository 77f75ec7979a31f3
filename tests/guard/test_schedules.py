"""Samples of the random schedules and hostile agents of `python -m benchmarks guard`."""

from __future__ import annotations

import asyncio
import copy

import pytest
from benchmarks._guard_schedules import Reference, hostile, one_schedule, schedules


def test_concurrent_calls_are_decided_as_one_after_the_other() -> None:
    assert schedules(150) == 0


def test_no_hostile_agent_gets_past_a_rule() -> None:
    assert hostile(120) == 0


@pytest.mark.parametrize(
    "forget",
    [{"refunded": []}, {"seen": set("abcd")}, {"last": None}, {"closed": False}],
    ids=lambda one: next(iter(one)),
)
def test_a_wrong_reference_is_found_out(monkeypatch: pytest.MonkeyPatch, forget: dict[str, object]) -> None:
    right = Reference.allows

    def careless(self: Reference, tool: str, arguments: dict[str, object]) -> bool:
        vars(self).update(copy.deepcopy(forget))
        return right(self, tool, arguments)

    monkeypatch.setattr(Reference, "allows", careless)
    found = [asyncio.run(one_schedule(seed)) for seed in range(60)]
    assert any(decided != expected for decided, expected in found)
