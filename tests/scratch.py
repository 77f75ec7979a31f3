"""Where the tests keep what they write: in memory, where the machine has room for it.

The tests write thousands of small files and commit hundreds of transactions, and a disk takes milliseconds
for each. A `TMPDIR` that is set stays.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
"""Where Linux has a file system in memory."""
ROOM = 4 << 30
"""Bytes: a whole run of the tests needs a tenth of it."""


def keep_in_memory() -> None:
    """Let temporary files of this process, and of those that it starts, lie in memory."""
    if "TMPDIR" in os.environ:
        return
    try:
        found = os.statvfs(MEMORY)
    except OSError:  # no Linux
        return
    free = found.f_bavail * found.f_frsize
    if free >= ROOM and not found.f_flag & os.ST_NOEXEC and os.access(MEMORY, os.W_OK | os.X_OK):
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None
