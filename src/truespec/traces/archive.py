"""Zip archives: members in order, under bounds; found by their headers where the directory is lost."""

from __future__ import annotations

import mmap
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truespec.untrusted.unpack import CHUNK, PACKED, Budget, Unpacked

zstandard: Any
try:
    import zstandard
except ImportError:  # it comes with the extra `models`
    zstandard = None

MEMBERS = 100_000
"""An archive of more members is read up to there."""
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The other methods cannot be unpacked in small steps."""
ZSTD = 93
"""The method of newer Inspect logs, read where the package `zstandard` is installed."""
WINDOW = 1 << 27
"""Bytes that a frame of zstd may ask to look back to."""
STEP = 1 << 10
"""Packed bytes of zstd that are unpacked at a time."""
_HEADER = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive."""

    name: str
    """Its name there."""
    open: Callable[[], Unpacked] | None
    """Its content; each call starts anew."""
    problem: str = ""
    """Why it cannot be opened."""


class Archive:
    """The members of a zip archive. Use as a context manager."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self._path = path
        self._budget = budget
        self._size = path.stat().st_size
        self._zip: zipfile.ZipFile | None = None
        self.broken: str | None = None
        """What is wrong with the archive as a whole, or None."""

    def __enter__(self) -> Archive:
        try:
            self._zip = zipfile.ZipFile(self._path)
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            self.broken = f"broken archive ({error}); its members are read one by one"
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip is not None:
            self._zip.close()

    def members(self) -> Iterator[Member]:
        """The members in their order, folders left out."""
        found = self._listed(self._zip) if self._zip is not None else self._walked()
        for number, member in enumerate(found):
            if number == MEMBERS:
                yield Member("", None, f"more than {MEMBERS} members: the others are not read")
                return
            if not member.name.endswith("/"):
                yield member

    def _listed(self, archive: zipfile.ZipFile) -> Iterator[Member]:
        for info in archive.infolist():
            if info.flag_bits & 1:
                yield Member(info.filename, None, "cannot be unpacked: it is encrypted")
            elif info.compress_type == ZSTD and zstandard is not None:
                yield Member(info.filename, self._zstd_opener(info))
            elif info.compress_type not in METHODS:
                method = zipfile.compressor_names.get(info.compress_type, str(info.compress_type))  # type: ignore[attr-defined]
                wanted = "only stored and deflated members are read; pack it again by 'zip'"
                if info.compress_type == ZSTD:
                    method, wanted = "zstd", "install the package zstandard to read it"
                yield Member(info.filename, None, f"cannot be unpacked: its method is {method}; {wanted}")
            else:
                yield Member(info.filename, self._opener(archive, info))

    def _opener(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], Unpacked]:
        def opened() -> Unpacked:
            stream = None

            def step() -> tuple[bytes, int]:
                nonlocal stream
                if stream is None:
                    stream = archive.open(info)
                return stream.read(CHUNK), self._size

            def close() -> None:
                if stream is not None:
                    stream.close()

            # Members may share their packed bytes, so what came out is measured against the whole archive.
            return Unpacked(
                step, self._budget, (str(self._path), f"{info.header_offset} {info.filename}"), close
            )

        return opened

    def _zstd_opener(self, info: zipfile.ZipInfo) -> Callable[[], Unpacked]:
        """Python's `zipfile` finds such members and cannot unpack them."""

        def opened() -> Unpacked:
            file = self._path.open("rb")
            engine: Any = None
            left = info.compress_size

            def step() -> tuple[bytes, int]:
                nonlocal engine, left
                if engine is None:
                    file.seek(info.header_offset)
                    header = file.read(30)
                    if len(header) < 30 or header[:4] != _HEADER:
                        raise EOFError
                    file.seek(sum(struct.unpack("<HH", header[26:30])), 1)
                    engine = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
                while left > 0 and not engine.eof:
                    packed = file.read(min(STEP, left))
                    if not packed:
                        raise EOFError
                    left -= len(packed)
                    if part := engine.decompress(packed):
                        return part, self._size
                if not engine.eof:
                    raise EOFError
                return b"", self._size

            return Unpacked(
                step, self._budget, (str(self._path), f"{info.header_offset} {info.filename}"), file.close
            )

        return opened

    def _walked(self) -> Iterator[Member]:
        with (
            suppress(ValueError),  # an empty file cannot be mapped
            self._path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            at = data.find(_HEADER)
            while at >= 0 and at + 30 <= len(data):
                flags, method, _, _, _, packed, _, name_length, extra_length = struct.unpack(
                    "<HHHHIIIHH", data[at + 6 : at + 30]
                )
                start = at + 30 + name_length + extra_length
                name = data[at + 30 : at + 30 + name_length].decode("utf-8", "replace")
                end = None if flags & 8 and method != zipfile.ZIP_STORED else start + packed
                if flags & 1 or method not in METHODS:
                    yield Member(
                        name, None, f"cannot be unpacked: its method is {method}, or it is encrypted"
                    )
                else:
                    yield Member(name, self._walk_opener(data, name, start, method, end))
                # A length that is missing or a lie costs at most the members inside what it covers.
                at = data.find(_HEADER, max(start, min(end or start, len(data))))

    def _walk_opener(
        self, data: mmap.mmap, name: str, start: int, method: int, end: int | None
    ) -> Callable[[], Unpacked]:
        def opened() -> Unpacked:
            at = start
            engine = zlib.decompressobj(-15)
            rest = b""

            def stored() -> tuple[bytes, int]:
                nonlocal at
                part = data[at : min(at + CHUNK, end or at)]
                at += len(part)
                if not part and at < (end or at):
                    raise EOFError
                return part, self._size

            def inflated() -> tuple[bytes, int]:
                nonlocal at, rest
                while not engine.eof:
                    if not rest:
                        rest = data[at : at + PACKED]
                        at += len(rest)
                        if not rest:
                            raise EOFError
                    part = engine.decompress(rest, CHUNK)
                    rest = engine.unconsumed_tail
                    if part:
                        return part, self._size
                return b"", self._size

            step = stored if method == zipfile.ZIP_STORED else inflated
            return Unpacked(step, self._budget, (str(self._path), f"{start} {name}"), lambda: None)

        return opened
