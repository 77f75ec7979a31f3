"""MariaDB, for the dialect `mysql`: a server of our own on a unix socket, or one reached by URL."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor

from truespec.domains.sql.engines.contract import (
    MAX_ROWS,
    STATEMENT_SECONDS,
    Answered,
    BadDatabase,
    Engine,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Failure, Outcome, Rows, rows
from truespec.domains.sql.engines.script import create_statements, identifier, parents_first
from truespec.domains.sql.engines.server import Server, find
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode, ToolMissing, TruespecError

URL = "TRUESPEC_MARIADB_URL"
"""Environment variable: `mysql://user:password@host:port` of a server to use instead of an own one."""
SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"
"""The default of MariaDB 10.11; ONLY_FULL_GROUP_BY is not in it."""
KEPT_SCHEMAS = 64
"""How many schemas keep their tables; the one used longest ago is dropped."""
_ARRANGED = {
    0: "join_cache_level=2, optimizer_search_depth=4, join_buffer_size=262144",
    1: "join_cache_level=2, optimizer_search_depth=4, join_buffer_size=262144",
    2: "join_cache_level=0, optimizer_search_depth=4, join_buffer_size=262144",
    3: "join_cache_level=8, optimizer_search_depth=1, join_buffer_size=262144",
}
"""Session variables of each arrangement. Full-depth planning of a dozen joins takes seconds."""

_SCOPE = {1046, 1051, 1052, 1054, 1066, 1109, 1146, 1305, 1327, 1370, 1630, 4031}
_SYNTAX = {1064, 1065, 1149, 1300}
# A text that prepares may still be stopped: time, memory, packet, recursion, locks, lost connections.
_STOPPED = {1969, 1317, 3024, 1041, 1037, 1038, 1021, 1114, 1205, 1213, 1301, 1153, 2006, 2013, 1436, 4098}
_STOPPED |= {1615, 1461}  # prepared statements: one to be prepared again, or too many
# Overflow and out-of-range values: arithmetic is exact by contract, so these outcomes say nothing.
_OVERFLOW = {1690, 1264, 1406, 1365, 1441, 1918}
_LOST = {2006, 2013, 0}
# Warnings of results that were cut short: recursion, packet size, GROUP_CONCAT.
_CUT = {1931, 1301, 1260}

_INSTALL = (
    'mariadb-install-db --no-defaults --datadir="$PWD/data" --auth-root-authentication-method=normal'
    " --skip-test-db --innodb-log-file-size=4M --lower-case-table-names=1"
)


def _command(directory: Path) -> list[str]:
    server = find("mariadbd", "mysqld")
    assert server
    return [
        server,
        "--no-defaults",
        f"--datadir={directory}/data",
        f"--socket={directory}/socket",
        f"--pid-file={directory}/pid",
        f"--tmpdir={directory}/data",
        "--skip-networking",
        "--skip-name-resolve",
        "--skip-log-bin",
        "--lower-case-table-names=1",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_general_ci",
        "--performance-schema=OFF",
        "--innodb-buffer-pool-size=24M",
        "--innodb-log-file-size=4M",
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-doublewrite=OFF",
        "--innodb-use-native-aio=OFF",
        "--sync-frm=OFF",
        "--key-buffer-size=1M",
        "--aria-pagecache-buffer-size=8M",
        "--max-connections=20",
        "--max-allowed-packet=4M",
        "--max-session-mem-used=64M",
        "--max-recursive-iterations=1000",
        "--local-infile=OFF",
        f"--secure-file-priv={directory}/empty",
        "--skip-symbolic-links",
        "--plugin-maturity=stable",
        "--default-storage-engine=InnoDB",
    ]


class MariaDB(Engine):
    """A MariaDB server with two sessions: one that declares tables, one that fills and queries them.

    The second session's account may select, insert and delete on our databases and nothing else. A query is
    prepared there, so it is one statement, and executed in a read-only transaction. Many databases go in one
    request: rows, queries, rows, queries.
    """

    dialect = "mysql"
    batch = 16

    def __init__(self) -> None:
        self._server: Server | None = None
        url = os.environ.get(URL)
        if url:
            self._url = urlsplit(url)
            self._arguments: dict[str, Any] = {
                "host": self._url.hostname or "localhost",
                "port": self._url.port or 3306,
                "user": unquote(self._url.username or "root"),
                "password": unquote(self._url.password or ""),
            }
            self._runner_user = self._arguments["user"]
        else:
            if not (find("mariadbd", "mysqld") and find("mariadb-install-db")):
                raise ToolMissing(
                    "MariaDB is not installed; queries of dialect 'mysql' are run on it"
                    f" (apt-get install mariadb-server, or set {URL} to the URL of a server)"
                )
            environment = f"PATH={shlex.quote(os.environ.get('PATH', os.defpath) + ':/usr/sbin:/usr/bin')}"
            install = f"mkdir empty && {environment} {_INSTALL}"
            self._server = Server("MariaDB", "mysql", install, _command, "KILL")
            socket = str(self._server.directory / "socket")
            # No TLS on the socket: the driver would read the system's certificates for each connection.
            self._arguments = {"unix_socket": socket, "user": "root", "password": "", "ssl_disabled": True}
            self._runner_user = "truespec_runner"
        self._prefix = f"truespec_{os.getpid()}_"
        self._owner: Any = None
        self._runner: Any = None
        self._schemas: OrderedDict[str, str] = OrderedDict()
        self._current: str | None = None
        self._runner_database: str | None = None
        self._runner_state: tuple[object, ...] | None = None
        self._warning: set[str] = set()
        self._version = ""

    def label(self) -> str:
        self._open()
        return f"MariaDB {self._version}"

    def _connect(self, **more: Any) -> Any:
        return pymysql.connect(
            **{**self._arguments, **more}, charset="utf8mb4", autocommit=True, connect_timeout=10
        )

    def _open(self) -> None:
        if self._owner is not None and self._runner is not None:
            return
        if self._owner is None:
            if self._server:
                self._owner = self._server.connect(self._connect, (pymysql.Error, OSError))
            else:
                try:
                    self._owner = self._connect()
                except (pymysql.Error, OSError) as error:
                    raise ToolMissing(f"the server of {URL} cannot be reached: {error}") from error
            cursor = self._owner.cursor()
            cursor.execute("SELECT VERSION()")
            self._version = str(cursor.fetchone()[0]).split("-")[0]
            cursor.execute("SET SESSION sql_mode=%s, lock_wait_timeout=5", (SQL_MODE,))
            if self._server:
                cursor.execute(f"CREATE USER IF NOT EXISTS {self._runner_user}@localhost")
                cursor.execute(
                    f"GRANT SELECT, INSERT, DELETE ON `truespec\\_%`.* TO {self._runner_user}@localhost"
                )
            self._schemas.clear()
            self._current = None
        # Only statements of our own are sent here; queries come in by PREPARE, which takes a single one.
        self._runner = self._connect(
            user=self._runner_user, cursorclass=SSCursor, client_flag=CLIENT.MULTI_STATEMENTS
        )
        self._runner_state = None
        self._runner_database = None
        self._warning.clear()
        self._tell("SET SESSION time_zone='+00:00', lock_wait_timeout=2")

    def _tell(self, statement: str, *arguments: object) -> None:
        cursor = self._runner.cursor()
        cursor.execute(statement, arguments or None)
        cursor.close()

    def _use(self, schema: Schema, loose: bool) -> str:
        key = hashlib.sha256(f"{loose}{schema.ddl}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = self._prefix + key
        if key not in self._schemas:
            cursor = self._owner.cursor()
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
            cursor.execute(f"USE {name}")
            engine = " ENGINE=MyISAM" if loose else " ENGINE=InnoDB"
            try:
                for statement in create_statements(schema, constrained=not loose, suffix=engine):
                    cursor.execute(statement)
            except pymysql.Error as error:
                cursor.execute(f"DROP DATABASE {name}")
                raise OracleError(f"schema: MariaDB: {error.args[-1]}") from error
            self._schemas[key] = name
            if len(self._schemas) > KEPT_SCHEMAS:
                _, oldest = self._schemas.popitem(last=False)
                cursor.execute(f"DROP DATABASE {oldest}")
                if self._runner_database == oldest:
                    self._runner_database = None
        self._schemas.move_to_end(key)
        if self._runner_database != name:
            self._runner.select_db(name)
            self._runner_database = name
        return name

    def _set(self, settings: Settings, seconds: float, arrangement: int = 0) -> None:
        mode = SQL_MODE if settings.sql_mode is None else settings.sql_mode
        state = (mode, round(max(seconds, 0.01), 2), settings.digits, arrangement)
        if state != self._runner_state:
            try:
                self._tell(
                    "SET SESSION sql_mode=%s, max_statement_time=%s, div_precision_increment=%s, "
                    + _ARRANGED[arrangement],
                    *state[:3],
                )
            except pymysql.Error as error:
                raise OracleError(f"settings: MariaDB: {error.args[-1]}") from error
            self._runner_state = state

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        self._open()
        try:
            self._use(schema, loose=False)
            self._set(settings, STATEMENT_SECONDS)
            self._tell("PREPARE checked FROM %s", text)
            self._tell("DEALLOCATE PREPARE checked")
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start)
        except pymysql.Error as error:
            code = _code(error)
            message = str(error.args[-1])
            if code in _STOPPED or code in _LOST:
                self._forget()
                raise Stopped(f"MariaDB: {message}") from error
            kind = (
                ReasonCode.SYNTAX
                if code in _SYNTAX
                else ReasonCode.SCOPE
                if code in _SCOPE
                else ReasonCode.TYPE
            )
            return Rejection(kind, f"MariaDB: {message.replace(str(self._runner_database) + '.', '')}")
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
        (found,) = self.run_many(
            schema, [inserts], queries, settings, seconds=seconds, arrangement=arrangement
        )
        if isinstance(found, TruespecError):
            raise found
        return found

    def run_many(
        self,
        schema: Schema,
        databases: Sequence[Sequence[str]],
        queries: Sequence[str],
        settings: Settings,
        *,
        seconds: float = STATEMENT_SECONDS,
        arrangement: int = 0,
    ) -> list[Answered]:
        done: list[Answered] = []
        # Children first; a table that refers to itself would hold its own rows.
        emptied = [f"DELETE FROM {identifier(t.name, schema)}" for t in reversed(parents_first(schema))]
        before = ["COMMIT", "SET foreign_key_checks=0", *emptied, "SET foreign_key_checks=1"]
        while len(done) < len(databases):
            self._open()
            try:
                self._use(schema, loose=arrangement > 0)
                self._set(settings, seconds, arrangement)
                rest = databases[len(done) :]
                batch, failed = self._batch(before, rest, queries)
                if failed:
                    batch.append(self._alone(before, rest[len(batch)], queries))
            except pymysql.Error as error:
                self._forget()
                batch = [Stopped(f"MariaDB: {error.args[-1] if error.args else error!r}")]
            except Stopped as stopped:
                batch = [stopped]
            done += batch
        return done

    def _execution(self, query: str) -> str:
        """The statement that runs a query.

        It is prepared anew each time: MariaDB may answer `NULL NOT IN (SELECT ...)` wrongly when a prepared
        query is executed again after the tables have changed.
        """
        return f"EXECUTE IMMEDIATE {self._runner.escape(query)}"

    def _batch(
        self, before: list[str], databases: Sequence[Sequence[str]], queries: Sequence[str]
    ) -> tuple[list[Answered], bool]:
        """What the queries yield on the first of these databases, and whether the next one had an error.

        After a query's first warning nothing more counts: from the next batch on, its warnings are asked for.
        """
        asked = [
            part
            for query in queries
            for part in (self._execution(query), *(["SHOW WARNINGS"] if query in self._warning else []))
        ]
        requests = [[*before, *inserts, "START TRANSACTION READ ONLY"] for inserts in databases]
        done: list[Answered] = []
        warned: set[str] = set()
        cursor = self._runner.cursor()
        try:
            cursor.execute("; ".join(part for fill in requests for part in (*fill, *asked)))
            for fill in requests:
                for _ in fill:
                    cursor.nextset()
                outcomes: list[Outcome] = []
                for query in queries:
                    outcomes.append(self._read(cursor))
                    if query in self._warning:
                        cursor.nextset()
                        self._look_at_warnings(cursor)
                    elif cursor.warning_count:
                        warned.add(query)
                    cursor.nextset()
                if not warned:
                    done.append(outcomes)
        except pymysql.Error as error:
            if _code(error) in _LOST:
                raise
            self._nothing_follows()
            return done, not warned
        except Stopped as stopped:
            self._forget_runner()  # closing the cursor would read the results to their end
            return [*done, stopped] if not warned else done, False
        finally:
            self._warning |= warned
        cursor.close()
        return done, False

    def _alone(self, before: list[str], inserts: Sequence[str], queries: Sequence[str]) -> Answered:
        """One database, statement by statement, so that an error says whose it is."""
        try:
            self._tell("; ".join([*before, *inserts]))
        except pymysql.Error as error:
            if _code(error) in _LOST:
                raise
            self._nothing_follows()
            return BadDatabase(f"MariaDB: {error.args[-1]}")
        self._tell("START TRANSACTION READ ONLY")
        outcomes: list[Outcome] = []
        for query in queries:
            try:
                cursor = self._runner.cursor()
                cursor.execute(self._execution(query))
                outcomes.append(self._read(cursor))
                cursor.execute("SHOW WARNINGS")
                self._look_at_warnings(cursor)
                cursor.close()
            except pymysql.Error as error:
                self._nothing_follows()
                try:
                    outcomes.append(self._failure(error))
                except Stopped as stopped:
                    return stopped
            except Stopped as stopped:
                self._forget_runner()
                return stopped
        return outcomes

    def _read(self, cursor: Any) -> Rows:
        found = cursor.fetchmany(MAX_ROWS + 1)
        if len(found) > MAX_ROWS:
            raise Stopped(f"MariaDB: a result of more than {MAX_ROWS} rows")
        return rows(found, [column[0] for column in cursor.description or ()])

    def _look_at_warnings(self, cursor: Any) -> None:
        for _, code, message in cursor.fetchall():
            if code in _CUT:
                raise Stopped(f"MariaDB: {message}")

    def _failure(self, error: pymysql.Error) -> Failure:
        """The error as an outcome; `Stopped` where it does not count."""
        code, message = _code(error), str(error.args[-1])
        if code in _LOST:
            self._forget()
        if code in _STOPPED or code in _OVERFLOW or code in _LOST:
            raise Stopped(f"MariaDB: {message}") from error
        return Failure(message)

    def _forget_runner(self) -> None:
        if self._runner is not None:
            self._nothing_follows()  # or a finalizer would read on from the closed connection
            self._runner._force_close()
        self._runner = None

    def _nothing_follows(self) -> None:
        """Tell the driver that an error ended the last request: it would wait for more rows."""
        result = self._runner._result if self._runner is not None else None
        if result is not None:
            result.unbuffered_active = False
            result.has_next = False

    def _forget(self) -> None:
        self._forget_runner()
        if self._owner is not None:
            with contextlib.suppress(Exception):
                self._owner._force_close()
        self._owner = None

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        self._open()
        name = f"{self._prefix}replay"
        owner = self._connect()
        try:
            with owner.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name}")
                cursor.execute(f"CREATE DATABASE {name}")
                owner.select_db(name)
                for statement in statements:
                    cursor.execute(statement)
            reader = self._connect(user=self._runner_user, database=name)
            try:
                with reader.cursor() as cursor:
                    cursor.execute("SET SESSION TRANSACTION READ ONLY")
                    cursor.execute(f"SET SESSION max_statement_time={STATEMENT_SECONDS}")
                    mode = SQL_MODE if settings.sql_mode is None else settings.sql_mode
                    cursor.execute("SET SESSION sql_mode=%s", (mode,))
                    cursor.execute(query)
                    return list(map(tuple, cursor.fetchall()))
            finally:
                reader.close()
        finally:
            with owner.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            owner.close()

    def close(self) -> None:
        if self._server is None and self._owner is not None:
            with contextlib.suppress(pymysql.Error):
                cursor = self._owner.cursor()
                for name in self._schemas.values():
                    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        self._forget()
        if self._server:
            self._server.stop()


def _code(error: pymysql.Error) -> int:
    return int(error.args[0]) if error.args and isinstance(error.args[0], int) else 0
