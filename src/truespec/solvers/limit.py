"""The wall limit of one verification."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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

    @property
    def ends(self) -> float:
        """When it ends, by `time.monotonic()`."""
        return self.started + self.seconds

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Seconds left; `OutOfTime` when none are."""
        left = self.seconds - self.elapsed()
        if left <= 0:
            raise OutOfTime(f"no decision within {self.seconds:g} s")
        return left

    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.elapsed() >= self.seconds

    def check(self) -> None:
        """Raise `OutOfTime` when no time is left."""
        self.remaining()

    def portion(self, fraction: float) -> Limit:
        """A limit that ends after this fraction of the time that is left."""
        return Limit(self.elapsed() + fraction * self.remaining(), self.started)


_present: ContextVar[Limit | None] = ContextVar("present", default=None)


@contextmanager
def present(limit: Limit) -> Iterator[None]:
    """Make this the limit of what the block does, for code that is not handed one, as parsers are not."""
    token = _present.set(limit)
    try:
        yield
    finally:
        _present.reset(token)


def present_end() -> float:
    """When the present limit ends, by `time.monotonic()`; infinity where there is none."""
    limit = _present.get()
    return math.inf if limit is None else limit.ends
