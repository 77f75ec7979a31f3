"""Verdicts name what they depend on, and a check in another environment decides nothing."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

import needs
from truespec.cli.common import describe
from truespec.domains.contract import RecheckStatus
from truespec.domains.verify import TEXT_CHARACTERS, Pair, environment_of, verify_pair
from truespec.executors.pool import failed_verdict
from truespec.executors.recheck import Claim, recheck_claim
from truespec.store.ledger import key
from truespec.verdict import Answer, ReasonCode, Relation, Verdict

REGEX = Pair("regex", "a+", "a*")


def test_a_verdict_names_its_environment_and_keeps_it_through_json() -> None:
    verdict = verify_pair(REGEX, 5.0)
    assert set(verdict.environment) == {"unicode", "python"}
    assert Verdict.from_json(verdict.to_json()).environment == verdict.environment


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_query_names_its_engine(dialect: str) -> None:
    context = {"schema": "CREATE TABLE t (a INT)", "dialect": dialect}
    assert dialect in environment_of(Pair("sql", "SELECT a FROM t", "SELECT 1", context))


PROVERS: dict[str, tuple[set[str], dict[str, object]]] = {
    "arith": ({"z3", "cvc5"}, {}),
    "fol": ({"z3", "E", "cvc5"}, {}),
    "rocq": ({"rocq", "hammer", "z3"}, {"signature": "(x : Z) : Prop"}),
}


@pytest.mark.parametrize("domain", PROVERS)
def test_a_prover_that_can_decide_is_part_of_the_key(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tools, context = PROVERS[domain]
    if domain == "rocq":
        needs.tool("coqc")
    pair = Pair(domain, "x", "x", context)
    assert set(environment_of(pair)) == tools
    before = key(pair, 4.0)
    monkeypatch.setattr(f"truespec.domains.{domain}.domain.version_of", lambda _: "not installed")
    assert set(environment_of(pair)) == tools
    assert key(pair, 4.0) != before


def test_a_verdict_that_no_domain_gave_names_its_environment_too() -> None:
    late = failed_verdict(REGEX, ReasonCode.TIMEOUT, "no decision", 4.0)
    assert late.environment == environment_of(REGEX)
    long = Pair("regex", "a" * (TEXT_CHARACTERS + 1), "a")
    assert verify_pair(long, 4.0).environment == environment_of(long)


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


def test_a_context_may_fix_the_version_of_unicode() -> None:
    here = Pair("regex", r"\d+", r"\d*", {"unicode": unicodedata.unidata_version})
    assert verify_pair(here, 200.0).answer is Answer.REFUTED
    elsewhere = replace(here, context={"unicode": "1.1.0"})
    verdict = verify_pair(elsewhere, 200.0)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.UNAVAILABLE
    assert "asks for Unicode 1.1.0" in verdict.reason.detail
    assert unicodedata.unidata_version in verdict.reason.detail
    found = recheck_claim(Claim(elsewhere, verify_pair(here, 200.0)), 200.0)
    assert found.status is RecheckStatus.UNDECIDED


@pytest.mark.parametrize("version", ["15", "15.0", "latest", "15.0.0 ", "٣.0.0"])
def test_a_text_that_is_no_version_of_unicode_is_refused(version: str) -> None:
    verdict = verify_pair(Pair("regex", "a", "a", {"unicode": version}), 200.0)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.ORACLE
    assert "expected e.g. 15.0.0" in verdict.reason.detail


TABLE = "CREATE TABLE t (a INT)"


def test_a_dialect_that_was_not_named_is_noted() -> None:
    silent = Pair("sql", "SELECT a FROM t", "SELECT a FROM", {"schema": TABLE})
    verdict = verify_pair(silent, 200.0)
    assert verdict.notes["assumed"] == {"dialect": "mysql"}
    assert Verdict.from_json(verdict.to_json()).notes == verdict.notes
    assert "assumed         dialect mysql: the context names none" in describe(verdict)
    named = replace(silent, context={"schema": TABLE, "dialect": "sqlite"})
    assert not verify_pair(named, 200.0).notes


def test_nothing_is_assumed_for_a_context_that_is_refused() -> None:
    verdict = verify_pair(Pair("sql", "SELECT 1", "SELECT 1", {"shema": TABLE}), 200.0)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.CONTEXT
    assert not verdict.notes
