"""Following a certificate: does a text have exactly the language of an automaton?

The text is read by `plain`; its own states are explored beside the automaton's, letter by letter, and must
accept where the automaton accepts. Nothing of the derivative engine is used. There are two ways to step:

- the python dialect by continuations: what is left to do is a Boolean formula over stacks of trees, in which
  `(?=x)y` is "x and anything, and also y";
- the deepregex dialect by derivatives of trees (Brzozowski, 1964) with the letters before and after at hand,
  which settle word boundaries.

Letters are the cells that the text's own tests and the certificate's blocks cut the alphabet into, computed
here from what `re` matches.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from truespec.domains.regex.plain import ANY, LAST, OneCharacter, Tree
from truespec.verdict import Incomplete

_MOST_CONFIGURATIONS = 30_000

Letter = str | None
"""A character, or null past the end of the string."""


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
    walker: _Continuations | _Derivatives = (
        _Continuations(tree) if dialect == "python" else _Derivatives(tree)
    )
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


def _width(tree: Tree) -> int:
    """The one width of what a look-behind looks for."""
    match tree:
        case ("set", _):
            return 1
        case ("cat", trees):
            return sum(_width(part) for part in trees)
        case ("or", trees):
            return max((_width(part) for part in trees), default=0)
        case ("rep", inner, least, most) if least == most:
            return _width(inner) * int(least)
        case ("ahead" | "behind", _, _):
            return 0
        case ("atomic", inner):
            return _width(inner)
    raise Incomplete("a look-behind of no fixed width is not followed")


# The python dialect: formulas over continuations -----------------------------------------------------

_END = ("end",)
_TAIL = ("tail",)
_HERE = ("here",)
_TRUE: Any = ("true",)
_FALSE: Any = ("false",)


class _Continuations:
    """A state is the last few letters and a formula over stacks `(tree, stack)`.

    A stack ends in `end` (the string is over), `tail` (anything may follow) or, for what a look-behind looks
    for, `here` (the position of the look-behind).
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.memory = _memory(tree)
        self._known: dict[Any, Any] = {}

    def start(self) -> Any:
        return ("", ("stack", (self.tree, _END)))

    def step(self, state: Any, letter: str) -> Any:
        before, formula = state
        after = (before + letter)[-self.memory :] if self.memory else ""
        return (after, self._advance(formula, before, letter))

    def final(self, state: Any) -> bool:
        before, formula = state
        return self._advance(formula, before, None) is _TRUE

    def _advance(self, formula: Any, before: str, letter: Letter) -> Any:
        key = (formula, before, letter)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._advance_anew(formula, before, letter)
        return known

    def _advance_anew(self, formula: Any, before: str, letter: Letter) -> Any:
        match formula:
            case ("stack", stack):
                return self._expand(stack, before, letter)
            case ("all", parts):
                return _all([self._advance(part, before, letter) for part in parts])
            case ("any", parts):
                return _any([self._advance(part, before, letter) for part in parts])
            case ("no", part):
                return _no(self._advance(part, before, letter))
        return formula

    def _expand(self, stack: Any, before: str, letter: Letter, arrived: bool = False) -> Any:
        if stack == _END:
            return _TRUE if letter is None else _FALSE
        if stack == _TAIL:
            return _TRUE
        if stack == _HERE:
            return _TRUE if arrived else _FALSE
        tree, rest = stack

        def expand(inner: Tree, then: Any) -> Any:
            return self._expand((inner, then), before, letter, arrived)

        def go_on() -> Any:
            return self._expand(rest, before, letter, arrived)

        match tree:
            case ("set", test):
                if letter is None or not test(letter) or (arrived and _bottom(rest) == _HERE):
                    return _FALSE
                return _kept(rest)
            case ("cat", trees):
                for part in reversed(trees[1:]):
                    rest = (part, rest)
                return expand(trees[0], rest) if trees else go_on()
            case ("or", trees):
                return _any([expand(part, rest) for part in trees])
            case ("rep", inner, least, most):
                if most == 0:
                    return go_on()
                fewer = ("rep", inner, max(least - 1, 0), None if most is None else most - 1)
                if least:
                    return expand(inner, (fewer, rest))
                # A round that takes no letter changes nothing: `round` ends such a path.
                return _any([expand(inner, (("round", fewer), rest)), go_on()])
            case ("round", _):
                return _FALSE
            case ("greedy", inner, least, most):
                if most == 0:
                    return go_on()
                fewer = ("greedy", inner, max(least - 1, 0), None if most is None else most - 1)
                more = expand(inner, (fewer, rest))
                if least:
                    return more
                fails = _no(expand(inner, _TAIL))
                return _any([more, _all([fails, go_on()])])
            case ("atomic", inner):
                return expand(inner, rest)
            case ("ahead", inner, positive):
                seen = expand(inner, _TAIL)
                return _all([seen if positive else _no(seen), go_on()])
            case ("behind", inner, positive):
                seen = self._behind(inner, before, letter)
                return _all([seen if positive else _no(seen), go_on()])
        raise Incomplete(f"no step for {tree[0]!r}")

    def _behind(self, inner: Tree, before: str, letter: Letter) -> Any:
        """What a look-behind asks of the rest: its inside is stepped over the letters before it."""
        width = _width(inner)
        if len(before) < width:
            return _FALSE
        passed = len(before) - width
        formula: Any = ("stack", (inner, _HERE))
        for position in range(passed, len(before)):
            formula = self._advance(formula, before[:position], before[position])
        return self._arrive(formula, before, letter)

    def _arrive(self, formula: Any, before: str, letter: Letter) -> Any:
        match formula:
            case ("stack", stack):
                return self._expand(stack, before, letter, arrived=True)
            case ("all", parts):
                return _all([self._arrive(part, before, letter) for part in parts])
            case ("any", parts):
                return _any([self._arrive(part, before, letter) for part in parts])
            case ("no", part):
                return _no(self._arrive(part, before, letter))
        return formula


