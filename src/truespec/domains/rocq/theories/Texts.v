(** Texts as the lists of their letters, finite tables of letters, lists that are cut, and factors. *)
From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia List Permutation Classical Setoid.
From Truespec Require Export Heads Lists Rows Numbers.
From Truespec Require Export Support.
Import ListNotations.
Local Open Scope Z_scope.

(** * Letters: both sides are evaluated at each of them *)
Lemma every_letter (P : ascii -> Prop) (s : forall c, Semi (P c)) f : all3 (fun c => ev (P c) f) bytes = Some true -> forall c, P c.
Proof. intros h c. exact (all3_t _ P _ (fun y => ev_t (P y) f) bytes h c (bytes_all c)). Qed.
Ltac by_letters := solve [ start; split_results; cbv beta iota; match goal with c : ascii |- _ => revert c end;
  lazymatch goal with _ : string |- _ => fail | _ : Z |- _ => fail | _ : nat |- _ => fail | _ : list _ |- _ => fail | _ => idtac end;
  eapply (every_letter _ _ (Fuel 2 nil nil nil)); vm_compute; reflexivity ].

(** * Texts *)
Local Notation letters := list_ascii_of_string.
Lemma letters_inj s t : letters s = letters t -> s = t.
Proof. intro h. rewrite <- (string_of_list_ascii_of_string s), h. apply string_of_list_ascii_of_string. Qed.
Lemma same_letters (s t : string) : s = t <-> letters s = letters t.
Proof. split; [congruence | apply letters_inj]. Qed.
Lemma letters_app a b : letters (append a b) = letters a ++ letters b.
Proof. induction a as [|c a IH]; simpl; congruence. Qed.
Lemma letters_length s : String.length s = length (letters s).
Proof. induction s; simpl; congruence. Qed.
Lemma letters_get n s : String.get n s = nth_error (letters s) n.
Proof. revert n. induction s as [|c s IH]; intros [|n]; simpl; auto. Qed.
Lemma letters_substring n m s : letters (substring n m s) = firstn m (skipn n (letters s)).
Proof.
  revert n m. induction s as [|c s IH]; intros [|n] [|m]; simpl; auto; try (rewrite ?IH; reflexivity).
  all: rewrite IH; destruct (letters s); reflexivity.
Qed.
Lemma letters_prefix p s : String.prefix p s = true <-> firstn (length (letters p)) (letters s) = letters p.
Proof. rewrite prefix_correct, same_letters, letters_substring, letters_length. reflexivity. Qed.
Lemma letters_eqb s t : String.eqb s t = true <-> letters s = letters t.
Proof. rewrite String.eqb_eq. apply same_letters. Qed.
Lemma letters_of_list l : letters (string_of_list_ascii l) = l.
Proof. apply list_ascii_of_string_of_list_ascii. Qed.
Lemma text_remains l m : (exists t, l = m ++ letters t) <-> firstn (length m) l = m.
Proof.
  split; [intros [t ->]; rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r; reflexivity|].
  intro h. exists (string_of_list_ascii (skipn (length m) l)). rewrite letters_of_list. rewrite <- (firstn_skipn (length m) l) at 1. rewrite h. reflexivity.
