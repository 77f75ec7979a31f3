(** Formulas over the integers, as SMT solvers read them.

    This file and [smtlib.py] are what a verdict of the grade [smt] trusts beside the solver: [denote] says what a formula
    means, [show] writes it down, and [smtlib.py] prints what was written as SMT-LIB. That a pair's theorem follows from
    such a formula is proved by the kernel ([Reify.v]). *)
From Coq Require Import String Ascii ZArith Bool List DecimalString.
Import ListNotations.
Local Open Scope Z_scope.

Inductive operator := Plus | Minus | Times | Div | Mod | Min | Max.
Inductive comparison := Equal | AtMost | Below.

(** [Var n]: the [n]-th value of the environment, the innermost binder's first. [App f args]: the [f]-th function. *)
Inductive term :=
  | Var (n : nat)
  | Const (z : Z)
  | Op (o : operator) (a b : term)
  | Abs (a : term)
  | If (c : test) (a b : term)
  | App (f : nat) (args : list term)
with test :=
  | Bit (b : bool)
  | Compare (c : comparison) (a b : term)
  | Neg (c : test)
  | Both (c d : test)
  | Either (c d : test)
  | Same (c d : test).

(** [All] and [Ex] range over the integers. [Rel p args]: the [p]-th predicate. *)
Inductive formula :=
  | Is (c : test)
  | Rel (p : nat) (args : list term)
  | Not (f : formula)
  | And (f g : formula)
  | Or (f g : formula)
  | Imp (f g : formula)
  | Iff (f g : formula)
  | All (f : formula)
  | Ex (f : formula).

(** What is unknown: functions and predicates. *)
Definition functions := (list (list Z -> Z) * list (list Z -> Prop))%type.
Definition operate (o : operator) : Z -> Z -> Z :=
  match o with
  | Plus => Z.add | Minus => Z.sub | Times => Z.mul | Div => Z.div | Mod => Z.modulo | Min => Z.min | Max => Z.max
  end.
Definition compares (c : comparison) : Z -> Z -> bool :=
  match c with Equal => Z.eqb | AtMost => Z.leb | Below => Z.ltb end.

Fixpoint eval (fs : functions) (env : list Z) (t : term) : Z :=
  match t with
  | Var n => nth n env 0
  | Const z => z
  | Op o a b => operate o (eval fs env a) (eval fs env b)
  | Abs a => Z.abs (eval fs env a)
  | If c a b => if check fs env c then eval fs env a else eval fs env b
  | App f args => nth f (fst fs) (fun _ => 0) (map (eval fs env) args)
  end
with check (fs : functions) (env : list Z) (c : test) : bool :=
  match c with
  | Bit b => b
  | Compare o a b => compares o (eval fs env a) (eval fs env b)
  | Neg c => negb (check fs env c)
  | Both c d => check fs env c && check fs env d
  | Either c d => check fs env c || check fs env d
  | Same c d => Bool.eqb (check fs env c) (check fs env d)
  end.

Fixpoint denote (fs : functions) (env : list Z) (f : formula) : Prop :=
  match f with
  | Is c => check fs env c = true
  | Rel p args => nth p (snd fs) (fun _ => False) (map (eval fs env) args)
  | Not f => ~ denote fs env f
  | And f g => denote fs env f /\ denote fs env g
  | Or f g => denote fs env f \/ denote fs env g
  | Imp f g => denote fs env f -> denote fs env g
  | Iff f g => denote fs env f <-> denote fs env g
  | All f => forall z, denote fs (z :: env) f
  | Ex f => exists z, denote fs (z :: env) f
  end.

(** What a solver is asked: whether the formula holds whatever its free variables, functions and predicates are. *)
Definition valid (f : formula) : Prop := forall fs env, denote fs env f.

(** * The written form: constructors and their arguments in parentheses *)
Local Open Scope string_scope.
Definition show_nat (n : nat) : string := NilZero.string_of_uint (Nat.to_uint n).
Definition show_Z (z : Z) : string := NilZero.string_of_int (Z.to_int z).
Definition show_operator (o : operator) : string :=
  match o with
  | Plus => "Plus" | Minus => "Minus" | Times => "Times" | Div => "Div" | Mod => "Mod" | Min => "Min" | Max => "Max"
  end.
Definition show_comparison (c : comparison) : string := match c with Equal => "Equal" | AtMost => "AtMost" | Below => "Below" end.
Definition node (parts : list string) : string := "(" ++ String.concat " " parts ++ ")".

Fixpoint show_term (t : term) : string :=
  match t with
  | Var n => node ["Var"; show_nat n]
  | Const z => node ["Const"; show_Z z]
  | Op o a b => node [show_operator o; show_term a; show_term b]
  | Abs a => node ["Abs"; show_term a]
  | If c a b => node ["If"; show_test c; show_term a; show_term b]
  | App f args => node ("App" :: show_nat f :: map show_term args)
  end
with show_test (c : test) : string :=
  match c with
  | Bit b => node ["Bit"; if b then "true" else "false"]
  | Compare o a b => node [show_comparison o; show_term a; show_term b]
  | Neg c => node ["Not"; show_test c]
  | Both c d => node ["And"; show_test c; show_test d]
  | Either c d => node ["Or"; show_test c; show_test d]
  | Same c d => node ["Iff"; show_test c; show_test d]
  end.
Fixpoint show (f : formula) : string :=
  match f with
  | Is c => show_test c
  | Rel p args => node ("Rel" :: show_nat p :: map show_term args)
  | Not f => node ["Not"; show f]
  | And f g => node ["And"; show f; show g]
  | Or f g => node ["Or"; show f; show g]
  | Imp f g => node ["Imp"; show f; show g]
  | Iff f g => node ["Iff"; show f; show g]
  | All f => node ["All"; show f]
  | Ex f => node ["Ex"; show f]
  end.
