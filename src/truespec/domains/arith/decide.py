"""From two terms to a verdict, the cheapest sound route first.

1. One term: equal by reflexivity.
2. A few legal points, most of them kept from earlier pairs of the same context: a difference refutes.
3. Normal forms: equal forms with equal obligations prove. Then more legal points.
4. Z3, briefly: a model refutes, its absence proves.
5. Normal forms, then Z3, for each value of a variable that has few; enumeration of a small scope.
6. Many more legal points, Z3 for longer, cvc5.

Nothing is called equivalent before a legal point is known: contradictory constraints make an unusable oracle.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.choices import literals, simplicity
from truespec.domains.arith.context import Context
from truespec.domains.arith.evaluate import compiled
from truespec.domains.arith.facts import normaliser
from truespec.domains.arith.normal import Logical, Normal, Normaliser
from truespec.domains.arith.numbers import Number, TooLarge, Undefined, exact, show
from truespec.domains.arith.points import Scope, Values, enumerate_points
from truespec.domains.arith.replay import BY, CannotReplay, Exact, replay
from truespec.domains.arith.terms import Term, variables
from truespec.solvers import cvc5
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import (
    JSON,
    Counterexample,
    Incomplete,
    OracleError,
    OutOfTime,
    Proof,
    Relation,
    ToolMissing,
    Undecided,
    Unsupported,
    Verdict,
    equivalent,
    refuted,
)

GLANCE = 10
"""Legal points looked for first: most wrong candidates differ at the first few."""
SAMPLE = 64
"""Legal points looked for before a solver is asked."""
DEEP_SAMPLE = 600
"""Legal points looked for where a first question to Z3 decides nothing."""
CONTRADICTORY = "the constraints contradict each other: no point satisfies all of them"
MAX_CASES = 16
"""A variable of more values is not split into cases of normal forms."""
MAX_QUESTIONS = 64
"""A variable of more values is not split into questions to Z3; its values make divisors constant."""
MAX_ENUMERATED = 400_000
"""Larger scopes are not enumerated."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A specification: its text and its term."""

    text: str
    """As written."""
    term: Term
    """As typed and folded."""


