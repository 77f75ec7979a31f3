"""Trace files as bytes and JSON: compressed or not, of any size, whole or broken.

A broken record costs itself and is reported with its place; what stands before and after it is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from json import JSONDecodeError
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from truespec.traces.ledger import Ledger
from truespec.traces.peek import peek
from truespec.untrusted.inputs import text_of
from truespec.untrusted.nesting import DEPTH, TooDeep, check_json, is_deep
from truespec.untrusted.unpack import Budget, Unpacked, gunzip, lines
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from truespec.traces.archive import Member

_REMARKS = ("#", "//")
_REMARKED = re.compile(r"(?:\s*(?:#|//)[^\n]*\n)+\s*(?=[{\[])")
"""Lines of remarks before the first value, which are told as no JSON."""
HEAD_BYTES = 1 << 16
"""How much of a file is looked at to recognise its format."""
WHOLE_BYTES = 48 << 20
"""Up to this decompressed size a document is parsed in one go; larger ones are streamed."""
GZIP = b"\x1f\x8b"
"""How a gzip file begins."""
MARK = b"\xef\xbb\xbf"
"""The byte order mark with which some editors and exporters begin a text in UTF-8."""
CHUNK = 1 << 20
"""Characters read at a time from a stream."""
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)
"""What reading a record of an unexpected shape raises."""
KEPT_BYTES = 16 << 20
"""Up to this decompressed size the values of a file of several are kept until it is read."""
RECORD_LIMIT = 256 << 20
"""A record larger than this is taken for a broken one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be read, and where."""

    file: str
    """The file's path as it was given."""
    position: str
    """The record: a line, an index, a member's name."""
    message: str
    """What was seen and what was expected."""
    foreign: bool = False
    """Whether the file as a whole is of no known format."""

    def __str__(self) -> str:
        return f"{self.file}: {self.position}: {self.message}"


def loads(text: str | bytes) -> Any:
    """Parse JSON. Python's parser takes over for what the fast one refuses (NaN) or rounds (integers).

    The fast one has a limit of depth; its value is measured, which takes less time than to measure the text.
    """
    if not _has_long_number(text):
        with suppress(orjson.JSONDecodeError, UnicodeEncodeError):
            value = orjson.loads(text)
            if len(text) < _SHALLOW or not is_deep(value):
                return value
    _refuse_depth(text)
    try:
        return json.loads(text)
    except RecursionError:
        raise JSONDecodeError("nested too deeply", "", 0) from None
    except JSONDecodeError:
        raise
    except UnicodeError as error:
        raise JSONDecodeError(f"not UTF-8: {error}", "", 0) from None
    except ValueError:  # Python reads no integers beyond some thousand digits
        raise JSONDecodeError("a number with too many digits", "", 0) from None


def json_of(path: Path) -> Any:
    """The value of a JSON file that a caller names; `UsageError` names a file that holds none."""
    text = text_of(path)
    try:
        return loads(text)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}") from None


_SHALLOW = 2 * DEPTH
"""A text with fewer characters than this nests no more than is read: what opens has to close."""
_DIGITS = bytes.maketrans(b"0123456789", b"0" * 10)
_LONG_RUN = b"0" * 19
"""Digits that an integer beyond 64 bits has at least, which the fast parser makes a float."""
_LONG_RUNS = b"0" * 20, b"-" + b"0" * 19
"""The same above and below 0."""
_LONG = re.compile(rb"(?:^|[:\[,\s])-?[1-9]\d{18,}(?:[\s,\]}]|$)")


def _has_long_number(text: str | bytes) -> bool:
    """Whether an integer in a JSON text may be beyond 64 bits."""
    if len(text) < len(_LONG_RUN):
        return False
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    digits = data.translate(_DIGITS)
    return _LONG_RUN in digits and any(run in digits for run in _LONG_RUNS) and _LONG.search(data) is not None


def _refuse_depth(text: str | bytes) -> None:
    try:
        check_json(text)
    except TooDeep as error:
        raise JSONDecodeError(str(error), "", 0) from None


def refuse_deep(value: Any) -> None:
    """Raise `JSONDecodeError` for a value that nests too deeply."""
    if is_deep(value):
        raise JSONDecodeError(str(TooDeep(DEPTH)), "", 0)


@dataclass
class Passed:
    """The values of a file that its importer was given, as far as they are no more than may be kept."""

    values: list[tuple[str, Any]] = field(default_factory=list)
    """Each value with its place."""
    size: int = 0
    """Bytes of the values' texts."""
    beyond: bool = False
    """Whether there were more than may be kept; none is kept then."""

    def begin(self) -> None:
        """Forget what an earlier reading was given."""
        self.values, self.size, self.beyond = [], 0, False

    def add(self, place: str, value: Any, size: int) -> None:
        """Keep a value whose text has that many bytes."""
        self.size += size
        if self.size > KEPT_BYTES:
            self.values, self.beyond = [], True
        if not self.beyond:
            self.values.append((place, value))


