(** Functions as values of the refuter: finitely many exceptions to a simple function.

    A function cannot be searched, shown or compared, but its code can. Nothing here has to be complete, and nothing of
    it is trusted: the theorem of a refutation is stated with the text of the function, which Rocq reads again. *)
From Coq Require Import String Ascii ZArith NArith Bool Arith List Lia.
From Truespec Require Export Data.
Import ListNotations.
Local Open Scope Z_scope.

(** * Arguments *)
(** All arguments of a function at once; a type of its own, since an argument may be a pair. *)
Record also (A B : Type) := Also { first : A; others : B }.
Arguments Also {A B}. Arguments first {A B}. Arguments others {A B}.

Local Open Scope string_scope.
(** What a function may be told apart at: [test] decides it, [asked] is its text. *)
Class Key (A : Type) := { keys : fuel -> list A; test : A -> A -> bool; asked : list string -> A -> string }.
Definition ask (name : string) (names : list string) (shown : string) : string :=
  match names with x :: _ => "(" ++ name ++ " " ++ x ++ " " ++ shown ++ ")" | [] => "" end.
#[export] Instance key_Z : Key Z :=
  {| keys := sample Z; test := Z.eqb; asked := fun names v => ask "Coq.ZArith.BinInt.Z.eqb" names (show v) |}.
#[export] Instance key_nat : Key nat :=
  {| keys := sample nat; test := Nat.eqb; asked := fun names v => ask "Coq.Init.Nat.eqb" names (show v) |}.
#[export] Instance key_bool : Key bool :=
  {| keys := sample bool; test := Bool.eqb; asked := fun names v => ask "Coq.Bool.Bool.eqb" names (show v) |}.
#[export] Instance key_string : Key string :=
  {| keys := sample string; test := String.eqb; asked := fun names v => ask "Coq.Strings.String.eqb" names (show v) |}.
#[export] Instance key_ascii : Key ascii :=
  {| keys := sample ascii; test := Ascii.eqb; asked := fun names v => ask "Coq.Strings.Ascii.eqb" names (show v) |}.
#[export] Instance key_any A `{Sample A} `{EqDec A} `{Show A} : Key A | 50 :=
  {| keys := sample A; test := fun x y => if eqdec x y then true else false;
     asked := fun names v => ask "Truespec.Sample.eqdec" names (show v) |}.
#[export] Instance key_also A B `{Key A} `{Key B} : Key (also A B) :=
  {| keys := fun f => map (fun p => Also (fst p) (snd p)) (list_prod (firstn 4 (keys f)) (firstn 4 (keys f)));
     test := fun x y => test (first x) (first y) && test (others x) (others y);
     asked := fun names v => "(Coq.Init.Datatypes.andb " ++ asked names (first v) ++ " " ++ asked (tl names) (others v) ++ ")" |}%bool.

(** [T] is the type of functions from [A], all arguments at once, to [B]. *)
Class Function (T A B : Type) := { call : (A -> B) -> T; apply : T -> A -> B; names : nat -> list string }.
Arguments call {T A B Function}. Arguments apply {T A B Function}. Arguments names {T A B Function}.
Definition name (n : nat) : string := "x" ++ show_number (N.of_nat n).
#[export] Instance function_more A T B C `{Function T B C} : Function (A -> T) (also A B) C | 1 :=
  {| call := fun f x => call (fun y => f (Also x y)); apply := fun g p => apply (g (first p)) (others p); names := fun n => name n :: names (S n) |}.
#[export] Instance function_one A B : Function (A -> B) A B | 2 := {| call := fun f => f; apply := fun g => g; names := fun n => [name n] |}.

