(** What the refuter needs of data types that the texts declare: samples, their syntax, what is finite.

    The instances themselves are stated for each pair ([datatypes.py]); they fold the constructors of a type, which are
    plain functions, over the classes below. *)
From Coq Require Import String ZArith Arith List.
From Truespec Require Export Search.
Import ListNotations.

(** [n] steps from [zero]: values of a recursive type by their depth. *)
Fixpoint iterate {X} (n : nat) (step : X -> X) (zero : X) : X := match n with O => zero | S m => step (iterate m step zero) end.

(** * Samples *)
(** The lists joined position by position. *)
Fixpoint merge {T} (l m : list (list T)) : list (list T) :=
  match l, m with x :: l, y :: m => (x ++ y)%list :: merge l m | [], _ => m | _, [] => l end.
(** Functions at arguments, those first that come early in both lists. *)
Fixpoint stripes {A C} (fs : list (A -> C)) (l : list A) : list (list C) :=
  match fs with [] => [] | g :: t => merge (map (fun x => [g x]) l) ([] :: stripes t l) end.
Definition both {A C} (cap : nat) (fs : list (A -> C)) (l : list A) : list C :=
  firstn cap (concat (stripes (firstn cap fs) (firstn cap l))).
(** How many values of each constructor there are, and how deep they are. *)
Definition most (f : fuel) : nat := (4 + 5 * size f * size f)%nat.
Definition depth (f : fuel) : nat := (2 + Nat.min 2 (Nat.div2 (size f)))%nat.
(** [build f l]: values of [T] from functions that end in [T]. *)
Class Build (C T : Type) := build : fuel -> list C -> list T.
#[export] Instance build_done T : Build T T | 1 := fun _ l => l.
#[export] Instance build_argument A C T `{Sample A} `{Build C T} : Build (A -> C) T | 2 :=
  fun f l => build f (both (most f) l (sample A f)).
(** The constructors take turns. *)
Definition in_turn {T} (l : list (list T)) : list T := concat (fold_right merge [] (map (map (fun x => [x])) l)).

(** * Syntax *)
Fixpoint written (parts : list string) : string :=
  match parts with [] => "" | [p] => p | p :: t => p ++ " " ++ written t end%string.
Definition shown_depth := 80%nat.

(** * Equality, and matches on values of these types *)
Ltac decide_data := decide equality; apply eqdec.
#[export] Hint Extern 6 (Semi (match ?x with _ => _ end)) => destruct x : typeclass_instances.

(** * Types with finitely many values *)
Class Finite (T : Type) := { members : list T; complete : forall x, In x members }.
Arguments members T {Finite}.
Lemma every_member {T} (l : list T) (P : T -> Prop) : (forall x, In x l) -> Within P l /\ Outside P l.
Proof. intro h. split; intros x i; [apply h | elim (i (h x))]. Qed.
#[export] Instance within_finite T `{Finite T} (P : T -> Prop) : Within P (members T) | 30 := proj1 (every_member _ P complete).
#[export] Instance outside_finite T `{Finite T} (P : T -> Prop) : Outside P (members T) | 30 := proj2 (every_member _ P complete).
#[export] Instance finite_bool : Finite bool.
Proof. refine (Build_Finite _ [true; false] _). intros []; simpl; auto. Defined.
#[export] Instance finite_option T `{Finite T} : Finite (option T).
Proof. refine (Build_Finite _ (None :: map Some (members T)) _). intros [x|]; simpl; auto. right. apply in_map, complete. Defined.
#[export] Instance finite_prod A B `{Finite A} `{Finite B} : Finite (A * B).
Proof. refine (Build_Finite _ (list_prod (members A) (members B)) _). intros [x y]. apply in_prod; apply complete. Defined.
