"""Limits per minute and the spending cap, with a clock of the test's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from truespec.executors.keeper import kept_calls
from truespec.executors.pace import MINUTE, Limits, NotAsked, Pace
from truespec.models.call import Call, Reply
from truespec.models.contract import ModelError
from truespec.store.calls import CallLedger

CALL = Call("m", "", "?")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_requests_per_minute() -> None:
    clock = Clock()
    pace = Pace(Limits(requests=3), clock=clock)
    for _ in range(3):
        assert not pace.must_wait()
        pace.begin()
        clock.now += 1
    assert pace.must_wait()
    clock.now = MINUTE - 0.1
    assert pace.must_wait()
    clock.now = MINUTE
    assert not pace.must_wait(), "the first call is a minute old"
    pace.begin()
    assert pace.must_wait()


def test_tokens_per_minute_count_calls_under_way_as_the_mean() -> None:
    clock = Clock()
    pace = Pace(Limits(tokens=100), clock=clock)
    pace.begin()
    assert pace.must_wait(), "what a call takes is not known yet"
    pace.end(CALL, Reply("", input_tokens=30, output_tokens=10))
    assert not pace.must_wait()
    pace.begin()
    assert pace.must_wait(), "40 used, 40 under way, 40 more would be 120"
    clock.now = MINUTE
    assert not pace.must_wait()


def test_a_call_of_more_tokens_than_the_limit_is_made_alone() -> None:
    clock = Clock()
    pace = Pace(Limits(tokens=10), clock=clock)
    pace.begin()
    pace.end(CALL, Reply("", input_tokens=500, output_tokens=0))
    assert pace.must_wait()
    clock.now = MINUTE
    assert not pace.must_wait(), "it waits for a minute without use, not for ever"


def test_the_cap_counts_what_is_under_way() -> None:
    pace = Pace(Limits(dollars=1.0), spent=0.3)
    assert not pace.refuses(CALL)
    pace.begin()
    assert pace.must_wait(), "the first call shows what a call costs"
    pace.end(CALL, Reply("", cost=0.3))
    assert pace.spent == pytest.approx(0.6)
    assert not pace.refuses(CALL)
    pace.begin()
    assert not pace.refuses(CALL), "0.6 and 0.3 under way"
    pace.begin()
    assert "spending cap of US$ 1 is reached: 0.6 spent, and about 0.6" in pace.refuses(CALL)
    pace.end(CALL, "failed")
    assert not pace.refuses(CALL), "a call that failed cost nothing"


def test_prices_stand_in_for_a_cost_that_is_not_stated() -> None:
    priced = Limits(dollars=1.0, prices={"m": (2.0, 10.0)})
    reply = Reply("", input_tokens=100_000, output_tokens=20_000)
    assert priced.cost("m", reply) == pytest.approx(0.4)
    assert priced.cost("m", Reply("", cost=0.1)) == 0.1
    pace = Pace(Limits(dollars=1.0))
    pace.begin()
    pace.end(CALL, reply)
    assert "--price m=INPUT,OUTPUT" in pace.refuses(CALL), "a cap that cannot be kept stops the run"


SOURCE = """
from truespec.models.call import Reply
from truespec.models.contract import Transient

seen = set()

def paid(call):
    return Reply("yes", input_tokens=3, output_tokens=2, cost=0.25)

def shaky(call):
    if call.prompt not in seen:
        seen.add(call.prompt)
        raise Transient("busy") if call.prompt == "a" else ConnectionError("reset")
    return "fine"

def wrong(call):
    return Reply("yes", cost=-1)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "paid_model.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("paid_model", None)
    return tmp_path


def ask(here: Path, function: str, prompts: str, limits: Limits) -> dict[str, Reply | ModelError]:
    path = here / "calls.sqlite"
    calls = [Call(f"python:paid_model:{function}", "", prompt) for prompt in prompts]
    with CallLedger(path) as ledger:
        pace = Pace(limits, sum(reply.cost or 0.0 for _, reply in ledger.replies()))
        return {call.prompt: got for call, got in kept_calls(calls, ledger, path, concurrency=4, pace=pace)}


def test_a_run_stops_at_its_cap_and_a_higher_one_continues_it(here: Path) -> None:
    found = ask(here, "paid", "abcdefgh", Limits(dollars=1.0))
    made = [prompt for prompt, reply in found.items() if isinstance(reply, Reply)]
    assert len(made) == 4, "four calls of a quarter"
    assert all(isinstance(found[prompt], NotAsked) for prompt in found if prompt not in made)
    reply = found[made[0]]
    assert isinstance(reply, Reply)
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (3, 2, 0.25)
    more = ask(here, "paid", "abcdefgh", Limits(dollars=1.5))
    assert sum(isinstance(reply, Reply) for reply in more.values()) == 6


def test_functions_may_fail_for_a_while(here: Path) -> None:
    for reply in ask(here, "shaky", "ab", Limits()).values():
        assert isinstance(reply, Reply)
        assert reply.text == "fine"
    wrong = ask(here, "wrong", "a", Limits())["a"]
    assert "a Reply with cost = -1, expected a number from 0 upwards" in str(wrong)
