"""The one-line entry: `truespec.verify`."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from truespec.verdict import OracleError, ReasonCode, UsageError, Verdict

if TYPE_CHECKING:
    from truespec.executors.pool import Workers

DEFAULT_TIMEOUT = 4.0
"""Seconds per pair, as in RESpecBench (section 3.1)."""

_lock = threading.Lock()
_workers: dict[str, Workers] = {}
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
    from truespec.domains.judge import Pair
    from truespec.domains.registry import load

    load(domain)
    for label, text in (("oracle", oracle), ("candidate", candidate)):
        if not isinstance(text, str):
            raise UsageError(f"the {label} is a string, not {type(text).__name__}")
    if not isinstance(context, Mapping | None):
        raise UsageError(f"the context is a mapping, not {type(context).__name__}")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < 1e6:
        raise UsageError(f"the timeout is a positive number of seconds, not {timeout!r}")
    with _lock:
        verdict = _worker_for(domain).decide(Pair(domain, oracle, candidate, dict(context or {})), timeout)
    if verdict.reason and verdict.reason.code is ReasonCode.ORACLE:
        raise OracleError(verdict.reason.detail)
    return verdict


def _worker_for(domain: str) -> Workers:
    from truespec.executors.pool import Workers

    global _owner  # noqa: PLW0603
    if _owner != os.getpid():  # a fork of ours must not share its parent's workers
        _workers.clear()
        _owner = os.getpid()
    if domain not in _workers:
        _workers[domain] = Workers([domain])
    return _workers[domain]


@atexit.register
def _close() -> None:
    if _owner == os.getpid():
        for workers in _workers.values():
            workers.close()
