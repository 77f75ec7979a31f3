"""A sample of all small formulas against all short words, by the evaluator of the benchmark."""

from __future__ import annotations

import random

import pytest
from benchmarks._temporal_drawing import every, shapes

from truespec.solvers.limit import Limit
from truespec.temporal import Formula, compare, holds, pool_of, write
from truespec.temporal.syntax import TRUE

NAMES = ("a", "b")


@pytest.mark.parametrize("finite", [True, False])
def test_small_formulas_are_equal_only_if_no_short_word_separates_them(finite: bool) -> None:
    chance = random.Random(f"enumerated {finite}")
    formulas = [one for size in (1, 2, 3, 4) for one in every(size, NAMES, finite)]
    most = (2, 3) if finite else (2, 2)
    known: dict[tuple[int, ...], Formula] = {}
    seen = {True: 0, False: 0}
    previous = formulas[0]
    for formula in chance.sample(formulas, 250):
        values = tuple(shape.values(formula) for shape in shapes(NAMES, finite, most))
        for other in {known.setdefault(values, formula), previous} - {formula}:
            word = compare(pool_of(NAMES, finite), other, formula, TRUE, Limit.start(20.0)).word
            told = f"{write(other)}   {write(formula)}"
            if word is None:
                theirs = tuple(shape.values(other) for shape in shapes(NAMES, finite, most))
                assert theirs == values, told
            else:
                assert holds(other, word) is not holds(formula, word), told
                if known.get(values) is other:
                    before = word.loop or 0
                    short = before <= most[0] and len(word.letters) - before <= most[1]
                    assert len(word.letters) > sum(most) if finite else not short, told
            seen[word is None] += 1
        previous = formula
    assert min(seen.values()) > 50, seen
