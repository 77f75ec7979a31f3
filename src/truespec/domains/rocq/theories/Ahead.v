(** Functions that look at what is made of the rest, whose head is proved first; pairs that are carried along as a sum and the
    weight of the next member; ranges whose length is a difference, by windows of a list. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Splits.
Import ListNotations.
Local Open Scope Z_scope.

(** * Functions that look at what is made of the rest: what its head is, is proved first *)
Ltac look_close := first [ reflexivity | congruence | (eexists; reflexivity) | (do 2 eexists; reflexivity) | (repeat eexists; congruence) ].
Ltac hide_rest g l := let t := eval cbv beta in (g l) in let s := fresh "s" in set (s := t) in *; clearbody s.
Ltac open_rest l := match goal with k : match l with _ => _ end |- _ => destruct l; cbn beta iota in k; repeat match type of k with ex _ => let a := fresh "a" in destruct k as [a k] end; subst end.
Ltac split_step := cbn; repeat (condition; reduced; subst; cbn in *; try discriminate; try contradiction; try (exfalso; lia)).
Ltac head_fact g C h := assert (h : forall l, match l with nil => g l = nil | y :: _ => C (g l) y end);
  [ let l := fresh "l" in let x := fresh "x" in let k := fresh "k" in
    intro l; induction l as [|x l k]; [ reflexivity |]; cbv beta in k |- *; cbn; hide_rest g l; open_rest l; split_step; solve [look_close] | ].
Ltac head_shapes g T h := lazymatch T with
  | list (?A * ?B) => first [ head_fact g (fun (s : list (A * B)) y => exists n m, s = (y, n) :: m) h | head_fact g (fun (s : list (A * B)) y => exists n m, s = (n, y) :: m) h | head_fact g (fun (s : list (A * B)) (_ : _) => exists a m, s = a :: m) h ]
  | list (list ?A) => first [ head_fact g (fun (s : list (list A)) y => exists n m, s = (y :: n) :: m) h | head_fact g (fun (s : list (list A)) (_ : _) => exists a m, s = a :: m) h ]
  | list ?A => first [ head_fact g (fun (s : list A) y => exists m, s = y :: m) h | head_fact g (fun (s : list A) (_ : _) => exists a m, s = a :: m) h ] end.
Ltac by_lookahead := solve [ start; list_matches; same_results; multimatch goal with l : list _ |- ?a = ?b =>
  let g := lazymatch eval pattern l in a with ?g _ => g end in let T := type of a in let h := fresh "h" in
  head_shapes g T h; generalise_but l; revert l; 
  let x := fresh "x" in let IH := fresh "IH" in intro l; induction l as [|x l IH]; [ reflexivity | intros ];
  let k := fresh "k" in pose proof (h l) as k; clear h; cbv beta in k; cbn; rewrite <- IH; hide_rest g l; clear IH; open_rest l; split_step; solve [look_close] end ].

(** * A pair that is carried along: a sum, and the weight of the next member *)
Ltac weight_close := first [ ring | lia | nia ].
Ltac weighed_law := let l := fresh "l" in let IH := fresh "IH" in intro l; induction l as [|? l IH]; intros; cbn in *;
  [ weight_close | fold_cases; cbn; rewrite IH; symmetry; rewrite IH; symmetry; weight_close ].
Ltac weighed F k := first
  [ assert (k : forall m b t, fst (fold_left F m (b, t)) = b + t * fst (fold_left F m (0, 1))) by weighed_law
  | assert (k : forall m b t, snd (fold_left F m (t, b)) = b + t * snd (fold_left F m (1, 0))) by weighed_law ].
Ltac by_weights := solve [ start; list_matches; same_results; clear_idle; match goal with |- context [@fold_left (Z * Z) ?A ?F ?l _] => is_var l; let k := fresh "k" in weighed F k;
  let x := fresh "x" in let IH := fresh "IH" in induction l as [|x l IH]; [ cbn; weight_close | cbn in *; fold_cases; cbn; rewrite k; first [ weight_close | (rewrite <- IH; weight_close) | (rewrite IH; weight_close) ] ] end ].

(** * Ranges whose length is a difference, read from their heads *)
Ltac differences := try (match goal with
  | |- context [seq _ (S ?a - ?k)] => let h := fresh in destruct (le_lt_dec k a) as [h|h]; [rewrite (Nat.sub_succ_l k a h) | replace (S a - k)%nat with 0%nat by lia]; cbn [seq]
  | |- context [seq _ (?a + 1 - ?k)] => replace (a + 1 - k)%nat with (S a - k)%nat by lia; differences end).
Ltac window_step := for_recursive ltac:(fun f => try (cbn [f])); cbn [length]; differences; cbn [map flat_map filter seq length app]; rewrite <- ?seq_shift, ?map_map, ?filter_of_map; cbv beta; cbn [firstn skipn nth];
  scan_conditions; try lia; by_equations; first [ reflexivity | congruence | equal_terms | (cbn; congruence) ].
Ltac window_goal := lazymatch goal with |- ?a = ?b => first [ assumption | reflexivity | lia |
  match goal with l : list _ |- _ => repeat match goal with H : context [l] |- _ => clear H end; induction l; window_step end ] end.
Ltac by_windows := solve [ start; match goal with |- context [seq _ (_ - _)] => idtac end; list_matches; try take_premises; first [ same_results; window_goal | split; intro; open; subst; conjuncts; first [ lia | window_goal | (symmetry; window_goal) ] ] ].
