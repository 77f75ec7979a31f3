(** Running values: a function that puts what it carries after each member (running sums and extremes, a balance that is
    watched) is told by folds over the prefixes, by its steps, or by members and places of the prefixes. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Determined.
Import ListNotations.
Local Open Scope Z_scope.

(** * Running values: after each member, what a loop carries *)
Section Running.
  Context {A B : Type} (g : B -> A -> B).
  Fixpoint running (b : B) (l : list A) : list B := match l with [] => [] | x :: t => g b x :: running (g b x) t end.
  Lemma running_length b l : length (running b l) = length l.
  Proof. revert b. induction l as [|x l IH]; intro b; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
  Lemma running_at d b l i : (i < length l)%nat -> nth i (running b l) d = fold_left g (firstn (S i) l) b.
  Proof. revert b i. induction l as [|x l IH]; intros b [|i] h; simpl in *; try lia; [reflexivity|]. rewrite IH by lia. reflexivity. Qed.
  (* The value before the first member, then the running values. *)
  Lemma running_from d r x l : r = x :: running x l <-> length r = S (length l) /\ forall i, (i < S (length l))%nat -> nth i r d = fold_left g (firstn i l) x.
  Proof.
    rewrite (same_index B d). cbn [length]. rewrite running_length. split; intros [e h]; (split; [exact e|]); intros [|i] k.
    - rewrite h by lia. reflexivity.
    - rewrite h by lia. cbn [nth]. apply running_at. lia.
    - apply (h 0%nat). lia.
    - rewrite h by lia. symmetry. apply running_at. lia.
  Qed.
  Lemma running_steps d e r x l : r = x :: running x l <-> length r = S (length l) /\ nth 0 r d = x /\ forall i, (i < length l)%nat -> nth (S i) r d = g (nth i r d) (nth i l e).
  Proof.
    revert r x. induction l as [|y l IH]; intros r x; cbn [running].
    - destruct r as [|z [|? ?]]; simpl; split; intro h; try discriminate; [destruct h; lia | injection h as ->; repeat split; intros; lia | destruct h as (_ & -> & _); reflexivity | destruct h; lia].
    - destruct r as [|z r]; [split; [discriminate | intros [h _]; simpl in h; lia]|]. split.
      + intro h. injection h as -> h. apply IH in h. destruct h as (a & b & c). simpl length in *. repeat split; [lia|]. intros [|i] k; simpl; [exact b|]. apply c. lia.
      + intros (a & b & c). simpl in a, b. subst z. f_equal. apply IH. repeat split; [simpl in *; lia | apply (c 0%nat); simpl; lia |]. intros i k. apply (c (S i)). simpl. lia.
  Qed.
  Lemma some_running p b l : existsb p (running b l) = true <-> exists i, (i < length l)%nat /\ p (fold_left g (firstn (S i) l) b) = true.
  Proof.
    revert b. induction l as [|x l IH]; intro b; simpl; [split; [discriminate|intros (i & h & _); lia]|]. rewrite orb_true_iff, IH. split.
    - intros [h|(i & h & k)]; [exists 0%nat; split; [lia|exact h]|exists (S i); split; [lia|exact k]].
    - intros ([|i] & h & k); [left; exact k|right; exists i; split; [lia|exact k]].
  Qed.
End Running.
Lemma running_read A B (f : list A -> B -> list B) g : (forall x m b, f (x :: m) b = g b x :: f m (g b x)) -> (forall b, f [] b = []) -> forall l b, f l b = running g b l.
Proof. intros h k l. induction l as [|x l IH]; intro b; simpl; [apply k|]. rewrite h, IH. reflexivity. Qed.
Lemma running_read_first A B (f : list A -> B -> list B) g : (forall x m b, f (x :: m) b = b :: f m (g b x)) -> (forall b, f [] b = [b]) -> forall l b, f l b = b :: running g b l.
Proof. intros h k l. induction l as [|x l IH]; intro b; simpl; [apply k|]. rewrite h, IH. reflexivity. Qed.
Lemma running_some A B (f : list A -> B -> bool) (p : B -> bool) g : (forall x m b, f (x :: m) b = (p (g b x) || f m (g b x))%bool) -> (forall b, f [] b = false) -> forall l b, f l b = existsb p (running g b l).
Proof. intros h k l. induction l as [|x l IH]; intro b; simpl; [apply k|]. rewrite h, IH. reflexivity. Qed.
Lemma running_all A B (f : list A -> B -> bool) (p : B -> bool) g : (forall x m b, f (x :: m) b = (p (g b x) && f m (g b x))%bool) -> (forall b, f [] b = true) -> forall l b, f l b = negb (existsb (fun b => negb (p b)) (running g b l)).
Proof. intros h k l. induction l as [|x l IH]; intro b; simpl; [apply k|]. rewrite h, IH, negb_orb, negb_involutive. reflexivity. Qed.
Lemma running_same A B (g h : B -> A -> B) : (forall b x, g b x = h b x) -> forall l b, running g b l = running h b l.
Proof. intros e l. induction l as [|x l IH]; intro b; simpl; [reflexivity|]. rewrite e, IH. reflexivity. Qed.
(* A step that is an operation of the library. *)
Ltac known_step G := let named ops := (let rec go ops := lazymatch ops with (?o, ?rest) => first [ rewrite (running_same _ _ G o ltac:(intros; cbv beta; first [ lia | (fold_cases; lia) ])) | go rest ] end in go ops) in
  lazymatch type of G with
  | Z -> Z -> Z => lazymatch G with Z.max => idtac | Z.min => idtac | Z.add => idtac | Z.mul => idtac | _ => named (Z.max, (Z.min, (Z.add, (Z.mul, tt)))) end
  | nat -> nat -> nat => lazymatch G with Nat.max => idtac | Nat.min => idtac | Nat.add => idtac | Nat.mul => idtac | _ => named (Nat.max, (Nat.min, (Nat.add, (Nat.mul, tt)))) end end.
Ltac known_steps := repeat match goal with |- context [running ?G _ _] => progress (known_step G) end.
(* The value put, through conditions, and the rest. *)
Ltac put_of s := lazymatch s with
  | if ?b then ?p else ?q => let p := put_of p in let q := put_of q in constr:(if b then p else q)
  | ?y :: _ => y end.
Ltac rest_of_put s := lazymatch s with
  | if ?b then ?p else ?q => let p := rest_of_put p in let q := rest_of_put q in constr:(if b then p else q)
  | _ :: ?r => r end.
Ltac contracted G := lazymatch G with fun d x => ?f d x => f | _ => G end.
Ltac put_step X g C := let d := fresh "d" in let x := fresh "x" in let m := fresh "m" in
  constr:(fun (d : C) (x : X) => ltac:(refine ((fun m : list X => _) nil); let s := eval cbn in (g (cons x m) d) in let e := put_of s in exact e)).
Ltac next_step X g C := let d := fresh "d" in let x := fresh "x" in let m := fresh "m" in
  constr:(fun (d : C) (x : X) => ltac:(refine ((fun m : list X => _) nil); let s := eval cbn in (g (cons x m) d) in let s := rest_of_put s in let e := next g m s in let e := eval cbv beta in e in exact e)).
Ltac test_step X g C := let d := fresh "d" in let x := fresh "x" in let m := fresh "m" in
  constr:(fun (d : C) (x : X) => ltac:(refine ((fun m : list X => _) nil); let s := eval cbn in (g (cons x m) d) in
    let c := lazymatch s with orb ?c ?r => c | andb ?c ?r => c | if ?c then _ else _ => c end in
    let r := lazymatch s with orb ?c ?r => r | andb ?c ?r => r | if ?c then true else ?r => r | if ?c then ?r else false => r end in
    let e := next g m r in let e := eval cbv beta in e in let p := eval pattern e in c in
    lazymatch p with ?p _ => exact (e, p) end)).
Ltac of_two t l c := lazymatch t with ?f l c => f | ?f c l => constr:(fun l' c' => f c' l') | _ => lazymatch eval pattern l, c in t with ?g _ _ => g end end.
Ltac read_running t l c := lazymatch type of l with list ?X => let g := of_two t l c in let C := type of c in
  let e := fresh in lazymatch type of t with
  | list C => first
    [ (let G := put_step X g C in let G := eval cbv beta in G in let G := contracted G in assert (e := running_read X C g G ltac:(law) ltac:(reflexivity) l c))
    | (let G := next_step X g C in let G := eval cbv beta in G in let G := contracted G in assert (e := running_read_first X C g G ltac:(law) ltac:(reflexivity) l c)) ]
  | bool => let q := test_step X g C in let q := eval cbv beta in q in lazymatch q with fun d x => (@?G d x, @?p d x) => lazymatch p with fun d x => ?p => let G := contracted G in first
    [ assert (e := running_some X C g p G ltac:(law) ltac:(reflexivity) l c)
    | assert (e := running_all X C g p G ltac:(law) ltac:(reflexivity) l c) ] end end end; rewrite_call e end.
Ltac read_running_call t := scans_of t ltac:(fun l => arguments t ltac:(fun c => tryif constr_eq l c then fail else read_running t l c)).
Ltac read_runnings := for_recursive ltac:(fun f => repeat (calls_of f ltac:(fun t => read_running_call t); cbn [f])); known_steps.
Lemma test_of_negb_existsb T (p : T -> bool) l : negb (existsb p l) = true <-> ~ exists x, In x l /\ p x = true.
Proof. rewrite negb_true_iff, <- not_true_iff_false, existsb_exists. reflexivity. Qed.
Lemma some_prefix (P : nat -> Prop) n : (exists i, (i < n)%nat /\ P (S i)) <-> exists k, (0 < k <= n)%nat /\ P k.
Proof. split; [intros (i & h & p); exists (S i); split; [lia|exact p] | intros ([|k] & h & p); [lia|exists k; split; [lia|exact p]]]. Qed.
Lemma some_running' A B (g : B -> A -> B) p b l : existsb p (running g b l) = true <-> exists k, (0 < k <= length l)%nat /\ p (fold_left g (firstn k l) b) = true.
Proof. rewrite some_running. apply (some_prefix (fun k => p (fold_left g (firstn k l) b) = true)). Qed.
Lemma some_running'' A B (g : B -> A -> B) p b l : p b = false -> existsb p (running g b l) = true <-> exists k, p (fold_left g (firstn k l) b) = true.
Proof.
  intro n. rewrite some_running'. split; [intros (k & _ & h); exists k; exact h|]. intros [k h]. exists (Nat.min k (length l)).
  assert (e : firstn (Nat.min k (length l)) l = firstn k l) by (destruct (Nat.min_spec k (length l)) as [[_ ->]|[q ->]]; [reflexivity|rewrite firstn_all; symmetry; apply firstn_all2; exact q]).
  rewrite e. split; [|exact h]. destruct k, l; simpl in *; try congruence; lia.
Qed.
Ltac empty_list := match goal with r : list _ |- ?r = [] => destruct r; cbn in *; [reflexivity | exfalso; lia] end.
Ltac empty_leaf := split; intro; open; subst; cbn [length nth hd firstn running] in *; conjuncts; intros; first [ reflexivity | lia | (exfalso; lia) | congruence | empty_list | tauto ].
(* Folds of prefixes as the library's, and what is known of extremes. *)
Lemma nmax_start a l : fold_right Nat.max a l = Nat.max a (fold_right Nat.max 0%nat l).
Proof. induction l as [|x l IH]; simpl; lia. Qed.
Ltac from_zero := repeat match goal with |- context [fold_right Nat.max ?a ?l] => lazymatch a with O => fail | _ => rewrite (nmax_start a l) end end.
Ltac prefix_terms := rewrite ?firstn_cons in *; cbn [fold_left fold_right nth hd] in *; terms; repeat turn_loop; to_library; rewrite ?Z.max_id, ?Z.min_id, ?Nat.max_id, ?Nat.min_id, ?max_again, ?min_again, ?nmin_again; change list_max with (fold_right Nat.max 0%nat) in *; cbn [fold_right] in *; from_zero.
Ltac prefix_facts := repeat match goal with
  | |- context [fold_right Z.max ?d ?l] => hide_extreme (max_facts d l) (fold_right Z.max d l) | _ : context [fold_right Z.max ?d ?l] |- _ => hide_extreme (max_facts d l) (fold_right Z.max d l)
  | |- context [fold_right Z.min ?d ?l] => hide_extreme (min_facts d l) (fold_right Z.min d l) | _ : context [fold_right Z.min ?d ?l] |- _ => hide_extreme (min_facts d l) (fold_right Z.min d l)
  | |- context [fold_right Nat.max ?d ?l] => hide_extreme (nmax_facts d l) (fold_right Nat.max d l) | _ : context [fold_right Nat.max ?d ?l] |- _ => hide_extreme (nmax_facts d l) (fold_right Nat.max d l)
  | |- context [fold_right Nat.min ?d ?l] => hide_extreme (nmin_facts d l) (fold_right Nat.min d l) | _ : context [fold_right Nat.min ?d ?l] |- _ => hide_extreme (nmin_facts d l) (fold_right Nat.min d l) end.
Ltac running_leaf := prefix_terms; first [ reflexivity | lia | congruence
  | (prefix_facts; cbn [In] in *; open; first [ lia | prove_ground 2%nat ]) ].
(* The loop as a fold of the library. *)
Ltac known_loop := first [ setoid_rewrite fold_left_max | setoid_rewrite fold_left_min | setoid_rewrite fold_left_sum | setoid_rewrite fold_left_mul
  | setoid_rewrite fold_left_nmax | setoid_rewrite fold_left_nmin | setoid_rewrite fold_left_plus | idtac ].
(* What is said of each place, of each step, or of places in parts. *)
Ltac from_places d := rewrite (running_from _ d); rewrite ?running_length; try setoid_rewrite Nat.add_1_r; cbn [length firstn In]; known_loop.
Ltac place_by_place := first [ apply and_parts; [reflexivity | intro] | idtac ]; apply all_parts; intro; apply imp_parts; [ solve [ reflexivity | lia ] | intro ];
  solve [ running_leaf | (split; intro; open; conjuncts; intros; running_leaf) ].
Ltac step_leaf := cbn [length nth] in *; intros; first [ lia | congruence | (progress fold_cases; first [ lia | congruence ]) ].
Ltac step_by_step d := match goal with |- _ = _ :: running _ _ ?l <-> ?Q => first
    [ match Q with context [nth _ (_ :: l) ?e] => rewrite (running_steps _ d e) end
    | lazymatch type of l with list ?A => with_default A ltac:(fun e => rewrite (running_steps _ d e)); unfold default, default_Z, default_nat, default_bool end ] end;
  cbn [length nth]; rewrite ?Nat.add_1_r; split; intro; open; cbn [length nth] in *; conjuncts; intros; seed_places; fire; step_leaf.
Ltac normal_places := hypotheses_too; normalise_whole; intros; open.
Ltac forget_folds := repeat match goal with H : forall _, _ |- _ => lazymatch type of H with context [fold_right] => clear H end end.
(* What holds at every place, at the places at hand alone. *)
Ltac mark_universals := repeat match goal with H : forall i : nat, _ |- _ => is_fact H; lazymatch goal with _ : done H 71%nat |- _ => fail | _ => idtac end; assert (done H 71%nat) by exact I end.
Ltac seed_marked := repeat match goal with D : done ?H 71%nat, j : nat |- _ => seed H j end;
  repeat match goal with D : done ?H 71%nat |- _ => repeat match goal with D : done H _ |- _ => clear D end; clear H end.
Ltac in_parts := heads; split; intro; open; cbn [length] in *; conjuncts; intros; open;
  first [ lia | (mark_universals; seed_marked; fire; prefix_facts; forget_folds; cbn [In] in *; normal_places; cbn [nth] in *; prove_ground 2%nat) ].
Ltac running_goal := first [ apply iff_sym; lazymatch goal with |- ?r = ?x :: running ?g ?b ?l <-> _ => idtac end | lazymatch goal with |- ?r = ?x :: running ?g ?b ?l <-> _ => idtac end ];
  match goal with |- ?r = _ <-> ?Q => lazymatch Q with context [nth _ r ?d] => first
  [ (lazymatch Q with context [nth (S _) r d] => idtac | context [nth (_ + 1) r d] => idtac end; solve [step_by_step d])
  | (from_places d; first [ place_by_place | in_parts ]) ] end end.
Ltac scanned_head := try (lazymatch goal with |- context [_ :: running _ _ _] => fail | |- context [running ?g ?b ?l] => is_var l; destruct l as [|? l] | _ => idtac end); cbn [running]; rewrite ?Z.ltb_irrefl, ?Z.leb_refl, ?Nat.ltb_irrefl, ?Nat.leb_refl, ?Z.max_id, ?Z.min_id, ?Nat.max_id, ?Nat.min_id; cbv iota.
Ltac some_prefix_leaf := prefix_terms; first [ lia | match goal with k : nat |- _ => destruct k; cbn [firstn fold_right fold_left]; first [ lia | tauto ] end ].
Ltac running_bool := without_output; first [ apply iff_sym; lazymatch goal with |- _ = true <-> _ => idtac end | lazymatch goal with |- _ = true <-> _ => idtac end ];
  rewrite ?negb_true_iff, <- ?not_true_iff_false; first [ rewrite some_running' | rewrite some_running'' ]; repeat apply not_parts;
  first [ descend some_prefix_leaf | (normalise; descend some_prefix_leaf) ].
Ltac by_running := solve [ start; list_matches; read_runnings; lazymatch goal with
  | |- context [running] => idtac | |- _ => idtac end; first
  [ (match goal with b : bool |- context [running] => idtac end; running_bool)
  | (scanned_head; lazymatch goal with |- context [running] => running_goal | |- _ => empty_leaf end) ] ].
