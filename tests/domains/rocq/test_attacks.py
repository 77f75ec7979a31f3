"""Texts that try to be judged as what they are not: names of the standard library and of ours, huge terms, types."""
# ruff: noqa: E501

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import needs
from cases import read_yaml
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer

SIGNATURE = "(x : Z) : Prop"
TRUE = "Definition spec (x : Z) : Prop := True."
POSITIVE = "Definition spec (x : Z) : Prop := 0 < x."
WRONG_EQUIVALENCES = {
    "its own truth": (TRUE, "Inductive True : Prop := . Definition spec (x : Z) : Prop := True."),
    "its own falsity": (TRUE.replace("True", "False"), "Inductive False : Prop := oops. Definition spec (x : Z) : Prop := False."),
    "its own negation": (POSITIVE, "Definition not (P : Prop) : Prop := P. Definition spec (x : Z) : Prop := not (0 < x) -> False."),
    "its own equality": (
        "Definition spec (x : Z) : Prop := x = 0.",
        "Inductive eq (a b : Z) : Prop := any. Definition spec (x : Z) : Prop := eq x 0.",
    ),
    "its own equivalence": (POSITIVE, "Definition iff (A B : Prop) : Prop := True. Definition spec (x : Z) : Prop := iff (0 < x) True."),
    "no sentence": (POSITIVE, "Module_is_no_sentence."),
    "its own length": (POSITIVE, "Definition lt (a b : Z) : Prop := True. Definition spec (x : Z) : Prop := lt 0 x."),
    "names of the tactics": (
        POSITIVE,
        "Definition by_ground : Prop := True. Definition differ_tf : Prop := True. Definition ev (n : nat) : Prop := True. Definition spec (x : Z) : Prop := ev 0 /\\ by_ground /\\ differ_tf.",
    ),
    "evidence for everything": (POSITIVE, "Inductive good : Z -> Prop := all : forall z, good z. Definition spec (x : Z) : Prop := good x."),
    "a premise that is never met": (POSITIVE, "Definition spec (x : Z) : Prop := (exists y, y < y) -> 0 < x."),
    "everything by cases": (POSITIVE, "Definition spec (x : Z) : Prop := forall P : Prop, P \\/ ~ P."),
    "a name of ours": (POSITIVE, "Definition spec (x : Z) : Prop := Truespec_oracle.spec x."),
    "a number too large to build": (POSITIVE, "Definition spec (x : Z) : Prop := (Z.to_nat x < 200000 * 200000)%nat."),
    "a computation without end": (
        POSITIVE,
        "Fixpoint tower (n : nat) (k : nat) : nat := match n with O => k | S m => tower m (2 ^ k)%nat end. Definition spec (x : Z) : Prop := (Z.to_nat x < tower 6 6)%nat.",
    ),
}  # fmt: skip
SECONDS = 1.0
"""The limit of a pair: short, as what never ends uses up all of it in three processes."""


pytestmark = pytest.mark.usefixtures("no_relations")


@pytest.mark.slow
@pytest.mark.parametrize("attack", WRONG_EQUIVALENCES)
def test_no_attack_is_called_equivalent(attack: str) -> None:
    needs.tool("coqc")
    oracle, candidate = WRONG_EQUIVALENCES[attack]
    verdict = verify_pair(Pair("rocq", oracle, candidate, {"signature": SIGNATURE}), SECONDS)
    assert verdict.answer is not Answer.EQUIVALENT, verdict.to_json()


SAME = {
    "its own truth, which has a proof": (TRUE, "Inductive True : Prop := yes. Definition spec (x : Z) : Prop := True."),
    "names of the library": (POSITIVE, "Definition length : Z := 0. Definition spec (x : Z) : Prop := length < x."),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pair", SAME)
def test_what_only_looks_like_an_attack_is_not_refuted(pair: str) -> None:
    needs.tool("coqc")
    oracle, candidate = SAME[pair]
    verdict = verify_pair(Pair("rocq", oracle, candidate, {"signature": SIGNATURE}), SECONDS)
    assert verdict.answer is not Answer.REFUTED, verdict.to_json()


@pytest.mark.slow
@pytest.mark.parametrize(
    "preamble",
    [
        "Definition iff (A B : Prop) : Prop := True.",
        "Definition not (A : Prop) : Prop := A.",
        "Inductive bool := true | false.",
        'Notation "a < b" := True.',
        "Notation \"'iff' a b\" := True (at level 10, a at level 9, b at level 9).",
    ],
)
def test_a_preamble_cannot_change_the_theorem(preamble: str) -> None:
    needs.tool("coqc")
    candidate = "Definition spec (x : Z) : Prop := Z.lt x 0."
    oracle = "Definition spec (x : Z) : Prop := Z.lt 0 x."
    verdict = verify_pair(
        Pair("rocq", oracle, candidate, {"signature": SIGNATURE, "preamble": preamble}), SECONDS
    )
    assert verdict.answer is not Answer.EQUIVALENT, verdict.to_json()
    swapped = verify_pair(
        Pair("rocq", oracle, oracle, {"signature": SIGNATURE, "preamble": preamble}), SECONDS
    )
    assert swapped.answer is not Answer.REFUTED, swapped.to_json()


PAIRS = read_yaml(Path(__file__).with_name("attacks.yml"))


def _text(body: str, signature: str) -> str:
    sentences = re.match(r"(Definition|Fixpoint|Inductive)\b", body)
    return body if sentences else f"Definition spec {signature} := {body}."


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_no_pair_that_looks_otherwise_is_decided_wrongly(pair: dict[str, Any]) -> None:
    needs.tool("coqc")
    oracle, candidate = (_text(pair[side], pair["signature"]) for side in ("oracle", "candidate"))
    verdict = verify_pair(Pair("rocq", oracle, candidate, {"signature": pair["signature"]}), 1.0)
    right = Answer.EQUIVALENT if pair["same"] else Answer.REFUTED
    assert verdict.answer in (right, Answer.UNKNOWN), verdict.to_json()
