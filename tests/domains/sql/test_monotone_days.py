"""Days moved by months and whole months between days keep the order of days, which their bounds rest on."""

from __future__ import annotations

import datetime

import pytest

from truespec.domains.sql.ir import monotone_days

SINCE = datetime.date(2023, 12, 1).toordinal()
DAYS = range(SINCE, SINCE + 470)
"""A leap year, and what lies beside it."""


@pytest.mark.parametrize("months", [-12, -1, 1, 2, 12])
def test_moved_days_keep_their_order(months: int) -> None:
    moved = [monotone_days._moved(day, months) for day in DAYS]
    assert moved == sorted(moved)


@pytest.mark.parametrize("day", ["2024-01-31", "2024-02-29", "2024-06-30"])
@pytest.mark.parametrize("size", [1, 12])
def test_whole_months_grow_with_the_later_day_and_fall_with_the_earlier_one(day: str, size: int) -> None:
    other = datetime.date.fromisoformat(day).toordinal()
    later = [monotone_days._whole(other, one, size) for one in DAYS]
    earlier = [monotone_days._whole(one, other, size) for one in DAYS]
    assert later == sorted(later)
    assert earlier == sorted(earlier, reverse=True)
