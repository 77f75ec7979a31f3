"""How a candidate's text differs from the oracle's: which kind of token was changed, left out or added."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d]\w*|\s+|[<>=!]=|<->|->|<>|//|\*\*|.", re.DOTALL)
SEVERAL = "several changes"
"""The kind of a candidate that was not made by one slip."""
_QUANTIFIERS = frozenset("∀∃")


def change(oracle: str, candidate: str) -> str:
    """The kind of the one change between two texts, or `several changes`; spaces do not count.

    >>> change("a + 2 * b", "a + 3 * b"), change("a < b", "a <= b"), change("a + b", "a * c - 1")
    ('another number', 'another operator', 'several changes')
    >>> change("a and b", "a"), change("a", "a or b"), change("x > y", "y > x")
    ('something left out', 'something added', 'another order')
    """
    one, two = _tokens(oracle), _tokens(candidate)
    if one == two:
        return "the same text"
    steps = [
        step for step in SequenceMatcher(None, one, two, autojunk=False).get_opcodes() if step[0] != "equal"
    ]
    if sorted(one) == sorted(two):
        return "another order"
    if len(steps) > 1:
        return SEVERAL
    _, start, end, first, last = steps[0]
    old, new = one[start:end], two[first:last]
    if not new:
        return "something left out"
    if not old:
        return "something added"
    kinds = {_kind(token) for token in (*old, *new)}
    if len(kinds) == 1 and len(old) == len(new) == 1:
        return f"another {kinds.pop()}"
    return "another operator" if kinds == {"operator"} else SEVERAL


def _tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if not token.isspace()]


def _kind(token: str) -> str:
    if token[0].isdigit():
        return "number"
    if token in _QUANTIFIERS:
        return "quantifier"
    return "name or word" if token[0].isalpha() or token[0] == "_" else "operator"
