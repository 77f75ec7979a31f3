(** An inductive predicate and the recursive function or predicate that decides it: derivations are built along a list, premises
    that reduce to truth included, and replaced wherever they stand. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Cases.
Import ListNotations.
Local Open Scope Z_scope.

(** * An inductive predicate and the recursive function or predicate that decides it *)
Ltac evident := first [ exact I | assumption | reflexivity | tauto | congruence | lia | (cbn; first [ exact I | tauto ]) ].
Ltac evident_build n := lazymatch n with O => fail | S ?m => first [ assumption
  | (any_constructor; first [ evident | evident_build m | match goal with IH : _ |- _ => solve [eapply IH; evident] end ]) ] end.
Ltac heads_of_lists := repeat match goal with |- context [match ?l with [] => _ | _ :: _ => _ end] => is_var l; destruct l; cbn | H : context [match ?l with [] => _ | _ :: _ => _ end] |- _ => is_var l; destruct l; cbn in * end.
Ltac opened_cases := cbn in *; heads_of_lists; fold_cases; opened_booleans; booleans_to_props; opened_evidence; subst; try contradiction; try discriminate.
Ltac to_evident x := generalise_but x; induction x; intros; opened_cases; first [ solve [once (evident_build 2%nat)]
  | match goal with y : list _ |- _ => destruct y; opened_cases; solve [once (evident_build 2%nat)] end ].
Ltac of_evident := let h := fresh in intro h; induction h; cbn; repeat (heads_of_lists; cbn in *); rewrite ?andb_true_iff, ?orb_true_iff, ?Z.eqb_eq; first [ evident | (fold_cases; rewrite ?andb_true_iff, ?orb_true_iff; intuition (first [ congruence | lia ]))
  | match goal with y : list _ |- _ => destruct y; cbn in *; rewrite ?andb_true_iff, ?orb_true_iff; fold_cases; intuition (first [ congruence | lia ]) end ].
Ltac evident_proof := intros; lazymatch goal with
  | |- ?P <-> ?Q => tryif with_evidence P then (split; [ solve [of_evident] | along_first_of ]) else (tryif with_evidence Q then (split; [ along_first_of | solve [of_evident] ]) else fail) end
with along_first_of := multimatch goal with x : list _ |- _ => solve [to_evident x] | x : nat |- _ => solve [to_evident x] end.
Ltac evidence_twin f g := let go turned := (let s := twin_statement turned f g in lazymatch goal with _ : Twin s |- _ => fail | _ => idtac end;
    let h := fresh "twin" in assert (h : Twin s) by (unfold Twin; clear; solve [evident_proof])) in first [ go false | go true ].
Ltac by_evidence_twins := solve [ start; try guards; for_counterparts evidence_twin; lazymatch goal with _ : Twin _ |- _ => idtac end; split_results; cbv beta iota; use_twins; terms; told_results;
  first [ quick | plain | solve [matched_parts] | solve [normalise; terms; one_order; first [ quick | solve [matched_parts] | descend ltac:(first [ plain | solve [both_ground 1%nat] ]) ]] ] ].
