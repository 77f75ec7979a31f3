(** Numbers that their divisors describe: definitions that say that a number is prime, in whichever way, are read as [prime]
    under their names; descriptions of a greatest common divisor are read as [Z.gcd]. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid Morphisms.
From Truespec Require Export Relations.
Import ListNotations.
Local Open Scope Z_scope.

(** Set for each pair: unfold the statement down to the two specifications; a tactic is tried on each other definition. *)
Ltac unfold_outermost := idtac.
Ltac for_definitions k := idtac.

(** * Prime numbers, however they are described *)
Lemma prime_by_divisors p : prime p <-> 2 <= p /\ (forall d, 1 < d < p -> ~ (d | p)).
Proof. split; [intro h; apply prime_alt in h as [a b]; split; [lia|exact b] | intros [a b]; apply prime_alt; split; [lia|exact b]]. Qed.
Lemma prime_lower p : prime p -> 2 <= p. Proof. rewrite prime_by_divisors. tauto. Qed.
Lemma divisor_of_prime p d : prime p -> (d | p) -> 0 < d -> d = 1 \/ d = p.
Proof. intros h k l. apply prime_by_divisors in h as [a b]. pose proof (divide_le d p k ltac:(lia)). destruct (Z.eq_dec d 1), (Z.eq_dec d p); auto. destruct (b d); [lia|exact k]. Qed.
Lemma any_divisor_of_prime p d : prime p -> (d | p) -> d = 1 \/ d = - 1 \/ d = p \/ d = - p.
Proof. intros h k. destruct (prime_divisors p h d k); tauto. Qed.
Lemma no_remainder n d : d <> 0 -> n mod d = 0 -> (d | n). Proof. intros a b. apply Z.mod_divide; assumption. Qed.
Lemma remainder_none n d : (d | n) -> n mod d = 0.
Proof. intros [q ->]. apply Z_mod_mult. Qed.
Lemma cofactor p d : (d | p) -> 1 < d < p -> exists q, p = q * d /\ 1 < q < p. Proof. intros [q ->] h. exists q. split; [reflexivity|nia]. Qed.
Lemma smaller_divisor p d : (d | p) -> 1 < d < p -> exists e, (e | p) /\ 1 < e < p /\ e * e <= p.
Proof. intros k h. destruct (cofactor p d k h) as (q & e & i). destruct (Z_le_gt_dec (d * d) p); [exists d; auto | exists q]. repeat split; [exists d; nia|lia|lia|nia]. Qed.
Ltac divides_as_remainder := repeat match goal with
  | H : ?n mod ?d = 0 |- _ => mark d (n, 201%nat) ltac:(try pose proof (no_remainder n d ltac:(lia) H))
  | H : (?d | ?n) |- _ => mark d (n, 202%nat) ltac:(pose proof (remainder_none n d H)) end.
(* The bound numbers of a hypothesis at a divisor. *)
Ltac at_divisor d := repeat match goal with H : forall x : Z, _ |- _ => mark H d ltac:(let h := fresh in pose proof (H d) as h; cbv beta in h) end.
Ltac prime_close := repeat match goal with H : context [Z.of_nat (Z.to_nat ?d)] |- _ => rewrite (Z2Nat.id d) in H by lia end; divides_as_remainder; clear_marks; repeat match goal with H : ?A -> ?B |- _ => is_prop A; specialize (H ltac:(first [ assumption | lia ])) end;
  open; first [ lia | congruence | tauto | solve [intuition lia]
  | match goal with H : ~ ex _ |- _ => apply H; solve [eauto 8 with zarith] end ].
Lemma if_false (b c : bool) : (if b then false else c) = true <-> b = false /\ c = true. Proof. destruct b; intuition congruence. Qed.
Lemma if_true_false (b c : bool) : (if b then c else false) = true <-> b = true /\ c = true. Proof. destruct b; intuition congruence. Qed.
Lemma forallb_range f a n : forallb f (map Z.of_nat (seq a n)) = true <-> forall d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n -> f d = true.
Proof.
  rewrite forallb_forall. split; intros h d k.
  - apply h, in_map_iff. exists (Z.to_nat d). rewrite in_seq. lia.
  - apply in_map_iff in k as (e & <- & i). apply in_seq in i. apply h. lia.
Qed.
Lemma forallb_numbers f a n : forallb f (seq a n) = true <-> forall d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n -> f (Z.to_nat d) = true.
Proof.
  rewrite forallb_forall. split; intros h d k; [apply h, in_seq; lia|]. apply in_seq in k. rewrite <- (Nat2Z.id d). apply h. lia.
Qed.
Lemma existsb_range f a n : existsb f (map Z.of_nat (seq a n)) = true <-> exists d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n /\ f d = true.
Proof.
  rewrite existsb_exists. split; intros (d & k & h).
  - apply in_map_iff in k as (e & <- & i). apply in_seq in i. exists (Z.of_nat e). split; [lia|exact h].
  - exists d. split; [|exact h]. apply in_map_iff. exists (Z.to_nat d). rewrite in_seq. lia.
Qed.
Lemma existsb_numbers f a n : existsb f (seq a n) = true <-> exists d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n /\ f (Z.to_nat d) = true.
Proof.
  rewrite existsb_exists. split; intros (d & k & h).
  - apply in_seq in k. exists (Z.of_nat d). rewrite Nat2Z.id. split; [lia|exact h].
  - exists (Z.to_nat d). rewrite in_seq. split; [lia|exact h].
Qed.
Lemma Forall_range (P : Z -> Prop) a n : Forall P (map Z.of_nat (seq a n)) <-> forall d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n -> P d.
Proof.
  rewrite Forall_forall. split; intros h d k.
  - apply h, in_map_iff. exists (Z.to_nat d). rewrite in_seq. lia.
  - apply in_map_iff in k as (e & <- & i). apply in_seq in i. apply h. lia.
Qed.
Lemma Forall_numbers (P : nat -> Prop) a n : Forall P (seq a n) <-> forall d, Z.of_nat a <= d < Z.of_nat a + Z.of_nat n -> P (Z.to_nat d).
Proof.
  rewrite Forall_forall. split; intros h d k; [apply h, in_seq; lia|]. apply in_seq in k. rewrite <- (Nat2Z.id d). apply h. lia.
Qed.
Ltac conditions_as_props := rewrite ?if_false, ?if_true_false; rewrite <- ?not_true_iff_false.
Ltac prime_props := rewrite ?andb_true_iff, ?negb_true_iff; rewrite <- ?not_true_iff_false; rewrite ?forallb_range, ?forallb_numbers, ?existsb_range, ?existsb_numbers, ?Forall_range, ?Forall_numbers; rewrite <- ?not_true_iff_false; repeat setoid_rewrite negb_true_iff; repeat setoid_rewrite orb_true_iff; repeat setoid_rewrite andb_true_iff;
  repeat first [ setoid_rewrite Z.leb_le | setoid_rewrite Z.ltb_lt | setoid_rewrite Z.eqb_eq | setoid_rewrite Z.eqb_neq | setoid_rewrite Z.leb_gt | setoid_rewrite Z.ltb_ge | setoid_rewrite Z.gtb_lt | setoid_rewrite Z.geb_le ].
Ltac is_prime_by := rewrite prime_by_divisors; conjuncts; open; first [ lia
  | match goal with K : (?d | ?p), L1 : 1 < ?d, L2 : ?d < ?p |- False => let L := fresh in pose proof (conj L1 L2) as L; first
      [ solve [at_divisor d; prime_close]
      | solve [destruct (cofactor p d K L) as (q & ? & ?); at_divisor d; at_divisor q; open; at_divisor d; at_divisor q; clear_marks; first [ lia | intuition lia ] ]
      | solve [destruct (smaller_divisor p d K L) as (e & ? & ? & ?); at_divisor e; prime_close] ] end ].
Ltac from_prime := let h := fresh "prime" in intro h; pose proof (prime_lower _ h); conjuncts; open; rewrite ?Z2Nat.id in * by lia; try lia;
  repeat match goal with H : ?p = ?a * ?b |- _ => mark H 202%nat ltac:(assert (a | p) by (exists b; lia); assert (b | p) by (exists a; lia)) | h : prime (?a * ?b) |- _ => mark a (b, 204%nat) ltac:(assert (a | a * b) by (exists b; lia); assert (b | a * b) by (exists a; lia)) end; clear_marks;
  divides_as_remainder; clear_marks;
  repeat match goal with K : (?d | ?p), h : prime ?p |- _ => mark K 203%nat ltac:(pose proof (any_divisor_of_prime p d h K)) end; clear_marks; first [ lia | nia ].
Ltac prime_form := let p := fresh "p" in intro p; cbv beta; unfold_pair; conditions_as_props; prime_props; split; [ intros; open; solve [is_prime_by] | solve [from_prime] ].

(** * Definitions of the two texts that say that a number is prime, each by its name *)
Ltac canonical f := lazymatch type of f with
  | Z -> Prop => let h := fresh "twin" in assert (h : Twin (forall p, f p <-> prime p)) by (unfold Twin; clear; solve [prime_form])
  | Z -> bool => let h := fresh "twin" in assert (h : Twin (forall p, f p = true <-> prime p)) by (unfold Twin; clear; solve [prime_form]) end.
Ltac falsities := repeat first [ setoid_rewrite <- not_true_iff_false ].
Ltac prime_facts := let h := fresh in destruct (ex_intro (fun z => z <= 2 /\ 2 <= z /\ prime z) 2 (conj (Z.le_refl 2) (conj (Z.le_refl 2) prime_2))) as (? & ? & ? & ?); pose proof prime_2; pose proof prime_lower.
Ltac one_order := change (fun x y : Z => x <= y) with Z.le; change (fun x y : Z => x < y) with Z.lt.
Ltac by_atoms := split; intro; first [ lia | solve [booleans; lia] | (open; conjuncts; open; first [ assumption | lia | (booleans; lia) ]) ].
(* Premises on the inputs that arithmetic decides. *)
Lemma holds_premise (A B : Prop) : A -> ((A -> B) <-> B). Proof. tauto. Qed.
Lemma fails_premise (A B : Prop) : ~ A -> ((A -> B) <-> True). Proof. tauto. Qed.
Ltac premise_cases := repeat match goal with |- context [?A -> ?B] => is_prop A; comparisons A; destruct (classic A); [ rewrite !(holds_premise A) by assumption | rewrite !(fails_premise A) by assumption ];
  repeat match goal with |- context [?C -> ?D] => is_prop C; comparisons C; first [ rewrite (holds_premise C) by lia | rewrite (fails_premise C) by lia ] end end.
Ltac after_primes := first [ quick | solve [matched_parts] | solve [normalise; terms; one_order; first [ quick | by_atoms ]] | solve [both_ground 2%nat] | (progress premise_cases; both_ground 2%nat) ].
Ltac by_primes := solve [ unfold_outermost; intros; for_definitions canonical; lazymatch goal with _ : Twin _ |- _ => idtac end;
  conditions; rewrite ?Forall_forall, ?Exists_exists; repeat setoid_rewrite Forall_forall; falsities; use_twins; unfold_pair; split_results; terms;
  lazymatch goal with |- context [prime] => idtac end; prime_facts; repeat match goal with H : context [prime] |- _ => revert H end; generalize prime; intros; after_primes ].

(** * A greatest common divisor, however it is described *)
Lemma gcd_combination a b : exists u v, Z.gcd a b = a * u + b * v.
Proof. destruct (Z.gcd_bezout a b (Z.gcd a b) eq_refl) as (u & v & h). exists u, v. lia. Qed.
Lemma gcd_largest a b : ~ (a = 0 /\ b = 0) -> 0 < Z.gcd a b /\ forall d, (d | a) -> (d | b) -> d <= Z.gcd a b.
Proof.
  intro n. assert (p : 0 < Z.gcd a b) by (pose proof (Z.gcd_nonneg a b); pose proof (Z.gcd_eq_0 a b); destruct (Z.eq_dec (Z.gcd a b) 0); [tauto|lia]).
  split; [exact p|]. intros d h k. apply Z.divide_pos_le; [exact p|]. apply Z.gcd_greatest; assumption.
Qed.
Lemma combination_divides d a b u v : (d | a) -> (d | b) -> (d | a * u + b * v).
Proof. intros h k. apply Z.divide_add_r; apply Z.divide_mul_l; assumption. Qed.
Lemma divides_both_ways a b : 0 <= a -> 0 <= b -> (a | b) -> (b | a) -> a = b. Proof. apply Z.divide_antisym_nonneg. Qed.
Lemma mod_divides a b : b <> 0 -> (a mod b = 0 <-> (b | a)). Proof. apply Z.mod_divide. Qed.
Definition Common (a b r : Z) : Prop := 0 <= r /\ (r | a) /\ (r | b) /\ (Z.gcd a b | r).
Lemma common_is_gcd a b r : Common a b r -> r = Z.gcd a b.
Proof. intros (h & k & l & m). apply divides_both_ways; [exact h|apply Z.gcd_nonneg|apply Z.gcd_greatest; assumption|exact m]. Qed.
(* The facts from which each description of a greatest common divisor of [a] and [b] follows. *)
Ltac divisor_facts a b := pose proof (gcd_facts a b) as (? & ? & ? & ? & ?); pose proof (gcd_largest a b); pose proof (gcd_combination a b) as (? & ? & ?).
Ltac taken_or := repeat match goal with H : _ \/ _ |- _ => destruct H end.
Ltac remainders_divide := repeat match goal with
  | H : ?a mod ?b = 0 |- _ => first [ apply (proj1 (mod_divides a b ltac:(lia))) in H | (destruct (Z.eq_dec b 0); [ subst; rewrite ?Zmod_0_r in *; subst | apply (proj1 (mod_divides a b ltac:(lia))) in H ]) ]
  | |- ?a mod ?b = 0 => apply (proj2 (mod_divides a b ltac:(lia))) end.
(* A described value is a common divisor that the greatest divides. *)
Ltac is_common a b := apply common_is_gcd; unfold Common; repeat split; first [ assumption | lia
  | (match goal with H : forall d : Z, _ |- _ => solve [apply H; assumption] | H : forall d : Z, _ |- 0 <= ?r => let h := fresh in assert (h : 1 <= r) by (apply H; apply Z.divide_1_l); lia end)
  | (try match goal with H : ?r = _ * _ + _ * _ |- (_ | ?r) => rewrite H end; first [ apply combination_divides; assumption | (rewrite Z.add_comm; apply combination_divides; assumption) | (rewrite (Z.mul_comm _ a), (Z.mul_comm _ b); apply combination_divides; assumption) ])
  | (match goal with h : ?P -> 0 < ?g /\ _ , H : forall d : Z, _ |- (Z.gcd a b | ?r) => let k := fresh in
       assert (k : r = Z.gcd a b) by (let p := fresh in pose proof (h ltac:(first [ assumption | lia ])) as [p ?]; assert (Z.gcd a b <= r) by (apply H; assumption);
         assert (r <= Z.gcd a b) by (apply Z.divide_pos_le; [ exact p | apply Z.gcd_greatest; assumption ]); lia); rewrite k; apply Z.divide_refl end) ].
Ltac gcd_of_zeros := try match goal with H : ?a = 0, K : ?b = 0 |- _ => subst a b; rewrite ?Z.gcd_0_r in *; cbn [Z.abs] in * end.
Ltac is_gcd a b := intro; open; taken_or; open; remainders_divide; gcd_of_zeros; first [ lia | (divisor_facts a b; is_common a b) | reflexivity | (cbn; lia) ].
Ltac zero_cases a b := destruct (Z.eq_dec a 0), (Z.eq_dec b 0).
Ltac of_gcd a b := intros ->; divisor_facts a b; zero_cases a b; remainders_divide;
  first [ (subst; cbn in *; conjuncts; first [ lia | tauto | (intros; open; lia) ])
  | (match goal with h : ~ _ -> 0 < _ /\ _ |- _ => destruct (h ltac:(lia)) as [? ?] end; remainders_divide; gcd_leaf) ]
with gcd_leaf := lazymatch goal with
  | |- _ \/ _ => first [ solve [left; gcd_leaf] | solve [right; gcd_leaf] ]
  | |- _ /\ _ => split; gcd_leaf
  | |- ?a mod ?b = 0 => apply (proj2 (mod_divides a b ltac:(lia))); gcd_leaf
  | |- ex _ => solve [eauto] | |- forall _, _ => intro; gcd_leaf
  | |- _ => first [ assumption | lia | solve [eauto] ] end.
Lemma both_gcd (P Q : Prop) T (r g : T) : (P <-> r = g) -> (Q <-> r = g) -> (P <-> Q). Proof. tauto. Qed.
Ltac gcd_side a b := split; [ is_gcd a b | of_gcd a b ].
Ltac gcd_is a b r := lazymatch goal with |- ?P <-> ?Q => apply (both_gcd P Q Z r (Z.gcd a b)); solve [ first [ reflexivity | gcd_side a b ] ] end.
Ltac by_described_gcd := solve [ start; cbv beta iota; match goal with
  | |- context [Z.divide ?r ?a] => is_var r; is_var a; match goal with |- context [Z.divide r ?b] => is_var b; tryif constr_eq a b then fail else gcd_is a b r end
  | |- context [Z.gcd ?a ?b] => is_var a; is_var b; match goal with r : Z |- _ => tryif constr_eq a r then fail else tryif constr_eq b r then fail else gcd_is a b r end end ].

(** * Results that say whether a number is prime *)
Lemma true_is b : true = b <-> b = true. Proof. split; congruence. Qed.
Lemma false_is b : false = b <-> ~ b = true. Proof. destruct b; split; congruence. Qed.
Lemma is_false b : b = false <-> ~ b = true. Proof. destruct b; split; congruence. Qed.
Lemma true_same (P : Prop) : (true = true <-> P) <-> P. Proof. tauto. Qed.
Lemma true_same' (P : Prop) : (P <-> true = true) <-> P. Proof. tauto. Qed.
Lemma false_same (P : Prop) : (false = true <-> P) <-> ~ P. Proof. split; [intros h p; apply h in p; discriminate | intro n; split; [discriminate | intro p; destruct (n p)]]. Qed.
Lemma false_same' (P : Prop) : (P <-> false = true) <-> ~ P. Proof. rewrite <- (false_same P). tauto. Qed.
Lemma both_say (P A B : Prop) : (A <-> P) -> (B <-> P) -> (A <-> B). Proof. tauto. Qed.
Lemma both_deny (P A B : Prop) : (~ A <-> P) -> (~ B <-> P) -> (A <-> B). Proof. destruct (classic A), (classic B); tauto. Qed.
Lemma and_true_l (A : Prop) : (True /\ A) <-> A. Proof. tauto. Qed.
Lemma and_true_r (A : Prop) : (A /\ True) <-> A. Proof. tauto. Qed.
Lemma not_not (A : Prop) : ~ ~ A <-> A. Proof. destruct (classic A); tauto. Qed.
Lemma neither (A B : Prop) : ~ (A \/ B) <-> ~ A /\ ~ B. Proof. tauto. Qed.
Lemma none T (P : T -> Prop) : ~ (exists x, P x) <-> forall x, ~ P x. Proof. firstorder. Qed.
Ltac result_says := rewrite ?true_same, ?true_same', ?false_same, ?false_same'; repeat match goal with
  | |- context [(true = true -> ?A)] => rewrite (holds_premise (true = true) A eq_refl) | |- context [(false = false -> ?A)] => rewrite (holds_premise (false = false) A eq_refl)
  | |- context [(true = false -> ?A)] => rewrite (fails_premise (true = false) A ltac:(discriminate)) | |- context [(false = true -> ?A)] => rewrite (fails_premise (false = true) A ltac:(discriminate)) end;
  rewrite ?and_true_l, ?and_true_r; repeat match goal with |- context [true = ?b] => rewrite (true_is b) | |- context [false = ?b] => lazymatch b with true => fail | false => fail | _ => rewrite (false_is b) end end.
Ltac says_prime := first [ reflexivity | (prime_props; split; [ intros; open; solve [is_prime_by] | solve [from_prime] ]) ].
Ltac denies_prime := rewrite ?not_not, ?neither, ?none; says_prime.
Ltac by_prime_result := solve [ start; lazymatch goal with r : bool |- _ => destruct r end; cbv beta iota; result_says; match goal with n : Z |- _ => first
  [ apply (both_say (prime n)); says_prime | apply (both_deny (prime n)); denies_prime ] end ].
