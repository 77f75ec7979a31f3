(** Three-valued evaluation of propositions, each step with its proof of soundness.

    [ev P f] is [Some true] only where [P] holds and [Some false] only where it does not; [f] bounds the samples
    that stand in for quantifiers whose range could not be bounded. All of it runs in the kernel's virtual
    machine and none of it rests on an axiom. *)
From Coq Require Import String Ascii ZArith NArith Bool Arith Znumtheory Lia List Sorting.Sorted Permutation.
From Truespec Require Export Sample.
Import ListNotations.
Local Open Scope Z_scope.

Class Semi (P : Prop) := {
  ev : fuel -> option bool;
  ev_t : forall f, ev f = Some true -> P;
  ev_f : forall f, ev f = Some false -> ~ P }.
Arguments ev P {Semi}.
Arguments ev_t P {Semi}.
Arguments ev_f P {Semi}.

Definition by_decision (P : Prop) (D : {P} + {~ P}) : Semi P.
Proof. refine {| ev := fun _ => if D then Some true else Some false |}; intros; destruct D; congruence. Defined.
Definition by_bool (P : Prop) (b : bool) (h : b = true <-> P) : Semi P.
Proof. refine {| ev := fun _ => Some b |}; intros f e; rewrite <- h; congruence. Defined.
Definition by_iff (P Q : Prop) (h : P <-> Q) (s : Semi P) : Semi Q.
Proof. refine {| ev := ev P |}; intros f e; rewrite <- h; [eapply ev_t|eapply ev_f]; exact e. Defined.

(** * Atoms *)
#[export] Instance semi_eq T (x y : T) `{EqDec T} : Semi (x = y) := by_decision _ (eqdec x y).
#[export] Instance semi_Zle x y : Semi (x <= y) := by_bool _ _ (Z.leb_le x y).
#[export] Instance semi_Zlt x y : Semi (x < y) := by_bool _ _ (Z.ltb_lt x y).
#[export] Instance semi_Zge x y : Semi (x >= y) := by_decision _ (Z_ge_dec x y).
#[export] Instance semi_Zgt x y : Semi (x > y) := by_decision _ (Z_gt_dec x y).
#[export] Instance semi_le x y : Semi (x <= y)%nat := by_bool _ _ (Nat.leb_le x y).
#[export] Instance semi_lt x y : Semi (x < y)%nat := by_bool _ _ (Nat.ltb_lt x y).
#[export] Instance semi_ge x y : Semi (x >= y)%nat := by_bool (x >= y)%nat _ (Nat.leb_le y x).
#[export] Instance semi_gt x y : Semi (x > y)%nat := by_bool (x > y)%nat _ (Nat.ltb_lt y x).
#[export] Instance semi_Nle x y : Semi (x <= y)%N := by_bool _ _ (N.leb_le x y).
#[export] Instance semi_Nlt x y : Semi (x < y)%N := by_bool _ _ (N.ltb_lt x y).
#[export] Instance semi_posle x y : Semi (x <= y)%positive := by_bool _ _ (Pos.leb_le x y).
#[export] Instance semi_poslt x y : Semi (x < y)%positive := by_bool _ _ (Pos.ltb_lt x y).
#[export] Instance semi_True : Semi True := by_decision _ (left I).
#[export] Instance semi_False : Semi False := by_decision _ (right (fun x => x)).
#[export] Instance semi_divide x y : Semi (x | y) := by_decision _ (Zdivide_dec x y).
Lemma nat_divide_iff x y : (Nat.gcd x y =? x)%nat = true <-> Nat.divide x y.
Proof. rewrite Nat.eqb_eq. symmetry. apply Nat.divide_gcd_iff; lia. Qed.
#[export] Instance semi_nat_divide x y : Semi (Nat.divide x y) := by_bool _ _ (nat_divide_iff x y).
#[export] Instance semi_Zeven x : Semi (Z.Even x) := by_bool _ _ (Z.even_spec x).
#[export] Instance semi_Zodd x : Semi (Z.Odd x) := by_bool _ _ (Z.odd_spec x).
#[export] Instance semi_even x : Semi (Nat.Even x) := by_bool _ _ (Nat.even_spec x).
#[export] Instance semi_odd x : Semi (Nat.Odd x) := by_bool _ _ (Nat.odd_spec x).
#[export] Instance semi_Zeven' x : Semi (Zeven.Zeven x) := by_decision _ (Zeven.Zeven_dec x).
#[export] Instance semi_Zodd' x : Semi (Zeven.Zodd x) := by_decision _ (Zeven.Zodd_dec x).
#[export] Instance semi_In T (x : T) l `{EqDec T} : Semi (In x l) := by_decision _ (in_dec eqdec x l).
#[export] Instance semi_Is_true b : Semi (Is_true b).
Proof. destruct b; simpl; typeclasses eauto. Defined.
#[export] Instance semi_is_true b : Semi (is_true b) := by_decision _ (bool_dec b true).
#[export] Instance semi_rel_prime a b : Semi (rel_prime a b) := by_iff _ _ (Zgcd_1_rel_prime a b) _.
Lemma is_gcd_iff a b d : (Z.abs d = Z.gcd a b) <-> Zis_gcd a b d.
Proof.
  assert (g := Zgcd_is_gcd a b). split; intro h.
  - destruct (Z.abs_eq_or_opp d) as [e|e]; rewrite e in h.
    + rewrite h; exact g.
    + rewrite <- (Z.opp_involutive d). apply Zis_gcd_sym, Zis_gcd_opp, Zis_gcd_sym. rewrite h. apply Zis_gcd_sym; exact g.
  - destruct (Zis_gcd_unique a b d _ h g) as [e|e]; rewrite e, ?Z.abs_opp; apply Z.abs_eq, Z.gcd_nonneg.
