"""Finite models and what a formula says of one: the semantics of the language, written down plainly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truespec.domains.fol.syntax import All, And, Atom, Equal, Formula, Iff, Implies, Not, Or, Some, Term
from truespec.solvers.limit import Limit
from truespec.verdict import JSON

REPLAY = "Tarski's truth definition over the finite model (truespec.domains.fol.model)"
"""How evidence names this semantics."""


@dataclass(frozen=True, slots=True)
class Model:
    """A finite, non-empty structure."""

    domain: tuple[str, ...]
    """The elements."""
    constants: Mapping[str, str]
    """The element each constant denotes; two constants may denote the same."""
    predicates: Mapping[str, frozenset[tuple[str, ...]]]
    """The tuples of which each predicate holds."""

    def __post_init__(self) -> None:
        elements = set(self.domain)
        if not elements or len(elements) != len(self.domain):
            raise ValueError("a domain has at least one element, and each once")
        if not elements.issuperset(self.constants.values()):
            raise ValueError("every constant denotes an element of the domain")
        for name, rows in self.predicates.items():
            if not all(elements.issuperset(row) for row in rows):
                raise ValueError(f"the extension of {name!r} holds tuples of elements of the domain")

    def to_json(self) -> dict[str, JSON]:
        """The model as the verdict record writes it.

        >>> Model(("a",), {"anna": "a"}, {"P": frozenset({("a",)})}).to_json()
        {'domain': ['a'], 'constants': {'anna': 'a'}, 'predicates': {'P': [['a']]}}
        """
        rows: dict[str, JSON] = {
            name: [list(row) for row in sorted(found)] for name, found in self.predicates.items()
        }
        return {"domain": list(self.domain), "constants": dict(self.constants), "predicates": rows}


def element_names(count: int) -> tuple[str, ...]:
    """Names for the elements of a domain: e1, e2, ...; no source of ours uses them for constants."""
    return tuple(f"e{number}" for number in range(1, count + 1))


def holds(formula: Formula, model: Model, limit: Limit) -> bool:
    """Whether the sentence is true in the model, by Tarski's definition; `OutOfTime` past the limit."""
    return _Evaluation(model, limit).value(formula, {})


class _Evaluation:
    def __init__(self, model: Model, limit: Limit) -> None:
        self.model = model
        self.limit = limit
        self.steps = 0

    def term(self, term: Term, binding: dict[int, str]) -> str:
        return self.model.constants[term] if isinstance(term, str) else binding[term]

    def value(self, formula: Formula, binding: dict[int, str]) -> bool:
        self.steps += 1
        if self.steps & 1023 == 0:
            self.limit.check()
        if isinstance(formula, Atom):
            row = tuple([self.term(term, binding) for term in formula.terms])
            return row in self.model.predicates[formula.predicate]
        if isinstance(formula, Not):
            return not self.value(formula.body, binding)
        if isinstance(formula, And):
            return all(self.value(part, binding) for part in formula.parts)
        if isinstance(formula, Or):
            return any(self.value(part, binding) for part in formula.parts)
        if isinstance(formula, Implies):
            return not self.value(formula.left, binding) or self.value(formula.right, binding)
        if isinstance(formula, All | Some):
            wanted = isinstance(formula, Some)
            for element in self.model.domain:
                if self.value(formula.body, {**binding, formula.variable: element}) is wanted:
                    return wanted
            return not wanted
        if isinstance(formula, Equal):
            return self.term(formula.left, binding) == self.term(formula.right, binding)
        held = sum(self.value(part, binding) for part in formula.parts)
        if isinstance(formula, Iff):
            return (len(formula.parts) - held) % 2 == 0
        return held % 2 == 1
