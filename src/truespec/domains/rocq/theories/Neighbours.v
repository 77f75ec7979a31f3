(** Functions that look at each member and the next say that a relation holds between neighbours: they are read as [Sorted],
    whose relation is what they say of two members; conjuncts are then compared in any order. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Primes.
Import ListNotations.
Local Open Scope Z_scope.

(** * Functions that look at each member and the next say that a relation holds between neighbours *)
Lemma sorted_two T (R : T -> T -> Prop) x y l : Sorted R (x :: y :: l) <-> R x y /\ Sorted R (y :: l).
Proof. split; [intro h; inversion h as [|? ? s k]; subst; inversion k; subst; auto | intros [k s]; constructor; [exact s|constructor; exact k]]. Qed.
Lemma sorted_one T (R : T -> T -> Prop) x : Sorted R [x] <-> True. Proof. split; [auto | intros _; repeat constructor]. Qed.
Lemma sorted_none T (R : T -> T -> Prop) : Sorted R [] <-> True. Proof. split; [auto | intros _; constructor]. Qed.
Ltac neighbour_leaf := repeat match goal with x : (_ * _)%type |- _ => destruct x end; cbn; rewrite ?andb_true_r, ?andb_true_iff; first [ tauto | reflexivity | solve [fold_cases; intuition congruence] ].
Ltac neighbour_proof := let l := fresh "l" in intro l; induction l as [|? [|? ?] ?IH]; [ rewrite sorted_none; neighbour_leaf | rewrite sorted_one; neighbour_leaf | rewrite sorted_two; match goal with IH : _ <-> _ |- _ => rewrite <- IH end; neighbour_leaf ].
Ltac related_neighbours f := let t := type of f in lazymatch t with
  | list ?T -> Prop => let R := constr:(fun x y : T => ltac:(let p := eval cbn in (f [x; y]) in exact p)) in
      let h := fresh "twin" in assert (h : Twin (forall l, f l <-> Sorted R l)) by (unfold Twin; clear; solve [neighbour_proof])
  | list ?T -> bool => let R := constr:(fun x y : T => ltac:(let p := eval cbn in (f [x; y]) in exact (p = true))) in
      let h := fresh "twin" in assert (h : Twin (forall l, f l = true <-> Sorted R l)) by (unfold Twin; clear; solve [neighbour_proof]) end.
Lemma sorted_as T (R S : T -> T -> Prop) l : (forall x y, R x y <-> S x y) -> (Sorted R l <-> Sorted S l).
Proof. intro h. apply Sorted_proper; [intros x y; apply h | reflexivity]. Qed.
Ltac same_relation := let x := fresh in let y := fresh in intros x y; repeat match goal with x : (_ * _)%type |- _ => destruct x end; cbn; rewrite ?andb_true_r, ?andb_true_iff, ?negb_true_iff; fold_cases; first [ tauto | lia | intuition (first [congruence | lia]) ].
Ltac known_relation R := lazymatch R with Z.le => idtac | Z.lt => idtac | Z.ge => idtac | Z.gt => idtac | _ => fail end.
Ltac plain_relations := repeat match goal with |- context [@Sorted Z ?R ?l] => tryif known_relation R then fail else first
  [ rewrite (sorted_as Z R Z.le l) by same_relation | rewrite (sorted_as Z R Z.lt l) by same_relation | rewrite (sorted_as Z R Z.ge l) by same_relation | rewrite (sorted_as Z R Z.gt l) by same_relation ] end.
Lemma text_is l s : string_of_list_ascii l = s <-> l = list_ascii_of_string s.
Proof. split; [intros <-; symmetry; apply list_ascii_of_string_of_list_ascii | intros ->; apply string_of_list_ascii_of_string]. Qed.
Lemma text_is' l s : s = string_of_list_ascii l <-> l = list_ascii_of_string s.
Proof. rewrite <- text_is. split; auto. Qed.
(* Conjuncts in any order, each from one of the other side. *)
Lemma pair_condition A B (P : A -> B -> Prop) l : (forall a b, In (a, b) l -> P a b) <-> (forall p, In p l -> P (fst p) (snd p)).
Proof. split; [intros h [a b]; apply h | intros h a b i; apply (h (a, b) i)]. Qed.
Ltac conjunct_from := multimatch goal with H : ?P |- ?Q => is_prop P; lazymatch P with
  | Sorted _ _ => lazymatch Q with Sorted _ _ => revert H; apply sorted_as; same_relation end
  | ?a = ?b => lazymatch Q with
    | ?c = b => transitivity a; [ clear; first [ reflexivity | equal_scans ] | exact H ] | ?c = a => transitivity b; [ clear; first [ reflexivity | equal_scans ] | symmetry; exact H ]
    | b = ?c => symmetry; transitivity a; [ clear; first [ reflexivity | equal_scans ] | exact H ] | a = ?c => symmetry; transitivity b; [ clear; first [ reflexivity | equal_scans ] | symmetry; exact H ] end
  | Forall _ _ => lazymatch Q with Forall _ _ => revert H; apply Forall_impl; intros; cbn in *; lia end
  | forall _, _ => lazymatch Q with forall _, _ => intros; cbn in *; match goal with i : In ?x _ |- _ => specialize (H x i) end; cbn in *; first [ assumption | lia ] end end end.
Ltac conjuncts_from := split; intro; open; repeat split; first [ assumption | lia | conjunct_from ].
Ltac by_related_neighbours := solve [ start; try guards; for_recursive related_neighbours; lazymatch goal with _ : Twin _ |- _ => idtac end; falsities; use_twins; terms; plain_relations; rewrite ?text_is, ?text_is', ?pair_condition, ?Forall_forall;
   first [ quick | solve [conjuncts_from] | (split_results; normalise; terms; first [ quick | same_orders | (split; intro; first [ lia | (booleans; lia) ]) ]) ] ].
