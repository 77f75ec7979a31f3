"""How hard to look for a proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truespec.solvers.limit import Limit


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try, in Z3's resource units and not in seconds: a busy machine changes no answer."""

    statement: int
    """For one statement; 400 000 are some 0.2 s of processor time."""
    statements: int
    """How many statements."""
    least: int
    """For one statement where many were left open."""

    def after(self, unanswered: int) -> int:
        """For the next statement: where more were left open, it is likelier that no proof is there at all."""
        return max(self.least, self.statement * PATIENCE // (PATIENCE + unanswered))


PATIENCE = 2
"""After so many statements that were left open, the next one is asked with half the effort."""
FULL = Effort(400_000, 3_000, 60_000)
"""Nearly all statements that are proved take a sixth of it."""
BRIEF = Effort(60_000, 40, 60_000)
"""Enough for most pairs that can be proved at all."""


@dataclass(slots=True)
class Pause:
    """What else is tried for a pair before a proof with little effort goes on with full effort."""

    due: Limit
    """When it is time for it, if the effort is not spent before."""
    meanwhile: Callable[[], Limit]
    """It, and the limit of the proof from then on; raises what ends the proof."""
    over: bool = False
    """Whether it was taken."""

    def take(self) -> Limit:
        """Take it; the limit of the proof from now on."""
        self.over = True
        return self.meanwhile()
