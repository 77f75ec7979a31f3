"""Intervals over clusters, pass@k and exact tests, against closed forms, enumeration, scipy, statsmodels."""

from __future__ import annotations

import gc
import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from truespec.metrics.agreement import cohen_kappa
from truespec.metrics.clustered import (
    Counts,
    Estimate,
    clustered,
    counted,
    effective_size,
    mean_estimate,
    mean_share,
    mean_value,
    paired_difference,
)
from truespec.metrics.comparing import fisher_exact, holm, mcnemar_exact, sign_flip_exact
from truespec.metrics.epochs import majority_at, pass_at
from truespec.metrics.proportion import Interval, Proportion, difference


def drawn(chance: random.Random, tasks: int, answers: list[int]) -> list[tuple[int, bool]]:
    """Answers to tasks; each task's own chance of a right one is drawn from a beta law with mean 0.3."""
    skills = [chance.betavariate(0.6, 1.4) for _ in range(tasks)]
    return [(task, chance.random() < skills[task]) for task in range(tasks) for _ in range(answers[task])]


CHANCES = [random.Random(seed) for seed in range(25)]


@pytest.mark.parametrize("right", range(11))
def test_twenty_answers_of_a_deterministic_model_say_what_one_says(right: int) -> None:
    once = [(task, task < right) for task in range(10)]
    assert clustered(once).wilson() == Proportion(right, 10).wilson()
    assert clustered(once * 20).wilson() == Proportion(right, 10).wilson()


def test_answers_that_do_not_depend_on_their_task_are_worth_as_many() -> None:
    # Every task has as many right answers as any other: tasks show no variance, answers count each.
    alike = [(task, epoch < 2) for task in range(6) for epoch in range(4)]
    assert clustered(alike).wilson() == Proportion(12, 24).wilson()


def test_the_variance_is_that_of_a_ratio_over_clusters() -> None:
    counts: Counts = {"a": (4, 4), "b": (0, 2), "c": (1, 1), "d": (1, 5)}
    share = 6 / 12
    variance = sum((hits - share * total) ** 2 for hits, total in counts.values()) / 12**2
    assert effective_size(counts) == pytest.approx(share * (1 - share) / variance)


@pytest.mark.slow  # the first one pays for loading statsmodels
@pytest.mark.parametrize("chance", CHANCES)
def test_the_variance_is_that_of_statsmodels_with_clusters(chance: random.Random) -> None:
    import numpy
    from statsmodels.regression.linear_model import OLS

    items = drawn(chance, 12, [chance.randint(1, 6) for _ in range(12)])
    hits = numpy.array([float(hit) for _, hit in items])
    if len(set(hits)) == 1:
        return
    groups = numpy.array([task for task, _ in items])
    # No correction for few clusters, so that one item a cluster gives the plain variance.
    fit = OLS(hits, numpy.ones(len(hits))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False, "df_correction": False}
    )
    share = hits.mean()
    size = share * (1 - share) / fit.bse[0] ** 2
    assert effective_size(counted(items)) == pytest.approx(min(size, len(items)))


