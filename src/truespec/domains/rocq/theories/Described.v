(** A description with a witness or a derivation inside a statement, and the function or predicate of the other side that
    computes it: one induction relates them, with witnesses that the hypotheses and the constructors give. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Listings.
Import ListNotations.
Local Open Scope Z_scope.

(** * A description inside a statement and the function that computes it: one induction relates them wherever they stand *)
Ltac described_part P := lazymatch P with ex _ => idtac | _ => with_evidence P end.
Ltac along_first k := multimatch goal with x : list _ |- _ => solve [generalise_but x; induction x; k tt] | x : string |- _ => solve [generalise_but x; induction x; k tt] | x : nat |- _ => solve [generalise_but x; induction x; k tt] end.
Ltac inverted_all := repeat match goal with h : ?P |- _ => is_prop P; with_evidence P; lazymatch P with _ = _ => fail | _ /\ _ => fail | _ \/ _ => fail | ex _ => fail | In _ _ => fail | _ => idtac end;
  match P with context [_ :: _] => idtac | context [@nil _] => idtac | context [S _] => idtac | context [0%nat] => idtac end; inversion h; subst; clear h end.
Ltac witness_leaf := cbn in *; first [ assumption | reflexivity | lia | congruence ].
Ltac known_fact := multimatch goal with H : _ |- _ => eexact H end.
Ltac pick_evidence n := lazymatch n with
  | O => known_fact
  | S ?m => known_fact + (lazymatch goal with |- ?P => with_evidence P; lazymatch P with _ = _ => fail | _ => idtac end end; (econstructor 1 + econstructor 2 + econstructor 3 + econstructor 4 + econstructor 5); pick_evidence m) + (solve [ lia | congruence ]) end.
Ltac both_hypotheses := repeat match goal with IH : forall _, _ <-> _ |- _ => mark IH 141%nat ltac:(pose proof (fun x => proj1 (IH x)); pose proof (fun x => proj2 (IH x)))
  | IH : forall _ _, _ <-> _ |- _ => mark IH 141%nat ltac:(pose proof (fun x y => proj1 (IH x y)); pose proof (fun x y => proj2 (IH x y))) end; clear_marks.
Ltac use_computed := repeat match goal with
  | IH : forall _, _ <-> ?Q _, K : _ |- _ => fail
  | H : forall x : ?T, ?f _ -> ex _, K : ?P |- _ => is_prop P; let h := fresh in mark H K ltac:(pose proof (H _ K) as h; cbv beta in h; opened_evidence) end; clear_marks.
Ltac first_and_rest := repeat match goal with H : forall x : ?T, ?a = x \/ @?Q x -> @?P x |- _ =>
    let h := fresh in let k := fresh in pose proof (H a (or_introl eq_refl)) as h; pose proof (fun x q => H x (or_intror q)) as k; cbv beta in h, k; clear H end.
Ltac closed_premises := repeat match goal with IH : ?A -> ?B |- _ => is_prop A; specialize (IH ltac:(solve [ assumption | (intros; auto) ])) end.
(* The index of a derivation up to an equation of numbers. *)
Ltac evidence_up_to := match goal with |- context [?a + ?b] => let e := open_constr:(_ : Z) in replace (a + b) with e; [ once (pick_evidence 2%nat) | lia ] end.
Ltac part_goal n := lazymatch goal with
  | |- _ \/ _ => first [ solve [left; part_goal n] | solve [right; part_goal n] ]
  | |- _ /\ _ => split; part_goal n
  | |- @ex ?T _ => first
      [ match goal with t : T |- _ => exists t; solve [part_goal n] end
      | lazymatch T with list ?U => match goal with x : U, t : T |- _ => exists (x :: t); solve [part_goal n] end end
      | lazymatch T with list ?U => exists (@nil U); solve [part_goal n] end
      | solve [once (eexists; split; [ pick_evidence 2%nat | witness_leaf ])] ]
  | |- forall _, _ => let h := fresh in intro h; cbn in *; opened_evidence; subst; first [ part_goal n | solve [auto] ]
  | |- _ => first [ witness_leaf | solve [once (pick_evidence 2%nat)] | solve [evidence_up_to]
      | lazymatch n with S ?m => match goal with IH : forall x : ?T, @?A x -> @?B x |- _ => apply IH; solve [part_goal m] | IH : forall (x : ?T) (y : ?U), @?A x y -> @?B x y |- _ => apply IH; solve [part_goal m] end end ] end.
Ltac part_step := intros; cbn in *; unfold_pair; split; intro; opened_evidence; inverted_all; cbn in *; opened_evidence; both_hypotheses; use_computed; part_goal 2%nat.
Ltac generalised s k := first
  [ match goal with x : ?T |- _ => tryif is_prop T then fail else lazymatch s with context [x] => idtac end;
      let f := eval pattern x in s in lazymatch f with ?g _ =>
        let t := constr:(forall y : T, ltac:(let b := eval cbv beta in (g y) in exact b)) in generalised t k end end
  | k s ].
Ltac from_witness := intro; opened_evidence; match goal with c : list _ |- _ => solve [generalise_but c; repeat match goal with H : _ |- _ => revert H end; induction c; intros; cbn in *; opened_evidence; first_and_rest; closed_premises; part_goal 2%nat] end.
Ltac evidence_to_witness := let h := fresh "h" in intro h; induction h; cbn in *; opened_evidence; part_goal 2%nat.
Ltac part_proof := intros; lazymatch goal with |- ?P <-> ?Q => tryif with_evidence Q then (split; [ solve [from_witness] | solve [evidence_to_witness] ]) else along_first ltac:(fun _ => part_step) end.
Ltac computed_part Q := lazymatch type of Q with Prop => idtac | bool => idtac end; whole Q; let h := head_of Q in tryif is_var h then fail else lazymatch h with @ex => fail | _ => idtac end.
Ltac relate_part p q := let s := says_same p q in generalised s ltac:(fun t => lazymatch goal with _ : Twin t |- _ => fail | _ => idtac end; let h := fresh "twin" in assert (h : Twin t) by (unfold Twin; clear; solve [part_proof])).
Ltac relate_parts := match goal with |- ?A <-> ?B => first
  [ match A with context [@ex ?T ?P] => match B with context [?q] => computed_part q; relate_part (ex P) q end end
  | match B with context [@ex ?T ?P] => match A with context [?q] => computed_part q; relate_part (ex P) q end end ] end.
Ltac part_close := first [ quick | plain | solve [matched_parts] | solve [firstorder (first [ lia | congruence ])] ].
Ltac use_parts := match goal with h : Twin _ |- _ => unfold Twin in h; first [ progress (setoid_rewrite h) | progress (setoid_rewrite <- h) ]; clear h end.
Ltac by_described_parts := solve [ start; try guards; split_results; cbv beta iota; lazymatch goal with |- context [ex _] => idtac end; relate_parts; use_parts; part_close ].
