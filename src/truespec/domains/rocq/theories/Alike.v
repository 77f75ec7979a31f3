(** Functions in arguments that agree everywhere are one, under predicates that the texts declare too; cuts whose length tells a
    place as an integer are what stands at that place and before it. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Meets.
Import ListNotations.
Local Open Scope Z_scope.

(** * Functions in arguments of the library's functions that agree everywhere *)
Ltac agree_at x := cbn; first [ reflexivity | lia | solve [fold_cases; cbn; first [ reflexivity | congruence | lia ]]
  | lazymatch type of x with ascii => destruct x as [[] [] [] [] [] [] [] []]; vm_compute; reflexivity end ].
Ltac agreed f g k := tryif constr_eq f g then fail else (let h := fresh in assert (h : forall x, f x = g x) by (clear; let x := fresh "x" in intro x; solve [agree_at x]); k h; clear h).
Ltac one_agreed := match goal with
  | |- context [@filter ?T ?f ?l] => match goal with |- context [@filter T ?g _] => agreed f g ltac:(fun h => rewrite (filter_ext f g h)) end
  | |- context [@map ?T ?U ?f ?l] => match goal with |- context [@map T U ?g _] => agreed f g ltac:(fun h => rewrite (map_ext f g h)) end
  | |- context [@forallb ?T ?f ?l] => match goal with |- context [@forallb T ?g _] => agreed f g ltac:(fun h => rewrite (forallb_same T f g h l l eq_refl)) end
  | |- context [@existsb ?T ?f ?l] => match goal with |- context [@existsb T ?g _] => agreed f g ltac:(fun h => rewrite (existsb_same T f g h l l eq_refl)) end
  | |- context [@find ?T ?f ?l] => match goal with |- context [@find T ?g _] => agreed f g ltac:(fun h => rewrite (find_same T f g h l l eq_refl)) end
  | |- context [@flat_map ?T ?U ?f ?l] => match goal with |- context [@flat_map T U ?g _] => agreed f g ltac:(fun h => rewrite (flat_map_same T U f g h l l eq_refl)) end end.
Ltac by_agreed_functions := solve [ start; progress (repeat one_agreed); first [ quick | plain | (try find_twins; try guards; use_twins; without_output; split_results; told_results; first [ quick | plain | twin_close | equal_scans ]) ] ].

(** * A cut that tells a place as an integer *)
Lemma place_of_cut T (l1 l2 : list T) x : nth_error (l1 ++ x :: l2) (Z.to_nat (Z.of_nat (length l1))) = Some x.
Proof. rewrite Nat2Z.id, nth_error_app2, Nat.sub_diag by lia. reflexivity. Qed.
Lemma before_cut T (l1 l2 : list T) j : 0 <= j < Z.of_nat (length l1) -> nth_error (l1 ++ l2) (Z.to_nat j) = nth_error l1 (Z.to_nat j).
Proof. intro h. apply nth_error_app1. lia. Qed.
Lemma cut_at_place T (l : list T) i x : 0 <= i -> nth_error l (Z.to_nat i) = Some x -> exists l1 l2, l = l1 ++ x :: l2 /\ i = Z.of_nat (length l1).
Proof. intros p h. apply nth_error_split in h as (l1 & l2 & -> & e). exists l1, l2. split; [reflexivity|lia]. Qed.
Lemma placed_member T (l : list T) x : In x l -> exists j, 0 <= j < Z.of_nat (length l) /\ nth_error l (Z.to_nat j) = Some x.
Proof.
  intro h. apply In_nth_error in h as [n h]. exists (Z.of_nat n). rewrite Nat2Z.id. split; [|exact h].
  assert (n < length l)%nat by (apply nth_error_Some; congruence). lia.
Qed.
Ltac places_in_cuts := repeat match goal with
  | H : nth_error (?l ++ _) (Z.to_nat ?j) = _ |- _ => rewrite (before_cut _ l _ j) in H by lia
  | |- context [nth_error (?l ++ _) (Z.to_nat ?j)] => rewrite (before_cut _ l _ j) by lia
  | |- context [nth_error (_ ++ _) (Z.to_nat (Z.of_nat _))] => rewrite place_of_cut end.
Ltac cut_leaf := first [ assumption | reflexivity | lia | congruence | apply place_of_cut
  | (match goal with H : nth_error _ _ = Some _ |- _ => apply nth_error_In in H; congruence || contradiction end)
  | (match goal with H : In _ ?l |- False => let j := fresh in destruct (placed_member _ l _ H) as (j & ? & ?); match goal with K : forall i, _ |- _ => apply (K j); [ lia | places_in_cuts; assumption ] end end) ].
Ltac by_cut_numbers := solve [ start; lazymatch goal with |- context [_ ++ _ :: _] => idtac end; split_results; told_everywhere; cbv beta iota; split; intro; open; taken_or; open; try contradiction; try discriminate;
  told_everywhere;
  first [ assumption | (exfalso; cut_leaf) | (right; repeat split; cut_leaf)
    | (conjuncts; places_in_cuts; first [ cut_leaf | (let h := fresh in intro h; cut_leaf) ])
    | (match goal with H : nth_error ?l (Z.to_nat ?i) = Some ?x |- _ => let a := fresh in let b := fresh in destruct (cut_at_place _ l i x ltac:(lia) H) as (a & b & -> & ->); try left; exists a, b; repeat split; try (intro); places_in_cuts; cut_leaf end) ] ].
