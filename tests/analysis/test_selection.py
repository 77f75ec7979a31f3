"""Choosing traces: the limits hold, the seed decides, sizes are spread."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from truespec.analysis.selection import Candidate, Wish, select
from truespec.verdict import UsageError


def corpus(seed: int, solved: float, count: int = 400) -> list[Candidate[int]]:
    rng = random.Random(seed)
    return [
        Candidate(
            n, f"m{n % 2}", "shop", f"task {rng.randrange(80)}", rng.random() < solved, rng.randrange(4, 90)
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_limits_hold(seed: int) -> None:
    listed = corpus(seed, 0.5)
    chosen = select(listed, Wish(seed=seed))
    assert chosen == sorted(chosen)
    mine = [one for one in listed if one.key in set(chosen)]
    for model in ("m0", "m1"):
        group = [one for one in mine if one.model == model]
        assert len(group) == 50
        assert sum(bool(one.solved) for one in group) == round(50 * 0.35)
        assert max(Counter(one.task for one in group).values()) <= 2
        sizes = sorted(one.size for one in group)
        assert sizes[0] < 20
        assert sizes[-1] > 70
        assert 30 < sizes[25] < 62


def test_where_failures_are_few_the_share_gives_way_to_the_least() -> None:
    chosen = set(select(corpus(1, 0.97), Wish()))
    assert 40 <= len(chosen) <= 2 * 21
    assert len(select(corpus(1, 0.97), Wish(least=0))) < 20


def test_the_seed_decides() -> None:
    listed = corpus(2, 0.5)
    assert select(listed, Wish(seed=1)) == select(listed, Wish(seed=1))
    assert select(listed, Wish(seed=1)) != select(listed, Wish(seed=2))


def test_traces_without_an_outcome_are_not_chosen() -> None:
    assert select([Candidate(1, "m", "d", "t", None, 5)]) == []


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UsageError):
        Wish(solved=1.0)
