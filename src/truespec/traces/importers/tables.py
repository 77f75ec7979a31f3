"""Tables: each row of a CSV file is read as the record that its columns spell, by the format of its records.

Platforms offer their exports as CSV too. A cell that holds JSON is parsed; the names of the columns are those
of the fields.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truespec.traces.files import HEAD_BYTES, RECORD_LIMIT, Problem, TraceFile
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace

NAME = "table"
_SAID = frozenset(
    ("input", "inputs", "messages", "prompt", "request", "request_body", "conversations", "customdimensions")
)
"""Columns that hold what was said."""
_ATTRIBUTES = (
    "attributes",
    "spanattributes",
    "span_attributes",
    "gen_ai.",
    "llm.",
    "traceloop.",
    "openinference.",
)
"""How columns of a table of spans begin."""
ROWS = "the rows of a table are read as records of the format {}"


@dataclass(frozen=True)
class _Rows(TraceFile):
    """The rows of a table as JSON lines, in memory."""

    data: bytes = b""

    @property
    def is_zip(self) -> bool:
        """No."""
        return False

    @cached_property
    def sha256(self) -> str:
        """The hash of the table."""
        return TraceFile(self.path).sha256

    def open(self) -> Any:
        """The lines."""
        return io.BytesIO(self.data)


def recognises(head: Any, file: TraceFile) -> bool:
    """The ending, and columns of which one holds what was said."""
    if isinstance(head, dict | list) or not str(file).lower().removesuffix(".gz").endswith(".csv"):
        return False
    with file.open() as stream:
        first = stream.read(HEAD_BYTES).decode("utf-8-sig", "replace").partition("\n")[0]
    columns = {name.strip().strip('"').lower() for name in first.split(",")}
    return bool(columns & _SAID) or any(column.startswith(_ATTRIBUTES) for column in columns)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The traces of the rows."""
    from truespec.traces.importers.registry import detect, reader

    data = file.whole()
    if isinstance(data, Problem):
        yield data
        return
    rows, broken = _rows(data.decode("utf-8-sig", "replace"))
    if broken:
        yield file.problem(f"row {len(rows) + 1}", broken)
    lines = "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode()
    inner = _Rows(file.path, file.budget, file.ledger, lines)
    form = detect(inner) if rows else None
    if form is None or form == NAME:
        file.ledger.items.drop("rows of no known format", "row 1")
        yield file.problem("row 1", "the columns are those of no known format; export as JSON")
        return
    file.ledger.rules[ROWS.format(form)] += len(rows)
    yield from reader(form).read(inner, joins)


def _rows(text: str) -> tuple[list[dict[str, Any]], str]:
    """The rows as objects, and what was wrong with the row behind the last of them."""
    csv.field_size_limit(RECORD_LIMIT)
    made: list[dict[str, Any]] = []
    try:
        for row in csv.DictReader(io.StringIO(text), strict=True):
            if None in row or None in row.values():
                return made, "a row with more or fewer cells than there are columns; the rest is not read"
            made.append({str(key): parsed(cell) for key, cell in row.items() if cell != ""})
    except csv.Error as error:
        return made, f"no CSV: {error}; the rest is not read"
    return made, ""
