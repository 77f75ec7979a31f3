(** Both sides brought to one form: functions of one part that say the same are proved to do so and replaced, conditions
    and constructors are taken case by case, and what is said of every element is said in one way. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Setoid Classical.
From Truespec Require Export Structures.
Import ListNotations.
Local Open Scope Z_scope.

(** * Conditions and constructors *)
Lemma some_member {T} (l : list T) : (exists x, In x l) <-> l <> [].
Proof. destruct l; simpl; split; [intros [? []] | congruence | discriminate | eauto]. Qed.
Lemma ex_cons {T} (x c : T) s P : (exists t, x :: s = c :: t /\ P t) <-> x = c /\ P s.
Proof. split; [intros (t & e & p); inversion e; subst; auto | intros [-> p]; eauto]. Qed.
Lemma ex_nil {T} (c : T) P : (exists t, [] = c :: t /\ P t) <-> False.
Proof. split; [intros (t & e & p); discriminate | intros []]. Qed.
Ltac same_call := match goal with
  | |- ?p = ?q => f_equal; lia
  | |- ?p <-> ?q => let e := fresh in assert (e : p = q) by (f_equal; lia); rewrite e; reflexivity
  end.
Lemma no_eq {T} (a b : T) : a <> b -> (a = b <-> False).
Proof. tauto. Qed.
Lemma is_eq {T} (a : T) : (a = a) <-> True.
Proof. tauto. Qed.
(* Equations of constructors are true or false. *)
Ltac constructor_equations := repeat match goal with |- context [@eq ?T ?a ?b] =>
  lazymatch T with Z => fail | nat => fail | _ => idtac end; let h := head_of a in is_constructor h; let k := head_of b in is_constructor k;
  first [ constr_eq a b; rewrite (is_eq a) | rewrite (no_eq a b) by discriminate ] end.
Ltac small_leaf := first [ reflexivity | discriminate | lia | tauto | congruence | solve [same_call] | solve [intuition (first [discriminate | congruence | lia])] ].
Ltac reduced := cbn [andb orb negb fst snd] in *; cbv beta iota in *.
(* Each condition in turn; a branch whose conditions exclude each other is closed at once. *)
Ltac condition := match goal with
  | |- context [Z.leb ?x ?y] => destruct (Z.leb_spec x y) | |- context [Z.ltb ?x ?y] => destruct (Z.ltb_spec x y)
  | |- context [Z.eqb ?x ?y] => destruct (Z.eqb_spec x y) | |- context [Nat.leb ?x ?y] => destruct (Nat.leb_spec x y)
  | |- context [Nat.ltb ?x ?y] => destruct (Nat.ltb_spec x y) | |- context [Nat.eqb ?x ?y] => destruct (Nat.eqb_spec x y)
  | |- context [match ?x with _ => _ end] => is_var x; destruct x
  | |- context [match ?x with _ => _ end] => lazymatch x with context [match _ with _ => _ end] => fail | _ => destruct x eqn:? end
  end.
Ltac conditions := repeat (condition; reduced; try (exfalso; lia)).
(* Values of types without recursion. *)
Ltac flat T := lazymatch T with Z => fail | nat => fail | positive => fail | N => fail | string => fail | ascii => fail
  | _ => assert_succeeds (assert (T -> True) by (clear; let y := fresh in intro y; destruct y; lazymatch goal with z : T |- _ => fail | _ => exact I end)) end.
Ltac flat_values := repeat match goal with x : ?T |- _ => tryif is_prop T then fail else (flat T; destruct x; reduced) end.

(** * Functions that both sides apply to the same part: each is proved to say what the other does *)
Ltac whole p := lazymatch p with _ _ => idtac end; lazymatch type of p with forall _, _ => fail | Type => fail | Set => fail | _ => idtac end;
  let h := head_of p in tryif is_constructor h then fail else tryif is_var h then fail else lazymatch h with
  | and => fail | or => fail | iff => fail | not => fail | @eq => fail | @ex => fail | @In => fail | @Forall => fail | @Exists => fail
  | andb => fail | orb => fail | negb => fail | Z.le => fail | Z.lt => fail | Z.ge => fail | Z.gt => fail | Z.leb => fail | Z.ltb => fail | Z.eqb => fail
  | Z.add => fail | Z.sub => fail | Z.mul => fail | Z.opp => fail | Z.max => fail | Z.min => fail | Z.of_nat => fail | le => fail | lt => fail
  | Nat.leb => fail | Nat.ltb => fail | Nat.eqb => fail | Nat.add => fail | @length => fail | @app => fail | @fst => fail | @snd => fail
  | _ => idtac end.
Ltac says_same p q := lazymatch type of p with
  | Prop => lazymatch type of q with Prop => constr:(p <-> q) | bool => constr:(p <-> q = true) end
  | bool => lazymatch type of q with Prop => constr:(p = true <-> q) | bool => constr:(p = q) end
  | _ => constr:(p = q) end.
Ltac forms_step := intros; cbn in *; first
  [ small_leaf
  | solve [by_hypotheses; small_leaf]
  | solve [to_props; by_hypotheses; to_props; small_leaf]
  | solve [conditions; first [ solve [intuition discriminate] | solve [by_hypotheses; tauto] | to_props; by_hypotheses; to_props; small_leaf ]]
  | solve [by_hypotheses; conditions; to_props; small_leaf] ].
(* Constants of the texts' types become general, as far as both sides have them. *)
Ltac general_constants := repeat match goal with |- context [?c] => is_constructor c;
  lazymatch type of c with Z => fail | nat => fail | positive => fail | bool => fail | Prop => fail | list _ => fail | option _ => fail | comparison => fail | forall _, _ => fail | ?T => flat T; generalize c; intro end end.
Ltac induction_over x := clear_idle; first [ solve [generalise_others x; induction x; forms_step] | progress general_constants; generalise_others x; induction x; forms_step ].
Ltac relate := match goal with x : _ |- ?A <-> ?B => of_declared_type x;
  match A with context [?p] => lazymatch p with context [x] => whole p end;
    match B with context [?q] => lazymatch q with context [x] => whole q end;
      tryif constr_eq p q then fail else
      (let s := says_same p q in let h := fresh "same" in
       assert (h : s) by (solve [induction_over x]); rewrite h; clear h) end end end.
(* What is said of every element, by quantifiers and by Forall. *)
Ltac elementwise := rewrite ?Forall_forall; split; intros; flat_values; try discriminate; eauto;
   repeat match goal with H : forall _, _ -> _, K : In _ _ |- _ => pose proof (H _ K); clear H end; cbn in *; small_leaf.
Ltac same_elements p q x := tryif constr_eq p q then fail else (let h := fresh "same" in
  assert (h : p <-> q) by (clear_idle; cbv beta; solve [elementwise]); cbv beta in h; first [rewrite h | setoid_rewrite h]; clear h).
Ltac relate_all := match goal with x : list _ |- ?A <-> ?B => first
  [ match A with context [forall n : ?T, @?P n] => let p := constr:(forall n : T, P n) in lazymatch p with context [x] => idtac end;
      match B with context [?q] => lazymatch q with Forall _ x => same_elements p q x end end end
  | match A with context [?p] => lazymatch p with Forall _ x => idtac end;
      match B with context [?q] => lazymatch q with Forall _ x => same_elements p q x end end end
  | match A with context [?p] => lazymatch p with Forall _ x => idtac end;
      match B with context [forall n : ?T, @?P n] => let q := constr:(forall n : T, P n) in lazymatch q with context [x] => same_elements p q x end end end ] end.
Ltac found := first [ eexists; split; [eassumption | first [discriminate | reflexivity | congruence | lia | exact I]] | left; found | right; found ].
Ltac opened_leaf := split; intros; repeat match goal with H : _ /\ _ |- _ => destruct H | H : ex _ |- _ => destruct H | H : _ \/ _ |- _ => destruct H end; flat_values;
  intuition (first [discriminate | congruence | lia | found | eauto 6 | (right; eauto 6)]).
(* Comparisons of the goal, each true or false. *)
Lemma holds_so {P : Prop} : P -> (P <-> True).
Proof. tauto. Qed.
Lemma fails_so {P : Prop} : ~ P -> (P <-> False).
Proof. tauto. Qed.
Ltac compared P := first [ rewrite (@holds_so P) by lia | rewrite (@fails_so P) by lia
  | let h := fresh in destruct (classic P) as [h|h]; [rewrite (holds_so h) | rewrite (fails_so h)]; try (exfalso; lia) ].
Ltac decided := repeat match goal with
  | |- context [?a <= ?b] => compared (a <= b) | |- context [?a < ?b] => compared (a < b)
  | |- context [?a >= ?b] => compared (a >= b) | |- context [?a > ?b] => compared (a > b)
  | |- context [(?a <= ?b)%nat] => compared ((a <= b)%nat) | |- context [(?a < ?b)%nat] => compared ((a < b)%nat)
  | |- context [(?a > ?b)%nat] => compared ((a > b)%nat) end.
Ltac forms_leaf := constructor_equations; first [ reflexivity
  | solve [progress conditions; constructor_equations; to_props; first [lia | small_leaf]]
  | lia | tauto | solve [to_props; small_leaf] ].
Ltac forms := rewrite ?some_member, ?ex_cons, ?ex_nil; repeat relate; repeat relate_all; flat_values; repeat relate; forms_leaf.
Ltac by_forms := solve [ start; first
  [ solve [forms]
  | solve [match goal with x : list _ |- _ => destruct x; cbn in *; forms end]
  | solve [match goal with x : list _ |- _ => destruct x as [|? x]; cbn in *; [forms|]; destruct x; cbn in *; forms end]
  | solve [match goal with x : ?T |- _ => of_declared_type x; lazymatch T with list _ => fail | _ => idtac end; destruct x; cbn in *; forms end]
  | solve [rewrite ?some_member; decided; opened_leaf] ] ].
