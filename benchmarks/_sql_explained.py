"""Why pairs of Calcite's tests, all meant to be equal, are told apart.

The texts are what VeriEQL publishes: translated plans, in which something of the plan may be lost. Two
reasons are seen in the results themselves; the others were found by reading the texts.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, InvalidOperation

ORDER = "the candidate's columns come in another order"
CUT = "an average of integers is cut to an integer"
LOST = "the candidate compares a column with itself: the correlation is lost"
SETS = "grouping sets are lost or differ"
LEAST = "MIN stands for SUM over groups of one row, which no key guarantees"
EMPTY = "over no rows, COUNT and ELSE 0 yield another value than SUM with FILTER"
PADDED = "a CHAR of more letters is padded"
CUT_TEXT = "a CAST cuts a text that is longer"

READ = {
    **dict.fromkeys(("17", "91", "127", "330"), LOST),
    **dict.fromkeys(("120", "121", "185"), SETS),
    **dict.fromkeys(("258", "326", "353", "368"), LEAST),
    "13": EMPTY,
    "381": CUT_TEXT,
    "81": PADDED,
}
"""Reasons by the index of a pair."""


def explanation(identity: str, oracle: object, candidate: object) -> str | None:
    """Why a pair is told apart, from both results and the list above; None where nobody knows."""
    if isinstance(oracle, list) and isinstance(candidate, list) and len(oracle) == len(candidate):
        if _permuted(oracle) == _permuted(candidate):
            return ORDER
        if _is_cut(oracle, candidate):
            return CUT
    return READ.get(identity.rsplit("-", 1)[-1])


def _permuted(rows: list[object]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(map(_text, row))) for row in rows if isinstance(row, list))


def _is_cut(oracle: list[object], candidate: list[object]) -> bool:
    """Whether each row of one side stands on the other with numbers that are less than 1 away."""
    rest = list(candidate)
    for row in oracle:
        found = next((other for other in rest if _near(row, other)), None)
        if found is None:
            return False
        rest.remove(found)
    return True


def _near(row: object, other: object) -> bool:
    if not isinstance(row, list) or not isinstance(other, list) or len(row) != len(other):
        return False
    for one, two in zip(map(_text, row), map(_text, other), strict=True):
        try:
            if abs(Decimal(one) - Decimal(two)) >= 1:
                return False
        except InvalidOperation:
            if one != two:
                return False
    return True


def _text(cell: object) -> str:
    return str(cell).removesuffix(" 00:00:00")  # a date that became a moment
