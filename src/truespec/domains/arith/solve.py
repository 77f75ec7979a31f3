"""Questions to solvers about one context."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import z3

from truespec.domains.arith.context import Context
from truespec.domains.arith.numbers import Number, exact
from truespec.domains.arith.points import Scope, Values
from truespec.domains.arith.smt import Compiler
from truespec.domains.arith.terms import Term
from truespec.solvers import cvc5
from truespec.solvers import z3 as boundary
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome


class Query:
    """The constraints of a context as solver terms, and what may be asked beside them."""

    def __init__(
        self, context: Context, scope: Scope, oracle: Term | None = None, candidate: Term | None = None
    ) -> None:
        self.context = context
        self.scope = scope
        self.oracle = oracle
        self.candidate = candidate
        self._z3 = z3.Context()  # its own: what Z3 does depends on nothing that was asked before
        self.compiler = Compiler(context.variables, scope.forms, context=self._z3)
        self.constraints = [self.compiler.holds(term) for term in context.constraints]

    def difference(self) -> list[Any]:
        """Where the two specifications differ."""
        assert self.oracle is not None
        assert self.candidate is not None
        return [self.compiler.differ(self.oracle, self.candidate)]

    def only(self, a: Term, b: Term) -> list[Any]:
        """Where the first condition holds and the second does not."""
        return [self.compiler.holds(a), z3.Not(self.compiler.holds(b))]

    def check(self, question: list[Any], limit: Limit) -> tuple[Outcome, Values | None]:
        """What Z3 says, with a legal point where its model is rational and satisfies the constraints."""
        return self._checked(self._solver(question), limit)

    def check_case(
        self, question: list[Any], name: str, value: Number, limit: Limit
    ) -> tuple[Outcome, Values | None]:
        """The same where the variable has this value, which is put in wherever the variable stands."""
        symbol = self.compiler.symbols[name]
        whole = z3.is_int(symbol)
        constant = z3.IntVal(value, self._z3) if whole else z3.RealVal(str(value), self._z3)
        solver = z3.Solver(ctx=self._z3)
        for term in (*self.constraints, *question, *self.compiler.side):
            solver.add(z3.simplify(z3.substitute(term, (symbol, constant))))
        solver.add(symbol == constant)
        return self._checked(solver, limit)

    def _checked(self, solver: Any, limit: Limit) -> tuple[Outcome, Values | None]:
        outcome = boundary.check(solver, limit)
        if outcome is not Outcome.SAT:
            return outcome, None
        values = self._values(solver.model())
        if values is None or not self.scope.legal(*values):
            return Outcome.UNKNOWN, None
        self.scope.add(values)
        return outcome, values

    def check_with_cvc5(self, question: list[Any], limit: Limit) -> Outcome:
        """What cvc5 says of the same question."""
        return cvc5.check(self._solver(question).to_smt2(), limit)

    def _solver(self, question: list[Any]) -> Any:
        solver = z3.Solver(ctx=self._z3)
        for term in (*self.constraints, *question, *self.compiler.side):
            solver.add(term)
        return solver

    def _values(self, model: Any) -> Values | None:
        values: list[Number] = []
        for name in self.scope.names:
            value = model.eval(self.compiler.symbols[name], model_completion=True)
            if z3.is_int_value(value):
                values.append(value.as_long())
            elif z3.is_rational_value(value):
                values.append(exact(Fraction(value.numerator_as_long(), value.denominator_as_long())))
            else:
                return None
        return tuple(values)
