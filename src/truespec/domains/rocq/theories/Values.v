(** Case analysis on the values that are matched on, accumulators, and evidence of inductive predicates. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Ground.
Import ListNotations.
Local Open Scope Z_scope.

Ltac scrutinee := match goal with
  | |- context [Z.compare ?x ?y] => destruct (Z.compare_spec x y)
  | |- context [Nat.compare ?x ?y] => destruct (Nat.compare_spec x y)
  | |- context [match ?x with _ => _ end] => is_var x; destruct x
  | H : context [match ?x with _ => _ end] |- _ => is_var x; destruct x
  | |- context [match ?x with _ => _ end] => let e := fresh in destruct x eqn:e
  end.
Ltac leaf_of_matches := try tauto; simpl in *; booleans_to_props; first [ lia | congruence | intuition (first [discriminate | congruence | lia]) ].
Ltac by_matches := solve [ start; split_results; cbv beta iota; simpl; repeat (scrutinee; cbv beta iota; try tauto); leaf_of_matches ].
(* Small types of the texts themselves, such as enumerations. *)
Ltac open_values := repeat match goal with x : ?T |- _ => lazymatch T with
  | Z => fail | nat => fail | positive => fail | list _ => fail | string => fail | ascii => fail
  | _ => tryif is_prop T then fail else (destruct x) end end.
Ltac value_leaf := cbn in *; first [ tauto | lia | intuition (first [discriminate | congruence | lia | (repeat match goal with H : ex _ |- _ => destruct H end; intuition (first [discriminate | congruence | lia]))])
  | solve [split; intro; open; conjuncts; intros; first [ discriminate | lia | congruence | eauto 6 | intuition (first [discriminate | congruence | lia | eauto 6]) ]] ].
Ltac by_values := solve [ start; open_values; cbv beta iota; value_leaf ].
Ltac by_given_value := solve [ start; split; intro; open; conjuncts; intros; subst; open_values; cbn in *; first [ reflexivity | discriminate | tauto | lia | intuition (first [discriminate | congruence | lia]) ] ].

(** * Accumulators: [f l a] is [a] and what the other side computes, under some operation *)
Ltac through_pairs := repeat match goal with
  | x : (_ * _)%type |- _ => destruct x
  | |- context [let (_, _) := ?p in _] => destruct p eqn:?; simpl in * end.
Ltac inductive_step := simpl in *; through_pairs; first [ finish
  | solve [repeat match goal with IH : forall _, _ |- _ => rewrite IH end; terms; finish]
  | solve [cases; booleans_to_props; repeat match goal with IH : forall _, _ |- _ => rewrite IH end; rewrite <- ?app_assoc; simpl; finish]
  | solve [cases; booleans_to_props; simpl in *; repeat match goal with IH : _ = _ |- _ => (first [rewrite IH | rewrite <- IH]); clear IH end; finish]
  | solve [repeat match goal with IH : _ = _ |- _ => (first [rewrite IH | rewrite <- IH]); clear IH end; simpl; finish]
  | solve [rewrite ?app_length, ?map_app, ?fold_right_sum_app; simpl; lia]
  | solve [rewrite ?Zpos_P_of_succ_nat, ?Nat2Z.inj_succ, ?Z.pow_succ_r by lia; repeat match goal with IH : _ = _ |- _ => (first [rewrite IH | rewrite <- IH]); clear IH end; finish] ].
(* Ranges grow at their end. *)
Lemma fold_right_product_app l m : fold_right Nat.mul 1%nat (l ++ m) = (fold_right Nat.mul 1 l * fold_right Nat.mul 1 m)%nat.
Proof. induction l as [|x l IH]; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_right_Zproduct_app l m : fold_right Z.mul 1 (l ++ m) = fold_right Z.mul 1 l * fold_right Z.mul 1 m.
Proof. induction l as [|x l IH]; [simpl; ring|]. change (x * fold_right Z.mul 1 (l ++ m) = x * fold_right Z.mul 1 l * fold_right Z.mul 1 m). rewrite IH. ring. Qed.
Ltac range_step := rewrite ?seq_S, ?map_app, ?filter_app, ?fold_left_app, ?fold_right_product_app, ?fold_right_Zproduct_app; terms; cbn [fold_left] in *; cbn [map fold_right seq length filter] in *; first [ lia | nia | (repeat match goal with IH : _ = _ |- _ => (first [rewrite <- IH | rewrite IH]); clear IH end; cbn; first [lia | nia | ring]) | (cases; simpl; lia) ].
(* The second argument moves in step: the same on both sides, or as a natural number and as an integer. *)
Ltac in_step_leaf := simpl in *; try finish; cases; booleans_to_props; try discriminate; try lia; try (match goal with d : nat |- _ => destruct d end; simpl in *; try discriminate; try lia);
  repeat match goal with IH : forall d, _ = _ |- _ => rewrite IH end; first [ finish | (f_equal; lia) | (f_equal; f_equal; lia) ].
Ltac in_step := match goal with |- ?f ?l ?s = ?g ?l ?t => is_var l; let h := fresh in first
  [ assert (h : forall l d, f l d = g l d) by (let l := fresh in intro l; induction l; intros; in_step_leaf); apply h
  | assert (h : forall l (d : nat), f l d = g l (Z.of_nat d)) by (let l := fresh in intro l; induction l; intros; in_step_leaf); exact (h l O)
  | assert (h : forall l (d : nat), g l d = f l (Z.of_nat d)) by (let l := fresh in intro l; induction l; intros; in_step_leaf); symmetry; exact (h l O) ] end.
Ltac induct := let l := fresh "l" in intro l; induction l; intros; inductive_step.
Ltac accumulate_to a b := lazymatch a with ?f ?l ?s => is_var l;
  let g := lazymatch eval pattern l in b with ?g _ => g end in
  let h := fresh in
  let T := type of s in
  lazymatch T with
  | Z => first [ assert (h : forall l x, f l x = x + g l) by (cbv beta; induct) | assert (h : forall l x, f l x = x * g l) by (cbv beta; induct) | assert (h : forall l x, f l x = Z.max x (g l)) by (cbv beta; induct) ]
  | nat => first [ assert (h : forall l x, f l x = (x + g l)%nat) by (cbv beta; induct) | assert (h : forall l x, f l x = (x * g l)%nat) by (cbv beta; induct) ]
  | list _ => first [ assert (h : forall l x, f l x = x ++ g l) by (cbv beta; induct) | assert (h : forall l x, f l x = rev x ++ g l) by (cbv beta; induct) | assert (h : forall l x, f l x = g l ++ x) by (cbv beta; induct) ]
  | bool => first [ assert (h : forall l x, f l x = x && g l) by (cbv beta; induct) | assert (h : forall l x, f l x = x || g l) by (cbv beta; induct) ]
  end; rewrite h; simpl; rewrite ?app_nil_r; first [ reflexivity | lia | ring ] end.
Ltac accumulated := match goal with |- ?a = ?b => first [ accumulate_to a b | symmetry; accumulate_to b a ] end.
Ltac recursion := clear_idle; first
  [ accumulated
  | in_step
  | match goal with n : nat |- _ => induction n; range_step end
  | match goal with x : _ |- _ => generalise_others x; induction x; intros; inductive_step end
  | match goal with x : _ |- _ => induction x; inductive_step end ].
Ltac by_recursion := solve [ start; terms; first [ idtac | progress normalise ]; descend ltac:(solve [ plain | recursion ]) ].

(** * Two steps at once: functions that call themselves on both predecessors *)
Ltac two_steps f g n := let h := fresh in
  assert (h : forall m, f m = g m /\ f (S m) = g (S m)) by (let m := fresh "m" in intro m; induction m as [|m [? ?]]; simpl in *; through_pairs; simpl in *; split; first [ reflexivity | lia | congruence ]);
  apply (h n).
(* A loop that carries two values of the other function. *)
Ltac carried go f n := let h := fresh in
  assert (h : forall m k, go m (f k) (f (S k)) = f (m + k)%nat) by
    (let m := fresh "m" in let k := fresh "k" in intro m; induction m as [|m ?IH]; intro k; [ reflexivity | change (f (S m + k)%nat) with (f (S (m + k))); simpl go;
       match goal with IH : forall k, _ |- _ => first [ rewrite <- (IH (S k)) | idtac ] end; rewrite ?Nat.add_succ_r; f_equal; simpl; lia ]);
  specialize (h n 0%nat); rewrite ?Nat.add_0_r in h; exact h || (symmetry; exact h) || (simpl in h; lia).
Ltac by_two_steps := solve [ start; terms; match goal with
  | |- (_ = _) <-> (_ = _) => first [ apply eq_parts | apply eq_parts' | apply eq_parts2 | apply eq_parts3 ] | _ => idtac end;
  match goal with
  | |- ?f ?n = ?g ?n => two_steps f g n
  | |- ?go ?n _ _ = ?f ?n => carried go f n
  | |- ?f ?n = ?go ?n _ _ => symmetry; carried go f n
  | |- ?a = ?b => let g := lazymatch eval pattern a in b with _ => lazymatch a with _ ?n => lazymatch eval pattern n in a with ?f _ => lazymatch eval pattern n in b with ?g _ => two_steps f g n end end end end in idtac end ].

(** * Evidence of inductive predicates *)
Ltac settle := simpl in *; intuition (subst; try discriminate; try lia; try congruence; eauto; try solve [econstructor; eauto]).
Ltac by_constructors := intros; simpl in *; repeat match goal with
  | H : _ /\ _ |- _ => destruct H | H : _ \/ _ |- _ => destruct H | H : ex _ |- _ => destruct H end;
  subst; try discriminate; try contradiction; try lia; first [ solve [constructor; eauto] | solve [econstructor; eauto] | solve [eauto] ].
Ltac from_evidence := let h := fresh in intro h; induction h; settle.
Ltac to_evidence := match goal with
  | x : list _ |- _ => revert_all_but x; induction x; intros; to_step
  | x : nat |- _ => revert_all_but x; induction x; intros; to_step
  end
with to_step := try match goal with x : list _ |- _ => destruct x end; by_constructors
with revert_all_but x := repeat match goal with y : _ |- _ => tryif constr_eq x y then fail else revert y end.
Lemma pair_induction (P : nat -> Prop) : P 0%nat -> P 1%nat -> (forall n, P n -> P (S (S n))) -> forall n, P n.
Proof. intros a b c n. assert (h : P n /\ P (S n)) by (induction n; intuition). apply h. Qed.
(* Both directions at a pair of steps; the hypothesis is an equivalence. *)
Ltac evidence_step := split; let h := fresh in intro h; first
  [ lia | discriminate | contradiction
  | solve [inversion h; subst; first [ lia | intuition lia | match goal with IH : _ <-> _, K : _ |- _ => apply IH in K; first [assumption | lia] end ]]
  | solve [constructor; match goal with IH : _ <-> _ |- _ => apply IH; first [assumption | lia] end]
  | solve [match goal with IH : _ <-> _ |- _ => apply IH; assumption end]
  | solve [constructor] ].
Ltac by_evidence := solve [ start; normalise; terms; first
  [ match goal with n : nat |- _ => revert n; apply pair_induction; intros; simpl in *; evidence_step end
  | split; [ from_evidence | to_evidence ] | split; [ to_evidence | from_evidence ] ] ].
