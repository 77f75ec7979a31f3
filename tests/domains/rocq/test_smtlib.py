"""The translation that grade `smt` trusts, against an evaluator of its own, Rocq's and Z3's."""

from __future__ import annotations

import random
import re

import pytest
import z3

import needs
from domains.rocq import formulas
from truespec.domains.rocq.library import library
from truespec.domains.rocq.session import Session
from truespec.domains.rocq.smtlib import NEXT, Node, Unreadable, obligation, obligations, read

FREE = 3
"""Variables of the random formulas."""


def points(rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.choice((-7, -3, -2, -1, 0, 0, 1, 2, 3, 8)) for _ in range(FREE))


def z3_says(text: str, milliseconds: int = 20_000) -> str:
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


@pytest.mark.slow
def test_the_printed_formula_means_what_the_evaluator_says() -> None:
    rng = random.Random(1)
    decided = 0
    for number in range(400):
        formula = formulas.quantified(rng, FREE) if rng.random() < 0.5 else formulas.test(rng, 8, FREE)
        env = points(rng)
        fails = Node("Not", (formula,))
        holds, fails = (formula, fails) if formulas.value(formula, env) else (fails, formula)
        if number % 8 == 0:  # and its negation is not proved: the premises are consistent
            assert z3_says(obligation(read(formulas.at_point(fails, env))), 1_000) != "unsat"
        answer = z3_says(obligation(read(formulas.at_point(holds, env))))
        assert answer in ("unsat", "unknown"), (formulas.written(formula), env)
        decided += answer == "unsat"
    assert decided >= 380


@pytest.mark.parametrize("text", formulas.INVALID)
def test_different_symbols_are_not_confused(text: str) -> None:
    assert z3_says(obligation(read(text))) == "sat"


@pytest.mark.slow
def test_rocq_evaluates_and_writes_formulas_as_the_evaluator_does() -> None:
    needs.tool("coqc")
    rng = random.Random(2)
    session = Session(
        [
            "From Coq Require Import ZArith List String.",
            "Require Truespec.Formula.",
            "Import ListNotations Truespec.Formula.",
            "Open Scope Z_scope.",
        ],
        library(),
    )
    session.ready()
    try:
        for _ in range(5):
            batch = [(formulas.test(rng, 12, FREE), points(rng)) for _ in range(40)]
            cases = "; ".join(
                f"({formulas.gallina(node)}, [{'; '.join(f'({one})' for one in env)}])" for node, env in batch
            )
            evaluated = f"map (fun p => (show_test (fst p), check {formulas.ROCQ_FUNCTIONS} (snd p) (fst p)))"
            said = session.say(f"Eval vm_compute in ({evaluated} [{cases}]).", 300.0).text
            found = re.findall(r'"([^"]*)"(?:%string)?,\s*(true|false)', said)
            expected = [
                (formulas.written(node), "true" if formulas.value(node, env) else "false")
                for node, env in batch
            ]
            assert [(" ".join(text.split()), holds) for text, holds in found] == expected
        said = session.say("Eval vm_compute in (show (Rel 2 [Var 0; Const 3])).", 300.0).text
        assert '"(Rel 2 (Var 0) (Const 3))"' in said
    finally:
        session.kill()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Var 0",
        "(Var 0",
        "(Var 0))",
        "(Var -1)",
        "(Var 0) (Var 1)",
        "(Const 1.5)",
        "(Plus (Const 1))",
        "(Bit maybe)",
        "(App 0)",
        "(App f (Const 1))",
        "(Rel)",
        "(Rel p)",
        "(Rel 0 1)",
        "(Imp true (Bit true))",
        "(assert (Bit true))",
        "(All x (Bit true))",
    ],
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_the_parts_of_a_conjunction_are_questions_of_their_own() -> None:
    parts = ["(Rel 0 (Var 0))", "(Iff (Rel 1) (Rel 1))", "(And (Bit true) (Bit true))"]
    whole = f"(And {parts[0]} (And {parts[1]} {parts[2]}))"
    questions = obligations(read(whole)).split(NEXT)
    assert questions == [obligation(read(part)) for part in parts[:2]]
    assert [z3_says(question) for question in questions] == ["sat", "unsat"]
    assert z3_says(obligations(read(parts[2]))) == "unsat"
    assert z3_says(obligation(read(f"(Imp {parts[0]} {parts[0]})"))) == "unsat"


def test_bound_and_free_variables_are_told_apart() -> None:
    text = obligation(
        read("(All (Ex (Below (Plus (Var 0) (Var 1)) (Plus (Var 2) (App 4 (Var 3) (Const -5))))))")
    )
    body = "(forall ((b0 Int)) (exists ((b1 Int)) (< (+ b1 b0) (+ x0 (f4_2 x1 (- 5))))))"
    assert text.endswith(
        "(declare-fun x0 () Int)\n(declare-fun x1 () Int)\n(declare-fun f4_2 (Int Int) Int)\n"
        f"(assert (not {body}))\n(check-sat)\n"
    )
