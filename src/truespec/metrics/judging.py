"""Judges against formal ground truth: FAR, FRR, precision, inflation (RESpecBench, section 3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import hypot

from truespec.judges.judgement import Judgement
from truespec.metrics.clustered import Counts, Estimate, paired_difference, proportion
from truespec.metrics.proportion import CONFIDENCE, Interval, Proportion
from truespec.verdict import Answer

WRONG = frozenset({Answer.REFUTED, Answer.INVALID})
"""The answers that make a candidate wrong: an invalid one stands with the refuted."""


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """A judge's error rates over a set of candidates."""

    far: Proportion
    """False acceptances: wrong candidates that the judge accepted, of those it decided."""
    frr: Proportion
    """False rejections: equivalent candidates that the judge rejected, of those it decided."""
    precision: Proportion
    """Equivalent candidates among the accepted ones that the verifier decided."""
    judge_success: Proportion
    """Acceptances among the candidates that the judge decided."""
    verifier_success: Proportion
    """Equivalent answers among those that the verifier decided, whether they were judged or not."""
    verifier_success_judged: Proportion
    """Equivalent candidates among those that the verifier decided and the judge was asked about."""
    malformed: Proportion
    """Responses without a usable score."""
    invalid_accepted: Proportion
    """The part of FAR that comes from invalid candidates."""

    inflated: Estimate | None
    """Judge success minus verifier success, each over its own decided items (RESpecBench, 3.1)."""
    inflated_judged: Estimate | None
    """The same over judged answers alone; larger or smaller only where some answers were not judged."""

    @property
    def inflation(self) -> float | None:
        """The value of `inflated`."""
        return self.inflated.value if self.inflated else None

    @property
    def inflation_judged(self) -> float | None:
        """The value of `inflated_judged`."""
        return self.inflated_judged.value if self.inflated_judged else None


Item = tuple[Answer, Judgement | None]
"""What the verifier and the judge say; None for an answer that is not judged."""

_ACCEPTED, _REJECTED = Judgement.ACCEPT, Judgement.REJECT
_DECIDED = (_ACCEPTED, _REJECTED)
_RIGHT = frozenset({Answer.EQUIVALENT})


def judge_rates(items: Iterable[Item], clusters: Iterable[Hashable] | None = None) -> JudgeRates:
    """Count a judge's decisions against the verifier's answers.

    None stands for an answer that is not judged, since it holds no specification: it counts in
    `verifier_success` alone. `clusters` names the cluster of each item, e.g. its task; without it every item
    is a cluster of its own.

    >>> rates = judge_rates([(Answer.REFUTED, Judgement.ACCEPT), (Answer.EQUIVALENT, Judgement.ACCEPT)])
    >>> rates.far.value, rates.frr.value, rates.inflation
    (1.0, 0.0, 0.5)
    """
    held = list(items)
    keys: list[Hashable] = list(range(len(held))) if clusters is None else list(clusters)
    tally: Counter[tuple[Hashable, Item]] = Counter(zip(keys, held, strict=True))
    kinds: dict[Item, int] = {}  # there are few: each is looked at once, and known by its number
    rows = [(cluster, kinds.setdefault(item, len(kinds)), n) for (cluster, item), n in tally.items()]

    def count(hit: Callable[[Item], bool], among: Callable[[Item], bool]) -> Counts:
        found: dict[Hashable, tuple[int, int]] = {}
        counted = [hit(item) if among(item) else None for item in kinds]
        for cluster, kind, number in rows:
            if (hits_it := counted[kind]) is not None:
                hits, total = found.get(cluster, (0, 0))
                found[cluster] = (hits + number * hits_it, total + number)
        return found

    def accepted(item: Item) -> bool:
        return item[1] is _ACCEPTED

    def right(item: Item) -> bool:
        return item[0] in _RIGHT

    judge = count(accepted, lambda item: item[1] in _DECIDED)
    verifier = count(right, lambda item: item[0] in WRONG | _RIGHT)
    asked = count(right, lambda item: item[0] in WRONG | _RIGHT and item[1] is not None)
    return JudgeRates(
        far=proportion(count(accepted, lambda item: item[0] in WRONG and item[1] in _DECIDED)),
        frr=proportion(
            count(lambda item: item[1] is _REJECTED, lambda item: right(item) and item[1] in _DECIDED)
        ),
        precision=proportion(count(right, lambda item: item[0] in WRONG | _RIGHT and accepted(item))),
        judge_success=proportion(judge),
        verifier_success=proportion(verifier),
        verifier_success_judged=proportion(asked),
        malformed=proportion(
            count(lambda item: item[1] is Judgement.UNKNOWN, lambda item: item[1] is not None)
        ),
        invalid_accepted=proportion(
            count(accepted, lambda item: item[0] is Answer.INVALID and item[1] in _DECIDED)
        ),
        inflated=paired_difference(judge, verifier),
        inflated_judged=paired_difference(judge, asked),
    )


@dataclass(frozen=True, slots=True)
class Corrected:
    """A success rate freed of the judge's measured error."""

    value: float
    """The corrected rate, within 0 and 1."""
    interval: Interval
    """Its interval, with the uncertainty of all three measurements."""


def correct(
    accepted: Proportion, far: Proportion, frr: Proportion, confidence: float = CONFIDENCE
) -> Corrected | None:
    """The success rate behind a judge's acceptance rate, given its errors measured elsewhere.

    Rogan and Gladen's estimate `(a - FAR) / (1 - FAR - FRR)` (1978). The interval carries the Wilson
    intervals of all three proportions through the estimate's monotone parts by Zou and Donner's method of
    variance recovery (2008). None where a proportion is of nothing or the judge is no better than chance
    (`FAR + FRR >= 1`), when acceptance says nothing about success.
    """
    a, false_accepts, false_rejects = accepted.value, far.value, frr.value
    if a is None or false_accepts is None or false_rejects is None:
        return None
    informed = 1 - false_accepts - false_rejects
    if informed <= 0:
        return None

    def estimate(rate: float, accepts: float, rejects: float) -> float:
        return (rate - accepts) / max(1 - accepts - rejects, 1e-9)

    centre = estimate(a, false_accepts, false_rejects)
    bounds = accepted.wilson(confidence), far.wilson(confidence), frr.wilson(confidence)
    assert bounds[0]
    assert bounds[1]
    assert bounds[2]
    # The estimate grows with a; it falls with FAR while a < 1 - FRR and grows with FRR while a > FAR.
    moved = [
        [estimate(a_, false_accepts, false_rejects) for a_ in (bounds[0].low, bounds[0].high)],
        [estimate(a, f, false_rejects) for f in (bounds[1].low, bounds[1].high)],
        [estimate(a, false_accepts, f) for f in (bounds[2].low, bounds[2].high)],
    ]
    below = hypot(*(max(0.0, centre - min(ends)) for ends in moved))
    above = hypot(*(max(0.0, max(ends) - centre) for ends in moved))
    low, high = _clip(centre - below), _clip(centre + above)
    return Corrected(_clip(centre), Interval(low, high))


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
