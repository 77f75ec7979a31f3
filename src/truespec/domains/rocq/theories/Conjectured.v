(** Equations between the two sides that samples suggest, in general form: proved by induction, then used. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List.
From Truespec Require Export Carried.
From Truespec Require Data.
Import ListNotations.
Local Open Scope Z_scope.

(** The numbers of the candidates that agree with [f] at all samples. *)
Fixpoint agreeing {A B} `{EqDec B} (n : nat) (samples : list (A * B)) (cs : list (A -> B)) : list nat :=
  match cs with
  | [] => []
  | c :: rest =>
      if forallb (fun s => if eqdec (snd s) (c (fst s)) then true else false) samples
      then n :: agreeing (S n) samples rest else agreeing (S n) samples rest
  end.
Lemma for_each T (P Q : T -> Prop) : (forall x, P x <-> Q x) -> (forall x, P x) <-> (forall x, Q x). Proof. firstorder. Qed.
Ltac each_argument := repeat (lazymatch goal with |- (forall x : ?T, _) <-> (forall x : ?T, _) => let s := type of T in lazymatch s with Prop => fail | _ => apply for_each; let x := fresh x in intro x end end).
(** * The proof of such an equation *)
(* What recurses is opened, arithmetic is not. *)
Ltac successors := rewrite ?Nat2Z.inj_succ, ?Nat2Z.inj_add.
Ltac opened := for_recursive ltac:(fun f => cbn [f]);
  cbn [fold_left fold_right map filter app length flat_map concat rev combine existsb forallb nth nth_error seq firstn skipn repeat last hd tl hd_error find
    removelast String.length append String.get list_ascii_of_string string_of_list_ascii nat_rect Nat.iter count_occ nodup list_sum list_max
    fst snd negb andb orb xorb option_map pred]; cbv beta iota; successors.
Lemma existsb_rev A (p : A -> bool) l : existsb p (rev l) = existsb p l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite existsb_app, IH. simpl. destruct (p x), (existsb p l); reflexivity. Qed.
Lemma forallb_rev A (p : A -> bool) l : forallb p (rev l) = forallb p l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite forallb_app, IH. simpl. destruct (p x), (forallb p l); reflexivity. Qed.
(* Calls on joined lists are calls on each. *)
Ltac apart := rewrite ?map_app, ?filter_app, ?fold_left_app, ?fold_right_app, ?rev_app_distr, ?app_length, ?concat_app, ?flat_map_app, ?existsb_app, ?forallb_app,
  ?existsb_rev, ?forallb_rev, ?rev_length, ?map_length, ?map_map, ?rev_involutive, ?app_nil_r, ?append_empty, ?map_rev.
Ltac commuted := match goal with
  | |- context [Nat.gcd ?a ?b] => lazymatch goal with |- context [Nat.gcd b a] => rewrite (Nat.gcd_comm a b) end
  | |- context [Z.gcd ?a ?b] => lazymatch goal with |- context [Z.gcd b a] => rewrite (Z.gcd_comm a b) end
  | |- context [Z.lcm ?a ?b] => lazymatch goal with |- context [Z.lcm b a] => rewrite (Z.lcm_comm a b) end end.
Ltac conjecture_equal := rewrite <- ?app_assoc; cbn [app]; successors; first [ equal_terms | solve [repeat f_equal; first [ lia | ring | congruence ]] ].
Ltac by_hypothesis := do 4 try match goal with IH : forall _, _ |- _ => progress (rewrite IH) | IH : _ = _ |- _ => lazymatch type of IH with @eq bool _ _ => fail | _ => progress (rewrite IH) end end.
Ltac normal := moved_calls; by_hypothesis; opened; apart; opened; by_hypothesis; opened; apart; try commuted.
Ltac excluded := reduced; opened; subst; try discriminate; try congruence; try (exfalso; lia).
Ltac case_at_hand := first [ condition | match goal with |- context [Ascii.eqb ?x ?y] => destruct (Ascii.eqb_spec x y) | |- context [String.eqb ?x ?y] => destruct (String.eqb_spec x y)
  | |- context [Z.gtb ?x ?y] => rewrite (Z.gtb_ltb x y) | |- context [Z.geb ?x ?y] => rewrite (Z.geb_leb x y)
  | |- context [let (_, _) := ?p in _] => destruct p eqn:? end ].
(* A difference along which a call recurses. *)
Ltac difference := match goal with |- context [(?a - ?b)%nat] => destruct (a - b)%nat eqn:? end.
Ltac conjecture_leaves n := tryif case_at_hand then (excluded; conjecture_leaves n)
  else (normal; first [ conjecture_equal | lazymatch n with S ?m => first [ case_at_hand | difference ]; excluded; conjecture_leaves m end ]).
Ltac conjecture_terms := quotients; apart; do 2 try commuted; opened.
Ltac conjecture_cases := first [ solve [by_hypothesis; opened; conjecture_leaves 2%nat] | solve [conjecture_leaves 2%nat] ].
(* Ranges from their end. *)
Ltac from_the_end := lazymatch goal with |- context [seq ?a (S ?n)] => rewrite (seq_S n a); for_recursive ltac:(fun f => cbn [f]); apart; opened end.
Ltac conjecture_step := first [ (opened; conjecture_terms; conjecture_cases) | (from_the_end; conjecture_terms; conjecture_cases)
  | (opened; progress ranges; conjecture_terms; by_hypothesis; ranges; first [ solve [equal_terms] | (case_at_hand; excluded; solve [conjecture_leaves 2%nat]) ]) ].
(* What a call carries along is taken out of it where the law alone is no hypothesis strong enough. *)
Ltac by_conjecture := intros; first [ solve [conjecture_equal] | inductions ltac:(fun _ => solve [conjecture_step]) | (progress moves; inductions ltac:(fun _ => solve [conjecture_step])) ].

(** * Its use *)
Lemma mapped_to_itself T (f : T -> T) l : (forall x, f x = x) -> map f l = l. Proof. intro h. induction l; simpl; congruence. Qed.
Ltac untouched := repeat match goal with |- context [map ?f ?l] => rewrite (mapped_to_itself _ f l) by (intro; cbv beta; first [ reflexivity | lia ]) end.
Ltac concluded := first [ solve [equal_terms] | (opened; apart; untouched; solve [conjecture_equal]) | (cbn; rewrite ?Nat.sub_0_r, ?Nat.add_0_r; untouched; apart; solve [conjecture_equal]) ].
Ltac both_results := start; each_argument; try take_premises; same_results; list_matches.
(* A law is proved, then the theorem by it. *)
Ltac by_suggested P := solve [ let h := fresh "law" in assert (h : P) by (clear; by_conjecture); both_results;
  first [ (rewrite h; concluded) | (opened; rewrite ?h; concluded) | (rewrite <- h; concluded) ] ].
