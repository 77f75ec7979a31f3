"""Whether a string is in a pattern's language, by two semantics that know nothing of derivatives.

`ends` is the textbook meaning: the set of positions where a match that starts at one position can end.
`python_accepts` asks `re` itself, under a time limit that ends catastrophic backtracking.
"""

from __future__ import annotations

import re
import signal
import threading
import time
import warnings
from types import FrameType

from truespec.domains.regex.plain import Tree
from truespec.verdict import Incomplete

MATCHER = "set-of-ends matcher"
"""How verdicts name the matcher of this file."""
_MOST_STEPS = 3_000_000


class _TooSlow(Exception):
    pass


class Matcher:
    """The matches of trees in one string; `Incomplete` after too many steps."""

    def __init__(self, string: str) -> None:
        self.string = string
        self._known: dict[tuple[int, int], frozenset[int]] = {}
        self._trees: list[Tree] = []
        self._steps = 0

    def accepts(self, tree: Tree, match: str) -> bool:
        """Whether the whole string matches, or, for `search`, some part of it."""
        if match == "full":
            return len(self.string) in self.ends(tree, 0)
        return any(self.ends(tree, start) for start in range(len(self.string) + 1))

    def ends(self, tree: Tree, start: int) -> frozenset[int]:
        """Where matches that begin at `start` can end."""
        key = (id(tree), start)
        found = self._known.get(key)
        if found is None:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise Incomplete(f"{MATCHER}: more than {_MOST_STEPS} steps")
            self._trees.append(tree)  # keeps the id taken
            found = self._known[key] = frozenset(self._ends(tree, start))
        return found

    def _ends(self, tree: Tree, start: int) -> set[int] | frozenset[int]:
        size = len(self.string)
        match tree:
            case ("set", test):
                return {start + 1} if start < size and test(self.string[start]) else set()
            case ("cat", trees):
                here: set[int] = {start}
                for part in trees:
                    here = {end for at in here for end in self.ends(part, at)}
                return here
            case ("or", trees):
                return {end for part in trees for end in self.ends(part, start)}
            case ("and", trees):
                return frozenset.intersection(*[self.ends(part, start) for part in trees])
            case ("not", inner):
                return set(range(start, size + 1)) - self.ends(inner, start)
            case ("rep", inner, least, most):
                return self._repeat(inner, start, least, most)
            case ("greedy", inner, least, most):
                return self._greedy(inner, start, least, most)
            case ("atomic", inner):
                ends = self.ends(inner, start)
                if len(ends) > 1:
                    raise Incomplete(f"{MATCHER}: an atomic group with several ways to match")
                return ends
            case ("ahead", inner, positive):
                return {start} if bool(self.ends(inner, start)) is positive else set()
            case ("behind", inner, positive):
                seen = any(start in self.ends(inner, before) for before in range(start + 1))
                return {start} if seen is positive else set()
        raise ValueError(f"no meaning for {tree[0]!r}")

    def _repeat(self, inner: Tree, start: int, least: int, most: int | None) -> set[int]:
        here = {start}
        seen_before: set[frozenset[int]] = set()
        for done in range(least):
            key = frozenset(here)
            if key in seen_before:  # the sets cycle: skip whole cycles, then finish the rest
                return self._cycled(inner, key, least - done, most, least)
            seen_before.add(key)
            here = {end for at in here for end in self.ends(inner, at)}
            if not here:
                return here
        return self._optional(inner, here, None if most is None else most - least)

    def _cycled(self, inner: Tree, here: frozenset[int], owed: int, most: int | None, least: int) -> set[int]:
        cycle = [here]
        while True:
            following = frozenset(end for at in cycle[-1] for end in self.ends(inner, at))
            if following == here:
                break
            cycle.append(following)
        return self._optional(inner, set(cycle[owed % len(cycle)]), None if most is None else most - least)

    def _optional(self, inner: Tree, here: set[int], most: int | None) -> set[int]:
        seen = set(here)
        rounds = 0
        while here and (most is None or rounds < most):
            here = {end for at in here for end in self.ends(inner, at)} - seen
            seen |= here
            rounds += 1
        return seen

    def _greedy(self, inner: Tree, start: int, least: int, most: int | None) -> set[int]:
        at, rounds = start, 0
        while most is None or rounds < most:
            ends = self.ends(inner, at)
            if len(ends) > 1:
                raise Incomplete(f"{MATCHER}: a possessive repetition with several ways to match")
            if not ends:
                break
            (end,) = ends
            rounds += 1
            if end == at:
                rounds = max(rounds, least)
                break
            at = end
        return {at} if rounds >= least else set()


def python_accepts(text: str, flags: str, string: str, match: str, seconds: float) -> bool | None:
    """What `re` says; null where it needs longer than `seconds` or cannot be timed."""
    bits = 0
    for letter in flags:
        bits |= getattr(re, letter.upper())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(text, bits)
    except (RecursionError, MemoryError, OverflowError):
        return None
    run = pattern.fullmatch if match == "full" else pattern.search
    if threading.current_thread() is not threading.main_thread():
        return run(string) is not None if len(string) <= _SAFE_LENGTH else None

    def stop(_: int, __: FrameType | None) -> None:
        raise _TooSlow

    # `re` looks for signals while it matches, so an alarm reaches into its backtracking.
    before = signal.signal(signal.SIGALRM, stop)
    started, pending = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        answer = run(string) is not None
        signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooSlow:
        return None
    finally:
        signal.signal(signal.SIGALRM, before)
        if pending[0]:  # somebody else's alarm goes on
            left = max(pending[0] - (time.monotonic() - started), 0.001)
            signal.setitimer(signal.ITIMER_REAL, left, pending[1])
    return answer


_SAFE_LENGTH = 12
"""Outside the main thread no alarm can be set; so short a string cannot make `re` backtrack for long."""
