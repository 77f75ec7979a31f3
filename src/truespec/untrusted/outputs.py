"""Outputs that a caller names: none replaces what the same call reads, by whatever name."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

from truespec.verdict import UsageError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the system says where a file cannot grow, without the file's name."""


@contextlib.contextmanager
def named(output: Path) -> Iterator[None]:
    """What the system says while an output is written names it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in NO_ROOM:
            raise
        raise UsageError(f"{output}: {error.strerror}") from None


def hold(file: int, output: Path) -> None:
    """Lock an open output until it is closed; `UsageError` where another run holds it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"{output} is being written by another run: wait for its end, or name another output"
        ) from None
    except OSError:
        return  # a file system without locks


@contextlib.contextmanager
def reserved(output: Path) -> Iterator[None]:
    """Hold an output that is written as a whole at the end; `UsageError` where another run holds it.

    What fails leaves no empty file where there was none. A pipe or a device is not held.
    """
    if is_stream(output):
        yield
        return
    fresh = not output.exists()
    try:
        file = os.open(output, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from None
    try:
        hold(file, output)
        yield
    finally:
        if fresh and output.exists() and not output.stat().st_size:
            output.unlink()
        os.close(file)


def is_same(left: Path, right: Path) -> bool:
    """Whether two names are of one file: links and other spellings included."""
    try:
        return left.resolve() == right.resolve() or left.samefile(right)
    except OSError:
        return False


def is_stream(output: Path) -> bool:
    """Whether an output is standard output, a pipe or a device, beside which nothing is written."""
    if str(output) == "-":
        return True
    try:
        mode = output.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_apart(output: Path | None, inputs: Iterable[Path | None]) -> None:
    """Raise `UsageError` where the output is one of the inputs."""
    if output is None or is_stream(output):
        return
    for path in inputs:
        if path is not None and is_same(output, path):
            alias = "" if output == path else f", under the name of {path}"
            raise UsageError(f"{output} is the input itself{alias}: name another output")


def check_distinct(*outputs: Path | None) -> None:
    """Raise `UsageError` where two outputs of one call are one file."""
    named = [path for path in outputs if path is not None and not is_stream(path)]
    for first, second in combinations(named, 2):
        if is_same(first, second):
            raise UsageError(f"{second} is named for two outputs: name a file for each")


def belongs_to(path: Path, output: Path | None) -> bool:
    """Whether a file is what a run writes: the output, a part of it, or inside its folder."""
    if output is None or is_stream(output):
        return False
    if path.name.startswith(output.name + ".") and is_same(path.parent, output.parent):
        return True
    return is_same(path, output) or any(is_same(folder, output) for folder in path.parents)
