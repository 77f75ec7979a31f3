"""The figures: what stands at their axes."""

from __future__ import annotations

import re

import pytest

from truespec.reports.plots import lines


@pytest.mark.parametrize(
    ("points", "ticks"),
    [
        ([1, 2, 3], ["1", "2", "3"]),
        (range(1, 1235), ["1", "618", "1,234"]),
        ([number / 8 for number in range(12)], ["0", "0.688", "1.38"]),
    ],
)
def test_an_axis_of_whole_numbers_has_whole_ticks(points: list[float], ticks: list[str]) -> None:
    drawn = lines({"some": [(x, 0.5) for x in points]}, "label", across="traces", up="score")
    assert re.findall(r'<text class="tick"[^>]*text-anchor="middle">([\d.,]+)</text>', drawn) == ticks
