"""Replies that were paid for are never lost: a SQLite ledger of model calls, keyed on their content.

Beside the replies it holds what is wanted of a keeper (`executors/keeper.py`): calls that are sent or about
to be sent, and those that failed. One transaction records what came of a call and ends the wish for it.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from truespec.models.call import Call, Reply
from truespec.store.ahead import write_ahead
from truespec.verdict import UsageError

TABLES = (
    "calls (key TEXT PRIMARY KEY, model TEXT NOT NULL, subject TEXT NOT NULL, reply TEXT NOT NULL)",
    "wanted (key TEXT PRIMARY KEY, call TEXT NOT NULL)",
    "failed (key TEXT PRIMARY KEY, message TEXT NOT NULL)",
)
END = ""
"""The key of the wish that the keeper may end; no call has it."""


def _stored(text: str) -> str:
    """A text as the database takes it, which is none with half a character."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class CallLedger:
    """Replies by call. Use as a context manager; `get` and `put` may be called from several threads."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
            write_ahead(self._database)
            self._database.execute("PRAGMA synchronous=NORMAL")
            for table in TABLES:
                self._database.execute(f"CREATE TABLE IF NOT EXISTS {table}")
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

    def replies(self) -> Iterator[tuple[str, Reply]]:
        """Every recorded reply with the name of its model."""
        with self._lock:
            rows = self._database.execute("SELECT model, reply FROM calls").fetchall()
        for model, text in rows:
            yield model, Reply.from_json(json.loads(text))

    def unanswered(self, calls: Iterable[Call]) -> list[Call]:
        """The calls without a recorded reply."""
        with self._lock:
            known = {key for (key,) in self._database.execute("SELECT key FROM calls")}
        return [call for call in calls if call.key not in known]

    def put(self, call: Call, reply: Reply) -> None:
        """Record a reply; it is durable when this returns."""
        row = (call.key, call.model, _stored(call.subject), json.dumps(reply.to_json()))
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)", row)
            database.execute("DELETE FROM wanted WHERE key = ?", (call.key,))

    def fail(self, call: Call, message: str) -> None:
        """Note that a wanted call failed, until somebody wants it again."""
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO failed VALUES (?, ?)", (call.key, _stored(message)))
            database.execute("DELETE FROM wanted WHERE key = ?", (call.key,))

    def want(self, call: Call) -> None:
        """Ask for a call that has no reply yet; one that is under way already is not asked for twice."""
        with self._transaction() as database:
            database.execute("DELETE FROM failed WHERE key = ?", (call.key,))
            row = (call.key, json.dumps(call.to_json()))
            database.execute(
                "INSERT OR IGNORE INTO wanted SELECT ?, ? WHERE NOT EXISTS"
                " (SELECT 1 FROM calls WHERE key = ?)",
                (*row, call.key),
            )

    def want_end(self) -> None:
        """Ask the keeper to end once nothing is wanted."""
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO wanted VALUES (?, '')", (END,))

    def wanted(self, known: Collection[str]) -> tuple[list[Call], bool]:
        """What is wanted beside the keys known, and whether the keeper may end; that wish is taken back."""
        with self._lock:
            keys = {key for (key,) in self._database.execute("SELECT key FROM wanted")}
            if END in keys:
                self._database.execute("DELETE FROM wanted WHERE key = ?", (END,))
            fresh = [
                Call.from_json(json.loads(text))
                for key in sorted(keys - {END} - set(known))
                for (text,) in self._database.execute("SELECT call FROM wanted WHERE key = ?", (key,))
            ]
        return fresh, END in keys

    def settled(self, calls: Collection[Call]) -> dict[str, Reply | str]:
        """By key, the replies that have come, and what the calls that failed said."""
        keys = [call.key for call in calls]
        among = f"WHERE key IN ({','.join('?' * len(keys))})"
        with self._lock:
            replies = self._database.execute(f"SELECT key, reply FROM calls {among}", keys).fetchall()
            failed = self._database.execute(f"SELECT key, message FROM failed {among}", keys).fetchall()
        return {**dict(failed), **{key: Reply.from_json(json.loads(text)) for key, text in replies}}

    @contextmanager
    def nothing_wanted(self) -> Iterator[bool]:
        """Whether nothing is wanted; nobody can want anything before the block is left."""
        with self._transaction() as database:
            (count,) = database.execute("SELECT count(*) FROM wanted").fetchone()
            yield count == 0

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, whoever else writes."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