Qed.
#[export] Instance semi_is_gcd a b d : Semi (Zis_gcd a b d) := by_iff _ _ (is_gcd_iff a b d) _.

(** * Connectives, in Kleene's logic *)
Definition not3 (a : option bool) := option_map negb a.
Definition and3 (a : option bool) (b : unit -> option bool) : option bool :=
  match a with Some false => Some false | Some true => b tt
  | None => match b tt with Some false => Some false | _ => None end end.
Definition or3 (a : option bool) (b : unit -> option bool) : option bool :=
  match a with Some true => Some true | Some false => b tt
  | None => match b tt with Some true => Some true | _ => None end end.
Ltac kleene :=
  cbn; intros;
  repeat match goal with
  | e : context [ev ?P ?f] |- _ =>
      let q := fresh in destruct (ev P f) as [[]|] eqn:q; cbn in e;
      try (pose proof (ev_t P f q)); try (pose proof (ev_f P f q)); clear q; try discriminate
  end; tauto.
#[export] Instance semi_not P `{Semi P} : Semi (~ P).
Proof. refine {| ev := fun f => not3 (ev P f) |}; kleene. Defined.
#[export] Instance semi_and P Q `{Semi P} `{Semi Q} : Semi (P /\ Q).
Proof. refine {| ev := fun f => and3 (ev P f) (fun _ => ev Q f) |}; kleene. Defined.
#[export] Instance semi_or P Q `{Semi P} `{Semi Q} : Semi (P \/ Q).
Proof. refine {| ev := fun f => or3 (ev P f) (fun _ => ev Q f) |}; kleene. Defined.
#[export] Instance semi_imp (P Q : Prop) `{Semi P} `{Semi Q} : Semi (P -> Q).
Proof. refine {| ev := fun f => or3 (not3 (ev P f)) (fun _ => ev Q f) |}; kleene. Defined.
#[export] Instance semi_iff P Q `{Semi P} `{Semi Q} : Semi (P <-> Q).
Proof.
  refine {| ev := fun f => match ev P f with Some a => match ev Q f with Some b => Some (Bool.eqb a b) | None => None end
                           | None => None end |}; kleene.
Defined.

(** * Matches on a value that is known only when the arguments are *)
#[export] Instance semi_if (b : bool) P Q (p : Semi P) (q : Semi Q) : Semi (if b then P else Q).
Proof. destruct b; assumption. Defined.
#[export] Instance semi_sumbool A B (d : {A} + {B}) P Q (p : Semi P) (q : Semi Q) : Semi (if d then P else Q).
Proof. destruct d; assumption. Defined.
#[export] Instance semi_option T (o : option T) (P : T -> Prop) Q (p : forall x, Semi (P x)) (q : Semi Q) :
  Semi (match o with Some x => P x | None => Q end).
Proof. destruct o; auto. Defined.
#[export] Instance semi_pair A B (p : A * B) (P : A -> B -> Prop) (s : forall x y, Semi (P x y)) : Semi (let (x, y) := p in P x y).
Proof. destruct p; auto. Defined.
#[export] Instance semi_sum A B (p : A + B) (P : A -> Prop) (Q : B -> Prop) (s : forall x, Semi (P x)) (t : forall x, Semi (Q x)) :
  Semi (match p with inl x => P x | inr y => Q y end).
Proof. destruct p; auto. Defined.
#[export] Instance semi_list T (l : list T) P (Q : T -> list T -> Prop) (p : Semi P) (q : forall x t, Semi (Q x t)) :
  Semi (match l with nil => P | cons x t => Q x t end).
Proof. destruct l; auto. Defined.
#[export] Instance semi_nat n P (Q : nat -> Prop) (p : Semi P) (q : forall m, Semi (Q m)) : Semi (match n with O => P | S m => Q m end).
Proof. destruct n; auto. Defined.
#[export] Instance semi_Z z P (Q R : positive -> Prop) (p : Semi P) (q : forall m, Semi (Q m)) (r : forall m, Semi (R m)) :
  Semi (match z with Z0 => P | Zpos m => Q m | Zneg m => R m end).
Proof. destruct z; auto. Defined.
#[export] Instance semi_comparison c P Q R (p : Semi P) (q : Semi Q) (r : Semi R) : Semi (match c with Eq => P | Lt => Q | Gt => R end).
Proof. destruct c; assumption. Defined.
#[export] Instance semi_text s P (Q : ascii -> string -> Prop) (p : Semi P) (q : forall c t, Semi (Q c t)) :
  Semi (match s with EmptyString => P | String c t => Q c t end).
Proof. destruct s; auto. Defined.

(** * Quantifiers over a list of values *)
Fixpoint all3 {T} (g : T -> option bool) (l : list T) : option bool :=
  match l with
  | [] => Some true
  | x :: t => match g x with Some true => all3 g t | Some false => Some false
              | None => match all3 g t with Some false => Some false | _ => None end end
  end.
Lemma all3_t T (P : T -> Prop) g (gt : forall x, g x = Some true -> P x) l : all3 g l = Some true -> forall x, In x l -> P x.
Proof.
  induction l as [|a l IH]; simpl; intros h x; [tauto|].
  destruct (g a) as [[]|] eqn:q; try discriminate; [intros [<-|hi]; auto | destruct (all3 g l) as [[]|]; discriminate].
Qed.
Lemma all3_f T (P : T -> Prop) g (gf : forall x, g x = Some false -> ~ P x) l : all3 g l = Some false -> exists x, In x l /\ ~ P x.
Proof.
  induction l as [|a l IH]; simpl; intros h; [discriminate|]. destruct (g a) as [[]|] eqn:q.
  - destruct (IH h) as [x []]; eauto.
  - exists a; auto.
  - destruct (all3 g l) as [[]|]; try discriminate. destruct (IH eq_refl) as [x []]; eauto.
Qed.
Fixpoint some3 {T} (g : T -> option bool) (l : list T) : option bool :=
  match l with
  | [] => Some false
  | x :: t => match g x with Some false => some3 g t | Some true => Some true
              | None => match some3 g t with Some true => Some true | _ => None end end
  end.
Lemma some3_t T (P : T -> Prop) g (gt : forall x, g x = Some true -> P x) l : some3 g l = Some true -> exists x, In x l /\ P x.
Proof.
  induction l as [|a l IH]; simpl; intros h; [discriminate|]. destruct (g a) as [[]|] eqn:q.
  - exists a; auto.
  - destruct (IH h) as [x []]; eauto.
  - destruct (some3 g l) as [[]|]; try discriminate. destruct (IH eq_refl) as [x []]; eauto.
Qed.
Lemma some3_f T (P : T -> Prop) g (gf : forall x, g x = Some false -> ~ P x) l : some3 g l = Some false -> forall x, In x l -> ~ P x.
Proof.
  induction l as [|a l IH]; simpl; intros h x; [tauto|].
  destruct (g a) as [[]|] eqn:q; try discriminate; [intros [<-|hi]; auto | destruct (some3 g l) as [[]|]; discriminate].
Qed.
#[export] Instance semi_Forall T (P : T -> Prop) l `{forall x, Semi (P x)} : Semi (Forall P l).
Proof.
  refine {| ev := fun f => all3 (fun x => ev (P x) f) l |}; intros f e; rewrite Forall_forall.
  - exact (all3_t _ P _ (fun y => ev_t (P y) f) l e).
  - intro h. destruct (all3_f _ P _ (fun y => ev_f (P y) f) _ e) as [x []]; auto.
Defined.
#[export] Instance semi_Exists T (P : T -> Prop) l `{forall x, Semi (P x)} : Semi (Exists P l).
Proof.
  refine {| ev := fun f => some3 (fun x => ev (P x) f) l |}; intros f e; rewrite Exists_exists.
  - exact (some3_t _ P _ (fun y => ev_t (P y) f) l e).
  - intros [x [i h]]. exact (some3_f _ P _ (fun y => ev_f (P y) f) _ e x i h).
Defined.

(** * List predicates of the standard library *)
Fixpoint forall2_3 {A B} (g : A -> B -> option bool) l m : option bool :=
  match l, m with
  | [], [] => Some true
  | x :: l, y :: m => and3 (g x y) (fun _ => forall2_3 g l m)
  | _, _ => Some false
  end.
#[export] Instance semi_Forall2 A B (R : A -> B -> Prop) l m `{s : forall x y, Semi (R x y)} : Semi (Forall2 R l m).
Proof.
  refine {| ev := fun f => forall2_3 (fun x y => ev (R x y) f) l m |}; intros f; revert m;
    induction l as [|x l IH]; intros [|y m]; simpl; intro e; try discriminate; try (constructor; fail); try (intro h; inversion h; fail).
  - destruct (ev (R x y) f) as [[]|] eqn:q; simpl in e; try discriminate.
    + constructor; [exact (ev_t _ f q)|auto].
    + destruct (forall2_3 _ l m) as [[]|]; discriminate.
  - intro h; inversion h; subst. destruct (ev (R x y) f) as [[]|] eqn:q; simpl in e; try discriminate.
    + exact (IH m e H4).
    + exact (ev_f _ f q H2).
    + destruct (forall2_3 _ l m) as [[]|] eqn:w; try discriminate. exact (IH m w H4).
Defined.
#[export] Instance semi_HdRel A (R : A -> A -> Prop) a l `{s : forall x y, Semi (R x y)} : Semi (HdRel R a l).
Proof.
  refine {| ev := fun f => match l with [] => Some true | b :: _ => ev (R a b) f end |};
    intros f e; destruct l as [|b l]; try discriminate; try constructor.
  - exact (ev_t _ f e).
  - intro h; inversion h; subst. exact (ev_f _ f e H0).
Defined.
#[export] Instance semi_Sorted A (R : A -> A -> Prop) l `{s : forall x y, Semi (R x y)} : Semi (Sorted R l).
Proof.
  induction l as [|a l IH].
  - refine (by_decision _ (left (Sorted_nil _))).
  - refine (by_iff (Sorted R l /\ HdRel R a l) _ _ _). split; [intros []; constructor; assumption|intro h; inversion h; auto].
Defined.
#[export] Instance semi_StronglySorted A (R : A -> A -> Prop) l `{s : forall x y, Semi (R x y)} : Semi (StronglySorted R l).
Proof.
  induction l as [|a l IH].
  - refine (by_decision _ (left (SSorted_nil _))).
  - refine (by_iff (StronglySorted R l /\ Forall (R a) l) _ _ _). split; [intros []; constructor; assumption|intro h; inversion h; auto].
Defined.
Lemma locally_sorted_iff A (R : A -> A -> Prop) l : Sorted R l <-> LocallySorted R l.
Proof. apply Sorted_LocallySorted_iff. Qed.
#[export] Instance semi_LocallySorted A (R : A -> A -> Prop) l `{s : forall x y, Semi (R x y)} : Semi (LocallySorted R l) :=
  by_iff _ _ (locally_sorted_iff A R l) _.
#[export] Instance semi_NoDup A `{EqDec A} (l : list A) : Semi (NoDup l).
Proof.
  induction l as [|a l IH].
  - refine (by_decision _ (left (NoDup_nil _))).
  - refine (by_iff (~ In a l /\ NoDup l) _ _ _). symmetry; apply NoDup_cons_iff.
Defined.
Lemma incl_iff T (l m : list T) : Forall (fun x => In x m) l <-> incl l m.
Proof. rewrite Forall_forall. reflexivity. Qed.
#[export] Instance semi_incl T (l m : list T) `{EqDec T} : Semi (incl l m) := by_iff _ _ (incl_iff T l m) _.
Lemma permutation_iff T (eq : EqDec T) (l m : list T) :
  (length l = length m /\ Forall (fun x => count_occ eq l x = count_occ eq m x) l) <-> Permutation l m.
Proof.
  split.
  - intros [len all]. revert m len all. induction l as [|a l IH]; intros m len all.
    + destruct m; [constructor|discriminate].
    + assert (i : In a m). { apply (count_occ_In eq). inversion_clear all. rewrite <- H. simpl. destruct (eq a a); [lia|congruence]. }
      destruct (in_split _ _ i) as (p & q & ->). apply Permutation_cons_app. apply IH.
      * rewrite app_length in *; simpl in *; lia.
      * rewrite Forall_forall in *. intros x ix. specialize (all x (or_intror ix)). rewrite count_occ_app in *; simpl in *.
        destruct (eq a x); lia.
  - intro h. split; [apply Permutation_length; exact h|]. apply Forall_forall. intros x _. apply (Permutation_count_occ eq); exact h.
Qed.
#[export] Instance semi_Permutation T (l m : list T) `{e : EqDec T} : Semi (Permutation l m) := by_iff _ _ (permutation_iff T e l m) _.
