(** Pseudo-random values, for the search beyond the enumerated samples, and outputs that a specification fixes.

    A value is drawn from two numbers: one chooses the content, one the shape. The same content under different shapes
    gives lists that are equal, reversed, sorted or rotated copies of each other. *)
From Coq Require Import String Ascii ZArith NArith Bool Arith List.
From Truespec Require Export Calls.
Import ListNotations.
Local Open Scope N_scope.

Definition next (seed : N) : N := N.land (seed * 1103515245 + 12345) 2147483647.
(** A number below [n], from the high digits of a seed. *)
Definition below (n seed : N) : N := N.shiftr seed 8 mod (N.max 1 n).
Definition chosen {T} (d : T) (l : list T) (seed : N) : T := nth (N.to_nat (below (N.of_nat (length l)) seed)) l d.

Class Draw (T : Type) := draw : fuel -> N -> N -> T.

Definition draw_small (f : fuel) (seed : N) : Z := (Z.of_N (below (2 * N.of_nat (size f) + 1) seed) - Z.of_nat (size f))%Z.
Definition draw_number (f : fuel) (seed shape : N) : Z :=
  let s := draw_small f (next seed) in
  let way := below 10 (next shape) in
  match (if andb (Nat.leb (length (ints f)) 3) (N.ltb way 6) then 3%N else way) with
  | 8 => (10 ^ Z.of_N (below (1 + N.of_nat (Nat.div2 (size f))) seed) + s)%Z
  | 9 => Z.of_N (below (N.of_nat (size f) ^ 4) seed)
  | 0 | 1 => s
  | 2 => Z.abs s
  | 3 => (chosen s (ints f) seed)
  | 4 => (chosen s (ints f) seed + s)%Z
  | 5 => (chosen s (ints f) seed * s)%Z
  | 6 => (Z.of_N (below (10 * N.of_nat (size f) ^ 2) seed))
  | _ => (s * Z.of_N (below (10 * N.of_nat (size f)) seed))%Z
  end.
#[export] Instance draw_Z : Draw Z := draw_number.
#[export] Instance draw_nat : Draw nat := fun f seed shape =>
  let z := Z.abs (draw_number f seed shape) in
  if (z <? 40)%Z then Z.to_nat z else N.to_nat (below (N.of_nat (2 * size f) + 2) seed).
#[export] Instance draw_N : Draw N := fun f seed shape => Z.to_N (Z.abs (draw_number f seed shape)).
#[export] Instance draw_positive : Draw positive := fun f seed shape => Z.to_pos (Z.abs (draw_number f seed shape)).
#[export] Instance draw_bool : Draw bool := fun _ seed _ => N.testbit seed 20.
#[export] Instance draw_unit : Draw unit := fun _ _ _ => tt.
#[export] Instance draw_ascii : Draw ascii := fun f seed shape =>
  match below 4 shape with
  | 0 => ascii_of_N (32 + below 95 seed)
  | 1 => chosen "a"%char ["0"; "1"; "9"; "a"; "b"; "z"; "A"; "Z"; " "; "."; "("; ")"; "-"]%char seed
  | _ => chosen "a"%char (chars f) seed
  end.
#[export] Instance draw_prod A B `{Draw A} `{Draw B} : Draw (A * B) := fun f seed shape =>
  (draw f seed (next shape), draw f (if N.testbit shape 21 then seed else next (next seed)) (next (next shape + 7))).
#[export] Instance draw_option A `{Draw A} : Draw (option A) := fun f seed shape =>
  match below 6 shape with 0 => None | _ => Some (draw f seed (next shape)) end.
#[export] Instance draw_sum A B `{Draw A} `{Draw B} : Draw (A + B) := fun f seed shape =>
  if N.testbit shape 19 then inl (draw f seed (next shape)) else inr (draw f seed (next shape)).

Fixpoint draw_items {A} (item : N -> N -> A) (n : nat) (seed shape : N) : list A :=
  match n with O => [] | S m => item seed shape :: draw_items item m (next seed) (next (shape + 3)) end.
Fixpoint insert {A} (at_most : A -> A -> bool) (x : A) (l : list A) : list A :=
  match l with [] => [x] | y :: t => if at_most x y then x :: l else y :: insert at_most x t end.
