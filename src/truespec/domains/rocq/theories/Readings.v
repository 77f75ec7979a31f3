(** More statements that have one form: what occurs twice, members of two lists by their indices, cuts at a length, the
    number before, members that a search finds, and one half of a palindrome. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Places.
Import ListNotations.
Local Open Scope Z_scope.

(** * How often, twice *)
Lemma twice T (e : forall x y : T, {x = y} + {x <> y}) l : (exists x, (2 <= count_occ e l x)%nat) <-> ~ pairwise (fun x y => x <> y) l.
Proof.
  rewrite <- nodup_pairwise, (NoDup_count_occ e). split.
  - intros [x h] k. specialize (k x). lia.
  - intro h. apply not_all_ex_not in h. destruct h as [x h]. exists x. lia.
Qed.
#[export] Instance nf_twice T (e : forall x y : T, {x = y} + {x <> y}) l : Nf (exists x, (2 <= count_occ e l x)%nat) (~ pairwise (fun x y => x <> y) l) | 0 := twice T e l.
#[export] Instance nf_twice' T (e : forall x y : T, {x = y} + {x <> y}) l : Nf (exists x, (1 < count_occ e l x)%nat) (~ pairwise (fun x y => x <> y) l) | 0 := twice T e l.
#[export] Instance nf_twice_ge T (e : forall x y : T, {x = y} + {x <> y}) l : Nf (exists x, (count_occ e l x >= 2)%nat) (~ pairwise (fun x y => x <> y) l) | 0 := twice T e l.
#[export] Instance nf_twice_gt T (e : forall x y : T, {x = y} + {x <> y}) l : Nf (exists x, (count_occ e l x > 1)%nat) (~ pairwise (fun x y => x <> y) l) | 0 := twice T e l.
Lemma twice_member T (e : forall x y : T, {x = y} + {x <> y}) l (C : T -> nat -> Prop) : (forall x n, C x n <-> (2 <= n)%nat) -> Nf (exists x, In x l /\ C x (count_occ e l x)) (~ pairwise (fun x y => x <> y) l).
Proof. unfold Nf. intro c. rewrite <- (twice T e). split; [intros (x & _ & h); exists x; apply (c x); exact h|intros [x h]; exists x; split; [apply (count_occ_In e); lia|apply c; exact h]]. Qed.
#[export] Hint Extern 0 (Nf (exists x, In x ?l /\ (2 <= count_occ ?e ?l x)%nat) _) => (exact (twice_member _ e l (fun _ n => (2 <= n)%nat) ltac:(intros; lia))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists x, In x ?l /\ (1 < count_occ ?e ?l x)%nat) _) => (exact (twice_member _ e l (fun _ n => (1 < n)%nat) ltac:(intros; lia))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists x, In x ?l /\ (count_occ ?e ?l x > 1)%nat) _) => (exact (twice_member _ e l (fun _ n => (n > 1)%nat) ltac:(intros; lia))) : typeclass_instances.

(** * Members of two lists, by their indices *)
Lemma some_two T U (d : T) (e : U) (C : nat -> nat -> Prop) (R : T -> U -> Prop) Q l m :
  (forall i j, C i j <-> ((i < length l)%nat /\ (j < length m)%nat /\ R (nth i l d) (nth j m e))) -> Nf (exists x, In x l /\ exists y, In y m /\ R x y) Q -> Nf (exists i j, C i j) Q.
Proof.
  unfold Nf. intros h <-. split.
  - intros (i & j & c). apply h in c. destruct c as (a & b & r). exists (nth i l d). split; [apply nth_In; exact a|]. exists (nth j m e). split; [apply nth_In; exact b|exact r].
  - intros (x & a & y & b & r). destruct (In_nth l x d a) as (i & u & <-), (In_nth m y e b) as (j & v & <-). exists i, j. apply h. auto.
Qed.
Lemma every_two T U (d : T) (e : U) (C : nat -> nat -> Prop) (R : T -> U -> Prop) Q l m :
  (forall i j, C i j <-> ((i < length l)%nat -> (j < length m)%nat -> R (nth i l d) (nth j m e))) -> Nf (forall x, In x l -> forall y, In y m -> R x y) Q -> Nf (forall i j, C i j) Q.
Proof.
  unfold Nf. intros h <-. split.
  - intros c x a y b. destruct (In_nth l x d a) as (i & u & <-), (In_nth m y e b) as (j & v & <-). apply (proj1 (h i j) (c i j)); auto.
  - intros c i j. apply h. intros a b. apply c; apply nth_In; auto.
Qed.
Ltac read_two := let i := fresh "i" in let j := fresh "j" in intros i j; lazymatch goal with |- ?c <-> ?s =>
  lazymatch c with context [nth i ?l ?d] => lazymatch c with context [nth j ?m ?e] =>
    lazymatch s with context [?R (nth i ?l' ?d') (nth j ?m' ?e')] => is_evar R; unify l l'; unify d d'; unify m m'; unify e e';
      let p := lazymatch c with context [@eq] => c | _ => c end in
      let q := last_part c in
      let f := eval pattern (nth i l d), (nth j m e) in q in lazymatch f with ?g _ _ => unify R g; cbv beta; first [ tauto | intuition lia ] end end end end end
with last_part P := lazymatch P with ?A /\ ?B => last_part B | ?A -> ?B => last_part B | _ => P end.
#[export] Hint Extern 1 (Nf (exists i j : nat, _) _) => (eapply some_two; [solve [read_two] | ]) : typeclass_instances.
#[export] Hint Extern 2 (Nf (forall i j : nat, _) _) => (eapply every_two; [solve [read_two] | ]) : typeclass_instances.

(** * Cuts at a given length *)
Lemma cut_length T (l : list T) k (P : list T -> list T -> Prop) : (exists a b, l = a ++ b /\ length a = k /\ P a b) <-> (k <= length l)%nat /\ P (firstn k l) (skipn k l).
Proof.
  split.
  - intros (a & b & -> & <- & p). rewrite app_length, take_first, skip_first. split; [lia|exact p].
  - intros [h p]. exists (firstn k l), (skipn k l). rewrite firstn_skipn, firstn_length. repeat split; [lia|exact p].
Qed.
Lemma cut_length_last T (l : list T) k (P : list T -> list T -> Prop) : (exists a b, l = a ++ b /\ length b = k /\ P a b) <-> (k <= length l)%nat /\ P (firstn (length l - k) l) (skipn (length l - k) l).
Proof.
  split.
  - intros (a & b & -> & <- & p). rewrite app_length. replace (length a + length b - length b)%nat with (length a) by lia. rewrite take_first, skip_first. split; [lia|exact p].
  - intros [h p]. exists (firstn (length l - k) l), (skipn (length l - k) l). rewrite firstn_skipn, skipn_length. repeat split; [lia|exact p].
Qed.
Lemma cut_reading T (l : list T) (C P : list T -> list T -> Prop) k Q : (forall a b, C a b <-> l = a ++ b /\ length a = k /\ P a b) -> Nf ((k <= length l)%nat /\ P (firstn k l) (skipn k l)) Q -> Nf (exists a b, C a b) Q.
Proof. unfold Nf. intros h <-. rewrite <- cut_length. split; intros (a & b & c); exists a, b; apply h; exact c. Qed.
Lemma cut_reading_last T (l : list T) (C P : list T -> list T -> Prop) k Q : (forall a b, C a b <-> l = a ++ b /\ length b = k /\ P a b) -> Nf ((k <= length l)%nat /\ P (firstn (length l - k) l) (skipn (length l - k) l)) Q -> Nf (exists a b, C a b) Q.
Proof. unfold Nf. intros h <-. rewrite <- cut_length_last. split; intros (a & b & c); exists a, b; apply h; exact c. Qed.
(* What is said beside the cut and its length. *)
Ltac rest_of C a b := lazymatch C with
  | ?A /\ ?B => let p := rest_of A a b in let q := rest_of B a b in lazymatch p with True => q | _ => lazymatch q with True => p | _ => constr:(p /\ q) end end
  | _ = a ++ b => constr:(True) | a ++ b = _ => constr:(True)
  | length a = _ => constr:(True) | _ = length a => constr:(True) | length b = _ => constr:(True) | _ = length b => constr:(True)
  | _ => C end.
Ltac read_cut := let a := fresh "a" in let b := fresh "b" in intros a b; lazymatch goal with |- ?C <-> ?l' = _ ++ _ /\ ?n' = ?k' /\ _ =>
    lazymatch C with context [?l = a ++ b] => unify l' l | context [a ++ b = ?l] => unify l' l end;
    lazymatch n' with length ?c => lazymatch C with context [length c = ?k] => unify k' k | context [?k = length c] => unify k' k end end;
    let r := rest_of C a b in lazymatch goal with |- _ <-> _ /\ _ /\ ?P a b => let f := eval pattern a, b in r in lazymatch f with ?g _ _ => unify P g; cbv beta; first [ tauto | intuition (auto using eq_sym) ] end end end.
#[export] Hint Extern 0 (Nf (exists a b : list _, _) _) => (eapply cut_reading; [solve [read_cut] | ]) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists a b : list _, _) _) => (eapply cut_reading_last; [solve [read_cut] | ]) : typeclass_instances.

(** * The number before *)
#[export] Instance nf_before k (P : nat -> Prop) Q `{Nf (P k) Q} : Nf (forall j, S j = S k -> P j) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [auto|intros h j e; injection e as ->; exact h]. Qed.
#[export] Instance nf_before' k (P : nat -> Prop) Q `{Nf (P k) Q} : Nf (forall j, S k = S j -> P j) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [auto|intros h j e; injection e as ->; exact h]. Qed.
#[export] Instance nf_before_1 k (P : nat -> Prop) Q `{Nf (P k) Q} : Nf (forall j, (j + 1)%nat = S k -> P j) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [intro h; apply h; lia|intros h j e; replace j with k by lia; exact h]. Qed.
#[export] Instance nf_none_before (P : nat -> Prop) : Nf (forall j, S j = 0%nat -> P j) True | 0. Proof. split; [auto|intros _ j e; discriminate]. Qed.
#[export] Instance nf_none_before' (P : nat -> Prop) : Nf (forall j, 0%nat = S j -> P j) True | 0. Proof. split; [auto|intros _ j e; discriminate]. Qed.
#[export] Instance nf_none_before_1 (P : nat -> Prop) : Nf (forall j, (j + 1)%nat = 0%nat -> P j) True | 0. Proof. split; [auto|intros _ j e; lia]. Qed.

(** * Multiples of a numeral, and the numbers between them *)
Lemma multiple p n : (n mod S p)%nat = 0%nat <-> exists k, n = (S p * k)%nat.
Proof. rewrite nmod0. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_multiple n p : Nf (exists k, n = (S p * k)%nat) ((n mod S p)%nat = 0%nat) | 0. Proof. unfold Nf. symmetry. apply multiple. Qed.
#[export] Instance nf_multiple2 n p : Nf (exists k, n = (k * S p)%nat) ((n mod S p)%nat = 0%nat) | 0. Proof. unfold Nf. rewrite multiple. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_multiple3 n p : Nf (exists k, (S p * k)%nat = n) ((n mod S p)%nat = 0%nat) | 0. Proof. unfold Nf. rewrite multiple. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_multiple4 n p : Nf (exists k, (k * S p)%nat = n) ((n mod S p)%nat = 0%nat) | 0. Proof. unfold Nf. rewrite multiple. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_doubled n : Nf (exists k, n = (k + k)%nat) ((n mod 2)%nat = 0%nat) | 0. Proof. unfold Nf. rewrite multiple. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_Zdoubled n : Nf (exists k, n = k + k) (n mod 2 = 0) | 0. Proof. unfold Nf. rewrite mod0. split; intros [k h]; exists k; lia. Qed.
Lemma half_way n : (n mod 2)%nat = 1%nat <-> exists k, n = (2 * k + 1)%nat.
Proof. rewrite <- nat_odd_mod, Nat.odd_spec. reflexivity. Qed.
#[export] Instance nf_half_way n : Nf (exists k, n = (2 * k + 1)%nat) ((n mod 2)%nat = 1%nat) | 0. Proof. unfold Nf. symmetry. apply half_way. Qed.
#[export] Instance nf_half_way2 n : Nf (exists k, n = S (2 * k)) ((n mod 2)%nat = 1%nat) | 0. Proof. unfold Nf. rewrite half_way. split; intros [k h]; exists k; lia. Qed.

(** * Members that a search finds *)
Lemma some_equal T (p : T -> T -> bool) l x : (forall y, p x y = true <-> x = y) -> existsb (p x) l = true <-> In x l.
Proof. intro h. rewrite existsb_exists. split; [intros (y & i & e); apply h in e; subst; exact i|intro i; exists x; split; [exact i|apply h; reflexivity]]. Qed.
#[export] Instance bt_member_Z x l : Bt (existsb (Z.eqb x) l) (In x l) | 0. Proof. apply some_equal. apply Z.eqb_eq. Qed.
#[export] Instance bt_member_nat x l : Bt (existsb (Nat.eqb x) l) (In x l) | 0. Proof. apply some_equal. apply Nat.eqb_eq. Qed.
#[export] Instance bt_member_ascii x l : Bt (existsb (Ascii.eqb x) l) (In x l) | 0. Proof. apply some_equal. apply Ascii.eqb_eq. Qed.
#[export] Instance bt_member_text x l : Bt (existsb (String.eqb x) l) (In x l) | 0. Proof. apply some_equal. apply String.eqb_eq. Qed.
#[export] Instance bt_member_Z' x l : Bt (existsb (fun y => y =? x) l) (In x l) | 0. Proof. apply (some_equal Z (fun x y => y =? x)). intro y. rewrite Z.eqb_eq. intuition. Qed.
#[export] Instance bt_member_nat' x l : Bt (existsb (fun y => y =? x)%nat l) (In x l) | 0. Proof. apply (some_equal nat (fun x y => y =? x)%nat). intro y. rewrite Nat.eqb_eq. intuition. Qed.
#[export] Instance bt_member_ascii' x l : Bt (existsb (fun y => Ascii.eqb y x) l) (In x l) | 0. Proof. apply (some_equal ascii (fun x y => Ascii.eqb y x)). intro y. rewrite Ascii.eqb_eq. intuition. Qed.
#[export] Instance bt_member_text' x l : Bt (existsb (fun y => String.eqb y x) l) (In x l) | 0. Proof. apply (some_equal string (fun x y => String.eqb y x)). intro y. rewrite String.eqb_eq. intuition. Qed.

(** * Palindromes: places of one half are enough *)
Lemma nf_mirror T (d : T) l (D C : nat -> Prop) : (forall i, D i <-> (C i -> nth i l d = nth (length l - 1 - i) l d)) ->
  (forall i, (C i -> i < length l)%nat /\ ((i < length l)%nat -> C i \/ C (length l - 1 - i)%nat)) -> Nf (forall i, D i) (l = rev l).
Proof.
  unfold Nf. intros r c. rewrite (palindrome_elements T d). split.
  - intros h i k. destruct (proj2 (c i) k) as [q|q]; [apply (proj1 (r i) (h i) q)|].
    pose proof (proj1 (r _) (h (length l - 1 - i)%nat) q) as e. replace (length l - 1 - (length l - 1 - i))%nat with i in e by lia. auto.
  - intros h i. apply r. intro q. apply h, (c i), q.
Qed.
Ltac premises P := lazymatch P with ?A -> ?B => let r := premises B in lazymatch r with True => A | _ => constr:(A /\ r) end | _ => constr:(True) end.
Ltac read_mirror := let i := fresh "i" in intro i; lazymatch goal with |- ?D <-> (_ -> nth _ ?l ?d = _) => let e := conclusion D in
  lazymatch e with nth ?j ?m ?d' = nth ?k ?m ?d' => unify l m; unify d d'; let p := premises D in let f := eval pattern i in p in
    lazymatch goal with |- _ <-> (?C i -> _) => lazymatch f with ?g _ => unify C g end end; cbv beta;
    split; [ intros h q; first [ replace (length m - 1 - i)%nat with k by lia; apply h; lia | replace (length m - 1 - i)%nat with j by lia; symmetry; replace i with k by lia; apply h; lia ]
           | intros h; repeat intro; first [ replace k with (length m - 1 - i)%nat by lia; apply h; lia | replace j with (length m - 1 - i)%nat by lia; replace k with i by lia; symmetry; apply h; lia ] ] end end.
#[export] Hint Extern 0 (Nf (forall i : nat, _) _) => (lazymatch goal with |- Nf (forall i, @?D i) _ => lazymatch D with context [nth _ ?l _ = nth _ ?l _] => eapply nf_mirror; [solve [read_mirror] | intro; cbv beta; lia] end end) : typeclass_instances.
