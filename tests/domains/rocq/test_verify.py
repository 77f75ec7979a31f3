"""Verdicts, their re-check, and what the processes leave behind."""
# ruff: noqa: E501

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

import needs
from cases import read_yaml
from truespec.benchmark import bundled
from truespec.benchmark.bundled import RecordedAnswer
from truespec.benchmark.task import Task
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq.context import read_signature
from truespec.domains.rocq.domain import KINDS
from truespec.domains.rocq.witness import to_json
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample, OracleError, Proof, Verdict

SIGNATURE = {"signature": "(l : list Z) (r : Z) : Prop"}
ORACLE = "Definition spec (l : list Z) (r : Z) : Prop := In r l /\\ forall x, In x l -> x <= r."
SAME = "Definition spec (l : list Z) (r : Z) : Prop := (forall x, In x l -> x <= r) /\\ In r l."
WEAKER = "Definition spec (l : list Z) (r : Z) : Prop := forall x, In x l -> x <= r."
SECONDS = 30.0
SAMPLE_SECONDS = 2.0
"""The limit of a sampled pair, which may stay open: some use up all of it in three processes."""


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("(-3)%Z", -3),
        ("12%nat", 12),
        ("true", True),
        ("None", None),
        ("(Some (pair 1%Z false))", [[1, False]]),
        ("(cons 1%Z (cons (-2)%Z nil))", [1, -2]),
        ("Coq.Strings.String.EmptyString", ""),
        (
            "(Coq.Strings.String.String (Coq.Strings.Ascii.ascii_of_nat 89%nat) Coq.Strings.String.EmptyString)",
            "Y",
        ),
        (
            "(Coq.Strings.String.String (Coq.Strings.Ascii.ascii_of_nat 45%nat) Coq.Strings.String.EmptyString)",
            "-",
        ),
        ("9007199254740993%Z", "9007199254740993"),
    ],
)
def test_values_in_json(shown: str, value: Any) -> None:
    assert to_json(shown) == value


@pytest.mark.parametrize(
    "text",
    ["", "(x : Z)", "x : Z", "(x : Z) : nat", "(x : Z) : Prop. Axiom a : False", "(x : ltac:(exact Z)) : Prop",
     "(x x : Z) : Prop", "(: Z) : Prop", "(x : Z := 1) : Prop", ": Prop"],
)  # fmt: skip
def test_a_signature_that_is_none(text: str) -> None:
    with pytest.raises((OracleError, Exception)) as caught:
        read_signature(text)
    assert "signature" in str(caught.value) or caught.type.__name__ == "SpecificationError"


@pytest.mark.usefixtures("no_relations")
def test_a_witness_that_was_altered_fails_its_recheck() -> None:
    needs.tool("coqc")
    domain = load("rocq")
    verdict = verify_pair(Pair("rocq", ORACLE, WEAKER, SIGNATURE), SECONDS)
    assert verdict.answer is Answer.REFUTED
    record = verdict.to_json()
    evidence: Any = record["evidence"]
    assert (
        domain.recheck(ORACLE, WEAKER, SIGNATURE, verdict, Limit.start(60)).status is RecheckStatus.CONFIRMED
    )
    evidence["rocq"]["r"] = "ltac:(exact 0%Z)"
    forged = Verdict.from_json(record)
    assert domain.recheck(ORACLE, WEAKER, SIGNATURE, forged, Limit.start(60)).status is RecheckStatus.FAILED
    evidence["rocq"] = {"l": "(cons 1%Z nil)", "r": "1%Z"}
    evidence["counterexample"]["args"] = {"l": [1], "r": 1}
    forged = Verdict.from_json(record)
    assert domain.recheck(ORACLE, WEAKER, SIGNATURE, forged, Limit.start(60)).status is RecheckStatus.FAILED


@pytest.mark.parametrize(
    "tactic", ["admit", "idtac. Admitted", "exact (fun x => x)", "clear; by_computation", ""]
)
def test_a_forged_certificate_fails_its_recheck(tactic: str) -> None:
    needs.tool("coqc")
    domain = load("rocq")
    verdict = verify_pair(Pair("rocq", ORACLE, SAME, SIGNATURE), SECONDS)
    record = verdict.to_json()
    evidence: Any = record["evidence"]
    evidence["proof"]["certificate"]["tactic"] = tactic
    forged = Verdict.from_json(record)
    status = domain.recheck(ORACLE, WEAKER, SIGNATURE, forged, Limit.start(60)).status
    assert status is not RecheckStatus.CONFIRMED


def test_the_candidate_cannot_see_the_oracle_or_the_library() -> None:
    needs.tool("coqc")
    for name in ("Coq.Logic.Classical_Prop.classic", "Classical_Prop.classic", "Search.widest"):
        text = f"Definition spec (l : list Z) (r : Z) : Prop := (fun _ => True) {name}."
        verdict = verify_pair(Pair("rocq", ORACLE, text, SIGNATURE), SECONDS)
        assert verdict.answer is Answer.INVALID, verdict


