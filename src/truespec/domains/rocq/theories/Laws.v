(** Laws by which more statements have one form: divisors of greatest common divisors and of least common multiples,
    products without and with a condition, equations that determine a witness, constant lists, lists of pairs, orders
    that hold together. Remainders by a numeral and ranges that both sides imply are taken value by value. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Sorting.
Import ListNotations.
Local Open Scope Z_scope.

(** * Divisors *)
#[export] Instance nf_divides_gcd d a b P Q `{Nf (d | a) P} `{Nf (d | b) Q} : Nf (d | Z.gcd a b) (P /\ Q) | 0.
Proof.
  unfold Nf in *. rewrite <- H, <- H0. split; [|intros []; apply Z.gcd_greatest; assumption].
  intro h. split; [exact (Z.divide_trans _ _ _ h (Z.gcd_divide_l a b))|exact (Z.divide_trans _ _ _ h (Z.gcd_divide_r a b))].
Qed.
#[export] Instance nf_lcm_divides a b n P Q `{Nf (a | n) P} `{Nf (b | n) Q} : Nf (Z.lcm a b | n) (P /\ Q) | 0.
Proof.
  unfold Nf in *. rewrite <- H, <- H0. split; [|intros []; apply Z.lcm_least; assumption].
  intro h. split; [exact (Z.divide_trans _ _ _ (Z.divide_lcm_l a b) h)|exact (Z.divide_trans _ _ _ (Z.divide_lcm_r a b) h)].
Qed.
#[export] Instance nf_ndivides_gcd d a b P Q `{Nf (Nat.divide d a) P} `{Nf (Nat.divide d b) Q} : Nf (Nat.divide d (Nat.gcd a b)) (P /\ Q) | 0.
Proof.
  unfold Nf in *. rewrite <- H, <- H0. split; [|intros []; apply Nat.gcd_greatest; assumption].
  intro h. split; [exact (Nat.divide_trans _ _ _ h (Nat.gcd_divide_l a b))|exact (Nat.divide_trans _ _ _ h (Nat.gcd_divide_r a b))].
Qed.
#[export] Instance nf_nlcm_divides a b n P Q `{Nf (Nat.divide a n) P} `{Nf (Nat.divide b n) Q} : Nf (Nat.divide (Nat.lcm a b) n) (P /\ Q) | 0.
Proof.
  unfold Nf in *. rewrite <- H, <- H0. split; [|intros []; apply Nat.lcm_least; assumption].
  intro h. split; [exact (Nat.divide_trans _ _ _ (Nat.divide_lcm_l a b) h)|exact (Nat.divide_trans _ _ _ (Nat.divide_lcm_r a b) h)].
Qed.
(* A remainder by a variable that a Boolean compares with zero. *)
Lemma bt_mod a b : Bt (b mod a =? 0) (a | b). Proof. unfold Bt. rewrite Z.eqb_eq. apply mod0. Qed.
Lemma bt_nmod a b : Bt (b mod a =? 0)%nat (Nat.divide a b). Proof. unfold Bt. rewrite Nat.eqb_eq. apply nmod0. Qed.
#[export] Hint Extern 0 (Bt (Z.eqb (_ mod ?a) 0) _) => (is_var a; apply bt_mod) : typeclass_instances.
#[export] Hint Extern 0 (Bt (Nat.eqb (Nat.modulo _ ?a) 0) _) => (is_var a; apply bt_nmod) : typeclass_instances.
(** A product of two numbers above one, in any wording. *)
Lemma some_product (C : Z -> Z -> Prop) p : (forall a b, C a b <-> 1 < a /\ 1 < b /\ p = a * b) -> Nf (exists a b, C a b) (exists k, 1 < k < p /\ (k | p)).
Proof.
  intro h. split.
  - intros (a & b & c). apply h in c. destruct c as (u & v & ->). exists a. split; [nia|apply Z.divide_factor_l].
  - intros (k & u & q & ->). exists q, k. apply h. repeat split; nia.
Qed.
Lemma no_product (C : Z -> Z -> Prop) p : (forall a b, C a b <-> (1 < a -> 1 < b -> p <> a * b)) -> Nf (forall a b, C a b) (forall k, 1 < k < p -> ~ (k | p)).
Proof.
  intro h. split.
  - intros c k u [q ->]. apply (proj1 (h q k) (c q k)); nia.
  - intros c a b. apply h. intros u v ->. apply (c a); [nia|apply Z.divide_factor_l].
Qed.
Ltac read_product := let a := fresh in let b := fresh in intros a b; lazymatch goal with |- ?C <-> _ => lazymatch C with
  | context [?p = a * b] => lazymatch goal with |- _ <-> ?R => lazymatch R with context [?q = a * b] => unify q p end end
  | context [a * b = ?p] => lazymatch goal with |- _ <-> ?R => lazymatch R with context [?q = a * b] => unify q p end end end end;
  first [ tauto | lia | intuition lia ].
#[export] Hint Extern 0 (Nf (exists a b : Z, _) _) => (eapply some_product; solve [read_product]) : typeclass_instances.
#[export] Hint Extern 0 (Nf (forall a b : Z, _) _) => (eapply no_product; solve [read_product]) : typeclass_instances.

(** * Witnesses *)
#[export] Instance nf_ex_apart T U (P : T -> Prop) (Q : U -> Prop) R (H : Nf ((exists x, P x) /\ (exists y, Q y)) R) : Nf (exists x y, P x /\ Q y) R | 2.
Proof. unfold Nf in *. rewrite <- H. firstorder. Qed.
#[export] Instance nf_ex_out T (A : Prop) (P : T -> Prop) B Q (H : Nf A B) (H0 : Nf (exists x, P x) Q) : Nf (exists x, A /\ P x) (B /\ Q) | 2.
Proof. unfold Nf in *. rewrite <- H, <- H0. firstorder. Qed.
(** [C y] says that [y = t]. *)
Class Solves (C : Z -> Prop) (t : Z) := solves : forall y, C y <-> y = t.
#[global] Hint Mode Solves ! - : typeclass_instances.
#[export] Instance solves1 x t : Solves (fun y => x + y = t) (t - x). Proof. intro; lia. Qed.
#[export] Instance solves2 x t : Solves (fun y => y + x = t) (t - x). Proof. intro; lia. Qed.
#[export] Instance solves3 x t : Solves (fun y => t = x + y) (t - x). Proof. intro; lia. Qed.
#[export] Instance solves4 x t : Solves (fun y => t = y + x) (t - x). Proof. intro; lia. Qed.
#[export] Instance solves5 x t : Solves (fun y => x - y = t) (x - t). Proof. intro; lia. Qed.
#[export] Instance solves6 x t : Solves (fun y => y - x = t) (t + x). Proof. intro; lia. Qed.
#[export] Instance solves7 x t : Solves (fun y => t = x - y) (x - t). Proof. intro; lia. Qed.
#[export] Instance solves8 x t : Solves (fun y => t = y - x) (t + x). Proof. intro; lia. Qed.
#[export] Instance nf_ex_solved (P C : Z -> Prop) t Q `{Solves C t} `{Nf (P t) Q} : Nf (exists y, P y /\ C y) Q | 0.
Proof. unfold Nf, Solves in *. rewrite <- H0. split; [intros (y & p & c); apply H in c; subst; exact p|intro p; exists t; split; [exact p|apply H; reflexivity]]. Qed.
#[export] Instance nf_ex_solved' (P C : Z -> Prop) t Q `{Solves C t} `{Nf (P t) Q} : Nf (exists y, C y /\ P y) Q | 0.
Proof. unfold Nf, Solves in *. rewrite <- H0. split; [intros (y & c & p); apply H in c; subst; exact p|intro p; exists t; split; [apply H; reflexivity|exact p]]. Qed.
Lemma some_pair A B (P : A * B -> Prop) Q : Nf (exists a b, P (a, b)) Q -> Nf (exists p, P p) Q.
Proof. unfold Nf. intros <-. split; [intros [[] h]; eauto|intros (a & b & h); eauto]. Qed.
Lemma every_pair A B (P : A * B -> Prop) Q : Nf (forall a b, P (a, b)) Q -> Nf (forall p, P p) Q.
Proof. unfold Nf. intros <-. split; [auto|intros h []; auto]. Qed.
#[export] Hint Extern 1 (Nf (exists p : _ * _, _) _) => (eapply some_pair; cbn [fst snd]) : typeclass_instances.
#[export] Hint Extern 1 (Nf (forall p : _ * _, _) _) => (eapply every_pair; cbn [fst snd]) : typeclass_instances.
#[export] Instance nf_In_prod A B (a : A) (b : B) l m P Q `{Nf (In a l) P} `{Nf (In b m) Q} : Nf (In (a, b) (list_prod l m)) (P /\ Q) | 0.
Proof. unfold Nf in *. rewrite in_prod_iff. tauto. Qed.

(** * Letters of a text *)
Local Notation letters := list_ascii_of_string.
Lemma letter_somewhere s c : (exists i, String.get i s = Some c) <-> In c (letters s).
Proof.
  setoid_rewrite letters_get. split; [intros [i h]; exact (nth_error_In _ _ h)|apply In_nth_error].
Qed.
Lemma every_place s (P : ascii -> Prop) : (forall i c, String.get i s = Some c -> P c) <-> (forall c, In c (letters s) -> P c).
Proof. split; [intros h c i; apply letter_somewhere in i; destruct i as [i e]; exact (h i c e)|intros h i c e; apply h, letter_somewhere; eauto]. Qed.
Lemma letter_between s c : (exists a b, s = append a (String c b)) <-> In c (letters s).
Proof.
  setoid_rewrite same_letters. setoid_rewrite letters_app. cbn [list_ascii_of_string]. rewrite text_around.
  split; [intros (a & b & ->); apply in_elt|apply in_split].
Qed.
#[export] Instance nf_letter_somewhere s c : Nf (exists i, String.get i s = Some c) (In c (letters s)) | 0 := letter_somewhere s c.
#[export] Instance nf_every_place s (P Q : ascii -> Prop) (H : forall c, Nf (P c) (Q c)) :
  Nf (forall i c, String.get i s = Some c -> P c) (forall c, In c (letters s) -> Q c) | 0.
Proof. unfold Nf in *. rewrite every_place. firstorder. Qed.
#[export] Instance nf_letter_between s c : Nf (exists a b, s = append a (String c b)) (In c (letters s)) | 0 := letter_between s c.
Lemma letters_are s l : letters s = l <-> s = string_of_list_ascii l.
Proof. split; [intros <-; symmetry; apply string_of_list_ascii_of_string|intros ->; apply letters_of_list]. Qed.
Lemma letters_are' s l : l = letters s <-> s = string_of_list_ascii l.
Proof. rewrite <- letters_are. split; auto. Qed.
(* Letters by their codes. *)
Lemma same_code c d : c = d <-> nat_of_ascii c = nat_of_ascii d.
Proof. split; [congruence|]. intro h. rewrite <- (ascii_nat_embedding c), h. apply ascii_nat_embedding. Qed.
Ltac codes := rewrite ?Ascii.eqb_eq; try setoid_rewrite same_code; repeat match goal with
  | |- context [nat_of_ascii (ascii_of_nat ?m)] => rewrite (nat_ascii_embedding m) by
      (repeat match goal with c : ascii |- _ => lazymatch goal with _ : done c 40 |- _ => fail | _ => pose proof (nat_ascii_bounded c); assert (done c 40) by exact I end end; lia) end;
  repeat match goal with c : ascii |- _ => pose proof (nat_ascii_bounded c); generalize dependent (nat_of_ascii c); clear c; intros end.
Ltac by_codes := solve [ start; match goal with _ : ascii |- _ => idtac end; conditions_of_codes; codes; first [ lia | intuition lia ] ]
with conditions_of_codes := repeat match goal with |- context [if ?b then _ else _] => let e := fresh "e" in destruct b eqn:e end; booleans_to_props; rewrite ?andb_true_iff, ?andb_false_iff, ?orb_true_iff, ?orb_false_iff in *;
  rewrite ?Nat.leb_le, ?Nat.ltb_lt, ?Nat.eqb_eq, ?Nat.leb_gt, ?Nat.ltb_ge in *.

(** * Constant lists *)
Lemma constant_list T (x : T) l n : l = repeat x n <-> length l = n /\ forall y, In y l -> y = x.
Proof.
  split; [intros ->; split; [apply repeat_length|intros y h; exact (repeat_spec _ _ _ h)]|].
  intros [<- h]. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite (h a) by (left; reflexivity). f_equal. apply IH. intros y i. apply h. right; exact i.
Qed.
#[export] Instance nf_constant T (x : T) l n P `{Nf (forall y, In y l -> y = x) P} : Nf (l = repeat x n) (length l = n /\ P) | 1.
Proof. unfold Nf in *. rewrite <- H. apply constant_list. Qed.
#[export] Instance nf_constant' T (x : T) l n P `{Nf (forall y, In y l -> y = x) P} : Nf (repeat x n = l) (length l = n /\ P) | 1.
Proof. unfold Nf in *. rewrite <- H, <- constant_list. split; auto. Qed.
#[export] Instance nf_constant_whole T (x : T) l P `{Nf (forall y, In y l -> y = x) P} : Nf (l = repeat x (length l)) P | 0.
Proof. unfold Nf in *. rewrite <- H, constant_list. tauto. Qed.
(** All members are one. *)
Lemma one_value T (l : list T) : (forall x y, In x l -> In y l -> x = y) <-> pairwise (@eq T) l.
Proof.
  induction l as [|a l IH]; simpl; [firstorder|]. rewrite <- IH. split.
  - intro h. split; [intros y i; apply h; auto|intros x y i j; apply h; auto].
  - intros [h k] x y [<-|i] [<-|j]; auto. symmetry; auto.
Qed.
Lemma one_head T (d : T) (l : list T) : (forall y, In y l -> y = hd d l) <-> pairwise (@eq T) l.
Proof. rewrite <- one_value. split; [intros h x y i j; rewrite (h x i), (h y j); reflexivity|]. intros h y i. apply h; [exact i|]. destruct l; [destruct i|left; reflexivity]. Qed.
Lemma one_some T (d : T) (l : list T) : (exists x, forall y, In y l -> y = x) <-> pairwise (@eq T) l.
Proof. split; [intros [x h]; apply one_value; intros y z i j; rewrite (h y i), (h z j); reflexivity|intro h; exists (hd d l); apply one_head; exact h]. Qed.
#[export] Instance nf_one_value T (l : list T) : Nf (forall x y, In x l -> In y l -> x = y) (pairwise (@eq T) l) | 0 := one_value T l.
#[export] Instance nf_one_head T (d : T) (l : list T) : Nf (forall y, In y l -> y = hd d l) (pairwise (@eq T) l) | 0 := one_head T d l.
#[export] Hint Extern 0 (Nf (exists x : ?T, forall y, In y _ -> y = x) _) => (with_default T ltac:(fun d => apply (one_some T d))) : typeclass_instances.
Lemma some_repeated T (d : T) (l : list T) : (exists x n, l = repeat x n) <-> pairwise (@eq T) l.
Proof. rewrite <- (one_some T d). split; [intros (x & n & h); exists x; apply (constant_list T x l n); exact h|intros (x & h); exists x, (length l); apply constant_list; auto]. Qed.
#[export] Hint Extern 0 (Nf (exists (x : ?T) (n : nat), _ = repeat x n) _) => (with_default T ltac:(fun d => apply (some_repeated T d))) : typeclass_instances.

(** * Orders that hold together *)
Lemma pairwise_both T (R S : T -> T -> Prop) l : pairwise R l /\ pairwise S l <-> pairwise (fun x y => R x y /\ S x y) l.
Proof. induction l as [|x l IH]; simpl; [tauto|]. rewrite <- IH. firstorder. Qed.
Ltac same_orders := rewrite ?pairwise_both; first [ reflexivity | apply pairwise_same; intros; cbv beta; lia ].

(** * Value by value *)
Ltac by_value k := let c := fresh in repeat match goal with
  | l : ?a <= k < Zpos _ |- _ => assert (c : k = a \/ Z.succ a <= k < ltac:(match type of l with _ <= _ < ?b => exact b end)) by lia; clear l; destruct c as [->|l]; [|cbv [Z.succ Z.add Pos.add Pos.succ] in l; try (exfalso; lia)] end.
Ltac remainders := match goal with |- context [?a mod (Zpos ?p)] => let v := eval vm_compute in (Z.pos p <=? 32) in constr_eq v true;
  let h := fresh in pose proof (Z.mod_pos_bound a (Zpos p) eq_refl) as h; let k := fresh "k" in generalize dependent (a mod (Zpos p)); intros k h; by_value k end.
Ltac by_remainders := solve [ start; remainders; cbv; split_results; intuition (first [ congruence | discriminate | lia ]) ].

(** Both sides imply a range, in which the evaluators decide every value. *)
Definition range (n : nat) : list Z := map (fun i => Z.of_nat i - 1) (seq 0 n).
Lemma in_range n x : -1 <= x < Z.of_nat n - 1 -> In x (range n).
Proof. intro h. apply in_map_iff. exists (Z.to_nat (x + 1)). split; [lia|apply in_seq; lia]. Qed.
Lemma in_table (n : nat) (P Q : Z -> Prop) (s : forall x, Semi (P x)) (t : forall x, Semi (Q x)) f :
  (forall x, P x -> -1 <= x < Z.of_nat n - 1) -> (forall x, Q x -> -1 <= x < Z.of_nat n - 1) ->
  all3 (fun x => ev (P x <-> Q x) f) (range n) = Some true -> forall x, P x <-> Q x.
Proof.
  intros p q h x. split; intro k.
  - exact (proj1 (all3_t _ (fun x => P x <-> Q x) _ (fun y => ev_t (P y <-> Q y) f) _ h x (in_range n x (p x k))) k).
  - exact (proj2 (all3_t _ (fun x => P x <-> Q x) _ (fun y => ev_t (P y <-> Q y) f) _ h x (in_range n x (q x k))) k).
Qed.
Ltac opened_table := repeat match goal with
  | H : _ /\ _ |- _ => destruct H | H : _ \/ _ |- _ => destruct H | H : False |- _ => destruct H
  | H : In _ (_ :: _) |- _ => cbn in H | H : (_, _) = (_, _) |- _ => injection H; clear H; intros; subst | H : (?a | Zpos ?p) |- _ => lazymatch goal with _ : done a p |- _ => fail | _ => pose proof (Z.divide_pos_le a (Zpos p) eq_refl H); assert (done a p) by exact I end end.
Ltac table_bound := intros; opened_table; clear_marks; lia.
Lemma in_table2 (n : nat) (P Q : Z -> Z -> Prop) (s : forall x y, Semi (P x y)) (t : forall x y, Semi (Q x y)) f :
  (forall x y, P x y -> -1 <= x < Z.of_nat n - 1 /\ -1 <= y < Z.of_nat n - 1) -> (forall x y, Q x y -> -1 <= x < Z.of_nat n - 1 /\ -1 <= y < Z.of_nat n - 1) ->
  all3 (fun q => ev (P (fst q) (snd q) <-> Q (fst q) (snd q)) f) (list_prod (range n) (range n)) = Some true -> forall x y, P x y <-> Q x y.
Proof.
  intros p q h x y. pose proof (all3_t _ (fun q => P (fst q) (snd q) <-> Q (fst q) (snd q)) _ (fun y => ev_t _ f) _ h (x, y)) as k. cbn [fst snd] in k.
  split; intro w; apply k; try exact w; apply in_prod; apply in_range; first [ apply (p x y w) | apply (q x y w) ].
Qed.
Lemma in_table3 (n : nat) (P Q : Z -> Z -> Z -> Prop) (s : forall x y z, Semi (P x y z)) (t : forall x y z, Semi (Q x y z)) f :
  (forall x y z, P x y z -> -1 <= x < Z.of_nat n - 1 /\ -1 <= y < Z.of_nat n - 1 /\ -1 <= z < Z.of_nat n - 1) ->
  (forall x y z, Q x y z -> -1 <= x < Z.of_nat n - 1 /\ -1 <= y < Z.of_nat n - 1 /\ -1 <= z < Z.of_nat n - 1) ->
  all3 (fun q => ev (P (fst (fst q)) (snd (fst q)) (snd q) <-> Q (fst (fst q)) (snd (fst q)) (snd q)) f) (list_prod (list_prod (range n) (range n)) (range n)) = Some true ->
  forall x y z, P x y z <-> Q x y z.
Proof.
  intros p q h x y z. pose proof (all3_t _ (fun q => P (fst (fst q)) (snd (fst q)) (snd q) <-> Q (fst (fst q)) (snd (fst q)) (snd q)) _ (fun y => ev_t _ f) _ h (x, y, z)) as k. cbn [fst snd] in k.
  split; intro w; apply k; try exact w; repeat apply in_prod; apply in_range; first [ apply (p x y z w) | apply (q x y z w) ].
Qed.
Ltac nothing_else := lazymatch goal with _ : Z |- _ => fail | _ : nat |- _ => fail | _ : list _ |- _ => fail | _ : string |- _ => fail | _ => idtac end.
Ltac table_of lemma := lemma; [ solve [table_bound] | solve [table_bound] | vm_compute; reflexivity ].
Ltac by_bounds := solve [ start; repeat match goal with x : Z |- _ => revert x end; nothing_else; first
  [ table_of ltac:(eapply (in_table 34%nat _ _ _ _ (Fuel 2 nil nil nil))) | table_of ltac:(eapply (in_table 130%nat _ _ _ _ (Fuel 2 nil nil nil)))
  | table_of ltac:(eapply (in_table2 34%nat _ _ _ _ (Fuel 2 nil nil nil))) | table_of ltac:(eapply (in_table3 10%nat _ _ _ _ (Fuel 2 nil nil nil))) ] ].

(** * Ranges from their ends, and functions that scan two lists *)
Ltac last_of_range := rewrite ?seq_S, ?map_app, ?filter_app, ?fold_right_sum_app, ?fold_right_plus_app, ?fold_left_app, ?list_sum_app, ?existsb_app, ?forallb_app, ?app_length, ?concat_app in *;
  rewrite ?Nat2Z.inj_succ, ?Nat.add_0_l, ?Nat.add_1_l in *; cbn [map filter fold_right fold_left list_sum existsb forallb app length Nat.add] in *.
Lemma power_succ a n : a ^ Z.succ (Z.of_nat n) = a * a ^ Z.of_nat n. Proof. apply Z.pow_succ_r. lia. Qed.
Ltac range_leaf := rewrite ?power_succ; first [ reflexivity | lia | nia | congruence | ring
  | (repeat match goal with |- context [if ?b then _ else _] => destruct b end; cbn [fold_right list_sum length Nat.add]; first [ lia | congruence ]) ].
Ltac of_last n := induction n; [ first [ reflexivity | (cbn; first [ reflexivity | lia ]) ]
  | last_of_range; first [ lia | repeat match goal with IH : _ = _ |- _ => first [ rewrite IH | rewrite <- IH ]; clear IH end; range_leaf ] ].
Ltac closed_range := lazymatch goal with |- ?P <-> ?r = ?f => is_var r; let h := fresh in
  assert (h : ltac:(let p := eval pattern r in P in lazymatch p with ?g _ => let q := eval cbv beta in (g f) in exact q end)) by
    (clear_idle; match goal with n : nat |- _ => induction n; [ solve [cbn; first [reflexivity | lia]] | last_of_range; solve [first [ lia | nia | ring ]] ] end);
  split; intros; subst; first [ assumption | lia | nia ] end.
Ltac by_ranges := solve [ start; lazymatch goal with |- context [seq _ _] => idtac | |- context [_ ^ _] => idtac end; terms; first
  [ solve [same_results; match goal with n : nat |- _ => of_last n end]
  | closed_range | (apply iff_sym; closed_range) ] ].

Ltac shift_two f zero := lazymatch zero with
  | 0 => assert (forall l m a, f l m a = a + f l m 0) | 0%nat => assert (forall l m a, f l m a = a + f l m 0)%nat end;
  [ let l := fresh in let m := fresh in let a := fresh in intro l; induction l; intros m a; destruct m; cbn; first [ lia
      | match goal with IH : forall m a, _ |- _ => rewrite IH; symmetry; rewrite IH; symmetry; first [ lia | ring ] end ] | ].
Ltac by_two_scans := solve [ start; terms; same_results;
  match goal with |- context [?f ?l ?m ?c] => is_var l; is_var m; lazymatch type of l with list _ => idtac end; lazymatch type of m with list _ => idtac end;
    lazymatch c with 0 => shift_two f 0 | 0%nat => shift_two f 0%nat end; revert m; induction l; intros m; destruct m; cbn;
    repeat match goal with H : forall l m a, _ = _ |- _ => progress (rewrite H); clear H end; try match goal with IH : forall m, _ |- _ => first [ rewrite IH | rewrite <- IH ] end; first [ lia | ring ] end ].

(** * The strategies *)
Lemma pair_apart A B (a : A) (b : B) p : (a, b) = p <-> a = fst p /\ b = snd p. Proof. destruct p; cbn. rewrite pair_equal_spec. tauto. Qed.
Lemma pair_apart' A B (a : A) (b : B) p : p = (a, b) <-> a = fst p /\ b = snd p. Proof. destruct p; cbn. rewrite pair_equal_spec. intuition. Qed.
Ltac apart_pairs := rewrite ?pair_apart, ?pair_apart'; lazymatch goal with |- _ /\ _ <-> _ /\ _ => idtac end.
Lemma in_parts A B C D : (A <-> C) -> (B <-> D) -> (A /\ B <-> C /\ D). Proof. tauto. Qed.
Ltac equal_results := same_results; first
  [ match goal with x : nat |- _ => solve [equal_scan x] end | equal_scans ].
Ltac by_parts := solve [ start; rewrite ?letters_are, ?letters_are'; first [ apart_pairs | idtac ]; cbn [fst snd]; terms; repeat (apply in_parts); first [ quick | equal_results ] ].
(* A value that is known by which values are equal to it. *)
Lemma same_point T (t u : T) : (forall z, t = z <-> z = u) <-> t = u. Proof. split; [intro h; apply h; reflexivity|intros -> z; split; auto]. Qed.
Lemma same_point' T (t u : T) : (forall z, z = t <-> z = u) <-> t = u. Proof. split; [intro h; apply h; reflexivity|intros -> z; tauto]. Qed.
Lemma same_point'' T (t u : T) : (forall z, z = t <-> u = z) <-> t = u. Proof. split; [intro h; symmetry; apply h; reflexivity|intros -> z; split; auto]. Qed.
Lemma same_point3 T (t u : T) : (forall z, t = z <-> u = z) <-> t = u. Proof. split; [intro h; symmetry; apply h; reflexivity|intros -> z; tauto]. Qed.
Lemma no_point T (u : T) : (forall z, False <-> z = u) <-> False. Proof. split; [intro h; apply (h u); reflexivity|tauto]. Qed.
Lemma no_point' T (u : T) : (forall z, z = u <-> False) <-> False. Proof. split; [intro h; apply (h u); reflexivity|tauto]. Qed.
Ltac points := rewrite ?same_point, ?same_point', ?same_point'', ?same_point3, ?no_point, ?no_point'.
(* Propositional and first-order reasoning on the normal form. *)
Ltac by_logic := solve [ start; first
  [ split_results; lazymatch goal with _ : Z |- _ => fail | _ : nat |- _ => fail | _ : list _ |- _ => fail | _ : string |- _ => fail | _ => idtac end; cbn; intuition (first [ congruence | lia ])
  | split_results; cbv beta iota; normalise; terms; try heads; points; first [ quick | plain | firstorder (first [ congruence | lia ]) ] ] ].
Ltac by_orders := solve [ start; without_output; normalise; first [ quick | same_orders | descend ltac:(first [plain | same_orders]) ] ].

(** * Numbers without a common divisor *)
Lemma ncoprime a b : (forall d, Nat.divide d a -> Nat.divide d b -> d = 1%nat) <-> Nat.gcd a b = 1%nat.
Proof. split; [intro h; apply h; [apply Nat.gcd_divide_l | apply Nat.gcd_divide_r] | intros e d h k; exact (ncommon_one a b d e h k)]. Qed.
Lemma coprime_by a b (P : Prop) : (P -> ~ (a = 0 /\ b = 0)) -> (P -> forall p, 2 <= Z.gcd a b -> prime p -> (p | a) -> (p | b) -> False) ->
  ((forall d, (d | a) -> (d | b) -> d = 1 \/ d = -1) -> P) -> P <-> Z.gcd a b = 1.
Proof.
  intros z h c. split; [|intro e; apply c; intros d; apply common_one; exact e]. intro p.
  destruct (gcd_cases a b) as [(e & f & _)|[(e & _)|(g & _ & _ & _ & q & _ & k & i & j)]]; [destruct (z p); auto | exact e | destruct (h p q g k i j)].
Qed.
Ltac coprime := apply coprime_by;
  [ let h := fresh in intros h [-> ->]; first [ specialize (h 2) | idtac ]; pose proof prime_2; pose proof (Z.divide_0_r 2); first [ tauto | lia | (specialize (h ltac:(assumption)); tauto) | (specialize (h ltac:(lia)); first [ tauto | lia ]) ]
  | let h := fresh in let p := fresh "p" in intros h p; intros; pose proof (prime_above_one p ltac:(assumption)); specialize (h p); first [ tauto | lia | intuition lia ]
  | let h := fresh in let d := fresh "d" in intros h d; intros; specialize (h d); try match goal with k : prime d |- _ => pose proof (prime_above_one d k) end; first [ tauto | lia | intuition lia ] ].
#[export] Instance nf_ncoprime a b : Nf (forall d, Nat.divide d a -> Nat.divide d b -> d = 1%nat) (Nat.gcd a b = 1%nat) | 0. Proof. apply ncoprime. Qed.
#[export] Instance nf_coprime_unit a b : Nf (forall d, (d | a) -> (d | b) -> d = 1 \/ d = -1) (Z.gcd a b = 1) | 0. Proof. unfold Nf. coprime. Qed.
#[export] Instance nf_coprime_one a b : Nf (forall d, 0 < d -> (d | a) -> (d | b) -> d = 1) (Z.gcd a b = 1) | 0. Proof. unfold Nf. coprime. Qed.
#[export] Instance nf_coprime_none a b : Nf (forall d, 1 < d -> (d | a) -> ~ (d | b)) (Z.gcd a b = 1) | 0. Proof. unfold Nf. coprime. Qed.
#[export] Instance nf_coprime_primes a b : Nf (forall p, prime p -> (p | a) -> ~ (p | b)) (Z.gcd a b = 1) | 0. Proof. unfold Nf. coprime. Qed.