@dataclass(frozen=True)
class TraceFile:
    """A file that may hold traces."""

    path: Path
    """Where it lies."""
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)
    """What may still be unpacked."""
    ledger: Ledger = field(default_factory=Ledger, compare=False, repr=False)
    """What became of its content so far."""
    passed: Passed = field(default_factory=Passed, compare=False, repr=False)
    """What its importer was given so far."""

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def sha256(self) -> str:
        """The hash of its bytes as they lie on disk."""
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    @cached_property
    def is_zip(self) -> bool:
        """Whether it is a zip archive, by its first bytes."""
        with self.path.open("rb") as stream:
            return stream.read(4) == b"PK\x03\x04"

    def open(self) -> IO[bytes] | Unpacked:
        """Its content without a byte order mark, decompressed where it is gzip."""
        stream = self.path.open("rb")
        start = stream.read(len(MARK))
        stream.seek(len(MARK) if start == MARK else 0)
        if not start.startswith(GZIP):
            return stream
        unpacked = gunzip(stream, self.budget, (str(self.path), ""))
        unpacked.skip(MARK)
        return unpacked

    def whole(self) -> bytes | Problem:
        """All of its content, where that is no larger than a record may be."""
        with self.open() as stream:
            data = stream.read(RECORD_LIMIT + 1)
            if broken := getattr(stream, "broken", None):
                return self.problem("end of file", broken)
        if len(data) > RECORD_LIMIT:
            return self.problem("document", f"more than {RECORD_LIMIT >> 20} MiB in one document")
        return data

    @cached_property
    def head(self) -> Any:
        """The first value in it, as far as the first 64 KiB go; None where they hold no JSON."""
        if self.is_zip:
            return None
        with self.open() as stream:
            text = stream.read(HEAD_BYTES).decode("utf-8", "replace")
        if text.startswith(_REMARKS) and (found := _REMARKED.match(text)):
            text = text[found.end() :]
        return peek(text)

    def lines(self) -> Iterator[tuple[int, Any | Problem]]:
        """Each non-empty line parsed, with its number from 1."""
        self.passed.begin()
        with self.open() as stream:
            for number, line in enumerate(lines(stream, RECORD_LIMIT), 1):
                if line is None:
                    yield number, self.problem(f"line {number}", f"more than {RECORD_LIMIT >> 20} MiB")
                elif line.strip():
                    try:
                        value = loads(line)
                    except (JSONDecodeError, UnicodeDecodeError) as error:
                        yield number, self.problem(f"line {number}", f"no JSON: {_describe(error)}")
                    else:
                        self.passed.add(f"line {number}", value, len(line))
                        yield number, value
            if broken := getattr(stream, "broken", None):
                yield 0, self.problem("end of file", broken)

    def document(self) -> Any | Problem:
        """The whole file as one value."""
        data = self.whole()
        if isinstance(data, Problem):
            return data
        try:
            value = loads(data)
        except (JSONDecodeError, UnicodeDecodeError) as error:
            return self.problem("document", f"no JSON: {_describe(error)}")
        self.keep(value, len(data))
        return value

    def keep(self, value: Any, size: int = 0) -> None:
        """Keep the one value that the file is; a large one is held as a whole by whoever reads it."""
        self.passed.begin()
        self.passed.beyond = size > WHOLE_BYTES
        if not self.passed.beyond:
            self.passed.values.append(("document", value))

    def inner(self) -> Iterator[TraceFile | Problem]:
        """The members of a zip archive in their order, each a file of its own while the iteration lasts."""
        from truespec.traces.archive import Archive

        with Archive(self.path, self.budget) as archive:
            if archive.broken:
                yield self.problem("end of file", archive.broken)
            for member in archive.members():
                if member.open is None:
                    yield self.problem(member.name or "members", member.problem)
                else:
                    yield _Inner(self.path / member.name, self.budget, self.ledger, member=member)

    def names(self) -> Iterator[str]:
        """The names of the members of a zip archive."""
        for file in self.inner():
            if not isinstance(file, Problem):
                yield file.path.relative_to(self.path).as_posix()

    def members(self) -> Iterator[tuple[str, bytes | Problem]]:
        """The members of a zip archive in their order, whole."""
        for file in self.inner():
            if isinstance(file, Problem):
                yield file.position, file
                continue
            name = file.path.relative_to(self.path).as_posix()
            content = file.whole()
            yield name, self.problem(name, content.message) if isinstance(content, Problem) else content

    def problem(self, position: str, message: str) -> Problem:
        """A problem of this file."""
        return Problem(str(self.path), position, message)


@dataclass(frozen=True)
class _Inner(TraceFile):
    """A member of an archive. Its path is the archive's, then its name; nothing lies on disk there."""

    member: Member | None = None

    @property
    def is_zip(self) -> bool:
        """No: an archive inside an archive is not opened."""
        return False

    @cached_property
    def sha256(self) -> str:
        """The hash of its unpacked bytes."""
        digest = hashlib.sha256()
        with self._unpacked() as stream:
            while data := stream.read(CHUNK):
                digest.update(data)
        return digest.hexdigest()

    def open(self) -> Unpacked:
        """Its content without a byte order mark, unpacked once more where it is gzip."""
        stream = self._unpacked()
        stream.skip(MARK)
        return stream

    def _unpacked(self) -> Unpacked:
        assert self.member is not None
        assert self.member.open is not None
        with self.member.open() as stream:
            start = stream.read(2)
        again = self.member.open()
        archive = str(self.path).removesuffix(f"/{self.member.name}")
        return gunzip(again, self.budget, (archive, f"{self.member.name} gzip")) if start == GZIP else again


def on_disk(path: Path) -> Path | None:
    """The file itself, or the archive of which it is a member; None where neither exists."""
    return next((one for one in (path, *path.parents[:-1]) if one.is_file()), None)


def brief(value: Any, limit: int = 60) -> str:
    """A value in a few characters, for messages."""
    text = json.dumps(value, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _describe(error: Exception) -> str:
    if isinstance(error, JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return str(error)
