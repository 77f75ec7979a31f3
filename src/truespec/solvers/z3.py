"""The boundary to Z3: a check ends in one of three outcomes, never in an exception of Z3's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import z3

from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.solvers.z3_calls import quicken
from truespec.verdict import OutOfMemory

__all__ = ["Outcome", "apart", "begin_anew", "check", "remembering", "standing", "version"]

quicken()

_standing: list[tuple[Any, Callable[[], Any]]] = []
_Table = TypeVar("_Table", dict[int, Any], list[Any])
_remembering: list[Any] = []


def remembering(table: _Table) -> _Table:
    """Let `begin_anew` empty this: what it remembers of expressions must not be taken for others' later."""
    _remembering.append(table)
    return table


def standing(make: Callable[[], Any]) -> Any:
    """A constant of Z3 that a module keeps; `begin_anew` makes it again in the new context."""
    term = make()
    _standing.append((term, make))
    return term


def begin_anew() -> None:
    """Build all that comes in a context of its own: what Z3 does depends on nothing that came before.

    What Z3 finds with a given effort depends on the numbers that it gives to expressions, and on how its
    tables have grown. What was built before must not meet what is built from now on; what is `standing` may.
    """
    for table in _remembering:
        table.clear()
    z3.z3._main_ctx = z3.Context()
    for term, make in _standing:
        made = make()
        # The old one dies with `made`, in its own context.
        term.ast, term.ctx, made.ast, made.ctx = made.ast, made.ctx, term.ast, term.ctx


@contextmanager
def apart() -> Iterator[None]:
    """Let the block begin anew; after it all is as before, and what was built before is built on."""
    context, tables = z3.z3._main_ctx, [table.copy() for table in _remembering]
    terms = [(term, type(term)(term.ast, term.ctx)) for term, _ in _standing]
    try:
        yield
    finally:
        for table, was in zip(_remembering, tables, strict=True):
            table.clear()
            (table.update if isinstance(table, dict) else table.extend)(was)
        z3.z3._main_ctx = context
        for term, kept in terms:
            term.ast, term.ctx, kept.ast, kept.ctx = kept.ast, kept.ctx, term.ast, term.ctx


def check(solver: Any, limit: Limit) -> Outcome:
    """Run `solver.check()` within the limit; `OutOfMemory` where Z3 says so, `UNKNOWN` for all other ends."""
    solver.set("timeout", max(1, int(limit.remaining() * 1000)))
    try:
        answer = solver.check()
    except z3.Z3Exception as error:
        if "memory" in str(error):
            raise OutOfMemory(f"z3: {error}") from error
        return Outcome.UNKNOWN
    if answer == z3.unknown and "memory" in solver.reason_unknown():
        raise OutOfMemory("z3: out of memory")
    return Outcome(str(answer))


def version() -> str:
    """Z3's version, as proofs and reports name it."""
    return f"z3 {z3.get_version_string()}"
