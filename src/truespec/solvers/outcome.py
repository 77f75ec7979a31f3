"""What every solver's check ends in."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """What a solver said of a set of assertions."""

    SAT = "sat"
    """A model exists; it must still be replayed."""
    UNSAT = "unsat"
    """No model exists."""
    UNKNOWN = "unknown"
    """The solver gave up or reached its limit."""
