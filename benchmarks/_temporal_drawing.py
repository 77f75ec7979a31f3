"""Random formulas as Spot's `randltl` draws them, all small formulas, and an evaluator over all short
words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from truespec.temporal.syntax import Formula, atom, parts
from truespec.temporal.words import Word

UNARY = ("!", "F", "G", "X")
BINARY = ("<->", "->", "xor", "R", "U", "W", "M", "&", "|")
PAST = ("Y", "Z", "O", "H"), ("S", "T", "B")


def randltl(chance: random.Random, size: int, atoms: tuple[str, ...], past: bool = False) -> Formula:
    """A tree of exactly `size` nodes with randltl's default priorities.

    A leaf is a constant with weight 1 each or an atom with weight 1 each. Above a single operand every unary
    operator is as likely as another; above two, every operator; how many nodes go to the left is uniform.
    """
    if size == 1:
        leaf = chance.choice([*atoms, True, False])
        return atom(leaf) if isinstance(leaf, str) else Formula("true" if leaf else "false")
    unary = (*UNARY, *PAST[0]) if past else UNARY
    binary = (*BINARY, *PAST[1]) if past else BINARY
    op = chance.choice(unary if size == 2 else (*unary, *binary))
    if op in unary:
        return Formula(op, (randltl(chance, size - 1, atoms, past),))
    left = chance.randint(1, size - 2)
    sides = (randltl(chance, part, atoms, past) for part in (left, size - 1 - left))
    return Formula(op, tuple(sides))


def every(size: int, atoms: tuple[str, ...], finite: bool) -> Iterator[Formula]:
    """All formulas of exactly this size, past included."""
    if size == 1:
        yield from map(atom, atoms)
        return
    unary = (*UNARY, *PAST[0], *(("N",) if finite else ()))
    for inner in every(size - 1, atoms, finite):
        for op in unary:
            yield Formula(op, (inner,))
    for left in range(1, size - 1):
        for a in every(left, atoms, finite):
            for b in every(size - 1 - left, atoms, finite):
                for op in (*BINARY, *PAST[1]):
                    yield Formula(op, (a, b))


class Shape:
    """All words of one length and loop start: a truth value is an integer with a bit for each word."""

    def __init__(self, atoms: tuple[str, ...], length: int, loop: int | None) -> None:
        self.atoms, self.length, self.loop = atoms, length, loop
        count = len(atoms) * length
        self.full = (1 << (1 << count)) - 1
        self.columns = [sum(1 << w for w in range(1 << count) if w >> v & 1) for v in range(count)]

    def values(self, formula: Formula) -> int:
        """The words in which the formula holds, by recurrences along the positions."""
        past = sum(1 for one in parts(formula) if one.op in (*PAST[0], *PAST[1]))
        period = self.length - (self.loop or 0)
        self.count = self.length if self.loop is None else self.length + period * (past + 1)
        self.back = None if self.loop is None else self.count - period
        return self._row(formula)[0]

    def _row(self, formula: Formula) -> list[int]:
        op, count, full = formula.op, self.count, self.full
        if op == "atom":
            place = self.atoms.index(formula.name)
            period = self.length - (self.loop or 0)
            where = [
                i if i < self.length else (self.loop or 0) + (i - self.length) % period for i in range(count)
            ]
            return [self.columns[i * len(self.atoms) + place] for i in where]
        if op in ("true", "false"):
            return [full if op == "true" else 0] * count
        rows = [self._row(item) for item in formula.items]
        a, b = rows[0], rows[-1]
        match op:
            case "!":
                return [full & ~x for x in a]
            case "&":
                return [x & y for x, y in zip(a, b, strict=True)]
            case "|":
                return [x | y for x, y in zip(a, b, strict=True)]
            case "->":
                return [full & ~x | y for x, y in zip(a, b, strict=True)]
            case "<->":
                return [full & ~(x ^ y) for x, y in zip(a, b, strict=True)]
            case "xor":
                return [x ^ y for x, y in zip(a, b, strict=True)]
            case "Y" | "Z":
                return [0 if op == "Y" else full, *a[:-1]]
            case "X" | "N":
                return [*a[1:], a[self.back] if self.back is not None else 0 if op == "X" else full]
        order = range(count) if op in "OHSTB" else range(count - 1, -1, -1)
        value = 0 if op in "FUMOS" else full
        row = [0] * count
        for _ in range(1 if self.back is None or op in "OHSTB" else 2):
            for i in order:
                if op in "FO":
                    value |= a[i]
                elif op in "GH":
                    value &= a[i]
                elif op in "UWSB":
                    value = b[i] | (a[i] & value)
                else:
                    value = b[i] & (a[i] | value)
                row[i] = value
            if self.back is not None:
                value = row[self.back]
        return row


def shapes(atoms: tuple[str, ...], finite: bool, most: tuple[int, int]) -> list[Shape]:
    """All traces of up to `sum(most)` positions, or all lassos of up to so many before and in the loop."""
    if finite:
        return [Shape(atoms, length, None) for length in range(1, sum(most) + 1)]
    return [Shape(atoms, s + k, s) for s, k in product(range(most[0] + 1), range(1, most[1] + 1))]


def random_word(chance: random.Random, atoms: tuple[str, ...], finite: bool) -> Word:
    """A word of one to seven positions."""
    letters = tuple(
        frozenset(name for name in atoms if chance.random() < 0.5) for _ in range(chance.randint(1, 7))
    )
    return Word(letters, None if finite else chance.randrange(len(letters)))
