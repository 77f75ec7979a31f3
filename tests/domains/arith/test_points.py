"""Points are drawn as they always were: the order of values decides which counterexample is found."""

from __future__ import annotations

from random import Random

from truespec.domains.arith import points


def test_values_are_ordered_as_the_library_shuffles_them() -> None:
    for length in range(70):
        values = list(range(length))
        one, other = Random(length), Random(length)
        shuffled = list(values)
        one.shuffle(shuffled)
        assert points._shuffled(values, other) == shuffled
        assert one.random() == other.random(), "both drew as much"
        assert values == list(range(length))
