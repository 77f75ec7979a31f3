"""Statements read by the heads of lists, texts as lists of letters, tables of letters, cuts and factors."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import needs
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.library import library
from truespec.domains.rocq.ordering import ordered
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import STRATEGIES, THEOREM, assumptions, opening
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit

FIRST = "(l : list Z) (r : option Z) : Prop"
JOINED = "(a b r : string) : Prop"
EDGES = "(e : list (Z * Z)) (a b : Z) : Prop"
LETTER = "(c : ascii) (r : bool) : Prop"
CUT = "(l r : list Z) (k : nat) : Prop"
CASES = {
    "a cut before or after the head": (
        "by_heads",
        FIRST,
        "r = find (fun x => 0 <? x) l",
        "match r with Some x => 0 < x /\\ exists a b, l = a ++ x :: b /\\ Forall (fun y => y <= 0) a"
        " | None => Forall (fun y => y <= 0) l end",
        "match r with Some x => 0 < x /\\ exists a b, l = a ++ x :: b"
        " | None => Forall (fun y => y <= 0) l end",
    ),
    "pairs under a quantifier": (
        "by_heads",
        EDGES,
        "In (a, b) e \\/ exists m, In (a, m) e /\\ In (m, b) e",
        "exists p, In p e /\\ fst p = a /\\ (snd p = b \\/ In (snd p, b) e)",
        "exists p, In p e /\\ fst p = a /\\ In (snd p, b) e",
    ),
    "every letter": (
        "by_letters",
        LETTER,
        "r = ((48 <=? nat_of_ascii c)%nat && (nat_of_ascii c <=? 57)%nat)",
        'r = true <-> In c (list_ascii_of_string "0123456789")',
        'r = true <-> In c (list_ascii_of_string "123456789")',
    ),
    "texts as lists": (
        "by_texts",
        JOINED,
        "r = (a ++ b)%string",
        "list_ascii_of_string r = list_ascii_of_string a ++ list_ascii_of_string b",
        "list_ascii_of_string r = list_ascii_of_string b ++ list_ascii_of_string a",
    ),
    "parts of a text": (
        "by_texts",
        JOINED,
        "r = (a ++ b)%string",
        "String.prefix a r = true /\\ "
        "String.substring (String.length a) (String.length r - String.length a) r = b",
        "String.prefix a r = true /\\ String.length r = (String.length a + String.length b)%nat",
    ),
    "a list that is cut": (
        "by_cuts",
        CUT,
        "r = skipn k l ++ firstn k l",
        "((length l <= k)%nat -> r = l) /\\ "
        "((k < length l)%nat -> exists a b, length a = k /\\ l = a ++ b /\\ r = b ++ a)",
        "(k < length l)%nat -> exists a b, length a = k /\\ l = a ++ b /\\ r = b ++ a",
    ),
    "factors": (
        "by_factors",
        "(n : Z) (r : bool) : Prop",
        "r = true <-> prime n",
        "r = true <-> (1 < n /\\ forall a b, 1 < a -> 1 < b -> a * b <> n)",
        "r = true <-> (1 < n /\\ forall a b, 1 < a -> 2 < b -> a * b <> n)",
    ),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = [one.text for one in read_context({"signature": FIRST}).prelude]
    opened = Session([*prelude, "Require Truespec.Portfolio."], library())
    opened.ready()
    yield opened
    opened.kill()


def pair(signature: str, oracle: str, candidate: str) -> Layout:
    texts = [screen(f"Definition spec {signature} := {body}.") for body in (oracle, candidate)]
    return Layout(read_context({"signature": signature}), *texts)


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("name", CASES)
def test_a_strategy_proves_the_right_candidate_and_not_the_wrong_one(session: Session, name: str) -> None:
    tactic, signature, oracle, right, wrong = CASES[name]
    for candidate, proves in ((right, True), (wrong, False)):
        layout = pair(signature, oracle, candidate)
        session.back_to(session.base)
        dialogue = Dialogue(session, Limit.start(240.0), threading.Event())
        stated = (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout), THEOREM)
        for sentence in stated:
            dialogue.must(sentence)
        assert dialogue.tries(f"{tactic}.", 6.0) == proves, candidate
        if proves:
            assert dialogue.may("Qed.")
            assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))


def test_strategies_that_are_made_for_a_type_come_first() -> None:
    names = [one.name for one in ordered(STRATEGIES, pair(JOINED, "r = a", "r = b"))]
    assert names[0] == "by_texts"
    names = [one.name for one in ordered(STRATEGIES, pair(LETTER, "r = true", "true = r"))]
    assert names[0] == "by_letters"
