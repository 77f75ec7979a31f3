"""Pair files: one JSON object to a line, read with a place for every fault."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from truespec.domains.registry import DOMAINS
from truespec.domains.verify import Pair
from truespec.store.beside import misplaced
from truespec.store.parquet import pairs_of_parquet
from truespec.untrusted.nesting import check_json
from truespec.untrusted.outputs import named
from truespec.verdict import UsageError

LINE_BYTES = 64 << 20
"""A longer line is refused rather than read into memory."""


@dataclass(frozen=True, slots=True)
class PairLine:
    """A line that holds a pair."""

    line: int
    """The line number, from 1."""
    id: str
    """The pair's identifier, unique in its file."""
    pair: Pair
    """The pair."""


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that holds no pair, and why."""

    line: int
    """The line number, from 1."""
    error: str
    """What was seen and what was expected."""

    def to_json(self) -> dict[str, object]:
        """The record that stands in the verdict's place."""
        return {"line": self.line, "error": self.error}


def read_pairs(path: Path) -> Iterator[PairLine | BrokenLine]:
    """The lines of a pair file, in order, reading one line at a time."""
    for number, raw in enumerate(_lines(path), start=1):
        try:
            yield _read_line(number, raw)
        except (ValueError, UsageError) as error:
            yield BrokenLine(number, str(error))


def content(pair: Pair) -> str:
    """The hash of what a pair says, whatever its id: 64 hexadecimal digits."""
    said = [pair.domain, pair.oracle, pair.candidate, pair.context]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Shard:
    """A share of a pair file. Pairs are shared out by content, so that equal pairs meet in one shard."""

    index: int = 1
    """Which share, from 1."""
    count: int = 1
    """How many shares there are."""

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.count:
            raise UsageError(f"shard {self.index}/{self.count}: expected I/N with I from 1 to N, e.g. 3/64")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `I/N`; `UsageError` for anything else."""
        index, _, count = text.partition("/")
        if not (index.isascii() and index.isdigit() and count.isascii() and count.isdigit()):
            raise UsageError(f"shard {text!r}: expected I/N with I from 1 to N, e.g. 3/64")
        return cls(int(index), int(count))

    def holds(self, entry: PairLine | BrokenLine) -> bool:
        """Whether a line belongs to this share; lines without a pair are dealt by their numbers."""
        if self.count == 1:
            return True
        number = int(content(entry.pair), 16) if isinstance(entry, PairLine) else entry.line
        return number % self.count == self.index - 1


WHOLE = Shard()
"""The share that is the whole file."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a first reading of a pair file finds."""

    lines: int
    """All lines of the share."""
    domains: tuple[str, ...]
    """The domains of the share's pairs, sorted."""


def scan(path: Path, shard: Shard = WHOLE, called: str = "") -> Scan:
    """Read a pair file once; `UsageError` names both lines where two pairs share an id.

    `called` is what messages call the file. The ids are kept in a temporary database on disk, so that memory
    does not grow with the file.
    """
    domains: set[str] = set()
    count = 0
    with closing(sqlite3.connect("", isolation_level=None)) as seen:
        seen.execute("PRAGMA journal_mode=OFF")
        seen.execute("CREATE TABLE ids (id BLOB PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID")
        for entry in read_pairs(path):
            mine = shard.holds(entry)
            count += mine
            if not isinstance(entry, PairLine):
                continue
            if mine:
                domains.add(entry.pair.domain)
            name = entry.id.encode("utf-8", "surrogatepass")
            try:
                seen.execute("INSERT INTO ids VALUES (?, ?)", (name, entry.line))
            except sqlite3.IntegrityError:
                (line,) = seen.execute("SELECT line FROM ids WHERE id = ?", (name,)).fetchone()
                found = f"id {entry.id!r} stands on line {line} and again on line {entry.line}"
                raise UsageError(f"{called or path}: {found}: every pair needs an id of its own") from None
    return Scan(count, tuple(sorted(domains)))


def spoken(path: Path) -> str:
    """What messages call an input."""
    return "standard input" if str(path) == "-" else str(path)


def on_disk(path: Path, folder: Path) -> Path:
    """The path itself, or a copy in `folder` of what can be read only once: `-`, a pipe, a device.

    The copy lets a batch look for doubled ids before it starts, in bounded memory. A Parquet table becomes
    the lines of a pair file.
    """
    if path.suffix == ".parquet" and path.is_file():
        lines = folder / "pairs.jsonl"
        pairs_of_parquet(path, lines)
        return lines
    return spooled(path, folder / "pairs.jsonl")


def spooled(path: Path, copy: Path) -> Path:
    """The path itself, or a copy of what can be read only once: `-`, a pipe, a device."""
    if str(path) != "-" and (path.is_file() or not path.exists()):
        return path
    try:
        source = sys.stdin.buffer if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    with nullcontext(source) if str(path) == "-" else source, named(copy), copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return copy


def digest(path: Path) -> str:
    """The SHA-256 of a file; `UsageError` where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while line := file.readline(LINE_BYTES + 1):
                yield line
                while len(line) > LINE_BYTES and not line.endswith(b"\n"):
                    line = file.readline(LINE_BYTES + 1)  # empty at the end of the file
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _read_line(number: int, raw: bytes) -> PairLine:
    if len(raw) > LINE_BYTES:
        raise ValueError(f"a line of more than {LINE_BYTES >> 20} MiB: split the pair or shorten it")
    if number == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}") from None
    if not text.strip():
        raise ValueError("an empty line: expected a pair, one JSON object to a line")
    record = parse_json(text)
    name, pair = read_record(record)
    return PairLine(number, name, pair)


def read_record(record: object) -> tuple[str, Pair]:
    """The id and the pair of a pair record; `ValueError` or `UsageError` says what is wrong with it."""
    if not isinstance(record, Mapping):
        raise ValueError(f"{_kind(record)} where a pair is expected, one JSON object to a line")
    for name in ("id", "domain", "oracle", "candidate"):
        if name not in record:
            raise ValueError(f"a pair without {name!r}: expected id, domain, oracle, candidate")
        if not isinstance(record[name], str):
            raise ValueError(f"{name!r} is {_kind(record[name])}: expected a string")
    context = record.get("context", {})
    if not isinstance(context, Mapping):
        raise ValueError(f"'context' is {_kind(context)}: expected an object")
    if record["domain"] not in DOMAINS:
        raise ValueError(f"unknown domain {record['domain']!r}: expected one of {', '.join(DOMAINS)}")
    if problem := misplaced(record, record["domain"]):
        raise ValueError(problem)
    return record["id"], Pair(record["domain"], record["oracle"], record["candidate"], context)


def parse_json(text: str) -> object:
    """Strict JSON: no NaN or Infinity, no doubled names, no bottomless nesting; `ValueError` says where."""
    check_json(text)
    try:
        return json.loads(text, object_pairs_hook=_no_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _no_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        doubled = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the field {doubled[0]!r} is given twice")
    return record


def _no_constant(name: str) -> object:
    raise ValueError(f"not JSON: {name} is no JSON number")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a Boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
    return "an object"
