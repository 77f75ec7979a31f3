(** Lists that are equal where their lengths and all their elements are. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Ground.
Import ListNotations.
Local Open Scope Z_scope.

Lemma nth_skipn_all T (l : list T) d n i : nth i (skipn n l) d = nth (n + i) l d.
Proof. revert l. induction n as [|n IH]; intros [|x l]; simpl; try reflexivity; [destruct i; reflexivity|apply IH]. Qed.
Lemma nth_app_either T (l m : list T) d i : nth i (l ++ m) d = if (i <? length l)%nat then nth i l d else nth (i - length l) m d.
Proof. destruct (Nat.ltb_spec i (length l)); [apply app_nth1|apply app_nth2]; lia. Qed.
Lemma nth_repeat_some T (x d : T) n i : (i < n)%nat -> nth i (repeat x n) d = x.
Proof. revert i. induction n as [|n IH]; intros [|i] h; simpl; try lia; try reflexivity. apply IH. lia. Qed.
Lemma nth_one T (x d : T) i : (i < 1)%nat -> nth i [x] d = x.
Proof. destruct i; [reflexivity|lia]. Qed.
Lemma nth_cons_either T (x : T) l d i : nth i (x :: l) d = if (i =? 0)%nat then x else nth (i - 1) l d.
Proof. destruct i; simpl; [reflexivity|rewrite Nat.sub_0_r; reflexivity]. Qed.
Lemma nth_tl_next T (l : list T) d i : nth i (tl l) d = nth (S i) l d.
Proof. destruct l; simpl; [destruct i|]; reflexivity. Qed.
Lemma tl_length T (l : list T) : length (tl l) = (length l - 1)%nat.
Proof. destruct l; simpl; lia. Qed.
Lemma removelast_length T (l : list T) : length (removelast l) = (length l - 1)%nat.
Proof. rewrite removelast_firstn_len, firstn_length. lia. Qed.
Lemma nth_removelast_some T (l : list T) d i : (i < length l - 1)%nat -> nth i (removelast l) d = nth i l d.
Proof. intro h. rewrite removelast_firstn_len. apply nth_firstn_some. lia. Qed.
Lemma nth_combine_some A B (l : list A) (m : list B) a b i : (i < length l)%nat -> (i < length m)%nat -> nth i (combine l m) (a, b) = (nth i l a, nth i m b).
Proof. revert m i. induction l as [|x l IH]; intros [|y m] [|i] h k; simpl in *; try lia; [reflexivity|apply IH; lia]. Qed.

Ltac lengths := rewrite ?map_length, ?app_length, ?rev_length, ?firstn_length, ?skipn_length, ?seq_length, ?repeat_length, ?combine_length, ?tl_length, ?removelast_length in *; cbn [length] in *.
Ltac nth_step := first
  [ rewrite nth_firstn_some by lia | rewrite nth_skipn_all | rewrite seq_nth by lia | rewrite nth_repeat_some by lia | rewrite rev_nth by lia
  | rewrite nth_one by lia | rewrite nth_overflow by (lengths; lia)
  | match goal with |- context [nth ?i (?a ++ ?b) ?d] => rewrite (nth_app_either _ a b d i); let e := fresh in destruct (Nat.ltb_spec i (length a)) as [e|e]; lengths end
  | match goal with |- context [@nth ?U ?i (@map ?T ?U ?f ?l) ?e] => with_default T ltac:(fun d => rewrite (nth_map T U f d e l i) by (lengths; lia)); cbv beta end
  | match goal with |- context [nth ?i (combine ?a ?b) (?x, ?y)] => rewrite (nth_combine_some _ _ a b x y i) by (lengths; lia); cbn [fst snd] end
  | rewrite nth_tl_next | rewrite nth_removelast_some by lia
  | match goal with |- context [nth ?i (?x :: ?l) ?d] => rewrite (nth_cons_either _ x l d i); let e := fresh in destruct (Nat.eqb_spec i 0) as [e|e]; [try (exfalso; lia)|] end ].
Ltac nth_step_in H := first
  [ rewrite nth_firstn_some in H by lia | rewrite nth_skipn_all in H | rewrite seq_nth in H by lia | rewrite nth_repeat_some in H by lia | rewrite rev_nth in H by lia
  | rewrite nth_one in H by lia
  | match type of H with context [nth ?i (?a ++ ?b) ?d] => rewrite (nth_app_either _ a b d i) in H; let e := fresh in destruct (Nat.ltb_spec i (length a)) as [e|e]; lengths end
  | match type of H with context [@nth ?U ?i (@map ?T ?U ?f ?l) ?e] => with_default T ltac:(fun d => rewrite (nth_map T U f d e l i) in H by (lengths; lia)); cbv beta in H end
  | match type of H with context [nth ?i (combine ?a ?b) (?x, ?y)] => rewrite (nth_combine_some _ _ a b x y i) in H by (lengths; lia); cbn [fst snd] in H end
  | rewrite nth_tl_next in H | rewrite nth_removelast_some in H by lia
  | match type of H with context [nth ?i (?x :: ?l) ?d] => rewrite (nth_cons_either _ x l d i) in H; let e := fresh in destruct (Nat.eqb_spec i 0) as [e|e]; [try (exfalso; lia)|] end ].
(* Implications whose premise is arithmetic, where it holds. *)
Ltac fire := repeat match goal with H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(lia)) end.
Ltac nths := repeat (progress (fire; repeat match goal with H : context [nth _ _ _] |- _ => progress (repeat nth_step_in H) end; repeat nth_step)).
Ltac index_equations := repeat match goal with
  | |- context [@eq (list ?T) ?a ?b] => tryif (constr_eq b (@nil T)) then fail else with_default T ltac:(fun d => rewrite (same_index T d a b)) end.
