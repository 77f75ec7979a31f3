"""The decision log of a guard: one JSON line for each message and decision, appended and never changed.

Each line holds the hash of the line before it in its conversation, so that a line that was changed, moved or
taken out is found when the log is read. `truespec trace check` reads it as a trace, with the calls that were
carried out as the conversation and the decisions beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

VERSION = 1
"""The version of the lines' shape, in their field `truespec_guard`."""


class Log:
    """One conversation's lines in a log file; many conversations may share a file."""

    def __init__(self, path: Path, conversation: str) -> None:
        self._conversation = conversation
        self._chain = ""
        self._count = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, what: str, content: Mapping[str, Any]) -> None:
        """Append a line; an `OSError` where the disk does not take it."""
        record = {
            "truespec_guard": VERSION,
            "conversation": self._conversation,
            "number": self._count,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "what": what,
            **content,
            "after": self._chain,
        }
        line = json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"
        written = os.write(self._file, line)
        if written < len(line):
            raise OSError(f"the decision log took {written} of {len(line)} bytes")
        self._chain = hashlib.sha256(line.rstrip()).hexdigest()[:32]
        self._count += 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
