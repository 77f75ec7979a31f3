(** Inductive relations that compute a value, against what computes it: one induction on the input builds the derivation that
    the conditions tell, up to equations of the values, and one on the derivation finds the values. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Lengths.
Import ListNotations.
Local Open Scope Z_scope.

(** * Derivations up to equations *)
Ltac is_relation P := let h := head_of P in is_ind h; lazymatch h with
  | @eq => fail | and => fail | or => fail | @ex => fail | False => fail | True => fail | le => fail | _ => idtac end.
Lemma up_to T (P : T -> Prop) x y : P x -> x = y -> P y. Proof. intros h <-. exact h. Qed.
Lemma up_to_both T U (P : T -> U -> Prop) x y a b : P x a -> x = y -> a = b -> P y b. Proof. intros h <- <-. exact h. Qed.
Lemma odd_remainder x : Z.Odd x <-> x mod 2 = 1. Proof. rewrite <- Z.odd_spec. apply zodd_mod. Qed.
Lemma even_remainder x : Z.Even x <-> x mod 2 = 0. Proof. rewrite <- Z.even_spec. apply zeven_mod. Qed.
Ltac parities := repeat match goal with
  | H : context [Z.Odd _] |- _ => rewrite odd_remainder in H | H : context [Z.Even _] |- _ => rewrite even_remainder in H
  | |- context [Z.Odd _] => rewrite odd_remainder | |- context [Z.Even _] => rewrite even_remainder end.
Ltac built_leaf := first [ assumption | reflexivity | discriminate | lia | congruence | (f_equal; first [ lia | congruence ]) | (progress parities; lia) | solve [intuition (first [ congruence | lia ])] ].
Ltac any_constructor := econstructor 1 + econstructor 2 + econstructor 3 + econstructor 4 + econstructor 5 + econstructor 6 + econstructor 7 + econstructor 8 + econstructor 9.
Ltac build n := lazymatch n with O => fail | S ?m => match goal with |- ?P => is_relation P end; first
  [ assumption
  | lazymatch goal with |- ?P ?y => eapply (up_to _ P); [ any_constructor; build_premise m | built_leaf ] end
  | lazymatch goal with |- ?P ?x ?y => eapply (up_to_both _ _ P); [ any_constructor; build_premise m | built_leaf | built_leaf ] end ] end
with build_premise m := first [ built_leaf | match goal with IH : _ |- _ => solve [eapply IH; built_leaf] end | build m ].

(** * From the function to the relation and back *)
Ltac parts_of_results := repeat match goal with
  | H : (?a, ?b) = ?t |- _ => is_var a; is_var b; assert (a = fst t) by (rewrite <- H; reflexivity); assert (b = snd t) by (rewrite <- H; reflexivity); clear H; subst a b
  | H : ?t = (?a, ?b) |- _ => is_var a; is_var b; assert (a = fst t) by (rewrite H; reflexivity); assert (b = snd t) by (rewrite H; reflexivity); clear H; subst a b end.
Ltac known_results := repeat match goal with e : ?t = ?v, H : context [?t] |- _ => tryif constr_eq e H then fail else idtac; is_call t; (let h := head_of v in is_constructor h); rewrite e in H
  | e : ?v = ?t |- context [?t] => is_call t; (let h := head_of v in is_constructor h); rewrite <- e end.
Ltac opened_booleans := repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H | H : _ || _ = true |- _ => apply orb_true_iff in H; destruct H | H : negb _ = true |- _ => apply negb_true_iff in H | H : negb _ = false |- _ => apply negb_false_iff in H
  | H : _ && _ = false |- _ => apply andb_false_iff in H; destruct H | H : _ || _ = false |- _ => apply orb_false_iff in H; destruct H end.
Ltac extremes_taken := repeat match goal with
  | |- context [Z.max ?a ?b] => destruct (Z.lt_trichotomy a b) as [?|[?|?]]; [ rewrite (Z.max_r a b) by lia | rewrite (Z.max_l a b) by lia .. ]
  | |- context [Z.min ?a ?b] => destruct (Z.lt_trichotomy a b) as [?|[?|?]]; [ rewrite (Z.min_l a b) by lia | rewrite (Z.min_r a b) by lia .. ] end.
Ltac taken := cbn in *; opened_booleans; fold_cases; extremes_taken; opened_booleans; known_results; cbn in *; booleans_to_props; parities; subst; try discriminate.
Ltac to_relation_leaf := first [ solve [once (build 2%nat)] | (taken; first [ solve [exfalso; built_leaf] | solve [once (build 3%nat)] ]) ].
(* A number that a part of the value counts down takes an induction inside the induction. *)
Ltac counted_inside := try (match goal with p : (_ * _)%type |- _ => destruct p end; cbn in *); match goal with n : nat |- _ => induction n; cbn in *; to_relation_leaf end.
Ltac along_declared k := match goal with x : ?T |- _ => lazymatch T with list _ => fail | nat => fail | string => fail | bool => fail | ascii => fail | Z => fail | option _ => fail | (_ * _)%type => fail | _ => tryif is_prop T then fail else (generalise_but x; induction x; intros; k tt) end end.
Ltac to_relation := first [ along ltac:(fun _ => intros; first [ to_relation_leaf | solve [counted_inside] ]) | along_declared ltac:(fun _ => solve [to_relation_leaf]) | (intros; to_relation_leaf) ].
Ltac results_of := intros; subst; first [ built_leaf | (known_results; fold_cases; opened_booleans; known_results; cbn in *; booleans_to_props; parities; opened_evidence; first [ built_leaf | idtac ]; by_equations; rewrite ?andb_true_iff, ?orb_true_iff, ?negb_true_iff; built_leaf) ].
Ltac from_relation_leaf := cbn in *; parts_of_results; results_of.
Ltac from_relation := let h := fresh "h" in intro h; induction h; from_relation_leaf.
Ltac no_result := try match goal with
  | |- ?r = _ -> _ => is_var r; intros -> | |- _ = ?r -> _ => is_var r; intros <- | |- (_, _) = _ -> _ => intro; parts_of_results | |- _ = (_, _) -> _ => intro; parts_of_results end.
Ltac is_related := split; [ no_result; to_relation | from_relation ].
(* What the relation carries along is taken out of it: the value is what it carries, with what the function computes. *)
Ltac carried_relation P Q s c r := let A := type of c in
  lazymatch eval pattern s, c, r in P with ?I _ _ _ => lazymatch eval pattern s in Q with ?F _ =>
    let S := type of s in let R := type of r in
    let try_form f := (let h := fresh in assert (h : forall (x : S) (d : A) (y : R), I x d y <-> y = f d (F x)); [ cbv beta; let x := fresh "x" in let d := fresh "d" in let y := fresh "y" in intros x d y; apply iff_sym; is_related | cbv beta in h; rewrite h; cbn; rewrite ?app_nil_r; split; intro; (subst; first [ reflexivity | lia ]) ]) in
    first [ lazymatch A with Z => first [ try_form Z.add | try_form Z.mul | try_form Z.max ] | nat => first [ try_form Nat.add | try_form Nat.mul ]
          | list ?T => first [ try_form (fun c f : list T => rev c ++ f) | try_form (fun c f : list T => f ++ c) | try_form (fun c f : list T => c ++ f) ] end ] end end.
Ltac carried P Q := lazymatch Q with ?r = ?t => is_var r; match t with context [?s] => is_var s; match P with context [?c] => tryif is_var c then fail else lazymatch c with 0 => idtac | 1 => idtac | 0%nat => idtac | 1%nat => idtac | [] => idtac end; carried_relation P t s c r end end end.
Ltac by_relation := solve [ start; without_output; cbv beta iota; match goal with
  | |- _ <-> ?P => is_relation P; is_related
  | |- ?P <-> _ => is_relation P; apply iff_sym; is_related
  | |- ?Q <-> ?P => is_relation P; apply iff_sym; carried P Q
  | |- ?P <-> ?Q => is_relation P; carried P Q end ].
