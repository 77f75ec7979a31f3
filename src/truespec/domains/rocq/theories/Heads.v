(** Statements on lists, texts and naturals by their heads: what is said of [x :: l] is said of [x] and of [l].

    [At P Q] says [P <-> Q] and computes [Q] from [P]: indices are zero or those of the rest, a cut is before the head
    or in the rest, equations of constructors are equations of their parts. [Tidy] removes what is true or false, moves
    parts out of quantifiers that do not bind them, and puts known values in place of bound variables. So an induction
    meets its hypothesis in the same form, and propositional reasoning is left. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Forms.
Import ListNotations.
Local Open Scope Z_scope.

Class At (P Q : Prop) := at_head : P <-> Q.
Class Tidy (P Q : Prop) := tidied : P <-> Q.
(** [x = t /\ Q x] and [x = t -> Q x]. *)
Class Fixes {T} (P : T -> Prop) (t : T) (Q : T -> Prop) := fixes : forall x, P x <-> x = t /\ Q x.
Class Given {T} (P : T -> Prop) (t : T) (Q : T -> Prop) := given : forall x, P x <-> (x = t -> Q x).
Class Some_of (T : Type) := some_of : T.
(** A type of values: premises of implications are none. *)
Class Data (T : Type) : Prop := data : True.
#[export] Hint Extern 0 (Data ?T) => (let s := type of T in lazymatch s with Prop => fail | _ => exact I end) : typeclass_instances.
#[global] Hint Mode At ! - : typeclass_instances.
#[global] Hint Mode Tidy ! - : typeclass_instances.
#[global] Hint Mode Fixes ! ! - - : typeclass_instances.
#[global] Hint Mode Given ! ! - - : typeclass_instances.
Ltac by_logic := unfold At, Tidy, Fixes, Given in *; firstorder (subst; eauto).

#[export] Instance some_Z : Some_of Z := 0.
#[export] Instance some_nat : Some_of nat := O.
#[export] Instance some_list T : Some_of (list T) := [].
#[export] Instance some_text : Some_of string := EmptyString.
#[export] Instance some_letter : Some_of ascii := zero.
#[export] Instance some_bool : Some_of bool := true.
#[export] Instance some_option T : Some_of (option T) := None.
#[export] Instance some_pair A B `{Some_of A} `{Some_of B} : Some_of (A * B) := (some_of, some_of).

(** * Known values of bound variables *)
#[export] Instance fixes_left T (t : T) Q : Fixes (fun x => x = t /\ Q x) t Q | 0. Proof. by_logic. Qed.
#[export] Instance fixes_left' T (t : T) Q : Fixes (fun x => t = x /\ Q x) t Q | 0. Proof. intro x. intuition congruence. Qed.
#[export] Instance fixes_alone T (t : T) : Fixes (fun x => x = t) t (fun _ => True) | 1. Proof. by_logic. Qed.
#[export] Instance fixes_alone' T (t : T) : Fixes (fun x => t = x) t (fun _ => True) | 1. Proof. intro x. intuition congruence. Qed.
#[export] Instance fixes_short T (t : T) : Fixes (eq t) t (fun _ => True) | 1. Proof. intro x. intuition congruence. Qed.
#[export] Instance fixes_and1 T (t : T) P Q R (H : @Fixes T P t Q) : Fixes (fun x => P x /\ R x) t (fun x => Q x /\ R x) | 2.
Proof. intro x. rewrite (H x). tauto. Qed.
#[export] Instance fixes_and2 T (t : T) P Q R (H : @Fixes T P t Q) : Fixes (fun x => R x /\ P x) t (fun x => R x /\ Q x) | 3.
Proof. intro x. rewrite (H x). tauto. Qed.
#[export] Instance fixes_ex T U (t : T) (P Q : T -> U -> Prop) (H : forall y, Fixes (fun x => P x y) t (fun x => Q x y)) :
  Fixes (fun x => exists y, P x y) t (fun x => exists y, Q x y) | 4.
Proof. intro x. split; [intros [y h]; apply (H y) in h; firstorder | intros [e [y h]]; exists y; apply (H y); auto]. Qed.
#[export] Instance given_first T (t : T) (Q : T -> Prop) : Given (fun x => x = t -> Q x) t Q | 0. Proof. by_logic. Qed.
#[export] Instance given_first' T (t : T) (Q : T -> Prop) : Given (fun x => t = x -> Q x) t Q | 0. Proof. intro x. intuition. Qed.
#[export] Instance given_not T (t : T) : Given (fun x => x <> t) t (fun _ => False) | 1. Proof. by_logic. Qed.
#[export] Instance given_not' T (t : T) : Given (fun x => t <> x) t (fun _ => False) | 1. Proof. intro x. intuition congruence. Qed.
#[export] Instance given_later T (t : T) (P Q R : T -> Prop) (H : @Given T P t Q) : Given (fun x => R x -> P x) t (fun x => R x -> Q x) | 3.
Proof. intro x. specialize (H x). tauto. Qed.

(** * What remains once parts are known *)
#[export] Instance tidy_same P : Tidy P P | 100. Proof. by_logic. Qed.
#[export] Instance tidy_and_t1 P : Tidy (True /\ P) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_and_t2 P : Tidy (P /\ True) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_and_f1 P : Tidy (False /\ P) False | 0. Proof. by_logic. Qed.
#[export] Instance tidy_and_f2 P : Tidy (P /\ False) False | 0. Proof. by_logic. Qed.
#[export] Instance tidy_and_assoc A B C P Q (H : Tidy (B /\ C) P) (H0 : Tidy (A /\ P) Q) : Tidy ((A /\ B) /\ C) Q | 1. Proof. unfold Tidy in *. tauto. Qed.
#[export] Instance tidy_or_t1 P : Tidy (True \/ P) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_or_t2 P : Tidy (P \/ True) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_or_f1 P : Tidy (False \/ P) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_or_f2 P : Tidy (P \/ False) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_iff_t1 P : Tidy (True <-> P) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_iff_t2 P : Tidy (P <-> True) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_iff_f1 P : Tidy (False <-> P) (~ P) | 0. Proof. by_logic. Qed.
#[export] Instance tidy_iff_f2 P : Tidy (P <-> False) (~ P) | 0. Proof. by_logic. Qed.
#[export] Instance tidy_not_t : Tidy (~ True) False | 0. Proof. by_logic. Qed.
#[export] Instance tidy_not_f : Tidy (~ False) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_not_or A B P Q R (H : Tidy (~ A) P) (H0 : Tidy (~ B) Q) (H1 : Tidy (P /\ Q) R) : Tidy (~ (A \/ B)) R | 1. Proof. unfold Tidy in *. tauto. Qed.
#[export] Instance tidy_not_ex T (P : T -> Prop) (Q : T -> Prop) R (H : forall x, Tidy (~ P x) (Q x)) (H0 : Tidy (forall x, Q x) R) : Tidy (~ exists x, P x) R | 1.
Proof. unfold Tidy in *. rewrite <- H0. firstorder. Qed.
#[export] Instance tidy_imp_t1 (P : Prop) : Tidy (True -> P) P | 0. Proof. by_logic. Qed.
#[export] Instance tidy_imp_t2 (P : Prop) : Tidy (P -> True) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_imp_f1 (P : Prop) : Tidy (False -> P) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_imp_or (A B C P Q R : Prop) (H : Tidy (A -> C) P) (H0 : Tidy (B -> C) Q) (H1 : Tidy (P /\ Q) R) : Tidy (A \/ B -> C) R | 1.
Proof. unfold Tidy in *. tauto. Qed.
#[export] Instance tidy_imp_and (A B C P Q : Prop) (H : Tidy (B -> C) P) (H0 : Tidy (A -> P) Q) : Tidy (A /\ B -> C) Q | 1.
Proof. unfold Tidy in *. tauto. Qed.
#[export] Instance tidy_imp_ex T (P : T -> Prop) (C : Prop) (Q : T -> Prop) R (H : forall x, Tidy (P x -> C) (Q x)) (H0 : Tidy (forall x, Q x) R) : Tidy ((exists x, P x) -> C) R | 1.
Proof. unfold Tidy in *. rewrite <- H0. firstorder. Qed.
#[export] Instance tidy_all_idle T (P : Prop) (D : Data T) `{Some_of T} : Tidy (forall _ : T, P) P | 1. Proof. split; [intro h; exact (h some_of) | auto]. Qed.
#[export] Instance tidy_all_true T : Tidy (forall _ : T, True) True | 0. Proof. by_logic. Qed.
#[export] Instance tidy_all_and T (P Q : T -> Prop) A B C (D : Data T) (H : Tidy (forall x, P x) A) (H0 : Tidy (forall x, Q x) B) (H1 : Tidy (A /\ B) C) : Tidy (forall x, P x /\ Q x) C | 2.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder. Qed.
#[export] Instance tidy_all_given T (P : T -> Prop) t Q R (D : Data T) (H : @Given T P t Q) (H0 : Tidy (Q t) R) : Tidy (forall x, P x) R | 3.
Proof. unfold Tidy, Given in *. rewrite <- H0. split; [intro h; apply (proj1 (H t) (h t)); reflexivity | intros q x; apply H; intros ->; exact q]. Qed.
#[export] Instance tidy_all_out T (A : Prop) (P : T -> Prop) Q R (D : Data T) (H : Tidy (forall x, P x) Q) (H0 : Tidy (A -> Q) R) : Tidy (forall x, A -> P x) R | 4.
Proof. unfold Tidy in *. rewrite <- H0, <- H. firstorder. Qed.
#[export] Instance tidy_ex_false T : Tidy (exists _ : T, False) False | 0. Proof. by_logic. Qed.
#[export] Instance tidy_ex_idle T (P : Prop) `{Some_of T} : Tidy (exists _ : T, P) P | 1. Proof. split; [intros [_ h]; exact h | intro h; exact (ex_intro _ some_of h)]. Qed.
#[export] Instance tidy_ex_or T (P Q : T -> Prop) A B C (H : Tidy (exists x, P x) A) (H0 : Tidy (exists x, Q x) B) (H1 : Tidy (A \/ B) C) : Tidy (exists x, P x \/ Q x) C | 2.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder. Qed.
#[export] Instance tidy_ex_fixes T (P : T -> Prop) t Q R (H : @Fixes T P t Q) (H0 : Tidy (Q t) R) : Tidy (exists x, P x) R | 3.
Proof. unfold Tidy, Fixes in *. rewrite <- H0. split; [intros [x h]; apply H in h; destruct h as [-> h]; exact h | intro h; exists t; apply H; auto]. Qed.
#[export] Instance tidy_ex_out T (A : Prop) (P : T -> Prop) Q R (H : Tidy (exists x, P x) Q) (H0 : Tidy (A /\ Q) R) : Tidy (exists x, A /\ P x) R | 4.
Proof. unfold Tidy in *. rewrite <- H0, <- H. firstorder. Qed.
#[export] Instance tidy_ex_out' T (A : Prop) (P : T -> Prop) Q R (H : Tidy (exists x, P x) Q) (H0 : Tidy (A /\ Q) R) : Tidy (exists x, P x /\ A) R | 4.
Proof. unfold Tidy in *. rewrite <- H0, <- H. firstorder. Qed.
#[export] Instance tidy_ex_out2 T (A : Prop) (P S : T -> Prop) Q R (H : Tidy (exists x, P x /\ S x) Q) (H0 : Tidy (A /\ Q) R) : Tidy (exists x, P x /\ A /\ S x) R | 5.
Proof. unfold Tidy in *. rewrite <- H0, <- H. firstorder. Qed.
#[export] Instance tidy_ex_member T (t : T) (P Q : T -> Prop) A B C (H : Tidy (Q t) A) (H0 : Tidy (exists x, P x /\ Q x) B) (H1 : Tidy (A \/ B) C) : Tidy (exists x, (t = x \/ P x) /\ Q x) C | 3.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder (subst; eauto). Qed.
#[export] Instance tidy_ex_member' T (t : T) (P Q : T -> Prop) A B C (H : Tidy (Q t) A) (H0 : Tidy (exists x, P x /\ Q x) B) (H1 : Tidy (A \/ B) C) : Tidy (exists x, (x = t \/ P x) /\ Q x) C | 3.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder (subst; eauto). Qed.

#[export] Instance tidy_ex_choice T (t : T) (P Q : T -> Prop) A B C (H : Tidy (Q t) A) (H0 : Tidy (exists x, Q x /\ P x) B) (H1 : Tidy (A \/ B) C) : Tidy (exists x, Q x /\ (x = t \/ P x)) C | 3.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder (subst; eauto). Qed.
#[export] Instance tidy_ex_choice' T (t : T) (P Q : T -> Prop) A B C (H : Tidy (Q t) A) (H0 : Tidy (exists x, Q x /\ P x) B) (H1 : Tidy (A \/ B) C) : Tidy (exists x, Q x /\ (t = x \/ P x)) C | 3.
Proof. unfold Tidy in *. rewrite <- H1, <- H, <- H0. firstorder (subst; eauto). Qed.

(** * Structure *)
#[export] Instance at_same P : At P P | 100. Proof. by_logic. Qed.
#[export] Instance at_and A B A' B' Q (H : At A A') (H0 : At B B') (H1 : Tidy (A' /\ B') Q) : At (A /\ B) Q. Proof. unfold At, Tidy in *; tauto. Qed.
#[export] Instance at_or A B A' B' Q (H : At A A') (H0 : At B B') (H1 : Tidy (A' \/ B') Q) : At (A \/ B) Q. Proof. unfold At, Tidy in *; tauto. Qed.
#[export] Instance at_iff A B A' B' Q (H : At A A') (H0 : At B B') (H1 : Tidy (A' <-> B') Q) : At (A <-> B) Q. Proof. unfold At, Tidy in *; tauto. Qed.
#[export] Instance at_not A A' Q (H : At A A') (H0 : Tidy (~ A') Q) : At (~ A) Q. Proof. unfold At, Tidy in *; tauto. Qed.
#[export] Instance at_imp (A B A' B' Q : Prop) (H : At A A') (H0 : At B B') (H1 : Tidy (A' -> B') Q) : At (A -> B) Q | 2. Proof. unfold At, Tidy in *; tauto. Qed.
#[export] Instance at_all T (P P' : T -> Prop) Q (H : forall x, At (P x) (P' x)) (H0 : Tidy (forall x, P' x) Q) : At (forall x, P x) Q | 6.
Proof. unfold At, Tidy in *. rewrite <- H0. firstorder. Qed.
#[export] Instance at_ex T (P P' : T -> Prop) Q (H : forall x, At (P x) (P' x)) (H0 : Tidy (exists x, P' x) Q) : At (exists x, P x) Q | 6.
Proof. unfold At, Tidy in *. rewrite <- H0. firstorder. Qed.
Lemma at_known (b : bool) P Q : Bt b P -> At P Q -> At (b = true) Q. Proof. unfold At, Bt. tauto. Qed.
Lemma at_known' (b : bool) P Q : Bt b P -> At (~ P) Q -> At (b = false) Q.
Proof. unfold At, Bt. intros h <-. rewrite <- h. destruct b; split; congruence. Qed.
Lemma at_unknown (b : bool) : At (b = false) (~ b = true). Proof. unfold At. destruct b; split; congruence. Qed.
Ltac known lemma := eapply lemma; [once (typeclasses eauto) | lazymatch goal with |- At (_ = true) _ => fail | |- At (~ (_ = true)) _ => fail | _ => idtac end].
#[export] Hint Extern 3 (At (_ = true) _) => (known at_known) : typeclass_instances.
#[export] Hint Extern 3 (At (_ = false) _) => (known at_known') : typeclass_instances.
#[export] Hint Extern 4 (At (_ = false) _) => (apply at_unknown) : typeclass_instances.

(** * Heads *)
#[export] Instance at_refl T (x : T) : At (x = x) True | 0. Proof. by_logic. Qed.
#[export] Instance at_cons T (x y : T) l m P Q R (H : At (x = y) P) (H0 : At (l = m) Q) (H1 : Tidy (P /\ Q) R) : At (x :: l = y :: m) R | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intros [=]; auto | intros [-> ->]; reflexivity]. Qed.
#[export] Instance at_text c d s t P Q R (H : At (c = d) P) (H0 : At (s = t) Q) (H1 : Tidy (P /\ Q) R) : At (String c s = String d t) R | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intros [=]; auto | intros [-> ->]; reflexivity]. Qed.
#[export] Instance at_Some T (x y : T) P (H : At (x = y) P) : At (Some x = Some y) P | 1. Proof. unfold At in *. rewrite <- H. split; congruence. Qed.
#[export] Instance at_pair A B (a c : A) (b d : B) P Q R (H : At (a = c) P) (H0 : At (b = d) Q) (H1 : Tidy (P /\ Q) R) : At ((a, b) = (c, d)) R | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intros [=]; auto | intros [-> ->]; reflexivity]. Qed.
#[export] Instance at_S (m n : nat) P (H : At (m = n) P) : At (S m = S n) P | 1. Proof. unfold At in *. rewrite <- H. split; congruence. Qed.
#[export] Hint Extern 1 (At (?a = ?b) _) => (let h := head_of a in is_constructor h; let k := head_of b in is_constructor k;
  assert_fails (constr_eq h k); lazymatch type of a with Z => fail | _ => idtac end; refine (no_eq a b _); discriminate) : typeclass_instances.
