"""Whether a term accepts a word: derivatives as an automaton whose states are made when they are needed.

One dictionary lookup for each letter once the states are known, so the time is linear in the word, whatever
the pattern. What may grow is the number of states; it is bounded, and so is the time spent on making them.
"""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from typing import Any

from truespec.automata.derivatives import Stepper
from truespec.automata.terms import Term
from truespec.verdict import Incomplete

MOST_STATES = 4_000
"""States of one automaton; beyond them a word is given up."""
MOST_ENTRIES = 200_000
"""Steps that are remembered, some 20 MB."""
MOST_SECONDS = 1.0
"""For making states while one word is read."""


class _Decided(Exception):
    """No further letter changes the answer."""


class _State(dict[Hashable, "_State"]):
    """What a letter leads to, filled in as letters come by."""

    __slots__ = ("matcher", "term")

    def __missing__(self, letter: Hashable) -> _State:
        return self.matcher.follow(self, letter)

    matcher: Matcher
    term: Term


class Matcher:
    """An automaton for one term. `block_of` says in which block of the alphabet a letter lies."""

    def __init__(self, stepper: Stepper, term: Term, block_of: Callable[[Any], int]) -> None:
        self._stepper = stepper
        self._first = stepper.settle(term)
        self._block_of = block_of
        self._lock = threading.Lock()
        stepper.arena.check = self._check
        self._restart()

    def _restart(self) -> None:
        self._states: dict[Term, _State] = {}
        self._entries = 0
        self._spent, self._since = 0.0, time.monotonic()
        self._start = self._state(self._first)

    def accepts(self, word: Iterable[Hashable]) -> bool:
        """Whether the term accepts the word; `Incomplete` where that takes too many states.

        The matcher is not to be used again after that.
        """
        if len(self._states) > MOST_STATES // 2 or self._entries > MOST_ENTRIES // 2:
            self._restart()
        self._spent = 0.0
        try:
            last: _State = reduce(operator.getitem, word, self._start)
        except _Decided as decided:
            return bool(decided.args[0])
        return self._stepper.accepts(last.term)

    def _state(self, term: Term) -> _State:
        state = self._states.get(term)
        if state is None:
            state = self._states[term] = _State()
            state.matcher, state.term = self, term
        return state

    def follow(self, state: _State, letter: Hashable) -> _State:
        """The state after a letter that this state has not met before."""
        arena = self._stepper.arena
        term = state.term
        if term is arena.all or term is arena.none:
            raise _Decided(term is arena.all)
        if len(self._states) > MOST_STATES or self._entries > MOST_ENTRIES:
            raise Incomplete(f"its automaton outgrows {MOST_STATES} states")
        with self._lock:  # terms are made one at a time
            self._since = time.monotonic()
            self._check()
            bit = 1 << self._block_of(letter)
            target = next(t for t, mask in self._stepper.step(term).items() if mask & bit)
            state[letter] = found = self._state(self._stepper.settle(target))
            self._entries += 1
            self._spent += time.monotonic() - self._since
        return found

    def _check(self) -> None:
        if self._spent + time.monotonic() - self._since > MOST_SECONDS:
            raise Incomplete(f"its automaton takes more than {MOST_SECONDS:g} s to make")
