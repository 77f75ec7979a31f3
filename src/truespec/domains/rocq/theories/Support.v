(** Quantifiers with finite support, derived from the guards of the quantified formula.

    [Within P l] says that [P] holds of members of [l] only, [Outside P l] that it holds of everything else. A
    quantifier with such a list is decided completely; any other is sampled, which still decides one way. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List.
From Truespec Require Export Semi.
Import ListNotations.
Local Open Scope Z_scope.

(** * Bounds on integers and naturals: false (or true) from there on *)
Class FalseBelow (P : Z -> Prop) (a : Z) := false_below : forall x, x < a -> ~ P x.
Class FalseFrom (P : Z -> Prop) (a : Z) := false_from : forall x, a <= x -> ~ P x.
Class TrueBelow (P : Z -> Prop) (a : Z) := true_below : forall x, x < a -> P x.
Class TrueFrom (P : Z -> Prop) (a : Z) := true_from : forall x, a <= x -> P x.
Class NatFalseFrom (P : nat -> Prop) (a : nat) := nat_false_from : forall x, (a <= x)%nat -> ~ P x.
Class NatTrueFrom (P : nat -> Prop) (a : nat) := nat_true_from : forall x, (a <= x)%nat -> P x.

Ltac bound :=
  unfold FalseBelow, FalseFrom, TrueBelow, TrueFrom, NatFalseFrom, NatTrueFrom in *; intros;
  repeat match goal with
  | H : forall x, _ < _ -> _, L : _ < _ |- _ => specialize (H _ L)
  | H : forall x, _ <= _ -> _, L : _ <= _ |- _ => specialize (H _ L)
  | H : forall x, (_ <= _)%nat -> _, L : (_ <= _)%nat |- _ => specialize (H _ L)
  end; try tauto; try lia.

#[export] Instance nff_lt n : NatFalseFrom (fun x => x < n)%nat n. Proof. bound. Qed.
#[export] Instance nff_le n : NatFalseFrom (fun x => x <= n)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_gt n : NatFalseFrom (fun x => n > x)%nat n. Proof. bound. Qed.
#[export] Instance nff_ge n : NatFalseFrom (fun x => n >= x)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_S n : NatFalseFrom (fun x => S x < n)%nat n. Proof. bound. Qed.
#[export] Instance nff_add n k : NatFalseFrom (fun x => x + k < n)%nat n. Proof. bound. Qed.
#[export] Instance nff_add_le n k : NatFalseFrom (fun x => x + k <= n)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_after n k : NatFalseFrom (fun x => k + x < n)%nat n. Proof. intros x h e. lia. Qed.
#[export] Instance nff_after_le n k : NatFalseFrom (fun x => k + x <= n)%nat (S n). Proof. intros x h e. lia. Qed.
#[export] Instance nff_Sle n : NatFalseFrom (fun x => S x <= n)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_eq n : NatFalseFrom (fun x => x = n)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_eq' n : NatFalseFrom (fun x => n = x)%nat (S n). Proof. bound. Qed.
#[export] Instance nff_Zlt n : NatFalseFrom (fun x => Z.of_nat x < n) (Z.to_nat n). Proof. bound. Qed.
#[export] Instance nff_Zle n : NatFalseFrom (fun x => Z.of_nat x <= n) (S (Z.to_nat n)). Proof. bound. Qed.
#[export] Instance nff_Zeq n : NatFalseFrom (fun x => n = Z.of_nat x) (S (Z.to_nat n)). Proof. bound. Qed.
#[export] Instance nff_Zeq' n : NatFalseFrom (fun x => Z.of_nat x = n) (S (Z.to_nat n)). Proof. bound. Qed.
#[export] Instance nff_Zsum n (g : nat -> Z) : NatFalseFrom (fun x => Z.of_nat x + 1 < n) (Z.to_nat n). Proof. bound. Qed.
#[export] Instance nff_and1 (P Q : nat -> Prop) n `{NatFalseFrom P n} : NatFalseFrom (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance nff_and2 (P Q : nat -> Prop) n `{NatFalseFrom Q n} : NatFalseFrom (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance nff_or (P Q : nat -> Prop) n m `{NatFalseFrom P n} `{NatFalseFrom Q m} : NatFalseFrom (fun x => P x \/ Q x) (max n m).
Proof. intros x hx [h|h]; [apply (H x)|apply (H0 x)]; auto; lia. Qed.
#[export] Instance nff_not P n `{NatTrueFrom P n} : NatFalseFrom (fun x => ~ P x) n. Proof. bound. Qed.
#[export] Instance nff_ex T P n `{forall y : T, NatFalseFrom (fun x => P x y) n} : NatFalseFrom (fun x => exists y, P x y) n.
Proof. intros x hx [y h]. exact (H y x hx h). Qed.
#[export] Instance nff_exlt P n `{forall y, NatFalseFrom (fun x => P y x) n} : NatFalseFrom (fun x => exists y, (x < y)%nat /\ P x y) n.
Proof. intros x hx [y [h k]]. apply (H x y); [lia|auto]. Qed.
#[export] Instance nff_exlt2 (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatFalseFrom (fun x => exists y, (x < y /\ P x y)%nat /\ Q x y) n.
Proof. intros x hx [y [[h k] _]]. apply (H x y); [lia|auto]. Qed.
#[export] Instance ntf_all T P n `{forall y : T, NatTrueFrom (fun x => P x y) n} : NatTrueFrom (fun x => forall y, P x y) n.
Proof. intros x hx y. exact (H y x hx). Qed.
#[export] Instance ntf_chain (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatTrueFrom (fun x => forall y, (x < y /\ P x y)%nat -> Q x y) n.
Proof. intros x hx y [h k]. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance ntf_chain_le (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatTrueFrom (fun x => forall y, (x <= y /\ P x y)%nat -> Q x y) n.
Proof. intros x hx y [h k]. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance ntf_chain2 (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatTrueFrom (fun x => forall y, (x < y)%nat -> P x y -> Q x y) n.
Proof. intros x hx y h k. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance ntf_chain2_le (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatTrueFrom (fun x => forall y, (x <= y)%nat -> P x y -> Q x y) n.
Proof. intros x hx y h k. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance nff_square n : NatFalseFrom (fun x => x * x < n)%nat n. Proof. intros x h k. nia. Qed.
#[export] Instance nff_square_le n : NatFalseFrom (fun x => x * x <= n)%nat (S n). Proof. intros x h k. nia. Qed.
#[export] Instance nff_square_eq n : NatFalseFrom (fun x => x * x = n)%nat (S n). Proof. intros x h k. nia. Qed.
#[export] Instance nff_square_eq' n : NatFalseFrom (fun x => n = x * x)%nat (S n). Proof. intros x h k. nia. Qed.
#[export] Instance nff_divide k : NatFalseFrom (fun x => Nat.divide x (S k)) (S (S k)).
Proof. intros x hx h. apply Nat.divide_pos_le in h; lia. Qed.
#[export] Instance ntf_imp1 (P Q : nat -> Prop) n `{NatFalseFrom P n} : NatTrueFrom (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance ntf_imp2 (P Q : nat -> Prop) n `{NatTrueFrom Q n} : NatTrueFrom (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance ntf_and (P Q : nat -> Prop) n m `{NatTrueFrom P n} `{NatTrueFrom Q m} : NatTrueFrom (fun x => P x /\ Q x) (max n m).
Proof. intros x hx; split; [apply H|apply H0]; lia. Qed.
#[export] Instance ntf_not P n `{NatFalseFrom P n} : NatTrueFrom (fun x => ~ P x) n. Proof. bound. Qed.
Lemma power_bound p x k : (Z.to_nat x < k)%nat -> x = Zpos p ^ Z.of_nat k -> 2 <= Zpos p -> False.
Proof.
  intros h e two. assert (q : Z.of_nat k < 2 ^ Z.of_nat k) by (apply Z.pow_gt_lin_r; lia).
  assert (2 ^ Z.of_nat k <= Zpos p ^ Z.of_nat k) by (apply Z.pow_le_mono_l; lia). lia.
Qed.
#[export] Instance nff_power_even x p : NatFalseFrom (fun k : nat => x = Zpos (xO p) ^ Z.of_nat k) (S (Z.to_nat x)) | 30.
Proof. intros k h e. apply (power_bound (xO p) x k); auto; lia. Qed.
#[export] Instance nff_power_odd x p : NatFalseFrom (fun k : nat => x = Zpos (xI p) ^ Z.of_nat k) (S (Z.to_nat x)) | 30.
Proof. intros k h e. apply (power_bound (xI p) x k); auto; lia. Qed.

#[export] Instance ff_power n p : FalseFrom (fun k => n = Zpos (xO p) ^ k) (Z.abs n + 1).
Proof. intros k h e. assert (k < 2 ^ k) by (apply Z.pow_gt_lin_r; lia). assert (2 ^ k <= Zpos (xO p) ^ k) by (apply Z.pow_le_mono_l; lia). lia. Qed.
#[export] Instance ff_power' n p : FalseFrom (fun k => Zpos (xO p) ^ k = n) (Z.abs n + 1).
Proof. intros k h e. exact (ff_power n p k h (eq_sym e)). Qed.
#[export] Instance ff_power_odd n p : FalseFrom (fun k => n = Zpos (xI p) ^ k) (Z.abs n + 1).
Proof. intros k h e. assert (k < 2 ^ k) by (apply Z.pow_gt_lin_r; lia). assert (2 ^ k <= Zpos (xI p) ^ k) by (apply Z.pow_le_mono_l; lia). lia. Qed.
#[export] Instance ff_power_odd' n p : FalseFrom (fun k => Zpos (xI p) ^ k = n) (Z.abs n + 1).
Proof. intros k h e. exact (ff_power_odd n p k h (eq_sym e)). Qed.
(** Terms that are never below their argument: a bound on them bounds it. *)
Class NatGrows (g : nat -> nat) := nat_grows : forall x, (x <= g x)%nat.
#[export] Instance ng_id : NatGrows (fun x => x). Proof. intro x; lia. Qed.
#[export] Instance ng_S g `{NatGrows g} : NatGrows (fun x => S (g x)). Proof. intro x; specialize (H x); lia. Qed.
#[export] Instance ng_add g k `{NatGrows g} : NatGrows (fun x => g x + k)%nat. Proof. intro x; specialize (H x); lia. Qed.
#[export] Instance ng_add' g k `{NatGrows g} : NatGrows (fun x => k + g x)%nat. Proof. intro x; specialize (H x); lia. Qed.
#[export] Instance ng_mul g k `{NatGrows g} : NatGrows (fun x => S k * g x)%nat. Proof. intro x; specialize (H x); nia. Qed.
#[export] Instance ng_mul' g k `{NatGrows g} : NatGrows (fun x => g x * S k)%nat. Proof. intro x; specialize (H x); nia. Qed.
#[export] Instance ng_square g h `{NatGrows g} `{NatGrows h} : NatGrows (fun x => g x * h x)%nat.
Proof. intro x; specialize (H x); specialize (H0 x); nia. Qed.
#[export] Instance nff_grows_lt g n `{NatGrows g} : NatFalseFrom (fun x => g x < n)%nat n | 15. Proof. intros x h k; specialize (H x); lia. Qed.
#[export] Instance nff_grows_le g n `{NatGrows g} : NatFalseFrom (fun x => g x <= n)%nat (S n) | 15. Proof. intros x h k; specialize (H x); lia. Qed.
#[export] Instance nff_grows_gt g n `{NatGrows g} : NatFalseFrom (fun x => n > g x)%nat n | 15. Proof. intros x h k; specialize (H x); lia. Qed.
#[export] Instance nff_grows_eq g n `{NatGrows g} : NatFalseFrom (fun x => g x = n)%nat (S n) | 15. Proof. intros x h k; specialize (H x); lia. Qed.
#[export] Instance nff_grows_eq' g n `{NatGrows g} : NatFalseFrom (fun x => n = g x)%nat (S n) | 15. Proof. intros x h k; specialize (H x); lia. Qed.
#[export] Instance nff_exle P n `{forall y, NatFalseFrom (fun x => P y x) n} : NatFalseFrom (fun x => exists y, (x <= y)%nat /\ P x y) n | 12.
Proof. intros x hx [y [h k]]. apply (H x y); [lia|auto]. Qed.
#[export] Instance nff_exle2 (P Q : nat -> nat -> Prop) n `{forall y, NatFalseFrom (fun x => P y x) n} :
  NatFalseFrom (fun x => exists y, (x <= y /\ P x y)%nat /\ Q x y) n | 12.
Proof. intros x hx [y [[h k] _]]. apply (H x y); [lia|auto]. Qed.
#[export] Instance ff_product n c : FalseFrom (fun x => n = x * (x + c)) (Z.abs n + Z.abs c + 1) | 15. Proof. intros x h k. nia. Qed.
#[export] Instance fb_product n c : FalseBelow (fun x => n = x * (x + c)) (- (Z.abs n + Z.abs c)) | 15. Proof. intros x h k. nia. Qed.
#[export] Instance ff_product' n c : FalseFrom (fun x => x * (x + c) = n) (Z.abs n + Z.abs c + 1) | 15. Proof. intros x h k. nia. Qed.
#[export] Instance fb_product' n c : FalseBelow (fun x => x * (x + c) = n) (- (Z.abs n + Z.abs c)) | 15. Proof. intros x h k. nia. Qed.
#[export] Instance ff_lt n : FalseFrom (fun x => x < n) n. Proof. bound. Qed.
#[export] Instance ff_le n : FalseFrom (fun x => x <= n) (n + 1). Proof. bound. Qed.
#[export] Instance ff_gt n : FalseFrom (fun x => n > x) n. Proof. bound. Qed.
#[export] Instance ff_ge n : FalseFrom (fun x => n >= x) (n + 1). Proof. bound. Qed.
#[export] Instance ff_eq n : FalseFrom (fun x => x = n) (n + 1). Proof. bound. Qed.
#[export] Instance ff_eq' n : FalseFrom (fun x => n = x) (n + 1). Proof. bound. Qed.
#[export] Instance ff_add n k : FalseFrom (fun x => x + k < n) (n - k). Proof. bound. Qed.
#[export] Instance ff_add_le n k : FalseFrom (fun x => x + k <= n) (n - k + 1). Proof. bound. Qed.
#[export] Instance ff_double n p : FalseFrom (fun x => Zpos p * x <= n) (Z.max 0 n + 1). Proof. intros x h k. nia. Qed.
#[export] Instance ff_double_eq n p : FalseFrom (fun x => n = Zpos p * x) (Z.abs n + 1). Proof. intros x h k. nia. Qed.
#[export] Instance fb_double_eq n p : FalseBelow (fun x => n = Zpos p * x) (- Z.abs n). Proof. intros x h k. nia. Qed.
#[export] Instance ff_double_eq2 n p : FalseFrom (fun x => n = x * Zpos p) (Z.abs n + 1). Proof. intros x h k. nia. Qed.
#[export] Instance fb_double_eq2 n p : FalseBelow (fun x => n = x * Zpos p) (- Z.abs n). Proof. intros x h k. nia. Qed.
#[export] Instance ff_double_eq3 n p c : FalseFrom (fun x => n = Zpos p * x + c) (Z.abs (n - c) + 1). Proof. intros x h k. nia. Qed.
#[export] Instance fb_double_eq3 n p c : FalseBelow (fun x => n = Zpos p * x + c) (- Z.abs (n - c)). Proof. intros x h k. nia. Qed.
#[export] Instance fb_lt n : FalseBelow (fun x => n < x) (n + 1). Proof. bound. Qed.
#[export] Instance fb_le n : FalseBelow (fun x => n <= x) n. Proof. bound. Qed.
#[export] Instance fb_gt n : FalseBelow (fun x => x > n) (n + 1). Proof. bound. Qed.
#[export] Instance fb_ge n : FalseBelow (fun x => x >= n) n. Proof. bound. Qed.
#[export] Instance fb_eq n : FalseBelow (fun x => x = n) n. Proof. bound. Qed.
#[export] Instance fb_eq' n : FalseBelow (fun x => n = x) n. Proof. bound. Qed.
#[export] Instance ff_square n : FalseFrom (fun x => x * x < n) (Z.max 1 n). Proof. intros x h k. nia. Qed.
#[export] Instance ff_square_le n : FalseFrom (fun x => x * x <= n) (Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
#[export] Instance ff_square_eq n : FalseFrom (fun x => x * x = n) (Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
#[export] Instance ff_square_eq' n : FalseFrom (fun x => n = x * x) (Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
#[export] Instance fb_square n : FalseBelow (fun x => x * x < n) (- Z.max 1 n). Proof. intros x h k. nia. Qed.
#[export] Instance fb_square_le n : FalseBelow (fun x => x * x <= n) (- Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
#[export] Instance fb_square_eq n : FalseBelow (fun x => x * x = n) (- Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
#[export] Instance fb_square_eq' n : FalseBelow (fun x => n = x * x) (- Z.max 1 (n + 1)). Proof. intros x h k. nia. Qed.
Lemma divide_bound x a : a <> 0 -> (x | a) -> - Z.abs a <= x <= Z.abs a.
Proof.
  intros n h. assert (Z.abs x <= Z.abs a); [|lia].
  apply Z.divide_pos_le; [lia|]. apply Z.divide_abs_l, Z.divide_abs_r. exact h.
Qed.
#[export] Instance ff_divide a : FalseFrom (fun x => (x | Zpos a)) (Zpos a + 1). Proof. intros x l h; apply divide_bound in h; lia. Qed.
#[export] Instance fb_divide a : FalseBelow (fun x => (x | Zpos a)) (Zneg a). Proof. intros x l h; apply divide_bound in h; lia. Qed.
#[export] Instance ff_divide_neg a : FalseFrom (fun x => (x | Zneg a)) (Zpos a + 1). Proof. intros x l h; apply divide_bound in h; lia. Qed.
#[export] Instance fb_divide_neg a : FalseBelow (fun x => (x | Zneg a)) (Zneg a). Proof. intros x l h; apply divide_bound in h; lia. Qed.
#[export] Instance ff_and1 (P Q : Z -> Prop) n `{FalseFrom P n} : FalseFrom (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance ff_and2 (P Q : Z -> Prop) n `{FalseFrom Q n} : FalseFrom (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance ff_or (P Q : Z -> Prop) n m `{FalseFrom P n} `{FalseFrom Q m} : FalseFrom (fun x => P x \/ Q x) (Z.max n m).
Proof. intros x hx [h|h]; [apply (H x)|apply (H0 x)]; auto; lia. Qed.
#[export] Instance fb_and1 (P Q : Z -> Prop) n `{FalseBelow P n} : FalseBelow (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance fb_and2 (P Q : Z -> Prop) n `{FalseBelow Q n} : FalseBelow (fun x => P x /\ Q x) n. Proof. bound. Qed.
#[export] Instance fb_or (P Q : Z -> Prop) n m `{FalseBelow P n} `{FalseBelow Q m} : FalseBelow (fun x => P x \/ Q x) (Z.min n m).
Proof. intros x hx [h|h]; [apply (H x)|apply (H0 x)]; auto; lia. Qed.
#[export] Instance ff_ex T P n `{forall y : T, FalseFrom (fun x => P x y) n} : FalseFrom (fun x => exists y, P x y) n.
Proof. intros x hx [y h]. exact (H y x hx h). Qed.
#[export] Instance fb_ex T P n `{forall y : T, FalseBelow (fun x => P x y) n} : FalseBelow (fun x => exists y, P x y) n.
Proof. intros x hx [y h]. exact (H y x hx h). Qed.
#[export] Instance tf_all T P n `{forall y : T, TrueFrom (fun x => P x y) n} : TrueFrom (fun x => forall y, P x y) n.
Proof. intros x hx y. exact (H y x hx). Qed.
#[export] Instance tb_all T P n `{forall y : T, TrueBelow (fun x => P x y) n} : TrueBelow (fun x => forall y, P x y) n.
Proof. intros x hx y. exact (H y x hx). Qed.
#[export] Instance tf_chain (P Q : Z -> Z -> Prop) n `{forall y, FalseFrom (fun x => P y x) n} :
  TrueFrom (fun x => forall y, (x < y /\ P x y) -> Q x y) n.
Proof. intros x hx y [h k]. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance tf_chain2 (P Q : Z -> Z -> Prop) n `{forall y, FalseFrom (fun x => P y x) n} :
  TrueFrom (fun x => forall y, x < y -> P x y -> Q x y) n.
Proof. intros x hx y h k. exfalso; apply (H x y); [lia|auto]. Qed.
#[export] Instance ff_chain (P : Z -> Z -> Prop) n `{forall y, FalseFrom (fun x => P y x) n} : FalseFrom (fun x => exists y, x < y /\ P x y) n.
Proof. intros x hx [y [h k]]. apply (H x y); [lia|auto]. Qed.
#[export] Instance tf_imp1 (P Q : Z -> Prop) n `{FalseFrom P n} : TrueFrom (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance tf_imp2 (P Q : Z -> Prop) n `{TrueFrom Q n} : TrueFrom (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance tb_imp1 (P Q : Z -> Prop) n `{FalseBelow P n} : TrueBelow (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance tb_imp2 (P Q : Z -> Prop) n `{TrueBelow Q n} : TrueBelow (fun x => P x -> Q x) n. Proof. bound. Qed.
#[export] Instance tf_not P n `{FalseFrom P n} : TrueFrom (fun x => ~ P x) n. Proof. bound. Qed.
#[export] Instance tb_not P n `{FalseBelow P n} : TrueBelow (fun x => ~ P x) n. Proof. bound. Qed.

(** * Finite support over any type *)
Class Within {T} (P : T -> Prop) (l : list T) := within : forall x, P x -> In x l.
Class Outside {T} (P : T -> Prop) (l : list T) := outside : forall x, ~ In x l -> P x.

Definition range (a b : Z) : list Z := map (fun i => a + Z.of_nat i) (seq 0 (Z.to_nat (b - a))).
Lemma range_in a b x : a <= x < b -> In x (range a b).
Proof. intro h. unfold range. apply in_map_iff. exists (Z.to_nat (x - a)). split; [lia|]. apply in_seq. lia. Qed.
#[export] Instance within_in T (l : list T) : Within (fun x => In x l) l. Proof. intros x; auto. Qed.
#[export] Instance within_eq T (a : T) : Within (fun x => x = a) [a]. Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_eq' T (a : T) : Within (fun x => a = x) [a]. Proof. intros x <-; simpl; auto. Qed.
(* Unification contracts [fun x => a = x] to [eq a], and likewise for the orders. *)
#[export] Instance within_eq_alone T (a : T) : Within (eq a) [a]. Proof. intros x <-; simpl; auto. Qed.
#[export] Instance ff_eq_alone n : FalseFrom (eq n) (n + 1). Proof. bound. Qed.
#[export] Instance fb_eq_alone n : FalseBelow (eq n) n. Proof. bound. Qed.
#[export] Instance fb_lt_alone n : FalseBelow (Z.lt n) (n + 1). Proof. bound. Qed.
#[export] Instance fb_le_alone n : FalseBelow (Z.le n) n. Proof. bound. Qed.
#[export] Instance ff_gt_alone n : FalseFrom (Z.gt n) n. Proof. bound. Qed.
#[export] Instance ff_ge_alone n : FalseFrom (Z.ge n) (n + 1). Proof. bound. Qed.
#[export] Instance nff_gt_alone n : NatFalseFrom (gt n) n. Proof. bound. Qed.
#[export] Instance nff_ge_alone n : NatFalseFrom (ge n) (S n). Proof. bound. Qed.
#[export] Instance nff_eq_alone n : NatFalseFrom (eq n) (S n). Proof. bound. Qed.
#[export] Instance within_some T (a : option T) : Within (fun x => a = Some x) (match a with Some y => [y] | None => [] end).
Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_and1 T (P Q : T -> Prop) l `{Within T P l} : Within (fun x => P x /\ Q x) l | 10. Proof. intros x []; auto. Qed.
#[export] Instance within_and2 T (P Q : T -> Prop) l `{Within T Q l} : Within (fun x => P x /\ Q x) l | 10. Proof. intros x []; auto. Qed.
#[export] Instance within_or T (P Q : T -> Prop) l m `{Within T P l} `{Within T Q m} : Within (fun x => P x \/ Q x) (l ++ m) | 10.
Proof. intros x [h|h]; apply in_or_app; auto. Qed.
#[export] Instance within_not T (P : T -> Prop) l `{Outside T P l} `{EqDec T} : Within (fun x => ~ P x) l | 10.
Proof. intros x h; destruct (in_dec eqdec x l) as [i|i]; [auto|elim (h (H x i))]. Qed.
#[export] Instance within_ex T U (P : T -> U -> Prop) l `{forall y : U, Within (fun x => P x y) l} : Within (fun x => exists y, P x y) l | 12.
Proof. intros x [y h]; exact (H y x h). Qed.
#[export] Instance within_head T (l t : list T) : Within (fun x => l = x :: t) (match l with [] => [] | x :: _ => [x] end).
Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_tail T (l : list T) x : Within (fun t => l = x :: t) [tl l].
Proof. intros t ->; simpl; auto. Qed.
#[export] Instance within_pair_fst A B (p : A * B) y : Within (fun x => p = (x, y)) [fst p].
Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_pair_snd A B (p : A * B) x : Within (fun y => p = (x, y)) [snd p].
Proof. intros y ->; simpl; auto. Qed.
#[export] Instance within_some_fst A B (p : option (A * B)) y : Within (fun x => p = Some (x, y)) (match p with Some q => [fst q] | None => [] end).
Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_some_snd A B (p : option (A * B)) x : Within (fun y => p = Some (x, y)) (match p with Some q => [snd q] | None => [] end).
Proof. intros y ->; simpl; auto. Qed.
(** What an equation determines, membership and an index in a list determine up to the members. *)
#[export] Instance within_member T U (f : T -> U) (g : U -> list T) l `{forall s, Within (fun x => s = f x) (g s)} :
  Within (fun x => In (f x) l) (flat_map g l) | 9.
Proof. intros x i. apply in_flat_map. exists (f x). split; [exact i|]. apply H. reflexivity. Qed.
#[export] Instance within_inside T U (f : T -> U) (g : U -> list T) o `{forall s, Within (fun x => s = f x) (g s)} :
  Within (fun x => o = Some (f x)) (match o with Some s => g s | None => [] end) | 9.
Proof. intros x ->. apply H. reflexivity. Qed.
#[export] Instance within_nth_error T (l : list T) x : Within (fun i => nth_error l i = Some x) (seq 0 (length l)).
Proof. intros i h. apply in_seq. assert (nth_error l i <> None) by congruence. apply nth_error_Some in H. lia. Qed.
#[export] Instance within_nth_error_value T (l : list T) i : Within (fun x => nth_error l i = Some x) (match nth_error l i with Some y => [y] | None => [] end).
Proof. intros x ->; simpl; auto. Qed.
#[export] Instance within_get s c : Within (fun i => String.get i s = Some c) (seq 0 (String.length s)).
Proof.
  intros i h. apply in_seq. split; [lia|]. simpl. destruct (le_lt_dec (String.length s) i) as [l|l]; [|exact l]. exfalso.
  revert i h l. induction s as [|a s IH]; intros [|i] h l; simpl in *; try discriminate; try lia. apply (IH i h). lia.
Qed.
Definition prefixes {T} (l : list T) := map (fun i => firstn i l) (seq 0 (S (length l))).
Definition suffixes {T} (l : list T) := map (fun i => skipn i l) (seq 0 (S (length l))).
Lemma prefixes_in T (p q : list T) : In p (prefixes (p ++ q)).
Proof.
  apply in_map_iff. exists (length p). rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r. split; auto.
  apply in_seq. rewrite app_length; lia.
Qed.
Lemma suffixes_in T (p q : list T) : In q (suffixes (p ++ q)).
Proof.
  apply in_map_iff. exists (length p). rewrite skipn_app, Nat.sub_diag, skipn_all. split; auto.
  apply in_seq. rewrite app_length; lia.
Qed.
#[export] Instance within_prefix T (l : list T) :
  Within (fun p => exists q, l = p ++ q) (prefixes l).
Proof. intros p [q ->]. apply prefixes_in. Qed.
#[export] Instance within_prefix2 T (l : list T) (Q : list T -> list T -> Prop) : Within (fun p => exists q, l = p ++ q /\ Q p q) (prefixes l).
Proof. intros p [q [-> _]]. apply prefixes_in. Qed.
#[export] Instance within_prefix3 T U (l : list T) (r : U -> list T -> list T) (Q : list T -> U -> list T -> Prop) :
  Within (fun p => exists x q, l = p ++ r x q /\ Q p x q) (prefixes l).
Proof. intros p (x & q & -> & _). apply prefixes_in. Qed.
#[export] Instance within_prefix4 T U (l : list T) (r : U -> list T -> list T) :
  Within (fun p => exists x q, l = p ++ r x q) (prefixes l).
Proof. intros p (x & q & ->). apply prefixes_in. Qed.
#[export] Instance within_rest T (l p : list T) : Within (fun q => l = p ++ q) [skipn (length p) l].
Proof. intros q ->. rewrite skipn_app, skipn_all, Nat.sub_diag. simpl; auto. Qed.
#[export] Instance within_rest_cons T (l p : list T) x : Within (fun q => l = p ++ x :: q) [skipn (S (length p)) l].
Proof. intros q ->. left. replace (p ++ x :: q) with ((p ++ [x]) ++ q) by (rewrite <- app_assoc; reflexivity).
  replace (S (length p)) with (length (p ++ [x])) by (rewrite app_length; simpl; lia). rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. Qed.
#[export] Instance within_mid_cons T (l p : list T) (Q : T -> list T -> Prop) : Within (fun x => exists q, l = p ++ x :: q) (skipn (length p) l).
Proof. intros x [q ->]. rewrite skipn_app, skipn_all, Nat.sub_diag. simpl; auto. Qed.
#[export] Instance within_mid_cons2 T (l p : list T) (Q : T -> list T -> Prop) : Within (fun x => exists q, l = p ++ x :: q /\ Q x q) (skipn (length p) l).
Proof. intros x [q [-> _]]. rewrite skipn_app, skipn_all, Nat.sub_diag. simpl; auto. Qed.
#[export] Instance within_suffix T (l : list T) (Q : list T -> list T -> Prop) : Within (fun s => exists p, l = p ++ s) (suffixes l).
Proof. intros s [p ->]. apply suffixes_in. Qed.
#[export] Instance within_suffix2 T (l : list T) (Q : list T -> list T -> Prop) : Within (fun s => exists p, l = p ++ s /\ Q p s) (suffixes l).
Proof. intros s [p [-> _]]. apply suffixes_in. Qed.
#[export] Instance within_front T (l s : list T) : Within (fun p => l = p ++ s) (prefixes l).
Proof. intros p ->. apply prefixes_in. Qed.
#[export] Instance within_front2 T (l : list T) (Q : list T -> list T -> list T -> Prop) :
  Within (fun p => exists m s, l = p ++ m ++ s) (prefixes l).
Proof. intros p (m & s & ->). apply prefixes_in. Qed.
(* The middle of three parts, and what is after it. *)
Lemma middle_in T (u v w : list T) : In v (prefixes (skipn (length u) (u ++ v ++ w))).
Proof. rewrite skipn_app, skipn_all, Nat.sub_diag. exact (prefixes_in T v w). Qed.
#[export] Instance within_middle T (l u w : list T) : Within (fun v => l = u ++ v ++ w) (prefixes (skipn (length u) l)).
Proof. intros v ->. apply middle_in. Qed.
#[export] Instance within_middle2 T (l u : list T) : Within (fun v => exists w, l = u ++ v ++ w) (prefixes (skipn (length u) l)).
Proof. intros v [w ->]. apply middle_in. Qed.
#[export] Instance within_middle3 T (l u : list T) (Q : list T -> list T -> Prop) : Within (fun v => exists w, l = u ++ v ++ w /\ Q v w) (prefixes (skipn (length u) l)).
Proof. intros v (w & -> & _). apply middle_in. Qed.
#[export] Instance within_after T (l u v : list T) : Within (fun w => l = u ++ v ++ w) [skipn (length (u ++ v)) l].
Proof. intros w ->. rewrite app_assoc, skipn_app, skipn_all, Nat.sub_diag. simpl; auto. Qed.

Fixpoint text_prefixes (s : string) : list string :=
  EmptyString :: match s with EmptyString => [] | String c t => map (String c) (text_prefixes t) end.
Fixpoint text_suffixes (s : string) : list string :=
  s :: match s with EmptyString => [] | String _ t => text_suffixes t end.
Lemma text_prefixes_in p q : In p (text_prefixes (append p q)).
Proof. induction p as [|c p IH]; simpl. destruct q; simpl; auto. right. apply in_map. exact IH. Qed.
Lemma text_suffixes_in p q : In q (text_suffixes (append p q)).
Proof. induction p as [|c p IH]; simpl; [destruct q; simpl; auto|]. right. exact IH. Qed.
#[export] Instance within_text_prefix s : Within (fun p => exists q, s = append p q) (text_prefixes s).
Proof. intros p [q ->]. apply text_prefixes_in. Qed.
#[export] Instance within_text_prefix2 s (Q : string -> string -> Prop) : Within (fun p => exists q, s = append p q /\ Q p q) (text_prefixes s).
Proof. intros p [q [-> _]]. apply text_prefixes_in. Qed.
#[export] Instance within_text_prefix3 s (r : string -> string -> string) : Within (fun p => exists q t, s = append p (append q t)) (text_prefixes s).
Proof. intros p (q & t & ->). apply text_prefixes_in. Qed.
#[export] Instance within_text_prefix4 s u : Within (fun p => exists t, s = append p (append u t)) (text_prefixes s).
Proof. intros p (t & ->). apply text_prefixes_in. Qed.
#[export] Instance within_text_rest s p : Within (fun q => s = append p q) (text_suffixes s).
Proof. intros q ->. apply text_suffixes_in. Qed.
#[export] Instance within_text_front s q : Within (fun p => s = append p q) (text_prefixes s).
Proof. intros p ->. apply text_prefixes_in. Qed.
#[export] Instance within_text_rest2 s p u : Within (fun t => s = append p (append u t)) (text_suffixes s).
Proof. intros t ->. replace (append p (append u t)) with (append (append p u) t). apply text_suffixes_in. induction p; simpl; congruence. Qed.

(* A letter in a text, what is before it and what is after it. *)
Lemma text_letter_in p c t : In c (list_ascii_of_string (append p (String c t))).
Proof. induction p as [|d p IH]; simpl; auto. Qed.
#[export] Instance within_text_before T s (r : T -> string -> string) : Within (fun p => exists x t, s = append p (r x t)) (text_prefixes s).
Proof. intros p (x & t & ->). apply text_prefixes_in. Qed.
#[export] Instance within_text_before2 T s (r : T -> string -> string) (Q : string -> T -> string -> Prop) : Within (fun p => exists x t, s = append p (r x t) /\ Q p x t) (text_prefixes s).
Proof. intros p (x & t & -> & _). apply text_prefixes_in. Qed.
#[export] Instance within_letter s p : Within (fun c => exists t, s = append p (String c t)) (list_ascii_of_string s).
Proof. intros c [t ->]. apply text_letter_in. Qed.
#[export] Instance within_letter2 s p (Q : ascii -> string -> Prop) : Within (fun c => exists t, s = append p (String c t) /\ Q c t) (list_ascii_of_string s).
Proof. intros c (t & -> & _). apply text_letter_in. Qed.
#[export] Instance within_text_after s p c : Within (fun t => s = append p (String c t)) (text_suffixes s).
Proof. intros t ->. induction p as [|d p IH]; [right; apply (text_suffixes_in EmptyString t) | right; exact IH]. Qed.
#[export] Instance within_first_letter s : Within (fun c => exists t, s = String c t) (list_ascii_of_string s).
Proof. intros c [t ->]. left. reflexivity. Qed.
#[export] Instance within_first_letter2 s (Q : ascii -> string -> Prop) : Within (fun c => exists t, s = String c t /\ Q c t) (list_ascii_of_string s).
Proof. intros c (t & -> & _). left. reflexivity. Qed.
#[export] Instance within_after_first s c : Within (fun t => s = String c t) (text_suffixes s).
Proof. intros t ->. right. apply (text_suffixes_in EmptyString t). Qed.

(** * Places beyond the end: an element there is the default *)
Class ConstantFrom {T} (g : nat -> T) (n : nat) (v : T) := constant_from : forall i, (n <= i)%nat -> g i = v.
Lemma constant_nth T U (F : T -> U) l d : ConstantFrom (fun i => F (nth i l d)) (length l) (F d).
Proof. intros i h. rewrite nth_overflow by exact h. reflexivity. Qed.
Lemma constant_nth_error T U (F : option T -> U) l : ConstantFrom (fun i => F (nth_error l i)) (length l) (F None).
Proof. intros i h. rewrite (proj2 (nth_error_None l i) h). reflexivity. Qed.
Ltac element_at g t k := lazymatch g with fun i => @?B i => let F := constr:(fun i : nat => ltac:(let b := eval cbv beta in (B i) in let e := t i in lazymatch eval pattern e in b with ?F _ => exact F end)) in
  lazymatch F with fun _ => ?F => k F end end.
#[export] Hint Extern 1 (ConstantFrom ?g _ _) => (lazymatch g with
  | context [@nth _ _ ?l ?d] => element_at g ltac:(fun i => constr:(nth i l d)) ltac:(fun F => exact (constant_nth _ _ F l d))
  | context [@nth_error _ ?l _] => element_at g ltac:(fun i => constr:(nth_error l i)) ltac:(fun F => exact (constant_nth_error _ _ F l)) end) : typeclass_instances.
Lemma true_beyond T (g h : nat -> T) n m v w : ConstantFrom g n v -> ConstantFrom h m w -> v = w -> NatTrueFrom (fun i => g i = h i) (max n m).
Proof. intros a b e i k. rewrite (a i), (b i) by lia. exact e. Qed.
#[export] Hint Extern 18 (NatTrueFrom (fun i => _ = _) _) => (eapply true_beyond; [ typeclasses eauto | typeclasses eauto | reflexivity ]) : typeclass_instances.

#[export] Instance within_nat (P : nat -> Prop) n `{NatFalseFrom P n} : Within P (seq 0 n) | 20.
Proof. intros x h. apply in_seq. destruct (le_lt_dec n x) as [l|l]; [elim (H x l h)|lia]. Qed.
#[export] Instance within_Z (P : Z -> Prop) a b `{FalseBelow P a} `{FalseFrom P b} : Within P (range a b) | 20.
Proof.
  intros x h. apply range_in. split.
  - destruct (Z_lt_ge_dec x a) as [l|l]; [elim (H x l h)|lia].
  - destruct (Z_lt_ge_dec x b) as [l|l]; [lia|elim (H0 x (Z.ge_le _ _ l) h)].
Qed.
#[export] Instance outside_imp1 T (P Q : T -> Prop) l `{Within T P l} : Outside (fun x => P x -> Q x) l | 10. Proof. intros x n h; elim (n (H x h)). Qed.
#[export] Instance outside_imp2 T (P Q : T -> Prop) l `{Outside T Q l} : Outside (fun x => P x -> Q x) l | 11. Proof. intros x n h; auto. Qed.
#[export] Instance outside_not T (P : T -> Prop) l `{Within T P l} : Outside (fun x => ~ P x) l | 10. Proof. intros x n h; elim (n (H x h)). Qed.
#[export] Instance outside_and T (P Q : T -> Prop) l m `{Outside T P l} `{Outside T Q m} : Outside (fun x => P x /\ Q x) (l ++ m) | 10.
Proof. intros x n; split; [apply H|apply H0]; intro h; apply n, in_or_app; auto. Qed.
#[export] Instance outside_or1 T (P Q : T -> Prop) l `{Outside T P l} : Outside (fun x => P x \/ Q x) l | 10. Proof. intros x n; left; auto. Qed.
#[export] Instance outside_or2 T (P Q : T -> Prop) l `{Outside T Q l} : Outside (fun x => P x \/ Q x) l | 10. Proof. intros x n; right; auto. Qed.
#[export] Instance outside_iff T (P Q : T -> Prop) l m `{Within T P l} `{Within T Q m} : Outside (fun x => P x <-> Q x) (l ++ m) | 10.
Proof. intros x n; split; intro h; elim n; apply in_or_app; auto. Qed.
#[export] Instance outside_all T U (P : T -> U -> Prop) l `{forall y : U, Outside (fun x => P x y) l} : Outside (fun x => forall y, P x y) l | 12.
Proof. intros x n y; exact (H y x n). Qed.
#[export] Instance outside_nat (P : nat -> Prop) n `{NatTrueFrom P n} : Outside P (seq 0 n) | 20.
Proof. intros x h. apply H. destruct (le_lt_dec n x) as [l|l]; auto. elim h; apply in_seq; lia. Qed.
#[export] Instance outside_Z (P : Z -> Prop) a b `{TrueBelow P a} `{TrueFrom P b} : Outside P (range a b) | 20.
Proof.
  intros x h. destruct (Z_lt_ge_dec x a) as [l|l]; [exact (H x l)|].
  destruct (Z_lt_ge_dec x b) as [m|m]; [|exact (H0 x (Z.ge_le _ _ m))]. elim h; apply range_in; lia.
Qed.
#[export] Instance outside_bool (P : bool -> Prop) : Outside P [true; false] | 30. Proof. intros [] h; elim h; simpl; auto. Qed.
#[export] Instance within_bool (P : bool -> Prop) : Within P [true; false] | 30. Proof. intros [] h; simpl; auto. Qed.
Definition bytes : list ascii := map ascii_of_nat (seq 0 256).
Lemma bytes_all c : In c bytes.
Proof. apply in_map_iff. exists (nat_of_ascii c). split; [apply ascii_nat_embedding|]. apply in_seq. pose proof (nat_ascii_bounded c). lia. Qed.
#[export] Instance outside_ascii (P : ascii -> Prop) : Outside P bytes | 40. Proof. intros c h; elim h; apply bytes_all. Qed.
#[export] Instance within_ascii (P : ascii -> Prop) : Within P bytes | 40. Proof. intros c h; apply bytes_all. Qed.

(** * The quantifiers themselves *)
#[export] Instance semi_all T (P : T -> Prop) l `{Outside T P l} `{EqDec T} `{forall x, Semi (P x)} : Semi (forall x, P x) | 5.
Proof.
  refine {| ev := fun f => all3 (fun x => ev (P x) f) l |}; intros f e.
  - intro x. destruct (in_dec eqdec x l) as [i|i]; [|exact (H x i)].
    exact (all3_t _ P _ (fun y => ev_t (P y) f) l e x i).
  - intro h. destruct (all3_f _ P _ (fun y => ev_f (P y) f) l e) as [x [_ n]]; auto.
Defined.
#[export] Instance semi_ex T (P : T -> Prop) l `{Within T P l} `{forall x, Semi (P x)} : Semi (exists x, P x) | 5.
Proof.
  refine {| ev := fun f => some3 (fun x => ev (P x) f) l |}; intros f e.
  - destruct (some3_t _ P _ (fun y => ev_t (P y) f) l e) as [x []]; eauto.
  - intros [x h]. exact (some3_f _ P _ (fun y => ev_f (P y) f) l e x (H x h) h).
Defined.
(** Finite support where the values at hand give one: none at first for [a * x = b], but it is there unless [a = 0]. *)
Class Perhaps {T} (P : T -> Prop) (l : fuel -> option (list T)) :=
  perhaps : forall f m, l f = Some m -> forall x, P x -> In x m.
Definition quotient (a b : Z) : option (list Z) := if a =? 0 then None else Some [b / a].
Lemma quotient_in a b m x : quotient a b = Some m -> a * x = b -> In x m.
Proof.
  unfold quotient. destruct (Z.eqb_spec a 0) as [|n]; [discriminate|]. intros [= <-] <-. left. rewrite Z.mul_comm. apply Z.div_mul; exact n.
Qed.
#[export] Instance perhaps_times a b : Perhaps (fun x => a * x = b) (fun _ => quotient a b) | 1.
Proof. intros f m e x h. exact (quotient_in a b m x e h). Qed.
#[export] Instance perhaps_times' a b : Perhaps (fun x => x * a = b) (fun _ => quotient a b) | 1.
Proof. intros f m e x h. apply (quotient_in a b m x e). rewrite Z.mul_comm; exact h. Qed.
#[export] Instance perhaps_of_times a b : Perhaps (fun x => b = a * x) (fun _ => quotient a b) | 1.
Proof. intros f m e x h. exact (quotient_in a b m x e (eq_sym h)). Qed.
#[export] Instance perhaps_of_times' a b : Perhaps (fun x => b = x * a) (fun _ => quotient a b) | 1.
Proof. intros f m e x h. apply (quotient_in a b m x e). rewrite Z.mul_comm; symmetry; exact h. Qed.
#[export] Instance perhaps_divisor a : Perhaps (fun x => (x | a)) (fun _ => if a =? 0 then None else Some (range (- Z.abs a) (Z.abs a + 1))) | 1.
Proof.
  intros f m e x h. destruct (Z.eqb_spec a 0) as [|n]; [discriminate|]. injection e as <-. apply divide_bound in h; [|exact n].
  apply range_in; lia.
Qed.
#[export] Instance perhaps_within T (P : T -> Prop) l `{Within T P l} : Perhaps P (fun _ => Some l) | 9.
Proof. intros f m [= <-] x h. exact (H x h). Qed.
#[export] Instance perhaps_and T (P Q : T -> Prop) l m `{Perhaps T P l} `{Perhaps T Q m} :
  Perhaps (fun x => P x /\ Q x) (fun f => match l f with Some k => Some k | None => m f end) | 10.
Proof. intros f k e x [p q]. destruct (l f) eqn:u; [injection e as <-; eapply H; eauto | eapply H0; eauto]. Qed.
#[export] Instance perhaps_and1 T (P Q : T -> Prop) l `{Perhaps T P l} : Perhaps (fun x => P x /\ Q x) l | 11.
Proof. intros f k e x [p q]. eapply H; eauto. Qed.
#[export] Instance perhaps_and2 T (P Q : T -> Prop) l `{Perhaps T Q l} : Perhaps (fun x => P x /\ Q x) l | 11.
Proof. intros f k e x [p q]. eapply H; eauto. Qed.
#[export] Instance perhaps_or T (P Q : T -> Prop) l m `{Perhaps T P l} `{Perhaps T Q m} :
  Perhaps (fun x => P x \/ Q x) (fun f => match l f, m f with Some k, Some n => Some (k ++ n)%list | _, _ => None end) | 10.
Proof.
  intros f k e x h. destruct (l f) eqn:u, (m f) eqn:v; try discriminate. injection e as <-. apply in_or_app.
  destruct h; [left; eapply H; eauto | right; eapply H0; eauto].
Qed.
(* What holds of all [y] holds of the first sampled one that gives a support. *)
#[export] Instance perhaps_guarded T (G : Prop) (P : T -> Prop) l `{Semi G} `{Perhaps T P l} :
  Perhaps (fun x => G -> P x) (fun f => match ev G f with Some true => l f | _ => None end) | 10.
Proof. intros f m e x h. destruct (ev G f) as [[]|] eqn:g; try discriminate. apply (H0 f m e), h, (ev_t G f g). Qed.
Fixpoint first_support {T} (l : list (option (list T))) : option (list T) :=
  match l with [] => None | Some m :: _ => Some m | None :: t => first_support t end.
Lemma first_support_in T (l : list (option (list T))) m : first_support l = Some m -> In (Some m) l.
Proof. induction l as [|[k|] l IH]; simpl; [discriminate | intros [= ->]; auto | auto]. Qed.
#[export] Instance perhaps_all T U (P : T -> U -> Prop) l `{Sample U} `{forall y : U, Perhaps (fun x => P x y) (l y)} :
  Perhaps (fun x => forall y, P x y) (fun f => first_support (map (fun y => l y f) (sample U f))) | 12.
Proof. intros f m e x h. apply first_support_in, in_map_iff in e. destruct e as [y [e _]]. exact (H0 y f m e x (h y)). Qed.
Class Unless {T} (P : T -> Prop) (l : fuel -> option (list T)) :=
  unless : forall f m, l f = Some m -> forall x, ~ In x m -> P x.
#[export] Instance unless_imp T (P Q : T -> Prop) l `{Perhaps T P l} : Unless (fun x => P x -> Q x) l | 10.
Proof. intros f m e x n h. elim n. eapply H; eauto. Qed.
#[export] Instance unless_not T (P : T -> Prop) l `{Perhaps T P l} : Unless (fun x => ~ P x) l | 10.
Proof. intros f m e x n h. elim n. eapply H; eauto. Qed.
#[export] Instance semi_all_unless T (P : T -> Prop) l `{Unless T P l} `{EqDec T} `{Sample T} `{forall x, Semi (P x)} : Semi (forall x, P x) | 40.
Proof.
  refine {| ev := fun f => match l f with Some m => all3 (fun x => ev (P x) f) m | None =>
              match all3 (fun x => ev (P x) f) (sample T f) with Some false => Some false | _ => None end end |}; intros f e.
  - destruct (l f) as [m|] eqn:s; [|destruct (all3 _ _) as [[]|]; discriminate].
    intro x. destruct (in_dec eqdec x m) as [i|i]; [|exact (H f m s x i)].
    exact (all3_t _ P _ (fun y => ev_t (P y) f) m e x i).
  - intro h. destruct (l f) as [m|] eqn:s.
    + destruct (all3_f _ P _ (fun y => ev_f (P y) f) m e) as [x [_ n]]; auto.
    + destruct (all3 (fun x => ev (P x) f) (sample T f)) as [[]|] eqn:q; try discriminate.
      destruct (all3_f _ P _ (fun y => ev_f (P y) f) _ q) as [x [_ n]]; auto.
Defined.
#[export] Instance semi_ex_perhaps T (P : T -> Prop) l `{Perhaps T P l} `{Sample T} `{forall x, Semi (P x)} : Semi (exists x, P x) | 40.
Proof.
  refine {| ev := fun f => match l f with Some m => some3 (fun x => ev (P x) f) m | None =>
              match some3 (fun x => ev (P x) f) (sample T f) with Some true => Some true | _ => None end end |}; intros f e.
  - destruct (l f) as [m|] eqn:s.
    + destruct (some3_t _ P _ (fun y => ev_t (P y) f) m e) as [x []]; eauto.
    + destruct (some3 (fun x => ev (P x) f) (sample T f)) as [[]|] eqn:q; try discriminate.
      destruct (some3_t _ P _ (fun y => ev_t (P y) f) _ q) as [x []]; eauto.
  - intros [x h]. destruct (l f) as [m|] eqn:s; [|destruct (some3 _ _) as [[]|]; discriminate].
    exact (some3_f _ P _ (fun y => ev_f (P y) f) m e x (H f m s x h) h).
Defined.
#[export] Instance semi_all_sample T (P : T -> Prop) `{Sample T} `{forall x, Semi (P x)} : Semi (forall x, P x) | 50.
Proof.
  refine {| ev := fun f => match all3 (fun x => ev (P x) f) (sample T f) with Some false => Some false | _ => None end |}; intros f e;
    destruct (all3 (fun x => ev (P x) f) (sample T f)) as [[]|] eqn:q; try discriminate.
  intro h. destruct (all3_f _ P _ (fun y => ev_f (P y) f) _ q) as [x [_ n]]; auto.
Defined.
#[export] Instance semi_ex_sample T (P : T -> Prop) `{Sample T} `{forall x, Semi (P x)} : Semi (exists x, P x) | 50.
Proof.
  refine {| ev := fun f => match some3 (fun x => ev (P x) f) (sample T f) with Some true => Some true | _ => None end |}; intros f e;
    destruct (some3 (fun x => ev (P x) f) (sample T f)) as [[]|] eqn:q; try discriminate.
  destruct (some3_t _ P _ (fun y => ev_t (P y) f) _ q) as [x []]; eauto.
Defined.

Lemma prime_range n : (1 < n /\ forall q, (1 < q /\ q < n) -> ~ (q | n)) <-> prime n.
Proof. split; intro h; [apply prime_alt|apply prime_alt in h]; exact h. Qed.
#[export] Instance semi_prime n : Semi (prime n) := by_iff _ _ (prime_range n) _.
