"""Trace files as bytes and JSON: compressed or not, of any size, whole or broken.

A broken record costs itself and is reported with its place; what stands before and after it is read.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecodeError
from pathlib import Path
from typing import IO, Any

import orjson

from truespec.untrusted.nesting import DEPTH, TooDeep, check_json

HEAD_BYTES = 1 << 16
"""How much of a file is looked at to recognise its format."""
WHOLE_BYTES = 48 << 20
"""Up to this decompressed size a document is parsed in one go; larger ones are streamed."""
CHUNK = 1 << 20
"""Characters read at a time from a stream."""
RECORD_LIMIT = 256 << 20
"""A record larger than this is taken for a broken one."""
_DECODER = json.JSONDecoder()


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
    """Parse JSON. Python's parser takes over for what the fast one refuses (NaN, huge integers)."""
    _refuse_depth(text)
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        try:
            return json.loads(text)
        except RecursionError:
            raise JSONDecodeError("nested too deeply", "", 0) from None
        except JSONDecodeError:
            raise
        except ValueError:  # Python reads no integers beyond some thousand digits
            raise JSONDecodeError("a number with too many digits", "", 0) from None


def _refuse_depth(text: str | bytes) -> None:
    try:
        check_json(text)
    except TooDeep as error:
        raise JSONDecodeError(str(error), "", 0) from None


@dataclass(frozen=True)
class TraceFile:
    """A file that may hold traces."""

    path: Path
    """Where it lies."""

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

    def open(self) -> IO[bytes]:
        """Its content, decompressed where it is gzip."""
        stream = self.path.open("rb")
        start = stream.read(2)
        stream.seek(0)
        if start == b"\x1f\x8b":
            return _Lenient(stream)  # type: ignore[return-value]
        return stream

    @cached_property
    def head(self) -> Any:
        """The first value in it, as far as the first 64 KiB go; None where they hold no JSON."""
        if self.is_zip:
            return None
        with self.open() as stream:
            return peek(stream.read(HEAD_BYTES).decode("utf-8", "replace"))

    def lines(self) -> Iterator[tuple[int, Any | Problem]]:
        """Each non-empty line parsed, with its number from 1."""
        with self.open() as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    try:
                        yield number, loads(line)
                    except (JSONDecodeError, UnicodeDecodeError) as error:
                        yield number, self.problem(f"line {number}", f"no JSON: {_describe(error)}")
            if broken := getattr(stream, "broken", None):
                yield 0, self.problem("end of file", broken)

    def document(self) -> Any | Problem:
        """The whole file as one value."""
        with self.open() as stream:
            data = stream.read()
            if broken := getattr(stream, "broken", None):
                return self.problem("end of file", broken)
        try:
            return loads(data)
        except (JSONDecodeError, UnicodeDecodeError) as error:
            return self.problem("document", f"no JSON: {_describe(error)}")

    def records(
        self, key: str | None, is_record: Callable[[Any], bool], needs: tuple[str, ...] = ()
    ) -> Iterator[tuple[Mapping[str, Any], int, Any | Problem]]:
        """The elements of the top-level array, or of the array under `key`, one at a time.

        Each comes with the other members of the top-level object (`needs` names those that must have been
        read before the first record is handed out) and its index.
        """
        with self.open() as stream:
            data = stream.read(WHOLE_BYTES)
            whole = not stream.read(1) and not getattr(stream, "broken", None)
        if whole:
            try:
                value = loads(data)
            except (JSONDecodeError, UnicodeDecodeError):
                pass  # the scanner below saves what can be saved
            else:
                header = value if key is not None and isinstance(value, dict) else {}
                records = header.get(key, ()) if header else value
                if not isinstance(records, list | tuple):
                    records = [value]
                for index, record in enumerate(records):
                    if is_record(record):
                        yield header, index, record
                    else:
                        yield (
                            header,
                            index,
                            self.problem(f"record {index}", f"no trace record: {brief(record)}"),
                        )
                return
        header = {}
        if needs:
            header = _Scanner(self, key, is_record).header(needs)
        for index, record in _Scanner(self, key, is_record).records(header):
            yield header, index, record

    def members(self) -> Iterator[tuple[str, bytes | Problem]]:
        """The members of a zip archive in their order; if it lost its directory, found by their headers."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                for info in archive.infolist():
                    try:
                        yield info.filename, archive.read(info)
                    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as error:
                        yield info.filename, self.problem(info.filename, f"cannot be unpacked: {error}")
        except (zipfile.BadZipFile, NotImplementedError) as error:
            yield (
                "",
                self.problem("end of file", f"broken archive ({error}); its members are read one by one"),
            )
            yield from self._walk()

    def _walk(self) -> Iterator[tuple[str, bytes | Problem]]:
        data = self.path.read_bytes()
        at = data.find(b"PK\x03\x04")
        while at >= 0 and at + 30 <= len(data):
            flags, method, _, _, _, packed, _, name_length, extra_length = struct.unpack(
                "<HHHHIIIHH", data[at + 6 : at + 30]
            )
            start = at + 30 + name_length + extra_length
            name = data[at + 30 : at + 30 + name_length].decode("utf-8", "replace")
            if method == 8:
                engine = zlib.decompressobj(-15)
                try:
                    content = engine.decompress(data[start:])
                    if not engine.eof:
                        raise EOFError("cut off")
                    yield name, content
                    end = len(data) - len(engine.unused_data)
                except (zlib.error, EOFError) as error:
                    yield name, self.problem(name, f"cannot be unpacked: {error}")
                    end = start
            else:
                yield name, data[start : start + packed]
                end = start + (packed if not flags & 8 else 0)
            at = data.find(b"PK\x03\x04", end)

    def problem(self, position: str, message: str) -> Problem:
        """A problem of this file."""
        return Problem(str(self.path), position, message)


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


class _Lenient:
    """A gzip stream that ends, rather than fails, where its data is cut off."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._engine = zlib.decompressobj(31)
        self._ready = b""
        self._ended = False
        self.broken: str | None = None

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes] = []
        left = size if size >= 0 else 1 << 62
        while left > 0:
            if not self._ready and not self._fill():
                break
            part, self._ready = self._ready[:left], self._ready[left:]
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _fill(self) -> bool:
        while not self._ready and not self._ended:
            data = self._engine.unconsumed_tail or self._stream.read(CHUNK)
            if not data:
                self._ended = True
                if not self._engine.eof:
                    self.broken = "the compressed data ends early"
                break
            try:
                if self._engine.eof:  # a further member of the file
                    self._engine = zlib.decompressobj(31)
                self._ready = self._engine.decompress(data, CHUNK)
                if self._engine.eof and self._engine.unused_data:
                    rest = self._engine.unused_data
                    self._engine = zlib.decompressobj(31)
                    self._ready += self._engine.decompress(rest)
            except zlib.error as error:
                self._ended = True
                self.broken = f"the compressed data is damaged ({error})"
        return bool(self._ready)

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        while chunk := self.read(CHUNK):
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            yield from lines
        if rest:
            yield rest

    def __enter__(self) -> _Lenient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


