(** What equations determine: a summand, quotients under a sign, functions on the naturals, and letters by their codes. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Literals.
Import ListNotations.
Local Open Scope Z_scope.

(** * A summand that an equation determines *)
#[export] Instance fixes_sum (a : Z) : Fixes (fun x : Z => a + x = 0) (- a) (fun _ => True) | 1. Proof. intro x. lia. Qed.
#[export] Instance fixes_sum' (a : Z) : Fixes (fun x : Z => x + a = 0) (- a) (fun _ => True) | 1. Proof. intro x. lia. Qed.
#[export] Instance fixes_sum_to (a b : Z) : Fixes (fun x : Z => a + x = b) (b - a) (fun _ => True) | 2. Proof. intro x. lia. Qed.
#[export] Instance fixes_sum_to' (a b : Z) : Fixes (fun x : Z => x + a = b) (b - a) (fun _ => True) | 2. Proof. intro x. lia. Qed.
#[export] Instance given_sum (a : Z) : Given (fun x : Z => a + x <> 0) (- a) (fun _ => False) | 1. Proof. intro x. lia. Qed.
#[export] Instance given_sum' (a : Z) : Given (fun x : Z => x + a <> 0) (- a) (fun _ => False) | 1. Proof. intro x. lia. Qed.
#[export] Instance given_sum_to (a b : Z) : Given (fun x : Z => a + x <> b) (b - a) (fun _ => False) | 2. Proof. intro x. lia. Qed.
#[export] Instance given_sum_to' (a b : Z) : Given (fun x : Z => x + a <> b) (b - a) (fun _ => False) | 2. Proof. intro x. lia. Qed.

(** * Quotients under a sign *)
Ltac sign_cases := repeat match goal with
  | |- context [Z.sgn ?b] => sign_of b | _ : context [Z.sgn ?b] |- _ => sign_of b
  | |- context [Z.abs ?b] => sign_of b | _ : context [Z.abs ?b] |- _ => sign_of b end
with sign_of b := let h := fresh in destruct (Z_dec' b 0) as [[h|h]|h]; [ rewrite ?(Z.sgn_neg b), ?(Z.abs_neq b) in * by lia | rewrite ?(Z.sgn_pos b), ?(Z.abs_eq b) in * by lia | first [ (exfalso; lia) | (rewrite ?h in *; cbn [Z.sgn Z.abs] in *) ] ].
Ltac quotient_known := repeat match goal with
  | |- context [?a / ?b] => lazymatch goal with _ : done a (b, 72) |- _ => fail | _ => idtac end; assert (done a (b, 72)) by exact I; pose proof (div_mod_facts a b)
  | _ : context [?a / ?b] |- _ => lazymatch goal with _ : done a (b, 72) |- _ => fail | _ => idtac end; assert (done a (b, 72)) by exact I; pose proof (div_mod_facts a b)
  | |- context [?a mod ?b] => lazymatch goal with _ : done a (b, 72) |- _ => fail | _ => idtac end; assert (done a (b, 72)) by exact I; pose proof (div_mod_facts a b) end; clear_marks.
Ltac signed_leaf := first [ lia | nia
  | match goal with |- ?q = ?a / ?b => apply (Z.div_unique a b q (a - b * q)); lia | |- ?a / ?b = ?q => symmetry; apply (Z.div_unique a b q (a - b * q)); lia
    | |- ?q = (?b * ?q + ?m) / ?b => apply (Z.div_unique _ b q m); lia | |- ?m = (?b * ?q + ?m) mod ?b => apply (Z.mod_unique _ b q m); lia
    | _ : ?a = ?b * ?q + ?m |- ?q = ?a / ?b => apply (Z.div_unique a b q m); lia | _ : ?a = ?b * ?q + ?m |- ?m = ?a mod ?b => apply (Z.mod_unique a b q m); lia end
  | (quotient_known; fire; open; first [ lia | nia ]) ].
Ltac signed_goal := lazymatch goal with
  | |- _ /\ _ => split; signed_goal
  | |- _ -> _ => intro; open; signed_goal
  | |- exists q : Z, _ => match goal with |- context [?a / ?b] => exists (a / b); signed_goal | _ : context [?a / ?b] |- _ => exists (a / b); signed_goal | q : Z |- _ => exists q; signed_goal end
  | |- Some _ = Some _ => f_equal; signed_goal
  | |- _ \/ _ => first [ solve [left; signed_goal] | solve [right; signed_goal] ]
  | |- _ => first [ lia | reflexivity | congruence | (sign_cases; signed_leaf) ] end.
Ltac by_signs := solve [ start; lazymatch goal with |- context [Z.sgn] => idtac | |- context [Z.abs] => idtac end; lazymatch goal with |- context [Z.div] => idtac | |- context [Z.modulo] => idtac end;
  split_results; fold_cases; subst; split; intro; open; fire; open; conjuncts; intros; open; subst; try (exfalso; lia); signed_goal ].

(** * A function that its equations determine *)
Ltac equations_step := repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat match goal with H : forall i, ?f (S (S i)) = _ |- context [?f (S (S ?k))] => rewrite (H k) | H : forall i, ?f (S i) = _ |- context [?f (S ?k)] => rewrite (H k) end;
  first [ assumption | congruence | (repeat match goal with H : ?f _ = _ |- context [?f _] => is_var f; rewrite H end; first [ reflexivity | (cbn; first [ lia | nia | congruence ]) ]) ].
Ltac function_of f g := first
  [ (let h := fresh in assert (h : forall k, f k = g k) by (let k := fresh "k" in intro k; induction k; equations_step); rewrite ?h in *)
  | (let h := fresh in assert (h : forall k, f k = g k /\ f (S k) = g (S k)) by (let k := fresh "k" in intro k; induction k; split; equations_step); let e := fresh in assert (e := fun k => proj1 (h k)); rewrite ?e in *) ].
Ltac by_determined_function := solve [ start; match goal with |- context [exists f : nat -> ?T, _] => idtac end; split; intro; open; subst; first
  [ match goal with f : nat -> _ |- context [?g ?n] => tryif constr_eq g f then fail else is_var n; let G := constr:(fun k => ltac:(let t := eval pattern n in (g n) in lazymatch t with ?p _ => let b := eval cbv beta in (p k) in exact b end)) in
      let G := lazymatch G with fun k => ?h k => h end in function_of f G; first [ reflexivity | congruence | lia ] end
  | match goal with |- exists f : nat -> _, _ => match goal with |- context [?g ?n] => is_var n; exists g; repeat split; intros; first [ reflexivity | lia | (cbn; lia) ] end end ] ].

(** * Letters that are shifted: equal codes give equal letters *)
Ltac same_codes := first [ reflexivity | lia | (lazymatch goal with |- @eq ascii (ascii_of_nat ?a) (ascii_of_nat ?b) => apply (f_equal ascii_of_nat); lia
  | |- String _ _ = String _ _ => f_equal; same_codes | |- _ :: _ = _ :: _ => f_equal; same_codes | |- Some _ = Some _ => f_equal; same_codes end) | congruence ].
Ltac shift_leaf := cbn [map app string_of_list_ascii list_ascii_of_string option_map] in *; unfold_pair; for_recursive ltac:(fun f => try (cbn [f])); cbv beta zeta; repeat (match goal with |- context [if ?b then _ else _] => split_condition b end; try (exfalso; lia)); first [ same_codes | (by_equations; same_codes) | (exfalso; lia) ].
Ltac by_shifts := solve [ start; match goal with |- context [ascii_of_nat] => idtac end; try take_premises; descend ltac:(lazymatch goal with |- _ = _ => idtac | |- _ => fail end; first
  [ solve [shift_leaf] | (clear_idle; scanned ltac:(fun x => lazymatch type of x with nat => fail | _ => idtac end; generalise_but x; induction x; intros; solve [shift_leaf])) ]) ].
