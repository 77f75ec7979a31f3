(** Lists in two parts by a test, in any order, and loops that keep what they have seen in lists with the same members. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Integers.
Import ListNotations.
Local Open Scope Z_scope.

(** * Loops that keep what they have seen in lists with the same members *)
Lemma alike_tests T (s a : list T) : (forall z, In z s <-> In z a) -> forall p, existsb p s = existsb p a.
Proof. intros h p. apply eq_true_iff_eq. rewrite !existsb_exists. split; intros (z & i & e); exists z; (split; [apply h; exact i | exact e]). Qed.
Ltac alike_members := let z := fresh in intro z; cbn [In]; rewrite ?in_app_iff, <- ?in_rev; cbn [In]; repeat match goal with h : forall z, In z _ <-> In z _ |- _ => rewrite h end; tauto.
(* A function that looks a member up, as the test of the library. *)
Ltac member_tests := for_recursive ltac:(fun f => lazymatch type of f with Z -> list Z -> bool => try (let h := fresh "tests" in assert (h : forall x l, f x l = existsb (Z.eqb x) l)
  by (let x := fresh in let l := fresh in let y := fresh in let IH := fresh in intros x l; induction l as [|y l IH]; cbn; [reflexivity|]; rewrite ?IH, ?(Z.eqb_sym y x); destruct (x =? y); reflexivity)) end).
Ltac alike_step := intros; cbn [fold_left fold_right] in *; unroll_here; repeat match goal with h : forall x l, _ = existsb (Z.eqb x) l |- _ => rewrite h end; repeat match goal with h : forall z, In z ?s <-> In z ?a |- context [existsb _ ?s] => rewrite !(alike_tests _ s a h) end;
  repeat match goal with |- context [if ?b then _ else _] => destruct b end;
  repeat match goal with |- context [match ?b with left _ => _ | right _ => _ end] => destruct b end;
  first [ reflexivity | (rewrite ?app_nil_r; reflexivity)
        | (exfalso; repeat match goal with h : forall z, In z ?s <-> In z ?a, i : In _ ?s |- _ => apply h in i end; contradiction)
        | match goal with IH : forall u v, _ -> _ = _ |- _ => eapply eq_trans; [ eapply IH | ]; [ | rewrite <- ?app_assoc; cbn [app]; reflexivity ]; first [ eassumption | alike_members ] end ]
with unroll_here := for_recursive ltac:(fun f => cbn [f]).
Ltac seen_loops x y := lazymatch y with @fold_left ?A ?T ?F ?l ?a => is_var l; lazymatch type of a with list T => lazymatch x with
    | ?g ?s l => let h := fresh in assert (h : forall m u v : list T, (forall z, In z u <-> In z v) -> fold_left F m v = v ++ g u m) by (let m := fresh in intro m; induction m; solve [alike_step]); rewrite (h l s a) by alike_members; reflexivity
    | ?g l ?s => let h := fresh in assert (h : forall m u v : list T, (forall z, In z u <-> In z v) -> fold_left F m v = v ++ g m u) by (let m := fresh in intro m; induction m; solve [alike_step]); rewrite (h l s a) by alike_members; reflexivity
  end end end.
Ltac seen_loop := lazymatch goal with |- ?x = ?y => first [ seen_loops x y | symmetry; seen_loops y x ] end.
Lemma all_same A (P Q : A -> Prop) : (forall x, P x <-> Q x) -> (forall x, P x) <-> (forall x, Q x). Proof. firstorder. Qed.
Ltac by_seen_members := solve [ start; lazymatch goal with |- context [fold_left] => idtac end; repeat (apply all_same; intro); same_results; member_tests; seen_loop ].

(** * A list in two parts by a test *)
Section Parted.
Variables (T : Type) (p : T -> bool) (P Q : T -> Prop).
Hypothesis kept : forall x, P x <-> p x = true.
Hypothesis left_out : forall x, Q x <-> p x = false.
Lemma tested_parts l : Permutation l (filter p l ++ filter (fun x => negb (p x)) l).
Proof. induction l as [|x l IH]; cbn; [constructor|]. destruct (p x); cbn; [constructor; exact IH|]. etransitivity; [apply perm_skip, IH|apply Permutation_middle]. Qed.
Lemma all_kept a : Forall P a -> filter p a = a /\ filter (fun x => negb (p x)) a = [].
Proof. induction 1 as [|x a h k [IH J]]; cbn; [auto|]. apply kept in h. rewrite h. cbn. rewrite IH, J. auto. Qed.
Lemma none_kept b : Forall Q b -> filter p b = [] /\ filter (fun x => negb (p x)) b = b.
Proof. induction 1 as [|x b h k [IH J]]; cbn; [auto|]. apply left_out in h. rewrite h. cbn. rewrite IH, J. auto. Qed.
Lemma filtered_permutation q (l m : list T) : Permutation l m -> Permutation (filter q l) (filter q m).
Proof.
  induction 1 as [|x l m h IH|x y l|l m n h IH k J]; cbn; [constructor | destruct (q x); [constructor|]; exact IH | destruct (q x), (q y); [constructor | | |]; reflexivity | etransitivity; eassumption].
Qed.
Lemma parted l (R : list T -> list T -> Prop) : (forall a a' b b', Permutation a a' -> Permutation b b' -> R a b -> R a' b') ->
  (exists a b, Permutation l (a ++ b) /\ Forall P a /\ Forall Q b /\ R a b) <-> R (filter p l) (filter (fun x => negb (p x)) l).
Proof.
  intro same. split.
  - intros (a & b & h & ha & hb & r). destruct (all_kept a ha) as [e e'], (none_kept b hb) as [u u'].
    apply (same a _ b _); [| |exact r].
    + rewrite (filtered_permutation p l _ h), filter_app, e, u, app_nil_r. reflexivity.
    + rewrite (filtered_permutation _ l _ h), filter_app, e', u'. reflexivity.
  - intro r. exists (filter p l), (filter (fun x => negb (p x)) l). split; [apply tested_parts|]. repeat split; [| |exact r]; apply Forall_forall; intros x i; apply filter_In in i; destruct i as [_ i];
      [apply kept; exact i | apply left_out; destruct (p x); [discriminate|reflexivity]].
Qed.
End Parted.
Ltac test_said := let x := fresh in intro x; cbv beta; let e := fresh in match goal with |- _ <-> ?b = _ => rewrite ?Z.ltb_lt, ?Z.leb_le, ?Z.eqb_eq, ?Z.ltb_ge, ?Z.leb_gt, ?Z.eqb_neq, ?Z.gtb_lt, ?Z.geb_le, ?Nat.ltb_lt, ?Nat.leb_le, ?Nat.eqb_eq, ?Nat.ltb_ge, ?Nat.leb_gt, ?Nat.eqb_neq end; first [ tauto | lia | (split; [intro e | intro e]; destruct_tests) ]
with destruct_tests := match goal with |- context [?b] => lazymatch type of b with bool => destruct b eqn:?; first [ lia | congruence | tauto ] end end.
Lemma folded_any T U (f : T -> U -> U) u : (forall x y z, f x (f y z) = f y (f x z)) -> forall a b, Permutation a b -> fold_right f u a = fold_right f u b.
Proof. intros e a b h. induction h; cbn; congruence. Qed.
Ltac same_in_any_order := intros; cbv beta in *; repeat match goal with
  | h : Permutation ?a ?b |- context [fold_right ?f ?u ?b] => rewrite <- (folded_any _ _ f u ltac:(intros; lia) a b h) end; repeat match goal with
  | h : Permutation ?a ?b |- _ => lazymatch goal with |- context [b] => rewrite <- h; clear h | _ => clear h end end; assumption.
Ltac by_parted := solve [ start; match goal with |- context [exists a b : list ?T, Permutation ?l (a ++ b) /\ Forall ?P a /\ Forall ?Q b /\ @?R a b] =>
  match goal with |- context [@filter T ?p l] => rewrite (parted T p P Q ltac:(test_said) ltac:(test_said) l R ltac:(same_in_any_order)) end end; cbv beta; first [ quick | (split; intro; congruence) | solve [descend ltac:(first [ plain | congruence ])] ] ].
