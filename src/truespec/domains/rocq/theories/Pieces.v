(** Results that conditions tell, and what a Boolean result tells, however it is written; parts of a list at its start, at its end and
    anywhere: cuts, places, functions of the library, recursive functions and inductive predicates are read as one predicate. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Neighbours.
Import ListNotations.
Local Open Scope Z_scope.

(** * Results that conditions tell *)
Lemma some_told T (p : T) A : (exists m, Some p = Some m /\ A m) <-> A p. Proof. split; [intros (m & e & h); injection e as ->; exact h | eauto]. Qed.
Lemma some_told' T (p : T) A : (exists m, A m /\ Some p = Some m) <-> A p. Proof. split; [intros (m & h & e); injection e as ->; exact h | eauto]. Qed.
Lemma none_told T (A : T -> Prop) : (exists m, None = Some m /\ A m) <-> False. Proof. split; [intros (m & e & h); discriminate | tauto]. Qed.
Lemma none_told' T (A : T -> Prop) : (exists m, A m /\ None = Some m) <-> False. Proof. split; [intros (m & h & e); discriminate | tauto]. Qed.
Lemma some_is_some T (p q : T) : Some p = Some q <-> p = q. Proof. split; congruence. Qed.
Lemma some_is_none T (p : T) : Some p = None <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma none_is_some T (p : T) : None = Some p <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma truth_is_falsity : true = false <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma falsity_is_truth : false = true <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma is_itself T (x : T) : x = x <-> True. Proof. tauto. Qed.
Lemma true_is b : true = b <-> b = true. Proof. split; auto. Qed.
Lemma false_is b : false = b <-> ~ b = true. Proof. destruct b; intuition congruence. Qed.
Lemma is_false b : b = false <-> ~ b = true. Proof. destruct b; intuition congruence. Qed.
Lemma no_members T (l : list T) : (forall x, In x l <-> False) <-> l = [].
Proof. destruct l as [|a l]; cbn; split; auto; [tauto | intro h; destruct (proj1 (h a) (or_introl eq_refl)) | discriminate]. Qed.
Ltac told_results := rewrite ?some_told, ?some_told', ?none_told, ?none_told', ?some_is_some, ?some_is_none, ?none_is_some, ?truth_is_falsity, ?falsity_is_truth, ?is_itself.
Ltac divisor_leaf := split; intro; open; conjuncts; divides_as_remainder; clear_marks; repeat match goal with H : (?d | ?n) |- _ => mark d (n, 203%nat) ltac:(try pose proof (divide_le d n H ltac:(lia))) end; first [ assumption | lia ].
Ltac no_members_left := match goal with l : list Z |- _ => destruct l as [|y ?]; cbn [length In pairwise]; split; intro; open; conjuncts; try discriminate; first [ lia | tauto | reflexivity
  | (exfalso; match goal with H : forall x : Z, _ <-> _ |- _ => destruct (proj1 (H y) (or_introl eq_refl)); lia end) | (intuition lia) ] end.
Ltac branch_close := told_results; first [ quick | solve [matched_parts] | solve [normalise; terms; one_order; told_results; first [ quick | by_atoms | descend ltac:(first [ plain | divisor_leaf | both_ground 1%nat ]) | no_members_left | both_ground 2%nat ]] ].
Ltac by_branches := solve [ start; split_results; cbv beta iota; conditions; branch_close ].
Ltac same_when P Q := let e := fresh in enough (e : P <-> Q) by (revert e; match goal with r : bool |- _ => destruct r end; intro; told_results; rewrite ?true_is, ?false_is, ?is_false; told_results; destruct (classic P); tauto).
(* What a side says that its Boolean result tells. *)
Ltac told_by S r k := match S with
  | context [r = true <-> ?P] => k P | context [?P <-> r = true] => k P
  | context [r = true -> ?P] => k P | context [?P -> r = true] => k P
  | context [?P /\ r = true] => k P | context [r = true /\ ?P] => k P
  | context [r = false <-> ~ ?P] => k P | context [r = false <-> ?P] => k (~ P)
  | r = ?b => k (b = true) | ?b = r => k (b = true)
  | context [if r then ?P else _] => k P end.
Ltac bool_told := match goal with r : bool |- ?A <-> ?B => told_by A r ltac:(fun P => told_by B r ltac:(fun Q => same_when P Q)) end; clear_idle.

(** * Parts of a list at its start, at its end and anywhere *)
Definition Prefix {T} (p l : list T) : Prop := exists s, l = p ++ s.
Definition Suffix {T} (s l : list T) : Prop := exists p, l = p ++ s.
Definition Infix {T} (m l : list T) : Prop := exists p s, l = p ++ m ++ s.
Lemma prefix_nil T (l : list T) : Prefix [] l <-> True. Proof. split; [auto | exists l; reflexivity]. Qed.
Lemma prefix_none T (x : T) p : Prefix (x :: p) [] <-> False. Proof. split; [intros [s e]; discriminate | tauto]. Qed.
Lemma prefix_cons T (x y : T) p l : Prefix (x :: p) (y :: l) <-> x = y /\ Prefix p l.
Proof. split; [intros [s e]; injection e as -> ->; split; [reflexivity|exists s; reflexivity] | intros [-> [s ->]]; exists s; reflexivity]. Qed.
Lemma suffix_none T (s : list T) : Suffix s [] <-> s = []. Proof. split; [intros [p e]; symmetry in e; apply app_eq_nil in e; tauto | intros ->; exists []; reflexivity]. Qed.
Lemma suffix_cons T (y : T) s l : Suffix s (y :: l) <-> s = y :: l \/ Suffix s l.
Proof. split; [intros [[|x p] e]; [left; symmetry; exact e | injection e as -> ->; right; exists p; reflexivity] | intros [->|[p ->]]; [exists []; reflexivity | exists (y :: p); reflexivity]]. Qed.
Lemma infix_none T (m : list T) : Infix m [] <-> m = [].
Proof. split; [intros (p & s & e); symmetry in e; apply app_eq_nil in e as [_ e]; apply app_eq_nil in e; tauto | intros ->; exists [], []; reflexivity]. Qed.
Lemma infix_cons T (y : T) m l : Infix m (y :: l) <-> Prefix m (y :: l) \/ Infix m l.
Proof.
  split; [intros ([|x p] & s & e); [left; exists s; exact e | injection e as -> ->; right; exists p, s; reflexivity] |].
  intros [[s e]|(p & s & ->)]; [exists [], s; exact e | exists (y :: p), s; reflexivity].
Qed.
Lemma infix_nil T (l : list T) : Infix [] l <-> True. Proof. split; [auto | exists [], l; reflexivity]. Qed.
Lemma prefix_turned T (s l : list T) : Prefix (rev s) (rev l) <-> Suffix s l.
Proof. split; intros [p e]; exists (rev p); [apply (f_equal (@rev T)) in e; rewrite rev_app_distr, !rev_involutive in e; exact e | rewrite e; apply rev_app_distr]. Qed.
Lemma prefix_firstn T (p l : list T) : firstn (length p) l = p <-> Prefix p l.
Proof. split; [intro e; exists (skipn (length p) l); rewrite <- e at 1; symmetry; apply firstn_skipn | intros [s ->]; rewrite firstn_app, firstn_all, Nat.sub_diag; cbn; apply app_nil_r]. Qed.
Lemma infix_firstn T (m l : list T) : (exists i, firstn (length m) (skipn i l) = m) <-> Infix m l.
Proof.
  split.
  - intros [i e]. apply prefix_firstn in e as [s e]. exists (firstn i l), s. rewrite <- e. symmetry. apply firstn_skipn.
  - intros (p & s & ->). exists (length p). rewrite skipn_app, skipn_all, Nat.sub_diag. apply prefix_firstn. exists s. reflexivity.
Qed.
Lemma prefix_places T (d : T) p l : ((length p <= length l)%nat /\ forall i, (i < length p)%nat -> nth i p d = nth i l d) <-> Prefix p l.
Proof.
  revert l. induction p as [|x p IH]; intro l; [rewrite prefix_nil; cbn; split; [auto | intros _; split; [lia | intros; lia]]|]. destruct l as [|y l]; [rewrite prefix_none; cbn; split; [intros []; lia | tauto]|].
  rewrite prefix_cons, <- IH. cbn [length]. split.
  - intros [a b]. split; [apply (b 0%nat); lia|]. split; [lia|]. intros i k. apply (b (S i)). lia.
  - intros (-> & a & b). split; [lia|]. intros [|i] k; [reflexivity|]. apply b. lia.
Qed.
Lemma infix_places T (d : T) m l : (exists k, (k + length m <= length l)%nat /\ forall i, (i < length m)%nat -> nth i m d = nth (k + i) l d) <-> Infix m l.
Proof.
  rewrite <- infix_firstn. split.
  - intros (k & a & b). exists k. rewrite prefix_firstn, <- (prefix_places T d), skipn_length. split; [lia|]. intros i h. rewrite nth_skipn_all. apply b. exact h.
  - intro h. apply infix_firstn in h as (p & s & ->). exists (length p). rewrite !app_length. split; [lia|]. intros i h. rewrite app_nth2_plus, app_nth1 by exact h. reflexivity.
Qed.
Lemma infix_as T (d : T) m l P : (forall k, P k <-> (k + length m <= length l)%nat /\ forall i, (i < length m)%nat -> nth i m d = nth (k + i) l d) -> (exists k, P k) <-> Infix m l.
Proof. intro h. rewrite <- (infix_places T d). apply ex_parts. exact h. Qed.
Ltac read_parts := rewrite ?prefix_firstn, ?infix_firstn, ?prefix_turned; repeat match goal with
  | |- context [ex (fun s => ?l = ?p ++ s)] => change (ex (fun s => l = p ++ s)) with (Prefix p l)
  | |- context [ex (fun p => ?l = p ++ ?s)] => change (ex (fun p => l = p ++ s)) with (Suffix s l)
  | |- context [ex (fun p => ex (fun s => ?l = p ++ ?m ++ s))] => change (ex (fun p => ex (fun s => l = p ++ m ++ s))) with (Infix m l)
  | |- context [ex (fun s => ?p ++ s = ?l)] => rewrite (ex_parts _ (fun s => p ++ s = l) (fun s => l = p ++ s)) by (split; auto)
  | |- context [ex (fun p => p ++ ?s = ?l)] => rewrite (ex_parts _ (fun p => p ++ s = l) (fun p => l = p ++ s)) by (split; auto)
  | |- context [ex (fun p => ex (fun s => p ++ ?m ++ s = ?l))] => rewrite (ex_parts _ (fun p => ex (fun s => p ++ m ++ s = l)) (fun p => ex (fun s => l = p ++ m ++ s))) by (intro; apply ex_parts; split; auto)
  | |- context [ex (fun k : nat => @?P k)] => lazymatch P with context [@nth ?T _ ?l ?d = @nth ?T _ ?m ?d] =>
      first [ rewrite (infix_as T d m l P) by same_places | rewrite (infix_as T d l m P) by same_places ] end end
with same_places := let k := fresh in intro k; cbv beta; split; intros [? ?]; split; try lia; let i := fresh in intros i ?; match goal with H : forall i, _ |- nth ?j _ _ = _ => first [ rewrite (H i) by lia | rewrite <- (H i) by lia ]; f_equal; lia end.
Ltac part_heads := rewrite ?prefix_nil, ?prefix_none, ?prefix_cons, ?suffix_cons, ?infix_cons, ?suffix_none, ?infix_none, ?infix_nil,
  ?prefix_cons, ?prefix_nil, ?prefix_none.
Lemma nil_is_cons T (x : T) l : [] = x :: l <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma cons_is_nil T (x : T) l : x :: l = [] <-> False. Proof. split; [discriminate | tauto]. Qed.
Lemma cons_is_cons T (x y : T) l m : x :: l = y :: m <-> x = y /\ l = m. Proof. split; [intro e; injection e; auto | intros [-> ->]; reflexivity]. Qed.
Ltac part_leaf := cbn; fold_cases; part_heads; rewrite ?andb_true_iff, ?orb_true_iff, ?Z.eqb_eq, ?Nat.eqb_eq, ?Ascii.eqb_eq, ?nil_is_cons, ?cons_is_nil, ?cons_is_cons;
  repeat match goal with h : Twin ?s |- _ => unfold Twin in h end; by_hypotheses_of; rewrite ?andb_true_iff, ?orb_true_iff; part_heads; first [ tauto | intuition congruence ]
with by_hypotheses_of := repeat match goal with IH : forall _, _ |- _ => progress (rewrite IH) | IH : _ <-> _ |- _ => rewrite IH; clear IH end; repeat match goal with |- context [true = true] => rewrite (is_itself _ true) | |- context [false = true] => rewrite falsity_is_truth end.
Ltac part_proof_of := first
  [ solve [let p := fresh "p" in let l := fresh "l" in intro p; induction p as [|? p ?IH]; intros [|? l]; part_leaf]
  | solve [let p := fresh "p" in let l := fresh "l" in intros p l; revert p; induction l as [|? l ?IH]; intros [|? p]; part_leaf] ].
Ltac part_function f := 
  let say s := (let h := fresh "twin" in assert (h : Twin s); [ unfold Twin; part_proof_of |]) in
  lazymatch type of f with
  | list ?T -> list ?T -> bool => first [ say (forall p l, f p l = true <-> Prefix p l) | say (forall p l, f p l = true <-> Infix p l) | say (forall p l, f p l = true <-> Suffix p l) | say (forall p l, f l p = true <-> Prefix p l) | say (forall p l, f l p = true <-> Infix p l) ]
  | list ?T -> list ?T -> Prop => first [ say (forall p l, f p l <-> Prefix p l) | say (forall p l, f p l <-> Infix p l) | say (forall p l, f p l <-> Suffix p l) | say (forall p l, f l p <-> Prefix p l) | say (forall p l, f l p <-> Infix p l) ] end.
Ltac part_evidence := match goal with
  | |- context [?I ?p ?l] => is_relation (I p l); let h := fresh in
      first [ assert (h : I p l <-> Suffix p l) by evidence_of_part | assert (h : I p l <-> Prefix p l) by evidence_of_part | assert (h : I p l <-> Infix p l) by evidence_of_part ]; rewrite h end
with evidence_of_part := clear; match goal with |- ?I ?p ?l <-> _ => split; [ let h := fresh in intro h; induction h; part_heads; first [ tauto | (exists []; reflexivity) | (exists [], []; reflexivity) ] | revert p; induction l; intro p; part_heads; intro; opened_evidence; subst; try solve [once (build 3%nat)]; destruct p; part_heads; intros; once (build 3%nat) ] end.
Ltac by_pieces := solve [ start; lazymatch goal with _ : list _ |- _ => idtac end; first [ progress without_output | bool_told | idtac ]; for_recursive part_function; read_parts; try part_evidence; repeat match goal with h : Twin _ |- _ => unfold Twin in h; rewrite ?h; clear h end; read_parts; first [ quick | (repeat match goal with |- context [?b = false] => rewrite (is_false b) end; tauto) ] ].
