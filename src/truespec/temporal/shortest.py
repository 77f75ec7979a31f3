"""A shortest lasso that separates two formulas, by bounded search: values at k positions as a SAT problem.

The search for components finds some lasso. The shorter words, where they are too many to enumerate, are put
to Z3: for each length the same equations that `words.py` solves with integers, here with gates, for each loop
start.
"""

from __future__ import annotations

from typing import Any

from truespec.solvers.limit import Limit
from truespec.temporal.pool import Pool
from truespec.temporal.words import Word, values
from truespec.verdict import Incomplete, Undecided

MOST_GATES = 30_000
"""Larger problems are not built; the word is then not known to be shortest."""


def shorten(pool: Pool, a: int, b: int, word: Word, tried: int, limit: Limit) -> tuple[Word, bool]:
    """A shortest lasso that separates the formulas, and whether it is known to be shortest.

    No lasso of at most `tried` positions separates them; `word` does.
    """
    for k in range(tried + 1, len(word.letters)):
        try:
            found = _of_length(pool, a, b, k, limit.portion(0.5))
        except Undecided:
            return word, False
        if found is not None:
            return found, True
    return word, True


class _Gates:
    """A circuit, written as SMT-LIB while it grows; equal gates are one."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.lines: list[str] = []
        self._known: dict[tuple[str, str, str], _Gate] = {}

    def variable(self, name: str) -> _Gate:
        self.lines.append(f"(declare-const {name} Bool)")
        return _Gate(self, name)

    def binary(self, op: str, left: str, right: str) -> _Gate:
        key = (op, min(left, right), max(left, right))
        found = self._known.get(key)
        if found is None:
            if not len(self._known) % 1000:
                self.limit.check()
            if len(self._known) >= MOST_GATES:
                raise Incomplete(f"more than {MOST_GATES} gates")
            name = f"g{len(self._known)}"
            self.lines.append(f"(declare-const {name} Bool)(assert (= {name} ({op} {left} {right})))")
            found = self._known[key] = _Gate(self, name)
        return found


class _Gate:
    """A truth value in a circuit; combines with gates and with the constants 0 and 1 as integers do."""

    __slots__ = ("gates", "name")

    def __init__(self, gates: _Gates, name: str) -> None:
        self.gates = gates
        self.name = name

    def __and__(self, other: _Gate | int) -> _Gate | int:
        if isinstance(other, int):
            return self if other else 0
        return self if other is self else self.gates.binary("and", self.name, other.name)

    def __or__(self, other: _Gate | int) -> _Gate | int:
        if isinstance(other, int):
            return 1 if other else self
        return self if other is self else self.gates.binary("or", self.name, other.name)

    def __xor__(self, other: _Gate | int) -> _Gate | int:
        if isinstance(other, int):
            return _Gate(self.gates, f"(not {self.name})") if other else self
        return 0 if other is self else self.gates.binary("xor", self.name, other.name)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


def _of_length(pool: Pool, a: int, b: int, k: int, limit: Limit) -> Word | None:
    import z3

    from truespec.solvers.outcome import Outcome
    from truespec.solvers.z3 import check

    order, used = pool.below(a, b), pool.used(a, b)
    gates = _Gates(limit)
    rows: list[list[Any]] = [[0] * len(pool.atoms) for _ in range(k)]
    for i, row in enumerate(rows):
        for place in used:
            row[place] = gates.variable(f"p{place}_{i}")
    differ: dict[int, Any] = {}
    for loop in range(k - 1, -1, -1):
        at = values(pool, order, rows, loop, 1)
        differ[loop] = at[a][0] ^ at[b][0]
    apart = {loop: value for loop, value in differ.items() if not isinstance(value, int)}
    if not apart:
        if any(differ.values()):
            raise Incomplete("two formulas that differ in every word")
        return None
    solver = z3.SolverFor("QF_FD")
    some = " ".join(value.name for value in apart.values())
    solver.from_string("\n".join([*gates.lines, f"(assert (or {some} false))"]))
    answer = check(solver, limit)
    if answer is Outcome.UNKNOWN:
        raise Incomplete("z3 gave up")
    if answer is Outcome.UNSAT:
        return None
    model = {str(one): z3.is_true(solver.model()[one]) for one in solver.model()}
    letters = tuple(
        frozenset(pool.atoms[place] for place in used if model.get(row[place].name)) for row in rows
    )
    loops = [loop for loop, value in apart.items() if _value(value.name, model)]
    return Word(letters, loops[0]) if loops else None


def _value(name: str, model: dict[str, bool]) -> bool:
    return not _value(name[5:-1], model) if name.startswith("(not ") else model.get(name, False)
