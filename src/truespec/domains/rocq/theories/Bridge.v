(** Bridge lemmas, and a normal form of propositions found by their head symbols.

    [Nf P Q] says [P <-> Q] and computes [Q] from [P]: Booleans become propositions, predicates on lists become
    statements on membership or on indices, divisibility and parity become remainders. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical.
From Truespec Require Export Sample.
Import ListNotations.
Local Open Scope Z_scope.

Class Nf (P Q : Prop) := nf : P <-> Q.
Class Bt (b : bool) (P : Prop) := bt : b = true <-> P.
#[global] Hint Mode Nf ! - : typeclass_instances.
#[global] Hint Mode Bt ! - : typeclass_instances.

#[export] Hint Opaque Z.le Z.lt Z.ge Z.gt Peano.lt Peano.gt Peano.ge Z.divide Nat.divide Z.Even Z.Odd Nat.Even Nat.Odd incl rel_prime : typeclass_instances.

(** * Structure *)
#[export] Instance nf_same P : Nf P P | 100. Proof. firstorder. Qed.
#[export] Instance nf_and A B A' B' `{Nf A A'} `{Nf B B'} : Nf (A /\ B) (A' /\ B'). Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_or A B A' B' `{Nf A A'} `{Nf B B'} : Nf (A \/ B) (A' \/ B'). Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_iff A B A' B' `{Nf A A'} `{Nf B B'} : Nf (A <-> B) (A' <-> B'). Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_not A A' `{Nf A A'} : Nf (~ A) (~ A'). Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_imp (A B A' B' : Prop) `{Nf A A'} `{Nf B B'} : Nf (A -> B) (A' -> B') | 2. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_all T (P Q : T -> Prop) `{forall x, Nf (P x) (Q x)} : Nf (forall x, P x) (forall x, Q x) | 3. Proof. unfold Nf in *; firstorder. Qed.
#[export] Instance nf_ex T (P Q : T -> Prop) `{forall x, Nf (P x) (Q x)} : Nf (exists x, P x) (exists x, Q x) | 3. Proof. unfold Nf in *; firstorder. Qed.
#[export] Instance nf_if b B P Q P' Q' `{Bt b B} `{Nf P P'} `{Nf Q Q'} : Nf (if b then P else Q) ((B -> P') /\ (~ B -> Q')).
Proof. unfold Nf, Bt in *; destruct b; intuition congruence. Qed.
#[export] Instance nf_sumbool (A B : Prop) (d : {A} + {B}) P Q P' Q' A' B' `{Nf A A'} `{Nf B B'} `{Nf P P'} `{Nf Q Q'} :
  (~ A \/ ~ B) -> Nf (if d then P else Q) ((A' -> P') /\ (B' -> Q')).
Proof. unfold Nf in *; destruct d; tauto. Qed.
#[export] Hint Extern 5 (~ _ \/ ~ _) => (solve [tauto | right; lia]) : typeclass_instances.

(** * Booleans *)
#[export] Instance bt_same b : Bt b (b = true) | 100. Proof. firstorder. Qed.
#[export] Instance bt_true : Bt true True. Proof. unfold Bt; tauto. Qed.
#[export] Instance bt_false : Bt false False. Proof. unfold Bt; split; [discriminate|tauto]. Qed.
#[export] Instance bt_and a b A B `{Bt a A} `{Bt b B} : Bt (a && b) (A /\ B). Proof. unfold Bt in *; rewrite andb_true_iff; tauto. Qed.
#[export] Instance bt_or a b A B `{Bt a A} `{Bt b B} : Bt (a || b) (A \/ B). Proof. unfold Bt in *; rewrite orb_true_iff; tauto. Qed.
#[export] Instance bt_not a A `{Bt a A} : Bt (negb a) (~ A). Proof. unfold Bt in *; destruct a; simpl; intuition congruence. Qed.
#[export] Instance bt_xor a b A B `{Bt a A} `{Bt b B} : Bt (xorb a b) (~ (A <-> B)). Proof. unfold Bt in *; destruct a, b; simpl; intuition congruence. Qed.
#[export] Instance bt_eqb a b A B `{Bt a A} `{Bt b B} : Bt (Bool.eqb a b) (A <-> B). Proof. unfold Bt in *; destruct a, b; simpl; intuition congruence. Qed.
#[export] Instance bt_imp a b A B `{Bt a A} `{Bt b B} : Bt (implb a b) (A -> B). Proof. unfold Bt in *; destruct a, b; simpl; intuition congruence. Qed.
#[export] Instance bt_if b c d B C D `{Bt b B} `{Bt c C} `{Bt d D} : Bt (if b then c else d) ((B -> C) /\ (~ B -> D)).
Proof. unfold Bt in *; destruct b; intuition congruence. Qed.
#[export] Instance bt_sumbool (A B : Prop) (e : {A} + {B}) c d C D A' B' `{Nf A A'} `{Nf B B'} `{Bt c C} `{Bt d D} :
  (~ A \/ ~ B) -> Bt (if e then c else d) ((A' -> C) /\ (B' -> D)).
Proof. unfold Nf, Bt in *; destruct e; tauto. Qed.
#[export] Instance bt_ltb x y : Bt (x <? y) (x < y) := Z.ltb_lt x y.
#[export] Instance bt_leb x y : Bt (x <=? y) (x <= y) := Z.leb_le x y.
#[export] Instance bt_eq x y : Bt (x =? y) (x = y) := Z.eqb_eq x y.
#[export] Instance bt_gtb x y : Bt (x >? y) (x > y). Proof. unfold Bt; rewrite Z.gtb_lt; lia. Qed.
#[export] Instance bt_geb x y : Bt (x >=? y) (x >= y). Proof. unfold Bt; rewrite Z.geb_le; lia. Qed.
#[export] Instance bt_nltb x y : Bt (x <? y)%nat (x < y)%nat := Nat.ltb_lt x y.
#[export] Instance bt_nleb x y : Bt (x <=? y)%nat (x <= y)%nat := Nat.leb_le x y.
#[export] Instance bt_neq x y : Bt (x =? y)%nat (x = y) := Nat.eqb_eq x y.
#[export] Instance bt_ascii x y : Bt (Ascii.eqb x y) (x = y) := Ascii.eqb_eq x y.
#[export] Instance bt_string x y : Bt (String.eqb x y) (x = y) := String.eqb_eq x y.
Lemma zeven_mod x : Z.even x = true <-> x mod 2 = 0.
Proof. rewrite Zeven_mod. split; intro h; [apply Zeq_bool_eq in h; exact h|rewrite h; reflexivity]. Qed.
Lemma zodd_mod x : Z.odd x = true <-> x mod 2 = 1.
Proof. rewrite <- Z.negb_even, negb_true_iff, <- not_true_iff_false, zeven_mod. pose proof (Z.mod_pos_bound x 2). lia. Qed.
#[export] Instance bt_Zeven x : Bt (Z.even x) (x mod 2 = 0) := zeven_mod x.
#[export] Instance bt_Zodd x : Bt (Z.odd x) (x mod 2 = 1) := zodd_mod x.
Lemma nat_even_mod n : Nat.even n = true <-> (n mod 2 = 0)%nat.
Proof. rewrite Nat.even_spec. split. intros [k ->]. rewrite Nat.mul_comm. apply Nat.mod_mul; lia. intro h. exists (n / 2)%nat. pose proof (Nat.div_mod n 2). lia. Qed.
#[export] Instance bt_even x : Bt (Nat.even x) (x mod 2 = 0)%nat := nat_even_mod x.
Lemma nat_odd_mod n : Nat.odd n = true <-> (n mod 2 = 1)%nat.
Proof. unfold Nat.odd; rewrite negb_true_iff, <- not_true_iff_false, nat_even_mod. pose proof (Nat.mod_upper_bound n 2). lia. Qed.
#[export] Instance bt_odd x : Bt (Nat.odd x) (x mod 2 = 1)%nat := nat_odd_mod x.
#[export] Instance bt_forallb T (p : T -> bool) l (P Q : T -> Prop) `{forall x, Bt (p x) (P x)} `{forall x, Nf (In x l) (Q x)} : Bt (forallb p l) (forall x, Q x -> P x).
Proof. unfold Bt, Nf in *; rewrite forallb_forall. firstorder. Qed.
#[export] Instance bt_existsb T (p : T -> bool) l (P Q : T -> Prop) `{forall x, Bt (p x) (P x)} `{forall x, Nf (In x l) (Q x)} : Bt (existsb p l) (exists x, Q x /\ P x).
Proof. unfold Bt, Nf in *; rewrite existsb_exists. firstorder. Qed.

#[export] Instance nf_true b P `{Bt b P} : Nf (b = true) P | 4. Proof. unfold Bt, Nf in *; tauto. Qed.
#[export] Instance nf_true' b P `{Bt b P} : Nf (true = b) P | 4. Proof. unfold Bt, Nf in *; intuition. Qed.
#[export] Instance nf_false b P `{Bt b P} : Nf (b = false) (~ P) | 4. Proof. unfold Bt, Nf in *; destruct b; intuition congruence. Qed.
#[export] Instance nf_false' b P `{Bt b P} : Nf (false = b) (~ P) | 4. Proof. unfold Bt, Nf in *; destruct b; intuition congruence. Qed.
#[export] Instance nf_beq a b A B `{Bt a A} `{Bt b B} : Nf (a = b) (A <-> B) | 6.
Proof. unfold Bt, Nf in *; destruct a, b; intuition congruence. Qed.
#[export] Instance nf_Is_true b P `{Bt b P} : Nf (Is_true b) P. Proof. unfold Bt, Nf in *; destruct b; simpl; intuition congruence. Qed.

(* A Boolean that is known. *)
#[export] Instance nf_tt : Nf (true = true) True | 0. Proof. split; auto. Qed.
#[export] Instance nf_ff : Nf (false = false) True | 0. Proof. split; auto. Qed.
#[export] Instance nf_tf : Nf (true = false) False | 0. Proof. split; [discriminate|tauto]. Qed.
#[export] Instance nf_ft : Nf (false = true) False | 0. Proof. split; [discriminate|tauto]. Qed.
#[export] Instance nf_imp_tt (P Q : Prop) `{Nf P Q} : Nf (true = true -> P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_imp_ff (P Q : Prop) `{Nf P Q} : Nf (false = false -> P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_imp_tf (P : Prop) : Nf (true = false -> P) True | 0. Proof. split; [auto|discriminate]. Qed.
#[export] Instance nf_imp_ft (P : Prop) : Nf (false = true -> P) True | 0. Proof. split; [auto|discriminate]. Qed.
#[export] Instance nf_iff_tt P Q `{Nf P Q} : Nf (true = true <-> P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_iff_ff P Q `{Nf P Q} : Nf (false = false <-> P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_iff_ft P Q `{Nf P Q} : Nf (false = true <-> P) (~ Q) | 0. Proof. unfold Nf in *; intuition congruence. Qed.
#[export] Instance nf_iff_tf P Q `{Nf P Q} : Nf (true = false <-> P) (~ Q) | 0. Proof. unfold Nf in *; intuition congruence. Qed.
#[export] Instance nf_and_tt (P Q : Prop) `{Nf P Q} : Nf (true = true /\ P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_and_ff (P Q : Prop) `{Nf P Q} : Nf (false = false /\ P) Q | 0. Proof. unfold Nf in *; tauto. Qed.
#[export] Instance nf_and_tf (P : Prop) : Nf (true = false /\ P) False | 0. Proof. split; [intros [h _]; discriminate|tauto]. Qed.
#[export] Instance nf_and_ft (P : Prop) : Nf (false = true /\ P) False | 0. Proof. split; [intros [h _]; discriminate|tauto]. Qed.
#[export] Instance nf_eq_t b P `{Bt b P} : Nf (true = b) P | 1. Proof. unfold Bt, Nf in *; intuition. Qed.
#[export] Instance nf_eq_f b P `{Bt b P} : Nf (false = b) (~ P) | 1. Proof. unfold Bt, Nf in *; destruct b; intuition congruence. Qed.

(** * Integers *)
Lemma mod0 b a : b mod a = 0 <-> (a | b).
Proof. destruct (Z.eq_dec a 0) as [->|n]; [|apply Z.mod_divide; exact n]. rewrite Zmod_0_r. split; [intros ->; apply Z.divide_0_r|apply Z.divide_0_l]. Qed.
Lemma nmod0 b a : (b mod a = 0)%nat <-> Nat.divide a b.
Proof. destruct (Nat.eq_dec a 0) as [->|n]; [|apply Nat.mod_divide; exact n]. simpl. split; [intros ->; apply Nat.divide_0_r|apply Nat.divide_0_l]. Qed.
(** Divisibility by a numeral is a remainder, any other remainder of zero is divisibility. *)
#[export] Instance nf_divide_pos p b : Nf (Zpos p | b) (b mod Zpos p = 0). Proof. unfold Nf; symmetry; apply mod0. Qed.
#[export] Instance nf_mod_pos p b : Nf (b mod Zpos p = 0) (b mod Zpos p = 0) | 0. Proof. firstorder. Qed.
#[export] Instance nf_mod a b : Nf (b mod a = 0) (a | b) | 1. Proof. apply mod0. Qed.
#[export] Instance nf_ndivide_S p b : Nf (Nat.divide (S p) b) (b mod (S p) = 0)%nat. Proof. unfold Nf; symmetry; apply nmod0. Qed.
#[export] Instance nf_nmod_S p b : Nf (b mod (S p) = 0)%nat (b mod (S p) = 0)%nat | 0. Proof. firstorder. Qed.
#[export] Instance nf_nmod a b : Nf (b mod a = 0)%nat (Nat.divide a b) | 1. Proof. apply nmod0. Qed.
#[export] Instance nf_ex_double n p : Nf (exists k, n = Zpos p * k) (n mod Zpos p = 0) | 1.
Proof. unfold Nf; rewrite mod0; split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_double2 n p : Nf (exists k, n = k * Zpos p) (n mod Zpos p = 0) | 1.
Proof. unfold Nf; rewrite mod0; split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_double3 n p : Nf (exists k, Zpos p * k = n) (n mod Zpos p = 0) | 1.
Proof. unfold Nf; rewrite mod0; split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_double4 n p : Nf (exists k, k * Zpos p = n) (n mod Zpos p = 0) | 1.
Proof. unfold Nf; rewrite mod0; split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_factor n a : Nf (exists k, n = a * k) (a | n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_factor2 n a : Nf (exists k, n = k * a) (a | n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_factor3 n a : Nf (exists k, a * k = n) (a | n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_factor4 n a : Nf (exists k, k * a = n) (a | n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_nfactor n a : Nf (exists k, n = a * k)%nat (Nat.divide a n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_nfactor2 n a : Nf (exists k, n = k * a)%nat (Nat.divide a n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_ex_nfactor3 n a : Nf (exists k, a * k = n)%nat (Nat.divide a n) | 2. Proof. split; intros [k h]; exists k; lia. Qed.
#[export] Instance nf_Zeven n : Nf (Z.Even n) (n mod 2 = 0). Proof. unfold Nf; rewrite <- Z.even_spec; apply zeven_mod. Qed.
#[export] Instance nf_Zodd n : Nf (Z.Odd n) (n mod 2 = 1). Proof. unfold Nf; rewrite <- Z.odd_spec; apply zodd_mod. Qed.
#[export] Instance nf_even n : Nf (Nat.Even n) (n mod 2 = 0)%nat. Proof. unfold Nf; rewrite <- Nat.even_spec; apply nat_even_mod. Qed.
#[export] Instance nf_odd n : Nf (Nat.Odd n) (n mod 2 = 1)%nat. Proof. unfold Nf; rewrite <- Nat.odd_spec; apply nat_odd_mod. Qed.
#[export] Instance nf_ex_odd n : Nf (exists k, n = 2 * k + 1) (n mod 2 = 1) | 1.
Proof. unfold Nf; rewrite <- zodd_mod, Z.odd_spec; reflexivity. Qed.
#[export] Instance nf_prime n : Nf (prime n) (1 < n /\ forall k, 1 < k < n -> ~ (k | n)).
Proof. unfold Nf; rewrite <- prime_alt. reflexivity. Qed.
#[export] Instance nf_is_gcd a b d : Nf (Zis_gcd a b d) (Z.abs d = Z.gcd a b).
Proof.
  assert (g := Zgcd_is_gcd a b). split; intro h.
  - destruct (Zis_gcd_unique a b d _ h g) as [e|e]; rewrite e, ?Z.abs_opp; apply Z.abs_eq, Z.gcd_nonneg.
  - destruct (Z.abs_eq_or_opp d) as [e|e]; rewrite e in h.
    + rewrite h; exact g.
    + rewrite <- (Z.opp_involutive d). apply Zis_gcd_sym, Zis_gcd_opp, Zis_gcd_sym. rewrite h. apply Zis_gcd_sym; exact g.
Qed.
#[export] Instance nf_rel_prime a b : Nf (rel_prime a b) (Z.gcd a b = 1). Proof. unfold Nf; symmetry; apply Zgcd_1_rel_prime. Qed.
#[export] Instance nf_power_nat x b : Nf (exists k : nat, x = b ^ Z.of_nat k) (exists k, 0 <= k /\ x = b ^ k) | 1.
Proof. split. intros [k h]; exists (Z.of_nat k); split; [lia|exact h]. intros [k [p h]]; exists (Z.to_nat k); rewrite Z2Nat.id; auto. Qed.

(** * Lists *)
Lemma nil_length T (l : list T) : l = [] <-> length l = 0%nat.
Proof. destruct l; simpl; split; intros; try reflexivity; try discriminate. Qed.
#[export] Instance nf_nil T (l : list T) : Nf (l = []) (length l = 0%nat) | 3 := nil_length T l.
#[export] Instance nf_nil' T (l : list T) : Nf ([] = l) (length l = 0%nat) | 3. Proof. unfold Nf; rewrite <- nil_length; split; auto. Qed.
#[export] Instance nf_In_nil T (x : T) : Nf (In x []) False. Proof. firstorder. Qed.
#[export] Instance nf_In_cons T (x y : T) l P `{Nf (In x l) P} : Nf (In x (y :: l)) (x = y \/ P).
Proof. unfold Nf in *; simpl; intuition congruence. Qed.
#[export] Instance nf_In_app T (x : T) l m P Q `{Nf (In x l) P} `{Nf (In x m) Q} : Nf (In x (l ++ m)) (P \/ Q).
Proof. unfold Nf in *; rewrite in_app_iff; tauto. Qed.
#[export] Instance nf_In_rev T (x : T) l P `{Nf (In x l) P} : Nf (In x (rev l)) P. Proof. unfold Nf in *; rewrite <- in_rev; tauto. Qed.
#[export] Instance nf_In_map T U (f : T -> U) y l (P : T -> Prop) `{forall x, Nf (In x l) (P x)} : Nf (In y (map f l)) (exists x, P x /\ y = f x).
Proof. unfold Nf in *; rewrite in_map_iff. firstorder (subst; eauto). Qed.
#[export] Instance nf_In_filter T (p : T -> bool) x l P Q `{Nf (In x l) P} `{Bt (p x) Q} : Nf (In x (filter p l)) (P /\ Q).
Proof. unfold Nf, Bt in *; rewrite filter_In; tauto. Qed.
#[export] Instance nf_In_seq x a n : Nf (In x (seq a n)) (a <= x < a + n)%nat | 0. Proof. apply in_seq. Qed.
#[export] Instance nf_Forall T (P Q R : T -> Prop) l `{forall x, Nf (P x) (Q x)} `{forall x, Nf (In x l) (R x)} : Nf (Forall P l) (forall x, R x -> Q x).
Proof. unfold Nf in *; rewrite Forall_forall; firstorder. Qed.
#[export] Instance nf_Exists T (P Q R : T -> Prop) l `{forall x, Nf (P x) (Q x)} `{forall x, Nf (In x l) (R x)} : Nf (Exists P l) (exists x, R x /\ Q x).
Proof. unfold Nf in *; rewrite Exists_exists; firstorder. Qed.
#[export] Instance nf_incl T (l m : list T) (P Q : T -> Prop) `{forall x, Nf (In x l) (P x)} `{forall x, Nf (In x m) (Q x)} : Nf (incl l m) (forall x, P x -> Q x).
Proof. unfold Nf, incl in *; firstorder. Qed.
#[export] Instance nf_in_split T (l : list T) x : Nf (exists a b, l = a ++ x :: b) (In x l) | 1.
Proof. split; [intros (a & b & ->); apply in_elt|apply in_split]. Qed.

Class Default (T : Type) := default : T.
#[export] Instance default_Z : Default Z := 0.
#[export] Instance default_nat : Default nat := 0%nat.
#[export] Instance default_bool : Default bool := false.
#[export] Instance default_ascii : Default ascii := Ascii.zero.
#[export] Instance default_string : Default string := EmptyString.
#[export] Instance default_list T : Default (list T) := nil.
#[export] Instance default_option T : Default (option T) := None.
#[export] Instance default_prod A B `{Default A} `{Default B} : Default (A * B) := (default, default).

Lemma nth_error_index T (d : T) l i x : nth_error l i = Some x <-> (i < length l)%nat /\ x = nth i l d.
Proof.
  split.
  - intro h. assert (s : nth_error l i <> None) by congruence. apply nth_error_Some in s. split; [exact s|].
    rewrite (nth_error_nth' l d s) in h. congruence.
  - intros [h ->]. apply nth_error_nth'; exact h.
Qed.
Ltac with_default T k := let d := constr:(default : T) in
  let e := eval unfold default, default_Z, default_nat, default_bool, default_ascii, default_string, default_option, default_list, default_prod in d in k e.
(* By tactics, since resolution leaves the default open. *)
#[export] Hint Extern 0 (Nf (@nth_error ?T _ _ = Some _) _) => (with_default T ltac:(fun d => apply (nth_error_index T d))) : typeclass_instances.
Lemma nth_error_index' T (d : T) l i x : Some x = nth_error l i <-> (i < length l)%nat /\ x = nth i l d.
Proof. rewrite <- (nth_error_index T d). split; auto. Qed.
#[export] Hint Extern 0 (Nf (Some _ = @nth_error ?T _ _) _) => (with_default T ltac:(fun d => apply (nth_error_index' T d))) : typeclass_instances.
#[export] Instance nf_nth_none T (l : list T) i : Nf (nth_error l i = None) (length l <= i)%nat. Proof. apply nth_error_None. Qed.
#[export] Instance nf_nth_none' T (l : list T) i : Nf (None = nth_error l i) (length l <= i)%nat. Proof. unfold Nf. rewrite <- nth_error_None. split; auto. Qed.
#[export] Instance nf_count_gt T (l : list T) x (e : forall x y : T, {x = y} + {x <> y}) : Nf (count_occ e l x > 0)%nat (In x l). Proof. unfold Nf; symmetry; apply count_occ_In. Qed.
#[export] Instance nf_count_lt T (l : list T) x (e : forall x y : T, {x = y} + {x <> y}) : Nf (0 < count_occ e l x)%nat (In x l). Proof. unfold Nf; symmetry; apply count_occ_In. Qed.
#[export] Instance nf_count_ge T (l : list T) x (e : forall x y : T, {x = y} + {x <> y}) : Nf (1 <= count_occ e l x)%nat (In x l). Proof. unfold Nf; symmetry; apply count_occ_In. Qed.
#[export] Instance nf_count_0 T (l : list T) x (e : forall x y : T, {x = y} + {x <> y}) : Nf (count_occ e l x = 0)%nat (~ In x l). Proof. unfold Nf; symmetry; apply count_occ_not_In. Qed.
#[export] Instance nf_count_n0 T (l : list T) x (e : forall x y : T, {x = y} + {x <> y}) : Nf (count_occ e l x <> 0)%nat (In x l) | 0.
Proof. unfold Nf. rewrite <- count_occ_not_In. destruct (in_dec e x l); tauto. Qed.

(** Statements on one index are statements on members. *)
Lemma all_index T (d : T) (P : T -> Prop) l : (forall i, (i < length l)%nat -> P (nth i l d)) <-> (forall x, In x l -> P x).
Proof. split. intros h x i; destruct (In_nth l x d i) as [k [? <-]]; auto. intros h i k; apply h, nth_In; auto. Qed.
Lemma some_index T (d : T) (P : T -> Prop) l : (exists i, (i < length l)%nat /\ P (nth i l d)) <-> (exists x, In x l /\ P x).
Proof. split. intros [i [h p]]; exists (nth i l d); split; auto using nth_In. intros [x [i p]]; destruct (In_nth l x d i) as [k [? <-]]; eauto. Qed.

(** Pairs of indices in order: one form for sortedness, distinctness and the like. *)
Fixpoint pairwise {T} (R : T -> T -> Prop) (l : list T) : Prop :=
  match l with [] => True | x :: t => (forall y, In y t -> R x y) /\ pairwise R t end.
Lemma pairwise_index T (d : T) (R : T -> T -> Prop) l : pairwise R l <-> forall i j, (i < j < length l)%nat -> R (nth i l d) (nth j l d).
Proof.
  induction l as [|x l IH]; simpl.
  - split; [intros _ i j h; lia|auto].
  - rewrite IH. split.
    + intros [h k] i j ij. destruct j as [|j]; [lia|]. destruct i as [|i]; [apply h, nth_In; lia|apply k; lia].
    + intro h. split; [|intros i j ij; apply (h (S i) (S j)); lia].
      intros y i. destruct (In_nth l y d i) as [k [? <-]]. apply (h 0%nat (S k)); lia.
Qed.
Lemma strongly_pairwise T (R : T -> T -> Prop) l : StronglySorted R l <-> pairwise R l.
Proof.
  induction l as [|x l IH]; simpl; [split; [auto|constructor]|]. rewrite <- IH, <- Forall_forall.
  split; [intro h; inversion h; auto|intros []; constructor; auto].
Qed.
Lemma sorted_pairwise T (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) -> (Sorted R l <-> pairwise R l).
Proof.
  intro tr. rewrite <- strongly_pairwise. split; [apply Sorted_StronglySorted; exact tr|apply StronglySorted_Sorted].
Qed.
Lemma nodup_pairwise T (l : list T) : NoDup l <-> pairwise (fun x y => x <> y) l.
Proof.
  induction l as [|x l IH]; simpl; [split; [auto|constructor]|]. rewrite NoDup_cons_iff, IH.
  split; intros [h k]; split; auto; [intros y i e; subst; auto|intro i; exact (h x i eq_refl)].
Qed.
Lemma pairwise_adjacent T (d : T) (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) ->
  ((forall i, (S i < length l)%nat -> R (nth i l d) (nth (S i) l d)) <-> pairwise R l).
Proof.
  intro tr. rewrite <- sorted_pairwise by exact tr. induction l as [|x l IH]; [split; [constructor|simpl; intros; lia]|].
  split.
  - intro h. constructor; [apply IH; intros i k; apply (h (S i)); simpl; lia|].
    destruct l as [|y l]; constructor. apply (h 0%nat); simpl; lia.
  - intro h. inversion h; subst. intros [|i] k; simpl in k.
    + destruct l as [|y l]; simpl in *; [lia|]. inversion H2; subst. assumption.
    + apply (proj2 IH H1 i). lia.
Qed.
Lemma pairwise_distinct T (d : T) l :
  (forall i j, (i < length l)%nat -> (j < length l)%nat -> i <> j -> nth i l d <> nth j l d) <-> pairwise (fun x y => x <> y) l.
Proof.
  rewrite (pairwise_index T d). split.
  - intros h i j ij. apply h; lia.
  - intros h i j li lj n e. assert (c : (i < j \/ j < i)%nat) by lia. destruct c; [apply (h i j)|apply (h j i)]; auto; lia.
Qed.

(** The instances below read the relation off the quantified formula: [pattern] abstracts the elements, and an
    evar whose scope lacks the indices refuses formulas that mention them otherwise. *)
Lemma nf_all_index T (d : T) (C : nat -> Prop) (P Q R : T -> Prop) l :
  (forall i, C i <-> ((i < length l)%nat -> P (nth i l d))) -> (forall x, Nf (P x) (Q x)) -> (forall x, Nf (In x l) (R x)) ->
  Nf (forall i, C i) (forall x, R x -> Q x).
Proof.
  unfold Nf. intros h q r. transitivity (forall i, (i < length l)%nat -> P (nth i l d)); [firstorder|].
  rewrite all_index. firstorder.
Qed.
Lemma nf_ex_index T (d : T) (C : nat -> Prop) (P Q R : T -> Prop) l :
  (forall i, C i <-> ((i < length l)%nat /\ P (nth i l d))) -> (forall x, Nf (P x) (Q x)) -> (forall x, Nf (In x l) (R x)) ->
  Nf (exists i, C i) (exists x, R x /\ Q x).
Proof.
  unfold Nf. intros h q r. transitivity (exists i, (i < length l)%nat /\ P (nth i l d)); [firstorder|].
  rewrite some_index. firstorder.
Qed.
Lemma nf_all_Zindex T (d : T) (C : Z -> Prop) (P Q R : T -> Prop) l :
  (forall i, C i <-> (0 <= i < Z.of_nat (length l) -> P (nth (Z.to_nat i) l d))) -> (forall x, Nf (P x) (Q x)) -> (forall x, Nf (In x l) (R x)) ->
  Nf (forall i, C i) (forall x, R x -> Q x).
Proof.
  unfold Nf. intros h q r. transitivity (forall i : nat, (i < length l)%nat -> P (nth i l d)); [|rewrite all_index; firstorder].
  split; intros k i.
  - intro hi. specialize (k (Z.of_nat i)). rewrite h, Nat2Z.id in k. apply k. lia.
  - apply h. intro hi. apply k. lia.
Qed.
Lemma nf_ex_Zindex T (d : T) (C : Z -> Prop) (P Q R : T -> Prop) l :
  (forall i, C i <-> (0 <= i < Z.of_nat (length l) /\ P (nth (Z.to_nat i) l d))) -> (forall x, Nf (P x) (Q x)) -> (forall x, Nf (In x l) (R x)) ->
  Nf (exists i, C i) (exists x, R x /\ Q x).
Proof.
  unfold Nf. intros h q r. transitivity (exists i : nat, (i < length l)%nat /\ P (nth i l d)); [|rewrite some_index; firstorder].
  split.
  - intros [i k]. apply h in k. exists (Z.to_nat i). split; [lia|tauto].
  - intros [i [k p]]. exists (Z.of_nat i). apply h. rewrite Nat2Z.id. split; [lia|exact p].
Qed.
Lemma nf_pairs T (d : T) (C : nat -> nat -> Prop) (R : T -> T -> Prop) l :
  (forall i j, C i j <-> ((i < j < length l)%nat -> R (nth i l d) (nth j l d))) -> Nf (forall i j, C i j) (pairwise R l).
Proof. unfold Nf. intros h. rewrite (pairwise_index T d). firstorder. Qed.
Lemma nf_distinct T (d : T) (C : nat -> nat -> Prop) l :
  (forall i j, C i j <-> ((i < length l)%nat -> (j < length l)%nat -> i <> j -> nth i l d <> nth j l d)) ->
  Nf (forall i j, C i j) (pairwise (fun x y => x <> y) l).
Proof. unfold Nf. intros h. rewrite <- (pairwise_distinct T d). firstorder. Qed.
Lemma nf_adjacent T (d : T) (C : nat -> Prop) (R : T -> T -> Prop) l :
  (forall x y z, R x y -> R y z -> R x z) -> (forall i, C i <-> ((S i < length l)%nat -> R (nth i l d) (nth (S i) l d))) ->
  Nf (forall i, C i) (pairwise R l).
Proof. unfold Nf. intros t h. rewrite <- (pairwise_adjacent T d R l t). firstorder. Qed.
Lemma nf_next T (C : nat -> T -> T -> Prop) (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) ->
  (forall i x y, C i x y <-> (nth_error l i = Some x -> nth_error l (S i) = Some y -> R x y)) -> Nf (forall i x y, C i x y) (pairwise R l).
Proof.
  unfold Nf. intros t h. rewrite <- sorted_pairwise by exact t.
  transitivity (forall i x y, nth_error l i = Some x -> nth_error l (S i) = Some y -> R x y); [split; intros k i x y; apply h; apply k|].
  clear h C. induction l as [|x l IH]; [split; [constructor | intros _ [|i]; discriminate]|]. split.
  - intro h. constructor; [apply IH; intro i; apply (h (S i))|]. destruct l as [|y l]; constructor. apply (h 0%nat); reflexivity.
  - intros h [|i] a b; cbn; [|apply (proj2 IH); inversion h; assumption]. intros [= <-] e. inversion h; subst. destruct l as [|y l]; [discriminate|]. injection e as <-. inversion H2; assumption.
Qed.

Ltac conclusion P := lazymatch P with ?A -> ?B => conclusion B | _ => P end.
Ltac final P := lazymatch P with ?A /\ ?B => final B | _ => P end.
(* Whether the guards of both sides agree, the conclusions being the same. *)
Ltac guards := first [ reflexivity | solve [split; intros; repeat match goal with H : _ /\ _ |- _ => destruct H end; repeat split;
  try lia; try assumption; match goal with H : _ |- _ => apply H; repeat split; lia end] | intuition lia ].
Ltac read_all := let i := fresh "i" in intro i; lazymatch goal with |- ?c <-> (_ -> ?P (nth ?k ?l ?d)) =>
    let e := conclusion c in lazymatch e with context [nth k ?m ?d'] => unify l m; unify d d';
      let f := eval pattern (nth k m d') in e in lazymatch f with ?g _ => unify P g; cbv beta; guards end end end.
Ltac read_some := let i := fresh "i" in intro i; lazymatch goal with |- ?c <-> (_ /\ ?P (nth ?k ?l ?d)) =>
    lazymatch c with context [nth k ?m ?d'] => unify l m; unify d d';
      let e := lazymatch c with (_ < _)%nat /\ ?e => e | (_ < _)%Z /\ ?e => e | (_ /\ _) /\ ?e => e | _ => final c end in
      let f := eval pattern (nth k m d') in e in lazymatch f with ?g _ => unify P g; cbv beta; guards end end end.
Ltac read_pairs := let i := fresh "i" in let j := fresh "j" in intros i j; lazymatch goal with |- ?c <-> (_ -> ?R (nth i ?l ?d) (nth j _ _)) =>
    let e := conclusion c in lazymatch e with context [nth i ?m ?d'] => unify l m; unify d d';
      let f := eval pattern (nth i m d'), (nth j m d') in e in lazymatch f with ?g _ _ => unify R g; cbv beta; guards end end end.
Ltac read_distinct := let i := fresh "i" in let j := fresh "j" in intros i j; lazymatch goal with |- ?c <-> (_ -> _ -> _ -> nth i ?l ?d <> nth j _ _) =>
    lazymatch c with context [nth i ?m ?d'] => unify l m; unify d d'; intuition (try congruence; try lia) end end.
Ltac read_adjacent := let i := fresh "i" in intro i; lazymatch goal with |- ?c <-> (_ -> ?R (nth i ?l ?d) (nth (S i) _ _)) =>
    let e := conclusion c in lazymatch e with context [nth i ?m ?d'] => unify l m; unify d d';
      try replace (i + 1)%nat with (S i) by lia;
      lazymatch goal with |- ?c <-> _ => let e := conclusion c in
      let f := eval pattern (nth i m d'), (nth (S i) m d') in e in lazymatch f with ?g _ _ => unify R g; cbv beta; guards end end end end.
Ltac read_next := let i := fresh "i" in let x := fresh "x" in let y := fresh "y" in intros i x y; lazymatch goal with |- ?c <-> (nth_error ?l i = Some x -> _ -> ?R x y) =>
    lazymatch c with context [nth_error ?m i] => unify l m; try replace (i + 1)%nat with (S i) by lia;
      lazymatch goal with |- ?c <-> _ => let e := conclusion c in let f := eval pattern x, y in e in lazymatch f with ?g _ _ => unify R g; cbv beta; tauto end end end end.
#[export] Hint Extern 0 (Nf (forall (i : nat) (x y : _), _) _) => (eapply nf_next; [ |solve [read_next]]; solve [intros; cbv beta in *; lia]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (forall i : nat, _) _) => (eapply nf_all_index; [solve [read_all] | |]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (forall i : Z, _) _) => (eapply nf_all_Zindex; [solve [read_all] | |]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (@ex nat _) _) => (eapply nf_ex_index; [solve [read_some] | |]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (@ex Z _) _) => (eapply nf_ex_Zindex; [solve [read_some] | |]) : typeclass_instances.
#[export] Hint Extern 0 (Nf (forall i : nat, forall j : nat, _) _) => (eapply nf_pairs; solve [read_pairs]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (forall i : nat, forall j : nat, _) _) => (eapply nf_distinct; solve [read_distinct]) : typeclass_instances.
#[export] Hint Extern 2 (Nf (forall i : nat, _) _) => (eapply nf_adjacent; [ |solve [read_adjacent]]; solve [intros; cbv beta in *; lia]) : typeclass_instances.
#[export] Instance nf_NoDup T (l : list T) : Nf (NoDup l) (pairwise (fun x y => x <> y) l) := nodup_pairwise T l.
#[export] Instance nf_StronglySorted T (R : T -> T -> Prop) l : Nf (StronglySorted R l) (pairwise R l) := strongly_pairwise T R l.
Lemma nf_Sorted T (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) -> Nf (Sorted R l) (pairwise R l).
Proof. apply sorted_pairwise. Qed.
Lemma nf_LocallySorted T (R : T -> T -> Prop) l : (forall x y z, R x y -> R y z -> R x z) -> Nf (LocallySorted R l) (pairwise R l).
Proof. intro t. unfold Nf. rewrite <- Sorted_LocallySorted_iff. apply sorted_pairwise; exact t. Qed.
#[export] Hint Extern 1 (Nf (Sorted _ _) _) => (apply nf_Sorted; intros; cbv beta in *; lia) : typeclass_instances.
#[export] Hint Extern 1 (Nf (LocallySorted _ _) _) => (apply nf_LocallySorted; intros; cbv beta in *; lia) : typeclass_instances.

(** Permutations are equal counts. *)
Lemma permutation_count T (e : forall x y : T, {x = y} + {x <> y}) l m : Permutation l m <-> forall x, count_occ e l x = count_occ e m x.
Proof. apply Permutation_count_occ. Qed.
#[export] Instance nf_Permutation_Z (l m : list Z) : Nf (Permutation l m) (forall x, count_occ Z.eq_dec l x = count_occ Z.eq_dec m x) := permutation_count _ _ l m.
#[export] Instance nf_Permutation_nat (l m : list nat) : Nf (Permutation l m) (forall x, count_occ Nat.eq_dec l x = count_occ Nat.eq_dec m x) := permutation_count _ _ l m.

#[export] Instance nf_count_one T (l : list T) (e : forall x y : T, {x = y} + {x <> y}) : Nf (forall x, In x l -> count_occ e l x = 1%nat) (pairwise (fun x y => x <> y) l) | 0.
Proof. unfold Nf. rewrite <- nodup_pairwise. symmetry. apply NoDup_count_occ'. Qed.
#[export] Instance nf_count_most_one T (l : list T) (e : forall x y : T, {x = y} + {x <> y}) : Nf (forall x, (count_occ e l x <= 1)%nat) (pairwise (fun x y => x <> y) l) | 0.
Proof. unfold Nf. rewrite <- nodup_pairwise. symmetry. apply NoDup_count_occ. Qed.

(** Relations between lists, element by element. *)
Lemma forall2_index A B (a : A) (b : B) (R : A -> B -> Prop) l m :
  Forall2 R l m <-> length l = length m /\ forall i, (i < length l)%nat -> R (nth i l a) (nth i m b).
Proof.
  split.
  - intro h. split; [induction h; simpl; congruence|]. induction h; simpl; [lia|]. intros [|i] k; [assumption|]. apply IHh; lia.
  - revert m. induction l as [|x l IH]; intros [|y m] [e h]; simpl in *; try discriminate; constructor.
    + apply (h 0%nat); lia.
    + apply IH. split; [lia|]. intros i k. apply (h (S i)). lia.
Qed.
Lemma same_index T (d : T) l m : l = m <-> length l = length m /\ forall i, (i < length l)%nat -> nth i l d = nth i m d.
Proof. split; [intros ->; auto|]. intros [e h]. apply (nth_ext _ _ d d e h). Qed.
Lemma nth_map T U (f : T -> U) d e l i : (i < length l)%nat -> nth i (map f l) e = f (nth i l d).
Proof. intro h. rewrite (nth_indep _ e (f d)) by (rewrite map_length; exact h). apply map_nth. Qed.

(** Prefixes. *)
Lemma nf_prefix T (l : list T) (P : list T -> Prop) : (exists p q, l = p ++ q /\ P p) <-> (exists i, (i <= length l)%nat /\ P (firstn i l)).
Proof.
  split.
  - intros (p & q & -> & h). exists (length p). rewrite app_length, firstn_app, Nat.sub_diag, firstn_all, app_nil_r. split; [lia|exact h].
  - intros (i & h & p). exists (firstn i l), (skipn i l). rewrite firstn_skipn. auto.
Qed.
Lemma text_append_substring p t : substring 0 (String.length p) (append p t) = p.
Proof. induction p as [|c p IH]; simpl; [destruct t; reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma text_prefix p s : String.prefix p s = true <-> exists t, s = append p t.
Proof.
  rewrite prefix_correct. split; [|intros [t ->]; apply text_append_substring].
  intro h. exists (substring (String.length p) (String.length s - String.length p) s). revert s h.
  induction p as [|c p IH]; intros s h; simpl in *.
  - rewrite Nat.sub_0_r. clear h. induction s as [|d s IH]; simpl; congruence.
  - destruct s as [|d s]; simpl in *; [discriminate|]. injection h as -> h. f_equal. apply IH. exact h.
Qed.
Lemma text_substring p s : substring 0 (String.length p) s = p <-> exists t, s = append p t.
Proof.
  split; [|intros [t ->]; apply text_append_substring]. intro h. apply text_prefix. apply prefix_correct. exact h.
Qed.
#[export] Instance bt_prefix p s : Bt (String.prefix p s) (exists t, s = append p t) := text_prefix p s.
#[export] Instance nf_substring p s : Nf (substring 0 (String.length p) s = p) (exists t, s = append p t) | 1 := text_substring p s.
#[export] Instance nf_eq_sym_append p t s : Nf (append p t = s) (s = append p t) | 1. Proof. split; auto. Qed.

(** Constructors. *)
#[export] Instance nf_Some T (x y : T) : Nf (Some x = Some y) (x = y) | 1. Proof. split; congruence. Qed.
#[export] Instance nf_Some_None T (x : T) : Nf (Some x = None) False | 1. Proof. split; [discriminate|tauto]. Qed.
#[export] Instance nf_None_Some T (x : T) : Nf (None = Some x) False | 1. Proof. split; [discriminate|tauto]. Qed.
#[export] Instance nf_None T : Nf (@None T = None) True | 1. Proof. split; auto. Qed.
#[export] Instance nf_pair T U (a b : T) (c d : U) P Q `{Nf (a = b) P} `{Nf (c = d) Q} : Nf ((a, c) = (b, d)) (P /\ Q) | 1.
Proof. unfold Nf in *. rewrite pair_equal_spec. tauto. Qed.
#[export] Instance nf_cons T (x y : T) l m P Q `{Nf (x = y) P} `{Nf (l = m) Q} : Nf (x :: l = y :: m) (P /\ Q) | 1.
Proof. unfold Nf in *. split; [intro h; inversion h; subst; tauto|intros []; f_equal; tauto]. Qed.
#[export] Instance nf_cons_nil T (x : T) l : Nf (x :: l = []) False | 1. Proof. split; [discriminate|tauto]. Qed.
#[export] Instance nf_nil_cons T (x : T) l : Nf ([] = x :: l) False | 1. Proof. split; [discriminate|tauto]. Qed.

(** A choice under an equation becomes a choice of equations. *)
#[export] Instance nf_eq_if T (b : bool) (r x y : T) B P Q `{Bt b B} `{Nf (r = x) P} `{Nf (r = y) Q} : Nf (r = if b then x else y) ((B -> P) /\ (~ B -> Q)) | 5.
Proof. unfold Bt, Nf in *. destruct b; intuition congruence. Qed.
#[export] Instance nf_if_eq T (b : bool) (r x y : T) B P Q `{Bt b B} `{Nf (x = r) P} `{Nf (y = r) Q} : Nf ((if b then x else y) = r) ((B -> P) /\ (~ B -> Q)) | 5.
Proof. unfold Bt, Nf in *. destruct b; intuition congruence. Qed.

(** Lists by their elements. *)
Lemma rev_elements T (d : T) l r : r = rev l <-> length r = length l /\ forall i, (i < length l)%nat -> nth i r d = nth (length l - 1 - i) l d.
Proof.
  rewrite (same_index T d), rev_length. split; intros [e h]; split; auto; intros i k.
  - rewrite h by lia. rewrite rev_nth by lia. f_equal. lia.
  - rewrite h by lia. rewrite rev_nth by lia. f_equal. lia.
Qed.
Lemma palindrome_elements T (d : T) l : l = rev l <-> forall i, (i < length l)%nat -> nth i l d = nth (length l - 1 - i) l d.
Proof. rewrite (rev_elements T d). tauto. Qed.
Lemma map_elements T U (f : T -> U) (d : T) (e : U) l r : r = map f l <-> length r = length l /\ forall i, (i < length l)%nat -> nth i r e = f (nth i l d).
Proof.
  rewrite (same_index U e), map_length. split; intros [n h]; split; auto; intros i k.
  - rewrite h by lia. apply nth_map; lia.
  - rewrite h by lia. symmetry. apply nth_map; lia.
Qed.

(** Prefixes by their indices. *)
Lemma nth_firstn_some T (l : list T) d n i : (i < n)%nat -> nth i (firstn n l) d = nth i l d.
Proof. revert n i. induction l as [|x l IH]; intros [|n] [|i] h; simpl; try lia; try reflexivity. apply IH. lia. Qed.
Lemma in_firstn T (d : T) n l x : In x (firstn n l) <-> exists i, (i < n)%nat /\ (i < length l)%nat /\ x = nth i l d.
Proof.
  split.
  - intro h. destruct (In_nth _ _ d h) as [i [k e]]. rewrite firstn_length in k. exists i. rewrite <- e, nth_firstn_some by lia. repeat split; lia.
  - intros (i & h & k & ->). rewrite <- (nth_firstn_some T l d n i h). apply nth_In. rewrite firstn_length. lia.
Qed.
#[export] Hint Extern 0 (Nf (@In ?T _ (firstn _ _)) _) => (with_default T ltac:(fun d => apply (in_firstn T d))) : typeclass_instances.
Lemma nf_all_firstn T (d : T) n l (P Q : T -> Prop) : (forall x, Nf (P x) (Q x)) -> Nf (forall x, In x (firstn n l) -> P x) (forall i, (i < n)%nat -> (i < length l)%nat -> Q (nth i l d)).
Proof.
  unfold Nf in *. intro e. split.
  - intros h i a b. apply e, h, (in_firstn T d). eauto.
  - intros h x k. apply (in_firstn T d) in k. destruct k as (i & a & b & ->). apply e. auto.
Qed.
#[export] Hint Extern 0 (Nf (forall x : ?T, In x (firstn _ _) -> _) _) => (with_default T ltac:(fun d => eapply (nf_all_firstn T d))) : typeclass_instances.
#[export] Instance nf_ex_prefix T (l : list T) (P Q : list T -> Prop) `{forall p, Nf (P p) (Q p)} : Nf (exists p q, l = p ++ q /\ P p) (exists i, (i <= length l)%nat /\ Q (firstn i l)) | 0.
Proof. unfold Nf in *. rewrite nf_prefix. firstorder. Qed.
Lemma split_off T (l r : list T) (P : list T -> Prop) : (exists t, l = r ++ t /\ P t) <-> firstn (length r) l = r /\ P (skipn (length r) l).
Proof.
  split.
  - intros (t & -> & p). rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r, skipn_app, skipn_all, Nat.sub_diag. auto.
  - intros [e p]. exists (skipn (length r) l). split; [|exact p]. rewrite <- e at 1. symmetry. apply firstn_skipn.
Qed.
#[export] Instance nf_split_off T (l r : list T) (P Q : list T -> Prop) `{forall t, Nf (P t) (Q t)} : Nf (exists t, l = r ++ t /\ P t) (firstn (length r) l = r /\ Q (skipn (length r) l)) | 1.
Proof. unfold Nf in *. rewrite split_off, H. tauto. Qed.
#[export] Instance nf_is_prefix T (l r : list T) : Nf (exists t, l = r ++ t) (firstn (length r) l = r) | 0.
Proof.
  unfold Nf. transitivity (exists t, l = r ++ t /\ True); [firstorder|]. rewrite (split_off T l r (fun _ => True)). tauto.
Qed.

(** The ends of a list. *)
Lemma last_element T (d : T) (l : list T) x : (exists p, l = p ++ [x]) <-> length l <> 0%nat /\ x = nth (length l - 1) l d.
Proof.
  split.
  - intros [p ->]. rewrite app_length. simpl. split; [lia|]. rewrite app_nth2 by lia. replace (length p + 1 - 1 - length p)%nat with 0%nat by lia. reflexivity.
  - intros [h ->]. exists (removelast l). assert (n : l <> []) by (intros ->; apply h; reflexivity).
    rewrite (app_removelast_last d n) at 1. f_equal. f_equal. clear h n.
    induction l as [|a l IH]; [reflexivity|]. destruct l as [|b l]; [reflexivity|].
    change (last (a :: b :: l) d) with (last (b :: l) d). rewrite IH. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.
Lemma first_element T (d : T) (l : list T) x : (exists t, l = x :: t) <-> length l <> 0%nat /\ x = nth 0 l d.
Proof. destruct l as [|a l]; simpl; split; [intros [t e]; discriminate|intros []; lia|intros [t e]; injection e; auto|intros [_ ->]; eauto]. Qed.
Lemma equation_turned T (l : list T) (P : list T -> list T) Q : ((exists p, l = P p) <-> Q) -> ((exists p, P p = l) <-> Q).
Proof. intros <-. split; intros [p e]; exists p; auto. Qed.
#[export] Hint Extern 0 (Nf (exists p : list ?T, _ = p ++ [_]) _) => (with_default T ltac:(fun d => apply (last_element T d))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists p : list ?T, p ++ [_] = _) _) => (with_default T ltac:(fun d => apply equation_turned, (last_element T d))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (exists t : list ?T, _ = _ :: t) _) => (with_default T ltac:(fun d => apply (first_element T d))) : typeclass_instances.
#[export] Instance nf_nonempty T (l : list T) : Nf (exists x t, l = x :: t) (length l <> 0%nat) | 0.
Proof. unfold Nf. destruct l as [|a l]; simpl; split; [intros (x & t & e); discriminate|lia|lia|eauto]. Qed.

(** Members of lists of lists, and of constant lists. *)
#[export] Instance nf_In_concat T (x : T) l (P : list T -> Prop) `{forall a, Nf (In a l) (P a)} : Nf (In x (concat l)) (exists a, P a /\ In x a) | 0.
Proof. unfold Nf in *. rewrite in_concat. firstorder. Qed.
#[export] Instance nf_In_nodup T (e : forall x y : T, {x = y} + {x <> y}) x l P `{Nf (In x l) P} : Nf (In x (nodup e l)) P | 0.
Proof. unfold Nf in *. rewrite nodup_In. exact H. Qed.

Lemma in_repeat T (x y : T) n : In x (repeat y n) <-> (0 < n)%nat /\ x = y.
Proof. induction n as [|n IH]; simpl; [lia|]. rewrite IH. intuition (subst; auto; lia). Qed.
#[export] Instance nf_In_repeat T (x y : T) n : Nf (In x (repeat y n)) ((0 < n)%nat /\ x = y) | 0 := in_repeat T x y n.

(** Sorted lists that were joined, and neighbours under a relation that is not transitive. *)
Lemma pairwise_app T (R : T -> T -> Prop) l m : pairwise R (l ++ m) <-> pairwise R l /\ pairwise R m /\ forall x y, In x l -> In y m -> R x y.
Proof.
  induction l as [|a l IH]; simpl; [intuition|]. rewrite IH. split.
  - intros (h & k & n & c). repeat split; auto; [intros y i; apply h, in_or_app; auto|]. intros x y [<-|i] j; [apply h, in_or_app; auto|auto].
  - intros ((h & k) & n & c). repeat split; auto. intros y i. apply in_app_or in i. destruct i; auto.
Qed.
Lemma nf_Sorted_app T (R : T -> T -> Prop) l m (P Q : T -> Prop) : (forall x y z, R x y -> R y z -> R x z) -> (forall x, Nf (In x l) (P x)) -> (forall x, Nf (In x m) (Q x)) ->
  Nf (Sorted R (l ++ m)) (pairwise R l /\ pairwise R m /\ forall x y, P x -> Q y -> R x y).
Proof. unfold Nf. intros t p q. rewrite sorted_pairwise by exact t. rewrite pairwise_app. firstorder. Qed.
#[export] Hint Extern 0 (Nf (Sorted _ (_ ++ _)) _) => (eapply nf_Sorted_app; [intros; cbv beta in *; lia | |]) : typeclass_instances.
Lemma sorted_adjacent T (d : T) (R : T -> T -> Prop) l : Sorted R l <-> forall i, (S i < length l)%nat -> R (nth i l d) (nth (S i) l d).
Proof.
  induction l as [|x l IH]; [split; [simpl; intros; lia|constructor]|]. split.
  - intros h [|i] k; inversion h; subst; simpl in k.
    + destruct l as [|y l]; simpl in *; [lia|]. inversion H2; subst. assumption.
    + apply (proj1 IH H1 i). lia.
  - intro h. constructor; [apply IH; intros i k; apply (h (S i)); simpl; lia|].
    destruct l as [|y l]; constructor. apply (h 0%nat); simpl; lia.
Qed.
#[export] Hint Extern 4 (Nf (@Sorted ?T _ _) _) => (with_default T ltac:(fun d => apply (sorted_adjacent T d))) : typeclass_instances.

(** A known value in place of a quantifier, and a quantifier in place of a premise that exists. *)
#[export] Instance nf_imp_ex T (P P' : T -> Prop) (Q Q' : Prop) `{forall x, Nf (P x) (P' x)} `{Nf Q Q'} : Nf ((exists x, P x) -> Q) (forall x, P' x -> Q') | 1.
Proof. unfold Nf in *. firstorder. Qed.
#[export] Instance nf_one_point T (t : T) (P : T -> Prop) Q `{Nf (P t) Q} : Nf (exists x, x = t /\ P x) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [intros (x & -> & p); exact p|eauto]. Qed.
#[export] Instance nf_one_point' T (t : T) (P : T -> Prop) Q `{Nf (P t) Q} : Nf (exists x, t = x /\ P x) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [intros (x & -> & p); exact p|eauto]. Qed.
#[export] Instance nf_one_point_all T (t : T) (P : T -> Prop) Q `{Nf (P t) Q} : Nf (forall x, x = t -> P x) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [auto|intros p x ->; exact p]. Qed.
#[export] Instance nf_one_point_all' T (t : T) (P : T -> Prop) Q `{Nf (P t) Q} : Nf (forall x, t = x -> P x) Q | 0.
Proof. unfold Nf in *. rewrite <- H. split; [auto|intros p x <-; exact p]. Qed.
Lemma nf_remainder (a x : Z) (P : Z -> Prop) Q : Nf (P (a - x)) Q -> Nf (exists m, a = x + m /\ P m) Q.
Proof. unfold Nf. intros <-. split; [intros (m & e & p); replace (a - x) with m by lia; exact p|intro p; exists (a - x); split; [lia|exact p]]. Qed.
#[export] Hint Extern 0 (Nf (exists m : Z, _ = _ + m /\ _) _) => (eapply nf_remainder) : typeclass_instances.
#[export] Instance nf_pair_left T U (a : T) (b : U) p : Nf ((a, b) = p) (a = fst p /\ b = snd p) | 8.
Proof. unfold Nf. destruct p; simpl. rewrite pair_equal_spec. tauto. Qed.
#[export] Instance nf_pair_right T U (a : T) (b : U) p : Nf (p = (a, b)) (a = fst p /\ b = snd p) | 8.
Proof. unfold Nf. destruct p; simpl. rewrite pair_equal_spec. intuition. Qed.
