(** The portfolio: tactics that prove [forall args, oracle args <-> candidate args].

    A strategy first brings both sides to their normal form, then either descends into the parts in which they differ or
    splits the equivalence and refutes each negation: negations are pushed inward, existentials opened, universals
    instantiated at the terms at hand, and linear arithmetic closes the branches. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation Classical Setoid.
(* Exported, since what they set holds where they are imported: [lia] reads Booleans, div and mod. *)
From Coq Require Export ZifyNat ZifyBool.
From Truespec Require Export Bridge.
Import ListNotations.
Local Open Scope Z_scope.

(** Set for each pair: unfolds its definitions. *)
Ltac unfold_pair := idtac.

#[global] Arguments Ascii.eqb : simpl never.
#[global] Arguments String.eqb : simpl never.
#[global] Arguments Z.modulo : simpl never.
#[global] Arguments Z.div : simpl never.
#[global] Arguments Z.even : simpl never.
#[global] Arguments Z.odd : simpl never.
#[global] Arguments Z.mul : simpl never.
#[global] Arguments Z.add : simpl never.
#[global] Arguments Z.sub : simpl never.
#[global] Arguments Nat.modulo : simpl never.
#[global] Arguments Nat.div : simpl never.

(** * Preparation *)
Lemma by_nf A B A' B' : Nf A A' -> Nf B B' -> (A' <-> B') -> (A <-> B).
Proof. unfold Nf. tauto. Qed.
Lemma by_nf_goal A A' : Nf A A' -> A' -> A.
Proof. unfold Nf. tauto. Qed.
Ltac normalise := lazymatch goal with
  | |- _ <-> _ => eapply by_nf; [once (typeclasses eauto) | once (typeclasses eauto) | cbv beta]
  | |- _ => eapply by_nf_goal; [once (typeclasses eauto) | cbv beta] end.

Lemma fold_left_sum l a : fold_left Z.add l a = a + fold_right Z.add 0 l.
Proof. revert a. induction l as [|x l IH]; intro a; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_left_sum' l a : fold_left (fun a x => x + a) l a = a + fold_right Z.add 0 l.
Proof. revert a. induction l as [|x l IH]; intro a; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_right_sum_app l m : fold_right Z.add 0 (l ++ m) = fold_right Z.add 0 l + fold_right Z.add 0 m.
Proof. induction l as [|x l IH]; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_right_sum_rev l : fold_right Z.add 0 (rev l) = fold_right Z.add 0 l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|rewrite fold_right_sum_app, IH; simpl; lia]. Qed.
Lemma fold_left_cons T (l a : list T) : fold_left (fun a x => x :: a) l a = rev l ++ a.
Proof. revert a. induction l as [|x l IH]; intro a; simpl; [reflexivity|rewrite IH, <- app_assoc; reflexivity]. Qed.
Lemma fold_left_plus l a : fold_left Nat.add l a = (a + fold_right Nat.add 0 l)%nat.
Proof. revert a. induction l as [|x l IH]; intro a; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_left_mul l a : fold_left Z.mul l a = a * fold_right Z.mul 1 l.
Proof. revert a. induction l as [|x l IH]; intro a; simpl; [lia|rewrite IH; lia]. Qed.
Lemma fold_left_max l d : fold_left Z.max l d = fold_right Z.max d l.
Proof. apply fold_symmetric; intros; lia. Qed.
Lemma fold_left_min l d : fold_left Z.min l d = fold_right Z.min d l.
Proof. apply fold_symmetric; intros; lia. Qed.
Lemma fold_left_nmax l d : fold_left Nat.max l d = fold_right Nat.max d l.
Proof. apply fold_symmetric; intros; lia. Qed.
Lemma fold_left_nmin l d : fold_left Nat.min l d = fold_right Nat.min d l.
Proof. apply fold_symmetric; intros; lia. Qed.
Lemma fold_right_plus_app l m : fold_right Nat.add 0%nat (l ++ m) = (fold_right Nat.add 0 l + fold_right Nat.add 0 m)%nat.
Proof. induction l as [|x l IH]; simpl; [reflexivity|rewrite IH; lia]. Qed.
Lemma last_nth T (l : list T) d : last l d = nth (length l - 1) l d.
Proof.
  induction l as [|x l IH]; [reflexivity|]. destruct l as [|y l]; [reflexivity|].
  change (last (x :: y :: l) d) with (last (y :: l) d). rewrite IH. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.
Lemma hd_rev T (d : T) l : hd d (rev l) = last l d.
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl rev. destruct l as [|y l]; [reflexivity|].
  change (last (x :: y :: l) d) with (last (y :: l) d). rewrite <- IH. simpl. destruct (rev l); reflexivity.
Qed.
Lemma hd_nth T (d : T) l : hd d l = nth 0 l d.
Proof. destruct l; reflexivity. Qed.
Lemma gcd_mod_any a b : Z.gcd b (a mod b) = Z.gcd a b.
Proof.
  destruct (Z.eq_dec b 0) as [->|n]; [|rewrite Z.gcd_comm, Z.gcd_mod by exact n; apply Z.gcd_comm].
  rewrite Zmod_0_r, Z.gcd_comm. reflexivity.
