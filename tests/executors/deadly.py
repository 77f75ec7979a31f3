"""A checker that one trace ends; a module of its own, since workers import it."""

from __future__ import annotations

import os
import signal
from typing import Any

from truespec.executors import traces
from truespec.traces.trace import Trace

DEADLY = "the end of its worker"
"""What the agent says in a trace that ends its worker."""


class Deadly(traces._Checker):
    """A checker that one trace ends."""

    def _check(self, trace: Trace) -> dict[str, Any]:
        if trace.source.position == "n33" or trace.messages[-1].text == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._check(trace)
