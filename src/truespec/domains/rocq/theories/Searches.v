(** What a search finds, extremes as members, lists without repetition that were joined, and witnesses that are determined
    up to their order. Statements on members and numbers are closed by what is said of the members at hand. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Running.
Import ListNotations.
Local Open Scope Z_scope.

(** * Searches: what is found passes the test, and where nothing is found nothing does *)
Lemma count_two T (e : forall x y : T, {x = y} + {x <> y}) x y l : x = y \/ (count_occ e l x + count_occ e l y <= length l)%nat.
Proof.
  destruct (e x y) as [h|h]; [left; exact h|right]. induction l as [|a l IH]; simpl; [lia|].
  destruct (e a x), (e a y); subst; try congruence; lia.
Qed.
Lemma find_cases T (p : T -> bool) l : (exists x, find p l = Some x /\ In x l /\ p x = true) \/ (find p l = None /\ forall x, In x l -> p x = false).
Proof.
  destruct (find p l) as [x|] eqn:e; [left; exists x; split; [reflexivity|apply find_some; exact e] | right; split; [reflexivity|apply find_none; exact e]].
Qed.
Lemma filter_cases T (p : T -> bool) l : (exists x t, filter p l = x :: t /\ forall y, In y (x :: t) <-> In y l /\ p y = true) \/ (filter p l = [] /\ forall x, In x l -> p x = false).
Proof.
  pose proof (fun y => filter_In p y l) as h. destruct (filter p l) as [|x t]; [right|left; eauto].
  split; [reflexivity|]. intros x i. specialize (h x). destruct (p x); [destruct (proj2 h (conj i eq_refl))|reflexivity].
Qed.
(* Extremes of a list with a head, by their members. *)
Lemma most_member d l : In (fold_right Z.max d l) (d :: l) /\ forall x, In x (d :: l) -> x <= fold_right Z.max d l.
Proof. destruct (max_facts d l) as (a & b & c). simpl. split; [intuition|intros x [<-|i]; auto]. Qed.
Lemma least_member d l : In (fold_right Z.min d l) (d :: l) /\ forall x, In x (d :: l) -> fold_right Z.min d l <= x.
Proof. destruct (min_facts d l) as (a & b & c). simpl. split; [intuition|intros x [<-|i]; auto]. Qed.
Lemma nmost_member d l : In (fold_right Nat.max d l) (d :: l) /\ forall x, In x (d :: l) -> (x <= fold_right Nat.max d l)%nat.
Proof. destruct (nmax_facts d l) as (a & b & c). simpl. split; [intuition|intros x [<-|i]; auto]. Qed.
Lemma nleast_member d l : In (fold_right Nat.min d l) (d :: l) /\ forall x, In x (d :: l) -> (fold_right Nat.min d l <= x)%nat.
Proof. destruct (nmin_facts d l) as (a & b & c). simpl. split; [intuition|intros x [<-|i]; auto]. Qed.
Ltac extreme_members_of := repeat match goal with
  | |- context [fold_right Z.max ?d ?l] => hide_extreme (most_member d l) (fold_right Z.max d l) | |- context [fold_right Z.min ?d ?l] => hide_extreme (least_member d l) (fold_right Z.min d l)
  | |- context [fold_right Nat.max ?d ?l] => hide_extreme (nmost_member d l) (fold_right Nat.max d l) | |- context [fold_right Nat.min ?d ?l] => hide_extreme (nleast_member d l) (fold_right Nat.min d l) end.
Ltac open_searches := repeat match goal with
  | |- context [@find ?T ?p ?l] => let e := fresh in destruct (find_cases T p l) as [(? & e & ? & ?)|[e ?]]; rewrite e; clear e
  | |- context [match @filter ?T ?p ?l with nil => _ | cons _ _ => _ end] => let e := fresh in destruct (filter_cases T p l) as [(? & ? & e & ?)|[e ?]]; rewrite e; clear e end; cbv beta iota in *.
Ltac count_pairs := repeat match goal with
  | _ : context [@count_occ ?T ?e ?l ?x] |- _ => match goal with
    | _ : context [count_occ e l ?y] |- _ => tryif constr_eq x y then fail else pair_of T e l x y
    | |- context [count_occ e l ?y] => tryif constr_eq x y then fail else pair_of T e l x y end end
with pair_of T e l x y := (lazymatch goal with _ : done (x, y) l |- _ => fail | _ : done (y, x) l |- _ => fail | _ => idtac end; assert (done (x, y) l) by exact I;
    let h := fresh in destruct (count_two T e x y l) as [h|h]; [try subst x; try subst y | ]).
(* All that is said of every number, at the numbers at hand; the rest is propositional and linear. *)
Ltac seed_values := repeat match goal with
  | H : forall x : Z, _, t : Z |- _ => seed H t
  | H : forall x : nat, _, t : nat |- _ => seed H t end.
Ltac forget_universals := clear_marks; repeat match goal with H : forall x : ?T, _ |- _ => is_fact H; tryif is_prop T then fail else clear H end.
Ltac saturated := apply NNPP; let h := fresh in intro h; open; seed_values; forget_universals; try subst; first [ lia | (booleans; lia) ].
(* Of members, only what is said of those that are known to be. *)
Ltac member_premise := first [ assumption | (apply in_eq) | (apply in_cons; assumption) | (left; reflexivity) | (right; assumption) | (left; assumption) | (right; left; reflexivity) | lia ].
Ltac discharged h := repeat lazymatch type of h with ?A -> _ => is_prop A; specialize (h ltac:(member_premise)) end;
  lazymatch type of h with ?A -> _ => (lazymatch A with context [In] => fail | _ => idtac end) | _ => idtac end.
Ltac seed_known H t := is_fact H; lazymatch goal with _ : done H t |- _ => fail | _ => idtac end; assert (done H t) by exact I;
  try (let h := fresh "K" in pose proof (H t) as h; cbv beta in h; lazymatch type of h with forall x : ?T, _ => tryif is_prop T then discharged h else idtac | _ => idtac end).
Ltac chained := repeat match goal with H : forall x : Z, _, t : Z |- _ => seed_known H t | H : forall x : nat, _, t : nat |- _ => seed_known H t end; forget_universals; open; try subst; first [ lia | (booleans; lia) ].
Ltac equal_cases := repeat (match goal with H : ?a = ?b \/ _ |- _ => first [ is_var a | is_var b ]; destruct H; [ try subst | ] end; open).
Ltac saturated_goal := lazymatch goal with
  | |- _ /\ _ => split; saturated_goal
  | |- forall _, _ => intro; open; saturated_goal
  | |- @eq Z _ _ => first [ lia | assumption | (apply Z.le_antisymm; chained) | (apply Z.le_antisymm; saturated) ]
  | |- @ex ?T _ => match goal with t : T |- _ => exists t; saturated_goal end
  | |- _ => first [ member_premise | chained | saturated ] end.
Ltac search_leaf := first [ solve [saturated_goal] | solve [equal_cases; saturated_goal] | prove_ground 2%nat | (facts; count_pairs; clear_marks; prove_ground 2%nat) ].
Ltac search_goal := open; split; intro; open; conjuncts; open; solve [search_leaf].
Ltac searches := lazymatch goal with |- context [find] => idtac | |- context [filter] => idtac | |- context [count_occ] => idtac
  | |- context [Z.max] => idtac | |- context [Z.min] => idtac | |- context [Nat.max] => idtac | |- context [Nat.min] => idtac end.
Ltac no_case := solve [ split; [ intros; exact I | intros; exfalso; first [ congruence | lia | contradiction ] ] ].
Ltac heads_known := repeat match goal with |- context [?x :: ?l] => lazymatch goal with _ : done x l |- _ => fail | _ => idtac end; assert (In x (x :: l)) by apply in_eq; assert (done x l) by exact I end; clear_marks.
Ltac saturated_both := heads_known; open; split; intro; open; conjuncts; open; solve [ saturated_goal | equal_cases; saturated_goal ].
Ltac by_search_results := solve [ start; searches; without_output; list_matches; try take_premises; given_heads; first [ no_case |
  as_library; count_tests; cbn [length]; split_options; cbv beta iota; open_searches; split_options; terms; prefix_terms; extreme_members_of;
  first [ quick | plain | no_case | saturated_both
    | hypotheses_too; normalise_whole; intros; terms; first [ quick | plain | search_goal ] ] ] ].

(** * Lists without repetition that were joined, and witnesses that are determined up to their order *)
Lemma distinct_app T (l m : list T) : NoDup (l ++ m) <-> NoDup l /\ NoDup m /\ forall x, In x l -> ~ In x m.
Proof.
  rewrite !nodup_pairwise, pairwise_app. split; intros (a & b & c); repeat split; auto.
  - intros x i j. exact (c x x i j eq_refl).
  - intros x y i j e. subst. exact (c y i j).
Qed.
Lemma nf_distinct_app T (l m : list T) P Q R S : Nf (NoDup l) P -> Nf (NoDup m) Q -> (forall x, Nf (In x l) (R x)) -> (forall x, Nf (In x m) (S x)) ->
  Nf (NoDup (l ++ m)) (P /\ Q /\ forall x, R x -> ~ S x).
Proof. unfold Nf. intros <- <- r s. rewrite distinct_app. firstorder. Qed.
Lemma same_distinct T (l m : list T) : NoDup l -> NoDup m -> (forall x, In x l <-> In x m) -> length l = length m.
Proof. intros h k i. apply Permutation_length, NoDup_Permutation; assumption. Qed.
Lemma distinct_length T (e : forall x y : T, {x = y} + {x <> y}) l x : length (nodup e (x :: l)) = if in_dec e x l then length (nodup e l) else S (length (nodup e l)).
Proof. simpl. destruct (in_dec e x l); reflexivity. Qed.
#[export] Hint Extern 0 (Nf (NoDup (_ ++ _)) _) => (eapply nf_distinct_app) : typeclass_instances.
(* A list that some list's members determine up to their order: its length is known, and one of them is at hand. *)
Ltac same_members_of := let x := fresh in intro x; rewrite ?nodup_In; unfold incl in *; first [ solve [auto] | solve [firstorder] ].
Ltac known_length := match goal with
  | D : NoDup ?s |- context [@nodup ?T ?e ?l] => let h := fresh in assert (h : length s = length (nodup e l)) by (apply same_distinct; [exact D | apply NoDup_nodup | same_members_of]); lia
  | P : Permutation ?s ?l |- _ => apply Permutation_length in P; lia end.
Ltac distinct_goal := repeat split; intros; first [ apply NoDup_nodup | apply Permutation_refl | lia | (rewrite nodup_In in *; assumption) | (let x := fresh in intros x ?; rewrite nodup_In in *; assumption) ].
Ltac distinct_witness := lazymatch goal with |- exists s, _ => first
  [ match goal with _ : context [nodup ?e ?l] |- _ => exists (nodup e l); solve [distinct_goal] | |- context [nodup ?e ?l] => exists (nodup e l); solve [distinct_goal] end
  | match goal with |- context [Permutation _ ?l] => exists l; solve [distinct_goal] | |- context [Permutation ?l _] => exists l; solve [distinct_goal] end ] end.
Ltac by_distinct_witness := solve [ start; lazymatch goal with |- context [exists s : list ?T, _] => idtac end; split; intro; flat_append; subst; first [ distinct_witness | known_length ] ].