_SPACE = re.compile(r"[ \t\r\n]*")


class _Scanner:
    """Reads the records of a document one by one, whatever its size, and finds its footing after damage."""

    def __init__(self, file: TraceFile, key: str | None, is_record: Callable[[Any], bool]) -> None:
        self.file = file
        self.key = key
        self.is_record = is_record
        self.stream = file.open()
        self.buffer = ""
        self.at = 0
        self.dropped = 0
        self.ended = False
        self.first_key: str | None = None

    def header(self, needs: tuple[str, ...]) -> dict[str, Any]:
        """The members of the top-level object other than the records, until all of `needs` are known."""
        found: dict[str, Any] = {}
        try:
            self._expect("{")
            while True:
                name = self._value()
                self._expect(":")
                if name == self.key:
                    if all(need in found for need in needs):
                        return found
                    self._expect("[")
                    while not self._take("]"):
                        self._value()
                        self._take(",")
                        self._trim()
                else:
                    found[str(name)] = self._value()
                if not self._take(","):
                    return found
        except JSONDecodeError:
            return found
        finally:
            self.stream.close()

    def records(self, header: dict[str, Any]) -> Iterator[tuple[int, Any | Problem]]:
        """The records with their indices; fills `header` with the members that stand before them."""
        index = 0
        try:
            try:
                self._enter(header)
            except JSONDecodeError as error:
                yield index, self._problem("header", error)
                if not self._resync():
                    return
            while not self._take("]"):
                try:
                    value = self._value()
                    if not self.is_record(value):
                        raise JSONDecodeError(f"no trace record: {brief(value)}", "", 0)
                except JSONDecodeError as error:
                    yield index, self._problem(f"record {index}", error)
                    index += 1
                    if not self._resync():
                        break
                    continue
                if isinstance(value, dict) and value:
                    self.first_key = next(iter(value))
                yield index, value
                index += 1
                self._trim()
                if not self._take(","):
                    if self._take("]"):
                        break
                    yield (
                        index,
                        self._problem(f"record {index}", JSONDecodeError("expected ',' or ']'", "", 0)),
                    )
                    if not self._resync():
                        break
            if broken := getattr(self.stream, "broken", None):
                yield index, self.file.problem("end of file", broken)
        finally:
            self.stream.close()

    def _enter(self, header: dict[str, Any]) -> None:
        if self.key is None:
            self._expect("[")
            return
        self._expect("{")
        while True:
            name = self._value()
            self._expect(":")
            if name == self.key:
                self._expect("[")
                return
            header.setdefault(str(name), self._value())
            self._trim()
            self._expect(",")

    def _resync(self) -> bool:
        """Move to the next text that parses as a record."""
        key = (
            re.escape(json.dumps(self.first_key)) if self.first_key else r'"(?:id|task_id|trace_id|messages)"'
        )
        pattern = re.compile(r"\{\s*" + key + r"\s*:")
        self.at += 1
        while True:
            found = pattern.search(self.buffer, self.at)
            if found is None:
                self.at = max(self.at, len(self.buffer) - 200)
                self._trim()
                if not self._more():
                    return False
                continue
            self.at = found.start()
            try:
                kept = self.at
                value = self._value()
            except JSONDecodeError:
                self.at = kept + 1
                continue
            if self.is_record(value):
                self.at = kept
                return True

    def _problem(self, position: str, error: JSONDecodeError) -> Problem:
        return self.file.problem(position, f"{error.msg} near character {self.dropped + self.at}")

    def _value(self) -> Any:
        self._space()
        grown = CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self.buffer, self.at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError):
                    raise JSONDecodeError("nested too deeply", "", 0) from None
                if not isinstance(error, JSONDecodeError):
                    raise JSONDecodeError("a number with too many digits", "", 0) from None
                unfinished = (
                    error.msg.startswith(("Unterminated", "Invalid \\")) or error.pos >= len(self.buffer) - 16
                )
                if not unfinished or len(self.buffer) - self.at > RECORD_LIMIT or not self._more(grown):
                    raise JSONDecodeError(error.msg, "", 0) from None
                grown *= 2
            else:
                if end == len(self.buffer) and self._more():
                    continue  # a number may go on
                _refuse_depth(self.buffer[self.at : end])
                self.at = end
                return value

    def _space(self) -> None:
        while True:
            found = _SPACE.match(self.buffer, self.at)
            assert found is not None
            self.at = found.end()
            if self.at < len(self.buffer) or not self._more():
                return

    def _take(self, char: str) -> bool:
        self._space()
        if self.buffer.startswith(char, self.at):
            self.at += 1
            return True
        return False

    def _expect(self, char: str) -> None:
        if not self._take(char):
            raise JSONDecodeError(f"expected {char!r}", "", 0)

    def _trim(self) -> None:
        if self.at > CHUNK:
            self.dropped += self.at
            self.buffer = self.buffer[self.at :]
            self.at = 0

    def _more(self, size: int = CHUNK) -> bool:
        if self.ended:
            return False
        data = self.stream.read(size)
        if not data:
            self.ended = True
            return False
        # A character cut in two at the end of a chunk is completed; damaged bytes stay visible as U+FFFD.
        while (data[-1] & 0xC0) == 0x80 or data[-1] >= 0xC0:
            more = self.stream.read(1)
            if not more:
                break
            data += more
            if len(data) > size + 8:
                break
        self.buffer += data.decode("utf-8", "replace")
        return True


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"')


def peek(text: str) -> Any:
    """The first JSON value of a text that may be cut off: open lists and objects are closed where it ends.

    >>> peek('{"a": [1, {"b": "c')
    {'a': [1, {}]}
    """
    stack: list[str] = []
    cut, closers = 0, ""
    expects_value = True
    for token in _TOKEN.finditer(text):
        what = token.group()
        if what == '"':
            break  # a string that is cut off
        if what in "{[":
            if len(stack) > DEPTH:
                break
            stack.append("}" if what == "{" else "]")
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = what == "["
        elif what in "}]":
            if not stack or stack.pop() != what:
                break
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = False
        elif what == ":":
            expects_value = True
        elif what == ",":
            expects_value = not stack or stack[-1] == "]"
        elif expects_value and token.end() < len(text):
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = False
        if not stack and cut:
            break
    try:
        return json.loads(text[:cut] + closers)
    except JSONDecodeError as error:
        # Damage inside the part that was looked at: what stands before it may do.
        return peek(text[: error.pos]) if 0 < error.pos < cut else None
    except (ValueError, RecursionError):
        return None
