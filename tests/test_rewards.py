"""Rewards over batches, as trainers call them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from truespec.rewards import VerifiedReward
from truespec.verdict import UsageError

ARITH = {"variables": {"x": {"type": "int"}}}


def fenced(text: str) -> str:
    return f"```\n{text}\n```"


@pytest.fixture(scope="module")
def reward() -> Iterator[VerifiedReward]:
    with VerifiedReward(jobs=1, unknown=None, partial={"stronger": 0.5}, timeout=60) as made:
        yield made


def test_rows_of_several_domains_each_by_their_own_columns(reward: VerifiedReward) -> None:
    values = reward(
        prompts=["?"] * 4,
        completions=[fenced("x + x"), fenced("x"), [{"role": "assistant", "content": fenced("a+")}], "a*"],
        completion_ids=[[1]] * 4,
        domain=["arith", "arith", "regex", "regex"],
        oracle=["2 * x", "2 * x", "a*", "a*"],
        context=[ARITH, json.dumps(ARITH), None, ""],
        trainer_state=object(),
    )
    assert values == [1.0, 0.0, 0.5, 0.0]
    assert reward.__name__ == "verified_reward"


def test_unknown_is_apart_from_wrong(reward: VerifiedReward) -> None:
    assert reward(completions=[fenced(r"(a)\1")], oracle=["aa"], domain=["regex"]) == [None]
    with VerifiedReward("regex", jobs=1) as plain:
        assert plain(completions=[fenced(r"(a)\1"), fenced("a(")], oracle=["aa"] * 2) == [0.0, 0.0]


def test_an_unusable_row_is_named_and_costs_nobody_else(reward: VerifiedReward) -> None:
    with pytest.warns(UserWarning, match="row 0 has no reward: its oracle"):
        values = reward(completions=[fenced("a")] * 2, oracle=["a(", "a"], domain=["regex"] * 2)
    assert values == [None, 1.0]
    with pytest.warns(UserWarning, match="row 0 has no reward: its context.*flgas"):
        values = reward(completions=[fenced("a")], oracle=["a"], domain=["regex"], context=[{"flgas": "i"}])
    assert values == [None]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"domain": ["regex"]}, "no column 'oracle': it has domain"),
        ({"domain": ["regex"], "oracle": "a"}, "'oracle' is no list of 1 values"),
        ({"domain": ["regex"], "oracle": ["a", "b"]}, "'oracle' is no list of 1 values"),
        ({"domain": ["regex"], "oracle": ["a"], "context": ["{"]}, "context of row 0 is no JSON"),
        ({"oracle": ["a"]}, "no column 'domain'"),
    ],
)
def test_wrong_columns_are_named(reward: VerifiedReward, columns: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        reward(completions=[fenced("a")], **columns)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"contexts": [{"flags": "i"}]}, "row 0: unknown field 'contexts'"),
        ({"flags": ["i"]}, "row 0: the field 'flags' stands beside the context"),
        ({"context": ['{"flags": "i", "flags": ""}']}, "given twice"),
    ],
)
def test_a_column_that_belongs_into_the_context_is_named(
    reward: VerifiedReward, columns: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        reward(completions=[fenced("A")], domain=["regex"], oracle=["a"], **columns)


def test_wrong_settings_are_named() -> None:
    with pytest.raises(UsageError, match="relation 'closer': expected stronger, weaker, incomparable"):
        VerifiedReward(partial={"closer": 0.5})
    with pytest.raises(UsageError, match="expected a number from 0 to below 1"):
        VerifiedReward(partial={"weaker": 1.0})


def test_hostile_completions_are_contained(reward: VerifiedReward) -> None:
    hostile = [fenced("(" * 50_000), "```" * 10_000, "\x00", "", [], fenced("a" * 300_000)]
    values = reward(completions=hostile, oracle=["a*"] * 6, domain=["regex"] * 6)
    assert [value or 0.0 for value in values] == [0.0] * 5 + [values[5] or 0.0]
    assert values[5] in (None, 0.0, 0.5)
