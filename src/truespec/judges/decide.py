"""From scores to a judgement (RESpecBench, section 3.1)."""

from __future__ import annotations

from truespec.judges.judgement import Judgement
from truespec.judges.score import PASS


def from_score(score: int | None) -> Judgement:
    """One score: accepted from 2 upwards; a malformed reply decides nothing."""
    if score is None:
        return Judgement.UNKNOWN
    return Judgement.ACCEPT if score >= PASS else Judgement.REJECT


def from_both_orders(first: int | None, second: int | None) -> Judgement:
    """The equivalence judge asked in both orders.

    Where both orders pass or both fail, that stands; otherwise the pair is accepted when the scores sum to at
    least 4. Either order malformed decides nothing.

    >>> from_both_orders(3, 1).value, from_both_orders(2, 1).value
    ('accept', 'reject')
    """
    if first is None or second is None:
        return Judgement.UNKNOWN
    one, two = from_score(first), from_score(second)
    if one is two:
        return one
    return Judgement.ACCEPT if first + second >= 4 else Judgement.REJECT
