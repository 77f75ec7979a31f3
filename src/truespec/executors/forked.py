"""A worker process that is a copy of this one: what is imported and compiled here is so there at once.

A copy of a process with several threads may wait for ever for a lock that one of them held; `may_fork` says
where there is one thread alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import subprocess
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn

_TASKS = Path("/proc/self/task")
_POLL_SECONDS = 0.005
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def mapped(process: int | str = "self") -> int:
    """How many bytes of address space a process has mapped; `OSError` where the system does not say."""
    with open(f"/proc/{process}/statm", "rb", buffering=0) as figures:
        return int(figures.read().split()[0]) * _PAGE_BYTES


def may_fork(memory: int) -> bool:
    """Whether a copy of this process can work, with room below a cap of `memory` bytes of address space."""
    try:
        alone = threading.active_count() == 1 and len(os.listdir(_TASKS)) == 1
        room = mapped() < memory // 2
    except OSError:  # no Linux: the threads of libraries cannot be counted
        return False
    return alone and room


_WIDE_BYTES = 1 << 20


def wide_pipe() -> tuple[int, int]:
    """A pipe that holds a large message, where the system grants it: its writer goes on at once."""
    ends = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        with contextlib.suppress(OSError):
            fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, _WIDE_BYTES)
    return ends


_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
"""Settings of glibc's `mallopt`."""
_KEPT_BLOCK, _KEPT = 32 << 20, 64 << 20
"""Bytes: the largest block that is kept, and how much is at the end of the heap."""


def keep_memory() -> None:
    """Have the C library keep what is freed for its next use, in this process and its copies.

    One that reads file after file would else give memory back each time, and get it anew page by page.
    """
    with contextlib.suppress(ImportError, OSError, AttributeError):  # another library, without `mallopt`
        from ctypes import CDLL

        library = CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _KEPT_BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _KEPT)


class Forked:
    """A copy of this process that runs a function; the part of `subprocess.Popen` that a pool needs.

    The copy is in a process group of its own. It keeps the descriptors `keep`; others read as empty there.
    """

    def __init__(self, run: Callable[[], None], keep: Collection[int], environment: dict[str, str]) -> None:
        gc.freeze()  # collecting in the copy must not touch, and so duplicate, every page of this process
        try:
            self.pid = os.fork()
        except OSError:
            gc.unfreeze()
            raise
        if not self.pid:
            _serve(run, keep, environment)
        gc.unfreeze()
        with contextlib.suppress(OSError):  # the copy does the same: whoever comes first
            os.setpgid(self.pid, self.pid)
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """The exit code once it has ended; `subprocess.TimeoutExpired` after `timeout` seconds."""
        if timeout is None:
            if self._code is None:
                self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return self._code
        ends = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() >= ends:
                raise subprocess.TimeoutExpired("worker", timeout)
            time.sleep(_POLL_SECONDS)
        return code


def _serve(run: Callable[[], None], keep: Collection[int], environment: dict[str, str]) -> NoReturn:
    """Run the function in the copy and end it, without what this process would do at its end."""
    code = 1
    try:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        # Replaced, not closed: objects that own them close them later, when a number may serve another file.
        for name in os.listdir("/proc/self/fd"):
            if int(name) not in keep and int(name) != nothing:
                os.dup2(nothing, int(name))
        os.environ.update(environment)
        run()
        code = 0
    finally:
        os._exit(code)
