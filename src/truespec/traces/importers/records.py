"""The records of a file: the lines of a JSONL file, the elements of a list, or the document itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from truespec.traces.files import HEAD_BYTES, UNREADABLE, Problem, TraceFile, brief, loads
from truespec.traces.scanner import each_record
from truespec.traces.trace import Trace

Found = TypeVar("Found")
LINES_LOOKED_AT = 20
"""Lines in which a log's first message may stand: what is before it tells of the session."""


def first_lines(file: TraceFile) -> Iterator[Any]:
    """The whole lines behind the first one in the part of the file that is looked at."""
    with file.open() as stream:
        lines = stream.read(HEAD_BYTES).split(b"\n")
    if len(lines) < 2 or not lines[1].startswith(b"{"):
        return
    for line in lines[1 : -1 if len(lines) > 2 else None][:LINES_LOOKED_AT]:
        try:
            yield loads(line)
        except ValueError:
            return


def records(file: TraceFile, is_record: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Each record with its place; a `Problem` in the place of one that cannot be read."""
    if isinstance(file.head, list):
        if are_lines(file):
            yield from entries(file)
            return
        for _, index, value in each_record(file, None, is_record):
            yield f"record {index}", value
        return
    yield from whole_or_lines(file)


def are_lines(file: TraceFile) -> bool:
    """Whether a list is the first of several lines that are values each."""
    with file.open() as stream:
        line, _, rest = stream.read(HEAD_BYTES).partition(b"\n")
    if not rest.lstrip().startswith((b"[", b"{")):
        return False
    try:
        return isinstance(loads(line), list)
    except ValueError:
        return False


def whole_or_lines(file: TraceFile) -> Iterator[tuple[str, Any]]:
    """The document, or its lines where it is not one value, each with its place."""
    document = file.document()
    if isinstance(document, Problem):
        for line, value in file.lines():
            yield f"line {line}", value
    else:
        yield "document", document


def entries(file: TraceFile) -> Iterator[tuple[str, Any]]:
    """The members of a list, or the lines, each with its place; `Problem`s stand for what cannot be read."""
    number = 0
    for position, value in whole_or_lines(file):
        if isinstance(value, list):
            for entry in value:
                yield f"entry {number}", entry
                number += 1
        else:
            yield position, value
            number += 1


def each_trace(
    file: TraceFile,
    listed: Iterable[tuple[str, Any]],
    found_in: Callable[[Any], Found | None],
    made: Callable[[Any, Found, str], Trace],
    what: str,
) -> Iterator[Trace | Problem]:
    """One trace per listed value; a problem in the place of one that is not `what`, or cannot be read as it.

    `found_in` gives what makes a value a record, or None; `made` gets the value, that, and the place.
    """
    for position, value in listed:
        if isinstance(value, Problem):
            yield value
        elif (found := found_in(value)) is None:
            yield file.problem(position, f"expected {what}, found {brief(value)}")
        else:
            try:
                yield made(value, found, position)
            except UNREADABLE as error:
                yield file.problem(position, f"cannot be read as {what}: {error!r}")
