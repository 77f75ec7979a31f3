"""Tables: each row of a CSV file is read as the record that its columns spell, by the format of its records.

Platforms offer their exports as CSV too. A cell that holds JSON is parsed; the names of the columns are those
of the fields.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from truespec.traces.files import HEAD_BYTES, RECORD_LIMIT, Problem, TraceFile
from truespec.traces.importers.inner_lines import read_as_lines
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
    data = file.whole()
    if isinstance(data, Problem):
        yield data
        return
    rows, broken = _rows(data.decode("utf-8-sig", "replace"))
    if broken:
        yield file.problem(f"row {len(rows) + 1}", broken)
    found = read_as_lines(rows, file, joins, NAME)
    if found is None:
        file.ledger.items.drop("rows of no known format", "row 1")
        yield file.problem("row 1", "the columns are those of no known format; export as JSON")
        return
    form, traces = found
    file.ledger.rules[ROWS.format(form)] += len(rows)
    yield from traces


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
