"""Judges against formal ground truth: FAR, FRR, precision, inflation (RESpecBench, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

from truespec.judges.judgement import Judgement
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

    @property
    def inflation(self) -> float | None:
        """Judge success minus verifier success, each over its own decided items (RESpecBench, 3.1)."""
        return self._above(self.verifier_success)

    @property
    def inflation_judged(self) -> float | None:
        """The same over judged answers alone; larger or smaller only where some answers were not judged."""
        return self._above(self.verifier_success_judged)

    def _above(self, verified: Proportion) -> float | None:
        accepted, right = self.judge_success.value, verified.value
        return None if accepted is None or right is None else accepted - right


def judge_rates(items: Iterable[tuple[Answer, Judgement | None]]) -> JudgeRates:
    """Count a judge's decisions against the verifier's answers.

    None stands for an answer that is not judged, since it holds no specification: it counts in
    `verifier_success` alone.

    >>> rates = judge_rates([(Answer.REFUTED, Judgement.ACCEPT), (Answer.EQUIVALENT, Judgement.ACCEPT)])
    >>> rates.far.value, rates.frr.value, rates.inflation
    (1.0, 0.0, 0.5)
    """
    counts: dict[tuple[Answer, Judgement | None], int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1

    def count(answers: Iterable[Answer], *judgements: Judgement | None) -> int:
        return sum(counts.get((answer, judgement), 0) for answer in answers for judgement in judgements)

    accept, reject, malformed = Judgement.ACCEPT, Judgement.REJECT, Judgement.UNKNOWN
    right, decided = {Answer.EQUIVALENT}, {Answer.EQUIVALENT} | WRONG
    invalid = {Answer.INVALID}
    asked = (accept, reject, malformed)
    return JudgeRates(
        far=Proportion(count(WRONG, accept), count(WRONG, accept, reject)),
        frr=Proportion(count(right, reject), count(right, accept, reject)),
        precision=Proportion(count(right, accept), count(decided, accept)),
        judge_success=Proportion(count(Answer, accept), count(Answer, accept, reject)),
        verifier_success=Proportion(count(right, *asked, None), count(decided, *asked, None)),
        verifier_success_judged=Proportion(count(right, *asked), count(decided, *asked)),
        malformed=Proportion(count(Answer, malformed), count(Answer, accept, reject, malformed)),
        invalid_accepted=Proportion(count(invalid, accept), count(invalid, accept, reject)),
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
