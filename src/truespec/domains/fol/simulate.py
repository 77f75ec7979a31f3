"""Thousands of small models at once: a truth value is an integer whose bits are the models.

Bit *i* of every integer belongs to model *i*. Connectives are bitwise operations, a quantifier is a
conjunction or disjunction over the elements, and a constant is a row of masks that say in which models it
denotes which element. With few ground atoms the bits range over all models of the size (a truth table), so
that finding nothing is a fact; with more they are drawn at random from a fixed seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from truespec.domains.fol.model import Model, element_names
from truespec.domains.fol.syntax import All, And, Atom, Equal, Formula, Iff, Implies, Not, Or, Some, Term

TABLE_BITS = 12
"""Up to so many independent bits a size is decided by a truth table of 2 ** TABLE_BITS models."""
LANES = 2048
"""So many random models are tried of a size that is too large for a table."""
BUDGET = 60_000
"""So many evaluation steps are spent on one size; more is left to the solvers."""


class TooLarge(Exception):
    """The formulas need more steps on this size than the budget holds."""


@cache
def table_column(bit: int, lanes: int) -> int:
    """The integer whose bit *i* is bit `bit` of *i*, for *i* below `lanes`.

    >>> bin(table_column(1, 8))
    '0b11001100'
    """
    period = 1 << bit
    column, width = ((1 << period) - 1) << period, 2 * period
    while width < lanes:
        column |= column << width
        width *= 2
    return column


@cache
def random_column(number: int) -> int:
    """A fixed pseudo-random integer; its quarters have bits set with chance 1/2, 1/4, 3/4 and 1/8."""
    source = random.Random(f"truespec fol {number}")
    quarter = LANES // 4
    one, two, three = (source.getrandbits(LANES) for _ in range(3))
    low = (1 << quarter) - 1
    return (
        (one & low)
        | (one & two & (low << quarter))
        | ((one | two) & (low << 2 * quarter))
        | (one & two & three & (low << 3 * quarter))
    )


@dataclass(slots=True)
class Universe:
    """All, or many, models of one size over a signature."""

    size: int
    """Elements in the domain."""
    constants: tuple[str, ...]
    """The constants that matter."""
    bits: int
    """Independent bits a model of this size has: ground atoms, and codes of the constants' elements."""
    exhaustive: bool = field(init=False)
    """Whether every model of the size is among the lanes."""
    full: int = field(init=False)
    """One bit for every lane that is a model."""
    masks: dict[str, list[int]] = field(init=False)
    """For each constant and element, the models in which it denotes that element."""
    columns: dict[tuple[str, tuple[int, ...]], int] = field(init=False)
    """The models in which a ground atom holds, for the atoms met so far."""
    _used: int = field(init=False, default=0)
    _steps: int = field(init=False, default=0)
    _ones: int = field(init=False)

    def __post_init__(self) -> None:
        self.exhaustive = self.bits <= TABLE_BITS
        lanes = 1 << self.bits if self.exhaustive else LANES
        self._ones = self.full = (1 << lanes) - 1
        self.columns = {}
        self.masks = {}
        code = (self.size - 1).bit_length()
        for index, name in enumerate(self.constants):
            digits = [self._column() for _ in range(code)]
            row = []
            for element in range(self.size):
                mask = self._ones
                for place, digit in enumerate(digits):
                    mask &= digit if element >> place & 1 else ~digit
                row.append(mask)
            legal = 0
            for mask in row:
                legal |= mask
            if self.exhaustive:
                self.full &= legal
            else:
                # An illegal code denotes element 0, and the first constants tend to differ.
                row[index % self.size] |= self._ones & ~legal
            self.masks[name] = row

    def reset_budget(self) -> None:
        """Begin a new budget of steps; what is known of the models stays."""
        self._steps = 0

    def _column(self) -> int:
        number = self._used
        self._used += 1
        if not self.exhaustive:
            return random_column(number)
        return table_column(number, 1 << self.bits)

    def truth(self, formula: Formula) -> int:
        """The models in which the sentence holds; `TooLarge` past the budget."""
        return self._value(formula, {}) & self.full

    def _atom(self, predicate: str, row: tuple[int, ...]) -> int:
        column = self.columns.get((predicate, row))
        if column is None:
            column = self.columns[predicate, row] = self._column()
        return column

    def _value(self, formula: Formula, binding: dict[int, int]) -> int:
        self._steps += 1
        if self._steps > BUDGET:
            raise TooLarge
        if isinstance(formula, Atom):
            row = [binding[term] if isinstance(term, int) else term for term in formula.terms]
            return self._located(formula.predicate, row)
        if isinstance(formula, Not):
            return self._ones & ~self._value(formula.body, binding)
        if isinstance(formula, And):
            result = self._ones
            for part in formula.parts:
                result &= self._value(part, binding)
                if not result:
                    break
            return result
        if isinstance(formula, Or):
            result = 0
            for part in formula.parts:
                result |= self._value(part, binding)
                if result == self._ones:
                    break
            return result
        if isinstance(formula, Implies):
            left = self._value(formula.left, binding)
            return (self._ones & ~left) | self._value(formula.right, binding) if left else self._ones
        if isinstance(formula, All):
            result = self._ones
            for element in range(self.size):
                binding[formula.variable] = element
                result &= self._value(formula.body, binding)
                if not result:
                    break
            return result
        if isinstance(formula, Some):
            result = 0
            for element in range(self.size):
                binding[formula.variable] = element
                result |= self._value(formula.body, binding)
                if result == self._ones:
                    break
            return result
        if isinstance(formula, Equal):
            return self._same(formula.left, formula.right, binding)
        result = 0
        for part in formula.parts:
            result ^= self._value(part, binding)
        if isinstance(formula, Iff) and len(formula.parts) % 2 == 0:
            result ^= self._ones
        return result

    def _located(self, predicate: str, row: list[int | str]) -> int:
        """The models in which an atom holds whose constants still range over the elements."""
        names = {term for term in row if isinstance(term, str)}
        if not names:
            return self._atom(predicate, tuple(row))  # type: ignore[arg-type]
        if self.size == 1:
            return self._atom(predicate, (0,) * len(row))
        ordered = sorted(names)
        result = 0
        for elements in product(range(self.size), repeat=len(ordered)):
            self._steps += 1
            if self._steps > BUDGET:
                raise TooLarge
            chosen = dict(zip(ordered, elements))
            where = self._ones
            for name, element in chosen.items():
                where &= self.masks[name][element]
            if where:
                ground = tuple([chosen[term] if isinstance(term, str) else term for term in row])
                result |= where & self._atom(predicate, ground)
        return result

    def _same(self, left: Term, right: Term, binding: dict[int, int]) -> int:
        if isinstance(left, str) and isinstance(right, str):
            if left == right:
                return self._ones
            result = 0
            for one, two in zip(self.masks[left], self.masks[right]):
                result |= one & two
            return result
        if isinstance(left, str):
            left, right = right, left
        assert isinstance(left, int)
        element = binding[left]
        if isinstance(right, str):
            return self.masks[right][element]
        return self._ones if element == binding[right] else 0

    def model(self, lanes: int, predicates: tuple[str, ...]) -> Model:
        """The plainest of the models in `lanes`: few true atoms, then the first."""
        names = element_names(self.size)
        columns = list(self.columns.values())
        lane = min(_some_bits(lanes), key=lambda bit: (sum(column >> bit & 1 for column in columns), bit))
        extensions: dict[str, set[tuple[str, ...]]] = {name: set() for name in predicates}
        for (predicate, row), column in self.columns.items():
            if column >> lane & 1:
                extensions[predicate].add(tuple([names[element] for element in row]))
        return Model(
            names,
            {
                name: names[next(element for element, mask in enumerate(row) if mask >> lane & 1)]
                for name, row in self.masks.items()
            },
            {name: frozenset(rows) for name, rows in extensions.items()},
        )


def _some_bits(lanes: int, most: int = 24) -> Iterator[int]:
    while lanes and most:
        lowest = lanes & -lanes
        yield lowest.bit_length() - 1
        lanes ^= lowest
        most -= 1
