(** Sorted lists: one that is sorted and has the members of another sorted one is that one; sorting functions keep what
    they are given and leave it sorted. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Scans.
Import ListNotations.
Local Open Scope Z_scope.

Lemma sorted_same T (R : T -> T -> Prop) : (forall x y, R x y -> R y x -> x = y) -> forall l m, pairwise R l -> pairwise R m -> Permutation l m -> l = m.
Proof.
  intros a. induction l as [|x l IH]; intros m h k p; [symmetry; apply Permutation_nil; exact p|].
  destruct m as [|y m]; [symmetry in p; apply Permutation_nil in p; discriminate|].
  assert (e : x = y).
  { assert (i : In x (y :: m)) by (apply (Permutation_in x p); left; reflexivity).
    assert (j : In y (x :: l)) by (apply (Permutation_in y (Permutation_sym p)); left; reflexivity).
    destruct i as [->|i]; [reflexivity|]. destruct j as [->|j]; [reflexivity|]. apply a; [apply h; exact j|apply k; exact i]. }
  subst y. f_equal. apply IH; [apply h|apply k|apply (Permutation_cons_inv p)].
Qed.
Lemma sorted_members T (R : T -> T -> Prop) : (forall x y, R x y -> R y x -> False) -> forall l m, pairwise R l -> pairwise R m -> (forall x, In x l <-> In x m) -> l = m.
Proof.
  intros a l m h k e. apply (sorted_same T R); [intros x y u v; destruct (a x y u v)|exact h|exact k|].
  assert (d : forall l, pairwise R l -> NoDup l).
  { induction l0 as [|x t IH]; simpl; [constructor|]. intros [u v]. constructor; [|auto]. intro i. exact (a x x (u x i) (u x i)). }
  apply NoDup_Permutation; auto.
Qed.
Lemma sorted_counts (R : Z -> Z -> Prop) (e : forall x y : Z, {x = y} + {x <> y}) l m : (forall x y, R x y -> R y x -> x = y) -> pairwise R l -> pairwise R m -> (forall x, count_occ e l x = count_occ e m x) -> l = m.
Proof. intros a h k c. apply (sorted_same Z R a l m h k). apply (Permutation_count_occ e). exact c. Qed.
Lemma pairwise_weaker T (R S : T -> T -> Prop) l : pairwise R l -> (forall x y, In x l -> In y l -> R x y -> S x y) -> pairwise S l.
Proof.
  induction l as [|x l IH]; simpl; [auto|]. intros [h k] w. split; [intros y i; apply w; auto|apply IH; auto].
Qed.
Lemma pairwise_filter T (R : T -> T -> Prop) p l : pairwise R l -> pairwise R (filter p l).
Proof.
  induction l as [|x l IH]; simpl; [auto|]. intros [h k]. destruct (p x); simpl; [|auto]. split; [|auto].
  intros y i. apply filter_In in i. apply h, i.
Qed.
Lemma pairwise_map T U (R : U -> U -> Prop) (f : T -> U) l : pairwise (fun x y => R (f x) (f y)) l -> pairwise R (map f l).
Proof.
  induction l as [|x l IH]; simpl; [auto|]. intros [h k]. split; [|auto]. intros y i. apply in_map_iff in i. destruct i as (z & <- & i). auto.
Qed.
Lemma pairwise_seq a n : pairwise lt (seq a n).
Proof. revert a. induction n as [|n IH]; intro a; simpl; [auto|]. split; [|apply IH]. intros y i. apply in_seq in i. lia. Qed.
Lemma nf_ordered T (d : T) (C : nat -> nat -> Prop) (R : T -> T -> Prop) l : (forall x, R x x) ->
  (forall i j, C i j <-> ((i <= j < length l)%nat -> R (nth i l d) (nth j l d))) -> Nf (forall i j, C i j) (pairwise R l).
Proof.
  unfold Nf. intros r h. rewrite (pairwise_index T d). split; [intros k i j ij; apply (proj1 (h i j) (k i j)); lia|].
  intros k i j. apply h. intro ij. destruct (Nat.eq_dec i j) as [->|n]; [apply r|apply k; lia].
Qed.
#[export] Hint Extern 1 (Nf (forall i : nat, forall j : nat, _) _) => (eapply nf_ordered; [ |solve [read_pairs]]; solve [intros; cbv beta in *; lia]) : typeclass_instances.

Lemma pairwise_same T (R S : T -> T -> Prop) l : (forall x y, R x y <-> S x y) -> (pairwise R l <-> pairwise S l).
Proof. intro e. split; intro h; apply (pairwise_weaker T _ _ l h); intros x y _ _; apply e. Qed.

(** * What sorting functions keep *)
(* Inserting into a list adds one member, and sorting keeps the members. *)
Ltac by_counts := do 4 try match goal with K : forall _, _ |- _ => progress (rewrite K) | K : _ = _ |- _ => progress (rewrite K) end.
Ltac count_cases := repeat (match goal with
  | |- context [Z.eq_dec ?x ?y] => destruct (Z.eq_dec x y) | H : context [Z.eq_dec ?x ?y] |- _ => destruct (Z.eq_dec x y) end; subst; try congruence).
Ltac count_step := intros; cbn [count_occ] in *; cbn in *; plain_cases; cbn [count_occ] in *;
  by_counts; cbn [count_occ] in *; count_cases; first [ reflexivity | lia ].
Ltac keeps f := match type of f with
  | Z -> list Z -> list Z => let h := fresh "kept" in assert (h : forall x l z, count_occ Z.eq_dec (f x l) z = count_occ Z.eq_dec (x :: l) z)
      by (let x := fresh in let l := fresh in intros x l; revert x; induction l; count_step)
  | list Z -> list Z => let h := fresh "kept" in assert (h : forall l z, count_occ Z.eq_dec (f l) z = count_occ Z.eq_dec l z)
      by (let l := fresh in intro l; induction l; count_step) end.
Lemma kept_member (f : Z -> list Z -> list Z) : (forall x l z, count_occ Z.eq_dec (f x l) z = count_occ Z.eq_dec (x :: l) z) -> forall x l z, In z (f x l) -> z = x \/ In z l.
Proof.
  intros h x l z i. apply (count_occ_In Z.eq_dec) in i. rewrite h in i. apply (count_occ_In Z.eq_dec) in i. destruct i; auto.
Qed.
(* Inserting member after member keeps them and those that were there. *)
Section Kept.
Variable f : Z -> list Z -> list Z.
Hypothesis kept : forall x l z, count_occ Z.eq_dec (f x l) z = count_occ Z.eq_dec (x :: l) z.
Lemma kept_from l s z : count_occ Z.eq_dec (fold_right f s l) z = (count_occ Z.eq_dec l z + count_occ Z.eq_dec s z)%nat.
Proof. induction l as [|x l IH]; cbn [fold_right]; [reflexivity|]. rewrite kept. cbn [count_occ]. destruct (Z.eq_dec x z); lia. Qed.
Lemma kept_along l : forall s z, count_occ Z.eq_dec (fold_left (fun s x => f x s) l s) z = (count_occ Z.eq_dec l z + count_occ Z.eq_dec s z)%nat.
Proof. induction l as [|x l IH]; intros s z; cbn [fold_left]; [reflexivity|]. rewrite IH, kept. cbn [count_occ]. destruct (Z.eq_dec x z); lia. Qed.
End Kept.
Section Ordered.
Variables (f : Z -> list Z -> list Z) (R : Z -> Z -> Prop).
Hypothesis sorted : forall x l, pairwise R l -> pairwise R (f x l).
Lemma sorted_from l s : pairwise R s -> pairwise R (fold_right f s l).
Proof. intro h. induction l; cbn [fold_right]; auto. Qed.
Lemma sorted_along l : forall s, pairwise R s -> pairwise R (fold_left (fun s x => f x s) l s).
Proof. induction l; cbn [fold_left]; auto. Qed.
End Ordered.
Ltac sorted_step := intros; cbn in *; plain_cases; repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat split; intros; repeat match goal with
  | K : forall (x : Z) (l : list Z) (z : Z), In z (?f x l) -> _, i : In _ (?f _ _) |- _ => apply K in i; destruct i; subst
  | i : In _ (_ :: _) |- _ => destruct i; subst
  | i : _ \/ _ |- _ => destruct i; subst
  | K : forall y, In y ?l -> _, i : In _ ?l |- _ => tryif (match type of i with In ?t _ => lazymatch goal with _ : done K t |- _ => idtac end end) then fail else
      (match type of i with In ?t _ => pose proof (K t i); assert (done K t) by exact I end) end; clear_marks; first [ assumption | contradiction | lia | auto ].
Ltac sorts R f := match type of f with
  | Z -> list Z -> list Z => match goal with K : forall x l z, count_occ Z.eq_dec (f x l) z = _ |- _ => pose proof (kept_member f K) end;
      let h := fresh "sorted" in assert (h : forall x l, pairwise R l -> pairwise R (f x l)) by (let x := fresh in let l := fresh in intros x l; revert x; induction l; sorted_step)
  | list Z -> list Z => let h := fresh "sorted" in assert (h : forall l, pairwise R (f l)) by (let l := fresh in intro l; induction l; cbn; auto) end.
(* The same where one list after the other is inserted, whatever was there. *)
Ltac inserted_leaf := lazymatch goal with
  | K : forall x l z, count_occ Z.eq_dec (?f x l) z = _, h : forall x l, pairwise ?R l -> pairwise ?R (?f x l) |- _ => lazymatch goal with
    | |- pairwise R _ => repeat first [ apply (sorted_from f R h) | apply (sorted_along f R h) ]; exact I
    | |- forall z, _ => let z := fresh in intro z; cbv beta; repeat first [ rewrite (kept_from f K) | rewrite (kept_along f K) | rewrite count_occ_app ]; cbn [count_occ]; lia end end.
Ltac sort_facts R := for_recursive ltac:(fun f => try (keeps f; try sorts R f)).
Ltac sorted_leaf := first
  [ assumption | solve [auto]
  | solve [repeat first [ apply pairwise_filter | apply pairwise_map | apply pairwise_seq ]]
  | solve [repeat first [ apply pairwise_filter | apply pairwise_map ]; eapply pairwise_weaker; [apply pairwise_seq | intros; cbv beta in *; lia]]
  | solve [match goal with |- pairwise _ (fold_right _ _ ?l) => induction l; cbn; auto end] ].
Ltac kept_leaf := intros; cbv beta; first
  [ solve [by_counts; first [ reflexivity | lia ]]
  | solve [match goal with |- context [fold_right _ _ ?l] => induction l; cbn; [reflexivity|]; by_counts; cbn;
      count_cases; by_counts; first [ reflexivity | lia ] end]
  | solve [normalise; terms; rewrite ?mod0, ?nmod0; first [ tauto | plain | intuition lia | both_ground 2%nat ]] ].
Ltac has_property := lazymatch goal with
  | |- _ /\ _ => split; has_property
  | |- pairwise _ _ => first [ sorted_leaf | solve [inserted_leaf] ]
  | |- _ => first [ kept_leaf | solve [inserted_leaf] ] end.
Ltac same_members := let x := fresh "x" in intro x; repeat match goal with H : _ |- _ =>
    let e := type of (H x) in let h := fresh in lazymatch e with _ = _ => pose proof (H x) as h | _ <-> _ => pose proof (H x) as h end; clear H end;
  first [ congruence | tauto | lia ].
Ltac same_sorted := match goal with H : pairwise ?R ?l, K : pairwise ?R ?m |- ?l = ?m => first
  [ apply (sorted_counts R Z.eq_dec l m); [ solve [intros; cbv beta in *; lia] | exact H | exact K | same_members ]
  | apply (sorted_members _ R); [ solve [intros; cbv beta in *; lia] | exact H | exact K | same_members ] ] end.
Ltac by_sorting_of r := revert r; first [ apply output | apply output' ]; cbv beta;
  [ has_property | intros; repeat match goal with H : _ /\ _ |- _ => destruct H end; same_sorted ].
Ltac by_sorting := solve [ start; terms; normalise; terms; first
  [ quick | solve [descend ltac:(first [ plain | apply pairwise_same; intros; cbv beta; lia ])]
  | match goal with |- context [pairwise ?R ?r] => is_var r; sort_facts R;
      first [ lazymatch goal with |- ?P <-> r = _ => apply iff_sym | |- ?P <-> _ = r => apply iff_sym | _ => idtac end ]; by_sorting_of r end ] ].