def _memory(tree: Any) -> int:
    """How many letters back a look-behind can see."""
    if not isinstance(tree, tuple):
        return 0
    inside = max(map(_memory, tree), default=0)
    return inside + (_width(tree[1]) if tree[:1] == ("behind",) else 0)


def _bottom(stack: Any) -> Any:
    while stack not in (_END, _TAIL, _HERE):
        stack = stack[1]
    return stack


def _kept(stack: Any) -> Any:
    """The stack as a formula, after a letter was taken: rounds have made progress."""
    if stack == _TAIL:
        return _TRUE
    frames = []
    while stack not in (_END, _TAIL, _HERE):
        tree, stack = stack
        frames.append(tree[1] if tree[0] == "round" else tree)
    for tree in reversed(frames):
        stack = (tree, stack)
    return ("stack", stack)


def _all(parts: list[Any]) -> Any:
    distinct: set[Any] = set()
    for part in parts:
        if part is _FALSE:
            return _FALSE
        if part is not _TRUE:
            distinct |= part[1] if part[0] == "all" else {part}
    if not distinct:
        return _TRUE
    return distinct.pop() if len(distinct) == 1 else ("all", frozenset(distinct))


def _any(parts: list[Any]) -> Any:
    distinct: set[Any] = set()
    for part in parts:
        if part is _TRUE:
            return _TRUE
        if part is not _FALSE:
            distinct |= part[1] if part[0] == "any" else {part}
    if not distinct:
        return _FALSE
    return distinct.pop() if len(distinct) == 1 else ("any", frozenset(distinct))


def _no(part: Any) -> Any:
    if part is _TRUE:
        return _FALSE
    if part is _FALSE:
        return _TRUE
    return part[1] if part[0] == "no" else ("no", part)


# The deepregex dialect: derivatives of trees ---------------------------------------------------------

_EMPTY: Tree = ("cat", ())
_NOTHING: Tree = ("or", frozenset())
_EVERYTHING: Tree = ("not", _NOTHING)