Qed.
Lemma count_rev T (e : forall x y : T, {x = y} + {x <> y}) l x : count_occ e (rev l) x = count_occ e l x.
Proof. apply Permutation_count_occ, Permutation_sym, Permutation_rev. Qed.
Ltac terms := repeat match goal with
  | |- context [fold_left (fun a x => a + x) ?l ?a] => change (fold_left (fun a x => a + x) l a) with (fold_left Z.add l a)
  | |- context [fold_right (fun x a => x + a) ?a ?l] => change (fold_right (fun x a => x + a) a l) with (fold_right Z.add a l)
  | |- context [fold_left Z.add _ _] => rewrite fold_left_sum
  | |- context [fold_left (fun a x => x + a) _ _] => rewrite fold_left_sum'
  | |- context [fold_right Z.add 0 (rev _)] => rewrite fold_right_sum_rev
  | |- context [fold_right Z.add 0 (_ ++ _)] => rewrite fold_right_sum_app
  | |- context [fold_left (fun a x => x :: a) _ _] => rewrite fold_left_cons
  | |- context [fold_left Nat.add _ _] => rewrite fold_left_plus
  | |- context [fold_left Z.max ?l ?d] => rewrite (fold_left_max l d)
  | |- context [fold_left Z.min ?l ?d] => rewrite (fold_left_min l d)
  | |- context [fold_left Nat.max ?l ?d] => rewrite (fold_left_nmax l d)
  | |- context [fold_left Nat.min ?l ?d] => rewrite (fold_left_nmin l d)
  | |- context [fold_left Z.mul _ _] => rewrite fold_left_mul
  | |- context [Z.mul 1 ?a] => rewrite (Z.mul_1_l a)
  | |- context [?l ++ []] => rewrite (app_nil_r l)
  | |- context [rev (rev ?l)] => rewrite (rev_involutive l)
  | |- context [length (rev ?l)] => rewrite (rev_length l)
  | |- context [length (map _ _)] => rewrite map_length
  | |- context [length (_ ++ _)] => rewrite app_length
  | |- context [count_occ _ (_ ++ _) _] => rewrite count_occ_app
  | |- context [count_occ _ (rev _) _] => rewrite count_rev
  | |- context [hd ?d (rev ?l)] => rewrite (hd_rev _ d l)
  | |- context [nth 0 (rev ?l) ?d] => rewrite <- (hd_nth _ d (rev l)), (hd_rev _ d l)
  | |- context [last ?l ?d] => rewrite (last_nth _ l d)
  | |- context [Z.gcd ?b (?a mod ?b)] => rewrite (gcd_mod_any a b)
  | |- context [fold_right Nat.add 0%nat (_ ++ _)] => rewrite fold_right_plus_app
  | |- context [(?i + 1)%nat] => rewrite (Nat.add_1_r i)
  | |- context [nat_of_ascii (Ascii ?a ?b ?c ?d ?e ?f ?g ?h)] => let v := eval vm_compute in (nat_of_ascii (Ascii a b c d e f g h)) in change (nat_of_ascii (Ascii a b c d e f g h)) with v
  | |- context [?a ^ 2] => change (a ^ 2) with (a * a) || rewrite (Z.pow_2_r a)
  | |- context [?a ^ 3] => replace (a ^ 3) with (a * a * a) by ring
  | |- context [(?a ^ 2)%nat] => replace (a ^ 2)%nat with (a * a)%nat by (simpl; lia)
  end.

Ltac open_arguments := repeat match goal with
  | x : (_ * _)%type |- _ => destruct x
  | x : unit |- _ => destruct x
  end.
Ltac split_results := repeat match goal with
  | o : option _ |- _ => destruct o
  | x : (_ * _)%type |- _ => destruct x
  | b : bool |- _ => destruct b
  end.
Ltac start := unfold_pair; intros; open_arguments; cbn [fst snd]; cbv beta iota.

(** * Logic *)
Definition done {A B} (a : A) (b : B) : Prop := True.
Lemma not_iff A B : ~ (A <-> B) -> (A /\ ~ B) \/ (~ A /\ B).
Proof. destruct (classic A), (classic B); tauto. Qed.
Lemma iff_cases A B : (A <-> B) -> (A /\ B) \/ (~ A /\ ~ B).
Proof. destruct (classic A); tauto. Qed.
Lemma atom (P : Prop) : exists z : Z, P <-> 0 < z.
Proof. destruct (classic P); [exists 1|exists 0]; intuition lia. Qed.

Ltac is_prop P := let t := type of P in constr_eq t Prop.
Ltac push := repeat match goal with
  | H : False |- _ => destruct H
  | H : True |- _ => clear H
  | H : _ /\ _ |- _ => destruct H
  | H : ex _ |- _ => destruct H
  | H : ~ ~ _ |- _ => apply NNPP in H
  | H : ~ (_ /\ _) |- _ => apply not_and_or in H
  | H : ~ (_ \/ _) |- _ => apply not_or_and in H
  | H : ~ (_ <-> _) |- _ => apply not_iff in H
  | H : ~ (exists _, _) |- _ => let h := fresh in pose proof (not_ex_all_not _ _ H) as h; clear H; cbv beta in h
  | H : ~ (?A -> ?B) |- _ => is_prop A; apply imply_to_and in H
  | H : ~ (forall _, _) |- _ => apply not_all_ex_not in H
  | H : Some _ = Some _ |- _ => injection H; clear H; intros
  | H : (_, _) = (_, _) |- _ => injection H; clear H; intros
  | H : ?x = ?y |- _ => is_var x; subst x
  | H : ?x = ?y |- _ => is_var y; subst y
  | H : ?A -> ?B, K : ?A |- _ => is_prop A; specialize (H K)
  | H : ?A <-> ?B, K : ?A |- _ => apply (proj1 H) in K as ?; clear H
  | H : ?A <-> ?B, K : ?B |- _ => apply (proj2 H) in K as ?; clear H
  | H : ?A <-> ?B, K : ~ ?A |- _ => assert (~ B) by tauto; clear H
  | H : ?A <-> ?B, K : ~ ?B |- _ => assert (~ A) by tauto; clear H
  | H : ?A \/ ?B, K : ~ ?A |- _ => destruct H as [H|H]; [destruct (K H)|]
  | H : ?A \/ ?B, K : ~ ?B |- _ => destruct H as [H|H]; [|destruct (K H)]
  | H : ~ ?A \/ ?B, K : ?A |- _ => destruct H as [H|H]; [destruct (H K)|]
  | H : ?A \/ ~ ?B, K : ?B |- _ => destruct H as [H|H]; [|destruct (H K)]
  end.

