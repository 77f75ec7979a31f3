"""A candidate that leaves a choice to the engine allows results that a determined oracle does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlglot

import needs
from searches import shorten
from truespec.domains.contract import RecheckStatus
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import is_determined
from truespec.domains.sql.schema import read_schema
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.recheck import Claim, recheck_claim
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample, Relation

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)"
ALL = ["mysql", "sqlite", "postgres", "duckdb"]
TOP = "SELECT id FROM t WHERE a = (SELECT MAX(a) FROM t)"
TOP_ONE = "SELECT id FROM t ORDER BY a DESC LIMIT 1"


def decided(dialect: str, oracle: str, candidate: str, order: str = "auto") -> tuple[Pair, Any]:
    if dialect in ("mysql", "postgres"):
        needs.tool({"mysql": "mariadbd", "postgres": "psql"}[dialect])
    if dialect == "duckdb":
        needs.module("duckdb")
    context = {"schema": SCHEMA, "dialect": dialect, "order": order}
    pair = Pair("sql", oracle, candidate, context)
    return pair, verify_pair(pair, 20.0)


@pytest.mark.live
@pytest.mark.parametrize("dialect", ALL)
def test_limit_with_ties_against_all_that_tie(dialect: str) -> None:
    pair, verdict = decided(dialect, TOP, TOP_ONE)
    assert verdict.answer is Answer.REFUTED
    assert recheck_claim(Claim(pair, verdict), 30.0).status is RecheckStatus.CONFIRMED


@pytest.mark.live
@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_a_column_that_groups_do_not_determine(dialect: str) -> None:
    pair, verdict = decided(dialect, "SELECT a, MAX(b) FROM t GROUP BY a", "SELECT a, b FROM t GROUP BY a")
    assert verdict.answer is Answer.REFUTED
    assert isinstance(verdict.evidence, Counterexample)
    assert "allows results that the oracle does not" in str(verdict.evidence.extra["choice"])
    assert verdict.relation in (None, Relation.WEAKER)
    assert recheck_claim(Claim(pair, verdict), 30.0).status is RecheckStatus.CONFIRMED


def test_weaker_is_shown_by_the_same_rows_in_another_order() -> None:
    pair, verdict = decided("sqlite", "SELECT a, MAX(b) FROM t GROUP BY a", "SELECT a, b FROM t GROUP BY a")
    assert verdict.relation is Relation.WEAKER
    evidence = verdict.evidence
    assert isinstance(evidence, Counterexample)
    for change in (
        {"relation": Relation.STRONGER},
        {"evidence": replace(evidence, extra={**evidence.extra, "allowed_script": evidence.point["script"]})},
        {"evidence": replace(evidence, extra={})},
    ):
        tampered = replace(verdict, **change)
        assert recheck_claim(Claim(pair, tampered), 30.0).status is RecheckStatus.FAILED, change


@pytest.mark.live
@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        (TOP_ONE, TOP),  # the oracle leaves the choice
        ("SELECT id FROM t ORDER BY a LIMIT 1", "SELECT id FROM t ORDER BY a, id LIMIT 1"),
        ("SELECT id FROM t ORDER BY a LIMIT 1", "SELECT id FROM t ORDER BY a DESC, b LIMIT 1 OFFSET 0"),
    ],
)
def test_an_oracle_with_a_choice_refutes_nothing_by_one_result(
    dialect: str, oracle: str, candidate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten(monkeypatch, "sql", 150)
    _, verdict = decided(dialect, oracle, candidate)
    if verdict.answer is Answer.REFUTED:  # then by a difference that no choice explains
        assert "choice" not in verdict.evidence.extra


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM t", True),
        ("SELECT a, COUNT(*), SUM(b) FROM t GROUP BY a", True),
        ("SELECT id FROM t ORDER BY id LIMIT 3", True),
        ("SELECT MAX(a) FROM t WHERE b IN (SELECT a FROM t)", True),
        ("SELECT id FROM t ORDER BY a LIMIT 1", False),
        ("SELECT id FROM t LIMIT 1", False),
        ("SELECT a, b FROM t GROUP BY a", False),
        ("SELECT a FROM t WHERE b = (SELECT b FROM t LIMIT 1)", False),
        ("SELECT id, ROW_NUMBER() OVER (ORDER BY a) FROM t", False),
        ("SELECT FIRST_VALUE(id) OVER (ORDER BY a) FROM t", False),
        ("SELECT GROUP_CONCAT(a) FROM t", False),
        ("SELECT x.id FROM (SELECT id FROM t ORDER BY a LIMIT 2) x", False),
    ],
)
def test_what_is_proved_to_have_one_result(query: str, expected: bool) -> None:
    schema, settings = read_schema(SCHEMA, "mysql"), Settings()
    tree = sqlglot.parse_one(query, read="mysql")
    assert is_determined(tree, schema, settings, Limit.start(20.0)) is expected
