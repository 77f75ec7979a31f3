"""Replies that were paid for are never lost: a SQLite ledger of model calls, keyed on their content."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

from truespec.models.call import Call, Reply
from truespec.verdict import UsageError


class CallLedger:
    """Replies by call. Use as a context manager; `get` and `put` may be called from several threads."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS calls"
                " (key TEXT PRIMARY KEY, model TEXT NOT NULL, subject TEXT NOT NULL, reply TEXT NOT NULL)"
            )
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path} is not a ledger of ours ({error}): name another folder") from None

    def __enter__(self) -> CallLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def __len__(self) -> int:
        with self._lock:
            (count,) = self._database.execute("SELECT count(*) FROM calls").fetchone()
        return int(count)

    def get(self, call: Call) -> Reply | None:
        """The reply that was recorded for this call."""
        with self._lock:
            row = self._database.execute("SELECT reply FROM calls WHERE key = ?", (call.key,)).fetchone()
        return Reply.from_json(json.loads(row[0])) if row else None

    def put(self, call: Call, reply: Reply) -> None:
        """Record a reply; it is durable when this returns."""
        row = (call.key, call.model, call.subject, json.dumps(reply.to_json()))
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)", row)
