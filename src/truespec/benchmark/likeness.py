"""How alike two tasks are: by the words of their statements, and by the shape of their oracles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from truespec.benchmark.task import Task

THRESHOLD = 0.6
"""Two tasks count as near-duplicates from this likeness on."""

_SHINGLE = 3
"""Tokens in a shingle, the usual length for short texts."""
_WORD = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")
_KEPT = frozenset(
    (
        "and",
        "or",
        "not",
        "if",
        "else",
        "int",
        "round",
        "floor",
        "ceil",
        "abs",
        "min",
        "max",
        "is_int",
        "divides",
    )
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two tasks of one domain, and how alike they are, from 0 to 1."""

    one: str
    """The id of the first."""
    two: str
    """The id of the second."""
    statements: float
    """The share of word shingles that the statements have in common (Jaccard)."""
    oracles: float
    """The same for the oracles, whose names are replaced by their order of appearance."""

    @property
    def likeness(self) -> float:
        """That of the statements or the mean of both, whichever is more.

        Oracles alone make no near-duplicate: "every P is a Q" has one shape, whatever it speaks of.
        """
        return max(self.statements, (self.statements + self.oracles) / 2)


def compare(tasks: Iterable[Task]) -> Iterator[Likeness]:
    """Every pair of tasks of the same domain."""
    known = [(task, _shingles(_words(task.statement)), _shingles(_shape(task))) for task in tasks]
    for (one, words, shape), (two, other_words, other_shape) in combinations(known, 2):
        if one.domain == two.domain:
            yield Likeness(one.id, two.id, _jaccard(words, other_words), _jaccard(shape, other_shape))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _shape(task: Task) -> list[str]:
    """The oracle's tokens, without regard to names and layout; patterns are taken as they are."""
    if task.domain == "regex":
        return list(task.oracle)
    order: dict[str, str] = {}
    tokens = _WORD.findall(task.oracle)
    return [
        order.setdefault(token, f"n{len(order)}") if _NAME.fullmatch(token) and token not in _KEPT else token
        for token in tokens
    ]


def _shingles(tokens: list[str]) -> frozenset[tuple[str, ...]]:
    last = max(1, len(tokens) - _SHINGLE + 1)
    return frozenset(tuple(tokens[at : at + _SHINGLE]) for at in range(last))


def _jaccard(one: frozenset[tuple[str, ...]], two: frozenset[tuple[str, ...]]) -> float:
    return len(one & two) / len(one | two)
