"""Types that a preamble declares: their values are enumerated, drawn, shown and read again."""
# ruff: noqa: E501

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq.context import RocqContext, read_context
from truespec.domains.rocq.domain import equivalence, refutation
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import prove
from truespec.domains.rocq.recheck import PORTFOLIO
from truespec.domains.rocq.refuter import Refutation, refute
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.domains.rocq.witness import to_json
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete

DAY = "Inductive day := Mon | Tue | Wed | Thu | Fri | Sat | Sun."
TREE = "Inductive tree := Leaf | Node (l : tree) (x : Z) (r : tree)."
SIZE = "\nFixpoint size (t : tree) : Z := match t with Leaf => 0 | Node l x r => 1 + size l + size r end."
PTREE = """Inductive ptree (A : Type) := PLeaf | PNode (l : ptree A) (x : A) (r : ptree A).
Fixpoint items {A} (t : ptree A) : list A := match t with PLeaf _ => [] | PNode _ l x r => items l ++ x :: items r end."""
# `Add` is also an inductive predicate of the standard library, `eval` a word of the tactic language.
EXP = """Inductive exp := Num (n : Z) | Var (x : nat) | Add (a b : exp) | Mul (a b : exp) | Neg (a : exp).
Fixpoint eval (e : exp) : Z :=
  match e with Num n => n | Var _ => 1 | Add a b => eval a + eval b | Mul a b => eval a * eval b | Neg a => - eval a end."""
EV = """Fixpoint ev (e : exp) : Z := match e with Num n => n | Var _ => 1 | Add (Num 7) b => ev b | Add a b => ev a + ev b | Mul a b => ev a * ev b | Neg a => - ev a end.
Definition spec (e : exp) (v : Z) : Prop := v = ev e."""
ACCOUNT = "Record account := Account { owner : Z; balance : Z; frozen : bool }."
ROSE = """Inductive rose := Rose (n : Z) (kids : list rose).
Fixpoint total (t : rose) : Z := match t with Rose n k => n + fold_right (fun c s => total c + s) 0 k end."""
FOREST = """Inductive mtree := MT (n : Z) (f : forest) with forest := FNil | FCons (t : mtree) (f : forest).
Fixpoint nodes (t : mtree) : nat := match t with MT _ f => S (fnodes f) end
with fnodes (f : forest) : nat := match f with FNil => O | FCons t f => (nodes t + fnodes f)%nat end."""
SHAPE = "Inductive shape := Circle (r : Z) | Rect (w h : Z) | Tagged (s : string) (o : option shape)."
# Names that the refuter's own files use too.
HIDDEN = "Inductive rule := next | draw (size : fuel) with fuel := none | some (x : Z) (r : rule)."
ALL = "Fixpoint all (p : Z -> Prop) (t : tree) : Prop := match t with Leaf => True | Node l x r => p x /\\ all p l /\\ all p r end.\n"
SEARCHES = (
    ALL
    + "Fixpoint bst (t : tree) : Prop := match t with Leaf => True | Node l x r => all (fun y => y < x) l /\\ all (fun y => x < y) r /\\ bst l /\\ bst r end.\nDefinition spec (t : tree) : Prop := bst t."
)
LOCALLY = "Fixpoint bst (t : tree) : Prop := match t with Leaf => True | Node l x r => match l with Node _ y _ => y < x | Leaf => True end /\\ match r with Node _ y _ => x < y | Leaf => True end /\\ bst l /\\ bst r end.\nDefinition spec (t : tree) : Prop := bst t."
NEXT_DAY = "match d with Mon => Tue | Tue => Wed | Wed => Thu | Thu => Fri | Fri => Sat | Sat => Sun | Sun => Mon end"

