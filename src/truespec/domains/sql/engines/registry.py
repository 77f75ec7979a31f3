"""The engine of each dialect: one per process, started on first use or by `warm_up`."""

from __future__ import annotations

import atexit
import importlib
import os
from collections.abc import Sequence

from truespec.domains.sql.engines.contract import Engine
from truespec.verdict import ToolMissing

ENGINES = {
    "mysql": "truespec.domains.sql.engines.mariadb:MariaDB",
    "postgres": "truespec.domains.sql.engines.postgres:Postgres",
    "sqlite": "truespec.domains.sql.engines.sqlite:SQLite",
    "duckdb": "truespec.domains.sql.engines.duckdb:DuckDB",
}
"""Dialect to `module:class`."""

_running: dict[tuple[int, str], Engine] = {}
_missing: dict[tuple[int, str], ToolMissing] = {}


def engine(dialect: str) -> Engine:
    """The engine that speaks this dialect; `ToolMissing` says how to get one that is not installed.

    A server belongs to the process that started it; a fork gets its own.
    """
    key = (os.getpid(), dialect)
    if key in _missing:
        raise _missing[key]
    if key not in _running:
        module, _, name = ENGINES[dialect].partition(":")
        try:
            found: Engine = getattr(importlib.import_module(module), name)()
            if not _running:
                atexit.register(close_all)
            _running[key] = found
            found.label()
        except ToolMissing as error:
            _running.pop(key, None)
            _missing[key] = error
            raise
    return _running[key]


def warm_up(dialects: Sequence[str] = tuple(ENGINES)) -> None:
    """Start the engines of these dialects, side by side; what is not installed is left out."""
    started: list[str] = []
    for dialect in dialects:
        key = (os.getpid(), dialect)
        if key in _running or key in _missing:
            continue
        module, _, name = ENGINES[dialect].partition(":")
        try:
            # A server boots in the background from here on; `engine` waits for it below.
            _running[key] = getattr(importlib.import_module(module), name)()
            started.append(dialect)
        except ToolMissing as error:
            _missing[key] = error
    if started:
        atexit.register(close_all)
    for dialect in started:
        try:
            _running[(os.getpid(), dialect)].label()
        except ToolMissing as error:
            _running.pop((os.getpid(), dialect))
            _missing[(os.getpid(), dialect)] = error


def is_known(dialect: str) -> bool:
    """Whether the engine of a dialect was started here, or found to be missing."""
    key = (os.getpid(), dialect)
    return key in _running or key in _missing


def close_all() -> None:
    """End the engines of this process, and forget which ones were missing."""
    for key in [key for key in _missing if key[0] == os.getpid()]:
        del _missing[key]
    for key in [key for key in _running if key[0] == os.getpid()]:
        _running.pop(key).close()
