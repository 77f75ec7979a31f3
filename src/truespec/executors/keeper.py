"""A process that makes a run's model calls and outlives it: a killed run loses no reply and repeats no call.

The run writes into its ledger which calls it wants, no more than it makes at once, and reads there what
came of them. The keeper, one a folder, makes them. When the run is killed, the keeper finishes the calls
under way, records their replies and ends by itself; the resumed run finds the replies, or waits for the
same calls. It leaves nothing behind, and needs no port: the two meet in the ledger, and a lock on the
folder says that there is a keeper. Where the keeper itself is killed, or the machine stops, a call under
way may be repeated.

    python -m truespec.executors.keeper LEDGER
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from truespec.executors.calls import Lazily, make_call
from truespec.executors.pace import Limits, NotAsked, Pace
from truespec.models.call import Call, Reply
from truespec.models.contract import ModelError
from truespec.models.secrets import conceal
from truespec.store.calls import CallLedger
from truespec.verdict import TruespecError

IDLE_SECONDS = 5.0
"""A keeper ends when no call was wanted for this time."""
TAKEOVER_SECONDS = 10.0
"""How long a new keeper waits for one that is about to end."""
STARTS = 3
"""So many keepers in a row may die before a run gives up."""
FIRST_PAUSE, LONGEST_PAUSE = 0.001, 0.05
"""Seconds between two looks into the ledger; each look that finds nothing doubles the pause."""


def kept_calls(
    calls: Iterable[Call], ledger: CallLedger, path: Path, *, concurrency: int = 8, pace: Pace | None = None
) -> Iterator[tuple[Call, Reply | ModelError]]:
    """Each call with its reply or lasting failure, as they come, made by the keeper of the ledger at `path`.

    A recorded call is not made again; one that two subjects share is made once. When the caller stops early,
    the keeper finishes what is under way. `pace` says when a call may be made; a call that it refuses comes
    with `NotAsked`.
    """
    source = iter(calls)
    pending: dict[str, list[Call]] = {}
    pace = pace or Pace(Limits())
    held: Call | None = None
    more, pause = True, FIRST_PAUSE
    with closing(_Keeper(path, ledger)) as keeper:
        while more or pending or held:
            while (more or held) and len(pending) < concurrency:
                call, held = held or next(source, None), None
                if call is None:
                    more = False
                elif call.key in pending:
                    pending[call.key].append(call)
                elif (known := ledger.get(call)) is not None:
                    yield call, known
                elif reason := pace.refuses(call):
                    yield call, NotAsked(reason)
                elif pace.must_wait():
                    held = call
                    break
                else:
                    pace.begin()
                    ledger.want(call)
                    pending[call.key] = [call]
            settled = ledger.settled([waiting[0] for waiting in pending.values()])
            for key, outcome in settled.items():
                pace.end(pending[key][0], outcome)
                for call in pending.pop(key):
                    yield call, ModelError(outcome) if isinstance(outcome, str) else outcome
            if settled:
                pause = FIRST_PAUSE
            elif pending or held:
                if pending:
                    keeper.ensure()
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)


class _Keeper:
    """The run's side: sees to it that a keeper is there while the run wants something."""

    def __init__(self, path: Path, ledger: CallLedger) -> None:
        self._path, self._ledger = path, ledger
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._used = False

    def ensure(self) -> None:
        """Start a keeper where there is none; `ModelError` where they keep dying."""
        self._used = True
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            self._process = None
            self._starts = 0 if code == 0 else self._starts
        if not _is_free(self._path):
            return
        if self._starts == STARTS:
            raise ModelError(
                f"the process that makes the calls ended {STARTS} times: see what "
                f"'python -m truespec.executors.keeper {self._path}' says"
            )
        self._starts += 1
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "truespec.executors.keeper", str(self._path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )

    def close(self) -> None:
        """Let the keeper end; wait for it where it is ours and has nothing under way."""
        if not self._used:
            return
        self._ledger.want_end()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(IDLE_SECONDS)


def keep(path: Path, *, idle: float = IDLE_SECONDS) -> None:
    """Make the calls that are wanted in the ledger at `path` until none was wanted for `idle` seconds."""
    folder = os.open(path.parent, os.O_RDONLY)
    if not _lock(folder):
        return  # another keeper is there
    under_way: dict[str, Future[None]] = {}
    pause, last, ending = FIRST_PAUSE, time.monotonic(), False
    with ExitStack() as stack:
        stack.callback(os.close, folder)
        ledger = stack.enter_context(CallLedger(path))
        models = Lazily(stack)
        # Runs say how many calls are made at once: no more are wanted at a time.
        threads = stack.enter_context(ThreadPoolExecutor(max_workers=1024))
        while True:
            done = [key for key, future in under_way.items() if future.done()]
            for key in done:
                under_way.pop(key).result()
            fresh, may_end = ledger.wanted(under_way.keys())
            for call in fresh:
                under_way[call.key] = threads.submit(_settle, call, models, ledger)
            if done or fresh:
                pause, last = FIRST_PAUSE, time.monotonic()
            ending = (ending or may_end) and not fresh
            idles = not under_way and (ending or time.monotonic() - last > idle)
            if idles and _gave_up(ledger, folder):
                return
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def _gave_up(ledger: CallLedger, folder: int) -> bool:
    """Whether nothing is wanted and the lock is given back: who wants something then starts a new keeper."""
    with ledger.nothing_wanted() as nothing:
        if nothing:
            fcntl.flock(folder, fcntl.LOCK_UN)
        return nothing


def _settle(call: Call, models: Lazily, ledger: CallLedger) -> None:
    try:
        outcome = make_call(call, models, ledger)
    except TruespecError as error:  # a model that cannot be opened, or that returns no text
        outcome = ModelError(conceal(str(error)))
    except Exception as error:
        outcome = ModelError(conceal(f"{call.model}: {type(error).__name__}: {error}"))
    if isinstance(outcome, ModelError):
        ledger.fail(call, str(outcome))


def _lock(folder: int) -> bool:
    """Take the keeper's lock on an open folder, or find that another keeper does not give it back."""
    until = time.monotonic() + TAKEOVER_SECONDS
    while time.monotonic() < until:
        with suppress(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.01)
    return False


def _is_free(path: Path) -> bool:
    """Whether the folder of the ledger has no keeper."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(folder)


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
