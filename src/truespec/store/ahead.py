"""A SQLite file that several runs open at once keeps a write-ahead log."""

from __future__ import annotations

import sqlite3
import time

OPENING_SECONDS = 30.0
"""How long an opening waits for another one; like `timeout`, which SQLite does not heed here."""
PAUSE_SECONDS = 0.005


def write_ahead(database: sqlite3.Connection) -> None:
    """Let the database keep a write-ahead log, whoever else opens it at this moment.

    The switch needs the file for itself. Where two connections switch a new file, SQLite tells one of them
    at once that the database is locked, whatever its `timeout` is: it would wait for itself.
    Source: <https://www.sqlite.org/wal.html>. Raises `sqlite3.OperationalError` after `OPENING_SECONDS`.
    """
    until = time.monotonic() + OPENING_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return
