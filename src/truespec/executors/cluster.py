"""Pairs decided, or traces checked, on a Ray cluster: one actor on each node owns a share of our workers.

The driver hands out jobs and keeps the ledger. An actor only passes messages between the driver and a share
of workers (`executors/share.py`), which a guardian (`executors/guardian.py`) ends with the actor. A result
counts only if it comes from the actor that holds the job now; late answers of a lost node change nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Generic

from truespec.domains.verify import Pair, verify_pair
from truespec.executors.pool import Job, Key, Result, Work, WorkerError, failed_verdict
from truespec.verdict import ReasonCode, UsageError, Verdict
from truespec.version import __version__

AHEAD = 8
"""Jobs that an actor holds for each of its workers, so that none idles while messages travel."""
TRIES = 3
"""A job whose actors were lost so often is given up as a crash."""
MOST = 1_000
"""Results that an actor sends at once."""
START_SECONDS = 240
"""How long an actor may take to start."""
CONNECTIONS = 6
"""How often a head node is asked for a client's server."""
AGAIN_SECONDS = 0.5
"""The pause before it is asked again."""
_NO_NODE = "timed out during startup"
"""How Ray says that a local cluster came up too late, as it does on a busy machine."""
POLL_SECONDS = 1.0
"""How long an actor waits for results before it says that there are none."""


@dataclass(frozen=True, slots=True)
class Task(Generic[Work, Result]):
    """What workers run, as `executors.pool.Workers` has it; it must survive pickling."""

    function: Callable[[Work, float], Result]
    """From the work and its limit to the result."""
    failed: Callable[[Work, ReasonCode, str, float], Result]
    """The result of a job that ended its worker."""
    domains: tuple[str, ...] = ()
    """The domains that workers set up before they take jobs."""


class Share:
    """The actor: it starts a guardian with a share of workers and passes messages."""

    def __init__(self, task: Task[Any, Any], jobs: int) -> None:
        lifeline, self._lifeline = os.pipe()
        jobs_read, jobs_write = os.pipe()
        results_read, results_write = os.pipe()
        given = (lifeline, jobs_read, results_write)
        subprocess.run(
            [sys.executable, "-m", "truespec.executors.guardian", *map(str, given)],
            pass_fds=given,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            check=True,
        )
        for descriptor in given:
            os.close(descriptor)
        self._jobs = Connection(jobs_write, readable=False)
        self._results = Connection(results_read, writable=False)
        self._giving = threading.Lock()
        self._jobs.send((task, jobs))

    def version(self) -> str:
        """The version of truespec on this node."""
        return __version__

    def give(self, jobs: list[Job[Any, Any]]) -> None:
        """Take further jobs."""
        with self._giving:
            for job in jobs:
                self._jobs.send(job)

    def take(self) -> list[tuple[Any, Any]]:
        """The results so far, after a short wait for the first; `EOFError` when the share has ended."""
        found: list[tuple[Any, Any]] = []
        while len(found) < MOST and self._results.poll(0 if found else POLL_SECONDS):
            found.append(self._results.recv())
        return found


@dataclass
class _Held:
    """What the driver knows of one actor."""

    node: str
    """The node's id."""
    actor: Any
    """The handle."""
    workers: int
    """Its workers."""
    taking: Any = None
    """The call whose results are awaited."""
    jobs: dict[Any, Job[Any, Any]] = field(default_factory=dict)
    """What it holds."""


