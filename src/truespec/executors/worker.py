"""A worker process: `python -m truespec.executors.worker READ_FD WRITE_FD`.

It reads pickled jobs from one pipe and writes one result each to another, in order, until the pipe ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any

from truespec.executors.crash import note_crashes
from truespec.executors.pipe import Pipe

NO_CAP = resource.RLIM_INFINITY
Start = tuple[Callable[[Any, float], Any], Sequence[str], int]
"""The function that a worker runs, its domains, and its cap on memory in bytes."""
SETTING_UP = "set-up"
"""What a worker says before it starts what a pair's context needs; None says that it is done."""
PARENT_POLL_SECONDS = 0.5
"""How soon a busy worker notices that its parent was killed."""


def main(read_fd: int, write_fd: int) -> None:
    """Serve until the parent closes the pipe."""

    def start() -> Start:
        sys.path[:] = jobs.recv()
        return jobs.recv()  # type: ignore[no-any-return]

    jobs = Pipe(read_fd)
    serve(jobs, write_fd, start)


def run_copied(read_fd: int, write_fd: int, start: Start) -> None:
    """Serve in a copy of the parent, which has what a fresh process is sent."""
    tempfile.tempdir = None  # the parent's
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        serve(Pipe(read_fd), write_fd, lambda: start)
    finally:
        _remove_folder()


def serve(jobs: Pipe, write_fd: int, start: Callable[[], Start]) -> None:
    """Serve jobs until their pipe ends; `start` gives what a worker has to know first."""
    parent = os.getppid()
    note_crashes()
    gc.disable()  # what is loaded now stays
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    results = Pipe(write_fd)
    try:
        function, domains, memory = start()
        _warm_up(domains)
        _collect_rarely()
        resource.setrlimit(resource.RLIMIT_AS, (memory, NO_CAP))
    except EOFError:
        return
    except Exception as error:
        results.send(f"{type(error).__name__}: {error}")
        return
    results.send(None)
    _serve(function, jobs, results, set(domains), memory)


def _serve(
    function: Callable[[Any, float], Any], jobs: Pipe, results: Pipe, warm: set[str], memory: int
) -> None:
    while True:
        try:
            work, seconds, domain = jobs.recv()
        except EOFError:
            return
        started = time.monotonic()
        answer: tuple[Any, str | None]
        try:
            if domain and domain not in warm:
                _uncapped(partial(_warm_up, [domain]), memory)
                warm.add(domain)
                results.send(None)
                started = time.monotonic()
            if missing := _missing(work, warm):
                results.send(SETTING_UP)
                _uncapped(missing, memory)
                results.send(None)
                started = time.monotonic()
            answer = (function(work, seconds), None)
            packed = pickle.dumps(answer)
        except MemoryError:
            packed = pickle.dumps((None, "MemoryError", "", time.monotonic() - started))
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the job failed, not the worker
            packed = pickle.dumps((None, type(error).__name__, str(error), time.monotonic() - started))
        try:
            results.send_bytes(packed)
        except (BrokenPipeError, ConnectionResetError):
            return


def _warm_up(domains: Sequence[str]) -> None:
    for name in domains:
        from truespec.domains.registry import load

        load(name).warm_up()


def _collect_rarely() -> None:
    """Look for garbage seldom: what is loaded stays, and a pair is read into many small values."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)
    gc.enable()


def _missing(work: Any, warm: Set[str]) -> Callable[[], None] | None:
    """What starts what a pair, or a claim on one, needs besides its domain; None where everything runs."""
    pair = getattr(work, "pair", work)
    if getattr(pair, "domain", None) not in warm:
        return None
    from truespec.domains.registry import load

    if (domain := load(pair.domain)).is_set_up(pair.context):
        return None
    return partial(domain.set_up, pair.context)


def _uncapped(start: Callable[[], None], memory: int) -> None:
    """Start something without the memory cap: the servers that it starts would inherit it."""
    resource.setrlimit(resource.RLIMIT_AS, (NO_CAP, NO_CAP))
    try:
        start()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (memory, NO_CAP))


def _end_with_parent(parent: int) -> None:
    """End this process and everything it started once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    _remove_folder()
    os.killpg(0, signal.SIGKILL)


def _remove_folder() -> None:
    """Remove the worker's temporary files, which its parent does otherwise."""
    from truespec.solvers.scratch import PREFIX

    folder = os.environ.get("TMPDIR", "")
    if Path(folder).name.startswith(f"{PREFIX}worker-"):
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]))
    finally:
        _remove_folder()
