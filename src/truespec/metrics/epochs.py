"""What several answers to one task would come to: unbiased estimates from `right` right ones of `total`."""

from __future__ import annotations

from math import comb


def pass_at(k: int, right: int, total: int) -> float:
    """The chance that `k` of the answers hold a right one (Chen and others 2021, equation 1).

    >>> pass_at(1, 3, 10), pass_at(2, 1, 4)
    (0.3, 0.5)
    """
    _check(k, right, total)
    return (comb(total, k) - comb(total - right, k)) / comb(total, k)


def majority_at(k: int, right: int, total: int) -> float:
    """The chance that more than half of `k` of the answers are right, drawn without replacement.

    Such a majority wins every vote. A vote over wrong answers that disagree may be won with fewer.

    >>> majority_at(1, 3, 10), majority_at(3, 2, 3)
    (0.3, 1.0)
    """
    _check(k, right, total)
    won = sum(comb(right, hits) * comb(total - right, k - hits) for hits in range(k // 2 + 1, k + 1))
    return won / comb(total, k)


def _check(k: int, right: int, total: int) -> None:
    if not 0 <= right <= total or not 1 <= k <= total:
        raise ValueError(f"{k} of {total} answers, {right} of them right: expected 1 <= k <= all >= right")
