(** Lists from their end, by their first elements, and row by row: equal lists are equal at each index. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Steps.
Import ListNotations.
Local Open Scope Z_scope.

(** * Closing goals with constructors, existentials and disjunctions *)
Ltac same_ends := repeat match goal with
  | H : _ ++ [_] = _ ++ [_] |- _ => apply app_inj_tail in H; destruct H; subst
  | H : _ :: _ = _ :: _ |- _ => injection H; clear H; intros; subst
  | H : _ ++ [_] = [] |- _ => apply app_eq_nil in H; destruct H; discriminate
  | H : [] = _ ++ [_] |- _ => symmetry in H; apply app_eq_nil in H; destruct H; discriminate
  | H : _ :: _ = [] |- _ => discriminate H
  | H : [] = _ :: _ |- _ => discriminate H
  | H : Some _ = Some _ |- _ => injection H; clear H; intros; subst
  | H : (_, _) = (_, _) |- _ => injection H; clear H; intros; subst
  | H : None = Some _ |- _ => discriminate H
  | H : Some _ = None |- _ => discriminate H
  | H : ?a <> ?a |- _ => destruct (H eq_refl)
  end.
Ltac unlike := let h := fresh in intro h; same_ends; first [ discriminate | congruence | lia ].
Ltac chosen n := first [ assumption | reflexivity | solve [unlike] | lia | congruence
  | lazymatch n with S ?m => lazymatch goal with
    | |- _ /\ _ => split; chosen n
    | |- ex _ => eexists; chosen m
    | |- _ \/ _ => first [ solve [left; chosen m] | solve [right; chosen m] ]
    | |- _ -> _ => intro; same_ends; chosen m
    | |- forall _, _ => intro; same_ends; chosen m
    | |- _ = _ => f_equal; chosen m end end ].
Ltac premises_hold := repeat match goal with
  | H : ?P -> ?Q |- _ => is_prop P; specialize (H ltac:(first [ assumption | reflexivity | lia | unlike ])) end.
Ltac parts := repeat (push; same_ends; premises_hold); subst; same_ends.
Ltac opened := parts; repeat (match goal with H : _ \/ _ |- _ => destruct H end; parts).
Ltac both_chosen := split; intro; opened; try contradiction; try discriminate; try lia; first [ chosen 5%nat | exfalso; first [ lia | congruence | intuition congruence ] | solve [simpl in *; opened; chosen 5%nat] ].

(** * From the end *)
Lemma list_end T (l : list T) : l = [] \/ exists p x, l = p ++ [x].
Proof. destruct l using rev_ind; eauto. Qed.
Lemma nth_error_end T (p : list T) x : nth_error (p ++ [x]) (length p) = Some x.
Proof. induction p; simpl; auto. Qed.
Lemma nth_end T (p : list T) x d : nth (length p) (p ++ [x]) d = x.
Proof. induction p; simpl; auto. Qed.
Lemma firstn_end T (p q : list T) : firstn (length p) (p ++ q) = p.
Proof. induction p; simpl; congruence. Qed.
Lemma skipn_end T (p q : list T) : skipn (length p) (p ++ q) = q.
Proof. induction p; simpl; congruence. Qed.
Lemma snoc_nil T (p : list T) x : p ++ [x] = [] <-> False.
Proof. split; [|tauto]. intro h. apply app_eq_nil in h. destruct h; discriminate. Qed.
Lemma nil_snoc T (p : list T) x : [] = p ++ [x] <-> False.
Proof. split; [|tauto]. intro h. symmetry in h. apply app_eq_nil in h. destruct h; discriminate. Qed.
Lemma snoc_snoc T (p q : list T) x y : p ++ [x] = q ++ [y] <-> p = q /\ x = y.
Proof. apply app_inj_tail_iff. Qed.
Ltac at_end := repeat (first
  [ rewrite rev_app_distr | rewrite app_length | rewrite last_last | rewrite removelast_last | rewrite fold_left_app | rewrite fold_right_app
  | rewrite map_app | rewrite filter_app | rewrite Nat.add_sub | rewrite nth_error_end | rewrite nth_end | rewrite firstn_end | rewrite skipn_end
  | rewrite rev_involutive | rewrite snoc_nil | rewrite nil_snoc | rewrite snoc_snoc ]); cbn [rev app length hd hd_error tl fold_left fold_right map last removelast nth_error].
(* What a recursive function yields at the end of a list. *)
Ltac to_the_end := let p := fresh "p" in intro p; induction p as [|? p]; [reflexivity | simpl; destruct p; simpl in *; first [ assumption | congruence ]].
Ltac ends_of_functions := repeat match goal with
  | |- context [?f (?p ++ [?x])] => is_var p; let h := fresh in first
     [ assert (h : forall p, f (p ++ [x]) = Some x) by to_the_end | assert (h : forall p, f (p ++ [x]) = x) by to_the_end | assert (h : forall p, f (p ++ [x]) = p) by to_the_end ];
     rewrite (h p); clear h end.
Ltac from_end := match goal with l : list _ |- _ => let p := fresh "p" in let x := fresh "x" in destruct (list_end _ l) as [->|(p & x & ->)] end.
Ltac by_ends := solve [ start; split_results; cbv beta iota; from_end; simpl; at_end; ends_of_functions; at_end; cbv beta iota; open_values; cbn beta iota;
  first [ quick | plain | reflexivity | both_chosen | solve [rewrite <- ?app_assoc; both_chosen] | solve [simpl; intuition congruence] ] ].

(** * By the first elements *)
Ltac first_elements n := lazymatch n with O => idtac | S ?m => match goal with l : list _ |- _ => destruct l; first_elements m | _ => idtac end end.
Ltac by_first_elements := solve [ start; split_results; cbv beta iota; match goal with l : list _ |- _ => destruct l as [|? [|? [|? ?]]] end; simpl; first [ quick | plain | both_chosen | solve [intuition (first [congruence | lia])] ] ].

(** * Row by row *)
Lemma nth_skipn_row T (l : list T) d n i : nth i (skipn n l) d = nth (n + i) l d.
Proof. revert n. induction l as [|x l IH]; intros [|n]; simpl; try reflexivity; [destruct i; reflexivity|apply IH]. Qed.
Lemma nth_tl_row T (l : list T) d i : nth i (tl l) d = nth (S i) l d.
Proof. destruct l; simpl; [destruct i|]; reflexivity. Qed.
Lemma length_tl T (l : list T) : length (tl l) = (length l - 1)%nat.
Proof. destruct l; simpl; lia. Qed.
Lemma length_removelast T (l : list T) : length (removelast l) = (length l - 1)%nat.
Proof. rewrite removelast_firstn_len, firstn_length. lia. Qed.
Lemma nth_removelast_row T (l : list T) d i : (i < length l - 1)%nat -> nth i (removelast l) d = nth i l d.
Proof. intro h. rewrite removelast_firstn_len. apply nth_firstn_some. lia. Qed.
Lemma nth_repeat_row T (x d : T) n i : (i < n)%nat -> nth i (repeat x n) d = x.
Proof. revert i. induction n as [|n IH]; intros [|i] h; simpl; try lia; auto. apply IH. lia. Qed.
Lemma nth_combine_row A B (l : list A) (m : list B) a b i : length l = length m -> nth i (combine l m) (a, b) = (nth i l a, nth i m b).
Proof. intro e. apply combine_nth. exact e. Qed.
Ltac lengths := rewrite ?rev_length, ?firstn_length, ?skipn_length, ?app_length, ?map_length, ?repeat_length, ?seq_length, ?combine_length, ?length_removelast, ?length_tl in *; simpl length in *.
Ltac row := repeat (first
  [ match goal with |- context [nth ?i (firstn ?n ?l) ?d] => rewrite (nth_firstn_some _ l d n i) by lia end
  | rewrite nth_skipn_row | rewrite nth_tl_row | rewrite nth_removelast_row by lia | rewrite nth_repeat_row by lia
  | rewrite app_nth1 by (lengths; lia) | rewrite app_nth2 by (lengths; lia) | rewrite rev_nth by (lengths; lia) | rewrite seq_nth by lia
  | match goal with |- context [@nth ?U ?i (@map ?T _ ?f ?l) ?e] => with_default T ltac:(fun d => rewrite (nth_map T U f d e l i) by (lengths; lia)) end ]).
Ltac as_rows := match goal with
  | |- context [@eq (list ?T) ?a ?b] => lazymatch T with Z => idtac | nat => idtac | bool => idtac | ascii => idtac | string => idtac end; with_default T ltac:(fun d => rewrite (same_index T d a b)) end.
Ltac row_by_row := let e := fresh "e" in let h := fresh "h" in let i := fresh "i" in let k := fresh "k" in
  intros [e h]; lengths; (split; [lia|]); intros i k; specialize (h i ltac:(lia)); revert h; row; intros; first [ congruence | lia ].
Ltac by_rows := solve [ start; terms; repeat as_rows; first [ quick | split; row_by_row | descend ltac:(first [plain | solve [split; row_by_row] | both_ground 2%nat]) | lengths; both_ground 2%nat ] ].

(** * Tables over enumerations *)
Ltac table_leaf := vm_compute in *; first [ tauto | congruence | solve [intuition (first [discriminate | congruence])]
  | solve [split; intro; repeat match goal with H : _ \/ _ |- _ => destruct H | H : _ /\ _ |- _ => destruct H end; subst; first [discriminate | reflexivity | constructor | congruence | (repeat split; congruence) ]]
  | solve [split; let h := fresh in intro h; [ try (inversion h; fail) | inversion h ]; first [ discriminate | constructor | congruence ]] ].
Ltac value_cases := intros; repeat match goal with x : ?T |- _ => lazymatch T with
  | Z => fail | nat => fail | positive => fail | list _ => fail | string => fail | ascii => fail
  | _ => tryif is_prop T then fail else (destruct x) end end.
(* A universal over a small type holds when it holds of each value. *)
Ltac inst H := let T := type of H in lazymatch T with forall x : ?U, _ => 
  first [ let h := fresh in pose proof (H ltac:(constructor 1)) as h | idtac ]; first [ let h := fresh in pose proof (H ltac:(constructor 2)) as h | idtac ];
  first [ let h := fresh in pose proof (H ltac:(constructor 3)) as h | idtac ]; first [ let h := fresh in pose proof (H ltac:(constructor 4)) as h | idtac ];
  first [ let h := fresh in pose proof (H ltac:(constructor 5)) as h | idtac ]; first [ let h := fresh in pose proof (H ltac:(constructor 6)) as h | idtac ]; clear H end.
Ltac inst_all := repeat match goal with H : forall x : ?T, _ |- _ => tryif is_prop T then fail else (lazymatch T with Z => fail | nat => fail | list _ => fail | string => fail | ascii => fail | _ => inst H end) end.
Ltac by_tables := solve [ start; value_cases; cbv beta iota; first [ table_leaf
  | split; intros; inst_all; vm_compute in *; value_cases; vm_compute in *; first [ congruence | solve [intuition (first [discriminate | congruence])] | constructor | solve [firstorder (first [discriminate | congruence])] ]
  | split; let h := fresh in intro h; value_cases; first [ discriminate | reflexivity | solve [constructor] | solve [inversion h; first [reflexivity | discriminate | congruence | constructor]] | congruence ] ] ].
