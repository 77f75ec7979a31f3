(** Functions and predicates of the two texts that say the same: each is related to its counterpart by one induction and
    replaced by it. Quantified parts that say the same are one, whatever stands around them. What both sides ask for before
    all else is taken first, so that every other strategy sees what is left. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Ahead.
Import ListNotations.
Local Open Scope Z_scope.

(** Set for each pair: a tactic is tried on each recursive function or inductive predicate of the oracle with each of the candidate. *)
Ltac for_counterparts k := idtac.

(** * Functions that say the same are replaced wherever a function of the library applies them *)
#[export] Instance map_same A B : Proper (pointwise_relation A eq ==> eq ==> eq) (@map A B).
Proof. intros f g h l ? <-. apply map_ext. exact h. Qed.
#[export] Instance filter_same A : Proper (pointwise_relation A eq ==> eq ==> eq) (@filter A).
Proof. intros f g h l ? <-. apply filter_ext. exact h. Qed.
#[export] Instance existsb_same A : Proper (pointwise_relation A eq ==> eq ==> eq) (@existsb A).
Proof. intros f g h l ? <-. induction l; simpl; [reflexivity|]. rewrite h. congruence. Qed.
#[export] Instance forallb_same A : Proper (pointwise_relation A eq ==> eq ==> eq) (@forallb A).
Proof. intros f g h l ? <-. induction l; simpl; [reflexivity|]. rewrite h. congruence. Qed.
#[export] Instance find_same A : Proper (pointwise_relation A eq ==> eq ==> eq) (@find A).
Proof. intros f g h l ? <-. induction l; simpl; [reflexivity|]. rewrite h. destruct (g a); auto. Qed.
#[export] Instance flat_map_same A B : Proper (pointwise_relation A eq ==> eq ==> eq) (@flat_map A B).
Proof. intros f g h l ? <-. induction l; simpl; [reflexivity|]. rewrite h. congruence. Qed.
#[export] Instance option_map_proper A B : Proper (pointwise_relation A eq ==> eq ==> eq) (@option_map A B).
Proof. intros f g h o ? <-. destruct o; simpl; congruence. Qed.
#[export] Instance fold_right_same A B : Proper (pointwise_relation B (pointwise_relation A eq) ==> eq ==> eq ==> eq) (@fold_right A B).
Proof. intros f g h b ? <- l ? <-. apply fold_same. exact h. Qed.
#[export] Instance fold_left_same A B : Proper (pointwise_relation A (pointwise_relation B eq) ==> eq ==> eq ==> eq) (@fold_left A B).
Proof. intros f g h l ? <- b ? <-. apply same_steps. exact h. Qed.
#[export] Instance Forall_same A : Proper (pointwise_relation A iff ==> eq ==> iff) (@Forall A).
Proof. intros f g h l ? <-. rewrite !Forall_forall. firstorder. Qed.
#[export] Instance Exists_same A : Proper (pointwise_relation A iff ==> eq ==> iff) (@Exists A).
Proof. intros f g h l ? <-. rewrite !Exists_exists. firstorder. Qed.
#[export] Instance StronglySorted_proper A : Proper (pointwise_relation A (pointwise_relation A iff) ==> eq ==> iff) (@StronglySorted A).
Proof. intros f g h l ? <-. split; intro s; induction s as [|x l s IH k]; constructor; auto; revert k; apply Forall_impl; intros y; apply h. Qed.
#[export] Instance HdRel_proper A : Proper (pointwise_relation A (pointwise_relation A iff) ==> eq ==> eq ==> iff) (@HdRel A).
Proof. intros f g h x ? <- l ? <-. split; intro s; inversion s; subst; constructor; apply h; assumption. Qed.
#[export] Instance Sorted_proper A : Proper (pointwise_relation A (pointwise_relation A iff) ==> eq ==> iff) (@Sorted A).
Proof. intros f g h l ? <-. split; intro s; induction s as [|x l s IH k]; constructor; auto; revert k; rewrite h; auto. Qed.

(** * The statement that two of them say the same: the arguments of one in their order, or in the other order; texts as letters *)
Ltac argument_as A T y := lazymatch T with
  | A => constr:(y)
  | string => lazymatch A with list ascii => constr:(list_ascii_of_string y) end
  | list ascii => lazymatch A with string => constr:(string_of_list_ascii y) end
  | nat => lazymatch A with Z => constr:(Z.of_nat y) end end.
Ltac fill_in_order f g := lazymatch type of f with
  | forall _ : ?A, _ => match reverse goal with y : ?T |- _ => lazymatch g with context [y] => lazymatch f with context [y] => fail | _ =>
      let a := argument_as A T y in let t := fill_in_order constr:(f a) g in constr:(t) end end end
  | _ => constr:(f) end.
Ltac fill_turned f g := lazymatch type of f with
  | forall _ : ?A, _ => match goal with y : ?T |- _ => lazymatch g with context [y] => lazymatch f with context [y] => fail | _ =>
      let a := argument_as A T y in let t := fill_turned constr:(f a) g in constr:(t) end end end
  | _ => constr:(f) end.
Ltac twin_statement turned f g := lazymatch type of g with
  | forall _ : ?A, _ => let y := fresh "y" in constr:(forall y : A, ltac:(let s := twin_statement turned f constr:(g y) in exact s))
  | _ => let p := lazymatch turned with true => fill_turned f g | false => fill_in_order f g end in says_same p g end.

(** * Its proof *)
Create HintDb twins.
#[export] Hint Extern 1 (_ = _) => (first [ reflexivity | lia | congruence ]) : twins.
#[export] Hint Extern 1 (_ <= _) => lia : twins.
#[export] Hint Extern 1 (_ < _) => lia : twins.
#[export] Hint Extern 1 (_ >= _) => lia : twins.
#[export] Hint Extern 1 (_ > _) => lia : twins.
#[export] Hint Extern 1 (_ <= _)%nat => lia : twins.
#[export] Hint Extern 1 (_ < _)%nat => lia : twins.
#[export] Hint Extern 1 (~ (_ = _)) => (first [ lia | congruence ]) : twins.
#[export] Hint Extern 2 => (econstructor 1) : twins.
#[export] Hint Extern 2 => (econstructor 2) : twins.
#[export] Hint Extern 2 => (econstructor 3) : twins.
#[export] Hint Extern 2 => (econstructor 4) : twins.
#[export] Hint Extern 2 => (econstructor 5) : twins.
Ltac matched_variables := repeat (match goal with
  | |- context [match ?x with _ => _ end] => is_var x; destruct x
  | H : context [match ?x with _ => _ end] |- _ => is_var x; destruct x end; cbn in *).
Ltac twin_leaf := first [ reflexivity | tauto | congruence | lia | (f_equal; first [ reflexivity | lia | congruence ]) | solve [intuition (first [ congruence | lia ])] ].
Ltac twin_step := cbn in *; unfold_pair; matched_variables; first
  [ solve [by_equations; twin_leaf]
  | solve [by_hypotheses; twin_leaf]
  | solve [fold_cases; by_equations; first [ twin_leaf | (fold_cases; by_equations; twin_leaf) ]]
  | solve [to_props; by_hypotheses; to_props; twin_leaf] ].
Ltac opened_evidence := repeat match goal with
  | H : False |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H | H : _ \/ _ |- _ => destruct H | H : ex _ |- _ => destruct H
  | H : ?x = ?y |- _ => is_var x; subst x | H : ?x = ?y |- _ => is_var y; subst y
  | H : _ :: _ = _ :: _ |- _ => injection H; clear H; intros end.
Ltac evidence_leaf := cbn in *; unfold_pair; matched_variables; fold_cases; booleans_to_props; opened_evidence; first [ discriminate | contradiction | lia | solve [eauto 5 with twins] | solve [intuition (first [ congruence | lia ])] ].
Ltac evidence_step := first [ solve [evidence_leaf] | match goal with x : list _ |- _ => solve [induction x; evidence_leaf] end ].
Ltac from_evidence_of := let h := fresh "h" in intro h; induction h; evidence_step.
Ltac along k := scanned ltac:(fun x => solve [generalise_but x; induction x; intros; k tt]).
Ltac inverted := multimatch goal with h : ?P |- _ => is_prop P; lazymatch P with _ = _ => fail | _ => idtac end; inversion h; subst; clear h; evidence_leaf end.
Ltac to_evidence_of := along ltac:(fun _ => first [ solve [evidence_leaf] | solve [inverted] ]).
Ltac with_evidence P := let h := head_of P in is_ind h.
Ltac twin_proof := intros; lazymatch goal with
  | |- ?P <-> ?Q => first [ first [ with_evidence P | with_evidence Q ]; split; first [ solve [from_evidence_of] | solve [to_evidence_of] ] | along ltac:(fun _ => twin_step) ]
  | |- _ => along ltac:(fun _ => twin_step) end.
Definition Twin (P : Prop) : Prop := P.
Ltac twin f g := let try_order turned := (let s := twin_statement turned f g in lazymatch goal with _ : Twin s |- _ => fail | _ => idtac end; let h := fresh "twin" in assert (h : Twin s) by (unfold Twin; clear; solve [twin_proof])) in
  first [ try_order false | try_order true ].
Ltac use_twins := repeat match goal with h : Twin _ |- _ => unfold Twin in h; try (progress (setoid_rewrite h)); clear h end.

(** * Quantified parts that say the same are one *)
Ltac bound_type T := tryif is_prop T then fail else idtac.
Ltac forget_atom P := let p := fresh "p" in lazymatch goal with |- context [P] => generalize P; intro p end.
(* Comparisons that say the same. *)
Ltac comparison P k := match P with
  | context [Z.le ?a ?b] => k (Z.le a b) | context [Z.lt ?a ?b] => k (Z.lt a b) | context [Z.gt ?a ?b] => k (Z.gt a b) | context [Z.ge ?a ?b] => k (Z.ge a b)
  | context [le ?a ?b] => k (le a b) | context [lt ?a ?b] => k (lt a b) | context [ge ?a ?b] => k (ge a b) | context [gt ?a ?b] => k (gt a b)
  | context [@eq Z ?a ?b] => k (@eq Z a b) | context [@eq nat ?a ?b] => k (@eq nat a b) end.
Ltac match_comparisons := repeat match goal with |- ?A <-> ?B =>
  comparison A ltac:(fun p => comparison B ltac:(fun q => tryif constr_eq p q then (forget_atom p) else (let h := fresh in assert (h : p <-> q) by (clear_idle; lia); rewrite h; clear h; forget_atom q))) end.
Ltac match_equations := repeat match goal with |- ?A <-> ?B =>
  match A with context [@eq ?T ?a ?b] => match B with context [@eq T ?c ?d] => let p := constr:(@eq T a b) in let q := constr:(@eq T c d) in
    tryif constr_eq p q then forget_atom p else (let h := fresh in assert (h : p <-> q) by (clear_idle; first [ (split; congruence) | (apply eq_parts || apply eq_parts' || apply eq_parts2 || apply eq_parts3); lia ]); rewrite h; clear h; forget_atom q) end end end.
Ltac match_quantified := repeat match goal with |- ?A <-> ?B => first
  [ match A with context [forall x : ?T, @?P x] => bound_type T; match B with context [forall x : T, @?Q x] =>
      let p := eval cbv beta in (forall x : T, P x) in let q := eval cbv beta in (forall x : T, Q x) in
      tryif constr_eq p q then forget_atom q else (let h := fresh in assert (h : p <-> q) by (clear_idle; apply all_parts; let x := fresh "x" in intro x; cbv beta; matched_parts); cbv beta in h; rewrite h; clear h; forget_atom q) end end
  | match A with context [@ex ?T ?P] => match B with context [@ex T ?Q] =>
      tryif constr_eq P Q then forget_atom (ex P) else (let h := fresh in assert (h : ex P <-> ex Q) by (clear_idle; apply ex_parts; let x := fresh "x" in intro x; cbv beta; matched_parts); cbv beta in h; rewrite h; clear h; forget_atom (ex Q)) end end ] end
with matched_parts := first [ tauto | (match_quantified; first [ tauto | (try match_comparisons; try match_equations; tauto) ]) ].
Ltac by_same_parts := solve [ start; split_results; cbv beta iota; unfold incl; rewrite ?Forall_forall, ?Exists_exists; repeat setoid_rewrite Forall_forall; matched_parts ].

(** * What both sides ask for before all else *)
Lemma or_as_premise (A B : Prop) : A \/ B <-> (~ A -> B). Proof. destruct (classic A); tauto. Qed.
Lemma guard_left (A P C : Prop) : (A -> (P <-> C)) -> (C -> A) -> (A /\ P <-> C). Proof. tauto. Qed.
Lemma guard_right (A P C : Prop) : (A -> (C <-> P)) -> (C -> A) -> (C <-> A /\ P). Proof. tauto. Qed.
(* Comparisons that leave the output, which is the last argument, alone. *)
Ltac about_inputs P := match goal with r : ?T |- _ => tryif is_prop T then fail else (lazymatch P with context [r] => fail 1 | _ => idtac end) end.
Ltac comparisons P := lazymatch P with
  | Z.le _ _ => idtac | Z.lt _ _ => idtac | Z.ge _ _ => idtac | Z.gt _ _ => idtac
  | le _ _ => idtac | lt _ _ => idtac | ge _ _ => idtac | gt _ _ => idtac
  | ?A /\ ?B => comparisons A; comparisons B | ?A \/ ?B => comparisons A; comparisons B
  | ~ (@eq Z _ _) => idtac | ~ (@eq nat _ _) => idtac | ~ ?A => comparisons A end.
Ltac arithmetic_guard P := comparisons P; about_inputs P.
Ltac guard_known := intro; repeat match goal with H : _ /\ _ |- _ => destruct H end; lia.
Ltac same_premise := first [ tauto | lia | (clear_idle; unfold incl; rewrite ?Forall_forall, ?Exists_exists; matched_parts) ].
Ltac open_guard := repeat match goal with H : _ /\ _ |- _ => destruct H end.
Ltac one_guard := match goal with
  | |- (?A \/ ?B) <-> _ => arithmetic_guard A; rewrite (or_as_premise A B)
  | |- _ <-> (?A \/ ?B) => arithmetic_guard A; rewrite (or_as_premise A B)
  | |- ((?A /\ ?B) /\ ?C) <-> _ => rewrite (and_assoc A B C)
  | |- _ <-> ((?A /\ ?B) /\ ?C) => rewrite (and_assoc A B C)
  | |- (?A -> _) <-> (?B -> _) => is_prop A; is_prop B; apply imp_parts; [ solve [same_premise] | intro; open_guard ]
  | |- (?A -> _) <-> _ => is_prop A; progress take_premises
  | |- _ <-> (?A -> _) => is_prop A; progress take_premises
  | |- (?A /\ _) <-> (?B /\ _) => arithmetic_guard A; apply and_parts; [ solve [lia] | intro ]
  | |- (?A /\ _) <-> _ => arithmetic_guard A; apply guard_left; [ intro | solve [guard_known] ]
  | |- _ <-> (?A /\ _) => arithmetic_guard A; apply guard_right; [ intro | solve [guard_known] ] end.
Ltac guards := repeat one_guard.
Ltac find_twins := for_counterparts ltac:(fun f g => twin f g); lazymatch goal with _ : Twin _ |- _ => idtac end.
Ltac rewritten_twins := find_twins; lazymatch goal with |- ?G => use_twins; lazymatch goal with |- G => fail | _ => idtac end end.
(* The form in which all strategies see the pair, where there is something to take or to replace. *)
Ltac prepare := start; first [ progress guards; try rewritten_twins | rewritten_twins ].
Ltac twin_leaf_of_parts := first [ plain | solve [intuition (first [congruence | lia])] ].
Ltac twin_close := cbv beta; unfold incl; rewrite ?Forall_forall, ?Exists_exists; first
  [ quick | plain | solve [matched_parts] | solve [descend twin_leaf_of_parts] | solve [normalise; first [ quick | descend ltac:(first [ twin_leaf_of_parts | solve [both_ground 1%nat] ]) ]] ].
Ltac by_counterparts := solve [ start; try guards; find_twins; split_results; cbv beta iota; use_twins; twin_close ].
