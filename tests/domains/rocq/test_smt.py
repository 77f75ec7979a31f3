"""The grade `smt`: what is reduced and proved, what must not be, and the re-check of its certificates."""
# ruff: noqa: E501

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq import smt
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.domain import refutation
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.refuter import Refutation
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.domains.rocq.smtlib import Model, Question, read
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
    ("(l : list (Z * bool)) : Prop", "(forall x b, In (x, b) l -> 0 <= x) /\\ length l = 2%nat", "length l = 2%nat /\\ Forall (fun p => 0 <= fst p) l"),
    ("(l : list (Z * Z)) (m : list Z) : Prop", "forall i p q, nth_error l i = Some p -> nth_error l (S i) = Some q -> fst p < snd q", "forall i, (S i < length l)%nat -> fst (nth i l (0, 0)) < snd (nth (S i) l (0, 0))"),
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
    ("(l : list (Z * Z)) : Prop", "forall x y, In (x, y) l -> x = 0", "forall x y, In (x, y) l -> y = 0"),
    ("(x : Z) : Prop", "exists n : nat, x = Z.of_nat n", "True"),
    ("(x : Z) : Prop", "exists b : bool, x = Z.b2z b", "0 <= x <= 2"),
    ("(o : option Z) : Prop", "o <> None", "exists x, o = Some x /\\ x <> 0"),
]
FAR = [
    ("(x y : Z) : Prop", "x * x = 1002001 + y /\\ y >= 0", "x * x = 1002001 + y /\\ y > 0"),
    ("(x y : Z) : Prop", "x = 7 * y + 3 /\\ y > 5000", "x = 7 * y + 3 /\\ y > 5000 /\\ x <> 77773"),
    ("(x : Z) : Prop", "x mod 1009 = 17 /\\ x mod 997 = 5 /\\ 0 <= x", "x mod 1009 = 17 /\\ x mod 997 = 5 /\\ 0 < x /\\ Z.Even x"),
    ("(a b c : Z) : Prop", "a + b + c = 3000 /\\ a < b < c /\\ a >= 950", "a + b + c = 3000 /\\ a < b < c /\\ a >= 950 /\\ c <> 1017"),
    ("(n m : nat) (b : bool) : Prop", "n = 2 * m /\\ 700 < m /\\ b = true", "n = 2 * m /\\ 700 < m /\\ b = true /\\ n <> 1888"),
    ("(l : list Z) (r : Z) : Prop", "length l = 3%nat /\\ nth 2 l 0 = nth 1 l 0 + 777 /\\ r = nth 1 l 0", "length l = 3%nat /\\ nth 2 l 0 = nth 1 l 0 + 777 /\\ r = nth 1 l 0 /\\ r <> 4321"),
    ("(o : option Z) (p : Z * bool) : Prop", "match o with Some x => x = 3 * fst p | None => fst p > 9000 end", "match o with Some x => x = 3 * fst p | None => fst p > 9000 /\\ snd p = true end"),
    ("(s : string) (n : nat) : Prop", 'String.length s = n /\\ n = 7 /\\ String.get 3 s = Some "q"%char', 'String.length s = 7 /\\ String.get 3 s = Some "q"%char'),
]  # fmt: skip
"""Different, but not at small values."""


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
    try:
        return smt.reduce(
            Dialogue(session, Limit.start(SECONDS), threading.Event()), layout(signature, *bodies)
        )
    finally:
        assert session.back_to(session.base)


def layout(signature: str, *bodies: str) -> Layout:
    oracle, candidate = (screen(text) for text in texts(signature, *bodies))
    return Layout(read_context({"signature": signature}), oracle, candidate)


def solved(session: Session, signature: str, *bodies: str) -> smt.Claim | Refutation:
    """What becomes of a pair."""
    session.ready()
    try:
        return smt.solve(session, layout(signature, *bodies), Limit.start(SECONDS), threading.Event())
    finally:
        assert session.back_to(session.base)


def z3_says(formula: str, seconds: float, milliseconds: int = 2000) -> Outcome:
    with smt.Z3(smt.smtlib(formula), milliseconds) as asked:
        return asked.outcome(Limit.start(seconds), threading.Event())


@pytest.mark.parametrize(("signature", "oracle", "candidate"), PROVED)
def test_proved(session: Session, signature: str, oracle: str, candidate: str) -> None:
    assert z3_says(reduced(session, signature, oracle, candidate), SECONDS) is Outcome.UNSAT


