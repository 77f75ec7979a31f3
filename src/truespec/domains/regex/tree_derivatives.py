"""Stepping a tree of the deepregex dialect by its derivatives (Brzozowski, 1964).

The letters before and after are at hand; they settle word boundaries.
"""

from __future__ import annotations

from typing import Any

from truespec.domains.regex.plain import Letter, Tree
from truespec.verdict import Incomplete

_EMPTY: Tree = ("cat", ())
_NOTHING: Tree = ("or", frozenset())
_EVERYTHING: Tree = ("not", _NOTHING)


class Derivatives:
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
