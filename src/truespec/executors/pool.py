"""Warm worker processes: a hang, a crash or a memory hog costs exactly the job that caused it.

Each worker has a pipe of its own, in a process group of its own, and serves its jobs in order. So the job
that ran when a worker ended is always known, and whatever the worker had started ends with it. A worker is a
fresh interpreter, which inherits nothing of the caller's process (threads, open files, its `__main__`), or,
where the caller asks for it and has one thread alone, a copy of the caller's process.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import select
import signal
import subprocess
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from truespec.executors.crash import place_of_crash
from truespec.executors.forked import Forked, mapped, may_fork, wide_pipe
from truespec.executors.pipe import Pipe, framed
from truespec.executors.worker import SETTING_UP
from truespec.solvers.scratch import Scratch
from truespec.verdict import ReasonCode, TruespecError, Verdict, unknown

if TYPE_CHECKING:
    from truespec.domains.verify import Pair

Key = TypeVar("Key", bound=Hashable)
Work = TypeVar("Work")
Result = TypeVar("Result")

GRACE_SECONDS = 0.25
"""A domain ends itself at the limit; one that does not is killed this much later."""
MEMORY_BYTES = 3 << 30
"""The default cap on a worker's address space; Z3's library and its threads map about 0.5 GiB of it."""
PIPE_BYTES = 1 << 16
"""How much is written to a worker's pipe at a time; what a pipe holds."""
QUEUE_DEPTH = 2
"""Jobs handed to a worker at once: one runs, one waits in the pipe, so that no worker idles."""
JOBS_PER_WORKER = 5_000
"""After so many jobs a worker is replaced, which bounds what a leak can cost."""
MAPPED_SHARE = 0.6
"""A worker is replaced between two jobs once they have mapped so much of the address space below its cap."""
START_SECONDS = 300.0
"""A worker that has not warmed up by then is given up."""
START_TRIES = 3
"""How often a worker may die while warming up before that is an error."""


@dataclass(frozen=True, slots=True)
class Job(Generic[Key, Work]):
    """One piece of work under a limit."""

    key: Key
    """What the caller knows it by."""
    work: Work
    """What the function of the workers is given, e.g. a pair; it must survive pickling."""
    seconds: float
    """Its wall limit, counted from when a worker takes it up."""
    domain: str = ""
    """The domain that a worker sets up first where it has not yet; the time of it is not counted."""
    again: bool = False
    """Whether a worker crashed over it before, which had served other jobs."""
    late: bool = False
    """Whether it waits for a worker that holds none: the last jobs of a run, so that workers end together."""


class WorkerError(TruespecError):
    """No worker could be started; the message holds what the last one said."""


