"""Values are tried in a random order, of which no more is drawn than a search asks for."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import factorial
from random import Random

from truespec.domains.arith import points


def test_each_value_comes_once() -> None:
    for length in range(70):
        values = list(range(length))
        assert sorted(points._shuffled(values, Random(length))) == values
        assert values == list(range(length))


class Counted(Random):
    """Counts its draws."""

    draws = 0

    def getrandbits(self, k: int) -> int:
        self.draws += 1
        return super().getrandbits(k)


def test_what_is_not_asked_for_is_not_drawn() -> None:
    generator = Counted(1)
    values = points._shuffled(range(128), generator)
    assert generator.draws == 0
    assert len(list(islice(values, 2))) == 2
    assert 2 <= generator.draws < 20
    assert len(list(values)) == 126
    assert generator.draws > 126


def test_no_order_is_preferred() -> None:
    generator = Random(5)
    drawn = Counter(tuple(points._shuffled(range(4), generator)) for _ in range(24_000))
    assert len(drawn) == factorial(4)
    assert all(850 < count < 1150 for count in drawn.values()), "1000 each, within five deviations"
