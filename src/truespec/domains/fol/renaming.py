"""Renamings of predicates and constants, and the search for one that makes two formulas equivalent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truespec.domains.fol.syntax import Atom, Equal, Formula, Term, children, with_children
from truespec.verdict import JSON


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
