"""Proofs case by case: a rule splits the terms of either side, and the cases are compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.logic import Formula
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import key_cases, listed_groups, other_constants

Split = Callable[[World, Term], list[Term] | None]
"""A rule that splits a term into cases; None where it does not apply."""


class ByCases(ABC):
    """What a prover of one world does with rules that split terms."""

    world: World
    depth: int
    """How deep in aggregates the bags are that are compared."""
    steps: list[str]
    """The rules that proved something, in order."""

    @abstractmethod
    def tidy(self, bag: Bag) -> list[Term]:
        """The terms in normal form, without those that are plainly empty."""

    @abstractmethod
    def _possible(self, terms: list[Term], given: Formula) -> list[Term]:
        """The terms that are not proved empty."""

    @abstractmethod
    def _match(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Whether the terms are equal one by one."""

    @abstractmethod
    def _pointwise(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Whether terms over the same variables put out the same tuples for each choice of them."""

    @abstractmethod
    def _as_sets(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Whether the sides are the same sets."""

    def _by_cases(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Where the groups of one side hold listed values, term by term for each of them."""
        return self.depth == 0 and self._split(left, right, given, listed_groups.of, "listed_groups")

    def _by_constants(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Where one side puts out constants for a column of the other's groups, for each of them."""
        if self.depth > 0 or len(left) == len(right) == 1:
            return False
        pairs = []
        for mine, theirs in ((left, right), (right, left)):
            rule = partial(other_constants.of, others=theirs)
            pairs.append(self._possible(self._cases(mine, rule), given))
        first, rest = pairs[0], list(pairs[1])
        if len(first) != len(rest) or (len(first) == len(left) and len(rest) == len(right)):
            return False
        for term in first:
            same = (i for i, other in enumerate(rest) if self._match([term], [other], given))
            found = next(same, None)
            if found is None:
                found = next((i for i, o in enumerate(rest) if self._as_sets([term], [o], given)), None)
            if found is None:
                return False
            del rest[found]
        self.steps.append("other_constants")
        return True

    def _by_key_cases(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Where a row's key is one of several values, term by term for each of them."""
        return self._split(left, right, given, key_cases.of, "key_cases")

    def _split(self, left: list[Term], right: list[Term], given: Formula, rule: Split, name: str) -> bool:
        """Whether both sides are the same once a rule has split their terms into cases."""
        first, second = self._cases(left, rule), self._cases(right, rule)
        if len(first) == len(left) and len(second) == len(right):
            return False
        if self._match(first, second, given) or self._pointwise(first, second, given):
            self.steps.append(name)
            return True
        return False

    def _cases(self, terms: list[Term], rule: Split) -> list[Term]:
        """The terms, those that the rule splits by their cases."""
        done: list[Term] = []
        for term in terms:
            parts = rule(self.world, term)
            done += [term] if parts is None else self.tidy(Bag(tuple(parts)))
        return done
