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
    BadDatabase,
    Engine,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Failure, Outcome, rows
from truespec.domains.sql.engines.script import create_statements
from truespec.domains.sql.engines.server import Server, find
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode, ToolMissing

URL = "TRUESPEC_MARIADB_URL"
"""Environment variable: `mysql://user:password@host:port` of a server to use instead of an own one."""
SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"
"""The default of MariaDB 10.11; ONLY_FULL_GROUP_BY is not in it."""
KEPT_SCHEMAS = 64
"""How many schemas keep their tables; the one used longest ago is dropped."""
_ARRANGED = {
    0: "join_cache_level=2, optimizer_search_depth=62, join_buffer_size=262144",
    1: "join_cache_level=2, optimizer_search_depth=62, join_buffer_size=262144",
    2: "join_cache_level=0, optimizer_search_depth=62, join_buffer_size=262144",
    3: "join_cache_level=8, optimizer_search_depth=1, join_buffer_size=262144",
}
"""Session variables of each arrangement; the first is the default of MariaDB 10.11."""

_SCOPE = {1046, 1051, 1052, 1054, 1066, 1109, 1146, 1305, 1327, 1370, 1630, 4031}
_SYNTAX = {1064, 1065, 1149, 1300}
# A text that prepares may still be stopped: time, memory, packet, recursion, locks, lost connections.
_STOPPED = {1969, 1317, 3024, 1041, 1037, 1038, 1021, 1114, 1205, 1213, 1301, 1153, 2006, 2013, 1436, 4098}
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
    """A MariaDB server with two sessions: one that builds databases, one that may only read.

    Rows are inserted in a transaction that is rolled back; the reader sees them because it reads what is
    not yet committed. Its account holds no privilege but SELECT on the databases of ours.
    """

    dialect = "mysql"

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
            self._reader_user = self._arguments["user"]
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
            self._arguments = {"unix_socket": socket, "user": "root", "password": ""}
            self._reader_user = "truespec_reader"
        self._prefix = f"truespec_{os.getpid()}_"
        self._writer: Any = None
        self._reader: Any = None
        self._schemas: OrderedDict[str, str] = OrderedDict()
        self._current: str | None = None
        self._reader_database: str | None = None
        self._reader_state: tuple[object, ...] | None = None
        self._version = ""

    def label(self) -> str:
        self._open()
        return f"MariaDB {self._version}"

    def _connect(self, **more: Any) -> Any:
        return pymysql.connect(
            **{**self._arguments, **more}, charset="utf8mb4", autocommit=True, connect_timeout=10
        )

    def _connect_writer(self) -> Any:
        # Only statements of our own pass here; several at once spare round trips.
        return self._connect(client_flag=CLIENT.MULTI_STATEMENTS)

    def _open(self) -> None:
        if self._writer is not None and self._reader is not None:
            return
        if self._writer is None:
            if self._server:
                self._writer = self._server.connect(self._connect_writer, (pymysql.Error, OSError))
            else:
                try:
                    self._writer = self._connect_writer()
                except (pymysql.Error, OSError) as error:
                    raise ToolMissing(f"the server of {URL} cannot be reached: {error}") from error
            cursor = self._writer.cursor()
            cursor.execute("SELECT VERSION()")
            self._version = str(cursor.fetchone()[0]).split("-")[0]
            cursor.execute("SET SESSION sql_mode=%s", (SQL_MODE,))
            if self._server:
                cursor.execute(f"CREATE USER IF NOT EXISTS {self._reader_user}@localhost")
                cursor.execute(f"GRANT SELECT ON `truespec\\_%`.* TO {self._reader_user}@localhost")
            self._schemas.clear()
            self._current = None
        self._reader = self._connect(user=self._reader_user, cursorclass=SSCursor)
        self._reader_state = None
        self._reader_database = None
        for statement in (
            "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ ONLY",
            "SET SESSION time_zone='+00:00'",
            "SET SESSION lock_wait_timeout=2",
        ):
            self._tell(statement)

    def _tell(self, statement: str, *arguments: object) -> None:
        cursor = self._reader.cursor()
        cursor.execute(statement, arguments or None)
        cursor.close()

    def _use(self, schema: Schema, loose: bool) -> str:
        key = hashlib.sha256(f"{loose}{schema.ddl}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = self._prefix + key
        if key not in self._schemas:
            cursor = self._writer.cursor()
            cursor.execute("ROLLBACK")  # DDL would commit the rows of the last run
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
            cursor.execute(f"USE {name}")
            self._current = name
            engine = " ENGINE=MyISAM" if loose else " ENGINE=InnoDB"
            try:
                for statement in create_statements(schema, constrained=not loose, suffix=engine):
                    cursor.execute(statement)
            except pymysql.Error as error:
                cursor.execute(f"DROP DATABASE {name}")
                self._current = None
                raise OracleError(f"schema: MariaDB: {error.args[-1]}") from error
            self._schemas[key] = name
            if len(self._schemas) > KEPT_SCHEMAS:
                _, oldest = self._schemas.popitem(last=False)
                cursor.execute(f"DROP DATABASE {oldest}")
                if self._reader_database == oldest:
                    self._reader_database = None
        self._schemas.move_to_end(key)
        if self._current != name:
            self._writer.select_db(name)
            self._current = name
        if self._reader_database != name:
            self._reader.select_db(name)
            self._reader_database = name
        return name

    def _set(self, settings: Settings, seconds: float, arrangement: int = 0) -> None:
        mode = SQL_MODE if settings.sql_mode is None else settings.sql_mode
        state = (mode, round(max(seconds, 0.01), 2), settings.digits, arrangement)
        if state != self._reader_state:
            try:
                self._tell(
                    "SET SESSION sql_mode=%s, max_statement_time=%s, div_precision_increment=%s, "
                    + _ARRANGED[arrangement],
                    *state[:3],
                )
            except pymysql.Error as error:
                raise OracleError(f"settings: MariaDB: {error.args[-1]}") from error
            self._reader_state = state

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
            code = error.args[0] if error.args else 0
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
            return Rejection(kind, f"MariaDB: {message.replace(str(self._reader_database) + '.', '')}")
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
        self._open()
        loose = arrangement > 0
        try:
            name = self._use(schema, loose)
            self._set(settings, seconds, arrangement)
            self._fill(schema, name, inserts, loose)
            return [self._query(query) for query in queries]
        except pymysql.Error as error:
            self._forget()
            raise Stopped(f"MariaDB: {error.args[-1] if error.args else error!r}") from error

    def _fill(self, schema: Schema, name: str, inserts: Sequence[str], loose: bool) -> None:
        """Replace the rows of the last run by those of this one, in a single round trip.

        The rows stay uncommitted until the next run rolls them back; MyISAM, which knows no transactions, is
        emptied instead.
        """
        statements = ["ROLLBACK"]
        if loose:
            tables = (table.name.replace("`", "``") for table in schema.tables)
            statements += [f"DELETE FROM `{name}`.`{table}`" for table in tables]
        else:
            statements.append("START TRANSACTION")
        cursor = self._writer.cursor()
        try:
            cursor.execute("; ".join([*statements, *inserts]))
            while cursor.nextset():
                pass
        except pymysql.Error as error:
            if (error.args[0] if error.args else 0) in _LOST:
                raise
            raise BadDatabase(f"MariaDB: {error.args[-1]}") from error

    def _query(self, query: str) -> Outcome:
        cursor = self._reader.cursor()
        try:
            cursor.execute(query)
            found = cursor.fetchmany(MAX_ROWS + 1)
            names = [column[0] for column in cursor.description or ()]
        except pymysql.Error as error:
            code = error.args[0] if error.args else 0
            message = str(error.args[-1])
            if code in _LOST:
                self._forget()
            if code in _STOPPED or code in _OVERFLOW or code in _LOST:
                raise Stopped(f"MariaDB: {message}") from error
            with contextlib.suppress(pymysql.Error):
                cursor.close()
            return Failure(message)
        if len(found) > MAX_ROWS:
            self._forget_reader()  # closing the cursor would read the result to its end
            raise Stopped(f"MariaDB: a result of more than {MAX_ROWS} rows")
        cut = cursor.warning_count and self._warned(cursor)
        cursor.close()
        if cut:
            raise Stopped(f"MariaDB: {cut}")
        return rows(found, names)

    def _warned(self, done: Any) -> str | None:
        done.close()
        cursor = self._reader.cursor()
        cursor.execute("SHOW WARNINGS")
        found = cursor.fetchall()
        cursor.close()
        return next((str(message) for _, code, message in found if code in _CUT), None)

    def _forget_reader(self) -> None:
        if self._reader is not None:
            result = self._reader._result
            if result is not None:  # or its finalizer would read on from the closed connection
                result.unbuffered_active = False
            self._reader._force_close()
        self._reader = None

    def _forget(self) -> None:
        self._forget_reader()
        if self._writer is not None:
            with contextlib.suppress(Exception):
                self._writer._force_close()
        self._writer = None

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
            reader = self._connect(user=self._reader_user, database=name)
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
        if self._server is None and self._writer is not None:
            with contextlib.suppress(pymysql.Error):
                cursor = self._writer.cursor()
                for name in self._schemas.values():
                    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        self._forget()
        if self._server:
            self._server.stop()
