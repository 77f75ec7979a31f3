(** Common divisors and square roots: what is known of them is put beside the hypotheses, at the terms in sight. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Rows.
Import ListNotations.
Local Open Scope Z_scope.

Lemma divides_one d : (d | 1) -> d = 1 \/ d = -1. Proof. apply Z.divide_1_r. Qed.
Lemma bezout_one a b u v : u * a + v * b = 1 -> Z.gcd a b = 1.
Proof. intro h. apply Z.bezout_1_gcd. exists u, v. exact h. Qed.
Lemma gcd_bezout_one a b : Z.gcd a b = 1 -> exists u v, u * a + v * b = 1.
Proof. intro h. destruct (Z.gcd_bezout a b 1 h) as (u & v & e). eauto. Qed.
Lemma prime_factor_below n : forall m, 1 < m <= n -> exists p, prime p /\ (p | m).
Proof.
  intros m. revert n. induction m as [m IH] using (well_founded_induction (Z.lt_wf 0)). intros n h.
  destruct (prime_dec m) as [p|p]; [exists m; split; [exact p|apply Z.divide_refl]|].
  destruct (not_prime_divide m ltac:(lia) p) as (d & ? & d2). destruct (IH d ltac:(lia) d ltac:(lia)) as (q & ? & q2).
  exists q. split; [assumption|exact (Z.divide_trans q d m q2 d2)].
Qed.
Lemma prime_factor m : 1 < m -> exists p, prime p /\ (p | m).
Proof. intro h. apply (prime_factor_below m). lia. Qed.
Lemma prime_above_one p : prime p -> 1 < p. Proof. intros []; assumption. Qed.
Lemma gcd_cases a b : (a = 0 /\ b = 0 /\ Z.gcd a b = 0) \/ (Z.gcd a b = 1 /\ exists u v, u * a + v * b = 1)
  \/ (2 <= Z.gcd a b /\ (Z.gcd a b | a) /\ (Z.gcd a b | b) /\ (forall u v, u * a + v * b <> 1) /\ exists p, 2 <= p /\ prime p /\ (p | a) /\ (p | b)).
Proof.
  pose proof (Z.gcd_nonneg a b). assert (c : Z.gcd a b = 0 \/ Z.gcd a b = 1 \/ 2 <= Z.gcd a b) by lia.
  destruct c as [c|[c|c]].
  - left. pose proof (Z.gcd_eq_0_l _ _ c). pose proof (Z.gcd_eq_0_r _ _ c). auto.
  - right; left. split; [exact c|apply gcd_bezout_one; exact c].
  - right; right. repeat split; [exact c|apply Z.gcd_divide_l|apply Z.gcd_divide_r| |].
    + intros u v e. apply bezout_one in e. lia.
    + destruct (prime_factor (Z.gcd a b) ltac:(lia)) as (p & q & d). exists p. pose proof (prime_above_one p q).
      split; [lia|]. split; [exact q|]. split; [exact (Z.divide_trans _ _ _ d (Z.gcd_divide_l a b))|exact (Z.divide_trans _ _ _ d (Z.gcd_divide_r a b))].
Qed.
Lemma ngcd_cases a b : (a = 0 /\ b = 0 /\ Nat.gcd a b = 0)%nat \/ Nat.gcd a b = 1%nat \/ (2 <= Nat.gcd a b /\ Nat.divide (Nat.gcd a b) a /\ Nat.divide (Nat.gcd a b) b)%nat.
Proof.
  assert (c : (Nat.gcd a b = 0 \/ Nat.gcd a b = 1 \/ 2 <= Nat.gcd a b)%nat) by lia. destruct c as [c|[c|c]].
  - left. apply Nat.gcd_eq_0 in c as k. destruct k. auto.
  - right; left. exact c.
  - right; right. repeat split; [exact c|apply Nat.gcd_divide_l|apply Nat.gcd_divide_r].
Qed.
Lemma common_one a b d : Z.gcd a b = 1 -> (d | a) -> (d | b) -> d = 1 \/ d = -1.
Proof. intros e h k. apply Z.divide_1_r. rewrite <- e. apply Z.gcd_greatest; assumption. Qed.
Lemma ncommon_one a b d : Nat.gcd a b = 1%nat -> Nat.divide d a -> Nat.divide d b -> d = 1%nat.
Proof. intros e h k. apply Nat.divide_1_r. rewrite <- e. apply Nat.gcd_greatest; assumption. Qed.

(* The two numbers whose common divisors are spoken of: both are 0, or have none, or have their greatest one. *)
Ltac common_divisors k := match goal with
  | |- context [Z.gcd ?a ?b] => k a b
  | |- context [rel_prime ?a ?b] => k a b
  | a : Z, b : Z |- context [(_ | ?a)] => match goal with |- context [(_ | b)] => tryif constr_eq a b then fail else k a b end end.
Ltac ncommon_divisors k := match goal with
  | |- context [Nat.gcd ?a ?b] => k a b
  | a : nat, b : nat |- context [Nat.divide _ ?a] => match goal with |- context [Nat.divide _ b] => tryif constr_eq a b then fail else k a b end end.
Ltac divisors := repeat match goal with
  | E : Z.gcd ?a ?b = 1, H : (?d | ?a), K : (?d | ?b) |- _ => mark H 22 ltac:(pose proof (common_one a b d E H K))
  | E : Z.gcd ?b ?a = 1, H : (?d | ?a), K : (?d | ?b) |- _ => mark H 22 ltac:(pose proof (common_one b a d E K H))
  | E : Nat.gcd ?a ?b = 1%nat, H : Nat.divide ?d ?a, K : Nat.divide ?d ?b |- _ => mark H 22 ltac:(pose proof (ncommon_one a b d E H K))
  | E : Nat.gcd ?b ?a = 1%nat, H : Nat.divide ?d ?a, K : Nat.divide ?d ?b |- _ => mark H 22 ltac:(pose proof (ncommon_one b a d E K H))
  | H : forall d : Z, _, K : (?t | _) |- _ => at_term H t
  | H : forall d : nat, _, K : Nat.divide ?t _ |- _ => at_term H t
  | H : forall u : Z, _, K : ?s * _ + ?t * _ = 1 |- _ => first [ at_term H s | at_term H t ]
  | H : forall d : Z, _, K : 2 <= 2 |- _ => at_term H 2
  | H : forall d : nat, _, K : 2 <= 2 |- _ => at_term H 2%nat
  end.
Lemma zero_divided d : (d | 0) <-> True. Proof. split; [auto|intros _; apply Z.divide_0_r]. Qed.
Lemma nzero_divided d : Nat.divide d 0 <-> True. Proof. split; [auto|intros _; apply Nat.divide_0_r]. Qed.
Lemma gcd_turned a b n : Z.gcd a b = n -> Z.gcd b a = n. Proof. rewrite Z.gcd_comm; auto. Qed.
Ltac premises_known := repeat match goal with
  | H : ?P -> ?Q |- _ => is_prop P; specialize (H ltac:(first [ assumption | lia ])) end; push.
Ltac refuted_conjunction := match goal with H : ~ (_ /\ _) |- _ => destruct H; repeat split; first [ assumption | lia ] end.
Ltac divisor_close := split; intros; apply NNPP; let h := fresh in intro h; push; divisors; push; divisors; push; clear_marks; premises_known; first [ contradiction | lia | refuted_conjunction | (progress booleans); lia ].
Ltac in_each_case := let u := fresh "u" in let v := fresh "v" in let e := fresh "e" in
  first [ common_divisors ltac:(fun a b => destruct (gcd_cases a b) as [(e & u & ?)|[(? & ? & ? & ?)|(? & ? & ? & ? & ? & ? & ? & ? & ?)]];
     [ try rewrite e in *; try rewrite u in *; assert (2 <= 2) by lia; rewrite ?Z.gcd_0_l, ?zero_divided in *; try setoid_rewrite zero_divided | | ])
  | ncommon_divisors ltac:(fun a b => destruct (ngcd_cases a b) as [(e & u & ?)|[?|(? & ? & ?)]];
     [ try rewrite e in *; try rewrite u in *; assert (2 <= 2) by lia; rewrite ?Nat.gcd_0_l, ?nzero_divided in *; try setoid_rewrite nzero_divided | | ]) ].
Ltac by_divisors := solve [ start; split_results; cbv beta iota; first [ progress normalise | idtac ]; cbv beta; first [ quick | in_each_case; divisor_close ] ].

(** * Square roots *)
Lemma sqrt_facts n : (n < 0 /\ Z.sqrt n = 0) \/ (0 <= n /\ 0 <= Z.sqrt n /\ Z.sqrt n * Z.sqrt n <= n /\ n < (Z.sqrt n + 1) * (Z.sqrt n + 1)).
Proof.
  destruct (Z_lt_ge_dec n 0) as [l|l]; [left; split; [exact l|apply Z.sqrt_neg; exact l]|right].
  pose proof (Z.sqrt_spec n ltac:(lia)) as k. unfold Z.succ in k. pose proof (Z.sqrt_nonneg n). lia.
Qed.
Lemma sqrt_of k : Z.sqrt (k * k) = Z.abs k.
Proof. rewrite <- (Z.abs_square k). apply Z.sqrt_square. lia. Qed.
Lemma nsqrt_of k : Nat.sqrt (k * k) = k. Proof. apply Nat.sqrt_square. Qed.
Lemma square_as_nat k : Z.of_nat (Z.abs_nat k) * Z.of_nat (Z.abs_nat k) = k * k.
Proof. rewrite Zabs2Nat.id_abs. apply Z.abs_square. Qed.
Lemma between_roots s k n : 0 <= s -> 0 <= k -> s * s <= n < (s + 1) * (s + 1) -> k * k <= n < (k + 1) * (k + 1) -> s = k.
Proof. nia. Qed.
Ltac roots := repeat match goal with
  | H : context [Z.sqrt ?n] |- _ => mark n 30 ltac:(pose proof (sqrt_facts n))
  | |- context [Z.sqrt ?n] => mark n 30 ltac:(pose proof (sqrt_facts n))
  | H : context [Nat.sqrt ?n] |- _ => mark n 31 ltac:(pose proof (Nat.sqrt_spec' n))
  | |- context [Nat.sqrt ?n] => mark n 31 ltac:(pose proof (Nat.sqrt_spec' n))
  | H : ?k * ?k = ?n |- _ => is_var k; mark H 32 ltac:(pose proof (sqrt_of k); pose proof (Z.abs_square k); pose proof (square_as_nat k); rewrite ?H in *)
  | H : ?n = ?k * ?k |- _ => is_var k; mark H 32 ltac:(pose proof (sqrt_of k); pose proof (Z.abs_square k); pose proof (square_as_nat k); rewrite <- ?H in *)
  | H : (?k * ?k)%nat = ?n |- _ => is_var k; mark H 33 ltac:(pose proof (nsqrt_of k); rewrite ?H in *)
  | H : ?n = (?k * ?k)%nat |- _ => is_var k; mark H 33 ltac:(pose proof (nsqrt_of k); rewrite <- ?H in *)
  end.
Ltac root_terms k := first
  [ multimatch goal with t : Z |- _ => first [ k t | k (Z.abs t) | k (Z.sqrt t) | k (Z.sqrt t + 1) | k (- t) ] end
  | multimatch goal with t : nat |- _ => k (Z.of_nat t) end ].
Ltac nat_root_terms k := first
  [ multimatch goal with t : nat |- _ => first [ k t | k (Nat.sqrt t) ] end
  | multimatch goal with t : Z |- _ => first [ k (Z.abs_nat t) | k (Z.to_nat t) | k (Z.abs_nat (Z.sqrt t)) ] end ].
Ltac hide_roots := repeat match goal with
  | H : context [Z.sqrt ?n] |- _ => let s := fresh "s" in set (s := Z.sqrt n) in *; clearbody s
  | |- context [Z.sqrt ?n] => let s := fresh "s" in set (s := Z.sqrt n) in *; clearbody s end.
Ltac root_cases := repeat match goal with H : (_ < 0 /\ _) \/ _ |- _ => destruct H as [[? ?]|(? & ? & ? & ?)]; try lia end.
Ltac root_close := rewrite ?sqrt_of, ?nsqrt_of in *; roots; rewrite ?square_as_nat, ?Z.abs_square in *; clear_marks; root_cases; hide_roots; first [ lia | nia ].
Ltac plain_close := rewrite ?square_as_nat, ?Z.abs_square, ?sqrt_of, ?nsqrt_of, ?Z.abs_square in *; first [ assumption | symmetry; assumption | lia ].
Ltac root_witness tac := lazymatch goal with
  | |- exists x : Z, _ => root_terms ltac:(fun t => exists t; solve [repeat split; tac])
  | |- exists x : nat, _ => nat_root_terms ltac:(fun t => exists t; solve [repeat split; tac])
  | |- _ => fail end.
Ltac at_roots := repeat match goal with
  | H : forall k : Z, _, n : Z |- _ => mark H n ltac:(pose proof (H n); pose proof (H (Z.abs n)); pose proof (H (Z.sqrt n)))
  | H : forall k : Z, _, t : nat |- _ => mark H t ltac:(pose proof (H (Z.of_nat t)))
  | H : forall k : nat, _, t : nat |- _ => mark H t ltac:(pose proof (H t); pose proof (H (Nat.sqrt t)))
  | H : forall k : nat, _, t : Z |- _ => mark H t ltac:(pose proof (H (Z.abs_nat t)); pose proof (H (Z.abs_nat (Z.sqrt t))))
  end.
Ltac by_roots := solve [ start; split_results; cbv beta iota; first [ progress normalise | idtac ]; terms; split; intros; open; conjuncts; open; first
  [ solve [repeat split; plain_close] | once (root_witness ltac:(plain_close)) | lazymatch goal with |- ex _ => fail | _ => solve [repeat split; root_close] end | once (root_witness ltac:(root_close))
  | apply NNPP; let h := fresh in intro h; push; at_roots; push; clear_marks; root_close ] ].
