(** What is determined: the premises that both sides have are taken first, quotients and remainders are the only ones,
    a list is known by what stands at each place, loops with the same steps are one, and few numbers are tried each. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Invariants.
Import ListNotations.
Local Open Scope Z_scope.
Local Notation letters := list_ascii_of_string.

(** * Premises *)
Lemma under_left (A B C : Prop) : (A -> (B <-> C)) -> (~ A -> C) -> ((A -> B) <-> C). Proof. destruct (classic A); tauto. Qed.
Lemma under_right (A B C : Prop) : (A -> (C <-> B)) -> (~ A -> C) -> (C <-> (A -> B)). Proof. destruct (classic A); tauto. Qed.
Lemma idle_left (A B C : Prop) : A -> (B <-> C) -> ((A -> B) <-> C). Proof. tauto. Qed.
Lemma idle_right (A B C : Prop) : A -> (C <-> B) -> (C <-> (A -> B)). Proof. tauto. Qed.
Ltac premise_holds := first [ assumption | discriminate | lia | (rewrite nil_length; lia) | tauto | solve [intuition lia] ].
Ltac premise_fails := intro; intros; exfalso; rewrite ?nil_length in * |-; first [ contradiction | lia | solve [intuition (first [ congruence | lia ])] ].
Ltac take_premises := repeat lazymatch goal with
  | |- (?A -> ?B) <-> ?C => is_prop A; first [ apply idle_left; [ solve [premise_holds] | ] | apply under_left; [ intro; open; rewrite ?nil_length in * |- | premise_fails ] ]
  | |- ?C <-> (?A -> ?B) => is_prop A; first [ apply idle_right; [ solve [premise_holds] | ] | apply under_right; [ intro; open; rewrite ?nil_length in * |- | premise_fails ] ] end.
(* Lists that the premises say to be longer than nothing. *)
Ltac given_heads := repeat (match goal with H : context [length ?l] |- _ => is_var l; is_fact H; destruct l as [|? l]; [exfalso; cbn [length] in *; lia|]; cbn [length] in * end);
  cbn [hd tl last nth Nat.sub fold_left fold_right] in *; rewrite ?Nat.sub_0_r in *.
Ltac premised := start; list_matches; first [ progress take_premises; given_heads | idtac ].

(** * Quotients and remainders *)
Lemma euclid a b : 0 < b -> exists q m, a / b = q /\ a mod b = m /\ a = b * q + m /\ 0 <= m < b.
Proof. intro h. exists (a / b), (a mod b). repeat split; [apply Z.div_mod; lia | apply Z.mod_pos_bound; exact h | apply Z.mod_pos_bound; exact h]. Qed.
Lemma neuclid a b : (b <> 0 -> exists q m, a / b = q /\ a mod b = m /\ a = b * q + m /\ m < b)%nat.
Proof. intro h. exists (a / b)%nat, (a mod b)%nat. repeat split; [apply Nat.div_mod; exact h | apply Nat.mod_upper_bound; exact h]. Qed.
Ltac divided := repeat match goal with
  | |- context [Z.div ?a ?b] => divide_by a b | _ : context [Z.div ?a ?b] |- _ => divide_by a b
  | |- context [Z.modulo ?a ?b] => divide_by a b | _ : context [Z.modulo ?a ?b] |- _ => divide_by a b
  | |- context [Nat.div ?a ?b] => ndivide_by a b | _ : context [Nat.div ?a ?b] |- _ => ndivide_by a b
  | |- context [Nat.modulo ?a ?b] => ndivide_by a b | _ : context [Nat.modulo ?a ?b] |- _ => ndivide_by a b end
with divide_by a b := let q := fresh "q" in let m := fresh "m" in let e := fresh in let f := fresh in destruct (euclid a b ltac:(lia)) as (q & m & e & f & ? & ?); rewrite ?e, ?f in *; clear e f
with ndivide_by a b := let q := fresh "q" in let m := fresh "m" in let e := fresh in let f := fresh in destruct (neuclid a b ltac:(lia)) as (q & m & e & f & ? & ?); rewrite ?e, ?f in *; clear e f.
Lemma above b q p : 0 < b -> q < p -> b * q + b <= b * p. Proof. nia. Qed.
Lemma nabove b q p : (0 < b -> q < p -> b * q + b <= b * p)%nat. Proof. nia. Qed.
(* Quotients by one number are compared. *)
Ltac quotient_orders := repeat match goal with
  | _ : context [?b * ?q] |- _ => is_var q; match goal with _ : context [b * ?p] |- _ => is_var p; in_order b q p | _ : context [?p * b] |- _ => is_var p; in_order b q p end
  | _ : context [(?b * ?q)%nat] |- _ => is_var q; match goal with _ : context [(b * ?p)%nat] |- _ => is_var p; nin_order b q p | _ : context [(?p * b)%nat] |- _ => is_var p; nin_order b q p end end
with in_order b q p := tryif constr_eq q p then fail else (lazymatch goal with _ : done q p |- _ => fail | _ => idtac end; assert (done q p) by exact I; assert (done p q) by exact I;
  destruct (Z_dec' q p) as [[?|?]|?]; [ pose proof (above b q p ltac:(lia) ltac:(assumption)); try (exfalso; lia) | pose proof (above b p q ltac:(lia) ltac:(assumption)); try (exfalso; lia) | try subst q ])
with nin_order b q p := tryif constr_eq q p then fail else (lazymatch goal with _ : done q p |- _ => fail | _ => idtac end; assert (done q p) by exact I; assert (done p q) by exact I;
  destruct (lt_eq_lt_dec q p) as [[?|?]|?]; [ pose proof (nabove b q p ltac:(lia) ltac:(assumption)); try (exfalso; lia) | try subst q | pose proof (nabove b p q ltac:(lia) ltac:(assumption)); try (exfalso; lia) ]).
(* A result against the quotient, by the number divided by. *)
Ltac result_order := match goal with
  | _ : ?m < ?b |- @eq Z ?x ?y => is_var m; let h := fresh in destruct (Z_dec' x y) as [[h|h]|h]; [ pose proof (above b x y ltac:(lia) h); exfalso; lia | pose proof (above b y x ltac:(lia) h); exfalso; lia | exact h ]
  | _ : (?m < ?b)%nat |- @eq nat ?x ?y => is_var m; let h := fresh in destruct (lt_eq_lt_dec x y) as [[h|h]|h]; [ pose proof (nabove b x y ltac:(lia) h); exfalso; lia | exact h | pose proof (nabove b y x ltac:(lia) h); exfalso; lia ] end.
Ltac euclid_leaf := lazymatch goal with
  | |- exists _, _ => match goal with q : Z |- _ => exists q; solve [repeat split; euclid_leaf] | q : nat |- _ => exists q; solve [repeat split; euclid_leaf] end
  | |- _ => first [ lia | (quotient_orders; lia) | result_order ] end.
(* A Boolean that one side computes and the other describes, under the premises. *)
Ltac flag_apart := try (first [ apply both_truths | apply same_truth | apply iff_sym, same_truth | apply same_booleans ]; rewrite ?Z.eqb_eq, ?Z.leb_le, ?Z.ltb_lt, ?Nat.eqb_eq, ?Nat.leb_le, ?Nat.ltb_lt).
Ltac by_euclid := solve [ premised; flag_apart; unfold Z.divide, Nat.divide in *; split; intro; open; conjuncts; open; divided; open; clear_marks; euclid_leaf ].

(** Numbers with the same remainder. *)
Lemma same_remainder m a b : a mod m = b mod m <-> (m | a - b).
Proof.
  destruct (Z.eq_dec m 0) as [->|n]; [rewrite !Zmod_0_r; split; [intros ->; exists 0; lia | intros [k h]; lia]|].
  split; [intro e; exists (a / m - b / m); pose proof (Z.div_mod a m n); pose proof (Z.div_mod b m n); lia|].
  intros [k h]. replace a with (b + k * m) by lia. apply Z_mod_plus_full.
Qed.
Lemma bt_remainder m a b : Bt (a mod m =? b mod m) (m | a - b). Proof. unfold Bt. rewrite Z.eqb_eq. apply same_remainder. Qed.
#[export] Hint Extern 0 (Bt (_ mod ?m =? _ mod ?m) _) => (is_var m; apply bt_remainder) : typeclass_instances.
#[export] Hint Extern 1 (Nf (_ mod ?m = _ mod ?m) _) => (is_var m; apply same_remainder) : typeclass_instances.
Lemma congruent_by (C : Z -> Prop) m a b : (forall k, C k <-> a - b = k * m) -> Nf (exists k, C k) (m | a - b).
Proof. unfold Nf. intro h. split; intros [k e]; exists k; apply h; exact e. Qed.
Ltac read_congruent := let k := fresh "k" in intro k; match goal with |- ?C <-> ?a - ?b = k * ?m => match C with
  | ?x = k * ?n + ?y => unify a x; unify b y; unify m n | ?x = ?n * k + ?y => unify a x; unify b y; unify m n
  | ?x = ?y + k * ?n => unify a x; unify b y; unify m n | ?x = ?y + ?n * k => unify a x; unify b y; unify m n
  | ?x - ?y = ?n * k => unify a x; unify b y; unify m n end; lia end.
#[export] Hint Extern 1 (Nf (exists k : Z, _ = _) _) => (eapply congruent_by; solve [read_congruent]) : typeclass_instances.

(** * Two members of one list *)
Lemma some_pairs T (d : T) (C : nat -> nat -> Prop) (R : T -> T -> Prop) l :
  (forall i j, C i j <-> (i < j)%nat /\ (j < length l)%nat /\ R (nth i l d) (nth j l d)) -> Nf (exists i j, C i j) (~ pairwise (fun x y => ~ R x y) l).
Proof.
  unfold Nf. intro h. rewrite (pairwise_index T d). split.
  - intros (i & j & c) k. apply h in c. destruct c as (a & b & r). exact (k i j (conj a b) r).
  - intro k. apply NNPP. intro n. apply k. intros i j [a b] r. apply n. exists i, j. apply h. auto.
Qed.
Lemma some_apart T (d : T) (C : nat -> nat -> Prop) (R : T -> T -> Prop) l : (forall x y, R x y <-> R y x) ->
  (forall i j, C i j <-> i <> j /\ (i < length l)%nat /\ (j < length l)%nat /\ R (nth i l d) (nth j l d)) -> Nf (exists i j, C i j) (~ pairwise (fun x y => ~ R x y) l).
Proof.
  intros s h. assert (Nf (exists i j, (i < j)%nat /\ (j < length l)%nat /\ R (nth i l d) (nth j l d)) (~ pairwise (fun x y => ~ R x y) l)) as n by (apply (some_pairs T d); intros; reflexivity).
  unfold Nf in *. rewrite <- n. split.
  - intros (i & j & c). apply h in c. destruct c as (e & a & b & r). destruct (Nat.lt_ge_cases i j); [exists i, j; auto|exists j, i]. rewrite s. repeat split; try lia. exact r.
  - intros (i & j & a & b & r). exists i, j. apply h. repeat split; try lia. exact r.
Qed.
Ltac read_some_pairs := let i := fresh "i" in let j := fresh "j" in intros i j; lazymatch goal with |- ?c <-> ?s => lazymatch s with context [?R (nth i ?l ?d) (nth j ?l ?d)] =>
  lazymatch c with context [nth i ?m ?e] => unify l m; unify d e; let q := last_part c in let f := eval pattern (nth i m e), (nth j m e) in q in
    lazymatch f with ?g _ _ => unify R g; cbv beta; first [ tauto | intuition lia ] end end end end.
#[export] Hint Extern 0 (Nf (exists i j : nat, _) _) => (eapply some_pairs; solve [read_some_pairs]) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists i j : nat, _) _) => (eapply some_apart; [ | solve [read_some_pairs]]; solve [intros; cbv beta; first [ lia | (split; auto) ]]) : typeclass_instances.

(** * Loops with the same steps *)
Lemma same_steps A C (S S' : C -> A -> C) l : (forall c x, S c x = S' c x) -> forall c, fold_left S l c = fold_left S' l c.
Proof. intro h. induction l as [|x l IH]; intro c; simpl; [reflexivity|]. rewrite h. apply IH. Qed.
Ltac loops_of_pair := unfold_pair; read_calls; unfold_pair; repeat first [ rewrite left_rev | rewrite fold_rev | rewrite fold_left_of_map ].
Ltac same_loops := lazymatch goal with
  | |- fold_left _ ?l ?c = fold_left _ ?l ?d => replace d with c by first [ reflexivity | lia ]; apply same_steps; step_law
  | |- ?f ?a = ?f ?b => f_equal; same_loops
  | |- fst ?a = fst ?b => f_equal; same_loops | |- snd ?a = snd ?b => f_equal; same_loops end.
Ltac by_loops := solve [ start; list_matches; try take_premises; drop_props; first [ quick | same_results; first [ plain | solve [loops_of_pair; same_loops] | equal_scans ] ] ].

(** * Lists by what stands at each place, if anything *)
Lemma same_options T (l m : list T) : (forall i, nth_error l i = nth_error m i) -> l = m.
Proof. revert m. induction l as [|x l IH]; intros [|y m] h; [reflexivity | discriminate (h 0%nat) | discriminate (h 0%nat) |]. pose proof (h 0%nat) as e. injection e as ->. f_equal. apply IH. intro i. exact (h (S i)). Qed.
Lemma option_nth T (d : T) l i : nth i l d = match nth_error l i with Some x => x | None => d end.
Proof. revert l. induction i as [|i IH]; intros [|x l]; simpl; auto. Qed.
Lemma option_hd T (d : T) l : hd d l = match nth_error l 0 with Some x => x | None => d end. Proof. destruct l; reflexivity. Qed.
Lemma at_some_place T (l : list T) i : ((i < length l)%nat /\ exists x, nth_error l i = Some x) \/ ((length l <= i)%nat /\ nth_error l i = None).
Proof. destruct (nth_error l i) as [x|] eqn:e; [left; split; [apply nth_error_Some; congruence|eauto]|right; split; [apply nth_error_None; exact e|reflexivity]]. Qed.
Lemma option_of_map A B (f : A -> B) l i : nth_error (map f l) i = option_map f (nth_error l i).
Proof. apply nth_error_map. Qed.
Section Options.
  Context {T : Type}.
  Lemma option_of_nil i : nth_error (@nil T) i = None. Proof. destruct i; reflexivity. Qed.
  Lemma option_of_cons (x : T) l i : nth_error (x :: l) i = if (i =? 0)%nat then Some x else nth_error l (i - 1).
  Proof. destruct i; simpl; [reflexivity|]. rewrite Nat.sub_0_r. reflexivity. Qed.
  Lemma option_of_app (l m : list T) i : nth_error (l ++ m) i = if (i <? length l)%nat then nth_error l i else nth_error m (i - length l).
  Proof. destruct (Nat.ltb_spec i (length l)); [apply nth_error_app1; assumption|apply nth_error_app2; assumption]. Qed.
  Lemma option_of_skipn n (l : list T) i : nth_error (skipn n l) i = nth_error l (n + i).
  Proof. revert l. induction n as [|n IH]; intros [|x l]; simpl; try reflexivity; [rewrite !option_of_nil; reflexivity | apply IH]. Qed.
  Lemma option_of_firstn n (l : list T) i : nth_error (firstn n l) i = if (i <? n)%nat then nth_error l i else None.
  Proof. revert l i. induction n as [|n IH]; intros [|x l] [|i]; simpl; try reflexivity; [destruct (S i <? S n)%nat; reflexivity | apply IH]. Qed.
  Lemma option_of_rev (l : list T) i : nth_error (rev l) i = if (i <? length l)%nat then nth_error l (length l - S i) else None.
  Proof.
    destruct (Nat.ltb_spec i (length l)) as [h|h]; [|apply nth_error_None; rewrite rev_length; exact h].
    destruct l as [|d l]; [simpl in h; lia|]. rewrite (nth_error_nth' (rev (d :: l)) d) by (rewrite rev_length; exact h). rewrite rev_nth by exact h. symmetry. apply nth_error_nth'. lia.
  Qed.
  Lemma option_of_repeat (x : T) n i : nth_error (repeat x n) i = if (i <? n)%nat then Some x else None.
  Proof. revert i. induction n as [|n IH]; intros [|i]; simpl; try reflexivity. apply IH. Qed.
  Lemma option_of_tl (l : list T) i : nth_error (tl l) i = nth_error l (S i). Proof. destruct l; simpl; [rewrite option_of_nil; reflexivity|reflexivity]. Qed.
  Lemma option_of_removelast (l : list T) i : nth_error (removelast l) i = if (i <? length l - 1)%nat then nth_error l i else None.
  Proof. rewrite removelast_firstn_len. replace (length l - 1)%nat with (pred (length l)) by lia. apply option_of_firstn. Qed.
End Options.
Lemma option_of_seq a n i : nth_error (seq a n) i = if (i <? n)%nat then Some (a + i)%nat else None.
Proof. revert a i. induction n as [|n IH]; intros a [|i]; simpl; try reflexivity; [rewrite Nat.add_0_r; reflexivity | rewrite IH; change (S i <? S n)%nat with (i <? n)%nat; destruct (i <? n)%nat; [f_equal; lia|reflexivity]]. Qed.
Lemma option_of_combine A B (l : list A) (m : list B) i : nth_error (combine l m) i = match nth_error l i, nth_error m i with Some x, Some y => Some (x, y) | _, _ => None end.
Proof. revert m i. induction l as [|x l IH]; intros [|y m] [|i]; simpl; try reflexivity; [destruct (nth_error l i); reflexivity | apply IH]. Qed.
#[export] Hint Rewrite option_nth option_hd option_of_map @option_of_nil @option_of_cons @option_of_app @option_of_skipn @option_of_firstn @option_of_rev @option_of_repeat @option_of_tl @option_of_removelast option_of_seq option_of_combine letters_get letters_length : options.
(* Where a place that is spoken of as [e i] is wanted: the [i] for it. *)
Definition some_index : nat := 0%nat.
Ltac wanted H j := lazymatch type of H with forall i : nat, @?P i => let b := eval cbv beta in (P some_index) in match b with
  | context [(?n + some_index)%nat] => seed H (j - n)%nat | context [(some_index + ?n)%nat] => seed H (j - n)%nat
  | context [S some_index] => seed H (j - 1)%nat | context [(?n - some_index)%nat] => seed H (n - j)%nat | context [(?n - S some_index)%nat] => seed H (n - S j)%nat
  | context [(?n * some_index)%nat] => seed H (j / n)%nat end end.
Ltac wanted_at j := repeat match goal with H : forall i : nat, _ |- _ => wanted H j | H : forall i : nat, _ |- _ => seed H j end; clear_marks; repeat match goal with H : forall i : nat, _ |- _ => clear H end.
Ltac option_facts := repeat match goal with
  | H : Some _ = Some _ |- _ => injection H; clear H; intros
  | H : Some _ = None |- _ => discriminate H | H : None = Some _ |- _ => discriminate H
  | H : Some ?v = Some ?v -> _ |- _ => specialize (H eq_refl)
  | H : None = Some _ -> _ |- _ => clear H | H : Some _ = None -> _ |- _ => clear H
  | H : forall x, Some ?v = Some x -> _ |- _ => specialize (H v eq_refl)
  | H : forall x, None = Some x -> _ |- _ => clear H
  | H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(first [ assumption | lia ]))
  | H : _ /\ _ |- _ => destruct H | H : ex _ |- _ => destruct H end.
Ltac options := autorewrite with options sizes in *; cbn [option_map fst snd] in *.
Ltac is_place l := lazymatch l with letters ?s => is_var s | _ => is_var l end.
(* A place that was split is known; one with the same index is that one. *)
Ltac split_place l j := is_place l; lazymatch goal with _ : done l (j, 70) |- _ => fail | _ => idtac end; match goal with
  | _ : done l (?i, 70), e : nth_error l ?i = ?v |- _ => let h := fresh in assert (h : nth_error l j = v) by (replace j with i by lia; exact e); rewrite h in *; clear h
  | _ => let e := fresh "e" in assert (done l (j, 70)) by exact I; destruct (at_some_place _ l j) as [[? [? e]]|[? e]]; rewrite ?e in * end.
Ltac split_condition b := lazymatch b with
  | (?x <? ?y)%nat => destruct (Nat.ltb_spec x y) | (?x <=? ?y)%nat => destruct (Nat.leb_spec x y) | (?x =? ?y)%nat => destruct (Nat.eqb_spec x y)
  | context [if ?c then _ else _] => split_condition c
  | _ => destruct b eqn:? end.
Ltac place_split := match goal with
  | |- @nth_error ?T ?l ?j = _ => split_place l j
  | |- context [if ?b then _ else _] => split_condition b
  | |- context [@nth_error ?T ?l ?j] => split_place l j
  | H : context [if ?b then _ else _] |- _ => lazymatch type of H with _ -> _ => fail | _ => split_condition b end
  | H : context [@nth_error ?T ?l ?j] |- _ => lazymatch type of H with _ -> _ => fail | _ => split_place l j end end.
Ltac option_leaf := first [ assumption | reflexivity | lazymatch goal with |- context [if _ then _ else _] => fail | |- context [@nth_error _ _ _] => fail | |- @eq (option _) _ _ => first [ congruence | (f_equal; first [ lia | congruence | ring ]) ] | |- _ => first [ lia | congruence | (f_equal; first [ lia | congruence | ring ]) ] end ].
Ltac option_split n := cbn [option_map fst snd] in *; option_facts; first [ solve [option_leaf] | lazymatch n with S ?m => place_split; try (exfalso; lia); option_split m end ].
Ltac option_goal := intros; open; options; option_split 9%nat.
Ltac option_list := apply same_options; let i := fresh "i" in intro i; open; wanted_at i; options; option_split 9%nat.
Ltac texts_as_lists := try (match goal with _ : string |- _ => idtac end; light_letters; rewrite ?letters_of_list; try setoid_rewrite letters_get; forget_texts).
(* One side says which list or text it is. *)
Ltac told_result := match goal with
  | |- context [@eq (list _) ?r _] => is_var r | |- context [@eq (list _) _ ?r] => is_var r
  | |- context [@eq string ?r _] => is_var r | |- context [@eq string _ ?r] => is_var r end.
Ltac by_options := solve [ start; told_result; try take_premises; as_library; cbv beta iota; texts_as_lists; terms; split; intro; open; conjuncts; open; lazymatch goal with |- @eq (list _) _ _ => option_list | _ => option_goal end ].
Lemma nf_forward (P Q : Prop) : P -> Nf P Q -> Q. Proof. unfold Nf. tauto. Qed.
Ltac normal_hypotheses := repeat match goal with H : ?P |- _ => lazymatch P with Sorted _ _ => idtac | StronglySorted _ _ => idtac | LocallySorted _ _ => idtac | NoDup _ => idtac | Forall _ _ => idtac end;
  eapply nf_forward in H; [ | once (typeclasses eauto) ]; cbn [pairwise In] in H; open end.
(* A fold that begins with the head meets the head again. *)
Lemma max_again d l : Z.max d (fold_right Z.max d l) = fold_right Z.max d l. Proof. pose proof (max_facts d l). lia. Qed.
Lemma min_again d l : Z.min d (fold_right Z.min d l) = fold_right Z.min d l. Proof. pose proof (min_facts d l). lia. Qed.
Lemma nmax_again d l : Nat.max d (fold_right Nat.max d l) = fold_right Nat.max d l. Proof. pose proof (nmax_facts d l). lia. Qed.
Lemma nmin_again d l : Nat.min d (fold_right Nat.min d l) = fold_right Nat.min d l. Proof. pose proof (nmin_facts d l). lia. Qed.
Ltac extreme_values := rewrite ?max_again, ?min_again, ?nmax_again, ?nmin_again; repeat match goal with
  | |- context [fold_right Z.max ?d ?l] => hide_extreme (max_facts d l) (fold_right Z.max d l) | |- context [fold_right Z.min ?d ?l] => hide_extreme (min_facts d l) (fold_right Z.min d l)
  | |- context [fold_right Nat.max ?d ?l] => hide_extreme (nmax_facts d l) (fold_right Nat.max d l) | |- context [fold_right Nat.min ?d ?l] => hide_extreme (nmin_facts d l) (fold_right Nat.min d l) end.
Ltac by_given := solve [ start; progress (list_matches; try take_premises); given_heads; normal_hypotheses; as_library; cbv beta iota; terms; normalise; terms; extreme_values; first [ quick | plain | descend ltac:(first [ plain | (progress terms; plain) | both_ground 2%nat ]) | both_ground 2%nat ] ].

(** * How often, by what passes a test for equality, and among the members alone *)
Lemma tested_Z x l : length (filter (Z.eqb x) l) = count_occ Z.eq_dec l x.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (Z.eqb_spec x y), (Z.eq_dec y x); subst; simpl; congruence. Qed.
Lemma tested_Z' x l : length (filter (fun y => y =? x) l) = count_occ Z.eq_dec l x.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (Z.eqb_spec y x), (Z.eq_dec y x); subst; simpl; congruence. Qed.
Lemma tested_nat x l : length (filter (Nat.eqb x) l) = count_occ Nat.eq_dec l x.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (Nat.eqb_spec x y), (Nat.eq_dec y x); subst; simpl; congruence. Qed.
Lemma tested_nat' x l : length (filter (fun y => y =? x)%nat l) = count_occ Nat.eq_dec l x.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (Nat.eqb_spec y x), (Nat.eq_dec y x); subst; simpl; congruence. Qed.
Lemma counted_length T (e : forall x y : T, {x = y} + {x <> y}) l m : (forall x, count_occ e l x = count_occ e m x) -> length l = length m.
Proof. intro h. apply Permutation_length, (Permutation_count_occ e). exact h. Qed.
Lemma counted_members T (e : forall x y : T, {x = y} + {x <> y}) l : forall m, length l = length m -> (forall x, In x l -> (count_occ e l x <= count_occ e m x)%nat) -> Permutation l m.
Proof.
  induction l as [|a l IH]; intros m h c; [symmetry in h; apply length_zero_iff_nil in h; subst; constructor|].
  assert (i : In a m) by (apply (count_occ_In e); specialize (c a (or_introl eq_refl)); cbn in c; destruct (e a a); [lia|congruence]).
  destruct (member_and_rest T m a i) as [t p]. apply Permutation_sym in p. rewrite <- p. constructor. apply IH.
  - apply Permutation_length in p. simpl in *. lia.
  - intros x j. specialize (c x (or_intror j)). rewrite <- (proj1 (Permutation_count_occ e (a :: t) m) p x) in c. cbn in c. destruct (e a x); lia.
Qed.
Lemma permuted T (e : forall x y : T, {x = y} + {x <> y}) l m : Permutation l m <-> length l = length m /\ forall x, In x l -> count_occ e l x = count_occ e m x.
Proof.
  split; [intro p; split; [apply Permutation_length; exact p | intros x _; apply (Permutation_count_occ e); exact p]|].
  intros [h c]. apply (counted_members T e); [exact h|]. intros x i. rewrite (c x i). apply le_n.
Qed.
Ltac count_tests := first [ progress (try setoid_rewrite tested_nat; try setoid_rewrite tested_nat'; try setoid_rewrite tested_Z; try setoid_rewrite tested_Z') | idtac ].
Ltac permutations e := rewrite <- ?(permuted _ e), ?(Permutation_count_occ e).
Ltac counted_side e := first [ assumption | (eapply (counted_length _ e); assumption) | (intros; first [ assumption | congruence | solve [auto] | match goal with H : forall x, _ = _ |- _ => first [ apply H | symmetry; apply H ] end ]) ].
Ltac by_counts_of_tests := solve [ start; without_output; match goal with l : list ?T |- _ => with_decision T ltac:(fun e => count_tests; permutations e; first
  [ quick | (split; intro; open; conjuncts; open; first [ solve [counted_side e] | (symmetry; solve [counted_side e]) ]) | (split; apply Permutation_sym) | (normalise; terms; first [ quick | plain ]) ]) end ].

(** * Letters one by one *)
Ltac by_each_letter := solve [ start; try take_premises; drop_props; same_results; match goal with c : ascii |- _ => forget_others; destruct c as [[] [] [] [] [] [] [] []]; vm_compute; reflexivity end ].

(** * Few numbers *)
Ltac number_leaf := first [ solve [cbv; tauto] | lia | (cbn in *; fold_cases; first [ reflexivity | tauto | lia | congruence | solve [intuition (first [ congruence | discriminate | lia ])] | solve [split; intros; open; subst; cbn in *; first [ congruence | lia | discriminate | intuition (first [ congruence | discriminate | lia ]) ]] ]) ].
(* Below [k], each number by itself; from there on the rest. *)
Ltac number_of n k := lazymatch k with
  | O => first [ exfalso; lia | number_leaf ]
  | S ?m => destruct n as [|n]; [ first [ exfalso; lia | number_leaf ] | number_of n m ] end.
Ltac below n k j := tryif (assert_succeeds (assert (n < k)%nat by lia)) then number_of n k else j.
Ltac bounded_number n := below n 4%nat ltac:(below n 8%nat ltac:(below n 13%nat ltac:(below n 32%nat fail))).
Ltac bounded_integer z := lazymatch goal with H : 0 <= z |- _ => idtac | H : 1 <= z |- _ => idtac | H : 0 < z |- _ => idtac end; let n := fresh "n" in let e := fresh in destruct (Z_of_nat_complete z ltac:(lia)) as [n e]; subst z; bounded_number n.
Ltac by_each_number := solve [ premised; match goal with n : nat |- _ => first [ bounded_number n | number_of n 5%nat ] | z : Z |- _ => bounded_integer z end ].

(** * What a recursive function puts at each place, shown by induction; no other list has that *)
Ltac told_cases := repeat (match goal with
  | |- context [match ?n with O => _ | S _ => _ end] => is_var n; destruct n
  | |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l; destruct l
  | |- context [if ?b then _ else _] => split_condition b end; cbn [length nth nth_error] in *; try (exfalso; lia)).
Ltac told_instances := repeat match goal with IH : forall x : ?T, _, y : ?T |- _ => tryif is_prop T then fail else seed IH y end; clear_marks.
Ltac told_places := repeat match goal with
  | |- context [match (?i + _)%nat with O => _ | S _ => _ end] => is_var i; told_index i
  | |- context [nth (?n * ?i)%nat (_ :: _) _] => is_var i; told_index i | |- context [nth_error (_ :: _) (?n * ?i)%nat] => is_var i; told_index i
  | |- context [match ?i with O => _ | S _ => _ end] => is_var i; destruct i
  | |- context [nth ?i (_ :: _) _] => is_var i; destruct i; cbn [nth] in * | |- context [nth_error (_ :: _) ?i] => is_var i; destruct i; cbn [nth_error] in *
  | H : context [nth ?i (_ :: _) _] |- _ => is_var i; destruct i; cbn [nth] in * | H : context [nth_error (_ :: _) ?i] |- _ => is_var i; destruct i; cbn [nth_error] in * end
with told_index i := destruct i; cbn [Nat.mul Nat.add] in *; rewrite ?Nat.add_succ_r, ?Nat.add_0_r in *; cbn [nth nth_error Nat.add] in *.
Ltac told_leaf := first [ lia | congruence | assumption
  | match goal with IH : forall i : nat, _ |- _ => solve [rewrite IH by lia; first [ reflexivity | lia | congruence | (f_equal; lia) | (rewrite ?Nat.add_1_r; cbn; first [ reflexivity | lia | congruence ]) ] | etransitivity; [apply IH; lia | first [ reflexivity | lia | congruence | (f_equal; lia) ]]] end ].
Ltac told_step := intros; cbn [length] in *; cbn; told_cases; open; told_instances; fire; open; conjuncts; rewrite ?Nat.add_1_r, ?Nat.sub_0_r in *; told_places; cbn [length] in *; cbn [nth nth_error] in *; try (exfalso; lia); told_leaf.
Lemma two_by_two T (P : list T -> Prop) : P [] -> (forall x, P [x]) -> (forall x y l, P l -> P (x :: y :: l)) -> forall l, P l.
Proof. intros a b c. refine (fix go l := match l with [] => a | [x] => b x | x :: y :: t => c x y t (go t) end). Qed.
Ltac told_by_induction := hypotheses_too; forget_others; first
  [ multimatch goal with x : ?T |- _ => lazymatch T with list _ => idtac | nat => idtac end; solve [generalise_but x; induction x; told_step] end
  | match goal with l : list _ |- _ => generalise_but l; revert l; apply two_by_two; told_step end ].
Ltac told_of r := first [ lazymatch goal with |- _ <-> r = _ => apply iff_sym | |- _ <-> _ = r => apply iff_sym | _ => idtac end ]; revert r;
  first [ apply output | apply output' ]; cbv beta; [ told_by_induction | lazymatch goal with |- forall r, _ -> _ -> r = ?f => generalize f end; intros; open; option_list ].
Ltac by_told := solve [ start; try take_premises; match goal with
  | r : list _ |- ?r = ?f <-> _ => told_of r | r : list _ |- _ <-> ?r = ?f => told_of r | r : list _ |- ?f = ?r <-> _ => told_of r | r : list _ |- _ <-> ?f = ?r => told_of r end ].

(** * The sorted list with given members is what a sorting function returns *)
Ltac sorted_is e f := match goal with
  | O : pairwise ?R ?s, F : forall l, pairwise ?R (f l), K : forall l z, count_occ _ (f l) z = _, C : forall x, count_occ _ ?a x = count_occ _ ?b x |- _ => is_var s;
      let l := lazymatch b with s => a | _ => lazymatch a with s => b end end in
      assert (s = f l) by (apply (sorted_counted _ e R); [ solve [intros; cbv beta in *; lia] | exact O | apply F | let z := fresh in intro z; rewrite K, ?C; reflexivity ]); subst s end.
Ltac sorted_part := first [ assumption | reflexivity | lia | (intros; by_counts; first [ reflexivity | lia ]) | solve [auto] ].
Ltac sorted_goal f := lazymatch goal with
  | |- exists _ : list _, _ => match goal with l : list _ |- _ => exists (f l); solve [sorted_goal f] end
  | |- _ /\ _ => split; sorted_goal f
  | |- _ -> _ => intro; open; sorted_goal f
  | |- _ => sorted_part end.
Ltac by_sorted_witness := solve [ start; try take_premises; terms; normalise; terms; match goal with |- context [@pairwise ?T ?R _] => with_decision T ltac:(fun e => order_facts e R;
  for_recursive ltac:(fun f => match type of f with list _ -> list _ => idtac end; split; intro; open; try sorted_is e f; subst; solve [sorted_goal f])) end ].
