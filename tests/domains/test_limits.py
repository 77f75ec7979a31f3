"""No pair runs much beyond its limit in process; `python -m benchmarks limits` measures many more."""

from __future__ import annotations

import gc
import time

import pytest
from benchmarks._hard_pairs import FAMILIES

from truespec.domains.registry import load
from truespec.domains.verify import TEXT_CHARACTERS, Pair, refused, verify_pair
from truespec.verdict import ReasonCode

SAMPLE = [
    ("arith", "division chain", 300),
    ("arith", "modulo of products", 300),
    ("arith", "power of a sum", 100),
    ("regex", "long text", 30),
    ("regex", "last letters", 100),
    ("fol", "alternation", 30),
    ("fol", "infinite order", 10),
    ("sql", "sqlite, self joins", 30),
    ("sql", "sqlite, unions", 60),
    ("sql", "duckdb, nested queries", 30),
    ("sql", "duckdb, cross joins", 300),
    ("temporal", "far letters", 100),
    ("temporal", "fairness", 30),
]
OVER = 1.0
"""Seconds that a pair may run beyond its limit."""


@pytest.mark.parametrize(("domain", "family", "size"), SAMPLE)
def test_a_hard_pair_keeps_its_limit_in_process(domain: str, family: str, size: int) -> None:
    load(domain)
    verify_pair(FAMILIES[domain][family](3), 2.0)  # what is set up at first use is not the pair's
    pair = FAMILIES[domain][family](size)
    gc.freeze()  # what other tests left in this process is not the pair's to collect
    try:
        started = time.process_time()  # what a busy machine does not change
        verify_pair(pair, 0.5)
        assert time.process_time() - started < 0.5 + OVER
    finally:
        gc.unfreeze()


def test_a_text_that_is_too_long_takes_no_worker() -> None:
    verdict = refused(Pair("regex", "a", "a" * (TEXT_CHARACTERS + 1)))
    assert verdict is not None
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.UNSUPPORTED
    assert "candidate" in verdict.reason.detail
    assert refused(Pair("regex", "a", "a")) is None
