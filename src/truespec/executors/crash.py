"""Where a worker was when a fatal signal ended it: Python's fault handler notes it, its parent reads it."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import tempfile
from pathlib import Path

_NAME = "crash.txt"
_MOST_BYTES = 1 << 16
"""More of a note is not read: deep recursion in many threads."""
_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>\S+)')
_PACKAGE = Path(__file__).parents[1]


def note_crashes() -> None:
    """Have this process note, in its folder for temporary files, where a fatal signal strikes it."""
    note = os.open(Path(tempfile.gettempdir()) / _NAME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    faulthandler.enable(note)


def place_of_crash(folder: Path) -> str:
    """The innermost line of our code at which a process with this folder crashed; empty where none is noted.

    The thread that was struck counts, or, where it runs no Python, the first one that does.
    """
    with contextlib.suppress(OSError), (folder / _NAME).open("rb") as note:
        text = note.read(_MOST_BYTES).decode("utf-8", "replace")
        for frame in _FRAME.finditer(text[text.find("Current thread") :]):
            path = Path(frame["file"])
            if path.is_relative_to(_PACKAGE):
                inside = path.relative_to(_PACKAGE.parent)
                return f"{inside}, line {frame['line']} ({frame['function']})"
    return ""
