(** Places: what stands at an index of a list or a text, the first and the last place where a condition holds, and
    lists that are equal place by place. *)
From Coq Require Import String Ascii ZArith Bool Arith Lia List Classical Setoid.
From Truespec Require Export Folds.
Import ListNotations.
Local Open Scope Z_scope.
Local Notation letters := list_ascii_of_string.

(** * What stands at a place *)
Lemma some_at T (d : T) l i (P Q : T -> Prop) : (forall x, Nf (P x) (Q x)) -> Nf (exists x, nth_error l i = Some x /\ P x) ((i < length l)%nat /\ Q (nth i l d)).
Proof.
  unfold Nf. intro e. rewrite <- e. split.
  - intros (x & h & p). apply (nth_error_index T d) in h. destruct h as [h ->]. auto.
  - intros [h p]. exists (nth i l d). split; [apply (nth_error_index T d); auto|exact p].
Qed.
Lemma every_at T (d : T) l i (P Q : T -> Prop) : (forall x, Nf (P x) (Q x)) -> Nf (forall x, nth_error l i = Some x -> P x) ((i < length l)%nat -> Q (nth i l d)).
Proof.
  unfold Nf. intro e. rewrite <- e. split.
  - intros h k. apply h, (nth_error_index T d). auto.
  - intros h x k. apply (nth_error_index T d) in k. destruct k as [k ->]. auto.
Qed.
Lemma choice_at T (d : T) l i (P Q : T -> Prop) (R S : Prop) : (forall x, Nf (P x) (Q x)) -> Nf R S ->
  Nf (match nth_error l i with Some x => P x | None => R end) (((i < length l)%nat -> Q (nth i l d)) /\ ((length l <= i)%nat -> S)).
Proof.
  unfold Nf. intros e f. rewrite <- e, <- f. destruct (nth_error l i) as [x|] eqn:h.
  - apply (nth_error_index T d) in h. destruct h as [h ->]. intuition lia.
  - apply nth_error_None in h. intuition lia.
Qed.
#[export] Hint Extern 0 (Nf (exists x, @nth_error ?T _ _ = Some x /\ _) _) => (with_default T ltac:(fun d => eapply (some_at T d))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (forall x, @nth_error ?T _ _ = Some x -> _) _) => (with_default T ltac:(fun d => eapply (every_at T d))) : typeclass_instances.
#[export] Hint Extern 0 (Nf (match @nth_error ?T _ _ with Some _ => _ | None => _ end) _) => (with_default T ltac:(fun d => eapply (choice_at T d))) : typeclass_instances.
(* Letters of a text. *)
#[export] Instance text_some_at s i (P Q : ascii -> Prop) (H : forall x, Nf (P x) (Q x)) : Nf (exists x, String.get i s = Some x /\ P x) ((i < length (letters s))%nat /\ Q (nth i (letters s) zero)) | 0.
Proof. rewrite letters_get. apply some_at. exact H. Qed.
#[export] Instance text_every_at s i (P Q : ascii -> Prop) (H : forall x, Nf (P x) (Q x)) : Nf (forall x, String.get i s = Some x -> P x) ((i < length (letters s))%nat -> Q (nth i (letters s) zero)) | 1.
Proof. rewrite letters_get. apply every_at. exact H. Qed.
#[export] Instance text_choice_at s i (P Q : ascii -> Prop) (R S : Prop) (H : forall x, Nf (P x) (Q x)) (H0 : Nf R S) :
  Nf (match String.get i s with Some x => P x | None => R end) (((i < length (letters s))%nat -> Q (nth i (letters s) zero)) /\ ((length (letters s) <= i)%nat -> S)) | 0.