#[export] Instance at_nil_app T (l m : list T) P Q R (H : At (l = []) P) (H0 : At (m = []) Q) (H1 : Tidy (P /\ Q) R) : At ([] = l ++ m) R | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intro h; symmetry in h; apply app_eq_nil in h; exact h | intros [-> ->]; reflexivity]. Qed.
#[export] Instance at_turned T (l m k : list T) P (H : At (k = l ++ m) P) : At (l ++ m = k) P | 3. Proof. unfold At in *. rewrite <- H. split; auto. Qed.
#[export] Instance at_lt_S m n P (H : At (m < n)%nat P) : At (S m < S n)%nat P | 1. Proof. unfold At in *. rewrite <- H. lia. Qed.
#[export] Instance at_le_S m n P (H : At (m <= n)%nat P) : At (S m <= S n)%nat P | 1. Proof. unfold At in *. rewrite <- H. lia. Qed.
#[export] Instance at_lt_0 m : At (m < 0)%nat False | 1. Proof. unfold At. lia. Qed.
#[export] Instance at_le_0 m : At (S m <= 0)%nat False | 1. Proof. unfold At. lia. Qed.
#[export] Instance at_0_lt m : At (0 < S m)%nat True | 1. Proof. unfold At. lia. Qed.
#[export] Instance at_0_le m : At (0 <= m)%nat True | 1. Proof. unfold At. lia. Qed.
#[export] Instance at_lt_1 m P (H : At (m = 0)%nat P) : At (m < 1)%nat P | 1. Proof. unfold At in *. rewrite <- H. lia. Qed.
#[export] Instance at_1_lt m P (H : At (0 < m)%nat P) : At (1 < S m)%nat P | 0. Proof. unfold At in *. rewrite <- H. lia. Qed.
Lemma members_first T (y x : T) l : (y = x \/ In x l) <-> (x = y \/ In x l). Proof. intuition. Qed.
#[export] Instance at_Forall_cons T (P : T -> Prop) x l A B C (H : At (P x) A) (H0 : At (Forall P l) B) (H1 : Tidy (A /\ B) C) : At (Forall P (x :: l)) C | 1.
Proof. unfold At, Tidy in *. rewrite Forall_cons_iff. tauto. Qed.
#[export] Instance at_Forall_nil T (P : T -> Prop) : At (Forall P []) True | 1. Proof. split; auto. Qed.
#[export] Instance at_Exists_cons T (P : T -> Prop) x l A B C (H : At (P x) A) (H0 : At (Exists P l) B) (H1 : Tidy (A \/ B) C) : At (Exists P (x :: l)) C | 1.
Proof. unfold At, Tidy in *. rewrite Exists_cons. tauto. Qed.
#[export] Instance at_Exists_nil T (P : T -> Prop) : At (Exists P []) False | 1. Proof. apply Exists_nil. Qed.
#[export] Instance at_Forall2_cons A B (R : A -> B -> Prop) x y l m P Q S (H : At (R x y) P) (H0 : At (Forall2 R l m) Q) (H1 : Tidy (P /\ Q) S) : At (Forall2 R (x :: l) (y :: m)) S | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intro h; inversion h; auto | intros []; auto]. Qed.
#[export] Instance at_Forall2_nil A B (R : A -> B -> Prop) : At (Forall2 R [] []) True | 0. Proof. split; auto. Qed.
#[export] Instance at_Forall2_nil_l A B (R : A -> B -> Prop) m : At (Forall2 R [] m) (m = []) | 1. Proof. split; [intro h; inversion h; auto | intros ->; auto]. Qed.
#[export] Instance at_Forall2_nil_r A B (R : A -> B -> Prop) l : At (Forall2 R l []) (l = []) | 1. Proof. split; [intro h; inversion h; auto | intros ->; auto]. Qed.
#[export] Instance at_NoDup_cons T (x : T) l P Q R (H : At (~ In x l) P) (H0 : At (NoDup l) Q) (H1 : Tidy (P /\ Q) R) : At (NoDup (x :: l)) R | 1.
Proof. unfold At, Tidy in *. rewrite NoDup_cons_iff. tauto. Qed.
#[export] Instance at_NoDup_nil T : At (NoDup (@nil T)) True | 1. Proof. split; [auto|constructor]. Qed.
#[export] Instance at_Strongly_cons T (R : T -> T -> Prop) x l P Q S (H : At (Forall (R x) l) P) (H0 : At (StronglySorted R l) Q) (H1 : Tidy (P /\ Q) S) : At (StronglySorted R (x :: l)) S | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intro h; inversion h; auto | intros []; constructor; auto]. Qed.
#[export] Instance at_Sorted_cons2 T (R : T -> T -> Prop) x y l P Q S (H : At (R x y) P) (H0 : At (Sorted R (y :: l)) Q) (H1 : Tidy (P /\ Q) S) : At (Sorted R (x :: y :: l)) S | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intro h; apply Sorted_inv in h; destruct h as [h k]; apply HdRel_inv in k; auto | intros []; auto]. Qed.
#[export] Instance at_Sorted_one T (R : T -> T -> Prop) x : At (Sorted R [x]) True | 0. Proof. split; auto. Qed.
#[export] Instance at_Sorted_nil T (R : T -> T -> Prop) : At (Sorted R []) True | 0. Proof. split; auto. Qed.
#[export] Instance at_incl_cons T (x : T) l m P Q R (H : At (In x m) P) (H0 : At (incl l m) Q) (H1 : Tidy (P /\ Q) R) : At (incl (x :: l) m) R | 1.
Proof. unfold At, Tidy in *. rewrite <- H1, <- H, <- H0. split; [intro h; split; [apply h; left; reflexivity | intros y i; apply h; right; exact i] | intros [h k] y [<-|i]; auto]. Qed.

