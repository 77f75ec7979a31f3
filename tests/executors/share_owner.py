"""An owner of a guardian whose process starts a child in a session of its own, and waits to be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time

MARKER = f"86399.{os.getpid()}"


def main() -> None:
    """Start a guardian over a program that leaves its session, as a prover's helper may."""
    lifeline, _kept = os.pipe()
    read_fd, write_fd = os.pipe()
    program = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen(['setsid', 'sleep', '{MARKER}'], start_new_session=True)\n"
        "time.sleep(1000)\n"
    )
    starter = (
        "import sys\n"
        "from truespec.executors import guardian\n"
        f"guardian.SHARE[:] = [sys.executable, '-c', {program!r}]\n"
        f"guardian.main({lifeline}, {read_fd}, {write_fd})\n"
    )
    subprocess.run([sys.executable, "-c", starter], pass_fds=(lifeline, read_fd, write_fd), check=True)
    os.close(lifeline)
    print(MARKER, flush=True)
    time.sleep(1000)


main()
