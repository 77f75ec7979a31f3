"""A proof or a model by exhausting the Herbrand universe, where there is a finite one."""

from __future__ import annotations

import z3

from truespec.domains.fol import normal
from truespec.domains.fol.model import Model, element_names
from truespec.domains.fol.simulate import table_column
from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Xor,
    constants,
    has_equality,
    predicates,
)
from truespec.solvers import z3 as boundary
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome

TABLE_ATOMS = 14
"""Up to so many ground atoms are decided by a truth table, more by Z3's propositional solver."""
STEPS = 20_000
"""So many ground subformulas are visited at most."""
TABLE = "Herbrand truth table"
"""How a proof by a truth table is named."""

GroundAtom = tuple[str, tuple[str, ...]]
"""A predicate and the constants it is applied to."""


def prove(sentences: list[Formula]) -> bool:
    """Whether a truth table shows that the sentences have no model together; false where none applies."""
    ground = _ground(sentences, TABLE_ATOMS)
    return ground is not None and not _table(*ground)


def solve(sentences: list[Formula], limit: Limit) -> Model | str | None:
    """A model over the constants, or the name of the method that shows that there is none at all.

    Sound and complete where it applies (see `normal`): Bernays-Schönfinkel sentences without equality have a
    model exactly if their ground instances over the constants (and Skolem constants) have one. None for other
    sentences, for groundings of more than `STEPS`, and where the solver gives up.
    """
    ground = _ground(sentences, STEPS)
    if ground is None:
        return None
    universal, grounding = ground
    if len(grounding.atoms) <= TABLE_ATOMS:
        lanes = _table(universal, grounding)
        if not lanes:
            return TABLE
        lane = (lanes & -lanes).bit_length() - 1
        true = [atom for number, atom in enumerate(grounding.atoms) if lane >> number & 1]
        return _model(true, grounding.universe, sentences)
    lines = [f"(declare-fun a{number} () Bool)" for number in range(len(grounding.atoms))]
    lines += [f"(assert {grounding.text(sentence, {})})" for sentence in universal]
    solver = z3.SimpleSolver()
    solver.from_string("\n".join(lines))
    outcome = boundary.check(solver, limit)
    if outcome is Outcome.UNSAT:
        return f"Herbrand instances and {boundary.version()}"
    if outcome is Outcome.UNKNOWN:
        return None
    found = solver.model()
    names = {str(symbol) for symbol in found.decls() if z3.is_true(found[symbol])}
    true = [atom for number, atom in enumerate(grounding.atoms) if f"a{number}" in names]
    return _model(true, grounding.universe, sentences)


def _ground(sentences: list[Formula], most: int) -> tuple[list[Formula], _Grounding] | None:
    """The Skolemized sentences and their ground atoms, `most` at most; None where that does not apply."""
    if has_equality(*sentences):
        return None
    normalizer = normal.Normalizer()
    try:
        skolemized = normal.skolemize([normalizer.nnf(sentence) for sentence in sentences])
        if skolemized is None:
            return None
        universal, _ = skolemized
        grounding = _Grounding(constants(*universal) or ["!0"], most)
        for sentence in universal:
            grounding.collect(sentence, {})
    except normal.TooLarge:
        return None
    return universal, grounding


def _table(universal: list[Formula], grounding: _Grounding) -> int:
    """The rows of the truth table in which all sentences hold."""
    lanes = grounding.start()
    for sentence in universal:
        lanes &= grounding.value(sentence, {})
        if not lanes:
            break
    return lanes


def _model(true: list[GroundAtom], universe: list[str], sentences: list[Formula]) -> Model:
    """The Herbrand model in which exactly these atoms hold: each constant denotes an element of its own."""
    elements = element_names(len(universe))
    named = dict(zip(universe, elements))
    extensions: dict[str, set[tuple[str, ...]]] = {name: set() for name in predicates(*sentences)}
    for predicate, row in true:
        extensions[predicate].add(tuple([named[name] for name in row]))
    return Model(
        elements,
        {name: named.get(name, elements[0]) for name in constants(*sentences)},
        {name: frozenset(rows) for name, rows in extensions.items()},
    )


