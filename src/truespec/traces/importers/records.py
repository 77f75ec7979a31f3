"""The records of a file: the lines of a JSONL file, the elements of a list, or the document itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.scanner import each_record


def records(file: TraceFile, is_record: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Each record with its place; a `Problem` in the place of one that cannot be read."""
    if isinstance(file.head, list):
        for _, index, value in each_record(file, None, is_record):
            yield f"record {index}", value
        return
    document = file.document()
    if isinstance(document, Problem):
        for line, value in file.lines():
            yield f"line {line}", value
    else:
        yield "document", document