(** * Codes *)
(** A function with its text, in terms of the names of its arguments. *)
Record rule (A B : Type) := Rule { run : A -> B; text : string }.
Arguments Rule {A B}. Arguments run {A B}. Arguments text {A B}.
Record table (A B : Type) := Table { entries : list (A * B); otherwise : rule A B }.
Arguments Table {A B}. Arguments entries {A B}. Arguments otherwise {A B}.
Fixpoint look {A B} `{Key A} (l : list (A * B)) (r : rule A B) (x : A) : B :=
  match l with [] => run r x | (a, b) :: t => if test x a then b else look t r x end.
Fixpoint show_cases {A B} `{Key A} `{Show B} (xs : list string) (l : list (A * B)) (r : string) : string :=
  match l with [] => r | (a, b) :: t => "if " ++ asked xs a ++ " then " ++ show b ++ " else " ++ show_cases xs t r end.
Definition lambda (xs : list string) (body : string) : string := "(fun " ++ String.concat " " xs ++ " => " ++ body ++ ")".
Definition show_table {A B} `{Key A} `{Show B} (xs : list string) (t : table A B) : string :=
  lambda xs (show_cases xs (entries t) (text (otherwise t))).

(** Simple functions, by type. *)
Class Rules (A B : Type) := rules : list (rule A B).
#[export] Instance rules_none A B : Rules A B | 100 := [].
#[export] Instance rules_Z_Z : Rules Z Z :=
  [Rule (fun x => x) "x1"; Rule Z.opp "(Coq.ZArith.BinInt.Z.opp x1)"; Rule Z.succ "(Coq.ZArith.BinInt.Z.succ x1)";
   Rule Z.abs "(Coq.ZArith.BinInt.Z.abs x1)"; Rule Z.double "(Coq.ZArith.BinInt.Z.double x1)"; Rule Z.pred "(Coq.ZArith.BinInt.Z.pred x1)";
   Rule Z.succ_double "(Coq.ZArith.BinInt.Z.succ_double x1)"; Rule (fun x => Z.mul x x) "(Coq.ZArith.BinInt.Z.mul x1 x1)"; Rule Z.div2 "(Coq.ZArith.BinInt.Z.div2 x1)"].
#[export] Instance rules_Z_bool : Rules Z bool :=
  [Rule (fun x => Z.ltb 0 x) "(Coq.ZArith.BinInt.Z.ltb 0%Z x1)"; Rule Z.even "(Coq.ZArith.BinInt.Z.even x1)";
   Rule (fun x => Z.ltb x 0) "(Coq.ZArith.BinInt.Z.ltb x1 0%Z)"; Rule Z.odd "(Coq.ZArith.BinInt.Z.odd x1)"].
#[export] Instance rules_nat_nat : Rules nat nat :=
  [Rule (fun x => x) "x1"; Rule S "(S x1)"; Rule Nat.pred "(Coq.Init.Nat.pred x1)"; Rule Nat.double "(Coq.Init.Nat.double x1)";
   Rule Nat.div2 "(Coq.Init.Nat.div2 x1)"].
#[export] Instance rules_nat_bool : Rules nat bool :=
  [Rule (fun x => Nat.ltb 0 x) "(Coq.Init.Nat.ltb 0%nat x1)"; Rule Nat.even "(Coq.Init.Nat.even x1)"; Rule Nat.odd "(Coq.Init.Nat.odd x1)"].
#[export] Instance rules_bool_bool : Rules bool bool := [Rule (fun x => x) "x1"; Rule negb "(Coq.Init.Datatypes.negb x1)"].
#[export] Instance rules_ZZ_Z : Rules (also Z Z) Z :=
  [Rule first "x1"; Rule others "x2"; Rule (fun p => Z.add (first p) (others p)) "(Coq.ZArith.BinInt.Z.add x1 x2)";
   Rule (fun p => Z.sub (first p) (others p)) "(Coq.ZArith.BinInt.Z.sub x1 x2)";
   Rule (fun p => Z.max (first p) (others p)) "(Coq.ZArith.BinInt.Z.max x1 x2)";
   Rule (fun p => Z.min (first p) (others p)) "(Coq.ZArith.BinInt.Z.min x1 x2)";
   Rule (fun p => Z.mul (first p) (others p)) "(Coq.ZArith.BinInt.Z.mul x1 x2)"].
#[export] Instance rules_ZZ_bool : Rules (also Z Z) bool :=
  [Rule (fun p => Z.leb (first p) (others p)) "(Coq.ZArith.BinInt.Z.leb x1 x2)"; Rule (fun p => Z.ltb (first p) (others p)) "(Coq.ZArith.BinInt.Z.ltb x1 x2)";
   Rule (fun p => Z.eqb (first p) (others p)) "(Coq.ZArith.BinInt.Z.eqb x1 x2)"; Rule (fun p => Z.leb (others p) (first p)) "(Coq.ZArith.BinInt.Z.leb x2 x1)"].
#[export] Instance rules_nn_nat : Rules (also nat nat) nat :=
  [Rule first "x1"; Rule others "x2"; Rule (fun p => Nat.add (first p) (others p)) "(Coq.Init.Nat.add x1 x2)";
   Rule (fun p => Nat.sub (first p) (others p)) "(Coq.Init.Nat.sub x1 x2)"; Rule (fun p => Nat.max (first p) (others p)) "(Coq.Init.Nat.max x1 x2)";
   Rule (fun p => Nat.min (first p) (others p)) "(Coq.Init.Nat.min x1 x2)"].
#[export] Instance rules_nn_bool : Rules (also nat nat) bool :=
  [Rule (fun p => Nat.leb (first p) (others p)) "(Coq.Init.Nat.leb x1 x2)"; Rule (fun p => Nat.ltb (first p) (others p)) "(Coq.Init.Nat.ltb x1 x2)";
   Rule (fun p => Nat.eqb (first p) (others p)) "(Coq.Init.Nat.eqb x1 x2)"].
#[export] Instance rules_list_nat A : Rules (list A) nat := [Rule (@length A) "(Coq.Init.Datatypes.length x1)"].
#[export] Instance rules_list_Z : Rules (list Z) Z :=
  [Rule (fun l => Z.of_nat (length l)) "(Coq.ZArith.BinInt.Z.of_nat (Coq.Init.Datatypes.length x1))"; Rule (hd 0) "(Coq.Lists.List.hd 0%Z x1)";
   Rule (fold_right Z.add 0) "(Coq.Lists.List.fold_right Coq.ZArith.BinInt.Z.add 0%Z x1)"].
#[export] Instance rules_list_list A : Rules (list A) (list A) :=
  [Rule (fun l => l) "x1"; Rule (@rev A) "(Coq.Lists.List.rev x1)"; Rule (@tl A) "(Coq.Lists.List.tl x1)"].
#[export] Instance rules_list_option A : Rules (list A) (option A) := [Rule (@hd_error A) "(Coq.Lists.List.hd_error x1)"].
#[export] Instance rules_option A : Rules A (option A) | 50 := [Rule Some "(Some x1)"].

(** The values a function is built from: few, so that functions do not crowd out the other arguments. *)
Definition smaller (k : nat) (f : fuel) : fuel := {| size := k; ints := firstn (S k) (ints f); texts := firstn (S k) (texts f); chars := firstn (S k) (chars f) |}.
Definition constants {A B} `{Sample B} `{Show B} (f : fuel) : list (rule A B) :=
  map (fun b => Rule (fun _ => b) (show b)) (sample B (few f)).
Definition exceptions {A B} `{Key A} `{EqDec B} `{Sample B} (f : fuel) (n : nat) (t : table A B) : list (table A B) :=
  let results := firstn (S n) (sample B (smaller n f)) in
  flat_map (fun a => let here := look (entries t) (otherwise t) a in
    map (fun b => Table ((a, b) :: entries t) (otherwise t)) (filter (fun b => if eqdec b here then false else true) results))
    (firstn (1 + 2 * n) (filter (fun a => forallb (fun e => negb (test a (fst e))) (entries t)) (keys (smaller n f)))).
