(** Tables of cases whose results are told one by one, conditions as arithmetic; lists without repetition, their members and
    permutations by counts. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Alike.
Import ListNotations.
Local Open Scope Z_scope.

(** * A table of cases with literal results *)
Ltac table_counts := try (lazymatch goal with |- context [nodup] => idtac end; cbn [nodup in_dec length]; repeat match goal with |- context [if ?b then _ else _] => lazymatch type of b with sumbool _ _ => destruct b; cbn [length] end | H : context [if ?b then _ else _] |- _ => lazymatch type of b with sumbool _ _ => destruct b; cbn [length] in * end end).
Ltac table_split := repeat match goal with |- context [if ?b then _ else _] => let e := fresh in destruct b eqn:e | H : context [if ?b then _ else _] |- _ => let e := fresh in destruct b eqn:e end.
Ltac table_leaf := lazymatch goal with
  | |- _ \/ _ => first [ lia | solve [left; table_leaf] | solve [right; table_leaf] ]
  | |- _ /\ _ => split; table_leaf
  | |- _ -> _ => intro; table_leaf | |- ~ _ => intro; lia
  | |- _ => first [ reflexivity | lia | discriminate | congruence ] end.
Ltac by_case_table := solve [ start; split_results; cbv beta iota; lazymatch goal with _ : list _ |- _ => fail | _ => idtac end; split; intro; open; taken_or; open; table_split; subst; first [ (exfalso; first [ lia | congruence ]) | table_leaf ] ].

(** * Without repetition and members, by counts *)
Lemma listed_once T (e : forall x y : T, {x = y} + {x <> y}) (r L : list T) : NoDup L -> (Permutation r L <-> NoDup r /\ forall x, In x r <-> In x L).
Proof.
  intro n. split.
  - intro p. split; [apply (Permutation_NoDup (Permutation_sym p) n)|]. intro x. split; apply Permutation_in; [exact p|apply Permutation_sym, p].
  - intros [m h]. apply NoDup_Permutation; assumption.
Qed.
Ltac decider k := match goal with |- context [@count_occ ?T ?e _ _] => k e | |- context [@nodup ?T ?e _] => k e | |- _ => k Z.eq_dec end.
Ltac counted := decider ltac:(fun e => rewrite ?(Permutation_count_occ e), ?(NoDup_count_occ e); repeat setoid_rewrite (count_occ_In e)).
Ltac at_count x := repeat match goal with H : forall y, _ |- _ => mark H x ltac:(let h := fresh in pose proof (H x) as h; cbv beta in h) end; clear_marks.
Ltac by_counts_alone := solve [ start; without_output; repeat one_agreed; lazymatch goal with |- context [count_occ] => idtac | |- context [nodup] => idtac end; first
  [ solve [ decider ltac:(fun e => rewrite (listed_once _ e) by apply NoDup_nodup);
      repeat setoid_rewrite nodup_In; repeat setoid_rewrite filter_In; repeat setoid_rewrite member_of_Z; first [ quick | idtac ]; repeat setoid_rewrite existsb_exists; first [ quick | solve [matched_parts] | solve [normalise; terms; first [ quick | solve [matched_parts] ]] ] ]
  | solve [ counted; first [ quick | split; intro; open; conjuncts; match goal with |- context [count_occ _ _ ?x] => at_count x end; lia ] ] ] ].

