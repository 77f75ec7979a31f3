"""The temporal domain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

from truespec.domains.contract import Domain, RawContext, Recheck, Tool
from truespec.domains.temporal import context as contexts
from truespec.domains.temporal import variants
from truespec.domains.temporal.context import Context
from truespec.domains.temporal.tokens import plain_name
from truespec.solvers.limit import Limit
from truespec.temporal.syntax import Formula, write, write_prefix
from truespec.verdict import Undecided, Verdict


class Temporal(Domain[Context, Formula]):
    """Linear temporal logic with past, on finite traces or on infinite words."""

    name: ClassVar[str] = "temporal"
    has_relation: ClassVar[bool] = True
    tools: ClassVar[tuple[Tool, ...]] = (
        Tool(
            "Z3",
            "distribution:z3-solver",
            "shortest lassos where enumeration ends, and following certificates",
            "pip install z3-solver",
            False,
        ),
        Tool(
            "MONA",
            "command:mona --version",
            "a second proof on finite traces where a certificate is too large",
            "apt-get install mona",
        ),
        Tool(
            "lbt",
            "function:truespec.domains.temporal.provers:lbt_version",
            "a second proof on infinite words without past where a certificate is too large",
            "apt-get install lbt",
        ),
    )

    def warm_up(self) -> None:
        """Decide small pairs of both logics, one of them with Z3."""
        for logic in ("ltlf", "ltl"):
            context = self.read_context({"logic": logic}, "a U b")
            texts = ("F G (a & X X b)", "F G (a & X X X b)")
            sides = [self.parse(text, context) for text in texts]
            with suppress(Undecided):
                self.decide(sides[0], sides[1], context, Limit.start(10.0))
        import z3

        z3.Solver().check()

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """The logic, the atoms, what holds of the words in scope, and the notation."""
        return contexts.read(raw, oracle)

    def parse(self, text: str, context: Context) -> Formula:
        """Read a formula over the atoms of the context."""
        return contexts.parse(text, context)

    def decide(self, oracle: Formula, candidate: Formula, context: Context, limit: Limit) -> Verdict:
        """Short words, normal forms, then automata on the fly."""
        from truespec.domains.temporal import decide

        return decide.decide(oracle, candidate, context, limit)

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Evaluate the word, or follow the certificate, with a second reader of the texts."""
        from truespec.domains.temporal import recheck

        return recheck.recheck(oracle, candidate, raw, verdict, limit)

    def conjunction(self, first: str, second: str, raw: RawContext) -> str | None:
        """Both formulas."""
        return f"& {first} {second}" if raw.get("syntax") == "prefix" else f"({first}) & ({second})"

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context with the atoms spelled out."""
        return {**raw, "atoms": list(contexts.read(raw, oracle).atoms)}

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """Slips in one place: operators, sides, missing parts, atoms, negations."""
        context = contexts.read(raw, text)
        formula = contexts.parse(text, context)
        for mutant in variants.mutants(formula, context.atoms, context.finite):
            yield _written(mutant, context)

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """The same by duality, unfolding and definitions."""
        context = contexts.read(raw, text)
        formula = contexts.parse(text, context)
        for other in variants.rewritings(formula, context.finite):
            yield _written(other, context)


def _written(formula: Formula, context: Context) -> str:
    if context.syntax == "prefix":
        return write_prefix(formula)
    return write(formula, lambda name: name if plain_name(name) else f'"{name}"')
