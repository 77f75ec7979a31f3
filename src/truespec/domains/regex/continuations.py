"""Stepping a tree of the python dialect by continuations: what is left to do, after each letter.

What is left is a Boolean formula over stacks of trees, in which `(?=x)y` is "x and anything, and also y".
"""

from __future__ import annotations

from typing import Any

from truespec.domains.regex.plain import Letter, Tree
from truespec.verdict import Incomplete

_END = ("end",)
_TAIL = ("tail",)
_HERE = ("here",)
_TRUE: Any = ("true",)
_FALSE: Any = ("false",)


class Continuations:
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
        width = width_of(inner)
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
    return inside + (width_of(tree[1]) if tree[:1] == ("behind",) else 0)


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


def width_of(tree: Tree) -> int:
    """The one width of what a look-behind looks for."""
    match tree:
        case ("set", _):
            return 1
        case ("cat", trees):
            return sum(width_of(part) for part in trees)
        case ("or", trees):
            return max((width_of(part) for part in trees), default=0)
        case ("rep", inner, least, most) if least == most:
            return width_of(inner) * int(least)
        case ("ahead" | "behind", _, _):
            return 0
        case ("atomic", inner):
            return width_of(inner)
    raise Incomplete("a look-behind of no fixed width is not followed")
