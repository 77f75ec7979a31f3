"""The comparison of two formulas, from the cheapest procedure to the dearest.

1. Small models by the thousand (`simulate`): most differing pairs end here, in both directions.
2. A direction that showed no difference is proved by exhausting its Herbrand universe (`herbrand`), or
3. by Z3 with quantifiers, then, where Z3 finds no proof, sized models (`finite`) and the provers E and cvc5.

A difference is always a finite model, and counts only once `model.holds` has confirmed it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, islice

from truespec.domains.fol import canonical, finite, herbrand, prove, simulate
from truespec.domains.fol.context import Context
from truespec.domains.fol.model import REPLAY, Model, holds
from truespec.domains.fol.normal import negate
from truespec.domains.fol.syntax import Formula, constants, predicates, subformulas
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import (
    Bounded,
    Counterexample,
    Incomplete,
    OracleError,
    OutOfTime,
    Proof,
    ReasonCode,
    Relation,
    Undecided,
    Verdict,
    equivalent,
    refuted,
    unknown,
)

SIMULATED_SIZES = 3
"""Domains of up to so many elements are simulated."""
LARGE = 2_000
"""The relation of a refuted pair of more subformulas is left open where it takes a solver."""
SEARCHED_SIZES = 16
"""Domains of up to so many elements are searched one by one where Z3 finds no proof."""


Prover = Callable[[list[Formula], Limit], str | None]
"""A procedure that names itself where it proves that sentences have no model together."""


@dataclass(slots=True)
class Direction:
    """The question whether some model of the axioms satisfies `holding` and not `failing`."""

    sentences: list[Formula]
    """The axioms, the side that holds, and the negation of the side that fails."""
    model: Model | None = None
    """Such a model."""
    proof: str = ""
    """The method that showed that there is none."""
    empty_sizes: set[int] = field(default_factory=set)
    """Sizes at which there is none."""

    @property
    def open(self) -> bool:
        """Whether neither a model nor a proof was found yet."""
        return self.model is None and not self.proof


def compare(oracle: Formula, candidate: Formula, context: Context, limit: Limit) -> Verdict:
    """The verdict on two sentences of one signature; raises `OracleError` for contradictory axioms."""
    return Comparison(oracle, candidate, context, limit).verdict()


class Comparison:
    """One run of the procedures; the fields say what is known so far."""

    def __init__(self, oracle: Formula, candidate: Formula, context: Context, limit: Limit) -> None:
        self.oracle = oracle
        self.candidate = candidate
        self.context = context
        self.limit = limit
        # The replay, and the search for the smallest model, have a share of their own.
        self.work = limit.portion(0.9)
        axioms = list(context.axioms)
        self.lost = Direction([*axioms, oracle, negate(candidate)])
        self.added = Direction([*axioms, candidate, negate(oracle)])
        self.consistency = Direction(axioms)

    # -- the verdict ------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """Run the procedures until both directions are settled or time runs out."""
        stopped = None if self._identical() else self._run()
        if self.lost.model or self.added.model:
            return self._refuted()
        if self.consistency.proof:
            raise OracleError(f"the axioms contradict each other ({self.consistency.proof})")
        if self.lost.open or self.added.open:
            return self._undecided(stopped)
        if self.context.axioms and self.consistency.model is None:
            raise stopped or Incomplete(
                "equivalent under the axioms, which may contradict each other: no model of them was found"
            )
        return self._equivalent()

    def _identical(self) -> bool:
        """Settle a pair of the same formula; bound variables have the same numbers already."""
        if self.oracle != self.candidate or self.context.axioms:
            return False
        self.lost.proof = self.added.proof = IDENTICAL
        return True

    def _run(self) -> Undecided | None:
        """What stopped the procedures before all was settled, if anything did."""
        try:
            self._simulate()
            for direction, other in ((self.lost, self.added), (self.added, self.lost)):
                if other.model:
                    # The answer stands; the relation must not put it at risk.
                    self.work = self.limit.portion(0.5)
                    if self._is_large():
                        continue
                self._settle(direction)
            if self.context.axioms and not (self.lost.model or self.added.model):
                self._settle(self.consistency)
        except Undecided as error:
            return error
        return None

    def _is_large(self) -> bool:
        count = islice(chain(*map(subformulas, (self.oracle, self.candidate))), LARGE + 1)
        return sum(1 for _ in count) > LARGE

    def _undecided(self, stopped: Undecided | None) -> Verdict:
        sizes = set.intersection(*(one.empty_sizes for one in (self.lost, self.added) if one.open))
        bound = next(size for size in range(1, len(sizes) + 2) if size not in sizes) - 1
        if isinstance(stopped, OutOfTime):
            detail = f"no decision within {self.limit.seconds:g} s"
        else:
            detail = str(stopped or "no prover finds a proof, and no small model tells the two apart")
        # A prover that is missing might have decided: that is another reason than having given up.
        missing = prove.missing()
        code = stopped.code if stopped else ReasonCode.UNAVAILABLE if missing else ReasonCode.INCOMPLETE
        detail = "; ".join((detail, *missing.values()))
        used = ["finite models", *(name for name in ("Z3", "E", "cvc5") if name not in missing)]
        if bound:
            detail += f"; the two agree in every model of up to {bound} elements"
        return unknown(
            "fol",
            code,
            detail,
            method=f"{', '.join(used[:-1])} and {used[-1]}",
            bounded=Bounded({"domain_size": bound}) if bound else None,
        )

    def _equivalent(self) -> Verdict:
        methods = list(dict.fromkeys((self.lost.proof, self.added.proof)))
        trusts = [TRUSTS.get(method, f"{method}, and the translation to it") for method in methods]
        proof = Proof(" and ".join(methods), ("the parser of truespec.domains.fol", *trusts))
        return equivalent("fol", methods[0] if len(methods) == 1 else "mixed", proof)

    def _refuted(self) -> Verdict:
        self._minimize()
        models = [one.model for one in (self.lost, self.added) if one.model]
        model = self._completed(min(models, key=lambda one: len(one.domain)))
        values = [holds(sentence, model, self.limit) for sentence in (self.oracle, self.candidate)]
        if values[0] == values[1] or not all(holds(one, model, self.limit) for one in self.context.axioms):
            raise AssertionError("a counterexample does not replay")
        relation = None
        if self.lost.model and self.added.model:
            relation = Relation.INCOMPARABLE
        elif self.lost.model and self.added.proof:
            relation = Relation.STRONGER
        elif self.added.model and self.lost.proof:
            relation = Relation.WEAKER
        point = Counterexample(model.to_json(), values[0], values[1], REPLAY)
        return refuted("fol", "finite model", point, relation)

    def _completed(self, model: Model) -> Model:
        """The model with the rest of the signature: empty predicates, constants at the first element."""
        return Model(
            model.domain,
            {name: model.constants.get(name, model.domain[0]) for name in self.context.constants},
            {name: model.predicates.get(name, frozenset()) for name in self.context.predicates},
        )

    # -- the procedures ---------------------------------------------------------------------------------

    def _simulate(self) -> None:
        sentences = [self.oracle, self.candidate, *self.context.axioms]
        names, points = predicates(*sentences), constants(*sentences)
        for size in range(1, SIMULATED_SIZES + 1):
            try:
                bits = sum(size**arity for arity in names.values()) + len(points) * (size - 1).bit_length()
            except OverflowError:
                return
            universe = simulate.Universe(size, tuple(points), bits)
            try:
                lanes = universe.full
                for axiom in self.context.axioms:
                    lanes &= universe.truth(axiom)
                    if not lanes:
                        break
                left = universe.truth(self.oracle) if lanes else 0
                right = universe.truth(self.candidate) if lanes else 0
            except simulate.TooLarge:
                return
            for direction, found in (
                (self.lost, lanes & left & ~right),
                (self.added, lanes & right & ~left),
                (self.consistency, lanes),
            ):
                if found and direction.model is None:
                    direction.model = universe.model(found, tuple(names))
                elif not found and universe.exhaustive:
                    direction.empty_sizes.add(size)
            if self.lost.model and self.added.model:
                return
            if size == 1 and not (self.lost.model or self.added.model):
                # Nothing at size 1: a proof is likely, and cheaper than larger sizes.
                for direction in (self.lost, self.added):
                    self._exhaust(direction)
                if self.lost.open and self.added.open and canonical.same(self.oracle, self.candidate):
                    self.lost.proof = self.added.proof = CANONICAL
                if not (self.lost.open or self.added.open) and self.consistency.model:
                    return
            self.work.check()

    def _exhaust(self, direction: Direction) -> None:
        if direction.open and herbrand.prove(direction.sentences):
            direction.proof = herbrand.TABLE

    def _exhaust_all(self, direction: Direction) -> None:
        if direction.open:
            found = herbrand.solve(direction.sentences, self.work.portion(0.3))
            if isinstance(found, Model):
                direction.model = found
            else:
                direction.proof = found or ""

    def _settle(self, direction: Direction) -> None:
        """Find a model or a proof, each procedure with a share of the time that is left."""
        if direction.open and not direction.sentences:
            direction.model = Model(("e1",), {}, {})
        self._exhaust_all(direction)
        self._try(prove.by_z3, direction, 0.25, 0.05)
        self._try(prove.by_e, direction, 0.25, 0.4)
        if direction.open:
            self._search_sizes(direction, self.work.portion(0.4))
        self._try(prove.by_e, direction, 0.4)
        self._try(prove.by_cvc5, direction, 0.4)
        self._try(prove.by_z3, direction, 0.95)

    def _try(self, prover: Prover, direction: Direction, share: float, seconds: float = float("inf")) -> None:
        """Give a prover a share of the time that is left, and no more than so many seconds."""
        if direction.open:
            seconds = min(seconds, share * self.work.remaining())
            limit = Limit(self.work.elapsed() + seconds, self.work.started)
            try:
                direction.proof = prover(direction.sentences, limit) or ""
            except OutOfTime:
                self.work.check()

    def _search_sizes(self, direction: Direction, limit: Limit) -> None:
        for size in range(1, SEARCHED_SIZES + 1):
            if size in direction.empty_sizes:
                continue
            try:
                found = finite.search(direction.sentences, size, limit)
            except finite.TooLarge:
                return
            except OutOfTime:
                self.work.check()
                return
            if isinstance(found, Model):
                direction.model = found
                return
            if found is Outcome.UNSAT:
                direction.empty_sizes.add(size)

    def _minimize(self) -> None:
        """Look for smaller differences at sizes that were only sampled."""
        least = min(len(one.model.domain) for one in (self.lost, self.added) if one.model)
        for size in range(1, least):
            for direction in (self.lost, self.added):
                if size in direction.empty_sizes or direction.proof:
                    continue
                try:
                    found = finite.search(direction.sentences, size, self.limit.portion(0.5))
                except (Undecided, finite.TooLarge):
                    return
                if isinstance(found, Model):
                    direction.model = found
                    return


IDENTICAL = "identity up to bound variables"
CANONICAL = "common normal form"
TRUSTS: dict[str, str] = {
    IDENTICAL: "that a formula is equivalent to itself",
    CANONICAL: "the laws of the normal form (truespec.domains.fol.canonical)",
    herbrand.TABLE: "negation normal form, miniscoping and Skolem constants (truespec.domains.fol.normal)",
}
"""What a reader must believe, for the methods of our own."""
