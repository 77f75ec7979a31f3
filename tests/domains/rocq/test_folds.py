"""Loops and recursive functions as folds, results that are matched on, and what stands at which place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domains.rocq.strategies import opened, proves_only_the_right_one
from truespec.domains.rocq.session import Session

COUNT = "(l : list Z) (r : nat) : Prop"
POLYNOMIAL = "(l : list Z) (x r : Z) : Prop"
ENDS = "(l : list Z) (lo hi : Z) : Prop"
TOTAL = "(l : list Z) (r : Z * Z) : Prop"
GREATEST = "(l : list Z) (r : option Z) : Prop"
DIGITS = "(l : list nat) (r : bool) : Prop"
SHARE = "(a b c : Z) : Prop"
FIRST = "(l : list Z) (x : Z) (r : option nat) : Prop"
LAST = "(l : list nat) (x : nat) (r : Z) : Prop"
SET = "(l : list Z) (k : nat) (v : Z) (r : list Z) : Prop"
REPLACED = "(s : string) (a b : ascii) (r : string) : Prop"
BELOW = "(s : string) (r : bool) : Prop"
HORNER = (
    "Fixpoint value (l : list Z) (x : Z) : Z := match l with [] => 0 | a :: t => a + x * value t x end.\n"
    f"Definition spec {POLYNOMIAL} := r = value l x."
)
SCANNED = (
    "Fixpoint scan (l : list Z) (lo hi : Z) : Z * Z := match l with [] => (lo, hi)"
    " | x :: t => scan t (Z.min lo x) (Z.max hi x) end.\n"
    f"Definition spec {ENDS} := (lo, hi) = scan l 0 0."
)
MOST = (
    "Fixpoint most (l : list Z) : option Z := match l with [] => None | x :: t => "
    "match most t with None => Some x | Some m => Some (if m <? x then %s else m) end end.\n"
    f"Definition spec {GREATEST} := r = most l."
)
DIVIDED = (
    "Definition share (a b : Z) : option Z := if b =? 0 then None else Some (a / b).\n"
    f"Definition spec {SHARE} := forall q, share a b = Some q -> q = c."
)
FOUND = (
    "Fixpoint seek (l : list Z) (x : Z) (i : nat) : option nat := match l with [] => None"
    " | y :: t => if y =? x then Some i else seek t x (S i) end.\n"
    f"Definition spec {FIRST} := r = seek l x 0."
)
LAST_FOUND = (
    "Fixpoint seek (l : list nat) (x i : nat) (b : Z) : Z := match l with [] => b"
    " | y :: t => seek t x (S i) (if Nat.eqb y x then Z.of_nat i else b) end.\n"
    f"Definition spec {LAST} := r = seek l x 0 (-1)."
)
EACH_LETTER = (
    "Fixpoint put (s : string) (a b : ascii) : string := match s with EmptyString => EmptyString"
    " | String c t => String (if Ascii.eqb c a then %s else c) (put t a b) end.\n"
    f"Definition spec {REPLACED} := r = put s a b."
)
CASES = {
    "a loop that counts": (
        "by_folds",
        COUNT,
        "r = length (filter Z.even l)",
        "r = fold_left (fun n x => if Z.even x then S n else n) l 0%nat",
        "r = fold_left (fun n x => if Z.even x then n else S n) l 0%nat",
    ),
    "a loop along the mirrored list": (
        "by_folds",
        POLYNOMIAL,
        HORNER,
        "r = fold_left (fun s a => s * x + a) (rev l) 0",
        "r = fold_left (fun s a => s * x + a) l 0",
    ),
    "a loop with two values": (
        "by_folds",
        TOTAL,
        "r = fold_left (fun '(n, s) x => (n + 1, s + x)) l (0, 0)",
        "r = (Z.of_nat (length l), fold_right Z.add 0 l)",
        "r = (Z.of_nat (length l), fold_right Z.mul 1 l)",
    ),
    "two accumulators": (
        "by_folds",
        ENDS,
        SCANNED,
        "(lo, hi) = (fold_right Z.min 0 l, fold_right Z.max 0 l)",
        "(lo, hi) = (fold_right Z.max 0 l, fold_right Z.min 0 l)",
    ),
    "the greatest member, if any": (
        "by_readings",
        GREATEST,
        "match r with None => l = [] | Some m => In m l /\\ Forall (fun x => x <= m) l end",
        MOST % "x",
        MOST % "m",
    ),
    "cases of a list": (
        "by_readings",
        DIGITS,
        "r = true <-> (forall d, In d l -> (d < 10)%nat) /\\ l <> []",
        "r = match l with [] => false | _ => forallb (fun d => Nat.ltb d 10) l end",
        "r = match l with [] => true | _ => forallb (fun d => Nat.ltb d 10) l end",
    ),
    "what is said of a result": (
        "by_returns",
        SHARE,
        DIVIDED,
        "b <> 0 -> a / b = c",
        "b <> 0 /\\ a / b = c",
    ),
    "the first place": (
        "by_found",
        FIRST,
        "match r with Some i => nth_error l i = Some x /\\ forall j, (j < i)%nat -> nth_error l j <> Some x"
        " | None => ~ In x l end",
        FOUND,
        FOUND.replace("x (S i)", "x i"),
    ),
    "the last place": (
        "by_found",
        LAST,
        "(r = -1 /\\ ~ In x l) \\/ (0 <= r < Z.of_nat (length l) /\\ nth_error l (Z.to_nat r) = Some x /\\"
        " forall j, (Z.to_nat r < j < length l)%nat -> nth_error l j <> Some x)",
        LAST_FOUND,
        LAST_FOUND.replace("x (S i)", "x i"),
    ),
    "one place set": (
        "by_positions",
        SET,
        "(k < length l)%nat -> length r = length l /\\ nth k r 0 = v /\\"
        " forall i, (i < length l)%nat -> i <> k -> nth i r 0 = nth i l 0",
        "(k < length l)%nat -> r = firstn k l ++ v :: skipn (S k) l",
        "(k < length l)%nat -> r = firstn k l ++ v :: skipn k l",
    ),
    "one place at a time": (
        "by_pointwise",
        "(l r : list Z) : Prop",
        "length r = length l /\\ forall i, (i < length l)%nat ->"
        " nth_error r i = nth_error l (length l - S i)",
        "r = rev l",
        "r = l",
    ),
    "letters replaced": (
        "by_letter_places",
        REPLACED,
        "String.length r = String.length s /\\ forall i, (i < String.length s)%nat ->"
        " (String.get i s = Some a -> String.get i r = Some b) /\\"
        " (String.get i s <> Some a -> String.get i r = String.get i s)",
        EACH_LETTER % "b",
        EACH_LETTER % "a",
    ),
    "letters in a range": (
        "by_letter_places",
        BELOW,
        "r = true <-> s <> EmptyString /\\ forall i, (i < String.length s)%nat ->"
        " exists c, String.get i s = Some c /\\ (nat_of_ascii c <= 57)%nat",
        "r = (negb (String.eqb s EmptyString) &&"
        " forallb (fun c => Nat.leb (nat_of_ascii c) 57) (list_ascii_of_string s))%bool",
        "r = forallb (fun c => Nat.leb (nat_of_ascii c) 57) (list_ascii_of_string s)",
    ),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    yield from opened()


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("name", CASES)
def test_a_strategy_proves_the_right_candidate_and_not_the_wrong_one(session: Session, name: str) -> None:
    proves_only_the_right_one(session, *CASES[name])