def test_helpers_of_one_text_do_not_leak_into_the_other() -> None:
    needs.tool("coqc")
    oracle = "Definition helper := 1. " + ORACLE
    candidate = "Definition spec (l : list Z) (r : Z) : Prop := In helper l."
    verdict = verify_pair(Pair("rocq", oracle, candidate, SIGNATURE), SECONDS)
    assert verdict.reason is not None
    assert verdict.reason.code.value == "scope"


def test_a_preamble_is_shared() -> None:
    needs.tool("coqc")
    context = {"signature": "(c : color) : Prop", "preamble": "Inductive color := Red | Green."}
    verdict = verify_pair(
        Pair(
            "rocq",
            "Definition spec (c : color) : Prop := c = Red.",
            "Definition spec (c : color) : Prop := c = Red \\/ False.",
            context,
        ),
        SECONDS,
    )
    assert verdict.answer is Answer.EQUIVALENT, verdict


@pytest.mark.slow
def test_many_verifications_leave_nothing_behind(tmp_path: Path) -> None:
    needs.tool("coqc")
    for number in range(6):
        candidate = WEAKER.replace("x <= r", f"x <= r + {number}")
        assert verify_pair(Pair("rocq", ORACLE, candidate, SIGNATURE), SECONDS).answer is Answer.REFUTED
    domain: Any = load("rocq")
    running = sum(session.running for session in domain._sessions.values())
    assert running <= 2 * len(KINDS)
    domain.close()
    assert not list(Path(tempfile.gettempdir()).glob(f"truespec-rocq-{os.getpid()}-*"))
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    names = [Path(f"/proc/{child}/comm").read_text().strip() for child in children]
    assert not [name for name in names if "coq" in name]


def _problems() -> list[Any]:
    found = []
    for path in sorted((Path(__file__).parent / "problems").glob("*.yml")):
        for problem in read_yaml(path):
            found += [(problem, kind, text) for kind in ("equivalent", "wrong") for text in problem[kind]]
    return found


ANSWERS = [(entry.task, answer) for entry in bundled.tasks("rocq") for answer in entry.answers]


@pytest.mark.slow
@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize(("task", "answer"), ANSWERS[::30], ids=lambda one: getattr(one, "id", ""))
def test_no_bundled_answer_is_decided_wrongly(task: Task, answer: RecordedAnswer) -> None:
    needs.tool("coqc")
    verdict = verify_pair(Pair("rocq", task.oracle, answer.text, task.context), SAMPLE_SECONDS)
    assert verdict.answer in (answer.expected, Answer.UNKNOWN), verdict


@pytest.mark.slow
@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize(("problem", "kind", "text"), _problems()[::60])
def test_no_problem_is_decided_wrongly(problem: Any, kind: str, text: str) -> None:
    needs.tool("coqc")
    oracle, candidate = (
        body
        if re.match(r"\s*(Definition|Fixpoint|Inductive)\b", body)
        else f"Definition spec {problem['signature']} := {body}."
        for body in (problem["oracle"], text)
    )
    context = {key: problem[key] for key in ("signature", "preamble", "implementation") if key in problem}
    verdict = verify_pair(Pair("rocq", oracle, candidate, context), SAMPLE_SECONDS)
    expected = {"equivalent": Answer.EQUIVALENT, "wrong": Answer.REFUTED}[kind]
    assert verdict.answer in (expected, Answer.UNKNOWN), verdict


@pytest.mark.parametrize(
    ("candidate", "evidence", "detail"),
    [
        (SAME, Proof("x", ("x",), certificate={"tactic": "admit"}), "names no strategy: 'admit'"),
        (SAME, Proof("x", ("x",), certificate={"script": ["admit."]}), "script is none"),
        (WEAKER, Counterexample({"args": {"l": [], "r": 0}}, False, True, "x"), "no value for each argument"),
        (
            WEAKER,
            Counterexample(
                {"args": {"l": [], "r": 0}}, False, True, "x", {"rocq": {"l": "nil", "r": "ltac:(exact 0%Z)"}}
            ),
            "is no term",
        ),
        (
            WEAKER,
            Counterexample({"args": {"l": [], "r": 1}}, False, True, "x", {"rocq": {"l": "nil", "r": "0%Z"}}),
            "not those in Rocq's syntax",
        ),
    ],
)
def test_what_is_no_certificate_starts_no_process(
    monkeypatch: pytest.MonkeyPatch, candidate: str, evidence: Proof | Counterexample, detail: str
) -> None:
    needs.tool("coqc")
    monkeypatch.setattr("truespec.domains.rocq.recheck._restated", None)
    answer = Answer.EQUIVALENT if isinstance(evidence, Proof) else Answer.REFUTED
    verdict = Verdict("rocq", answer, "x", evidence=evidence)
    found = load("rocq").recheck(ORACLE, candidate, SIGNATURE, verdict, Limit.start(60))
    assert found.status is RecheckStatus.FAILED
    assert detail in found.detail
