"""Does a pattern of the `python` dialect match a text? In bounded time, for any pattern and any text.

`re` answers where the shape of the pattern bounds its work by a small multiple of the text's length; all else
is left to the automaton of derivatives, which reads each character once. What has no automaton
because of back-references, or too large a one, goes to `re` under an alarm; where it rings, nobody knows.
"""

from __future__ import annotations

import re
import re._parser as sre_parser  # type: ignore[import-not-found]
import warnings
from bisect import bisect_right
from functools import lru_cache

from truespec.automata import Engine, Repeat, Sequence, Symbol
from truespec.automata.matcher import Matcher
from truespec.domains.regex import python_dialect, replay
from truespec.domains.regex.characters import Characters, ranges
from truespec.domains.regex.effort import longest_within
from truespec.domains.regex.syntax import deep_stack
from truespec.verdict import Incomplete, Undecided

_BASE, _PER_CHARACTER = 200_000, 600
"""Steps that `re` may take at most on one text, about a millisecond, and for each of its characters."""
_UNKNOWN = -1
"""Up to which length `re` may be asked is found when a text comes."""
_SECONDS = 0.25
"""For one text, where only `re` can answer and its work is not bounded."""
_LETTERS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}
_ANYTHING = Repeat(Symbol(None), 0, None)


class Unmatched(Incomplete):
    """Whether a pattern matches a text could not be said within bounds."""

    def __init__(self, pattern: str, why: str) -> None:
        super().__init__(f"the pattern {_short(pattern)} on a long text: {why}")
        self.pattern = pattern
        """The pattern."""
        self.why = why
        """The reason."""

    def __reduce__(self) -> tuple[type[Unmatched], tuple[str, str]]:
        return type(self), (self.pattern, self.why)


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 80 else pattern[:79] + "…")


class Finder:
    """One pattern, ready to be looked for.

    >>> Finder("(a+)+$").search("a" * 10_000 + "!")
    False
    """

    __slots__ = ("_matcher", "_re", "_safe", "_tree", "flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        """As written."""
        self.flags = flags
        """Bits of `re`: IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._re = re.compile(pattern, flags)
            self._tree = sre_parser.parse(pattern, flags)
        self._safe = [_UNKNOWN, _UNKNOWN]
        self._matcher: dict[bool, Matcher | str] = {}

    def search(self, text: str) -> bool:
        """Whether the pattern matches somewhere in the text; `Unmatched` where nobody can say."""
        if len(text) <= self._safe[True]:
            return self._re.search(text) is not None
        return self._slowly(text, True)

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole text; `Unmatched` where nobody can say."""
        if len(text) <= self._safe[False]:
            return self._re.fullmatch(text) is not None
        return self._slowly(text, False)

    def is_cheap(self, length: int) -> bool:
        """Whether `re` itself searches any text of up to this length in few steps."""
        return length <= self._longest(True)

    def _longest(self, search: bool) -> int:
        """Up to which length `re` may be asked, for a match of the whole text and for one anywhere in it."""
        if self._safe[search] == _UNKNOWN:
            self._safe[search] = longest_within(self._tree, search, _BASE, _PER_CHARACTER)
        return self._safe[search]

    def _slowly(self, text: str, search: bool) -> bool:
        if self._safe[search] == _UNKNOWN and len(text) <= self._longest(search):
            return self.search(text) if search else self.fullmatch(text)
        matcher = self._matcher.get(search)
        if matcher is None:
            matcher = self._matcher[search] = self._automaton(search)
        if isinstance(matcher, str):
            return self._under_alarm(text, search, matcher)
        try:
            with deep_stack():
                return matcher.accepts(text)
        except Undecided as undecided:
            self._matcher[search] = str(undecided)  # from now on `re` is asked at once
            return self._under_alarm(text, search, str(undecided))

    def _automaton(self, search: bool) -> Matcher | str:
        letters = "".join(letter for bit, letter in _LETTERS.items() if self.flags & bit)
        try:
            with deep_stack():
                expression = python_dialect.parse(self.pattern, letters).expression
                if search:
                    expression = Sequence((_ANYTHING, expression, _ANYTHING))
                engine = Engine(Characters())
                (term,) = engine.terms([expression])
        except Undecided as undecided:
            return str(undecided)
        starts: list[tuple[int, int]] = sorted(
            (first, block)
            for block, points in enumerate(engine.alphabet.blocks)
            for first, _ in ranges(points)
        )
        firsts = [first for first, _ in starts]
        blocks = [block for _, block in starts]
        return Matcher(engine.stepper, term, lambda letter: blocks[bisect_right(firsts, ord(letter)) - 1])

    def _under_alarm(self, text: str, search: bool, why: str) -> bool:
        letters = "".join(letter for bit, letter in _LETTERS.items() if self.flags & bit)
        answer = replay.python_accepts(self.pattern, letters, text, "search" if search else "full", _SECONDS)
        if answer is None:
            raise Unmatched(self.pattern, f"`re` does not end within {_SECONDS:g} s; {why}")
        return answer


@lru_cache(maxsize=2048)
def finder(pattern: str, flags: int = 0) -> Finder:
    """The finder of a pattern; `re.error` where it is none."""
    return Finder(pattern, flags)
