(** Calls with what they carry taken out, whatever else they take and whatever they recurse along; and functions that take fuel:
    as soon as there is enough of it, how much there is does not matter. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Parted.
Import ListNotations.
Local Open Scope Z_scope.

(* [k] gets an argument of a call and what rebuilds the call around another one. *)
Ltac at_argument t k := lazymatch t with ?f ?x => first
  [ k x ltac:(fun y r => r (f y)) | at_argument f ltac:(fun y b => k y ltac:(fun z r => b z ltac:(fun h => r (h x)))) ] end.
Ltac fuelled k := for_recursive ltac:(fun f => calls_of f ltac:(fun t => at_argument t ltac:(fun x b => lazymatch type of x with nat => idtac end;
  let o := constr:(fun m : nat => ltac:(b m ltac:(fun s => exact s))) in let r := eval cbn [f] in o in constr_eq o r;
  let s := constr:(fun m : nat => ltac:(b (S m) ltac:(fun s => exact s))) in let r := eval cbn [f] in s in tryif constr_eq s r then fail else k f t x b))).
Lemma odd_as_remainder n : Nat.odd n = (n mod 2 =? 1)%nat. Proof. rewrite <- Nat.bit0_odd, Nat.bit0_eqb. reflexivity. Qed.
Lemma even_as_remainder n : Nat.even n = (n mod 2 =? 0)%nat. Proof. rewrite <- Nat.negb_odd, odd_as_remainder. pose proof (Nat.mod_upper_bound n 2). destruct (n mod 2)%nat as [|[|]]; [reflexivity..|lia]. Qed.
(* Quotients and remainders as variables with their equation. *)
Ltac quotient n c := let e := fresh in let b := fresh in let q := fresh "q" in let m := fresh "m" in
  lazymatch type of n with
  | nat => pose proof (Nat.div_mod_eq n c) as e; pose proof (Nat.mod_upper_bound n c ltac:(lia)) as b; set (q := (n / c)%nat) in *; set (m := (n mod c)%nat) in *; clearbody q m
  | Z => pose proof (Z.div_mod n c ltac:(lia)) as e; pose proof (Z.mod_pos_bound n c ltac:(lia)) as b; set (q := n / c) in *; set (m := n mod c) in *; clearbody q m end.
Ltac as_remainders := rewrite ?Nat.div2_div; lazymatch goal with |- context [(_ mod 2)%nat] => rewrite ?odd_as_remainder, ?even_as_remainder | |- context [(_ / 2)%nat] => rewrite ?odd_as_remainder, ?even_as_remainder | |- _ => idtac end.
Ltac quotients := as_remainders; repeat match goal with |- context [(?n / ?c)%nat] => is_var n; quotient n c | |- context [(?n mod ?c)%nat] => is_var n; quotient n c | |- context [?n / ?c] => is_var n; quotient n c | |- context [?n mod ?c] => is_var n; quotient n c end.
Ltac zeros := cbn; repeat match goal with |- context [(0 / ?c)%nat] => change (0 / c)%nat with 0%nat | |- context [(0 mod ?c)%nat] => change (0 mod c)%nat with 0%nat
  | |- context [0 / ?c] => change (0 / c) with 0 | |- context [0 mod ?c] => change (0 mod c) with 0 end.
(* With nothing left to do, fuel is of no use. *)
Ltac unspent := repeat fuelled ltac:(fun f t x b => is_var x; let h := fresh "unspent" in
  assert (h : forall y : nat, ltac:(b y ltac:(fun s => b 0%nat ltac:(fun z => exact (s = z))))) by (clear; let y := fresh "y" in let IH := fresh "IH" in intro y; induction y as [|y IH]; [reflexivity|]; zeros; rewrite ?IH; reflexivity);
  rewrite (h x); clear h).
Ltac spends n := try unspent; zeros; first [ equal_terms | lazymatch n with S ?m => progress (fuelled ltac:(fun f t x b => is_var x; destruct x)); spends m end ].
Ltac spent := spends 2%nat.
Ltac unrolled := for_recursive ltac:(fun f => cbn [f]).
(** * What a recursive function carries along is taken out of its call, whatever else its arguments are. *)
Ltac is_data T := lazymatch T with Type => fail | Set => fail | Prop => fail | forall _, _ => fail | _ => idtac end.
(* A call as a function of its arguments, the terms first, then the variables, each place by itself; [a] is abstracted already. *)
Ltac abstracted_at x g k := lazymatch eval pattern x at 1 in g with ?P _ => k P end.
Ltac abstracted_terms t a g k := lazymatch t with
  | ?f ?x => let T := type of x in tryif (is_data T; tryif constr_eq x a then fail else (tryif is_var x then fail else idtac)) then abstracted_at x g ltac:(fun g => abstracted_terms f a g k) else abstracted_terms f a g k
  | _ => k g end.
Ltac abstracted_variables t g k := lazymatch t with
  | ?f ?x => let T := type of x in tryif (is_data T; is_var x; lazymatch g with context [x] => idtac end) then abstracted_at x g ltac:(fun g => abstracted_variables f g k) else abstracted_variables f g k
  | _ => k g end.
Ltac abstracted t a g k := abstracted_terms t a g ltac:(fun g => abstracted_variables t g k).
Ltac operations A k := lazymatch A with
  | nat => first [ k Nat.add 0%nat | k Nat.mul 1%nat ] | Z => first [ k Z.add 0 | k Z.mul 1 ]
  | list ?T => first [ k (fun a r : list T => r ++ a) (@nil T) | k (fun a r : list T => rev a ++ r) (@nil T) ]
  | string => k (fun a r => append r a) EmptyString
  | bool => first [ k orb false | k andb true ] end.
Ltac inductions k := multimatch goal with x : ?T |- _ => lazymatch T with Z => fail | bool => fail | ascii => fail | Type => fail | Set => fail | _ => tryif is_prop T then fail else (generalise_but x; induction x; intros; k tt) end end.
(* Calls that carry something else than what they start from. *)
Ltac out_of_calls f op base := repeat (calls_of f ltac:(fun t => at_argument t ltac:(fun a b => tryif constr_eq a base then fail else (let A := type of t in let B := type of a in constr_eq A B;
  let e := fresh in assert (e : ltac:(b base ltac:(fun s => let v := eval cbv beta in (op a s) in exact (t = v)))) by (multimatch goal with IH : _ |- _ => solve [ apply IH | refine (IH : Moved _) ] end); rewrite e; clear e)))).
Ltac combined := rewrite <- ?app_assoc, ?app_nil_r, ?append_assoc, ?orb_assoc, ?andb_assoc, ?orb_false_r, ?andb_true_r; cbn [app append]; first [ equal_terms | ring ].
Ltac move_along f op base := zeros; quotients; first [ combined | (out_of_calls f op base; combined) | (condition; cbn; move_along f op base) ].
(* What a call starts from is written out. *)
Ltac written_out a := tryif (match a with context [?x] => is_var x end) then fail else idtac.
Ltac moved_at f t a b := let A := type of a in let B := type of t in constr_eq A B; written_out a; operations A ltac:(fun op base =>
  let g := constr:(fun carried : A => ltac:(b carried ltac:(fun s => exact s))) in
  abstracted t a g ltac:(fun g => let s := lazymatch type of g with
    | _ -> _ -> _ -> A -> _ => constr:(forall x y z c, g x y z c = op c (g x y z base)) | _ -> _ -> A -> _ => constr:(forall x y c, g x y c = op c (g x y base))
    | _ -> A -> _ => constr:(forall x c, g x c = op c (g x base)) | _ => constr:(forall c, g c = op c (g base)) end in let s := eval cbv beta in s in
    lazymatch goal with _ : Moved s |- _ => fail | _ => idtac end; let h := fresh "moved" in assert (h : Moved s) by (unfold Moved; clear; intros; solve [inductions ltac:(fun _ => move_along f op base)]))).
Ltac moves := for_recursive ltac:(fun f => calls_of f ltac:(fun t => at_argument t ltac:(fun a b => moved_at f t a b))).
(* Calls from elsewhere than the base. *)
Ltac moved_calls := repeat match goal with M : Moved ?s |- context [?t] => is_call t; lazymatch type of t with Prop => fail | forall _, _ => fail | _ => idtac end; let e := fresh in
  lazymatch s with
  | forall x y z c, _ = _ => eassert (e : t = _) by (exact ((M : s) _ _ _ _)) | forall x y c, _ = _ => eassert (e : t = _) by (exact ((M : s) _ _ _)) | forall x c, _ = _ => eassert (e : t = _) by (exact ((M : s) _ _)) end; cbv beta in e;
  lazymatch type of e with t = ?v => lazymatch v with context [t] => fail | _ => rewrite e; clear e end end end.
(* From the calls at hand to calls with any fuel that is enough. *)
Ltac suffices_for n x := lazymatch type of n with nat => constr:((n <= x)%nat) | Z => constr:(n <= Z.of_nat x) end.
Ltac enough_fuel n := repeat fuelled ltac:(fun f t x b => let e := suffices_for n x in lazymatch goal with _ : e |- _ => fail | _ => idtac end;
  let le := fresh "le" in assert (le : e) by lia; pattern t; lazymatch goal with |- ?Q t =>
    let K := fresh in let y := fresh "fuel" in enough (K : forall y : nat, ltac:(let l := suffices_for n y in exact l) -> ltac:(b y ltac:(fun s => exact (Q s)))) by exact (K x le); clear le; intros y le; cbv beta end).
Ltac fuel_known E k := lazymatch type of E with
  | forall y : nat, (_ <= _)%nat -> _ => fuel_tried E k
  | forall y : nat, _ <= Z.of_nat _ -> _ => fuel_tried E k
  | _ => k E end
with fuel_tried E k := multimatch goal with y : nat |- _ => let E' := fresh in pose proof (E y) as E'; specialize (E' ltac:(lia)); fuel_known E' k end.
Ltac with_less q k := match goal with IH : forall m, _ -> forall y : nat, _ -> _ |- _ => let E := fresh in pose proof (IH q) as E; specialize (E ltac:(lia)); clear IH; cbv beta in E; fuel_known E k end.
Ltac nothing_left n q m := let z := fresh in lazymatch type of q with nat => assert (z : q = 0%nat) by lia | Z => assert (z : q = 0) by lia end; subst q; try (let z := fresh in assert (z : m = n) by lia; subst m); match goal with e : n = _ |- _ => clear e end; solve [spent].
Ltac less_left q := with_less q ltac:(fun E => first [ lia | congruence | solve [rewrite E; equal_terms] | solve [rewrite <- E; equal_terms] ]).
Ltac fuel_leaf n := moved_calls; first [ equal_terms
  | match goal with e : n = (_ * ?q + ?m)%nat |- _ => first [ nothing_left n q m | less_left q ] | e : n = _ * ?q + ?m |- _ => first [ nothing_left n q m | less_left q ] end ].
Ltac fuel_cases n := tryif condition then (cbn; try (exfalso; lia); fuel_cases n) else solve [fuel_leaf n].
Ltac revert_fuel n := repeat match goal with x : ?T |- _ => lazymatch T with Z => idtac | nat => idtac | list _ => idtac end; lazymatch goal with _ : context [x] |- _ => fail | _ => tryif constr_eq x n then fail else revert x end end;
  repeat match goal with le : (n <= ?y)%nat |- _ => revert le; revert y | le : n <= Z.of_nat ?y |- _ => revert le; revert y end.
Ltac wasted y := destruct y as [|y]; [exfalso; lia|].
Ltac less_by_one n := repeat match goal with
  | le : (n <= ?y)%nat |- _ => wasted y; let le' := fresh in assert (le' : (pred n <= y)%nat) by lia; clear le
  | le : n <= Z.of_nat ?y |- _ => wasted y; let le' := fresh in assert (le' : n - 1 <= Z.of_nat y) by lia; clear le end.
