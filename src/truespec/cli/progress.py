"""How far a long run has come: a bar with the time left on a terminal, nothing in a pipe or a file."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PAUSE = 0.1
"""Seconds between two updates."""


class Progress:
    """A bar on standard error; silent where that is no terminal, or where the caller wants quiet.

    It ends with its last step, with the command, or with `end`, whichever comes first.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet or not sys.stderr.isatty()
        self._next = 0.0
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._stage = ""

    def show(self, stage: str, done: int | None = None, total: int | None = None, note: str = "") -> None:
        """Say what is done, at most ten times a second; a new stage, by its words before "(", starts anew.

        Without `total` there is no time left to tell. `note` follows the bar.
        """
        if self._quiet:
            return
        now = time.monotonic()
        if now < self._next and (done is None or done != total):
            return
        self._next = now + PAUSE
        if self._bar is None:
            self._bar = _started()
            if (context := click.get_current_context(silent=True)) is not None:
                context.call_on_close(self.end)  # also after an error: a bar hides the cursor
        name = stage.partition(" (")[0] if total is not None else ""
        if self._task is not None and name != self._stage:
            self._bar.remove_task(self._task)
            self._task = None
        self._stage = name
        if self._task is None:
            self._task = self._bar.add_task(stage, total=total, completed=done or 0, note=note)
        else:
            self._bar.update(self._task, description=stage, total=total, completed=done or 0, note=note)
        if done is not None and done == total:
            self.end()

    def end(self) -> None:
        """Remove the bar; `show` may start another."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None


def _started() -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Count(ProgressColumn):
        """`DONE/TOTAL` where there is a total."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.completed:.0f}/{task.total:.0f}" if task.total is not None else "")

    bar = Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        Count(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # what is piped must not land on the terminal
    )
    bar.start()
    return bar
