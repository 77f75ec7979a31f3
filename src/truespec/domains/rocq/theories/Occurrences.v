(** How often values occur: lists that are written out in any order, ranges of integers, and functions that add or take
    away members. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Counterparts.
Import ListNotations.
Local Open Scope Z_scope.

(** * Members of ranges of integers *)
Lemma in_range z a n : In z (map Z.of_nat (seq a n)) <-> Z.of_nat a <= z < Z.of_nat a + Z.of_nat n.
Proof.
  rewrite in_map_iff. split; [intros (x & <- & i); apply in_seq in i; lia|]. intro h. exists (Z.to_nat z). split; [lia|]. apply in_seq. lia.
Qed.
#[export] Instance nf_in_range z a n : Nf (In z (map Z.of_nat (seq a n))) (Z.of_nat a <= z < Z.of_nat a + Z.of_nat n) | 0 := in_range z a n.
Lemma in_shifted_range z a n (f : nat -> Z) k : (forall i, f i = Z.of_nat i + k) -> In z (map f (seq a n)) <-> Z.of_nat a + k <= z < Z.of_nat a + Z.of_nat n + k.
Proof.
  intro e. rewrite in_map_iff. split; [intros (x & <- & i); apply in_seq in i; rewrite e; lia|]. intro h. exists (Z.to_nat (z - k)). rewrite e. split; [lia|]. apply in_seq. lia.
Qed.
#[export] Instance nf_in_range_left z a n k : Nf (In z (map (fun i => k + Z.of_nat i) (seq a n))) (Z.of_nat a + k <= z < Z.of_nat a + Z.of_nat n + k) | 0.
Proof. apply in_shifted_range. intro. lia. Qed.
#[export] Instance nf_in_range_right z a n k : Nf (In z (map (fun i => Z.of_nat i + k) (seq a n))) (Z.of_nat a + k <= z < Z.of_nat a + Z.of_nat n + k) | 0.
Proof. apply in_shifted_range. intro. lia. Qed.

(** * Arrangements of a list that is written out *)
Section Arrangements.
  Context {T : Type}.
  Fixpoint picked (x : T) (a m : list T) (P : list T -> Prop) : Prop := match m with [] => False | y :: t => (x = y /\ P (rev_append a t)) \/ picked x (y :: a) t P end.
  Lemma picked_spec x m : forall a (P : list T -> Prop), picked x a m P <-> exists u v, m = u ++ x :: v /\ P (rev_append a (u ++ v)).
  Proof.
    induction m as [|y m IH]; intros a P; simpl.
    - split; [tauto|]. intros ([|z u] & v & e & _); discriminate.
    - rewrite IH. split.
      + intros [[<- p]|(u & v & -> & p)]; [exists [], m; auto|]. exists (y :: u), v. auto.
      + intros ([|z u] & v & e & p); injection e as -> ->; [left; auto|]. right. exists u, v. auto.
  Qed.
  Lemma arranged_cons x l m : Permutation (x :: l) m <-> picked x [] m (Permutation l).
  Proof.
    rewrite picked_spec. simpl. split.
    - intro p. assert (i : In x m) by (apply (Permutation_in x p); left; reflexivity). apply in_split in i. destruct i as (u & v & ->). exists u, v. split; [reflexivity|]. apply Permutation_cons_app_inv in p. exact p.
    - intros (u & v & -> & p). apply Permutation_cons_app. exact p.
  Qed.
  Lemma arranged_nil : Permutation (@nil T) [] <-> True. Proof. split; auto. Qed.
  Lemma arranged_none x (m : list T) : Permutation [] (x :: m) <-> False. Proof. split; [apply Permutation_nil_cons|tauto]. Qed.
End Arrangements.
Ltac written_out l := lazymatch l with [] => idtac | _ :: ?t => written_out t end.
Ltac arrangements := repeat (match goal with
  | |- context [Permutation (?x :: ?l) ?m] => written_out l; lazymatch m with _ :: _ => idtac end; setoid_rewrite (arranged_cons x l m)
  | |- context [Permutation (?x :: ?l) _] => written_out l; setoid_rewrite arranged_cons end; cbn [picked rev_append]);
  repeat setoid_rewrite arranged_nil; repeat setoid_rewrite arranged_none.
(* Witnesses by one of the arrangements. *)
Ltac pick := lazymatch goal with
  | |- _ \/ _ => (left; pick) + (right; pick) | |- _ /\ _ => split; pick | |- _ = _ => reflexivity | |- True => exact I end.
Ltac picked_witness := lazymatch goal with
  | |- ex _ => eexists; picked_witness
  | |- _ => (split; [ pick | lia ]) + (apply and_comm; split; [ pick | lia ]) end.
Ltac arranged_goal := first [ lia | solve [once picked_witness] | solve [once (known_witness ltac:(solve [lia]))] ].
Ltac by_arrangements := solve [ start; lazymatch goal with |- context [Permutation] => idtac end; progress arrangements; cbn [In]; first
  [ quick | lia | (split; intro; open; repeat (match goal with H : _ \/ _ |- _ => destruct H end; open); arranged_goal) ] ].

(** * How often a value occurs in what a recursive function returns *)
Lemma take_one T (e : forall x y : T, {x = y} + {x <> y}) (x y : T) P (p q : P) : (if e x y then p else q) = (if e y x then p else q).
Proof. destruct (e x y), (e y x); congruence. Qed.
Ltac occurrence_step := intros; cbn in *; plain_cases; cbn in *; repeat match goal with IH : forall _, _ |- _ => progress (rewrite IH) end; count_decisions; first [ reflexivity | lia | congruence ].
Ltac occurrence_proof := let l := fresh "l" in intro l; induction l; occurrence_step.
Definition Occurs (P : Prop) : Prop := P.
Ltac occurs s := let h := fresh "occurs" in assert (h : Occurs s) by (unfold Occurs; clear; occurrence_proof).
Ltac occurrences_of e f := lazymatch type of f with
  | ?T -> list ?T -> list ?T => first
    [ occurs (forall l x z, count_occ e (f x l) z = (if e x z then 1 else 0) + count_occ e l z)%nat
    | occurs (forall l x z, count_occ e (f x l) z = (count_occ e l z - (if e x z then 1 else 0)))%nat
    | occurs (forall l x z, count_occ e (f x l) z = if e x z then 0%nat else count_occ e l z) ]
  | list ?T -> ?T -> list ?T => first
    [ occurs (forall l x z, count_occ e (f l x) z = (if e x z then 1 else 0) + count_occ e l z)%nat
    | occurs (forall l x z, count_occ e (f l x) z = (count_occ e l z - (if e x z then 1 else 0)))%nat
    | occurs (forall l x z, count_occ e (f l x) z = if e x z then 0%nat else count_occ e l z) ]
  | list ?T -> list ?T => occurs (forall l z, count_occ e (f l) z = count_occ e l z)
  | list ?T -> list ?T -> list ?T => first
    [ occurs (forall l m z, count_occ e (f l m) z = (count_occ e l z + count_occ e m z)%nat)
    | occurs (forall l m z, count_occ e (f l m) z = (count_occ e l z - count_occ e m z)%nat)
    | occurs (forall l m z, count_occ e (f l m) z = (count_occ e m z - count_occ e l z)%nat) ] end.
Ltac by_occurrences_known := repeat match goal with H : Occurs ?s |- context [count_occ _ _ _] => let h := constr:(H : s) in progress (rewrite h) end; cbv beta.
Lemma counted_away T (e : forall x y : T, {x = y} + {x <> y}) (S : list T -> T -> list T) : (forall l x z, count_occ e (S l x) z = (count_occ e l z - (if e x z then 1 else 0)))%nat ->
  forall m l z, count_occ e (fold_left S m l) z = (count_occ e l z - count_occ e m z)%nat.
Proof. intros h m. induction m as [|y m IH]; intros l z; simpl; [lia|]. rewrite IH, h. destruct (e y z); lia. Qed.
Lemma counted_in T (e : forall x y : T, {x = y} + {x <> y}) (S : list T -> T -> list T) : (forall l x z, count_occ e (S l x) z = ((if e x z then 1 else 0) + count_occ e l z))%nat ->
  forall m l z, count_occ e (fold_left S m l) z = (count_occ e l z + count_occ e m z)%nat.
Proof. intros h m. induction m as [|y m IH]; intros l z; simpl; [lia|]. rewrite IH, h. destruct (e y z); lia. Qed.
Lemma counted_away' T (e : forall x y : T, {x = y} + {x <> y}) (S : T -> list T -> list T) : (forall l x z, count_occ e (S x l) z = (count_occ e l z - (if e x z then 1 else 0)))%nat ->
  forall m l z, count_occ e (fold_right S l m) z = (count_occ e l z - count_occ e m z)%nat.
Proof. intros h m. induction m as [|y m IH]; intros l z; simpl; [lia|]. rewrite h, IH. destruct (e y z); lia. Qed.
Lemma counted_in' T (e : forall x y : T, {x = y} + {x <> y}) (S : T -> list T -> list T) : (forall l x z, count_occ e (S x l) z = ((if e x z then 1 else 0) + count_occ e l z))%nat ->
  forall m l z, count_occ e (fold_right S l m) z = (count_occ e l z + count_occ e m z)%nat.
Proof. intros h m. induction m as [|y m IH]; intros l z; simpl; [lia|]. rewrite h, IH. destruct (e y z); lia. Qed.
Ltac occurrence_law := solve [ intros; cbv beta; by_occurrences_known; first [ reflexivity | lia | (count_decisions; lia) ] ].
Ltac fold_occurrences e := repeat match goal with
  | |- context [@fold_left (list ?T) ?T ?S ?m ?l] => mark S 121%nat ltac:(first [ let h := fresh in pose proof (counted_away T e S ltac:(occurrence_law)) as h; change (Occurs (forall m l z, count_occ e (fold_left S m l) z = (count_occ e l z - count_occ e m z)%nat)) in h
      | let h := fresh in pose proof (counted_in T e S ltac:(occurrence_law)) as h; change (Occurs (forall m l z, count_occ e (fold_left S m l) z = (count_occ e l z + count_occ e m z)%nat)) in h ])
  | |- context [@fold_right (list ?T) ?T ?S ?l ?m] => mark S 122%nat ltac:(first [ let h := fresh in pose proof (counted_away' T e S ltac:(occurrence_law)) as h; change (Occurs (forall m l z, count_occ e (fold_right S l m) z = (count_occ e l z - count_occ e m z)%nat)) in h
      | let h := fresh in pose proof (counted_in' T e S ltac:(occurrence_law)) as h; change (Occurs (forall m l z, count_occ e (fold_right S l m) z = (count_occ e l z + count_occ e m z)%nat)) in h ]) end; clear_marks.
Ltac occurrence_leaf e := rewrite ?count_rev, ?count_occ_app, ?count_filter in *; by_occurrences_known; cbn [count_occ] in *; first [ lia | congruence | (count_decisions; first [ lia | congruence ]) ].
Ltac by_occurrences := solve [ start; without_output; match goal with l : list ?T |- _ => with_decision T ltac:(fun e =>
  for_recursive ltac:(fun f => try occurrences_of e f); fold_occurrences e;
  rewrite ?(count_same e); lazymatch goal with |- context [count_occ e] => idtac end;
  first [ apply all_parts; let z := fresh "z" in intro z; by_occurrences_known; first [ quick | plain | (split; intro; occurrence_leaf e) ]
        | split; intro; open; conjuncts; open; count_instances; clear_marks; occurrence_leaf e ]) end ].