@dataclass
class Comparison:
    """One pair under decision."""

    oracle: Spec
    candidate: Spec
    context: Context
    scope: Scope
    limit: Limit
    notes: list[str] = field(default_factory=list)
    """Why the routes tried so far did not decide."""
    lacks_tool: bool = False
    """Whether a route was not tried because its tool is not installed."""
    query: Any = None
    """The question to solvers, once it was put."""
    functions: tuple[Callable[..., Any], Callable[..., Any]] = field(init=False)

    def __post_init__(self) -> None:
        names = self.scope.names
        self.functions = compiled(self.oracle.term, names), compiled(self.candidate.term, names)

    # --- the routes -----------------------------------------------------------------------------------

    def decide(self) -> Verdict:
        """The verdict; `Undecided` where every route gave up, `OracleError` for contradictory constraints."""
        if self.scope.satisfiable is False:
            raise OracleError(CONTRADICTORY)
        if self.oracle.term is self.candidate.term:
            return self._proved("identity", ("the parser",))
        found = self._best(self.scope.sample(GLANCE, self.limit.portion(0.3), effort=4_000))
        if found is not None:
            return self._refuted("sampling", found)
        if self._same_form():
            return self._proved("normal form", ("the normal form of rational functions",))
        points = self.scope.sample(SAMPLE, self.limit.portion(0.3))
        found = self._best((*points, *self._near(points)))
        if found is not None:
            return self._refuted("sampling", found)
        verdict = self._solve(0.1)
        if verdict is not None:
            return verdict
        if self._same_form_by_cases():
            return self._proved("normal form, case by case", ("the normal form of rational functions",))
        verdict = self._solve_by_cases()
        if verdict is not None:
            return verdict
        size = self.scope.size()
        if size is not None and size <= MAX_ENUMERATED:
            verdict = self._enumerate()
            if verdict is not None:
                return verdict
        points = self.scope.sample(DEEP_SAMPLE, self.limit.portion(0.4), effort=150_000)
        found = self._best(points)
        if found is not None:
            return self._refuted("sampling", found)
        verdict = self._solve(0.5) or self._ask_cvc5()
        if verdict is not None:
            return verdict
        self.limit.check()
        # A tool that is missing might have decided: that is another reason than having given up.
        stopped = ToolMissing if self.lacks_tool else Incomplete
        raise stopped("; ".join(["no route decides this pair", *self.notes]))

    def _near(self, points: Sequence[Values]) -> Iterator[Values]:
        """Legal points beside the constants of the two specifications."""
        if all(choices.complete for choices in self.scope.choices.values()):
            return
        values = {
            exact(x + d) for x in literals((self.oracle.term, self.candidate.term))[:40] for d in (0, 1, -1)
        }
        for point in points[:4]:
            for position, name in enumerate(self.scope.names):
                integer = self.context.variables[name] == "int"
                for value in values:
                    if integer and not isinstance(value, int):
                        continue
                    moved = self._rebuilt((*point[:position], value, *point[position + 1 :]))
                    if moved is not None:
                        yield moved

    def _same_form(self) -> bool:
        self.scope.forms.limit = self.limit
        return same_form(self.scope.forms, self.oracle.term, self.candidate.term)

    def _same_form_by_cases(self) -> bool:
        """Whether the forms agree for each value of one variable that has few."""
        arena = self.context.arena
        part = self.limit.portion(0.4)
        names = variables(self.oracle.term, self.candidate.term)
        few = [name for name in names if self.scope.choices[name].complete]
        for name in sorted(few, key=lambda name: len(self.scope.choices[name].values)):
            values = self.scope.choices[name].values
            if len(values) > MAX_CASES:
                break
            variable = arena.make("var", (), name, integral=self.context.variables[name] == "int")
            for value in values:
                if part.elapsed() > part.seconds:
                    return False
                case = arena.make("==", (variable, arena.constant(value)))
                forms = normaliser(self.context.variables, (case, *self.context.constraints))
                if not same_form(forms, self.oracle.term, self.candidate.term):
                    break
            else:
                return True
        return False

    def _query(self) -> Any:
        from truespec.domains.arith import solve

        if self.query is None:
            self.query = solve.Query(self.context, self.scope, self.oracle.term, self.candidate.term)
        return self.query

    def _solve(self, fraction: float) -> Verdict | None:
        """What Z3 concludes in a fraction of the time that is left."""
        from truespec.solvers.z3 import version

        try:
            query = self._query()
            outcome, point = query.check(query.difference(), self.limit.portion(fraction))
        except Unsupported as error:
            self.notes.append(str(error))
            return None
        if outcome is Outcome.UNSAT:
            return self._proved("unsatisfiable difference", (version(), "the translation to SMT"))
        if point is not None and self._differs(point):
            return self._refuted("z3", point)
        return None

    def _solve_by_cases(self) -> Verdict | None:
        """What Z3 concludes for each value of one variable that has few."""
        from truespec.solvers.z3 import version

        names = variables(self.oracle.term, self.candidate.term)
        few = {name: self.scope.choices[name].values for name in names if self.scope.choices[name].complete}
        part = self.limit.portion(0.4)
        for name, values in sorted(few.items(), key=lambda item: len(item[1])):
            if len(values) > MAX_QUESTIONS or self.query is None:
                return None
            for value in values:
                if part.elapsed() > part.seconds:
                    return None
                try:
                    outcome, point = self.query.check_case(self.query.difference(), name, value, part)
                except OutOfTime:
                    self.limit.check()
                    return None
                if point is not None and self._differs(point):
                    return self._refuted("z3, case by case", point)
                if outcome is not Outcome.UNSAT:
                    break
            else:
                trusts = (version(), "the translation to SMT")
                return self._proved("unsatisfiable difference, case by case", trusts)
        return None

    def _ask_cvc5(self) -> Verdict | None:
        if self.query is None:
            return None
        try:
            outcome = self.query.check_with_cvc5(self.query.difference(), self.limit)
        except ToolMissing as error:
            self.lacks_tool = True
            self.notes.append(str(error))
            return None
        if outcome is Outcome.UNSAT:
            return self._proved("unsatisfiable difference", (cvc5.version(), "the translation to SMT"))
        return None

    def _enumerate(self) -> Verdict | None:
        """The verdict of every legal point; None where time does not suffice."""
        some = False
        try:
            for values in enumerate_points(self.scope, self.limit.portion(0.5)):
                some = True
                a, b = (function(*values) for function in self.functions)  # TooLarge proves nothing
                if a is not b and (isinstance(a, Undefined) or isinstance(b, Undefined) or a != b):
                    return self._refuted("enumeration", values)
        except TooLarge as error:
            self.notes.append(str(error))
            return None
        except OutOfTime:
            self.limit.check()
            return None
        self.scope.satisfiable = some
        return self._proved("enumeration of every legal point", ("the evaluator",))

    # --- conclusions ----------------------------------------------------------------------------------

    def _proved(self, by: str, trusts: tuple[str, ...]) -> Verdict:
        ensure_satisfiable(self.scope, self.limit)
        trusts = (*trusts, "the exact semantics of truespec.domains.arith.semantics")
        return equivalent("arith", by, Proof(by, trusts))

    def _refuted(self, method: str, values: Values) -> Verdict:
        values = self._shrunk(values)
        point = dict(zip(self.scope.names, values, strict=True))
        texts = (self.oracle.text, self.candidate.text)
        try:
            for text in self.context.texts:
                if replay(text, point) is not True:
                    raise Incomplete(
                        f"the replay of {point} does not satisfy {text!r}; please report this pair"
                    )
            left, right = (replay(text, point) for text in texts)
        except CannotReplay as error:
            raise Incomplete(f"a difference at {shown(point)} could not be replayed: {error}") from error
        if left == right and type(left) is type(right):
            raise Incomplete(f"the replay sees no difference at {shown(point)}; please report this pair")
        counterexample = Counterexample(shown(point), written(left), written(right), BY)
        return refuted("arith", method, counterexample, self._relation(values))

    def _relation(self, values: Values) -> Relation | None:
        if not self.oracle.term.boolean:
            return None
        try:
            return self._compare_truth([values, *self.scope.found])
        except Undecided:
            return None

    def _compare_truth(self, points: Iterable[Values]) -> Relation | None:
        """Which implies which, where a specification holds if it is defined and true."""
        only_oracle = only_candidate = False
        for values in points:
            self.limit.check()
            try:
                left, right = (function(*values) is True for function in self.functions)
            except TooLarge:
                continue
            only_oracle |= left and not right
            only_candidate |= right and not left
        if not (only_oracle and only_candidate):
            from truespec.domains.arith import solve
            from truespec.solvers.outcome import Outcome

            query = solve.Query(self.context, self.scope, self.oracle.term, self.candidate.term)
            part = self.limit.portion(0.7)
            for known, a, b in (
                (only_oracle, self.oracle.term, self.candidate.term),
                (only_candidate, self.candidate.term, self.oracle.term),
            ):
                if known:
                    continue
                outcome, point = query.check(query.only(a, b), part)
                if outcome is Outcome.UNSAT:
                    continue
                if point is None:
                    return None
                if a is self.oracle.term:
                    only_oracle = True
                else:
                    only_candidate = True
        match only_oracle, only_candidate:
            case True, True:
                return Relation.INCOMPARABLE
            case True, False:
                return Relation.STRONGER
            case False, True:
                return Relation.WEAKER
        return None

    # --- points ---------------------------------------------------------------------------------------

    def _differs(self, values: Values) -> bool:
        try:
            a, b = (function(*values) for function in self.functions)
            if isinstance(a, Undefined) or isinstance(b, Undefined):
                return a is not b
            return bool(a != b) and len(show(a)) + len(show(b)) > 0
        except TooLarge:
            return False

    def _best(self, points: Iterable[Values]) -> Values | None:
        differing: list[Values] = []
        for values in points:
            if self._differs(values):
                differing.append(values)
            if self.limit.elapsed() > (0.4 if differing else 0.8) * self.limit.seconds:
                break
        return min(differing, key=_weight, default=None)

    def _rebuilt(self, values: Values) -> Values | None:
        """The point with determined variables computed anew, if it is legal."""
        rebuilt = self.scope.completed(values)
        return rebuilt if rebuilt is not None and self.scope.legal(*rebuilt) else None

    def _shrunk(self, values: Values) -> Values:
        """A simpler point that still differs: each variable in turn takes the simplest value that works."""
        budget = 400
        for _ in range(3):
            before = values
            for position, name in enumerate(self.scope.names):
                for value in self.scope.choices[name].values[:60]:
                    late = budget == 0 or self.limit.elapsed() > 0.6 * self.limit.seconds
                    if late or simplicity(value) >= simplicity(values[position]):
                        break
                    budget -= 1
                    moved = self._rebuilt((*values[:position], value, *values[position + 1 :]))
                    if moved is not None and _weight(moved) < _weight(values) and self._differs(moved):
                        values = moved
                        break
            if values == before:
                break
        return values


