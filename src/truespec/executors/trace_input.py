"""Traces from files, folders, pipes and standard input, in the order of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain, islice
from pathlib import Path

from truespec.executors.stdin import read_stdin
from truespec.executors.whole_files import Reading, WholeFile, whole_file
from truespec.traces.files import Problem, loads
from truespec.traces.importers.registry import files_below
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace
from truespec.untrusted.outputs import is_stream
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


def traces_of(
    paths: tuple[Path, ...], form: str | None, joins: Joins | None, output: Path | None = None
) -> Iterator[Trace | Problem]:
    """Every trace below the paths, with problems in their places; `-` and pipes are read once.

    What the same run writes to `output` is left out of a folder.
    """
    for item in sources_of(paths, Reading(form, joins), Budget(), output, whole=False):
        assert not isinstance(item, WholeFile)
        yield item


def sources_of(
    paths: tuple[Path, ...], reading: Reading, budget: Budget, output: Path | None = None, *, whole: bool
) -> Iterator[Trace | Problem | WholeFile]:
    """As `traces_of`; with `whole`, one of several files that may be read elsewhere stands for its traces."""
    files = files_below((path for path in paths if not is_stream(path)), output)
    first = list(islice(files, 2))
    whole = whole and len(first) > 1
    for path in chain(first, files):
        file = whole_file(path) if whole else None
        if file is not None:
            yield file
        else:
            yield from reading.traces(path, budget)
    for path in filter(is_stream, paths):
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as stream:
            yield from read_stdin(stream, reading.form, reading.joins or Joins(), budget)
