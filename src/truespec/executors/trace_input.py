"""Traces from files, folders and standard input, in the order of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from truespec.executors.stdin import read_stdin
from truespec.traces.files import Problem, loads
from truespec.traces.importers.registry import files_below, read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget


def joins_of(
    folder: Path | None, tools: Path | None, prompt: Path | None, types: Path | None = None
) -> Joins | None:
    """The joins that the options name; None lets each file look beside itself."""
    if folder is None and tools is None and prompt is None and types is None:
        return None
    return Joins(
        folder,
        tool_schemas(loads(tools.read_bytes())) if tools else None,
        prompt.read_text(encoding="utf-8") if prompt else None,
        types,
    )


def traces_of(paths: tuple[Path, ...], form: str | None, joins: Joins | None) -> Iterator[Trace | Problem]:
    """Every trace below the paths, with problems in their places; `-` reads lines from standard input."""
    budget = Budget()
    for path in files_below(path for path in paths if str(path) != "-"):
        yield from read(path, form, joins, budget)
    if any(str(path) == "-" for path in paths):
        yield from read_stdin(sys.stdin.buffer, form, joins or Joins(), budget)
