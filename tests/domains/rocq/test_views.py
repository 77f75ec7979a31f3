"""Statements by how often members occur, by cuts, witnesses, conditions and what flattened trees hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domains.rocq.strategies import opened, proves_only_the_right_one
from truespec.domains.rocq.session import Session

TWO = "(l r : list Z) : Prop"
LEAST = "(l : list nat) (m : nat) : Prop"
PART = "(s l : list Z) : Prop"
HALVES = "(n : nat) (l a b : list nat) : Prop"
INSERT = "(x : nat) (l r : list nat) : Prop"
LARGE = "(l s o : list nat) : Prop"
BAND = "(x y k : Z) : Prop"
SUM = "(t : tree) (s : nat) : Prop"
BELOW = "(t : tree) (k : nat) : Prop"
TREE = (
    "Inductive tree := Leaf | Node (l : tree) (x : nat) (r : tree).\n"
    "Fixpoint flat (t : tree) : list nat := "
    "match t with Leaf => [] | Node l x r => flat l ++ x :: flat r end."
)
INSERTED = (
    "Fixpoint ins (x : nat) (l : list nat) : list nat := match l with [] => [x] | y :: t => "
    "if Nat.%s x y then x :: l else y :: ins x t end.\n"
    f"Definition spec {INSERT} := Sorted le l -> r = ins x l."
)
SPLIT = (
    "Fixpoint split (n : nat) (l : list nat) : list nat * list nat := match n, l with O, _ => ([], l)"
    " | _, [] => ([], []) | S k, x :: t => let (p, q) := split k t in (%s, q) end.\n"
    f"Definition spec {HALVES} := (a, b) = split n l."
)
ADDED = (
    "Fixpoint add (t : tree) : nat := match t with Leaf => O | Node l x r => (add l + %s + add r)%%nat end.\n"
    f"Definition spec {SUM} := s = add t."
)
ALL_BELOW = (
    "Fixpoint all (t : tree) (k : nat) : bool := match t with Leaf => true "
    "| Node l x r => (Nat.%s x k && all l k && all r k)%%bool end.\n"
    f"Definition spec {BELOW} := all t k = true."
)
CASES = {
    "members without duplicates": (
        "by_multiplicity",
        TWO,
        "NoDup r /\\ forall x, In x r <-> In x l",
        "forall x, count_occ Z.eq_dec r x = if in_dec Z.eq_dec x l then 1%nat else 0%nat",
        "forall x, (count_occ Z.eq_dec r x <= if in_dec Z.eq_dec x l then 1 else 0)%nat",
    ),
    "a member and the rest": (
        "by_multiplicity",
        LEAST,
        "In m l /\\ forall x, In x l -> (m <= x)%nat",
        "exists t, Permutation l (m :: t) /\\ Forall (fun x => (m <= x)%nat) t",
        "exists t, Permutation l (m :: t) /\\ Forall (fun x => (m < x)%nat) t",
    ),
    "two members that are far apart": (
        "by_matching",
        "(l : list Z) (d : Z) : Prop",
        "(exists x y, In x l /\\ In y l /\\ d = x - y) /\\ forall x y, In x l -> In y l -> x - y <= d",
        "exists a b, In a l /\\ In b l /\\ Forall (fun x => b <= x <= a) l /\\ d = a - b",
        "exists a b, In a l /\\ In b l /\\ Forall (fun x => b <= x) l /\\ d = a - b",
    ),
    "a part at some place": (
        "by_appends",
        PART,
        "exists a b, l = a ++ s ++ b",
        "exists i, (i + length s <= length l)%nat /\\ firstn (length s) (skipn i l) = s",
        "exists i, (i + length s < length l)%nat /\\ firstn (length s) (skipn i l) = s",
    ),
    "a cut by its length": (
        "by_appends",
        HALVES,
        "a = firstn n l /\\ b = skipn n l",
        "l = a ++ b /\\ length a = Nat.min n (length l)",
        "l = a ++ b /\\ length a = n",
    ),
    "a member inserted in its place": (
        "by_ordering",
        INSERT,
        "Sorted le l -> Permutation (x :: l) r /\\ Sorted le r",
        INSERTED % "leb",
        INSERTED % "eqb",
    ),
    "what is less, then the rest": (
        "by_ordering",
        INSERT,
        "Sorted le l -> Permutation (x :: l) r /\\ Sorted le r",
        "Sorted le l -> r = filter (fun y => Nat.ltb y x) l ++ x :: filter (fun y => Nat.leb x y) l",
        "Sorted le l -> r = filter (fun y => Nat.leb y x) l ++ x :: filter (fun y => Nat.leb x y) l",
    ),
    "two results at once": (
        "by_pairs",
        HALVES,
        "a = firstn n l /\\ b = skipn n l",
        SPLIT % "x :: p",
        SPLIT % "p",
    ),
    "those that pass and the others": (
        "by_pairs",
        LARGE,
        "(s, o) = partition Nat.even l",
        "s = filter Nat.even l /\\ o = filter Nat.odd l",
        "s = filter Nat.odd l /\\ o = filter Nat.even l",
    ),
    "conditions inside conditions": (
        "by_conditions",
        BAND,
        "k = if (x =? y) && (0 <=? x) then 2 else if (x =? y) || (y <? x) then 1 else 0",
        "(k = 2 /\\ x = y /\\ 0 <= x) \\/ (k = 1 /\\ (y < x \\/ x = y /\\ x < 0)) \\/ (k = 0 /\\ x < y)",
        "(k = 2 /\\ x = y /\\ 0 <= x) \\/ (k = 1 /\\ (y < x \\/ x = y)) \\/ (k = 0 /\\ x < y)",
    ),
    "the sum of a tree": ("by_flattening", SUM, "s = list_sum (flat t)", ADDED % "x", ADDED % "1", TREE),
    "all values of a tree": (
        "by_flattening",
        BELOW,
        "forall x, In x (flat t) -> (x < k)%nat",
        ALL_BELOW % "ltb",
        ALL_BELOW % "leb",
        TREE,
    ),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    yield from opened()


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("name", CASES)
def test_a_strategy_proves_the_right_candidate_and_not_the_wrong_one(session: Session, name: str) -> None:
    proves_only_the_right_one(session, *CASES[name])