Proof. rewrite letters_get. apply choice_at; assumption. Qed.
#[export] Instance text_is_at s i c : Nf (String.get i s = Some c) ((i < length (letters s))%nat /\ c = nth i (letters s) zero) | 1.
Proof. rewrite letters_get. apply nth_error_index. Qed.
#[export] Instance text_is_at' s i c : Nf (Some c = String.get i s) ((i < length (letters s))%nat /\ c = nth i (letters s) zero) | 1.
Proof. rewrite letters_get. apply nth_error_index'. Qed.
#[export] Instance text_ends_at s i : Nf (String.get i s = None) (length (letters s) <= i)%nat | 1.
Proof. rewrite letters_get. apply nth_error_None. Qed.
#[export] Instance text_same_at s t i j : Nf (String.get i s = String.get j t)
  ((length (letters s) <= i /\ length (letters t) <= j)%nat \/ ((i < length (letters s))%nat /\ (j < length (letters t))%nat /\ nth i (letters s) zero = nth j (letters t) zero)) | 2.
Proof. rewrite !letters_get. apply same_place. Qed.

(** * The first and the last place where a condition holds *)
Fixpoint place {A} (p : A -> bool) (l : list A) : option nat := match l with [] => None | x :: t => if p x then Some 0%nat else option_map S (place p t) end.
Fixpoint last_place {A} (p : A -> bool) (l : list A) : option nat := match l with [] => None | x :: t => match last_place p t with Some k => Some (S k) | None => if p x then Some 0%nat else None end end.
Section Places.
  Context {A : Type} (d : A) (p : A -> bool).
  Lemma place_cases l : (exists k, place p l = Some k /\ (k < length l)%nat /\ p (nth k l d) = true /\ forall j, (j < k)%nat -> p (nth j l d) = false)
    \/ (place p l = None /\ forall j, (j < length l)%nat -> p (nth j l d) = false).
  Proof.
    induction l as [|x l IH]; simpl; [right; split; [reflexivity|intros; lia]|]. destruct (p x) eqn:e.
    - left. exists 0%nat. repeat split; [lia|exact e|intros; lia].
    - destruct IH as [(k & -> & h & t & b)|[-> b]]; simpl.
      + left. exists (S k). repeat split; [lia|exact t|]. intros [|j] q; [exact e|apply b; lia].
      + right. split; [reflexivity|]. intros [|j] q; [exact e|apply b; lia].
  Qed.
  Lemma last_place_cases l : (exists k, last_place p l = Some k /\ (k < length l)%nat /\ p (nth k l d) = true /\ forall j, (k < j < length l)%nat -> p (nth j l d) = false)
    \/ (last_place p l = None /\ forall j, (j < length l)%nat -> p (nth j l d) = false).
  Proof.
    induction l as [|x l IH]; simpl; [right; split; [reflexivity|intros; lia]|].
    destruct IH as [(k & -> & h & t & b)|[-> b]]; simpl.
    - left. exists (S k). repeat split; [lia|exact t|]. intros [|j] q; [lia|apply b; lia].
    - destruct (p x) eqn:e.
      + left. exists 0%nat. repeat split; [lia|exact e|]. intros [|j] q; [lia|apply b; lia].
      + right. split; [reflexivity|]. intros [|j] q; [exact e|apply b; lia].
  Qed.
End Places.
Lemma place_read A R (p : A -> bool) (g : list A -> nat -> R) h d : (forall x m i, g (x :: m) i = if p x then h i else g m (S i)) -> (forall i, g [] i = d) ->
  forall l i, g l i = match place p l with Some k => h (i + k)%nat | None => d end.
Proof.
  intros s b l. induction l as [|x l IH]; intro i; simpl; [apply b|]. rewrite s. destruct (p x); simpl; [rewrite Nat.add_0_r; reflexivity|].
  rewrite IH. destruct (place p l); simpl; [rewrite Nat.add_succ_r; reflexivity|reflexivity].
Qed.
Lemma Zplace_read A R (p : A -> bool) (g : list A -> Z -> R) h d : (forall x m i, g (x :: m) i = if p x then h i else g m (i + 1)) -> (forall i, g [] i = d) ->
  forall l i, g l i = match place p l with Some k => h (i + Z.of_nat k) | None => d end.
Proof.
  intros s b l. induction l as [|x l IH]; intro i; simpl; [apply b|]. rewrite s. destruct (p x); simpl; [rewrite Z.add_0_r; reflexivity|].
  rewrite IH. destruct (place p l); simpl; [f_equal; lia|reflexivity].