WRONG = {
    "enumeration": (DAY, "(d : day) (r : bool) : Prop", "r = true <-> (d = Sat \\/ d = Sun)", "r = match d with Fri | Sat | Sun => true | _ => false end"),
    "enumeration as output": (DAY, "(d e : day) : Prop", f"e = {NEXT_DAY}", f"e = {NEXT_DAY.replace('Sun => Mon', 'Sun => Sun')}"),
    "every member": (DAY, "(f : Z) : Prop", "forall d : day, match d with Sun => 0 < f | _ => 0 <= f end", "forall d : day, 0 <= f"),
    "tree": (TREE + SIZE, "(t : tree) (n : Z) : Prop", "n = size t", "n = match t with Leaf => 0 | Node l _ r => 1 + (if size r <? 2 then size r else 1) + size l end"),
    "search tree": (TREE, "(t : tree) : Prop", SEARCHES, LOCALLY),
    "tree with a parameter": (PTREE, "(t : ptree Z) (l : list Z) : Prop", "l = items t", "l = match t with PLeaf _ => [] | PNode _ l x r => x :: items l ++ items r end"),
    "tree of pairs": (PTREE, "(t : ptree (Z * bool)) : Prop", "forall p, In p (items t) -> snd p = true", "forall p, In p (items t) -> 0 < fst p -> snd p = true"),
    "expressions": (EXP, "(e : exp) (v : Z) : Prop", "v = eval e", EV),
    "record": (ACCOUNT, "(a b : account) : Prop", "owner a = owner b /\\ balance b = balance a + 10 /\\ frozen b = false", "owner a = owner b /\\ balance b = balance a + 10"),
    "list of records": (ACCOUNT, "(l : list account) (s : Z) : Prop", "s = fold_right Z.add 0 (map balance (filter (fun a => negb (frozen a)) l))", "s = fold_right Z.add 0 (map balance l)"),
    "option": (DAY, "(o : option day) (n : nat) : Prop", "(n = match o with Some Sat | Some Sun => 2 | Some _ => 1 | None => 0 end)%nat", "(n = match o with Some Sun => 2 | Some _ => 1 | None => 0 end)%nat"),
    "nested in lists": (ROSE, "(t : rose) (s : Z) : Prop", "s = total t", "s = match t with Rose n k => n + fold_right Z.add 0 (map (fun c => match c with Rose m _ => m end) k) end"),
    "two types at once": (FOREST, "(t : mtree) (n : nat) : Prop", "n = nodes t", "n = match t with MT _ FNil => 1%nat | MT _ (FCons _ f) => (2 + fnodes f)%nat end"),
    "some case": (SHAPE, "(s : shape) : Prop", "exists w, s = Rect w w", "exists w h, s = Rect w h /\\ 0 < w"),
    "record of a later type": ("Inductive rank := Low | High.\nRecord claim := Claim { cents : Z; rank_of : rank }.", "(l : list claim) : Prop", "forall c, In c l -> cents c <= match rank_of c with Low => 4 | High => 24 end", "Forall (fun c => cents c <= 24) l"),
    "values of a case among members": (SHAPE, "(l : list shape) (m : Z) : Prop", "In (Circle m) l /\\ forall r, In (Circle r) l -> r <= m", "In (Circle m) l /\\ Forall (fun s => match s with Circle r => r <= m | _ => False end) l"),
    "some record among members": (ACCOUNT, "(l : list account) (r : bool) : Prop", "r = true <-> exists o f, In (Account o 0 f) l", "r = true <-> exists o, In (Account o 0 true) l"),
    "hidden names": (HIDDEN, "(r : rule) (f : fuel) : Prop", "r = draw f", "match r with next => False | draw f => True end"),
}  # fmt: skip
SAME = {
    "enumeration": (DAY, "(d : day) (r : bool) : Prop", "r = true <-> (d = Sat \\/ d = Sun)", "r = match d with Sat | Sun => true | _ => false end"),
    "every member": (DAY, "(f : Z) : Prop", "forall d : day, match d with Sun => 0 < f | _ => 0 <= f end", "0 < f"),
    "tree": (TREE + SIZE, "(t : tree) (n : Z) : Prop", "n = size t", "n + 1 = size (Node t 0 Leaf)"),
    "record": (ACCOUNT, "(a b : account) : Prop", "a = b", "owner a = owner b /\\ balance a = balance b /\\ frozen a = frozen b"),
    "some case": (SHAPE, "(s : shape) : Prop", "exists w, s = Rect w w", "match s with Rect w h => w = h | _ => False end"),
}  # fmt: skip
POLICY = "Inductive policy := Member (group : Z) | Owner | Barred (p : policy) | Each (p q : policy)."
BOUNDS = "Fixpoint {name} (lo hi : Z) (t : tree) : {sort} := match t with Leaf => {leaf} | Node l x r => {node} end.\nDefinition spec (t : tree) (lo hi : Z) : Prop := {name} lo hi t{holds}."
PROVED = {
    "a Boolean function and a proposition": (
        TREE, "(t : tree) (lo hi : Z) : Prop",
        BOUNDS.format(name="within", sort="Prop", leaf="True", node="lo <= x < hi /\\ within lo x l /\\ within (x + 1) hi r", holds=""),
        BOUNDS.format(name="ok", sort="bool", leaf="true", node="(lo <=? x) && (x <? hi) && ok lo x l && ok (Z.succ x) hi r", holds=" = true"),
    ),
    "negation and membership": (
        POLICY, "(p : policy) (g : list Z) (o : bool) : Prop",
        "Fixpoint lets (g : list Z) (o : bool) (p : policy) : Prop := match p with Member k => In k g | Owner => o = true | Barred q => ~ lets g o q | Each q r => lets g o q /\\ lets g o r end.\nDefinition spec (p : policy) (g : list Z) (o : bool) : Prop := lets g o p.",
        "Fixpoint ok (g : list Z) (o : bool) (p : policy) : bool := match p with Member k => existsb (Z.eqb k) g | Owner => o | Barred q => negb (ok g o q) | Each q r => ok g o q && ok g o r end.\nDefinition spec (p : policy) (g : list Z) (o : bool) : Prop := ok g o p = true.",
    ),
    "two functions with one value": (
        EXP, "(e : exp) (v : Z) : Prop", "v = eval e",
        "Fixpoint ev (e : exp) : Z := match e with Num n => n | Var _ => 1 | Add a b => ev b + ev a | Mul a b => ev b * ev a | Neg a => 0 - ev a end.\nDefinition spec (e : exp) (v : Z) : Prop := ev e = v.",
    ),
}  # fmt: skip


