"""Decompression under bounds: a small file must not fill the memory, the disk or the afternoon.

A stream that reaches a bound ends there and says so (`broken`); what came before it is good. The bounds are
settings: each is an environment variable, named in the message.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import IO

from truespec.verdict import UsageError

CHUNK = 1 << 20
"""Bytes that are unpacked at a time."""
FIRST = 1 << 16
"""Bytes that are unpacked first: a file's format is recognised by so many."""
PACKED = 1 << 16
"""Packed bytes that are read at a time."""
RATIO_FREE = 64 << 20
"""So many bytes may come out of a file whatever its ratio: short files of repeated records pack well."""
PREFIX = "TRUESPEC_UNPACK_"
"""What the names of the settings begin with."""
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kmgt]?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be unpacked. Each field is a setting, e.g. `TRUESPEC_UNPACK_FILE_BYTES=20G`."""

    file_bytes: float = 8 << 30
    """Bytes out of one file; all members of an archive count."""
    total_bytes: float = 64 << 30
    """Bytes out of all files of one command."""
    ratio: float = 250
    """Bytes out of a file for each of its own, beyond the first 64 MiB. Logs reach 100; gzip allows 1032."""
    file_seconds: float = 600
    """Seconds of unpacking for one file."""
    total_seconds: float = 3600
    """Seconds of unpacking for all files of one command."""

    @classmethod
    def from_environment(cls) -> Bounds:
        """The bounds as the environment sets them; `UsageError` names a value that is no positive number."""
        found = {}
        for one in fields(cls):
            variable = PREFIX + one.name.upper()
            text = os.environ.get(variable)
            if text:
                match = _NUMBER.fullmatch(text.strip())
                if match is None or not float(match[1]):
                    expected = "expected a positive number, which K, M, G or T may follow"
                    raise UsageError(f"{variable} is {text!r}: {expected}")
                found[one.name] = float(match[1]) * 1024 ** " kmgt".index(match[2].lower() or " ")
        return cls(**found)


@dataclass
class Budget:
    """What the files of one command have taken of the bounds so far."""

    bounds: Bounds = field(default_factory=Bounds.from_environment)
    """The bounds."""
    _parts: dict[tuple[str, str], int] = field(default_factory=dict)
    _bytes: dict[str, int] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _total_bytes: int = 0
    _total_seconds: float = 0.0

    @property
    def spent(self) -> tuple[int, float]:
        """Bytes that came out of all files so far, and seconds of unpacking."""
        return self._total_bytes, self._total_seconds

    def add(self, unpacked: int, seconds: float) -> None:
        """Note what another process has unpacked for this command."""
        self._total_bytes += unpacked
        self._total_seconds += seconds

    def charge(self, file: str, part: str, unpacked: int, packed: int, seconds: float) -> str | None:
        """Note that `unpacked` bytes of a part of a file have come out; the bound that is broken, if one is.

        `packed` is how much of the file they came from, in bytes. A part that is read twice counts once, its
        seconds twice.
        """
        more = max(0, unpacked - self._parts.get((file, part), 0))
        self._parts[file, part] = max(unpacked, self._parts.get((file, part), 0))
        size = self._bytes[file] = self._bytes.get(file, 0) + more
        took = self._seconds[file] = self._seconds.get(file, 0.0) + seconds
        self._total_bytes += more
        self._total_seconds += seconds
        bounds = self.bounds
        if size > bounds.file_bytes:
            return _broken("to more than", bounds.file_bytes / (1 << 20), "MiB", "file_bytes")
        if self._total_bytes > bounds.total_bytes:
            return _broken("together to more than", bounds.total_bytes / (1 << 20), "MiB", "total_bytes")
        if size > RATIO_FREE and size > bounds.ratio * max(1, packed):
            return _broken("to more than", bounds.ratio, "times its size", "ratio")
        if took > bounds.file_seconds:
            return _broken("in more than", bounds.file_seconds, "seconds", "file_seconds")
        if self._total_seconds > bounds.total_seconds:
            return _broken("together in more than", bounds.total_seconds, "seconds", "total_seconds")
        return None


def _broken(words: str, bound: float, unit: str, name: str) -> str:
    return f"it unpacks {words} {bound:g} {unit}: read up to there; {PREFIX}{name.upper()} raises the bound"


class Unpacked:
    """A stream of unpacked bytes; it ends, rather than fails, where data is damaged or a bound is reached.

    `step()` gives the next bytes, with how many packed ones they took in all; none at the end.
    """

    def __init__(
        self,
        step: Callable[[], tuple[bytes, int]],
        budget: Budget,
        name: tuple[str, str],
        close: Callable[[], None],
    ) -> None:
        self._step = step
        self._budget = budget
        self._name = name
        self.close = close
        self._ready = b""
        self._size = 0
        self._ended = False
        self.broken: str | None = None
        """Why the stream ends early, or None."""

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, all that is left for -1; fewer only at the end."""
        parts: list[bytes] = []
        left = size if size >= 0 else 1 << 62
        while left > 0 and (self._ready or self._fill()):
            part, self._ready = self._ready[:left], self._ready[left:]
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def skip(self, start: bytes) -> None:
        """Leave out the first bytes where they are these; for a stream of which nothing is read yet."""
        found = self.read(len(start))
        if found != start:
            self._ready = found + self._ready

    def _fill(self) -> bool:
        if self._ended:
            return False
        started = time.monotonic()
        try:
            self._ready, packed = self._step()
        except EOFError:
            self.broken, packed = "the compressed data ends early", 0
        except Exception as error:  # zlib's, zipfile's, lzma's: whatever they find wrong with the data
            self.broken, packed = f"the compressed data is damaged ({error})", 0
        self._size += len(self._ready)
        if self._ready:
            spent = time.monotonic() - started
            self.broken = self._budget.charge(*self._name, self._size, packed, spent)
        self._ended = not self._ready or self.broken is not None
        return bool(self._ready)

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def gunzip(stream: IO[bytes] | Unpacked, budget: Budget, name: tuple[str, str]) -> Unpacked:
    """What a gzip stream of one or more members holds; `name` is the file and the part of it."""
    return Unpacked(_Gzip(stream).step, budget, name, stream.close)


class _Gzip:
    def __init__(self, stream: IO[bytes] | Unpacked) -> None:
        self._stream = stream
        self._engine = zlib.decompressobj(31)
        self._packed = b""
        self._taken = 0
        self._most = FIRST

    def step(self) -> tuple[bytes, int]:
        while True:
            if not self._packed:
                self._packed = self._stream.read(PACKED)
                self._taken += len(self._packed)
                if not self._packed:
                    if self._engine.eof:
                        return b"", self._taken
                    raise EOFError
            if self._engine.eof:  # a further member of the file, or the zeros that fill up a tape's block
                self._packed = self._packed.lstrip(b"\0")
                if not self._packed:
                    continue
                self._engine = zlib.decompressobj(31)
            data = self._engine.decompress(self._packed, self._most)
            self._most = CHUNK
            self._packed = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail
            if data:
                return data, self._taken


def lines(stream: IO[bytes] | Unpacked, most: int) -> Iterator[bytes | None]:
    """The lines of a stream without their ends; None in place of one of more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(CHUNK):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*parts, line]) if size + len(line) <= most else None
            parts, size = [], 0
        size += len(rest)
        parts = [*parts, rest] if size <= most else []
    if size:
        yield b"".join(parts) if size <= most else None
