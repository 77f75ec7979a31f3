"""The refuter alone: what only larger, drawn or asked-for inputs separate, and twins that nothing may separate."""
# ruff: noqa: E501

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import needs
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.refuter import Refutation, refute
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete

pytestmark = pytest.mark.slow

DIGITS = "Fixpoint digits (f : nat) (n : Z) : Z := match f with O => 0 | S g => if n <=? 0 then 0 else n mod 10 + digits g (n / 10) end.\n"
DIVISORS = "Fixpoint sum (k : nat) (n : Z) : Z := match k with O => 0 | S j => (if n mod (Z.of_nat k) =? 0 then Z.of_nat k else 0) + sum j n end.\n"
PERFECT = (
    DIVISORS
    + "Definition spec (n : Z) (r : bool) : Prop := r = true <-> (1 < n /\\ sum (Z.to_nat (n - 1)) n = n)."
)
SHIFT = "d = if ((97 <=? nat_of_ascii c) && (nat_of_ascii c <=? 122))%nat then ascii_of_nat (97 + (nat_of_ascii c - 97 + 3) mod 26) else c"
GET = "r = true <-> forall i c, String.get i s = Some c -> (48 <= nat_of_ascii c <= 57)%nat"
UNIQUE = "r = true <-> exists x, a * x = b /\\ forall y, a * y = b -> y = x"
WRONG = [
    ("(n : Z) (r : bool) : Prop", PERFECT, "r = true <-> n = 6"),
    ("(n r : Z) : Prop", DIGITS + "Definition spec (n r : Z) : Prop := r = digits 20 n.", DIGITS + "Definition spec (n r : Z) : Prop := r = digits 2 n."),
    ("(c d : ascii) : Prop", SHIFT, "d = if ((97 <=? nat_of_ascii c) && (nat_of_ascii c <=? 120))%nat then ascii_of_nat (nat_of_ascii c + 3) else if ((97 <=? nat_of_ascii c) && (nat_of_ascii c <=? 122))%nat then ascii_of_nat (nat_of_ascii c - 23) else c"),
    ("(s : string) (r : bool) : Prop", GET, GET.replace("<= 57", "< 57")),
    ("(a b : Z) (r : bool) : Prop", UNIQUE, "r = true <-> (a > 0 /\\ (a | b))"),
    ("(l r : list Z) (k : nat) : Prop", "r = skipn (k mod length l) l ++ firstn (k mod length l) l", "r = skipn k l ++ firstn k l"),
    ("(l : list (list Z)) (r : list Z) : Prop", "r = concat l", "r = fold_right (fun m acc => firstn 3 m ++ acc) [] l"),
    ("(l : list Z) (r : bool) : Prop", "r = true <-> exists x a b c, l = a ++ x :: b ++ x :: c", "r = true <-> exists x a c, l = a ++ x :: x :: c"),
    ("(l : list (Z * Z)) : Prop", "forall a p q b, l = a ++ p :: q :: b -> fst p <> fst q", "forall a p q b, l = a ++ p :: b ++ q :: nil -> fst p <> fst q"),
    ("(p s : string) (b : bool) : Prop", "b = String.prefix p s", "b = true <-> exists c t, s = append p (String c t)"),
    ("(m : list (list Z)) (s : list Z) : Prop", "s = map (fold_right Z.add 0) m", "forall i, nth i s 0 = fold_left Z.add (nth i m []) 0"),
    ("(l : list Z) (m : Z) : Prop", "forall u v w, l = u ++ v ++ w -> v <> [] -> fold_right Z.add 0 v <= m", "forall u v w, l = u ++ v ++ w -> fold_right Z.add 0 v <= m"),
]  # fmt: skip
SAME = [
    ("(a b : Z) (r : bool) : Prop", UNIQUE, "r = true <-> (a <> 0 /\\ (a | b))"),
    ("(n r : nat) : Prop", "exists a b, (a * a + b = n /\\ b <= 2 * a)%nat /\\ r = a", "(r * r <= n < S r * S r)%nat"),
    ("(n : Z) (r : bool) : Prop", "r = true <-> exists k, 0 <= k /\\ n = k * (k + 1)", "r = true <-> exists k, 0 < k /\\ n = k * (k + -1)"),
]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = read_context({"signature": "(x : Z) : Prop"}).prelude
    made = Session([*(sentence.text for sentence in prelude), "Require Truespec.Draw."], library())
    yield made
    made.kill()


def found(session: Session, enough: bool, signature: str, *texts: str) -> Refutation:
    session.ready()
    written = (
        one if one.startswith("Fixpoint") else f"Definition spec {signature} := {one}." for one in texts
    )
    layout = Layout(read_context({"signature": signature}), *(screen(text) for text in written))
    event = threading.Event()
    if enough:
        event.set()
    try:
        return refute(session, layout, Limit.start(600), threading.Event(), enough=event)
    finally:
        if not session.back_to(session.base):
            session.kill()


@pytest.mark.parametrize(("signature", "oracle", "candidate"), WRONG)
def test_refuted(session: Session, signature: str, oracle: str, candidate: str) -> None:
    assert found(session, False, signature, oracle, candidate).point


@pytest.mark.parametrize(("signature", "oracle", "candidate"), SAME)
def test_not_refuted(session: Session, signature: str, oracle: str, candidate: str) -> None:
    with pytest.raises(Incomplete, match="no drawn input"):
        found(session, True, signature, oracle, candidate)
