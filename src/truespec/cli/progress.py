"""How far a long run has come: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

ON_TERMINAL, ELSEWHERE = 0.1, 10.0
"""Seconds between two reports."""


class Progress:
    """Reports on standard error."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._pause = ON_TERMINAL if self._terminal else ELSEWHERE
        self._last = time.monotonic()
        self._width = 0

    def show(self, text: str) -> None:
        """Report, unless the last report was just now."""
        if self._quiet:
            return
        now = time.monotonic()
        if now - self._last < self._pause:
            return
        self._last = now
        if self._terminal:
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Clear the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
