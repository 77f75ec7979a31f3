"""A checker that one trace ends; a module of its own, since workers import it."""

from __future__ import annotations

import os
import signal
from typing import Any

from truespec.executors import traces
from truespec.traces.files import Problem
from truespec.traces.trace import Trace


class Deadly(traces._Checker):
    """A checker that one trace ends."""

    def __call__(self, trace: Trace, seconds: float) -> dict[str, Any] | Problem:
        if trace.source.position == "n33":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(trace, seconds)
