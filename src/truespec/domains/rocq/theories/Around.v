(** Places by what is before and after them, every other place, and places that wrap around. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Equations.
Import ListNotations.
Local Open Scope Z_scope.

(** * Places by a cut around them *)
Lemma cut_around T (d : T) l i : (i < length l)%nat -> l = firstn i l ++ nth i l d :: skipn (S i) l.
Proof.
  revert i. induction l as [|x l IH]; intros [|i] h; simpl in *; try lia; [reflexivity|]. f_equal. apply IH. lia.
Qed.
Lemma skipn_of_skipn T n m (l : list T) : skipn n (skipn m l) = skipn (m + n) l.
Proof. revert l. induction m as [|m IH]; intros [|x l]; simpl; try reflexivity; [destruct n; reflexivity | apply IH]. Qed.
Lemma cut_around_two T (d : T) l i j : (i < j)%nat -> (j < length l)%nat -> l = firstn i l ++ nth i l d :: firstn (j - S i) (skipn (S i) l) ++ nth j l d :: skipn (S j) l.
Proof.
  intros h k. rewrite (cut_around T d l i) at 1 by lia. f_equal. f_equal.
  rewrite (cut_around T d (skipn (S i) l) (j - S i)) at 1 by (rewrite skipn_length; lia). f_equal.
  rewrite nth_skipn_all. replace (S i + (j - S i))%nat with j by lia. f_equal. rewrite skipn_of_skipn. f_equal. lia.
Qed.
Ltac around_leaf := first [ eassumption | (rewrite ?firstn_length, ?skipn_length; lia) | lia | congruence
  | match goal with H : _ |- _ => eapply H; first [ eassumption | lia ] end | (rewrite ?firstn_length, ?skipn_length; match goal with H : ?P |- ?Q => replace Q with P; [exact H | do 2 f_equal; lia] end) ].
Ltac around_goal d := repeat match goal with |- exists _, _ => eexists end;
  lazymatch goal with
  | |- _ /\ _ => split; [ first [ (match goal with i : nat, j : nat |- _ => first [ eapply (cut_around_two _ d _ i j); lia | symmetry; eapply (cut_around_two _ d _ i j); lia ] end)
                                | (match goal with i : nat |- _ => first [ eapply (cut_around _ d _ i); lia | symmetry; eapply (cut_around _ d _ i); lia ] end) ] | conjuncts; around_leaf ]
  end.
Ltac cut_read := repeat match goal with
  | |- context [(?x :: ?l) ++ ?m] => rewrite <- app_comm_cons end; rewrite ?app_length; cbn [length]; rewrite ?app_length; cbn [length]; autorewrite with places options; place_conditions; first [ lia | congruence | (f_equal; lia) | (exfalso; lia) ].
Ltac places_goal := lazymatch goal with
  | |- exists i j : nat, _ => match goal with |- context [?a ++ _ :: ?b ++ _ :: _] => exists (length a), (length a + S (length b))%nat; places_goal end
  | |- exists i : nat, _ => match goal with |- context [?a ++ _ :: _] => exists (length a); places_goal end
  | |- _ /\ _ => split; places_goal
  | |- _ => cut_read end.
Ltac by_cut_places := solve [ start; without_output; match goal with |- context [_ ++ _ :: _] => idtac end; match goal with |- context [@nth ?T _ _ ?d] => split; intro; flat_append; open; first [ solve [around_goal d] | solve [places_goal] ] end ].

(** * Every other place *)
Lemma two_heads T (P : list T -> Prop) : P [] -> (forall x, P [x]) -> (forall x y l, P l -> P (x :: y :: l)) -> forall l, P l.
Proof. exact (two_by_two T P). Qed.
#[export] Instance at_even_next n b P (H : At (Nat.even n = b) P) : At (Nat.even (S (S n)) = b) P | 0 := H.
#[export] Instance at_odd_next n b P (H : At (Nat.odd n = b) P) : At (Nat.odd (S (S n)) = b) P | 0 := H.
#[export] Hint Extern 0 (At (Nat.even ?n = ?b) _) => (is_var n; apply at_same) : typeclass_instances.
#[export] Hint Extern 0 (At (Nat.odd ?n = ?b) _) => (is_var n; apply at_same) : typeclass_instances.
#[export] Instance at_mod_next n k : At (S (S n) mod 2 = k)%nat (n mod 2 = k)%nat | 0.
Proof. unfold At. replace (S (S n)) with (n + 1 * 2)%nat by lia. rewrite Nat.mod_add by lia. reflexivity. Qed.
(* A bound place that is matched on, as [nth] leaves it. *)
Ltac has_match P := assert_succeeds (assert (nat -> True) by (let j := fresh in intro j; let b := eval cbv beta in (P j) in match b with context [match j with O => _ | S _ => _ end] => exact I end)).
#[export] Hint Extern 2 (At (forall i : nat, @?P i) _) => (has_match P; eapply (at_all_nat P); cbv beta iota; [reduce | reduce | ]) : typeclass_instances.
#[export] Hint Extern 2 (At (exists i : nat, @?P i) _) => (has_match P; eapply (at_ex_nat P); cbv beta iota; [reduce | reduce | ]) : typeclass_instances.
Ltac alternate_step := intros; for_recursive ltac:(fun f => try (cbn [f])); cbn [negb length]; head_cases; try heads; try heads; cbn [Nat.even Nat.odd negb Nat.modulo Nat.divmod fst snd Nat.sub] in *; head_leaf.
Ltac by_alternation := solve [ start; without_output; terms; first [ normalise | idtac ]; match goal with l : list _ |- _ => generalise_but l; revert l; apply two_by_two; alternate_step end ].

(** * Places that wrap around *)
Lemma wrapped i k n : (i < n -> (i + k) mod n = if i + k mod n <? n then i + k mod n else i + k mod n - n)%nat.
Proof.
  intro h. rewrite Nat.add_mod, (Nat.mod_small i) by lia. pose proof (Nat.mod_upper_bound k n). destruct (Nat.ltb_spec (i + k mod n) n) as [c|c]; [apply Nat.mod_small; exact c|].
  replace (i + k mod n)%nat with ((i + k mod n - n) + 1 * n)%nat at 1 by lia. rewrite Nat.mod_add, Nat.mod_small by lia. reflexivity.
Qed.
Lemma remainder_below k n : (n = 0 \/ k mod n < n)%nat. Proof. destruct n; [left; reflexivity|right; apply Nat.mod_upper_bound; lia]. Qed.
Lemma remainder_within k n : (k <= n -> k < n /\ k mod n = k \/ k = n /\ k mod n = 0)%nat.
Proof. intro h. destruct (Nat.eq_dec k n) as [->|e]; [right|left; split; [lia|apply Nat.mod_small; lia]]. split; [reflexivity|]. destruct n; [reflexivity|apply Nat.mod_same; lia]. Qed.
Ltac wrap_places := repeat match goal with
  | |- context [((?i + ?k) mod ?n)%nat] => first [ rewrite (wrapped i k n) by lia | rewrite (Nat.add_comm i k), (wrapped k i n) by lia ]
  | H : context [((?i + ?k) mod ?n)%nat] |- _ => first [ rewrite (wrapped i k n) in H by lia | rewrite (Nat.add_comm i k), (wrapped k i n) in H by lia ] end;
  repeat match goal with
  | |- context [(?k mod ?n)%nat] => hide_remainder k n | _ : context [(?k mod ?n)%nat] |- _ => hide_remainder k n end
with hide_remainder k n := let h := fresh in first [ pose proof (remainder_within k n ltac:(lia)) as h | pose proof (remainder_below k n) as h ]; let m := fresh "m" in set (m := (k mod n)%nat) in *; clearbody m.
Ltac conditions_at_hand := repeat (match goal with |- context [if ?b then _ else _] => split_condition b end; try (exfalso; lia)).
Ltac wrapped_place := repeat match goal with G : nth ?i ?r ?d = _ |- context [nth ?i ?r ?d] => is_var r; rewrite G; clear G end; places; sizes_of_goal; conditions_at_hand; first [ reflexivity | (f_equal; lia) | lia | congruence ].
Ltac wrapped_goal := split; intro; open; conjuncts; open; split_universals; sizes; first [ (wrap_places; lia) | (seed_all; fire; wrap_places; wrapped_place) ].
Ltac by_wrapped := solve [ start; match goal with |- context [(_ mod length _)%nat] => idtac end; try take_premises; index_equations; wrapped_goal ].
