"""The upstream data sets that `truespec data import` reads, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.verdict import UsageError

Reader = Callable[[Path], Iterator[Task | PairRecord | Skipped]]
"""Reads a folder that holds the data set as published, in a fixed order.

A broken record becomes a `Skipped`; `UsageError` only where the folder holds none of the set's files.
"""

SOURCES: dict[str, str] = {
    "gsm-symbolic": "truespec.benchmark.sources.gsm_symbolic:read",
    "folio": "truespec.benchmark.sources.folio:read",
    "logic-lm": "truespec.benchmark.sources.logic_lm:read",
    "linc": "truespec.benchmark.sources.linc:read",
    "llama-fol": "truespec.benchmark.sources.llama_fol:read",
    "malls": "truespec.benchmark.sources.malls:read",
    "nl-rx": "truespec.benchmark.sources.nl_rx:read",
    "softregex": "truespec.benchmark.sources.softregex:read",
    "structuredregex": "truespec.benchmark.sources.structuredregex:read",
    "redos": "truespec.benchmark.sources.redos:read",
    "polygon": "truespec.benchmark.sources.polygon:read",
    "verieql": "truespec.benchmark.sources.verieql:read",
    "sqlsolver": "truespec.benchmark.sources.sqlsolver:read",
    "spider": "truespec.benchmark.sources.spider:read",
    "judge-sql": "truespec.benchmark.sources.judge_sql:read",
    "scythe": "truespec.benchmark.sources.scythe:read",
    "clever": "truespec.benchmark.sources.clever:read",
    "verina": "truespec.benchmark.sources.verina:read",
    "lang2ltl": "truespec.benchmark.sources.lang2ltl:read",
    "nl2spec": "truespec.benchmark.sources.nl2spec:read",
    "little-tricky": "truespec.benchmark.sources.little_tricky:read",
    "declare": "truespec.benchmark.sources.declare:read",
}
"""Name to `module:function`."""


def load(name: str) -> Reader:
    """The reader of this name; `UsageError` lists the names there are."""
    target = SOURCES.get(name)
    if target is None:
        raise UsageError(f"unknown data set {name!r}: expected one of {', '.join(SOURCES)}")
    module, _, attribute = target.partition(":")
    return cast(Reader, getattr(importlib.import_module(module), attribute))
