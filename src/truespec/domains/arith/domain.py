"""The arithmetic domain as the driver sees it."""

from __future__ import annotations

import contextlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from truespec.domains.arith import recheck as rechecks
from truespec.domains.arith import vary
from truespec.domains.arith.context import Context, read_context
from truespec.domains.arith.decide import Comparison, Spec, ensure_satisfiable
from truespec.domains.arith.lower import lower
from truespec.domains.arith.points import Scope, scope
from truespec.domains.arith.syntax import read
from truespec.domains.arith.terms import Term
from truespec.domains.contract import Domain, RawContext, Recheck, Tool
from truespec.solvers.limit import Limit
from truespec.solvers.versions import version_of
from truespec.verdict import ReasonCode, SpecificationError, Undecided, Verdict

MAX_SCOPES = 64
"""Contexts remembered by a worker: pairs of one task share their legal points and facts."""
SATISFIABLE_SECONDS = 1.0
"""What a look for contradictory constraints beside a malformed candidate may take."""
MAX_TERMS = 60_000
"""A context that has grown larger is forgotten."""


class Arithmetic(Domain[Context, Spec]):
    """Numeric and Boolean expressions over integer and rational variables, under public constraints."""

    name: ClassVar[str] = "arith"
    has_relation: ClassVar[bool] = True
    tools: ClassVar[tuple[Tool, ...]] = (
        Tool(
            "Z3",
            "distribution:z3-solver",
            "proofs beyond normal forms",
            "pip install z3-solver",
            optional=False,
        ),
        Tool(
            "cvc5",
            "distribution:cvc5",
            "proofs where Z3 gives up, and independent re-checks",
            "pip install cvc5",
        ),
    )

    def __init__(self) -> None:
        self._contexts: OrderedDict[str, Context] = OrderedDict()

    def warm_up(self) -> None:
        """Import Z3 and run each route once."""
        context = self.read_context({"variables": {"x": {"type": "int"}}, "constraints": ["x > 0"]}, "x")
        limit = Limit.start(10)
        for oracle, candidate in (("x", "x + 1 - 1"), ("x", "x + 1"), ("x", "max(x, 1)")):
            self.decide(self.parse(oracle, context), self.parse(candidate, context), context, limit)
        from truespec.domains.arith.solve import Query

        query = Query(context, _scope(context))
        query.check([], limit)

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """The solvers that proofs rest on; one that is missing leaves pairs open."""
        return {"z3": version_of("z3-solver"), "cvc5": version_of("cvc5")}

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """The variables and constraints, with the oracle's type."""
        context = self._remembered(raw)
        try:
            boolean: bool | None = self._read(oracle, context).boolean
        except SpecificationError:
            raise
        except Undecided:
            boolean = None
        return replace(context, boolean=boolean)

    def parse(self, text: str, context: Context) -> Spec:
        """The specification; it has the oracle's type."""
        try:
            spec = self._typed(text, context)
        except SpecificationError:
            # Contradictory constraints blame nobody's candidate, not even a malformed one.
            if context.constraints:
                with contextlib.suppress(Undecided):
                    ensure_satisfiable(_scope(context), Limit.start(SATISFIABLE_SECONDS))
            raise
        return spec

    def _typed(self, text: str, context: Context) -> Spec:
        spec = Spec(text, self._read(text, context))
        if context.boolean is not None and spec.term.boolean != context.boolean:
            seen, wanted = ("a condition", "a number") if spec.term.boolean else ("a number", "a condition")
            raise SpecificationError(ReasonCode.TYPE, f"the specification is {seen}; the oracle is {wanted}")
        return spec

    def decide(self, oracle: Spec, candidate: Spec, context: Context, limit: Limit) -> Verdict:
        """Compare the two at every legal point."""
        return Comparison(oracle, candidate, context, _scope(context), limit).decide()

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Replay the counterexample, or prove the pair again with another translation and another solver."""
        return rechecks.recheck(oracle, candidate, raw, verdict, limit)

    def conjunction(self, first: str, second: str, raw: RawContext) -> str | None:
        """Both, the first one first; each on lines of its own, for a comment that ends it."""
        return f"(\n{first}\n) and (\n{second}\n)"

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context itself: nothing is read off the oracle but its type."""
        return raw

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """Single-point changes that still type-check."""
        context = self.read_context(raw, text)
        for mutant in vary.mutants(read(text), context.variables):
            if self._fits(mutant, context):
                yield mutant

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """The same meaning, commuted, distributed and behind conditionals."""
        context = self.read_context(raw, text)
        for rewriting in vary.rewritings(read(text), context.variables):
            if self._fits(rewriting, context):
                yield rewriting

    def _fits(self, text: str, context: Context) -> bool:
        try:
            self.parse(text, context)
        except (SpecificationError, Undecided):
            return False
        return True

    def _read(self, text: str, context: Context) -> Term:
        term = context.parsed.get(text)
        if term is None:
            term = lower(read(text), context.variables, context.arena)
            if len(text) < 2_000:
                context.parsed[text] = term
        return term

    def _remembered(self, raw: RawContext) -> Context:
        try:
            key = json.dumps(raw, sort_keys=True)
        except (TypeError, ValueError):
            return read_context(raw)
        known = self._contexts.get(key)
        if known is not None and len(known.arena.terms) <= MAX_TERMS:
            self._contexts.move_to_end(key)
            return known
        context = read_context(raw)
        self._contexts[key] = context
        if len(self._contexts) > MAX_SCOPES:
            self._contexts.popitem(last=False)
        return context


def _scope(context: Context) -> Scope:
    """The scope of a context, kept with it."""
    if not context.memo:
        context.memo.append(scope(context))
    made = context.memo[0]
    assert isinstance(made, Scope)
    return made
