"""Sessions of MariaDB: one that fills tables, and one that may only read them, reset for each run."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterable
from typing import Any

import pymysql
from pymysql.constants import COMMAND
from pymysql.protocol import FieldDescriptorPacket

from truespec.domains.sql.engines.contract import MAX_ROWS, NotAQuery, SessionChanged, Stopped

COM_RESET_CONNECTION = 0x1F
"""Drops user variables, locks, temporary tables, prepared statements, and puts every setting back."""
PLAN = ("id", "select_type", "table")
"""The first columns of what EXPLAIN describes for a query, and for nothing else."""
KEPT_TEXTS = 1_000
"""How many texts a session remembers as queries."""
WATCHED = (
    "COALESCE(DATABASE(), '')",
    "COALESCE(CURRENT_ROLE(), '')",
    "COALESCE(@@character_set_results, '')",
    "@@in_transaction",
    "@@autocommit",
    "@@character_set_client",
    "@@collation_connection",
    "@@default_regex_flags",
    "@@default_week_format",
    "@@div_precision_increment",
    "@@group_concat_max_len",
    "@@join_cache_level",
    "@@lc_time_names",
    "@@max_join_size",
    "@@max_recursive_iterations",
    "@@max_session_mem_used",
    "@@max_sort_length",
    "@@max_statement_time",
    "@@old_mode",
    "@@optimizer_search_depth",
    "@@optimizer_switch",
    "@@sql_auto_is_null",
    "@@sql_big_selects",
    "@@sql_mode",
    "@@sql_select_limit",
    "@@system_versioning_asof",
    "@@time_zone",
    "@@tx_isolation",
    "@@tx_read_only",
)
"""What a session is asked before and after queries: all that their results and limits depend on."""
# LIMIT, because `sql_select_limit` holds where there is none.
_WATCH = f"SELECT CONCAT_WS('\\n', {', '.join(WATCHED)}) LIMIT 1"
# Warnings of results that were cut short: recursion, packet size, GROUP_CONCAT.
_CUT = {1931, 1301, 1260}
_KILLED = 1317


class Reader:
    """A session of an account that may only SELECT, on one database; a request holds one statement.

    `begin` and `end` enclose each run. A text runs only where the server, asked to prepare it, describes a
    result set, and describes a plan for it behind EXPLAIN, which the grammar allows for queries alone.
    """

    def __init__(self, connection: Any, admin: Any) -> None:
        """A connection without the flag for several statements, and one that may end its statements."""
        self._connection = connection
        self._admin = admin
        self._state = ""
        self._expected: dict[str, str] = {}
        self._queries: set[tuple[str, str]] = set()

    def begin(self, state: str) -> None:
        """Set the settings of a session that is new or was reset by this SET statement."""
        self._send((COMMAND.COM_QUERY, state), (COMMAND.COM_QUERY, _WATCH))
        self._state = state
        found = self._value()
        if self._expected.setdefault(state, found) != found:
            raise self._changed(found)

    def end(self) -> None:
        """Reset the session; `SessionChanged` names a setting that is not what `begin` made it.

        A lock that a query took is given back here, not when the session is used again.
        """
        for attempt in (1, 2):
            try:
                self._connection.query(_WATCH)
                break
            except pymysql.Error as error:
                # `_stop` may come too late for the statement that it is meant for.
                if attempt == 2 or error.args[:1] != (_KILLED,):
                    raise
        found = self._value()
        if found != self._expected[self._state]:
            raise self._changed(found)
        self._send((COM_RESET_CONNECTION, ""))

    def _send(self, *commands: tuple[int, str]) -> None:
        """Send commands together, then read what each yields: a round trip takes longer than most queries."""
        connection = self._connection
        nothing_follows(connection)
        for command, text in commands:
            body = text.encode()
            connection._write_bytes(struct.pack("<iB", len(body) + 1, command) + body)
        for _ in commands:
            connection._next_seq_id = 1
            connection._read_query_result()

    def _value(self) -> str:
        return str(self._connection._result.rows[0][0])

    def _changed(self, found: str) -> SessionChanged:
        values = zip(WATCHED, self._expected[self._state].split("\n"), found.split("\n"), strict=True)
        changed = [f"{name} ({was!r} before, {now!r} after)" for name, was, now in values if was != now]
        return SessionChanged(f"sql: MariaDB: a query changed the session's {', '.join(changed)}")

    def describe(self, text: str) -> None:
        """`NotAQuery` where the server does not describe a result set; its own error where it objects."""
        if (self._state, text) in self._queries:
            return
        if len(self._queries) >= KEPT_TEXTS:
            self._queries.clear()
        columns, parameters = self._prepare(text)
        if parameters:
            raise NotAQuery("MariaDB: a query without parameter markers was expected")
        if not columns or self._prepare(f"EXPLAIN {text}")[0][: len(PLAN)] != PLAN:
            raise NotAQuery("MariaDB: one statement that returns rows and only reads was expected")
        self._queries.add((self._state, text))

    def _prepare(self, text: str) -> tuple[tuple[str, ...], int]:
        """The names of the columns that the server describes, and how many parameters there are."""
        connection = self._connection
        connection._execute_command(COMMAND.COM_STMT_PREPARE, text)
        packet = connection._read_packet()
        packet.advance(1)
        statement, columns, parameters = struct.unpack("<IHH", packet.read(8))
        names: list[str] = []
        for count, kept in ((parameters, False), (columns, True)):
            for _ in range(count):
                field = connection._read_packet(FieldDescriptorPacket)
                if kept:
                    names.append(field.name)
            if count:
                connection._read_packet()
        connection._execute_command(COMMAND.COM_STMT_CLOSE, struct.pack("<I", statement))
        return tuple(names), parameters

    def fetch(self, query: str) -> tuple[list[tuple[object, ...]], list[str]]:
        """The rows of a query and the names of its columns; `Stopped` for rows too many or cut short."""
        connection = self._connection
        connection.query(query, unbuffered=True)
        result = connection._result
        found: list[tuple[object, ...]] = []
        while result.unbuffered_active:
            row = result._read_rowdata_packet_unbuffered()
            if row is not None:
                found.append(row)
            if len(found) > MAX_ROWS:
                self._stop(result)
                raise Stopped(f"MariaDB: a result of more than {MAX_ROWS} rows")
        if result.warning_count:
            connection.query("SHOW WARNINGS")
            for _, code, message in connection._result.rows:
                if int(code) in _CUT:
                    raise Stopped(f"MariaDB: {message}")
        return found, [column[0] for column in result.description or ()]

    def _stop(self, result: Any) -> None:
        """End the statement, and read what the server had sent until then."""
        self._admin.query(f"KILL QUERY {self._connection.thread_id()}")
        try:
            result._finish_unbuffered_query()
        except pymysql.Error as error:
            if error.args[:1] != (_KILLED,):
                raise
        finally:
            nothing_follows(self._connection)

    def discard(self) -> None:
        """Close the connection."""
        drop(self._connection)


class Loader:
    """A session that makes and fills tables. It runs statements of our own, and many in one request."""

    def __init__(self, connection: Any) -> None:
        """A connection with the flag for several statements."""
        self._connection = connection
        self._state: tuple[str, str] | None = None

    def begin(self, database: str, state: str) -> None:
        """Use a database, with the settings of this SET statement; a reset where either is another one."""
        if self._state != (database, state):
            self._state = None
            self._connection._execute_command(COM_RESET_CONNECTION, b"")
            self._connection._read_ok_packet()
            self._connection.select_db(database)
            self._connection.query(state)
            self._connection.query("SET SESSION autocommit=0")
            self._state = (database, state)

    def fill(self, statements: Iterable[str]) -> None:
        """Run statements in one transaction; an error of the server leaves nothing of it."""
        connection = self._connection
        try:
            connection.query("; ".join([*statements, "COMMIT"]))
            while connection._result.has_next:
                connection.next_result()
        except pymysql.Error:
            nothing_follows(connection)
            connection.query("ROLLBACK")
            raise

    def discard(self) -> None:
        """Close the connection."""
        drop(self._connection)


def drop(connection: Any) -> None:
    """Close a connection without reading what is still to come."""
    nothing_follows(connection)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        connection._force_close()


def nothing_follows(connection: Any) -> None:
    """Tell the driver that the last request ended: it would wait for more rows."""
    result = connection._result
    if result is not None:
        result.unbuffered_active = False
        result.has_next = False
