"""An engine that keeps its terms from one question to the next, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from truespec.automata.algebra import Algebra, Alphabet
from truespec.automata.arena import Arena
from truespec.automata.compile import Compiler, nothing
from truespec.automata.derivatives import Stepper
from truespec.automata.expression import Expression, predicates
from truespec.automata.terms import Term

Predicate = TypeVar("Predicate", bound=Hashable)
Letter = TypeVar("Letter")

MOST_TERMS = 20_000
"""An arena that has grown beyond this is dropped before the next question; about 30 MB."""
MOST_BLOCKS = 60
"""Predicates of earlier questions are kept while they cut the alphabet into no more blocks than this."""


MOST_PREDICATES = 250
"""Nor more than so many predicates."""


class Engine(Generic[Predicate, Letter]):
    """Terms over a shared alphabet. Questions that speak of the same predicates share terms and derivatives.

    Answers do not depend on what was asked before: a finer alphabet changes no language, and the witness of
    `compare` is the first in an order of words that knows nothing of blocks.
    """

    def __init__(self, algebra: Algebra[Predicate, Letter]) -> None:
        self.algebra = algebra
        """What the letters are."""
        self._start(algebra.partition(()))

    def _start(self, alphabet: Alphabet[Predicate]) -> None:
        self.alphabet = alphabet
        self.arena = Arena(alphabet.full)
        self.stepper = Stepper(self.arena)
        self._compiler = Compiler(self.arena, alphabet.masks)  # type: ignore[arg-type]
        self._letters: dict[int, Letter] = {}

    def terms(self, expressions: Iterable[Expression], check: Callable[[], None] = nothing) -> list[Term]:
        """The terms of the expressions of one question; terms of earlier questions may be dropped.

        `check` is called again and again; what it raises ends the work.
        """
        wanted = list(expressions)
        if len(self.arena) > MOST_TERMS:
            self._start(self.alphabet)
        try:
            return self._compiler.terms(wanted, check)
        except KeyError:  # a predicate that the alphabet does not know yet
            masks = self.alphabet.masks
            new = {p: None for expression in wanted for p in predicates(expression)}
            kept = masks if len(masks) <= MOST_PREDICATES else ()
            alphabet = self.algebra.partition([*kept, *new])  # type: ignore[list-item]
            if len(alphabet.blocks) > MOST_BLOCKS:
                alphabet = self.algebra.partition(list(new))  # type: ignore[arg-type]
            self._start(alphabet)
        return self._compiler.terms(wanted, check)

    def letters(self, word: Iterable[int]) -> list[Letter]:
        """A word of blocks as letters, each the witness of its block."""
        known = self._letters
        out = []
        for block in word:
            if block not in known:
                known[block] = self.algebra.witness(self.alphabet.blocks[block])
            out.append(known[block])
        return out
