(** From a pair's theorem to a formula of [Formula.v], proved step by step.

    A value of a type with a [Code] is represented by the term of its code; a list by its length and, given the term of an
    index, the term of its element there. What is outside the fragment becomes a variable, or a function of its numeric
    arguments, of which the formula then knows nothing: the theorem still follows from it.

    The way back is only a hint for the refuter: a reader turns values of the free variables and functions into the
    arguments that they stand for. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation.
From Truespec Require Export Prove.
From Truespec Require Formula.
Import Formula(eval, check, denote, valid, formula, test, term, functions, Var, Const, Op, Plus, Minus, Times, Div, Mod,
  Min, Max, Abs, If, App, Bit, Compare, Equal, AtMost, Below, Neg, Both, Either, Same, Is, Rel, Not, And, Or, Imp, Iff, All, Ex).
Import ListNotations.
Local Open Scope Z_scope.

(** * Codes: every value as an integer *)
Class Code (T : Type) := {
  code : T -> Z;
  decode : Z -> T;
  decode_code : forall x, decode (code x) = x;
  range : term -> test;
  ranges : forall fs env t, check fs env (range t) = true <-> exists x, code x = eval fs env t }.
#[export] Instance code_Z : Code Z.
Proof. refine {| code z := z; decode z := z; range _ := Bit true |}; [reflexivity | intros; simpl; split; eauto]. Defined.
#[export] Instance code_nat : Code nat.
Proof.
  refine {| code := Z.of_nat; decode := Z.to_nat; range t := Compare AtMost (Const 0) t |}; [exact Nat2Z.id|].
  intros; simpl; rewrite Z.leb_le; split; [intro h; exists (Z.to_nat (eval fs env t)); lia | intros [n h]; lia].
Defined.
#[export] Instance code_bool : Code bool.
Proof.
  refine {| code := Z.b2z; decode z := z =? 1;
            range t := Both (Compare AtMost (Const 0) t) (Compare AtMost t (Const 1)) |}; [intros []; reflexivity|].
  intros; simpl; rewrite andb_true_iff, !Z.leb_le; split.
  - intros h; exists (eval fs env t =? 1); destruct (Z.eqb_spec (eval fs env t) 1); simpl; lia.
  - intros [[] h]; simpl in h; lia.
Defined.
Definition code_of_ascii (c : ascii) : Z := Z.of_nat (nat_of_ascii c).
Lemma code_of_ascii_range c : 0 <= code_of_ascii c < 256.
Proof. unfold code_of_ascii. pose proof (nat_ascii_bounded c). lia. Qed.
#[export] Instance code_ascii : Code ascii.
Proof.
  refine {| code := code_of_ascii; decode z := ascii_of_nat (Z.to_nat z);
            range t := Both (Compare AtMost (Const 0) t) (Compare Below t (Const 256)) |}.
  - intro; unfold code_of_ascii; rewrite Nat2Z.id; apply ascii_nat_embedding.
  - intros; simpl; rewrite andb_true_iff, Z.leb_le, Z.ltb_lt; split.
    + intros h; exists (ascii_of_nat (Z.to_nat (eval fs env t))); unfold code_of_ascii. rewrite nat_ascii_embedding; lia.
    + intros [c h]; pose proof (code_of_ascii_range c); lia.
Defined.
Lemma range_code {T} `{Code T} fs env x t : code x = eval fs env t -> check fs env (range t) = true.
Proof. intro; apply ranges; eauto. Qed.
Lemma code_injective {T} `{Code T} x y : code x = code y -> x = y.
Proof. intro e; rewrite <- (decode_code x), e; apply decode_code. Qed.

(** * What the representations say *)
Definition Rv {T} `{Code T} (fs : functions) (env : list Z) (x : T) (t : term) := code x = eval fs env t.
Definition Rt (fs : functions) (env : list Z) (b : bool) (c : test) := b = check fs env c.
Definition Rf (fs : functions) (env : list Z) (P : Prop) (f : formula) := P <-> denote fs env f.
Record Rl {T} `{Code T} (fs : functions) (env : list Z) (l : list T) (len : term) (at_ : term -> term) := {
  rl_length : Z.of_nat (length l) = eval fs env len;
  rl_at : forall n x e, nth_error l n = Some x -> Z.of_nat n = eval fs env e -> code x = eval fs env (at_ e) }.
Arguments rl_length {T _ fs env l len at_}.
Arguments rl_at {T _ fs env l len at_}.

(** What is unknown to the formula: elements of a list, and functions of one or two values. *)
Definition elements {T} `{Code T} (l : list T) (args : list Z) : Z :=
  match args with [i] => match nth_error l (Z.to_nat i) with Some x => code x | None => 0 end | _ => 0 end.
Definition call1 {T U} `{Code T, Code U} (g : T -> U) (args : list Z) : Z :=
  match args with [a] => code (g (decode a)) | _ => 0 end.
Definition call2 {T U V} `{Code T, Code U, Code V} (g : T -> U -> V) (args : list Z) : Z :=
  match args with [a; b] => code (g (decode a) (decode b)) | _ => 0 end.
Definition call3 {T U V W} `{Code T, Code U, Code V, Code W} (g : T -> U -> V -> W) (args : list Z) : Z :=
  match args with [a; b; c] => code (g (decode a) (decode b) (decode c)) | _ => 0 end.
Definition elements1 {S T} `{Code S, Code T} (l : S -> list T) (args : list Z) : Z :=
  match args with [a; i] => elements (l (decode a)) [i] | _ => 0 end.
Definition elements2 {R S T} `{Code R, Code S, Code T} (l : R -> S -> list T) (args : list Z) : Z :=
  match args with [a; b; i] => elements (l (decode a) (decode b)) [i] | _ => 0 end.
(** Statements of which nothing is known, about up to three values. *)
Definition holds0 (P : Prop) (args : list Z) : Prop := match args with [] => P | _ => False end.
Definition holds1 {T} `{Code T} (P : T -> Prop) (args : list Z) : Prop := match args with [a] => P (decode a) | _ => False end.
Definition holds2 {T U} `{Code T, Code U} (P : T -> U -> Prop) (args : list Z) : Prop :=
  match args with [a; b] => P (decode a) (decode b) | _ => False end.
Definition holds3 {T U V} `{Code T, Code U, Code V} (P : T -> U -> V -> Prop) (args : list Z) : Prop :=
  match args with [a; b; c] => P (decode a) (decode b) (decode c) | _ => False end.
(** The value of an option, and that it has one. *)
Class Default (T : Type) := default : T.
#[export] Instance default_coded {T} `{Code T} : Default T := @decode T _ 0.
#[export] Instance default_list T : Default (list T) := @nil T.
#[export] Instance default_string : Default string := EmptyString.
#[export] Instance default_pair {T U} `{Default T, Default U} : Default (T * U) := (@default T _, @default U _).
#[export] Instance default_option T : Default (option T) := @None T.
Definition is_some {T} (o : option T) : bool := match o with Some _ => true | None => false end.
Definition the {T} `{Default T} (o : option T) : T := match o with Some x => x | None => default end.

Ltac unfolds := unfold Rv, Rt, Rf, code_of_ascii in *;
  cbn [eval check denote code code_Z code_nat code_bool code_ascii Formula.operate Formula.compares map] in *.
Ltac numbers := unfolds; unfold code_of_ascii in *; intros; repeat match goal with
  | H : _ = eval _ _ _ |- _ => rewrite <- H; clear H
  | H : _ = check _ _ _ |- _ => rewrite <- H; clear H
  end; try reflexivity; try lia.

Section Representation.
Variables (fs : functions) (env : list Z).
Notation V := (Rv fs env).
Notation B := (Rt fs env).
Notation F := (Rf fs env).

(** ** Values *)
Lemma rv_var {T} `{Code T} (x : T) k : code x = nth k env 0 -> V x (Var k). Proof. auto. Qed.
Lemma rv_const {T} `{Code T} (x : T) z : code x = z -> V x (Const z). Proof. auto. Qed.
Lemma rv_call1 {T U} `{Code T, Code U} (g : T -> U) x k a :
  nth k (fst fs) (fun _ => 0) = call1 g -> V x a -> V (g x) (App k [a]).
Proof. unfold Rv; simpl; intros -> <-; simpl; rewrite decode_code; reflexivity. Qed.
Lemma rv_call2 {T U W} `{Code T, Code U, Code W} (g : T -> U -> W) x y k a b :
  nth k (fst fs) (fun _ => 0) = call2 g -> V x a -> V y b -> V (g x y) (App k [a; b]).
Proof. unfold Rv; simpl; intros -> <- <-; simpl; rewrite !decode_code; reflexivity. Qed.
Lemma rv_call3 {T U W X} `{Code T, Code U, Code W, Code X} (g : T -> U -> W -> X) x y z k a b c :
  nth k (fst fs) (fun _ => 0) = call3 g -> V x a -> V y b -> V z c -> V (g x y z) (App k [a; b; c]).
Proof. unfold Rv; simpl; intros -> <- <- <-; simpl; rewrite !decode_code; reflexivity. Qed.
Lemma rv_by {T} `{Code T} (x y : T) t : x = y -> V y t -> V x t. Proof. intros ->; auto. Qed.
Lemma rv_op o (a b : Z) s t : V a s -> V b t -> V (Formula.operate o a b) (Op o s t). Proof. numbers. Qed.
Lemma rv_opp (a : Z) s : V a s -> V (- a) (Op Minus (Const 0) s). Proof. numbers. Qed.
Lemma rv_abs (a : Z) s : V a s -> V (Z.abs a) (Abs s). Proof. numbers. Qed.
Lemma rv_sgn (a : Z) s : V a s ->
  V (Z.sgn a) (If (Compare Equal s (Const 0)) (Const 0) (If (Compare Below s (Const 0)) (Const (-1)) (Const 1))).
Proof. numbers; destruct (Z.eqb_spec a 0), (Z.ltb_spec a 0); lia. Qed.
Lemma rv_of_nat (a : nat) s : V a s -> V (Z.of_nat a) s. Proof. auto. Qed.
Lemma rv_b2z (b : bool) s : V b s -> V (Z.b2z b) s. Proof. auto. Qed.
Lemma rv_bool (b : bool) c : B b c -> V b (If c (Const 1) (Const 0)).
Proof. numbers; destruct b; reflexivity. Qed.
Lemma rv_add_nat (a b : nat) s t : V a s -> V b t -> V (a + b)%nat (Op Plus s t). Proof. numbers. Qed.
Lemma rv_mul_nat (a b : nat) s t : V a s -> V b t -> V (a * b)%nat (Op Times s t). Proof. numbers. Qed.
Lemma rv_sub_nat (a b : nat) s t : V a s -> V b t -> V (a - b)%nat (Op Max (Const 0) (Op Minus s t)). Proof. numbers. Qed.
Lemma rv_div_nat (a b : nat) s t : V a s -> V b t -> V (a / b)%nat (Op Div s t). Proof. numbers; apply Nat2Z.inj_div. Qed.
Lemma rv_mod_nat (a b : nat) s t : V a s -> V b t -> V (a mod b)%nat (Op Mod s t). Proof. numbers; apply Nat2Z.inj_mod. Qed.
Lemma rv_min_nat (a b : nat) s t : V a s -> V b t -> V (Nat.min a b) (Op Min s t). Proof. numbers. Qed.
Lemma rv_max_nat (a b : nat) s t : V a s -> V b t -> V (Nat.max a b) (Op Max s t). Proof. numbers. Qed.
Lemma rv_succ_nat (a : nat) s : V a s -> V (S a) (Op Plus s (Const 1)). Proof. numbers. Qed.
Lemma rv_pred_nat (a : nat) s : V a s -> V (Nat.pred a) (Op Max (Const 0) (Op Minus s (Const 1))). Proof. numbers. Qed.
Lemma rv_to_nat (a : Z) s : V a s -> V (Z.to_nat a) (Op Max (Const 0) s). Proof. numbers. Qed.
Lemma rv_abs_nat (a : Z) s : V a s -> V (Z.abs_nat a) (Abs s). Proof. numbers. Qed.
Lemma rv_code (c : ascii) s : V c s -> V (nat_of_ascii c) s. Proof. auto. Qed.
(* Where the number is no code, nothing is known of the letter. *)
Lemma rv_letter (n : nat) s u : V n s -> V (ascii_of_nat n) u -> V (ascii_of_nat n) (If (Compare Below s (Const 256)) s u).
Proof. unfold Rv. cbn. intros <- <-. destruct (Z.ltb_spec (Z.of_nat n) 256); [|reflexivity]. unfold code_of_ascii. rewrite nat_ascii_embedding; [reflexivity|lia]. Qed.
Lemma rv_code_N (c : ascii) s : V c s -> V (Z.of_N (N_of_ascii c)) s.
Proof. unfold Rv. intros <-. cbn. unfold code_of_ascii, nat_of_ascii. symmetry. apply N_nat_Z. Qed.
Lemma rv_if {T} `{Code T} (b : bool) (x y : T) c s t : B b c -> V x s -> V y t -> V (if b then x else y) (If c s t).
Proof. unfold Rv, Rt. cbn [eval]. intros -> <- <-. destruct (check fs env c); reflexivity. Qed.
Lemma rv_sumbool {T} `{Code T} (P Q : Prop) (d : {P} + {Q}) (x y : T) c s t :
  ~ (P /\ Q) -> F P (Is c) -> V x s -> V y t -> V (if d then x else y) (If c s t).
Proof.
  unfold Rv, Rf. cbn [eval denote]. intros n e <- <-. destruct d as [p|q]; [rewrite (proj1 e p); reflexivity|].
  destruct (check fs env c); [exfalso; tauto | reflexivity].
Qed.
Lemma rv_length {T} `{Code T} (l : list T) len at_ : Rl fs env l len at_ -> V (length l) len.
Proof. intros h; apply (rl_length h). Qed.
Lemma rv_nth {T} `{Code T} (l : list T) (n : nat) (d : T) len at_ i e : Rl fs env l len at_ -> V n i -> V d e ->
  V (nth n l d) (If (Compare Below i len) (at_ i) e).
Proof.
  unfold Rv. intros h hi hd. cbn [eval check Formula.compares]. rewrite <- (rl_length h), <- hi, <- hd. cbn [code code_nat].
  destruct (Z.ltb_spec (Z.of_nat n) (Z.of_nat (length l))).
  - apply (rl_at h) with (n := n); [apply nth_error_nth'; lia | exact hi].
  - rewrite nth_overflow by lia; reflexivity.
Qed.

(** ** Booleans *)
Lemma rt_bit b : B b (Bit b). Proof. reflexivity. Qed.
Lemma rt_value (b : bool) t : V b t -> B b (Compare Equal t (Const 1)).
Proof. unfolds. intros <-. destruct b; reflexivity. Qed.
Lemma rt_not a c : B a c -> B (negb a) (Neg c). Proof. numbers. Qed.
Lemma rt_and a b c d : B a c -> B b d -> B (a && b) (Both c d). Proof. numbers. Qed.
Lemma rt_or a b c d : B a c -> B b d -> B (a || b) (Either c d). Proof. numbers. Qed.
Lemma rt_imp a b c d : B a c -> B b d -> B (implb a b) (Either (Neg c) d). Proof. numbers; destruct a, b; reflexivity. Qed.
Lemma rt_same a b c d : B a c -> B b d -> B (Bool.eqb a b) (Same c d). Proof. numbers. Qed.
Lemma rt_xor a b c d : B a c -> B b d -> B (xorb a b) (Neg (Same c d)). Proof. numbers; destruct a, b; reflexivity. Qed.
Lemma rt_if a b e c d f : B a c -> B b d -> B e f -> B (if a then b else e) (Either (Both c d) (Both (Neg c) f)).
Proof. numbers; destruct a, b, e; reflexivity. Qed.
Lemma rt_compare o (a b : Z) s t : V a s -> V b t -> B (Formula.compares o a b) (Compare o s t). Proof. numbers. Qed.
Lemma rt_gtb (a b : Z) s t : V a s -> V b t -> B (a >? b) (Compare Below t s). Proof. numbers. Qed.
Lemma rt_geb (a b : Z) s t : V a s -> V b t -> B (a >=? b) (Compare AtMost t s). Proof. numbers. Qed.
Lemma rt_eqb_nat (a b : nat) s t : V a s -> V b t -> B (a =? b)%nat (Compare Equal s t). Proof. numbers. Qed.
Lemma rt_leb_nat (a b : nat) s t : V a s -> V b t -> B (a <=? b)%nat (Compare AtMost s t). Proof. numbers. Qed.
Lemma rt_ltb_nat (a b : nat) s t : V a s -> V b t -> B (a <? b)%nat (Compare Below s t). Proof. numbers. Qed.
Lemma rt_eqb_ascii (a b : ascii) s t : V a s -> V b t -> B (Ascii.eqb a b) (Compare Equal s t).
Proof.
  intros x y. unfold Rt. cbn [check Formula.compares]. rewrite <- x, <- y. destruct (Ascii.eqb_spec a b) as [->|n]; symmetry.
  - apply Z.eqb_refl.
  - apply Z.eqb_neq. intro e. exact (n (code_injective _ _ e)).
Qed.
Lemma zeven_eqb a : Z.even a = (a mod 2 =? 0).
Proof. apply eq_true_iff_eq. rewrite Z.eqb_eq. apply zeven_mod. Qed.
Lemma zodd_eqb a : Z.odd a = (a mod 2 =? 1).
Proof. apply eq_true_iff_eq. rewrite Z.eqb_eq. apply zodd_mod. Qed.
Lemma nat_even_eqb a : Nat.even a = (Z.of_nat a mod 2 =? 0).
Proof.
  rewrite <- zeven_eqb. induction a as [|a IH]; [reflexivity|].
  rewrite Nat2Z.inj_succ, Nat.even_succ, Z.even_succ, <- Nat.negb_even, <- Z.negb_even, IH. reflexivity.
Qed.
Lemma nat_odd_eqb a : Nat.odd a = (Z.of_nat a mod 2 =? 1).
Proof. rewrite <- zodd_eqb, <- Nat.negb_even, <- Z.negb_even, nat_even_eqb, <- zeven_eqb. reflexivity. Qed.
Lemma rt_by a b c : a = b -> B b c -> B a c. Proof. intros ->; auto. Qed.
Lemma rt_sumbool (P Q : Prop) (d : {P} + {Q}) (x y : bool) c s t :
  ~ (P /\ Q) -> F P (Is c) -> B x s -> B y t -> B (if d then x else y) (Either (Both c s) (Both (Neg c) t)).
Proof.
  unfold Rt, Rf. cbn [check denote]. intros n e -> ->. destruct d as [p|q]; [rewrite (proj1 e p)|];
  destruct (check fs env s), (check fs env t); try reflexivity; destruct (check fs env c); try reflexivity; exfalso; tauto.
Qed.

(** ** Propositions *)
Lemma rf_by P Q f : (P <-> Q) -> F Q f -> F P f. Proof. unfold Rf; tauto. Qed.
Lemma rf_true : F True (Is (Bit true)). Proof. unfolds; tauto. Qed.
Lemma rf_false : F False (Is (Bit false)). Proof. unfolds; split; [tauto|discriminate]. Qed.
Lemma rf_test b c : B b c -> F (b = true) (Is c). Proof. unfolds; intros ->; tauto. Qed.
Lemma rf_not P f : F P f -> F (~ P) (Not f). Proof. unfolds; tauto. Qed.
Lemma rf_and P Q f g : F P f -> F Q g -> F (P /\ Q) (And f g). Proof. unfolds; tauto. Qed.
Lemma rf_or P Q f g : F P f -> F Q g -> F (P \/ Q) (Or f g). Proof. unfolds; tauto. Qed.
Lemma rf_imp (P Q : Prop) f g : F P f -> F Q g -> F (P -> Q) (Imp f g). Proof. unfolds; tauto. Qed.
Lemma rf_iff P Q f g : F P f -> F Q g -> F (P <-> Q) (Iff f g). Proof. unfolds; tauto. Qed.
Lemma rf_equal {T} `{Code T} (x y : T) s t : V x s -> V y t -> F (x = y) (Is (Compare Equal s t)).
Proof.
  unfold Rv, Rf. cbn [eval check denote Formula.compares]. intros <- <-. rewrite Z.eqb_eq. split; [congruence | apply code_injective].
Qed.
Lemma rf_le (x y : Z) s t : V x s -> V y t -> F (x <= y) (Is (Compare AtMost s t)). Proof. numbers. Qed.
Lemma rf_lt (x y : Z) s t : V x s -> V y t -> F (x < y) (Is (Compare Below s t)). Proof. numbers. Qed.
Lemma rf_le_nat (x y : nat) s t : V x s -> V y t -> F (x <= y)%nat (Is (Compare AtMost s t)). Proof. numbers. Qed.
Lemma rf_lt_nat (x y : nat) s t : V x s -> V y t -> F (x < y)%nat (Is (Compare Below s t)). Proof. numbers. Qed.
Lemma rf_if (b : bool) P Q c f g : F (b = true) c -> F P f -> F Q g ->
  F (if b then P else Q) (And (Imp c f) (Imp (Not c) g)).
Proof. unfolds. destruct b; intuition congruence. Qed.
Lemma rf_sumbool (A C : Prop) (d : {A} + {C}) P Q c f g : ~ (A /\ C) -> F A c -> F P f -> F Q g ->
  F (if d then P else Q) (And (Imp c f) (Imp (Not c) g)).
Proof. unfolds. destruct d; intuition congruence. Qed.
Lemma rf_bool_if (b c d : bool) f g h : F (b = true) f -> F (c = true) g -> F (d = true) h ->
  F ((if b then c else d) = true) (And (Imp f g) (Imp (Not f) h)).
Proof. unfolds. destruct b; intuition congruence. Qed.
Lemma rf_nth_error {T} `{Code T} (l : list T) n x len at_ i e : Rl fs env l len at_ -> V n i -> V x e ->
  F (nth_error l n = Some x) (Is (Both (Compare Below i len) (Compare Equal (at_ i) e))).
Proof.
  unfold Rv, Rf. intros h hi hx. cbn [eval check denote Formula.compares].
  rewrite andb_true_iff, Z.ltb_lt, Z.eqb_eq, <- (rl_length h), <- hi. cbn [code code_nat]. split.
  - intro s. split; [apply inj_lt, nth_error_Some; congruence|]. rewrite <- hx. symmetry. exact (rl_at h n x i s hi).
  - intros [b s]. destruct (nth_error l n) as [y|] eqn:q; [|apply nth_error_None in q; lia].
    f_equal. apply code_injective. rewrite (rl_at h n y i q hi). congruence.
Qed.

(** ** Statements of which nothing is known *)
Lemma rf_rel0 (P : Prop) k : nth k (snd fs) (fun _ => False) = holds0 P -> F P (Rel k []).
Proof. unfold Rf; simpl; intros ->; simpl; tauto. Qed.
Lemma rf_rel1 {T} `{Code T} (P : T -> Prop) x k a : nth k (snd fs) (fun _ => False) = holds1 P -> V x a -> F (P x) (Rel k [a]).
Proof. unfold Rv, Rf; simpl; intros -> <-; simpl; rewrite decode_code; tauto. Qed.
Lemma rf_rel2 {T U} `{Code T, Code U} (P : T -> U -> Prop) x y k a b :
  nth k (snd fs) (fun _ => False) = holds2 P -> V x a -> V y b -> F (P x y) (Rel k [a; b]).
Proof. unfold Rv, Rf; simpl; intros -> <- <-; simpl; rewrite !decode_code; tauto. Qed.
Lemma rf_rel3 {T U W} `{Code T, Code U, Code W} (P : T -> U -> W -> Prop) x y z k a b c :
  nth k (snd fs) (fun _ => False) = holds3 P -> V x a -> V y b -> V z c -> F (P x y z) (Rel k [a; b; c]).
Proof. unfold Rv, Rf; simpl; intros -> <- <- <-; simpl; rewrite !decode_code; tauto. Qed.

(** ** Lists *)
Lemma rl_call1 {S T} `{Code S, Code T} (l : S -> list T) x k j a :
  nth k (fst fs) (fun _ => 0) = call1 (fun x => length (l x)) -> nth j (fst fs) (fun _ => 0) = elements1 l -> V x a ->
  Rl fs env (l x) (App k [a]) (fun e => App j [a; e]).
Proof.
  unfold Rv. intros h1 h2 h. split; [cbn; rewrite h1, <- h; cbn; rewrite decode_code; reflexivity|].
  intros n y e q r. cbn. rewrite h2, <- h. cbn. rewrite decode_code, <- r. cbn. rewrite Nat2Z.id, q. reflexivity.
Qed.
Lemma rl_call2 {R S T} `{Code R, Code S, Code T} (l : R -> S -> list T) x y k j a b :
  nth k (fst fs) (fun _ => 0) = call2 (fun x y => length (l x y)) -> nth j (fst fs) (fun _ => 0) = elements2 l -> V x a -> V y b ->
  Rl fs env (l x y) (App k [a; b]) (fun e => App j [a; b; e]).
Proof.
  unfold Rv. intros h1 h2 h h'. split; [cbn; rewrite h1, <- h, <- h'; cbn; rewrite !decode_code; reflexivity|].
  intros n z e q r. cbn. rewrite h2, <- h, <- h'. cbn. rewrite !decode_code, <- r. cbn. rewrite Nat2Z.id, q. reflexivity.
