"""Warm worker processes: a hang, a crash or a memory hog costs exactly the pair that caused it.

Each slot is a pebble pool of one worker. With one worker to a pool every failure belongs to the pair that
runs there, and a pool that breaks takes nothing with it but its own queue, which is handed out again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, TimeoutError
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pebble

from truespec.domains.judge import Pair, judge
from truespec.domains.registry import load
from truespec.executors import worker
from truespec.verdict import ReasonCode, Verdict, unknown

Key = TypeVar("Key", bound=Hashable)

GRACE_SECONDS = 0.25
"""A domain ends itself at the limit; one that does not is killed this much later."""
MEMORY_BYTES = 3 << 30
"""The default cap on a worker's address space; Z3's library and its threads map about 0.5 GiB of it."""
QUEUE_DEPTH = 2
"""Pairs handed to a slot at once: one runs, one waits, so that the worker never idles."""
PAIRS_PER_WORKER = 5_000
"""After so many pairs a worker is replaced, which bounds what a leak can cost."""
SILENCE_SECONDS = 30.0
"""A slot that stays silent so long past a pair's limit is rebuilt."""


@dataclass(frozen=True, slots=True)
class Job(Generic[Key]):
    """One pair to decide."""

    key: Key
    """What the caller knows it by."""
    pair: Pair
    """The pair."""
    seconds: float
    """Its wall limit, counted from when a worker takes it up."""


@dataclass(eq=False)
class _Slot(Generic[Key]):
    pool: pebble.ProcessPool
    running: deque[tuple[Job[Key], Any]] = field(default_factory=deque)


class Workers:
    """A fixed number of warm workers. Use as a context manager, or call `close`."""

    def __init__(
        self,
        domains: Sequence[str],
        jobs: int = 1,
        memory: int = MEMORY_BYTES,
        pairs_per_worker: int = PAIRS_PER_WORKER,
        function: Callable[[Pair, float], Verdict] = judge,
    ) -> None:
        for name in domains:
            load(name)  # imported here once, inherited by every fork: a replaced worker is warm at once
        self._domains = tuple(domains)
        self._memory = memory
        self._pairs_per_worker = pairs_per_worker
        self._function = function
        # Workers write their process id here when they start; it names the group to end.
        self._announced, self._announce = os.pipe()
        os.set_blocking(self._announced, False)
        self._groups: set[int] = set()
        self._slots: list[_Slot[Any]] = [_Slot(self._new_pool()) for _ in range(jobs)]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every worker and everything the workers have started."""
        for slot in self._slots:
            _stop(slot.pool)
        self._slots = []
        self._end_dead_groups()
        for end in (self._announced, self._announce):
            with contextlib.suppress(OSError):
                os.close(end)

    def decide(self, pair: Pair, seconds: float) -> Verdict:
        """The verdict on one pair."""
        ((_, verdict),) = self.run([Job(0, pair, seconds)])
        return verdict

    def run(self, jobs: Iterable[Job[Key]]) -> Iterator[tuple[Key, Verdict]]:
        """Decide jobs and yield each key with its verdict as it comes; reads the iterable lazily."""
        done: queue.SimpleQueue[tuple[_Slot[Key], Job[Key], Any]] = queue.SimpleQueue()
        waiting: deque[Job[Key]] = deque()
        source = iter(jobs)

        def submit(slot: _Slot[Key], job: Job[Key]) -> None:
            future = slot.pool.schedule(
                self._function, args=(job.pair, job.seconds), timeout=job.seconds + GRACE_SECONDS
            )
            slot.running.append((job, future))
            future.add_done_callback(lambda ended: done.put((slot, job, ended)))

        def refill() -> None:
            for depth in range(QUEUE_DEPTH):
                for slot in self._slots:
                    while len(slot.running) <= depth:
                        job = waiting.popleft() if waiting else next(source, None)
                        if job is None:
                            return
                        submit(slot, job)

        refill()
        while any(slot.running for slot in self._slots):
            longest = max(job.seconds for slot in self._slots for job, _ in slot.running)
            try:
                slot, job, future = done.get(timeout=longest * QUEUE_DEPTH + SILENCE_SECONDS)
            except queue.Empty:
                for slot in self._slots:
                    yield from self._rebuild(slot, waiting, "its worker fell silent")
                refill()
                continue
            entry = next((entry for entry in slot.running if entry[1] is future), None)
            if entry is None:
                continue  # an answer from a pool that was rebuilt meanwhile
            error = future.exception()
            if error is None:
                slot.running.remove(entry)
                refill()
                yield job.key, future.result()
                continue
            self._end_dead_groups()
            if isinstance(error, TimeoutError):
                slot.running.remove(entry)
                detail = f"no decision within {job.seconds:g} s; the worker was ended"
                yield job.key, _failure(job, ReasonCode.TIMEOUT, detail, job.seconds)
            elif isinstance(error, pebble.ProcessExpired):
                slot.running.remove(entry)
                yield job.key, _failure(job, ReasonCode.CRASH, _describe_exit(error.exitcode))
            elif isinstance(error, MemoryError):
                slot.running.remove(entry)
                yield job.key, _failure(job, ReasonCode.MEMORY, "the worker's memory cap was reached")
            elif isinstance(error, RuntimeError | CancelledError | OSError):
                # The pool itself broke: what ran is charged, what waited is handed out again.
                yield from self._rebuild(slot, waiting, f"its worker pool broke ({error})")
            else:
                slot.running.remove(entry)
                detail = f"{type(error).__name__} in the worker: {error}"
                yield job.key, _failure(job, ReasonCode.CRASH, detail)
            refill()

    def _rebuild(self, slot: _Slot[Key], waiting: deque[Job[Key]], why: str) -> Iterator[tuple[Key, Verdict]]:
        stuck, slot.running = list(slot.running), deque()
        _stop(slot.pool)
        self._end_dead_groups()
        slot.pool = self._new_pool()
        for position, (job, _) in enumerate(stuck):
            if position == 0:
                yield job.key, _failure(job, ReasonCode.CRASH, why)
            else:
                waiting.append(job)

    def _new_pool(self) -> pebble.ProcessPool:
        announce = self._announce
        return pebble.ProcessPool(
            max_workers=1,
            max_tasks=self._pairs_per_worker,
            initializer=worker.start,
            initargs=(self._domains, self._memory, lambda pid: os.write(announce, pid.to_bytes(4, "big"))),
            # Forked, a replaced worker inherits the imported domains and is warm within milliseconds.
            context=multiprocessing.get_context("fork"),
        )

    def _end_dead_groups(self) -> None:
        """Kill what is left of the groups whose leader, a worker, is gone."""
        with contextlib.suppress(BlockingIOError, OSError):
            while chunk := os.read(self._announced, 4):
                self._groups.add(int.from_bytes(chunk, "big"))
        for group in tuple(self._groups):
            try:
                os.kill(group, 0)
            except ProcessLookupError:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
                self._groups.discard(group)


def _stop(pool: pebble.ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _failure(job: Job[Any], code: ReasonCode, detail: str, seconds: float = 0.0) -> Verdict:
    return unknown(job.pair.domain, code, detail, method="worker").timed(seconds)


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"the worker exited with code {code}"
    hint = {
        signal.SIGKILL: ", as the system does when memory runs out",
        signal.SIGABRT: ", as C++ code does when memory runs out",
    }.get(-code, "")  # type: ignore[call-overload]
    return f"the worker was ended by {signal.Signals(-code).name}{hint}"
