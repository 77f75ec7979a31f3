"""Files that a worker reads and checks by itself: what travels is a path, and back come artifacts.

A file goes whole where it is small enough for its artifacts to travel in one message. A larger one is read by
the caller, and its traces travel. A worker that meets more than it should in a file, or that ends over it,
gives the file back: it is then read trace by trace, so that a bad trace costs itself alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truespec.compliance.run import key_of
from truespec.executors.artifact_file import Rendered
from truespec.traces.files import GZIP, Problem
from truespec.traces.importers.registry import read
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget

FILE_BYTES = 32 << 20
"""The largest file, unpacked, that goes whole."""
FILE_TRACES = 2_000
"""The most traces whose artifacts travel in one message."""
TRACE_BYTES = 1 << 16
"""What a trace takes in a file, roughly."""
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read."""

    form: str | None = None
    """The format, or None for the one that recognises the file."""
    joins: Joins | None = None
    """What completes traces; None for what lies beside each file."""

    def traces(self, path: Path, budget: Budget) -> Iterator[Trace | Problem]:
        """The traces of one file."""
        for item in read(path, self.form, self.joins, budget):
            if self.joins is None or isinstance(item, Problem):
                yield item
            else:
                yield self.joins.completed(item)


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file to be read where it is checked."""

    path: Path
    """Where it lies."""
    size: int
    """Its unpacked size in bytes, as far as it tells."""
    kept: frozenset[str] = frozenset()
    """The keys of artifacts that are there already."""
    spent: tuple[int, float] = (0, 0.0)
    """What the command has unpacked before: bytes, and seconds that it took."""

    @property
    def traces(self) -> int:
        """How many traces it holds, roughly, and at least one."""
        return max(1, self.size // TRACE_BYTES)


@dataclass(frozen=True, slots=True)
class Read:
    """What a file came to, in its order."""

    items: list[Rendered | tuple[str, dict[str, Any] | None] | Problem]
    """Artifacts as lines, one with its key, the key of one that is kept, or a problem."""
    unpacked: tuple[int, float]
    """What was unpacked: bytes, and seconds that it took."""
    warned: list[tuple[type[Warning], str]]
    """What the reading warned of."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A file that no worker could read whole."""

    file: WholeFile


def whole_file(path: Path) -> WholeFile | None:
    """The file where it may go whole; None for one that is too large, an archive, or cannot be looked at."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            start = stream.read(4)
            if start.startswith(GZIP) and size > 8:
                stream.seek(-4, 2)
                size = max(size, int.from_bytes(stream.read(4), "little"))
    except OSError:
        return None
    return WholeFile(path, size) if path.is_file() and size <= FILE_BYTES and start != _ZIP else None


def read_whole(
    file: WholeFile, reading: Reading, key: str, check: Callable[[Trace], dict[str, Any]], renders: bool
) -> Read | GivenBack:
    """Read a file and check its traces; `key` is that of the rules.

    With `renders`, an artifact becomes a line at once: a file's artifacts take much memory as values.
    """
    items: list[Rendered | tuple[str, dict[str, Any] | None] | Problem] = []
    budget = Budget()
    budget.add(*file.spent)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        for number, item in enumerate(reading.traces(file.path, budget)):
            if number >= FILE_TRACES:
                return GivenBack(file)
            if isinstance(item, Problem):
                items.append(item)
                continue
            mine = key_of({"sha256": item.source.sha256, "position": item.source.position}, key)
            if mine in file.kept:
                items.append((mine, None))
            elif not renders:
                items.append((mine, check(item)))
            else:
                last = items[-1] if items else None
                if not isinstance(last, Rendered):
                    items.append(last := Rendered())
                last.add({**check(item), "key": mine})
    unpacked, seconds = budget.spent
    told = [(one.category, str(one.message)) for one in warned]
    return Read(items, (unpacked - file.spent[0], seconds - file.spent[1]), told)
