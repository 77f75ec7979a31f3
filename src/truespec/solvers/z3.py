"""The boundary to Z3: a check ends in one of three outcomes, never in an exception of Z3's."""

from __future__ import annotations

from typing import Any

import z3

from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import OutOfMemory

__all__ = ["Outcome", "check", "version"]


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
