(** Runs of a list and members of its parts, powers, counts that a function carries along, tests that hold alike, and results
    that are there under a condition. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Around.
Import ListNotations.
Local Open Scope Z_scope.

(** * Powers: exponents that are not negative are naturals *)
Ltac numbers_as_naturals := repeat match goal with
  | n : Z |- _ => lazymatch goal with _ : done n 80 |- _ => fail | _ => idtac end; assert (done n 80) by exact I;
      let h := fresh in assert (h : 0 <= n) by (clear_marks; lia); let k := fresh n in destruct (Z_of_nat_complete n h) as [k ->]; clear h end; clear_marks.
Ltac is_numeral n := lazymatch n with O => idtac | S ?m => is_numeral m end.
Ltac of_naturals := rewrite ?Nat2Z.inj_pow, ?Nat2Z.inj_mul, ?Nat2Z.inj_add, ?Nat2Z.inj_succ, ?Z.pow_succ_r, ?Z.log2_pow2, ?Z.shiftl_1_l in * by lia;
  repeat match goal with |- context [Z.of_nat ?n] => is_numeral n; let z := eval vm_compute in (Z.of_nat n) in change (Z.of_nat n) with z
   | H : context [Z.of_nat ?n] |- _ => is_numeral n; let z := eval vm_compute in (Z.of_nat n) in change (Z.of_nat n) with z in H end.
Ltac power_leaf := of_naturals; first [ lia | reflexivity | congruence | apply Z.log2_nonneg | (apply Z.pow_pos_nonneg; lia) | nia ].
Ltac power_goal := lazymatch goal with
  | |- exists k : nat, _ => match goal with n : nat |- _ => exists n; solve [power_goal] | _ : context [Z.log2 ?n] |- _ => exists (Z.to_nat (Z.log2 n)); rewrite ?Z2Nat.id by apply Z.log2_nonneg; solve [power_goal] end
  | |- exists k : Z, _ => match goal with n : nat |- _ => exists (Z.of_nat n); solve [power_goal] | _ : context [Z.log2 ?n] |- _ => exists (Z.log2 n); solve [power_goal] end
  | |- _ /\ _ => split; power_goal
  | |- _ => power_leaf end.
Ltac by_powers := solve [ start; lazymatch goal with |- context [Z.pow] => idtac | |- context [Nat.pow] => idtac | |- context [Z.log2] => idtac end; without_output; first [ normalise | idtac ];
  split; intro; open; numbers_as_naturals; power_goal ].

(** * Runs of a list: by where they begin and how long they are, or by what is before and after them *)
Lemma segment_cut T (l : list T) i n : l = firstn i l ++ firstn n (skipn i l) ++ skipn (i + n) l.
Proof. rewrite <- (skipn_of_skipn T n i l), firstn_skipn, firstn_skipn. reflexivity. Qed.
Lemma cut_segment T (u v w : list T) : firstn (length v) (skipn (length u) (u ++ v ++ w)) = v.
Proof. rewrite skip_first, take_first. reflexivity. Qed.
Lemma segment_at T (u v w : list T) i n : i = length u -> n = length v -> firstn n (skipn i (u ++ v ++ w)) = v.
Proof. intros -> ->. apply cut_segment. Qed.
Lemma rest_at T (u w : list T) i : (i = length u \/ (length u <= i /\ length w = 0))%nat -> skipn i (u ++ w) = w.
Proof. intros [->|[h e]]; [apply skip_first|]. destruct w; [|discriminate]. rewrite app_nil_r. apply skipn_all2. exact h. Qed.
Lemma first_at T (u w : list T) i : (i = length u \/ (length u <= i /\ length w = 0))%nat -> firstn i (u ++ w) = u.
Proof. intros [->|[h e]]; [apply take_first|]. destruct w; [|discriminate]. rewrite app_nil_r. apply firstn_all2. exact h. Qed.
Lemma cut_to T (l : list T) i j : (i <= j)%nat -> l = firstn i l ++ firstn (j - i) (skipn i l) ++ skipn j l.
Proof. intro h. replace j with (i + (j - i))%nat at 2 by lia. apply segment_cut. Qed.
Ltac part_lengths := rewrite ?nil_length, ?app_length, ?firstn_length, ?skipn_length in *.
Ltac part_known := repeat match goal with
  | |- context [firstn (length ?l) ?l] => rewrite (firstn_all l)
  | |- context [firstn ?n (skipn ?i (?u ++ ?v ++ ?w))] => rewrite (segment_at _ u v w i n) by (rewrite ?app_length in *; lia)
  | |- context [skipn ?i (?u ++ ?w)] => rewrite (rest_at _ u w i) by (rewrite ?app_length in *; lia)
  | |- context [firstn ?i (?u ++ ?w)] => rewrite (first_at _ u w i) by (rewrite ?app_length in *; lia)
  | H : context [firstn ?n (skipn ?i (?u ++ ?v ++ ?w))] |- _ => rewrite (segment_at _ u v w i n) in H by (rewrite ?app_length in *; lia)
  | H : context [skipn ?i (?u ++ ?w)] |- _ => rewrite (rest_at _ u w i) in H by (rewrite ?app_length in *; lia)
  | H : context [firstn ?i (?u ++ ?w)] |- _ => rewrite (first_at _ u w i) in H by (rewrite ?app_length in *; lia) end.
(* The equations of a cut: into three parts or two, at the places at hand. *)
Ltac same_parts := solve [repeat (first [ reflexivity | assumption | (symmetry; assumption) | congruence | f_equal ])].
Ltac cut_equation := first [ assumption | (symmetry; assumption)
  | match goal with |- _ = _ => idtac end; first [ cut_here | (symmetry; cut_here) ] ]
with cut_here := match goal with
  | |- ?l = firstn ?i ?l ++ _ ++ skipn (?i + ?n) ?l => refine (eq_trans (segment_cut _ l i n) _); same_parts
  | |- ?l = firstn ?i ?l ++ _ ++ skipn ?j ?l => refine (eq_trans (cut_to _ l i j _) _); [ lia | same_parts ]
  | |- ?l = firstn ?n ?l ++ _ => refine (eq_trans (eq_sym (firstn_skipn n l)) _); same_parts end.
Ltac part_leaf := part_known; first [ assumption | lia | congruence | cut_equation | (part_lengths; first [ lia | (intro; part_lengths; lia) ]) | (progress cut_known; cut_equation) ].
(* A run that is spoken of, as the three parts that it makes of the list. *)
Ltac a_run k := match goal with
  | |- context [firstn ?n (skipn ?i ?l)] => k (firstn i l) (firstn n (skipn i l)) (skipn (i + n) l)
  | _ : context [firstn ?n (skipn ?i ?l)] |- _ => k (firstn i l) (firstn n (skipn i l)) (skipn (i + n) l) end.
Ltac its_end u v k := first [ k (length u) (length v) | k (length u) (length u + length v)%nat | k (length u) (length u + length v - 1)%nat ].
Ltac run_goal := lazymatch goal with
  | |- _ /\ _ => split; run_goal
  | |- exists u v w : list _, _ => a_run ltac:(fun u v w => exists u, v, w; solve [run_goal])
  | |- exists u w : list _, _ => a_run ltac:(fun u v w => exists u, w; solve [run_goal])
  | |- exists u : list _, _ => match goal with |- context [skipn ?n ?l] => exists (firstn n l); solve [run_goal] | _ : context [skipn ?n ?l] |- _ => exists (firstn n l); solve [run_goal]
      | |- context [firstn ?n ?l] => exists (skipn n l); solve [run_goal] | _ : context [firstn ?n ?l] |- _ => exists (skipn n l); solve [run_goal] end
  | |- exists i n : nat, _ => match goal with |- context [?u ++ ?v ++ ?w] => its_end u v ltac:(fun i n => exists i, n; solve [run_goal]) end
  | |- exists i : nat, _ => match goal with |- context [?u ++ _] => exists (length u); solve [run_goal] end
  | |- _ -> _ => intro; open; run_goal
  | |- forall _, _ => intro; open; run_goal
  | |- _ => first [ part_leaf
     | match goal with H : forall u v w : list _, _ |- _ => a_run ltac:(fun u v w => let h := fresh in pose proof (H u v w) as h; solve [run_fires h])
       | H : forall i n : nat, _ |- _ => match type of H with context [?u ++ ?v ++ ?w] => its_end u v ltac:(fun i n => let h := fresh in pose proof (H i n) as h; solve [run_fires h]) end end ] end
with run_fires h := repeat (let t := type of h in lazymatch t with ?A -> ?B => is_prop A; let a := fresh in assert (a : A) by part_leaf; specialize (h a); clear a end); open; part_leaf.
Ltac in_runs := lazymatch goal with |- context [skipn] => idtac | |- context [firstn] => idtac | |- context [substring] => idtac end; lazymatch goal with |- context [app] => idtac | |- context [append] => idtac end.
Ltac by_runs := solve [ start; in_runs; without_output; try (match goal with _ : string |- _ => idtac end; as_letters); split; intro; open; run_goal ].

(** * Members of a beginning or of a rest, by their places *)
Lemma in_skipn T (d : T) n l x : In x (skipn n l) <-> exists i, (n <= i)%nat /\ (i < length l)%nat /\ x = nth i l d.
Proof.
  rewrite (member_at T d), skipn_length. split.
  - intros (j & h & <-). exists (n + j)%nat. rewrite nth_skipn_all. repeat split; lia.
  - intros (j & h & k & ->). exists (j - n)%nat. rewrite nth_skipn_all. split; [lia|f_equal; lia].
Qed.
#[export] Hint Extern 0 (Nf (@In ?T _ (skipn _ _)) _) => (with_default T ltac:(fun d => apply (in_skipn T d))) : typeclass_instances.
Lemma nf_all_skipn T (d : T) n l (P Q : T -> Prop) : (forall x, Nf (P x) (Q x)) -> Nf (forall x, In x (skipn n l) -> P x) (forall i, (n <= i)%nat -> (i < length l)%nat -> Q (nth i l d)).
Proof.
  unfold Nf in *. intro e. split.
  - intros h i a b. apply e, h, (in_skipn T d). eauto.
  - intros h x k. apply (in_skipn T d) in k. destruct k as (i & a & b & ->). apply e. auto.
Qed.
#[export] Hint Extern 0 (Nf (forall x : ?T, In x (skipn _ _) -> _) _) => (with_default T ltac:(fun d => eapply (nf_all_skipn T d))) : typeclass_instances.
Ltac part_members := repeat match goal with
  | H : forall x : ?T, In x ?l -> _ |- _ => is_fact H; with_default T ltac:(fun d => let h := fresh in lazymatch l with
      | firstn ?n ?m => pose proof (fun j a b => H (nth j m d) (proj2 (in_firstn T d n m (nth j m d)) (ex_intro _ j (conj a (conj b eq_refl))))) as h
      | skipn ?n ?m => pose proof (fun j a b => H (nth j m d) (proj2 (in_skipn T d n m (nth j m d)) (ex_intro _ j (conj a (conj b eq_refl))))) as h
      | _ => is_var l; pose proof (fun j a => H (nth j l d) (nth_In l d a)) as h end; clear H; cbv beta in h)
  | H : @In ?T ?x ?l |- _ => with_default T ltac:(fun d => lazymatch l with
      | firstn _ _ => apply (in_firstn T d) in H; destruct H as (? & ? & ? & H)
      | skipn _ _ => apply (in_skipn T d) in H; destruct H as (? & ? & ? & H)
      | _ => is_var l; apply (member_at T d) in H; destruct H as (? & ? & H) end; try subst x) end.
Ltac order_places := repeat match goal with i : nat, j : nat |- _ => tryif constr_eq i j then fail else (lazymatch goal with _ : done i j |- _ => fail | _ => idtac end; assert (done i j) by exact I; assert (done j i) by exact I;
  destruct (lt_eq_lt_dec i j) as [[?|?]|?]; [ | try subst | ]; try (exfalso; lia)) end; clear_marks.
Ltac by_part_members := solve [ start; match goal with |- context [In _ (firstn _ _)] => idtac | |- context [In _ (skipn _ _)] => idtac | |- context [Forall _ (firstn _ _)] => idtac | |- context [Forall _ (skipn _ _)] => idtac end;
  without_output; split_results; rewrite ?Forall_forall; cbv beta; split; intro; open; conjuncts; part_members; open; conjuncts; part_members; first [ lia | (order_places; seed_places; fire; first [ lia | congruence ]) | prove_ground 2%nat ] ].

(** * Heads with the hypotheses, and after the cases of what is matched on *)
Lemma by_at_goal P Q : At P Q -> Q -> P. Proof. unfold At. tauto. Qed.
Ltac heads_of_all := match goal with |- ?P => eapply (by_at_goal P); [once (typeclasses eauto) | cbv beta iota] end.
Ltac by_first_of_all := solve [ start; without_output; match goal with |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l end; list_matches; cbn [In length app hd tl] in *; normalise; try heads; first [ quick | plain | both_ground 1%nat ] ].
Ltac deep_leaf := first [ tauto | lia | congruence | discriminate | solve [at_variables; first [ tauto | intuition (first [assumption | lia | congruence | discriminate]) ]] ].
Ltac deep_step := cbn in *; head_cases; booleans_to_props; try discriminate; try tauto; cbn in *; hypotheses_too; heads_of_all; intros; deep_leaf.
Ltac deep_induction x := generalise_others x; induction x; intros; first [ solve [deep_step] | solve [other_heads_but x; deep_step] ].
Ltac by_deep_heads := solve [ start; without_output; terms; split_options; try heads; scanned ltac:(fun x => lazymatch type of x with nat => fail | _ => idtac end; solve [deep_induction x]) ].

(** * Counts and sums that a recursive function carries along *)
(* What is counted starts with what the function starts with. *)
Ltac counters k := match goal with
  | |- context [@count_occ ?T ?e _ ?o] => k (@count_occ T e) (fun d l x => ((if e x o then d else 0) + @count_occ T e l x)%nat)
  | |- context [@fold_right Z Z Z.add 0] => k (@fold_right Z Z Z.add 0) (fun d l => d + fold_right Z.add 0 l)
  | |- context [@fold_right nat nat Nat.add 0%nat] => k (@fold_right nat nat Nat.add 0%nat) (fun d l => (d + fold_right Nat.add 0 l)%nat) end.
Ltac is_start c := lazymatch c with O => idtac | Z0 => idtac end.
Ltac carried_start f k := calls_of f ltac:(fun t => scans_of t ltac:(fun l => arguments t ltac:(fun c => is_start c; k t l c))).
Ltac depth_hypothesis := match goal with H : forall n : nat, _ |- _ => first [ (specialize (H 0%nat); cbn in H; lia) | match goal with i : nat |- _ => specialize (H i); lia end ] end.
Ltac depth_witness := match goal with |- exists _ : nat, _ => first [ (exists 0%nat; cbn; repeat split; lia) | match goal with i : nat |- _ => first [ (exists i; repeat split; lia) | (exists (S i); cbn; repeat split; lia) ] end ] end.
Ltac depth_ground := split; intro; open; conjuncts; open; try discriminate; first [ lia | depth_hypothesis | depth_witness ].
Ltac depth_leaf := first [ lia | descend ltac:(lia) | depth_ground | ((try setoid_rewrite firstn_nil); cbn; first [ normalise | idtac ]; first [ lia | depth_ground ]) ].
Ltac decided := repeat (match goal with |- context [if ?b then _ else _] => lazymatch type of b with sumbool _ _ => destruct b; try discriminate; try congruence end end).
Ltac by_hypothesis := repeat match goal with
  | IH : forall d, ?f d ?l = true <-> _ |- context [?f ?e ?l = true] => rewrite (IH e)
  | IH : forall d, ?f ?l d = true <-> _ |- context [?f ?l ?e = true] => rewrite (IH e)
  | IH : forall d, ?f d ?l ?k = true <-> _ |- context [?f ?e ?l ?k = true] => rewrite (IH e)
  | IH : forall d, ?f (Z.of_nat d) ?l = true <-> _ |- context [?f ?e ?l = true] => replace e with (Z.of_nat (Z.to_nat e)) by lia; rewrite (IH (Z.to_nat e))
  | IH : forall d, ?f ?l (Z.of_nat d) = true <-> _ |- context [?f ?l ?e = true] => replace e with (Z.of_nat (Z.to_nat e)) by lia; rewrite (IH (Z.to_nat e)) end.
Ltac depth_step := intros; cbn; head_cases; booleans_to_props; decided; try discriminate; try (exfalso; lia); by_hypothesis; cbn; decided; try heads; decided; depth_leaf.
Ltac from_any_start t l c := counters ltac:(fun a b => match goal with |- ?P =>
  let g := lazymatch eval pattern c in t with ?g _ => g end in
  let s := lazymatch eval pattern t, a in P with ?F _ _ => match F with _ => constr:(forall d, F (g d) (b d)) | _ => constr:(forall d, F (g (Z.of_nat d)) (b d)) end end in
  let s := eval cbv beta in s in
  let h := fresh in assert (h : s); [ clear_others l; induction l as [|? ? ?]; solve [depth_step] | (let k := fresh in first [ assert (k := h c) | assert (k := h O) ]; revert k; cbv beta; decided; let k := fresh in intro k; exact k) ] end)
with clear_others l := repeat match goal with y : ?T |- _ => tryif constr_eq y l then fail else (tryif is_prop T then clear y else fail) end.
Ltac by_depths := solve [ start; without_output; terms; for_recursive ltac:(fun f => carried_start f from_any_start) ].

(** * Tests that hold alike, or of all that another does not hold of *)
Lemma alike T (p q : T -> bool) l : (forall x, p x = q x) -> length (filter p l) = length (filter q l).
Proof. intro h. rewrite (filter_ext p q h). reflexivity. Qed.
Lemma apart T (p q : T -> bool) l : (forall x, q x = negb (p x)) -> (length (filter p l) + length (filter q l))%nat = length l.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h. destruct (p x); simpl; lia. Qed.
Lemma counted_tests T (e : forall x y : T, {x = y} + {x <> y}) l x : count_occ e l x = length (filter (fun y => if e y x then true else false) l).
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (e y x); simpl; congruence. Qed.
Ltac same_test := solve [intro; cbv beta; fold_cases; first [ reflexivity | congruence | lia ]].
Ltac tests_related := rewrite ?counted_tests; repeat match goal with |- context [length (filter ?p ?l)] => match goal with |- context [length (filter ?q l)] => tryif constr_eq p q then fail else
  (lazymatch goal with _ : done p q |- _ => fail | _ => idtac end; assert (done p q) by exact I; assert (done q p) by exact I;
   first [ rewrite (alike _ p q l ltac:(same_test)) | pose proof (apart _ p q l ltac:(same_test)) ]) end end; clear_marks.
Ltac by_tests := solve [ start; match goal with |- context [length (filter _ _)] => idtac end; without_output; try take_premises; terms; progress tests_related; first [ lia | (normalise; lia) ] ].

(** * Results that are there under a condition, along two lists *)
Ltac shifted_hypothesis := repeat match goal with
  | IH : forall (m : list ?T), _, m : list ?T |- _ => specialize (IH m)
  | IH : forall r : Z, _, r : Z |- context [?t + _] => specialize (IH (r - t))
  | IH : forall r : Z, _, r : Z |- _ => specialize (IH r) end.
Ltac partial_step := intros; cbn; shifted_hypothesis; hypotheses_too; head_cases; intros; first [ lia | (intuition (first [ lia | congruence ])) ].
Ltac both_lists step := match goal with l : list _, m : list _ |- _ => generalise_others l; induction l; intro m; destruct m; solve [step] end.
Ltac zip_step := intros; cbn; try match goal with IH : forall m, _ = _ |- _ => first [ rewrite IH | rewrite <- IH ] end; fold_cases; cbn; first [ reflexivity | congruence | lia ].
Ltac by_partial_results := solve [ start; first
  [ match goal with |- context [match _ with Some _ => _ | None => _ end] => idtac end; both_lists partial_step
  | match goal with _ : option _ |- _ => same_results; both_lists zip_step end ] ].

(** * Two functions from one start: the same from any *)
Ltac same_start_step := intros; cbn; try by_equations; fold_cases; cbn; try by_equations; first [ reflexivity | congruence | lia | (f_equal; first [ lia | by_equations; reflexivity ]) ].
Ltac is_first c := lazymatch c with O => idtac | Z0 => idtac | nil => idtac | EmptyString => idtac | true => idtac | false => idtac end.
Ltac by_same_start := solve [ start; same_results; match goal with |- ?a = ?b => scans_of a ltac:(fun l => arguments a ltac:(fun c => is_first c; arguments b ltac:(fun d => constr_eq c d);
  let A := lazymatch eval pattern c in a with ?A _ => A end in let B := lazymatch eval pattern c in b with ?B _ => B end in
  let h := fresh in assert (h : forall d, A d = B d); [ cbv beta; induction l; solve [same_start_step] | exact (h c) ])) end ].