Qed.
Lemma rl_var {T} `{Code T} (l : list T) k j :
  Z.of_nat (length l) = nth k env 0 -> nth j (fst fs) (fun _ => 0) = elements l -> Rl fs env l (Var k) (fun e => App j [e]).
Proof.
  intros h1 h2. split; [exact h1|]. intros n x e q r. cbn. rewrite h2. cbn. rewrite <- r, Nat2Z.id, q. reflexivity.
Qed.
Lemma rl_second {T U} `{Code U} (l : list (T * U)) k j : Z.of_nat (length (map fst l)) = nth k env 0 ->
  nth j (fst fs) (fun _ => 0) = elements (map snd l) -> Rl fs env (map snd l) (Var k) (fun e => App j [e]).
Proof. intros h1 h2. apply rl_var; [|exact h2]. rewrite <- h1, !map_length. reflexivity. Qed.
Lemma rl_by {T} `{Code T} (l m : list T) len at_ : l = m -> Rl fs env m len at_ -> Rl fs env l len at_.
Proof. intros ->; auto. Qed.
Lemma rl_nil {T} `{Code T} : Rl fs env (@nil T) (Const 0) (fun _ => Const 0).
Proof. split; [reflexivity|]. intros [] x e; discriminate. Qed.
Lemma rl_cons {T} `{Code T} (x : T) l s len at_ : V x s -> Rl fs env l len at_ ->
  Rl fs env (x :: l) (Op Plus len (Const 1)) (fun e => If (Compare Equal e (Const 0)) s (at_ (Op Minus e (Const 1)))).
Proof.
  intros hx h. split; [cbn; rewrite <- (rl_length h); lia|].
  intros [|n] y e q r; cbn; rewrite <- r; cbn in q.
  - injection q as <-. exact hx.
  - destruct (Z.eqb_spec (Z.of_nat (S n)) 0); [lia|]. apply (rl_at h n y); [exact q|]. cbn. lia.
Qed.
Lemma rl_app {T} `{Code T} (l m : list T) a s b t : Rl fs env l a s -> Rl fs env m b t ->
  Rl fs env (l ++ m) (Op Plus a b) (fun e => If (Compare Below e a) (s e) (t (Op Minus e a))).
