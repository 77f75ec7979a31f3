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


(** * Prefixes: [some_prefix P l] says that some prefix of [l] has [P], and is read off the first element *)
Definition some_prefix {T} (P : list T -> Prop) (l : list T) : Prop := exists p q, l = p ++ q /\ P p.
Lemma some_prefix_nil T (P : list T -> Prop) : some_prefix P [] <-> P [].
Proof. apply (cut_nil T (fun p _ => P p)). Qed.
Lemma some_prefix_cons T (P : list T -> Prop) x t : some_prefix P (x :: t) <-> P [] \/ some_prefix (fun p => P (x :: p)) t.
Proof. apply (cut_cons T x t (fun p _ => P p)). Qed.
Lemma some_prefix_ext T (P Q : list T -> Prop) l : (forall p, P p <-> Q p) -> (some_prefix P l <-> some_prefix Q l).
Proof. intro e. unfold some_prefix. firstorder. Qed.
Lemma some_prefix_first T (P : list T -> Prop) l : P [] -> some_prefix P l.
Proof. intro h. exists [], l. auto. Qed.
Lemma some_prefix_index T (P : list T -> Prop) l (C : nat -> Prop) : (forall i, C i <-> ((i <= length l)%nat /\ P (firstn i l))) -> ((exists i, C i) <-> some_prefix P l).
Proof. intro e. unfold some_prefix. rewrite nf_prefix. firstorder. Qed.
Lemma some_prefix_all T (P : list T -> Prop) l (C : nat -> Prop) : (forall i, C i <-> ((i <= length l)%nat -> P (firstn i l))) -> ((forall i, C i) <-> ~ some_prefix (fun p => ~ P p) l).
Proof.
  intro e. rewrite <- (some_prefix_index T _ l (fun i => (i <= length l)%nat /\ ~ P (firstn i l))) by reflexivity. split.
  - intros h (i & a & n). apply n, e; auto.
  - intros h i. apply e. intro a. apply NNPP. intro n. apply h. eauto.
Qed.
Lemma some_prefix_cuts T (P : list T -> Prop) l (C : list T -> list T -> Prop) : (forall p q, C p q <-> (l = p ++ q -> P p)) -> ((forall p q, C p q) <-> ~ some_prefix (fun p => ~ P p) l).
Proof.
  intro e. unfold some_prefix. split.
  - intros h (p & q & a & n). apply n. exact (proj1 (e p q) (h p q) a).
  - intros h p q. apply e. intro a. apply NNPP. intro n. apply h. eauto.
Qed.
Definition sum_from (b : Z) (l : list Z) : Z := b + fold_right Z.add 0 l.
Lemma sum_from_nil b : sum_from b [] = b. Proof. unfold sum_from; simpl; lia. Qed.
Lemma sum_from_cons b x l : sum_from b (x :: l) = sum_from (b + x) l. Proof. unfold sum_from; simpl; lia. Qed.
Lemma sum_from_plus b l : b + fold_right Z.add 0 l = sum_from b l. Proof. reflexivity. Qed.
Lemma sum_from_0 l : fold_right Z.add 0 l = sum_from 0 l. Proof. unfold sum_from; lia. Qed.

Ltac read_prefix := let i := fresh "i" in intro i; lazymatch goal with |- ?c <-> (_ /\ ?P (firstn _ _)) =>
    lazymatch c with context [firstn i ?l] => let e := lazymatch c with _ /\ ?e => e end in
      let f := eval pattern (firstn i l) in e in lazymatch f with ?g _ => unify P g; cbv beta; guards end end
  | |- ?c <-> (_ -> ?P (firstn _ _)) =>
    lazymatch c with context [firstn i ?l] => let e := conclusion c in
      let f := eval pattern (firstn i l) in e in lazymatch f with ?g _ => unify P g; cbv beta; guards end end end.
(* Statements on prefixes, by index or by cuts, as [some_prefix]. *)
Ltac prefixes := repeat match goal with
  | |- context [exists p q, ?l = p ++ q /\ @?P p] => change (exists p q, l = p ++ q /\ P p) with (some_prefix P l)
  | |- context [@ex nat ?C] => lazymatch C with context [firstn _ ?l] => let h := fresh in
      eassert (h : (@ex nat C) <-> some_prefix _ l) by (eapply some_prefix_index; read_prefix); rewrite h; clear h end
  | |- context [forall i : nat, @?C i] => lazymatch C with context [firstn _ ?l] => let h := fresh in
      eassert (h : (forall i : nat, C i) <-> ~ some_prefix _ l) by (eapply some_prefix_all; read_prefix); rewrite h; clear h end
  | |- context [forall p q, ?l = p ++ q -> @?P p] => let h := fresh in
      assert (h : (forall p q, l = p ++ q -> P p) <-> ~ some_prefix (fun p => ~ P p) l) by (apply some_prefix_cuts; intros; reflexivity); rewrite h; clear h
  end; cbv beta.
Lemma sums_of_prefixes (P : Z -> Prop) l : some_prefix (fun p => P (fold_right Z.add 0 p)) l <-> some_prefix (fun p => P (sum_from 0 p)) l.
Proof. apply some_prefix_ext. intro p. rewrite sum_from_0. reflexivity. Qed.
Lemma prefix_flag (P : list Z -> Prop) l : some_prefix P l -> P [] \/ some_prefix P l. Proof. auto. Qed.
Ltac same_prefixes := apply some_prefix_ext; let p := fresh "p" in intro p; unfold sum_from; simpl; rewrite ?fold_left_sum; lia.
Ltac prefix_close := first [ lia | tauto | solve [intuition lia]
  | match goal with |- context [some_prefix ?P ?l] => match goal with |- context [some_prefix ?Q l] => tryif constr_eq P Q then fail else
      (let h := fresh in assert (h : some_prefix P l <-> some_prefix Q l) by same_prefixes; rewrite h; clear h; prefix_close) end end
  | match goal with |- context [some_prefix ?P ?l] => let h := fresh in
      assert (h : some_prefix P l) by (apply some_prefix_first; unfold sum_from; simpl; lia); intuition lia end ].
Ltac prefix_step := simpl; rewrite ?some_prefix_nil, ?some_prefix_cons; rewrite ?orb_true_iff, ?andb_true_iff, ?negb_true_iff; repeat match goal with
    | |- context [if ?b then _ else _] => let e := fresh in destruct b eqn:e; booleans_to_props end;
  try match goal with IH : forall b, _ <-> _ |- _ => first [ rewrite IH by lia | rewrite IH ] end;
  rewrite ?Z.ltb_lt, ?Z.leb_le, ?Z.gtb_lt, ?Z.geb_le, ?not_true_iff_false; unfold sum_from in *; simpl; prefix_close.
Ltac sums_from := repeat (first [ rewrite sum_from_plus | rewrite fold_left_sum; rewrite sum_from_plus ]).
(* The start of the sums, 0 or a variable, is generalised together with that of the loop. *)
Ltac prefix_induction := match goal with |- context [some_prefix _ ?l] => is_var l; induction l; intros; prefix_step end.
Ltac by_prefixes := solve [ start; split_results; cbv beta iota; normalise; terms; prefixes; first [ quick | prefix_close ] ].
