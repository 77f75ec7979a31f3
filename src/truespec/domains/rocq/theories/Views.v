(** Lists by what they hold: how often a member occurs, a member and the rest, cuts and what is before and after them,
    order after filtering; witnesses that hypotheses determine, pairs of results, and functions of flattened trees. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Laws.
Import ListNotations.
Local Open Scope Z_scope.

(* A comparison with a numeral stays one comparison. *)
#[global] Arguments Nat.leb : simpl nomatch.
#[global] Arguments Nat.ltb : simpl nomatch.
#[global] Arguments Nat.eqb : simpl nomatch.

(** * How often *)
Section Counts.
  Context {T : Type} (e : forall x y : T, {x = y} + {x <> y}).
  Lemma count_filter p l x : count_occ e (filter p l) x = if p x then count_occ e l x else 0%nat.
  Proof.
    induction l as [|a l IH]; simpl; [destruct (p x); reflexivity|].
    destruct (p a) eqn:k; simpl; destruct (e a x) as [<-|]; rewrite ?IH, ?k; reflexivity.
  Qed.
  Lemma count_nodup l x : count_occ e (nodup e l) x = Nat.min 1 (count_occ e l x).
  Proof.
    pose proof (NoDup_nodup e l) as n. rewrite (NoDup_count_occ e) in n. specialize (n x).
    pose proof (count_occ_In e (nodup e l) x) as i. pose proof (count_occ_In e l x) as j. rewrite nodup_In in i. assert (k : (count_occ e (nodup e l) x > 0 <-> count_occ e l x > 0)%nat) by tauto. lia.
  Qed.
  Lemma count_member l x : In x l <-> (0 < count_occ e l x)%nat. Proof. apply count_occ_In. Qed.
  Lemma count_distinct l : NoDup l <-> forall x, (count_occ e l x <= 1)%nat. Proof. apply NoDup_count_occ. Qed.
  Lemma count_same l m : Permutation l m <-> forall x, count_occ e l x = count_occ e m x. Proof. apply Permutation_count_occ. Qed.
  Lemma count_remove l x y : count_occ e (remove e y l) x = if e y x then 0%nat else count_occ e l x.
  Proof.
    induction l as [|a l IH]; simpl; [destruct (e y x); reflexivity|].
    destruct (e y a) as [<-|]; simpl; rewrite IH; destruct (e y x); subst; try reflexivity; destruct (e a x); congruence.
  Qed.
End Counts.
Ltac with_decision T k := lazymatch T with Z => k Z.eq_dec | nat => k Nat.eq_dec | ascii => k ascii_dec | bool => k bool_dec | string => k string_dec end.
Ltac counted_type := match goal with l : list ?T |- _ => T end.
Ltac count_terms e := rewrite ?count_filter, ?count_remove, ?count_nodup, ?count_occ_app, ?count_rev in *; cbn [count_occ] in *.
Ltac as_counts e :=
  rewrite ?Forall_forall, ?Exists_exists in *; unfold incl in *;
  rewrite ?(count_same e), ?(count_distinct e) in *;
  repeat match goal with H : ?P |- _ => is_prop P; match P with context [In] => progress (first [ rewrite (count_member e) in H | setoid_rewrite (count_member e) in H ]) end end;
  repeat match goal with |- ?P => match P with context [In] => progress (first [ rewrite (count_member e) | setoid_rewrite (count_member e) ]) end end.
Ltac count_decisions := repeat (match goal with
  | |- context [if ?d then _ else _] => destruct d | H : context [if ?d then _ else _] |- _ => destruct d end; subst; try congruence; try lia).
Ltac count_instances := do 12 try match goal with
  | H : forall x : ?T, _, y : ?T |- _ => tryif is_prop T then fail else seed H y end.
Ltac count_openings := repeat match goal with H : _ /\ _ |- _ => destruct H | H : ex _ |- _ => destruct H end.
Ltac in_counts e := as_counts e; count_terms e; conjuncts; count_openings; count_instances; clear_marks; count_terms e; count_decisions;
  repeat match goal with H : In _ _ |- _ => rewrite (count_member e) in H | H : ~ In _ _ |- _ => rewrite (count_member e) in H end; first [ lia | assumption | congruence ].
(* A member stands somewhere, and the rest is what remains. *)
Lemma member_and_rest T (l : list T) x : In x l -> exists t, Permutation l (x :: t).
Proof. intro i. apply in_split in i. destruct i as (a & b & ->). exists (a ++ b). symmetry. apply Permutation_middle. Qed.
Ltac the_rest e := match goal with
  | |- exists t, Permutation ?l (?x :: t) /\ _ => let i := fresh in assert (i : In x l) by (first [ assumption | solve [in_counts e] ]);
      let p := fresh in destruct (member_and_rest _ l x i) as [? p]; eexists; split; [exact p|] end.
Ltac by_multiplicity := solve [ start; without_output; match goal with l : list ?T |- _ => with_decision T ltac:(fun e =>
  split; intro; open; conjuncts; open; first [ solve [in_counts e] | solve [the_rest e; in_counts e] ]) end ].

(** * Witnesses that hypotheses determine *)
(* Parts of the goal that hold an unknown are matched with hypotheses, in every way. *)
Ltac matched leaf := lazymatch goal with
  | |- ex _ => eexists; matched leaf
  | |- _ /\ _ => split; [matched leaf | matched leaf]
  | |- ?P => tryif has_evar P then (first [ reflexivity | multimatch goal with H : _ |- _ => exact H end ]) else leaf end.
Lemma max_member d x l : In (fold_right Z.max (hd d (x :: l)) (x :: l)) (x :: l).
Proof. destruct (max_facts (hd d (x :: l)) (x :: l)) as ([->|h] & _); [left; reflexivity|exact h]. Qed.
Lemma min_member d x l : In (fold_right Z.min (hd d (x :: l)) (x :: l)) (x :: l).
Proof. destruct (min_facts (hd d (x :: l)) (x :: l)) as ([->|h] & _); [left; reflexivity|exact h]. Qed.
Lemma hd_member T (d : T) l : l <> [] -> In (hd d l) l. Proof. destruct l; [congruence|left; reflexivity]. Qed.
Lemma hd_fold T (f : T -> T -> T) d l : (forall x y, f x y = x \/ f x y = y) -> l <> [] -> In (fold_right f (hd d l) l) l.
Proof.
  intros c n. assert (h : forall a m, fold_right f a m = a \/ In (fold_right f a m) m).
  { intros a m. induction m as [|y m IH]; simpl; [auto|]. destruct (c y (fold_right f a m)) as [-> | ->]; [auto|]. destruct IH as [-> |IH]; auto. }
  destruct (h (hd d l) l) as [-> |i]; [apply hd_member; exact n|exact i].
Qed.
Ltac extreme f d l n := let c := fresh in assert (c : forall x y, f x y = x \/ f x y = y) by (intros; lia); pose proof (hd_fold _ f d l c n); clear c.
Ltac extreme_members := repeat match goal with
  | n : ?l <> [], H : context [fold_right ?f (hd ?d ?l) ?l] |- _ => mark f (l, 5%nat) ltac:(extreme f d l n)
  | n : ?l <> [] |- context [fold_right ?f (hd ?d ?l) ?l] => mark f (l, 5%nat) ltac:(extreme f d l n)
  | H : In ?x ?l |- _ => mark l 6 ltac:(assert (l <> []) by (intro; subst; destruct H)) end; clear_marks.
Ltac matched_leaf := rewrite ?Forall_forall, ?Exists_exists in *; conjuncts; open; prove_ground 2%nat.
Ltac premises_first := repeat (lazymatch goal with |- ?A -> _ => is_prop A; intro end); open.
Ltac by_matching := solve [ start; without_output; split; intro; open; premises_first; rewrite ?Forall_forall, ?Exists_exists in *; open; extreme_members; facts; clear_marks; conjuncts; open;
  first [ (match goal with |- ex _ => idtac end; once (matched ltac:(solve [matched_leaf]))) | matched_leaf ] ].

(** * Cuts *)
Lemma begins T (s l : list T) : firstn (length s) l = s <-> exists t, l = s ++ t.
Proof.
  split; [intro h; exists (skipn (length s) l); rewrite <- (firstn_skipn (length s) l) at 1; rewrite h; reflexivity|].
  intros [t ->]. rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r. reflexivity.
Qed.
Lemma begins' T (s l : list T) : s = firstn (length s) l <-> exists t, l = s ++ t.
Proof. rewrite <- begins. split; auto. Qed.
Lemma some_skip T (P : list T -> Prop) l : (exists i, P (skipn i l)) <-> exists a b, l = a ++ b /\ P b.
Proof.
  split; [intros [i h]; exists (firstn i l), (skipn i l); split; [symmetry; apply firstn_skipn|exact h]|].
  intros (a & b & -> & h). exists (length a). rewrite skipn_app, skipn_all, Nat.sub_diag. exact h.
Qed.
Lemma cut_here T (l a b : list T) n : l = a ++ b /\ length a = Nat.min n (length l) <-> a = firstn n l /\ b = skipn n l.
Proof.
  split.
  - intros [-> h]. rewrite app_length in h. rewrite firstn_app, skipn_app. destruct (Nat.le_gt_cases n (length a)) as [k|k].
    + replace n with (length a) by lia. rewrite firstn_all, skipn_all, Nat.sub_diag, app_nil_r. auto.
    + assert (e : length b = 0%nat) by lia. apply length_zero_iff_nil in e. subst. rewrite firstn_all2, skipn_all2 by lia. rewrite firstn_nil, skipn_nil, app_nil_r. auto.
  - intros [-> ->]. rewrite firstn_skipn, firstn_length. auto.
Qed.
Lemma cut_at T (l a b : list T) : l = a ++ b <-> a = firstn (length a) l /\ b = skipn (length a) l.
Proof.
  split; [intros ->; rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag, app_nil_r; auto|].
  intros [h k]. rewrite <- (firstn_skipn (length a) l) at 1. congruence.
Qed.
Lemma same_cut T n m (l : list T) : Nat.min n (length l) = Nat.min m (length l) -> firstn n l = firstn m l /\ skipn n l = skipn m l.
Proof.
  intro e. destruct (Nat.le_gt_cases (length l) n), (Nat.le_gt_cases (length l) m);
    [rewrite !firstn_all2, !skipn_all2 by lia; auto| | |]; replace n with m by lia; auto.
Qed.
Ltac flat_append := repeat match goal with
  | H : ex _ |- _ => destruct H | H : _ /\ _ |- _ => destruct H
  | H : ?x = ?y |- _ => is_var x; subst x | H : ?x = ?y |- _ => is_var y; subst y end.
Lemma skip_first T (a b : list T) : skipn (length a) (a ++ b) = b.
Proof. rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. Qed.
Lemma take_first T (a b : list T) : firstn (length a) (a ++ b) = a.
Proof. rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r. reflexivity. Qed.
(* Both sides name the same parts in the same order. *)
Ltac same_appends := lazymatch goal with
  | |- ?a ++ ?b = ?c ++ ?d => first [ unify a c | is_evar c; unify c a | is_evar a; unify a c ]; f_equal; same_appends
  | |- ?a = ?b => first [ is_evar b; unify b a; reflexivity | is_evar a; unify a b; reflexivity | constr_eq a b; reflexivity
      | (tryif has_evar b then fail else tryif has_evar a then fail else (rewrite <- ?app_assoc; reflexivity)) ] end.
Ltac append_goal := lazymatch goal with
  | |- ex _ => eexists; append_goal
  | |- _ /\ _ => split; [append_goal | append_goal]
  | |- _ => first [ eassumption | solve [rewrite <- ?app_assoc; same_appends] | (tryif (match goal with |- ?P => has_evar P end) then fail else first [ lia | congruence ]) ] end.
Ltac place_leaf := rewrite ?skip_first, ?take_first, ?begins, ?begins', ?app_length; first [ append_goal | (split; [lia | append_goal]) | (split; [append_goal | lia]) ].
Ltac skip_witness := lazymatch goal with |- exists i : nat, _ => match goal with l : list _ |- _ => exists (length l); solve [place_leaf] | _ => exists 0%nat; solve [place_leaf] end end.
Ltac cut_hypotheses := repeat match goal with
  | H : context [firstn (length ?s) ?l = ?s] |- _ => rewrite (begins _ s l) in H
  | H : context [?s = firstn (length ?s) ?l] |- _ => rewrite (begins' _ s l) in H
  | H : skipn ?i ?l = _ |- _ => let e := fresh in pose proof (firstn_skipn i l) as e; rewrite H in e; clear H; symmetry in e end.
Ltac by_appends := solve [ start; without_output; first
  [ rewrite ?cut_here; first [ quick | rewrite cut_at; quick ]
  | split; intro; flat_append; cut_hypotheses; flat_append; cut_hypotheses; flat_append; rewrite <- ?app_assoc in *; first [ append_goal | skip_witness ] ] ].

(** * Order *)
Lemma pairwise_both_sides T (R : T -> T -> Prop) x l m : pairwise R (l ++ x :: m) <->
  pairwise R l /\ pairwise R m /\ (forall y, In y m -> R x y) /\ (forall y, In y l -> R y x) /\ (forall y z, In y l -> In z m -> R y z).
Proof. rewrite pairwise_app. simpl. split; [intros (a & (b & c) & d); repeat split; auto|intros (a & b & c & d & f); repeat split; auto; intros y z i [<-|j]; auto]. Qed.

(** * Sorted lists with the same members *)
Lemma sorted_counted T (e : forall x y : T, {x = y} + {x <> y}) (R : T -> T -> Prop) l m : (forall x y, R x y -> R y x -> x = y) -> pairwise R l -> pairwise R m -> (forall x, count_occ e l x = count_occ e m x) -> l = m.
Proof. intros a h k c. apply (sorted_same T R a l m h k). apply (Permutation_count_occ e). exact c. Qed.
Lemma kept_members T (e : forall x y : T, {x = y} + {x <> y}) (f : T -> list T -> list T) : (forall x l z, count_occ e (f x l) z = count_occ e (x :: l) z) -> forall x l z, In z (f x l) -> z = x \/ In z l.
Proof.
  intros h x l z i. apply (count_occ_In e) in i. rewrite h in i. apply (count_occ_In e) in i. destruct i; auto.
Qed.
Ltac kept_by e f := lazymatch type of f with
  | ?T -> list ?T -> list ?T => let h := fresh "kept" in assert (h : forall x l z, count_occ e (f x l) z = count_occ e (x :: l) z)
      by (let x := fresh in let l := fresh in intros x l; revert x; induction l; intros; cbn in *; count_decisions; plain_cases; cbn in *; by_counts; cbn in *; count_decisions; first [ reflexivity | lia ]);
      pose proof (kept_members _ e f h)
  | list ?T -> list ?T => let h := fresh "kept" in assert (h : forall l z, count_occ e (f l) z = count_occ e l z)
      by (let l := fresh in intro l; induction l; intros; cbn in *; by_counts; cbn in *; first [ reflexivity | count_decisions; first [ reflexivity | lia ] ]) end.
Ltac step_orders := intros; cbn in *; plain_cases; repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat split; intros; repeat match goal with
  | K : forall x l z, In z (?f x l) -> _, i : In _ (?f _ _) |- _ => apply K in i; destruct i; subst
  | i : In _ (_ :: _) |- _ => destruct i; subst
  | i : _ \/ _ |- _ => destruct i; subst
  | K : forall y, In y ?l -> _, i : In ?t ?l |- _ => mark K t ltac:(pose proof (K t i)) end; clear_marks; first [ assumption | contradiction | lia | auto ].
Ltac ordered_by R f := lazymatch type of f with
  | ?T -> list ?T -> list ?T => let h := fresh "ordered" in assert (h : forall x l, pairwise R l -> pairwise R (f x l)) by (let x := fresh in let l := fresh in intros x l; revert x; induction l; step_orders)
  | list ?T -> list ?T => let h := fresh "ordered" in assert (h : forall l, pairwise R (f l)) by (let l := fresh in intro l; induction l; cbn; auto) end.
Ltac order_facts e R := for_recursive ltac:(fun f => try (kept_by e f; try ordered_by R f)).
Ltac order_leaf := first [ assumption | solve [auto] | lia ].
Ltac ordered_goal := rewrite ?pairwise_both_sides, ?pairwise_app; repeat split; intros;
  repeat match goal with H : In _ (filter _ _) |- _ => apply filter_In in H; destruct H; booleans_to_props end;
  first [ solve [auto] | solve [repeat first [ apply pairwise_filter | apply pairwise_map ]; auto] | apply pairwise_seq | lia
    | match goal with K : pairwise _ (_ :: _) |- _ => destruct K; auto end
    | match goal with |- pairwise _ (fold_right _ _ ?l) => induction l; cbn; auto end ].
Ltac counted_goal e := intros; rewrite ?count_occ_app, ?count_filter; cbn [count_occ]; by_counts; rewrite ?count_filter; cbn [count_occ];
  repeat (match goal with |- context [if ?d then _ else _] => let h := fresh in destruct d eqn:h end; subst); booleans_to_props; first [ reflexivity | lia | congruence ].
Ltac ordered_output e := lazymatch goal with
  | |- _ /\ _ => split; ordered_output e
  | |- pairwise _ _ => ordered_goal
  | |- _ => first [ counted_goal e | match goal with |- context [fold_right _ _ ?l] => induction l; [reflexivity|]; cbn; counted_goal e end ] end.
Ltac same_ordered e := match goal with H : pairwise ?R ?l, K : pairwise ?R ?m |- ?l = ?m => first
  [ apply (sorted_counted _ e R l m); [ solve [intros; cbv beta in *; lia] | exact H | exact K | let x := fresh in intro x; count_instances; by_counts; cbn in *; first [ congruence | lia ] ]
  | apply (sorted_members _ R l m); [ solve [intros; cbv beta in *; lia] | exact H | exact K | same_members ] ] end.
Ltac common_parts := repeat first [ apply imp_parts; [reflexivity | intro] | apply and_parts; [reflexivity | intro] ].
Ltac by_ordering := solve [ start; terms; normalise; terms; common_parts; match goal with |- context [pairwise ?R ?r] => is_var r; let T := type of r in lazymatch T with list ?U => with_decision U ltac:(fun e =>
  order_facts e R; first [ lazymatch goal with |- _ <-> r = _ => apply iff_sym | |- _ <-> _ = r => apply iff_sym | _ => idtac end ];
  revert r; first [ apply output | apply output' ]; cbv beta; [ ordered_output e | intros; repeat match goal with H : _ /\ _ |- _ => destruct H end; same_ordered e ]) end end ].

(** * Functions of joined lists and of trees that are flattened *)
Lemma flat_map_joined A B (f : A -> list B) l m : flat_map f (l ++ m) = flat_map f l ++ flat_map f m. Proof. apply flat_map_app. Qed.
Ltac distribute := rewrite ?fold_right_plus_app, ?fold_right_sum_app, ?app_length, ?map_app, ?rev_app_distr, ?existsb_app, ?forallb_app, ?filter_app, ?fold_left_app, ?count_occ_app, ?concat_app, ?flat_map_app,
  ?Forall_app, ?Exists_app, ?Forall_cons_iff, ?Exists_cons, ?in_app_iff, ?Exists_nil; cbn [rev map filter fold_right fold_left existsb forallb length In concat flat_map app count_occ].
Lemma every_in T (P : T -> Prop) l : (forall x, In x l -> P x) <-> Forall P l. Proof. symmetry. apply Forall_forall. Qed.
Lemma some_in T (P : T -> Prop) l : (exists x, In x l /\ P x) <-> Exists P l. Proof. symmetry. apply Exists_exists. Qed.
Lemma both_by A A' B B' : (A <-> A') -> (B <-> B') -> (A' <-> B') -> (A <-> B). Proof. tauto. Qed.
Lemma nil_all T (P : T -> Prop) : Forall P [] <-> True. Proof. split; auto. Qed.
Ltac as_forall := eapply both_by; [first [apply every_in | apply some_in | reflexivity] | first [apply every_in | apply some_in | reflexivity] | cbv beta].
Ltac all_hypotheses := do 4 try match goal with IH : _ <-> _ |- _ => progress (rewrite IH) | IH : forall _, _ <-> _ |- _ => progress (rewrite IH) | IH : _ = _ |- _ => progress (rewrite IH) | IH : forall _, _ = _ |- _ => progress (rewrite IH) end.
Ltac joined_leaf := first [ reflexivity | tauto | lia | congruence | solve [intuition (first [congruence | lia])]
  | solve [intuition (subst; auto)] | (rewrite <- ?app_assoc; reflexivity) | ring ].
Ltac joined_step := cbn in *; rewrite ?app_nil_r, ?nil_all, ?Exists_nil; distribute; first
  [ joined_leaf | solve [all_hypotheses; distribute; joined_leaf]
  | solve [to_props; distribute; all_hypotheses; to_props; joined_leaf]
  | solve [repeat (case_of; subst; cbn in * ); distribute; to_props; all_hypotheses; to_props; joined_leaf] ].
Ltac by_flattening := solve [ start; without_output; unfold list_sum in *; as_forall; try (same_results); try (first [ apply eq_true_iff_eq | idtac ]);
  multimatch goal with x : _ |- _ => of_declared_type x; lazymatch type of x with list _ => fail | _ => idtac end; generalise_others x; induction x; intros; joined_step end ].

(** * Results: pairs, partitions and conditions *)
Lemma odd_not_even n : Nat.odd n = negb (Nat.even n). Proof. reflexivity. Qed.
Lemma partition_filters T p (l : list T) : partition p l = (filter p l, filter (fun x => negb (p x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. destruct (p x); reflexivity. Qed.
Ltac result_terms := rewrite ?partition_filters; cbn [fst snd].
Lemma pair_results A B (a x : A) (b y : B) p : p = (x, y) -> (a = x /\ b = y <-> (a, b) = p). Proof. intros ->. rewrite pair_equal_spec. tauto. Qed.
Lemma pair_results' A B (a x : A) (b y : B) p : p = (x, y) -> (a = x /\ b = y <-> p = (a, b)). Proof. intros ->. rewrite pair_equal_spec. intuition. Qed.
Ltac paired := first [ apply pair_results | apply pair_results' | apply iff_sym, pair_results | apply iff_sym, pair_results' ].
Ltac pair_step := cbn in *; rewrite ?odd_not_even; first [ reflexivity | lia | congruence
  | solve [repeat match goal with |- context [let (_, _) := ?t in _] => lazymatch t with context [match _ with _ => _ end] => fail | _ => match goal with IH : forall _, _ |- _ => progress (rewrite IH) | IH : t = _ |- _ => rewrite IH end end end; cbn; plain_cases; first [ reflexivity | congruence ]] ].
Ltac other_cases x := repeat match goal with y : list _ |- _ => lazymatch goal with _ : done y 7 |- _ => fail | _ => idtac end; tryif constr_eq x y then fail else (destruct y; [|match goal with t : list _ |- _ => assert (done t 7) by exact I end]) end; clear_marks.
Ltac pair_induction x := generalise_others x; induction x; intros; first [ pair_step | match goal with y : list _ |- _ => destruct y; pair_step end ].
Ltac by_pairs := solve [ start; result_terms; paired; result_terms; clear_idle; first [ reflexivity | multimatch goal with x : _ |- _ => lazymatch type of x with list _ => idtac | nat => idtac | string => idtac end; solve [pair_induction x] end ] ].
Ltac by_conditions := solve [ start; scan_conditions; first [ lia | (booleans_to_props; first [ lia | intuition (first [ congruence | lia ]) ]) ] ].
