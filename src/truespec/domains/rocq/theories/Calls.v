(** Functions that a specification itself determines, and theorems about a function at hand.

    The first part only suggests: from [forall x, P (f x)] it reads off a function for [f] where [P] is an equation, a
    case distinction between equations, or the like. The second part proves what holds of such a function at all of its
    infinitely many arguments, without axioms. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List.
From Truespec Require Export Tables.
Import ListNotations.
Local Open Scope Z_scope.

(** * Propositions as Booleans *)
Class Told (P : Prop) (b : bool) := {}.
#[export] Hint Mode Told + - : typeclass_instances.
#[export] Instance told_Zlt x y : Told (x < y) (x <? y) := {}.
#[export] Instance told_Zle x y : Told (x <= y) (x <=? y) := {}.
#[export] Instance told_Zgt x y : Told (x > y) (y <? x) := {}.
#[export] Instance told_Zge x y : Told (x >= y) (y <=? x) := {}.
#[export] Instance told_Zeq (x y : Z) : Told (x = y) (x =? y) := {}.
#[export] Instance told_lt x y : Told (x < y)%nat (x <? y)%nat := {}.
#[export] Instance told_le x y : Told (x <= y)%nat (x <=? y)%nat := {}.
#[export] Instance told_gt x y : Told (x > y)%nat (y <? x)%nat := {}.
#[export] Instance told_ge x y : Told (x >= y)%nat (y <=? x)%nat := {}.
#[export] Instance told_eq (x y : nat) : Told (x = y) (x =? y)%nat := {}.
#[export] Instance told_true b : Told (b = true) b | 1 := {}.
#[export] Instance told_false b : Told (b = false) (negb b) | 1 := {}.
#[export] Instance told_True : Told True true := {}.
#[export] Instance told_False : Told False false := {}.
#[export] Instance told_nil A (l : list A) : Told (l = []) (match l with [] => true | _ => false end) := {}.
#[export] Instance told_divide a b : Told (a | b) (Z.rem b a =? 0) := {}.
#[export] Instance told_Even x : Told (Z.Even x) (Z.even x) := {}.
#[export] Instance told_Odd x : Told (Z.Odd x) (Z.odd x) := {}.
#[export] Instance told_even x : Told (Nat.Even x) (Nat.even x) := {}.
#[export] Instance told_odd x : Told (Nat.Odd x) (Nat.odd x) := {}.
#[export] Instance told_In_Z x l : Told (In x l) (existsb (Z.eqb x) l) := {}.
#[export] Instance told_In x l : Told (In x l) (existsb (Nat.eqb x) l) := {}.
#[export] Instance told_all A (P : A -> Prop) b l `{forall x, Told (P x) (b x)} : Told (forall x, In x l -> P x) (forallb b l) := {}.
#[export] Instance told_some A (P : A -> Prop) b l `{forall x, Told (P x) (b x)} : Told (exists x, In x l /\ P x) (existsb b l) := {}.
#[export] Instance told_not P b `{Told P b} : Told (~ P) (negb b) := {}.
#[export] Instance told_and P Q a b `{Told P a} `{Told Q b} : Told (P /\ Q) (a && b) := {}.
#[export] Instance told_or P Q a b `{Told P a} `{Told Q b} : Told (P \/ Q) (a || b) := {}.
#[export] Instance told_iff P Q a b `{Told P a} `{Told Q b} : Told (P <-> Q) (Bool.eqb a b) := {}.
#[export] Instance told_imp (P Q : Prop) a b `{Told P a} `{Told Q b} : Told (P -> Q) (negb a || b) | 9 := {}.

(** * Answers: where [c] is true, [b] is the value that [P] asks for *)
Class Answers {B} (P : B -> Prop) (c : bool) (b : B) := {}.
#[export] Hint Mode Answers + + - - : typeclass_instances.
#[export] Instance answers_eq B (t : B) : Answers (fun y => y = t) true t | 1 := {}.
#[export] Instance answers_eq' B (t : B) : Answers (fun y => t = y) true t | 1 := {}.
#[export] Instance answers_iff P b `{Told P b} : Answers (fun y => y = true <-> P) true b | 2 := {}.
#[export] Instance answers_iff' P b `{Told P b} : Answers (fun y => P <-> y = true) true b | 2 := {}.
#[export] Instance answers_iff_false P b `{Told P b} : Answers (fun y => y = false <-> P) true (negb b) | 2 := {}.
#[export] Instance answers_if B (d : bool) (P Q : B -> Prop) c b e a `{Answers B P c b} `{Answers B Q e a} :
  Answers (fun y => if d then P y else Q y) (if d then c else e) (if d then b else a) | 2 := {}.
#[export] Instance answers_list B A (l : list A) (P : B -> Prop) (Q : A -> list A -> B -> Prop) c b e a
  `{Answers B P c b} `{forall x t, Answers (Q x t) (e x t) (a x t)} :
  Answers (fun y => match l with [] => P y | x :: t => Q x t y end) (match l with [] => c | x :: t => e x t end) (match l with [] => b | x :: t => a x t end) | 2 := {}.
#[export] Instance answers_option B A (o : option A) (P : B -> Prop) (Q : A -> B -> Prop) c b e a
  `{Answers B P c b} `{forall x, Answers (Q x) (e x) (a x)} :
  Answers (fun y => match o with None => P y | Some x => Q x y end) (match o with None => c | Some x => e x end) (match o with None => b | Some x => a x end) | 2 := {}.
#[export] Instance answers_nat B (n : nat) (P : B -> Prop) (Q : nat -> B -> Prop) c b e a
  `{Answers B P c b} `{forall m, Answers (Q m) (e m) (a m)} :
  Answers (fun y => match n with O => P y | S m => Q m y end) (match n with O => c | S m => e m end) (match n with O => b | S m => a m end) | 2 := {}.
#[export] Instance answers_given B (P : B -> Prop) c b `{Answers B P c b} : Answers (fun y => exists r, y = r /\ P r) c b | 3 := {}.
#[export] Instance answers_given' B (P : B -> Prop) c b `{Answers B P c b} : Answers (fun y => exists r, r = y /\ P r) c b | 3 := {}.
#[export] Instance answers_imp B (C : Prop) (P : B -> Prop) d c b `{Told C d} `{Answers B P c b} : Answers (fun y => C -> P y) (d && c) b | 4 := {}.
#[export] Instance answers_and B (P Q : B -> Prop) c b e a `{Answers B P c b} `{Answers B Q e a} :
  Answers (fun y => P y /\ Q y) (c || e) (if c then b else a) | 5 := {}.
#[export] Instance answers_and1 B (P Q : B -> Prop) c b `{Answers B P c b} : Answers (fun y => P y /\ Q y) c b | 6 := {}.
#[export] Instance answers_and2 B (P Q : B -> Prop) c b `{Answers B Q c b} : Answers (fun y => P y /\ Q y) c b | 7 := {}.
#[export] Instance answers_or1 B (P Q : B -> Prop) c b `{Answers B P c b} : Answers (fun y => P y \/ Q y) c b | 8 := {}.
#[export] Instance answers_or2 B (P Q : B -> Prop) c b `{Answers B Q c b} : Answers (fun y => P y \/ Q y) c b | 9 := {}.
Definition answer {B} (P : B -> Prop) (c : bool) (b : B) `{Answers B P c b} : B := b.

Definition about (P : Prop) : Prop := True.
Ltac variable u := lazymatch goal with _ => is_var u end.
Ltac tidy b := lazymatch b with
  | context C [if ?c then true else false] => let d := context C [c] in tidy d
  | _ => b end.
(* Every call is looked for in the given formula, in the order in which they stand there. *)
Ltac answered f t := lazymatch t with
  | context [f ?u ?v ?w] => let _ := variable u in let _ := variable v in let _ := variable w in let b := answer_for (f u v w) in lazymatch eval pattern u, v, w in b with ?g _ _ _ => g end
  | context [f ?u ?v] => let _ := variable u in let _ := variable v in let b := answer_for (f u v) in lazymatch eval pattern u, v in b with ?g _ _ => g end
  | context [f ?u] => let _ := variable u in let b := answer_for (f u) in lazymatch eval pattern u in b with ?g _ => g end
  end
with answer_for call := lazymatch goal with |- about ?P =>
  lazymatch eval pattern call in P with ?Q _ =>
    let r := constr:(answer Q _ _) in
    let b := eval cbv beta iota zeta delta [answer orb andb negb] in r in tidy b end end.
(** Solves a goal that is a type of functions by what [holds] says of them. *)
Ltac suggest holds unfold_all :=
  let T := lazymatch goal with |- ?T => T end in
  let g := fresh "g" in let h := fresh in evar (g : T);
  assert (h : forall f : T, about (holds f)) by
    (let f := fresh "f" in intro f; unfold_all; cbv beta iota zeta;
     repeat lazymatch goal with |- about (forall x : ?A, @?P x) =>
       lazymatch type of A with Prop => fail | _ => cut (forall x : A, about (P x)); [intros _; exact I | let y := fresh x in intro y; cbv beta] end end;
     lazymatch goal with |- about ?P => let t := answered f P in let e := eval cbv delta [g] in g in unify e t; exact I end);
  clear h; let t := eval cbv delta [g] in g in exact t.
(** Suggested functions, each with its name, among the simple ones. *)
Definition more {T A B} `{Function T A B} `{Rules A B} (l : list (T * string)) : list (rule A B) :=
  (map (fun p => Rule (apply (fst p)) ("(" ++ snd p ++ " " ++ String.concat " " (names 1) ++ ")")%string) l ++ rules)%list.

(** * What holds of a function at all arguments *)
Ltac told := repeat (match goal with
  | |- context [if Z.eqb ?x ?k then _ else _] => destruct (Z.eqb_spec x k)
  | |- context [if Nat.eqb ?x ?k then _ else _] => destruct (Nat.eqb_spec x k)
  | |- context [if Z.ltb ?x ?k then _ else _] => destruct (Z.ltb_spec x k)
  | |- context [if Z.leb ?x ?k then _ else _] => destruct (Z.leb_spec x k)
  | |- context [if Bool.eqb ?x ?k then _ else _] => destruct (Bool.eqb_spec x k)
  | |- context [if String.eqb ?x ?k then _ else _] => destruct (String.eqb_spec x k)
  | |- context [if Ascii.eqb ?x ?k then _ else _] => destruct (Ascii.eqb_spec x k)
  | |- context [if andb ?a ?b then _ else _] => destruct a eqn:?; cbn [andb]
  | |- context [if eqdec ?x ?k then _ else _] => destruct (eqdec x k)
  | |- context [if ?b then _ else _] => destruct b eqn:?
  | |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l; destruct l
  | |- context [match ?o with Some _ => _ | None => _ end] => first [ is_var o; destruct o | destruct o eqn:? ]
  | |- context [match ?n with O => _ | S _ => _ end] => is_var n; destruct n
  end; subst; cbv beta iota; try discriminate).
Ltac by_specification := repeat match goal with
  | |- context [Z.even ?x = true] => rewrite (Z.even_spec x) | |- context [Z.odd ?x = true] => rewrite (Z.odd_spec x)
  | |- context [Nat.even ?x = true] => rewrite (Nat.even_spec x) | |- context [Nat.odd ?x = true] => rewrite (Nat.odd_spec x)
  | |- context [Nat.ltb ?x ?y = true] => rewrite (Nat.ltb_lt x y) | |- context [Nat.leb ?x ?y = true] => rewrite (Nat.leb_le x y)
  | |- context [Nat.eqb ?x ?y = true] => rewrite (Nat.eqb_eq x y) end.
Ltac evaluated f := first [ eapply (holds _ _ f); vm_compute; reflexivity | eapply (fails _ _ f); vm_compute; reflexivity ].
Ltac everywhere f := intros; cbv beta iota; first
  [ reflexivity | tauto | lia | solve [evaluated f]
  | lazymatch goal with
    | |- _ /\ _ => split; solve [everywhere f]
    | |- ?a = ?b => discriminate
    | |- exists r, ?t = r /\ _ => exists t; split; [reflexivity | solve [everywhere f]]
    | |- exists r, r = ?t /\ _ => exists t; split; [reflexivity | solve [everywhere f]]
    end
  | progress told; solve [everywhere f]
  | progress by_specification; solve [everywhere f]
  | congruence | solve [intuition (congruence || lia)] | solve [firstorder (congruence || lia)] ].
Ltac at_function f := solve [everywhere f].