(** Propositions that arithmetic does not read stand in as signs of numbers, so that [lia] reasons about all of the
    context; of Booleans it would try all combinations. *)
Ltac arithmetical P := lazymatch P with
  | ?a = ?b => let T := type of a in lazymatch T with Z => idtac | nat => idtac | bool => idtac end
  | Z.le _ _ => idtac | Z.lt _ _ => idtac | Z.ge _ _ => idtac | Z.gt _ _ => idtac
  | le _ _ => idtac | lt _ _ => idtac | ge _ _ => idtac | gt _ _ => idtac
  | True => idtac | False => idtac
  end.
Ltac find_atom P k := lazymatch P with
  | ?A /\ ?B => first [find_atom A k | find_atom B k]
  | ?A \/ ?B => first [find_atom A k | find_atom B k]
  | ?A <-> ?B => first [find_atom A k | find_atom B k]
  | ~ ?A => find_atom A k
  | ?A -> ?B => first [find_atom A k | find_atom B k]
  | _ => tryif arithmetical P then fail else k P end.
Ltac abstract_atom P := let z := fresh "z" in let h := fresh in destruct (atom P) as [z h]; rewrite ?h in *; clear h.
Ltac clear_marks := repeat match goal with H : done _ _ |- _ => clear H end.
Ltac booleans := clear_marks; repeat match goal with H : ?P |- _ => is_prop P; find_atom P abstract_atom end.
Ltac arithmetic := first [ lia | (progress booleans); lia ].
Ltac close := first [ assumption | discriminate | congruence | tauto | arithmetic ].

(** * Facts about the functions in sight *)
Ltac mark a b k := lazymatch goal with _ : done a b |- _ => fail | _ => idtac end; k; assert (done a b) by exact I.
Lemma divide_le a b : (a | b) -> 0 < b -> a <= b.
Proof. intros h p. apply Z.divide_pos_le; assumption. Qed.
Lemma ndivide_le a b : Nat.divide a b -> (0 < b)%nat -> (1 <= a <= b)%nat.
Proof. intros h p. pose proof (Nat.divide_pos_le a b p h). destruct a; [destruct h; lia|lia]. Qed.
Lemma gcd_facts a b : 0 <= Z.gcd a b /\ (Z.gcd a b | a) /\ (Z.gcd a b | b) /\ (forall d, (d | a) -> (d | b) -> (d | Z.gcd a b)) /\ (Z.gcd a b = 0 -> a = 0 /\ b = 0).
Proof. repeat split; try apply Z.gcd_nonneg; try apply Z.gcd_divide_l; try apply Z.gcd_divide_r; [apply Z.gcd_greatest|apply Z.gcd_eq_0 in H; tauto|apply Z.gcd_eq_0 in H; tauto]. Qed.
Lemma lcm_facts a b : 0 <= Z.lcm a b /\ (a | Z.lcm a b) /\ (b | Z.lcm a b) /\ (forall m, (a | m) -> (b | m) -> (Z.lcm a b | m)) /\ (Z.lcm a b = 0 -> a = 0 \/ b = 0).
Proof. repeat split; try apply Z.lcm_nonneg; try apply Z.divide_lcm_l; try apply Z.divide_lcm_r; [apply Z.lcm_least|apply Z.lcm_eq_0]. Qed.
Lemma max_facts d l : (fold_right Z.max d l = d \/ In (fold_right Z.max d l) l) /\ d <= fold_right Z.max d l /\ (forall x, In x l -> x <= fold_right Z.max d l).
Proof.
  induction l as [|a l (h & b & k)]; simpl; [repeat split; [auto|lia|tauto]|].
  repeat split; [|lia|intros x [<-|i]; [lia|specialize (k x i); lia]].
  destruct (Z.max_spec a (fold_right Z.max d l)) as [[_ ->]|[_ ->]]; tauto.
Qed.
Lemma min_facts d l : (fold_right Z.min d l = d \/ In (fold_right Z.min d l) l) /\ fold_right Z.min d l <= d /\ (forall x, In x l -> fold_right Z.min d l <= x).
Proof.
  induction l as [|a l (h & b & k)]; simpl; [repeat split; [auto|lia|tauto]|].
  repeat split; [|lia|intros x [<-|i]; [lia|specialize (k x i); lia]].
  destruct (Z.min_spec a (fold_right Z.min d l)) as [[_ ->]|[_ ->]]; tauto.