(** * Bound variables by their heads *)
Lemma at_all_nat (P : nat -> Prop) A B Q : At (P O) A -> At (forall i, P (S i)) B -> Tidy (A /\ B) Q -> At (forall i, P i) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [auto | intros [h k] [|i]; auto]. Qed.
Lemma at_ex_nat (P : nat -> Prop) A B Q : At (P O) A -> At (exists i, P (S i)) B -> Tidy (A \/ B) Q -> At (exists i, P i) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [intros [[|i] h]; eauto | intros [h|[i h]]; eauto]. Qed.
Lemma at_all_list T (P : list T -> Prop) A B Q : At (P []) A -> At (forall x l, P (x :: l)) B -> Tidy (A /\ B) Q -> At (forall l, P l) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [auto | intros [h k] [|x l]; auto]. Qed.
Lemma at_ex_list T (P : list T -> Prop) A B Q : At (P []) A -> At (exists x l, P (x :: l)) B -> Tidy (A \/ B) Q -> At (exists l, P l) Q.
Proof. unfold At, Tidy. intros <- <- <-. split; [intros [[|x l] h]; eauto | intros [h|(x & l & h)]; eauto]. Qed.
Lemma at_all_pair A B (P : A * B -> Prop) Q : At (forall a b, P (a, b)) Q -> At (forall p, P p) Q.
Proof. unfold At. intros <-. split; [auto | intros h []; auto]. Qed.
Lemma at_ex_pair A B (P : A * B -> Prop) Q : At (exists a b, P (a, b)) Q -> At (exists p, P p) Q.
Proof. unfold At. intros <-. split; [intros [[] h]; eauto | intros (a & b & h); eauto]. Qed.
Ltac reduce := cbn [nth nth_error length app firstn skipn repeat hd hd_error tl In pairwise String.get String.length append map filter existsb forallb rev seq fst snd last removelast fold_right count_occ combine list_ascii_of_string].
(* Whether the bound variable is an index into what has a head. *)
Ltac has_index P := assert_succeeds (assert (nat -> True) by (let j := fresh in intro j; let b := eval cbv beta in (P j) in match b with
  | context [nth j (_ :: _) _] => exact I | context [nth_error (_ :: _) j] => exact I | context [String.get j (String _ _)] => exact I
  | context [firstn j (_ :: _)] => exact I | context [skipn j (_ :: _)] => exact I | context [repeat _ j ++ _] => exact I
  | context [String.get j EmptyString] => exact I | context [nth_error [] j] => exact I | context [nth j [] _] => exact I
  end)).
