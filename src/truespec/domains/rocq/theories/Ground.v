(** Ground reasoning: universals are instantiated at the terms at hand, in bulk, and arithmetic closes what is left.

    Formulas without quantifiers stay as they are: [lia] splits them faster than tactics do. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Prove.
Import ListNotations.
Local Open Scope Z_scope.

Ltac is_ground P := lazymatch P with
  | context [ex _] => fail
  | context [forall x : ?T, _] => tryif is_prop T then idtac else fail
  | _ => idtac end.
(* Opens what hides quantifiers. *)
Ltac open1 := match goal with
  | H : False |- _ => destruct H
  | H : True |- _ => clear H
  | H : _ /\ _ |- _ => destruct H
  | H : ex _ |- _ => destruct H
  | H : ~ ~ _ |- _ => apply NNPP in H
  | H : ~ (_ \/ _) |- _ => apply not_or_and in H
  | H : ~ (exists _, _) |- _ => let h := fresh in pose proof (not_ex_all_not _ _ H) as h; clear H; cbv beta in h
  | H : ~ (?A -> ?B) |- _ => is_prop A; apply imply_to_and in H
  | H : ~ (forall _, _) |- _ => apply not_all_ex_not in H
  | H : ~ (?A /\ ?B) |- _ => tryif (is_ground A; is_ground B) then fail else apply not_and_or in H
  | H : ~ (?A <-> ?B) |- _ => tryif (is_ground A; is_ground B) then fail else apply not_iff in H
  | H : Some _ = Some _ |- _ => injection H; clear H; intros
  | H : (_, _) = (_, _) |- _ => injection H; clear H; intros
  | H : ?x = ?y |- _ => is_var x; subst x
  | H : ?x = ?y |- _ => is_var y; subst y
  | H : ?A -> ?B, K : ?A |- _ => is_prop A; specialize (H K)
  | H : ?A \/ ?B, K : ~ ?A |- _ => destruct H as [H|H]; [destruct (K H)|]
  | H : ?A \/ ?B, K : ~ ?B |- _ => destruct H as [H|H]; [|destruct (K H)]
  end.
Ltac open := repeat open1.

Ltac seed H t := is_fact H; lazymatch goal with _ : done H t |- _ => fail | _ => idtac end;
  let h := fresh "G" in pose proof (H t) as h; cbv beta in h; assert (done H t) by exact I.
Ltac ground1 := match goal with
  | H : forall x : ?T, _, t : ?T |- _ => tryif is_prop T then fail else seed H t
  | H : forall x : ?T, In x ?l -> _, K : In ?t ?l |- _ => seed H t
  | H : forall x : ?T, In x ?l -> _, K : (?i < length ?l)%nat, L : context [nth ?i ?l ?d] |- _ => mark (nth i l d) l ltac:(pose proof (@nth_In T i l d))
  | H : forall i : nat, _, K : context [nth ?i _ _] |- _ => seed H i
  | H : forall x : Z, _, K : context [nth ?i ?l 0] |- _ => seed H (nth i l 0)
  | H : forall x : Z, _, K : context [fold_right Z.max ?d ?l] |- _ => seed H (fold_right Z.max d l)
  | H : forall x : Z, _, K : context [fold_right Z.min ?d ?l] |- _ => seed H (fold_right Z.min d l)
  | H : forall x : nat, _, K : context [fold_right Nat.max ?d ?l] |- _ => seed H (fold_right Nat.max d l)
  | H : forall x : nat, _, K : context [fold_right Nat.min ?d ?l] |- _ => seed H (fold_right Nat.min d l)
  | H : forall x : Z, (x | ?a) -> _, K : (?t | ?a) |- _ => seed H t
  | H : forall x : Z, _ -> (x | ?a) -> _, K : (?t | ?a) |- _ => seed H t
  | H : forall x : Z, _ -> (?k | x) -> _, K : (?k | ?t) |- _ => first [seed H t | seed H (t - k) | seed H (t + k)]
  end.
Ltac bulk k := match k with O => idtac | S ?m => try (ground1; bulk m) end.
(* Members of a list that is spoken of by index have an index. *)
Ltac members := repeat match goal with
  | H : In ?x ?l, _ : context [nth _ ?l ?d] |- _ => mark H 8 ltac:(let i := fresh "i" in let k := fresh in let e := fresh in destruct (In_nth l x d H) as (i & k & e)) end.
(* Defaults differ where no element is missing. *)
Ltac defaults := repeat match goal with
  | H : context [nth ?i ?l ?d] |- _ => match goal with K : context [nth i l ?e] |- _ =>
      tryif constr_eq d e then fail else mark (nth i l d) (nth i l e) ltac:(pose proof (@nth_indep _ l i d e)) end end.
Ltac final := first [ lia | (progress booleans); lia | congruence ].
Ltac split1 := match goal with
  | H : ?A \/ ?B |- _ => tryif (is_ground A; is_ground B) then fail else destruct H
  | H : ?A <-> ?B |- _ => tryif (is_ground A; is_ground B) then fail else (apply iff_cases in H; destruct H)
  | H : ?A -> ?B |- _ => is_prop A; tryif (is_ground A; is_ground B) then fail else (destruct (classic A) as [?|?]; [specialize (H ltac:(assumption))|clear H])
  end.
Ltac ground n :=
  open; rewrite ?Nat.add_1_r in *; members; defaults; facts; try solve [final];
  lazymatch n with
  | O => fail
  | S ?m => bulk 24%nat; open; first [ solve [final] | split1; solve [ground n] | ground m ] end.
Ltac conjuncts := repeat match goal with |- _ /\ _ => split | |- _ <-> _ => split | |- ~ _ => intro | |- _ -> _ => intro | |- forall _, _ => intro end.

(** Witnesses: terms of the right type, plain ones first. *)
Ltac candidate T k := first
  [ multimatch goal with t : T |- _ => k t end
  | match goal with |- context [@nth T ?i ?l ?d] => k (@nth T i l d) | _ : context [@nth T ?i ?l ?d] |- _ => k (@nth T i l d) end
  | lazymatch T with
    | nat => first [ multimatch goal with t : Z |- _ => k (Z.to_nat t) end | multimatch goal with t : nat |- _ => first [k (S t) | k (pred t) | k (t / 2)%nat | k (t - 1)%nat] end | k 0%nat | k 1%nat
                   | match goal with |- context [Nat.sqrt ?n] => k (Nat.sqrt n) | _ : context [Nat.sqrt ?n] |- _ => k (Nat.sqrt n) end ]
    | Z => first [ multimatch goal with t : nat |- _ => k (Z.of_nat t) end | multimatch goal with t : Z |- _ => first [k (- t) | k (Z.abs t) | k (t - 1) | k (t + 1) | k (2 * t) | k (t / 2) ] end | k 0 | k 1
                 | multimatch goal with a : Z, b : Z |- _ => first [ k (a - b) | k (a + b) | k (a / b)] end ] end ].
(* The hypotheses of the same type, in every order; [tac] closes what remains. *)
Ltac known_witness tac := lazymatch goal with
  | |- @ex ?T _ => multimatch goal with t : T |- _ => exists t end; known_witness tac
  | |- _ => tac end.
Ltac any_witness tac := lazymatch goal with
  | |- @ex ?T _ => candidate T ltac:(fun t => exists t; any_witness tac)
  | |- _ => tac end.
Ltac witnessed := repeat split; first [ assumption | lia ].
Ltac witnessed_nonlinear := terms; repeat split; first [ assumption | lia | apply Z.divide_factor_l | apply Z.divide_factor_r | nia ].
(* Divisibility as a product. *)
Ltac products := repeat match goal with H : (_ | _) |- _ => let q := fresh "q" in let e := fresh in destruct H as [q e]; try subst end.
Ltac prove_ground n := first [ assumption | lia
  | lazymatch goal with |- ex _ => solve [once (known_witness ltac:(solve [witnessed]))] end
  | match goal with H : ~ (ex _) |- _ => exfalso; apply H; solve [once (known_witness ltac:(solve [witnessed]))] end
  | apply NNPP; let h := fresh in intro h; solve [ground n] ].
Ltac both_ground n := split; intro; open; conjuncts; open; prove_ground n.

Ltac by_ground := solve [ start; split_results; cbv beta iota; terms; normalise; terms; first [ quick | descend ltac:(solve [plain | both_ground 2%nat]) | both_ground 2%nat ] ].
Ltac by_ground_indices := solve [ start; split_results; cbv beta iota; terms; normalise; terms; rewrite ?(pairwise_index Z 0), ?(pairwise_index nat 0%nat), ?nil_length; first [ quick | both_ground 3%nat ] ].
Ltac by_plain_ground := solve [ start; split_results; cbv beta iota; terms; first [ quick | descend ltac:(solve [plain | both_ground 1%nat]) | both_ground 2%nat ] ].
Ltac by_witness := solve [ start; split_results; cbv beta iota; first [ idtac | progress normalise ]; terms; descend ltac:(first [ plain | split; intro; open; products; conjuncts; first [ lia | nia | solve [any_witness ltac:(solve [witnessed_nonlinear])] | (exfalso; lia) ] ]) ].

(** Quotients by a variable: products take their place, and equal ones are told apart by order. *)
Ltac quotients := repeat match goal with
  | H : context [Z.div ?a ?b] |- _ => mark a (b, 6) ltac:(pose proof (div_mod_facts a b))
  | |- context [Z.div ?a ?b] => mark a (b, 6) ltac:(pose proof (div_mod_facts a b))
  | H : context [Z.modulo ?a ?b] |- _ => mark a (b, 6) ltac:(pose proof (div_mod_facts a b))
  | |- context [Z.modulo ?a ?b] => mark a (b, 6) ltac:(pose proof (div_mod_facts a b)) end.
Ltac hide_quotients := repeat match goal with
  | H : context [Z.div ?a ?b] |- _ => let q := fresh "q" in set (q := Z.div a b) in *; clearbody q
  | H : context [Z.modulo ?a ?b] |- _ => let q := fresh "m" in set (q := Z.modulo a b) in *; clearbody q end.
Ltac orders := match goal with
  | q : Z, p : Z |- _ => tryif constr_eq p q then fail else (lazymatch goal with _ : done p q |- _ => fail | _ => idtac end; assert (done p q) by exact I; assert (done q p) by exact I; let h := fresh in assert (h : p <= q - 1 \/ p = q \/ q + 1 <= p) by lia; destruct h as [h|[h|h]]; [ | subst | ])
  end.
Ltac by_quotients := solve [ start; split_results; cbv beta iota; terms; split; intro; open; conjuncts; open; quotients; products; hide_quotients; clear_marks;
  repeat match goal with H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(lia)) end;
  first [ lia | nia | match goal with q : Z |- (_ | _) => exists q; nia end
    | (repeat match goal with H : _ \/ _ |- _ => destruct H end; first [ nia | lia | (exfalso; nia) | (orders; first [nia | lia]) ]) ] ].
(** One step into the lists. *)
Ltac by_list_cases := solve [ start; split_results; cbv beta iota; repeat match goal with l : list _ |- _ => lazymatch goal with _ : done l 0 |- _ => fail | _ => idtac end; destruct l; [|match goal with t : list _ |- _ => assert (done t 0) by exact I end] end;
  cbn in *; terms; normalise; terms; first [ quick | plain | both_ground 1%nat ] ].