@pytest.mark.parametrize(("signature", "oracle", "candidate"), NOT_PROVED)
def test_not_proved(session: Session, signature: str, oracle: str, candidate: str) -> None:
    formula = reduced(session, signature, oracle, candidate)
    with contextlib.suppress(OutOfTime):
        assert z3_says(formula, 2.0) is not Outcome.UNSAT


@pytest.mark.parametrize(("signature", "oracle", "candidate"), FAR)
def test_the_solvers_points_refute(session: Session, signature: str, oracle: str, candidate: str) -> None:
    assert isinstance(solved(session, signature, oracle, candidate), Refutation)


def test_a_solvers_point_is_checked_again(session: Session) -> None:
    signature, *bodies = FAR[4]
    found = solved(session, signature, *bodies)
    assert isinstance(found, Refutation)
    oracle, candidate = texts(signature, *bodies)
    rechecked = load("rocq").recheck(
        oracle, candidate, {"signature": signature}, refutation(found, None), Limit.start(SECONDS)
    )
    assert rechecked.status is RecheckStatus.CONFIRMED


@pytest.mark.parametrize(("signature", "oracle", "candidate"), [PROVED[0], PROVED[1], PROVED[6], *FAR[:2]])
def test_wrong_points_change_no_verdict(
    session: Session, signature: str, oracle: str, candidate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(candidate)

    def wrong(self: Question, printed: str) -> list[Model]:
        return [
            Model(
                {number: rng.randint(-5, 5) for number in range(3)},
                {number: [rng.randint(-5, 5) for _ in range(12)] for number in range(2)},
            )
            for _ in range(3)
        ]

    monkeypatch.setattr(Question, "models", wrong)
    monkeypatch.setattr(smt, "HEAD_START", 0.0)  # points are asked for even where Z3 has a proof
    if (signature, oracle, candidate) in FAR:
        with pytest.raises(Incomplete, match="Z3 answers sat"):
            solved(session, signature, oracle, candidate)
    else:
        assert isinstance(solved(session, signature, oracle, candidate), smt.Claim)


@pytest.mark.parametrize(
    "printed",
    ["", "sat", "sat\n((x0 1))", "unsat\n(error \"no model\")", "sat\n((x0 1.5) (x1 2))", "unknown\n(x0 x1)", "sat\n((x0 1) (x1 2) (x2 3))"],
)  # fmt: skip
def test_an_answer_without_all_values_suggests_nothing(printed: str) -> None:
    formula = read("(Below (Var 0) (Var 1))")
    assert Question(formula, 1).models(printed) == []
    assert Question(formula, 1).models("unsat\nsat\n((x0 1)\n (x1 (- 2)))\n") == [Model({0: 1, 1: -2}, {})]


@pytest.mark.parametrize(
    ("body", "signature"),
    [("exists m : list Z, l = m ++ m", "(l : list Z) : Prop"), ("exists P : Prop, P", "(x : Z) : Prop"), ("forall f : Z -> Z, f x = x", "(x : Z) : Prop")],
)  # fmt: skip
def test_nothing_is_known_of_what_is_outside_the_fragment(
    session: Session, body: str, signature: str
) -> None:
    formula = reduced(session, signature, body, "True")
    assert "(Rel 0)" in formula
    assert z3_says(formula, SECONDS) is Outcome.SAT
    assert z3_says(reduced(session, signature, body, f"({body}) /\\ 0 = 0"), SECONDS) is Outcome.UNSAT


SUM = "Fixpoint sum (l : list Z) : Z := match l with [] => 0 | x :: t => x + sum t end.\n"
LARGEST = "Fixpoint largest (l : list Z) : option Z := match l with [] => None | x :: t => match largest t with None => Some x | Some m => Some (if m <? x then x else m) end end.\n"
SMALL = "Inductive small : list Z -> list Z -> Prop := small_nil : small [] [] | small_in x l r : Z.abs x < 5 -> small l r -> small (x :: l) (x :: r) | small_out x l r : 5 <= x \\/ x <= -5 -> small l r -> small (x :: l) r.\n"
GRADE = "Inductive grade : Z -> bool -> Prop := high n : 5 < n -> grade n true | low n : n <= 5 -> grade n false.\n"
END = "Inductive ends (m : list Z) : list Z -> Prop := here : ends m m | later x l : ends m l -> ends m (x :: l).\n"
BY_PLANS = [
    ("(l : list Z) (r : Z) : Prop", f"{SUM}Definition spec l r := r = sum l.", "Definition spec (l : list Z) r := r = fold_right (fun x a => a + x) 0 l."),
    ("(l : list Z) (r : option Z) : Prop", f"{LARGEST}Definition spec l r := r = largest l.", "Definition spec (l : list Z) r := match r with Some m => In m l /\\ forall x, In x l -> x <= m | None => forall x, ~ In x l end."),
    ("(l r : list Z) : Prop", f"{SMALL}Definition spec l r := small l r.", "Definition spec l r := r = filter (fun x => Z.abs x <? 5) l."),
    ("(n : Z) (r : bool) : Prop", f"{GRADE}Definition spec n r := grade n r.", "Definition spec n r := r = (6 <=? n)."),
    ("(m l : list Z) : Prop", f"{END}Definition spec m l := ends m l.", "Definition spec (m l : list Z) := exists p, l = p ++ m."),
]  # fmt: skip
NOT_BY_PLANS = [
    (BY_PLANS[0][0], BY_PLANS[0][1], "Definition spec (l : list Z) r := r = fold_right (fun x a => a + x) 1 l."),
    (BY_PLANS[1][0], BY_PLANS[1][1], "Definition spec (l : list Z) r := match r with Some m => In m l /\\ forall x, In x l -> x < m | None => forall x, ~ In x l end."),
    (BY_PLANS[2][0], BY_PLANS[2][1], "Definition spec l r := r = filter (fun x => Z.abs x <=? 5) l."),
    (BY_PLANS[3][0], BY_PLANS[3][1], "Definition spec n r := r = (5 <=? n)."),
    (BY_PLANS[4][0], BY_PLANS[4][1], "Definition spec (m l : list Z) := exists p, l = m ++ p."),
]  # fmt: skip


def by_plans(session: Session, signature: str, *bodies: str) -> Iterator[tuple[str, smt.Claim, Outcome]]:
    """Each plan that reduces the pair, its claim, and what Z3 says of that."""
    oracle, candidate = (screen(text) for text in bodies)
    pair = Layout(read_context({"signature": signature}), oracle, candidate)
    session.ready()
    for plan in smt.plans(pair):
        with contextlib.suppress(Incomplete):
            formula = smt.reduce(Dialogue(session, Limit.start(SECONDS), threading.Event()), pair, plan)
            claim = smt.Claim(formula, smt.smtlib(formula), smt.z3_version(), plan)
            yield plan, claim, z3_says(formula, SECONDS, 500)
        assert session.back_to(session.base)


def proved_by_a_plan(session: Session, *pair: str) -> tuple[str, smt.Claim]:
    proved = ((plan, claim) for plan, claim, said in by_plans(session, *pair) if said is Outcome.UNSAT)
    return next((plan, claim) for plan, claim in proved if plan != smt.WHOLE)


@pytest.mark.parametrize("pair", [BY_PLANS[0], *BY_PLANS[2:]])
def test_proved_by_a_plan(session: Session, pair: tuple[str, ...]) -> None:
    assert proved_by_a_plan(session, *pair)


def test_a_proof_by_a_plan_is_checked_again(session: Session) -> None:
    needs.module("cvc5")
    signature, oracle, candidate = BY_PLANS[1]
    plan, claim = proved_by_a_plan(session, signature, oracle, candidate)
    verdict = equivalent("rocq", smt.GRADE, Proof("z3", ("z3",), (), dict(claim.certificate())))
    found = load("rocq").recheck(oracle, candidate, {"signature": signature}, verdict, Limit.start(SECONDS))
    assert found.status is RecheckStatus.CONFIRMED
    forged = equivalent(
        "rocq", smt.GRADE, Proof("z3", ("z3",), (), {**claim.certificate(), "plan": f"{plan}; admit"})
    )
    found = load("rocq").recheck(oracle, candidate, {"signature": signature}, forged, Limit.start(SECONDS))
    assert found.status is RecheckStatus.FAILED


@pytest.mark.parametrize(("signature", "oracle", "candidate"), NOT_BY_PLANS)
def test_no_plan_proves_what_differs(session: Session, signature: str, oracle: str, candidate: str) -> None:
    assert all(said is not Outcome.UNSAT for _, _, said in by_plans(session, signature, oracle, candidate))


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
