(** A recursive function against a description of its results: both are read by heads at each step of one induction, the
    hypothesis is rewritten into the step, and what is left is propositional or takes a second induction. Members,
    places, cuts and quantifiers over indices are read by heads in the hypothesis as they are in the goal. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Beside.
Import ListNotations.
Local Open Scope Z_scope.

(** * More by heads: members by their places, pairs by their parts, bound numbers beside a successor *)
Lemma member_somewhere T (l : list T) x : In x l <-> exists j, nth_error l j = Some x.
Proof. split; [apply In_nth_error|intros [j h]; exact (nth_error_In l j h)]. Qed.
Lemma at_nowhere T (l : list T) x : At (forall j, nth_error l j = Some x -> False) (~ In x l).
Proof. unfold At. rewrite member_somewhere. firstorder. Qed.
Lemma at_nowhere' T (l : list T) x : At (forall j, nth_error l j <> Some x) (~ In x l).
Proof. unfold At. rewrite member_somewhere. firstorder. Qed.
Lemma at_somewhere T (l : list T) x : At (exists j, nth_error l j = Some x) (In x l).
Proof. unfold At. rewrite member_somewhere. tauto. Qed.
Lemma at_nowhere_tidy T (l : list T) x : Tidy (forall j, nth_error l j = Some x -> False) (~ In x l). Proof. exact (at_nowhere T l x). Qed.
Lemma at_nowhere_tidy' T (l : list T) x : Tidy (forall j, nth_error l j <> Some x) (~ In x l). Proof. exact (at_nowhere' T l x). Qed.
Lemma at_somewhere_tidy T (l : list T) x : Tidy (exists j, nth_error l j = Some x) (In x l). Proof. exact (at_somewhere T l x). Qed.
(* What is said of each member, by its place or by a predicate, is said of the members. *)
Lemma at_member_premise T (l : list T) x (Q : Prop) : At (forall j, nth_error l j = Some x -> Q) (In x l -> Q).
Proof. unfold At. rewrite member_somewhere. firstorder. Qed.
Lemma tidy_member_premise T (l : list T) x (Q : Prop) : Tidy (forall j, nth_error l j = Some x -> Q) (In x l -> Q). Proof. exact (at_member_premise T l x Q). Qed.
Lemma at_each T (P Q : T -> Prop) l : (forall x, At (P x) (Q x)) -> At (Forall P l) (forall x, In x l -> Q x). Proof. unfold At. intro h. rewrite Forall_forall. firstorder. Qed.
Lemma at_one T (P Q : T -> Prop) l : (forall x, At (P x) (Q x)) -> At (Exists P l) (exists x, In x l /\ Q x). Proof. unfold At. intro h. rewrite Exists_exists. firstorder. Qed.
Lemma at_index T (d : T) (C : nat -> Prop) (P Q : T -> Prop) l : (forall i, C i <-> ((i < length l)%nat -> P (nth i l d))) -> (forall x, At (P x) (Q x)) -> At (forall i, C i) (forall x, In x l -> Q x).
Proof. unfold At. intros h q. transitivity (forall i, (i < length l)%nat -> P (nth i l d)); [firstorder|]. etransitivity; [apply all_index | firstorder]. Qed.
Lemma at_some_index T (d : T) (C : nat -> Prop) (P Q : T -> Prop) l : (forall i, C i <-> ((i < length l)%nat /\ P (nth i l d))) -> (forall x, At (P x) (Q x)) -> At (exists i, C i) (exists x, In x l /\ Q x).
Proof. unfold At. intros h q. transitivity (exists i, (i < length l)%nat /\ P (nth i l d)); [firstorder|]. etransitivity; [apply Bridge.some_index | firstorder]. Qed.
Create HintDb deep discriminated.
#[export] Hint Extern 0 (At (forall j : nat, nth_error ?l j = Some _ -> _) _) => (is_var l; apply at_member_premise) : deep.
#[export] Hint Extern 0 (Tidy (forall j : nat, nth_error ?l j = Some _ -> _) _) => (is_var l; apply tidy_member_premise) : deep.
#[export] Hint Extern 0 (At (Forall _ ?l) _) => (is_var l; apply at_each) : deep.
#[export] Hint Extern 0 (At (Exists _ ?l) _) => (is_var l; apply at_one) : deep.
Ltac place_of_variable P := lazymatch P with context [nth _ ?l _] => is_var l end.
#[export] Hint Extern 1 (At (forall i : nat, @?P i) _) => (place_of_variable P; eapply at_index; [solve [read_all] | ]) : deep.
#[export] Hint Extern 1 (At (exists i : nat, @?P i) _) => (place_of_variable P; eapply at_some_index; [solve [read_some] | ]) : deep.
#[global] Hint Mode At ! - : deep.
#[global] Hint Mode Tidy ! - : deep.
#[export] Hint Extern 0 (At (forall j : nat, nth_error ?l j = Some _ -> False) _) => (is_var l; apply at_nowhere) : deep.
#[export] Hint Extern 0 (At (forall j : nat, nth_error ?l j <> Some _) _) => (is_var l; apply at_nowhere') : deep.
#[export] Hint Extern 0 (At (exists j : nat, nth_error ?l j = Some _) _) => (is_var l; apply at_somewhere) : deep.
#[export] Hint Extern 0 (Tidy (forall j : nat, nth_error ?l j = Some _ -> False) _) => (is_var l; apply at_nowhere_tidy) : deep.
#[export] Hint Extern 0 (Tidy (forall j : nat, nth_error ?l j <> Some _) _) => (is_var l; apply at_nowhere_tidy') : deep.
#[export] Hint Extern 0 (Tidy (exists j : nat, nth_error ?l j = Some _) _) => (is_var l; apply at_somewhere_tidy) : deep.
Lemma at_count_none T (e : forall x y : T, {x = y} + {x <> y}) l x : At (count_occ e l x = 0%nat) (~ In x l). Proof. unfold At. symmetry. apply count_occ_not_In. Qed.
#[export] Hint Extern 0 (At (count_occ _ ?l _ = 0%nat) _) => (is_var l; apply at_count_none) : deep.
Lemma at_no_length T (l : list T) : At (length l = 0%nat) (l = []). Proof. unfold At. symmetry. apply nil_length. Qed.
#[export] Hint Extern 0 (At (length ?l = 0%nat) _) => (is_var l; apply at_no_length) : deep.
Lemma tidy_parts A B (p : A * B) a b : Tidy (fst p = a /\ snd p = b) (p = (a, b)).
Proof. unfold Tidy. destruct p. rewrite pair_equal_spec. tauto. Qed.
#[export] Hint Extern 0 (Tidy (fst _ = _ /\ snd _ = _) _) => (apply tidy_parts) : deep.
(* A bound number that is compared with a successor. *)
Ltac is_compared P := assert_succeeds (assert (nat -> True) by (let j := fresh in intro j; let b := eval cbv beta in (P j) in match b with
  | context [(j < S _)%nat] => exact I | context [(S _ <= j)%nat] => exact I | context [(S _ < j)%nat] => exact I | context [(j <= S _)%nat] => exact I | context [j = S _] => exact I | context [S _ = j] => exact I end)).
