"""A share of workers as a process: `python -m truespec.executors.share READ_FD WRITE_FD`.

It first reads the task of the workers (`cluster.Task`) and their number. Then it reads pickled jobs from one
pipe as they come and writes each result to another as it comes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from truespec.executors.pool import Job, Workers


def main(read_fd: int, write_fd: int) -> None:
    """Serve until the other side closes the pipe."""
    given, results = Connection(read_fd, writable=False), Connection(write_fd, readable=False)
    try:
        task, jobs = given.recv()
        with Workers(task.function, task.failed, task.domains, jobs=jobs) as workers:
            while True:
                first = given.recv()
                for answer in workers.run(_jobs(first, given), wake=read_fd):
                    results.send(answer)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _jobs(first: Job[str, Any], given: Connection) -> Iterator[Job[str, Any] | None]:
    """The jobs that have come; None where there is none at the moment."""
    yield first
    while True:
        yield given.recv() if given.poll() else None


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
