(** Theorems by several formulas: tactics of the library take a pair apart, by inductions too, and what is left of each case
    is asked of a solver. The formulas asked are collected in a list with an open end; that all of them are valid implies
    the theorem. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Locally.
Import Formula(valid, formula, denote, Is, And, Imp, Bit).
Import ListNotations.
Local Open Scope Z_scope.

(** * Obligations *)
Fixpoint valids (fs : list formula) : Prop := match fs with [] => True | f :: r => valid f /\ valids r end.
#[global] Arguments valids : simpl never.
Fixpoint all_of (fs : list formula) : formula := match fs with [] => Is (Bit true) | f :: r => And f (all_of r) end.
Lemma valid_all fs : valid (all_of fs) -> valids fs.
Proof. induction fs as [|f fs IH]; intro v; [exact I|]. split; [|apply IH]; intros gs env; exact (proj1 (v gs env)) || exact (proj2 (v gs env)). Qed.
Definition Closed (fs : list formula) : Prop := True.
Lemma by_obligations fs (P : Prop) : (valids fs -> P) -> Closed fs -> valid (all_of fs) -> P. Proof. intros h _ v. exact (h (valid_all fs v)). Qed.
Lemma obliged n : forall fs, valids fs -> valid (nth n fs (Is (Bit true))).
Proof. induction n as [|n IH]; intros [|f fs] v; cbn [nth]; try (intros gs env; reflexivity); destruct v as [v w]; [exact v | apply IH; exact w]. Qed.
Lemma ask_leaf fs env g f (P : Prop) : Rf fs env P f -> denote fs env g -> valid (Imp g f) -> P.
Proof. intros r d v. apply r. exact (v fs env d). Qed.
Ltac with_obligations k := exists (@nil reader); let fs := open_constr:(_ : list formula) in exists (all_of fs); apply by_obligations;
  [ let v := fresh "asked" in intro v; k
  | lazymatch goal with |- Closed ?fs => lazymatch fs with _ :: _ => close_list fs end end; exact I ]
with close_list l := lazymatch l with _ :: ?r => close_list r | ?r => unify r (@nil formula) end.
Ltac asked_of := lazymatch goal with v : valids ?fs |- valid ?f => let n := position f fs in exact (obliged n fs v) end.
Ltac with_facts := repeat match goal with H : ?P |- _ => is_prop P; lazymatch P with valids _ => fail | done _ _ => clear H | bound _ => clear H | Moved _ => clear H | _ => revert H end end.
(* Whether the goal speaks of lists by their members alone. *)
Ltac by_members := lazymatch goal with
  | |- context [@nth_error] => fail | |- context [@nth] => fail | |- context [@Sorted] => fail | |- context [@StronglySorted] => fail
  | |- context [@NoDup] => fail | |- context [@Forall] => fail | |- context [@Exists] => fail | |- context [@forallb] => fail | |- context [@existsb] => fail
  | |- context [@incl] => fail | |- context [@map] => fail | |- context [String.get] => fail | |- context [@hd_error] => fail | |- context [@last] => fail | |- context [@hd] => fail
  | |- context [@In] => change (@In) with (@member) end.
(* What the library tells of functions in sight. *)
Lemma counted_member T (e : forall x y : T, {x = y} + {x <> y}) l : forall x, In x l <-> (0 < count_occ e l x)%nat. Proof. intro x. rewrite (count_occ_In e). lia. Qed.
Lemma same_members T (l m : list T) : Permutation l m -> (forall x, In x l <-> In x m) /\ length l = length m.
Proof. intro p. split; [intro x; split; intro i; [exact (Permutation_in x p i) | exact (Permutation_in x (Permutation_sym p) i)] | exact (Permutation_length p)]. Qed.
Ltac told_by_library := repeat match goal with
  | |- context [@count_occ ?T ?e ?l] => is_var l; mark l 77%nat ltac:(pose proof (counted_member T e l))
  | |- context [@Permutation ?T ?l ?m] => mark (l, m) 78%nat ltac:(pose proof (same_members T l m)) end; clear_marks.
Ltac ask := told_by_library; with_facts; try by_members; cbn [fst snd]; eapply ask_leaf; [ reify_open | close_open ltac:(fun _ _ => idtac) | asked_of ].

(** * Hypotheses at lists and texts at hand *)
Ltac of_parts A := lazymatch A with list _ => idtac | string => idtac end.
Ltac at_hand A k := multimatch goal with
  | y : A |- _ => k y
  | |- context [?g (@cons ?T ?x ?l)] => constr_eq A (list T); carries g; k (@cons T x l)
  | |- context [?g (@app ?T ?l ?m)] => constr_eq A (list T); carries g; k (@app T l m)
  | |- context [?g (String ?x ?l)] => constr_eq A string; carries g; k (String x l) end
with carries g := let h := call_head g in assert_fails (is_constructor h); assert_fails (is_ind h); lazymatch h with @app => fail | @rev => fail | @length => fail | @nth => fail | @nth_error => fail | _ => idtac end.
(* What a call returns meets the description. *)
Ltac returned := repeat match goal with
  | IH : forall r : ?A, @?P r <-> r = ?t |- _ => mark IH 1%nat ltac:(let h := fresh "IH" in pose proof (proj2 (IH t) eq_refl) as h; cbv beta iota in h)
  | IH : forall (a : ?B) (r : ?A), @?P a r <-> r = @?t a |- _ => mark IH 1%nat ltac:(let h := fresh "IH" in pose proof (fun a => proj2 (IH a (t a)) eq_refl) as h; cbv beta iota in h)
  | IH : forall (a : ?B) (b : ?C) (r : ?A), @?P a b r <-> r = @?t a b |- _ => mark IH 1%nat ltac:(let h := fresh "IH" in pose proof (fun a b => proj2 (IH a b (t a b)) eq_refl) as h; cbv beta iota in h)
  end; clear_marks.
Ltac instances := returned; repeat match goal with
  | IH : forall x : ?A, _ |- _ => of_parts A; at_hand A ltac:(fun t => mark IH t ltac:(let h := fresh "IH" in pose proof (IH t) as h; cbv beta iota in h))
  | IH : forall (a : ?B) (x : ?A), @?P a x |- _ => of_parts A; at_hand A ltac:(fun t => mark IH t ltac:(let h := fresh "IH" in pose proof (fun a => IH a t) as h; cbv beta iota in h))
  end; repeat match goal with IH : forall x : ?A, _ |- _ => of_parts A; clear IH | IH : forall (a : ?B) (x : ?A), _ |- _ => of_parts A; clear IH end; clear_marks.

(** * Derivations by their last step *)
(** Set for each pair: a tactic is given the constructors of an inductive predicate of the texts, as nested pairs. *)
Ltac with_constructors h k := fail.
Ltac is_evidence P := let h := call_head P in with_constructors h ltac:(fun _ => idtac).
(* What a constructor's conclusion tells of its arguments where it is to be the goal: those it does not are left open. *)
Ltac clash p a := let h := call_head p in let k := call_head a in is_constructor h; is_constructor k; tryif constr_eq h k then fail else idtac.
Ltac index_told p a := lazymatch p with
  | @cons ?T ?x ?l => lazymatch a with @cons _ ?y ?m => item_told x y; index_told l m | @nil _ => fail | _ => parts_told p a end
  | @nil _ => lazymatch a with cons _ _ => fail | _ => parts_told p a end
  | _ => item_told p a end
with item_told p a := let T := type of p in tryif coded T then (tryif is_evar p then unify p a else idtac) else parts_told p a
with parts_told p a := first [ unify p a | tryif clash p a then fail else idtac ].
Ltac indices_told p a := lazymatch p with
  | ?f ?x => lazymatch a with ?g ?y => indices_told f g; index_told x y end
  | _ => unify p a end.
Ltac told_arguments T G := lazymatch T with
  | ?P -> ?Q => let s := type of P in lazymatch s with
      | Prop => told_arguments Q G
      | _ => let e := open_constr:(_ : P) in let r := told_arguments Q G in constr:((e, r)) end
  | forall y : ?A, @?B y => let e := open_constr:(_ : A) in let b := eval cbv beta in (B e) in let r := told_arguments b G in constr:((e, r))
  | ?P => let _ := match goal with _ => indices_told P G end in constr:(tt) end.
Ltac index_equations p a := lazymatch p with
  | ?f ?x => lazymatch a with ?g ?y => let r := index_equations f g in
      match goal with
      | _ => let _ := match goal with _ => constr_eq x y end in r
      | _ => lazymatch r with True => constr:(x = y) | _ => constr:(r /\ x = y) end end end
  | _ => constr:(True) end.
(* The premises of a constructor under which the goal follows. *)
Ltac premises_of T vs G := lazymatch T with
  | ?P -> ?Q => let s := type of P in lazymatch s with
      | Prop => let q := premises_of Q vs G in constr:(P /\ q)
      | _ => lazymatch vs with (?v, ?ws) => premises_of Q ws G end end
  | forall y : ?A, @?B y => lazymatch vs with (?v, ?ws) => match goal with
      | _ => let _ := match goal with _ => is_evar v end in
          let z := fresh "w" in let q := constr:(fun z : A => ltac:(let b := eval cbv beta in (B z) in let q := premises_of b ws G in exact q)) in constr:(ex q)
      | _ => let b := eval cbv beta in (B v) in premises_of b ws G end end
  | ?P => index_equations P G end.
Ltac fill vs := lazymatch vs with
  | (?v, ?ws) => tryif is_evar v then (let A := type of v in let d := constr:(@default A _) in unify v d) else idtac; fill ws
  | _ => idtac end.
Ltac sufficient c G := let T := type of c in let vs := told_arguments T G in let q := premises_of T vs G in let _ := match goal with _ => fill vs end in q.
Ltac opened_sufficient d := repeat (lazymatch type of d with ex _ => destruct d as [? d] | _ /\ _ => let p := fresh in destruct d as [p d] end).
Ltac built_by c d := opened_sufficient d; first
  [ eapply c; eassumption
  | (repeat match goal with H : ?x = ?y |- ?P ?y => revert H; generalize y; intros ? [] end; eapply c; eassumption)
  | (repeat match goal with H : ?x = ?y |- _ => first [ rewrite <- H | subst ]; clear H end; eapply c; eassumption) ].
Ltac built_by_one cs := lazymatch goal with |- ?G => lazymatch cs with
  | (?c, ?r) => match goal with
      | _ => let D := sufficient c G in
          let h := fresh in assert (h : D -> G) by (let d := fresh in intro d; built_by c d); or_built h r
      | _ => built_by_one r end end end
with or_built h r := lazymatch r with
  | tt => apply h; clear h
  | _ => lazymatch goal with |- ?G => let R := further G r in lazymatch R with
      | False => apply h; clear h
      | _ => let D := lazymatch type of h with ?D -> _ => D end in
          let k := fresh in assert (k : R -> G) by (clear h; further_built r); apply (fun d : D \/ R => or_ind h k d); clear h k end end end
with further G cs := lazymatch cs with
  | tt => constr:(False)
  | (?c, ?r) => let q := further G r in match goal with
      | _ => let D := sufficient c G in lazymatch q with False => D | _ => constr:(D \/ q) end
      | _ => q end end
with further_built cs := lazymatch cs with
  | (?c, ?r) => first [ (let d := fresh in intro d; solve [built_by c d]) | (let d := fresh in intros [d|d]; [ solve [built_by c d] | revert d; further_built r ]) | further_built r ] end.
Ltac case_of_goal := repeat match goal with |- context [if ?b then _ else _] => destruct b eqn:? end.
Ltac built := lazymatch goal with |- ?G => let h := call_head G in with_constructors h ltac:(fun cs => built_by_one cs) end.
Ltac inverted_evidence := repeat match goal with H : ?P |- _ => is_evidence P; lazymatch P with context [_ :: _] => idtac | context [@nil _] => idtac | context [String _ _] => idtac | context [EmptyString] => idtac | context [S _] => idtac | context [0%nat] => idtac end;
  inversion H; clear H; subst end.
(** * Cases of a step *)
(* The hypotheses of an induction in general, and at the values that the goal is about. *)
Ltac intros_beside := lazymatch goal with
  | IH : forall x : ?A, _ |- forall y : ?A, _ => let z := fresh y in intro z; let h := fresh "IH" in pose proof (IH z) as h; cbv beta in h; intros_on h
  | |- _ => intros end
with intros_on h := lazymatch type of h with
  | forall x : ?A, _ => lazymatch goal with |- forall y : A, _ => let z := fresh y in intro z; let k := fresh "IH" in pose proof (h z) as k; cbv beta in k; intros_on k | |- _ => intros end
  | _ => intros end.
Ltac taken_apart := repeat (match goal with
  | |- context [match ?t with _ => _ end] => lazymatch type of t with bool => fail | sumbool _ _ => fail | _ => idtac end;
      lazymatch t with context [match _ with _ => _ end] => fail | _ => idtac end;
      tryif is_var t then destruct t else (let e := fresh "e" in destruct t eqn:e)
  | e : ?t = ?v, H : context [?t] |- _ => tryif constr_eq e H then fail else idtac; is_applied t; (let h := call_head v in is_constructor h); rewrite e in H
  end; cbn in * )
with is_applied t := lazymatch t with ?g _ => let h := call_head g in assert_fails (is_constructor h) end.
(* A derivation anywhere is replaced by what its last step tells. *)
Ltac step_proved cs := split; [ let h := fresh in intro h; inversion h; clear h; subst; step_found | step_built cs ]
with step_found := first [ solve [step_exact] | solve [left; step_found] | solve [right; step_found] ]
with step_exact := repeat first [ eassumption | reflexivity | (lazymatch goal with |- _ /\ _ => split | |- ex _ => eexists | |- True => exact I end) ]
with step_built cs := lazymatch cs with
  | (?c, ?r) => first [ (let d := fresh in intro d; solve [built_by c d]) | (let d := fresh in intros [d|d]; [ solve [built_by c d] | revert d; step_built r ]) | step_built r ]
  | tt => let d := fresh in intros [] end.
Ltac structured P := lazymatch P with context [_ :: _] => idtac | context [@nil _] => idtac | context [String _ _] => idtac | context [EmptyString] => idtac | context [S _] => idtac | context [0%nat] => idtac end.
(* Lists and options that a last step would determine are taken by cases first. *)
Ltac output_open G := arguments G ltac:(fun y => is_var y; lazymatch type of y with list _ => idtac | option _ => idtac end; destruct y).
Ltac step_told G := let h := call_head G in with_constructors h ltac:(fun cs => let D := further G cs in
  let replaced _ := (let k := fresh in assert (k : G <-> D) by (solve [step_proved cs]); rewrite k; clear k) in
  lazymatch D with
  | context [@ex (list _) _] => first [ output_open G | replaced tt ]
  | context [@ex (option _) _] => first [ output_open G | replaced tt ]
  | _ => replaced tt end).
Ltac about_step G x := tryif is_var x then (lazymatch G with context [_ :: x] => idtac | context [String _ x] => idtac | context [S x] => idtac | context [x] => fail | _ => structured G end) else structured G.
Ltac steps_told x := do 4 try match goal with |- context [?G] => lazymatch type of G with Prop => is_evidence G; about_step G x; step_told G end end.
Ltac asked_end x := taken_apart; try case_of_goal; cbn in *; taken_apart; try steps_told x; from_start; instances; ask.
Ltac open_pairs := repeat match goal with p : (_ * _)%type |- _ => destruct p end; cbn [fst snd] in *; cbv beta iota in *.
Ltac asked_step x := cbn in *; open_pairs; asked_end x.
Ltac asked_along x := generalise_but x; induction x; intros_beside; asked_step x.

(** * Plans *)
Ltac opened_pair := unfold_pair; intros; cbv beta iota; cbn [fst snd].
(* What is computed stands on the right. *)
Ltac description := lazymatch goal with
  | |- _ <-> ?r = _ => is_var r | |- _ <-> _ = ?r => is_var r; rewrite (eq_swap _ _ r)
  | |- ?r = _ <-> _ => is_var r; apply iff_sym | |- _ = ?r <-> _ => is_var r; apply iff_sym; rewrite (eq_swap _ _ r) end.
Ltac heads_end x := taken_apart; try case_of_goal; cbn in *; taken_apart; try steps_told x; from_start; try deep_heads; tidy_hypotheses; instances; ask.
Ltac headed_along x := generalise_but x; induction x; intros_beside; cbn in *; open_pairs; heads_end x.
Ltac reduce_by_heads x := with_obligations ltac:(opened_pair; without_result; carry_all; from_start; try description; headed_along x).
(* Without an induction: calls from the start, derivations by their last step, each case on its own. *)
Ltac step_anywhere := match goal with |- context [?G] => lazymatch type of G with Prop => is_evidence G; step_told G end end.
Ltac reduce_by_cases := with_obligations ltac:(opened_pair; without_result; carry_all; from_start; try step_anywhere; taken_apart; ask).
(* A loop that starts with the head: an induction along the rest, for any head. *)
Ltac from_head x := let y := fresh "y" in destruct x as [|y x]; cbn in *; open_pairs; [ asked_end x | asked_along x ].
Ltac reduce_from_head x := with_obligations ltac:(opened_pair; without_result; carry_all; from_start; try description; from_head x).
Ltac reduce_along_argument x := with_obligations ltac:(opened_pair; without_result; carry_all; from_start; try description; asked_along x).
(* The function meets the description, and one value at most does. *)
Lemma meets T (P : T -> Prop) t : P t -> (P t -> forall r, P r -> r = t) -> forall r, P r <-> r = t. Proof. intros h k r. split; [apply k; exact h | intros ->; exact h]. Qed.
Ltac met x := description; lazymatch goal with |- ?P <-> ?r = ?t => lazymatch eval pattern r in P with ?D _ =>
  apply (meets _ D t); cbv beta; [ clear r; asked_along x | generalize t; let v := fresh "v" in let m := fresh "m" in intros v m; clear r; intro r; taken_apart; ask ] end end.
Ltac reduce_meeting_argument x := with_obligations ltac:(opened_pair; without_result; carry_all; from_start; met x).