Ltac has_cut P := let ok := match P with
  | context [_ :: _ = _ ++ _] => constr:(true) | context [_ ++ _ = _ :: _] => constr:(true) end in idtac.
#[export] Hint Extern 1 (At (forall i : nat, @?P i) _) => (has_index P; eapply (at_all_nat P); cbv beta; [reduce | reduce | ]) : typeclass_instances.
#[export] Hint Extern 1 (At (exists i : nat, @?P i) _) => (has_index P; eapply (at_ex_nat P); cbv beta; [reduce | reduce | ]) : typeclass_instances.
#[export] Hint Extern 2 (At (forall p : _ * _, @?P p) _) => (eapply (at_all_pair _ _ P); cbv beta; cbn [fst snd]) : typeclass_instances.
#[export] Hint Extern 2 (At (exists p : _ * _, @?P p) _) => (eapply (at_ex_pair _ _ P); cbv beta; cbn [fst snd]) : typeclass_instances.
(* The variable that a cut begins with is taken by its head; inner variables are reached later. *)
Ltac begins_cut P := lazymatch P with fun p : ?T => @?B p =>
  assert_succeeds (let q := fresh in assert (q : T -> True) by (let p := fresh in intro p; let b := eval cbv beta in (B p) in
    match b with context [_ :: _ = p ++ _] => exact I | context [p ++ _ = _ :: _] => exact I end)) end.
