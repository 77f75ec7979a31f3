"""A model of one given size, by grounding the sentences to propositional logic for Z3."""

from __future__ import annotations

from itertools import product

import z3

from truespec.domains.fol.model import Model, element_names
from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Some,
    Term,
    constants,
    predicates,
)
from truespec.solvers import z3 as boundary
from truespec.solvers.limit import Limit

MAX_NODES = 100_000
"""A grounding beyond this size is not built."""


class TooLarge(Exception):
    """The grounding would exceed `MAX_NODES`."""


def search(sentences: list[Formula], size: int, limit: Limit) -> Model | boundary.Outcome:
    """A model with exactly `size` elements; `UNSAT` if there is none, `UNKNOWN` if Z3 gave up.

    Raises `TooLarge` for a grounding that is too large and `OutOfTime` past the limit.
    """
    grounding = _Grounding(size, constants(*sentences), limit)
    texts = [grounding.text(sentence, {}) for sentence in sentences]
    lines = [f"(declare-fun {name} () Bool)" for name in grounding.atoms.values()]
    for row in grounding.points.values():
        lines += [f"(declare-fun {name} () Bool)" for name in row]
        lines.append(f"(assert (or {' '.join(row)}))")
        lines += [f"(assert (not (and {one} {two})))" for place, one in enumerate(row) for two in row[:place]]
    # Elements are interchangeable: the first constant denotes the first element, and so on.
    for number, row in enumerate(grounding.points.values()):
        lines += [f"(assert (not {name}))" for name in row[number + 1 :]]
    lines += [f"(assert {text})" for text in texts]
    solver = z3.SimpleSolver()
    solver.from_string("\n".join(lines))
    outcome = boundary.check(solver, limit)
    if outcome is not boundary.Outcome.SAT:
        return outcome
    found = solver.model()
    true = {str(symbol) for symbol in found.decls() if z3.is_true(found[symbol])}
    names = element_names(size)
    extensions: dict[str, set[tuple[str, ...]]] = {name: set() for name in predicates(*sentences)}
    for (predicate, elements), name in grounding.atoms.items():
        if name in true:
            extensions[predicate].add(tuple([names[element] for element in elements]))
    return Model(
        names,
        {
            constant: names[next((place for place, name in enumerate(row) if name in true), 0)]
            for constant, row in grounding.points.items()
        },
        {name: frozenset(rows) for name, rows in extensions.items()},
    )


class _Grounding:
    def __init__(self, size: int, names: list[str], limit: Limit) -> None:
        self.size = size
        self.limit = limit
        self.points = {
            name: [f"c{number}_{element}" for element in range(size)] for number, name in enumerate(names)
        }
        self.atoms: dict[tuple[str, tuple[int, ...]], str] = {}
        self.nodes = 0

    def text(self, formula: Formula, binding: dict[int, int]) -> str:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge
        if self.nodes & 1023 == 0:
            self.limit.check()
        if isinstance(formula, Atom):
            return self.located(formula.predicate, formula.terms, binding)
        if isinstance(formula, Equal):
            return self.same(formula.left, formula.right, binding)
        if isinstance(formula, Not):
            return f"(not {self.text(formula.body, binding)})"
        if isinstance(formula, Implies):
            return f"(=> {self.text(formula.left, binding)} {self.text(formula.right, binding)})"
        if isinstance(formula, All | Some):
            instances = []
            for element in range(self.size):
                binding[formula.variable] = element
                instances.append(self.text(formula.body, binding))
            return f"({'and' if isinstance(formula, All) else 'or'} {' '.join(instances)})"
        parts = [self.text(part, binding) for part in formula.parts]
        if isinstance(formula, And | Or):
            return f"({'and' if isinstance(formula, And) else 'or'} {' '.join(parts)})"
        operator = "=" if isinstance(formula, Iff) else "xor"
        result = parts[0]
        for part in parts[1:]:
            result = f"({operator} {result} {part})"
        return result

    def located(self, predicate: str, terms: tuple[Term, ...], binding: dict[int, int]) -> str:
        names = sorted({term for term in terms if isinstance(term, str)})
        if not names:
            row = tuple([binding[term] for term in terms if isinstance(term, int)])
            return self.atoms.setdefault((predicate, row), f"a{len(self.atoms)}")
        cases = []
        for elements in product(range(self.size), repeat=len(names)):
            self.nodes += 1 + len(names)
            if self.nodes > MAX_NODES:
                raise TooLarge
            chosen = dict(zip(names, elements))
            row = tuple([chosen[term] if isinstance(term, str) else binding[term] for term in terms])
            atom = self.atoms.setdefault((predicate, row), f"a{len(self.atoms)}")
            where = " ".join([self.points[name][element] for name, element in chosen.items()])
            cases.append(f"(and {where} {atom})")
        return f"(or {' '.join(cases)})"

    def same(self, left: Term, right: Term, binding: dict[int, int]) -> str:
        if isinstance(left, int) and isinstance(right, int):
            return "true" if binding[left] == binding[right] else "false"
        if isinstance(left, str) and isinstance(right, str):
            if left == right:
                return "true"
            pairs = zip(self.points[left], self.points[right])
            return f"(or {' '.join([f'(and {one} {two})' for one, two in pairs])})"
        if isinstance(left, int):
            left, right = right, left
        assert isinstance(left, str)
        assert isinstance(right, int)
        return self.points[left][binding[right]]
