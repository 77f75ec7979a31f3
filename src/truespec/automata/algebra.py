"""What an alphabet must offer: an effective Boolean algebra of predicates over letters.

The engine never sees a letter. It asks the algebra once per question for the blocks, the finest classes of
letters that the predicates at hand tell apart, and computes with sets of blocks from then on
(*minterms* in D'Antoni and Veanes, "The power of symbolic automata and transducers", CAV 2017).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Predicate = TypeVar("Predicate", bound=Hashable)
"""A set of letters, as a hashable value. Equal sets need not be equal values."""
Letter = TypeVar("Letter")
"""One element of the alphabet."""


class Algebra(ABC, Generic[Predicate, Letter]):
    """An effective Boolean algebra: closed under the three operations, with a decidable emptiness test.

    The laws a new algebra must keep: `bottom` holds of no letter and `top` of every letter of the alphabet;
    `both`, `either` and `negation` are intersection, union and complement relative to `top`; `is_empty` is
    exact in both directions (a wrong *empty* is a wrong verdict); `witness` of a non-empty predicate is a
    letter of it, the same one each time.
    """

    @property
    @abstractmethod
    def bottom(self) -> Predicate:
        """The predicate that holds of no letter."""

    @property
    @abstractmethod
    def top(self) -> Predicate:
        """The predicate that holds of every letter of the alphabet."""

    @abstractmethod
    def both(self, left: Predicate, right: Predicate) -> Predicate:
        """The letters in both."""

    @abstractmethod
    def either(self, left: Predicate, right: Predicate) -> Predicate:
        """The letters in at least one."""

    @abstractmethod
    def negation(self, predicate: Predicate) -> Predicate:
        """The letters of the alphabet that are not in it."""

    @abstractmethod
    def is_empty(self, predicate: Predicate) -> bool:
        """Whether it holds of no letter; exact."""

    @abstractmethod
    def witness(self, predicate: Predicate) -> Letter:
        """A letter of a non-empty predicate, the most readable one where there is a choice."""

    def partition(self, predicates: Iterable[Predicate]) -> Alphabet[Predicate]:
        """The blocks of `predicates`; where it matters, the most readable block first.

        Splits one predicate after the other: quadratic in the number of blocks, which an algebra with a
        cheaper way overrides.
        """
        blocks = [(self.top, 0)]
        wanted = list(dict.fromkeys(predicates))
        for position, predicate in enumerate(wanted):
            split = []
            for block, signature in blocks:
                inside = self.both(block, predicate)
                outside = self.both(block, self.negation(predicate))
                if not self.is_empty(inside):
                    split.append((inside, signature | 1 << position))
                if not self.is_empty(outside):
                    split.append((outside, signature))
            blocks = split
        return Alphabet.of(tuple(block for block, _ in blocks), wanted, [mark for _, mark in blocks])


@dataclass(frozen=True, slots=True)
class Alphabet(Generic[Predicate]):
    """The blocks that a set of predicates tells apart. A set of blocks is an integer, one bit for each."""

    blocks: tuple[Predicate, ...]
    """Disjoint, non-empty, together the whole alphabet."""
    masks: Mapping[Predicate, int]
    """The blocks that make up each predicate."""

    @classmethod
    def of(
        cls, blocks: tuple[Predicate, ...], predicates: list[Predicate], signatures: list[int]
    ) -> Alphabet[Predicate]:
        """Blocks with their signatures: bit `k` of a signature says that predicate `k` holds there."""
        masks = dict.fromkeys(predicates, 0)
        for block, signature in enumerate(signatures):
            while signature:
                low = signature & -signature
                masks[predicates[low.bit_length() - 1]] |= 1 << block
                signature ^= low
        return cls(blocks, masks)

    @property
    def full(self) -> int:
        """The set of all blocks."""
        return (1 << len(self.blocks)) - 1
