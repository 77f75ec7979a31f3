(** Lists around one of their places: [nth_error], [nth], [firstn] and [skipn] at a place, and cuts whose length is told,
    from either end, become one cut around the member there. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Stepwise.
Import ListNotations.
Local Open Scope Z_scope.

Lemma around_place T (d : T) (l : list T) i : (i < length l)%nat -> exists u x v, l = u ++ x :: v /\ length u = i.
Proof. intro h. exists (firstn i l), (nth i l d), (skipn (S i) l). split; [|rewrite firstn_length; lia]. symmetry. etransitivity; [|apply (firstn_skipn i l)]. f_equal.
  revert l h. induction i as [|i IH]; intros [|x l] h; cbn in h; try lia; [reflexivity|]. cbn [skipn nth]. apply IH. lia. Qed.
Lemma around_index T (l : list T) i x : nth_error l i = Some x <-> exists u v, l = u ++ x :: v /\ length u = i.
Proof. split; [intro h; apply nth_error_split in h; exact h|]. intros (u & v & -> & <-). rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity. Qed.
Lemma around_end T (l : list T) i x : nth_error (rev l) i = Some x <-> exists u v, l = u ++ x :: v /\ length v = i.
Proof. rewrite around_index. split; intros (u & v & e & h).
  - exists (rev v), (rev u). rewrite <- (rev_involutive l), e, rev_app_distr, rev_length. cbn. rewrite <- app_assoc. auto.
  - exists (rev v), (rev u). rewrite e, rev_app_distr, rev_length. cbn. rewrite <- app_assoc. auto. Qed.
Lemma nth_error_here T (u v : list T) x : nth_error (u ++ x :: v) (length u) = Some x. Proof. rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity. Qed.
Lemma nth_here T (u v : list T) x d : nth (length u) (u ++ x :: v) d = x. Proof. rewrite app_nth2, Nat.sub_diag by lia. reflexivity. Qed.
Lemma skipn_here T (u v : list T) x : skipn (S (length u)) (u ++ x :: v) = v. Proof. induction u; cbn; auto. Qed.
Lemma rev_here T (u v : list T) x : rev (u ++ x :: v) = rev v ++ x :: rev u. Proof. rewrite rev_app_distr. cbn. rewrite <- app_assoc. reflexivity. Qed.
Ltac here := rewrite ?Nat.add_1_r, ?nth_error_here, ?nth_here, ?skipn_here, ?skip_first, ?take_first, ?app_length in *; cbn [length] in *.
Ltac cut_around l i := let u := fresh "u" in let x := fresh "x" in let v := fresh "v" in let h := fresh in let e := fresh in
  lazymatch type of l with list ?T => with_default T ltac:(fun d => destruct (around_place T d l i ltac:(lia)) as (u & x & v & h & e)) end; subst l; try subst i.
Ltac cut_facts := repeat (match goal with
  | H : nth_error (rev ?l) ?i = Some ?x |- _ => is_var l; apply around_end in H; destruct H as (? & ? & ? & ?); try subst l; try subst i
  | H : Some ?x = nth_error (rev ?l) ?i |- _ => symmetry in H
  | H : Some ?x = nth_error ?l ?i |- _ => symmetry in H
  | H : None = nth_error ?l ?i |- _ => symmetry in H
  | H : nth_error ?l ?i = None |- _ => apply nth_error_None in H; rewrite ?rev_length in H
  | H : nth_error ?l ?i = Some ?x |- _ => is_var l; apply around_index in H; destruct H as (? & ? & ? & ?); try subst l; try subst i
  | H : (?i < length ?l)%nat |- _ => is_var l; is_var i; cut_around l i end; here).
Ltac cut_leaf := first [ assumption | reflexivity | lia | congruence | (hypotheses_too; terms; intros; first [ lia | assumption | congruence ]) | (autorewrite with places; fold_cases; first [ lia | congruence ]) ].
(* The cut first: it tells the witnesses. *)
Ltac cut_goal := try (lazymatch goal with |- ?P => tryif has_evar P then fail else here end); lazymatch goal with
  | |- exists _, _ => eexists; cut_goal
  | |- ?A /\ ?B => (lazymatch A with context [_ ++ _] => idtac | _ => try (lazymatch B with context [_ ++ _] => apply (proj1 (and_comm B A)) end) end); split; [ cut_goal | cut_goal ]
  | |- nth_error (rev _) _ = Some _ => apply around_end; cut_goal
  | |- Some _ = nth_error (rev _) _ => symmetry; apply around_end; cut_goal
  | |- nth_error _ _ = None => apply nth_error_None; cut_goal
  | |- None = nth_error _ _ => symmetry; apply nth_error_None; rewrite ?rev_length; cut_goal
  | |- _ -> _ => intro; open; cut_goal
  | |- forall _, _ => intro; cut_goal
  | |- _ => first [ reflexivity | cut_leaf ] end.
Ltac by_splits := solve [ start; without_output; split_results; cbv beta iota; terms; first
  [ solve [normalise; quick]
  | split; intro; flat_append; cut_facts; flat_append; cut_facts; cut_goal ] ].