Qed.
Lemma any_text (P : list ascii -> Prop) : (exists t, P (letters t)) <-> (exists l, P l).
Proof. split; [intros [t h]; eauto | intros [l h]; exists (string_of_list_ascii l); rewrite letters_of_list; exact h]. Qed.
(** Parts of a text are parts of its letters. *)
Lemma text_around l c : (exists a b, l = letters a ++ c :: letters b) <-> (exists p q, l = p ++ c :: q).
Proof. split; [intros (a & b & h); eauto | intros (p & q & ->); exists (string_of_list_ascii p), (string_of_list_ascii q); rewrite !letters_of_list; reflexivity]. Qed.
Lemma text_inside l m : (exists a b, l = letters a ++ m ++ letters b) <-> (exists p q, l = p ++ m ++ q).
Proof. split; [intros (a & b & h); eauto | intros (p & q & ->); exists (string_of_list_ascii p), (string_of_list_ascii q); rewrite !letters_of_list; reflexivity]. Qed.
Lemma text_before l m : (exists a, l = letters a ++ m) <-> (exists p, l = p ++ m).
Proof. split; [intros (a & h); eauto | intros (p & ->); exists (string_of_list_ascii p); rewrite letters_of_list; reflexivity]. Qed.
Ltac as_letters :=
  rewrite ?letters_prefix, ?letters_eqb; rewrite ?letters_length, ?letters_get; rewrite ?same_letters, ?letters_app, ?letters_substring;
  try setoid_rewrite same_letters; try setoid_rewrite letters_app; try setoid_rewrite text_remains;
  cbn [list_ascii_of_string] in *; try setoid_rewrite text_around; try setoid_rewrite text_inside; try setoid_rewrite text_before; try setoid_rewrite letters_get; try setoid_rewrite letters_length;
  cbn [list_ascii_of_string] in *;
  repeat match goal with s : string |- _ => let l := fresh "l" in generalize (letters s); clear s; intro l end.

(** * Lists that are cut *)
Lemma rev_turned T (l : list T) : rev l = l <-> l = rev l. Proof. split; auto. Qed.
Ltac cut_lengths := rewrite ?app_length, ?firstn_length, ?skipn_length, ?rev_length, ?map_length, ?repeat_length in *; cbn [length] in *.
Ltac cut1 := first
  [ rewrite firstn_skipn | rewrite app_nil_r | rewrite app_nil_l | rewrite <- app_assoc
  | rewrite firstn_all2 by (cut_lengths; lia) | rewrite skipn_all2 by (cut_lengths; lia)
  | match goal with |- context [firstn ?n (?a ++ ?b)] => rewrite (firstn_app n a b); replace (n - length a)%nat with 0%nat by (cut_lengths; lia); rewrite (firstn_O b) end
  | match goal with |- context [skipn ?n (?a ++ ?b)] => rewrite (skipn_app n a b); replace (n - length a)%nat with 0%nat by (cut_lengths; lia); rewrite (skipn_O b) end
  | match goal with |- context [firstn ?n (?a ++ ?b)] => rewrite (firstn_app n a b) end
  | match goal with |- context [skipn ?n (?a ++ ?b)] => rewrite (skipn_app n a b) end ].
Ltac cut_known := repeat match goal with
  | H : context [firstn ?n ?l] |- _ => rewrite (@firstn_all2 _ n l) in H by (cut_lengths; lia)
  | H : context [skipn ?n ?l] |- _ => rewrite (@skipn_all2 _ n l) in H by (cut_lengths; lia)
  | H : [] ++ _ = _ |- _ => rewrite app_nil_l in H | H : context [_ ++ []] |- _ => rewrite app_nil_r in H end.
Ltac cut_places k := first
  [ multimatch goal with n : nat |- _ => k n end
  | multimatch goal with l : list _ |- _ => k (length l) end
  | match goal with |- context [length ?l] => k (length l) end | k 0%nat ].
Ltac cut_leaf := repeat cut1; cut_lengths; first [ reflexivity | lia | congruence | assumption | tauto
  | (left; cut_leaf) | (right; cut_leaf)
  | match goal with |- ?r = ?a ++ _ => is_var r; transitivity (firstn (length a) r ++ skipn (length a) r); [symmetry; apply firstn_skipn | f_equal; congruence] end
  | match goal with |- ?a ++ _ = ?r => is_var r; transitivity (firstn (length a) r ++ skipn (length a) r); [f_equal; congruence | apply firstn_skipn] end ].
Ltac cut_goal := lazymatch goal with
  | |- _ /\ _ => split; cut_goal
  | |- _ -> _ => intro; cut_goal
  | |- exists (a : list ?T) (b : list ?T), _ => match goal with l : list T |- _ => cut_places ltac:(fun n => exists (firstn n l), (skipn n l); solve [cut_goal]) end
  | |- exists n : nat, _ => cut_places ltac:(fun n => exists n; solve [cut_goal])
  | |- _ => solve [cut_leaf] end.
