"""Verdicts name what they depend on, and a check in another environment decides nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truespec.domains.contract import RecheckStatus
from truespec.domains.verify import Pair, environment_of, verify_pair
from truespec.executors.recheck import Claim, recheck_claim
from truespec.store.ledger import key
from truespec.verdict import Relation, Verdict

REGEX = Pair("regex", "a+", "a*")


def test_a_verdict_names_its_environment_and_keeps_it_through_json() -> None:
    verdict = verify_pair(REGEX, 5.0)
    assert set(verdict.environment) == {"unicode", "python"}
    assert Verdict.from_json(verdict.to_json()).environment == verdict.environment


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_query_names_its_engine(dialect: str) -> None:
    context = {"schema": "CREATE TABLE t (a INT)", "dialect": dialect}
    assert dialect in environment_of(Pair("sql", "SELECT a FROM t", "SELECT 1", context))


def test_another_environment_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(REGEX, 4.0)
    monkeypatch.setattr("unicodedata.unidata_version", "99.0.0")
    assert key(REGEX, 4.0) != before


def test_a_failed_check_elsewhere_is_undecided_and_names_both_versions() -> None:
    verdict = verify_pair(REGEX, 5.0)
    assert verdict.evidence is not None
    wrong = replace(
        verdict, relation=Relation.STRONGER, evidence=verify_pair(Pair("regex", "a", "b"), 5.0).evidence
    )
    assert recheck_claim(Claim(REGEX, wrong), 5.0).status is RecheckStatus.FAILED
    elsewhere = replace(wrong, environment={**verdict.environment, "unicode": "1.0.0"})
    found = recheck_claim(Claim(REGEX, elsewhere), 5.0)
    assert found.status is RecheckStatus.UNDECIDED
    assert f"unicode was 1.0.0, is {verdict.environment['unicode']} here" in found.detail
