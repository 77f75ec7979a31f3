"""Rates against values worked out by hand or by simulation, and empty denominators that stay empty."""

from __future__ import annotations

import itertools
import random

import pytest

from truespec.judges.judgement import Judgement
from truespec.metrics.agreement import cohen_kappa
from truespec.metrics.comparing import fisher_exact, holm, mcnemar_exact
from truespec.metrics.judging import correct, judge_rates
from truespec.metrics.proportion import Interval, Proportion, difference
from truespec.metrics.ranking import roc_auc, threshold_curve
from truespec.verdict import Answer

ACCEPT, REJECT, MALFORMED = Judgement.ACCEPT, Judgement.REJECT, Judgement.UNKNOWN


def test_wilson_against_published_values() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for hits, total, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        interval = Proportion(hits, total).wilson()
        assert interval
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    # Newcombe 1998, table II, method 10: 56/70 - 48/80.
    both = difference(Proportion(56, 70), Proportion(48, 80))
    assert both
    assert (both.low, both.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_nothing_is_not_zero() -> None:
    assert Proportion(0, 0).value is None
    assert Proportion(0, 0).wilson() is None
    assert difference(Proportion(0, 0), Proportion(1, 2)) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa("aa", "aa") is None
    assert roc_auc([], [1]) is None
    rates = judge_rates([])
    assert rates.far.value is rates.frr.value is rates.inflation is None
    assert correct(Proportion(1, 2), Proportion(0, 0), Proportion(0, 5)) is None


def test_values_check_themselves() -> None:
    with pytest.raises(ValueError, match="no proportion"):
        Proportion(3, 2)
    with pytest.raises(ValueError, match="runs upwards"):
        Interval(0.5, 0.1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        Proportion(1, 2).wilson(95)
    with pytest.raises(ValueError, match="same items"):
        cohen_kappa("ab", "a")


def test_rates_follow_the_definitions() -> None:
    items = (
        [(Answer.REFUTED, ACCEPT)] * 3
        + [(Answer.REFUTED, REJECT)] * 5
        + [(Answer.REFUTED, MALFORMED)] * 2
        + [(Answer.INVALID, ACCEPT)] * 1
        + [(Answer.INVALID, REJECT)] * 3
        + [(Answer.EQUIVALENT, ACCEPT)] * 7
        + [(Answer.EQUIVALENT, REJECT)] * 1
        + [(Answer.EQUIVALENT, MALFORMED)] * 1
        + [(Answer.UNKNOWN, ACCEPT)] * 4
    )
    rates = judge_rates(items)
    assert rates.far == Proportion(4, 12)
    assert rates.frr == Proportion(1, 8)
    assert rates.precision == Proportion(7, 11)
    assert rates.judge_success == Proportion(15, 24)
    assert rates.verifier_success == Proportion(9, 23)
    assert rates.malformed == Proportion(3, 27)
    assert rates.invalid_accepted == Proportion(1, 4)
    assert rates.inflation == pytest.approx(15 / 24 - 9 / 23)


@pytest.mark.parametrize("answer", [Answer.EQUIVALENT, Answer.REFUTED])
def test_a_judge_with_one_answer(answer: Answer) -> None:
    always = judge_rates([(answer, ACCEPT)] * 10)
    assert (always.far.value, always.frr.value) == (
        (None, 0.0) if answer is Answer.EQUIVALENT else (1.0, None)
    )


def test_the_correction_recovers_the_truth_within_its_interval() -> None:
    """In 95 of 100 worlds of known error rates, or nearly so."""
    chance = random.Random(5)
    covered = trials = 0
    for truth, far, frr in itertools.product([0.1, 0.5, 0.8], [0.05, 0.3], [0.02, 0.2]):
        for _ in range(60):
            accepted = _draw(chance, 400, truth * (1 - frr) + (1 - truth) * far)
            estimate = correct(accepted, _draw(chance, 150, far), _draw(chance, 150, frr))
            assert estimate
            covered += truth in estimate.interval
            trials += 1
    assert 0.92 <= covered / trials <= 1.0


def _draw(chance: random.Random, total: int, rate: float) -> Proportion:
    return Proportion(sum(chance.random() < rate for _ in range(total)), total)


def test_the_correction_refuses_a_judge_that_knows_nothing() -> None:
    assert correct(Proportion(5, 10), Proportion(5, 10), Proportion(5, 10)) is None


def test_kappa_against_a_worked_example() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, chance 0.5.
    first = "y" * 25 + "n" * 25
    second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    kappa = cohen_kappa(first, second)
    assert kappa
    assert (kappa.value, kappa.observed) == pytest.approx((0.4, 0.7))
    assert 0.4 in kappa.interval
    assert kappa.interval.low < 0.2


def test_auc_equals_its_definition() -> None:
    chance = random.Random(3)
    for _ in range(50):
        positive = [chance.randint(0, 5) for _ in range(chance.randint(1, 8))]
        negative = [chance.randint(0, 5) for _ in range(chance.randint(1, 8))]
        wins = sum((x > y) + (x == y) / 2 for x in positive for y in negative)
        auc = roc_auc(positive, negative)
        assert auc
        assert auc.value == pytest.approx(wins / len(positive) / len(negative))
        assert auc.value in Interval(auc.interval.low - 1e-12, auc.interval.high + 1e-12)


def test_threshold_curve_counts_what_is_flagged() -> None:
    curve = threshold_curve([1.0, 2.0], [2.0, 3.0])
    assert [(t.score, t.caught.hits, t.false_alarms.hits) for t in curve] == [(1, 1, 0), (2, 2, 1), (3, 2, 2)]


def test_tests_for_a_difference() -> None:
    assert fisher_exact(Proportion(8, 10), Proportion(1, 6)) == pytest.approx(0.0350, abs=5e-5)
    assert fisher_exact(Proportion(0, 0), Proportion(1, 6)) == 1.0
    assert mcnemar_exact(1, 8) == pytest.approx(0.0390625)
    assert mcnemar_exact(0, 0) == 1.0
    assert holm([]) == []
    assert all(a >= p for a, p in zip(holm([0.5, 0.001, 0.2]), [0.5, 0.001, 0.2], strict=True))