Ltac cut_orders := repeat match goal with n : nat, l : list _ |- _ => mark n l ltac:(destruct (Nat.le_gt_cases (length l) n)) end; clear_marks.
Ltac cut_open := repeat match goal with
  | H : _ /\ _ |- _ => destruct H | H : ex _ |- _ => destruct H | H : _ \/ _ |- _ => destruct H
  | H : ?A -> ?B |- _ => is_prop A; first [ specialize (H ltac:(cut_lengths; lia)) | (assert (~ A) by (cut_lengths; lia); clear H) ]
  | H : ?x = ?y |- _ => is_var x; subst x | H : ?x = ?y |- _ => is_var y; subst y end.
Ltac cuts_both := split; intro; cut_open; cut_lengths; cut_known; first [ solve [cut_goal] | solve [cut_orders; cut_open; cut_lengths; cut_known; cut_goal] ].
Ltac by_cuts := solve [ start; without_output; first [ solve [cuts_both] | solve [terms; cuts_both] ] ].

(** * Sums of indices *)
#[export] Instance nf_sum_index (i n : nat) (P : nat -> Prop) Q (H : Nf (P (n - 1 - i)%nat) Q) : Nf (forall j, S (i + j) = n -> P j) ((i < n)%nat -> Q) | 0.
Proof. unfold Nf in *. rewrite <- H. split; [intros h k; apply h; lia | intros h j k; replace j with (n - 1 - i)%nat by lia; apply h; lia]. Qed.
Lemma same_place T (d : T) l m i j : nth_error l i = nth_error m j <->
  (length l <= i /\ length m <= j)%nat \/ ((i < length l)%nat /\ (j < length m)%nat /\ nth i l d = nth j m d).
Proof.
  destruct (Nat.lt_ge_cases i (length l)) as [h|h], (Nat.lt_ge_cases j (length m)) as [k|k].
  - rewrite (nth_error_nth' l d h), (nth_error_nth' m d k). split; [intros [=]; auto | intros [[]|(_ & _ & ->)]; [lia|reflexivity]].
  - rewrite (nth_error_nth' l d h). pose proof (proj2 (nth_error_None m j) k) as e. rewrite e. split; [discriminate|]. lia.
  - rewrite (nth_error_nth' m d k). pose proof (proj2 (nth_error_None l i) h) as e. rewrite e. split; [discriminate|]. lia.
  - rewrite (proj2 (nth_error_None l i) h), (proj2 (nth_error_None m j) k). split; auto.
Qed.
#[export] Hint Extern 2 (Nf (@nth_error ?T _ _ = nth_error _ _) _) => (with_default T ltac:(fun d => apply (same_place T d))) : typeclass_instances.
Ltac by_mirror := solve [ start; without_output; terms; rewrite ?rev_turned; normalise; rewrite ?(palindrome_elements Z 0), ?(palindrome_elements nat 0%nat), ?(palindrome_elements ascii zero); first [ quick | both_ground 1%nat ] ].
Ltac by_texts := solve [ start; without_output; match goal with _ : string |- _ => idtac end; terms; as_letters; first
  [ quick | solve [by_cuts] | solve [by_index] | solve [by_heads] | solve [by_mirror] | solve [by_ground] ] ].

(** * Factors *)
Ltac factor_pairs := repeat match goal with
  | H : forall a b : Z, _, p : Z, q : Z |- _ => mark H (p, q) ltac:(pose proof (H p q)) end.
Ltac factor_leaf := open; products; factor_pairs; clear_marks; open; first [ lia | nia
  | match goal with H : ?A -> _ |- _ => is_prop A; apply H; first [ nia | ring | lia | (eexists; first [reflexivity | ring]) ] end
  | match goal with H : forall k, _ -> ~ _ |- _ => eapply H; [ | first [apply Z.divide_factor_l | apply Z.divide_factor_r] ]; nia end ].
Ltac by_factors := solve [ start; without_output; rewrite ?Z.gcd_abs_l, ?Z.gcd_abs_r; first [ quick | reflexivity ]
  | start; without_output; split_results; normalise; terms; descend ltac:(split; intro; open; conjuncts; intros; factor_leaf) ].
