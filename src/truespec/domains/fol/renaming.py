"""Renamings of predicates and constants, and the search for one that makes two formulas equivalent."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from truespec.domains.fol import simulate
from truespec.domains.fol.context import Context
from truespec.domains.fol.decide import compare
from truespec.domains.fol.syntax import (
    Atom,
    Equal,
    Formula,
    Term,
    children,
    constants,
    predicates,
    with_children,
)
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, Answer, Proof, Undecided

MAX_TRIES = 5_000
"""So many renamings are tried, the ones that change names least first."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names for predicates and constants; what is not named keeps its name."""

    predicates: Mapping[str, str]
    """Old name to new name."""
    constants: Mapping[str, str]
    """Old name to new name."""

    def apply(self, formula: Formula) -> Formula:
        """The formula with the new names."""
        if isinstance(formula, Atom):
            name = self.predicates.get(formula.predicate, formula.predicate)
            return Atom(name, tuple([self._term(term) for term in formula.terms]))
        if isinstance(formula, Equal):
            return Equal(self._term(formula.left), self._term(formula.right))
        return with_children(formula, tuple([self.apply(part) for part in children(formula)]))

    def _term(self, term: Term) -> Term:
        return self.constants.get(term, term) if isinstance(term, str) else term

    def to_json(self) -> dict[str, JSON]:
        """The renaming as evidence writes it."""
        return {"predicates": dict(self.predicates), "constants": dict(self.constants)}


def search(
    oracle: Formula, candidate: Formula, context: Context, limit: Limit
) -> tuple[Renaming, Proof] | None:
    """A renaming under which the candidate is equivalent to the oracle, with the proof; None if none is seen.

    Each predicate and constant of the candidate gets another name of the signature, of the same arity, and no
    two get the same. Not finding one means little: the search ends after `MAX_TRIES` and at the limit. The
    identity is left out; it is what the plain comparison is about.
    """
    axioms = list(context.axioms)
    filters = []
    for size in (1, 2):
        names = {**context.predicates, **predicates(oracle, *axioms)}
        points = tuple(dict.fromkeys((*context.constants, *constants(oracle, *axioms))))
        bits = sum(size ** min(arity, 64) for arity in names.values()) + len(points) * (size - 1)
        filters.append(simulate.Universe(size, points, bits))
    for renaming in _renamings(candidate, context):
        limit.check()
        renamed = renaming.apply(candidate)
        if any(_differ(universe, oracle, renamed, axioms) for universe in filters):
            continue
        try:
            verdict = compare(oracle, renamed, context, limit.portion(0.5))
        except Undecided:
            continue
        if verdict.answer is Answer.EQUIVALENT and isinstance(verdict.evidence, Proof):
            return renaming, verdict.evidence
    return None


def _differ(universe: simulate.Universe, oracle: Formula, candidate: Formula, axioms: list[Formula]) -> bool:
    try:
        universe.reset_budget()
        lanes = universe.full
        for axiom in axioms:
            lanes &= universe.truth(axiom)
        return bool(lanes & (universe.truth(oracle) ^ universe.truth(candidate)))
    except simulate.TooLarge:
        return False


def _renamings(candidate: Formula, context: Context) -> Iterator[Renaming]:
    """The injections into the signature, similar names first, at most `MAX_TRIES`."""
    used = predicates(candidate)
    slots: list[tuple[str, bool, list[str]]] = []
    for name, arity in used.items():
        targets = [other for other, count in context.predicates.items() if count == arity]
        slots.append((name, True, _by_likeness(name, targets)))
    slots += [(name, False, _by_likeness(name, list(context.constants))) for name in constants(candidate)]
    # The name with the fewest choices first.
    slots.sort(key=lambda slot: len(slot[2]))
    choices = _choices([targets for _, _, targets in slots], [kind for _, kind, _ in slots])
    for names in islice(choices, MAX_TRIES):
        renaming = Renaming(
            {name: new for (name, kind, _), new in zip(slots, names) if kind and name != new},
            {name: new for (name, kind, _), new in zip(slots, names) if not kind and name != new},
        )
        if renaming.predicates or renaming.constants:
            yield renaming


def _by_likeness(name: str, targets: list[str]) -> list[str]:
    def unlikeness(other: str) -> tuple[bool, float]:
        return other != name, -difflib.SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    return sorted(targets[:50], key=unlikeness)


def _choices(targets: list[list[str]], kinds: list[bool]) -> Iterator[list[str]]:
    """One target for each slot, no target twice within a kind; early targets first."""
    chosen: list[str] = []

    def extend() -> Iterator[list[str]]:
        place = len(chosen)
        if place == len(targets):
            yield list(chosen)
            return
        taken = {name for name, kind in zip(chosen, kinds) if kind is kinds[place]}
        for name in targets[place]:
            if name not in taken:
                chosen.append(name)
                yield from extend()
                chosen.pop()

    return extend()