Qed.
Lemma last_read A R B (p : A -> bool) (g : list A -> nat -> B -> R) h k : (forall x m i b, g (x :: m) i b = g m (S i) (if p x then h i else b)) -> (forall i b, g [] i b = k b) ->
  forall l i b, g l i b = k match last_place p l with Some j => h (i + j)%nat | None => b end.
Proof.
  intros s e l. induction l as [|x l IH]; intros i b; simpl; [apply e|]. rewrite s, IH. destruct (last_place p l); [rewrite Nat.add_succ_r; reflexivity|].
  destruct (p x); [rewrite Nat.add_0_r; reflexivity|reflexivity].
Qed.
Lemma Zlast_read A R B (p : A -> bool) (g : list A -> Z -> B -> R) h k : (forall x m i b, g (x :: m) i b = g m (i + 1) (if p x then h i else b)) -> (forall i b, g [] i b = k b) ->
  forall l i b, g l i b = k match last_place p l with Some j => h (i + Z.of_nat j) | None => b end.
Proof.
  intros s e l. induction l as [|x l IH]; intros i b; simpl; [apply e|]. rewrite s, IH. destruct (last_place p l); [do 2 f_equal; lia|].
  destruct (p x); [rewrite Z.add_0_r; reflexivity|reflexivity].
Qed.
Lemma place_fold A (p : A -> bool) (F : A -> option nat -> option nat) l : (forall x a, F x a = if p x then Some 0%nat else option_map S a) -> fold_right F None l = place p l.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma last_place_fold A (p : A -> bool) (F : A -> option nat -> option nat) l : (forall x a, F x a = match a with Some k => Some (S k) | None => if p x then Some 0%nat else None end) -> fold_right F None l = last_place p l.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH. reflexivity. Qed.
Lemma Zplace_fold A (p : A -> bool) (F : A -> Z -> Z) l : (forall x a, -1 <= a -> F x a = if p x then 0 else if a <? 0 then -1 else a + 1) -> fold_right F (-1) l = match place p l with Some k => Z.of_nat k | None => -1 end.
Proof. intro h. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite h, IH by (rewrite IH; destruct (place p l); lia). destruct (p x); [reflexivity|]. destruct (place p l); [|reflexivity]. cbn [option_map]. destruct (Z.ltb_spec (Z.of_nat n) 0); lia. Qed.
(* The condition and the value found, read off one step. *)
Ltac found_of X L nil cons C g c := let x := fresh "x" in let m := fresh "m" in
  constr:(fun x : X => ltac:(refine ((fun m : L => _) nil); let s := eval cbn in (g (cons x m) c) in lazymatch s with
    | if ?b then ?u else ?v => lazymatch u with context [m] => exact (negb b) | _ => exact b end end)).
Ltac value_of X L nil cons C g := let x := fresh "x" in let m := fresh "m" in let i := fresh "i" in
  let F := constr:(fun (i : C) (x : X) (m : L) => ltac:(let s := eval cbn in (g (cons x m) i) in lazymatch s with
    | if ?b then ?u else ?v => lazymatch u with context [m] => exact v | _ => exact u end end)) in
  lazymatch F with fun i x m => @?h i => h end.
Ltac read_place t l c := lazymatch type of l with list ?X => lazymatch eval pattern l, c in t with ?g _ _ => let C := type of c in let R := type of t in
  let p := found_of X (list X) (@nil X) (@cons X) C g c in let p := eval cbv beta in p in let h := value_of X (list X) (@nil X) (@cons X) C g in
  let b := eval cbn in (g nil c) in let e := fresh in
  (lazymatch C with
   | nat => assert (e := place_read X R p g h b ltac:(law) ltac:(reflexivity) l c)
   | Z => assert (e := Zplace_read X R p g h b ltac:(law) ltac:(reflexivity) l c) end); rewrite_call e end end.