Qed.
Lemma nmax_facts d l : (fold_right Nat.max d l = d \/ In (fold_right Nat.max d l) l) /\ (d <= fold_right Nat.max d l)%nat /\ (forall x, In x l -> (x <= fold_right Nat.max d l)%nat).
Proof.
  induction l as [|a l (h & b & k)]; simpl; [repeat split; [auto|lia|tauto]|].
  repeat split; [|lia|intros x [<-|i]; [lia|specialize (k x i); lia]].
  destruct (Nat.max_spec a (fold_right Nat.max d l)) as [[_ ->]|[_ ->]]; tauto.
Qed.
Lemma nmin_facts d l : (fold_right Nat.min d l = d \/ In (fold_right Nat.min d l) l) /\ (fold_right Nat.min d l <= d)%nat /\ (forall x, In x l -> (fold_right Nat.min d l <= x)%nat).
Proof.
  induction l as [|a l (h & b & k)]; simpl; [repeat split; [auto|lia|tauto]|].
  repeat split; [|lia|intros x [<-|i]; [lia|specialize (k x i); lia]].
  destruct (Nat.min_spec a (fold_right Nat.min d l)) as [[_ ->]|[_ ->]]; tauto.
Qed.
Lemma div_facts a b q m : a = b * q + m -> (0 <= m < b \/ b < m <= 0) -> q = a / b /\ m = a mod b.
Proof. intros e h. split; [exact (Z.div_unique a b q m h e)|exact (Z.mod_unique a b q m h e)]. Qed.
Lemma div_mod_facts a b : b <> 0 -> a = b * (a / b) + a mod b /\ (0 <= a mod b < b \/ b < a mod b <= 0).
Proof.
  intro n. split; [apply Z.div_mod; exact n|]. destruct (Z_lt_ge_dec 0 b) as [p|p]; [left; apply Z.mod_pos_bound; exact p|right; apply Z.mod_neg_bound; lia].
