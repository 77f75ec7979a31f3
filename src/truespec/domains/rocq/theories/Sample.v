(** Finite samples of a type, in a fixed order, and values written in Rocq's own syntax.

    Nothing here has to be complete: the refuter's soundness rests on [Semi] alone. *)
From Coq Require Import String Ascii ZArith NArith Bool Arith List.
Import ListNotations.
Local Open Scope Z_scope.

(** How far to look, and the literals of the two specifications. *)
Record fuel := Fuel { size : nat; ints : list Z; texts : list string; chars : list ascii }.

Class Sample (T : Type) := sample : fuel -> list T.
Arguments sample T {Sample}.

Class EqDec (T : Type) := eqdec : forall x y : T, {x = y} + {x <> y}.
#[export] Instance eq_Z : EqDec Z := Z.eq_dec.
#[export] Instance eq_N : EqDec N := N.eq_dec.
#[export] Instance eq_positive : EqDec positive := Pos.eq_dec.
#[export] Instance eq_nat : EqDec nat := Nat.eq_dec.
#[export] Instance eq_bool : EqDec bool := bool_dec.
#[export] Instance eq_ascii : EqDec ascii := ascii_dec.
#[export] Instance eq_string : EqDec string := string_dec.
#[export] Instance eq_unit : EqDec unit.
Proof. intros [] []; left; reflexivity. Defined.
#[export] Instance eq_comparison : EqDec comparison.
Proof. intros x y; decide equality. Defined.
#[export] Instance eq_list A `{EqDec A} : EqDec (list A) := list_eq_dec eqdec.
#[export] Instance eq_option A `{EqDec A} : EqDec (option A).
Proof. unfold EqDec in *; decide equality. Defined.
#[export] Instance eq_prod A B `{EqDec A} `{EqDec B} : EqDec (A * B).
Proof. unfold EqDec in *; decide equality. Defined.
#[export] Instance eq_sum A B `{EqDec A} `{EqDec B} : EqDec (A + B).
Proof. unfold EqDec in *; decide equality. Defined.
(* Types that the texts define themselves: enumerations and simple data. *)
#[export] Hint Extern 20 (EqDec _) => (let x := fresh in let y := fresh in intros x y; progress decide equality; solve [typeclasses eauto | apply eqdec]) : typeclass_instances.

Fixpoint remove_doubles {T} `{EqDec T} (seen l : list T) : list T :=
  match l with
  | [] => []
  | x :: t => if in_dec eqdec x seen then remove_doubles seen t else x :: remove_doubles (x :: seen) t
  end.
Definition distinct {T} `{EqDec T} (l : list T) : list T := remove_doubles [] l.

Fixpoint interleave {T} (l m : list T) : list T :=
  match l, m with x :: l, y :: m => x :: y :: interleave l m | [], _ => m | _, [] => l end.
Fixpoint around_zero (n : nat) : list Z :=
  match n with O => [0] | S m => (around_zero m ++ [Z.of_nat n; - Z.of_nat n])%list end.

#[export] Instance sample_bool : Sample bool := fun _ => [true; false].
#[export] Instance sample_unit : Sample unit := fun _ => [tt].
#[export] Instance sample_Z : Sample Z := fun f => distinct (interleave (around_zero (size f)) (ints f)).
#[export] Instance sample_nat : Sample nat :=
  fun f => distinct (seq 0 (S (2 * size f)) ++ map Z.to_nat (filter (fun z => (0 <=? z) && (z <? 200)) (ints f)))%list.
#[export] Instance sample_N : Sample N := fun f => map N.of_nat (sample nat f).
#[export] Instance sample_positive : Sample positive := fun f => distinct (map Pos.of_nat (sample nat f)).
#[export] Instance sample_ascii : Sample ascii :=
  fun f => distinct (chars f ++ firstn (size f) ["a"; "b"; "A"; "0"; " "; "z"; "Z"; "9"; "("; ")"; "-"; "e"]%char)%list.
#[export] Instance sample_prod A B `{Sample A} `{Sample B} : Sample (A * B) :=
  fun f => list_prod (sample A f) (sample B f).
#[export] Instance sample_option A `{Sample A} : Sample (option A) := fun f => None :: map Some (sample A f).
#[export] Instance sample_sum A B `{Sample A} `{Sample B} : Sample (A + B) :=
  fun f => (map inl (sample A f) ++ map inr (sample B f))%list.

Fixpoint words {A} (letters : list A) (n : nat) : list (list A) :=
  match n with
  | O => [[]]
  | S m => let shorter := words letters m in
           [] :: flat_map (fun l => map (fun x => x :: l) letters) shorter
  end.
(** Short lists over several letters, and longer ones over two. *)
Definition mixed_words {A} (letters : list A) (n : nat) : list (list A) :=
  let short := (1 + Nat.div2 n)%nat in
  (words (firstn (1 + 2 * n) letters) short
    ++ filter (fun w => Nat.ltb short (length w)) (words (firstn 2 letters) (2 + Nat.min 3 n)))%list.
Definition few (f : fuel) : fuel := {| size := 2; ints := firstn 3 (ints f); texts := firstn 2 (texts f); chars := firstn 4 (chars f) |}.
#[export] Instance sample_list A `{Sample A} : Sample (list A) := fun f => mixed_words (sample A (few f)) (size f).
#[export] Instance sample_string : Sample string :=
  fun f => (texts f ++ map string_of_list_ascii (mixed_words (sample ascii (few f)) (size f)) ++ ["YES"; "NO"; "abc"]%string)%list.

(** Values in Rocq's own syntax, with scopes written out, so that they can be read back anywhere. *)
Class Show (T : Type) := show : T -> string.
Local Open Scope string_scope.

Definition digit (n : nat) : string := String (ascii_of_nat (48 + n)) EmptyString.
Fixpoint decimal (steps : nat) (n : N) (rest : string) : string :=
  match steps with
  | O => rest
  | S m => let (q, r) := N.div_eucl n 10 in
           let here := digit (N.to_nat r) ++ rest in
           if N.eqb q 0 then here else decimal m q here
  end.
Definition show_number (n : N) : string := decimal (S (N.to_nat (N.log2 n))) n "".
#[export] Instance show_Z : Show Z :=
  fun z => match z with Zneg p => "(-" ++ show_number (Npos p) ++ ")%Z" | _ => show_number (Z.to_N z) ++ "%Z" end.
#[export] Instance show_nat : Show nat := fun n => show_number (N.of_nat n) ++ "%nat".
#[export] Instance show_N : Show N := fun n => show_number n ++ "%N".
#[export] Instance show_positive : Show positive := fun p => show_number (Npos p) ++ "%positive".
#[export] Instance show_bool : Show bool := fun b => if b then "true" else "false".
#[export] Instance show_unit : Show unit := fun _ => "tt".
Definition show_byte (c : ascii) : string :=
  let n := nat_of_ascii c in "(Coq.Strings.Ascii.ascii_of_nat " ++ show_number (N.of_nat n) ++ "%nat)".
#[export] Instance show_ascii : Show ascii := show_byte.
Fixpoint show_characters (s : string) : string :=
  match s with
  | EmptyString => "Coq.Strings.String.EmptyString"
  | String c t => "(Coq.Strings.String.String " ++ show_byte c ++ " " ++ show_characters t ++ ")"
  end.
#[export] Instance show_string : Show string := show_characters.
#[export] Instance show_option A `{Show A} : Show (option A) :=
  fun o => match o with None => "None" | Some x => "(Some " ++ show x ++ ")" end.
#[export] Instance show_prod A B `{Show A} `{Show B} : Show (A * B) :=
  fun p => "(pair " ++ show (fst p) ++ " " ++ show (snd p) ++ ")".
#[export] Instance show_sum A B `{Show A} `{Show B} : Show (A + B) :=
  fun s => match s with inl x => "(inl " ++ show x ++ ")" | inr y => "(inr " ++ show y ++ ")" end.
Fixpoint show_items {A} `{Show A} (l : list A) : string :=
  match l with [] => "nil" | x :: t => "(cons " ++ show x ++ " " ++ show_items t ++ ")" end.
#[export] Instance show_list A `{Show A} : Show (list A) := show_items.
