(** Functions that scan a list, a text or a number: what they carry along is moved out of the call, ranges and tables of
    places are read from their heads, and each step is closed by cases and equality. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Sorting.Sorted Permutation Classical Setoid.
From Truespec Require Export Texts.
Import ListNotations.
Local Open Scope Z_scope.

(** Set for each pair: a tactic is tried on each of its recursive functions. *)
Ltac for_recursive k := idtac.

(** * Cases and equality *)
Ltac literals := repeat match goal with
  | H : False |- _ => destruct H
  | H : True |- _ => clear H
  | H : ?A, K : ~ ?A |- _ => destruct (K H)
  | H : _ /\ _ |- _ => destruct H
  | H : ~ ~ _ |- _ => apply NNPP in H
  | H : ~ (_ \/ _) |- _ => apply not_or_and in H
  | H : ~ (?A -> ?B) |- _ => is_prop A; apply imply_to_and in H
  | H : Some _ = Some _ |- _ => injection H; clear H; intros
  | H : S _ = S _ |- _ => injection H; clear H; intros
  | H : (_, _) = (_, _) |- _ => injection H; clear H; intros
  | H : ?x = ?y |- _ => is_var x; subst x
  | H : ?x = ?y |- _ => is_var y; subst y
  | H : ?A -> ?B, K : ?A |- _ => is_prop A; specialize (H K)
  | H : ?A -> ?B, K : ~ ?A |- _ => is_prop A; clear H
  | H : ?a = ?a -> ?B |- _ => specialize (H eq_refl)
  | H : ?A <-> ?B, K : ?A |- _ => apply (proj1 H) in K as ?; clear H
  | H : ?A <-> ?B, K : ?B |- _ => apply (proj2 H) in K as ?; clear H
  | H : ?A <-> ?B, K : ~ ?A |- _ => assert (~ B) by (let b := fresh in intro b; exact (K (proj2 H b))); clear H
  | H : ?A <-> ?B, K : ~ ?B |- _ => assert (~ A) by (let b := fresh in intro b; exact (K (proj1 H b))); clear H
  | H : ?A \/ ?B, K : ~ ?A |- _ => destruct H as [H|H]; [destruct (K H)|]
  | H : ?A \/ ?B, K : ~ ?B |- _ => destruct H as [H|H]; [|destruct (K H)]
  end.
Ltac literal_case := match goal with
  | H : ?A \/ ?B |- _ => destruct H
  | H : ~ (?A /\ ?B) |- _ => apply not_and_or in H; destruct H
  | H : ?A <-> ?B |- _ => apply iff_cases in H; destruct H
  | H : ~ (?A <-> ?B) |- _ => apply not_iff in H; destruct H
  | H : ?A -> ?B |- _ => is_prop A; destruct (classic A) as [?|?]; [specialize (H ltac:(assumption))|clear H]
  end.
Ltac equality n := literals; first [ contradiction | discriminate | congruence | lia
  | lazymatch n with S ?m => literal_case; equality m end ].
Ltac both_equal n := split; let h := fresh in intro h; apply NNPP; let k := fresh in intro k; solve [equality n].

(** * Normal terms of ranges and tables of places *)
Lemma filter_of_map A B (f : A -> B) p l : filter p (map f l) = map f (filter (fun x => p (f x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. destruct (p (f x)); reflexivity. Qed.
Lemma find_of_map A B (f : A -> B) p l : find p (map f l) = option_map f (find (fun x => p (f x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. destruct (p (f x)); [reflexivity | exact IH]. Qed.
Lemma combine_of_map A B C (f : A -> B) l (m : list C) : combine (map f l) m = map (fun q => (f (fst q), snd q)) (combine l m).
Proof. revert m. induction l as [|x l IH]; intros [|y m]; simpl; congruence. Qed.
Lemma combine_of_map' A B C (f : A -> B) (l : list C) m : combine l (map f m) = map (fun q => (fst q, f (snd q))) (combine l m).
Proof. revert m. induction l as [|x l IH]; intros [|y m]; simpl; congruence. Qed.
Lemma fold_right_of_map A B C (f : A -> B) (g : B -> C -> C) c l : fold_right g c (map f l) = fold_right (fun x => g (f x)) c l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.
Lemma fold_left_of_map A B C (f : A -> B) (g : C -> B -> C) c l : fold_left g (map f l) c = fold_left (fun a x => g a (f x)) l c.
Proof. revert c. induction l as [|x l IH]; intro c; simpl; auto. Qed.
Lemma option_map_twice A B C (f : A -> B) (g : B -> C) o : option_map g (option_map f o) = option_map (fun x => g (f x)) o.
Proof. destruct o; reflexivity. Qed.
Lemma option_map_same A B (f g : A -> B) o : (forall x, f x = g x) -> option_map f o = option_map g o.
Proof. intro h. destruct o; simpl; congruence. Qed.
Lemma existsb_of_map A B (f : A -> B) p l : existsb p (map f l) = existsb (fun x => p (f x)) l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.
Lemma forallb_of_map A B (f : A -> B) p l : forallb p (map f l) = forallb (fun x => p (f x)) l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.
Lemma firstn_of_nil T n : firstn n (@nil T) = []. Proof. destruct n; reflexivity. Qed.
Lemma skipn_of_nil T n : skipn n (@nil T) = []. Proof. destruct n; reflexivity. Qed.
Lemma nth_of_nil T n (d : T) : nth n [] d = d. Proof. destruct n; reflexivity. Qed.
Lemma nth_error_of_nil T n : nth_error (@nil T) n = None. Proof. destruct n; reflexivity. Qed.
Lemma get_of_empty n : String.get n EmptyString = None. Proof. destruct n; reflexivity. Qed.
Lemma append_empty s : append s EmptyString = s. Proof. induction s; simpl; congruence. Qed.
Lemma append_assoc a b c : append (append a b) c = append a (append b c). Proof. induction a; simpl; congruence. Qed.
Lemma of_letters_app a b : string_of_list_ascii (a ++ b) = append (string_of_list_ascii a) (string_of_list_ascii b). Proof. induction a; simpl; congruence. Qed.
Ltac ranges := repeat first
  [ rewrite <- seq_shift | rewrite map_map | rewrite filter_of_map | rewrite find_of_map | rewrite combine_of_map | rewrite combine_of_map'
  | rewrite fold_right_of_map | rewrite fold_left_of_map | rewrite existsb_of_map | rewrite forallb_of_map | rewrite option_map_twice | rewrite map_length
  | rewrite firstn_of_nil | rewrite skipn_of_nil | rewrite nth_of_nil | rewrite nth_error_of_nil | rewrite get_of_empty | rewrite append_empty | rewrite app_nil_r | rewrite of_letters_app | rewrite letters_app | rewrite string_of_list_ascii_of_string | rewrite list_ascii_of_string_of_list_ascii ];
  cbv beta; cbn [fst snd nth nth_error].

(** * What is carried along, outside the call *)
(* Hidden from rewriting in general, which would not end. *)
Definition Moved (P : Prop) : Prop := P.
Ltac arguments t k := lazymatch t with ?f ?x => first [ k x | arguments f k ] end.
Ltac head_of_application a := lazymatch a with Some _ => idtac | _ :: _ => idtac | _ ++ _ => idtac | String _ _ => idtac | append _ _ => idtac | (_, _) => idtac | S _ => idtac | map _ _ => idtac end.
Ltac equal_terms := first [ reflexivity | lia | congruence | (lazymatch goal with |- @eq Z _ _ => idtac | |- @eq nat _ _ => idtac end; ring) | (rewrite <- ?app_assoc; reflexivity)
  | (rewrite ?append_assoc; reflexivity)
  | apply map_ext; intros; cbn [fst snd]; first [ lia | f_equal; lia ]
  | apply option_map_same; intros; cbn [fst snd]; first [ lia | f_equal; lia ]
  | lazymatch goal with |- ?a = ?b => head_of_application a; head_of_application b; progress f_equal; equal_terms end ].
(* A decision of membership is a test for an equal member. *)
Lemma member_found T (p : T -> bool) x l : p x = true -> In x l -> existsb p l = true.
Proof. intros h i. apply existsb_exists. exists x. auto. Qed.
Lemma member_missing T (p : T -> bool) x l : (forall y, p y = true -> y = x) -> ~ In x l -> existsb p l = false.
Proof. intros h i. apply not_true_iff_false. rewrite existsb_exists. intros (y & k & e). apply h in e. subst. auto. Qed.
Ltac equality_test := cbv beta; rewrite ?Z.eqb_refl, ?Nat.eqb_refl, ?Ascii.eqb_refl, ?String.eqb_refl; reflexivity.
Ltac test_of_equality := intros ? e; cbv beta in e; first [ apply Z.eqb_eq in e | apply Nat.eqb_eq in e | apply Ascii.eqb_eq in e | apply String.eqb_eq in e ]; congruence.
Ltac decide_member e x l := let i := fresh "i" in destruct (in_dec e x l) as [i|i]; repeat match goal with |- context [existsb ?p l] =>
  first [ rewrite (member_found _ p x l ltac:(equality_test) i) | rewrite (member_missing _ p x l ltac:(test_of_equality) i) ] end.
Ltac scan_cases k := repeat (first [ k tt | match goal with |- context [in_dec ?e ?x ?l] => decide_member e x l end | condition
  | match goal with |- context [Ascii.eqb ?x ?y] => destruct (Ascii.eqb_spec x y) | |- context [String.eqb ?x ?y] => destruct (String.eqb_spec x y)
    | |- context [Z.gtb ?x ?y] => rewrite (Z.gtb_ltb x y) | |- context [Z.geb ?x ?y] => rewrite (Z.geb_leb x y)
    | |- context [let (_, _) := ?p in _] => destruct p eqn:? end ];
  reduced; cbn [option_map fst snd] in *; subst; try discriminate; try contradiction; try (exfalso; lia); try congruence).
Ltac plain_cases := scan_cases ltac:(fun _ => fail).
Ltac scan_conditions := scan_cases ltac:(fun _ => match goal with |- context [option_map _ ?o] =>
  lazymatch o with option_map _ _ => fail | context [match _ with _ => _ end] => fail | _ => destruct o eqn:? end end).
(* The value from the start stands apart, so that rewriting ends. *)
Ltac shift_step b := cbn in *; match goal with IH : forall a, _ |- _ =>
    let e := type of (IH b) in match e with ?q = _ => let z := fresh "z" in first [ (set (z := q) in *; clearbody z) | idtac ] end end;
  first [ equal_terms
  | solve [ do 4 try match goal with IH : forall a, _ = _ |- _ => rewrite IH end; cbn; rewrite ?map_map, ?option_map_twice, ?map_app; cbn; equal_terms ]
  | solve [ plain_cases; do 4 try match goal with IH : forall a, _ = _ |- _ => rewrite IH end; cbn; rewrite ?map_map, ?option_map_twice, ?map_app; cbn; equal_terms ] ].
Ltac shift_proof b := clear; let l := fresh "l" in intro l; induction l; intros; first [ solve [cbn; rewrite ?app_nil_r, ?append_empty; equal_terms] | shift_step b ].
(* [g] of the scanned value and of what is carried, from [b]. *)
Ltac moved g A R b := let say s := (let s := eval cbv beta in s in let h := fresh "moved" in assert (h : Moved s) by (unfold Moved; solve [shift_proof b])) in
  lazymatch R with
  | Z => lazymatch A with Z => lazymatch b with
      | 1 => say (forall l a, g l a = a * g l 1)
      | _ => first [ say (forall l a, g l a = a + g l 0) ] end end
  | nat => lazymatch A with nat => lazymatch b with
      | 1%nat => say (forall l a, g l a = a * g l 1%nat)%nat
      | _ => say (forall l a, g l a = a + g l 0%nat)%nat end end
  | option nat => lazymatch A with nat => say (forall l a, g l a = option_map (Nat.add a) (g l 0%nat)) end
  | list nat => lazymatch A with nat => say (forall l a, g l a = map (Nat.add a) (g l 0%nat)) end
  | list (nat * _) => lazymatch A with nat => say (forall l a, g l a = map (fun q => (a + fst q, snd q)%nat) (g l 0%nat)) end
  | list Z => lazymatch A with
      | Z => say (forall l a, g l a = map (Z.add a) (g l 0))
      | list Z => first [ say (forall l a, g l a = rev a ++ g l []) | say (forall l a, g l a = g l [] ++ a) ] end
  | list ?T => lazymatch A with list T => first [ say (forall l a, g l a = rev a ++ g l []) | say (forall l a, g l a = g l [] ++ a) ] end
  | string => lazymatch A with string => first [ say (forall l a, g l a = append (g l EmptyString) a) ] end
  end.
Ltac base_of A := lazymatch A with
  | Z => constr:(0) | nat => constr:(0%nat)
  | list ?T => constr:(@nil T) | string => constr:(EmptyString) end.
Ltac carried_out t := let R := type of t in arguments t ltac:(fun c => let A := type of c in
  let b := base_of A in
  arguments t ltac:(fun l => tryif constr_eq l c then fail else (lazymatch type of l with list _ => idtac | nat => idtac | string => idtac end;
    lazymatch eval pattern l, c in t with ?g _ _ => first [ moved g A R b | lazymatch A with Z => moved g A R 1 | nat => moved g A R 1%nat end ] end))).
Ltac calls_of f k := match goal with |- context [?t] => let h := head_of t in constr_eq h f; lazymatch type of t with forall _, _ => fail | _ => k t end end.
Ltac carry f := calls_of f carried_out.
Ltac carry_all := for_recursive ltac:(fun f => try carry f); try carry (@fold_left).
(* Calls from elsewhere than the start are rewritten. *)
Ltac from_start := repeat match goal with
  | M : Moved ?s |- _ => match goal with |- context [?t] =>
      arguments t ltac:(fun c => arguments t ltac:(fun l => tryif constr_eq l c then fail else
        (let m := constr:(M : s) in let e := type of (m l c) in lazymatch e with t = ?v => lazymatch v with context [t] => fail | _ => rewrite (m l c) end end))) end end.

(** * Inductions along what is scanned *)
Ltac scanned k := multimatch goal with x : list _ |- _ => k x | x : string |- _ => k x | x : nat |- _ => k x end.
(* A power whose exponent is a successor, which reduction hides. *)
Ltac powers := try (lazymatch goal with |- context [Z.pow] => idtac | |- context [Z.pow_pos] => idtac end;
  repeat match goal with |- context [Z.pow_pos ?b ?p] => change (Z.pow_pos b p) with (b ^ Z.pos p) end; rewrite ?Zpos_P_of_succ_nat, ?Z.pow_succ_r by lia).
Ltac scan_terms := cbn in *; carry_all; from_start; ranges; powers.
Ltac by_equations := do 4 try match goal with IH : forall _, _ |- _ => progress (rewrite IH) | IH : _ = _ |- _ => progress (rewrite IH) end.
Ltac equal_step := scan_terms; first
  [ equal_terms
  | solve [by_equations; cbn; ranges; first [equal_terms | scan_conditions; scan_terms; equal_terms]]
  | solve [scan_conditions; scan_terms; first [equal_terms | (by_equations; cbn; ranges; first [equal_terms | scan_conditions; equal_terms])]] ].
Ltac equal_scan x := generalise_but x; induction x; intros; equal_step
with generalise_but x := repeat match goal with y : ?T |- _ => tryif constr_eq x y then fail else (tryif is_prop T then fail else revert y) end.
Ltac equal_scans := first [ plain | ranges; scanned ltac:(fun x => solve [equal_scan x]) ].
Ltac forget_others := repeat match goal with y : ?T |- _ => tryif is_prop T then fail else clear y end.
Ltac same_results := first [ apply eq_parts | apply eq_parts' | apply eq_parts2 | apply eq_parts3 ]; forget_others.
(* The index into what has a head is taken by cases. *)
Ltac index_cases := repeat (match goal with
  | |- context [nth_error (_ :: _) ?n] => is_var n; destruct n | |- context [nth ?n (_ :: _) _] => is_var n; destruct n
  | |- context [firstn ?n (_ :: _)] => is_var n; destruct n | |- context [skipn ?n (_ :: _)] => is_var n; destruct n
  | |- context [String.get ?n (String _ _)] => is_var n; destruct n | |- context [Some ?n = Some 0%nat] => is_var n; destruct n
  end; cbn in *).
Ltac by_equivalences := repeat match goal with IH : forall _, _ |- _ => progress (setoid_rewrite <- IH) | IH : _ <-> _ |- _ => progress (setoid_rewrite <- IH) end; first [ tauto | both_equal 4%nat ].
Ltac scan_leaf := clear_marks; first [ tauto | lia | congruence | solve [both_equal 4%nat] | solve [at_variables; both_equal 6%nat] | solve [by_equivalences] ].
Ltac iff_step := scan_terms; index_cases; scan_conditions; ranges; booleans_to_props; try tauto; try heads; ranges; index_cases; scan_leaf.
Ltac iff_scan x := generalise_but x; induction x; intros; iff_step.
Ltac by_scans := solve [ start; terms; first
  [ same_results; equal_scans
  | without_output; split_options; ranges; try heads; scanned ltac:(fun x => solve [iff_scan x]) ] ].
