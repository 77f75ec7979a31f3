"""Figures that records cannot fill are left out."""

from __future__ import annotations

import pytest

from truespec.judges.judgement import Judgement
from truespec.reports.bench_figures import costs
from truespec.reports.bench_items import Item
from truespec.verdict import Answer


def judged(judge: str, seconds: float) -> Item:
    return Item(
        *("regex", "t", "m", judge, "equivalence"),
        scores=(3, 3),
        judgement=Judgement.ACCEPT,
        answer=Answer.EQUIVALENT,
        seconds=seconds,
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [((0.0, 0.0), None), ((0.0, 0.2), ["b"]), ((0.1, 0.2), ["a", "b"])],
    ids=["no time is known", "one judge's time is known", "all are known"],
)
def test_a_judge_without_a_known_time_has_no_place_in_the_figure_of_costs(
    seconds: tuple[float, float], shown: list[str] | None
) -> None:
    figure = costs([judged(name, took) for name, took in zip("ab", seconds, strict=True)])
    if shown is None:
        assert figure is None
        return
    assert figure is not None
    assert [name for name in "ab" if f"equivalence, {name}" in figure.svg] == shown
