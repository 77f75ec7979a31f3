(** What integers tell of lists and texts: how many letters meet a condition, in whichever way that is written, how long a list
    without repetition of all that has a property is, and where a list is cut. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Evident.
Import ListNotations.
Local Open Scope Z_scope.

(** * Conditions on a letter that agree at every letter, along a text *)
Ltac one_class := match goal with |- context [if ?b then _ else _] => match goal with |- context [if ?d then _ else _] =>
  tryif constr_eq b d then fail else (match b with context [?c] => is_var c; lazymatch type of c with ascii => idtac end;
    let h := fresh in assert (h : b = d) by (clear; destruct c as [[] [] [] [] [] [] [] []]; vm_compute; reflexivity); rewrite h; clear h end) end end.
Ltac class_step := intros; cbn [list_ascii_of_string map filter fold_right app String.length String.append length existsb forallb orb andb] in *; cbn in *; try one_class;
  first [ reflexivity | lia | congruence | (fold_cases; cbn in *; by_equations; first [ reflexivity | lia | congruence | (f_equal; first [ lia | congruence ]) ]) ].
Ltac by_letter_classes := solve [ start; lazymatch goal with _ : string |- _ => idtac | _ : list ascii |- _ => idtac end; same_results; multimatch goal with x : string |- _ => solve [generalise_but x; induction x; class_step] | x : list ascii |- _ => solve [generalise_but x; induction x; class_step] end ].

(** * An integer that counts a list without repetition of all that has a property *)
Lemma integer_listing T (Q : T -> Prop) m : (forall n, (exists ps, NoDup ps /\ (forall p, In p ps <-> Q p) /\ length ps = n) <-> n = m) ->
  forall r, (exists ps, NoDup ps /\ (forall p, In p ps <-> Q p) /\ r = Z.of_nat (length ps)) <-> r = Z.of_nat m.
Proof.
  intros h r. split; [intros (ps & a & b & ->); f_equal; apply h; eauto|]. intros ->. destruct (proj2 (h m) eq_refl) as (ps & a & b & <-). eauto.
Qed.
Ltac by_integer_listing := solve [ start; lazymatch goal with |- context [NoDup] => idtac end; first [ apply integer_listing | apply iff_sym, integer_listing ]; let n := fresh "n" in intro n; listed_goal ].

(** * A cut whose length an integer tells *)
Lemma integer_cut T (l : list T) e (R : list T -> list T -> Prop) : (exists p q, l = p ++ q /\ Z.of_nat (length p) = e /\ R p q) <->
  (0 <= e <= Z.of_nat (length l)) /\ R (firstn (Z.to_nat e) l) (skipn (Z.to_nat e) l).
Proof.
  split.
  - intros (p & q & -> & <- & h). rewrite Nat2Z.id, firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag, app_length. cbn. rewrite app_nil_r. split; [lia|exact h].
  - intros [b h]. exists (firstn (Z.to_nat e) l), (skipn (Z.to_nat e) l). rewrite firstn_skipn, firstn_length_le by lia. repeat split; [lia|exact h].
Qed.
Ltac read_integer_cut := match goal with |- context [ex (fun p => ex (fun q => ?l = p ++ q /\ Z.of_nat (length p) = ?e /\ @?R p q))] =>
  let h := fresh in pose proof (integer_cut _ l e R) as h; cbv beta in h; rewrite h; clear h end.
Ltac within_length := repeat match goal with |- context [?a mod Z.of_nat (length ?l)] => mark a l ltac:(pose proof (Z.mod_pos_bound a (Z.of_nat (length l)))) | H : context [?a mod Z.of_nat (length ?l)] |- _ => mark a l ltac:(pose proof (Z.mod_pos_bound a (Z.of_nat (length l)))) end; clear_marks.
Ltac by_integer_cuts := solve [ start; read_integer_cut; try match goal with |- context [match ?l with [] => _ | _ :: _ => _ end] => is_var l; destruct l end; within_length; split; intro; open; taken_or; open;
  cbn [length] in *; rewrite ?firstn_nil, ?skipn_nil in *; first [ congruence | lia | tauto | (subst; first [ tauto | solve [right; repeat split; first [ congruence | lia ]] | solve [left; auto] | solve [repeat split; first [ congruence | lia ]] ]) ] ].