class RayRunner(Generic[Work, Result]):
    """Workers on every node of a Ray cluster. Use as a context manager.

    `RAY_ADDRESS` names the cluster (`ray://HOST:PORT`, `HOST:PORT` or `auto`); without it a local one is
    started and ended. `jobs` is the number of workers on each node, at most one per CPU that the node offers.
    """

    def __init__(self, task: Task[Work, Result], jobs: int) -> None:
        # Ray reads this when it is imported. Its workers run with the interpreter of their node, where
        # truespec is installed. Otherwise, under `uv run`, Ray copies the folder and builds an environment.
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        try:
            ray: Any = importlib.import_module("ray")  # optional, and typed in part only
        except ImportError:
            raise UsageError("--executor ray needs Ray: pip install 'truespec[ray]'") from None
        self._ray = ray
        self._task, self._jobs = task, jobs
        self._shares: list[_Held] = []
        self._losses: Counter[Any] = Counter()  # by job
        self._failures: Counter[str] = Counter()  # by node
        self._started = not ray.is_initialized()
        self._complaint = "no node offers a CPU"
        self.lost = 0
        """Actors that were lost, with their nodes or alone."""
        if self._started:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            address = os.environ.get("RAY_ADDRESS")
            local = {} if address else {"include_dashboard": False, "num_cpus": jobs}
            # Without a word for it, Ray takes any cluster that happens to run on this machine.
            _connect(ray, address or "local", log_to_driver=False, logging_level="ERROR", **local)

    def __enter__(self) -> RayRunner[Work, Result]:
        self._fill_nodes()
        if not self._shares:
            self._ray.shutdown()
            raise WorkerError(f"no worker could be started on the cluster: {self._complaint}")
        return self

    def __exit__(self, *_: object) -> None:
        for share in self._shares:
            self._kill(share)
        self._shares = []
        if self._started:
            self._ray.shutdown()

    def run(self, jobs: Iterable[Job[Key, Work] | None]) -> Iterator[tuple[Key, Result]]:
        """Each key with its verdict as it comes; reads the iterable as far as workers want jobs."""
        source = iter(jobs)
        again: deque[Job[Key, Work]] = deque()
        while True:
            self._hand_out(source, again)
            if not any(share.jobs for share in self._shares):
                return
            taking = {share.taking: share for share in self._shares if share.taking is not None}
            ready, _ = self._ray.wait(list(taking), num_returns=1, timeout=POLL_SECONDS)
            for call in ready:
                share = taking[call]
                try:
                    results = self._ray.get(call)
                except Exception as error:  # whatever ended the actor: its jobs go to others
                    yield from self._bury(share, again, error)
                    continue
                share.taking = share.actor.take.remote()
                for key, verdict in results:
                    if share.jobs.pop(key, None) is not None:
                        yield key, verdict

    def _hand_out(self, source: Iterator[Job[Key, Work] | None], again: deque[Job[Key, Work]]) -> None:
        for share in self._shares:
            given: list[Job[Key, Work]] = []
            while len(share.jobs) < AHEAD * share.workers:
                job = again.popleft() if again else next(source, None)
                if job is None:
                    break
                share.jobs[job.key] = job
                given.append(job)
            if given:
                share.actor.give.remote(given)
                share.taking = share.taking or share.actor.take.remote()

    def _bury(
        self, share: _Held, again: deque[Job[Key, Work]], error: Exception
    ) -> Iterator[tuple[Key, Result]]:
        """Give what a lost actor held to others, and start another where its node lives."""
        self.lost += 1
        self._shares.remove(share)
        self._kill(share)
        self._failures[share.node] += 1
        for key, job in share.jobs.items():
            self._losses[key] += 1
            if self._losses[key] >= TRIES:
                detail = f"{TRIES} nodes or actors were lost while they held this job"
                yield key, self._task.failed(job.work, ReasonCode.CRASH, detail, 0.0)
            else:
                again.append(job)
        self._fill_nodes()
        if not self._shares:
            raise WorkerError(f"no node of the cluster is left: {' '.join(str(error).split())[:300]}")

    def _kill(self, share: _Held) -> None:
        with contextlib.suppress(Exception):
            self._ray.kill(share.actor)

    def _fill_nodes(self) -> None:
        """Start an actor on each living node without one, unless its actors failed too often."""
        held = {share.node for share in self._shares}
        begun: list[_Held] = []
        for node in self._ray.nodes():
            name, cpus = node["NodeID"], int(node["Resources"].get("CPU", 0))
            if node["Alive"] and cpus and name not in held and self._failures[name] < TRIES:
                begun.append(self._start(name, min(cpus, self._jobs)))
        for share in begun:
            try:
                version = self._ray.get(share.actor.version.remote(), timeout=START_SECONDS)
            except Exception as error:
                self._kill(share)
                self._failures[share.node] += 1
                self._complaint = " ".join(str(error).split())[:300]
                continue
            if version != __version__:
                raise UsageError(f"a node has truespec {version}, this is {__version__}: install one version")
            self._shares.append(share)

    def _start(self, node: str, workers: int) -> _Held:
        strategies: Any = importlib.import_module("ray.util.scheduling_strategies")
        here = strategies.NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        kind = self._ray.remote(Share).options(
            num_cpus=workers, max_concurrency=2, max_restarts=0, scheduling_strategy=here
        )
        return _Held(node, kind.remote(self._task, workers), workers)


def _connect(ray: Any, address: str, **options: Any) -> None:
    """Connect to a cluster or start one; ask again where a server or a node did not start in time.

    The head node of `ray://` forks a process for each client. On a busy machine it may come up too late, end
    at once, or vanish while the head node looks for it. The head node has another error for each of these,
    at once or after 30 seconds, and the next request usually succeeds.
    """
    for attempt in range(CONNECTIONS):
        try:
            ray.init(address=address, **options)
            return
        except ConnectionAbortedError as error:
            ray.shutdown()
            if attempt + 1 < CONNECTIONS:
                time.sleep(AGAIN_SECONDS)
                continue
            reason = str(error).strip().splitlines()[-1]
            raise WorkerError(
                f"{address} was reached, but gave this client no server in {CONNECTIONS} attempts: {reason}"
            ) from None
        except Exception as error:  # Ray has no class for it
            ray.shutdown()
            if attempt + 1 < CONNECTIONS and _NO_NODE in str(error):
                continue
            times = f" in {attempt + 1} attempts" if attempt else ""
            reason = " ".join(str(error).split())[:300]
            raise WorkerError(f"Ray gave no connection to {address}{times}: {reason}") from error


def ray_verifiers(domains: tuple[str, ...], jobs: int) -> RayRunner[Pair, Verdict]:
    """Workers of a cluster that decide pairs of these domains."""
    return RayRunner(Task(verify_pair, failed_verdict, domains), jobs)