#[export] Hint Extern 2 (At (forall i : nat, @?P i) _) => (is_compared P; eapply (at_all_nat P); cbv beta; [reduce | reduce | ]) : deep.
#[export] Hint Extern 2 (At (exists i : nat, @?P i) _) => (is_compared P; eapply (at_ex_nat P); cbv beta; [reduce | reduce | ]) : deep.
(* A number that is bound before other values is bound after them, as what it is a place of. *)
Lemma at_ex_later T (P : nat -> T -> Prop) Q : At (exists x j, P j x) Q -> At (exists j x, P j x) Q. Proof. unfold At. intros <-. firstorder. Qed.
Lemma at_all_later T (P : nat -> T -> Prop) Q : At (forall x j, P j x) Q -> At (forall j x, P j x) Q. Proof. unfold At. intros <-. firstorder. Qed.
Ltac not_number T := let s := type of T in lazymatch s with Prop => fail | _ => lazymatch T with nat => fail | _ => idtac end end.
#[export] Hint Extern 0 (At (exists (j : nat) (x : ?T), @?P j x) _) => (not_number T; apply (at_ex_later T P); cbv beta) : deep.
#[export] Hint Extern 0 (At (forall (j : nat) (x : ?T), @?P j x) _) => (not_number T; apply (at_all_later T P); cbv beta) : deep.
(* Cuts of texts. *)
Lemma at_empty_cut s t P Q R : At (s = EmptyString) P -> At (t = EmptyString) Q -> Tidy (P /\ Q) R -> At (EmptyString = append s t) R.
Proof. unfold At, Tidy. intros <- <- <-. destruct s; cbn; split; [intros <-; auto | intros [_ ->]; auto | discriminate | intros []; discriminate]. Qed.
Lemma at_cut_turned s t u P : At (u = append s t) P -> At (append s t = u) P. Proof. unfold At. intros <-. split; auto. Qed.
Lemma at_ex_text (P : string -> Prop) A B Q : At (P EmptyString) A -> At (exists c s, P (String c s)) B -> Tidy (A \/ B) Q -> At (exists s, P s) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [intros [[|x l] h]; eauto | intros [h|(x & l & h)]; eauto]. Qed.
Lemma at_all_text (P : string -> Prop) A B Q : At (P EmptyString) A -> At (forall c s, P (String c s)) B -> Tidy (A /\ B) Q -> At (forall s, P s) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [auto | intros [h k] [|x l]; auto]. Qed.
Ltac cuts_text P := assert_succeeds (assert (string -> True) by (let p := fresh in intro p; let b := eval cbv beta in (P p) in
    match b with context [String _ _ = append p _] => exact I | context [append p _ = String _ _] => exact I end)).
