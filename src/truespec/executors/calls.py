"""Many model calls at once: recorded as they come, retried where that may help, never made twice."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError, Transient
from truespec.models.registry import open_model
from truespec.models.secrets import conceal
from truespec.store.calls import CallLedger

TRIES = 6
"""How often a call is made before a passing failure counts as lasting."""
FIRST_WAIT_SECONDS = 1.0
"""The wait before the second try; each further one is about twice as long."""


def run_calls(
    calls: Iterable[Call],
    models: Mapping[str, Model],
    ledger: CallLedger,
    *,
    concurrency: int = 8,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[Call, Reply | ModelError]]:
    """Each call with its reply or lasting failure, as they come; a recorded call is not made again.

    A call that two subjects share is made once. When the caller stops early, calls under way are awaited and
    recorded: they have been paid for.
    """

    pending: dict[Future[Reply | ModelError], list[Call]] = {}
    by_key: dict[str, Future[Reply | ModelError]] = {}
    with ThreadPoolExecutor(max_workers=concurrency) as threads:
        try:
            for call in calls:
                future = by_key.get(call.key)
                if future is None or future not in pending:
                    future = threads.submit(make_call, call, models, ledger, sleep)
                    by_key[call.key] = future
                    pending[future] = []
                pending[future].append(call)
                if len(pending) >= 4 * concurrency:
                    yield from _finished(pending, by_key)
            while pending:
                yield from _finished(pending, by_key)
        finally:
            for future in pending:
                future.cancel()


def make_call(
    call: Call, models: Mapping[str, Model], ledger: CallLedger, sleep: Callable[[float], None] = time.sleep
) -> Reply | ModelError:
    """The recorded reply, or the one that the model gives now, recorded; or why the call failed for good."""
    known = ledger.get(call)
    if known is not None:
        return known
    for attempt in range(TRIES):
        try:
            reply = models[call.model].reply(call)
        except Transient as error:
            if attempt == TRIES - 1:
                return ModelError(f"{conceal(str(error))} (after {TRIES} tries)")
            sleep(FIRST_WAIT_SECONDS * 2**attempt * random.uniform(0.75, 1.25))
        except ModelError as error:
            return ModelError(conceal(str(error)))
        else:
            reply = replace(reply, text=conceal(reply.text))
            ledger.put(call, reply)
            return reply
    raise AssertionError("the last attempt returns")


class Lazily(dict[str, Model]):
    """Models, each opened when it is first asked and closed with the stack."""

    def __init__(self, stack: ExitStack) -> None:
        super().__init__()
        self._stack = stack
        self._lock = Lock()

    def __missing__(self, name: str) -> Model:
        with self._lock:
            if name not in self:
                self[name] = open_model(name)
                self._stack.callback(self[name].close)
            return self[name]


def _finished(
    pending: dict[Future[Reply | ModelError], list[Call]], by_key: dict[str, Future[Reply | ModelError]]
) -> Iterator[tuple[Call, Reply | ModelError]]:
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in done:
        for call in pending.pop(future):
            by_key.pop(call.key, None)
            yield call, future.result()