class _Grounding:
    """The ground atoms of universal sentences, and the sentences' values over their truth table."""

    def __init__(self, universe: list[str], most: int) -> None:
        self.universe = universe
        self.most = most
        self.atoms: dict[GroundAtom, int] = {}
        self.columns: list[int] = []
        self.ones = 0
        self.steps = 0

    def collect(self, formula: Formula, binding: dict[int, str]) -> None:
        """Number every ground atom of the formula."""
        self.steps += 1
        if self.steps > STEPS:
            raise normal.TooLarge
        if isinstance(formula, Atom):
            self.atoms.setdefault(_instance(formula, binding), len(self.atoms))
            if len(self.atoms) > self.most:
                raise normal.TooLarge
        elif isinstance(formula, All):
            for name in self.universe:
                binding[formula.variable] = name
                self.collect(formula.body, binding)
        elif isinstance(formula, Not):
            self.collect(formula.body, binding)
        elif isinstance(formula, Implies):
            self.collect(formula.left, binding)
            self.collect(formula.right, binding)
        else:
            assert isinstance(formula, And | Or | Xor | Iff)
            for part in formula.parts:
                self.collect(part, binding)

    def start(self) -> int:
        """Give every atom its column; all lanes."""
        lanes = 1 << len(self.atoms)
        self.ones = (1 << lanes) - 1
        self.columns = [table_column(number, lanes) for number in range(len(self.atoms))]
        return self.ones

    def value(self, formula: Formula, binding: dict[int, str]) -> int:
        """The rows of the table in which the formula holds."""
        if isinstance(formula, Atom):
            return self.columns[self.atoms[_instance(formula, binding)]]
        if isinstance(formula, Not):
            return self.ones ^ self.value(formula.body, binding)
        if isinstance(formula, All):
            result = self.ones
            for name in self.universe:
                binding[formula.variable] = name
                result &= self.value(formula.body, binding)
            return result
        if isinstance(formula, Implies):
            return (self.ones ^ self.value(formula.left, binding)) | self.value(formula.right, binding)
        assert isinstance(formula, And | Or | Xor | Iff)
        values = [self.value(part, binding) for part in formula.parts]
        result = values[0]
        for value in values[1:]:
            if isinstance(formula, And):
                result &= value
            elif isinstance(formula, Or):
                result |= value
            else:
                result ^= value
                if isinstance(formula, Iff):
                    result ^= self.ones
        return result

    def text(self, formula: Formula, binding: dict[int, str]) -> str:
        """The ground formula in SMT-LIB, atom number n as `an`."""
        if isinstance(formula, Atom):
            return f"a{self.atoms[_instance(formula, binding)]}"
        if isinstance(formula, Not):
            return f"(not {self.text(formula.body, binding)})"
        if isinstance(formula, All):
            instances = []
            for name in self.universe:
                binding[formula.variable] = name
                instances.append(self.text(formula.body, binding))
            return f"(and {' '.join(instances)})"
        if isinstance(formula, Implies):
            return f"(=> {self.text(formula.left, binding)} {self.text(formula.right, binding)})"
        assert isinstance(formula, And | Or | Xor | Iff)
        parts = [self.text(part, binding) for part in formula.parts]
        if isinstance(formula, And | Or):
            return f"({'and' if isinstance(formula, And) else 'or'} {' '.join(parts)})"
        result = parts[0]
        for part in parts[1:]:
            result = f"({'=' if isinstance(formula, Iff) else 'xor'} {result} {part})"
        return result


def _instance(atom: Atom, binding: dict[int, str]) -> GroundAtom:
    return atom.predicate, tuple([binding[term] if isinstance(term, int) else term for term in atom.terms])
