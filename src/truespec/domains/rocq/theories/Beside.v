(** Functions that count down beside a range or look at the next member, members in a row, members at hand, halves of numbers,
    and logarithms by their bounds. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Segments.
Import ListNotations.
Local Open Scope Z_scope.

(** * Ranges and functions that count down *)
Ltac each_position t n k := match t with ?g n => k g | ?g n ?b => k (fun x => g x b) | ?g n ?b ?c => k (fun x => g x b c) end.
Ltac range_terms := rewrite ?filter_app, ?map_app, ?flat_map_app, ?app_length, ?fold_left_app, ?forallb_app, ?existsb_app; cbn [filter map flat_map length app fold_left fold_right forallb existsb]; terms.
Ltac countdown_leaf := first [ reflexivity | lia | congruence | ring | (fold_cases; cbn [length app fold_right]; first [ reflexivity | lia | congruence | ring ]) | (rewrite ?app_nil_r; congruence)
  | (rewrite andb_comm; congruence) | (rewrite orb_comm; congruence) | (rewrite ?andb_true_r, ?orb_false_r; first [ congruence | (rewrite andb_comm; congruence) | (rewrite orb_comm; congruence) ]) ].
Ltac countdown_step := intros; first [ solve [cbn; countdown_leaf] | (rewrite seq_S; range_terms; for_recursive ltac:(fun f => try (cbn [f])); rewrite ?Nat.add_1_l; by_equations; cbn [Nat.add]; countdown_leaf) ].
Ltac beside_range t e n := match e with context [seq ?a n] =>
  let F := lazymatch eval pattern (seq a n) in e with ?F _ => F end in
  each_position t n ltac:(fun g => let h := fresh in
    assert (h : forall k, F (seq a k) = g k) by (let k := fresh "k" in intro k; cbv beta; induction k; solve [countdown_step]); first [ exact (h n) | exact (eq_sym (h n)) ]) end.
Ltac countdown_goal := match goal with
  | n : nat |- ?e = ?t => first [ beside_range t e n | symmetry; beside_range e t n ] end.
Ltac by_countdown := solve [ start; match goal with |- context [seq _ ?n] => is_var n end; list_matches; same_results; countdown_goal ].

(** * Logarithms by their bounds *)
Ltac log_known := repeat match goal with
  | |- context [Nat.log2 ?n] => lazymatch goal with _ : done n 82 |- _ => fail | _ => idtac end; assert (done n 82) by exact I; pose proof (Nat.log2_spec n ltac:(lia))
  | |- context [Z.log2 ?n] => lazymatch goal with _ : done n 82 |- _ => fail | _ => idtac end; assert (done n 82) by exact I; pose proof (Z.log2_spec n ltac:(lia)); pose proof (Z.log2_nonneg n) end; clear_marks.
Ltac power_steps := rewrite ?Z.add_1_r in *; rewrite ?Nat.add_1_r in *; rewrite ?Nat.pow_succ_r' in *.
Ltac log_goal := first
  [ (symmetry; first [ apply Nat.log2_unique | apply Z.log2_unique ]; power_steps; lia)
  | (first [ apply Nat.log2_unique | apply Z.log2_unique ]; power_steps; lia)
  | (log_known; power_steps; lia) ].
Ltac by_logarithms := solve [ start; lazymatch goal with |- context [Nat.log2] => idtac | |- context [Z.log2] => idtac end; try take_premises; split; intro; open; subst; conjuncts; log_goal ].

(** * Halves *)
Lemma even_twice k : Z.even (2 * k) = true. Proof. apply Z.even_spec. exists k. reflexivity. Qed.
Lemma even_next k : Z.even (2 * k + 1) = false. Proof. rewrite <- Z.negb_odd. apply negb_false_iff, Z.odd_spec. exists k. reflexivity. Qed.
Lemma odd_twice k : Z.odd (2 * k) = false. Proof. rewrite <- Z.negb_even, even_twice. reflexivity. Qed.
Lemma odd_next k : Z.odd (2 * k + 1) = true. Proof. apply Z.odd_spec. exists k. reflexivity. Qed.
Lemma neven_twice k : Nat.even (2 * k) = true. Proof. apply Nat.even_spec. exists k. reflexivity. Qed.
Lemma nodd_next k : Nat.odd (2 * k + 1) = true. Proof. apply Nat.odd_spec. exists k. reflexivity. Qed.
Lemma nodd_twice k : Nat.odd (2 * k) = false. Proof. unfold Nat.odd. rewrite neven_twice. reflexivity. Qed.
Lemma neven_next k : Nat.even (2 * k + 1) = false. Proof. apply negb_true_iff. exact (nodd_next k). Qed.
Ltac halve n := let k := fresh "k" in lazymatch type of n with
  | Z => destruct (Z.Even_or_Odd n) as [[k ->]|[k ->]]
  | nat => destruct (Nat.Even_or_Odd n) as [[k ->]|[k ->]] end.
Ltac halves := match goal with |- context [Z.even ?n] => is_var n; halve n | |- context [Z.odd ?n] => is_var n; halve n | |- context [Nat.even ?n] => is_var n; halve n | |- context [Nat.odd ?n] => is_var n; halve n
  | |- context [(?n mod 2)] => is_var n; halve n | |- context [(?n mod 2)%nat] => is_var n; halve n end;
  rewrite ?even_twice, ?even_next, ?odd_twice, ?odd_next, ?neven_twice, ?neven_next, ?nodd_twice, ?nodd_next.
Ltac half_goal := lazymatch goal with
  | |- _ /\ _ => split; half_goal
  | |- _ -> _ => intro; open; half_goal
  | |- _ \/ _ => first [ solve [left; half_goal] | solve [right; half_goal] ]
  | |- exists k, _ => match goal with k : Z |- _ => exists k; solve [half_goal] | k : nat |- _ => exists k; solve [half_goal] end
  | |- _ => first [ reflexivity | lia | (exfalso; lia) ] end.
Ltac by_halves := solve [ start; without_output; split_results; halves; cbn [negb]; cbv iota; split; intro; open; repeat match goal with H : _ \/ _ |- _ => destruct H; open end; half_goal ].

(** * The next member *)
Ltac next_step := cbn in *; first [ reflexivity | assumption | congruence | lia | (match goal with |- context [if ?b then _ else _] => destruct b eqn:? end; next_step) ].
Ltac by_next_member := solve [ start; list_matches; same_results; match goal with l : list _ |- _ => induction l as [|? l IH]; [ reflexivity | destruct l; solve [next_step] ] end ].

(** * Members in a row, by a cut before them *)
Ltac cut_at l i := let u := fresh "u" in let v := fresh "v" in let h := fresh in let e := fresh in
  assert (h : exists u v, l = u ++ v /\ length u = i) by (exists (firstn i l), (skipn i l); rewrite firstn_skipn, firstn_length; split; [reflexivity | lia]);
  destruct h as (u & v & h & e); subst l; rewrite ?app_length in *; do 3 try (destruct v as [|? v]; [exfalso; cbn [length] in *; lia|]).
Lemma nth_after T (u v : list T) d j k : j = (length u + k)%nat -> nth j (u ++ v) d = nth k v d.
Proof. intros ->. rewrite app_nth2 by lia. f_equal. lia. Qed.
Ltac row_places := repeat match goal with |- context [nth ?j (?u ++ ?v) ?d] => first [ rewrite (nth_after _ u v d j 0) by lia | rewrite (nth_after _ u v d j 1) by lia | rewrite (nth_after _ u v d j 2) by lia ] end; cbn [nth].
Ltac row_leaf := cbn [length] in *; lazymatch goal with |- @eq nat _ _ => lia | |- (_ <= _)%nat => lia | |- _ => hypotheses_too; row_places; intros; first [ lia | congruence ] end.
Ltac row_goal := repeat match goal with |- exists _, _ => eexists end; split; [ reflexivity | conjuncts; row_leaf ].
Ltac by_row := solve [ start; without_output; match goal with |- context [_ ++ _ :: _ :: _] => idtac end; split; intro; flat_append; open; first
  [ (rewrite ?app_length; cbn [length]; conjuncts; solve [row_leaf])
  | match goal with l : list _, i : nat |- _ => first [ (cut_at l i; subst; solve [row_goal])
     | (cut_at l (i - 1)%nat; match goal with u : list _, e : length ?u = (i - 1)%nat |- _ => let h := fresh in assert (h : i = S (length u)) by lia; clear e; subst i end; solve [row_goal]) ] end ] ].

(** * Members at hand: what holds of all members, of each that is spoken of *)
Ltac seed_members := repeat match goal with H : forall x : ?T, _, K : @In ?T ?t _ |- _ => seed H t end; clear_marks.
Ltac member_leaf := first [ assumption | lia | (seed_members; repeat match goal with H : forall x : Z, _ |- _ => clear H | H : forall x : nat, _ |- _ => clear H end; open; first [ assumption | lia | congruence | (booleans; lia) ]) ].
Ltac member_goal := lazymatch goal with
  | |- _ /\ _ => split; member_goal
  | |- exists _ : ?T, _ => match goal with t : T |- _ => exists t; solve [member_goal] end
  | |- forall _, _ => intro; open; member_goal
  | |- ~ _ => intro; open; member_goal
  | |- _ \/ _ => first [ solve [left; member_goal] | solve [right; member_goal] | member_leaf ]
  | |- _ => member_leaf end.
Ltac by_members_at_hand := solve [ start; match goal with |- context [In _ _] => idtac end; without_output; split_results; first [ progress normalise | idtac ]; split; intro; open; member_goal ].

(** * A greatest common divisor of naturals *)
Ltac ngcd_leaf := first [ assumption | apply Nat.gcd_divide_l | apply Nat.gcd_divide_r | (apply Nat.gcd_greatest; assumption) | lia ].
Lemma ngcd_positive a b : (0 < a \/ 0 < b -> 0 < Nat.gcd a b)%nat.
Proof. intro h. pose proof (Nat.gcd_eq_0_l a b). pose proof (Nat.gcd_eq_0_r a b). lia. Qed.
Ltac ngcd_goal := conjuncts; open; first [ ngcd_leaf
  | (apply Nat.divide_pos_le; [ apply ngcd_positive; lia | ngcd_leaf ])
  | (apply Nat.le_antisymm; first [ (apply Nat.divide_pos_le; [ apply ngcd_positive; lia | ngcd_leaf ]) | match goal with H : forall d, _ |- _ => apply H; ngcd_leaf end ])
  | (apply Nat.divide_antisym; first [ ngcd_leaf | match goal with H : forall d, _ |- _ => apply H; ngcd_leaf end ]) ].
Ltac by_naturals_gcd := solve [ start; match goal with |- context [Nat.gcd] => idtac end; try take_premises; split; intro; open; subst; ngcd_goal ].

(** * As many without repetition *)
Lemma nodup_shorter T (e : forall x y : T, {x = y} + {x <> y}) l : (length (nodup e l) <= length l)%nat.
Proof. induction l as [|x l IH]; simpl; [lia|]. destruct (in_dec e x l); simpl; lia. Qed.
Lemma nodup_as_long T (e : forall x y : T, {x = y} + {x <> y}) l : length (nodup e l) = length l <-> NoDup l.
Proof.
  split; [|intro h; rewrite nodup_fixed_point; auto]. induction l as [|x l IH]; simpl; intro h; [constructor|].
  pose proof (nodup_shorter T e l). destruct (in_dec e x l); simpl in h; [lia|]. constructor; [assumption|]. apply IH. lia.
Qed.
#[export] Instance nf_nodup_as_long T (e : forall x y : T, {x = y} + {x <> y}) l Q `{Nf (NoDup l) Q} : Nf (length (nodup e l) = length l) Q | 0.
Proof. unfold Nf in *. rewrite nodup_as_long. assumption. Qed.
#[export] Instance nf_nodup_as_long' T (e : forall x y : T, {x = y} + {x <> y}) l Q `{Nf (NoDup l) Q} : Nf (length l = length (nodup e l)) Q | 0.
Proof. unfold Nf in *. rewrite <- H, <- (nodup_as_long T e). split; auto. Qed.
#[export] Instance bt_nodup_as_long T (e : forall x y : T, {x = y} + {x <> y}) l Q `{Nf (NoDup l) Q} : Bt (length (nodup e l) =? length l)%nat Q | 0.
Proof. unfold Bt, Nf in *. rewrite Nat.eqb_eq, nodup_as_long. assumption. Qed.
