"""What every domain does. The driver (`verify.py`) turns what a domain raises into verdicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Generic, TypeVar

from truespec.solvers.limit import Limit
from truespec.verdict import Counterexample, Verdict

RawContext = Mapping[str, object]
"""The `context` of a pair record, as read from JSON."""

Context = TypeVar("Context")
Spec = TypeVar("Spec")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program or library that a domain uses, for `truespec doctor`."""

    name: str
    """What people call it, e.g. `cvc5`."""
    probe: str
    """How to find its version: `module:z3`, `distribution:z3-solver`, `command:coqc --version` or
    `function:PATH`, a function that returns it or None."""
    needed_for: str
    """What is lost without it, in one sentence."""
    install: str
    """The command that installs it."""
    optional: bool = True
    """Whether the domain decides pairs without it."""


class RecheckStatus(Enum):
    """What re-checking a verdict found."""

    CONFIRMED = "confirmed"
    """Independent code came to the same conclusion."""
    FAILED = "failed"
    """Independent code contradicts the verdict: a bug of ours."""
    NO_CERTIFICATE = "no_certificate"
    """The verdict carries nothing to check, and says so."""
    UNDECIDED = "undecided"
    """The checker reached a limit or lacks a tool; the detail says which."""


@dataclass(frozen=True, slots=True)
class Recheck:
    """The outcome of re-checking one verdict."""

    status: RecheckStatus
    """What was found."""
    by: str
    """The code that checked, e.g. `Python re 3.11` or `cvc5 1.2`."""
    detail: str = ""
    """What failed or what is missing."""


@dataclass(frozen=True, slots=True)
class Implication:
    """Whether one specification implies another, established with evidence that independent code checked."""

    holds: bool | None
    """Null where it could not be established."""
    by: str
    """The code that checked the evidence."""
    detail: str = ""
    """Where it does not hold, what shows it; where it is open, why."""


class Domain(ABC, Generic[Context, Spec]):
    """A specification language with its verifier.

    Every method may raise the errors of `truespec.verdict.errors`; texts are untrusted, so a method must
    never evaluate them, touch files or open connections on their behalf.
    """

    name: ClassVar[str]
    """The domain's name in records."""
    has_relation: ClassVar[bool]
    """Whether specifications are ordered by implication, so that a refuted candidate has a relation."""
    rechecks_relation: ClassVar[bool] = False
    """Whether `recheck` establishes a verdict's relation again itself; otherwise `implies` does."""
    tools: ClassVar[tuple[Tool, ...]] = ()
    """What the domain uses."""

    def warm_up(self) -> None:
        """Import libraries and build tables; called once per worker, charged to no pair."""
        return

    def set_up(self, raw: RawContext) -> None:
        """Start what a pair with this context needs, where it does not run; charged to no pair.

        `verify_pair` calls it before the limit starts. The context is not checked yet. What is missing is
        for `read_context` and `decide` to say.
        """
        return

    def is_set_up(self, raw: RawContext) -> bool:
        """Whether `set_up` has nothing left to start for this context; asked before every job of a worker."""
        return True

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """What a verdict depends on besides the texts: versions of tables, engines and provers, by name.

        Cheap, without starting anything: every verdict records it, and the ledger's key holds it.
        """
        return {}

    def assumed(self, raw: RawContext) -> Mapping[str, str]:
        """The fields that the context leaves out and that can change an answer, each with the value taken.

        Cheap, like `environment`: the verdict's `notes` hold them under `assumed`.
        """
        return {}

    @abstractmethod
    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """Check the context and complete it from the oracle; `OracleError` names the field that is wrong."""

    @abstractmethod
    def parse(self, text: str, context: Context) -> Spec:
        """Read a specification; `SpecificationError` or `Unsupported` names the construct and its place."""

    @abstractmethod
    def decide(self, oracle: Spec, candidate: Spec, context: Context, limit: Limit) -> Verdict:
        """Compare the two; raises `Undecided`, or `OracleError` for contradictory constraints."""

    @abstractmethod
    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Check a decided verdict with code that shares nothing with the code that found it.

        A counterexample is replayed by other semantics than those of the finder; a certificate is followed
        by a checker of its own.
        """

    def conjunction(self, first: str, second: str, raw: RawContext) -> str | None:
        """A text that holds where `first` holds and then `second` does; None where the language has none."""
        return None

    def implies(self, premise: str, conclusion: str, raw: RawContext, limit: Limit) -> Implication:
        """Whether one text implies another: the premise is equal to the conjunction of the two.

        The pair is decided as any other, and its evidence re-checked. `raw` is a fixed context.
        """
        both = self.conjunction(premise, conclusion, raw)
        if both is None:
            return Implication(None, self.name, "the language has no conjunction")
        context = self.read_context(raw, premise)
        parsed = (self.parse(premise, context), self.parse(both, context))
        verdict = self.decide(*parsed, context, limit.portion(0.5))
        checked = self.recheck(premise, both, raw, verdict, limit)
        if checked.status is not RecheckStatus.CONFIRMED:
            return Implication(None, checked.by, checked.detail)
        if isinstance(verdict.evidence, Counterexample):
            return Implication(False, checked.by, f"the premise holds alone at {verdict.evidence.point}")
        return Implication(True, checked.by)

    @abstractmethod
    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context completed so that it no longer depends on which side is the oracle."""

    @abstractmethod
    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """Single-point changes of a specification, each a text of the language, in a fixed order.

        They serve the conformance tests, the benchmarks and the generator of labelled candidates; a mutant
        may happen to mean the same as the original.
        """

    @abstractmethod
    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """Texts that mean the same as `text` by a law of the language, in a fixed order."""