@pytest.fixture
def _frozen() -> Iterator[None]:
    """A library collects garbage at each call: what other tests left is not for it to look at."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.slow  # the first one pays for loading statsmodels
@pytest.mark.usefixtures("_frozen")
@pytest.mark.parametrize("chance", CHANCES)
def test_plain_intervals_and_tests_agree_with_scipy_and_statsmodels(chance: random.Random) -> None:
    from scipy.stats import binomtest
    from scipy.stats import fisher_exact as scipys
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.inter_rater import cohens_kappa
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    n, m = chance.randint(1, 80), chance.randint(1, 80)
    k, j = chance.randint(0, n), chance.randint(0, m)
    reach = Proportion(k, n).wilson()
    assert reach
    assert (reach.low, reach.high) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)
    theirs = binomtest(k, n).proportion_ci(method="wilson")
    assert (reach.low, reach.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    apart = difference(Proportion(k, n), Proportion(j, m))
    assert apart
    newcombe = confint_proportions_2indep(k, n, j, m, compare="diff", method="newcomb")
    assert (apart.low, apart.high) == pytest.approx(newcombe, abs=1e-9)
    expected = scipys([[k, n - k], [j, m - j]])[1]
    assert fisher_exact(Proportion(k, n), Proportion(j, m)) == pytest.approx(expected)
    assert mcnemar_exact(k, j) == pytest.approx(mcnemar([[0, k], [j, 0]], exact=True).pvalue)
    p_values = [chance.random() ** 3 for _ in range(6)]
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))
    pairs = [(chance.randrange(3), chance.randrange(3)) for _ in range(n + 10)]
    table = [[pairs.count((a, b)) for b in range(3)] for a in range(3)]
    ours, others = cohen_kappa([a for a, _ in pairs], [b for _, b in pairs]), cohens_kappa(table)
    assert ours
    assert ours.value == pytest.approx(others.kappa)
    reach = ours.interval
    assert (reach.low, reach.high) == pytest.approx((others.kappa_low, others.kappa_upp), abs=1e-9)


def test_a_paired_difference_of_one_answer_a_task_is_newcombes() -> None:
    # 36 tasks right for both, 12 for the first alone, 2 for the second alone.
    first: Counts = {n: (int(n < 48), 1) for n in range(50)}
    second: Counts = {n: (int(n < 36 or n >= 48), 1) for n in range(50)}
    found = paired_difference(first, second)
    one, two = Proportion(48, 50).wilson(), Proportion(38, 50).wilson()
    assert found
    assert one
    assert two
    assert found.value == pytest.approx(0.2)
    phi = (36 * 0 - 12 * 2) / math.sqrt(48 * 2 * 38 * 12)
    down, up = (0.96 - one.low, two.high - 0.76), (one.high - 0.96, 0.76 - two.low)
    reach = [math.sqrt(a**2 - 2 * phi * a * b + b**2) for a, b in (down, up)]
    assert (found.interval.low, found.interval.high) == pytest.approx((0.2 - reach[0], 0.2 + reach[1]))


def test_the_same_model_differs_from_itself_by_nothing() -> None:
    counts = counted([(task, task % 3 == 0) for task in range(30)])
    found = paired_difference(counts, counts)
    assert found
    assert found.value == 0
    assert found.interval.low == pytest.approx(-found.interval.high)
    assert found.interval.high < 0.1
    assert sign_flip_exact([0] * 30) == 1.0
    assert paired_difference({}, counts) is None


@pytest.mark.parametrize("chance", CHANCES)
def test_the_sign_flip_test_is_what_enumeration_gives(chance: random.Random) -> None:
    values = [Fraction(chance.randint(-4, 4), chance.choice((1, 2, 5))) for _ in range(chance.randint(0, 9))]
    signs = itertools.product((-1, 1), repeat=len(values))
    sums = [sum((s * v for s, v in zip(one, values, strict=True)), Fraction()) for one in signs]
    seen = abs(sum(values, Fraction()))
    expected = sum(abs(total) >= seen for total in sums) / len(sums)
    assert sign_flip_exact(values) == pytest.approx(expected)


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 0), (5, 0), (7, 3), (2, 2), (30, 11)])
def test_the_sign_flip_test_of_one_answer_a_task_is_mcnemars(only_first: int, only_second: int) -> None:
    values = [1] * only_first + [-1] * only_second + [0] * 9
    assert sign_flip_exact(values) == pytest.approx(mcnemar_exact(only_first, only_second))
    assert sign_flip_exact([20 * value for value in values]) == sign_flip_exact(values)


@pytest.mark.parametrize(("right", "total"), [(0, 4), (1, 4), (3, 5), (5, 5), (4, 7)])
def test_pass_and_majority_are_what_every_draw_gives(right: int, total: int) -> None:
    answers = [1] * right + [0] * (total - right)
    for k in range(1, total + 1):
        draws = [sum(draw) for draw in itertools.combinations(answers, k)]
        assert pass_at(k, right, total) == pytest.approx(sum(s > 0 for s in draws) / len(draws))
        assert majority_at(k, right, total) == pytest.approx(sum(2 * s > k for s in draws) / len(draws))
    with pytest.raises(ValueError, match="expected 1 <= k <= all"):
        pass_at(total + 1, right, total)


def test_pass_at_k_is_unbiased() -> None:
    # Over all outcomes of n answers that are right with chance p, the estimate is 1 - (1 - p)^k on average.
    p, n, k = 0.3, 6, 2
    expected = sum(math.comb(n, c) * p**c * (1 - p) ** (n - c) * pass_at(k, c, n) for c in range(n + 1))
    assert expected == pytest.approx(1 - (1 - p) ** k)


def test_means() -> None:
    parts = [Proportion(3, 10), Proportion(9, 10), Proportion(0, 0)]
    found = mean_share(parts)
    reach = [part.wilson() for part in parts[:2]]
    assert found
    assert found.value == pytest.approx(0.6)
    assert found.total == 2
    assert reach[0]
    assert reach[1]
    assert found.interval.low == pytest.approx(0.6 - math.hypot(0.3 - reach[0].low, 0.9 - reach[1].low) / 2)
    assert mean_share([]) is mean_share([Proportion(0, 0)]) is None
    alike = [Estimate(0.5, Interval(0.3, 0.6), 9)] * 4
    together = mean_estimate(alike, together=True)
    assert together
    assert (together.interval.low, together.interval.high) == pytest.approx((0.3, 0.6))
    apart = mean_estimate(alike)
    assert apart
    assert apart.interval.low == pytest.approx(0.5 - 0.2 / 2)
    values = mean_value({"a": [1.0], "b": [0.0], "c": [1.0]}, 3)
    assert values
    assert values.interval == Proportion(2, 3).wilson()
    assert mean_value({}, 0) is None


def test_kappa_over_clusters() -> None:
    first, second = "yynnynynyy" * 2, "ynnnyyynny" * 2
    once = cohen_kappa(first[:10], second[:10])
    alone = cohen_kappa(first, second)
    tasks = cohen_kappa(first, second, clusters=[*range(10)] * 2)
    assert once
    assert alone
    assert tasks
    assert once.value == alone.value == tasks.value
    width, narrow = (k.interval.high - k.interval.low for k in (tasks, alone))
    assert narrow < 0.75 * width, "twenty labels of ten tasks say no more than ten"
    assert cohen_kappa(first, second, clusters=range(20)) == alone
    blind = cohen_kappa("yn", "yn", clusters="aa")
    assert blind
    assert (blind.interval.low, blind.interval.high) == (-1.0, 1.0), "nothing follows from one task"


def test_the_intervals_cover_the_truth() -> None:
    chance = random.Random(5)
    plain = own = 0
    for _ in range(400):
        found = clustered(drawn(chance, 40, [8] * 40))
        reach, naive = found.wilson(), Proportion(found.hits, found.total).wilson()
        assert reach
        assert naive
        own += 0.3 in reach
        plain += 0.3 in naive
    assert own / 400 > 0.92
    assert plain / 400 < 0.75, "intervals that count every answer are wrong"
