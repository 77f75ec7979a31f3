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

READ = {
    **dict.fromkeys(("17", "91", "127", "330"), LOST),
    **dict.fromkeys(("120", "121", "185"), SETS),
    **dict.fromkeys(("258", "353", "368"), LEAST),
    "13": EMPTY,
    "81": PADDED,
}
"""Reasons by the index of a pair."""


def explanation(identity: str, oracle: object, candidate: object) -> str | None:
    """Why a pair is told apart, from both results and the list above; None where nobody knows."""
    if isinstance(oracle, list) and isinstance(candidate, list) and len(oracle) == len(candidate):
        if _rows(oracle, permuted=True) == _rows(candidate, permuted=True):
            return ORDER
        if _rows(oracle, cut=True) == _rows(candidate, cut=True):
            return CUT
    return READ.get(identity.rsplit("-", 1)[-1])


def _rows(rows: list[object], *, permuted: bool = False, cut: bool = False) -> Counter[tuple[str, ...]]:
    found = [[_cell(cell, cut) for cell in row] for row in rows if isinstance(row, list)]
    return Counter(tuple(sorted(row) if permuted else row) for row in found)


def _cell(cell: object, cut: bool) -> str:
    text = str(cell).removesuffix(" 00:00:00")  # a date that became a moment
    if cut and isinstance(cell, str | int) and not isinstance(cell, bool):
        try:
            return str(int(Decimal(text)))
        except InvalidOperation:
            return text
    return text