(* The last place: the loop keeps what it found. *)
Ltac kept_of X L nil cons C g c b := let x := fresh "x" in let m := fresh "m" in
  constr:(fun x : X => ltac:(refine ((fun m : L => _) nil); let s := eval cbn in (g (cons x m) c b) in let e := next2 g m s in let e := eval cbv beta in e in lazymatch e with
    | (_, if ?q then _ else ?b') => exact q
    | if ?q then (_, ?u) else (_, ?v) => lazymatch u with b => exact (negb q) | _ => exact q end end)).
Ltac kept_value X L nil cons C B g := let x := fresh "x" in let m := fresh "m" in let i := fresh "i" in let b := fresh "b" in
  let F := constr:(fun (i : C) (b : B) (x : X) (m : L) => ltac:(let s := eval cbn in (g (cons x m) i b) in let e := next2 g m s in let e := eval cbv beta in e in lazymatch e with
    | (_, if ?q then ?u else ?v) => lazymatch u with b => exact v | _ => exact u end
    | if ?q then (_, ?u) else (_, ?v) => lazymatch u with b => exact v | _ => exact u end end)) in
  lazymatch F with fun i b x m => @?h i => h end.
Ltac read_last t l c b := lazymatch type of l with list ?X => lazymatch eval pattern l, c, b in t with ?g _ _ _ => let C := type of c in let B := type of b in let R := type of t in
  let p := kept_of X (list X) (@nil X) (@cons X) C g c b in let p := eval cbv beta in p in let h := kept_value X (list X) (@nil X) (@cons X) C B g in
  let e := fresh in
  (lazymatch C with
   | nat => assert (e := last_read X R B p g h (fun z => ltac:(let v := eval cbn in (g nil c z) in exact v)) ltac:(law) ltac:(reflexivity) l c b)
   | Z => assert (e := Zlast_read X R B p g h (fun z => ltac:(let v := eval cbn in (g nil c z) in exact v)) ltac:(law) ltac:(reflexivity) l c b) end); rewrite_call e end end.
Ltac read_place_call t := scans_of t ltac:(fun l => arguments t ltac:(fun c => tryif constr_eq l c then fail else (lazymatch type of c with nat => idtac | Z => idtac end; first
  [ read_place t l c
  | arguments t ltac:(fun b => tryif constr_eq b c then fail else tryif constr_eq b l then fail else read_last t l c b) ]))).
Ltac read_places := for_recursive ltac:(fun f => repeat (calls_of f ltac:(fun t => read_place_call t); cbn [f])).
(* Loops over members with their places. *)
Lemma last_place_loop A (p : A -> bool) (F : option nat -> A * nat -> option nat) : (forall o x i, F o (x, i) = if p x then Some i else o) ->
  forall l a o, fold_left F (combine l (seq a (length l))) o = match last_place p l with Some k => Some (a + k)%nat | None => o end.
Proof.
  intro h. induction l as [|x l IH]; intros a o; cbn; [reflexivity|]. rewrite IH, h. destruct (last_place p l) as [k|]; [f_equal; lia|].
  destruct (p x); [f_equal; lia | reflexivity].
Qed.
Lemma last_place_loop' A (p : A -> bool) (F : option nat -> nat * A -> option nat) : (forall o x i, F o (i, x) = if p x then Some i else o) ->
  forall l a o, fold_left F (combine (seq a (length l)) l) o = match last_place p l with Some k => Some (a + k)%nat | None => o end.
Proof.
  intro h. induction l as [|x l IH]; intros a o; cbn; [reflexivity|]. rewrite IH, h. destruct (last_place p l) as [k|]; [f_equal; lia|].
  destruct (p x); [f_equal; lia | reflexivity].
Qed.
Lemma place_loop A (p : A -> bool) (F : A * nat -> option nat -> option nat) : (forall o x i, F (x, i) o = if p x then Some i else o) ->
  forall l a o, fold_right F o (combine l (seq a (length l))) = match place p l with Some k => Some (a + k)%nat | None => o end.
Proof.
  intro h. induction l as [|x l IH]; intros a o; cbn; [reflexivity|]. rewrite h, IH. destruct (p x); [f_equal; lia|]. destruct (place p l) as [k|]; cbn; [f_equal; lia | reflexivity].
Qed.
Lemma place_loop' A (p : A -> bool) (F : nat * A -> option nat -> option nat) : (forall o x i, F (i, x) o = if p x then Some i else o) ->
  forall l a o, fold_right F o (combine (seq a (length l)) l) = match place p l with Some k => Some (a + k)%nat | None => o end.
Proof.
  intro h. induction l as [|x l IH]; intros a o; cbn; [reflexivity|]. rewrite h, IH. destruct (p x); [f_equal; lia|]. destruct (place p l) as [k|]; cbn; [f_equal; lia | reflexivity].
Qed.
Ltac loop_law := solve [intros; cbn [fst snd]; first [reflexivity | fold_cases; congruence]].
(* The test that a step makes of a member, at any place. *)
Ltac test_of_step s k := let s := eval cbn in s in lazymatch s with fun x => if @?b x then _ else _ => k b end.
Ltac place_loops := repeat match goal with
  | |- context [@fold_left (option nat) (?A * nat) ?F (combine ?l (seq ?a (length ?l))) ?o] => test_of_step (fun x : A => F None (x, 0%nat)) ltac:(fun p => rewrite (last_place_loop A p F ltac:(loop_law) l a o))
  | |- context [@fold_left (option nat) (nat * ?A) ?F (combine (seq ?a (length ?l)) ?l) ?o] => test_of_step (fun x : A => F None (0%nat, x)) ltac:(fun p => rewrite (last_place_loop' A p F ltac:(loop_law) l a o))
  | |- context [@fold_right (option nat) (?A * nat) ?F ?o (combine ?l (seq ?a (length ?l)))] => test_of_step (fun x : A => F (x, 0%nat) None) ltac:(fun p => rewrite (place_loop A p F ltac:(loop_law) l a o))
  | |- context [@fold_right (option nat) (nat * ?A) ?F ?o (combine (seq ?a (length ?l)) ?l)] => test_of_step (fun x : A => F (0%nat, x) None) ltac:(fun p => rewrite (place_loop' A p F ltac:(loop_law) l a o)) end; cbv beta iota; cbn [Nat.add].
Ltac to_places := place_loops; repeat match goal with
  | |- context [@fold_right (option nat) ?A ?F None ?l] => with_condition F ltac:(fun p => rewrite (place_fold A p F l ltac:(option_law)))
  | |- context [@fold_right (option nat) ?A ?F None ?l] => lazymatch F with fun x a => match a with Some _ => _ | None => if @?p x then _ else _ end => rewrite (last_place_fold A p F l ltac:(option_law)) end
  | |- context [@fold_right Z ?A ?F (-1) ?l] => with_condition F ltac:(fun p => rewrite (Zplace_fold A p F l ltac:(solve [intros; cbv beta; fold_cases; lia]))) end.
Ltac open_places := repeat match goal with
  | |- context [@place ?T ?p ?l] => with_default T ltac:(fun d => let e := fresh in destruct (place_cases d p l) as [(? & e & ? & ? & ?)|[e ?]]; rewrite e; clear e)
  | |- context [@last_place ?T ?p ?l] => with_default T ltac:(fun d => let e := fresh in destruct (last_place_cases d p l) as [(? & e & ? & ? & ?)|[e ?]]; rewrite e; clear e) end; cbv beta in *; cbv iota.
Ltac normalise_whole := match goal with |- ?P => eapply (by_nf_goal P); [once (typeclasses eauto) | cbv beta] end.
Ltac hypotheses_too := repeat match goal with H : ?P |- _ => is_prop P; revert H end.
Lemma member_at T (d : T) l x : In x l <-> exists i, (i < length l)%nat /\ nth i l d = x.
Proof. split; [intro h; destruct (In_nth l x d h) as (i & k & e); eauto|intros (i & k & <-); apply nth_In; exact k]. Qed.
Ltac members_at := repeat (match goal with
  | |- context [forall x : ?T, In x ?l -> @?P x] => match goal with |- context [@nth T _ l ?d] => rewrite <- (all_index T d P l) end
  | |- context [exists x : ?T, In x ?l /\ @?P x] => match goal with |- context [@nth T _ l ?d] => rewrite <- (some_index T d P l) end
  | |- context [@In ?T _ ?l] => match goal with |- context [@nth T _ l ?d] => progress (first [ rewrite (member_at T d l) | setoid_rewrite (member_at T d l) ]) end end).
Ltac as_naturals := repeat match goal with r : Z |- _ => match goal with |- context [Z.to_nat r] => idtac | |- context [Z.of_nat _ = r] => idtac | |- context [r = Z.of_nat _] => idtac end;
    lazymatch goal with _ : done r 60 |- _ => fail | _ => idtac end; let n := fresh "n" in let h := fresh in
    destruct (Z_lt_le_dec r 0) as [h|h]; [assert (done r 60) by exact I | destruct (Z_of_nat_complete r h) as [n ->]; clear h; rewrite ?Nat2Z.id in * ] end; clear_marks.
(* Two places are one, or one is before the other. *)
Ltac place_orders := repeat match goal with a : nat, b : nat |- _ => tryif constr_eq a b then fail else (lazymatch goal with _ : done (a, b) 61 |- _ => fail | _ : done (b, a) 61 |- _ => fail | _ => idtac end;
    assert (done (a, b) 61) by exact I; let h := fresh in destruct (lt_eq_lt_dec a b) as [[h|h]|h]; [ | subst a | ]) end; clear_marks.
Ltac seed_places := repeat match goal with H : forall i : nat, _, j : nat |- _ => seed H j end; clear_marks.
Ltac place_close := first [ lia | assumption | congruence | (seed_places; fire; open; first [ lia | assumption | congruence | (exfalso; congruence) ]) ].
Ltac place_goal := lazymatch goal with
  | |- _ /\ _ => split; place_goal
  | |- _ \/ _ => first [ solve [left; place_goal] | solve [right; place_goal] ]
  | |- ex _ => match goal with n : nat |- _ => exists n; solve [place_goal] end
  | |- ~ _ => intro; open; place_orders; place_close
  | |- _ -> _ => intro; open; place_goal
  | |- forall _ : nat, _ => intro; place_goal
  | |- _ => place_close end.
Ltac place_hypotheses := open; repeat (match goal with H : _ \/ _ |- _ => destruct H end; open).
Ltac place_leaf := split; intro; place_hypotheses; try (exfalso; lia); place_orders; try (exfalso; lia); solve [place_goal].
Ltac by_found := solve [ start; split_results; unfold_pair; read_places; unfold_pair; try (read_calls; to_places); progress open_places; cbn [option_map Nat.add Z.add]; cbv beta iota; terms; hypotheses_too; normalise_whole; members_at; terms; as_naturals; intros;
  first [ quick | place_leaf ] ].

(** * Lists place by place, where places are told apart *)
Section Nths.
  Context {T : Type} (d : T).
  Lemma place_of_app (l m : list T) i : nth i (l ++ m) d = if (i <? length l)%nat then nth i l d else nth (i - length l) m d. Proof. apply nth_app_either. Qed.
  Lemma place_of_cons x (l : list T) i : nth i (x :: l) d = if (i =? 0)%nat then x else nth (i - 1) l d. Proof. apply nth_cons_either. Qed.
  Lemma place_of_nil i : nth i [] d = d. Proof. apply nth_of_nil. Qed.
  Lemma place_of_firstn n (l : list T) i : nth i (firstn n l) d = if (i <? n)%nat then nth i l d else d.
  Proof. destruct (Nat.ltb_spec i n); [apply nth_firstn_some; assumption|apply nth_overflow; rewrite firstn_length; lia]. Qed.
  Lemma place_of_skipn n (l : list T) i : nth i (skipn n l) d = nth (n + i) l d. Proof. apply nth_skipn_all. Qed.
  Lemma place_of_rev (l : list T) i : nth i (rev l) d = if (i <? length l)%nat then nth (length l - S i) l d else d.
  Proof. destruct (Nat.ltb_spec i (length l)); [apply rev_nth; assumption|apply nth_overflow; rewrite rev_length; lia]. Qed.
  Lemma place_of_repeat x n i : nth i (repeat x n) d = if (i <? n)%nat then x else d.
  Proof. destruct (Nat.ltb_spec i n); [apply nth_repeat_some; assumption|apply nth_overflow; rewrite repeat_length; lia]. Qed.
  Lemma place_of_tl (l : list T) i : nth i (tl l) d = nth (S i) l d. Proof. apply nth_tl_next. Qed.
  Lemma place_of_removelast (l : list T) i : nth i (removelast l) d = if (i <? length l - 1)%nat then nth i l d else d.
  Proof. rewrite removelast_firstn_len. replace (length l - 1)%nat with (pred (length l)) by lia. apply place_of_firstn. Qed.
End Nths.
Lemma place_of_seq d a n i : nth i (seq a n) d = if (i <? n)%nat then (a + i)%nat else d.
Proof. destruct (Nat.ltb_spec i n); [apply seq_nth; assumption|apply nth_overflow; rewrite seq_length; lia]. Qed.
Lemma place_of_combine A B (a : A) (b : B) l m i : nth i (combine l m) (a, b) = if (i <? Nat.min (length l) (length m))%nat then (nth i l a, nth i m b) else (a, b).
Proof. destruct (Nat.ltb_spec i (Nat.min (length l) (length m))); [apply nth_combine_some; lia|apply nth_overflow; rewrite combine_length; lia]. Qed.
Lemma place_of_map A B (f : A -> B) d e l i : nth i (map f l) e = if (i <? length l)%nat then f (nth i l d) else e.
Proof. destruct (Nat.ltb_spec i (length l)); [apply nth_map; assumption|apply nth_overflow; rewrite map_length; lia]. Qed.
Lemma length_cons T (x : T) l : length (x :: l) = S (length l). Proof. reflexivity. Qed.
Lemma length_nil T : length (@nil T) = 0%nat. Proof. reflexivity. Qed.
#[export] Hint Rewrite map_length app_length rev_length firstn_length skipn_length seq_length repeat_length combine_length tl_length removelast_length length_cons length_nil : sizes.
#[export] Hint Rewrite @place_of_app @place_of_cons @place_of_nil @place_of_firstn @place_of_skipn @place_of_rev @place_of_repeat @place_of_tl @place_of_removelast place_of_seq place_of_combine : places.
Ltac places := autorewrite with places; repeat (match goal with |- context [@nth ?U ?i (@map ?T ?U ?f ?l) ?e] => with_default T ltac:(fun d => rewrite (place_of_map T U f d e l i)) end; cbv beta; unfold default, default_Z, default_nat, default_bool, default_ascii, default_string, default_option, default_list, default_prod; cbn [fst snd]; autorewrite with places).
Ltac split_universals := repeat match goal with
  | H : forall i : nat, _ /\ _ |- _ => let a := fresh in let b := fresh in pose proof (fun i => proj1 (H i)) as a; pose proof (fun i => proj2 (H i)) as b; clear H; cbv beta in a, b
  | H : forall i : nat, _ -> _ /\ _ |- _ => let a := fresh in let b := fresh in pose proof (fun i p => proj1 (H i p)) as a; pose proof (fun i p => proj2 (H i p)) as b; clear H; cbv beta in a, b
  | H : forall i : nat, _ -> _ -> _ /\ _ |- _ => let a := fresh in let b := fresh in pose proof (fun i p q => proj1 (H i p q)) as a; pose proof (fun i p q => proj2 (H i p q)) as b; clear H; cbv beta in a, b end.
Ltac place_premise := first [ lia | assumption | congruence ].
Ltac known_place := match goal with
  | H : nth ?i ?r ?d = ?v |- context [nth ?j ?r ?d] => progress (replace j with i by lia; rewrite H)
  | H : forall i : nat, _ |- context [nth ?j ?r ?d] => lazymatch type of H with context [nth _ r d] => idtac end; rewrite (H j) by place_premise end.
Ltac place_conditions := fold_cases.
Ltac position_close n := places; sizes_of_goal; place_conditions; subst; first [ reflexivity | lia | congruence | (f_equal; lia) | assumption
  | lazymatch n with S ?m => match goal with |- ?a = ?b => solve [known_place; position_close m | symmetry; known_place; position_close m] end end ]
with sizes_of_goal := autorewrite with sizes.
Ltac sizes := autorewrite with sizes in *.
Ltac position_goal := split; intro; open; conjuncts; open; split_universals; sizes; first [ lia | position_close 2%nat ].
Ltac by_positions := solve [ start; split_results; as_library; cbv beta iota; terms; first
  [ solve [index_equations; position_goal]
  | normalise; terms; index_equations; position_goal ] ].
(* One place at a time: what is said of it, by cases and equality. *)
Ltac seed_all := repeat match goal with H : forall i : nat, _, j : nat |- _ => seed H j end; clear_marks;
  repeat match goal with H : forall i : nat, _ |- _ => clear H end.
Ltac options_at := repeat match goal with
  | |- context [@nth_error ?T ?l ?i] => with_default T ltac:(fun d => first [ rewrite (nth_error_nth' l d) by lia | rewrite (proj2 (nth_error_None l i)) by lia | destruct (Nat.lt_ge_cases i (length l)) ])
  | H : context [@nth_error ?T ?l ?i] |- _ => with_default T ltac:(fun d => first [ rewrite (nth_error_nth' l d) in H by lia | rewrite (proj2 (nth_error_None l i)) in H by lia | destruct (Nat.lt_ge_cases i (length l)) ]) end.
Ltac merge_places := repeat match goal with
  | |- context [nth ?i ?l ?d] => match goal with |- context [nth ?j l d] => tryif constr_eq i j then fail else (replace (nth j l d) with (nth i l d) by (f_equal; lia)) end end.
(* Which place it is, by a condition. *)
Ltac index_conditions := repeat (match goal with |- context [nth (if ?b then _ else _) _ _] => let e := fresh "e" in destruct b eqn:e; first [ apply Nat.eqb_eq in e | apply Nat.eqb_neq in e | apply Nat.ltb_lt in e | apply Nat.ltb_ge in e | apply Nat.leb_le in e | apply Nat.leb_gt in e | idtac ] end).
Ltac pointwise n := seed_all; fire; options_at; hypotheses_too; index_conditions; places; terms; sizes_of_goal; place_conditions; intros; first [ lia | congruence | (hypotheses_too; progress merge_places; intros; first [ lia | congruence | (apply NNPP; let h := fresh in intro h; equality n) ]) | (apply NNPP; let h := fresh in intro h; equality n) ].
Ltac pointwise_goal := rewrite ?nil_length; split; intro; open; conjuncts; open; sizes; first [ lia | pointwise 4%nat ].
Ltac by_pointwise := solve [ start; list_matches; split_results; cbv beta iota; terms; first [ solve [index_equations; pointwise_goal] | normalise; terms; index_equations; pointwise_goal ] ].
Ltac forget_texts := repeat match goal with s : string |- _ => let l := fresh "l" in generalize (letters s); clear s; intro l end.
Ltac light_letters := rewrite ?letters_prefix, ?letters_eqb; rewrite ?letters_length, ?letters_get; rewrite ?same_letters, ?letters_app, ?letters_substring, ?letters_of_list; cbn [list_ascii_of_string].
Ltac letter_positions := light_letters; terms; rewrite ?letters_of_list; index_equations; try normalise; light_letters; terms; rewrite ?letters_of_list; index_equations; forget_texts; members_at; first [ quick | solve [pointwise_goal] | position_goal | both_ground 2%nat ].
Ltac by_letter_places := solve [ start; without_output; match goal with _ : string |- _ => idtac end; split_results; as_library; rewrite ?letters_of_list; letter_positions ].
