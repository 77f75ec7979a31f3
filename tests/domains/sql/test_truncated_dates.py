"""The days that a truncation brings to one. The second prover does not do the calendar's divisions.

So a re-check of these proofs is undecided, which the laws of `conformance/` do not allow; it never fails.
"""

from __future__ import annotations

import pytest

import needs
import truespec
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.solvers.limit import Limit

CONTEXT = {"schema": "CREATE TABLE u (id INT PRIMARY KEY, d DATE NOT NULL)", "dialect": "duckdb"}


@pytest.mark.live
@pytest.mark.parametrize(
    ("unit", "first", "last", "answer"),
    [
        ("year", "2020-01-01", "2020-12-31", "equivalent"),
        ("year", "2020-01-01", "2020-12-30", "refuted"),
        ("month", "2020-02-01", "2020-02-29", "equivalent"),
        ("month", "2020-02-01", "2020-03-01", "refuted"),
        ("month", "2021-02-01", "2021-02-28", "equivalent"),
    ],
)
def test_days_are_those_from_the_first_to_the_last(unit: str, first: str, last: str, answer: str) -> None:
    needs.module("duckdb")
    oracle = f"SELECT id FROM u WHERE DATE_TRUNC('{unit}', d) = '{first}'"
    candidate = f"SELECT id FROM u WHERE d BETWEEN '{first}' AND '{last}'"
    verdict = truespec.verify("sql", oracle=oracle, candidate=candidate, context=CONTEXT, timeout=10.0)
    assert verdict.answer.value == answer, verdict
    again = load("sql").recheck(oracle, candidate, CONTEXT, verdict, Limit.start(10.0))
    assert again.status is not RecheckStatus.FAILED
