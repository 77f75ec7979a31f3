"""Statements that have one form, and what holds along a recursion: members, places, values and states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domains.rocq.strategies import opened, proves_only_the_right_one
from truespec.domains.rocq.session import Session

BOOL = "(l : list Z) (r : bool) : Prop"
TWO = "(a b : list nat) (r : bool) : Prop"
TURN = "(l : list Z) (k : nat) (r : list Z) : Prop"
PUT = "(l : list Z) (k : nat) (x : Z) (r : list Z) : Prop"
LISTS = "(l r : list Z) : Prop"
NUMBER = "(n r : nat) : Prop"
NESTED = "(l : list bool) (r : bool) : Prop"
LONGEST = "(l : list string) (w : string) : Prop"
MIDDLE = "(a b c r : Z) : Prop"
PEAK = "(l : list Z) (k : nat) : Prop"
INSERTED = (
    "Fixpoint ins (l : list Z) (k : nat) (x : Z) : list Z := match k, l with O, _ => %s"
    " | S k', y :: t => y :: ins t k' x | S _, [] => [x] end.\n"
    f"Definition spec {PUT} := (k <= length l)%%nat -> r = ins l k x."
)
FLAG = "(n : nat) (r : bool) : Prop"
RANGE = "(n : nat) (r : list nat) : Prop"
THREE = "(a b r : list Z) : Prop"
VALUE = "(e : expr) (r : Z) : Prop"
DIVISOR = "(a b d : Z) : Prop"
PLACE = "(l : list Z) (x r : Z) : Prop"
SOUGHT = (
    "Fixpoint seek (l : list Z) (x : Z) : Z := match l with [] => -1 | y :: t =>"
    " if y =? x then 0 else let k := seek t x in if k =? -1 then -1 else k + %s end.\n"
    f"Definition spec {PLACE} := r = seek l x."
)
SUMS = (
    "Fixpoint run (s : Z) (l : list Z) : list Z := match l with [] => [] | x :: t => (s + x) ::"
    " run (s + x) t end.\n"
    f"Definition spec {LISTS} := r = run 0 l."
)
FIB = (
    "Fixpoint fib (n : nat) : nat := match n with O => O | S m => "
    "match m with O => 1%nat | S k => (fib m + fib k)%nat end end.\n"
    f"Definition spec {NUMBER} := r = fib n."
)
LOOP = (
    "Fixpoint loop (n a b : nat) : nat := match n with O => a | S m => loop m b (a + b)%%nat end.\n"
    f"Definition spec {NUMBER} := r = loop n %s 1%%nat."
)
BALANCED = (
    "Fixpoint bal (l : list bool) (d : nat) : bool := match l with [] => Nat.eqb d 0 | true ::"
    " t => bal t (S d)"
    " | false :: t => match d with O => false | S e => bal t e end end.\n"
    f"Definition spec {NESTED} := r = bal l 0."
)
DEPTH = (
    "Definition go (o : option nat) (b : bool) : option nat := match o with None => None"
    " | Some d => if b then Some (S d) else match d with O => None | S e => Some %s end end.\n"
    f"Definition spec {NESTED} := r = match fold_left go l (Some O) with Some O => true | _ => false end."
)
ONCE = (
    "Fixpoint once (l seen : list Z) : list Z := match l with [] => [] | x :: t =>"
    " if existsb (Z.eqb x) seen then once t seen else %s once t (x :: seen) end.\n"
    f"Definition spec {LISTS} := forall x, In x r <-> In x (once l [])."
)
EVEN = (
    "Fixpoint ev (n : nat) : bool := match n with O => true | S m => negb (%s) end.\n"
    f"Definition spec {FLAG} := r = ev n."
)
UP = (
    "Fixpoint up (n : nat) : list nat := match n with O => [] | S m => up m ++ [%s] end.\n"
    f"Definition spec {RANGE} := r = up n."
)
LARGER = (
    "Fixpoint zip (a b : list Z) : list Z := match a, b with x :: a', y :: b' =>"
    " (if x <? y then %s) :: zip a' b' | _, _ => [] end.\n"
    f"Definition spec {THREE} := length a = length b -> r = zip a b."
)
STEPS = (
    "Fixpoint ok (l : list Z) : bool := match l with [] => true | x :: t => match t with [] => true"
    " | y :: _ => (Z.abs (x - y) <=? %s) && ok t end end.\n"
    f"Definition spec {BOOL} := r = ok l."
)
EXPRESSION = "Inductive expr := Num (n : Z) | Add (a b : expr)."
EVALUATED = (
    "Fixpoint eval (e : expr) : Z := match e with Num n => n | Add a b => eval a + eval b end.\n"
    f"Definition spec {VALUE} := r = eval e."
)
STACKED = (
    "Fixpoint run (e : expr) (s : list Z) : list Z := match e with Num n => n :: s"
    " | Add a b => match run b (run a s) with y :: x :: t => (%s) :: t | u => u end end.\n"
    f"Definition spec {VALUE} := run e [] = [r]."
)
CASES = {
    "a number that counts steps": (
        "by_positions",
        RANGE,
        "length r = n /\\ forall i, (i < n)%nat -> nth i r O = i",
        UP % "m",
        UP % "n",
    ),
    "two lists in step": (
        "by_positions",
        THREE,
        "length a = length b -> length r = length a /\\"
        " forall i, (i < length a)%nat -> nth i r 0 = Z.max (nth i a 0) (nth i b 0)",
        LARGER % "y else x",
        LARGER % "x else y",
    ),
    "a search that counts back": (
        "by_found",
        PLACE,
        "(r = -1 /\\ ~ In x l) \\/ (0 <= r /\\ (Z.to_nat r < length l)%nat /\\ nth (Z.to_nat r) l 0 = x /\\"
        " forall j, (j < Z.to_nat r)%nat -> nth j l 0 <> x)",
        SOUGHT % "1",
        SOUGHT % "0",
    ),
    "parity of a loop": (
        "by_folds",
        NESTED,
        "r = Nat.odd (count_occ bool_dec l true)",
        "r = fold_left xorb l false",
        "r = fold_left xorb l true",
    ),
    "a function that is a parity": (
        "by_parity",
        FLAG,
        "r = true <-> exists k, n = (2 * k)%nat",
        EVEN % "ev m",
        EVEN % "negb (ev m)",
    ),
    "neighbours": (
        "by_neighbours",
        BOOL,
        "r = true <-> forall i, (i + 1 < length l)%nat -> -1 <= nth (i + 1) l 0 - nth i l 0 <= 1",
        STEPS % "1",
        STEPS % "2",
    ),
    "a stack": ("by_pushed", VALUE, EVALUATED, STACKED % "x + y", STACKED % "x - y", EXPRESSION),
    "a common divisor that all others divide": (
        "by_common_divisors",
        DIVISOR,
        "0 <= d /\\ (d | a) /\\ (d | b) /\\ forall k, (k | a) -> (k | b) -> (k | d)",
        "d = Z.gcd b a",
        "d = - Z.gcd b a",
    ),
    "what occurs twice": (
        "by_normal_form",
        BOOL,
        "r = false <-> NoDup l",
        "r = true <-> exists x, (2 <= count_occ Z.eq_dec l x)%nat",
        "r = true <-> exists x, (1 <= count_occ Z.eq_dec l x)%nat",
    ),
    "members of two lists by index": (
        "by_normal_form",
        TWO,
        "r = true <-> exists x, In x a /\\ exists y, In y b /\\ x = y",
        "r = true <-> exists i j, (i < length a)%nat /\\ (j < length b)%nat /\\ nth i a 0%nat ="
        " nth j b 0%nat",
        "r = true <-> exists i, (i < length a)%nat /\\ (i < length b)%nat /\\ nth i a 0%nat = nth i b 0%nat",
    ),
    "a cut at a length": (
        "by_normal_form",
        TURN,
        "(k <= length l)%nat /\\ r = skipn k l ++ firstn k l",
        "exists a b, l = a ++ b /\\ length a = k /\\ r = b ++ a",
        "exists a b, l = a ++ b /\\ length b = k /\\ r = b ++ a",
    ),
    "one half of a palindrome": (
        "by_normal_form",
        BOOL,
        "r = true <-> l = rev l",
        "r = true <-> forall i, (2 * i < length l)%nat -> nth i l 0 = nth (length l - 1 - i) l 0",
        "r = true <-> forall i, (3 * i < length l)%nat -> nth i l 0 = nth (length l - 1 - i) l 0",
    ),
    "a premise that decides a part": (
        "by_premises",
        PUT,
        INSERTED % "x :: l",
        "(k <= length l)%nat -> exists a b, l = a ++ b /\\ length a = k /\\ r = a ++ [x] ++ b",
        "(k <= length l)%nat -> exists a b, l = a ++ b /\\ length a = k /\\ r = a ++ b",
    ),
    "sums of what came before": (
        "by_tabulation",
        LISTS,
        SUMS,
        "length r = length l /\\ forall i, (i < length l)%nat -> nth i r 0 = fold_right Z.add 0"
        " (firstn (S i) l)",
        "length r = length l /\\ forall i, (i < length l)%nat -> nth i r 0 = fold_right Z.add 0 (firstn i l)",
    ),
    "a loop with two values of a function": ("by_two_values", NUMBER, FIB, LOOP % "O", LOOP % "1%nat"),
    "no state after none": ("by_states", NESTED, BALANCED, DEPTH % "e", DEPTH % "d"),
    "members without repetition": (
        "by_members",
        LISTS,
        "forall x, In x r <-> In x l",
        ONCE % "x ::",
        ONCE % "",
    ),
    "the longest text": (
        "by_extremes",
        LONGEST,
        "In w l /\\ forall v, In v l -> (String.length v <= String.length w)%nat",
        "In w l /\\ String.length w = fold_right Nat.max 0%nat (map String.length l)",
        "String.length w = fold_right Nat.max 0%nat (map String.length l)",
    ),
    "the middle of three": (
        "by_number_orders",
        MIDDLE,
        "r = a + b + c - Z.max a (Z.max b c) - Z.min a (Z.min b c)",
        "r = Z.max (Z.min a b) (Z.min (Z.max a b) c)",
        "r = Z.max (Z.min a b) (Z.max (Z.min a b) c)",
    ),
    "a place and the one before": (
        "by_zero_or_next",
        PEAK,
        "(k < length l)%nat /\\ (k = O \\/ nth (k - 1) l 0 <= nth k l 0)",
        "(k < length l)%nat /\\ forall j, (S j)%nat = k -> nth j l 0 <= nth k l 0",
        "(k < length l)%nat /\\ forall j, (S j)%nat = k -> nth j l 0 < nth k l 0",
    ),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    yield from opened()


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("name", CASES)
def test_a_strategy_proves_the_right_candidate_and_not_the_wrong_one(session: Session, name: str) -> None:
    proves_only_the_right_one(session, *CASES[name])
