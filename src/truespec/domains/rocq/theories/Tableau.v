(** Tableaux: one induction along what is scanned, a tree or a list or a derivation, then rules for each connective, for each
    statement on built values, and for derivations by their last step; goals are searched with constructors, witnesses are unified.
    What is computed gives way to what the hypotheses of the induction say of it. Made for types and predicates that the texts declare. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Conjectured.
Import ListNotations.
Local Open Scope Z_scope.

Lemma tab_meets T (P : T -> Prop) t : P t -> (forall r, P r -> r = t) -> forall r, P r <-> r = t. Proof. intros h k r. split; [apply k | intros ->; exact h]. Qed.
Lemma cut_here T (x : T) l : x :: l = [] ++ x :: l. Proof. reflexivity. Qed.
Lemma cut_later T (x : T) l a b : l = a ++ b -> x :: l = (x :: a) ++ b. Proof. intros ->. reflexivity. Qed.
Lemma place_head T (x : T) l : nth_error (x :: l) 0 = Some x. Proof. reflexivity. Qed.
Lemma place_later T (x y : T) l i : nth_error l i = Some y -> nth_error (x :: l) (S i) = Some y. Proof. auto. Qed.
Lemma no_place T i : nth_error (@nil T) i = None. Proof. destruct i; reflexivity. Qed.
Create HintDb tab discriminated.
#[export] Hint Resolve conj or_introl or_intror ex_intro I eq_refl cut_here cut_later place_head place_later in_or_app in_eq in_cons Forall_nil Forall_cons NoDup_nil NoDup_cons : tab.
#[export] Hint Resolve in_or_app in_eq in_cons perm_nil perm_skip perm_swap : tab.
#[export] Hint Constructors Sorted HdRel StronglySorted Exists Forall2 ForallOrdPairs : tab.
Ltac tab_plain := lazymatch goal with |- ?G => assert_fails (has_evar G) end.
Ltac tab_lia := tab_plain; lia.
Ltac tab_congruence := tab_plain; congruence.
#[export] Hint Extern 3 (_ <= _) => tab_lia : tab.
#[export] Hint Extern 3 (_ < _) => tab_lia : tab.
#[export] Hint Extern 3 (_ <= _)%nat => tab_lia : tab.
#[export] Hint Extern 3 (_ < _)%nat => tab_lia : tab.
#[export] Hint Extern 4 (@eq Z _ _) => tab_lia : tab.
#[export] Hint Extern 4 (@eq nat _ _) => tab_lia : tab.
#[export] Hint Extern 4 (_ = _) => tab_congruence : tab.
#[export] Hint Extern 4 (_ <> _) => first [ tab_congruence | tab_lia ] : tab.
Ltac tab_declared := lazymatch goal with |- ?P => let h := head_of P in is_ind h; lazymatch h with @eq => fail | le => fail | @ex => fail | and => fail | or => fail | @Permutation => fail | False => fail | True => fail | _ => idtac end end.
#[export] Hint Extern 5 => (tab_declared; econstructor 1) : tab.
#[export] Hint Extern 5 => (tab_declared; econstructor 2) : tab.
#[export] Hint Extern 5 => (tab_declared; econstructor 3) : tab.
#[export] Hint Extern 5 => (tab_declared; econstructor 4) : tab.

(* A derivation whose last step can be told, for its arguments are built. *)
Ltac tab_constructed t := let h := head_of t in is_constructor h.
Ltac tab_told P := lazymatch P with ?Q ?t => first [ tab_constructed t | tab_told Q ] end.
Ltac tab_inverted H P := let h := head_of P in is_ind h; lazymatch h with le => fail | @Permutation => fail | _ => idtac end; tab_told P; inversion H; clear H; subst.
Ltac tab_equation H a b := first
  [ is_var a; subst a | is_var b; subst b
  | constr_eq a b; clear H
  | lazymatch a with [] => lazymatch b with _ ++ _ => symmetry in H; apply app_eq_nil in H | _ :: _ => discriminate H end | _ ++ _ => lazymatch b with [] => apply app_eq_nil in H end | nth_error [] _ => rewrite no_place in H end
  | tab_constructed a; tab_constructed b; first [ discriminate H | (injection H; clear H; intros) ]
  | lazymatch b with true => tab_true H a | false => tab_false H a end; cbv beta in H ]
with tab_true H a := lazymatch a with
  | (_ && _)%bool => apply andb_true_iff in H | (_ || _)%bool => apply orb_true_iff in H | negb _ => apply negb_true_iff in H
  | existsb _ _ => apply existsb_exists in H | forallb _ _ => rewrite forallb_forall in H
  | (_ =? _) => apply Z.eqb_eq in H | (_ <=? _) => apply Z.leb_le in H | (_ <? _) => apply Z.ltb_lt in H
  | (_ =? _)%nat => apply Nat.eqb_eq in H | (_ <=? _)%nat => apply Nat.leb_le in H | (_ <? _)%nat => apply Nat.ltb_lt in H
  | Ascii.eqb _ _ => apply Ascii.eqb_eq in H | String.eqb _ _ => apply String.eqb_eq in H end
with tab_false H a := lazymatch a with
  | (_ && _)%bool => apply andb_false_iff in H | (_ || _)%bool => apply orb_false_iff in H | negb _ => apply negb_false_iff in H
  | existsb _ _ => apply not_true_iff_false in H; rewrite existsb_exists in H | forallb _ _ => apply not_true_iff_false in H; rewrite forallb_forall in H
  | (_ =? _) => apply Z.eqb_neq in H | (_ <=? _) => apply Z.leb_gt in H | (_ <? _) => apply Z.ltb_ge in H
  | (_ =? _)%nat => apply Nat.eqb_neq in H | (_ <=? _)%nat => apply Nat.leb_gt in H | (_ <? _)%nat => apply Nat.ltb_ge in H
  | Ascii.eqb _ _ => apply Ascii.eqb_neq in H | String.eqb _ _ => apply String.eqb_neq in H end.
Ltac tab_denied H P := lazymatch P with
  | ~ _ => apply NNPP in H | _ \/ _ => apply not_or_and in H | (exists _, _) => apply not_ex_all_not in H; cbv beta in H
  | (_ -> _) => apply imply_to_and in H | (forall _, _) => apply not_all_ex_not in H | _ /\ _ => apply not_and_or in H
  | True => destruct (H I) | False => clear H | ?x = ?x => destruct (H eq_refl)
  | _ = true => apply not_true_is_false in H | _ = false => apply not_false_is_true in H end.
Ltac tab_opens H P := lazymatch P with
  | forall _, _ => fail
  | ?a = ?b => tab_equation H a b
  | _ /\ _ => destruct H | ex _ => destruct H | False => destruct H | True => clear H
  | ~ ?Q => tab_denied H Q
  | _ \/ _ => fail | _ < _ => fail | _ <= _ => fail | (_ < _)%nat => fail | (_ <= _)%nat => fail | done _ _ => fail
  | In _ (_ ++ _) => apply in_app_iff in H | In _ (map _ _) => apply in_map_iff in H | In _ (filter _ _) => apply filter_In in H | In _ (rev _) => apply in_rev in H | In _ _ => fail
  | Forall _ (_ :: _) => apply Forall_cons_iff in H | Forall _ (_ ++ _) => apply Forall_app in H
  | Exists _ (_ :: _) => apply Exists_cons in H
  | NoDup (_ :: _) => apply NoDup_cons_iff in H
  | Permutation [] _ => apply Permutation_nil in H | Permutation _ [] => apply Permutation_sym, Permutation_nil in H | Permutation _ _ => fail
  | _ => tab_inverted H P end.
Ltac tab_left := repeat (match goal with
  | H : ?P |- _ => is_prop P; tab_opens H P
  | H : ?A -> ?B, K : ?A |- _ => is_prop A; specialize (H K)
  | K : ?A, H : ~ ?A |- _ => destruct (H K) end; cbn in * ).
Ltac tab_scrutinised P := assert_succeeds (assert (nat -> True) by (let j := fresh in intro j; let b := eval cbv beta in (P j) in match b with
  | context [match j with O => _ | S _ => _ end] => exact I | context [nth_error (_ :: _) j] => exact I | context [nth j (_ :: _) _] => exact I
  | context [String.get j (String _ _)] => exact I | context [(j < S _)%nat] => exact I | context [(S _ <= j)%nat] => exact I end)).
(* Universals about a head: the first and the later ones. *)
Ltac tab_universal := repeat match goal with
  | H : forall x, ?a = x \/ @?Q x -> @?P x |- _ => let h := fresh "U" in let k := fresh "U" in pose proof (H a (or_introl eq_refl)) as h; pose proof (fun x i => H x (or_intror i)) as k; cbv beta in h, k; clear H
  | H : forall x, x = ?a \/ @?Q x -> @?P x |- _ => let h := fresh "U" in let k := fresh "U" in pose proof (H a (or_introl eq_refl)) as h; pose proof (fun x i => H x (or_intror i)) as k; cbv beta in h, k; clear H
  | H : forall i : nat, @?P i |- _ => tab_scrutinised P;
      let h := fresh "U" in let k := fresh "U" in pose proof (H 0%nat) as h; pose proof (fun i => H (S i)) as k; cbn in h, k; clear H
  | H : forall (a : list ?T), @?P a |- _ => lazymatch P with context [?x :: ?l = _ ++ _] =>
      let h := fresh "U" in let k := fresh "U" in pose proof (H []) as h; pose proof (fun a => H (x :: a)) as k; cbn in h, k; clear H end
  end.
Ltac tab_known e t := repeat match goal with H : context [t] |- _ => tryif constr_eq H e then fail else rewrite e in H end.
(* A variable is taken by cases once, what is left of it not again: calls on it would be opened without end. *)
Ltac tab_split_variable t := lazymatch goal with _ : done t 190%nat |- _ => fail | _ => idtac end; lazymatch type of t with
  | list _ => let x := fresh "x" in let l := fresh "l" in destruct t as [|x l]; [ | assert (done l 190%nat) by exact I ]
  | nat => let m := fresh "m" in destruct t as [|m]; [ | assert (done m 190%nat) by exact I ]
  | string => let c := fresh "c" in let s := fresh "s" in destruct t as [|c s]; [ | assert (done s 190%nat) by exact I ]
  | _ => destruct t end.
Ltac tab_split t := tryif is_var t then tab_split_variable t else (let e := fresh "e" in destruct t eqn:e; tab_known e t).
Ltac tab_case := match goal with
  | H : _ \/ _ |- _ => destruct H
  | H : _ :: _ = ?a ++ _ |- _ => is_var a; destruct a; cbn in H
  | H : ?a ++ _ = _ :: _ |- _ => is_var a; destruct a; cbn in H
  | H : nth_error (_ :: _) ?i = _ |- _ => is_var i; destruct i; cbn in H
  | H : context [match ?t with _ => _ end] |- _ => lazymatch type of H with forall _, _ => fail | _ => idtac end; lazymatch t with context [match _ with _ => _ end] => fail | _ => idtac end; tab_split t
  | |- context [match ?t with _ => _ end] => lazymatch t with context [match _ with _ => _ end] => fail | _ => idtac end; tab_split t
  end; cbn in *.
Ltac tab_right1 := lazymatch goal with
  | |- forall _, _ => intro | |- _ /\ _ => split | |- _ <-> _ => split | |- ~ _ => intro
  | |- (_ && _)%bool = true => apply andb_true_iff | |- (_ || _)%bool = true => apply orb_true_iff | |- negb _ = true => apply negb_true_iff
  | |- (_ =? _) = true => apply Z.eqb_eq | |- (_ <=? _) = true => apply Z.leb_le | |- (_ <? _) = true => apply Z.ltb_lt
  | |- (_ =? _)%nat = true => apply Nat.eqb_eq | |- (_ <=? _)%nat = true => apply Nat.leb_le | |- (_ <? _)%nat = true => apply Nat.ltb_lt
  | |- (_ =? _) = false => apply Z.eqb_neq | |- (_ <=? _) = false => apply Z.leb_gt | |- (_ <? _) = false => apply Z.ltb_ge
  | |- Ascii.eqb _ _ = true => apply Ascii.eqb_eq
  | |- existsb _ _ = true => apply existsb_exists | |- forallb _ _ = true => apply forallb_forall
  | |- In _ (_ ++ _) => apply in_app_iff | |- In _ (map _ _) => apply in_map_iff | |- In _ (filter _ _) => apply filter_In | |- In _ (rev _) => rewrite <- in_rev
  | |- Forall _ (_ :: _) => apply Forall_cons_iff | |- Forall _ [] => constructor | |- Forall _ (_ ++ _) => apply Forall_app
  | |- NoDup (_ :: _) => apply NoDup_cons_iff
  | |- _ :: _ = _ :: _ => f_equal | |- Some _ = Some _ => f_equal | |- S _ = S _ => f_equal | |- (_, _) = (_, _) => f_equal | |- String _ _ = String _ _ => f_equal
  | |- _ = _ => fail
  end.
Ltac tab_close := first [ exact I | assumption | reflexivity | lia | congruence ].
Ltac tab_witness k := lazymatch goal with |- @ex ?T _ => lazymatch T with list ?U => first [ exists (@nil U); k | multimatch goal with t : T |- _ => exists t; k end | multimatch goal with x : U, t : T |- _ => exists (x :: t); k end ]
  | nat => first [ exists 0%nat; k | multimatch goal with t : T |- _ => exists t; k end | multimatch goal with t : T |- _ => exists (S t); k end ]
  | _ => multimatch goal with t : T |- _ => exists t; k end end end.
Ltac tab_opened := repeat lazymatch goal with |- ex _ => eexists | |- _ /\ _ => split end.
Ltac tab_disjuncts k := lazymatch goal with |- ?A \/ ?B => first [ solve [left; k] | solve [right; tab_disjuncts k] ] | |- _ => k end.
(* Premises that arithmetic proves. *)
Ltac tab_number P := lazymatch P with (_ < _)%nat => idtac | (_ <= _)%nat => idtac | _ < _ => idtac | _ <= _ => idtac | @eq nat _ _ => idtac | @eq Z _ _ => idtac | ?a <> ?b => lazymatch type of a with nat => idtac | Z => idtac end end.
Ltac tab_arithmetic := repeat match goal with H : ?A -> ?B |- _ => is_prop A; tab_number A; specialize (H ltac:(lia)) end.
(* Universals at the variables at hand. *)
Ltac tab_instance H t := is_fact H; lazymatch goal with _ : done H t |- _ => fail | _ => idtac end; let h := fresh "G" in pose proof (H t) as h; cbv beta in h; assert (done H t) by exact I.
Ltac tab_bulk := do 12 try match goal with H : forall x : ?T, _, t : ?T |- _ => tryif is_prop T then fail else tab_instance H t end.
Ltac tab n := cbn in *; tab_left; tab_universal; tab_left; first
  [ tab_close
  | tab_right1; tab n
  | tab_case; tab n
  | tab_end n ]
with tab_end n := first [ (progress tab_arithmetic; tab n) |  solve [once (typeclasses eauto 3 with tab)] | lazymatch goal with
    | |- ex _ => first [ solve [once (tab_opened; tab_part n)] | lazymatch n with S ?m => solve [tab_witness ltac:(solve [tab m])] end ]
    | |- ?A \/ ?B => first [ solve [tab_disjuncts ltac:(tab n)] | (destruct (classic A) as [?|?]; [ left; assumption | right; tab n ]) ]
    | |- _ => lazymatch n with S ?m => match goal with H : forall _, _ |- _ => eapply H; solve [tab_part m] | H : ~ ?A |- _ => exfalso; apply H; solve [tab m] | _ => tab_bulk; solve [tab 0%nat] end end end ]
with tab_part m := lazymatch goal with |- ?G => tryif has_evar G then typeclasses eauto 4 with tab else solve [tab m] end.
(* The hypotheses of an induction: what is computed gives way to what it says; both directions stay. *)
Ltac tab_by_hypotheses := repeat match goal with
  | IH : ?A <-> ?b = true |- _ => rewrite <- IH | IH : forall _, _ <-> _ = true |- _ => rewrite <- IH | IH : forall _ _, _ <-> _ = true |- _ => rewrite <- IH | IH : forall _ _ _, _ <-> _ = true |- _ => rewrite <- IH
  | IH : ?b = true <-> _ |- _ => rewrite IH | IH : forall _, _ = true <-> _ |- _ => rewrite IH | IH : forall _ _, _ = true <-> _ |- _ => rewrite IH | IH : forall _ _ _, _ = true <-> _ |- _ => rewrite IH end.
Ltac tab_directions := repeat match goal with
  | IH : ?A <-> ?B |- _ => destruct IH
  | IH : forall x, @?A x <-> @?B x |- _ => pose proof (fun x => proj1 (IH x)); pose proof (fun x => proj2 (IH x)); clear IH
  | IH : forall x y, @?A x y <-> @?B x y |- _ => pose proof (fun x y => proj1 (IH x y)); pose proof (fun x y => proj2 (IH x y)); clear IH
  | IH : forall x y z, @?A x y z <-> @?B x y z |- _ => pose proof (fun x y z => proj1 (IH x y z)); pose proof (fun x y z => proj2 (IH x y z)); clear IH end; cbv beta in *.
Ltac tab_goal_case := match goal with
  | |- context [match ?t with _ => _ end] => lazymatch t with context [match _ with _ => _ end] => fail | _ => idtac end; tab_split t
  end; cbn in *.
Ltac tab_to_props := rewrite ?andb_true_iff, ?orb_true_iff, ?negb_true_iff; rewrite ?not_true.
Ltac tab_step n := intros; cbn in *; repeat tab_goal_case; lazymatch goal with
  | |- _ <-> _ => tab_to_props; tab_by_hypotheses; rewrite ?member_of_Z; first [ tauto | (split; intro; tab_directions; tab n) ]
  | |- _ => tab_directions; tab n end.
Ltac tab_scanned x := let T := type of x in lazymatch T with Z => fail | bool => fail | ascii => fail | option _ => fail | (_ * _)%type => fail | forall _, _ => fail | Type => fail | Set => fail | _ => tryif is_prop T then fail else idtac end.
(* Along what a function of the pair is called on, or else along anything. *)
Ltac tab_along k := mark_scanned; first
  [ multimatch goal with m : done ?x 95 |- _ => tab_scanned x; clear_marks; k x end
  | lazymatch goal with m : done _ 95 |- _ => fail | _ => idtac end; multimatch goal with x : _ |- _ => tab_scanned x; k x end ].
Lemma two_heads T (P : list T -> Prop) : P [] -> (forall x, P [x]) -> (forall x y l, P l -> P (y :: l) -> P (x :: y :: l)) -> forall l, P l.
Proof. intros a b c l. enough (P l /\ forall x, P (x :: l)) by tauto. induction l as [|x l [h k]]; split; auto. Qed.
Lemma two_numbers (P : nat -> Prop) : P 0%nat -> P 1%nat -> (forall n, P n -> P (S n) -> P (S (S n))) -> forall n, P n.
Proof. intros a b c n. enough (P n /\ P (S n)) by tauto. induction n as [|n [h k]]; split; auto. Qed.
Ltac tab_general x k := first [ induction x; solve [k tt] | generalise_but x; induction x; solve [k tt] ].
Ltac tab_two_heads := tab_along ltac:(fun x => generalise_but x; (induction x using two_heads + induction x using two_numbers); solve [tab_step 2%nat]).
(* A derivation shows what it tells along itself; it is built along what is scanned. *)
Ltac tab_from_derivation := let h := fresh "h" in intro h; lazymatch type of h with ?P => let f := head_of P in is_ind f end; induction h; solve [tab_step 2%nat].
Ltac tab_direction := first [ solve [tab_from_derivation] | solve [tab_along ltac:(fun x => tab_general x ltac:(fun _ => tab_step 2%nat))] | solve [tab_two_heads] ].
Ltac tab_truths := lazymatch goal with |- _ <-> _ => first [ solve [tab_along ltac:(fun x => tab_general x ltac:(fun _ => tab_step 2%nat))] | (split; solve [tab_direction]) ] end.
Ltac tab_determined D t := let v := fresh "v" in first
  [ tab_along ltac:(fun x => intro v; revert v; induction x; solve [tab_step 2%nat])
  | intro v; tab_along ltac:(fun x => generalise_but x; induction x; solve [tab_step 2%nat]) ].
Ltac tab_value := lazymatch goal with
  | |- ?P <-> ?r = ?t => is_var r; lazymatch eval pattern r in P with ?D _ => apply (tab_meets _ D t); cbv beta; clear r;
      [ tab_along ltac:(fun x => tab_general x ltac:(fun _ => tab_step 2%nat)) | tab_determined D t ] end
  | |- ?P <-> ?t = ?r => is_var r; rewrite (eq_sym_iff t r); tab_value
  | |- ?r = ?t <-> _ => is_var r; apply iff_sym; tab_value
  | |- ?t = ?r <-> _ => is_var r; apply iff_sym; tab_value end.
Ltac tab_start := start; without_result; try setoid_rewrite (Nat.add_comm _ 1%nat); try setoid_rewrite (Nat.add_comm _ 2%nat); cbn [Nat.add].
Ltac by_tableau := solve [ tab_start; first [ solve [tab_value] | solve [tab_truths] ] ].