Ltac seed_indices := repeat match goal with
  | H : forall i : nat, _, i : nat |- _ => seed H i
  | H : forall i : nat, _, i : nat, K : context [length (firstn ?n _)] |- _ => seed H (i + n)%nat
  | H : forall i : nat, _, i : nat |- context [nth ?k _ _] => seed H k end.
Ltac element := first [ lia | match goal with H : forall y, In y ?l -> _ |- nth ?i ?l ?d = _ => apply H, nth_In; lia end | congruence | f_equal; lia | match goal with |- nth ?i ?l ?d = nth ?j ?l ?d => replace i with j by lia; reflexivity end
  | match goal with H : ?a = ?b |- ?a = ?c => rewrite H; first [ reflexivity | f_equal; lia ] end ].
Ltac same_elements_step := seed_indices; nths; first [ element | match goal with H : nth ?i ?l ?d = _ |- nth ?j ?l ?d = _ => replace j with i by lia; rewrite H; element end ].
Ltac by_index := solve [ start; split_results; cbv beta iota; terms; normalise; terms; index_equations; lengths; cbv beta in *;
  split; intro; open; conjuncts; open; lengths; first [ lia | solve [same_elements_step] | prove_ground 2%nat | (nths; prove_ground 2%nat) ] ].
(* The same, where the candidate shifts indices: the element wanted is asked for by its place. *)
Ltac shifted := match goal with
  | H : forall i : nat, _ -> nth i ?r _ = _ |- nth ?j ?r _ = _ => rewrite (H j) by lia; nths; element
  | H : forall i : nat, _ -> nth i (?a ++ ?r) _ = _ |- nth ?j ?r _ = _ => specialize (H (length a + j)%nat); lengths; nths; element
  | H : forall i : nat, _ -> nth i (?a ++ ?r) _ = _ |- nth ?j ?r _ = nth (?n + _) ?l _ => specialize (H (n + j)%nat); lengths; nths; element
  end.
Ltac by_shifted_index := solve [ start; split_results; cbv beta iota; terms; normalise; terms; index_equations; lengths; cbv beta in *;
  split; intro; open; conjuncts; open; lengths; first [ lia | (nths; first [ element | shifted ]) | shifted ] ].
