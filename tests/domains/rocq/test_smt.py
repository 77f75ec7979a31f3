"""The grade `smt`: what is reduced and proved, what must not be, and the re-check of its certificates."""
# ruff: noqa: E501

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq import smt
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.refuter import Dialogue
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Incomplete, OutOfTime, Proof, Verdict, equivalent

pytestmark = pytest.mark.slow
SECONDS = 300.0

PROVED = [
    ("(n r : Z) : Prop", "exists a b, n = a + b /\\ a mod 2 = 0 /\\ b mod 2 = 0 /\\ r = n", "n mod 2 = 0 /\\ r = n"),
    ("(n r : nat) : Prop", "r = n - 3", "if n <? 3 then r = 0 else n = r + 3"),
    ("(a b : Z) : Prop", "a mod (-3) = a + 3 * (a / (-3)) /\\ -3 < b mod (-3) <= 0", "True"),
    ("(a : Z) : Prop", "a / 0 = 0 /\\ a mod 0 = a /\\ Z.rem a 0 = a /\\ Z.quot a 0 = 0", "True"),
    ("(a b : nat) : Prop", "a / 0 = 0 /\\ a mod 0 = a /\\ a - b <= a", "True"),
    ("(a : Z) : Prop", "Z.quot a 2 = - ((- a) / 2)", "a <= 0 \\/ a mod 2 = 0"),
    ("(l : list Z) (r : bool) : Prop", "r = true <-> Sorted Z.le l", "r = true <-> forall i, (S i < length l)%nat -> nth i l 0 <= nth (S i) l 0"),
    ("(s : string) (r : bool) : Prop", 'r = String.eqb s "NO"', 'r = true <-> (String.length s = 2%nat /\\ String.get 0 s = Some "N"%char /\\ String.get 1 s = Some "O"%char)'),
    ("(o : option Z) (p : Z * bool) : Prop", "o = Some (fst p) /\\ snd p = true", "match o with Some x => x = fst p | None => False end /\\ negb (snd p) = false"),
    ("(c : ascii) : Prop", "(nat_of_ascii c < 300)%nat", "True"),
    ("(l : list Z) (r : Z) : Prop", "r = fold_right Z.add 0 l + 1", "r - 1 = fold_right Z.add 0 l"),
    ("(a b r : Z) : Prop", "r = Z.gcd a b + 1 /\\ 0 < r", "0 < r /\\ r - Z.gcd a b = 1"),
]  # fmt: skip
NOT_PROVED = [
    ("(n r : nat) : Prop", "r = n - 3", "n = r + 3"),
    ("(a b : Z) : Prop", "a mod b >= 0", "True"),
    ("(a b : Z) : Prop", "b * (a / b) <= a", "True"),
    ("(a : Z) : Prop", "Z.quot a 2 = a / 2", "True"),
    ("(b : bool) : Prop", "b = true", "b = false"),
    ("(l : list Z) : Prop", "forall i, nth i l 0 <= nth (S i) l 0", "Sorted Z.le l"),
    ("(l m : list Z) : Prop", "forall i, nth i l 0 = nth i m 0", "l = m"),
    ("(l : list nat) : Prop", "forall x, In x l -> x <= 0", "l = []"),
    ("(l : list Z) (r : Z) : Prop", "r = fold_right Z.add 0 l", "r = fold_right Z.mul 0 l"),
    ("(a b : Z) : Prop", "Z.gcd a b = 1", "Z.gcd b 3 = 1"),
    ("(s : string) : Prop", "s = EmptyString", "String.length s <= 1"),
    ("(x : Z) : Prop", "exists n : nat, x = Z.of_nat n", "True"),
    ("(x : Z) : Prop", "exists b : bool, x = Z.b2z b", "0 <= x <= 2"),
    ("(o : option Z) : Prop", "o <> None", "exists x, o = Some x /\\ x <> 0"),
]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    made = Session(
        [*(sentence.text for sentence in read_context({"signature": "(x : Z) : Prop"}).prelude), *smt.LOAD],
        library(),
    )
    yield made
    made.kill()


def texts(signature: str, *bodies: str) -> list[str]:
    scope = "nat" if "nat" in signature or "string" in signature else "Z"
    return [f"Definition spec {signature} := ({body})%{scope}." for body in bodies]


def reduced(session: Session, signature: str, *bodies: str) -> str:
    """The formula of a pair."""
    session.ready()
    oracle, candidate = (screen(text) for text in texts(signature, *bodies))
    layout = Layout(read_context({"signature": signature}), oracle, candidate)
    try:
        return smt.reduce(Dialogue(session, Limit.start(SECONDS), threading.Event()), layout)
    finally:
        assert session.back_to(session.base)


def z3_says(formula: str, seconds: float) -> Outcome:
    return smt.run_z3(smt.smtlib(formula), Limit.start(seconds), threading.Event())


@pytest.mark.parametrize(("signature", "oracle", "candidate"), PROVED)
def test_proved(session: Session, signature: str, oracle: str, candidate: str) -> None:
    assert z3_says(reduced(session, signature, oracle, candidate), SECONDS) is Outcome.UNSAT


@pytest.mark.parametrize(("signature", "oracle", "candidate"), NOT_PROVED)
def test_not_proved(session: Session, signature: str, oracle: str, candidate: str) -> None:
    formula = reduced(session, signature, oracle, candidate)
    with contextlib.suppress(OutOfTime):
        assert z3_says(formula, 2.0) is not Outcome.UNSAT


@pytest.mark.parametrize(
    ("body", "signature"),
    [("exists m : list Z, l = m ++ m", "(l : list Z) : Prop"), ("exists P : Prop, P", "(x : Z) : Prop"), ("forall f : Z -> Z, f x = x", "(x : Z) : Prop")],
)  # fmt: skip
def test_what_is_outside_the_fragment_is_said_to_be(session: Session, body: str, signature: str) -> None:
    with pytest.raises(Incomplete, match="outside the fragment"):
        reduced(session, signature, body, "True")


def test_a_certificate_is_derived_again_and_a_forged_one_fails(session: Session) -> None:
    needs.module("cvc5")
    signature, *bodies = PROVED[1]
    formula = reduced(session, signature, *bodies)
    claim = smt.Claim(formula, smt.smtlib(formula), smt.z3_version())
    assert "smtlib.py" in " ".join(claim.trusts())
    assert status(signature, bodies, claim.certificate()) is RecheckStatus.CONFIRMED
    wrong = [bodies[0], "n = r + 3"]
    assert status(signature, wrong, claim.certificate()) is RecheckStatus.FAILED
    forged = {**claim.certificate(), "smtlib": "(assert false)\n(check-sat)\n"}
    assert status(signature, bodies, forged) is RecheckStatus.FAILED


def status(signature: str, bodies: list[str], certificate: dict[str, str]) -> RecheckStatus:
    verdict: Verdict = equivalent("rocq", smt.GRADE, Proof("z3", ("z3",), (), dict(certificate)))
    oracle, candidate = texts(signature, *bodies)
    found = load("rocq").recheck(oracle, candidate, {"signature": signature}, verdict, Limit.start(SECONDS))
    return found.status
