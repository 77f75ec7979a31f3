(** What holds along a recursion: which members a function returns, what it puts at each place, two values of a function
    that a loop carries, states after which nothing comes; premises that decide parts, extremes of what a function yields,
    numbers in every order. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Readings.
Import ListNotations.
Local Open Scope Z_scope.

(** * Parts that the premises decide *)
Lemma known_left (P Q : Prop) : P -> (P /\ Q <-> Q). Proof. tauto. Qed.
Lemma known_right (P Q : Prop) : P -> (Q /\ P <-> Q). Proof. tauto. Qed.
Ltac known_parts := repeat match goal with
  | |- context [?P /\ ?Q] => first [ rewrite (known_left P Q) by (first [ assumption | lia ]) | rewrite (known_right Q P) by (first [ assumption | lia ]) ] end.
Ltac peel_premises := repeat lazymatch goal with
  | |- (?A -> ?B) <-> (?A' -> ?C) => is_prop A; is_prop A'; apply imp_parts; [ first [ reflexivity | lia | tauto ] | intro ] end.
Ltac by_premises := solve [ start; without_output; terms; normalise; terms; progress (peel_premises; known_parts); first [ quick | plain | (drop_props; same_results; equal_scans) | (same_results; drop_props; clear_idle; scanned ltac:(fun x => generalise_others x; induction x; intros; index_cases; solve [equal_step])) | descend ltac:(leaf 1%nat) ] ].

(** * A list that is told place by place *)
Lemma tabulated T (d : T) f (n : nat) (G : nat -> T) : length f = n -> (forall i, (i < n)%nat -> nth i f d = G i) -> forall r, r = f <-> length r = n /\ forall i, (i < n)%nat -> nth i r d = G i.
Proof.
  intros e h r. split; [intros ->; auto|]. intros [u v]. apply (nth_ext _ _ d d); [congruence|]. intros i k. rewrite v, h by lia. reflexivity.
Qed.
Lemma tabulated' T (d : T) f (n : nat) (G : nat -> T) : length f = n -> (forall i, (i < n)%nat -> nth i f d = G i) -> forall r, r = f <-> length r = n /\ forall i, (i < length r)%nat -> nth i r d = G i.
Proof. intros e h r. rewrite (tabulated T d f n G e h). split; intros [u v]; split; auto; [rewrite u; exact v|rewrite <- u; exact v]. Qed.
Ltac known_sizes := repeat match goal with K : forall l, length _ = _ |- _ => progress (rewrite K) end; autorewrite with sizes.
Ltac table_step := scan_terms; rewrite ?firstn_of_nil, ?firstn_cons; cbn [fold_right fold_left nth firstn skipn length hd tl] in *; sizes_of_goal;
  repeat match goal with |- context [@nth ?U ?i (@map ?T ?U ?f ?l) ?e] => with_default T ltac:(fun d => rewrite (nth_map T U f d e l i) by (known_sizes; lia)) end; cbv beta;
  try match goal with IH : forall i, _ -> nth i _ _ = _ |- _ => rewrite IH by lia end; terms; fold_cases; first [ reflexivity | lia | congruence | ring | nia ].
Ltac table_size := clear_idle; first [ reflexivity | (autorewrite with sizes; lia) | equal_scans | equal_functions ].
Ltac table_entry := repeat match goal with H : length _ = _ |- _ => clear H end; match goal with
  | |- forall i, (i < length ?l)%nat -> _ => is_var l; generalise_but l; induction l as [|? ? ?]; intros; [ cbn in *; lia | match goal with i : nat |- _ => destruct i; [ table_step | cbn [length] in *; table_step ] end ] end.
Ltac size_of f n := let m := fresh "l" in
  lazymatch n with
  | length ?l => is_var l; let s := lazymatch eval pattern l in (length f = n) with ?P _ => constr:(forall m, P m) end in let s := eval cbv beta in s in
      let h := fresh "size" in assert (h : s) by (intro; table_size); pose proof (h l)
  | _ => assert (length f = n) by table_size end.
Ltac told_by f := match goal with
  | |- ?r = f <-> length ?r = ?n /\ (forall i, (i < ?n)%nat -> nth i ?r ?d = @?G i) => size_of f n; revert r; apply (tabulated _ d f n G)
  | |- ?r = f <-> length ?r = ?n /\ (forall i, (i < length ?r)%nat -> nth i ?r ?d = @?G i) => size_of f n; revert r; apply (tabulated' _ d f n G) end; [ assumption | table_entry ].
Ltac by_tabulation := solve [ start; terms; match goal with |- ?r = ?f <-> _ => is_var r; told_by f | |- _ <-> ?r = ?f => is_var r; apply iff_sym; told_by f end ].

(** * Loops with two values of a function *)
Ltac in_order f k := first
  [ change (f (S (S k))) with (f (S k) + f k)%nat | change (f (S (S k))) with (f k + f (S k))%nat
  | change (f (S (S k))) with (f (S k) + f k) | change (f (S (S k))) with (f k + f (S k)) | idtac ].
Ltac two_values go f n := let h := fresh in
  assert (h : forall m k, go m (f k) (f (S k)) = f (m + k)%nat) by
    (let m := fresh "m" in let k := fresh "k" in let IH := fresh "IH" in intro m; induction m as [|m IH]; intro k; [ reflexivity |
       transitivity (go m (f (S k)) (f (S (S k)))); [ cbn [go]; f_equal; in_order f k; first [ reflexivity | lia | ring ] | rewrite IH; f_equal; lia ] ]);
  specialize (h n 0%nat); rewrite Nat.add_0_r in h; first [ exact h | (symmetry; exact h) | (etransitivity; [exact h | reflexivity]) | (symmetry; etransitivity; [exact h | reflexivity]) ].
Ltac by_two_values := solve [ start; terms; same_results; match goal with
  | |- ?go ?n _ _ = ?f ?n => two_values go f n
  | |- ?f ?n = ?go ?n _ _ => symmetry; two_values go f n end ].

(** * Loops whose state is an option: nothing comes after none *)
Ltac absorbing := repeat match goal with
  | |- context [@fold_left (option ?C) ?A ?S _ _] => lazymatch goal with _ : Moved (forall l, @fold_left (option C) A S l None = None) |- _ => fail | _ => idtac end;
      let h := fresh "absorbed" in assert (h : Moved (forall l, @fold_left (option C) A S l None = None)) by (let l := fresh in let IH := fresh in intro l; induction l as [|? l IH]; [reflexivity | exact IH]) end.
Ltac by_absorbed := repeat match goal with M : Moved ?s |- _ => let m := constr:(M : s) in rewrite m end.
Ltac state_step := cbn in *; unfold_pair; cbn in *; by_absorbed; fold_cases; by_absorbed; first [ reflexivity | congruence | lia | (by_equations; first [ reflexivity | congruence | lia ]) ].
Ltac states l := absorbing; generalise_but l; induction l; intros; state_step.
Ltac with_start t k := lazymatch t with ?f ?c => tryif is_var c then fail else (lazymatch type of c with list _ => fail | _ => idtac end; generalize c; k) end.
Ltac by_states := solve [ start; same_results; match goal with l : list _ |- _ => idtac end; unfold_pair; match goal with
  | |- ?a = ?b => first [ with_start a ltac:(intro; match goal with l : list _ |- _ => states l end) | with_start b ltac:(intro; match goal with l : list _ |- _ => states l end) ] end ].

(** * What recursive functions keep: members of what they return *)
Ltac in_hypotheses := repeat match goal with K : forall _, _ <-> _ |- _ => rewrite K; clear K | K : forall _ _, _ <-> _ |- _ => rewrite K; clear K | K : forall _ _ _, _ <-> _ |- _ => rewrite K; clear K end.
Ltac member_leaf := cbn [In]; first [ tauto | (split; intro; literals; repeat (match goal with H : _ \/ _ |- _ => destruct H end; literals); subst; solve [tauto | intuition congruence]) | solve [both_equal 4%nat] ].
Ltac member_step := cbn in *; unfold_pair; fold_cases; cbn [In] in *; in_hypotheses; rewrite ?in_app_iff; cbn [In];
  first [ member_leaf | (hypotheses_too; normalise_whole; intros; member_leaf) ].
Ltac member_proof := let l := fresh "l" in intro l; induction l; intros; member_step.
(* The forms that such functions have. *)
Ltac says s := let h := fresh "members" in assert (h : s) by member_proof.
Ltac member_fact f := lazymatch type of f with
  | list ?T -> list ?T => says (forall l x, In x (f l) <-> In x l)
  | list ?T -> list ?T -> list ?T => first [ says (forall l m x, In x (f l m) <-> In x l \/ In x m) | says (forall l m x, In x (f l m) <-> In x l /\ ~ In x m) | says (forall l m x, In x (f l m) <-> In x l /\ In x m) ]
  | list ?T -> ?T -> list ?T => first [ says (forall l y x, In x (f l y) <-> In x l \/ x = y) | says (forall l y x, In x (f l y) <-> In x l /\ x <> y) ]
  | ?T -> list ?T -> list ?T => first [ says (forall l y x, In x (f y l) <-> In x l \/ x = y) | says (forall l y x, In x (f y l) <-> In x l /\ x <> y) ]
  end.
Ltac member_facts := for_recursive ltac:(fun f => try member_fact f).
Ltac use_members := repeat match goal with K : forall _, _ <-> _ |- _ => setoid_rewrite K; clear K | K : forall _ _, _ <-> _ |- _ => setoid_rewrite K; clear K | K : forall _ _ _, _ <-> _ |- _ => setoid_rewrite K; clear K end.
Ltac by_members := solve [ start; without_output; match goal with |- context [In] => idtac | |- context [incl] => idtac end; unfold incl; member_facts; progress use_members; cbn [In]; first [ quick | normalise; terms; first [ quick | plain | both_ground 2%nat ] ] ].

(** * Extremes of what a function yields *)
Lemma most_of A (f : A -> nat) d l : (fold_right Nat.max d (map f l) = d \/ exists x, In x l /\ fold_right Nat.max d (map f l) = f x) /\ (d <= fold_right Nat.max d (map f l))%nat /\ forall x, In x l -> (f x <= fold_right Nat.max d (map f l))%nat.
Proof.
  destruct (nmax_facts d (map f l)) as (a & b & c). repeat split; [|exact b|intros x i; apply c, in_map; exact i].
  destruct a as [a|a]; [auto|]. apply in_map_iff in a. destruct a as (x & e & i). right. exists x. auto.
Qed.
Lemma Zmost_of A (f : A -> Z) d l : (fold_right Z.max d (map f l) = d \/ exists x, In x l /\ fold_right Z.max d (map f l) = f x) /\ d <= fold_right Z.max d (map f l) /\ forall x, In x l -> f x <= fold_right Z.max d (map f l).
Proof.
  destruct (max_facts d (map f l)) as (a & b & c). repeat split; [|exact b|intros x i; apply c, in_map; exact i].
  destruct a as [a|a]; [auto|]. apply in_map_iff in a. destruct a as (x & e & i). right. exists x. auto.
Qed.
Lemma Zleast_of A (f : A -> Z) d l : (fold_right Z.min d (map f l) = d \/ exists x, In x l /\ fold_right Z.min d (map f l) = f x) /\ fold_right Z.min d (map f l) <= d /\ forall x, In x l -> fold_right Z.min d (map f l) <= f x.
Proof.
  destruct (min_facts d (map f l)) as (a & b & c). repeat split; [|exact b|intros x i; apply c, in_map; exact i].
  destruct a as [a|a]; [auto|]. apply in_map_iff in a. destruct a as (x & e & i). right. exists x. auto.
Qed.
Ltac hide_extreme F A := let h := fresh in pose proof F as h; let z := fresh "z" in set (z := A) in *; clearbody z.
Ltac extremes_of := repeat match goal with
  | |- context [fold_right Nat.max ?d (map ?f ?l)] => hide_extreme (most_of _ f d l) (fold_right Nat.max d (map f l))
  | |- context [fold_right Z.max ?d (map ?f ?l)] => hide_extreme (Zmost_of _ f d l) (fold_right Z.max d (map f l))
  | |- context [fold_right Z.min ?d (map ?f ?l)] => hide_extreme (Zleast_of _ f d l) (fold_right Z.min d (map f l)) end.
Ltac by_extremes := solve [ start; without_output; as_library; change list_max with (fold_right Nat.max 0%nat); terms; progress extremes_of; list_matches; try normalise; terms; both_ground 2%nat ].

(** * Stacks and accumulators along a declared type: what one function puts on what it is given is what another returns *)
Ltac pushed_step := intros; cbn in *; repeat match goal with IH : forall s, _ = _ |- _ => rewrite IH; clear IH end; cbn; rewrite <- ?app_assoc; cbn; first [ reflexivity | lia | ring | congruence ].
Ltac pushed_proof := let e := fresh "e" in intro e; induction e; pushed_step.
Ltac pushes f g := let h := fresh in first
  [ assert (h : forall e s, f e s = g e :: s) by pushed_proof | assert (h : forall e s, f e s = g e ++ s) by pushed_proof | assert (h : forall e s, f e s = rev (g e) ++ s) by pushed_proof
  | assert (h : forall e s, f e s = g e + s) by pushed_proof | assert (h : forall e s, f e s = (g e + s)%nat) by pushed_proof ]; rewrite h.
Lemma one_element T (x y : T) : [x] = [y] <-> x = y. Proof. split; congruence. Qed.
Ltac by_pushed := solve [ start; match goal with |- context [?f ?e ?s] => is_var e; of_declared_type e; tryif is_var s then fail else idtac;
    match goal with |- context [?g e] => lazymatch type of (g e) with Prop => fail | forall _, _ => fail | _ => idtac end; pushes f g end end;
  rewrite ?app_nil_r, ?Z.add_0_r, ?Nat.add_0_r, ?one_element; first [ reflexivity | tauto | (split; congruence) | lia ] ].

(** * Greatest common divisors and least common multiples by what determines them *)
Ltac divisors_at := repeat match goal with
  | |- context [Z.gcd ?a ?b] => mark a (b, 63) ltac:(pose proof (gcd_facts a b)) | H : context [Z.gcd ?a ?b] |- _ => mark a (b, 63) ltac:(pose proof (gcd_facts a b))
  | |- context [Z.lcm ?a ?b] => mark a (b, 64) ltac:(pose proof (lcm_facts a b)) | H : context [Z.lcm ?a ?b] |- _ => mark a (b, 64) ltac:(pose proof (lcm_facts a b)) end; open.
Ltac divisor_seeds := repeat match goal with
  | H : forall d : Z, _, _ : context [Z.gcd ?a ?b] |- _ => seed H (Z.gcd a b) | H : forall d : Z, _, _ : context [Z.lcm ?a ?b] |- _ => seed H (Z.lcm a b)
  | H : forall d : Z, _, d : Z |- _ => seed H d | H : forall d : Z, _ |- _ => seed H 2 end; clear_marks.
Ltac divisor_fire := repeat match goal with H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(first [ assumption | lia | apply Z.divide_0_r ])) end.
(* A divisor of nothing but zeros. *)
Ltac gcd_zero := match goal with _ : context [Z.gcd ?a ?b] |- _ => destruct (Z.eq_dec (Z.gcd a b) 0); [ divisor_fire; open | ] | |- context [Z.gcd ?a ?b] => destruct (Z.eq_dec (Z.gcd a b) 0); [ divisor_fire; open | ] end.
Ltac divisor_orders := repeat match goal with H : (?a | ?b) |- _ => mark a (b, 65) ltac:(pose proof (divide_le a b H)) end; clear_marks.
Ltac zero_divisor := repeat match goal with H : (0 | ?b) |- _ => apply Z.divide_0_l in H; try subst end.
Ltac divisor_leaf := first [ assumption | lia | (divisor_seeds; divisor_fire; divisor_orders; divisor_fire; first
  [ assumption | lia
  | match goal with H : (?a | ?b), K : (?b | ?a) |- _ => pose proof (Z.divide_antisym a b H K); lia end
  | (zero_divisor; first [ assumption | lia ]) ]) ].
Ltac by_common_divisors := solve [ start; without_output; lazymatch goal with |- context [Z.gcd _ _] => idtac | |- context [Z.lcm _ _] => idtac end;
  rewrite ?Z.eqb_eq; repeat match goal with |- context [Z.gcd ?a ?b] => match goal with |- context [Z.gcd b a] => tryif constr_eq a b then fail else rewrite (Z.gcd_comm b a) end end;
  split; intros; open; divisors_at; conjuncts; intros; open; subst; first [ solve [divisor_leaf] | gcd_zero; subst; divisor_leaf ] ].

(** * Numbers in every order, naturals from zero *)
Ltac number_orders := repeat match goal with a : Z, b : Z |- _ => tryif constr_eq a b then fail else (lazymatch goal with _ : done (a, b) 62 |- _ => fail | _ : done (b, a) 62 |- _ => fail | _ => idtac end;
    assert (done (a, b) 62) by exact I; let h := fresh in destruct (Z_lt_le_dec a b) as [h|h]; try (exfalso; lia)) end; clear_marks.
Ltac extremes_known := repeat match goal with
  | |- context [Z.max ?a ?b] => first [ rewrite (Z.max_l a b) by lia | rewrite (Z.max_r a b) by lia ]
  | |- context [Z.min ?a ?b] => first [ rewrite (Z.min_l a b) by lia | rewrite (Z.min_r a b) by lia ]
  | |- context [Z.abs ?a] => first [ rewrite (Z.abs_eq a) by lia | rewrite (Z.abs_neq a) by lia ] end.
Ltac by_number_orders := solve [ start; match goal with |- context [Z.max _ _] => idtac | |- context [Z.min _ _] => idtac | |- context [Z.abs _] => idtac | |- context [if _ then _ else _] => idtac end;
  split_results; number_orders; extremes_known; first [ lia | (cbn [In]; fold_cases; cbn [In]; first [ lia | intuition (first [ congruence | lia ]) ]) ] ].
Ltac by_zero_or_next := solve [ start; without_output; split_results; match goal with n : nat |- _ => destruct n as [|n]; cbn [Nat.sub Nat.add pred]; rewrite ?Nat.sub_0_r, ?Nat.add_1_r; cbn [firstn skipn]; normalise; terms; first [ quick | plain | both_ground 2%nat ] end ].

(** * Neighbours under a relation that need not be transitive *)
Lemma adjacent_reading T (d : T) (C : nat -> Prop) (R : T -> T -> Prop) l : (forall i, C i <-> ((S i < length l)%nat -> R (nth i l d) (nth (S i) l d))) -> ((forall i, C i) <-> Sorted R l).
Proof. intro h. rewrite (sorted_adjacent T d). split; intros k i; apply h, k. Qed.
Ltac neighbours := first [ (eapply adjacent_reading; solve [read_adjacent]) | reflexivity ].
Ltac by_neighbours := solve [ start; without_output; terms; eapply both_by; [ neighbours | neighbours | cbv beta ]; lazymatch goal with |- context [Sorted _ _] => idtac | |- context [LocallySorted _ _] => rewrite <- ?Sorted_LocallySorted_iff end; on_heads ].
(** * Parities that a function computes *)
Ltac parity_step f := cbn [f]; first [ reflexivity | (rewrite ?Nat.even_succ, ?Nat.odd_succ; repeat match goal with IH : _ = _ |- _ => rewrite IH; clear IH end; rewrite ?Nat.negb_even, ?Nat.negb_odd, ?Nat.even_succ, ?Nat.odd_succ; reflexivity) ].
Ltac parity_proof f := let n := fresh "n" in let IH := fresh "IH" in intro n; first
  [ solve [induction n as [|n IH]; parity_step f] | solve [revert n; apply pair_induction; [reflexivity | reflexivity | intros n IH; cbn [f]; rewrite IH; reflexivity]] ].
Ltac parity_of f := lazymatch type of f with nat -> bool => let h := fresh in first [ assert (h : forall n, f n = Nat.even n) by parity_proof f | assert (h : forall n, f n = Nat.odd n) by parity_proof f ]; rewrite ?h; clear h end.
Ltac by_parity := solve [ start; without_output; progress (for_recursive ltac:(fun f => try parity_of f)); try normalise; terms; first [ quick | plain | both_ground 2%nat ] ].
