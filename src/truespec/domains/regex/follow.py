"""Following a certificate: does a text have exactly the language of an automaton?

The text is read by `plain`; its own states are explored beside the automaton's, letter by letter, and must
accept where the automaton accepts. Nothing of the derivative engine is used. There are two ways to step:
`continuations` for the python dialect, and `tree_derivatives` for the deepregex dialect.

Letters are the cells that the text's own tests and the certificate's blocks cut the alphabet into, computed
here from what `re` matches.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from truespec.domains.regex.continuations import Continuations
from truespec.domains.regex.plain import ANY, LAST, OneCharacter, Tree
from truespec.domains.regex.tree_derivatives import Derivatives
from truespec.verdict import Incomplete

_MOST_CONFIGURATIONS = 30_000


@dataclass(frozen=True, slots=True)
class Automaton:
    """The certificate, checked for shape."""

    blocks: tuple[tuple[int, ...] | None, ...]
    accepting: tuple[bool, ...]
    steps: tuple[tuple[int, ...], ...]

    @classmethod
    def read(cls, certificate: Any) -> Automaton:
        """Read a certificate; `ValueError` for one that is malformed."""
        blocks = tuple(None if block is None else tuple(map(int, block)) for block in certificate["blocks"])
        accepting = tuple(bool(flag) for flag in certificate["accepting"])
        steps = tuple(tuple(map(int, row)) for row in certificate["steps"])
        if not accepting or len(steps) != len(accepting) or blocks.count(None) != 1:
            raise ValueError("an automaton has states, a row of steps for each, and one block of all others")
        for row in steps:
            if len(row) != len(blocks) or not all(0 <= target < len(steps) for target in row):
                raise ValueError("each row of steps has one known state for each block")
        return cls(blocks, accepting, steps)

    def cell(self, point: int) -> int:
        """The block of a code point."""
        for number, block in enumerate(self.blocks):
            if block is not None:
                for first, end in zip(block[::2], block[1::2], strict=True):
                    if first <= point < end:
                        return number
        return self.blocks.index(None)


def follows(
    tree: Tree, automaton: Automaton, dialect: str, ascii_only: bool, check: Callable[[], None]
) -> str | None:
    """A string on which the text and the automaton differ; null when they have the same language.

    `Incomplete` where the exploration grows too large or the text looks behind in a way that is not followed.
    """
    return _first(tree, automaton, dialect, ascii_only, check, operator.ne)


def accepts_all(
    tree: Tree, automaton: Automaton, dialect: str, ascii_only: bool, check: Callable[[], None]
) -> str | None:
    """A string that the automaton accepts and the text does not; null when there is none.

    `Incomplete` as for `follows`.
    """
    return _first(tree, automaton, dialect, ascii_only, check, operator.lt)


def _first(
    tree: Tree,
    automaton: Automaton,
    dialect: str,
    ascii_only: bool,
    check: Callable[[], None],
    wrong: Callable[[bool, bool], bool],
) -> str | None:
    """A shortest string at which what the text says and what the automaton says are wrong together."""
    size = 128 if ascii_only else LAST + 1
    letters = _letters(tree, automaton, size)
    steps = {letter: automaton.cell(ord(letter)) for letter in letters}
    walker: Continuations | Derivatives = Continuations(tree) if dialect == "python" else Derivatives(tree)
    start = (walker.start(), 0)
    seen: dict[Any, tuple[Any, str]] = {start: (None, "")}
    waiting = [start]
    for configuration in waiting:
        check()
        state, number = configuration
        if wrong(walker.final(state), automaton.accepting[number]):
            return _path(seen, configuration)
        for letter in letters:
            following = (walker.step(state, letter), automaton.steps[number][steps[letter]])
            if following not in seen:
                if len(seen) >= _MOST_CONFIGURATIONS:
                    raise Incomplete(f"more than {_MOST_CONFIGURATIONS} configurations")
                seen[following] = (configuration, letter)
                waiting.append(following)
    return None


def _path(seen: dict[Any, tuple[Any, str]], configuration: Any) -> str:
    letters = []
    before, letter = seen[configuration]
    while before is not None:
        letters.append(letter)
        before, letter = seen[before]
    return "".join(reversed(letters))


def _letters(tree: Tree, automaton: Automaton, size: int) -> list[str]:
    """One character of every cell."""
    sets = [test.runs(size) for test in dict.fromkeys(_tests(tree))]
    sets += [
        tuple(zip(block[::2], block[1::2], strict=True)) for block in automaton.blocks if block is not None
    ]
    flips: dict[int, set[int]] = {0: set()}
    for number, runs in enumerate(sets):
        for run in runs:
            for boundary in run:
                flips.setdefault(boundary, set()).symmetric_difference_update({number})
    inside: frozenset[int] = frozenset()
    cells: dict[frozenset[int], int] = {}
    for boundary in sorted(flips):
        inside ^= flips[boundary]
        if boundary < size:
            cells.setdefault(inside, boundary)
    return [chr(point) for point in cells.values()]


def _tests(tree: Tree) -> list[OneCharacter]:
    found: list[OneCharacter] = []
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, OneCharacter):
            found.append(node)
        elif isinstance(node, tuple):
            waiting.extend(node)
    return found


def searching(tree: Tree) -> Tree:
    """The strings in which the tree matches somewhere."""
    anything: Tree = ("rep", ANY, 0, None)
    return ("cat", (anything, tree, anything))
