"""The records of a document, one at a time; of a large or damaged one in bounded memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from json import JSONDecodeError
from typing import Any

from truespec.traces.files import (
    CHUNK,
    RECORD_LIMIT,
    WHOLE_BYTES,
    Problem,
    TraceFile,
    brief,
    loads,
    refuse_deep,
)

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def each_record(
    file: TraceFile, key: str | None, is_record: Callable[[Any], bool], needs: tuple[str, ...] = ()
) -> Iterator[tuple[Mapping[str, Any], int, Any | Problem]]:
    """The elements of the top-level array, or of the array under `key`, one at a time.

    Each comes with the other members of the top-level object (`needs` names those that must have been
    read before the first record is handed out) and its index.
    """
    with file.open() as stream:
        data = stream.read(WHOLE_BYTES)
        whole = not stream.read(1) and not getattr(stream, "broken", None)
    if whole:
        try:
            value = loads(data)
        except (JSONDecodeError, UnicodeDecodeError):
            pass  # the scanner saves what can be saved
        else:
            file.keep(value, len(data))
            del data  # as large as the file
            header = value if key is not None and isinstance(value, dict) else {}
            found = header.get(key, ()) if header else value
            if not isinstance(found, list | tuple):
                found = [value]
            for index, record in enumerate(found):
                if is_record(record):
                    yield header, index, record
                else:
                    yield (
                        header,
                        index,
                        file.problem(f"record {index}", f"no trace record: {brief(record)}"),
                    )
            return
    header = {}
    if needs:
        header = Scanner(file, key, is_record).header(needs)
    file.passed.begin()
    scanner = Scanner(file, key, is_record)
    before = 0
    for index, record in scanner.records(header):
        if not isinstance(record, Problem):
            file.passed.add(f"record {index}", record, scanner.read - before)
        before = scanner.read
        yield header, index, record


class Scanner:
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

    @property
    def read(self) -> int:
        """Characters read so far."""
        return self.dropped + self.at

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
            elif self.key is None and self._is_followed():
                told = f"what stands behind the list, from character {self.dropped + self.at}, is not read"
                yield index, self.file.problem("behind the list", told)
        finally:
            self.stream.close()

    def _is_followed(self) -> bool:
        self._space()
        return self.at < len(self.buffer)

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
                refuse_deep(value)
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