Definition tables {A B} `{Key A} `{EqDec B} `{Sample B} `{Show B} `{Rules A B} (f : fuel) : list (table A B) :=
  let n := size f in
  let plain := map (Table []) (firstn (2 + 2 * n) (interleave rules (constants f))) in
  let one := flat_map (exceptions f n) (firstn (S n) plain) in
  (plain ++ one ++ flat_map (exceptions f (Nat.div2 n)) (firstn (2 * n) one))%list.

(** What stands for the values of a type in the search. *)
Class Coded (T : Type) := { code : Type; value : code -> T; codes : fuel -> list code; shown : code -> string }.
Arguments code T {Coded}.
#[export] Instance coded_function T A B `{Function T A B} `{Key A} `{Sample B} `{EqDec B} `{Show B} `{Rules A B} : Coded T | 5 :=
  {| code := table A B; value := fun t => call (look (entries t) (otherwise t)); codes := tables; shown := show_table (names 1) |}.
(* Where arguments cannot be compared, as functions cannot, the same value everywhere. *)
#[export] Instance coded_constant T A B `{Function T A B} `{Sample B} `{Show B} : Coded T | 6 :=
  {| code := B; value := fun b => call (fun _ => b); codes := fun f => sample B (few f); shown := fun b => lambda (names 1) (show b) |}.
#[export] Instance coded_plain T `{Sample T} `{Show T} : Coded T | 2 :=
  {| code := T; value := fun x => x; codes := sample T; shown := show |}.
#[export] Instance coded_list T `{Coded T} : Coded (list T) | 7 :=
  {| code := list (code T); value := map value; codes := fun f => mixed_words (codes (few f)) (Nat.min 3 (size f));
     shown := fix go l := match l with [] => "nil" | x :: t => "(cons " ++ shown x ++ " " ++ go t ++ ")" end |}.
#[export] Instance coded_option T `{Coded T} : Coded (option T) | 7 :=
  {| code := option (code T); value := option_map value; codes := fun f => None :: map Some (codes f);
     shown := fun o => match o with None => "None" | Some x => "(Some " ++ shown x ++ ")" end |}.
#[export] Instance coded_prod T U `{Coded T} `{Coded U} : Coded (T * U) | 7 :=
  {| code := code T * code U; value := fun p => (value (fst p), value (snd p)); codes := fun f => list_prod (codes f) (codes f);
     shown := fun p => "(pair " ++ shown (fst p) ++ " " ++ shown (snd p) ++ ")" |}.
#[export] Instance sample_code T `{Coded T} : Sample (code T) | 0 := codes.
(* Quantifiers over functions inside a specification. *)
#[export] Instance sample_function T A B `{Function T A B} `{Key A} `{Sample B} `{EqDec B} `{Show B} `{Rules A B} : Sample T | 60 :=
  fun f => map (fun t => call (look (entries t) (otherwise t))) (tables (few f)).
