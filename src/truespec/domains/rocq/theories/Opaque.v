(** Functions that nothing is known of: equal arguments give equal values, and what holds of all arguments holds of those
    that occur. Arithmetic says which arguments are equal; no extensionality is used. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Ground.
Import ListNotations.
Local Open Scope Z_scope.

(* Values that are matched on, apart. *)
Ltac opened := repeat match goal with
  | |- context [match ?x with _ => _ end] => is_var x; destruct x
  | H : context [match ?x with _ => _ end] |- _ => is_var x; destruct x
  end.
(* Arguments that arithmetic proves equal are written alike. *)
Ltac alike a b := tryif constr_eq a b then fail else (let T := type of a in lazymatch T with Z => idtac | nat => idtac end;
  let e := fresh in assert (e : b = a) by lia; rewrite e in *; clear e).
Ltac equal_arguments := repeat match goal with
  | f : _ -> _ |- context [?g ?a] => constr_eq f g; match goal with
      | |- context [g ?b] => alike a b
      | _ : context [g ?b] |- _ => alike a b end
  | f : _ -> _, _ : context [?g ?a] |- _ => constr_eq f g; match goal with _ : context [g ?b] |- _ => alike a b end
  | f : _ -> _ -> _ |- context [?g ?x ?a] => constr_eq f g; match goal with
      | |- context [g x ?b] => alike a b
      | _ : context [g x ?b] |- _ => alike a b end
  | f : _ -> _ -> _, _ : context [?g ?x ?a] |- _ => constr_eq f g; match goal with _ : context [g x ?b] |- _ => alike a b end
  | |- context [nth ?i ?l ?d] => match goal with |- context [nth ?j l d] => alike i j | _ : context [nth ?j l d] |- _ => alike i j end
  | _ : context [nth ?i ?l ?d] |- _ => match goal with _ : context [nth ?j l d] |- _ => alike i j end
  end.
(* Universals at the arguments that occur, and next to them. *)
Ltac at_place H t := is_fact H; lazymatch goal with _ : done H t |- _ => fail | _ => idtac end;
  let h := fresh "G" in pose proof (H t) as h; cbv beta iota in h; assert (done H t) by exact I.
Ltac at_places := repeat match goal with
  | H : forall x : ?T, _, t : ?T |- _ => tryif is_prop T then fail else at_place H t
  | f : ?T -> _, H : forall x : ?T, _ |- context [?g ?t] => constr_eq f g; at_place H t
  end.
Ltac near_places := repeat match goal with
  | H : forall x : Z, _, t : Z |- _ => first [ at_place H (t - 1) | at_place H (t + 1) | at_place H (- t) ]
  | H : forall x : nat, _, t : nat |- _ => first [ at_place H (t - 1)%nat | at_place H (S t) ]
  end.
Ltac premises := repeat match goal with
  | H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(first [ assumption | lia | reflexivity ]))
  | H : forall x, x = ?t -> _ |- _ => specialize (H _ eq_refl)
  | H : forall x, ?t = x -> _ |- _ => specialize (H _ eq_refl)
  | H : forall x, S ?t = S x -> _ |- _ => specialize (H _ eq_refl)
  | H : forall x y, ?a :: ?b = x :: y -> _ |- _ => specialize (H _ _ eq_refl)
  | H : forall x, Some ?t = Some x -> _ |- _ => specialize (H _ eq_refl)
  end.
Ltac close_calls := first [ assumption | reflexivity | lia | congruence
  | solve [equal_arguments; first [ assumption | reflexivity | lia | congruence | tauto | intuition (congruence || lia) ]]
  | solve [intuition (congruence || lia)] ].
Ltac calls_step := open; premises; cbn [fst snd] in *; open.
Ltac injections := repeat match goal with
  | H : _ :: _ = _ :: _ |- _ => injection H; clear H; intros; subst
  | H : S _ = S _ |- _ => injection H; clear H; intros; subst
  | H : Some _ = Some _ |- _ => injection H; clear H; intros; subst
  | H : ?x = ?y |- _ => first [ is_var x; subst x | is_var y; subst y ] end.
Ltac both_calls := split; intro; open; conjuncts; calls_step; injections; try discriminate; first
  [ close_calls
  | eexists; split; [reflexivity|]; solve [close_calls]
  | match goal with |- exists x, _ => fail 1 | _ => idtac end; near_places; calls_step; solve [close_calls]
  | at_places; calls_step; solve [close_calls]
  | apply NNPP; let h := fresh in intro h; calls_step; at_places; calls_step; clear_marks; solve [close_calls] ].
(* Both sides speak of the same arguments, and of a list's two forms. *)
Ltac each := repeat (apply all_parts; intro).
Ltac lists_apart := repeat match goal with l : list _ |- context [?m = _] => constr_eq l m; destruct l end.
Ltac calls := opened; cbv beta iota; cbn [Nat.eqb Nat.leb]; first
  [ quick | plain | solve [equal_arguments; first [quick | plain]] | lists_apart; cbn [hd_error]; first [ tauto | both_calls ] ].
Ltac by_calls := solve [ start; cbv beta iota; first [ solve [progress each; calls] | calls ] ].

(** Places of a relation or a sequence: in each order, or shifted by one. *)
Ltac from_fact H := first [ lia | reflexivity | assumption | congruence | apply H; first [ assumption | lia ] | symmetry; apply H; first [ assumption | lia ]
  | apply eq_true_iff_eq; split; intro; apply H; first [ assumption | lia ]
  | match goal with i : ?T, j : ?T |- _ => pose proof (H i j); lia end
  | apply NNPP; let h := fresh in intro h; apply H; solve [once (known_witness ltac:(solve [witnessed]))] ].
Ltac by_neighbour h := specialize (h ltac:(lia)); first [ assumption | congruence | lia ].
Ltac from_neighbour H := match goal with i : nat |- _ => let h := fresh "h" in first
  [ solve [pose proof (H i) as h; rewrite ?Nat.add_1_r in *; by_neighbour h]
  | solve [pose proof (H (S i)) as h; replace (S i - 1)%nat with i in h by lia; by_neighbour h]
  | solve [pose proof (H (i - 1)%nat) as h; replace (S (i - 1)) with i in h by lia; by_neighbour h]
  | solve [apply not_false_is_true; intro h; apply H; exists i; rewrite ?Nat.add_1_r; split; first [ lia | assumption ]] ] end.
Ltac both_places := split; let H := fresh "H" in intro H; conjuncts; intros;
  repeat match goal with K : _ /\ _ |- _ => destruct K | K : ex _ |- _ => destruct K end;
  first [ solve [from_fact H] | solve [from_neighbour H]
  | match goal with
    | i : Z, j : Z |- _ => destruct (Z.lt_trichotomy i j) as [?|[?|?]]; try subst; solve [from_fact H]
    | i : nat, j : nat |- _ => destruct (Nat.lt_trichotomy i j) as [?|[?|?]]; try subst; solve [from_fact H] end ].
Ltac by_places := solve [ start; both_places ].
