"""Verdicts that survive `kill -9`: a SQLite ledger in WAL mode, keyed on content, limit and version."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from pathlib import Path

from truespec.domains.judge import Pair
from truespec.verdict import ReasonCode, UsageError, Verdict
from truespec.version import __version__

COMMIT_SECONDS = 0.2
"""How much work a kill can cost: commits are at most this far apart."""


def key(pair: Pair, seconds: float) -> str:
    """The content address of a verification: what it reads, its limit, and the version that runs it."""
    content = [__version__, seconds, pair.domain, pair.oracle, pair.candidate, pair.context]
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Ledger:
    """Verdicts by key, in one file. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, record TEXT NOT NULL)"
            )
        except sqlite3.OperationalError as error:
            raise UsageError(f"{path}: no ledger can be kept there: {error}") from None
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{path} is not a ledger of ours ({error}): remove it or name another output"
            ) from None
        self._committed = time.monotonic()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()
        self._database.close()

    def __len__(self) -> int:
        (count,) = self._database.execute("SELECT count(*) FROM verdicts").fetchone()
        return int(count)

    def get(self, key: str) -> Verdict | None:
        """The verdict stored under a key."""
        row = self._database.execute("SELECT record FROM verdicts WHERE key = ?", (key,)).fetchone()
        return Verdict.from_json(json.loads(row[0])) if row else None

    def put(self, key: str, verdict: Verdict) -> None:
        """Store a verdict; it is on disk after the next commit, at most `COMMIT_SECONDS` away under load.

        A verdict that only says that a tool is missing is not kept: the tool may be there next time.
        """
        if verdict.reason and verdict.reason.code is ReasonCode.UNAVAILABLE:
            return
        if not self._database.in_transaction:
            self._database.execute("BEGIN")
        record = json.dumps(verdict.to_json(), ensure_ascii=True)
        self._database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", (key, record))
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Make everything stored so far durable."""
        if self._database.in_transaction:
            self._database.execute("COMMIT")
        self._committed = time.monotonic()
