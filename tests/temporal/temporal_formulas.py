"""Random formulas for the tests of temporal logic."""

from __future__ import annotations

import random

from truespec.temporal.syntax import Formula, atom

FUTURE = ("X", "F", "G"), ("U", "R", "W", "M")
PAST = ("Y", "Z", "O", "H"), ("S", "T", "B")


def operators(finite: bool, past: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unary and the binary operators of a logic."""
    unary = ("!", *FUTURE[0], *(("N",) if finite else ()), *(PAST[0] if past else ()))
    return unary, ("&", "|", "->", "<->", "xor", *FUTURE[1], *(PAST[1] if past else ()))


def draw(chance: random.Random, size: int, atoms: str, finite: bool, past: bool) -> Formula:
    """A formula of so many operators and atoms."""
    if size <= 1:
        return (
            atom(chance.choice(atoms))
            if chance.random() < 0.95
            else Formula(chance.choice(["true", "false"]))
        )
    unary, binary = operators(finite, past)
    if size == 2 or chance.random() < 0.4:
        return Formula(chance.choice(unary), (draw(chance, size - 1, atoms, finite, past),))
    left = chance.randint(1, size - 2)
    sides = (draw(chance, part, atoms, finite, past) for part in (left, size - 1 - left))
    return Formula(chance.choice(binary), tuple(sides))
