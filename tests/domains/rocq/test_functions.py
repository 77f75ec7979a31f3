"""Specifications that talk about functions: their values in JSON, the two forms of the theorem, re-checks, attacks."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.functions import searched, takes_functions, with_answers
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.witness import to_json
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, OracleError, Verdict

pytestmark = pytest.mark.usefixtures("no_relations")
SECONDS = 60.0
KEPT = {"signature": "(p : Z -> bool) (l r : list Z) : Prop"}
FILTER = "Definition spec (p : Z -> bool) (l r : list Z) : Prop := r = filter p l."
MEMBERS = (
    "Definition spec (p : Z -> bool) (l r : list Z) : Prop := forall x, In x r <-> In x l /\\ p x = true."
)
LARGER: dict[str, Any] = {"signature": "(impl : Z -> Z -> Z) (a b : Z) : Prop", "implementation": "impl"}
MAXIMUM = "Definition spec (impl : Z -> Z -> Z) (a b : Z) : Prop := impl a b = Z.max a b."
BOUND = "Definition spec (impl : Z -> Z -> Z) (a b : Z) : Prop := a <= impl a b /\\ b <= impl a b."
CASES = (
    "Definition spec (impl : Z -> Z -> Z) (a b : Z) : Prop := if a <? b then impl a b = b else impl a b = a."
)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("(fun x1 => 0%Z)", {"function": ["x1"], "cases": [], "otherwise": 0}),
        ("(fun x1 => x1)", {"function": ["x1"], "cases": [], "otherwise": {"term": "x1"}}),
        (
            "(fun x1 => if (Coq.ZArith.BinInt.Z.eqb x1 (-3)%Z) then true else false)",
            {"function": ["x1"], "cases": [[[-3], True]], "otherwise": False},
        ),
        (
            "(fun x1 x2 => if (Coq.Init.Datatypes.andb (Coq.Init.Nat.eqb x1 0%nat) (Coq.Init.Nat.eqb x2 1%nat)) then (Some 2%Z) else None)",
            {"function": ["x1", "x2"], "cases": [[[0, 1], [2]]], "otherwise": None},
        ),
        (
            "(fun x1 => if (Truespec.Sample.eqdec x1 (cons 1%Z nil)) then 7%Z else (Coq.Lists.List.hd 0%Z x1))",
            {"function": ["x1"], "cases": [[[[1]], 7]], "otherwise": {"term": "(Coq.Lists.List.hd 0%Z x1)"}},
        ),
        (
            "(fun z z0 : Z => if z <? z0 then z0 else z)",
            {"function": ["z", "z0"], "cases": [], "otherwise": {"term": "if z <? z0 then z0 else z"}},
        ),
        ("(cons (fun x1 => x1) nil)", {"term": "(cons (fun x1 => x1) nil)"}),
    ],
)  # fmt: skip
def test_functions_in_json(shown: str, value: Any) -> None:
    assert to_json(shown) == value


def test_a_suggested_function_is_written_out() -> None:
    answers = {"Truespec_answer_oracle": "fun z : Z => - z"}
    assert with_answers("(fun x1 => (Truespec_answer_oracle x1))", answers) == "(fun z : Z => - z)"
    assert "(fun z : Z => - z) x1" in with_answers(
        "(fun x1 => if t then 0%Z else (Truespec_answer_oracle x1))", answers
    )


@pytest.mark.parametrize(
    ("signature", "functions"),
    [("(x : Z) (l : list (option nat))", False), ("(f : Z -> Z)", True), ("(c : color)", True), ("(l : list (Z -> Z))", True)],
)  # fmt: skip
def test_which_pairs_take_functions(signature: str, functions: bool) -> None:
    text = screen("Definition spec (x : Z) : Prop := True.")
    layout = Layout(read_context({"signature": f"{signature} : Prop"}), text, text)
    assert takes_functions(layout) is functions
    assert ("Truespec.Tables.code" in searched(layout).type) is functions


def test_the_implementation_is_an_argument() -> None:
    with pytest.raises(OracleError, match="no argument of the signature; expected one of impl, a, b"):
        read_context({**LARGER, "implementation": "f"})
    context = read_context(LARGER)
    assert [argument.name for argument in context.compared] == ["impl"]
    assert [argument.name for argument in context.inner] == ["a", "b"]


def test_the_theorem_quantifies_inside_each_side() -> None:
    layout = Layout(read_context(LARGER), screen(MAXIMUM), screen(CASES))
    sentences = list(layout.statement())
    assert (
        "Definition Truespec_oracle_holds (impl : Z -> Z -> Z) : Prop := forall (a : Z) (b : Z), Truespec_o impl a b."
        in sentences
    )
    assert sentences[-1].startswith("Definition Truespec_statement : Prop := forall (impl : Z -> Z -> Z), ")


def _rechecked(oracle: str, candidate: str, context: Any, verdict: Verdict) -> RecheckStatus:
    return load("rocq").recheck(oracle, candidate, context, verdict, Limit.start(120)).status


@pytest.mark.slow
def test_a_function_found_is_rechecked_and_an_altered_one_fails() -> None:
    needs.tool("coqc")
    verdict = verify_pair(Pair("rocq", FILTER, MEMBERS, KEPT), SECONDS)
    assert verdict.answer is Answer.REFUTED, verdict.to_json()
    assert _rechecked(FILTER, MEMBERS, KEPT, verdict) is RecheckStatus.CONFIRMED
    record = verdict.to_json()
    evidence: Any = record["evidence"]
    point = {"p": "(fun x1 => true)", "l": "nil", "r": "nil"}
    evidence["rocq"] = point
    evidence["counterexample"]["args"] = {name: to_json(value) for name, value in point.items()}
    assert _rechecked(FILTER, MEMBERS, KEPT, Verdict.from_json(record)) is RecheckStatus.FAILED


@pytest.mark.slow
def test_the_form_over_an_implementation() -> None:
    needs.tool("coqc")
    verdict = verify_pair(Pair("rocq", MAXIMUM, CASES, LARGER), SECONDS)
    assert verdict.answer is Answer.EQUIVALENT, verdict.to_json()
    assert _rechecked(MAXIMUM, CASES, LARGER, verdict) is RecheckStatus.CONFIRMED
    verdict = verify_pair(Pair("rocq", MAXIMUM, BOUND, LARGER), SECONDS)
    assert verdict.answer is Answer.REFUTED, verdict.to_json()
    assert _rechecked(MAXIMUM, BOUND, LARGER, verdict) is RecheckStatus.CONFIRMED
    assert _rechecked(MAXIMUM, CASES, LARGER, verdict) is RecheckStatus.FAILED


def test_the_two_forms_differ() -> None:
    """An oracle that no implementation meets accepts any other such text in one form, and not in the other."""
    needs.tool("coqc")
    never = "Definition spec (f : Z -> Z) (x : Z) : Prop := 0 < x /\\ f x = 0."
    nor = "Definition spec (f : Z -> Z) (x : Z) : Prop := x < 0 /\\ f x = 0."
    context: dict[str, Any] = {"signature": "(f : Z -> Z) (x : Z) : Prop"}
    assert verify_pair(Pair("rocq", never, nor, context), SECONDS).answer is Answer.REFUTED
    inside = verify_pair(Pair("rocq", never, nor, {**context, "implementation": "f"}), SECONDS)
    assert inside.answer is not Answer.REFUTED, inside.to_json()


IDENTITY = "Definition spec (f : Z -> Z) (x : Z) : Prop := f x = x."
ATTACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "its own call and answer": (
        "Definition call (x : Z) : Z := x. Definition answer (P : Prop) : Prop := P \\/ True. Definition spec (f : Z -> Z) (x : Z) : Prop := answer (f x = call x).",
        {},
    ),
    "a name of ours": ("Definition spec (f : Z -> Z) (x : Z) : Prop := Truespec_answer_oracle x = f x.", {}),
    "its own evaluator": (
        "Inductive Semi (P : Prop) : Prop := any. Definition spec (f : Z -> Z) (x : Z) : Prop := Semi (f x = x).",
        {"implementation": "f"},
    ),
    "all functions at once": (
        "Definition spec (f : Z -> Z) (x : Z) : Prop := forall g : Z -> Z, g x = f x -> f x = g x.",
        {"implementation": "f"},
    ),
    "a table that explodes": (
        "Fixpoint tower (f : Z -> Z) (n : nat) : Z := match n with O => f 0 | S m => tower (fun x => f x + tower f m) m end. "
        "Definition spec (f : Z -> Z) (x : Z) : Prop := tower f 40 = tower f 41.",
        {},
    ),
    "types of types": (
        "Definition any := forall A : Type, A -> A. Definition spec (f : Z -> Z) (x : Z) : Prop := forall i : any, i Z x = x -> True.",
        {},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_is_called_equivalent(attack: str) -> None:
    needs.tool("coqc")
    candidate, form = ATTACKS[attack]
    context: dict[str, Any] = {"signature": "(f : Z -> Z) (x : Z) : Prop", **form}
    verdict = verify_pair(Pair("rocq", IDENTITY, candidate, context), 1.0)
    assert verdict.answer is not Answer.EQUIVALENT, verdict.to_json()


@pytest.mark.slow
def test_shadowed_names_do_not_refute_the_same() -> None:
    needs.tool("coqc")
    context: dict[str, Any] = {
        "signature": "(f : Z -> Z) (x : Z) : Prop",
        "preamble": "Definition value (x : Z) : Z := x. Definition eqb (x y : Z) : bool := true. Definition andb (a b : bool) : bool := true.",
        "implementation": "f",
    }
    oracle = "Definition spec (f : Z -> Z) (x : Z) : Prop := value (f x) = x."
    candidate = "Definition spec (f : Z -> Z) (x : Z) : Prop := andb (eqb x 0) false = true -> f x = value x."
    verdict = verify_pair(Pair("rocq", oracle, candidate, context), 10.0)
    assert verdict.answer is not Answer.REFUTED, verdict.to_json()
