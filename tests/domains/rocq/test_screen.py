"""What a candidate may not say. The screening needs no Rocq."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from truespec.domains.rocq.lexer import sentences
from truespec.domains.rocq.screen import ALSO_IN_PREAMBLE, screen
from truespec.verdict import ReasonCode, SpecificationError, TruespecError

GOOD = "Definition spec (x : Z) : Prop := x = x."

FORBIDDEN_FIRST_WORDS = [
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Hypothesis",
    "Variable",
    "Variables",
    "Context",
    "Admitted",
    "Proof",
    "Goal",
    "Lemma",
    "Theorem",
    "Corollary",
    "Remark",
    "Fact",
    "Property",
    "Proposition",
    "Example",
    "Let",
    "Program",
    "Obligation",
    "Notation",
    "Infix",
    "Reserved",
    "Tactic",
    "Coercion",
    "SubClass",
    "Canonical",
    "Instance",
    "Existing",
    "Hint",
    "Create",
    "Arguments",
    "Implicit",
    "Generalizable",
    "Opaque",
    "Transparent",
    "Strategy",
    "Open",
    "Close",
    "Bind",
    "Delimit",
    "Undelimit",
    "Number",
    "String",
    "Ltac",
    "Ltac2",
    "Set",
    "Unset",
    "Test",
    "Require",
    "Import",
    "Export",
    "Include",
    "Module",
    "Section",
    "End",
    "Load",
    "Cd",
    "Add",
    "Remove",
    "Declare",
    "Extraction",
    "Redirect",
    "Print",
    "Compute",
    "Eval",
    "Check",
    "Search",
    "About",
    "Locate",
    "Time",
    "Timeout",
    "Fail",
    "Drop",
    "Quit",
    "Reset",
    "Back",
    "BackTo",
    "Undo",
    "Write",
    "State",
    "Register",
    "Primitive",
    "Universe",
    "Constraint",
    "Scheme",
    "Derive",
    "Function",
    "Class",
    "Record",
    "Structure",
    "Variant",
    "CoInductive",
    "CoFixpoint",
    "Local",
    "Global",
    "Polymorphic",
    "Monomorphic",
    "Qed",
    "Defined",
    "Abort",
    "Save",
    "Show",
    "Restart",
    "Focus",
    "Guarded",
    "From",
    "Combined",
    "Functional",
    "Symbol",
    "Rewrite",
    "Next",
    "Solve",
    "Typeclasses",
    "Preterm",
    "Comments",
    "Attributes",
    "Succeed",
    "Instructions",
    "Optimize",
    "Debug",
    "Separate",
    "Recursive",
    "Unshelve",
]

ATTACKS = {
    "an unguarded fixpoint": "Unset Guard Checking. Fixpoint f (n : nat) : False := f n. " + GOOD,
    "an attribute": "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n. " + GOOD,
    "an attribute after a comment": "(* harmless *) #[global] Definition x := 1. " + GOOD,
    "a global hint": "#[global] Hint Extern 0 => exact I : core. " + GOOD,
    "a hint between definitions": "Definition a := 1. Hint Resolve a : core. " + GOOD,
    "ltac in a term": "Definition spec (x : Z) : Prop := ltac:(exact True).",
    "ltac with blanks": "Definition spec (x : Z) : Prop := ltac : (exact True).",
    "ltac after a comment": "Definition spec (x : Z) : Prop := ltac(* *):(exact True).",
    "ltac2 in a term": "Definition spec (x : Z) : Prop := ltac2:(exact True).",
    "ltac in a type": "Definition spec (x : ltac:(exact Z)) : Prop := True.",
    "ltac in a fixpoint": "Fixpoint f (n : nat) : nat := match n with O => ltac:(exact O) | S m => f m end. "
    + GOOD,
    "reduction in a body": "Definition spec := Eval vm_compute in (fun x : Z => True).",
    "a definition without a body": "Definition spec (x : Z) : Prop.",
    "a definition proved later": "Definition f : False. admit. Defined. " + GOOD,
    "a fixpoint without a body": "Fixpoint f (n : nat) : nat. " + GOOD,
    "a mutual fixpoint without its second body": "Fixpoint f (n : nat) : nat := 0 with g (n : nat) : nat. "
    + GOOD,
    "a notation in a where clause": 'Fixpoint f (n : nat) : nat := n where "x +++ y" := (x + y). ' + GOOD,
    "an inductive with a notation": 'Inductive t : Prop := c where "x == y" := (x = y). ' + GOOD,
    "an inductive with a coercion": "Inductive t := c :> nat -> t. " + GOOD,
    "an inductive as a record": "Inductive t := mk { field : nat }. " + GOOD,
    "an unnamed record": "Inductive t := { field : nat }. " + GOOD,
    "a universe instance": "Definition f := list@{u}. " + GOOD,
    "a native cast": "Definition f := (1 <<: Z). " + GOOD,
    "a machine cast": "Definition f := (1 <: Z). " + GOOD,
    "generalised binders": "Definition f `(x : nat) := x. " + GOOD,
    "the verifier's candidate module": "Definition spec := Truespec_candidate.spec.",
    "the verifier's oracle": "Definition spec := Truespec_oracle.spec.",
    "the verifier's library": "Definition spec := Truespec.Search.widest.",
    "a module that shadows": "Module Truespec_oracle. Definition spec := True. End Truespec_oracle. " + GOOD,
    "ending the module": "End Truespec_candidate. " + GOOD,
    "ending the module inside": GOOD + " End Truespec_candidate. Axiom a : False. Module Truespec_candidate.",
    "two modules": "Module M. Axiom a : False. End M. " + GOOD,
    "a file": 'Redirect "out" Print nat. ' + GOOD,
    "a universe file": 'Print Universes "f". ' + GOOD,
    "an extraction": 'Extraction "f.ml" plus. ' + GOOD,
    "loading": 'Load "f". ' + GOOD,
    "a plugin": 'Declare ML Module "f". ' + GOOD,
    "after a comment that looks like a string": '(* " *) Axiom a : False. *) " *) Axiom b : False. ' + GOOD,
    "after nested comments": "(* (* *) *) Axiom a : False. " + GOOD,
    "after a string that looks like a comment": 'Definition s := "(*". Axiom a : False. Definition t := "*)". '
    + GOOD,
    "on the same line": GOOD + "\tAxiom a : False.",
    "after a carriage return": GOOD + "\r\nAxiom a : False.",
    "a class": "Class C := { c : nat }. " + GOOD,
    "a program definition": "Program Definition f : nat := _. " + GOOD,
    "a local axiom": "Local Axiom a : False. " + GOOD,
    "admitting": "Definition f : nat := 1. Admitted. " + GOOD,
    "an option": "Set Universe Polymorphism. " + GOOD,
    "type in type": "Unset Universe Checking. " + GOOD,
    "a primitive": "Primitive int := #int63_type. " + GOOD,
    "a canonical structure": "Canonical Structure x := 1. " + GOOD,
    "a bullet": "- Definition x := 1. " + GOOD,
    "a brace": "{ Definition x := 1. } " + GOOD,
    "a selector": "1: Definition x := 1. " + GOOD,
    "a hint that proves everything, behind an unguarded proof": (
        "Unset Guard Checking. Fixpoint loop (n : nat) : False := loop n. "
        "#[global] Hint Extern 0 => (exfalso; exact (loop O)) : core. " + GOOD
    ),
    "a sentence behind a comment": GOOD + "(* *)Axiom a : False.",
    "an axiom with a body": "Axiom a : False := a. " + GOOD,
    "a parameter between two definitions": "Definition a := 1. Parameter p : False. Definition b := p. "
    + GOOD,
    "a section variable": "Section S. Variable p : False. Definition q := p. End S. " + GOOD,
    "a context": "Context (p : False). " + GOOD,
    "an opaque constant": "Opaque Z.add. " + GOOD,
    "a strategy": "Strategy opaque [Z.add]. " + GOOD,
    "arguments": "Arguments Z.add : simpl never. " + GOOD,
    "an implicit type": "Implicit Types x : nat. " + GOOD,
    "a scope of its own": "Open Scope my_scope. " + GOOD,
    "a scope for others": "Global Open Scope nat_scope. " + GOOD,
    "two scopes at once": "Open Scope nat_scope Z_scope. " + GOOD,
    "a closed scope of its own": "Close Scope my_scope. " + GOOD,
    "a scope closed for others": "Global Close Scope Z_scope. " + GOOD,
    "a delimiter": "Delimit Scope Z_scope with nat. " + GOOD,
    "a coercion": "Coercion Z.of_nat : nat >-> Z. " + GOOD,
    "a redirection of the output": 'Redirect "f" Compute 1. ' + GOOD,
    "a change of folder": 'Cd "/". ' + GOOD,
    "an end of the session": "Quit. " + GOOD,
    "a return to an earlier state": "BackTo 1. " + GOOD,
    "a reset": "Reset Initial. " + GOOD,
    "an import": "Import ListNotations. " + GOOD,
    "a load path": 'Add LoadPath "/" as R. ' + GOOD,
    "a scheme": "Scheme Equality for nat. " + GOOD,
    "a universe": "Universe u. " + GOOD,
    "a registered constant": "Register Z.add as core.nat.add. " + GOOD,
    "a notation of its own": 'Notation "x < y" := True. ' + GOOD,
}

BROKEN = {
    "an open comment": GOOD + " (* ",
    "an open string": 'Definition s := "abc. ' + GOOD,
    "an open string in a comment": '(* " *) ' + GOOD,
    "no full stop": "Definition spec (x : Z) : Prop := x = x",
    "an open bracket": "Definition spec (x : Z : Prop := x = x.",
    "a stray bracket": "Definition spec (x : Z)) : Prop := x = x.",
    "a NUL": "Definition spec (x : Z) : Prop := x\x00 = x.",
    "a lone surrogate": "Definition spec (x : Z) : Prop := x = \ud800.",
    "a form feed": "Definition spec (x : Z) : Prop :=\x0c x = x.",
    "a no-break space": "Definition spec (x : Z) : Prop :=\u00a0x = x.",
    "a crossing of brackets": "Definition spec (x : Z) : Prop := (x = [x).]",
    "an empty sentence": GOOD + " .",
}


@pytest.mark.parametrize("word", FORBIDDEN_FIRST_WORDS)
def test_every_other_sentence_is_forbidden(word: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        screen(f"{GOOD}\n{word} x : False.\n{GOOD}")
    assert caught.value.code is ReasonCode.FORBIDDEN
    assert caught.value.place is not None
    assert caught.value.place.line == 2
    assert word in caught.value.message


@pytest.mark.parametrize("opening", ["Open Scope nat_scope.", "Local Open Scope nat_scope."])
def test_a_standard_scope_is_opened_for_the_text_alone(opening: str) -> None:
    screened = screen(f"{opening} {GOOD}")
    assert screened.sentences[0].text == "Local Open Scope nat_scope."
    closed = screen(f"{opening} {GOOD} {opening.replace('Open', 'Close')}")
    assert closed.sentences[-1].text == "Local Close Scope nat_scope."
    with pytest.raises(SpecificationError):
        screen(f"{opening} {GOOD}", ALSO_IN_PREAMBLE)


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_attack_is_refused(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        screen(text)
    assert caught.value.code in (ReasonCode.FORBIDDEN, ReasonCode.SYNTAX)


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_text_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        screen(text)
    assert caught.value.code is ReasonCode.SYNTAX


@pytest.mark.parametrize(
    "text", ["(" * 5_000, "(*" * 5_000, "Definition x := " + "(" * 5_000 + ".", "x" * 100_000]
)
def test_hostile_sizes_end_in_an_error_of_ours(text: str) -> None:
    with pytest.raises(TruespecError):
        screen(text)


def test_what_is_allowed_is_read() -> None:
    read = screen(
        'Inductive color := Red | Green.\n(* "a." (* b. *) *)\n'
        "Fixpoint even (n : nat) : bool := match n with O => true | S m => odd m end\n"
        "with odd (n : nat) : bool := match n with O => false | S m => even m end.\n"
        'Definition spec (s : string) (x : Z) : Prop := s = "a "". b"%string /\\ x = 42.'
    )
    assert read.inductives == ("color",)
    assert read.fixpoints == ("even", "odd")
    assert read.definitions == ("spec",)
    assert read.numbers == (42,)


def test_a_sentence_without_its_comments_is_the_same_sentence() -> None:
    text = 'Definition a := (1, "b. c").\nFixpoint f (n : nat) : nat := match n with O => Nat.add n n | S m => f m end.'
    for place in range(len(text)):
        try:
            read = sentences(f"{text[:place]}(* . *){text[place:]}")
        except SpecificationError:
            continue
        for sentence in read:
            again = sentences(sentence.text)
            assert [[token.text for token in one.tokens] for one in again] == [
                [token.text for token in sentence.tokens]
            ], place
