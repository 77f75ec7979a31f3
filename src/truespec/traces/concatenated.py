"""The JSON values of a file that holds several: one a line, or one behind the other over many lines.

What OpenTelemetry's console exporters write is of the second kind. A value that is damaged costs itself: the
reading goes on at the next line that begins a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any

from truespec.traces.files import RECORD_LIMIT, Problem, TraceFile, loads, refuse_deep
from truespec.untrusted.unpack import lines

_DECODER = JSONDecoder(strict=False)
_SPACE = re.compile(r"[\s\x1e]*")
_START = re.compile(r"^[\[{]", re.MULTILINE)


def values(file: TraceFile) -> Iterator[tuple[str, Any | Problem]]:
    """Each value with its place, or a problem where a text is no JSON."""
    if _one_a_line(file):
        for number, value in file.lines():
            yield f"line {number}", value
        return
    with file.open() as stream:
        data = stream.read(RECORD_LIMIT + 1)
        broken = getattr(stream, "broken", None)
    if len(data) > RECORD_LIMIT:
        yield "document", file.problem("document", f"more than {RECORD_LIMIT >> 20} MiB in one document")
        return
    yield from _behind_each_other(file, data.decode("utf-8", "replace").removeprefix("\ufeff"))
    if broken:
        yield "end of file", file.problem("end of file", broken)


def _one_a_line(file: TraceFile) -> bool:
    """Whether one of the first lines is a whole value that begins an object or a list."""
    with file.open() as stream:
        for number, line in enumerate(lines(stream, RECORD_LIMIT)):
            if number > _LINES:
                return False
            if line is None or line[:1] not in (b"{", b"["):
                continue
            try:
                if loads(line):
                    return True
            except (JSONDecodeError, UnicodeDecodeError):
                continue
    return False


_LINES = 20
"""How many lines are tried."""


def _behind_each_other(file: TraceFile, text: str) -> Iterator[tuple[str, Any | Problem]]:
    at = line = 0
    seen = 0
    file.passed.begin()
    while True:
        at = _end(_SPACE, text, at)
        if at >= len(text):
            return
        line, seen = line + text.count("\n", seen, at), at
        place = f"line {line + 1}"
        try:
            value, end = _DECODER.raw_decode(text, at)
            refuse_deep(value)
            file.passed.add(place, value, end - at)
            yield place, value
            at = end
        except (JSONDecodeError, RecursionError, ValueError) as error:
            yield place, file.problem(place, f"no JSON: {getattr(error, 'msg', error)}")
            found = _START.search(text, at + 1)
            if found is None:
                return
            at = found.start()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