class _Derivatives:
    """A state is the letter before and a tree; the letter before is kept only where a tree looks behind."""

    def __init__(self, tree: Tree) -> None:
        self.tree = _normal(tree)
        self.looks = _looks(tree)

    def start(self) -> Any:
        return (None, self.tree)

    def step(self, state: Any, letter: str) -> Any:
        before, tree = state
        return (letter if self.looks else None, _derive(tree, before, letter))

    def final(self, state: Any) -> bool:
        before, tree = state
        return _nullable(tree, before, None)


def _looks(tree: Any) -> bool:
    return isinstance(tree, tuple) and (tree[:1] in (("behind",), ("ahead",)) or any(map(_looks, tree)))


def _normal(tree: Tree) -> Tree:
    match tree:
        case ("cat", trees):
            return _then([_normal(part) for part in trees])
        case ("or", trees):
            return _join("or", [_normal(part) for part in trees])
        case ("and", trees):
            return _join("and", [_normal(part) for part in trees])
        case ("not", inner):
            return _opposite(_normal(inner))
        case ("rep", inner, least, most):
            return _repeat(_normal(inner), least, most)
    return tree


def _then(trees: list[Tree]) -> Tree:
    parts: list[Tree] = []
    for tree in trees:
        if tree == _NOTHING:
            return _NOTHING
        if tree[0] == "cat":
            parts.extend(tree[1])
        else:
            parts.append(tree)
    return parts[0] if len(parts) == 1 else ("cat", tuple(parts))


def _join(form: str, trees: list[Tree]) -> Tree:
    unit, zero = (_NOTHING, _EVERYTHING) if form == "or" else (_EVERYTHING, _NOTHING)
    parts: set[Tree] = set()
    for tree in trees:
        if tree == zero:
            return zero
        if tree != unit:
            parts |= tree[1] if tree[0] == form else {tree}
    if not parts:
        return unit
    return parts.pop() if len(parts) == 1 else (form, frozenset(parts))


def _opposite(tree: Tree) -> Tree:
    return tree[1] if tree[0] == "not" else ("not", tree)


def _repeat(inner: Tree, least: int, most: int | None) -> Tree:
    if most == 0 or inner == _EMPTY:
        return _EMPTY
    if least == most == 1:
        return inner
    return ("rep", inner, least, most)


def _nullable(tree: Tree, before: Letter, after: Letter) -> bool:
    match tree:
        case ("set", _):
            return False
        case ("cat", trees) | ("and", trees):
            return all(_nullable(part, before, after) for part in trees)
        case ("or", trees):
            return any(_nullable(part, before, after) for part in trees)
        case ("not", inner):
            return not _nullable(inner, before, after)
        case ("rep", inner, least, _):
            return least == 0 or _nullable(inner, before, after)
        case ("behind", ("set", test), positive):
            return (before is not None and test(before)) is positive
        case ("ahead", ("set", test), positive):
            return (after is not None and test(after)) is positive
    raise Incomplete(f"no meaning for {tree[0]!r}")


def _derive(tree: Tree, before: Letter, letter: str) -> Tree:
    match tree:
        case ("set", test):
            return _EMPTY if test(letter) else _NOTHING
        case ("cat", trees):
            choices = []
            for position, part in enumerate(trees):
                choices.append(_then([_derive(part, before, letter), *trees[position + 1 :]]))
                if not _nullable(part, before, letter):
                    break
            return _join("or", choices)
        case ("or", trees):
            return _join("or", [_derive(part, before, letter) for part in trees])
        case ("and", trees):
            return _join("and", [_derive(part, before, letter) for part in trees])
        case ("not", inner):
            return _opposite(_derive(inner, before, letter))
        case ("rep", inner, least, most):
            # Rounds that are owed can be spent where the body matches nothing.
            owed = 0 if _nullable(inner, before, letter) else max(least - 1, 0)
            rest = _repeat(inner, owed, None if most is None else most - 1)
            return _then([_derive(inner, before, letter), rest])
    return _NOTHING


def searching(tree: Tree) -> Tree:
    """The strings in which the tree matches somewhere."""
    anything: Tree = ("rep", ANY, 0, None)
    return ("cat", (anything, tree, anything))
