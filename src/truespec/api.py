"""The Python interface: one pair, many pairs, and a reward, with workers that start when they are needed."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any

from truespec.verdict import Answer, OracleError, ReasonCode, UsageError, Verdict

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from truespec.domains.verify import Pair
    from truespec.executors.pool import Job, Workers

DEFAULT_TIMEOUT = 4.0
"""Seconds per pair, as in RESpecBench (section 3.1)."""

Context = Mapping[str, object]
"""The domain's declarations and options."""
Progress = Callable[[int, int | None], None]
"""Called with how many pairs are done, and how many there are where the input knows its length."""


class _Share:
    """The workers of one domain: at most `jobs` are busy, idle ones are kept warm."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.free = threading.Semaphore(jobs)
        self.idle: list[Workers[Pair, Verdict]] = []
        self.threads: ThreadPoolExecutor | None = None


_alive: weakref.WeakSet[Verifier] = weakref.WeakSet()
"""All verifiers of this process, for a fork to forget their workers."""


class Verifier:
    """Warm workers that verify pairs. Use as a context manager, or call `close`.

    Safe to use from several threads and tasks. Each domain has up to `jobs` workers of its own, so that a
    call never waits for one about another domain.

    >>> with Verifier(jobs=1) as verifier:
    ...     verifier.verify("regex", oracle="a*", candidate="a+").answer.value
    'refuted'
    """

    def __init__(self, *, jobs: int | None = None, timeout: float = DEFAULT_TIMEOUT) -> None:
        """`jobs` is the number of workers at once, by default one per core; `timeout` is seconds per pair."""
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= 256):
            raise UsageError(f"jobs is a number of workers from 1 to 256, not {jobs!r}")
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._timeout = _checked(timeout)
        self._reset()
        _alive.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()  # held only to look something up, never while a pair is verified
        self._shares: dict[str, _Share] = {}
        self._pools: list[Workers[Pair, Verdict]] = []
        self._closed = False

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers; those that are busy end with their pair. The verifier takes no pair any more."""
        with self._lock:
            self._closed = True
            shares, pools = list(self._shares.values()), self._pools
            self._pools = []
            pools = pools + [worker for share in shares for worker in share.idle]
            for share in shares:
                share.idle = []
        for pool in pools:
            pool.close()
        for share in shares:
            if share.threads:
                share.threads.shutdown(wait=False, cancel_futures=True)

    def verify(
        self,
        domain: str,
        oracle: str,
        candidate: str,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Verdict:
        """Decide whether `candidate` means the same as `oracle`; see `truespec.verify`."""
        from truespec.domains.context import check_context
        from truespec.domains.registry import load
        from truespec.domains.verify import Pair, refused
        from truespec.executors.pool import verifiers

        load(domain)
        pair = Pair(domain, oracle, candidate, {} if context is None else context)
        seconds = self._timeout if timeout is None else _checked(timeout)
        if verdict := refused(pair):
            return verdict
        check_context(domain, pair.context)
        share = self._share(domain)
        with share.free:
            with self._lock:
                worker = share.idle.pop() if share.idle else None
            worker = worker or verifiers([domain])
            try:
                verdict = worker.run_one(pair, seconds)
            finally:
                self._give_back(worker, share.idle)
        if verdict.reason and verdict.reason.code is ReasonCode.ORACLE:
            raise OracleError(verdict.reason.detail + _assumed(verdict))
        return verdict

    async def averify(
        self,
        domain: str,
        oracle: str,
        candidate: str,
        context: Context | None = None,
        timeout: float | None = None,
    ) -> Verdict:
        """As `verify`, for `asyncio`; a call that is cancelled holds its worker until its limit at most."""
        import asyncio
        from functools import partial

        from truespec.domains.registry import load

        load(domain)
        call = partial(self.verify, domain, oracle, candidate, context, timeout)
        return await asyncio.get_running_loop().run_in_executor(self._threads(domain), call)

    def verify_many(
        self,
        pairs: Iterable[Mapping[str, Any]],
        *,
        timeout: float | None = None,
        progress: bool | Progress = False,
    ) -> Iterator[tuple[str, Verdict]]:
        """The id and the verdict of each pair as it comes; see `truespec.verify_many`."""
        seconds = self._timeout if timeout is None else _checked(timeout)
        return self._many(pairs, seconds, progress)

    def _many(
        self, pairs: Iterable[Mapping[str, Any]], seconds: float, progress: bool | Progress
    ) -> Iterator[tuple[str, Verdict]]:
        from truespec.executors.pool import verifiers

        total = len(pairs) if isinstance(pairs, Sized) else None
        names: dict[int, str] = {}
        with self._lock:
            self._check_open()
            pool = self._pools.pop() if self._pools else None
        pool = pool or verifiers((), self._jobs)
        report, end = _telling(progress)
        try:
            for done, (number, verdict) in enumerate(pool.run(_jobs(pairs, seconds, names)), 1):
                report(done, total)
                yield names.pop(number), verdict
        finally:
            end()
            self._give_back(pool, self._pools)

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("this verifier was closed: make another")

    def _share(self, domain: str) -> _Share:
        with self._lock:
            self._check_open()
            return self._shares.setdefault(domain, _Share(self._jobs))

    def _threads(self, domain: str) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        share = self._share(domain)
        with self._lock:
            if share.threads is None:
                # As many threads as workers: no thread is blocked that another task could need.
                share.threads = ThreadPoolExecutor(share.jobs, f"truespec-{domain}")
            return share.threads

    def _give_back(self, worker: Workers[Pair, Verdict], idle: list[Workers[Pair, Verdict]]) -> None:
        with self._lock:
            if not self._closed:
                idle.append(worker)
                return
        worker.close()


def _forget() -> None:
    """A fork of ours must not share its parent's workers, nor a lock that another thread held."""
    for verifier in list(_alive):
        closed = verifier._closed
        verifier._reset()
        verifier._closed = closed


os.register_at_fork(after_in_child=_forget)


def verify(
    domain: str,
    oracle: str,
    candidate: str,
    context: Context | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Verdict:
    """Decide whether `candidate` means the same as `oracle`.

    Runs in a warm worker process under a wall limit of `timeout` seconds and a memory cap; the first call
    for a domain starts the worker. `context` holds the domain's declarations and options. Safe from threads:
    calls run side by side, as many for each domain as there are cores.

    Raises `UsageError` for an unknown domain or a bad argument, `ContextError` (a `UsageError`) for a field
    of the context that the domain does not know or that has the wrong type, and `OracleError` for an unusable
    oracle or context. Whatever else can go wrong is a verdict of *unknown* or *invalid* with its reason.
    """
    return _default.verify(domain, oracle, candidate, context, timeout)


async def averify(
    domain: str,
    oracle: str,
    candidate: str,
    context: Context | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Verdict:
    """As `verify`, for `asyncio`: other tasks go on while a worker decides.

    A call that is cancelled while it runs holds its worker until its limit at most.
    """
    return await _default.averify(domain, oracle, candidate, context, timeout)


def verify_many(
    pairs: Iterable[Mapping[str, Any]],
    *,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    progress: bool | Progress = False,
) -> Iterator[tuple[str, Verdict]]:
    """The id and the verdict of each pair, in the order in which they are decided.

    `pairs` are records with `id`, `domain`, `oracle`, `candidate` and perhaps `context`, as in a pair file.
    They are read lazily: two ahead for each of the `jobs` workers, by default one per core, and an id that
    stands twice is given twice. `progress` is
    True for a bar on a terminal, or a function that takes how many pairs are done and how many there are
    (None where the input does not know). An unusable oracle is a verdict of *unknown* here. What the workers
    have started ends with the iterator.

    Raises `UsageError` for a record that is no pair, with its number; nothing after it is read.

    >>> pairs = [{"id": "t1", "domain": "regex", "oracle": "a*", "candidate": "a+"}]
    >>> [(name, verdict.answer.value) for name, verdict in verify_many(pairs, jobs=1)]
    [('t1', 'refuted')]
    """
    verifier = Verifier(jobs=jobs, timeout=timeout)
    return _closing(verifier, verifier.verify_many(pairs, progress=progress))


def reward(
    domain: str,
    oracle: str,
    completion: str,
    context: Context | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    *,
    tolerant: bool = False,
) -> float:
    """1.0 where a model's whole reply gives a specification proved equivalent to the oracle, else 0.0.

    The specification is the contents of the reply's last fenced block, as in the benchmark; a `tolerant`
    reading also takes a reply of one line. Refuted, invalid and unknown answers all earn 0.0. Raises as
    `verify` does: an unusable oracle is no fault of the model.
    """
    from truespec.benchmark.answer import read_answer
    from truespec.domains.context import check_context
    from truespec.domains.registry import load
    from truespec.domains.verify import Pair

    # Whether or not the reply holds a specification: a mistake of the caller does not wait for one that does.
    load(domain)
    check_context(domain, Pair(domain, oracle, "", {} if context is None else context).context)
    _checked(timeout)
    if not isinstance(completion, str):
        raise UsageError(f"the completion is a string, not {type(completion).__name__}")
    candidate = read_answer(completion, tolerant=tolerant).text
    if candidate is None:
        return 0.0
    return float(verify(domain, oracle, candidate, context, timeout).answer is Answer.EQUIVALENT)


def _checked(timeout: float) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < 1e6:
        raise UsageError(f"the timeout is a positive number of seconds below 1000000, not {timeout!r}")
    return float(timeout)


def _assumed(verdict: Verdict) -> str:
    """What the context left out and was assumed, for a message; empty where nothing was."""
    assumed = verdict.notes.get("assumed")
    if not isinstance(assumed, Mapping):
        return ""
    return "".join(f" ({name} {value} is assumed: the context names none)" for name, value in assumed.items())


def _closing(verifier: Verifier, results: Iterator[tuple[str, Verdict]]) -> Iterator[tuple[str, Verdict]]:
    with verifier:
        try:
            yield from results
        finally:
            results.close()  # type: ignore[attr-defined]


def _jobs(
    pairs: Iterable[Mapping[str, Any]], seconds: float, names: dict[int, str]
) -> Iterator[Job[int, Pair]]:
    from truespec.executors.pool import Job
    from truespec.store.pairs import read_record

    for number, record in enumerate(pairs, 1):
        try:
            name, pair = read_record(record)
        except (ValueError, UsageError) as error:
            raise UsageError(f"pair {number}: {error}") from None
        names[number] = name
        yield Job(number, pair, seconds, pair.domain)


def _telling(progress: bool | Progress) -> tuple[Progress, Callable[[], None]]:
    """The function to call after each pair, and the one that ends the display."""
    if not isinstance(progress, bool):
        return progress, lambda: None
    if not progress:
        return (lambda done, total: None), lambda: None
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    bar = Bar(console=console, transient=True, disable=not (console.is_terminal or console.is_jupyter))
    task = bar.add_task("pairs", total=None)
    bar.start()
    return (lambda done, total: bar.update(task, completed=done, total=total)), bar.stop


_default = Verifier()
atexit.register(_default.close)
