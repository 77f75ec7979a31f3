"""The boundary to Z3: a check ends in one of three outcomes, never in an exception of Z3's."""

from __future__ import annotations

from enum import Enum
from typing import Any

import z3

from truespec.solvers.limit import Limit
from truespec.verdict import OutOfMemory


class Outcome(Enum):
    """What a solver said of a set of assertions."""

    SAT = "sat"
    """A model exists; it must still be replayed."""
    UNSAT = "unsat"
    """No model exists."""
    UNKNOWN = "unknown"
    """The solver gave up or reached its limit."""


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
