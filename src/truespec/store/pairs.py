"""Pair files: one JSON object to a line, read with a place for every fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from truespec.domains.judge import Pair
from truespec.domains.registry import DOMAINS
from truespec.untrusted.nesting import check_json
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


@dataclass(frozen=True, slots=True)
class Scan:
    """What a first reading of a pair file finds."""

    lines: int
    """All lines."""
    domains: tuple[str, ...]
    """The domains of its pairs, sorted."""


def scan(path: Path) -> Scan:
    """Read a pair file once; `UsageError` names both lines where two pairs share an id."""
    first: dict[str, int] = {}
    domains: set[str] = set()
    count = 0
    for entry in read_pairs(path):
        count += 1
        if isinstance(entry, PairLine):
            domains.add(entry.pair.domain)
            earlier = first.setdefault(entry.id, entry.line)
            if earlier != entry.line:
                seen = f"id {entry.id!r} stands on line {earlier} and again on line {entry.line}"
                raise UsageError(f"{path}: {seen}: every pair needs an id of its own")
    return Scan(count, tuple(sorted(domains)))


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
                    line = file.readline(LINE_BYTES + 1)
                    if not line:
                        return
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
    if not isinstance(record, dict):
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
    pair = Pair(record["domain"], record["oracle"], record["candidate"], context)
    return PairLine(number, record["id"], pair)


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