#[export] Hint Extern 1 (At (EmptyString = append _ _) _) => (eapply at_empty_cut) : deep.
#[export] Hint Extern 3 (At (append _ _ = _) _) => (eapply at_cut_turned) : deep.
#[export] Hint Extern 1 (At (exists p : string, @?P p) _) => (cuts_text P; eapply (at_ex_text P); cbv beta; [reduce | reduce | ]) : deep.
#[export] Hint Extern 1 (At (forall p : string, @?P p) _) => (cuts_text P; eapply (at_all_text P); cbv beta; [reduce | reduce | ]) : deep.
Ltac deep_heads := eapply by_at; [once (typeclasses eauto with deep typeclass_instances) | once (typeclasses eauto with deep typeclass_instances) | cbv beta].

Lemma at_use P Q : At P Q -> P -> Q. Proof. unfold At. tauto. Qed.
Ltac tidy_fact H := let P := type of H in let h := fresh "T" in
  pose proof H as h; eapply at_use in h; [ | once (typeclasses eauto with deep typeclass_instances) ]; clear H; rename h into H.
(* Instances of the induction hypotheses, read by heads as the goal is. *)
Ltac tidy_hypotheses := clear_marks; repeat match goal with H : ?P |- _ => is_prop P; lazymatch P with done _ _ => fail | _ = _ => fail | _ => idtac end; lazymatch goal with _ : done H 90 |- _ => fail | _ => idtac end; tidy_fact H; assert (done H 90) by exact I end; clear_marks.

(** * What closes a step *)
Ltac forget_general := repeat match goal with H : forall x : ?T, _ |- _ => is_fact H; tryif is_prop T then fail else clear H end.
Ltac logical := first [ tauto | (booleans; lia) | solve [intuition (first [assumption | lia | congruence | discriminate])] ].
Ltac further := cbn [Nat.eqb Nat.ltb Nat.leb] in *; try deep_heads.
(* What a call returns, by the hypothesis on it. *)
Ltac of_results := repeat match goal with
  | IH : forall (x : ?T) (r : ?U), r = @?v x <-> @?q x r, y : ?T |- _ => mark IH y ltac:(pose proof (IH y))
  | IH : forall (x : ?T) (r : ?U), @?v x = r <-> @?q x r, y : ?T |- _ => mark IH y ltac:(pose proof (IH y))
  | IH : forall (x : ?T) (r : ?U), @?q x r <-> r = @?v x, y : ?T |- _ => mark IH y ltac:(pose proof (IH y))
  | IH : forall (x : ?T) (r : ?U), @?q x r <-> @?v x = r, y : ?T |- _ => mark IH y ltac:(pose proof (IH y))
  | IH : forall r, r = ?v <-> _ |- _ => mark IH 93 ltac:(pose proof (proj1 (IH v) eq_refl))
  | IH : forall r, ?v = r <-> _ |- _ => mark IH 93 ltac:(pose proof (proj1 (IH v) eq_refl))
  | IH : forall r, _ <-> r = ?v |- _ => mark IH 93 ltac:(pose proof (proj2 (IH v) eq_refl))
  | IH : forall r, _ <-> ?v = r |- _ => mark IH 93 ltac:(pose proof (proj2 (IH v) eq_refl)) end; clear_marks; cbv beta iota in *.
