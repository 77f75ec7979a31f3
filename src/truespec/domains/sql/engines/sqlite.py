"""SQLite, in this process: an authorizer and a progress handler hold what a query may do."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Sequence

from truespec.domains.sql.engines.contract import (
    MAX_ROWS,
    STATEMENT_SECONDS,
    BadDatabase,
    Engine,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Failure, Outcome, rows
from truespec.domains.sql.engines.script import create_statements
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode

KEPT_SCHEMAS = 64
"""How many schemas keep their connection."""
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_STEPS = 1_000
"""Virtual machine steps between two looks at the clock."""
_SCOPE = ("no such column", "no such table", "no such function", "ambiguous column")


class SQLite(Engine):
    """One in-memory database per schema and arrangement."""

    dialect = "sqlite"

    def __init__(self) -> None:
        self._connections: OrderedDict[tuple[str, bool], sqlite3.Connection] = OrderedDict()
        self._deadline = 0.0
        self._reading = False

    def label(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def _use(self, schema: Schema, loose: bool) -> sqlite3.Connection:
        key = (schema.ddl, loose)
        if key not in self._connections:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20)
            connection.execute("PRAGMA temp_store=MEMORY")
            try:
                for statement in create_statements(schema, constrained=not loose):
                    connection.execute(statement)
            except sqlite3.Error as error:
                raise OracleError(f"schema: SQLite: {error}") from error
            connection.set_authorizer(self._authorize)
            connection.set_progress_handler(lambda: int(time.monotonic() > self._deadline), _STEPS)
            self._connections[key] = connection
            if len(self._connections) > KEPT_SCHEMAS:
                self._connections.popitem(last=False)[1].close()
        self._connections.move_to_end(key)
        return self._connections[key]

    def _authorize(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if not self._reading or action in _READING:
            if self._reading and action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
                return sqlite3.SQLITE_DENY
            if self._reading and action == sqlite3.SQLITE_READ and str(first).startswith("sqlite_"):
                return sqlite3.SQLITE_DENY
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        connection = self._use(schema, loose=False)
        self._deadline, self._reading = time.monotonic() + STATEMENT_SECONDS, True
        try:
            connection.execute("EXPLAIN " + text)
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start - 8)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            message = str(error)
            if "syntax error" in message or "incomplete input" in message or "unrecognized token" in message:
                code = ReasonCode.SYNTAX
            elif message.startswith(_SCOPE):
                code = ReasonCode.SCOPE
            elif "not authorized" in message or "prohibited" in message:
                code = ReasonCode.FORBIDDEN
            else:
                code = ReasonCode.TYPE
            return Rejection(code, f"SQLite: {message}", self._offset(connection, text, message))
        finally:
            self._reading = False
        return None

    def _offset(self, connection: sqlite3.Connection, text: str, message: str) -> int | None:
        """Where the parser stopped: the first place from which the text before tells it no less."""
        if message == "incomplete input":
            return len(text)
        word = re.fullmatch(r'near "(.*)": syntax error|unrecognized token: "(.*)"', message, re.DOTALL)
        if word is None:
            return None
        quoted = re.escape(word[1] if word[1] is not None else word[2])
        for found in re.finditer(rf"{quoted}(?!\w)", text):
            try:
                connection.execute("EXPLAIN " + text[: found.end()])
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                if str(error) == message:
                    return found.start()
        return None

    def run(
        self,
        schema: Schema,
        inserts: Sequence[str],
        queries: Sequence[str],
        settings: Settings,
        *,
        seconds: float = STATEMENT_SECONDS,
        arrangement: int = 0,
    ) -> list[Outcome]:
        connection = self._use(schema, arrangement > 0)
        self._deadline, self._reading = time.monotonic() + seconds, False
        connection.execute(f"PRAGMA reverse_unordered_selects={int(arrangement == 2)}")
        connection.execute("BEGIN")
        try:
            try:
                for statement in inserts:
                    connection.execute(statement)
            except sqlite3.Error as error:
                raise BadDatabase(f"SQLite: {error}") from error
            self._reading = True
            return [self._query(connection, query, seconds) for query in queries]
        finally:
            self._reading = False
            self._deadline = float("inf")
            connection.execute("ROLLBACK")

    def _query(self, connection: sqlite3.Connection, query: str, seconds: float) -> Outcome:
        self._deadline = time.monotonic() + seconds
        try:
            cursor = connection.execute(query)
            found = cursor.fetchmany(MAX_ROWS + 1)
        except sqlite3.OperationalError as error:
            message = str(error)
            if "interrupted" in message or "memory" in message:
                raise Stopped(f"SQLite: {message}") from error
            return Failure(message)
        except (sqlite3.DataError, MemoryError) as error:  # a text or blob too big
            raise Stopped(f"SQLite: {error}") from error
        except sqlite3.Error as error:
            return Failure(str(error))
        if len(found) > MAX_ROWS:
            cursor.close()
            raise Stopped(f"SQLite: a result of more than {MAX_ROWS} rows")
        return rows(found, [column[0] for column in cursor.description or ()])

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            connection.execute("PRAGMA foreign_keys=ON")
            for statement in statements:
                connection.execute(statement)
            connection.execute("PRAGMA query_only=ON")
            return list(map(tuple, connection.execute(query).fetchall()))
        finally:
            connection.close()

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
