(** Places read in four ways, lists in strict order that a function builds member by member, and lists without repetition
    of all that has a property, whose length is a count. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Occurrences.
Import ListNotations.
Local Open Scope Z_scope.

(** * Places in four ways: what stands there, an index below the length, a member, an optional element *)
Lemma place_told T (d : T) l i x : nth_error l i = Some x -> (i < length l)%nat /\ nth i l d = x /\ In x l.
Proof. intro h. repeat split; [apply nth_error_Some; congruence | exact (nth_error_nth l i d h) | exact (nth_error_In l i h)]. Qed.
Lemma place_below T (d : T) l i : (i < length l)%nat -> nth_error l i = Some (nth i l d) /\ In (nth i l d) l.
Proof. intro h. split; [apply nth_error_nth'; exact h | apply nth_In; exact h]. Qed.
Lemma place_of T (d : T) l x : In x l -> exists i, (i < length l)%nat /\ nth i l d = x /\ nth_error l i = Some x.
Proof. intro h. destruct (In_nth l x d h) as (i & k & e). exists i. repeat split; [exact k|exact e|]. rewrite <- e. apply nth_error_nth'. exact k. Qed.
Ltac told_places := repeat match goal with
  | H : nth_error ?l ?i = Some ?x |- _ => mark l (i, 131%nat) ltac:(let T := type of x in with_default T ltac:(fun d => pose proof (place_told T d l i x H)))
  | H : In ?x ?l |- _ => is_var x; mark l (x, 132%nat) ltac:(let T := type of x in with_default T ltac:(fun d => let i := fresh "i" in destruct (place_of T d l x H) as (i & ? & ? & ?); mark l (i, 131%nat) ltac:(idtac)))
  | _ : context [@nth ?T ?i ?l ?d] |- _ => mark l (i, 133%nat) ltac:(let h := fresh in assert (h : (i < length l)%nat) by (clear_marks; lia); pose proof (place_below T d l i h))
  | |- context [@nth ?T ?i ?l ?d] => mark l (i, 133%nat) ltac:(let h := fresh in assert (h : (i < length l)%nat) by (clear_marks; lia); pose proof (place_below T d l i h)) end.
Ltac place_seeds := repeat match goal with
  | H : forall i : nat, _, j : nat |- _ => seed H j
  | H : forall x : ?T, In x ?l -> _, K : In ?y ?l |- _ => seed H y
  | H : forall x : ?T, nth_error ?l ?i = Some x -> _, K : nth_error ?l ?i = Some ?y |- _ => seed H y end.
Ltac place_fire := repeat match goal with H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(first [ assumption | reflexivity | lia | congruence ])) end; open.
Ltac last_place := match goal with _ : (?i < length ?l)%nat |- _ => destruct (Nat.eq_dec i (length l - 1)); [ subst i | ] end.
Ltac place_leaf_step := told_places; open; place_seeds; place_fire; told_places; open; place_seeds; place_fire.
Ltac place_close := first [ assumption | lia | congruence | match goal with K : In ?y ?l |- Exists _ _ => apply Exists_exists; exists y; split; [exact K | lia] end ].
Ltac place_goal := place_leaf_step; clear_marks; first [ place_close | (last_place; place_leaf_step; clear_marks; place_close) ].
Ltac by_place_facts := solve [ start; without_output; rewrite ?Forall_forall, ?Exists_exists; terms; rewrite ?nil_length; split; intro; open; rewrite ?nil_length in *; conjuncts; intros; open; place_goal ].

(** * Lists in strict order: functions that put a new member in its place *)
Definition Kept (P : Prop) : Prop := P.
Ltac set_step := cbn in *; plain_cases; cbn in *; repeat match goal with IH : forall _, _ |- _ => progress (rewrite IH) end; intuition (subst; auto; try lia).
Ltac set_facts R f := lazymatch type of f with ?T -> list ?T -> list ?T =>
  let m := fresh "members" in assert (m : forall x l z, In z (f x l) <-> z = x \/ In z l) by (clear; let x := fresh in let l := fresh in intros x l; revert x; induction l; intros; solve [set_step]);
  let k := fresh in assert (k : forall x l z, In z (f x l) -> z = x \/ In z l) by (intros; apply m; assumption);
  let s := fresh "sorted" in assert (s : forall x l, pairwise R l -> pairwise R (f x l)) by (clear - k; let x := fresh in let l := fresh in intros x l; revert x; induction l; solve [sorted_step]);
  let g := fresh "gathered" in assert (g : forall l z, In z (fold_right f [] l) <-> In z l) by (clear - m; let l := fresh in intro l; induction l as [|? l IH]; intros; cbn [fold_right In]; [tauto|]; rewrite m, IH; intuition);
  let o := fresh "ordered" in assert (o : forall l, pairwise R (fold_right f [] l)) by (clear - s; let l := fresh in intro l; induction l; cbn; auto);
  clear k; change (Kept (forall l z, In z (fold_right f [] l) <-> In z l)) in g end.
Ltac gathered_members := repeat match goal with g : Kept _ |- _ => unfold Kept in g; setoid_rewrite g; clear g end; repeat match goal with m : forall x l z, In z (_ x l) <-> _ |- _ => setoid_rewrite m; clear m end.
Ltac set_property := lazymatch goal with
  | |- _ /\ _ => split; set_property
  | |- pairwise _ _ => auto
  | |- _ => gathered_members; first [ tauto | (normalise; terms; first [ quick | plain | solve [intuition lia] | both_ground 2%nat ]) ] end.
Ltac sets_of r := revert r; first [ apply output | apply output' ]; cbv beta; [ solve [set_property] | intros; repeat match goal with H : _ /\ _ |- _ => destruct H end; same_sorted ].
Ltac by_strict_order := solve [ start; terms; normalise; terms; match goal with |- context [pairwise ?R ?r] => is_var r; for_recursive ltac:(fun f => try set_facts R f);
  lazymatch goal with _ : Kept _ |- _ => idtac end;
  first [ lazymatch goal with |- ?P <-> r = _ => apply iff_sym | |- ?P <-> _ = r => apply iff_sym | _ => idtac end ]; sets_of r end ].

(** * A list without repetition of all that has a property: its length is a count *)
Lemma listed_length T (L : list T) (Q : T -> Prop) r : NoDup L -> (forall p, In p L <-> Q p) -> (exists ps, NoDup ps /\ (forall p, In p ps <-> Q p) /\ length ps = r) <-> length L = r.
Proof.
  intros n h. split; [|intros <-; exists L; auto]. intros (ps & k & m & <-). apply Permutation_length, NoDup_Permutation; [exact n|exact k|].
  intro p. rewrite h, m. reflexivity.
Qed.
Lemma places_counted T (v : T -> bool) l : exists L, NoDup L /\ length L = length (filter v l) /\ forall p, In p L <-> exists c, nth_error l p = Some c /\ v c = true.
Proof.
  exists (filter (fun p => match nth_error l p with Some c => v c | None => false end) (seq 0 (length l))). repeat split.
  - apply NoDup_filter, seq_NoDup.
  - induction l as [|x l IH]; [reflexivity|]. cbn [length seq]. rewrite <- seq_shift. cbn [filter nth_error].
    assert (e : length (filter (fun p => match nth_error (x :: l) p with Some c => v c | None => false end) (map S (seq 0 (length l)))) = length (filter v l)).
    { rewrite filter_of_map, map_length. exact IH. }
    destruct (v x); cbn [length]; rewrite e; reflexivity.
  - intro i. apply filter_In in i. destruct i as [_ h]. destruct (nth_error l p) as [c|]; [exists c; auto|discriminate].
  - intros (c & e & h). apply filter_In. rewrite e. split; [|exact h]. apply in_seq. assert (k : (p < length l)%nat) by (apply nth_error_Some; congruence). lia.
Qed.
Lemma counted_places T (v : T -> bool) l (Q : nat -> Prop) : (forall p, Q p <-> exists c, nth_error l p = Some c /\ v c = true) ->
  forall r, (exists ps, NoDup ps /\ (forall p, In p ps <-> Q p) /\ length ps = r) <-> r = length (filter v l).
Proof.
  intros h r. destruct (places_counted T v l) as (L & n & e & m). rewrite (listed_length _ L Q r n); [rewrite e; split; congruence|]. intro p. rewrite m, h. reflexivity.
Qed.
Lemma counted_range (q : nat -> bool) a n (Q : nat -> Prop) : (forall p, Q p <-> (a <= p < a + n)%nat /\ q p = true) ->
  forall r, (exists ps, NoDup ps /\ (forall p, In p ps <-> Q p) /\ length ps = r) <-> r = length (filter q (seq a n)).
Proof.
  intros h r. rewrite (listed_length _ (filter q (seq a n)) Q r); [split; congruence|apply NoDup_filter, seq_NoDup|]. intro p. rewrite filter_In, in_seq, h. tauto.
Qed.
(* The three conjuncts in their order, whichever way they are written. *)
Lemma listing_order T (C Q : list T -> Prop) : (forall ps, C ps <-> Q ps) -> (exists ps, C ps) <-> (exists ps, Q ps). Proof. firstorder. Qed.
Ltac in_listing_order := match goal with |- context [@ex (list ?T) ?C] =>
  let put Q n := rewrite (listing_order T C (fun ps => NoDup ps /\ (forall p, In p ps <-> Q ps p) /\ length ps = n ps)) by (intro; cbv beta; intuition auto) in
  lazymatch eval cbv beta in (fun ps : list T => C ps) with
  | fun ps => NoDup ps /\ (forall p, In p ps <-> @?Q ps p) /\ length ps = @?n ps => idtac
  | fun ps => NoDup ps /\ (forall p, In p ps <-> @?Q ps p) /\ @?n ps = length ps => put Q n
  | fun ps => NoDup ps /\ length ps = @?n ps /\ (forall p, In p ps <-> @?Q ps p) => put Q n
  | fun ps => NoDup ps /\ @?n ps = length ps /\ (forall p, In p ps <-> @?Q ps p) => put Q n
  | fun ps => length ps = @?n ps /\ NoDup ps /\ (forall p, In p ps <-> @?Q ps p) => put Q n
  | fun ps => @?n ps = length ps /\ NoDup ps /\ (forall p, In p ps <-> @?Q ps p) => put Q n
  | fun ps => (forall p, In p ps <-> @?Q ps p) /\ NoDup ps /\ length ps = @?n ps => put Q n
  | fun ps => (forall p, In p ps <-> @?Q ps p) /\ NoDup ps /\ @?n ps = length ps => put Q n end; cbv beta end.
Lemma or_no (P : Prop) : P \/ False <-> P. Proof. tauto. Qed.
Ltac some_place := let p := fresh "p" in intro p; rewrite ?letters_get; try setoid_rewrite letters_get; apply ex_parts; let c := fresh "c" in intro c; cbv beta; apply and_parts; [ reflexivity | intros _ ];
  cbn [list_ascii_of_string existsb]; first [ quick | (normalise; first [ reflexivity | (lazymatch goal with |- context [ascii] => idtac | _ : ascii |- _ => idtac end; rewrite ?same_code; terms; rewrite ?or_no; first [ reflexivity | tauto | lia ]) | quick | plain ]) | match goal with c : ascii |- _ => destruct c as [[] [] [] [] [] [] [] []]; vm_compute; intuition congruence end ].
Ltac place_reading := let p := fresh "p" in intro p; normalise; terms; first [ quick | plain | solve [both_ground 1%nat] ].
Ltac listed_goal := match goal with
  | |- _ <-> ?r = length (filter ?v ?l) => first [ apply (counted_places _ v l); some_place | lazymatch l with seq ?a ?n => apply (counted_range v a n); place_reading end ]
  | |- _ <-> length (filter ?v ?l) = ?r => first [ rewrite (counted_places _ v l) by some_place; split; congruence | lazymatch l with seq ?a ?n => rewrite (counted_range v a n) by place_reading; split; congruence end ] end.
Ltac by_listing := solve [ start; lazymatch goal with |- context [NoDup] => idtac end; in_listing_order; first [ listed_goal | apply iff_sym; listed_goal ] ].
