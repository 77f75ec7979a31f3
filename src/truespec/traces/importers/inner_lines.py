"""Records of a file in another form, as lines that the importer of their format reads."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.joins import Joins
from truespec.traces.trace import Trace


@dataclass(frozen=True)
class Lines(TraceFile):
    """Records as JSON lines, in memory."""

    data: bytes = b""

    @property
    def is_zip(self) -> bool:
        """No."""
        return False

    @cached_property
    def sha256(self) -> str:
        """The hash of the file."""
        return TraceFile(self.path).sha256

    def open(self) -> Any:
        """The lines."""
        return io.BytesIO(self.data)


def read_as_lines(
    records: Iterable[Any], file: TraceFile, joins: Joins, own: str
) -> tuple[str, Iterator[Trace | Problem]] | None:
    """The format of records of a file, and their traces; None where no format but `own` takes them."""
    from truespec.traces.importers.registry import detect, reader

    data = "".join(json.dumps(record, ensure_ascii=True) + "\n" for record in records).encode()
    inner = Lines(file.path, file.budget, file.ledger, file.passed, data)
    form = detect(inner) if data else None
    return None if form is None or form == own else (form, iter(reader(form).read(inner, joins)))
