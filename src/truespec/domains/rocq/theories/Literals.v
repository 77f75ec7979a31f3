(** Texts that are matched with literals, and numerals by their digits. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Searches.
Import ListNotations.
Local Open Scope Z_scope.

(** * Texts that are matched with literals: letter by letter and bit by bit, as the match does *)
Ltac literal_split := repeat (match goal with |- context [match ?x with _ => _ end] => lazymatch type of x with string => idtac | ascii => idtac | bool => idtac end; is_var x; destruct x end; cbv beta iota).
Ltac literal_side := match goal with |- context [match ?s with EmptyString => _ | String _ _ => _ end] => is_var s end.
Lemma read_literal s t : s = t <-> Is_true (String.eqb s t). Proof. rewrite <- String.eqb_eq. unfold Is_true. destruct (String.eqb s t); split; auto; discriminate. Qed.
Ltac read_literals := cbn [In existsb]; repeat (match goal with |- context [if string_dec ?a ?b then _ else _] => destruct (string_dec a b); [try subst | ] end);
  try setoid_rewrite read_literal; repeat match goal with n : ?a <> ?b |- _ => rewrite (read_literal a b) in n; revert n end.
Ltac literal_terms := cbv beta iota delta [String.eqb Ascii.eqb Bool.eqb Is_true andb orb negb].
Ltac literal_leaf := literal_terms; clear_idle; first [ reflexivity | tauto | solve [intuition congruence] | (split_results; first [ tauto | solve [intuition congruence] ]) | (fold_cases; first [ tauto | solve [intuition congruence] ]) ].
Ltac literal_step := cbn; literal_split; try by_equations; cbn; literal_leaf.
Ltac by_literals := solve [ start; first
  [ literal_side; without_output; read_literals; literal_split; literal_leaf
  | (match goal with _ : string |- _ => idtac end; first [ same_results | without_output ]; scanned ltac:(fun x => lazymatch type of x with string => generalise_but x; induction x; intros; literal_step end)) ] ].

(** * Numerals by their digits: what a loop carries is shifted by the places that come *)
Ltac digit_base F := lazymatch F with fun a x => @?f a x => let a := fresh in let x := fresh in
  let b := constr:(fun a x => ltac:(let b := eval cbv beta in (f a x) in lazymatch b with
    | context [(?k * a)%nat] => exact k | context [(a * ?k)%nat] => exact k | context [(a + a)%nat] => exact 2%nat
    | context [?k * a] => exact k | context [a * ?k] => exact k | context [a + a] => exact 2 end)) in
  lazymatch b with fun _ _ => ?k => k end end.
Ltac digit_step := intros; cbn [fold_left length] in *; first [ (cbn; lia) | (match goal with IH : forall a, fold_left _ _ _ = _ |- _ => rewrite IH end; cbn [Nat.pow]; rewrite ?Nat2Z.inj_succ, ?Z.pow_succ_r by lia;
  cbn; fold_cases; first [ reflexivity | lia | nia | ring ]) ].
Ltac digit_law F l g := let k := digit_base F in let h := fresh in first
  [ assert (h : forall l a, fold_left F l a = (a * k ^ length l + g l)%nat) by (let l := fresh in intro l; induction l; digit_step); rewrite (h l); clear h; cbn; lia
  | assert (h : forall l a, fold_left F l a = a * k ^ Z.of_nat (length l) + g l) by (let l := fresh in intro l; induction l; digit_step); rewrite (h l); clear h; cbn; lia ].
Ltac by_digits := solve [ start; same_results; unfold_pair; for_recursive ltac:(fun f => try (repeat (calls_of f ltac:(fun t => scans_of t ltac:(fun l => arguments t ltac:(fun c => tryif constr_eq l c then fail else read_loop t l c))); cbn [f])));
  lazymatch goal with |- fold_left _ _ _ = _ => idtac | |- _ => symmetry end;
  lazymatch goal with |- fold_left ?F ?l ?c = ?R => lazymatch eval pattern l in R with ?g _ => digit_law F l g end end ].