Qed.
Lemma consecutive n : exists k, (n * (n + 1) = 2 * k)%nat.
Proof. induction n as [|n [k h]]; [exists 0%nat; reflexivity|]. exists (k + S n)%nat. lia. Qed.
Lemma consecutiveZ n : exists k, n * (n + 1) = 2 * k.
Proof. destruct (Z.Even_or_Odd n) as [[k ->]|[k ->]]; [exists (k * (2 * k + 1))|exists ((2 * k + 1) * (k + 1))]; lia. Qed.
Lemma hd_facts (d : Z) l : (length l = 0%nat /\ hd d l = d) \/ In (hd d l) l.
Proof. destruct l; simpl; auto. Qed.
Ltac facts := repeat match goal with
  | |- context [fold_right Z.max ?d ?l] => mark d (l, 0) ltac:(pose proof (max_facts d l))
  | H : context [fold_right Z.max ?d ?l] |- _ => mark d (l, 0) ltac:(pose proof (max_facts d l))
  | |- context [fold_right Z.min ?d ?l] => mark d (l, 1) ltac:(pose proof (min_facts d l))
  | H : context [fold_right Z.min ?d ?l] |- _ => mark d (l, 1) ltac:(pose proof (min_facts d l))
  | |- context [fold_right Nat.max ?d ?l] => mark d (l, 3) ltac:(pose proof (nmax_facts d l))
  | H : context [fold_right Nat.max ?d ?l] |- _ => mark d (l, 3) ltac:(pose proof (nmax_facts d l))
  | |- context [fold_right Nat.min ?d ?l] => mark d (l, 4) ltac:(pose proof (nmin_facts d l))
  | H : context [fold_right Nat.min ?d ?l] |- _ => mark d (l, 4) ltac:(pose proof (nmin_facts d l))
  | H : context [@hd Z ?d ?l] |- _ => mark d (l, 2) ltac:(pose proof (hd_facts d l))
  | |- context [Z.gcd ?a ?b] => mark a (b, 0) ltac:(pose proof (gcd_facts a b))
  | H : context [Z.gcd ?a ?b] |- _ => mark a (b, 0) ltac:(pose proof (gcd_facts a b))
  | |- context [Z.lcm ?a ?b] => mark a (b, 1) ltac:(pose proof (lcm_facts a b))
  | H : context [Z.lcm ?a ?b] |- _ => mark a (b, 1) ltac:(pose proof (lcm_facts a b))
  | H : (?a | ?b) |- _ => mark a b ltac:(pose proof (divide_le a b H))
  | H : Nat.divide ?a ?b |- _ => mark a b ltac:(pose proof (ndivide_le a b H))
  | |- context [(?n * (?n + 1))%nat] => mark n 5 ltac:(destruct (consecutive n))
  | H : context [(?n * (?n + 1))%nat] |- _ => mark n 5 ltac:(destruct (consecutive n))
  | |- context [?n * (?n + 1)] => mark n 5 ltac:(destruct (consecutiveZ n))
  | H : context [?n * (?n + 1)] |- _ => mark n 5 ltac:(destruct (consecutiveZ n))
  | H : (?a | ?b), K : (?b | ?a) |- _ => mark (a, b) 8 ltac:(pose proof (Z.divide_antisym a b H K))
  | H : context [Z.gcd ?a ?b], K : context [Z.gcd ?b ?a] |- _ => mark (a, b) 10 ltac:(pose proof (Z.gcd_comm a b))
  | H : context [Z.gcd ?a ?b] |- context [Z.gcd ?b ?a] => mark (a, b) 10 ltac:(pose proof (Z.gcd_comm a b))
  | H : (?k * ?k)%nat = ?n |- _ => mark H 9 ltac:(pose proof (Nat.sqrt_square k); rewrite ?H in *)
  | H : context [Nat.sqrt ?n] |- _ => mark n 6 ltac:(pose proof (Nat.sqrt_spec' n))
  | |- context [Nat.sqrt ?n] => mark n 6 ltac:(pose proof (Nat.sqrt_spec' n))
  | H : context [Z.div ?a ?b] |- _ => is_var b; mark a (b, 6) ltac:(pose proof (div_mod_facts a b))
  | H : ?a = ?b * ?q + ?m |- _ => is_var b; mark H 7 ltac:(pose proof (div_facts a b q m H))
  | H : context [count_occ ?e ?l ?x] |- _ => mark l x ltac:(pose proof (count_occ_In e l x); pose proof (count_occ_bound e x l))
  | |- context [count_occ ?e ?l ?x] => mark l x ltac:(pose proof (count_occ_In e l x); pose proof (count_occ_bound e x l))
  | H : In _ ?l |- _ => mark l 0 ltac:(let h := fresh in assert (h : length l <> 0%nat) by (destruct l; [destruct H|simpl; lia]))
  end; push.

(** * Instances of universal hypotheses *)
(* A function is no fact, though its type is a product too. *)
Ltac is_fact H := let P := type of H in is_prop P.
Ltac at_term H t := is_fact H; mark H t ltac:(let h := fresh in pose proof (H t) as h; cbv beta in h).
Ltac guarded H := let P := type of H in lazymatch P with forall x, In x _ -> _ => idtac | forall x, In x _ /\ _ -> _ => idtac | forall x, ~ (In x _ /\ _) => idtac end.
Ltac instantiate_step := match goal with
  | H : forall x, In x ?l -> _, K : In ?t ?l |- _ => at_term H t
  | H : forall x, ~ (In x ?l /\ _), K : In ?t ?l |- _ => at_term H t
  | H : forall x : ?T, _, t : ?T |- _ => tryif is_prop T then fail else (tryif guarded H then fail else at_term H t)
  | H : forall i : nat, _, K : context [nth ?i _ _] |- _ => at_term H i
  | H : forall x : Z, (x | ?a) -> _, K : (?t | ?a) |- _ => at_term H t
  | H : forall x : Z, (?a | x) -> _, K : (?a | ?t) |- _ => at_term H t
  | H : forall x : Z, _ -> (x | ?a) -> _, K : (?t | ?a) |- _ => at_term H t
  | H : forall x : Z, _ -> (?a | x) -> _, K : (?a | ?t) |- _ => at_term H t
  end.
Ltac instantiate_round := repeat instantiate_step.
(* A hypothesis that holds an existential or a disjunction over more than arithmetic is opened. *)
Ltac holds_quantifier P := match P with context [ex _] => idtac | context [forall x : ?T, _] => tryif is_prop T then fail else idtac | context [In _ _] => idtac | context [@eq (list _) _ _] => idtac end.
Ltac split_case := match goal with
  | H : ?A \/ ?B |- _ => destruct H
  | H : ?A <-> ?B |- _ => holds_quantifier H; apply iff_cases in H; destruct H
  | H : ?A -> ?B |- _ => is_prop A; let P := type of H in (match P with context [ex _] => idtac | context [_ \/ _] => idtac | context [~ _] => idtac | context [forall _, _] => idtac end);
      destruct (classic A) as [?|?]; [specialize (H ltac:(assumption))|clear H]
  end.
Ltac search n :=
  push; facts; try solve [close];
  lazymatch n with
  | O => idtac
  | S ?m => instantiate_round; push; try solve [close]; first [ split_case; solve [search n] | search m ]
  end.
Ltac refute n := apply NNPP; let h := fresh in intro h; solve [search n].

Ltac both_ways n := split; intros; refute n.

(** * Descent: equal heads, then the parts *)
Lemma and_parts A B C D : (A <-> C) -> (A -> (B <-> D)) -> (A /\ B <-> C /\ D). Proof. tauto. Qed.
Lemma imp_parts (A B C D : Prop) : (A <-> C) -> (A -> (B <-> D)) -> ((A -> B) <-> (C -> D)). Proof. tauto. Qed.
Lemma or_parts A B C D : (A <-> C) -> (B <-> D) -> (A \/ B <-> C \/ D). Proof. tauto. Qed.
Lemma iff_parts A B C D : (A <-> C) -> (B <-> D) -> ((A <-> B) <-> (C <-> D)). Proof. tauto. Qed.
Lemma not_parts A B : (A <-> B) -> (~ A <-> ~ B). Proof. tauto. Qed.
Lemma all_parts T (P Q : T -> Prop) : (forall x, P x <-> Q x) -> ((forall x, P x) <-> (forall x, Q x)). Proof. firstorder. Qed.
Lemma ex_parts T (P Q : T -> Prop) : (forall x, P x <-> Q x) -> ((exists x, P x) <-> (exists x, Q x)). Proof. firstorder. Qed.
Lemma eq_parts T (x a b : T) : a = b -> (x = a <-> x = b). Proof. intros ->; tauto. Qed.
Lemma eq_parts' T (x a b : T) : a = b -> (a = x <-> x = b). Proof. intros ->; split; auto. Qed.
Lemma eq_parts2 T (x a b : T) : a = b -> (x = a <-> b = x). Proof. intros ->; split; auto. Qed.
Lemma eq_parts3 T (x a b : T) : a = b -> (a = x <-> b = x). Proof. intros ->; split; auto. Qed.
Ltac quick := solve [ reflexivity | tauto ].
Ltac plain := solve [ lia ].
Ltac descend leaf :=
  first [ quick |
  lazymatch goal with
  | |- (_ /\ _) <-> (_ /\ _) => first [ solve [apply and_parts; [descend leaf | intro; descend leaf]] | leaf ]
  | |- (_ \/ _) <-> (_ \/ _) => first [ solve [apply or_parts; descend leaf] | leaf ]
  | |- (_ <-> _) <-> (_ <-> _) => first [ solve [apply iff_parts; descend leaf] | leaf ]
  | |- (~ _) <-> (~ _) => apply not_parts; descend leaf
  | |- (forall x : ?T, _) <-> (forall y : ?U, _) => tryif is_prop T then first [ solve [apply imp_parts; [descend leaf | intro; descend leaf]] | leaf ]
                                       else first [ solve [apply all_parts; intro; descend leaf] | leaf ]
  | |- (exists _, _) <-> (exists _, _) => first [ solve [apply ex_parts; intro; descend leaf] | leaf ]
  | |- (?x = _) <-> (?x = _) => first [ solve [apply eq_parts; leaf] | leaf ]
  | |- (?x = _) <-> (_ = ?x) => first [ solve [apply eq_parts2; leaf] | leaf ]
  | |- (_ = ?x) <-> (?x = _) => first [ solve [apply eq_parts'; leaf] | leaf ]
  | |- (_ = ?x) <-> (_ = ?x) => first [ solve [apply eq_parts3; leaf] | leaf ]
  | |- _ => leaf
  end ].

(** * Induction *)
Ltac cases := repeat match goal with
  | |- context [if ?b then _ else _] => let e := fresh in destruct b eqn:e
  | H : context [if ?b then _ else _] |- _ => let e := fresh in destruct b eqn:e
  | |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l; destruct l
  end.
Ltac booleans_to_props := repeat match goal with
  | H : ?b = true |- _ => first [ apply bt_ltb in H | apply bt_leb in H | apply bt_eq in H | apply bt_gtb in H | apply bt_geb in H
     | apply bt_nltb in H | apply bt_nleb in H | apply bt_neq in H | apply zeven_mod in H | apply zodd_mod in H | apply Ascii.eqb_eq in H | apply String.eqb_eq in H ]
  | H : ?b = false |- _ => apply not_true_iff_false in H; first [ rewrite Z.ltb_lt in H | rewrite Z.leb_le in H | rewrite Z.eqb_eq in H | rewrite Z.gtb_lt in H | rewrite Z.geb_le in H
     | rewrite Nat.ltb_lt in H | rewrite Nat.leb_le in H | rewrite Nat.eqb_eq in H | rewrite zeven_mod in H | rewrite zodd_mod in H | rewrite Ascii.eqb_eq in H | rewrite String.eqb_eq in H ]
  end.
Ltac finish := solve [ reflexivity | lia | congruence | f_equal; (lia || congruence) | nia | ring ].
Ltac after_induction :=
  simpl in *; try finish;
  try solve [ terms; finish ];
  try solve [ repeat match goal with IH : forall _, _ |- _ => rewrite IH end; terms; finish ];
  try solve [ cases; booleans_to_props; try discriminate; try lia; simpl in *;
              repeat match goal with IH : _ = _ |- _ => rewrite IH end; finish ];
  try solve [ cases; booleans_to_props; simpl in *; repeat match goal with IH : forall _, _ |- _ => rewrite IH end; terms; finish ];
  try solve [ cases; booleans_to_props; intuition (subst; try congruence; try lia; eauto) ];
  try solve [ match goal with c : ascii |- _ => destruct c as [[] [] [] [] [] [] [] []]; vm_compute in *; congruence end ].
Ltac generalise_others x := repeat match goal with y : _ |- _ => tryif constr_eq x y then fail else (let T := type of y in tryif is_prop T then revert y else revert y) end.
Ltac by_list_induction tac := match goal with
  | x : list _ |- _ => generalise_others x; induction x; intros; tac
  | x : nat |- _ => generalise_others x; induction x; intros; tac
  | x : string |- _ => generalise_others x; induction x; intros; tac
  end.
Ltac clear_idle := repeat match goal with x : _ |- _ => clear x end.
(* A function that carries an accumulator, in terms of the same function from the start. *)
Ltac accumulator_step := simpl in *; first [ reflexivity | lia | (repeat match goal with IH : forall a, _ = _ |- _ =>
    match goal with |- context [IH] => fail | |- ?l = ?r => rewrite IH; symmetry; rewrite IH; symmetry; clear IH end end; rewrite <- ?app_assoc; simpl; first [reflexivity | lia | (cases; simpl; lia)]) ].
Ltac accumulate := match goal with
  | |- context [?f ?l 0] => is_var l; let h := fresh in assert (h : forall l a, f l a = a + f l 0) by (let l := fresh in intro l; induction l; intros; accumulator_step)
  | |- context [?f ?l O] => is_var l; let h := fresh in assert (h : forall l a, f l a = (a + f l O)%nat) by (let l := fresh in intro l; induction l; intros; accumulator_step)
  | |- context [?f ?l 1] => is_var l; let h := fresh in assert (h : forall l a, f l a = a * f l 1) by (let l := fresh in intro l; induction l; intros; accumulator_step)
  | |- context [?f ?l nil] => is_var l; let h := fresh in assert (h : forall l a, f l a = f l nil ++ a) by (let l := fresh in intro l; induction l; intros; accumulator_step)
  | |- context [?f ?l nil] => is_var l; let h := fresh in assert (h : forall l a, f l a = rev a ++ f l nil) by (let l := fresh in intro l; induction l; intros; accumulator_step)
  end.
Ltac equal_accumulated := accumulate; match goal with H : forall l a, _ = _ |- _ = _ => match goal with x : list _ |- _ => induction x; simpl in *; try rewrite H; first [ finish | (terms; finish) | (cases; finish) | congruence ] end end.
Ltac equal_functions := lazymatch goal with |- ?a = ?b => idtac end; clear_idle; first [ solve [by_list_induction ltac:(after_induction)]
  | solve [match goal with x : list _ |- _ => induction x; after_induction end]
  | solve [equal_accumulated] ].
(* A structural induction on an equivalence, each step brought to normal form again. *)
Ltac hide_recursion := repeat match goal with
  | IH : _ <-> ?b = true |- _ => lazymatch type of IH with _ = true <-> _ => fail | _ => apply iff_sym in IH end
  | IH : ?b = true <-> _ |- _ => tryif is_var b then fail else (let o := fresh "o" in set (o := b) in *; clearbody o)
  end.
Ltac step_equivalence :=
  simpl; hide_recursion;
  try match goal with |- context [match ?l with nil => _ | cons _ _ => _ end] => is_var l; destruct l; simpl in * end; try (normalise); terms; repeat match goal with IH : _ <-> _ |- _ => rewrite IH; clear IH end;
  first [ quick | plain | solve [split; intros; refute 1%nat] | solve [split; intros; refute 2%nat] ].
Ltac equivalence_by_induction := match goal with
  | x : list _ |- _ => induction x; step_equivalence
  | x : nat |- _ => induction x; step_equivalence
  | x : string |- _ => induction x; step_equivalence
  end.

(** * Closed forms: one side says [r = f], the other holds of [f] and of nothing else *)
Ltac closed_form_step := simpl in *; first [ lia | nia | (terms; first [lia | nia]) | (cases; booleans_to_props; simpl in *; lia) ].
Ltac prove_closed_form := clear_idle; first [ lia | nia
  | match goal with n : nat |- _ => induction n; closed_form_step end
  | match goal with l : list _ |- _ => induction l; closed_form_step end ].
Ltac closed_form := first
  [ lazymatch goal with |- ?P <-> ?r = ?f => is_var r; let h := fresh in
      assert (h : ltac:(let p := eval pattern r in P in lazymatch p with ?g _ => let q := eval cbv beta in (g f) in exact q end)) by prove_closed_form;
      split; intros; subst; first [ assumption | lia | nia ] end
  | lazymatch goal with |- ?P <-> ?f = ?r => is_var r; let h := fresh in
      assert (h : ltac:(let p := eval pattern r in P in lazymatch p with ?g _ => let q := eval cbv beta in (g f) in exact q end)) by prove_closed_form;
      split; intros; subst; first [ assumption | lia | nia ] end ].
Ltac by_closed_form := solve [ start; terms; first [ closed_form | (apply iff_sym; closed_form) ] ].

(** * Two lists in step *)
Ltac two_lists_step := simpl in *; 
  split; intros;
  repeat match goal with
  | H : _ /\ _ |- _ => destruct H
  | H : Forall2 _ _ _ |- _ => inversion H; clear H; subst
  | H : _ :: _ = _ :: _ |- _ => injection H; clear H; intros; subst
  end; try discriminate; try lia;
  repeat match goal with IH : forall r, _ <-> _ |- _ => first [ apply IH | rewrite <- IH in * | rewrite IH in * ] end;
  try (constructor; [lia|]); try (f_equal; [lia|]); try solve [assumption | reflexivity | lia | congruence | match goal with IH : forall r, _ <-> _ |- _ => apply (proj1 (IH _)); assumption end].
Ltac by_two_lists := solve [ start; terms; match goal with l : list _, r : list _ |- _ => revert r; induction l; intros [|? ?] end;
  two_lists_step ].

(** * Small ranges: every value of an argument between two numerals *)
Ltac enumerate := repeat match goal with
  | A : ?a <= ?m, B : ?m <= ?b |- _ => is_var m; lazymatch a with Zpos _ => idtac | 0 => idtac end; lazymatch b with Zpos _ => idtac end;
      let c := fresh in assert (c : m = a \/ a + 1 <= m) by lia; clear A; destruct c as [c|A]; [subst m | cbv [Z.add Pos.add Pos.succ] in A; try lia]
  end.
Ltac by_enumeration := solve [ start; split; intros; repeat match goal with H : _ /\ _ |- _ => destruct H end; simpl in *;
  first [ (enumerate; simpl in *; try discriminate; intuition (subst; try discriminate; try lia)) | (intuition (subst; simpl in *; try discriminate; try lia)) ] ].

(** * Elements, substitution and nonlinear search *)
Ltac elements := repeat first
  [ rewrite (palindrome_elements Z 0) | rewrite (palindrome_elements nat 0%nat)
  | rewrite (rev_elements Z 0) | rewrite (rev_elements nat 0%nat)
  | match goal with |- context [?r = map ?f ?l] => first [ rewrite (map_elements Z Z f 0 0 l r) | rewrite (map_elements nat nat f 0%nat 0%nat l r) | rewrite (map_elements Z bool f 0 false l r) ] end
  | rewrite (forall2_index Z Z 0 0) | rewrite (forall2_index nat nat 0%nat 0%nat) ].
Ltac same_elements := let i := fresh "i" in let h := fresh "h" in let e := fresh "e" in
  split; [intros [e h] | intros [e h]]; (split; [congruence|]); intros i ?; specialize (h i); cbv beta in *; try rewrite e in *; lia.
Ltac by_elements := solve [ start; terms; elements; first [ quick | same_elements | plain | descend ltac:(first [ plain | same_elements | both_ways 2%nat ]) ] ].
Ltac by_substitution := solve [ start; split; intros; push; repeat split; intros; push; subst; terms;
  rewrite ?rev_involutive, ?rev_length, ?map_length, ?app_nil_r, ?firstn_all, ?map_id in *; first [ finish | congruence | auto | eauto ] ].
Ltac equal_bools := apply eq_true_iff_eq; first [ (normalise; first [ quick | plain | intuition lia ]) | match goal with c : ascii |- _ => destruct c as [[] [] [] [] [] [] [] []]; vm_compute; intuition congruence end ].
Ltac extensional := first
  [ reflexivity | lia
  | apply filter_ext; intro; equal_bools
  | apply map_ext; intro; first [ lia | f_equal; lia | equal_bools ]
  | progress f_equal; extensional ].
Ltac by_extension := solve [ start; terms; descend ltac:(solve [ extensional ]) ].
Ltac index_members := repeat match goal with
  | H : In ?x ?l |- _ => mark H 8 ltac:(let T := type of x in let h := fresh in let d := constr:(default : T) in pose proof (In_nth l x d H) as h; unfold default, default_Z, default_nat in h; destruct h as (? & ? & ?))
  | H : context [nth ?i ?l ?d] |- _ => mark i (l, 9) ltac:(pose proof (@nth_In _ i l d))
  end.
Ltac by_indices := solve [ start; split_results; cbv beta iota; terms; normalise; terms; rewrite ?(pairwise_index Z 0), ?(pairwise_index nat 0%nat);
  first [ quick | split; intros; apply NNPP; let h := fresh in intro h; push; facts; index_members; push; solve [ close | instantiate_round; push; first [ close | index_members; push; solve [search 1%nat] ] ] ] ].
Ltac around := repeat match goal with
  | H : forall k : nat, _, r : nat |- _ => mark H (S r) ltac:(pose proof (H r); pose proof (H (S r)))
  | H : forall k : Z, _, r : Z |- _ => mark H (r + 1) ltac:(pose proof (H r); pose proof (H (r + 1)); pose proof (H (r - 1)))
  end.
Ltac by_nonlinear_search := solve [ start; split_results; cbv beta iota; terms; normalise; terms; split; intros; apply NNPP; let h := fresh in intro h; push; facts; around; push;
  repeat match goal with H : _ \/ _ |- _ => destruct H; push end; first [ lia | nia ] ].

(** * The strategies *)
Ltac leaf n := terms; first [ plain | reflexivity | solve [extensional] | solve [equal_functions] | solve [both_ways n] ].

Ltac by_computation := solve [ unfold Coq.Init.Logic.iff; intros; split; intro; assumption | start; first [ reflexivity | tauto | lia | intuition lia ] ].
Ltac by_normal_form := solve [ start; normalise; terms; quick ].
Ltac by_cases := solve [ start; split_results; cbv beta iota; normalise; terms; first [ quick | plain | intuition lia ] ].
Ltac by_descent := solve [ start; terms; normalise; terms; descend ltac:(leaf 1%nat) ].
Ltac by_descent_cases := solve [ start; split_results; cbv beta iota; terms; normalise; terms; descend ltac:(leaf 2%nat) ].
Ltac by_search := solve [ start; terms; normalise; terms; both_ways 2%nat ].
Ltac by_search_cases := solve [ start; split_results; cbv beta iota; terms; normalise; terms; both_ways 2%nat ].
Ltac by_functions := solve [ start; terms; descend ltac:(solve [equal_functions | plain]) ].
Ltac by_induction := solve [ start; terms; normalise; descend ltac:(solve [equal_functions | equivalence_by_induction | plain ]) ].
Ltac by_nonlinear := solve [ start; terms; normalise; terms; split; intros; push; repeat split; intros; push; first [ nia | Z.to_euclidean_division_equations; nia ] ].

(** * One direction, for the relation of a refuted candidate *)
Definition implies (A B : Prop) : Prop := A -> B.
Lemma implies_nf A B A' B' : Nf A A' -> Nf B B' -> (A' -> B') -> implies A B.
Proof. unfold Nf, implies. tauto. Qed.
Ltac by_implication := solve [ start; terms; eapply implies_nf; [once (typeclasses eauto) | once (typeclasses eauto) | cbv beta; intro; first [ tauto | lia | refute 1%nat | refute 2%nat ] ]
  | start; split_results; cbv beta iota; terms; eapply implies_nf; [once (typeclasses eauto) | once (typeclasses eauto) | cbv beta; intro; first [ lia | refute 2%nat ] ] ].
