"""A proof or a model by exhausting the Herbrand universe, where there is a finite one."""

from __future__ import annotations

from enum import Enum

from truespec.domains.fol import normal
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
)

TABLE_ATOMS = 14
"""Up to so many ground atoms are decided by a truth table."""
STEPS = 20_000
"""So many ground subformulas are visited at most."""


class Outcome(Enum):
    """What exhausting the Herbrand universe showed."""

    UNSATISFIABLE = "unsatisfiable"
    """No model at all."""
    SATISFIABLE = "satisfiable"
    """A model exists over the constants."""
    NOT_APPLICABLE = "not applicable"
    """Equality, an existential under a universal quantifier, or too many atoms."""


def decide(sentences: list[Formula]) -> Outcome:
    """Whether the sentences have a model together.

    Sound and complete where it applies (see `normal`): Bernays-Schönfinkel sentences without equality have a
    model exactly if their ground instances over the constants (and Skolem constants) have one.
    """
    if has_equality(*sentences):
        return Outcome.NOT_APPLICABLE
    normalizer = normal.Normalizer()
    try:
        skolemized = normal.skolemize([normalizer.nnf(sentence) for sentence in sentences])
        if skolemized is None:
            return Outcome.NOT_APPLICABLE
        universal, _ = skolemized
        universe = [*constants(*universal)] or ["!0"]
        table = _Table(universe)
        for sentence in universal:
            table.collect(sentence, {})
        lanes = table.start()
        for sentence in universal:
            lanes &= table.value(sentence, {})
            if not lanes:
                return Outcome.UNSATISFIABLE
    except normal.TooLarge:
        return Outcome.NOT_APPLICABLE
    return Outcome.SATISFIABLE


class _Table:
    """The truth table of all ground atoms, in the columns of `simulate`."""

    def __init__(self, universe: list[str]) -> None:
        self.universe = universe
        self.columns: dict[tuple[str, tuple[str, ...]], int] = {}
        self.ones = 0
        self.steps = 0

    def collect(self, formula: Formula, binding: dict[int, str]) -> None:
        """Note every ground atom of the formula."""
        self.steps += 1
        if self.steps > STEPS:
            raise normal.TooLarge
        if isinstance(formula, Atom):
            self.columns.setdefault(_ground(formula, binding), 0)
            if len(self.columns) > TABLE_ATOMS:
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
        lanes = 1 << len(self.columns)
        self.ones = (1 << lanes) - 1
        for number, atom in enumerate(self.columns):
            self.columns[atom] = table_column(number, lanes)
        return self.ones

    def value(self, formula: Formula, binding: dict[int, str]) -> int:
        """The rows of the table in which the formula holds."""
        if isinstance(formula, Atom):
            return self.columns[_ground(formula, binding)]
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


def _ground(atom: Atom, binding: dict[int, str]) -> tuple[str, tuple[str, ...]]:
    return atom.predicate, tuple([binding[term] if isinstance(term, int) else term for term in atom.terms])
