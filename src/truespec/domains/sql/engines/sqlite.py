"""SQLite, in this process: an authorizer and a progress handler hold what a query may do."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache

from truespec.domains.sql.engines.contract import (
    MAX_ROWS,
    STATEMENT_SECONDS,
    BadDatabase,
    Engine,
    NotAQuery,
    Rejection,
    SessionChanged,
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
_PLAIN = 0x800
"""The flag of a function whose value depends on its arguments alone."""
_INNOCUOUS = 0x200000
"""The flag of a function that any schema may call."""
_STEPS = 1_000
"""Virtual machine steps between two looks at the clock."""
_CUT_SHORT = ("interrupted", "out of memory")
"""Messages that say nothing of a text."""
_SCOPE = ("no such column", "no such table", "no such function", "ambiguous column")


class SQLite(Engine):
    """One in-memory database per schema and arrangement, made anew by `check`, with which a pair begins.

    A query may read the declared tables and call functions that depend on their arguments alone: so says the
    authorizer while the text is prepared.
    """

    dialect = "sqlite"
    arranged_like = (0, 1, 2, 1)
    begins_pairs = True

    def __init__(self) -> None:
        self._connections: OrderedDict[tuple[str, bool], sqlite3.Connection] = OrderedDict()
        self._deadline = 0.0
        self._functions: frozenset[str] = _functions(_PLAIN)
        """What a query may call."""
        self._of_schemas: frozenset[str] = self._functions | _functions(_INNOCUOUS)
        """What a CHECK or a generated column may call."""
        self._reading = False

    def label(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def _use(self, schema: Schema, loose: bool) -> sqlite3.Connection:
        key = (schema.ddl, loose)
        if key not in self._connections:
            connection = self._connect()
            self._deadline = time.monotonic() + STATEMENT_SECONDS
            try:
                for statement in create_statements(schema, constrained=not loose):
                    connection.execute(statement)
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                raise OracleError(f"schema: SQLite: {error}") from error
            self._connections[key] = connection
            if len(self._connections) > KEPT_SCHEMAS:
                self._connections.popitem(last=False)[1].close()
        self._connections.move_to_end(key)
        return self._connections[key]

    def _connect(self) -> sqlite3.Connection:
        """A new database, in which `_authorize` holds what is prepared and `_deadline` what runs."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA foreign_keys=ON")
        # `trusted_schema=OFF` would refuse CHECK (json_valid(x)) where SQLite does not call JSON's functions
        # innocuous: `_authorize` holds the functions of a schema instead.
        connection.execute("PRAGMA trusted_schema=ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20)
        connection.execute("PRAGMA temp_store=MEMORY")
        for function in ("json_each", "json_tree"):  # their first use declares them, which is denied later
            connection.execute(f"SELECT 1 FROM {function}('[]')")
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(lambda: int(time.monotonic() > self._deadline), _STEPS)
        return connection

    def _authorize(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if not self._reading:
            unsafe = action == sqlite3.SQLITE_FUNCTION and str(second).lower() not in self._of_schemas
            return sqlite3.SQLITE_DENY if unsafe else sqlite3.SQLITE_OK
        allowed = action in _READING
        if action == sqlite3.SQLITE_FUNCTION:
            allowed = str(second).lower() in self._functions
        if action == sqlite3.SQLITE_READ:
            allowed = not str(first).lower().startswith("sqlite_")
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        for loose in (False, True):  # a new pair
            if (schema.ddl, loose) in self._connections:
                self._connections.pop((schema.ddl, loose)).close()
        connection = self._use(schema, loose=False)
        self._deadline, self._reading = time.monotonic() + STATEMENT_SECONDS, True
        try:
            connection.execute("EXPLAIN " + text)
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start - 8)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            message = str(error)
            if message in _CUT_SHORT:  # says nothing of the text
                raise Stopped(f"SQLite: {message}") from error
            if "syntax error" in message or "incomplete input" in message or "unrecognized token" in message:
                code = ReasonCode.SYNTAX
            elif message.startswith(_SCOPE):
                code = ReasonCode.SCOPE
            elif _denied(message):
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
            return self._queries(connection, queries, seconds)
        finally:
            self._reading = False
            self._deadline = float("inf")
            connection.execute("ROLLBACK")

    def _queries(
        self, connection: sqlite3.Connection, queries: Sequence[str], seconds: float
    ) -> list[Outcome]:
        """What queries yield in the open transaction, which they leave as it is."""
        before = connection.in_transaction, connection.total_changes
        self._reading = True
        try:
            return [self._query(connection, query, seconds) for query in queries]
        finally:
            self._reading = False
            if before != (connection.in_transaction, connection.total_changes):
                raise SessionChanged("sql: SQLite: a query ended its transaction or changed rows")

    def _query(self, connection: sqlite3.Connection, query: str, seconds: float) -> Outcome:
        self._deadline = time.monotonic() + seconds
        try:
            return rows(*self._fetch(connection, query))
        except sqlite3.OperationalError as error:
            message = str(error)
            if "interrupted" in message or "memory" in message:
                raise Stopped(f"SQLite: {message}") from error
            return Failure(message)
        except (sqlite3.DataError, MemoryError) as error:  # a text or blob too big
            raise Stopped(f"SQLite: {error}") from error
        except (sqlite3.Error, sqlite3.Warning) as error:
            if _denied(str(error)):
                raise NotAQuery(f"SQLite: {error}") from error
            return Failure(str(error))

    def _fetch(
        self, connection: sqlite3.Connection, query: str
    ) -> tuple[list[tuple[object, ...]], list[str]]:
        """The rows of a query and the names of its columns."""
        cursor = connection.execute(query)
        found = cursor.fetchmany(MAX_ROWS + 1)
        names = [column[0] for column in cursor.description or ()]
        if len(found) > MAX_ROWS:
            cursor.close()
            raise Stopped(f"SQLite: a result of more than {MAX_ROWS} rows")
        if not names or names[:3] == ["addr", "opcode", "p1"]:
            raise NotAQuery("SQLite: one statement that returns rows was expected")
        return found, names

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        connection = self._connect()
        self._deadline = time.monotonic() + STATEMENT_SECONDS
        try:
            for statement in statements:
                connection.execute(statement)
            connection.execute("PRAGMA query_only=ON")
            self._deadline = time.monotonic() + STATEMENT_SECONDS
            self._reading = True
            return self._fetch(connection, query)[0]
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise Stopped(f"SQLite: {error}") from error
            raise
        finally:
            self._reading = False
            connection.close()

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()


def _denied(message: str) -> bool:
    return "not authorized" in message or "prohibited" in message


@cache
def _functions(flag: int) -> frozenset[str]:
    """The functions that have the flag in each of their forms; aggregates and window functions carry none."""
    connection = sqlite3.connect(":memory:")
    good: dict[str, bool] = {}
    for name, kind, flags in connection.execute("SELECT name, type, flags FROM pragma_function_list"):
        good[name] = good.get(name, True) and (kind != "s" or bool(flags & flag))
    connection.close()
    return frozenset(name for name, all_forms in good.items() if all_forms)


@cache
def normalises_dates() -> bool:
    """Whether DATE makes 2 March of 30 February: older versions give such a text back as it is."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        (made,) = connection.execute("SELECT DATE('2023-02-30')").fetchone()
    return str(made) == "2023-03-02"