#[export] Hint Extern 1 (At (exists p : list ?T, @?P p) _) => (has_cut P; begins_cut P; eapply (at_ex_list T P); cbv beta; [reduce | reduce | ]) : typeclass_instances.
#[export] Hint Extern 1 (At (forall p : list ?T, @?P p) _) => (has_cut P; begins_cut P; eapply (at_all_list T P); cbv beta; [reduce | reduce | ]) : typeclass_instances.

(** * Inductions whose steps are read so *)
Lemma by_at A B A' B' : At A A' -> At B B' -> (A' <-> B') -> (A <-> B). Proof. unfold At. tauto. Qed.
Lemma same_truth (r b : bool) (P : Prop) : (b = true <-> P) -> (r = b <-> (r = true <-> P)). Proof. destruct r, b; intuition congruence. Qed.
Lemma same_truth' (r b : bool) (P : Prop) : (b = true <-> P) -> (r = b <-> (r = false <-> ~ P)). Proof. destruct r, b; intuition congruence. Qed.
Lemma same_falsity (r b : bool) (P : Prop) : (b = true <-> ~ P) -> (r = b <-> (r = false <-> P)).
Proof. destruct r, b; destruct (classic P); intuition congruence. Qed.
Lemma both_truths (r : bool) (P Q : Prop) : (P <-> Q) -> ((r = true <-> P) <-> (r = true <-> Q)). Proof. tauto. Qed.
Lemma truth_falsity (r : bool) (P Q : Prop) : (P <-> ~ Q) -> ((r = true <-> P) <-> (r = false <-> Q)).
Proof. destruct r, (classic P), (classic Q); intuition congruence. Qed.
Lemma same_booleans (r a b : bool) : (a = true <-> b = true) -> (r = a <-> r = b). Proof. destruct r, a, b; intuition congruence. Qed.
(* A Boolean that one side computes and the other describes is left out. *)
Ltac without_result := try (lazymatch goal with
  | |- (?r = true <-> _) <-> (?r = true <-> _) => apply both_truths
  | |- (?r = true <-> _) <-> (?r = false <-> _) => apply truth_falsity
  | |- (?r = false <-> _) <-> (?r = true <-> _) => apply iff_sym, truth_falsity
  | r : bool |- ?r = _ <-> ?r = _ => apply same_booleans
  | |- ?r = _ <-> (?r = true <-> _) => apply same_truth
  | |- (?r = true <-> _) <-> ?r = _ => apply iff_sym, same_truth
  | |- ?r = _ <-> (?r = false <-> ~ _) => apply same_truth'
  | |- ?r = _ <-> (?r = false <-> _) => apply same_falsity
  | |- (?r = false <-> _) <-> ?r = _ => apply iff_sym, same_falsity
  end).
