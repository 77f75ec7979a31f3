"""Statements read by heads, letters, cuts, factors and laws; functions that scan, carry along or sort."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domains.rocq.strategies import opened, pair, proves_only_the_right_one
from truespec.domains.rocq.ordering import AT_ONCE, ordered
from truespec.domains.rocq.prover import STRATEGIES
from truespec.domains.rocq.session import Session

FIRST = "(l : list Z) (r : option Z) : Prop"
JOINED = "(a b r : string) : Prop"
EDGES = "(e : list (Z * Z)) (a b : Z) : Prop"
LETTER = "(c : ascii) (r : bool) : Prop"
CUT = "(l r : list Z) (k : nat) : Prop"
PLACE = "(l : list Z) (k : Z) (r : option nat) : Prop"
SORTED = "(l r : list Z) : Prop"
FROM_THE_HEAD = (
    "Fixpoint place (l : list Z) (k : Z) : option nat := match l with [] => None | x :: t => if x =? k then "
    "Some O else match place t k with Some i => Some (S i) | None => None end end.\n"
    f"Definition spec {PLACE} := r = place l k."
)
COUNTED = (
    "Fixpoint from (i : nat) (l : list Z) (k : Z) : option nat := match l with [] => None | x :: t => "
    "if Z.eqb k x then Some i else from (S i) t k end.\n"
    f"Definition spec {PLACE} := r = from %s l k."
)
DIVISORS = "(a b n : Z) : Prop"
MEMBERS = "(l : list nat) : Prop"
HALVES = "(n : nat) (l a b : list Z) : Prop"
SPLIT = (
    "Fixpoint split (n : nat) (l : list Z) : list Z * list Z := match n, l with O, _ => ([], l)"
    " | _, [] => ([], []) | S k, x :: t => let (p, q) := split k t in (x :: p, q) end.\n"
    f"Definition spec {HALVES} := %s = split n l."
)
PRODUCTS = "(a b : list Z) (r : Z) : Prop"
DOT = (
    "Fixpoint dot (a b : list Z) (s : Z) : Z := match a, b with x :: u, y :: v => dot u v (s + x %s y) "
    f"| _, _ => s end.\nDefinition spec {PRODUCTS} := r = dot a b 0."
)
TIMES = "(s : string) (n : nat) (r : string) : Prop"
REPEATED = (
    "Fixpoint times (n : nat) (s : string) : string := match n with O => %s "
    "| S k => (s ++ times k s)%%string end.\n"
    f"Definition spec {TIMES} := r = times n s."
)
SAME = "forall x y, In x l -> In y l -> x = y"
INSERTED = (
    "Fixpoint ins (x : Z) (l : list Z) : list Z := match l with [] => [x] | y :: t => "
    "if x <=? y then x :: y :: t else y :: ins x t end.\n"
    "Fixpoint sort (l : list Z) : list Z := match l with [] => [] | x :: t => ins x (sort t) end.\n"
    f"Definition spec {SORTED} := r = sort l."
)
CASES = {
    "a place that is described": (
        "by_scans",
        PLACE,
        FROM_THE_HEAD,
        "match r with Some i => nth_error l i = Some k /\\ forall j, (j < i)%nat -> nth_error l j <> Some k"
        " | None => ~ In k l end",
        "match r with Some i => nth_error l i = Some k | None => ~ In k l end",
    ),
    "a counter that is carried along": ("by_scans", PLACE, FROM_THE_HEAD, COUNTED % "0", COUNTED % "1"),
    "a table of places": (
        "by_scans",
        PLACE,
        FROM_THE_HEAD,
        "r = option_map fst (find (fun p => snd p =? k) (combine (seq 0 (length l)) l))",
        "r = option_map fst (find (fun p => snd p =? k) (combine (seq 1 (length l)) l))",
    ),
    "a sorting function": (
        "by_sorting",
        SORTED,
        INSERTED,
        "Permutation l r /\\ Sorted Z.le r",
        "incl l r /\\ incl r l /\\ Sorted Z.le r",
    ),
    "what is selected stays in order": (
        "by_sorting",
        "(n : nat) (r : list nat) : Prop",
        "r = filter (fun d => (n mod d =? 0)%nat) (seq 1 n)",
        "StronglySorted lt r /\\ forall d, In d r <-> (1 <= d <= n)%nat /\\ Nat.divide d n",
        "StronglySorted lt r /\\ forall d, In d r <-> (1 <= d < n)%nat /\\ Nat.divide d n",
    ),
    "neighbours": (
        "by_index",
        SORTED,
        "length r = pred (length l) /\\ "
        "forall i, (S i < length l)%nat -> nth i r 0 = nth (S i) l 0 - nth i l 0",
        "r = map (fun p => snd p - fst p) (combine l (tl l))",
        "r = map (fun p => fst p - snd p) (combine l (tl l))",
    ),
    "the greatest of all": (
        "by_list_cases",
        "(l : list Z) (r : option Z) : Prop",
        "match r with None => l = [] | Some m => In m l /\\ forall x, In x l -> x <= m end",
        "r = match l with [] => None | x :: t => Some (fold_left Z.max t x) end",
        "r = match l with [] => None | x :: t => Some (fold_left Z.max t 0) end",
    ),
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
    "divisors of a greatest common divisor": (
        "by_normal_form",
        DIVISORS,
        "(n | a) /\\ (n | b)",
        "(n | Z.gcd a b)",
        "(n | a + b)",
    ),
    "multiples of a least common multiple": (
        "by_normal_form",
        DIVISORS,
        "exists q r, n = q * a /\\ n = r * b",
        "(Z.lcm a b | n)",
        "(a * b | n)",
    ),
    "products of larger numbers": (
        "by_ground",
        "(p : Z) : Prop",
        "prime p",
        "p > 1 /\\ ~ exists a b, 1 < a /\\ 1 < b /\\ p = a * b",
        "p > 1 /\\ ~ exists a b, 1 < a /\\ 2 < b /\\ p = a * b",
    ),
    "divisors among the numbers up to the multiple": (
        "by_ground",
        "(n d : nat) : Prop",
        "(1 <= n)%nat /\\ Nat.divide d n",
        "(1 <= n)%nat /\\ In d (filter (fun k => Nat.eqb (n mod k) 0) (seq 1 n))",
        "(1 <= n)%nat /\\ In d (filter (fun k => Nat.eqb (n mod k) 0) (seq 2 n))",
    ),
    "a witness that an equation determines": (
        "by_normal_form",
        "(l : list Z) (t : Z) : Prop",
        "exists x y, In x l /\\ In y l /\\ x + y = t",
        "exists x, In x l /\\ In (t - x) l",
        "exists x, In x l /\\ In (x - t) l",
    ),
    "one value, repeated": (
        "by_normal_form",
        MEMBERS,
        SAME,
        "exists x n, l = repeat x n",
        "exists n, l = repeat 0%nat n",
    ),
    "a text's own function of a known name": (
        "by_normal_form",
        MEMBERS,
        SAME,
        "l = repeat (hd 0%nat l) (length l)",
        "Definition repeat (x n : nat) : list nat := seq x n.\n"
        f"Definition spec {MEMBERS} := l = repeat (hd 0%nat l) (length l).",
    ),
    "a list and its reverse": (
        "by_descent",
        "(l r : list nat) : Prop",
        "Permutation l r",
        "Permutation (rev l) r",
        "r = rev l",
    ),
    "two orders that hold together": (
        "by_orders",
        MEMBERS,
        "StronglySorted lt l",
        "Sorted le l /\\ NoDup l",
        "Sorted le l",
    ),
    "two results at once": (
        "by_parts",
        HALVES,
        "a = firstn n l /\\ b = skipn n l",
        SPLIT % "(a, b)",
        SPLIT % "(b, a)",
    ),
    "a sum over a range": (
        "by_ranges",
        "(n m : nat) : Prop",
        "(2 * m = n * (n + 1))%nat",
        "m = list_sum (seq 0 (S n))",
        "m = list_sum (seq 0 n)",
    ),
    "two lists and what is carried along": (
        "by_two_scans",
        PRODUCTS,
        "r = fold_right Z.add 0 (map (fun p => fst p * snd p) (combine a b))",
        DOT % "*",
        DOT % "+",
    ),
    "remainders by a numeral": (
        "by_remainders",
        "(d : Z) (r : bool) : Prop",
        "r = ((d mod 7 =? 5) || (d mod 7 =? 6))%bool",
        "r = match d mod 7 with 5 => true | 6 => true | _ => false end",
        "r = match d mod 7 with 5 => true | 0 => true | _ => false end",
    ),
    "a table of three columns": (
        "by_bounds",
        "(a b r : Z) : Prop",
        "0 <= a <= 1 /\\ 0 <= b <= 1 /\\ r = (a - b) mod 3",
        "In (a, b, r) [(0, 0, 0); (1, 0, 1); (0, 1, 2); (1, 1, 0)]",
        "In (a, b, r) [(0, 0, 0); (1, 0, 1); (0, 1, 1); (1, 1, 0)]",
    ),
    "the divisors of a numeral": (
        "by_bounds",
        "(d : Z) : Prop",
        "0 < d /\\ (d | 12)",
        "In d [1; 2; 3; 4; 6; 12]",
        "In d [1; 2; 3; 4; 6; 8; 12]",
    ),
    "a letter of a text": (
        "by_texts",
        "(c : ascii) (s : string) : Prop",
        "In c (list_ascii_of_string s)",
        "exists a b, s = (a ++ String c b)%string",
        "exists b, s = String c b",
    ),
    "a letter at some place": (
        "by_normal_form",
        "(c : ascii) (s : string) : Prop",
        "exists i, String.get i s = Some c",
        "exists a b, s = (a ++ String c b)%string",
        "String.get 0 s = Some c",
    ),
    "what holds of each letter": (
        "by_normal_form",
        "(s : string) : Prop",
        "forall c, In c (list_ascii_of_string s) -> (nat_of_ascii c <= 99)%nat",
        "forall i c, String.get i s = Some c -> (nat_of_ascii c <= 99)%nat",
        "forall c, String.get 0 s = Some c -> (nat_of_ascii c <= 99)%nat",
    ),
    "letters by their codes": (
        "by_codes",
        "(c r : ascii) : Prop",
        "if (97 <=? nat_of_ascii c)%nat then nat_of_ascii r = (nat_of_ascii c - 32)%nat else r = c",
        "r = if (97 <=? nat_of_ascii c)%nat then ascii_of_nat (nat_of_ascii c - 32) else c",
        "r = if (98 <=? nat_of_ascii c)%nat then ascii_of_nat (nat_of_ascii c - 32) else c",
    ),
    "a text that is repeated": (
        "by_parts",
        TIMES,
        "list_ascii_of_string r = concat (repeat (list_ascii_of_string s) n)",
        REPEATED % "EmptyString",
        REPEATED % "s",
    ),
    "propositions under a quantifier": (
        "by_logic",
        SORTED,
        "forall x, In x l <-> In x r",
        "incl l r /\\ incl r l",
        "incl l r",
    ),
    "a value by what is equal to it": (
        "by_logic",
        "(a b r : option nat) : Prop",
        "r = match a, b with Some x, Some y => Some (x + y)%nat | _, _ => None end",
        "forall z, r = Some z <-> exists x y, a = Some x /\\ b = Some y /\\ z = (x + y)%nat",
        "forall z, r = Some z -> exists x y, a = Some x /\\ b = Some y /\\ z = (x + y)%nat",
    ),
    "an element or none": (
        "by_cases",
        "(l : list Z) (i : nat) (r : option Z) : Prop",
        "r = nth_error l i",
        "match r with Some x => (i < length l)%nat /\\ nth i l 0 = x | None => (length l <= i)%nat end",
        "match r with Some x => nth i l 0 = x | None => (length l <= i)%nat end",
    ),
    "no member twice": (
        "by_normal_form",
        MEMBERS,
        "NoDup l",
        "forall x, (count_occ Nat.eq_dec l x <= 1)%nat",
        "forall x, (count_occ Nat.eq_dec l x <= 2)%nat",
    ),
    "Booleans counted": (
        "by_logic",
        "(a b c r : bool) : Prop",
        "r = ((a && b) || (a && c) || (b && c))%bool",
        "(length (filter (fun x : bool => x) [a; b; c]) >= 2)%nat <-> r = true",
        "(length (filter (fun x : bool => x) [a; b; c]) >= 1)%nat <-> r = true",
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
    yield from opened()


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("name", CASES)
def test_a_strategy_proves_the_right_candidate_and_not_the_wrong_one(session: Session, name: str) -> None:
    proves_only_the_right_one(session, *CASES[name])


def test_strategies_that_are_made_for_a_type_come_first() -> None:
    names = [one.name for one in ordered(STRATEGIES, pair(JOINED, "r = a", "r = b"))]
    assert names[:3] == [*AT_ONCE, "by_texts"]
    names = [one.name for one in ordered(STRATEGIES, pair(LETTER, "r = true", "true = r"))]
    assert names[2] == "by_letters"
