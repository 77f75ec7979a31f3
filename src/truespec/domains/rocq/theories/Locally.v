(** Recursive functions that tell a list, a text or a number by its parts of one or two members, read as statements on places.

    What a function says of a list of one member, or of two, often tells what it says of all: that it holds of each member, of
    some, of neighbours, of pairs. Whether it does is a law of its steps, proved by computation and cases without an induction;
    the inductions are those of the lemmas here. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List.
From Truespec Require Export Stepwise.
From Truespec Require Export Reify.
Import ListNotations.
Local Open Scope Z_scope.

(** * Lists *)
Section Members.
Variables (T : Type) (d : T) (G : list T -> Prop).
Lemma each_member : G [] -> (forall x t, G (x :: t) <-> G [x] /\ G t) -> forall l, G l <-> forall i, (i < length l)%nat -> G [nth i l d].
Proof.
  intros n s l. induction l as [|x l IH]; [split; [cbn; lia | auto]|]. rewrite s, IH. cbn [length]. split.
  - intros [a b] [|i] h; [exact a | apply b; lia].
  - intro h. split; [apply (h 0%nat); lia | intros i k; apply (h (S i)); lia].
Qed.
Lemma some_member : ~ G [] -> (forall x t, G (x :: t) <-> G [x] \/ G t) -> forall l, G l <-> exists i, (i < length l)%nat /\ G [nth i l d].
Proof.
  intros n s l. induction l as [|x l IH]; [split; [tauto | intros (i & h & _); cbn in h; lia]|]. rewrite s, IH. cbn [length]. split.
  - intros [a|(i & h & a)]; [exists 0%nat | exists (S i)]; (split; [lia | exact a]).
  - intros ([|i] & h & a); [left; exact a | right; exists i; split; [lia | exact a]].
Qed.
Lemma each_next : G [] -> (forall x, G [x]) -> (forall x y t, G (x :: y :: t) <-> G [x; y] /\ G (y :: t)) ->
  forall l, G l <-> forall i, (S i < length l)%nat -> G [nth i l d; nth (S i) l d].
Proof.
  intros n o s l. destruct l as [|x l]; [split; [cbn; lia | auto]|]. revert x. induction l as [|y l IH]; intro x; [split; [cbn; lia | auto]|].
  rewrite s, IH. cbn [length]. split.
  - intros [a b] [|i] h; [exact a | apply b; cbn; lia].
  - intro h. split; [apply (h 0%nat); lia | intros i k; apply (h (S i)); cbn in k; lia].
Qed.
Lemma some_next : ~ G [] -> (forall x, ~ G [x]) -> (forall x y t, G (x :: y :: t) <-> G [x; y] \/ G (y :: t)) ->
  forall l, G l <-> exists i, (S i < length l)%nat /\ G [nth i l d; nth (S i) l d].
Proof.
  intros n o s l. destruct l as [|x l]; [split; [tauto | intros (i & h & _); cbn in h; lia]|]. revert x. induction l as [|y l IH]; intro x.
  { split; [intro h; destruct (o x h) | intros (i & h & _); cbn in h; lia]. }
  rewrite s, IH. cbn [length]. split.
  - intros [a|(i & h & a)]; [exists 0%nat | exists (S i)]; (split; [cbn in *; lia | exact a]).
  - intros ([|i] & h & a); [left; exact a | right; exists i; split; [cbn; lia | exact a]].
Qed.
Lemma each_pair : G [] -> (forall x, G [x]) -> (forall x y t, G (x :: y :: t) <-> G [x; y] /\ G (x :: t) /\ G (y :: t)) ->
  forall l, G l <-> forall i j, (i < j)%nat -> (j < length l)%nat -> G [nth i l d; nth j l d].
Proof.
  intros n o s l. assert (c : forall t x, G (x :: t) <-> G t /\ forall j, (j < length t)%nat -> G [x; nth j t d]).
  { intro t. induction t as [|y t IH]; intro x; [cbn; split; [split; [exact n | lia] | auto]|]. rewrite s, IH. cbn [length]. split.
    - intros (a & (b & h) & k). split; [exact k|]. intros [|j] m; [exact a | apply h; lia].
    - intros (a & h). split; [apply (h 0%nat); lia|]. pose proof a as b. rewrite IH in b. split; [|exact a]. split; [tauto|]. intros j m. apply (h (S j)). lia. }
  induction l as [|x l IH]; [split; [cbn; lia | auto]|]. rewrite c, IH. cbn [length]. split.
  - intros (a & b) [|i] [|j] h k; try lia; [apply b; lia | apply a; lia].
  - intro h. split; [intros i j a b; apply (h (S i) (S j)); lia | intros j a; apply (h 0%nat (S j)); lia].
Qed.
Lemma some_pair : ~ G [] -> (forall x, ~ G [x]) -> (forall x y t, G (x :: y :: t) <-> G [x; y] \/ G (x :: t) \/ G (y :: t)) ->
  forall l, G l <-> exists i j, (i < j)%nat /\ (j < length l)%nat /\ G [nth i l d; nth j l d].
Proof.
  intros n o s l. assert (c : forall t x, G (x :: t) <-> G t \/ exists j, (j < length t)%nat /\ G [x; nth j t d]).
  { intro t. induction t as [|y t IH]; intro x; [split; [intro h; destruct (o x h) | intros [h|(j & h & _)]; [destruct (n h) | cbn in h; lia]]|].
    rewrite s, IH. cbn [length]. split.
    - intros [a|[[a|(j & h & a)]|a]]; [right; exists 0%nat; split; [lia | exact a] | left; rewrite IH; left; exact a | right; exists (S j); split; [lia | exact a] | left; exact a].
    - intros [a|([|j] & h & a)]; [right; right; exact a | left; exact a | right; left; right; exists j; split; [lia | exact a]]. }
  induction l as [|x l IH]; [split; [tauto | intros (i & j & _ & h & _); cbn in h; lia]|]. rewrite c, IH. cbn [length]. split.
  - intros [(i & j & h & k & a)|(j & h & a)]; [exists (S i), (S j) | exists 0%nat, (S j)]; (repeat split; [lia | lia | exact a]).
  - intros ([|i] & [|j] & h & k & a); try lia; [right; exists j | left; exists i, j]; repeat split; try lia; exact a.
Qed.
End Members.
(* Beside a number that counts down, or up. *)
Section Numbered.
Variables (T : Type) (d : T).
Lemma each_until (G : list T -> nat -> Prop) : (forall l, G l 0%nat) -> (forall n, G [] n) -> (forall x l n, G (x :: l) (S n) <-> G [x] 1%nat /\ G l n) ->
  forall l n, G l n <-> forall i, (i < n)%nat -> (i < length l)%nat -> G [nth i l d] 1%nat.
Proof.
  intros z e s l. induction l as [|x l IH]; intro n; [split; [cbn; lia | auto]|]. destruct n as [|n]; [split; [lia | auto]|].
  rewrite s, IH. cbn [length]. split.
  - intros [a b] [|i] h k; [exact a | apply b; lia].
  - intro h. split; [apply (h 0%nat); lia | intros i a b; apply (h (S i)); lia].
Qed.
Lemma each_numbered (G : list T -> nat -> Prop) : (forall n, G [] n) -> (forall x l n, G (x :: l) n <-> G [x] n /\ G l (S n)) ->
  forall l n, G l n <-> forall i, (i < length l)%nat -> G [nth i l d] (n + i)%nat.
Proof.
  intros e s l. induction l as [|x l IH]; intro n; [split; [cbn; lia | auto]|]. rewrite s, IH. cbn [length]. split.
  - intros [a b] [|i] h; [rewrite Nat.add_0_r; exact a | rewrite <- plus_n_Sm; apply b; lia].
  - intro h. split; [specialize (h 0%nat); rewrite Nat.add_0_r in h; apply h; lia | intros i k; specialize (h (S i)); rewrite <- plus_n_Sm in h; apply h; lia].
Qed.
Lemma each_numbered_Z (G : list T -> Z -> Prop) : (forall n, G [] n) -> (forall x l n, G (x :: l) n <-> G [x] n /\ G l (n + 1)) ->
  forall l n, G l n <-> forall i, (i < length l)%nat -> G [nth i l d] (n + Z.of_nat i).
Proof.
  intros e s l. induction l as [|x l IH]; intro n; [split; [cbn; lia | auto]|]. rewrite s, IH. cbn [length]. split.
  - intros [a b] [|i] h; [rewrite Z.add_0_r; exact a | replace (n + Z.of_nat (S i)) with (n + 1 + Z.of_nat i) by lia; apply b; lia].
  - intro h. split; [specialize (h 0%nat); rewrite Z.add_0_r in h; apply h; lia | intros i k; specialize (h (S i)); replace (n + Z.of_nat (S i)) with (n + 1 + Z.of_nat i) in h by lia; apply h; lia].
Qed.
End Numbered.
(* Two lists in step. *)
Section InStep.
Variables (T U : Type) (d : T) (e : U) (G : list T -> list U -> Prop).
Hypothesis s : forall x l y m, G (x :: l) (y :: m) <-> G [x] [y] /\ G l m.
Lemma same_length : G [] [] -> (forall y m, ~ G [] (y :: m)) -> (forall x l, ~ G (x :: l) []) ->
  forall l m, G l m <-> length l = length m /\ forall i, (i < length l)%nat -> G [nth i l d] [nth i m e].
Proof.
  intros n a b l. induction l as [|x l IH]; intros [|y m]; cbn [length].
  - split; [split; [reflexivity | lia] | auto].
  - split; [intro h; destruct (a _ _ h) | intros []; discriminate].
  - split; [intro h; destruct (b _ _ h) | intros []; discriminate].
  - rewrite s, IH. split.
    + intros (h & k & r). split; [lia|]. intros [|i] q; [exact h | apply r; lia].
    + intros (h & r). split; [apply (r 0%nat); lia|]. split; [lia|]. intros i q. apply (r (S i)). lia.
Qed.
Lemma at_start : (forall m, G [] m) -> (forall x l, ~ G (x :: l) []) ->
  forall l m, G l m <-> (length l <= length m)%nat /\ forall i, (i < length l)%nat -> G [nth i l d] [nth i m e].
Proof.
  intros n b l. induction l as [|x l IH]; intros m; [cbn; split; [split; lia | auto]|]. destruct m as [|y m]; cbn [length].
  - split; [intro h; destruct (b _ _ h) | lia].
  - rewrite s, IH. split.
    + intros (h & k & r). split; [lia|]. intros [|i] q; [exact h | apply r; lia].
    + intros (h & r). split; [apply (r 0%nat); lia|]. split; [lia|]. intros i q. apply (r (S i)). lia.
Qed.
Lemma where_both : (forall m, G [] m) -> (forall l, G l []) ->
  forall l m, G l m <-> forall i, (i < length l)%nat -> (i < length m)%nat -> G [nth i l d] [nth i m e].
Proof.
  intros n b l. induction l as [|x l IH]; intros m; [cbn; split; [lia | auto]|]. destruct m as [|y m]; cbn [length]; [split; [lia | auto]|].
  rewrite s, IH. split.
  - intros (h & r). intros [|i] q k; [exact h | apply r; lia].
  - intro r. split; [apply (r 0%nat); lia|]. intros i q k. apply (r (S i)); lia.
Qed.
End InStep.
(** * Numbers that count down *)
Lemma each_below (G P : nat -> Prop) : G 0%nat -> (forall n, G (S n) <-> P n /\ G n) -> forall n, G n <-> forall i, (i < n)%nat -> P i.
Proof.
  intros z s n. induction n as [|n IH]; [split; [lia | auto]|]. rewrite s, IH. split.
  - intros [a b] i h. destruct (Nat.eq_dec i n) as [->|]; [exact a | apply b; lia].
  - intro h. split; [apply h; lia | intros i k; apply h; lia].
Qed.
Lemma some_below (G P : nat -> Prop) : ~ G 0%nat -> (forall n, G (S n) <-> P n \/ G n) -> forall n, G n <-> exists i, (i < n)%nat /\ P i.
Proof.
  intros z s n. induction n as [|n IH]; [split; [tauto | intros (i & h & _); lia]|]. rewrite s, IH. split.
  - intros [a|(i & h & a)]; [exists n | exists i]; (split; [lia | exact a]).
  - intros (i & h & a). destruct (Nat.eq_dec i n) as [->|]; [left; exact a | right; exists i; split; [lia | exact a]].
Qed.
Lemma some_up_to (G P : nat -> Prop) : (G 0%nat <-> P 0%nat) -> (forall n, G (S n) <-> P (S n) \/ G n) -> forall n, G n <-> exists i, (i <= n)%nat /\ P i.
Proof.
  intros z s n. induction n as [|n IH]; [rewrite z; split; [intro h; exists 0%nat; auto | intros (i & h & a); replace i with 0%nat in a by lia; exact a]|]. rewrite s, IH. split.
  - intros [a|(i & h & a)]; [exists (S n) | exists i]; (split; [lia | exact a]).
  - intros (i & h & a). destruct (Nat.eq_dec i (S n)) as [->|]; [left; exact a | right; exists i; split; [lia | exact a]].
Qed.
Lemma each_up_to (G P : nat -> Prop) : (G 0%nat <-> P 0%nat) -> (forall n, G (S n) <-> P (S n) /\ G n) -> forall n, G n <-> forall i, (i <= n)%nat -> P i.
Proof.
  intros z s n. induction n as [|n IH]; [rewrite z; split; [intros h i k; replace i with 0%nat by lia; exact h | intro h; apply h; lia]|]. rewrite s, IH. split.
  - intros [a b] i h. destruct (Nat.eq_dec i (S n)) as [->|]; [exact a | apply b; lia].
  - intro h. split; [apply h; lia | intros i k; apply h; lia].
Qed.
(** * Values and lists *)
Section Values.
Variables (T : Type).
Lemma is_nth (g : list T -> nat -> T) d : (forall n, g [] n = d) -> (forall x l, g (x :: l) 0%nat = x) -> (forall x l n, g (x :: l) (S n) = g l n) -> forall l n, g l n = nth n l d.
Proof. intros e z s l. induction l as [|x l IH]; intros [|n]; cbn; rewrite ?s, ?z; auto. Qed.
Lemma is_nth_error (g : list T -> nat -> option T) : (forall n, g [] n = None) -> (forall x l, g (x :: l) 0%nat = Some x) -> (forall x l n, g (x :: l) (S n) = g l n) -> forall l n, g l n = nth_error l n.
Proof. intros e z s l. induction l as [|x l IH]; intros [|n]; cbn; rewrite ?s, ?z; auto. Qed.
Lemma is_firstn (g : list T -> nat -> list T) : (forall l, g l 0%nat = []) -> (forall n, g [] n = []) -> (forall x l n, g (x :: l) (S n) = x :: g l n) -> forall l n, g l n = firstn n l.
Proof. intros z e s l. induction l as [|x l IH]; intros [|n]; cbn; rewrite ?s, ?z; auto. rewrite IH. reflexivity. Qed.
Lemma is_skipn (g : list T -> nat -> list T) : (forall l, g l 0%nat = l) -> (forall n, g [] n = []) -> (forall x l n, g (x :: l) (S n) = g l n) -> forall l n, g l n = skipn n l.
Proof. intros z e s l. induction l as [|x l IH]; intros [|n]; cbn; rewrite ?s, ?z; auto. Qed.
Lemma is_app (g : list T -> list T -> list T) : (forall m, g [] m = m) -> (forall x l m, g (x :: l) m = x :: g l m) -> forall l m, g l m = l ++ m.
Proof. intros e s l m. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_rev (g : list T -> list T) : g [] = [] -> (forall x l, g (x :: l) = g l ++ [x]) -> forall l, g l = rev l.
Proof. intros e s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_rev_app (g : list T -> list T -> list T) : (forall m, g [] m = m) -> (forall x l m, g (x :: l) m = g l (x :: m)) -> forall l m, g l m = rev l ++ m.
Proof. intros e s l. induction l as [|x l IH]; intro m; cbn; rewrite ?s, ?IH, ?e, <- ?app_assoc; auto. Qed.
Lemma is_map U (h : T -> U) g : g [] = [] -> (forall x l, g (x :: l) = h x :: g l) -> forall l, g l = map h l.
Proof. intros e s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_repeat (g : nat -> list T) x : g 0%nat = [] -> (forall n, g (S n) = x :: g n) -> forall n, g n = repeat x n.
Proof. intros e s n. induction n as [|n IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_filter (p : T -> bool) (g : list T -> list T) : g [] = [] -> (forall x l, g (x :: l) = if p x then x :: g l else g l) -> forall l, g l = filter p l.
Proof. intros e s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_count (e : forall x y : T, {x = y} + {x <> y}) k (g : list T -> nat) : g [] = 0%nat -> (forall x l, g (x :: l) = if e x k then S (g l) else g l) -> forall l, g l = count_occ e l k.
Proof. intros z s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_count_if (p : T -> bool) (g : list T -> nat) : g [] = 0%nat -> (forall x l, g (x :: l) = if p x then S (g l) else g l) -> forall l, g l = length (filter p l).
Proof. intros z s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. destruct (p x); reflexivity. Qed.
Lemma is_find (p : T -> bool) (g : list T -> option T) : g [] = None -> (forall x l, g (x :: l) = if p x then Some x else g l) -> forall l, g l = find p l.
Proof. intros z s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_length (g : list T -> nat) : g [] = 0%nat -> (forall x l, g (x :: l) = S (g l)) -> forall l, g l = length l.
Proof. intros e s l. induction l as [|x l IH]; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_length_Z (g : list T -> Z) : g [] = 0 -> (forall x l, g (x :: l) = 1 + g l) -> forall l, g l = Z.of_nat (length l).
Proof. intros e s l. induction l as [|x l IH]; [exact e|]. rewrite s, IH. cbn [length]. lia. Qed.
End Values.
Lemma is_seq g : (forall a, g a 0%nat = []) -> (forall a n, g a (S n) = a :: g (S a) n) -> forall a n, g a n = seq a n.
Proof. intros e s a n. revert a. induction n as [|n IH]; intro a; cbn; rewrite ?s, ?IH; auto. Qed.
Lemma is_range g : g 0%nat = [] -> (forall n, g (S n) = g n ++ [n]) -> forall n, g n = seq 0 n.
Proof. intros e s n. induction n as [|n IH]; [exact e|]. rewrite s, IH, seq_S. reflexivity. Qed.
Lemma is_range_one g : g 0%nat = [] -> (forall n, g (S n) = g n ++ [S n]) -> forall n, g n = seq 1 n.
Proof. intros e s n. induction n as [|n IH]; [exact e|]. rewrite s, IH, seq_S. reflexivity. Qed.
Lemma is_countdown g : g 0%nat = [] -> (forall n, g (S n) = n :: g n) -> forall n, g n = rev (seq 0 n).
Proof. intros e s n. induction n as [|n IH]; [exact e|]. rewrite s, IH, seq_S, rev_app_distr. reflexivity. Qed.
Lemma is_countdown_one g : g 0%nat = [] -> (forall n, g (S n) = S n :: g n) -> forall n, g n = rev (seq 1 n).
Proof. intros e s n. induction n as [|n IH]; [exact e|]. rewrite s, IH, seq_S, rev_app_distr. reflexivity. Qed.
Lemma text_read (G : string -> Prop) s : G s <-> G (string_of_list_ascii (list_ascii_of_string s)). Proof. rewrite string_of_list_ascii_of_string. tauto. Qed.

Lemma is_text_map h (g : string -> string) : g EmptyString = EmptyString -> (forall c s, g (String c s) = String (h c) (g s)) -> forall s, list_ascii_of_string (g s) = map h (list_ascii_of_string s).
Proof. intros e t s. induction s as [|c s IH]; [rewrite e; reflexivity|]. rewrite t. cbn. rewrite IH. reflexivity. Qed.
(* What a function says of a text, as what it says of the list of its letters. *)
Lemma text_value R (g : string -> R) s : g s = g (string_of_list_ascii (list_ascii_of_string s)). Proof. rewrite string_of_list_ascii_of_string. reflexivity. Qed.
Lemma is_text_carried h (g : string -> string -> string) : (forall t, g EmptyString t = t) -> (forall c s t, g (String c s) t = g s (String (h c) t)) ->
  forall s t, list_ascii_of_string (g s t) = rev (map h (list_ascii_of_string s)) ++ list_ascii_of_string t.
Proof. intros e f s. induction s as [|c s IH]; intro t; [rewrite e; reflexivity|]. rewrite f, IH. cbn. rewrite <- app_assoc. reflexivity. Qed.
Lemma is_text_app h (g : string -> string -> string) : (forall t, g EmptyString t = t) -> (forall c s t, g (String c s) t = String (h c) (g s t)) ->
  forall s t, list_ascii_of_string (g s t) = map h (list_ascii_of_string s) ++ list_ascii_of_string t.
Proof. intros e f s. induction s as [|c s IH]; intro t; [rewrite e; reflexivity|]. rewrite f. cbn. rewrite IH. reflexivity. Qed.
Lemma is_text_rev h (g : string -> string) : g EmptyString = EmptyString -> (forall c s, g (String c s) = String.append (g s) (String (h c) EmptyString)) ->
  forall s, list_ascii_of_string (g s) = rev (map h (list_ascii_of_string s)).
Proof.
  intros e f s. induction s as [|c s IH]; [rewrite e; reflexivity|]. rewrite f. cbn. rewrite <- IH. clear. induction (g s) as [|d t IH]; [reflexivity|]. cbn. rewrite IH. reflexivity.
Qed.
Lemma is_text_filter (p : ascii -> bool) (g : string -> string) : g EmptyString = EmptyString -> (forall c s, g (String c s) = if p c then String c (g s) else g s) ->
  forall s, list_ascii_of_string (g s) = filter p (list_ascii_of_string s).
Proof. intros e f s. induction s as [|c s IH]; [rewrite e; reflexivity|]. rewrite f. cbn. destruct (p c); cbn; rewrite IH; reflexivity. Qed.
(** * Laws of steps: computed, then by the cases of what is tested *)
(* Every recursive function of the pair by one step. *)
Ltac unroll := repeat (progress (cbn [string_of_list_ascii]; for_recursive ltac:(fun f => cbn [f]); cbn [existsb forallb andb orb negb implb xorb Bool.eqb])); cbv beta iota.
(* Whether a call goes on where an argument begins with a constructor. *)
Ltac goes_on g x := let s := constr:(g x) in let s := eval cbv beta in s in let f := lazymatch s with ?b = true => call_head b | _ => call_head s end in
  let r := eval cbn [f string_of_list_ascii] in s in tryif constr_eq s r then fail else idtac.
Ltac tested b k := lazymatch b with
  | true => fail | false => fail
  | andb ?a ?c => first [ tested a k | tested c k ] | orb ?a ?c => first [ tested a k | tested c k ] | implb ?a ?c => first [ tested a k | tested c k ]
  | xorb ?a ?c => first [ tested a k | tested c k ] | Bool.eqb ?a ?c => first [ tested a k | tested c k ] | negb ?a => tested a k
  | (if ?a then ?c else ?e) => lazymatch type of a with bool => first [ tested a k | tested c k | tested e k ] | _ => k a end
  | match ?o with Some _ => _ | None => _ end => k o
  | let (x, y) := ?p in _ => k p
  | _ => k b end.
Ltac by_test := match goal with
  | |- context [?b = true] => tested b ltac:(fun a => destruct a)
  | |- context [if ?a then _ else _] => lazymatch type of a with bool => tested a ltac:(fun a => destruct a) | _ => destruct a end end.
Ltac truths := first [ tauto | intuition congruence ].
(* Only calls of recursive functions are read. *)
Ltac is_recursive x := let h := call_head x in assert_fails (for_recursive ltac:(fun f => tryif constr_eq f h then fail 1 else idtac)).
(* Only what a law speaks of in general is taken by its shapes. *)
Ltac mark_shape x := lazymatch goal with _ : done x 310%nat |- _ => fail | _ => idtac end; assert (done x 310%nat) by exact I.
Ltac in_general := repeat (match goal with |- context [?t] => let h := call_head t in assert_succeeds (is_recursive t); lazymatch type of t with forall _, _ => fail | _ => idtac end;
  arguments t ltac:(fun k => assert_fails (is_var k); lazymatch k with string_of_list_ascii _ => fail | _ => idtac end; (let c := call_head k in assert_fails (is_constructor c)); lazymatch type of k with forall _, _ => fail | Set => fail | Type => fail | _ => idtac end; generalize k; intro) end).
Ltac mark_shapes := in_general; try clear; repeat match goal with n : nat |- _ => mark_shape n | l : list _ |- _ => mark_shape l end.
Ltac by_shapes := repeat match goal with n : nat |- _ => lazymatch goal with _ : done n 310%nat |- _ => fail | _ => idtac end; destruct n as [|n]; [|mark_shape n] | l : list _ |- _ => lazymatch goal with _ : done l 310%nat |- _ => fail | _ => idtac end; destruct l as [|? l]; [|mark_shape l] end.
Ltac law := solve [ mark_shapes; intros; unroll; first [ truths | (by_shapes; unroll; first [ truths | (repeat (by_test; cbn [andb orb negb implb xorb Bool.eqb]); truths) ]) | (repeat (by_test; cbn [andb orb negb implb xorb Bool.eqb]); truths) ] ].
Ltac equation_law := solve [ mark_shapes; intros; unroll; first [ reflexivity | lia | (repeat (by_test; cbv beta iota); first [ reflexivity | lia ]) ]
  | (mark_shapes; intros; by_shapes; unroll; reflexivity) ].
Ltac default_of T := let d := constr:(default : T) in let d := eval cbv in d in d.
Ltac shown_result := cbv beta; unroll; unfold_pair; cbv beta iota; cbn [fst snd]; exact (iff_refl _).
Ltac as_told lemma := etransitivity; [ eapply lemma; law | try unroll; unfold_pair; cbv beta iota; apply iff_refl ].
(* A call as a function of one of its arguments, or of two, which may occur in the others, too. *)
Ltac at_argument x l := lazymatch x with
  | ?b = true => let g := at_argument b l in let L := type of l in let r := eval cbv beta in (fun y : L => g y = true) in r
  | ?h ?a => let L := type of l in match goal with
      | _ => let _ := match goal with _ => constr_eq a l end in constr:(fun y : L => h y)
      | _ => let g := at_argument h l in let r := eval cbv beta in (fun y : L => g y a) in r end end.
Ltac at_arguments x l m := let L := type of l in let g := at_argument x l in
  let r := constr:(fun y : L => ltac:(let t := eval cbv beta in (g y) in let h := at_argument t m in exact h)) in let r := eval cbv beta in r in r.
(* The arguments of a call, each as what the call says of any other one. *)
Ltac about_members G T := goes_on G (@nil T); let d := default_of T in
  first [ as_told (each_member T d G) | as_told (some_member T d G) | as_told (each_next T d G) | as_told (each_pair T d G) | as_told (some_next T d G) | as_told (some_pair T d G) ].
Ltac about_list P l := let G := at_argument P l in lazymatch type of l with
  | list ?T => about_members G T
  | string => etransitivity; [ exact (text_read G l) | let H := eval cbv beta in (fun m : list ascii => G (string_of_list_ascii m)) in about_members H ascii ] end.
Ltac about_two P l m := lazymatch constr:(tt) with _ => let G := at_arguments P l m in lazymatch type of l with list ?T => goes_on (fun l => G l m) (@nil T); let d := default_of T in lazymatch type of m with
  | list ?U => let e := default_of U in first [ as_told (same_length T U d e G) | as_told (at_start T U d e G) | as_told (where_both T U d e G) ]
  | nat => first [ as_told (each_until T d G) | as_told (each_numbered T d G) ]
  | Z => as_told (each_numbered_Z T d G) end end end.
Ltac step_below P n := lazymatch constr:(tt) with _ => let G := at_argument P n in let m := fresh "m" in
  let _ := match goal with _ => goes_on G 0%nat end in constr:(fun m : nat => ltac:(let s := constr:(G (S m)) in let s := eval cbv beta in s in let r := eval cbv beta in (G m) in
    let s := match r with
      | ?b = true => let f := call_head b in eval cbn [f] in s
      | _ => let f := call_head r in eval cbn [f] in s end in
    let b := match r with ?b = true => b | _ => r end in
    lazymatch eval pattern b in s with ?F _ => exact F end)) end.
Ltac about_number P n := lazymatch constr:(tt) with _ => let G := at_argument P n in
  let F := step_below P n in
  let here v := (let f := eval cbv beta in (fun i => F i v) in f) in
  let t := lazymatch P with _ = true => constr:(true) | _ => constr:(True) end in
  let f := lazymatch P with _ = true => constr:(false) | _ => constr:(False) end in
  let p := eval cbv beta in (fun i => F i t) in let q := eval cbv beta in (fun i => F i f) in
  first [ as_told (each_below G p) | as_told (some_below G q) ] end.
Ltac called_on P k := lazymatch P with ?b = true => arguments b k | _ => arguments P k end.
Ltac told_call ::= as_a_whole; lazymatch goal with |- ?P <-> _ => lazymatch P with ?b = true => is_recursive b | _ => is_recursive P end; first
  [ called_on P ltac:(fun l => lazymatch type of l with list _ => idtac | string => idtac end; about_list P l)
  | called_on P ltac:(fun n => lazymatch type of n with nat => idtac end; about_number P n)
  | called_on P ltac:(fun l => lazymatch type of l with list _ => idtac end;
      called_on P ltac:(fun m => tryif constr_eq l m then fail else (lazymatch type of m with list _ => idtac | nat => idtac | Z => idtac end; about_two P l m)))
  | called_on P ltac:(fun n => lazymatch type of n with nat => idtac end; about_number P n) ] end.
Ltac same_value lemma := etransitivity; [ eapply lemma; equation_law | try unroll; cbv beta; reflexivity ].
Ltac value_of x l n := lazymatch constr:(tt) with _ => let g := at_arguments x l n in lazymatch type of l with
  | list ?T => let R := type of x in let N := type of n in lazymatch N with
    | nat => lazymatch R with
      | T => same_value (is_nth T g)
      | option T => same_value (is_nth_error T g)
      | list T => first [ same_value (is_firstn T g) | same_value (is_skipn T g) ] end
    | list T => first [ same_value (is_app T g) | same_value (is_rev_app T g) ] end end end.
Ltac counts T g k := lazymatch type of k with T => lazymatch T with Z => same_value (is_count Z Z.eq_dec k g) | nat => same_value (is_count nat Nat.eq_dec k g) | ascii => same_value (is_count ascii ascii_dec k g) end end.
(* The test by which the step for one member goes one way or the other. *)
Ltac condition_of x g T := constr:(fun y : T => ltac:(let f := call_head x in let s := constr:(g [y]) in let s := eval cbv beta in s in let s := eval cbn [f string_of_list_ascii] in s in
  lazymatch s with (if ?b then _ :: _ else _) => exact b | (if ?b then S _ else _) => exact b | (if ?b then Some _ else _) => exact b | (if ?b then _ else _) => exact (negb b) end)).
Ltac value_along x g T := lazymatch type of x with
  | nat => first [ same_value (is_length T g) | arguments x ltac:(fun k => counts T g k) | let p := condition_of x g T in same_value (is_count_if T p g) ]
  | Z => same_value (is_length_Z T g)
  | option T => let p := condition_of x g T in same_value (is_find T p g)
  | list ?U => first [ lazymatch U with T => same_value (is_rev T g) end
    | lazymatch U with T => let p := condition_of x g T in same_value (is_filter T p g) end
    | let h := constr:(fun y : T => ltac:(let f := call_head x in let s := constr:(g [y]) in let s := eval cbv beta in s in let s := eval cbn [f string_of_list_ascii] in s in lazymatch s with [?e] => exact e end)) in same_value (is_map T U h g) ] end.
Ltac value_of_list x l := lazymatch constr:(tt) with _ => let g := at_argument x l in lazymatch type of l with list ?T => value_along x g T end end.
Ltac value_of_number x n := lazymatch constr:(tt) with _ => let g := at_argument x n in lazymatch type of x with
  | list nat => first [ same_value (is_range g) | same_value (is_range_one g) | same_value (is_countdown g) | same_value (is_countdown_one g) ]
  | list ?T => same_value (is_repeat T g) end end.
Ltac value_of_start x a n := lazymatch constr:(tt) with _ => let g := at_arguments x a n in lazymatch type of x with list nat => same_value (is_seq g) end end.
Ltac value_of_text x s := lazymatch constr:(tt) with _ => let g := at_argument x s in let h := eval cbv beta in (fun m : list ascii => g (string_of_list_ascii m)) in
  etransitivity; [ exact (text_value _ g s) | value_along x h ascii ] end.
Ltac told_value_of x := is_recursive x; first
  [ arguments x ltac:(fun s => lazymatch type of s with string => idtac end; value_of_text x s)
  | arguments x ltac:(fun l => lazymatch type of l with list _ => idtac end; first
      [ value_of_list x l
      | arguments x ltac:(fun n => tryif constr_eq l n then fail else (lazymatch type of n with list _ => idtac | nat => idtac end; value_of x l n)) ])
  | arguments x ltac:(fun n => lazymatch type of n with nat => idtac end; first
      [ value_of_number x n
      | arguments x ltac:(fun a => tryif constr_eq a n then fail else (lazymatch type of a with nat => idtac end; value_of_start x a n)) ]) ].
(* The letter that the step for one letter writes, and the test by which it writes or does not. *)
Ltac step_of y g k := let f := call_head y in let t := eval cbv beta in g in let t := eval cbn [f] in t in k t.
Ltac written_letter t := lazymatch t with String ?e _ => exact e | context [String ?e EmptyString] => exact e end.
Ltac told_letters lemma := etransitivity; [ eapply lemma; equation_law | unfold_pair; cbv beta; reflexivity ].
Ltac text_of_text y s := let g := at_argument y s in first
  [ let h := constr:(fun c : ascii => ltac:(step_of y constr:(g (String c EmptyString)) written_letter)) in first [ told_letters (is_text_map h g) | told_letters (is_text_rev h g) ]
  | let p := constr:(fun c : ascii => ltac:(step_of y constr:(g (String c EmptyString)) ltac:(fun t => lazymatch t with (if ?b then String _ _ else _) => exact b | (if ?b then _ else _) => exact (negb b) end))) in told_letters (is_text_filter p g) ].
Ltac text_of_texts y s t := let g := at_arguments y s t in
  let h := constr:(fun c : ascii => ltac:(step_of y constr:(g (String c EmptyString) EmptyString) written_letter)) in first [ told_letters (is_text_carried h g) | told_letters (is_text_app h g) ].
Ltac letters_told y := arguments y ltac:(fun s => lazymatch type of s with string => idtac end; first
  [ text_of_text y s
  | arguments y ltac:(fun t => tryif constr_eq s t then fail else (lazymatch type of t with string => idtac end; text_of_texts y s t)) ]).
Ltac told_value ::= as_a_whole; lazymatch goal with
  | |- list_ascii_of_string ?y = _ => is_recursive y; letters_told y
  | |- ?g ?y = _ => first [ (accessor g; etransitivity; [ apply (f_equal g); told_value | reflexivity ]) | told_value_of (g y) ] end.
(** * Equations: the first place where a test holds, the greatest and the least member *)
Definition first_at {T} (c : T -> Prop) (d : T) (l : list T) (j : nat) : Prop := (j < length l)%nat /\ c (nth j l d) /\ forall k, (k < j)%nat -> ~ c (nth k l d).
Definition nowhere {T} (c : T -> Prop) (d : T) (l : list T) : Prop := forall k, (k < length l)%nat -> ~ c (nth k l d).
Section First.
Variables (T : Type) (d : T) (c : T -> Prop).
Lemma first_at_head x l j : c x -> first_at c d (x :: l) j <-> j = 0%nat.
Proof. unfold first_at. intro h. split; [intros (a & b & k); destruct j as [|j]; [reflexivity | destruct (k 0%nat); [lia | exact h]] | intros ->; cbn; repeat split; [lia | exact h | lia]]. Qed.
Lemma first_at_rest x l j : ~ c x -> first_at c d (x :: l) j <-> exists i, j = S i /\ first_at c d l i.
Proof.
  unfold first_at. intro h. split.
  - intros (a & b & k). destruct j as [|j]; [destruct (h b)|]. exists j. cbn in a. repeat split; [lia | exact b | intros i q; apply (k (S i)); lia].
  - intros (i & -> & a & b & k). cbn [length]. repeat split; [lia | exact b | intros [|j] q; [exact h | apply k; lia]].
Qed.
Lemma nowhere_head x l : nowhere c d (x :: l) <-> ~ c x /\ nowhere c d l.
Proof. unfold nowhere. cbn [length]. split; [intro h; split; [apply (h 0%nat); lia | intros k q; apply (h (S k)); lia] | intros [a b] [|k] q; [exact a | apply b; lia]]. Qed.
Lemma nowhere_none : nowhere c d [] <-> True. Proof. unfold nowhere. cbn. split; [auto | lia]. Qed.
Lemma first_at_none j : first_at c d [] j <-> False. Proof. unfold first_at. cbn. lia. Qed.
Variables (R : Type).
Hypothesis cases : forall x, c x \/ ~ c x.
Lemma found_beside (I : Type) (up : I -> I) (after : I -> nat -> I) : (forall i, after i 0%nat = i) -> (forall i n, after (up i) n = after i (S n)) ->
  forall (g : list T -> I -> R) w e, (forall i, g [] i = e) -> (forall x l i, c x -> g (x :: l) i = w i) -> (forall x l i, ~ c x -> g (x :: l) i = g l (up i)) ->
  forall r l i, r = g l i <-> (exists j, first_at c d l j /\ r = w (after i j)) \/ (nowhere c d l /\ r = e).
Proof.
  intros here there g w e z s t r l. induction l as [|x l IH]; intro i.
  - rewrite z, nowhere_none. split; [auto | intros [(j & a & _)|[_ a]]; [destruct (proj1 (first_at_none j) a) | exact a]].
  - rewrite nowhere_head. destruct (cases x) as [h|h].
    + rewrite s by exact h. split; [intros ->; left; exists 0%nat; split; [apply first_at_head; auto | rewrite here; reflexivity] | intros [(j & a & ->)|[[a _] _]]; [apply (first_at_head x l j h) in a as ->; rewrite here; reflexivity | destruct (a h)]].
    + rewrite t, IH by exact h. split.
      * intros [(j & a & ->)|a]; [left; exists (S j); split; [apply first_at_rest; [exact h | eauto] | rewrite there; reflexivity] | tauto].
      * intros [(j & a & ->)|a]; [left | tauto]. apply (first_at_rest x l j h) in a as (k & -> & a). exists k. split; [exact a | rewrite there; reflexivity].
Qed.
Lemma found_from (g : list T -> nat -> R) w e : (forall i, g [] i = e) -> (forall x l i, c x -> g (x :: l) i = w i) -> (forall x l i, ~ c x -> g (x :: l) i = g l (S i)) ->
  forall r l i, r = g l i <-> (exists j, first_at c d l j /\ r = w (i + j)%nat) \/ (nowhere c d l /\ r = e).
Proof. apply (found_beside nat S (fun i j => (i + j)%nat)); intros; lia. Qed.
Lemma found_from_Z (g : list T -> Z -> R) w e : (forall i, g [] i = e) -> (forall x l i, c x -> g (x :: l) i = w i) -> (forall x l i, ~ c x -> g (x :: l) i = g l (i + 1)) ->
  forall r l i, r = g l i <-> (exists j, first_at c d l j /\ r = w (i + Z.of_nat j)) \/ (nowhere c d l /\ r = e).
Proof. apply (found_beside Z (fun i => i + 1) (fun i j => i + Z.of_nat j)); intros; lia. Qed.
Lemma found_place (g : list T -> option nat) : g [] = None -> (forall x l, c x -> g (x :: l) = Some 0%nat) -> (forall x l, ~ c x -> g (x :: l) = option_map S (g l)) ->
  forall r l, r = g l <-> (exists j, first_at c d l j /\ r = Some j) \/ (nowhere c d l /\ r = None).
Proof.
  intros z s t r l. revert r. induction l as [|x l IH]; intro r.
  - rewrite z, nowhere_none. split; [auto | intros [(j & a & _)|[_ a]]; [destruct (proj1 (first_at_none j) a) | exact a]].
  - rewrite nowhere_head. destruct (cases x) as [h|h].
    + rewrite s by exact h. split; [intros ->; left; exists 0%nat; split; [apply first_at_head; auto | reflexivity] | intros [(j & a & ->)|[[a _] _]]; [apply (first_at_head x l j h) in a as ->; reflexivity | destruct (a h)]].
    + rewrite t by exact h. destruct (proj1 (IH (g l)) eq_refl) as [(j & a & b)|[a b]]; rewrite b; cbn; split.
      * intros ->. left. exists (S j). split; [apply first_at_rest; [exact h | eauto] | reflexivity].
      * intros [(k & q & ->)|[[_ q] _]]; [|destruct (q j); unfold first_at in a; tauto]. apply (first_at_rest x l k h) in q as (i & -> & q). assert (Some i = g l) as e by (apply IH; eauto). congruence.
      * intros ->. tauto.
      * intros [(k & q & ->)|[_ q]]; [|exact q]. apply (first_at_rest x l k h) in q as (i & -> & q). assert (Some i = g l) as e by (apply IH; eauto). congruence.
Qed.
Lemma found_or_length (g : list T -> nat) : g [] = 0%nat -> (forall x l, c x -> g (x :: l) = 0%nat) -> (forall x l, ~ c x -> g (x :: l) = S (g l)) ->
  forall r l, r = g l <-> first_at c d l r \/ (nowhere c d l /\ r = length l).
Proof.
  intros z s t r l. revert r. induction l as [|x l IH]; intro r.
  - rewrite z, nowhere_none, first_at_none. cbn. tauto.
  - rewrite nowhere_head. destruct (cases x) as [h|h].
    + rewrite s, (first_at_head x l r h) by exact h. tauto.
    + rewrite t, (first_at_rest x l r h) by exact h. cbn [length]. split.
      * intros ->. destruct (proj1 (IH (g l)) eq_refl) as [a|[a b]]; [left; eauto | right; rewrite b; auto].
      * intros [(i & -> & a)|[[_ a] ->]]; f_equal; apply IH; auto.
Qed.
End First.
Lemma found_member T (d : T) (p : T -> bool) r l : r = find p l <-> (exists j, first_at (fun x => p x = true) d l j /\ r = Some (nth j l d)) \/ (nowhere (fun x => p x = true) d l /\ r = None).
Proof.
  induction l as [|x l IH].
  - cbn. rewrite nowhere_none. split; [auto | intros [(j & a & _)|[_ a]]; [destruct (proj1 (first_at_none T d _ j) a) | exact a]].
  - rewrite nowhere_head. cbn. destruct (p x) eqn:h.
    + split; [intros ->; left; exists 0%nat; split; [apply first_at_head; auto | reflexivity] | intros [(j & a & ->)|[[a _] _]]; [apply (first_at_head T d (fun x => p x = true) x l j h) in a as ->; reflexivity | destruct (a eq_refl)]].
    + rewrite IH. assert (k : ~ p x = true) by congruence. split.
      * intros [(j & a & ->)|[a b]]; [left; exists (S j); split; [apply first_at_rest; eauto | reflexivity] | right; repeat split; [congruence | exact a | exact b]].
      * intros [(j & a & ->)|a]; [left | tauto]. apply (first_at_rest T d (fun x => p x = true) x l j k) in a as (i & -> & a). eauto.
Qed.
Definition greatest (l : list Z) (x r : Z) : Prop := (x <= r /\ forall i, (i < length l)%nat -> nth i l 0 <= r) /\ (r = x \/ exists i, (i < length l)%nat /\ r = nth i l 0).
Definition least (l : list Z) (x r : Z) : Prop := (r <= x /\ forall i, (i < length l)%nat -> r <= nth i l 0) /\ (r = x \/ exists i, (i < length l)%nat /\ r = nth i l 0).
Lemma extreme_step (l : list Z) (P : Z -> Prop) y : (exists i, (i < length (y :: l))%nat /\ P (nth i (y :: l) 0)) <-> P y \/ exists i, (i < length l)%nat /\ P (nth i l 0).
Proof. cbn [length]. split; [intros ([|i] & h & a); [left; exact a | right; exists i; split; [lia | exact a]] | intros [a|(i & h & a)]; [exists 0%nat | exists (S i)]; (split; [lia | exact a])]. Qed.
Lemma bounded_step (l : list Z) (P : Z -> Prop) y : (forall i, (i < length (y :: l))%nat -> P (nth i (y :: l) 0)) <-> P y /\ forall i, (i < length l)%nat -> P (nth i l 0).
Proof. cbn [length]. split; [intro h; split; [apply (h 0%nat); lia | intros i k; apply (h (S i)); lia] | intros [a b] [|i] k; [exact a | apply b; lia]]. Qed.
Lemma is_greatest r l : forall x, r = fold_left Z.max l x <-> greatest l x r.
Proof.
  unfold greatest. induction l as [|y l IH]; intro x; [cbn; split; [intros ->; repeat split; [lia | lia | auto] | intros [_ [h|(i & h & _)]]; [exact h | lia]]|].
  cbn [fold_left]. rewrite IH, (bounded_step l (fun z => z <= r)), (extreme_step l (fun z => r = z)). clear IH. assert (x <= r -> y <= r -> r = Z.max x y <-> r = x \/ r = y) by lia. assert (Z.max x y <= r <-> x <= r /\ y <= r) by lia. tauto.
Qed.
Lemma is_least r l : forall x, r = fold_left Z.min l x <-> least l x r.
Proof.
  unfold least. induction l as [|y l IH]; intro x; [cbn; split; [intros ->; repeat split; [lia | lia | auto] | intros [_ [h|(i & h & _)]]; [exact h | lia]]|].
  cbn [fold_left]. rewrite IH, (bounded_step l (fun z => r <= z)), (extreme_step l (fun z => r = z)). clear IH. assert (r <= x -> r <= y -> r = Z.min x y <-> r = x \/ r = y) by lia. assert (r <= Z.min x y <-> r <= x /\ r <= y) by lia. tauto.
Qed.
Lemma greatest_right l x : fold_right Z.max x l = fold_left Z.max l x. Proof. symmetry. apply fold_symmetric; intros; lia. Qed.
Lemma least_right l x : fold_right Z.min x l = fold_left Z.min l x. Proof. symmetry. apply fold_symmetric; intros; lia. Qed.
Lemma equal_to T (r x y : T) : x = y -> (r = x <-> r = y). Proof. intros ->. tauto. Qed.
(* The condition in a search's step for one member, and that in which it fails. *)
Ltac search_test f s k := let s := eval cbv beta in s in let s := eval cbn [f] in s in lazymatch s with if ?b then _ else _ => k b end.
Ltac cases_law := solve [ intro; cbv beta; match goal with |- context [?b = _] => destruct b end; first [ left; reflexivity | right; discriminate ] ].
Ltac search_law := solve [ mark_shapes; intros; cbv beta in *; unroll; repeat match goal with H : ?b = _ |- context [?b] => rewrite H | H : ~ ?b = true |- context [?b] => rewrite (not_true_is_false _ H) | H : ~ ?b = false |- context [?b] => rewrite (not_false_is_true _ H) end; cbv beta iota; reflexivity ].
Ltac found lemma := etransitivity; [ eapply lemma; [ cases_law | search_law | search_law | search_law ] | unfold first_at, nowhere; unfold_pair; cbv beta iota; apply iff_refl ].
Ltac both_tests T c k := first [ let p := eval cbv beta in (fun y : T => c y = true) in k p | let p := eval cbv beta in (fun y : T => c y = false) in k p ].
Ltac found_with x l i := lazymatch type of l with list ?T => let d := default_of T in let g := at_arguments x l i in let f := call_head x in let R := type of x in
  let c := constr:(fun y : T => ltac:(search_test f (g [y] i) ltac:(fun b => exact b))) in
  lazymatch type of i with
  | nat => both_tests T c ltac:(fun p => found (fun h => found_from T d p R h g))
  | Z => both_tests T c ltac:(fun p => found (fun h => found_from_Z T d p R h g)) end end.
Ltac found_in x l := lazymatch type of l with list ?T => let d := default_of T in let g := at_argument x l in let f := call_head x in
  let c := constr:(fun y : T => ltac:(search_test f (g [y]) ltac:(fun b => exact b))) in
  lazymatch type of x with
  | option nat => both_tests T c ltac:(fun p => found (fun h => found_place T d p h g))
  | nat => both_tests T c ltac:(fun p => found (fun h => found_or_length T d p h g)) end end.
Ltac found_call x := arguments x ltac:(fun l => lazymatch type of l with list _ => idtac end; first
  [ found_in x l
  | arguments x ltac:(fun i => tryif constr_eq l i then fail else (lazymatch type of i with nat => idtac | Z => idtac end; found_with x l i)) ]).
Ltac told_extreme := lazymatch goal with
  | |- ?r = fold_left Z.max ?l ?x <-> _ => rewrite (is_greatest r l x); unfold greatest; apply iff_refl
  | |- ?r = fold_left Z.min ?l ?x <-> _ => rewrite (is_least r l x); unfold least; apply iff_refl
  | |- ?r = fold_right Z.max ?x ?l <-> _ => rewrite (greatest_right l x), (is_greatest r l x); unfold greatest; apply iff_refl
  | |- ?r = fold_right Z.min ?x ?l <-> _ => rewrite (least_right l x), (is_least r l x); unfold least; apply iff_refl
  | |- ?r = @find ?T ?p ?l <-> _ => let d := default_of T in etransitivity; [ exact (found_member T d p r l) | unfold first_at, nowhere; cbv beta; apply iff_refl ]
  | |- _ = ?x <-> _ => is_recursive x; first [ found_call x | etransitivity; [ eapply equal_to; told_value_of x | told_extreme ] ] end.
Ltac told_equation ::= as_a_whole; first [ told_extreme | lazymatch goal with |- ?x = ?r <-> _ => assert_fails (is_var x); etransitivity; [ apply (eq_swap _ x r) | told_extreme ] end ].

(** * Lists and texts of which there is one: cuts by their place *)
Section Cuts.
Variables (T : Type) (d : T).
Lemma first_part (a b : list T) : firstn (length a) (a ++ b) = a. Proof. rewrite firstn_app, firstn_all, Nat.sub_diag. cbn. apply app_nil_r. Qed.
Lemma last_part (a b : list T) : skipn (length a) (a ++ b) = b. Proof. rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. Qed.
Lemma after_member x (a b : list T) : skipn (S (length a)) (a ++ x :: b) = b. Proof. induction a as [|y a IH]; [reflexivity | exact IH]. Qed.
Lemma after_part (a m b : list T) : skipn (length a + length m) (a ++ m ++ b) = b. Proof. rewrite app_assoc, <- app_length. apply last_part. Qed.
Lemma at_part x (a b : list T) : nth (length a) (a ++ x :: b) d = x. Proof. rewrite app_nth2, Nat.sub_diag by lia. reflexivity. Qed.
Lemma at_place k (l : list T) : (k < length l)%nat -> firstn k l ++ nth k l d :: skipn (S k) l = l.
Proof. revert k. induction l as [|y l IH]; intros k h; [cbn in h; lia|]. destruct k as [|k]; [reflexivity|]. cbn [firstn skipn nth app]. f_equal. apply (IH k). cbn in h. lia. Qed.
Lemma cut_at (l : list T) P : (exists a b, l = a ++ b /\ P a b) <-> exists k, (k <= length l)%nat /\ P (firstn k l) (skipn k l).
Proof.
  split; [intros (a & b & -> & p); exists (length a); rewrite first_part, last_part, app_length; split; [lia | exact p]|].
  intros (k & _ & p). exists (firstn k l), (skipn k l). rewrite firstn_skipn. auto.
Qed.
Lemma cut_member (x : T) (l : list T) P : (exists a b, l = a ++ x :: b /\ P a b) <-> exists k, (k < length l)%nat /\ nth k l d = x /\ P (firstn k l) (skipn (S k) l).
Proof.
  split; [intros (a & b & -> & p); exists (length a); rewrite first_part, after_member, at_part, app_length; cbn [length]; repeat split; [lia | exact p]|].
  intros (k & h & <- & p). exists (firstn k l), (skipn (S k) l). split; [symmetry; apply at_place; exact h | exact p].
Qed.
Lemma rest_of (p l : list T) P : (exists t, l = p ++ t /\ P t) <-> firstn (length p) l = p /\ P (skipn (length p) l).
Proof.
  split; [intros (t & -> & q); rewrite first_part, last_part; auto|].
  intros (e & q). exists (skipn (length p) l). split; [|exact q]. rewrite <- e at 1. symmetry. apply firstn_skipn.
Qed.
Lemma start_of (s l : list T) P : (exists t, l = t ++ s /\ P t) <-> (length s <= length l)%nat /\ skipn (length l - length s) l = s /\ P (firstn (length l - length s) l).
Proof.
  split.
  - intros (t & -> & q). rewrite app_length. replace (length t + length s - length s)%nat with (length t) by lia. rewrite first_part, last_part. repeat split; [lia | exact q].
  - intros (_ & e & q). exists (firstn (length l - length s) l). split; [|exact q]. rewrite <- e at 2. symmetry. apply firstn_skipn.
Qed.
Lemma around (m l : list T) P : (exists a b, l = a ++ m ++ b /\ P a b) <-> exists k, (k + length m <= length l)%nat /\ firstn (length m) (skipn k l) = m /\ P (firstn k l) (skipn (k + length m) l).
Proof.
  split; [intros (a & b & -> & q); exists (length a); rewrite after_part, last_part, !first_part, !app_length; repeat split; [lia | exact q]|].
  intros (k & h & e & q). exists (firstn k l), (skipn (k + length m) l). split; [|exact q]. rewrite <- (firstn_skipn k l) at 1. f_equal.
  rewrite <- (firstn_skipn (length m) (skipn k l)) at 1. rewrite e. f_equal. rewrite Nat.add_comm. clear e q h. revert l. induction k as [|k IH]; intro l; [rewrite Nat.add_0_r; reflexivity|].
  rewrite <- plus_n_Sm. destruct l as [|y l]; [cbn; destruct m; reflexivity | apply IH].
Qed.
Lemma member_and_member (l : list T) (P : T -> T -> Prop) : (exists a x b y c, l = a ++ x :: b ++ y :: c /\ P x y) <-> exists i j, (i < j)%nat /\ (j < length l)%nat /\ P (nth i l d) (nth j l d).
Proof.
  split.
  - intros (a & x & b & y & c & -> & p). exists (length a), (length (a ++ x :: b)). rewrite at_part, !app_length. cbn [length]. rewrite app_length. cbn [length]. repeat split; [lia | lia |].
    rewrite (app_assoc a (x :: b) (y :: c) : a ++ x :: b ++ y :: c = (a ++ x :: b) ++ y :: c). replace (length a + S (length b))%nat with (length (a ++ x :: b)) by (rewrite app_length; reflexivity). rewrite at_part. exact p.
  - intros (i & j & h & k & p). exists (firstn i l), (nth i l d), (firstn (j - S i) (skipn (S i) l)), (nth j l d), (skipn (S j) l). split; [|exact p].
    rewrite <- (at_place i l) at 1 by lia. f_equal. f_equal. rewrite <- (firstn_skipn (j - S i) (skipn (S i) l)) at 1. f_equal.
    clear p. revert l i k h. induction j as [|j IH]; intros l i k h; [lia|]. destruct l as [|z l]; [cbn in k; lia|]. destruct i as [|i].
    + cbn [skipn nth]. replace (S j - 1)%nat with j by lia. cbn in k. clear -k. revert l k. induction j as [|j IH]; intros [|z l] k; cbn in *; try lia; [reflexivity | apply IH; lia].
    + cbn [skipn nth]. apply (IH l i); cbn in k; lia.
Qed.
Lemma member_twice (l : list T) (P : T -> Prop) : (exists a x b c, l = a ++ x :: b ++ x :: c /\ P x) <-> exists i j, (i < j)%nat /\ (j < length l)%nat /\ (nth i l d = nth j l d /\ P (nth i l d)).
Proof.
  rewrite <- (member_and_member l (fun x y => x = y /\ P x)). split; [intros (a & x & b & c & e & p); exists a, x, b, x, c; auto | intros (a & x & b & y & c & e & <- & p); exists a, x, b, c; auto].
Qed.
Lemma head_of_list (l : list T) P : (exists x t, l = x :: t /\ P x t) <-> (0 < length l)%nat /\ P (nth 0 l d) (skipn 1 l).
Proof. destruct l as [|y l]; cbn; split; [intros (x & t & e & _); discriminate | lia | intros (x & t & e & p); injection e as -> ->; split; [lia | exact p] | intros [_ p]; eauto]. Qed.
Lemma rest_after (x : T) (l : list T) P : (exists t, l = x :: t /\ P t) <-> ((0 < length l)%nat /\ nth 0 l d = x) /\ P (skipn 1 l).
Proof. destruct l as [|y l]; cbn; split; [intros (t & e & _); discriminate | lia | intros (t & e & p); injection e as -> ->; repeat split; [lia | exact p] | intros [[_ ->] p]; eauto]. Qed.
End Cuts.
Lemma ex_same {A} (P Q : A -> Prop) : (forall a, P a <-> Q a) -> (exists a, P a) <-> exists a, Q a. Proof. intro h. split; intros [a p]; exists a; apply h; exact p. Qed.
Lemma and_truth (A : Prop) : A <-> A /\ True. Proof. tauto. Qed.
Lemma swapped T (x y : T) (B : Prop) : (x = y /\ B) <-> (y = x /\ B). Proof. split; intros [-> ?]; auto. Qed.
Lemma swapped_alone T (x y : T) : x = y <-> y = x /\ True. Proof. split; [intros ->; auto | intros [-> _]; reflexivity]. Qed.
Lemma later A (e : Prop) (B : A) (C : Prop) : (C /\ e) <-> (e /\ C). Proof. tauto. Qed.
Lemma ex_same2 {A B} (P Q : A -> B -> Prop) : (forall a b, P a b <-> Q a b) -> (exists a b, P a b) <-> exists a b, Q a b. Proof. intro h. split; intros (a & b & p); exists a, b; apply h; exact p. Qed.
Lemma ex_turned A B (P : A -> B -> Prop) : (exists a b, P a b) <-> exists b a, P a b. Proof. firstorder. Qed.
Lemma between (R E S : Prop) : R /\ E /\ S <-> E /\ R /\ S. Proof. tauto. Qed.
Lemma letters_append s t : list_ascii_of_string (String.append s t) = list_ascii_of_string s ++ list_ascii_of_string t.
Proof. induction s as [|c s IH]; cbn; [reflexivity | rewrite IH; reflexivity]. Qed.
Lemma letters_same s t : s = t <-> list_ascii_of_string s = list_ascii_of_string t.
Proof. split; [intros ->; reflexivity | intro e; rewrite <- (string_of_list_ascii_of_string s), e; apply string_of_list_ascii_of_string]. Qed.
Lemma twice_alone T l : (exists (a : list T) x b c, l = a ++ x :: b ++ x :: c) <-> exists a x b c, l = a ++ x :: b ++ x :: c /\ True.
Proof. split; intros (a & x & b & c & e); exists a, x, b, c; [auto | apply e]. Qed.
Lemma turned_twice (T : Type) (P : list T -> T -> list T -> list T -> Prop) : (exists x a b c, P a x b c) <-> exists a x b c, P a x b c. Proof. split; intros (u & v & b & c & p); eauto. Qed.
Lemma turned_two (T : Type) (P : list T -> T -> list T -> T -> list T -> Prop) : (exists x y a b c, P a x b y c) <-> exists a x b y c, P a x b y c.
Proof. split; [intros (x & y & a & b & c & p); eauto 6 | intros (a & x & b & y & c & p); eauto 6]. Qed.
Lemma text_of_letters (P : list ascii -> Prop) : (exists t, P (list_ascii_of_string t)) <-> exists m, P m.
Proof. split; [intros [t p]; eauto | intros [m p]; exists (string_of_list_ascii m); rewrite list_ascii_of_string_of_list_ascii; exact p]. Qed.
Lemma text_rest p s : (exists t, s = String.append p t) <-> firstn (length (list_ascii_of_string p)) (list_ascii_of_string s) = list_ascii_of_string p.
Proof.
  rewrite (ex_same _ (fun t => list_ascii_of_string s = list_ascii_of_string p ++ list_ascii_of_string t /\ True)) by (intro t; rewrite letters_same, letters_append; tauto).
  rewrite (text_of_letters (fun m => list_ascii_of_string s = list_ascii_of_string p ++ m /\ True)), (rest_of _ _ _ (fun _ => True)). tauto.
Qed.
Lemma text_begin p s : (exists t, s = String.append t p) <-> (length (list_ascii_of_string p) <= length (list_ascii_of_string s))%nat /\ skipn (length (list_ascii_of_string s) - length (list_ascii_of_string p)) (list_ascii_of_string s) = list_ascii_of_string p.
Proof.
  rewrite (ex_same _ (fun t => list_ascii_of_string s = list_ascii_of_string t ++ list_ascii_of_string p /\ True)) by (intro t; rewrite letters_same, letters_append; tauto).
  rewrite (text_of_letters (fun m => list_ascii_of_string s = m ++ list_ascii_of_string p /\ True)), (start_of _ _ _ (fun _ => True)). tauto.
Qed.
Lemma head_of_text d s (P : ascii -> string -> Prop) : (exists c t, s = String c t /\ P c t) <->
  (0 < length (list_ascii_of_string s))%nat /\ P (nth 0 (list_ascii_of_string s) d) (string_of_list_ascii (skipn 1 (list_ascii_of_string s))).
Proof.
  destruct s as [|c s]; cbn; rewrite ?string_of_list_ascii_of_string; split; [intros (x & t & e & _); discriminate | lia | intros (x & t & e & p); injection e as -> ->; split; [lia | exact p] | intros [_ p]; eauto].
Qed.
(* The equation of a cut comes first, with the whole on its left. *)
Ltac speaks_of x t := lazymatch x with context [t] => idtac end.
Ltac of_cuts x := lazymatch type of x with list _ => idtac end.
Ltac whole_first t := cbv beta; lazymatch goal with |- ?B <-> _ => lazymatch B with
  | ?x = ?y => of_cuts x; tryif speaks_of x t then apply swapped_alone else (speaks_of y t; apply and_truth)
  | _ => first
    [ lazymatch B with ?x = ?y /\ _ => of_cuts x; tryif speaks_of x t then apply swapped else (speaks_of y t; apply iff_refl) end
    | lazymatch B with _ /\ ?x = ?y => of_cuts x; etransitivity; [ apply and_comm | whole_first t ] end
    | lazymatch B with _ /\ ?x = ?y /\ _ => of_cuts x; etransitivity; [ apply between | whole_first t ] end ] end end.
(* Two members one after the other, or one that stands twice. *)
Ltac two_members := lazymatch goal with
  | |- (exists (a : list ?T) (x : ?T) (b c : list ?T), _) <-> _ => let d := default_of T in first [ exact (member_twice T d _ _) | eapply (member_twice T d) | etransitivity; [ exact (twice_alone T _) | eapply (member_twice T d) ] ]
  | |- (exists (a : list ?T) (x : ?T) (b : list ?T) (y : ?T) (c : list ?T), _) <-> _ => let d := default_of T in eapply (member_and_member T d)
  | |- (exists (x : ?T) (a b c : list ?T), _) <-> _ => etransitivity; [ apply (turned_twice T) | two_members ]
  | |- (exists (x y : ?T) (a b c : list ?T), _) <-> _ => etransitivity; [ apply (turned_two T) | two_members ] end.
Ltac one_cut := lazymatch goal with
  | |- (exists (c : ascii) (t : string), ?s = String c t /\ @?P c t) <-> _ => let d := default_of ascii in exact (head_of_text d s P)
  | |- (exists t, ?s = String.append ?p t) <-> _ => exact (text_rest p s)
  | |- (exists t, ?s = String.append t ?p) <-> _ => exact (text_begin p s)
  | |- (exists t, String.append ?p t = ?s) <-> _ => etransitivity; [ apply ex_same; intro; apply eq_swap | exact (text_rest p s) ]
  | |- (exists t, String.append t ?p = ?s) <-> _ => etransitivity; [ apply ex_same; intro; apply eq_swap | exact (text_begin p s) ]
  | |- (exists (a : list ?T) (b : list ?T), _) <-> _ => let d := default_of T in etransitivity;
      [ apply ex_same2; let a := fresh in let b := fresh in intros a b; whole_first a
      | first [ eapply (around T) | eapply (cut_member T d) | eapply (cut_at T) ] ]
  | |- (exists (a : ?T) (b : list ?T), _) <-> _ => let d := default_of T in etransitivity;
      [ apply ex_same2; let a := fresh in let b := fresh in intros a b; whole_first a | eapply (head_of_list T d) ]
  | |- (exists (a : list ?T) (b : ?U), @?P a b) <-> _ => coded U; exact (ex_turned (list T) U P)
  | |- (exists a : list ?T, _) <-> _ => let d := default_of T in etransitivity;
      [ apply ex_same; let a := fresh in intro a; whole_first a | first [ eapply (rest_of T) | eapply (start_of T) | eapply (rest_after T d) ] ] end.
Ltac told_cut ::= as_a_whole; first [ two_members | one_cut ].
(** * Extremes in sight *)
Definition no_less (l : list Z) (x v : Z) : Prop := x <= v /\ (forall i, (i < length l)%nat -> nth i l 0 <= v) /\ (v <= x \/ exists i, (i < length l)%nat /\ v <= nth i l 0).
Definition no_more (l : list Z) (x v : Z) : Prop := v <= x /\ (forall i, (i < length l)%nat -> v <= nth i l 0) /\ (x <= v \/ exists i, (i < length l)%nat /\ nth i l 0 <= v).
Lemma greatest_left l x : no_less l x (fold_left Z.max l x).
Proof. destruct (proj1 (is_greatest _ l x) eq_refl) as [[a b] c]. repeat split; [exact a | exact b |]. destruct c as [c|(i & h & c)]; [left; lia | right; exists i; split; [exact h | lia]]. Qed.
Lemma least_left l x : no_more l x (fold_left Z.min l x).
Proof. destruct (proj1 (is_least _ l x) eq_refl) as [[a b] c]. repeat split; [exact a | exact b |]. destruct c as [c|(i & h & c)]; [left; lia | right; exists i; split; [exact h | lia]]. Qed.
Lemma greatest_of_right l x : no_less l x (fold_right Z.max x l). Proof. rewrite greatest_right. apply greatest_left. Qed.
Lemma least_of_right l x : no_more l x (fold_right Z.min x l). Proof. rewrite least_right. apply least_left. Qed.
Ltac extreme_fact v k := lazymatch goal with _ : done v 313%nat |- _ => fail | _ => idtac end; assert (done v 313%nat) by exact I; eapply (under_fact _ _ _ _ k).
Ltac value_facts ::= repeat match goal with |- Under _ _ ?P => match P with
  | context [fold_left Z.max ?l ?x] => extreme_fact (fold_left Z.max l x) (greatest_left l x) | context [fold_left Z.min ?l ?x] => extreme_fact (fold_left Z.min l x) (least_left l x)
  | context [fold_right Z.max ?x ?l] => extreme_fact (fold_right Z.max x l) (greatest_of_right l x) | context [fold_right Z.min ?x ?l] => extreme_fact (fold_right Z.min x l) (least_of_right l x) end end; unfold no_less, no_more.