Ltac without_output := without_result; clear_idle.
Ltac heads := eapply by_at; [once (typeclasses eauto) | once (typeclasses eauto) | cbv beta].
Ltac at_variables := repeat match goal with
  | IH : forall x : ?T, _, y : ?T |- _ => tryif is_prop T then fail else (lazymatch goal with _ : done IH y |- _ => fail | _ => idtac end;
      let h := fresh "IH" in pose proof (IH y) as h; assert (done IH y) by exact I) end; clear_marks.
Ltac head_leaf := first [ tauto | lia | congruence | discriminate
  | solve [intuition (first [assumption | lia | congruence | discriminate])]
  | solve [at_variables; intuition (first [assumption | lia | congruence | discriminate])]
  | solve [at_variables; both_ground 1%nat] ].
Ltac head_cases := repeat (match goal with
  | |- context [match ?x with _ => _ end] => lazymatch x with context [match _ with _ => _ end] => fail | _ => idtac end;
      tryif is_var x then destruct x else (let e := fresh "e" in destruct x eqn:e) end; reduce; cbn beta iota in * ).
Ltac head_step := cbn in *; head_cases; booleans_to_props; try discriminate; try tauto; heads; head_leaf.
Ltac other_heads := repeat match goal with x : list _ |- _ => lazymatch goal with _ : done x 1 |- _ => fail | _ => idtac end;
  destruct x; [|match goal with t : list _ |- _ => assert (done t 1) by exact I end] end; clear_marks.
Ltac head_induction x := generalise_others x; induction x; intros; first [ solve [head_step] | solve [other_heads_but x; head_step] ]
with other_heads_but x := match goal with y : list _ |- _ => tryif constr_eq x y then fail else destruct y | y : nat |- _ => destruct y | y : string |- _ => tryif constr_eq x y then fail else destruct y end.
Ltac split_options := repeat match goal with o : option _ |- _ => destruct o end; cbv beta iota.
Ltac on_heads := first [ quick
  | multimatch goal with x : list _ |- _ => solve [head_induction x] | x : string |- _ => solve [head_induction x] | x : nat |- _ => solve [head_induction x] end
  | head_leaf ].
Ltac by_heads := solve [ start; without_output; terms; split_options; try heads; on_heads ].
Ltac by_normal_heads := solve [ start; without_output; terms; split_options; normalise; terms; try heads; on_heads ].