def same_form(forms: Normaliser, oracle: Term, candidate: Term) -> bool:
    """Whether two terms have one normal form and one definedness."""
    try:
        left, right = forms.normal(oracle), forms.normal(candidate)
        if left.needs != right.needs:
            return False
        if isinstance(left, Normal) and isinstance(right, Normal):
            return poly.same(left.value, right.value)
    except Incomplete:
        return False
    assert isinstance(left, Logical)
    assert isinstance(right, Logical)
    return left.value == right.value


def ensure_satisfiable(scope: Scope, limit: Limit) -> None:
    """Return where a legal point is known; `OracleError` where there is none, else `Incomplete`."""
    if scope.satisfiable is None:
        scope.sample(1, limit.portion(0.5), effort=200_000)
    if scope.satisfiable is None:
        from truespec.domains.arith import solve
        from truespec.solvers.outcome import Outcome

        try:
            query = solve.Query(scope.context, scope)
            outcome, point = query.check([], limit.portion(0.5))
        except Unsupported:
            outcome, point = Outcome.UNKNOWN, None
        if outcome is Outcome.UNSAT:
            scope.satisfiable = False
        elif point is not None:
            scope.satisfiable = True
    size = scope.size()
    if scope.satisfiable is None and size is not None and size <= MAX_ENUMERATED * 5:
        with contextlib.suppress(TooLarge):
            scope.satisfiable = next(enumerate_points(scope, limit.portion(0.8)), None) is not None
    if scope.satisfiable is False:
        raise OracleError(CONTRADICTORY)
    if scope.satisfiable is None:
        raise Incomplete(
            "no point that satisfies the constraints was found, and none was proved not to exist"
        )


def shown(point: dict[str, Number]) -> dict[str, JSON]:
    """A point as JSON: integers as numbers while every reader is exact, other values as `p/q`."""
    return {
        name: value if isinstance(value, int) and abs(value) < 2**53 else str(value)
        for name, value in point.items()
    }


def written(value: Exact) -> str:
    """A value as verdicts show it: exact, or `undefined`."""
    return "undefined" if value is None else str(value)


def _weight(values: Values) -> tuple[int, int, int]:
    return (
        sum(value.denominator for value in values),
        sum(len(str(value)) for value in values),
        sum(abs(value.numerator) for value in values),
    )
