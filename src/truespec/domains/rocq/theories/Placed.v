(** Places as integers: a list in strict order of all places with a property, and the place that is found first, against recursive
    functions that count from anywhere, filtered ranges and shifted results. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Pieces.
Import ListNotations.
Local Open Scope Z_scope.

(** * A list in strict order is determined by its members *)
Lemma strict_same l m : StronglySorted Z.lt l -> StronglySorted Z.lt m -> (forall i, In i l <-> In i m) -> l = m.
Proof.
  intro s. revert m. induction s as [|x l s IH h]; intros m t e.
  - destruct m as [|y m]; [reflexivity|]. destruct (proj2 (e y) (or_introl eq_refl)).
  - destruct t as [|y m t k]; [destruct (proj1 (e x) (or_introl eq_refl))|]. rewrite Forall_forall in h, k.
    assert (x = y) as ->.
    { destruct (proj1 (e x) (or_introl eq_refl)) as [->|i]; [reflexivity|]. destruct (proj2 (e y) (or_introl eq_refl)) as [->|j]; [reflexivity|]. specialize (h y j). specialize (k x i). lia. }
    f_equal. apply IH; [exact t|]. intro i. specialize (e i). cbn in e. split; intro a.
    + destruct (proj1 e (or_intror a)) as [<-|b]; [specialize (h y a); lia|exact b].
    + destruct (proj2 e (or_intror a)) as [<-|b]; [specialize (k y a); lia|exact b].
Qed.
Lemma strictly_listed L P : (StronglySorted Z.lt L /\ forall i, In i L <-> P i) -> forall r, (StronglySorted Z.lt r /\ forall i, In i r <-> P i) <-> r = L.
Proof.
  intros [s h] r. split; [intros [t k]; apply strict_same; [exact t|exact s|] | intros ->; auto]. intro i. rewrite k, h. reflexivity.
Qed.
Lemma strict_locally l : Sorted Z.lt l <-> StronglySorted Z.lt l.
Proof. split; [apply Sorted_StronglySorted; intros a b c; lia | apply StronglySorted_Sorted]. Qed.
Lemma numbers_in_order a n : StronglySorted Z.lt (map Z.of_nat (seq a n)).
Proof.
  revert a. induction n as [|n IH]; intro a; cbn; constructor; [apply IH|]. apply Forall_forall. intros i h. apply in_map_iff in h as (e & <- & k). apply in_seq in k. lia.
Qed.
Lemma filtered_in_order R (v : Z -> bool) l : StronglySorted R l -> StronglySorted R (filter v l).
Proof.
  induction 1 as [|x l s IH h]; cbn; [constructor|]. destruct (v x); [|exact IH]. constructor; [exact IH|]. rewrite Forall_forall in *. intros y i. apply filter_In in i. apply h, i.
Qed.
Lemma shifted_in_order l c : StronglySorted Z.lt l -> StronglySorted Z.lt (map (fun x => x + c) l).
Proof. induction 1 as [|x l s IH h]; cbn; constructor; [exact IH|]. rewrite Forall_forall in *. intros y i. apply in_map_iff in i as (z & <- & j). specialize (h z j). lia. Qed.
Lemma shifted_member l c i : In i (map (fun x => x + c) l) <-> In (i - c) l.
Proof. rewrite in_map_iff. split; [intros (x & <- & h); replace (x + c - c) with x by lia; exact h | intro h; exists (i - c); split; [lia|exact h]]. Qed.
Lemma filtered_numbers v a n : map Z.of_nat (filter v (seq a n)) = filter (fun i => v (Z.to_nat i)) (map Z.of_nat (seq a n)).
Proof. rewrite filter_of_map. f_equal. apply filter_ext. intro i. rewrite Nat2Z.id. reflexivity. Qed.
Lemma member_of_numbers a n i : In i (map Z.of_nat (seq a n)) <-> Z.of_nat a <= i < Z.of_nat a + Z.of_nat n.
Proof. rewrite in_map_iff. split; [intros (x & <- & h); apply in_seq in h; lia | intro h; exists (Z.to_nat i); rewrite in_seq; lia]. Qed.
Lemma letter_within n s c : String.get n s = Some c -> (n < String.length s)%nat.
Proof. revert n. induction s as [|d s IH]; intros [|n]; cbn; intro h; try discriminate; [lia|]. specialize (IH n h). lia. Qed.
Lemma member_within T (l : list T) n x : nth_error l n = Some x -> (n < length l)%nat. Proof. intro h. apply nth_error_Some. congruence. Qed.
Lemma next_places (R : nat -> Prop) i : 0 < i -> ((forall j, 0 <= j < i -> R (Z.to_nat j)) <-> R 0%nat /\ forall j, 0 <= j < i - 1 -> R (S (Z.to_nat j))).
Proof.
  intro p. split.
  - intro h. split; [apply (h 0); lia|]. intros j k. replace (S (Z.to_nat j)) with (Z.to_nat (j + 1)) by lia. apply h. lia.
  - intros [a b] j k. destruct (Z.eq_dec j 0) as [->|n]; [exact a|]. replace (Z.to_nat j) with (S (Z.to_nat (j - 1))) by lia. apply b. lia.
Qed.
Lemma no_places (R : nat -> Prop) i : i <= 0 -> ((forall j, 0 <= j < i -> R (Z.to_nat j)) <-> True). Proof. intro h. split; [auto | intros _ j k; lia]. Qed.

Lemma result_right (A : Prop) T (r t : T) : (A <-> r = t) -> (A <-> t = r). Proof. intros ->. split; auto. Qed.

(** * Places that a recursive function lists, from wherever it counts *)
Ltac places_at i k := let c := fresh in destruct (Z.lt_trichotomy i k) as [c|[c|c]];
  [ | subst i; rewrite ?Z.sub_diag in * | try replace (Z.to_nat (i - k)) with (S (Z.to_nat (i - (k + 1)))) by lia; try replace (Z.to_nat i) with (S (Z.to_nat (i - 1))) by lia ].
Ltac place_leaf := first [ lia | tauto | solve [intuition (first [ lia | congruence ])] ].
Ltac members_step := let i := fresh "i" in intro i; cbn [In]; rewrite ?shifted_member; repeat match goal with m : forall i, In i ?L <-> _ |- context [In _ ?L] => rewrite m end;
  first [ match goal with |- context [i - ?k] => is_var k; places_at i k end | places_at i 0 ]; cbn [String.get nth_error nth Z.to_nat In]; place_leaf.
Ltac order_step := first [ assumption | (apply shifted_in_order; assumption) | (constructor; [ order_step | apply Forall_forall; let y := fresh "y" in let h := fresh in intros y h; rewrite ?shifted_member in h;
    match goal with m : forall i, In i ?L <-> _, h : In _ ?L |- _ => apply m in h end; lia ]) | constructor ].
Ltac one_shift := repeat match goal with |- context [map ?g ?l] => lazymatch g with fun x => x + 1 => fail | _ => rewrite (map_ext g (fun x => x + 1)) by (intro; lia) end end.
Ltac listing_step := intros; cbn -[Z.to_nat]; cbv zeta; one_shift; try (match goal with IH : forall k, _ /\ _ |- context [?k + 1] => destruct (IH (k + 1)) as [? ?] | IH : _ /\ _ |- _ => destruct IH as [? ?] end);
  fold_cases; (split; [ order_step | members_step ]).
Ltac listed_from L P := match L with
  | context [0] => match L with context [?l] => is_var l; lazymatch type of l with list _ => idtac | string => idtac end;
      lazymatch eval pattern l, 0 in L with ?f _ _ => lazymatch eval pattern l in P with ?Q _ =>
        let h := fresh in assert (h : forall l k, StronglySorted Z.lt (f l k) /\ forall i, In i (f l k) <-> k <= i /\ Q l (i - k));
        [ cbv beta; clear; let l := fresh "l" in intro l; induction l; solve [listing_step]
        | destruct (h l 0) as [? ?]; cbv beta in *; split; [ assumption | let i := fresh in intro i; match goal with m : forall i, In i _ <-> _ |- _ => rewrite m end; rewrite Z.sub_0_r; place_leaf ] ] end end end
  | context [?l] => is_var l; lazymatch type of l with list _ => idtac | string => idtac end; clear; induction l; solve [listing_step] end.
Ltac numbers_listed := rewrite ?filtered_numbers; split; [ apply filtered_in_order, numbers_in_order | let i := fresh "i" in intro i; rewrite filter_In, member_of_numbers; split; intro; open;
  repeat match goal with H : String.get _ _ = Some _ |- _ => mark H 301%nat ltac:(pose proof (letter_within _ _ _ H)) | H : nth_error _ _ = Some _ |- _ => mark H 301%nat ltac:(pose proof (member_within _ _ _ _ H)) end; clear_marks;
  repeat match goal with H : context [match ?t with _ => _ end] |- _ => destruct t eqn:?; try discriminate | H : ?t = Some _ |- context [match ?t with _ => _ end] => rewrite H end; booleans_to_props; subst; conjuncts;
  first [ lia | congruence | (rewrite ?Ascii.eqb_refl, ?Z.eqb_refl; reflexivity) ] ].
(** * The place that a recursive function finds, from wherever it counts *)
Ltac about_place B := let s := constr:(fun j : Z => ltac:(let b := eval cbv beta in (B j) in lazymatch b with _ -> ?D => let p := eval pattern (Z.to_nat j) in D in lazymatch p with ?S _ => exact S end end)) in
  let s := eval cbv beta in (s 0) in s.
Ltac bounded_places := repeat match goal with |- context [forall j : Z, @?B j] =>
  let i := lazymatch B with fun j => 0 <= j < ?i -> _ => i end in
  let S := about_place B in first [ rewrite (no_places S i) by lia | rewrite (next_places S i) by lia ] end; cbn [nth_error nth String.get].
Lemma same_place (i j : Z) : Some i = Some j <-> i = j. Proof. split; congruence. Qed.
Ltac found_step := intros; cbn -[Z.to_nat]; fold_cases;
  repeat match goal with r : option _ |- _ => destruct r end; cbn [In];
  try match goal with IH : forall k r, r = _ <-> _ |- ?r = ?t <-> _ => lazymatch t with Some _ => fail | None => fail | _ => rewrite IH; cbv beta iota end end;
  try match goal with |- context [?i - ?k] => is_var i; is_var k; places_at i k end;
  rewrite ?same_place; cbn [nth_error nth String.get Z.to_nat]; bounded_places; place_leaf.
Ltac found_from P t r := match t with context [?l] => is_var l; lazymatch type of l with list _ => idtac | string => idtac end;
  lazymatch eval pattern l, 0 in t with ?f _ _ => lazymatch eval pattern l, r in P with ?Q _ _ =>
    let h := fresh in assert (h : forall l k r, r = f l k <-> match r with Some i => k <= i /\ Q l (Some (i - k)) | None => Q l None end);
    [ cbv beta iota; clear - r; let l := fresh "l" in intro l; induction l; solve [found_step]
    | rewrite (h l 0 r); destruct r; cbv beta iota; rewrite ?Z.sub_0_r; place_leaf ] end end end.
Ltac by_placed_result := solve [ start; match goal with
  | |- ?P <-> ?r = ?t => is_var r; apply iff_sym; found_from P t r
  | |- ?P <-> ?t = ?r => is_var r; apply result_right, iff_sym; found_from P t r
  | |- ?r = ?t <-> ?P => is_var r; found_from P t r
  | |- ?t = ?r <-> ?P => is_var r; apply iff_sym, result_right, iff_sym; found_from P t r end ].
Ltac result_last := match goal with
  | |- _ /\ _ <-> ?r = _ => is_var r | |- _ /\ _ <-> _ = ?r => is_var r; apply result_right
  | |- ?r = _ <-> _ => is_var r; apply iff_sym | |- _ = ?r <-> _ => is_var r; apply iff_sym, result_right end.
Ltac by_placed_members := solve [ start; rewrite ?strict_locally; result_last; apply strictly_listed; lazymatch goal with |- _ ?L /\ (forall i, In i _ <-> @?P i) => first [ numbers_listed | listed_from L P ] end ].
