(** Folds: a function that recurses along a list or a text is a fold, a loop whose steps commute is a fold from the right,
    and two folds over one list are equal by one induction. Folds that a function of the library computes are read as that
    function, and a call that is matched on is taken by the cases of what it returns. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Views.
Import ListNotations.
Local Open Scope Z_scope.
Local Notation letters := list_ascii_of_string.

(** * Recursive functions as folds *)
Lemma folded A B (g : list A -> B) F : (forall x m, g (x :: m) = F x (g m)) -> forall l, g l = fold_right F (g []) l.
Proof. intros h l. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma text_folded B (g : string -> B) F : (forall x m, g (String x m) = F x (g m)) -> forall s, g s = fold_right F (g EmptyString) (letters s).
Proof. intros h s. induction s as [|x s IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma looped A B C (g : list A -> C -> B) S h : (forall x m c, g (x :: m) c = g m (S c x)) -> (forall c, g [] c = h c) -> forall l c, g l c = h (fold_left S l c).
Proof. intros s b l. induction l as [|x l IH]; intro c; simpl; [apply b|]. rewrite s. apply IH. Qed.
Lemma text_looped B C (g : string -> C -> B) S h : (forall x m c, g (String x m) c = g m (S c x)) -> (forall c, g EmptyString c = h c) -> forall l c, g l c = h (fold_left S (letters l) c).
Proof. intros s b l. induction l as [|x l IH]; intro c; simpl; [apply b|]. rewrite s. apply IH. Qed.

Lemma zipped A B C (g : list A -> list B -> C) F e : (forall x y l m, g (x :: l) (y :: m) = F x y (g l m)) -> (forall m, g [] m = e) -> (forall x l, g (x :: l) [] = e) ->
  forall l m, g l m = fold_right (fun p => F (fst p) (snd p)) e (combine l m).
Proof. intros s a b l. induction l as [|x l IH]; intros [|y m]; simpl; [apply a|apply a|apply b|]. rewrite s, IH. reflexivity. Qed.
Lemma numbered B (g : nat -> B) F : (forall m, g (S m) = F m (g m)) -> forall n, g n = fold_left (fun a i => F i a) (seq 0 n) (g 0%nat).
Proof. intros h n. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, fold_left_app, <- IH. apply h. Qed.

(** * Loops as folds from the right *)
Lemma commuting A C (S : C -> A -> C) : (forall c x y, S (S c x) y = S (S c y) x) -> forall l c, fold_left S l c = fold_right (fun x a => S a x) c l.
Proof.
  intros h l. assert (k : forall l c x, fold_left S l (S c x) = S (fold_left S l c) x).
  { clear l. intro l. induction l as [|y l IH]; intros c x; simpl; [reflexivity|]. rewrite h. apply IH. }
  induction l as [|x l IH]; intro c; simpl; [reflexivity|]. rewrite k, IH. reflexivity.
Qed.
Lemma appending A T (S : list T -> A -> list T) : (forall c x, S c x = c ++ S [] x) -> forall l c, fold_left S l c = c ++ fold_right (fun x a => S [] x ++ a) [] l.
Proof.
  intros h l. induction l as [|x l IH]; intro c; simpl; [rewrite app_nil_r; reflexivity|]. rewrite IH, h, <- app_assoc. reflexivity.
Qed.
Lemma prepending A T (S : list T -> A -> list T) : (forall c x, S c x = S [] x ++ c) -> forall l c, fold_left S l c = fold_right (fun x a => a ++ S [] x) [] l ++ c.
Proof.
  intros h l. induction l as [|x l IH]; intro c; simpl; [reflexivity|]. rewrite IH, h, <- app_assoc. reflexivity.
Qed.
Lemma text_appending A (S : string -> A -> string) : (forall c x, S c x = append c (S EmptyString x)) -> forall l c, fold_left S l c = append c (fold_right (fun x a => append (S EmptyString x) a) EmptyString l).
Proof.
  intros h l. induction l as [|x l IH]; intro c; simpl; [rewrite append_empty; reflexivity|]. rewrite IH, h, append_assoc. reflexivity.
Qed.
Lemma text_prepending A (S : string -> A -> string) : (forall c x, S c x = append (S EmptyString x) c) -> forall l c, fold_left S l c = append (fold_right (fun x a => append a (S EmptyString x)) EmptyString l) c.
Proof.
  intros h l. induction l as [|x l IH]; intro c; simpl; [reflexivity|]. rewrite IH, h, append_assoc. reflexivity.
Qed.

(** * Functions of the library as folds *)
Lemma fold_filter A B p (F : A -> B -> B) b l : fold_right F b (filter p l) = fold_right (fun x a => if p x then F x a else a) b l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite <- IH. destruct (p x); reflexivity. Qed.
Lemma fold_rev A B (F : A -> B -> B) b l : fold_right F b (rev l) = fold_left (fun a x => F x a) l b.
Proof. rewrite <- fold_left_rev_right. reflexivity. Qed.
Lemma left_rev A B (S : B -> A -> B) b l : fold_left S (rev l) b = fold_right (fun x a => S a x) b l.
Proof. symmetry. rewrite <- (rev_involutive l) at 1. rewrite fold_left_rev_right. reflexivity. Qed.
Lemma fold_length A (l : list A) : length l = fold_right (fun _ n => S n) 0%nat l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_map A B (f : A -> B) l : map f l = fold_right (fun x a => f x :: a) [] l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_filtered A p (l : list A) : filter p l = fold_right (fun x a => if p x then x :: a else a) [] l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma fold_forallb A p (l : list A) : forallb p l = fold_right (fun x a => p x && a) true l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_existsb A p (l : list A) : existsb p l = fold_right (fun x a => p x || a) false l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_find A p (l : list A) : find p l = fold_right (fun x a => if p x then Some x else a) None l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma fold_count A (e : forall x y : A, {x = y} + {x <> y}) l x : count_occ e l x = fold_right (fun y n => if e y x then S n else n) 0%nat l.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma fold_flat A B (f : A -> list B) l : flat_map f l = fold_right (fun x a => f x ++ a) [] l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_concat A (l : list (list A)) : concat l = fold_right (fun x a => x ++ a) [] l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_reversed A (l : list A) : rev l = fold_right (fun x a => a ++ [x]) [] l. Proof. induction l; simpl; congruence. Qed.
Lemma fold_remove A (e : forall x y : A, {x = y} + {x <> y}) x l : remove e x l = fold_right (fun y a => if e x y then a else y :: a) [] l.
Proof. induction l as [|y l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma fold_list_sum l : list_sum l = fold_right Nat.add 0%nat l. Proof. reflexivity. Qed.
Lemma fold_list_max l : list_max l = fold_right Nat.max 0%nat l. Proof. reflexivity. Qed.

(** * Reading *)
(* Letters and texts are told apart before all else, then conditions and what is matched on. *)
Ltac fold_cases := scan_cases ltac:(fun _ => match goal with
  | |- context [Ascii.eqb ?x ?y] => destruct (Ascii.eqb_spec x y) | |- context [String.eqb ?x ?y] => destruct (String.eqb_spec x y) end).
Ltac law := solve [intros; reflexivity | intros; cbn; fold_cases; reflexivity].
(* The arguments that the recursion goes on with, found through conditions. *)
Ltac next g m s := lazymatch s with
  | if ?b then ?p else ?q => let p' := next g m p in let q' := next g m q in constr:(if b then p' else q')
  | _ => let C := lazymatch type of g with _ -> ?C -> _ => C end in let e := open_constr:(_ : C) in let t := eval cbv beta in (g m e) in
      let _ := match goal with _ => unify s t end in e end.
Ltac next2 g m s := lazymatch s with
  | if ?b then ?p else ?q => let p' := next2 g m p in let q' := next2 g m q in constr:(if b then p' else q')
  | _ => lazymatch type of g with _ -> ?C -> ?D -> _ => let e := open_constr:(_ : C) in let d := open_constr:(_ : D) in let t := eval cbv beta in (g m e d) in
      let _ := match goal with _ => unify s t end in constr:((e, d)) end end.
Ltac rewrite_call h := cbv beta in h; cbn [fst snd] in h; rewrite h; clear h.
(* Lists and texts: the constructors, and the law. *)
Ltac parts_of l k := lazymatch type of l with
  | list ?T => k T (list T) (@nil T) (@cons T) (@folded T) (@looped T)
  | string => k ascii string EmptyString String (@text_folded) (@text_looped) end.
Ltac step_of X L cons g := let x := fresh "x" in let m := fresh "m" in
  constr:(fun (x : X) (m : L) => ltac:(let s := eval cbn in (g (cons x m)) in let r := eval cbv beta in (g m) in lazymatch eval pattern r in s with ?q _ => exact q end)).
Ltac read_fold t l := lazymatch eval pattern l in t with ?g _ => let R := type of t in
  parts_of l ltac:(fun X L nil cons fold loop =>
    let F := step_of X L cons g in let x := fresh "x" in let G := eval cbv beta in (fun x => F x nil) in
    let h := fresh in assert (h := fold R g G ltac:(law) l); rewrite_call h) end.
Ltac loop_of X L nil cons C g := let d := fresh "d" in let x := fresh "x" in let m := fresh "m" in
  constr:(fun (d : C) (x : X) => ltac:(refine ((fun m : L => _) nil); let s := eval cbn in (g (cons x m) d) in let e := next g m s in let e := eval cbv beta in e in exact e)).
Ltac read_loop t l c := lazymatch eval pattern l, c in t with ?g _ _ => let R := type of t in let C := type of c in
  parts_of l ltac:(fun X L nil cons fold loop =>
    let S := loop_of X L nil cons C g in let S := eval cbv beta in S in
    let h := fresh in assert (h := loop R C g S (fun d => g nil d) ltac:(law) ltac:(intro; reflexivity) l c); rewrite_call h) end.
Ltac loop2_of X L nil cons C D g := let d := fresh "d" in let x := fresh "x" in let m := fresh "m" in let u := fresh "u" in let v := fresh "v" in
  constr:(fun (d : C * D) (x : X) => ltac:(refine ((fun m : L => _) nil); destruct d as [u v]; let s := eval cbn in (g (cons x m) u v) in let e := next2 g m s in let e := eval cbv beta in e in exact e)).
Ltac read_loop2 g l c d := let C := type of c in let D := type of d in let R := lazymatch type of g with _ -> _ -> _ -> ?R => R end in
  parts_of l ltac:(fun X L nil cons fold loop =>
    let S := loop2_of X L nil cons C D g in let S := eval cbv beta in S in
    let h := fresh in assert (h := loop R (C * D)%type (fun l p => g l (fst p) (snd p)) S (fun p => g nil (fst p) (snd p)) ltac:(intros ? ? []; law) ltac:(intros []; reflexivity) l (c, d)); rewrite_call h).
(* Two lists in step. *)
Ltac zip_of X Y g := let x := fresh "x" in let y := fresh "y" in let l := fresh "l" in let m := fresh "m" in
  let F := constr:(fun (x : X) (y : Y) (l : list X) (m : list Y) => ltac:(let s := eval cbn in (g (x :: l) (y :: m)) in let r := eval cbv beta in (g l m) in lazymatch eval pattern r in s with ?q _ => exact q end)) in
  let G := eval cbv beta in (fun x y => F x y nil nil) in G.
Ltac read_zip t l m := lazymatch type of l with list ?X => lazymatch type of m with list ?Y => lazymatch eval pattern l, m in t with ?g _ _ => let R := type of t in
  let F := zip_of X Y g in let e := eval cbn in (g nil nil) in
  let h := fresh in assert (h := zipped X Y R g F e ltac:(law) ltac:(intros []; reflexivity) ltac:(intros; reflexivity) l m); rewrite_call h end end end.
(* A number counts the steps. *)
Ltac read_number t n := lazymatch eval pattern n in t with ?g _ => let R := type of t in let m := fresh "m" in
  let F := constr:(fun m : nat => ltac:(let s := eval cbn in (g (S m)) in let r := eval cbv beta in (g m) in lazymatch eval pattern r in s with ?q _ => exact q end)) in
  let _ := lazymatch F with fun i a => @?b i => fail | _ => idtac end in (* what goes on with another value is no count *)
  let h := fresh in assert (h := numbered R g F ltac:(intro; reflexivity) n); rewrite_call h end.
(* Recursive functions first; a base that reduces is reduced. *)
Ltac reduce_base := cbn [fold_right fold_left]; cbv beta.
Ltac scans_of t k := arguments t ltac:(fun l => lazymatch type of l with list _ => idtac | string => idtac end; k l).
Ltac read_call t := first [ arguments t ltac:(fun n => lazymatch type of n with nat => read_number t n end) | scans_of t ltac:(fun l => first
  [ read_fold t l
  | arguments t ltac:(fun m => tryif constr_eq l m then fail else (lazymatch type of m with list _ => read_zip t l m | _ => fail end))
  | arguments t ltac:(fun c => tryif constr_eq l c then fail else read_loop t l c)
  | lazymatch t with ?g l ?c ?d => read_loop2 g l c d | ?g ?c ?d l => read_loop2 (fun l c d => g c d l) l c d end ]) ].
Ltac read f := calls_of f ltac:(fun t => read_call t); cbn [f].
Ltac read_calls := for_recursive ltac:(fun f => repeat read f).
(* The laws of the steps of loops. *)
Ltac step_law := solve [intros; open_arguments; cbv beta iota; first [ reflexivity | lia | ring | (fold_cases; first [ reflexivity | lia | ring | (rewrite ?app_nil_r, ?append_empty, ?append_assoc, <- ?app_assoc; cbn; first [ reflexivity | congruence | (f_equal; lia) ]) | (f_equal; first [ lia | ring ]) ]) ]].
Ltac turn_loop := match goal with |- context [@fold_left ?C ?A ?S ?l ?c] => lazymatch C with
  | list ?T => first [ rewrite (appending A T S ltac:(step_law) l c) | rewrite (prepending A T S ltac:(step_law) l c) ]
  | string => first [ rewrite (text_appending A S ltac:(step_law) l c) | rewrite (text_prepending A S ltac:(step_law) l c) ]
  | _ => rewrite (commuting A C S ltac:(step_law) l c) end end; cbn [app append fst snd]; cbv beta.
Ltac library_folds := rewrite ?fold_forallb, ?fold_existsb, ?fold_find, ?fold_count, ?fold_flat, ?fold_concat, ?fold_list_sum, ?fold_list_max, ?fold_remove, ?fold_length, ?fold_map.
Ltac as_folds := unfold_pair; read_calls; unfold_pair; repeat first [ rewrite left_rev | rewrite fold_rev ]; repeat turn_loop; rewrite ?app_nil_r, ?append_empty;
  rewrite <- ?seq_shift; rewrite ?fold_right_of_map, ?fold_filter; library_folds; repeat first [ rewrite fold_right_of_map | rewrite fold_filter ]; rewrite ?fold_filtered, ?fold_reversed.
Ltac hide_folds l := repeat match goal with
  | |- context [fold_right ?F ?b l] => let z := fresh "z" in set (z := fold_right F b l) in *; clearbody z end.
Ltac parities := rewrite ?Nat.odd_succ, ?Nat.even_succ, ?Nat.odd_add, ?Nat.even_add, ?Z.odd_add, ?Z.even_add, ?Z.odd_mul, ?Z.even_mul, <- ?Nat.negb_odd, <- ?Z.negb_odd.
Ltac parity_leaf := lazymatch goal with |- @eq bool _ _ => idtac end; parities; repeat match goal with |- context [Z.odd ?a] => destruct (Z.odd a) | |- context [Nat.odd ?a] => destruct (Nat.odd a) | b : bool |- _ => destruct b end; cbn in *; first [ reflexivity | congruence ].
Ltac fold_leaf := cbn [app append negb andb orb fold_right]; first [ reflexivity | lia | congruence | ring | nia | (f_equal; first [ lia | congruence | ring ]) | parity_leaf ].
Ltac fold_step l := cbn [fold_right]; hide_folds l; open_arguments; cbv beta iota in *; cbn [fst snd] in *;
  repeat match goal with H : (_, _) = (_, _) |- _ => injection H; clear H; intros end; first [ fold_leaf | (match goal with IH : ?z = _ |- _ => is_var z; subst z | IH : _ = ?z |- _ => is_var z; subst z | IH : _ = _ |- _ => rewrite IH | IH : _ = _ |- _ => rewrite <- IH end; first [ fold_leaf | (fold_cases; fold_leaf) ]) | (fold_cases; fold_leaf) ].
Ltac same_folds := first [ reflexivity | match goal with |- context [fold_right _ _ ?l] => generalize l; let m := fresh "l" in intro m; induction m as [|? m ?IH]; [ cbn [fold_right]; fold_leaf | fold_step m ] end ].
Ltac by_folds := solve [ start; same_results; as_folds; same_folds ].

(** * Folds as functions of the library *)
Lemma fold_same A B (F G : A -> B -> B) b l : (forall x a, F x a = G x a) -> fold_right F b l = fold_right G b l.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma all_fold A (F : A -> bool -> bool) b l : (forall x a, F x a = F x true && a) -> fold_right F b l = forallb (fun x => F x true) l && b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH, andb_assoc. reflexivity. Qed.
Lemma some_fold A (F : A -> bool -> bool) b l : (forall x a, F x a = F x false || a) -> fold_right F b l = existsb (fun x => F x false) l || b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH, orb_assoc. reflexivity. Qed.
Lemma kept_fold A (p : A -> bool) (F : A -> list A -> list A) b l : (forall x a, F x a = if p x then x :: a else a) -> fold_right F b l = filter p l ++ b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. destruct (p x); reflexivity. Qed.
Lemma mapped_fold A B (f : A -> B) (F : A -> list B -> list B) b l : (forall x a, F x a = f x :: a) -> fold_right F b l = map f l ++ b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma count_fold A (p : A -> bool) (F : A -> nat -> nat) b l : (forall x a, F x a = if p x then S a else a) -> fold_right F b l = (length (filter p l) + b)%nat.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. destruct (p x); reflexivity. Qed.
Lemma text_mapped A (f : A -> ascii) (F : A -> string -> string) b l : (forall x a, F x a = String (f x) a) -> fold_right F b l = append (string_of_list_ascii (map f l)) b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma text_kept (p : ascii -> bool) (F : ascii -> string -> string) b l : (forall x a, F x a = if p x then String x a else a) -> fold_right F b l = append (string_of_list_ascii (filter p l)) b.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. destruct (p x); reflexivity. Qed.
Lemma found_fold A (p : A -> bool) (F : A -> option A -> option A) l : (forall x a, F x a = if p x then Some x else a) -> fold_right F None l = find p l.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma optional_fold A (op : A -> A -> A) (F : A -> option A -> option A) l : (forall x y z, op x (op y z) = op y (op x z)) -> (forall x y, op x y = op y x) ->
  (forall x a, F x a = Some match a with None => x | Some m => op x m end) -> fold_right F None l = match l with [] => None | x :: t => Some (fold_right op x t) end.
Proof.
  intros c k h. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite h, IH. f_equal. destruct l as [|y l]; [reflexivity|]. clear IH. simpl.
  induction l as [|z l IH]; simpl; [apply k|]. rewrite c, IH, c. reflexivity.
Qed.
Ltac bool_law := solve [let x := fresh in let a := fresh in intros x a; cbv beta; destruct a; rewrite ?andb_true_r, ?andb_false_r, ?orb_true_r, ?orb_false_r; first [ reflexivity | (fold_cases; reflexivity) | lia ]].
Ltac condition_law := solve [let x := fresh in let a := fresh in intros x a; cbv beta; match goal with |- context [if ?b then _ else _] => destruct b end; cbn; first [ reflexivity | lia | congruence ]].
Ltac order_law := solve [let x := fresh in let a := fresh in intros x a; cbv beta; first [ lia | (fold_cases; lia) ]].
Ltac option_law := solve [let x := fresh in let a := fresh in intros x a; cbv beta; destruct a; first [ reflexivity | (f_equal; lia) | (fold_cases; first [ reflexivity | (f_equal; lia) ]) ]].
(* The condition on the element by which a step goes one way or the other. *)
Ltac with_condition F k := lazymatch F with
  | fun x a => if @?p x then _ else _ => first [ k p | k (fun x => negb (p x)) ]
  | fun x a => ((if @?p x then _ else _) + a)%nat => first [ k p | k (fun x => negb (p x)) ]
  | fun x a => (a + (if @?p x then _ else _))%nat => first [ k p | k (fun x => negb (p x)) ] end.
Ltac as_operation F b l ops := let rec go ops := lazymatch ops with
    | (?o, ?rest) => first [ (tryif constr_eq F o then fail 1 else rewrite (fold_same _ _ F o b l ltac:(order_law))) | go rest ] end in go ops.
Ltac to_library := repeat (match goal with
  | |- context [@fold_right ?B ?A ?F ?b ?l] => match B with
    | bool => lazymatch b with
      | true => first [ lazymatch F with fun x a => @?p x && a => change (fold_right F true l) with (fold_right (fun x a => p x && a) true l); rewrite <- (fold_forallb A p l) end | rewrite (all_fold A F b l ltac:(bool_law)), andb_true_r ]
      | false => first [ lazymatch F with fun x a => @?p x || a => rewrite <- (fold_existsb A p l) end | rewrite (some_fold A F b l ltac:(bool_law)), orb_false_r ] end
    | nat => lazymatch A with nat => as_operation F b l (Nat.add, (Nat.max, (Nat.min, tt))) | _ => fail end
    | nat => with_condition F ltac:(fun p => rewrite (count_fold A p F b l ltac:(condition_law)))
    | Z => lazymatch A with Z => as_operation F b l (Z.add, (Z.max, (Z.min, (Z.mul, tt)))) | _ => fail end
    | option A => with_condition F ltac:(fun p => rewrite (found_fold A p F l ltac:(condition_law)))
    | option Z => first [ rewrite (optional_fold Z Z.max F l ltac:(intros; lia) ltac:(intros; lia) ltac:(option_law)) | rewrite (optional_fold Z Z.min F l ltac:(intros; lia) ltac:(intros; lia) ltac:(option_law)) ]
    | option nat => first [ rewrite (optional_fold nat Nat.max F l ltac:(intros; lia) ltac:(intros; lia) ltac:(option_law)) | rewrite (optional_fold nat Nat.min F l ltac:(intros; lia) ltac:(intros; lia) ltac:(option_law)) ]
    | string => lazymatch F with fun x a => String (@?f x) a => rewrite (text_mapped A f F b l ltac:(reflexivity)), append_empty end
    | string => lazymatch A with ascii => with_condition F ltac:(fun p => rewrite (text_kept p F b l ltac:(condition_law)), append_empty) end
    | list A => with_condition F ltac:(fun p => rewrite (kept_fold A p F b l ltac:(condition_law)), app_nil_r)
    | list ?C => lazymatch F with fun x a => @?f x :: a => rewrite (mapped_fold A C f F b l ltac:(reflexivity)), app_nil_r end end end; cbv beta).
Ltac as_library := unfold_pair; read_calls; unfold_pair; repeat turn_loop; rewrite ?app_nil_r, ?append_empty; to_library; cbv beta; rewrite ?Nat.add_0_r.
Ltac read_leaf := first [ quick | by_ground | by_normal_heads | by_multiplicity | by_index ].
Ltac list_matches := repeat (match goal with
  | |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l; destruct l end; cbv beta iota).
Ltac by_readings := solve [ start; without_output; progress (as_library; list_matches); read_leaf ].

(** * What is returned: cases of the call, then what is said of each result *)
Lemma let_pair A B (p : A * B) (P : A -> B -> Prop) : (let (x, y) := p in P x y) <-> P (fst p) (snd p). Proof. destruct p; reflexivity. Qed.
Ltac return_leaf := first [ quick | plain | solve [intuition (first [ congruence | lia ])] | solve [booleans_to_props; first [ plain | solve [intuition (first [ congruence | lia ])] | both_ground 1%nat ]] ].
Ltac by_returns := solve [ start; rewrite ?let_pair; fold_cases; try heads; cbn [fst snd]; return_leaf ].
