(** Recursion by steps: inductions inside inductions, periods, accumulators of naturals, and evidence that computes. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Outputs.
Import ListNotations.
Local Open Scope Z_scope.

(** * Equations between recursive functions: an induction whose step may need another one *)
Ltac by_hypotheses := repeat match goal with IH : forall _, _ |- _ => progress (rewrite IH) | IH : _ = _ |- _ => progress (rewrite IH) end.
Ltac back_by_hypotheses := repeat match goal with IH : forall _, _ |- _ => progress (rewrite <- IH) | IH : _ = _ |- _ => progress (rewrite <- IH) end.
Ltac closes := first [ reflexivity | lia | congruence | nia | ring | (f_equal; first [lia | congruence | ring]) ].
Ltac step_closes := first
  [ closes
  | solve [by_hypotheses; closes]
  | solve [back_by_hypotheses; closes]
  | solve [terms; closes]
  | solve [cases; booleans_to_props; simpl in *; first [ closes | (by_hypotheses; closes) ]] ].
Ltac drop_props := repeat match goal with H : ?P |- _ => is_prop P; clear H end.
Ltac opened_step := simpl in *; through_pairs.
Ltac nested n := lazymatch n with
  | O => fail
  | S ?m => match goal with
    | x : nat |- _ => generalise_others x; induction x; intros; opened_step; first [ step_closes | solve [by_hypotheses; drop_props; nested m] | solve [back_by_hypotheses; drop_props; nested m] ]
    | x : list _ |- _ => generalise_others x; induction x; intros; opened_step; first [ step_closes | solve [by_hypotheses; drop_props; nested m] | solve [back_by_hypotheses; drop_props; nested m] ]
    | x : string |- _ => generalise_others x; induction x; intros; opened_step; first [ step_closes | solve [by_hypotheses; drop_props; nested m] | solve [back_by_hypotheses; drop_props; nested m] ]
    end end.

(** * Periods: a statement on [n mod k] holds for all [n] when it holds below [k] and is kept by [k] more steps *)
Lemma period (k : nat) (P : nat -> Prop) : (0 < k)%nat -> (forall m, (m < k)%nat -> P m) -> (forall m, P m -> P (k + m)%nat) -> forall n, P n.
Proof.
  intros p b s n. induction n as [n IH] using (well_founded_induction lt_wf).
  destruct (le_lt_dec k n) as [h|h]; [|exact (b n h)]. replace n with (k + (n - k))%nat by lia. apply s, IH. lia.
Qed.
Lemma mod_period k n : ((k + n) mod k = n mod k)%nat.
Proof. destruct k as [|k]; [destruct n; reflexivity|]. rewrite Nat.add_comm. replace (S k) with (1 * S k)%nat at 1 by lia. apply Nat.mod_add. lia. Qed.
Lemma mod_period_sum a k n : ((a + (k + n)) mod k = (a + n) mod k)%nat.
Proof. replace (a + (k + n))%nat with (k + (a + n))%nat by lia. apply mod_period. Qed.
Lemma below_succ (k : nat) (P : nat -> Prop) : P k -> (forall m, (m < k)%nat -> P m) -> forall m, (m < S k)%nat -> P m.
Proof. intros a h m l. destruct (Nat.eq_dec m k) as [->|n]; [exact a|apply h; lia]. Qed.
Lemma below_zero (P : nat -> Prop) : forall m, (m < 0)%nat -> P m.
Proof. lia. Qed.
Ltac all_below := repeat (apply below_succ; [|]); try apply below_zero.
Ltac periodic := match goal with
  | n : nat |- context [(_ mod ?k)%nat] => let v := eval vm_compute in (Nat.leb k 24) in constr_eq v true; revert n; apply (period k);
      [ lia | all_below; intros; open_values; vm_compute; try reflexivity; intuition (first [congruence | discriminate])
      | let m := fresh "m" in let h := fresh "h" in intros m h; rewrite ?mod_period, ?mod_period_sum; intros; open_values; cbn in *; first [ apply h | rewrite <- h; reflexivity | rewrite h; reflexivity | intuition congruence ] ] end.

Ltac by_steps := solve [ start; terms; descend ltac:(first [ plain | solve [clear_idle; nested 2%nat] | solve [periodic] ]) | start; periodic ].

(** * Evidence that computes: a relation that is defined by rules, and a function with the same equations *)
Lemma two_step_induction (P : nat -> Prop) : P 0%nat -> P 1%nat -> (forall n, P n -> P (S n) -> P (S (S n))) -> forall n, P n.
Proof. intros a b c n. assert (h : P n /\ P (S n)) by (induction n as [|n []]; auto). apply h. Qed.
Lemma three_step_induction (P : nat -> Prop) : P 0%nat -> P 1%nat -> P 2%nat -> (forall n, P n -> P (S n) -> P (S (S n)) -> P (S (S (S n)))) -> forall n, P n.
Proof. intros a b d c n. assert (h : P n /\ P (S n) /\ P (S (S n))) by (induction n as [|n (? & ? & ?)]; auto). apply h. Qed.
Lemma transported T (P : T -> Prop) x y : P x -> x = y -> P y. Proof. intros h <-; exact h. Qed.
Ltac same_value := simpl; first [ reflexivity | lia | nia | ring | congruence | (f_equal; first [lia | congruence]) ].
Ltac by_rule := first [ assumption | constructor; solve [eauto | by_rule] | eapply transported; [ econstructor; solve [eauto] | same_value ] | econstructor; eauto ].
Ltac computes := let h := fresh in intro h; induction h; subst; simpl in *; try same_value; first [ solve [cases; same_value] | solve [by_hypotheses; same_value] | solve [back_by_hypotheses; same_value] | solve [intuition (subst; same_value)] ].
Ltac derived := intros; subst; match goal with
  | n : nat |- _ => revert_all_but n; induction n; intros; simpl; by_rule
  | n : nat |- _ => revert_all_but n; induction n using two_step_induction; intros; simpl; by_rule
  | n : nat |- _ => revert_all_but n; induction n using three_step_induction; intros; simpl; by_rule
  | l : list _ |- _ => revert_all_but l; induction l; intros; simpl; by_rule end.
Ltac by_derivation := solve [ start; terms; first [ split; [ derived | computes ] | split; [ computes | derived ] ] ].
