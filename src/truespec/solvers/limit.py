"""The wall limit of one verification."""

from __future__ import annotations

import time
from dataclasses import dataclass

from truespec.verdict import OutOfTime


@dataclass(frozen=True, slots=True)
class Limit:
    """A wall limit that started when a worker took the pair up.

    Procedures ask `remaining` before they call a solver and `check` inside their own loops; whatever
    does neither is ended from outside by the worker pool.
    """

    seconds: float
    """The whole limit, in seconds."""
    started: float
    """`time.monotonic()` when it began."""

    @classmethod
    def start(cls, seconds: float) -> Limit:
        """A limit of `seconds` from now."""
        return cls(seconds, time.monotonic())

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Seconds left; `OutOfTime` when none are."""
        left = self.seconds - self.elapsed()
        if left <= 0:
            raise OutOfTime(f"no decision within {self.seconds:g} s")
        return left

    def check(self) -> None:
        """Raise `OutOfTime` when no time is left."""
        self.remaining()

    def portion(self, fraction: float) -> Limit:
        """A limit that ends after this fraction of the time that is left."""
        return Limit(self.elapsed() + fraction * self.remaining(), self.started)
