"""The laws that every registered domain obeys, on every row of its case tables."""

from __future__ import annotations

import importlib.util
import itertools
import json
import zlib
from collections.abc import Mapping
from functools import cache
from types import ModuleType

import pytest

from cases import TABLES, Case, all_cases, cases
from searches import confirm_soon, remember_answers, shorten
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import DOMAINS, load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, ReasonCode, Verdict

SECONDS = 40.0
"""A generous limit: these tests are about answers, not about speed, on machines that are shared."""

OPEN_SECONDS = 0.1
"""The limit where each answer is a right one: a long search for nothing would tell no more."""

MUTANTS = {"sql": 4}
"""From how many mutants of a case some are drawn where ten would take minutes: one of each kind."""
DRAWN = {"sql": (1, 2)}
"""How many rewritings and mutants of a case are decided where all would take minutes.

Which ones, the case's name says: over the cases of a table, each kind has its turn.
"""


SHORT_SEARCH = 100
"""Databases that a pair which stays open is tried on."""


@pytest.fixture(autouse=True)
def _sides_share_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    remember_answers(monkeypatch)


def decide(case: Case, candidate: str | None = None, seconds: float = SECONDS) -> Verdict:
    """The verdict on a case, or on its oracle and another candidate."""
    text = case.candidate if candidate is None else candidate
    return decided(case.domain, case.oracle, text, case.context, seconds)


def decided(
    domain: str, oracle: str, candidate: str, context: Mapping[str, object], seconds: float = SECONDS
) -> Verdict:
    """The verdict on a pair: several laws ask for the same one."""
    return _decided(domain, oracle, candidate, json.dumps(context), seconds)


@cache
def _decided(domain: str, oracle: str, candidate: str, context: str, seconds: float) -> Verdict:
    return verify_pair(Pair(domain, oracle, candidate, json.loads(context)), seconds)


def test_every_domain_has_cases_of_every_kind() -> None:
    for name in DOMAINS:
        kinds = {case.expect for case in cases(name)}
        assert {"equivalent", "refuted", "invalid", "oracle"} <= kinds, (name, kinds)


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_case_has_its_expected_verdict(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.expect == "unknown":
        shorten(monkeypatch, case.domain, SHORT_SEARCH)
    verdict = decide(case)
    if case.expect == "oracle":
        assert (verdict.answer, verdict.reason and verdict.reason.code.value) == (Answer.UNKNOWN, "oracle")
        return
    assert verdict.answer.value == case.expect, verdict
    if case.reason is not None:
        assert verdict.reason is not None
        assert verdict.reason.code.value == case.reason, verdict
    if case.relation is not None:
        assert verdict.relation is not None
        assert verdict.relation.value == case.relation, verdict
    if case.witness is not None:
        assert verdict.evidence is not None
        assert verdict.evidence.to_json()["counterexample"] == case.witness


@pytest.mark.parametrize("case", all_cases("equivalent", "refuted"), ids=str)
def test_each_side_equals_itself(case: Case) -> None:
    fixed = load(case.domain).fixed_context(case.oracle, case.context)
    for text in (case.oracle, case.candidate):
        verdict = verify_pair(Pair(case.domain, text, text, fixed), SECONDS)
        assert verdict.answer is Answer.EQUIVALENT, verdict


@pytest.mark.thorough
@pytest.mark.parametrize("case", all_cases("equivalent", "refuted"), ids=str)
def test_swapping_sides_keeps_the_answer_and_flips_the_relation(case: Case) -> None:
    fixed = load(case.domain).fixed_context(case.oracle, case.context)
    there = decide(case)  # what the context leaves open is fixed by the oracle alone
    back = decided(case.domain, case.candidate, case.oracle, fixed)
    assert there.answer is back.answer
    assert there.relation == (back.relation.flipped() if back.relation else None)


@pytest.mark.parametrize("case", all_cases("equivalent", "refuted"), ids=str)
def test_verdict_survives_recheck_and_a_trip_through_json(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm_soon(monkeypatch)
    verdict = decide(case)
    read = Verdict.from_json(verdict.to_json())
    recheck = load(case.domain).recheck(case.oracle, case.candidate, case.context, read, Limit.start(SECONDS))
    assert recheck.status in (RecheckStatus.CONFIRMED, RecheckStatus.NO_CERTIFICATE), recheck
    if case.expect == "refuted":
        assert recheck.status is RecheckStatus.CONFIRMED, "every counterexample replays"


@pytest.mark.thorough
@pytest.mark.parametrize("case", all_cases("equivalent"), ids=str)
def test_rewritings_are_proved_and_mutants_agree_with_the_twin(case: Case) -> None:
    domain, twin = load(case.domain), load_twin(case.domain)
    rewritings = list(domain.rewritings(case.oracle, case.context))
    mutants = list(itertools.islice(domain.mutants(case.oracle, case.context), MUTANTS.get(case.domain, 10)))
    if case.domain in DRAWN:
        rewritings, mutants = map(drawn, (rewritings, mutants), DRAWN[case.domain], itertools.repeat(case))
    for text in rewritings:
        verdict = decide(case, candidate=text)
        assert verdict.answer is Answer.EQUIVALENT, (text, verdict)
    for text in mutants:
        if twin.differ(case.oracle, text, case.context) is not None:
            verdict = decide(case, candidate=text)
            assert verdict.answer is Answer.REFUTED, (text, verdict)
        else:
            verdict = decide(case, candidate=text, seconds=OPEN_SECONDS)
            assert verdict.answer in (Answer.EQUIVALENT, Answer.REFUTED, Answer.UNKNOWN), (text, verdict)
            assert verdict.reason is None or verdict.reason.code is not ReasonCode.CRASH, (text, verdict)


def drawn(texts: list[str], number: int, case: Case) -> list[str]:
    """So many of the texts, one after the other from a place that the case's name says."""
    start = zlib.crc32(str(case).encode()) % max(1, len(texts))
    return (texts[start:] + texts[:start])[:number]


@pytest.mark.parametrize("case", all_cases("equivalent", "refuted"), ids=str)
def test_the_independent_twin_agrees(case: Case) -> None:
    difference = load_twin(case.domain).differ(case.oracle, case.candidate, case.context)
    if difference is not None:
        assert case.expect == "refuted", f"the twin tells them apart at {difference}"


@pytest.mark.parametrize("name", DOMAINS)
def test_the_twin_has_teeth(name: str) -> None:
    """A twin that never sees a difference would let everything pass."""
    refuted = [case for case in cases(name) if case.expect == "refuted"]
    twin = load_twin(name)
    seen = sum(twin.differ(case.oracle, case.candidate, case.context) is not None for case in refuted)
    assert seen * 2 >= len(refuted), f"the twin of {name} sees {seen} of {len(refuted)} differences"


@cache
def load_twin(domain: str) -> ModuleType:
    """The domain's twin: `differ(oracle, candidate, context)` is a small input that separates them, or None.

    A twin enumerates small inputs and evaluates both texts naively; it shares no code with the domain.
    """
    path = TABLES / domain / "twin.py"
    spec = importlib.util.spec_from_file_location(f"twin_{domain}", path)
    assert spec, f"{domain} lacks its twin {path}"
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