Ltac fuel_induction n := lazymatch type of n with
  | nat => enough_fuel n; revert_fuel n; induction n as [n IH] using (well_founded_induction lt_wf); intros; destruct (Nat.eq_dec n 0) as [->|?]
  | Z => let p := fresh in assert (p : 0 <= n) by lia; enough_fuel n; repeat match goal with H : _ |- _ => lazymatch type of H with _ <= Z.of_nat _ => fail | Moved _ => fail | ?T => is_prop T; tryif constr_eq H p then fail else clear H end end;
      revert_fuel n; revert p; induction n as [n IH] using (well_founded_induction (Z.lt_wf 0)); intro p;
      assert (IH' : forall m, 0 <= m < n -> ltac:(let T := type of IH in lazymatch T with forall y, _ -> _ -> @?P y => exact (P m) end)) by (intros m h; exact (IH m h (proj1 h))); cbv beta in IH'; clear IH; intros; destruct (Z.eq_dec n 0) as [->|?] end;
  [ solve [spent] | less_by_one n; unrolled; quotients; fuel_cases n ].
Ltac fuelled_terms := moves; moved_calls; match goal with n : nat |- _ => fuel_induction n | n : Z |- _ => fuel_induction n end.
Lemma eq_iff A (x y : A) : x = y <-> y = x. Proof. split; congruence. Qed.
Ltac at_value r t P := let h := fresh in let R := eval pattern r in P in lazymatch R with ?Q r =>
  assert (h : Q t) by (cbv beta; clear r; fuelled_terms); cbv beta in h; split; [ intros ->; exact h | intro; first [ lia | congruence ] ] end.
Ltac by_fuel := solve [ start; lazymatch goal with n : nat |- _ => idtac | n : Z |- _ => idtac end; try take_premises; first
  [ same_results; fuelled_terms
  | lazymatch goal with |- ?r = ?t <-> ?P => is_var r; at_value r t P | |- ?P <-> ?r = ?t => is_var r; apply iff_sym; at_value r t P | |- ?t = ?r <-> ?P => is_var r; rewrite (eq_iff t r); at_value r t P end ] ].
Ltac moved_step := zeros; moved_calls; first [ combined
  | (progress (do 4 try match goal with IH : _ |- _ => lazymatch type of IH with Moved _ => fail | forall _, _ => rewrite IH | _ = _ => rewrite IH end end); moved_calls; zeros; ranges; combined)
  | (condition; cbn; moved_step) ].
Ltac moved_scan := solve [moved_calls; combined] || inductions ltac:(fun _ => solve [moved_step]).
Ltac by_moved := solve [ start; try take_premises; same_results; list_matches; moves; moved_scan ].

(** * Values that are built as a recursive statement says *)
Ltac iterated := repeat match goal with |- context [nat_rect (fun _ => ?T) ?x (fun _ => ?f) ?n] => change (nat_rect (fun _ => T) x (fun _ => f) n) with (Nat.iter n f x) end.
Ltac equation_of IH T := lazymatch T with forall x : ?A, @?P x => let z := open_constr:(_ : A) in let T := eval cbv beta in (P z) in equation_of IH T | _ = _ <-> _ => rewrite <- IH | _ <-> _ => rewrite IH end.
Ltac stated_known := repeat match goal with IH : _ |- _ => let T := type of IH in equation_of IH T end.
Ltac build_leaf := intuition (first [ discriminate | congruence | lia | (f_equal; first [ assumption | lia | congruence ]) | match goal with H : _ = _ |- _ => injection H; intros; lia end ]).
Ltac built_step := rewrite ?seq_S, ?rev_app_distr; cbn; iterated; first
  [ (stated_known; solve [build_leaf])
  | (match goal with |- context [match ?x with _ => _ end] => is_var x; destruct x end; built_step)
  | (match goal with |- _ = ?x <-> _ => is_var x; destruct x | |- ?x = _ <-> _ => is_var x; destruct x end; cbn; iterated; stated_known; solve [build_leaf]) ].
Ltac by_built := solve [ start; try take_premises; lazymatch goal with |- context [_ = _] => idtac end; inductions ltac:(fun _ => solve [built_step]) ].
