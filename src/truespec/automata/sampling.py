"""Words of a term, built from its shape: a cheap way to tell two terms apart where exploring is too long."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from truespec.automata.derivatives import Stepper
from truespec.automata.terms import CONCAT, COUNT, STAR, SYMBOL, UNION, Term

LONGEST = 4_000
"""Letters in a word."""


def shortest(term: Term) -> list[int] | None:
    """A shortest word of a positive term, as bits of blocks; null where it is longer than `LONGEST`."""
    return _Sampler(None).word(term)


def various(term: Term, seed: int, count: int) -> Iterator[list[int]]:
    """Words of a positive term. Each makes one choice for every count and union and keeps to it."""
    rng = random.Random(seed)
    for _ in range(count):
        word = _Sampler(rng).word(term)
        if word is not None:
            yield word


def contains(stepper: Stepper, term: Term, word: list[int], check: Callable[[], None]) -> bool:
    """Whether a term accepts a word; `check` raises when the time is over."""
    state = stepper.settle(term)
    for position, letter in enumerate(word):
        if position % 64 == 63:
            check()
        state = next(target for target, mask in stepper.step(state).items() if mask & letter)
        state = stepper.settle(state)
        if state is stepper.arena.none:
            return False
    return stepper.accepts(state)


class _Sampler:
    def __init__(self, rng: random.Random | None) -> None:
        self.rng = rng
        self._known: dict[Term, list[int] | None] = {}

    def word(self, term: Term) -> list[int] | None:
        if term not in self._known:
            self._known[term] = self._word(term)
        return self._known[term]

    def _word(self, term: Term) -> list[int] | None:
        kind = term.kind
        if kind == SYMBOL:
            return [term.mask & -term.mask]
        if kind == CONCAT:
            first, rest = self.word(term.body), self.word(term.rest)
            return _bounded(None if first is None or rest is None else first + rest)
        if kind == UNION:
            words = [word for word in map(self.word, term.items) if word is not None]
            if not words:
                return None
            return self.rng.choice(words) if self.rng else min(words, key=len)
        if kind in (STAR, COUNT):
            rounds = self._rounds(term)
            body = self.word(term.body) if rounds else []
            if body is None or rounds * len(body) > LONGEST:
                return None
            return body * rounds
        return []  # the empty word

    def _rounds(self, term: Term) -> int:
        if self.rng is None:
            return term.least
        most = term.least + 2 if term.most is None else term.most
        return self.rng.choice((term.least, most, self.rng.randint(term.least, most)))


def _bounded(word: list[int] | None) -> list[int] | None:
    return None if word is None or len(word) > LONGEST else word