def context(preamble: str, signature: str) -> dict[str, Any]:
    return {"signature": signature, "preamble": preamble}


def text(signature: str, body: str) -> str:
    return body if body.startswith("Fixpoint") else f"Definition spec {signature} := {body}."


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = read_context({"signature": "(x : Z) : Prop"}).prelude
    made = Session([*(sentence.text for sentence in prelude), "Require Truespec.Draw."], library())
    yield made
    made.kill()


def found(session: Session, enough: bool, preamble: str, signature: str, *bodies: str) -> Refutation:
    session.ready()
    read: RocqContext = read_context(context(preamble, signature))
    layout = Layout(read, *(screen(text(signature, body)) for body in bodies))
    event = threading.Event()
    if enough:
        event.set()
    try:
        return refute(session, layout, Limit.start(600), threading.Event(), enough=event)
    finally:
        if not session.back_to(session.base):
            session.kill()


@cache
def refuted(session: Session, name: str) -> Refutation:
    return found(session, False, *WRONG[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_refuted(session: Session, name: str) -> None:
    assert refuted(session, name).point
    assert refuted(session, name).values()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAME)
def test_not_refuted(session: Session, name: str) -> None:
    with pytest.raises(Incomplete, match="no drawn input"):
        found(session, True, *SAME[name])


@pytest.fixture(scope="module")
def prover() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = read_context({"signature": "(x : Z) : Prop"}).prelude
    made = Session([*(sentence.text for sentence in prelude), *PORTFOLIO], library())
    yield made
    made.kill()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROVED)
def test_proved_by_induction(prover: Session, name: str) -> None:
    preamble, signature, *bodies = PROVED[name]
    oracle, candidate = (text(signature, body) for body in bodies)
    raw = context(preamble, signature)
    layout = Layout(read_context(raw), screen(oracle), screen(candidate))
    prover.ready()
    try:
        proved = prove(prover, layout, Limit.start(200), threading.Event())
    finally:
        if not prover.back_to(prover.base):
            prover.kill()
    checked = load("rocq").recheck(oracle, candidate, raw, equivalence(proved, layout), Limit.start(200))
    assert checked.status is RecheckStatus.CONFIRMED, checked.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "argument"),
    [("tree", "t"), ("expressions", "e"), ("list of records", "l"), ("tree with a parameter", "t"), ("two types at once", "t"), ("hidden names", "f")],
)  # fmt: skip
def test_confirmed_in_fresh_processes(session: Session, name: str, argument: str) -> None:
    preamble, signature, *bodies = WRONG[name]
    oracle, candidate = (text(signature, body) for body in bodies)
    raw = context(preamble, signature)
    verdict = refutation(refuted(session, name), None)
    checked = load("rocq").recheck(oracle, candidate, raw, verdict, Limit.start(200))
    assert checked.status is RecheckStatus.CONFIRMED, checked.detail
    record: Any = verdict.to_json()
    shown = record["evidence"]["rocq"][argument]
    assert record["evidence"]["counterexample"]["args"][argument] == to_json(shown)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("Sat", "Sat"),
        ("(Some Sat)", ["Sat"]),
        ("(Node Leaf (-3)%Z Leaf)", {"Node": ["Leaf", -3, "Leaf"]}),
        ("(@PNode _ (@PLeaf _) 2%Z (@PLeaf _))", {"PNode": ["PLeaf", 2, "PLeaf"]}),
        ("(Truespec_preamble.Add (Num 1%Z) (Num 2%Z))", {"Add": [{"Num": [1]}, {"Num": [2]}]}),
        ("(cons (Account 0%Z 1%Z true) nil)", [{"Account": [0, 1, True]}]),
        ("(x' 0%Z)", {"x'": [0]}),
    ],
)
def test_values_in_json(shown: str, value: Any) -> None:
    assert to_json(shown) == value
