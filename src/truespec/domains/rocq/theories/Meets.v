(** A description that at most one value meets, and that what a function computes meets: one induction proves the latter, also
    for a loop that starts with the head, and the instances at hand the former. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Placed.
Import ListNotations.
Local Open Scope Z_scope.

(** * A description that one value at most meets, and that what a function computes meets *)
Lemma computed_meets T (P : T -> Prop) t : P t -> (forall r, P r -> r = t) -> forall r, P r <-> r = t. Proof. intros h k r. split; [apply k | intros ->; exact h]. Qed.
Ltac members_by_cases := repeat match goal with H : In _ (_ :: _) |- _ => destruct H as [?|?] | H : In _ [] |- _ => destruct H end; subst.
Ltac step_facts := repeat match goal with H : forall x, _ -> _, i : ?P |- _ => is_prop P; mark H i ltac:(let h := fresh in pose proof (H _ i) as h; cbv beta in h) end; clear_marks.
Lemma no_and (A : Prop) : False /\ A <-> False. Proof. tauto. Qed.
Lemma no_or (A : Prop) : False \/ A <-> A. Proof. tauto. Qed.
Lemma or_none (A : Prop) : A \/ False <-> A. Proof. tauto. Qed.
Ltac told_everywhere := rewrite ?some_told, ?some_told', ?none_told, ?none_told', ?some_is_some, ?some_is_none, ?none_is_some, ?nil_is_cons, ?cons_is_nil, ?no_and, ?no_or, ?or_none in *.
Ltac meets_leaf := first [ assumption | lia | congruence | tauto ].
Ltac first_members := repeat match goal with H : forall x, ?a = x \/ In x ?l -> @?Q x |- _ => let h := fresh in let k := fresh in pose proof (H a (or_introl eq_refl)) as h; pose proof (fun x i => H x (or_intror i)) as k; cbv beta in h, k; clear H end.
Ltac meets_goal := intros; cbn [In] in *; open; first_members; open; lazymatch goal with
  | |- _ /\ _ => split; meets_goal
  | |- _ \/ _ => first [ solve [meets_leaf] | solve [left; meets_goal] | solve [right; meets_goal] | (match goal with H : _ \/ _ |- _ => destruct H; meets_goal end) ]
  | |- forall _, _ => intro; members_by_cases; meets_goal
  | |- ~ _ => intro; meets_goal
  | |- ex _ => solve [once (known_witness ltac:(solve [meets_goal]))]
  | |- _ => members_by_cases; step_facts; open; first [ meets_leaf | (extremes_taken; meets_leaf) | (match goal with H : _ \/ _ |- _ => destruct H; meets_goal end) ] end.
Ltac library_calls := repeat match goal with |- context [match ?t with _ => _ end] => lazymatch t with fold_right _ _ _ => idtac | fold_left _ _ _ => idtac | find _ _ => idtac end; let e := fresh in destruct t eqn:e; rewrite ?e in *; cbn in * end.
Ltac meets_step := cbn in *; told_everywhere; fold_cases; library_calls; known_results; cbn in *; booleans_to_props; extremes_taken; meets_goal.
Ltac one_value := intros; split_results; cbv beta iota in *; told_everywhere; open; try contradiction; first
  [ reflexivity | (f_equal; solve [auto])
  | (exfalso; step_facts; open; first [ lia | congruence | (match goal with H : ~ ex _ |- _ => apply H; solve [eauto] end) ])
  | (f_equal; step_facts; open; lia) | solve [step_facts; open; repeat match goal with H : _ \/ _ |- _ => destruct H end; open; first [ lia | congruence | (f_equal; lia) | (exfalso; lia) ]] | (exfalso; prove_ground 2%nat) | (f_equal; prove_ground 2%nat) | prove_ground 2%nat ].
Ltac once_met Q t m := apply (computed_meets _ Q t m); cbv beta; let v := fresh "v" in pose proof m as v; cbv beta in v; clear m; revert v; generalize t; cbv beta iota; solve [one_value].
Ltac scanned_type l := lazymatch type of l with list _ => idtac | string => idtac | nat => idtac end.
(* Along what is scanned. *)
Ltac met_along Q t := match t with context [?l] => is_var l; scanned_type l;
  lazymatch eval pattern l in t with ?f _ => lazymatch eval pattern l in Q with ?D _ =>
    let m := fresh in assert (m : forall l, D l (f l)); [ cbv beta iota; clear; let l := fresh "l" in intro l; induction l; solve [meets_step] | specialize (m l); cbv beta in m; once_met Q t m ] end end end.
(* A loop that starts with the head. *)
Ltac loop_instances := repeat match goal with IH : forall x : ?T, _, y : ?T |- _ => mark IH y ltac:(let h := fresh in pose proof (IH y) as h; cbv beta in h) end; clear_marks.
Ltac loop_step := intros; cbn in *; fold_cases; booleans_to_props; extremes_taken; try (match goal with IH : forall x, _ |- _ => loop_instances; clear IH end); known_results; cbn in *; told_everywhere; meets_goal.
Ltac met_from_head Q t := match t with context [?l] => is_var l; lazymatch type of l with list _ => idtac end; destruct l as [|?x l]; cbn;
  [ lazymatch goal with |- ?P <-> ?r = ?u => lazymatch eval pattern r in P with ?R _ => apply (computed_meets _ R u) end end; cbv beta iota; [ solve [meets_goal] | solve [one_value] ]
  | lazymatch goal with |- ?P <-> ?r = ?u => lazymatch eval pattern r in P with ?R _ =>
      lazymatch eval pattern l, x in u with ?f _ _ => lazymatch eval pattern l, x in R with ?D _ _ =>
        let m := fresh in assert (m : forall l x, D l x (f l x)); [ cbv beta iota; clear; let l := fresh "l" in intro l; induction l; solve [loop_step] | specialize (m l x); cbv beta in m; once_met R u m ] end end end end ] end.
Ltac met_by P t r := lazymatch eval pattern r in P with ?Q _ => lazymatch t with context [match ?l with [] => _ | _ :: _ => _ end] => is_var l; met_from_head Q t | _ => met_along Q t end end.
Ltac pair_met P t a b := lazymatch eval pattern a, b in P with ?Q _ _ =>
  let Q' := constr:(fun p => Q (fst p) (snd p)) in change P with (Q' (a, b)); generalize (a, b); let r := fresh "r" in intro r; cbv beta; match goal with |- ?P <-> r = t => met_by P t r end end.
Ltac by_met_description := solve [ start; match goal with
  | |- ?P <-> ?r = ?t => is_var r; met_by P t r
  | |- ?P <-> ?t = ?r => is_var r; apply result_right; met_by P t r
  | |- ?r = ?t <-> ?P => is_var r; apply iff_sym; met_by P t r
  | |- ?t = ?r <-> ?P => is_var r; apply iff_sym, result_right; met_by P t r
  | |- ?P <-> (?a, ?b) = ?t => is_var a; is_var b; pair_met P t a b
  | |- ?P <-> ?t = (?a, ?b) => is_var a; is_var b; apply result_right; pair_met P t a b
  | |- (?a, ?b) = ?t <-> ?P => is_var a; is_var b; apply iff_sym; pair_met P t a b
  | |- ?t = (?a, ?b) <-> ?P => is_var a; is_var b; apply iff_sym, result_right; pair_met P t a b end ].
