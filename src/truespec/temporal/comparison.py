"""Two formulas compared: proofs and shortest separating words, cheap routes first."""

from __future__ import annotations

from dataclasses import dataclass

from truespec.solvers.limit import Limit
from truespec.temporal import shortest
from truespec.temporal.pool import FALSE, Pool
from truespec.temporal.search import FiniteSearch, InfiniteSearch
from truespec.temporal.syntax import Formula
from truespec.temporal.words import Word, separate
from truespec.verdict import OutOfTime


@dataclass(frozen=True, slots=True)
class Outcome:
    """How two formulas compare on the words in scope."""

    method: str
    """What decided: `normal form`, `short words` or `automaton`."""
    word: Word | None
    """A word that separates them; None where they are proved equal."""
    shortest: bool = True
    """Whether no shorter word separates them."""
    only_left: bool | None = None
    """Whether there is a word in which only the left holds; None where that is open."""
    only_right: bool | None = None
    """Whether there is a word in which only the right holds; None where that is open."""
    states: int = 0
    """States that the search stepped."""


def pool_of(names: tuple[str, ...], finite: bool) -> Pool:
    """A pool that simplifies."""
    return Pool(names, finite)


def compare(pool: Pool, left: Formula, right: Formula, scope: Formula, limit: Limit) -> Outcome:
    """Compare two formulas on the words of `scope`; `OutOfTime` where neither was found in time."""
    within = pool.add(scope)
    a, b = (pool.conjunction([within, pool.add(side)]) for side in (left, right))
    if a == b:
        return Outcome("normal form", None, only_left=False, only_right=False)
    short = separate(pool, a, b, limit.check)
    if pool.finite:
        return _finite(pool, a, b, short.left, short.right, short.length, limit)
    return _infinite(pool, a, b, short.left, short.right, short.length, limit)


def _shorter(left: Word | None, right: Word | None) -> Word | None:
    found = [word for word in (left, right) if word is not None]
    return min(found, key=lambda word: len(word.letters), default=None)


def _finite(
    pool: Pool, a: int, b: int, left: Word | None, right: Word | None, length: int, limit: Limit
) -> Outcome:
    """Both directions level by level, so that the first trace is the shortest of all."""
    word, method = _shorter(left, right), "short words"
    open_ = {
        side: FiniteSearch(pool, tops, limit.check)
        for side, tops, found in (("left", (a, b ^ 1), left), ("right", (a ^ 1, b), right))
        if found is None
    }
    searches = list(open_.values())
    only: dict[str, bool | None] = {"left": left is not None or None, "right": right is not None or None}
    try:
        while open_:
            for side, search in list(open_.items()):
                found = search.advance()
                if found is not None and word is None:
                    word, method = found, "automaton"
                if found is not None or not search.frontier:
                    only[side] = found is not None
                    del open_[side]
    except OutOfTime:
        if word is None:
            raise
    states = sum(search.unfolding.states for search in searches)
    return Outcome(method if word else "automaton", word, True, only["left"], only["right"], states)


def _infinite(
    pool: Pool, a: int, b: int, left: Word | None, right: Word | None, length: int, limit: Limit
) -> Outcome:
    word = _shorter(left, right)
    found_short = word is not None
    only: dict[str, bool | None] = {"left": left is not None or None, "right": right is not None or None}
    states, late = 0, None
    for side, tops, found in (("left", (a, b ^ 1), left), ("right", (a ^ 1, b), right)):
        if found is not None:
            continue
        search = InfiniteSearch(pool, tops, limit.portion(0.45 if side == "left" else 0.8).check)
        try:
            found = search.run()
            only[side] = found is not None
            word = word if found_short else _shorter(word, found)
        except OutOfTime as error:
            late = error
        states += search.unfolding.states
    if word is None:
        if late is not None:
            raise late
        return Outcome("automaton", None, True, False, False, states)
    if found_short:
        return Outcome("short words", word, True, only["left"], only["right"], states)
    word, least = shortest.shorten(pool, a, b, word, length, limit)
    return Outcome("automaton", word, least, only["left"], only["right"], states)


def model(pool: Pool, formula: Formula, limit: Limit) -> Word | None:
    """A word in which the formula holds, or None where there is none."""
    number = pool.add(formula)
    if number == FALSE:
        return None
    short = separate(pool, number, FALSE, limit.check, bits=10)
    if short.left is not None:
        return short.left
    if not pool.finite:
        return InfiniteSearch(pool, (number,), limit.check).run()
    search = FiniteSearch(pool, (number,), limit.check)
    while search.frontier:
        word = search.advance()
        if word is not None:
            return word
    return None