Definition sorted {A} (at_most : A -> A -> bool) (l : list A) : list A := fold_right (insert at_most) [] l.
Definition narrow (n : nat) (f : fuel) : fuel := {| size := n; ints := ints f; texts := texts f; chars := chars f |}.
(** Up to [size] elements, of few or of many different values; as drawn, constant, mirrored, reversed, rotated, repeated. *)
#[export] Instance draw_list A `{Draw A} : Draw (list A) := fun f seed shape =>
  let n := N.to_nat (below (N.of_nat (size f) + 1) (next (seed + 11))) in
  let few_values := draw_items (fun s k => draw (narrow 3 f) s 0) 3 (next seed) 0 in
  let many_values := draw_items (draw f) n (next (next seed)) seed in
  let d := draw f seed 0 in
  let l := match below 4 (next (seed + 5)) with
           | 0 => many_values
           | _ => draw_items (fun s _ => chosen d few_values s) n (next seed) 0 end in
  match below 9 (next (shape + 1)) with
  | 8 => (repeat (chosen d few_values seed) n ++ repeat (chosen d few_values (next seed)) n)%list
  | 0 => rev l
  | 1 => repeat d n
  | 2 => (firstn (Nat.div2 (S n)) l ++ rev (firstn (Nat.div2 n) l))%list
  | 3 => (skipn 1 l ++ firstn 1 l)%list
  | 4 => (firstn (Nat.div2 n) l ++ firstn (Nat.div2 n) l)%list
  | _ => l
  end.
#[export] Instance draw_sorted : Draw (list Z) | 0 := fun f seed shape =>
  let l := draw_list Z f seed shape in
  match below 4 (next (shape + 2)) with
  | 0 => sorted Z.leb l | 1 => sorted Z.geb l | 2 => map (fun i => (hd 1 l + Z.of_nat i * hd 1 (tl l))%Z) (seq 0 (length l)) | _ => l end.
#[export] Instance draw_sorted_nat : Draw (list nat) | 0 := fun f seed shape =>
  let l := draw_list nat f seed shape in
  match below 4 (next (shape + 2)) with 0 => sorted Nat.leb l | 1 => seq (hd 0%nat l) (length l) | _ => l end.
#[export] Instance draw_string : Draw string := fun f seed shape =>
  match below 6 (next shape) with
  | 0 => (chosen "" (texts f) seed ++ chosen "" (texts f) (next seed))%string
  | _ => string_of_list_ascii (draw_list ascii f seed shape)
  end.

(** * Data types that the texts declare *)
(** [made f seed shape c]: a value of [T] from a function that ends in [T]. *)
Class Made (C T : Type) := made : C -> fuel -> N -> N -> T.
#[export] Instance made_done T : Made T T | 1 := fun c _ _ _ => c.
#[export] Instance made_argument A C T `{Draw A} `{Made C T} : Made (A -> C) T | 2 := fun c f seed shape =>
  made (c (draw f seed (next (shape + 1)))) f (next (seed + 5)) (next (shape + 3)).
(** One of several kinds of values. *)
Definition one_of {T} (d : fuel -> N -> N -> T) (l : list (fuel -> N -> N -> T)) : Draw T := fun f seed shape =>
  nth (N.to_nat (below (N.of_nat (length l)) (next (shape + 17)))) l d f (next seed) (next shape).
(** Values inside a value that has several of them are smaller. *)
Definition halved {T} (d : Draw T) : Draw T := fun f => d (narrow (Nat.div2 (size f)) f).
(** Some value of a type, of small depth. *)
Ltac some_value n := first [ exact (draw (Fuel 1 [] [] []) 0 0)
  | lazymatch n with S ?m => solve [constructor; some_value m] end ].

(** [n] tuples, of growing and shrinking size. *)
(* In every second one the same few numbers come again and again, so that what is compared is often equal. *)
Definition pooled (f : fuel) (seed : N) : fuel :=
  let one s := draw_number f s (s + 3) in
  {| size := size f; ints := [one seed; one (next seed); (one seed + 1)%Z]; texts := texts f; chars := chars f |}.
Fixpoint drawn (T : Type) `{Draw T} (f : fuel) (n : nat) (seed : N) : list T :=
  match n with
  | O => []
  | S m => let g := narrow (1 + Nat.modulo n (size f)) f in
           draw (if Nat.even n then g else pooled g seed) seed (next (next seed + 9)) :: drawn T f m (next (seed + N.of_nat n))
  end.
(** The same with every number of a range in turn as one of the arguments. *)
Definition swept (T : Type) `{Draw T} (f : fuel) (start n : nat) (seed : N) : list (nat * T) :=
  combine (seq start n) (drawn T f n seed).
(** The value of an argument that a specification asks for, read off from it as a predicate on that argument. *)
Ltac asked_for predicate := let t := constr:(answer predicate _ _) in
  let u := eval cbv beta iota zeta delta [answer orb andb negb] in t in exact u.
