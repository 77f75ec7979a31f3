"""What happens inside a worker process."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Sequence

from truespec.domains.registry import load

PARENT_POLL_SECONDS = 0.5
"""How soon a worker notices that its parent was killed."""


def start(domains: Sequence[str], memory: int, announce: Callable[[int], object]) -> None:
    """Prepare this process as a worker: own group, memory cap, orphan watch, warm domains.

    The worker leads a process group of its own, so that ending the group ends whatever it has started.
    """
    os.setsid()
    announce(os.getpid())
    # Python's own handler would wait for a solver's C code to return; the default ends it at once.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in domains:
        load(name).warm_up()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    os.killpg(0, signal.SIGKILL)