Proof.
  intros h k. split; [cbn; rewrite <- (rl_length h), <- (rl_length k), app_length; lia|].
  intros n y e q r; cbn; rewrite <- r, <- (rl_length h).
  destruct (Z.ltb_spec (Z.of_nat n) (Z.of_nat (length l))).
  - rewrite nth_error_app1 in q by lia. exact (rl_at h n y e q r).
  - rewrite nth_error_app2 in q by lia. apply (rl_at k _ y _ q). cbn. rewrite <- (rl_length h). lia.
Qed.
Lemma nth_error_rev T (l : list T) n : (n < length l)%nat -> nth_error (rev l) n = nth_error l (length l - S n).
Proof.
  intro h. destruct l as [|d l]; [cbn in h; lia|].
  rewrite !(nth_error_nth' _ d) by (rewrite ?rev_length; lia). rewrite rev_nth by lia. reflexivity.
Qed.
Lemma rl_rev {T} `{Code T} (l : list T) a s : Rl fs env l a s ->
  Rl fs env (rev l) a (fun e => s (Op Minus (Op Minus a (Const 1)) e)).
Proof.
  intros h. split; [rewrite rev_length; exact (rl_length h)|]. intros n y e q r.
  assert (n < length l)%nat by (rewrite <- (rev_length l); apply nth_error_Some; congruence).
  rewrite nth_error_rev in q by lia. apply (rl_at h _ y _ q). cbn. rewrite <- (rl_length h). lia.
Qed.
Lemma rl_map {T U} `{Code T, Code U} (g : T -> U) l a s m : (forall x e, V x e -> V (g x) (m e)) -> Rl fs env l a s ->
  Rl fs env (map g l) a (fun e => m (s e)).
Proof.
  intros k h. split; [rewrite map_length; exact (rl_length h)|]. intros n y e q r.
  rewrite nth_error_map in q. destruct (nth_error l n) as [x|] eqn:p; [|discriminate]. injection q as <-.
  apply k. exact (rl_at h n x e p r).
Qed.
Lemma nth_error_firstn T (l : list T) k n y : nth_error (firstn k l) n = Some y -> nth_error l n = Some y.
Proof. revert l n. induction k as [|k IH]; intros [|x l] [|n]; cbn; try discriminate; auto. Qed.
Lemma nth_error_skipn T (l : list T) k n : nth_error (skipn k l) n = nth_error l (k + n).
Proof. revert l. induction k as [|k IH]; intros [|x l]; cbn; auto. destruct n; reflexivity. Qed.
Lemma rl_firstn {T} `{Code T} (l : list T) k a s i : V k i -> Rl fs env l a s -> Rl fs env (firstn k l) (Op Min i a) s.
Proof.
  intros hk h. split; [cbn; rewrite <- hk, <- (rl_length h), firstn_length; cbn; lia|].
  intros n y e q r. apply nth_error_firstn in q. exact (rl_at h n y e q r).
Qed.
Lemma rl_skipn {T} `{Code T} (l : list T) k a s i : V k i -> Rl fs env l a s ->
  Rl fs env (skipn k l) (Op Max (Const 0) (Op Minus a i)) (fun e => s (Op Plus i e)).
Proof.
  intros hk h. split; [cbn; rewrite <- hk, <- (rl_length h), skipn_length; cbn; lia|].
  intros n y e q r. rewrite nth_error_skipn in q. apply (rl_at h _ y _ q). cbn. rewrite <- hk, <- r. cbn. lia.
Qed.
Lemma rl_if {T} `{Code T} (b : bool) (l m : list T) c a s d t : Rt fs env b c -> Rl fs env l a s -> Rl fs env m d t ->
  Rl fs env (if b then l else m) (If c a d) (fun e => If c (s e) (t e)).
Proof.
  unfold Rt. intros h x y. split.
  - cbn [eval]. rewrite <- h. destruct b; [exact (rl_length x) | exact (rl_length y)].
  - intros n z e q r. cbn [eval]. rewrite <- h. destruct b; [exact (rl_at x n z e q r) | exact (rl_at y n z e q r)].
Qed.
Lemma rl_sumbool {T} `{Code T} (P Q : Prop) (k : {P} + {Q}) (l m : list T) c a s d t : ~ (P /\ Q) -> F P (Is c) -> Rl fs env l a s -> Rl fs env m d t ->
  Rl fs env (if k then l else m) (If c a d) (fun e => If c (s e) (t e)).
Proof.
  intros n i x y. destruct k as [p|q].
  - apply (rl_if true l m); [|exact x|exact y]. symmetry. exact (proj1 i p).
  - apply (rl_if false l m); [|exact x|exact y]. unfold Rt. destruct (check fs env c) eqn:e; [|reflexivity]. exfalso. apply n. split; [apply i; exact e|exact q].
Qed.
Lemma rl_repeat {T} `{Code T} (x : T) k i s : V k i -> V x s -> Rl fs env (repeat x k) i (fun _ => s).
Proof.
  intros hk hx. split; [rewrite repeat_length; exact hk|]. intros n y e q _.
  apply nth_error_In, repeat_spec in q. subst y. exact hx.
Qed.
Lemma rl_seq (a k : nat) s i : V a s -> V k i -> Rl fs env (seq a k) i (fun e => Op Plus s e).
Proof.
  intros ha hk. split; [rewrite seq_length; exact hk|]. intros n y e q r.
  assert (b : (n < k)%nat) by (rewrite <- (seq_length k a); apply nth_error_Some; congruence).
  apply nth_error_nth with (d := O) in q. rewrite seq_nth in q by exact b. subst y.
  cbn. rewrite <- ha, <- r. cbn. lia.
Qed.
End Representation.

(** ** Quantifiers, and equality of lists *)
Lemma equal_element T (l m : list T) : l = m <->
  length l = length m /\ forall n x y, nth_error l n = Some x -> nth_error m n = Some y -> x = y.
Proof.
  split; [intros ->; split; [reflexivity|congruence]|]. revert m.
  induction l as [|x l IH]; intros [|y m] [h k]; cbn in h; try discriminate; [reflexivity|].
  f_equal; [apply (k O); reflexivity|]. apply IH. split; [congruence|]. intros n. apply (k (S n)).
Qed.
Lemma rf_all {T} `{Code T} fs env (P : T -> Prop) f : (forall x, Rf fs (code x :: env) (P x) f) ->
  Rf fs env (forall x, P x) (All (Imp (Is (range (Var 0))) f)).
Proof.
  unfold Rf. intro h. cbn [denote]. split.
  - intros p z r. apply ranges in r. destruct r as [x r]. cbn in r. subst z. apply h, p.
  - intros p x. apply h, p. apply (range_code _ _ x). reflexivity.
Qed.
Lemma rf_all_Z fs env (P : Z -> Prop) f : (forall x, Rf fs (code x :: env) (P x) f) -> Rf fs env (forall x, P x) (All f).
Proof. unfold Rf. intro h. cbn. split; intros p x; apply h, p. Qed.
Lemma rf_equal_lists {T} `{Code T} fs env (l m : list T) a s b t :
  (forall z, Rl fs (z :: env) l a s) -> (forall z, Rl fs (z :: env) m b t) ->
  Rf fs env (l = m) (All (And (Is (Compare Equal a b))
    (Imp (Is (Both (Compare AtMost (Const 0) (Var 0)) (Compare Below (Var 0) a))) (Is (Compare Equal (s (Var 0)) (t (Var 0))))))).
Proof.
  intros hl hm. unfold Rf. cbn [denote check eval Formula.compares nth].
  setoid_rewrite andb_true_iff. setoid_rewrite Z.eqb_eq. setoid_rewrite Z.leb_le. setoid_rewrite Z.ltb_lt. split.
  - intros -> z. rewrite <- (rl_length (hl z)), <- (rl_length (hm z)). split; [reflexivity|]. intros [lo hi].
    destruct (nth_error m (Z.to_nat z)) as [x|] eqn:q; [|apply nth_error_None in q; lia].
    rewrite <- (rl_at (hl z) _ x (Var 0) q), <- (rl_at (hm z) _ x (Var 0) q) by (cbn; lia). reflexivity.
  - intro k. assert (e : length l = length m).
    { destruct (k 0) as [e _]. rewrite <- (rl_length (hl 0)), <- (rl_length (hm 0)) in e. lia. }
    apply equal_element. split; [exact e|]. intros n x y p q. apply code_injective.
    rewrite (rl_at (hl (Z.of_nat n)) n x (Var 0) p eq_refl), (rl_at (hm (Z.of_nat n)) n y (Var 0) q eq_refl).
    apply k. rewrite <- (rl_length (hl (Z.of_nat n))). assert (n < length l)%nat by (apply nth_error_Some; congruence). lia.
Qed.
Lemma rf_ex {T} `{Code T} fs env (P : T -> Prop) f : (forall x, Rf fs (code x :: env) (P x) f) ->
  Rf fs env (exists x, P x) (Ex (And (Is (range (Var 0))) f)).
Proof.
  unfold Rf. intro h. cbn [denote]. split.
  - intros [x p]. exists (code x). split; [apply (range_code _ _ x); reflexivity | apply h, p].
  - intros [z [r p]]. apply ranges in r. destruct r as [x r]. cbn in r. subst z. exists x. apply h, p.
Qed.
Lemma rf_ex_Z fs env (P : Z -> Prop) f : (forall x, Rf fs (code x :: env) (P x) f) -> Rf fs env (exists x, P x) (Ex f).
Proof. unfold Rf. intro h. cbn. split; intros [x p]; exists x; apply h, p. Qed.

(** * Statements on lists, by their elements *)
Lemma in_element T (x : T) l : In x l <-> exists n, nth_error l n = Some x.
Proof. split; [apply In_nth_error | intros [n e]; exact (nth_error_In _ _ e)]. Qed.
Lemma forall_element T (P : T -> Prop) l : Forall P l <-> forall n x, nth_error l n = Some x -> P x.
Proof. rewrite Forall_forall. setoid_rewrite in_element. firstorder. Qed.
Lemma exists_element T (P : T -> Prop) l : Exists P l <-> exists n x, nth_error l n = Some x /\ P x.
Proof. rewrite Exists_exists. setoid_rewrite in_element. firstorder. Qed.
Lemma forallb_element T (p : T -> bool) l : forallb p l = true <-> forall n x, nth_error l n = Some x -> p x = true.
Proof. rewrite forallb_forall. setoid_rewrite in_element. firstorder. Qed.
Lemma existsb_element T (p : T -> bool) l : existsb p l = true <-> exists n x, nth_error l n = Some x /\ p x = true.
Proof. rewrite existsb_exists. setoid_rewrite in_element. firstorder. Qed.
Lemma incl_element T (l m : list T) : incl l m <-> forall n x, nth_error l n = Some x -> In x m.
Proof. unfold incl. setoid_rewrite (in_element T _ l). firstorder. Qed.
Lemma nodup_element T (l : list T) : NoDup l <->
  forall i j x y, (i < j)%nat -> nth_error l i = Some x -> nth_error l j = Some y -> x <> y.
Proof.
  rewrite NoDup_nth_error. split.
  - intros h i j x y lt a b e. assert (i < length l)%nat by (apply nth_error_Some; congruence).
    assert (i = j) by (apply h; [assumption|congruence]). lia.
  - intros h i j lt e. destruct (Nat.lt_total i j) as [o|[o|o]]; [exfalso|exact o|exfalso];
    destruct (nth_error l i) as [x|] eqn:q; try (apply nth_error_None in q; lia).
    + exact (h i j x x o q (eq_sym e) eq_refl).
    + exact (h j i x x o (eq_sym e) q eq_refl).
Qed.
Lemma strongly_sorted_element T (R : T -> T -> Prop) l : StronglySorted R l <->
  forall i j x y, (i < j)%nat -> nth_error l i = Some x -> nth_error l j = Some y -> R x y.
Proof.
  split.
  - induction 1 as [|a l s IH f]; intros [|i] [|j] x y lt p q; cbn in *; try discriminate; try lia.
    + injection p as <-. rewrite Forall_forall in f. apply f, (nth_error_In _ _ q).
    + apply (IH i j); auto; lia.
  - induction l as [|a l IH]; intro h; constructor.
    + apply IH. intros i j x y lt p q. apply (h (S i) (S j)); auto; lia.
    + apply Forall_forall. intros y i. apply In_nth_error in i. destruct i as [n e]. apply (h O (S n)); auto; lia.
Qed.
Lemma sorted_element T (R : T -> T -> Prop) l : Sorted R l <->
  forall i x y, nth_error l i = Some x -> nth_error l (S i) = Some y -> R x y.
Proof.
  split.
  - induction 1 as [|a l s IH f]; intros [|i] x y p q; cbn in *; try discriminate.
    + injection p as <-. destruct f; cbn in q; [discriminate|injection q as <-; assumption].
    + apply (IH i); auto.
  - induction l as [|a l IH]; intro h; constructor.
    + apply IH. intros i x y p q. apply (h (S i)); auto.
    + destruct l as [|b l]; constructor. apply (h O); reflexivity.
Qed.
Lemma nth_error_none T (l : list T) n : nth_error l n = None <-> (length l <= n)%nat. Proof. apply nth_error_None. Qed.
Lemma hd_error_nth T (l : list T) : hd_error l = nth_error l 0. Proof. destruct l; reflexivity. Qed.
Lemma not_nil T (l : list T) : l = [] <-> length l = O. Proof. destruct l; cbn; split; congruence. Qed.

(** * Strings, by their characters *)
Notation characters := list_ascii_of_string.
Lemma characters_length s : String.length s = length (characters s).
Proof. induction s as [|c s IH]; cbn; congruence. Qed.
Lemma characters_get s n : String.get n s = nth_error (characters s) n.
Proof. revert n. induction s as [|c s IH]; intros [|n]; cbn; auto. Qed.
Lemma characters_equal s t : s = t <-> characters s = characters t.
Proof.
  split; [congruence|]. intro e. rewrite <- (string_of_list_ascii_of_string s), e. apply string_of_list_ascii_of_string.
Qed.
Lemma characters_append s t : characters (s ++ t) = (characters s ++ characters t)%list.
Proof. induction s as [|c s IH]; cbn; congruence. Qed.
Lemma characters_of l : characters (string_of_list_ascii l) = l.
Proof. apply list_ascii_of_string_of_list_ascii. Qed.

(** * Numbers *)
Lemma divide_mod a b : (a | b) <-> b mod a = 0.
Proof.
  destruct (Z.eq_dec a 0) as [->|n]; [|symmetry; apply Z.mod_divide; exact n].
  rewrite Zmod_0_r. split; [apply Z.divide_0_l | intros ->; apply Z.divide_0_r].
Qed.
Lemma nat_divide_mod a b : Nat.divide a b <-> Z.of_nat b mod Z.of_nat a = 0.
Proof.
  rewrite <- divide_mod. split; intros [q e].
  - exists (Z.of_nat q). lia.
  - destruct a as [|a]; [exists O; lia|]. exists (Z.to_nat q). nia.
Qed.
Lemma even_mod a : Z.Even a <-> a mod 2 = 0. Proof. rewrite <- zeven_mod. symmetry. apply Z.even_spec. Qed.
Lemma odd_mod a : Z.Odd a <-> a mod 2 = 1. Proof. rewrite <- zodd_mod. symmetry. apply Z.odd_spec. Qed.
Lemma nat_even_mod a : Nat.Even a <-> Z.of_nat a mod 2 = 0.
Proof. rewrite <- Nat.even_spec, nat_even_eqb. apply Z.eqb_eq. Qed.
Lemma nat_odd_mod a : Nat.Odd a <-> Z.of_nat a mod 2 = 1.
Proof. rewrite <- Nat.odd_spec, nat_odd_eqb. apply Z.eqb_eq. Qed.
Lemma prime_divisors p : prime p <-> 1 < p /\ forall d, 1 < d < p -> p mod d <> 0.
Proof. rewrite <- prime_alt. unfold prime'. setoid_rewrite <- divide_mod. firstorder lia. Qed.
Lemma quot_signs a b : Z.quot a b = Z.sgn a * Z.sgn b * (Z.abs a / Z.abs b).
Proof.
  destruct (Z.eq_dec b 0) as [->|n]; [destruct a; reflexivity | apply Z.quot_div; exact n].
Qed.
Lemma rem_signs a b : Z.rem a b = Z.sgn a * (Z.abs a mod Z.abs b).
Proof.
  destruct (Z.eq_dec b 0) as [->|n]; [destruct a; reflexivity | apply Z.rem_mod; exact n].
Qed.
Lemma nat_pow_square a : (a ^ 2 = a * a)%nat. Proof. cbn. lia. Qed.
Lemma nat_pow_cube a : (a ^ 3 = a * a * a)%nat. Proof. cbn. lia. Qed.
Lemma pow_square a : a ^ 2 = a * a. Proof. lia. Qed.
Lemma pow_cube a : a ^ 3 = a * a * a. Proof. lia. Qed.
Lemma pow_fourth a : a ^ 4 = a * a * a * a. Proof. lia. Qed.
Lemma pair_same T U (a c : T) (b d : U) : (a, b) = (c, d) <-> a = c /\ b = d. Proof. split; [intros [=]; auto | intros [-> ->]; auto]. Qed.
Lemma cons_not_nil T (l : list T) : l = nil <-> match l with nil => True | _ => False end. Proof. destruct l; split; intros; auto; discriminate || contradiction. Qed.
Lemma cons_same T (x y : T) l m : x :: l = y :: m <-> x = y /\ l = m. Proof. split; [intros [=]; auto | intros [-> ->]; reflexivity]. Qed.
(** Where lists are told by their members alone, membership is a predicate of which nothing is known. *)
Definition member {T} (x : T) (l : list T) : Prop := In x l.
Lemma in_nil T (x : T) : In x nil <-> False. Proof. reflexivity. Qed.
Lemma in_cons T (x y : T) l : In x (y :: l) <-> y = x \/ In x l. Proof. reflexivity. Qed.
Lemma is_some_so T `{Default T} (o : option T) x : o = Some x <-> is_some o = true /\ the o = x.
Proof. destruct o; cbn; split; [intros [=]; auto | intros [_ ->]; auto | discriminate | intros [[=] _]]. Qed.
Lemma is_none_so T (o : option T) : o = None <-> ~ is_some o = true. Proof. destruct o; cbn; split; congruence. Qed.
Lemma same_options T `{Default T} (o p : option T) : o = p <-> (is_some o = true <-> is_some p = true) /\ (is_some o = true -> the o = the p).
Proof. destruct o, p; cbn; split; intros h; try (injection h as ->); try discriminate; try (destruct h as [[? ?] ?]; f_equal); auto; try tauto; exfalso; intuition congruence. Qed.
Lemma match_option T `{Default T} (o : option T) (P : T -> Prop) (Q : Prop) :
  match o with Some x => P x | None => Q end <-> (is_some o = true -> P (the o)) /\ (~ is_some o = true -> Q).
Proof. destruct o; cbn; intuition congruence. Qed.
Lemma in_counted T (e : forall x y : T, {x = y} + {x <> y}) l : forall x, In x l <-> (0 < count_occ e l x)%nat. Proof. intro x. rewrite (count_occ_In e). lia. Qed.
Lemma counted_by T (e : forall x y : T, {x = y} + {x <> y}) p k l : (forall y, p y = if e y k then true else false) -> length (filter p l) = count_occ e l k.
Proof. intro h. induction l as [|y l IH]; [reflexivity|]. cbn. rewrite h. destruct (e y k); cbn; rewrite IH; reflexivity. Qed.
Lemma counted_Z k l : length (filter (fun y => y =? k) l) = count_occ Z.eq_dec l k.
Proof. apply counted_by. intro y. destruct (Z.eq_dec y k), (Z.eqb_spec y k); congruence. Qed.
Lemma counted_Z' k l : length (filter (fun y => k =? y) l) = count_occ Z.eq_dec l k.
Proof. apply counted_by. intro y. destruct (Z.eq_dec y k), (Z.eqb_spec k y); congruence. Qed.
Lemma counted_nat k l : length (filter (fun y => y =? k)%nat l) = count_occ Nat.eq_dec l k.
Proof. apply counted_by. intro y. destruct (Nat.eq_dec y k), (Nat.eqb_spec y k); congruence. Qed.
Lemma counted_nat' k l : length (filter (fun y => k =? y)%nat l) = count_occ Nat.eq_dec l k.
Proof. apply counted_by. intro y. destruct (Nat.eq_dec y k), (Nat.eqb_spec k y); congruence. Qed.
Lemma counted_ascii k l : length (filter (fun y => Ascii.eqb y k) l) = count_occ ascii_dec l k.
Proof. apply counted_by. intro y. destruct (ascii_dec y k), (Ascii.eqb_spec y k); congruence. Qed.
Lemma filters_same T (p q : T -> bool) l : filter p l = filter q l <-> forall x, In x l -> (p x = true <-> q x = true).
Proof.
  split.
  - intros e x i. pose proof (filter_In p x l) as a. pose proof (filter_In q x l) as b. rewrite e in a. tauto.
  - intro h. apply filter_ext_in. intros x i. specialize (h x i). destruct (p x), (q x); intuition congruence.
Qed.
Lemma prefix_characters p s : String.prefix p s = true <-> firstn (length (characters p)) (characters s) = characters p.
Proof.
  rewrite text_prefix. split.
  - intros [t ->]. rewrite characters_append, firstn_app, firstn_all, Nat.sub_diag. cbn. apply app_nil_r.
  - intro e. exists (string_of_list_ascii (skipn (length (characters p)) (characters s))). apply characters_equal. rewrite characters_append, characters_of. rewrite <- e at 1. symmetry. apply firstn_skipn.
Qed.
Lemma pairs_sorted T (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) -> (Sorted R l <-> StronglySorted R l).
Proof. intro t. rewrite strongly_pairwise. apply sorted_pairwise. exact t. Qed.
Lemma pairs_strong T (R : T -> T -> Prop) l : pairwise R l <-> StronglySorted R l. Proof. symmetry. apply strongly_pairwise. Qed.
Lemma once_each T (e : forall x y : T, {x = y} + {x <> y}) l : (forall x, (count_occ e l x <= 1)%nat) <-> NoDup l. Proof. symmetry. apply NoDup_count_occ. Qed.
Lemma less_than_twice T (e : forall x y : T, {x = y} + {x <> y}) l : (forall x, (count_occ e l x < 2)%nat) <-> NoDup l.
Proof. rewrite (NoDup_count_occ e). split; intros h x; specialize (h x); lia. Qed.
Lemma once_members T (e : forall x y : T, {x = y} + {x <> y}) l : (forall x, In x l -> count_occ e l x = 1%nat) <-> NoDup l. Proof. symmetry. apply NoDup_count_occ'. Qed.
Lemma once_members' T (e : forall x y : T, {x = y} + {x <> y}) l : (forall x, In x l -> (count_occ e l x <= 1)%nat) <-> NoDup l.
Proof. rewrite (NoDup_count_occ e). split; [|auto]. intros h x. destruct (in_dec e x l) as [i|n]; [auto|]. apply (count_occ_not_In e) in n. lia. Qed.
Lemma match_nat_true n (a : bool) b : match n with O => a | S m => b m end = true <-> (n = 0%nat -> a = true) /\ (n <> 0%nat -> b (Nat.pred n) = true).
Proof. destruct n; cbn; intuition congruence. Qed.
Lemma match_nat n (P : Prop) Q : match n with O => P | S m => Q m end <-> (n = 0%nat -> P) /\ (n <> 0%nat -> Q (Nat.pred n)). Proof. destruct n; cbn; intuition congruence. Qed.
Lemma match_nat_value T n (a : T) b : match n with O => a | S m => b m end = if (n =? 0)%nat then a else b (Nat.pred n). Proof. destruct n; reflexivity. Qed.
Lemma all_list T (P : list T -> Prop) : (forall l, P l) <-> P [] /\ forall x l, P (x :: l). Proof. split; [auto | intros [a b] [|x l]; auto]. Qed.
Lemma implb_true c d : implb c d = true <-> (c = true -> d = true). Proof. destruct c, d; intuition congruence. Qed.
Lemma match_true T (o : option T) (c : T -> bool) d : match o with Some x => c x | None => d end = true <-> match o with Some x => c x = true | None => d = true end.
Proof. destruct o; tauto. Qed.
Lemma match_pair_true T U (p : T * U) (c : T -> U -> bool) : (let (x, y) := p in c x y) = true <-> let (x, y) := p in c x y = true. Proof. destruct p; tauto. Qed.
Lemma match_pair T U (p : T * U) (P : T -> U -> Prop) : match p with (x, y) => P x y end <-> P (fst p) (snd p).
Proof. destruct p; cbn; tauto. Qed.
Lemma is_some_nth_error T (l : list T) n : is_some (nth_error l n) = (n <? length l)%nat.
Proof.
  destruct (Nat.ltb_spec n (length l)) as [h|h]; [apply nth_error_Some in h | apply nth_error_None in h]; destruct (nth_error l n); cbn; congruence.
Qed.
Lemma the_nth_error T `{Default T} (l : list T) n : the (nth_error l n) = nth n l default.
Proof. revert n. induction l as [|x l IH]; intros [|n]; cbn; auto. Qed.
Lemma is_some_hd T (l : list T) : is_some (hd_error l) = (0 <? length l)%nat. Proof. destruct l; reflexivity. Qed.
Lemma the_hd T `{Default T} (l : list T) : the (hd_error l) = nth 0 l default. Proof. destruct l; reflexivity. Qed.
Lemma in_filter T (p : T -> bool) x l : In x (filter p l) <-> In x l /\ p x = true. Proof. apply filter_In. Qed.
Lemma member_cons T (x y : T) l : member x (y :: l) <-> y = x \/ member x l. Proof. reflexivity. Qed.
Lemma member_app T (x : T) l m : member x (l ++ m) <-> member x l \/ member x m. Proof. apply in_app_iff. Qed.
Lemma member_filter T (p : T -> bool) x l : member x (filter p l) <-> member x l /\ p x = true. Proof. apply filter_In. Qed.
Lemma member_rev T (x : T) l : member x (rev l) <-> member x l. Proof. symmetry. apply in_rev. Qed.
(** A list of pairs is told by the lists of their parts. *)
Lemma nth_error_pairs T U (l : list (T * U)) n x y :
  nth_error l n = Some (x, y) <-> nth_error (map fst l) n = Some x /\ nth_error (map snd l) n = Some y.
Proof. rewrite !nth_error_map. destruct (nth_error l n) as [[a b]|]; cbn; split; intuition congruence. Qed.
Lemma fst_nth T U (l : list (T * U)) n d : fst (nth n l d) = nth n (map fst l) (fst d). Proof. symmetry. apply map_nth. Qed.
Lemma snd_nth T U (l : list (T * U)) n d : snd (nth n l d) = nth n (map snd l) (snd d). Proof. symmetry. apply map_nth. Qed.
Lemma pairs_length T U (l : list (T * U)) : length l = length (map fst l). Proof. symmetry. apply map_length. Qed.
Lemma pairs_same T U (p q : T * U) : p = q <-> fst p = fst q /\ snd p = snd q. Proof. destruct p, q; cbn; apply pair_same. Qed.
Lemma call_if A B (g : A -> B) (b : bool) x y : g (if b then x else y) = if b then g x else g y. Proof. destruct b; reflexivity. Qed.
Lemma call_sumbool A B (g : A -> B) P Q (b : {P} + {Q}) x y : g (if b then x else y) = if b then g x else g y. Proof. destruct b; reflexivity. Qed.
Lemma call_option A B C (g : B -> C) (o : option A) `{Default A} F d :
  g (match o with Some x => F x | None => d end) = if is_some o then g (F (the o)) else g d.
Proof. destruct o; reflexivity. Qed.
Lemma call_pair A B C D (g : C -> D) (p : A * B) (F : A -> B -> C) : g (let (x, y) := p in F x y) = g (F (fst p) (snd p)).
Proof. destruct p; reflexivity. Qed.
Lemma match_option_value A B (o : option A) `{Default A} (F : A -> B) d :
  match o with Some x => F x | None => d end = if is_some o then F (the o) else d.
Proof. destruct o; reflexivity. Qed.
Lemma match_pair_value A B C (p : A * B) (F : A -> B -> C) : (let (x, y) := p in F x y) = F (fst p) (snd p).
Proof. destruct p; reflexivity. Qed.
Lemma call_option_map A B C (g : option B -> C) (f : A -> B) (o : option A) `{Default A} :
  g (option_map f o) = if is_some o then g (Some (f (the o))) else g None.
Proof. destruct o; reflexivity. Qed.
Lemma bools_same (a b : bool) : a = b <-> (a = true <-> b = true).
Proof. split; [intros ->; tauto | apply eq_true_iff_eq]. Qed.
Lemma false_not (b : bool) : b = false <-> ~ b = true. Proof. destruct b; cbn; split; congruence. Qed.
Lemma true_not (b : bool) : true = b <-> b = true. Proof. split; congruence. Qed.
Lemma negb_not b : negb b = true <-> ~ b = true. Proof. destruct b; cbn; split; congruence. Qed.
Lemma ge_le a b : a >= b <-> b <= a. Proof. lia. Qed.
Lemma gt_lt' a b : a > b <-> b < a. Proof. lia. Qed.
Lemma ge_le_nat a b : (a >= b <-> b <= a)%nat. Proof. lia. Qed.
Lemma gt_lt_nat a b : (a > b <-> b < a)%nat. Proof. lia. Qed.
Lemma some_same T (x y : T) : Some x = Some y <-> x = y. Proof. split; congruence. Qed.
Lemma some_none T (x : T) : Some x = None <-> False. Proof. split; [discriminate|tauto]. Qed.
Lemma none_some T (x : T) : None = Some x <-> False. Proof. split; [discriminate|tauto]. Qed.
Lemma none_none T : @None T = None <-> True. Proof. tauto. Qed.
Lemma eq_swap T (x y : T) : x = y <-> y = x. Proof. split; congruence. Qed.
Lemma all_option T (P : option T -> Prop) : (forall o, P o) <-> P None /\ forall x, P (Some x).
Proof. split; [auto | intros [n s] []; auto]. Qed.
Lemma ex_option T (P : option T -> Prop) : (exists o, P o) <-> P None \/ exists x, P (Some x).
Proof. split; [intros [[x|] p]; eauto | intros [p|[x p]]; eauto]. Qed.
Lemma all_pair T U (P : T * U -> Prop) : (forall p, P p) <-> forall x y, P (x, y).
Proof. split; [auto | intros h [x y]; auto]. Qed.
Lemma ex_pair T U (P : T * U -> Prop) : (exists p, P p) <-> exists x y, P (x, y).
Proof. split; [intros [[x y] p]; eauto | intros [x [y p]]; eauto]. Qed.
Lemma all_unit (P : unit -> Prop) : (forall u, P u) <-> P tt. Proof. split; [auto | intros h []; auto]. Qed.
Lemma ex_unit (P : unit -> Prop) : (exists u, P u) <-> P tt. Proof. split; [intros [[] p]; auto | eauto]. Qed.
Lemma all_bool (P : bool -> Prop) : (forall b, P b) <-> P true /\ P false. Proof. split; [auto | intros [] []; auto]. Qed.
Lemma ex_bool (P : bool -> Prop) : (exists b, P b) <-> P true \/ P false.
Proof. split; [intros [[] p]; auto | intros []; eauto]. Qed.

(** * The reduction of a theorem *)
(** The free variables' values and the free functions; what is read is one text for each argument. *)
Definition values := list Z.
Definition calls := list (list Z -> Z).
Definition reader := values -> calls -> list string.
(** [P] is about the arguments whose texts are [shown]. *)
Definition About (shown : list string) (P : Prop) : Prop := P.
Definition Under (readers : list reader) (f : formula) (P : Prop) : Prop := valid f -> P.
Lemma under_by rs f (P Q : Prop) : (P <-> Q) -> Under rs f Q -> Under rs f P. Proof. unfold Under; tauto. Qed.
Lemma under_all rs f T (P : T -> Prop) : (forall x, Under rs f (P x)) -> Under rs f (forall x, P x). Proof. unfold Under; auto. Qed.
Lemma under_and rs rs' f g P Q : Under rs f P -> Under rs' g Q -> Under (rs ++ rs') (And f g) (P /\ Q).
Proof. unfold Under, valid. cbn. intros p q v. split; [apply p | apply q]; intros fs env; apply v. Qed.
Lemma under_fact rs f (K P : Prop) : K -> Under rs f (K -> P) -> Under rs f P. Proof. unfold Under; auto. Qed.
(** Lists, numbers and members that a test keeps, counts or finds. *)
Lemma under_kept T rs f (r a b : list T) p q l : a = filter p l -> b = filter q l -> Under rs f (forall x, In x l -> (p x = true <-> q x = true)) -> Under rs f (r = a <-> r = b).
Proof. intros -> -> u. intro v. rewrite (filter_ext_in p q l); [tauto|]. intros x i. specialize (u v x i). destruct (p x), (q x); intuition congruence. Qed.
Lemma under_kept_count T rs f (r a b : nat) p q (l : list T) : a = length (filter p l) -> b = length (filter q l) -> Under rs f (forall x, In x l -> (p x = true <-> q x = true)) -> Under rs f (r = a <-> r = b).
Proof. intros -> -> u. intro v. rewrite (filter_ext_in p q l); [tauto|]. intros x i. specialize (u v x i). destruct (p x), (q x); intuition congruence. Qed.
Lemma under_kept_count_Z T rs f (r : Z) (a b : nat) p q (l : list T) : a = length (filter p l) -> b = length (filter q l) -> Under rs f (forall x, In x l -> (p x = true <-> q x = true)) -> Under rs f (r = Z.of_nat a <-> r = Z.of_nat b).
Proof. intros -> -> u. intro v. rewrite (filter_ext_in p q l); [tauto|]. intros x i. specialize (u v x i). destruct (p x), (q x); intuition congruence. Qed.
Lemma under_found T rs f (r a b : option T) p q l : a = find p l -> b = find q l -> Under rs f (forall x, In x l -> (p x = true <-> q x = true)) -> Under rs f (r = a <-> r = b).
Proof.
  intros -> -> u. intro v. replace (find q l) with (find p l); [tauto|]. specialize (u v). induction l as [|x l IH]; [reflexivity|]. cbn.
  rewrite IH by (intros; apply u; right; assumption). specialize (u x (or_introl eq_refl)). destruct (p x), (q x); intuition congruence.
Qed.
Lemma under_leaf rs fs env g f P : Rf fs env P f -> denote fs env g -> Under rs (Imp g f) P.
Proof. unfold Under, Rf, valid. intros r d v. apply r. exact (v fs env d). Qed.

(** What is known of the free variables and functions: the range of their types. *)
Lemma knows_and fs env g h : denote fs env g -> denote fs env h -> denote fs env (And g h). Proof. cbn; auto. Qed.
Lemma knows_nothing fs env : denote fs env (Is (Bit true)). Proof. reflexivity. Qed.
Lemma knows_value {T} `{Code T} fs env k (x : T) : nth k env 0 = code x -> denote fs env (Is (range (Var k))).
Proof. intro e. apply (range_code fs env x). symmetry. exact e. Qed.
Lemma knows_length T fs env k (l : list T) : nth k env 0 = Z.of_nat (length l) -> denote fs env (Is (Compare AtMost (Const 0) (Var k))).
Proof. cbn. intros ->. apply Z.leb_le. lia. Qed.
Lemma knows_elements {T} `{Code T} fs env j (l : list T) : check (nil, nil) [0] (range (Var 0)) = true ->
  nth j (fst fs) (fun _ => 0) = elements l -> denote fs env (All (Is (range (App j [Var 0])))).
Proof.
  intros z e n. apply ranges. cbn [eval map]. rewrite e. cbn [elements nth].
  destruct (nth_error l (Z.to_nat n)) as [x|]; [eauto|]. apply ranges in z. exact z.
Qed.
Lemma knows_call1 {T U} `{Code T, Code U} fs env j (g : T -> U) :
  nth j (fst fs) (fun _ => 0) = call1 g -> denote fs env (All (Is (range (App j [Var 0])))).
Proof. intros e n. apply ranges. cbn [eval map]. rewrite e. cbn. eauto. Qed.
Lemma knows_call2 {T U W} `{Code T, Code U, Code W} fs env j (g : T -> U -> W) :
  nth j (fst fs) (fun _ => 0) = call2 g -> denote fs env (All (All (Is (range (App j [Var 1; Var 0]))))).
Proof. intros e n m. apply ranges. cbn [eval map]. rewrite e. cbn. eauto. Qed.

(* The position of an entry in a list with an open end, to which it is added where it is new. *)
Ltac position x l := lazymatch l with
  | x :: _ => constr:(O)
  | _ :: ?r => let n := position x r in constr:(S n)
  | ?r => let T := type of x in
      let _ := match goal with _ => is_evar r; let e := open_constr:(_ : list T) in unify r (@cons T x e) end in constr:(O)
  end.
Ltac coded T := lazymatch T with Z => idtac | nat => idtac | bool => idtac | ascii => idtac end.
Ltac literal x := lazymatch x with
  | xH => idtac | xI ?p => literal p | xO ?p => literal p
  | Z0 => idtac | Zpos ?p => literal p | Zneg ?p => literal p
  | O => idtac | S ?n => literal n
  | true => idtac | false => idtac
  | Ascii ?a ?b ?c ?d ?e ?f ?g ?h => literal a; literal b; literal c; literal d; literal e; literal f; literal g; literal h
  end.
Ltac accessor g := lazymatch g with @the _ _ => idtac | @fst _ _ => idtac | @snd _ _ => idtac | @is_some _ => idtac | Z.of_nat => idtac end.
(* An unknown call as a function of its numeric arguments, and of the bound values in what is left: [(g, (a, (b, tt)))]. *)
Inductive bound {T} (x : T) : Prop := is_bound.
Ltac call_head t := lazymatch t with ?g _ => call_head g | _ => t end.
Ltac opened a := lazymatch type of a with
  | option _ => lazymatch a with Some _ => idtac | ?g _ => idtac end
  | (_ * _)%type => lazymatch a with (_, _) => idtac | ?g _ => idtac end
  | list _ => lazymatch a with cons _ _ => fail | ?g _ => let h := call_head g in assert_fails (is_constructor h) end
  | string => lazymatch a with ?g _ => let h := call_head g in assert_fails (is_constructor h) end
  end.
Ltac inputs x rest := lazymatch x with
  | ?g ?a => let A := type of a in
      let more := match goal with
        | _ => let _ := match goal with _ => coded A end in constr:((a, rest))
        | _ => let _ := match goal with _ => opened a end in inputs a rest
        | _ => rest end in
      inputs g more
  | _ => rest
  end.
Ltac with_inputs x vs := lazymatch x with
  | ?g ?a => let A := type of a in lazymatch A with Set => constr:((x, vs)) | Type => constr:((x, vs)) | _ =>
      let A := type of a in let r := with_inputs g vs in
      lazymatch r with (?h, ?ws) => match goal with
        | _ => let _ := match goal with _ => coded A end in lazymatch ws with (?w, ?us) => constr:((h w, us)) end
        | _ => let _ := match goal with _ => opened a end in let s := with_inputs a ws in lazymatch s with (?b, ?us) => constr:((h b, us)) end
        | _ => constr:((h a, ws)) end end end
  | _ => constr:((x, vs))
  end.
Ltac with_bound g vs := match goal with
  | _ : bound ?v |- _ => let _ := lazymatch g with context [v] => idtac end in
      lazymatch eval pattern v in g with ?h _ => with_bound h (v, vs) end
  | _ => constr:((g, vs))
  end.
Ltac lifted x := let vs := inputs x tt in let u := fresh "u" in let v := fresh "v" in let w := fresh "w" in
  let g := lazymatch vs with
    | tt => x
    | (?a, tt) => let A := type of a in constr:(fun u : A => ltac:(let r := with_inputs x (u, tt) in lazymatch r with (?y, tt) => exact y end))
    | (?a, (?b, tt)) => let A := type of a in let B := type of b in
        constr:(fun (u : A) (v : B) => ltac:(let r := with_inputs x (u, (v, tt)) in lazymatch r with (?y, tt) => exact y end))
    | (?a, (?b, (?c, tt))) => let A := type of a in let B := type of b in let C := type of c in
        constr:(fun (u : A) (v : B) (w : C) => ltac:(let r := with_inputs x (u, (v, (w, tt))) in lazymatch r with (?y, tt) => exact y end))
    end in
  with_bound g vs.
Ltac position_of x fs := lazymatch fs with (?a, _) => position x a end.
Ltac position_rel x fs := lazymatch fs with (_, ?b) => position x b end.
Ltac is_proposition P := let t := type of P in lazymatch t with Prop => idtac end.

(* What a call of a recursive function tells, as [P <-> ?Q] or [x = ?y]; redefined where such calls are read. Where an induction
   is at work, its hypotheses speak of the calls: only the pair as a whole is read so. *)
Ltac as_a_whole := lazymatch goal with _ : done tt 311%nat |- _ => idtac end.
Ltac told_call := fail.
Ltac told_value := fail.
Ltac told_equation := fail.
Ltac told_cut := fail.
(* What is known of values in sight, as premises. *)
Ltac value_facts := idtac.
(* Neighbours in a transitive relation are read as all pairs. *)
Ltac transitive := solve [ intros; cbv beta in *; first [ lia | (rewrite ?andb_true_iff, ?Z.leb_le, ?Z.ltb_lt, ?Z.geb_le, ?Z.gtb_lt, ?Z.eqb_eq, ?Nat.leb_le, ?Nat.ltb_lt, ?Nat.eqb_eq in *; lia) ] ].
Ltac next_to Q := lazymatch Q with context [nth (S _) _ _] => idtac | context [nth (_ + 1)%nat _ _] => idtac end.
Ltac next_members Q := lazymatch Q with context [nth_error _ (S _)] => idtac | context [nth_error _ (_ + 1)%nat] => idtac end.
(* One step for each shape of a goal; what none fits is outside the fragment, and the tactic fails. *)
Ltac reify := lazymatch goal with
  | |- Rv _ _ _ _ => reify_value
  | |- Rt _ _ _ _ => reify_test
  | |- Rl _ _ _ _ _ => reify_list
  | |- Rf _ _ _ _ => reify_formula
  | |- forall x e, Rv _ _ x e -> _ => let x := fresh "b" in intro x; intros; pose proof (is_bound x); reify
  | |- forall x, Rf _ _ _ _ => let x := fresh "b" in intro x; pose proof (is_bound x); cbv beta; reify
  | |- forall x, Rl _ _ _ _ _ => intro; reify
  | |- ~ (_ /\ _) => solve [intros [? ?]; first [congruence | contradiction | lia]]
  end
with reify_value := lazymatch goal with
  | h : Rv ?fs ?env ?x _ |- Rv ?fs ?env ?x _ => exact h
  | |- Rv ?fs ?env ?x _ =>
  tryif literal x then (eapply rv_const; vm_compute; reflexivity) else
  lazymatch x with
  | Z.add ?a ?b => eapply (rv_op fs env Plus a b); reify
  | Z.sub ?a ?b => eapply (rv_op fs env Minus a b); reify
  | Z.mul ?a ?b => eapply (rv_op fs env Times a b); reify
  | Z.div ?a ?b => eapply (rv_op fs env Div a b); reify
  | Z.modulo ?a ?b => eapply (rv_op fs env Mod a b); reify
  | Z.min ?a ?b => eapply (rv_op fs env Min a b); reify
  | Z.max ?a ?b => eapply (rv_op fs env Max a b); reify
  | Z.opp _ => eapply rv_opp; reify
  | Z.abs _ => eapply rv_abs; reify
  | Z.sgn _ => eapply rv_sgn; reify
  | Z.succ ?a => eapply (rv_by fs env x (a + 1)); [reflexivity | reify]
  | Z.pred ?a => eapply (rv_by fs env x (a - 1)); [unfold Z.pred; lia | reify]
  | Z.quot ?a ?b => eapply (rv_by fs env x _ _ (quot_signs a b)); reify
  | Z.rem ?a ?b => eapply (rv_by fs env x _ _ (rem_signs a b)); reify
  | Z.pow ?a 2 => eapply (rv_by fs env x _ _ (pow_square a)); reify
  | Z.pow ?a 3 => eapply (rv_by fs env x _ _ (pow_cube a)); reify
  | Z.pow ?a 4 => eapply (rv_by fs env x _ _ (pow_fourth a)); reify
  | Z.pow ?a ?b => literal a; literal b; eapply rv_const; vm_compute; reflexivity
  | Z.of_nat _ => eapply rv_of_nat; reify
  | Z.b2z _ => eapply rv_b2z; reify
  | Z.of_N (N_of_ascii _) => eapply rv_code_N; reify
  | Nat.add _ _ => eapply rv_add_nat; reify
  | Nat.mul _ _ => eapply rv_mul_nat; reify
  | Nat.sub _ _ => eapply rv_sub_nat; reify
  | Nat.div _ _ => eapply rv_div_nat; reify
  | Nat.modulo _ _ => eapply rv_mod_nat; reify
  | Nat.min _ _ => eapply rv_min_nat; reify
  | Nat.max _ _ => eapply rv_max_nat; reify
  | Nat.pow ?a 2%nat => eapply (rv_by fs env x _ _ (nat_pow_square a)); reify
  | Nat.pow ?a 3%nat => eapply (rv_by fs env x _ _ (nat_pow_cube a)); reify
  | S _ => eapply rv_succ_nat; reify
  | Nat.succ _ => eapply rv_succ_nat; reify
  | Nat.pred _ => eapply rv_pred_nat; reify
  | Z.to_nat _ => eapply rv_to_nat; reify
  | Z.abs_nat _ => eapply rv_abs_nat; reify
  | nat_of_ascii _ => eapply rv_code; reify
  | ascii_of_nat _ => eapply rv_letter; [ reify | reify_unknown fs env x ]
  | length (filter (fun y => Z.eqb y ?k) ?l) => eapply (rv_by fs env x _ _ (counted_Z k l)); reify
  | length (filter (fun y => Z.eqb ?k y) ?l) => eapply (rv_by fs env x _ _ (counted_Z' k l)); reify
  | length (filter (fun y => Nat.eqb y ?k) ?l) => eapply (rv_by fs env x _ _ (counted_nat k l)); reify
  | length (filter (fun y => Nat.eqb ?k y) ?l) => eapply (rv_by fs env x _ _ (counted_nat' k l)); reify
  | length (filter (fun y => Ascii.eqb y ?k) ?l) => eapply (rv_by fs env x _ _ (counted_ascii k l)); reify
  | count_occ ?e (?l ++ ?m) ?k => eapply (rv_by fs env x _ _ (count_occ_app e l m k)); reify
  | count_occ ?e (?y :: ?l) ?k => eapply (rv_by fs env x (if e y k then S (count_occ e l k) else count_occ e l k)); [ reflexivity | reify ]
  | @length (?T * ?U) ?l => tryif coded T then (eapply (rv_by fs env x _ _ (pairs_length T U l)); reify) else reify_unknown fs env x
  | @length ?T _ => tryif coded T then (eapply rv_length; reify) else reify_unknown fs env x
  | fst (nth ?n ?l ?d) => eapply (rv_by fs env x _ _ (fst_nth _ _ l n d)); reify
  | snd (nth ?n ?l ?d) => eapply (rv_by fs env x _ _ (snd_nth _ _ l n d)); reify
  | String.length ?s => eapply (rv_by fs env x _ _ (characters_length s)); reify
  | nth _ _ _ => eapply rv_nth; reify
  | hd ?d ?l => eapply (rv_by fs env x _ _ (hd_nth _ d l)); reify
  | last ?l ?d => eapply (rv_by fs env x _ _ (last_nth _ l d)); reify
  | match ?n with O => ?a | S m => @?b m end => eapply (rv_by fs env x _ _ (match_nat_value _ n a b)); cbv beta; reify
  | (if ?c then _ else _) => let t := type of c in
      lazymatch t with bool => eapply rv_if; reify | sumbool _ _ => eapply rv_sumbool; reify end
  | fst (?a, _) => change x with a; reify
  | snd (_, ?a) => change x with a; reify
  | the (Some ?a) => change x with a; reify
  | the (nth_error ?l ?n) => eapply (rv_by fs env x _ _ (the_nth_error _ l n)); reify
  | the (hd_error ?l) => eapply (rv_by fs env x _ _ (the_hd _ l)); reify
  | ?g (if ?c then ?a else ?b) => accessor g;
      let t := type of c in lazymatch t with bool => eapply (rv_by fs env x _ _ (call_if _ _ g c a b)) | _ => eapply (rv_by fs env x _ _ (call_sumbool _ _ g _ _ c a b)) end; reify
  | ?g (option_map ?f ?o) => accessor g; eapply (rv_by fs env x _ _ (call_option_map _ _ _ g f o)); reify
  | ?g (match ?o with Some y => @?a y | None => ?b end) => accessor g; eapply (rv_by fs env x _ _ (call_option _ _ _ g o a b)); cbv beta; reify
  | ?g (let (y, z) := ?p in @?a y z) => accessor g; eapply (rv_by fs env x _ _ (call_pair _ _ _ _ g p a)); cbv beta; reify
  | match ?o with Some y => @?a y | None => ?b end => eapply (rv_by fs env x _ _ (match_option_value _ _ o a b)); cbv beta; reify
  | let (y, z) := ?p in @?a y z => eapply (rv_by fs env x _ _ (match_pair_value _ _ _ p a)); cbv beta; reify
  | the None => eapply (rv_by fs env x default); [reflexivity | unfold default, default_coded; cbn [decode code_Z code_nat code_bool code_ascii]; reify]
  | negb _ => eapply rv_bool; reify
  | andb _ _ => eapply rv_bool; reify
  | orb _ _ => eapply rv_bool; reify
  | Z.eqb _ _ => eapply rv_bool; reify
  | Z.ltb _ _ => eapply rv_bool; reify
  | Z.leb _ _ => eapply rv_bool; reify
  | Nat.eqb _ _ => eapply rv_bool; reify
  | Nat.ltb _ _ => eapply rv_bool; reify
  | Nat.leb _ _ => eapply rv_bool; reify
  | _ => reify_unknown fs env x
  end end
(* A function of its numeric arguments and of bound values, or else a variable. *)
with reify_unknown fs env x := tryif is_var x then reify_variable fs env x else first [ eapply (rv_by fs env x); [ told_value | reify ] | reify_call fs env x ]
with reify_call fs env x := let r := lifted x in lazymatch r with
  | (?g, (?a, (?b, (?c, tt)))) => let k := position_of (call3 g) fs in eapply (rv_call3 fs env g a b c k); [reflexivity | reify | reify | reify]
  | (?g, (?a, (?b, tt))) => let k := position_of (call2 g) fs in eapply (rv_call2 fs env g a b k); [reflexivity | reify | reify]
  | (?g, (?a, tt)) => let k := position_of (call1 g) fs in eapply (rv_call1 fs env g a k); [reflexivity | reify]
  | (_, tt) => reify_variable fs env x
  end
with reify_statement := lazymatch goal with |- Rf ?fs ?env ?P _ => let r := lifted P in lazymatch r with
  | (?g, (?a, (?b, (?c, tt)))) => let k := position_rel (holds3 g) fs in eapply (rf_rel3 fs env g a b c k); [reflexivity | reify | reify | reify]
  | (?g, (?a, (?b, tt))) => let k := position_rel (holds2 g) fs in eapply (rf_rel2 fs env g a b k); [reflexivity | reify | reify]
  | (?g, (?a, tt)) => let k := position_rel (holds1 g) fs in eapply (rf_rel1 fs env g a k); [reflexivity | reify]
  | (_, tt) => let k := position_rel (holds0 P) fs in eapply (rf_rel0 fs env P k); reflexivity
  end end
with reify_variable fs env x := let k := position (code x) env in eapply (rv_var fs env x k); reflexivity
with reify_test := lazymatch goal with |- Rt ?fs ?env ?b _ =>
  lazymatch b with
  | true => eapply rt_bit
  | false => eapply rt_bit
  | negb _ => eapply rt_not; reify
  | andb _ _ => eapply rt_and; reify
  | orb _ _ => eapply rt_or; reify
  | implb _ _ => eapply rt_imp; reify
  | xorb _ _ => eapply rt_xor; reify
  | Bool.eqb _ _ => eapply rt_same; reify
  | (if ?c then _ else _) => let t := type of c in
      lazymatch t with bool => eapply rt_if; reify | sumbool _ _ => eapply rt_sumbool; reify end
  | Z.eqb ?x ?y => eapply (rt_compare fs env Equal x y); reify
  | Z.leb ?x ?y => eapply (rt_compare fs env AtMost x y); reify
  | Z.ltb ?x ?y => eapply (rt_compare fs env Below x y); reify
  | Z.gtb _ _ => eapply rt_gtb; reify
  | Z.geb _ _ => eapply rt_geb; reify
  | Nat.eqb _ _ => eapply rt_eqb_nat; reify
  | Nat.leb _ _ => eapply rt_leb_nat; reify
  | Nat.ltb _ _ => eapply rt_ltb_nat; reify
  | Ascii.eqb _ _ => eapply rt_eqb_ascii; reify
  | is_some (if ?c then ?u else ?v) =>
      let t := type of c in lazymatch t with bool => eapply (rt_by fs env b _ _ (call_if _ _ is_some c u v)) | _ => eapply (rt_by fs env b _ _ (call_sumbool _ _ is_some _ _ c u v)) end; reify
  | is_some (Some _) => change b with true; reify
  | is_some None => change b with false; reify
  | ?g (option_map ?f ?o) => accessor g; eapply (rt_by fs env b _ _ (call_option_map _ _ _ g f o)); reify
  | ?g (match ?o with Some y => @?u y | None => ?v end) => accessor g; eapply (rt_by fs env b _ _ (call_option _ _ _ g o u v)); cbv beta; reify
  | ?g (let (y, z) := ?p in @?u y z) => accessor g; eapply (rt_by fs env b _ _ (call_pair _ _ _ _ g p u)); cbv beta; reify
  | match ?o with Some y => @?u y | None => ?v end => eapply (rt_by fs env b _ _ (match_option_value _ _ o u v)); cbv beta; reify
  | let (y, z) := ?p in @?u y z => eapply (rt_by fs env b _ _ (match_pair_value _ _ _ p u)); cbv beta; reify
  | is_some (nth_error ?l ?n) => eapply (rt_by fs env b _ _ (is_some_nth_error _ l n)); reify
  | is_some (hd_error ?l) => eapply (rt_by fs env b _ _ (is_some_hd _ l)); reify
  | Z.even ?x => eapply (rt_by fs env b _ _ (zeven_eqb x)); reify
  | Z.odd ?x => eapply (rt_by fs env b _ _ (zodd_eqb x)); reify
  | Nat.even ?x => eapply (rt_by fs env b _ _ (nat_even_eqb x)); reify
  | Nat.odd ?x => eapply (rt_by fs env b _ _ (nat_odd_eqb x)); reify
  | _ => first [ eapply (rt_by fs env b); [ told_value | reify ] | eapply rt_value; reify ]
  end end
with reify_list := lazymatch goal with |- @Rl ?T _ ?fs ?env ?l _ _ => coded T;
  lazymatch l with
  | nil => eapply rl_nil
  | cons _ _ => eapply rl_cons; reify
  | app _ _ => eapply rl_app; reify
  | (if ?c then _ else _) => let t := type of c in
      lazymatch t with bool => eapply rl_if; reify | sumbool _ _ => eapply rl_sumbool; reify end
  | rev _ => eapply rl_rev; reify
  | @map ?A _ ?g ?m => tryif coded A then (eapply rl_map; reify) else lazymatch m with
      | ?p :: ?k => eapply (rl_by fs env l (g p :: map g k)); [reflexivity | reify]
      | ?k ++ ?n => eapply (rl_by fs env l _ _ _ (map_app g k n)); reify
      | nil => eapply (rl_by fs env l nil); [reflexivity | reify]
      | _ => lazymatch g with
          | @snd _ _ => let k := position (Z.of_nat (length (map fst m))) env in let j := position_of (elements l) fs in
              first [ eapply (rl_second fs env m k j); reflexivity | reify_unknown_list fs env l ]
          | _ => reify_unknown_list fs env l end
      end
  | firstn _ _ => eapply rl_firstn; reify
  | skipn _ _ => eapply rl_skipn; reify
  | tl ?m => eapply (rl_by fs env l (skipn 1 m)); [destruct m; reflexivity | reify]
  | removelast ?m => eapply (rl_by fs env l _ _ _ (removelast_firstn_len m)); reify
  | repeat _ _ => eapply rl_repeat; reify
  | seq _ _ => eapply rl_seq; reify
  | characters (if ?c then ?s else ?t) => let h := type of c in
      lazymatch h with bool => eapply (rl_by fs env l _ _ _ (call_if _ _ characters c s t)) | _ => eapply (rl_by fs env l _ _ _ (call_sumbool _ _ characters _ _ c s t)) end; reify
  | characters EmptyString => eapply (rl_by fs env l nil); [reflexivity | reify]
  | characters (String ?c ?s) => eapply (rl_by fs env l (c :: characters s)); [reflexivity | reify]
  | characters (String.append ?s ?t) => eapply (rl_by fs env l _ _ _ (characters_append s t)); reify
  | characters (string_of_list_ascii ?m) => eapply (rl_by fs env l _ _ _ (characters_of m)); reify
  | _ => reify_unknown_list fs env l
  end end
with reify_unknown_list fs env l := first [ eapply (rl_by fs env l); [ told_value | reify ] | reify_list_call fs env l ]
with reify_list_call fs env l := let r := lifted l in lazymatch r with
      | (?g, (?a, (?b, tt))) => let k := position_of (call2 (fun x y => length (g x y))) fs in let j := position_of (elements2 g) fs in
          eapply (rl_call2 fs env g a b k j); [reflexivity | reflexivity | reify | reify]
      | (?g, (?a, tt)) => let k := position_of (call1 (fun x => length (g x))) fs in let j := position_of (elements1 g) fs in
          eapply (rl_call1 fs env g a k j); [reflexivity | reflexivity | reify]
      | (_, tt) => let k := position (Z.of_nat (length l)) env in let j := position_of (elements l) fs in
          eapply (rl_var fs env l k j); reflexivity
      end
with reify_as lemma := eapply (rf_by _ _ _ _ _ lemma); cbv beta iota; reify
with reify_formula := lazymatch goal with
  | |- Rf _ _ (_ /\ _) _ => reify_shape
  | |- Rf _ _ (_ \/ _) _ => reify_shape
  | |- Rf _ _ (_ <-> _) _ => reify_shape
  | |- Rf _ _ (~ _) _ => reify_shape
  | |- Rf _ _ (_ -> _) _ => reify_shape
  | |- _ => first [ reify_shape | told_statement | reify_statement ] end
with told_statement := eapply rf_by; [ told_call | cbv beta iota; reify ]
with reify_shape := lazymatch goal with |- Rf ?fs ?env ?P _ =>
  lazymatch P with
  | True => eapply rf_true
  | False => eapply rf_false
  | _ /\ _ => eapply rf_and; reify
  | _ \/ _ => eapply rf_or; reify
  | _ <-> _ => eapply rf_iff; reify
  | ~ _ => eapply rf_not; reify
  | is_true ?b => reify_as (iff_refl (b = true))
  | match ?n with O => ?Q | S m => @?R m end => reify_as (match_nat n Q R)
  | (if ?c then _ else _) => let t := type of c in
      lazymatch t with bool => eapply rf_if; reify | sumbool _ _ => eapply rf_sumbool; reify end
  | Z.le _ _ => eapply rf_le; reify
  | Z.lt _ _ => eapply rf_lt; reify
  | Z.ge ?a ?b => reify_as (ge_le a b)
  | Z.gt ?a ?b => reify_as (gt_lt' a b)
  | Peano.le _ _ => eapply rf_le_nat; reify
  | Peano.lt _ _ => eapply rf_lt_nat; reify
  | Peano.ge ?a ?b => reify_as (ge_le_nat a b)
  | Peano.gt ?a ?b => reify_as (gt_lt_nat a b)
  | Z.divide ?a ?b => reify_as (divide_mod a b)
  | Nat.divide ?a ?b => reify_as (nat_divide_mod a b)
  | Z.Even ?a => reify_as (even_mod a)
  | Z.Odd ?a => reify_as (odd_mod a)
  | Nat.Even ?a => reify_as (nat_even_mod a)
  | Nat.Odd ?a => reify_as (nat_odd_mod a)
  | prime ?p => reify_as (prime_divisors p)
  | member ?x nil => reify_as (in_nil _ x)
  | member ?x (?y :: ?l) => reify_as (member_cons _ x y l)
  | member ?x (?l ++ ?m) => reify_as (member_app _ x l m)
  | member ?x (filter ?p ?l) => reify_as (member_filter _ p x l)
  | member ?x (rev ?l) => reify_as (member_rev _ x l)
  | In ?x nil => reify_as (in_nil _ x)
  | In ?x (?y :: ?l) => reify_as (in_cons _ x y l)
  | In ?x (?l ++ ?m) => reify_as (in_app_iff l m x)
  | In ?x (filter ?p ?l) => reify_as (in_filter _ p x l)
  | In (?x, ?y) ?l => reify_as (in_element _ (x, y) l)
  | In ?x ?l => match goal with
      | _ => let _ := match goal with _ => let U := type of x in coded U end in reify_as (in_element _ x l)
      | _ => reify_statement end
  | Forall ?Q ?l => reify_as (forall_element _ Q l)
  | Exists ?Q ?l => reify_as (exists_element _ Q l)
  | incl ?l ?m => reify_as (incl_element _ l m)
  | @Permutation Z ?l ?m => reify_as (permutation_count Z Z.eq_dec l m)
  | @Permutation nat ?l ?m => reify_as (permutation_count nat Nat.eq_dec l m)
  | @Permutation ascii ?l ?m => reify_as (permutation_count ascii ascii_dec l m)
  | NoDup ?l => reify_as (nodup_element _ l)
  | Sorted ?R ?l => first [ eapply rf_by; [ apply pairs_sorted; transitive | reify ] | reify_as (sorted_element _ R l) ]
  | StronglySorted ?R ?l => reify_as (strongly_sorted_element _ R l)
  | @eq ?T ?x ?y => first [ eapply rf_by; [ told_equation | cbv beta iota; reify ] | reify_equality T x y ]
  | ex (fun x : ?T => @?Q x) => lazymatch T with
      | option ?U => reify_as (ex_option U Q)
      | (?U * ?V)%type => reify_as (ex_pair U V Q)
      | unit => reify_as (ex_unit Q)
      | Z => first [ eapply rf_by; [ told_cut | cbv beta iota; reify ] | eapply rf_ex_Z; reify ]
      | _ => first [ eapply rf_by; [ told_cut | cbv beta iota; reify ] | tryif coded T then (eapply rf_ex; reify) else reify_statement ]
      end
  | ?A -> ?B => tryif is_proposition A then (eapply rf_imp; reify) else (tryif coded A then (eapply rf_all; reify) else reify_statement)
  | forall x : ?T, @?Q x => lazymatch T with
      | option ?U => reify_as (all_option U Q)
      | (?U * ?V)%type => reify_as (all_pair U V Q)
      | unit => reify_as (all_unit Q)
      | Z => first [ lazymatch P with
            | forall x, (count_occ ?e ?l x <= 1)%nat => reify_as (once_each Z e l) | forall x, (count_occ ?e ?l x < 2)%nat => reify_as (less_than_twice Z e l)
            | forall x, In x ?l -> count_occ ?e ?l x = 1%nat => reify_as (once_members Z e l) | forall x, In x ?l -> (count_occ ?e ?l x <= 1)%nat => reify_as (once_members' Z e l) end
          | eapply rf_all_Z; reify ]
      | nat => first
        [ next_to Q; eapply rf_by; [ eapply iff_trans; [ eapply nf_adjacent; [ | solve [read_adjacent] ]; transitive | apply pairs_strong ] | reify ]
        | next_members Q; eapply rf_by; [ eapply iff_trans; [ eapply nf_next; [ | solve [read_next] ]; transitive | apply pairs_strong ] | reify ]
        | eapply rf_all; reify ]
      | _ => tryif coded T then (eapply rf_all; reify) else reify_statement
      end
  | match ?o with Some x => @?Q x | None => ?R end => reify_as (match_option _ o Q R)
  | match ?p with (x, y) => @?Q x y end => reify_as (match_pair _ _ p Q)
  | _ => first [ told_statement | reify_statement ]
  end end
with reify_equality T x y := lazymatch T with
  | bool => lazymatch y with
      | true => reify_true x
      | false => reify_as (false_not x)
      | _ => lazymatch x with
          | true => reify_as (true_not y)
          | false => reify_as (eq_swap _ x y)
          | _ => reify_as (bools_same x y)
          end
      end
  | option ?U => lazymatch constr:((x, y)) with
      | (Some ?a, Some ?b) => reify_as (some_same U a b)
      | (Some ?a, None) => reify_as (some_none U a)
      | (None, Some ?a) => reify_as (none_some U a)
      | (None, None) => reify_as (none_none U)
      | (Some _, _) => reify_as (eq_swap T x y)
      | (None, _) => reify_as (eq_swap T x y)
      | (String.get ?n ?s, _) => rewrite (characters_get s n); reify
      | (hd_error ?l, _) => rewrite (hd_error_nth _ l); reify
      | (nth_error ?l ?n, Some (?a, ?b)) => reify_as (nth_error_pairs _ _ l n a b)
      | (nth_error ?l ?n, Some _) => eapply rf_nth_error; reify
      | (nth_error ?l ?n, None) => reify_as (nth_error_none U l n)
      | (_, String.get ?n ?s) => rewrite (characters_get s n); reify
      | (?o, Some ?a) => reify_as (is_some_so U o a)
      | (?o, None) => reify_as (is_none_so U o)
      | _ => reify_as (same_options U x y)
      end
  | (?U * ?V)%type => lazymatch constr:((x, y)) with (pair ?a ?b, pair ?c ?d) => reify_as (pair_same U V a c b d) | _ => reify_as (pairs_same U V x y) end
  | list ?U => lazymatch constr:((x, y)) with
      | (_ :: _, nil) => reify_as (cons_not_nil U x)
      | (_, nil) => tryif coded U then reify_as (not_nil U x) else reify_statement
      | (?a :: ?l, ?b :: ?m) => reify_as (cons_same U a b l m)
      | (filter ?p ?l, filter ?q ?l) => reify_as (filters_same U p q l)
      | (nil, _) => reify_as (eq_swap T x y)
      | _ => tryif (is_var y; assert_fails (is_var x)) then reify_as (eq_swap T x y) else (eapply rf_equal_lists; reify)
      end
  | string => reify_as (characters_equal x y)
  | unit => destruct x, y; reify_as (conj (fun _ => I) (fun _ : True => eq_refl tt))
  | _ => tryif coded T then (eapply rf_equal; reify) else reify_statement
  end
with reify_true b := lazymatch b with
  | match ?n with O => ?c | S m => @?d m end => reify_as (match_nat_true n c d)
  | andb ?c ?d => reify_as (andb_true_iff c d)
  | orb ?c ?d => reify_as (orb_true_iff c d)
  | negb ?c => reify_as (negb_not c)
  | forallb ?p ?l => reify_as (forallb_element _ p l)
  | existsb ?p ?l => reify_as (existsb_element _ p l)
  | String.eqb ?s ?t => reify_as (String.eqb_eq s t)
  | String.prefix ?s ?t => eapply rf_by; [ apply (prefix_characters s t) | reify ]
  | Bool.eqb ?c ?d => reify_as (eqb_true_iff c d)
  | (if ?c then _ else _) => let t := type of c in
      lazymatch t with bool => eapply rf_bool_if; reify | _ => eapply rf_test; reify end
  | implb ?c ?d => reify_as (implb_true c d)
  | match ?o with Some x => @?c x | None => ?d end => reify_as (match_true _ o c d)
  | let (x, y) := ?p in @?c x y => reify_as (match_pair_true _ _ p c)
  | _ => first [ told_statement | eapply rf_test; reify ]
  end.

Ltac close l := lazymatch l with
  | _ :: ?r => close r
  | ?r => first [unify r (@nil Z) | unify r (@nil (list Z -> Z)) | unify r (@nil (list Z -> Prop))]
  end.
Ltac know_functions fs j := lazymatch fs with
  | (?a, _) => know_functions a j
  | @elements Z _ _ :: ?r => know_functions r (S j)
  | @elements _ _ ?l :: ?r => eapply knows_and; [eapply (knows_elements _ _ j l); reflexivity | know_functions r (S j)]
  | @call1 _ Z _ _ _ :: ?r => know_functions r (S j)
  | call1 ?g :: ?r => eapply knows_and; [eapply (knows_call1 _ _ j g); reflexivity | know_functions r (S j)]
  | @call2 _ _ Z _ _ _ _ :: ?r => know_functions r (S j)
  | call2 ?g :: ?r => eapply knows_and; [eapply (knows_call2 _ _ j g); reflexivity | know_functions r (S j)]
  | _ :: ?r => know_functions r (S j)
  | nil => apply knows_nothing
  end.
Ltac know fs env k := lazymatch env with
  | @code Z _ _ :: ?r => know fs r (S k)
  | code ?x :: ?r => eapply knows_and; [eapply (knows_value _ _ k x); reflexivity | know fs r (S k)]
  | Z.of_nat (length ?l) :: ?r => eapply knows_and; [eapply (knows_length _ _ _ k l); reflexivity | know fs r (S k)]
  | nil => know_functions fs O
  end.

(* A reader for [shown], whose variables are those of [env] and [fs]; other variables get a value of their type;
   natural numbers and lengths are cut where computing with them would take long. *)
Ltac replaced t x u := lazymatch eval pattern x in t with ?g _ => eval cbv beta in (g u) end.
Ltac decoded T := lazymatch T with nat => constr:(fun z => Z.to_nat (Z.min z 3000)) | _ => constr:(@decode T _) end.
Definition listed {T} (decoded : Z -> T) (length : Z) (at_ : list Z -> Z) : list T :=
  map (fun i => decoded (at_ [Z.of_nat i])) (seq 0 (Z.to_nat (Z.min length 100))).
Ltac place x l := lazymatch l with x :: _ => constr:(O) | _ :: ?r => let n := place x r in constr:(S n) end.
Ltac read_values t env fs k m h := lazymatch env with
  | code ?x :: ?r => let u := match goal with _ => let _ := match goal with _ => is_var x end in
        let T := type of x in let d := decoded T in replaced t x (d (nth k m 0)) | _ => t end in
      read_values u r fs (S k) m h
  | Z.of_nat (length ?l) :: ?r => let u := match goal with
      | _ => let j := place (elements l) fs in
             let items := lazymatch type of l with list ?T => let d := decoded T in constr:(listed d (nth k m 0) (nth j h (fun _ => 0))) end in
             lazymatch l with
             | characters ?s => let _ := match goal with _ => is_var s end in replaced t s (string_of_list_ascii items)
             | _ => let _ := match goal with _ => is_var l end in replaced t l items
             end
      | _ => t end in
      read_values u r fs (S k) m h
  | _ => t
  end.
Ltac read_others t := match goal with
  | x : ?T |- _ => let _ := lazymatch t with context [x] => idtac end in
      let u := lazymatch T with
        | Z => replaced t x 0 | nat => replaced t x O | bool => replaced t x false | ascii => replaced t x "000"%char
        | string => replaced t x EmptyString | list ?A => replaced t x (@nil A) | option ?A => replaced t x (@None A)
        end in read_others u
  | _ => t
  end.
Ltac remember_reader r shown fs env :=
  let reads := constr:(fun (m : values) (h : calls) =>
    ltac:(let t := read_values shown env fs O m h in let u := read_others t in exact u)) in
  unify r [reads].

(* The goal's unknown functions and predicates are two lists with open ends. *)
Ltac reify_open := lazymatch goal with |- Rf ?fs _ _ _ =>
  let a := open_constr:(_ : list (list Z -> Z)) in let b := open_constr:(_ : list (list Z -> Prop)) in unify fs (a, b) end; reify.
Ltac close_open noted :=
  lazymatch goal with |- denote (?a, ?b) ?env _ => close a; close b; close env end;
  lazymatch goal with |- denote (?a, ?b) ?env _ => noted a env; know (a, b) env O end.
(* Members are what occurs, where counts are compared. *)
Ltac count_facts e l := lazymatch goal with _ : done l 312%nat |- _ => fail | _ => idtac end; is_var l; assert (done l 312%nat) by exact I; eapply (under_fact _ _ _ _ (in_counted _ e l)).
Ltac counted_lists := match goal with
  | |- Under _ _ ?P => match P with
      | context [@Permutation Z ?l _] => count_facts Z.eq_dec l | context [@Permutation Z _ ?l] => count_facts Z.eq_dec l
      | context [@Permutation nat ?l _] => count_facts Nat.eq_dec l | context [@Permutation nat _ ?l] => count_facts Nat.eq_dec l
      | context [count_occ ?e ?l _] => count_facts e l end end.
Ltac with_counts := repeat counted_lists.
(* Whether a list is taken by its head somewhere. *)
Ltac taken_apart_at_head U P := assert_succeeds (assert (list U -> True) by (let l := fresh in intro l; let b := eval cbv beta in (P l) in match b with context [match l with nil => _ | cons _ _ => _ end] => exact I end)).
Ltac reduce := lazymatch goal with
  | |- Under _ _ (forall x : ?T, @?P x) => lazymatch T with
      | option ?U => eapply (under_by _ _ _ _ (all_option U P)); cbv beta iota; reduce
      | (?U * ?V)%type => eapply (under_by _ _ _ _ (all_pair U V P)); cbv beta iota; reduce
      | unit => eapply (under_by _ _ _ _ (all_unit P)); cbv beta iota; reduce
      | list ?U => first [ taken_apart_at_head U P; eapply (under_by _ _ _ _ (all_list U P)); cbv beta iota; reduce | eapply under_all; intro; reduce ]
      | _ => eapply under_all; intro; reduce
      end
  | |- Under _ _ (_ /\ _) => eapply under_and; reduce
  | |- Under ?r ?f (About ?shown ?P) => change (Under r f P); leaf ltac:(fun fs env => first [remember_reader r shown fs env | unify r (@nil reader)])
  | |- Under ?r _ _ => leaf ltac:(fun fs env => unify r (@nil reader))
  end
with leaf noted := first [ kept_alike noted | asked_leaf noted ]
with kept_alike noted := match goal with |- Under _ _ (?r = ?a <-> ?r = ?b) => is_var r; first
    [ eapply under_kept; [ told_or_same | told_or_same | ] | eapply under_kept_count; [ told_or_same | told_or_same | ]
    | eapply under_kept_count_Z; [ told_or_same | told_or_same | ] | eapply under_found; [ told_or_same | told_or_same | ] ] end; cbv beta; asked_leaf noted
with told_or_same := first [ reflexivity | told_value ]
with asked_leaf noted := cbn [fst snd]; terms; with_counts; value_facts; eapply under_leaf;
  [ reify_open | close_open noted ].

(** Where the arguments can be shown, what is left of the statement is marked with their texts; redefined for each pair. *)
Ltac show_arguments := idtac.
(** Proves [sigT (fun readers => sig (fun f => valid f -> statement))] for the pair at hand. *)
Ltac reduce_statement := let readers := open_constr:(_ : list reader) in exists readers; eexists;
  lazymatch goal with |- valid ?f -> ?P => change (Under readers f P) end;
  assert (done tt 311%nat) by exact I; try show_arguments; unfold_pair; reduce.
