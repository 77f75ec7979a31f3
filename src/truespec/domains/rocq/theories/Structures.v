(** Inductions over the types that the texts declare: at each constructor both sides are read as propositions, and the
    hypotheses of the induction rewrite one side into the other. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Setoid.
From Truespec Require Export Values.
Import ListNotations.
Local Open Scope Z_scope.

Lemma member_of_Z x l : existsb (Z.eqb x) l = true <-> In x l.
Proof. rewrite existsb_exists. split; [intros [y [i e]]; apply Z.eqb_eq in e; subst; exact i | intro i; exists x; split; [exact i | apply Z.eqb_refl]]. Qed.
Lemma not_true b : b = false <-> ~ b = true.
Proof. destruct b; split; congruence. Qed.
Lemma same_value {T} (a b r : T) : a = b -> (r = a <-> r = b).
Proof. intros ->; reflexivity. Qed.

Lemma eq_sym_iff {T} (a b : T) : a = b <-> b = a.
Proof. split; congruence. Qed.

(** * Booleans of the goal as propositions *)
Ltac to_props := rewrite ?member_of_Z, ?andb_true_iff, ?orb_true_iff, ?negb_true_iff; rewrite ?not_true;
  rewrite ?Z.leb_le, ?Z.ltb_lt, ?Z.eqb_eq, ?Z.geb_le, ?Z.gtb_lt, ?Nat.leb_le, ?Nat.ltb_lt, ?Nat.eqb_eq, ?String.eqb_eq.
Ltac by_hypotheses := repeat match goal with IH : _ <-> _ |- _ => rewrite IH; clear IH | IH : forall _, _ |- _ => rewrite IH; clear IH
  | IH : _ = _ |- _ => rewrite IH; clear IH end.
Ltac case_of := match goal with
  | |- context [Z.leb ?x ?y] => destruct (Z.leb_spec x y) | |- context [Z.ltb ?x ?y] => destruct (Z.ltb_spec x y)
  | |- context [Z.eqb ?x ?y] => destruct (Z.eqb_spec x y) | |- context [Nat.leb ?x ?y] => destruct (Nat.leb_spec x y)
  | |- context [Nat.ltb ?x ?y] => destruct (Nat.ltb_spec x y) | |- context [Nat.eqb ?x ?y] => destruct (Nat.eqb_spec x y)
  | |- context [match ?x with _ => _ end] => is_var x; destruct x
  | |- context [match ?x with _ => _ end] => destruct x eqn:?
  end.
Ltac step_leaf := first
  [ reflexivity | discriminate | tauto | lia | congruence | solve [intuition (first [discriminate | congruence | lia])] | ring | nia ].
Ltac structure_step := intros; cbn in *; first
  [ step_leaf
  | solve [by_hypotheses; step_leaf]
  | solve [to_props; by_hypotheses; to_props; step_leaf]
  | solve [repeat (case_of; cbn in * ); to_props; by_hypotheses; to_props; step_leaf]
  | solve [by_hypotheses; repeat (case_of; subst; cbn in * ); to_props; step_leaf]
  | solve [rewrite ?in_app_iff; cbn [In]; by_hypotheses; to_props; first [ tauto | intuition (subst; auto; congruence) ]]
  | solve [rewrite ?Forall_app, ?Forall_cons_iff; by_hypotheses; to_props; intuition (first [lia | constructor])] ].
(* Functions that both sides carry along stay general. *)
Ltac of_declared_type x := let T := type of x in lazymatch T with
  | Z => fail | nat => fail | positive => fail | N => fail | bool => fail | string => fail | ascii => fail | option _ => fail | (_ * _)%type => fail
  | _ => tryif is_prop T then fail else (let h := eval hnf in T in lazymatch h with forall _, _ => fail | Type => fail | Set => fail | _ => idtac end) end.
Ltac by_induction_on x := generalise_others x; induction x; structure_step.
Ltac equal_functions := lazymatch goal with
  | |- ?r = ?a <-> ?r = ?b => apply same_value
  | |- ?r = ?a <-> ?b = ?r => rewrite (eq_sym_iff b r); apply same_value
  | |- ?a = ?r <-> ?r = ?b => rewrite (eq_sym_iff a r); apply same_value
  | |- ?a = ?r <-> ?b = ?r => rewrite (eq_sym_iff a r), (eq_sym_iff b r); apply same_value end.
(** The functions of one value that the two sides compute, where they are the same everywhere. *)
Ltac head_of t := lazymatch t with ?f _ => head_of f | _ => t end.
Ltac rewrite_functions := repeat match goal with
  | |- ?A <-> ?B => match A with context [?f ?x] => is_var x; of_declared_type x; match B with context [?g x] =>
      lazymatch type of (f x) with Prop => fail | _ => idtac end;
      tryif constr_eq f g then fail else (let h := fresh in assert (h : forall y, f y = g y) by (let y := fresh in intro y; clear_idle_but y; by_induction_on y);
      rewrite !h; clear h) end end
  end
with clear_idle_but y := repeat match goal with H : _ |- _ => lazymatch H with y => fail | _ => clear H end end.
Ltac by_structure := solve [ start; multimatch goal with x : _ |- _ => of_declared_type x end; first
  [ solve [equal_functions; multimatch goal with x : _ |- _ => of_declared_type x; by_induction_on x end]
  | solve [multimatch goal with x : _ |- _ => of_declared_type x; by_induction_on x end]
  | solve [progress rewrite_functions; first [tauto | lia | intuition lia]]
  | solve [to_props; multimatch goal with x : _ |- _ => of_declared_type x; by_induction_on x end]
  | solve [repeat match goal with |- (?a /\ _) <-> (?a /\ _) => apply and_iff_compat_l | |- (_ /\ ?a) <-> (_ /\ ?a) => apply and_iff_compat_r end;
      multimatch goal with x : _ |- _ => of_declared_type x; by_induction_on x end] ] ].
