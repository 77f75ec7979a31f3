"""Traces from files, folders, pipes and standard input, in the order of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain, islice
from pathlib import Path

from truespec.executors.whole_files import Reading, WholeFile, whole_file
from truespec.traces.files import Problem
from truespec.traces.importers.registry import each_once, files_below, named_twice, nothing_in
from truespec.traces.joins import Joins, check_folder, kinds_in, tools_in
from truespec.traces.trace import Trace
from truespec.untrusted.inputs import text_of
from truespec.untrusted.outputs import is_stream
from truespec.untrusted.unpack import Budget


def joins_of(
    folder: Path | None, tools: Path | None, prompt: Path | None, types: Path | None = None
) -> Joins | None:
    """The joins that the options name; None lets each file look beside itself."""
    if folder is None and tools is None and prompt is None and types is None:
        return None
    if folder is not None:
        check_folder(folder)
    if types is not None and types.is_file():
        kinds_in(types)
    return Joins(folder, tools_in(tools) if tools else None, text_of(prompt) if prompt else None, types)


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
    empty: list[Path] = []
    files = files_below((path for path in paths if not is_stream(path)), output, empty.append)
    twice: list[Path] = []
    files = each_once(files, twice) if len(paths) > 1 else files
    first = list(islice(files, 2))
    whole = whole and len(first) > 1
    for path in chain(first, files):
        file = whole_file(path) if whole else None
        if file is not None:
            yield file
        else:
            yield from reading.traces(path, budget)
    yield from map(nothing_in, empty)
    yield from map(named_twice, twice)
    for path in filter(is_stream, paths):
        from truespec.executors.stdin import read_stdin

        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as stream:
            yield from read_stdin(stream, reading.form, reading.joins or Joins(), budget)
