"""A process that lets nothing outlive its owner: `truespec.executors.guardian LIFELINE READ WRITE`.

It runs a share of workers (`executors/share.py`) and waits for the end of a pipe, the lifeline. Only the
owner holds the other end. When the owner ends, in whatever way, the guardian kills everything below itself.
It is a subreaper: what loses its parent becomes its child, so nothing escapes. It is not the owner's child,
since a cluster's manager kills the children of its actors first.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SHARE = [sys.executable, "-m", "truespec.executors.share"]
"""What it runs, before the two descriptors."""
POLL_MILLISECONDS = 100
"""How soon the end of the share itself is noticed."""


def main(lifeline: int, read_fd: int, write_fd: int) -> None:
    """Leave the owner's family, run the share, and end everything when the owner or the share ends."""
    if os.fork():
        os._exit(0)
    os.setsid()
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        os._exit(1)  # the owner reads the end of the pipe
    share = subprocess.Popen(
        [*SHARE, str(read_fd), str(write_fd)],
        pass_fds=(read_fd, write_fd),
        stdin=subprocess.DEVNULL,
    )
    os.close(read_fd)
    os.close(write_fd)
    poll = select.poll()
    poll.register(lifeline, select.POLLIN | select.POLLHUP)
    while not poll.poll(POLL_MILLISECONDS) and _running(share.pid):
        pass
    end_all()
    os._exit(0)


def _running(wanted: int) -> bool:
    """Reap what has ended; whether the share has not."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            if ended == wanted:
                return False
    return True


def end_all() -> None:
    """Kill every descendant until there is none; what is killed hands its children to us."""
    while True:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def descendants(root: int) -> list[int]:
    """The processes below one, as they are now."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found, level = [], [root]
    while level:
        level = [pid for pid, parent in parents.items() if parent in level]
        found += level
    return found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
