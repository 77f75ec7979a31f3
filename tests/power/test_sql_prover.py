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


@pytest.mark.thorough
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


def test_columns_are_compared_one_by_one_where_all_at_once_take_too_much() -> None:
    ddl = (
        "CREATE TABLE games (id INTEGER PRIMARY KEY, w INTEGER NOT NULL, b INTEGER NOT NULL, "
        "day INTEGER NOT NULL, won INTEGER, CHECK (w <> b));"
    )
    pairs = "g AS (SELECT id, day, won, MIN(w, b) AS p, MAX(w, b) AS q FROM games)"
    numbered = (
        "r AS (SELECT g.*, ROW_NUMBER() OVER (PARTITION BY p, q ORDER BY day DESC, id DESC) AS n FROM g)"
    )
    last = "(SELECT x.won FROM g x WHERE x.p = g.p AND x.q = g.q ORDER BY x.day DESC, x.id DESC LIMIT 1)"
    texts = [
        f"WITH {pairs}, {numbered} SELECT p, q, COUNT(*), MAX(CASE WHEN n = 1 THEN won END) FROM r "
        "GROUP BY p, q HAVING COUNT(*) >= 2",
        f"WITH {pairs} SELECT p, q, COUNT(*), {last} FROM g GROUP BY p, q HAVING COUNT(*) >= 2",
    ]
    trees = [sqlglot.parse_one(text, read="sqlite") for text in texts]
    schema = read_schema(ddl, "sqlite")
    assert find_proof(trees[0], trees[1], schema, "bag", Settings(), Limit.start(120.0)) is not None


@pytest.mark.slow
@pytest.mark.thorough
def test_no_mutant_that_is_proved_differs() -> None:
    kept = [c for c in cases("sql") if c.expect == "equivalent" and c.context.get("dialect") == "sqlite"]
    pairs = []
    for case in kept[::3]:
        tree = sqlglot.parse_one(case.candidate, read="sqlite")
        mutants = itertools.islice(variants.mutants(tree, "sqlite"), 4)
        pairs += [("sqlite", case.context["schema"], case.oracle, mutant) for mutant in mutants]
    assert len(pairs) > 60
    assert list(wrongly_proved(pairs)) == []
