"""How a pair is laid out: two modules that are never imported, their types ascribed, one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from truespec.domains.rocq.context import Argument, RocqContext, binders
from truespec.domains.rocq.lexer import Sentence
from truespec.domains.rocq.screen import Screened

CANDIDATE = "Truespec_candidate"
"""The module of the candidate."""
ORACLE = "Truespec_oracle"
"""The module of the oracle."""
PREAMBLE = "Truespec_preamble"
"""The module of the shared definitions. It is imported; later imports may hide its short names."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A pair as sentences."""

    context: RocqContext
    """What both are read against."""
    oracle: Screened
    """The oracle."""
    candidate: Screened
    """The candidate."""

    def preamble(self) -> Iterator[str]:
        """The shared definitions."""
        shared = self.context.preamble.sentences
        if shared:
            yield f"Module {PREAMBLE}."
            yield from (sentence.text for sentence in shared)
            yield f"End {PREAMBLE}."
            yield f"Import {PREAMBLE}."

    def modules(self) -> Iterator[str]:
        """Both texts; the candidate comes first and cannot see the oracle."""
        for module, text in ((CANDIDATE, self.candidate), (ORACLE, self.oracle)):
            yield f"Module {module}."
            yield from (sentence.text for sentence in text.sentences)
            yield f"End {module}."

    def statement(self) -> Iterator[str]:
        """Both specifications under the signature's type, and the theorem to decide."""
        yield ascription("Truespec_c", CANDIDATE, self.context)
        yield ascription("Truespec_o", ORACLE, self.context)
        # Written out: a preamble may define these names anew.
        holds = " = Coq.Init.Datatypes.true" if self.context.signature.result == "bool" else ""
        applied = " ".join(argument.name for argument in self.context.signature.arguments)
        inner = f"forall {binders(self.context.inner)}, " if self.context.inner else ""
        for name, spec in (("candidate", "Truespec_c"), ("oracle", "Truespec_o")):
            yield f"Definition Truespec_{name}_holds {self.binders} : Prop := {inner}{spec} {applied}{holds}."
        sides = f"(Truespec_oracle_holds {self.names}) (Truespec_candidate_holds {self.names})"
        yield (f"Definition Truespec_statement : Prop := forall {self.binders}, Coq.Init.Logic.iff {sides}.")

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the two predicates that are compared."""
        return self.context.compared

    @property
    def binders(self) -> str:
        """These arguments with their types."""
        return binders(self.arguments)

    @property
    def names(self) -> str:
        """These arguments, separated by blanks."""
        return " ".join(argument.name for argument in self.arguments)

    def unfolded(self) -> list[str]:
        """The names that stand for their bodies: everything but the recursive functions."""
        return [
            "Truespec_statement",
            "Truespec_oracle_holds",
            "Truespec_candidate_holds",
            "Truespec_o",
            "Truespec_c",
            *(f"{ORACLE}.{name}" for name in self.oracle.definitions),
            *(f"{CANDIDATE}.{name}" for name in self.candidate.definitions),
            *(f"{PREAMBLE}.{name}" for name in self.context.preamble.definitions),
        ]

    def recursive(self) -> list[str]:
        """The recursive functions of all texts."""
        return [
            *(f"{PREAMBLE}.{name}" for name in self.context.preamble.fixpoints),
            *(f"{ORACLE}.{name}" for name in self.oracle.fixpoints),
            *(f"{CANDIDATE}.{name}" for name in self.candidate.fixpoints),
        ]

    def declared(self) -> list[str]:
        """The inductive types, predicates and records of all texts, in the order of their declarations."""
        texts = ((PREAMBLE, self.context.preamble), (ORACLE, self.oracle), (CANDIDATE, self.candidate))
        return [f"{module}.{name}" for module, text in texts for name in text.types]

    def inductive(self) -> list[str]:
        """The inductive types and predicates of all texts."""
        return [
            *(f"{PREAMBLE}.{name}" for name in self.context.preamble.inductives),
            *(f"{ORACLE}.{name}" for name in self.oracle.inductives),
            *(f"{CANDIDATE}.{name}" for name in self.candidate.inductives),
        ]

    def constructors(self) -> dict[str, list[str]]:
        """The constructors of each inductive type and predicate of all texts."""
        texts = ((PREAMBLE, self.context.preamble), (ORACLE, self.oracle), (CANDIDATE, self.candidate))
        return {
            f"{module}.{name}": [f"{module}.{one}" for one in constructors]
            for module, text in texts
            for sentence in text.sentences
            for name, constructors in constructors_of(sentence).items()
        }

    def counterparts(self) -> list[tuple[str, str]]:
        """Each recursive function or inductive predicate of the oracle with each of the candidate."""
        oracles, candidates = (
            [f"{module}.{name}" for name in (*text.fixpoints, *text.inductives)]
            for module, text in ((ORACLE, self.oracle), (CANDIDATE, self.candidate))
        )
        return [(one, other) for one in oracles for other in candidates]

    def outermost(self) -> list[str]:
        """The names of the statement that lead to the two specifications, and these."""
        return [*self.unfolded()[:5], f"{ORACLE}.spec", f"{CANDIDATE}.spec"]

    def defined(self) -> list[str]:
        """What stands for its body beside the specifications, the oracle's before the candidate's."""
        texts = ((ORACLE, self.oracle), (CANDIDATE, self.candidate))
        return [f"{module}.{name}" for module, text in texts for name in text.definitions if name != "spec"]


def constructors_of(sentence: Sentence) -> dict[str, list[str]]:
    """The constructors of each type or predicate that an `Inductive` declares."""
    found: dict[str, list[str]] = {}
    words = [token.text for token in sentence.tokens]
    if words[0] != "Inductive":
        return found
    depth, name = 0, ""
    for before, word in pairwise(words):
        depth += (before in _OPENING) - (before in _CLOSING)
        if depth == 0 and before in {"Inductive", "with"}:
            name = word
            found[name] = []
        elif depth == 0 and before in {":=", "|"} and _NAME.fullmatch(word):
            found[name].append(word)
    return found


_NAME = re.compile(r"[^\W\d][\w']*")
_OPENING = {"(", "[", "{"}
_CLOSING = {")", "]", "}"}


def ascription(name: str, module: str, context: RocqContext) -> str:
    """`spec` of a module under the signature's type."""
    signature = context.signature
    return f"Definition {name} : forall {signature.binders}, {signature.result} := {module}.spec."
