"""What databases showed: those whose results had something new are changed again.

Coverage-guided fuzzing (Zalewski, "American fuzzy lop", 2014) with results in place of branches: a result has
a length, and each of its columns has values alike or apart, NULLs, and numbers of a size. A database on which
either query shows what no database before it showed is kept, and changed from then on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from random import Random

from truespec.domains.sql.engines.result import Cell, Outcome, Rows
from truespec.domains.sql.engines.script import Database
from truespec.domains.sql.refute.mutate import Mutator

KEPT = 24
"""So many databases are kept, the latest: what is new in them is built on what was new before."""
MAX_COLUMNS = 12
"""No more columns of a result are looked at."""

LARGE = 1e15
"""Numbers beyond it are alike."""


class Guide:
    """The databases of one search that are worth a change."""

    def __init__(self, mutator: Mutator, seed: int) -> None:
        self._mutator = mutator
        self._random = Random(seed)
        self._seen: set[Hashable] = set()
        self._kept: list[tuple[Database, list[int]]] = []

    def note(self, database: Database, outcomes: Sequence[Outcome]) -> None:
        """Keep a database on which a query shows something new."""
        features = {feature for side, outcome in enumerate(outcomes) for feature in _features(side, outcome)}
        if features <= self._seen:
            return
        self._seen |= features
        self._kept.append((database, [0]))
        if len(self._kept) > KEPT:
            self._kept.pop(0)

    def propose(self) -> Database | None:
        """The next database: of a few that are kept, the one least changed so far, with a change."""
        if not self._kept:
            return None
        some = [self._random.choice(self._kept) for _ in range(3)]
        database, times = min(some, key=lambda one: one[1][0])
        times[0] += 1
        return self._mutator.changed(database)


def _features(side: int, outcome: Outcome) -> Iterator[Hashable]:
    """What a result shows, coarsely."""
    if not isinstance(outcome, Rows):
        yield side, "failure"
        return
    size = min(len(outcome.rows), 7)
    yield side, size
    for place, column in enumerate(list(zip(*outcome.rows, strict=True))[:MAX_COLUMNS]):
        values = [value for value in column if value is not None]
        yield side, size, place, len(values) < len(column), min(len(set(values)), 6)
        for value in {_rough(value) for value in values}:
            yield side, place, value


def _rough(value: Cell) -> Hashable:
    """The size of a number, or the beginning of a text."""
    if isinstance(value, str | bytes):
        return value[:1]
    if value is None or isinstance(value, bool):
        return value
    if not -LARGE < float(value) < LARGE:
        return "large"
    whole = int(value)
    return (value == whole, value > 0, whole if abs(whole) <= 8 else ("bits", abs(whole).bit_length()))
