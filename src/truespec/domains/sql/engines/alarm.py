"""One thread that stops statements which run too long, however many are run."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator


class Alarm:
    """Stops what takes longer than it may.

    The thread sleeps until the first deadline that it was told. A statement that ends before its deadline
    leaves the thread asleep, so that a statement of a millisecond costs no thread and no switch to one.
    """

    def __init__(self) -> None:
        self._owner = 0
        self._changed = threading.Condition()
        self._running: dict[object, tuple[float, Callable[[], object]]] = {}
        self._wakes = math.inf

    @contextlib.contextmanager
    def within(self, seconds: float, stop: Callable[[], object]) -> Iterator[None]:
        """Call `stop` once the block has run for so many seconds; never after its end."""
        if self._owner != os.getpid():
            self._start()
        statement, due = object(), time.monotonic() + seconds
        with self._changed:
            self._running[statement] = due, stop
            if due < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._running.pop(statement, None)

    def _start(self) -> None:
        # A fork has no thread of its parent, and perhaps a lock that nobody releases.
        self._owner, self._changed, self._running = os.getpid(), threading.Condition(), {}
        threading.Thread(target=self._watch, name="truespec-alarm", daemon=True).start()

    def _watch(self) -> None:
        with self._changed:
            while True:
                self._wakes = self._stop_late()
                self._changed.wait(None if self._wakes == math.inf else self._wakes - time.monotonic())

    def _stop_late(self) -> float:
        """Stop what is late, and tell the next deadline. The thread itself keeps hold of no statement."""
        now = time.monotonic()
        for statement, (due, stop) in [*self._running.items()]:
            if due <= now:
                del self._running[statement]
                with contextlib.suppress(Exception):  # the others still have to be stopped
                    stop()
        return min((due for due, _ in self._running.values()), default=math.inf)
