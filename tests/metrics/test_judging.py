"""Many judgements of few kinds are counted without a look at each."""

from __future__ import annotations

from typing import Any

from truespec.metrics.judging import judge_rates
from truespec.verdict import Answer


class Noted:
    """An answer that counts how often it is looked up; each look at the real ones runs Python code."""

    looks = 0

    def __hash__(self) -> int:
        type(self).looks += 1
        return hash(Answer.REFUTED)

    def __eq__(self, other: object) -> bool:
        return other is self or other is Answer.REFUTED


def test_each_kind_of_judgement_is_looked_at_once() -> None:
    answer: Any = Noted()
    rates = judge_rates([(answer, None)] * 1_000, range(1_000))
    assert rates.verifier_success is not None
    assert Noted.looks < 3_000
