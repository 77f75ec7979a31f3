"""Sessions of MariaDB: one that fills tables, and one that may only read them, reset for each run."""

from __future__ import annotations

import contextlib
import struct
import warnings
from collections.abc import Iterable
from typing import Any

import pymysql
from pymysql.constants import COMMAND
from pymysql.protocol import FieldDescriptorPacket

from truespec.domains.sql.engines.contract import MAX_ROWS, NotAQuery, SessionChanged, Stopped
from truespec.domains.sql.engines.mariadb_errors import LOST

COM_RESET_CONNECTION = 0x1F
"""Drops user variables, locks, temporary tables, prepared statements, and puts every setting back."""
PLAN = ("id", "select_type", "table")
"""The first columns of what EXPLAIN describes for a query, and for nothing else."""
MOST_BYTES = 1 << 20
"""The longest text that is sent, in bytes; the server takes 4 MiB."""
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
        self._state = self._mode = ""
        self._expected: dict[str, str] = {}
        self._queries: set[tuple[str, str]] = set()
        self._killing = False

    def begin(self, state: str, mode: str) -> None:
        """Set the settings of a session that is new or was reset by this SET statement.

        `mode` is the part of them that decides what a text is: the SQL mode.
        """
        self._send((COMMAND.COM_QUERY, state), (COMMAND.COM_QUERY, _WATCH))
        self._state, self._mode, self._killing = state, mode, False
        found = self._value()
        if self._expected.setdefault(state, found) != found:
            raise self._changed(found)

    def end(self) -> None:
        """Reset the session; `SessionChanged` names a setting that is not what `begin` made it.

        A lock that a query took is given back here, not when the session is used again.
        """
        if self._killing:
            # The order to end a statement may come too late for the one that it is meant for.
            with contextlib.suppress(pymysql.err.OperationalError):
                self._connection.query("DO 0")
        self._write((COMMAND.COM_QUERY, _WATCH), (COM_RESET_CONNECTION, ""))
        self._read()
        found = self._value()
        self._read()
        if found != self._expected[self._state]:
            raise self._changed(found)

    def _send(self, *commands: tuple[int, str]) -> None:
        """Send commands together, then read what each yields: a round trip takes longer than most queries."""
        self._write(*commands)
        for _ in commands:
            self._read()

    def _write(self, *commands: tuple[int, str]) -> None:
        connection = self._connection
        nothing_follows(connection)
        packets = [(command, text.encode()) for command, text in commands]
        connection._write_bytes(
            b"".join(struct.pack("<iB", len(body) + 1, command) + body for command, body in packets)
        )

    def _read(self) -> None:
        self._connection._next_seq_id = 1
        self._connection._read_query_result()

    def _value(self) -> str:
        return str(self._connection._result.rows[0][0])

    def _changed(self, found: str) -> SessionChanged:
        values = zip(WATCHED, self._expected[self._state].split("\n"), found.split("\n"), strict=True)
        changed = [f"{name} ({was!r} before, {now!r} after)" for name, was, now in values if was != now]
        return SessionChanged(f"sql: MariaDB: a query changed the session's {', '.join(changed)}")

    def describe(self, text: str) -> None:
        """`NotAQuery` where the server does not describe a result set; its own error where it objects.

        A text is asked about once under each SQL mode: limits and plans do not decide what it is.
        """
        if (self._mode, text) in self._queries:
            return
        if len(self._queries) >= KEPT_TEXTS:
            self._queries.clear()
        if len(text.encode()) > MOST_BYTES:
            raise NotAQuery(f"MariaDB: a query of at most {MOST_BYTES} bytes was expected")
        prepare = COMMAND.COM_STMT_PREPARE
        self._write((prepare, text), (prepare, f"EXPLAIN {text}"))
        described, planned = self._prepared(), self._prepared()
        if isinstance(described, pymysql.Error):
            raise described
        columns, parameters = described
        if parameters:
            raise NotAQuery("MariaDB: a query without parameter markers was expected")
        if not columns or isinstance(planned, pymysql.Error) or planned[0][: len(PLAN)] != PLAN:
            raise NotAQuery("MariaDB: one statement that returns rows and only reads was expected")
        self._queries.add((self._mode, text))

    def _prepared(self) -> tuple[tuple[str, ...], int] | pymysql.Error:
        """What the server says of a text to prepare: its columns' names and its number of parameters."""
        connection = self._connection
        connection._next_seq_id = 1
        try:
            packet = connection._read_packet()
        except pymysql.Error as error:
            if error.args[:1] and error.args[0] in LOST:
                raise
            return error
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
        # The server answers nothing to this.
        connection._write_bytes(struct.pack("<iBI", 5, COMMAND.COM_STMT_CLOSE, statement))
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
        self._killing = True
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
