"""What the prover proves is executed: no pair that differs is proved equal."""

from __future__ import annotations

import itertools

import pytest
import sqlglot

from cases import cases
from power.sql_slips import SCHEMA, slips, wrongly_proved
from truespec.domains.sql import variants
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import prove as find_proof
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit


def test_nothing_proved_differs() -> None:
    assert list(wrongly_proved(slips())) == []


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (
            "SELECT COUNT(*) FROM t WHERE c > 1",
            "SELECT (SELECT COUNT(*) FROM t WHERE c > 3) + (SELECT COUNT(*) FROM t WHERE c <= 3 AND c > 1)",
        ),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a",
            "SELECT a, SUM(CASE WHEN c > 3 THEN 1 ELSE 0 END) + SUM(CASE WHEN c > 3 THEN 0 ELSE 1 END) "
            "FROM t GROUP BY a",
        ),
    ],
)
def test_a_whole_is_counted_by_its_parts(whole: str, parts: str) -> None:
    """With no limit of time to speak of: such proofs take a second or two."""
    trees = [sqlglot.parse_one(text, read="sqlite") for text in (whole, parts)]
    schema = read_schema(SCHEMA, "sqlite")
    assert find_proof(trees[0], trees[1], schema, "bag", Settings(), Limit.start(120.0)) is not None


@pytest.mark.slow
def test_no_mutant_that_is_proved_differs() -> None:
    kept = [c for c in cases("sql") if c.expect == "equivalent" and c.context.get("dialect") == "sqlite"]
    pairs = []
    for case in kept[::3]:
        tree = sqlglot.parse_one(case.candidate, read="sqlite")
        mutants = itertools.islice(variants.mutants(tree, "sqlite"), 4)
        pairs += [("sqlite", case.context["schema"], case.oracle, mutant) for mutant in mutants]
    assert len(pairs) > 60
    assert list(wrongly_proved(pairs)) == []
