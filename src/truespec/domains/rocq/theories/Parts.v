(** Where the variables of a list that is written out range: its parts and members; and places that integers tell. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List.
From Truespec Require Export Support.
Import ListNotations.
Local Open Scope Z_scope.

Class Part {T} (v t : list T) := part : exists u w, t = u ++ v ++ w.
#[export] Instance part_first T (v w : list T) : Part v (v ++ w) | 0. Proof. exists [], w. reflexivity. Qed.
#[export] Instance part_whole T (v : list T) : Part v v | 1. Proof. exists [], []. cbn. rewrite app_nil_r. reflexivity. Qed.
#[export] Instance part_later T (v t m : list T) `{Part T v t} : Part v (m ++ t) | 2.
Proof. destruct H as (u & w & ->). exists (m ++ u), w. rewrite <- app_assoc. reflexivity. Qed.
#[export] Instance part_rest T (v t : list T) x `{Part T v t} : Part v (x :: t) | 2.
Proof. destruct H as (u & w & ->). exists (x :: u), w. reflexivity. Qed.
#[export] Instance part_before T (v t m : list T) `{Part T v t} : Part v (t ++ m) | 3.
Proof. destruct H as (u & w & ->). exists u, (w ++ m). rewrite <- !app_assoc. reflexivity. Qed.
Class Item {T} (x : T) (t : list T) := item : In x t.
#[export] Instance item_here T (x : T) t : Item x (x :: t) | 0. Proof. left. reflexivity. Qed.
#[export] Instance item_rest T (x y : T) t `{Item T x t} : Item x (y :: t) | 1. Proof. right. exact H. Qed.
#[export] Instance item_later T (x : T) t m `{Item T x t} : Item x (m ++ t) | 2. Proof. apply in_or_app. right. exact H. Qed.
#[export] Instance item_before T (x : T) t m `{Item T x t} : Item x (t ++ m) | 3. Proof. apply in_or_app. left. exact H. Qed.
Definition segments {T} (l : list T) : list (list T) := flat_map prefixes (suffixes l).
Lemma segments_in T (u v w : list T) : In v (segments (u ++ v ++ w)).
Proof. apply in_flat_map. exists (v ++ w). split; [apply suffixes_in | apply prefixes_in]. Qed.
#[export] Instance within_part T (t : list T -> list T) l `{forall v, Part v (t v)} : Within (fun v => l = t v) (segments l) | 14.
Proof. intros v ->. destruct (H v) as (u & w & e). rewrite e. apply segments_in. Qed.
#[export] Instance within_part' T (t : list T -> list T) l `{forall v, Part v (t v)} : Within (fun v => t v = l) (segments l) | 15.
Proof. intros v <-. destruct (H v) as (u & w & e). rewrite e. apply segments_in. Qed.
#[export] Instance within_item T (t : T -> list T) l `{forall x, Item x (t x)} : Within (fun x => l = t x) l | 14. Proof. intros x ->. apply H. Qed.
#[export] Instance within_item' T (t : T -> list T) l `{forall x, Item x (t x)} : Within (fun x => t x = l) l | 15. Proof. intros x <-. apply H. Qed.
(** Places that integers tell. *)
#[export] Instance ff_get_to_nat s c : FalseFrom (fun i => String.get (Z.to_nat i) s = Some c) (Z.of_nat (String.length s)).
Proof.
  intros i h e. pose proof (within_get s c _ e) as k. apply in_seq in k. lia.
Qed.
#[export] Instance ff_nth_error_to_nat T (l : list T) x : FalseFrom (fun i => nth_error l (Z.to_nat i) = Some x) (Z.of_nat (length l)).
Proof. intros i h e. assert (nth_error l (Z.to_nat i) <> None) by congruence. apply nth_error_Some in H. lia. Qed.
