"""Standard input as a file of traces: read while it is written, where its form allows that.

Lines that are traces of their own are checked as they arrive, in bounded memory. A form in which a trace may
spread over the whole input (a document, spans, a compressed file) is copied to disk first.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from json import JSONDecodeError
from pathlib import Path
from typing import IO, Any, cast

from truespec.traces.files import CHUNK, GZIP, HEAD_BYTES, RECORD_LIMIT, Problem, TraceFile, loads
from truespec.traces.importers.registry import detect, read_file
from truespec.traces.joins import Joins
from truespec.traces.peek import peek
from truespec.traces.record import to_line
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget

NAME = "stdin.jsonl"
"""What standard input is called in artifacts and messages; the ending says that it holds lines."""
LINEWISE = frozenset(("truespec", "openai"))
"""Forms whose importer reads lines one by one and holds a bounded number of them."""


def read_stdin(
    stream: IO[bytes], form: str | None, joins: Joins, budget: Budget
) -> Iterator[Trace | Problem]:
    """The traces of a stream.

    The `sha256` of a trace's source is that of its own record, since the whole is not known before its end.
    """
    live = cast(io.BufferedReader, io.BufferedReader(_Arriving(stream), CHUNK))
    start = _first_line(live)
    first = _Start(Path(NAME), budget, start=start)
    name = None if start[:2] in (b"PK", GZIP) else form or detect(first)
    if name in LINEWISE and _is_value(start):
        for item in read_file(_Stream(Path(NAME), budget, start=start, rest=live), name, joins):
            yield _named(_completed(item, joins), NAME)
        return
    with tempfile.TemporaryDirectory() as folder:
        # The ending says whether lines are records; a document has none.
        copy = Path(folder) / (NAME if start[:2] == GZIP or _is_value(start) else "stdin")
        with copy.open("wb") as out:
            out.write(start)
            shutil.copyfileobj(live, out, CHUNK)
        for item in read_file(TraceFile(copy, budget), form, joins):
            yield _named(_completed(item, joins), str(copy))


def _completed(item: Trace | Problem, joins: Joins) -> Trace | Problem:
    return joins.completed(item) if isinstance(item, Trace) else item


def _first_line(live: io.BufferedReader) -> bytes:
    """The input up to the end of the first line that is not empty, at most one record."""
    start = b""
    while not start.strip() and len(start) <= RECORD_LIMIT:
        line = live.readline(RECORD_LIMIT)
        if not line:
            break
        start += line
    return start


def _is_value(line: bytes) -> bool:
    """Whether a line is a JSON value by itself."""
    try:
        loads(line)
    except (JSONDecodeError, UnicodeDecodeError):
        return False
    return True


def _named(item: Trace | Problem, file: str) -> Trace | Problem:
    """The same under the name of standard input; a trace with the hash of its own record."""
    if isinstance(item, Problem):
        return replace(item, file=NAME if item.file == file else item.file)
    if item.source.file != file:  # a record that names its own source keeps it
        return item
    own = replace(item, source=replace(item.source, file=NAME, sha256=""))
    digest = hashlib.sha256(to_line(own).encode("utf-8", "surrogatepass")).hexdigest()
    return replace(own, source=replace(own.source, sha256=digest))


@dataclass(frozen=True)
class _Start(TraceFile):
    """The beginning of a stream, enough to recognise its form."""

    start: bytes = b""

    @property
    def is_zip(self) -> bool:
        return False

    @cached_property
    def sha256(self) -> str:
        """Empty: the bytes of a stream are not known before its end."""
        return ""

    @cached_property
    def head(self) -> Any:
        return peek(self.start[:HEAD_BYTES].decode("utf-8", "replace"))

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.start)


@dataclass(frozen=True)
class _Stream(_Start):
    """A stream that is read once, from its beginning."""

    rest: io.BufferedReader | None = None

    def open(self) -> IO[bytes]:
        return cast(IO[bytes], _Joined(self.start, self.rest))


class _Joined(io.RawIOBase):
    """The beginning that was read ahead, then what arrives; a read returns as soon as there is something."""

    def __init__(self, start: bytes, rest: io.BufferedReader | None) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int = -1) -> bytes:
        if self._start:
            start, self._start = self._start, b""
            return start
        return b"" if self._rest is None else self._rest.read1(size)


class _Arriving(io.RawIOBase):
    """A stream whose reads return what has arrived, without waiting for a full buffer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
