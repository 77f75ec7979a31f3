(** Specifications that determine their output: one side says what [r] is, the other what holds of it.

    Such a pair is equal when the value has the property, which is shown by induction, and no other value has it. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Values.
Import ListNotations.
Local Open Scope Z_scope.

(** * A list that is cut in two, element by element *)
Lemma cut_cons T (x : T) t (P : list T -> list T -> Prop) :
  (exists p q, x :: t = p ++ q /\ P p q) <-> P [] (x :: t) \/ exists p q, t = p ++ q /\ P (x :: p) q.
Proof.
  split.
  - intros ([|y p] & q & e & h); simpl in e; [subst; auto|]. injection e as -> ->. right. eauto.
  - intros [h|(p & q & -> & h)]; [exists [], (x :: t)|exists (x :: p), q]; auto.
Qed.
Lemma cut_at_cons T (x y : T) t (P : list T -> list T -> Prop) :
  (exists p q, x :: t = p ++ y :: q /\ P p q) <-> (x = y /\ P [] t) \/ exists p q, t = p ++ y :: q /\ P (x :: p) q.
Proof.
  split.
  - intros ([|z p] & q & e & h); simpl in e; injection e as -> ->; [auto|]. right. eauto.
  - intros [[-> h]|(p & q & -> & h)]; [exists [], t|exists (x :: p), q]; auto.
Qed.
Lemma cut_at_nil T (y : T) (P : list T -> list T -> Prop) : (exists p q, [] = p ++ y :: q /\ P p q) <-> False.
Proof. split; [intros ([|z p] & q & e & _); discriminate|tauto]. Qed.
Lemma cut_nil T (P : list T -> list T -> Prop) : (exists p q, [] = p ++ q /\ P p q) <-> P [] [].
Proof. split; [intros ([|z p] & q & e & h); simpl in e; [subst; auto|discriminate]|intro h; exists [], []; auto]. Qed.
Lemma cut_at_cons_only T (x y : T) t : (exists p q, x :: t = p ++ y :: q) <-> x = y \/ exists p q, t = p ++ y :: q.
Proof.
  split.
  - intros ([|z p] & q & e); simpl in e; injection e as -> ->; [auto|]. right. eauto.
  - intros [->|(p & q & ->)]; [exists [], t|exists (x :: p), q]; auto.
Qed.
Ltac cuts := rewrite ?cut_cons, ?cut_at_cons, ?cut_at_nil, ?cut_nil.

(** * The value of a function has the property *)
Lemma output T (f : T) (P : T -> Prop) : P f -> (forall r, P r -> P f -> r = f) -> forall r, r = f <-> P r.
Proof. intros h u r. split; [intros ->; exact h|intro k; exact (u r k h)]. Qed.
Lemma output' T (f : T) (P : T -> Prop) : P f -> (forall r, P r -> P f -> r = f) -> forall r, f = r <-> P r.
Proof. intros h u r. split; [intros <-; exact h|intro k; symmetry; exact (u r k h)]. Qed.

(* Cases of the step: what is matched on in the goal, with the hypotheses on it in the goal. *)
Ltac into_goal := repeat match goal with H : ?P |- _ => is_prop P; lazymatch P with _ = true => fail | _ = false => fail | _ => revert H end end.
Ltac cases_of_step := repeat (match goal with
  | |- context [match ?x with _ => _ end] => lazymatch x with context [match _ with _ => _ end] => fail | _ => idtac end;
      tryif is_var x then destruct x else (let e := fresh "e" in destruct x eqn:e) end; cbn beta iota in *).
Ltac at_heads := repeat match goal with
  | |- context [nth ?i (_ :: _) _] => is_var i; destruct i; cbn [nth] in *
  | H : context [nth ?i (_ :: _) _] |- _ => is_var i; destruct i; cbn [nth] in *
  | |- context [nth_error (_ :: _) ?i] => is_var i; destruct i; cbn [nth_error] in *
  | H : context [nth_error (_ :: _) ?i] |- _ => is_var i; destruct i; cbn [nth_error] in *
  end.
Ltac at_indices := repeat match goal with
  | H : forall j : nat, _, j : nat |- _ => lazymatch goal with _ : done H j |- _ => fail | _ => idtac end; let h := fresh in pose proof (H j) as h; assert (done H j) by exact I end.
Ltac extremes := repeat match goal with
  | |- context [Z.max ?a ?b] => let e := fresh "e" in destruct (Z.max_spec a b) as [[? e]|[? e]]; rewrite ?e in *; clear e
  | |- context [Z.min ?a ?b] => let e := fresh "e" in destruct (Z.min_spec a b) as [[? e]|[? e]]; rewrite ?e in *; clear e end.
Ltac member_by_member := push; extremes; repeat split; intros; push; repeat match goal with H : _ \/ _ |- _ => destruct H; push end; subst; simpl in *; try contradiction;
  repeat match goal with H : forall x, In x ?l -> _, K : In ?t ?l |- _ => at_term H t end; push;
  first [ assumption | reflexivity | lia | solve [auto] | congruence ].
Ltac leaf_of_step := booleans_to_props; try contradiction; try discriminate; first
  [ solve [intuition (first [discriminate | congruence | lia])]
  | solve [member_by_member]
  | solve [repeat split; intros; at_heads; simpl in *; push; cases_of_step; at_indices; intuition (first [discriminate | congruence | lia])]
  | solve [into_goal; normalise; terms; intros; prove_ground 2%nat]
  | solve [into_goal; normalise; terms; intros; push; repeat split; intros; prove_ground 2%nat]
  | solve [push; repeat split; intros; push; first [ lia | nia | eauto ]] ].
Ltac holds_by_induction := match goal with
  | l : list _ |- _ => clear_idle; induction l; [ | into_goal]; simpl; cuts; cases_of_step; intros; leaf_of_step
  | n : nat |- _ => clear_idle; induction n; [ | into_goal]; simpl; cases_of_step; intros; leaf_of_step
  | s : string |- _ => clear_idle; induction s; [ | into_goal]; simpl; cases_of_step; intros; leaf_of_step end.
(* Two values with the property are one. *)
Ltac known_premises := repeat match goal with H : ?P -> ?Q |- _ => is_prop P; specialize (H ltac:(first [ assumption | lia ])) end.
Ltac contradictory := push; try contradiction; first [ congruence | lia | solve [index_members; known_premises; push; first [ congruence | lia | intuition congruence ]]
  | solve [at_indices; known_premises; first [ congruence | lia ]] | ground 2%nat | search 2%nat ].
Ltac equal_values := first
  [ assumption | reflexivity | congruence | lia
  | apply NNPP; let h := fresh in intro h; first [ solve [contradictory] | solve [ground 3%nat] | solve [search 3%nat] ] ].
Ltac determined := lazymatch goal with |- forall r, _ -> _ -> r = ?f => generalize f end; clear_idle; intros; split_results; cbv beta iota in *; try reflexivity;
  try match goal with |- Some _ = Some _ => f_equal end; first [ solve [equal_values] | solve [exfalso; contradictory] ].
Ltac by_output_of r := first
  [ lazymatch goal with |- ?P <-> r = _ => apply iff_sym | |- ?P <-> _ = r => apply iff_sym | _ => idtac end ];
  revert r; first [ apply output | apply output' ]; cbv beta; [ first [ solve [leaf_of_step] | holds_by_induction ] | determined ].
Ltac by_output := solve [ start; terms; match goal with
  | r : _ |- _ = ?r <-> _ => by_output_of r | r : _ |- ?r = _ <-> _ => by_output_of r
  | r : _ |- _ <-> _ = ?r => by_output_of r | r : _ |- _ <-> ?r = _ => by_output_of r end ].
