"""Formulas evaluated by definition, position by position. Slow, short, and independent of `progress`:
it replays every trace that a comparison of rules comes up with, and the tests hold monitors against it."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.rules import formula as f
from truespec.rules.formula import Formula


def holds(formula: Formula, word: Sequence[frozenset[int] | set[int]], position: int = 0) -> bool:
    """Whether a formula holds at a position of a word of sets of atoms.

    A position that the word does not have stands for its end: see `formula` for what holds there.
    """
    n = len(word)
    if n == 0:
        return _at_end(formula)
    values: dict[int, list[bool]] = {}
    for node in f.walk(formula):
        kind = node.kind
        if kind in (f.TRUE, f.FALSE):
            row = [kind == f.TRUE] * n
        elif kind in (f.ATOM, f.NOT_ATOM):
            row = [(node.atom in letter) == (kind == f.ATOM) for letter in word]
        elif kind == f.AND:
            row = [all(values[item.index][i] for item in node.items) for i in range(n)]
        elif kind == f.OR:
            row = [any(values[item.index][i] for item in node.items) for i in range(n)]
        else:
            a = values[node.items[0].index]
            b = values[node.items[-1].index]
            row = [_temporal(kind, a, b, i, n) for i in range(n)]
        values[node.index] = row
    return values[formula.index][position]


def _temporal(kind: int, a: list[bool], b: list[bool], i: int, n: int) -> bool:
    if kind == f.NEXT:
        return i + 1 < n and a[i + 1]
    if kind == f.WEAK_NEXT:
        return i + 1 >= n or a[i + 1]
    if kind == f.YESTERDAY:
        return i > 0 and a[i - 1]
    if kind == f.WEAK_YESTERDAY:
        return i == 0 or a[i - 1]
    if kind == f.UNTIL:
        return any(b[j] and all(a[i:j]) for j in range(i, n))
    if kind == f.RELEASE:
        return all(b[j] or any(a[i:j]) for j in range(i, n))
    if kind == f.SINCE:
        return any(b[j] and all(a[j + 1 : i + 1]) for j in range(i + 1))
    return all(b[j] or any(a[j + 1 : i + 1]) for j in range(i + 1))


def _at_end(formula: Formula) -> bool:
    kind = formula.kind
    if kind == f.AND:
        return all(_at_end(item) for item in formula.items)
    if kind == f.OR:
        return any(_at_end(item) for item in formula.items)
    return kind in (f.TRUE, f.NOT_ATOM, f.WEAK_NEXT, f.RELEASE, f.WEAK_YESTERDAY, f.TRIGGERED)