(* The hypotheses at the values at hand. *)
Ltac instance H t := mark H t ltac:(let h := fresh "IH" in pose proof (H t) as h; cbv beta iota in h).
Ltac deep_instances := repeat match goal with
  | IH : forall x : ?T, _, y : ?T |- _ => tryif is_prop T then fail else instance IH y
  | IH : forall x : option ?T, _, y : ?T |- _ => instance IH (Some y)
  | IH : forall x : option ?T, _ |- _ => instance IH (@None T)
  | IH : forall x : ?T * ?U, _, y : ?T, z : ?U |- _ => instance IH (y, z) end; clear_marks.
(* Only those about a call in sight. *)
Ltac is_call t := lazymatch t with ?f _ => let h := head_of t in assert_fails (is_constructor h); assert_fails (is_var h) end.
Ltac in_sight t := lazymatch goal with |- context [t] => idtac | _ : t = _ |- _ => idtac | _ : _ = t |- _ => idtac end.
Ltac out_of_sight A H := lazymatch A with
  | ?a = ?b => tryif is_call a then (tryif in_sight a then fail else clear H) else (tryif is_call b then (tryif in_sight b then fail else clear H) else fail) end.
Ltac relevant_instances := repeat match goal with H : ?A <-> ?B |- _ => out_of_sight A H | H : ?A <-> ?B |- _ => out_of_sight B H end.
Ltac known_facts := repeat match goal with e : ?t = ?v, H : context [?t] |- _ => is_call t; (let h := head_of v in is_constructor h); tryif constr_eq e H then fail else rewrite e in H end; cbn in *.
Ltac known_values := repeat match goal with e : ?b = ?v |- context [?b] => lazymatch v with true => rewrite e | false => rewrite e | None => rewrite e | Some _ => rewrite e end end.
Ltac instance_leaf := known_values; cbn; try deep_heads; logical.
Ltac by_instance := multimatch goal with IH : ?P |- _ => is_prop P; lazymatch P with done _ _ => fail | _ <-> _ => idtac | forall _, _ => idtac | _ => fail end; first
  [ solve [rewrite IH; do 2 try rewrite IH; instance_leaf]
  | solve [rewrite <- IH; do 2 try rewrite <- IH; instance_leaf]
  | lazymatch P with forall _, _ => solve [setoid_rewrite <- IH; instance_leaf] end ] end.
(* What the conditions of the case decide. *)
Ltac use_known := repeat match goal with
  | e : ~ ?P |- context [?P] => rewrite (fails_so e)
  | e : ?P |- context [?P] => is_prop P; rewrite (holds_so e) end.
(* Parts that both sides have are left out. *)
Lemma and_parts_right A B C D : (B <-> D) -> (A <-> C) -> (A /\ B <-> C /\ D). Proof. tauto. Qed.
Lemma or_parts_right A B C D : (B <-> D) -> (A <-> C) -> (A \/ B <-> C \/ D). Proof. tauto. Qed.
Ltac strip_same := repeat first [ apply and_parts; [ quick | intro ] | apply or_parts; [ quick | ] | apply and_parts_right; [ quick | ] | apply or_parts_right; [ quick | ] ].
(* A first part that the other side has somewhere holds on both, or both fail. *)
Ltac strip_common := repeat match goal with |- ?P /\ _ <-> ?B => match B with context [P] => let h := fresh in
  destruct (classic P) as [h|h]; [ rewrite !(holds_so h); try deep_heads | rewrite !(fails_so h); solve [tauto] ] end end.
