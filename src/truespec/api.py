"""The one-line entry: `truespec.verify`."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from truespec.verdict import OracleError, ReasonCode, UsageError, Verdict

if TYPE_CHECKING:
    from truespec.domains.judge import Pair
    from truespec.executors.pool import Workers

DEFAULT_TIMEOUT = 4.0
"""Seconds per pair, as in RESpecBench (section 3.1)."""

_lock = threading.Lock()
_workers: dict[str, Workers[Pair, Verdict]] = {}
_owner = os.getpid()


def verify(
    domain: str,
    oracle: str,
    candidate: str,
    context: Mapping[str, object] | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Verdict:
    """Decide whether `candidate` means the same as `oracle`.

    Runs in a warm worker process under a wall limit of `timeout` seconds and a memory cap; the first call
    for a domain starts the worker. `context` holds the domain's declarations and options.

    Raises `UsageError` for an unknown domain or a bad argument and `OracleError` for an unusable oracle or
    context. Everything else that can go wrong is a verdict of *unknown* or *invalid* with its reason.
    """
    from truespec.domains.judge import Pair, refused
    from truespec.domains.registry import load

    load(domain)
    pair = Pair(domain, oracle, candidate, {} if context is None else context)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < 1e6:
        raise UsageError(f"the timeout is a positive number of seconds, not {timeout!r}")
    if verdict := refused(pair):
        return verdict
    with _lock:
        verdict = _worker_for(domain).run_one(pair, timeout)
    if verdict.reason and verdict.reason.code is ReasonCode.ORACLE:
        raise OracleError(verdict.reason.detail)
    return verdict


def _worker_for(domain: str) -> Workers[Pair, Verdict]:
    from truespec.executors.pool import judges

    global _owner  # noqa: PLW0603
    if _owner != os.getpid():  # a fork of ours must not share its parent's workers
        _workers.clear()
        _owner = os.getpid()
    if domain not in _workers:
        _workers[domain] = judges([domain])
    return _workers[domain]


@atexit.register
def _close() -> None:
    if _owner == os.getpid():
        for workers in _workers.values():
            workers.close()
