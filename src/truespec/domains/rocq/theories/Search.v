(** The search for an input that separates two specifications, in the kernel's virtual machine.

    [A] and [B] are the two specifications as predicates on one tuple of arguments, given with evaluators. *)
From Coq Require Import String Ascii ZArith Bool Arith List Lia.
From Truespec Require Export Parts.
Import ListNotations.
Local Open Scope Z_scope.

(** The largest sample whose number of tuples stays below [cap]. *)
Fixpoint widest (T : Type) `{Sample T} (base : fuel) (cap steps n : nat) : list T :=
  let f := {| size := n; ints := ints base; texts := texts base; chars := chars base |} in
  let here := sample T f in
  match steps with
  | O => here
  | S m => let f' := {| size := S n; ints := ints base; texts := texts base; chars := chars base |} in
           (* counting stops at the cap, so that a huge product is never built twice *)
           if (length (firstn (S cap) (sample T f')) <=? cap)%nat then widest T base cap m (S n) else here
  end.

Definition judged (a b : option bool) : option (bool * bool) :=
  match a, b with Some x, Some y => if Bool.eqb x y then None else Some (x, y) | _, _ => None end.

(** The first tuple on which both evaluators decide and differ. *)
Fixpoint separate {T} (a b : T -> option bool) (l : list T) : option (T * bool) :=
  match l with
  | [] => None
  | x :: t => match a x with
              | None => separate a b t
              | Some v => match b x with
                          | Some w => if Bool.eqb v w then separate a b t else Some (x, v)
                          | None => separate a b t end
              end
  end.
(** The same, where the first must yield [v]. *)
Fixpoint separate_as {T} (v : bool) (a b : T -> option bool) (l : list T) : option T :=
  match l with
  | [] => None
  | x :: t => match a x with
              | None => separate_as v a b t
              | Some w => if Bool.eqb v w then match b x with
                                                | Some u => if Bool.eqb u w then separate_as v a b t else Some x
                                                | None => separate_as v a b t end
                          else separate_as v a b t
              end
  end.
(** Tuples on which exactly one evaluator decides: [(x, true, v)] where it is the first, with value [v]. *)
Fixpoint half_decided {T} (n : nat) (a b : T -> option bool) (l : list T) : list (T * bool * bool) :=
  match n, l with
  | O, _ => []
  | _, [] => []
  | S m, x :: t => match a x, b x with
                   | Some v, None => (x, true, v) :: half_decided m a b t
                   | None, Some v => (x, false, v) :: half_decided m a b t
                   | _, _ => half_decided n a b t end
  end.

(** Values close to one that a solver suggests, itself first. *)
Class Near (T : Type) := near : T -> list T.
#[export] Instance near_itself T : Near T | 100 := fun x => [x].
#[export] Instance near_Z : Near Z := fun z => distinct [z; z + 1; z - 1; - z].
#[export] Instance near_nat : Near nat := fun n => distinct [n; S n; pred n].
#[export] Instance near_bool : Near bool := fun b => [b; negb b].
#[export] Instance near_option A `{Near A} : Near (option A) :=
  fun o => match o with Some x => (map Some (near x) ++ [None])%list | None => [None] end.
#[export] Instance near_prod A B `{Near A} `{Near B} : Near (A * B) := fun p => list_prod (near (fst p)) (near (snd p)).
#[export] Instance near_list A `{Near A} : Near (list A) :=
  fun l => l :: (match l with [] => [] | x :: t => t :: map (fun y => y :: t) (skipn 1 (near x)) end)%list.
(** The points themselves, then what is near to them. *)
Definition close_to {T} `{Near T} (cap : nat) (l : list T) : list T :=
  (l ++ firstn cap (flat_map (fun x => skipn 1 (firstn cap (near x))) l))%list.

Lemma holds (P : Prop) (s : Semi P) f : ev P f = Some true -> P.
Proof. apply ev_t. Qed.
Lemma fails (P : Prop) (s : Semi P) f : ev P f = Some false -> ~ P.
Proof. apply ev_f. Qed.
Lemma differ_tf (A B : Prop) : A -> ~ B -> ~ (A <-> B).
Proof. tauto. Qed.
Lemma differ_ft (A B : Prop) : ~ A -> B -> ~ (A <-> B).
Proof. tauto. Qed.

(** The evaluator of a formula whose definitions are already unfolded. *)
Ltac resolve_semi := cbv beta iota zeta; solve [typeclasses eauto].
(** The same for a recursively defined proposition: one instance by induction over one of its arguments. *)
Ltac revert_others x := repeat match goal with y : _ |- _ => tryif constr_eq x y then fail else revert y end.
Ltac semi_by_induction :=
  intros;
  multimatch goal with
  | x : list _ |- _ => revert_others x; induction x
  | x : nat |- _ => revert_others x; induction x
  | x : string |- _ => revert_others x; induction x
  | x : ?T |- _ => lazymatch T with Z => fail | bool => fail | _ => idtac end; revert_others x; induction x
  end; intros; cbn; solve [typeclasses eauto].

(** The type of such an instance, from the type of the function: [forall x y, Semi (f x y)]. An argument that is a
    predicate has evaluators itself. *)
Ltac semi_type f t :=
  let rec go f t :=
    lazymatch t with
    | forall p : ?A -> Prop, @?B p => let u := constr:(fun (p : A -> Prop) (_ : forall x : A, Semi (p x)) => ltac:(let u := eval cbv beta in (B p) in let v := go (f p) u in exact v)) in
                              constr:(forall (p : A -> Prop) (s : forall x : A, Semi (p x)), ltac:(let v := eval cbv beta in (u p s) in exact v))
    | forall x : ?A, @?B x => let r := constr:(fun x : A => ltac:(let u := eval cbv beta in (B x) in let v := go (f x) u in exact v)) in
                              let s := eval cbv beta in (forall x : A, r x) in constr:(forall x : A, ltac:(let v := eval cbv beta in (r x) in exact v))
    | Prop => constr:(Semi f)
    | _ => fail
    end in
  let r := go f t in exact r.

(** Decides a closed formula at a point where the general evaluator did not: first by an evaluator for the formula
    as it reads there, then by the arithmetic procedures. *)
Ltac at_point f :=
  cbn; first
  [ solve [eapply (holds _ _ f); vm_compute; reflexivity]
  | solve [eapply (fails _ _ f); vm_compute; reflexivity]
  | solve [intuition (congruence || lia)]
  | solve [firstorder (congruence || lia)] ].