Ltac drop_facts := clear_idle; repeat match goal with H : ?P |- _ => is_prop P; clear H end.

(** * The induction *)
(* [c] tells whether instances are tried at all variables, [n] how many inductions a step may need. *)
Ltac deep_leaf c n := first [ tauto | lia | congruence | discriminate
  | solve [to_props; by_instance]
  | solve [of_results; forget_general; known_facts; tidy_hypotheses; logical]
  | lazymatch c with true => solve [deep_instances; forget_general; relevant_instances; known_facts; to_props; tidy_hypotheses; first [ logical | both_ground 1%nat ]] end
  | lazymatch n with S ?m => use_known; try deep_heads; strip_same; strip_common; first [ plain | solve [drop_facts; nested_deep m] ] end ]
with deep_step c n := open_arguments; cbn in *; unfold option_map in *; head_cases; booleans_to_props; try discriminate; cbn in *; try tauto; try deep_heads; further; try tauto; deep_leaf c n
with deep_induction n x := generalise_but x; induction x; 
  first [ lazymatch goal with |- forall _, _ => solve [intros; deep_step false 0%nat] end | solve [all_heads; deep_step false n] | solve [all_heads; deep_step true 0%nat] | lazymatch goal with |- forall _ _, _ => solve [intros; one_head; deep_step false 0%nat] end ]
(* The variables that the hypothesis is about in general, each by its head. *)
with head_of_variable y := lazymatch type of y with list _ => destruct y | nat => destruct y | string => destruct y | option _ => destruct y as [y|]; try head_of_variable y | (_ * _)%type => destruct y end
with one_head := multimatch goal with y : ?T |- _ => (lazymatch goal with _ : context [y] |- _ => fail | _ => idtac end); head_of_variable y end
with all_heads := repeat (let y := fresh "y" in intro y; try head_of_variable y)
with nested_deep m := multimatch goal with
  | x : list _ |- _ => solve [generalise_but x; induction x; first [ lazymatch goal with |- forall _, _ => solve [intros; deep_step false m] end | solve [all_heads; deep_step false m] ]]
  | x : string |- _ => solve [generalise_but x; induction x; first [ lazymatch goal with |- forall _, _ => solve [intros; deep_step false m] end | solve [all_heads; deep_step false m] ]] end
with deep n := multimatch goal with x : list _ |- _ => solve [deep_induction n x] | x : string |- _ => solve [deep_induction n x] | x : nat |- _ => solve [deep_induction n x] end.
(* First along what a function of the pair is called on. *)
Ltac mark_scanned := for_recursive ltac:(fun f => repeat (calls_of f ltac:(fun t => arguments t ltac:(fun x => is_var x; mark x 95 ltac:(idtac))))).
Ltac deep_first n := mark_scanned; first [ multimatch goal with m : done ?x 95 |- _ => clear_marks; lazymatch type of x with list _ => idtac | nat => idtac | string => idtac end; solve [deep_induction n x] end | clear_marks; deep n ].
Ltac by_stepwise := solve [ start; without_output; terms; cbv beta iota; deep_first 1%nat ].

(** * Conjuncts in any order: numbers by arithmetic, results by an induction. *)
Ltac deep_equal x := generalise_but x; induction x; first [ solve [intros; equal_step] | solve [all_heads; equal_step] ].
Ltac equal_results := first [ assumption | reflexivity | lia | congruence | (drop_facts; first [ solve [equal_scans] | multimatch goal with x : list _ |- _ => solve [deep_equal x] | x : string |- _ => solve [deep_equal x] | x : nat |- _ => solve [deep_equal x] end ]) ].
Ltac conjunct_goal := open; subst; conjuncts; first [ assumption | lia | (exfalso; lia) | equal_results | (symmetry; equal_results) ].
Ltac by_conjuncts := solve [ start; terms; lazymatch goal with |- _ /\ _ <-> _ => idtac | |- _ <-> _ /\ _ => idtac | |- (_ -> _) <-> _ => idtac end; split; intro; conjunct_goal ].