class Workers(Generic[Work, Result]):
    """A fixed number of warm workers that run one function. Use as a context manager, or call `close`.

    `function(work, seconds)` runs in a worker; `failed(work, code, detail, seconds)` makes the result of a
    job that ended its worker. With `copies`, the first workers are copies of this process where it has one
    thread alone: they need no time to start. Not to be shared between threads.
    """

    def __init__(
        self,
        function: Callable[[Work, float], Result],
        failed: Callable[[Work, ReasonCode, str, float], Result],
        domains: Sequence[str],
        *,
        jobs: int = 1,
        memory: int = MEMORY_BYTES,
        jobs_per_worker: int = JOBS_PER_WORKER,
        copies: bool = False,
    ) -> None:
        self._failed = failed
        self._copied = (function, tuple(domains), memory) if copies else None
        self._domains = frozenset(domains)
        self._start = pickle.dumps((function, tuple(domains), memory))
        self._memory = memory
        self._jobs_per_worker = jobs_per_worker
        self._count = jobs
        self._workers: list[_Worker] = []

    def __enter__(self) -> Workers[Work, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every worker and everything the workers have started."""
        for worker in self._workers:
            worker.kill()  # all of them, before any is waited for
        for worker in self._workers:
            worker.end()
        self._workers = []

    def run_one(self, work: Work, seconds: float) -> Result:
        """The result of one piece of work."""
        ((_, result),) = self.run([Job(0, work, seconds)])
        return result

    def run(
        self, jobs: Iterable[Job[Key, Work] | None], wake: int | None = None
    ) -> Iterator[tuple[Key, Result]]:
        """Run jobs and yield each key with its result as it comes; reads the iterable lazily.

        None instead of a job means: none for now, ask again after the next result, or when the file
        descriptor `wake` can be read. Raises `WorkerError` when workers cannot be started at all.
        """
        waiting: deque[Job[Key, Work]] = deque()
        source = iter(jobs)
        while len(self._workers) < self._count:
            copied = self._copied if self._copied and may_fork(self._copied[2]) else None
            self._workers.append(_Worker(self._start, self._domains, copied=copied))
        try:
            while True:
                wanting = self._assign(waiting, source)
                if not any(worker.held for worker in self._workers):
                    return
                for worker in self._ready(wake if wanting else None):
                    yield from self._collect(worker, waiting)
        finally:
            # A caller that stops early must not leave its jobs to the next one.
            for worker in self._workers:
                if worker.held:
                    self._replace(worker)

    def _assign(self, waiting: deque[Job[Key, Work]], source: Iterator[Job[Key, Work] | None]) -> bool:
        """Hand out jobs, evenly, until every worker holds `QUEUE_DEPTH`; whether jobs ran out before."""
        for depth in range(QUEUE_DEPTH):
            for worker in list(self._workers):
                if len(worker.held) > depth:
                    continue
                spent = worker.served + len(worker.held) >= self._jobs_per_worker
                spent = spent or (worker.served > 0 and worker.share(self._memory) > MAPPED_SHARE)
                if spent and worker.held:
                    continue
                if spent or (worker.ready and not worker.held and not worker.alive()):
                    worker = self._replace(worker)
                job = waiting.popleft() if waiting else next(source, None)
                if job is None:
                    return True
                if job.late and worker.held:
                    waiting.appendleft(job)
                    return False
                worker.give(job)
        return False

    def _ready(self, wake: int | None) -> list[_Worker]:
        """Wait until workers have something to say or have overrun a limit, or `wake` can be read."""
        deadlines = [worker.deadline() for worker in self._workers if worker.held]
        poll = select.poll()
        speaking, listening = {}, {}
        for worker in self._workers:
            speaking[worker.results.fileno()] = worker
            poll.register(worker.results.fileno(), select.POLLIN)
            if worker.unsent:
                listening[worker.jobs] = worker
                poll.register(worker.jobs, select.POLLOUT)
        if wake is not None:
            poll.register(wake, select.POLLIN)
        left = max(0.0, min(deadlines) - time.monotonic())
        events = [descriptor for descriptor, _ in poll.poll(math.ceil(1000 * left))]
        for descriptor in events:
            if descriptor in listening:
                listening[descriptor].send()
        found = [speaking[descriptor] for descriptor in events if descriptor in speaking]
        now = time.monotonic()
        late = [w for w in self._workers if w.held and w not in found and w.deadline() <= now]
        return found + late

    def _collect(self, worker: _Worker, waiting: deque[Job[Key, Work]]) -> Iterator[tuple[Key, Result]]:
        """Take what a worker has to say; end and replace one that died or overran its limit."""
        while worker.results.poll():
            try:
                message = worker.receive()
            except (EOFError, OSError, pickle.UnpicklingError):
                yield from self._bury(worker, waiting, *worker.ended())
                return
            if message is not None:
                job, result = message
                yield job.key, self._interpret(job, result)
        if worker.held and worker.deadline() <= time.monotonic():
            worker.end()
            seconds = worker.held[0].seconds
            if worker.setting_up:
                name = worker.held[0].domain or "what its context needs"
                detail = f"the set-up of {name} took more than {START_SECONDS:g} s"
                yield from self._bury(worker, waiting, ReasonCode.CRASH, detail)
            elif worker.ready:
                detail = f"no decision within {seconds:g} s; the worker was ended"
                yield from self._bury(worker, waiting, ReasonCode.TIMEOUT, detail, seconds)
            else:
                detail = f"no worker was ready within {START_SECONDS:g} s"
                yield from self._bury(worker, waiting, ReasonCode.CRASH, detail)

    def _bury(
        self,
        worker: _Worker,
        waiting: deque[Job[Key, Work]],
        code: ReasonCode,
        detail: str,
        seconds: float = 0.0,
    ) -> Iterator[tuple[Key, Result]]:
        """Replace a worker that ended: the job it ran is charged, those behind it are handed out again.

        Where it crashed after other jobs, what those left behind may be the cause: the job is tried again.
        """
        held = list(worker.held)
        worker.held.clear()
        self._replace(worker)
        if worker.ready and held:
            job = held.pop(0)
            if code is ReasonCode.CRASH and worker.served and not job.again:
                warnings.warn(f"{detail}; its job is tried again by another", RuntimeWarning, 2)
                held.insert(0, replace(job, again=True))
            else:
                yield job.key, self._failed(job.work, code, detail, seconds)
        waiting.extendleft(reversed(held))

    def _replace(self, worker: _Worker) -> _Worker:
        worker.end()
        tries = 0 if worker.ready else worker.tries + 1
        if tries >= START_TRIES:
            raise WorkerError(f"no worker could be started: {worker.complaint or 'it died while warming up'}")
        fresh = _Worker(self._start, self._domains, tries)
        self._workers[self._workers.index(worker)] = fresh
        return fresh

    def _interpret(self, job: Job[Key, Work], message: tuple[Any, ...]) -> Result:
        match message:
            case (result, None):
                return result  # type: ignore[no-any-return]
            case (None, "MemoryError", _, seconds):
                detail = "the worker's memory cap was reached"
                return self._failed(job.work, ReasonCode.MEMORY, detail, seconds)
            case (None, str(kind), str(text), seconds):
                return self._failed(job.work, ReasonCode.CRASH, f"{kind} in the worker: {text}", seconds)
        raise AssertionError(message)


class _Worker:
    """One process, its pipes, and the jobs it holds: the first runs, the others wait."""

    def __init__(
        self, start: bytes, domains: frozenset[str], tries: int = 0, copied: tuple[Any, ...] | None = None
    ) -> None:
        job_read, job_write = os.pipe()
        result_read, result_write = wide_pipe()
        # A folder of its own for temporary files: a worker that is killed leaves none behind.
        self._folder = Scratch("worker")
        self._process = (
            _fresh(job_read, result_write, self._folder.path)
            if copied is None
            else _copy(job_read, result_write, self._folder.path, copied)
        )
        os.close(job_read)
        os.close(result_write)
        # Writing must not wait for a worker that does not read: its limit would pass unseen meanwhile.
        os.set_blocking(job_write, False)
        self.jobs = job_write
        self.unsent = bytearray()
        self.results = Pipe(result_read)
        self.held: deque[Job[Any, Any]] = deque()
        self._warm = set(domains)
        self._starting = False
        self.served = 0
        self.ready = False
        self.complaint = ""
        self.tries = tries
        self._since = time.monotonic()  # when the first job it holds was taken up, or when it was started
        self._mapped = 0  # when it was ready
        self._exit: int | None = None
        self._crashed_at = ""
        if copied is None:
            self._say(pickle.dumps(sys.path))
            self._say(start)

    def give(self, job: Job[Any, Any]) -> None:
        """Hand it a job; a worker that is already dead is noticed when its pipe is read."""
        if self.ready and not self.held:
            self._since = time.monotonic()
        self.held.append(job)
        self._say(pickle.dumps((job.work, job.seconds, job.domain)))

    def _say(self, message: bytes) -> None:
        """Queue a message, and send what can be sent."""
        self.unsent += framed(message)
        self.send()

    def send(self) -> None:
        """Send what the pipe takes now; the rest stays in `unsent`."""
        try:
            while self.unsent:
                del self.unsent[: os.write(self.jobs, self.unsent[:PIPE_BYTES])]
        except BlockingIOError:
            return
        except (BrokenPipeError, ConnectionResetError):
            self.unsent.clear()  # its end is noticed when its results are read

    def receive(self) -> tuple[Job[Any, Any], tuple[Any, ...]] | None:
        """The next result with its job; None where it only says that a set-up begins or is done.

        Raises `EOFError` when the worker has ended.
        """
        message = self.results.recv()
        self._since = time.monotonic()
        if not self.ready:
            if message is not None:
                self.complaint = str(message)
                raise EOFError
            self.ready = True
            with contextlib.suppress(OSError):
                self._mapped = mapped(self._process.pid)
            return None
        self._starting = message == SETTING_UP
        if self._starting:
            return None
        if message is None:
            self._warm.add(self.held[0].domain)
            return None
        self.served += 1
        return self.held.popleft(), message

    @property
    def setting_up(self) -> bool:
        """Whether it sets up the domain of the first job that it holds, or what that job's context needs."""
        new = bool(self.held[0].domain) and self.held[0].domain not in self._warm
        return self.ready and (new or self._starting)

    def deadline(self) -> float:
        """When the first job it holds has overrun its limit, or when it should have been ready."""
        if not self.ready or self.setting_up:
            return self._since + START_SECONDS
        return self._since + self.held[0].seconds + GRACE_SECONDS

    def share(self, memory: int) -> float:
        """How much of the address space that a cap left it is mapped; 0 where the system does not say."""
        with contextlib.suppress(OSError):
            return (mapped(self._process.pid) - self._mapped) / max(1, memory - self._mapped)
        return 0.0

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def end(self, *, by_itself: bool = False) -> int:
        """Kill the process and its whole group, and return its exit code.

        With `by_itself`, its pipe has ended already and its own exit code is awaited first.
        """
        if self._exit is None:
            if by_itself:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(1.0)
            self.kill()
            self._exit = self._process.wait()
            os.close(self.jobs)
            self.results.close()
            self._crashed_at = place_of_crash(self._folder.path)
            self._folder.close()
        return self._exit

    def kill(self) -> None:
        """Kill the process and its whole group, without waiting for its end."""
        if self._exit is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def ended(self) -> tuple[ReasonCode, str]:
        """The reason, and in words, why a process whose pipe has ended did so."""
        code, detail = _describe_exit(self.end(by_itself=True))
        return code, f"{detail}; it was at {self._crashed_at}" if self._crashed_at else detail


def _fresh(job_read: int, result_write: int, folder: Path) -> subprocess.Popen[bytes]:
    """A worker that is a fresh interpreter."""
    return subprocess.Popen(
        [sys.executable, "-m", "truespec.executors.worker", str(job_read), str(result_write)],
        pass_fds=(job_read, result_write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TMPDIR": str(folder),
        },
    )


def _copy(job_read: int, result_write: int, folder: Path, copied: tuple[Any, ...]) -> Forked:
    """A worker that is a copy of this process."""
    from truespec.executors.worker import run_copied

    environment = {"TMPDIR": str(folder)}
    return Forked(lambda: run_copied(job_read, result_write, copied), (job_read, result_write), environment)


def verifiers(domains: Sequence[str], jobs: int = 1) -> Workers[Pair, Verdict]:
    """Workers that decide pairs of these domains."""
    from truespec.domains.verify import verify_pair

    return Workers(verify_pair, failed_verdict, domains, jobs=jobs)


def failed_verdict(pair: Pair, code: ReasonCode, detail: str, seconds: float) -> Verdict:
    """The verdict on a pair that ended its worker."""
    from truespec.domains.verify import environment_of

    return unknown(pair.domain, code, detail, method="worker").within(environment_of(pair)).timed(seconds)


def _describe_exit(code: int) -> tuple[ReasonCode, str]:
    if code >= 0:
        return ReasonCode.CRASH, f"the worker exited with code {code}"
    hint = {
        -signal.SIGKILL: ", as the system does when memory runs out",
        -signal.SIGABRT: ", as C++ code does when memory runs out",
    }.get(code, "")
    return ReasonCode.CRASH, f"the worker was ended by {signal.Signals(-code).name}{hint}"
