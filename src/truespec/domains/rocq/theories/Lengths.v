(** Parts whose length tells where they were cut, optional elements at places that wrap around, and conditions that are
    taken case by case before lists are opened. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Described.
Import ListNotations.
Local Open Scope Z_scope.

(** * The length of a part tells where it was cut *)
Lemma substring_length i n s : (i + n <= String.length s)%nat -> String.length (substring i n s) = n.
Proof.
  revert i n. induction s as [|c s IH]; intros i n h; [cbn in h; destruct i, n; try lia; reflexivity|]. cbn [String.length] in h.
  destruct i as [|i]; cbn; [destruct n as [|n]; cbn; [reflexivity|f_equal; apply (IH 0%nat); lia] | apply IH; lia].
Qed.
Ltac told_lengths := repeat match goal with
  | H : context [String.length (substring ?i ?n ?s)] |- _ => rewrite (substring_length i n s) in H by lia
  | |- context [String.length (substring ?i ?n ?s)] => rewrite (substring_length i n s) by lia
  | H : context [length (firstn ?n ?l)] |- _ => rewrite (firstn_length_le l) in H by (rewrite ?skipn_length; lia)
  | |- context [length (firstn ?n ?l)] => rewrite (firstn_length_le l) by (rewrite ?skipn_length; lia) end.
Ltac lengths_leaf := first [ assumption | reflexivity | lia | congruence | solve [eauto 3] ].
Ltac by_told_lengths := solve [ start; lazymatch goal with |- context [substring] => idtac | |- context [firstn] => idtac end; split; intro; open;
  try told_lengths;
  first [ solve [once (known_witness ltac:(solve [repeat split; told_lengths; lengths_leaf]))]
        | match goal with r : string |- _ => solve [match goal with i : nat |- _ => exists i, (String.length r); repeat split; told_lengths; first [ lengths_leaf | (symmetry; assumption) ] end] end ] ].

(** * Conditions first, then heads *)
Ltac case_leaf := cbn in *; first [ quick | plain | (split; intro; open; subst; cbn in *; conjuncts; intros; open; subst; cbn in *; first [ assumption | reflexivity | discriminate | contradiction | lia | congruence | (constructor; auto; lia) | solve [eauto 4] ]) ].
Ltac by_cases_first := solve [ start; try guards; progress conditions; first [ case_leaf | match goal with l : list _ |- _ => destruct l; case_leaf end ] ].

(** * Optional elements at places that wrap around *)
Lemma wrapped_options T (d : T) (f : nat -> nat) (l r : list T) : (length r = length l /\ forall i, (i < length l)%nat -> nth_error r i = nth_error l (f i mod length l)%nat) <->
  (length r = length l /\ forall i, (i < length l)%nat -> nth i r d = nth (f i mod length l)%nat l d).
Proof.
  split; intros [e h]; (split; [exact e|]); intros i k; specialize (h i k); assert (b : (f i mod length l < length l)%nat) by (apply Nat.mod_upper_bound; lia).
  - rewrite (nth_error_nth' r d) in h by lia. rewrite (nth_error_nth' l d b) in h. congruence.
  - rewrite (nth_error_nth' r d) by lia. rewrite (nth_error_nth' l d b). congruence.
Qed.
Ltac optional_wraps := match goal with |- context [@nth_error ?T ?r _ = nth_error ?l (_ mod length ?l)%nat] => idtac | _ => idtac end;
  match goal with |- context [length ?r = length ?l /\ (forall i : nat, (i < length ?l)%nat -> @nth_error ?T ?r i = nth_error ?l (@?f i mod length ?l)%nat)] =>
    with_default T ltac:(fun d => rewrite (wrapped_options T d f l r)) end; cbv beta.
Ltac by_wrapped_options := solve [ start; optional_wraps; index_equations; wrapped_goal ].
