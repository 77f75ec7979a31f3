"""MariaDB, for the dialect `mysql`: a server of our own on a unix socket, or one reached by URL."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.constants import CLIENT, FIELD_TYPE

from truespec.domains.sql.engines.contract import (
    STATEMENT_SECONDS,
    Answered,
    BadDatabase,
    Engine,
    NotAQuery,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.mariadb_errors import (
    FORBIDDEN,
    LOST,
    OVERFLOW,
    STOPPED,
    code_of,
    kind,
    shown,
)
from truespec.domains.sql.engines.mariadb_session import Loader, Reader, drop
from truespec.domains.sql.engines.result import Failure, Outcome, rows
from truespec.domains.sql.engines.script import create_statements, identifier, parents_first
from truespec.domains.sql.engines.server import Server, find
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode, ToolMissing, TruespecError

URL = "TRUESPEC_MARIADB_URL"
"""Environment variable: `mysql://user:password@host:port` of a server to use instead of an own one.

Its account creates databases and accounts, as root may.
"""
SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"
"""The default of MariaDB 10.11; ONLY_FULL_GROUP_BY is not in it."""
KEPT_SCHEMAS = 64
"""How many schemas keep their tables; the one used longest ago is dropped."""
KEPT_READERS = 6
"""How many databases keep the session that reads them."""
LOADING = "SELECT, INSERT, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES"
"""What the account that makes and fills tables may do, in our databases alone."""
LOST_SECONDS = 30
"""A server that says nothing for so long counts as lost; its own limits are far below."""
_ARRANGED = {
    0: "SESSION join_cache_level=2, SESSION optimizer_search_depth=4, SESSION join_buffer_size=262144",
    1: "SESSION join_cache_level=2, SESSION optimizer_search_depth=4, SESSION join_buffer_size=262144",
    2: "SESSION join_cache_level=0, SESSION optimizer_search_depth=4, SESSION join_buffer_size=262144",
    3: "SESSION join_cache_level=8, SESSION optimizer_search_depth=1, SESSION join_buffer_size=262144",
}
"""Session variables of each arrangement. Full-depth planning of a dozen joins takes seconds."""


_INSTALL = (
    'mkdir empty && PATH="$PATH:/usr/sbin:/usr/bin" mariadb-install-db --no-defaults --datadir="$PWD/data"'
    " --auth-root-authentication-method=normal --skip-test-db --innodb-log-file-size=4M"
    " --lower-case-table-names=1"
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
        "--thread-stack=4M",  # a list of a thousand keys recurses deeper than the default
        "--max-session-mem-used=64M",
        "--max-recursive-iterations=1000",
        "--local-infile=OFF",
        f"--secure-file-priv={directory}/empty",
        "--skip-symbolic-links",
        "--plugin-maturity=stable",
        "--default-storage-engine=InnoDB",
    ]


_READ_AS = {**pymysql.converters.conversions, FIELD_TYPE.BIT: lambda bits: int.from_bytes(bits, "big")}
"""How values are read: BIT is a type of numbers there."""


class MariaDB(Engine):
    """A MariaDB server with an account for each task.

    One creates databases and accounts, one makes and fills tables, and each database has one that may do
    nothing but SELECT there. Queries run under the last, in a session that is reset for each run; see
    `mariadb_session`.
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
            self._host, self._password = "%", secrets.token_hex(16)
        else:
            server, installer = find("mariadbd", "mysqld"), find("mariadb-install-db")
            if not (server and installer):
                raise ToolMissing(
                    "MariaDB is not installed; queries of dialect 'mysql' are run on it"
                    f" (apt-get install mariadb-server, or set {URL} to the URL of a server)"
                )
            self._server = Server("MariaDB", "mysql", _INSTALL, [server, installer], _command, "KILL")
            socket = str(self._server.directory / "socket")
            # No TLS on the socket: the driver would read the system's certificates for each connection.
            self._arguments = {"unix_socket": socket, "user": "root", "password": "", "ssl_disabled": True}
            # Nobody else enters the socket's directory.
            self._host, self._password = "localhost", ""
        self._prefix = f"truespec_{os.getpid()}_"
        self._loading = f"{self._prefix}loader"
        self._admin: Any = None
        self._loader: Loader | None = None
        self._readers: OrderedDict[str, Reader] = OrderedDict()
        self._schemas: OrderedDict[str, str] = OrderedDict()
        self._replays = False
        self._replayed: tuple[str, ...] | None = None
        self._version = ""

    def label(self) -> str:
        self._open()
        return f"MariaDB {self._version}"

    def _connect(self, user: str | None = None, **more: Any) -> Any:
        """A connection of this account of ours; of the one that creates them, if none is named."""
        arguments = self._arguments
        if user is not None:
            arguments = {**arguments, "user": user, "password": self._password, "read_timeout": LOST_SECONDS}
        more |= {"charset": "utf8mb4", "conv": _READ_AS}
        return pymysql.connect(**arguments, **more, autocommit=True, connect_timeout=10)

    def _open(self) -> Loader:
        if self._admin is None:
            if self._server:
                self._admin = self._server.connect(self._connect, (pymysql.Error, OSError))
            else:
                try:
                    self._admin = self._connect()
                except (pymysql.Error, OSError) as error:
                    raise ToolMissing(f"the server of {URL} cannot be reached: {error}") from error
            self._version = str(self._admin.get_server_info()).removeprefix("5.5.5-").split("-")[0]
            self._admin.query("SET SESSION lock_wait_timeout=5")
            self._schemas.clear()
            try:
                self._account(self._loading, LOADING, self._prefix.replace("_", r"\_") + "%")
            except pymysql.Error as error:
                self._forget()
                raise ToolMissing(
                    f"the account of {URL} cannot create the accounts that queries run under:"
                    f" {error.args[-1]}; name one that may (GRANT ALL ON *.* ... WITH GRANT OPTION)"
                ) from error
        if self._loader is None:
            # Statements of our own alone are sent here.
            self._loader = Loader(self._connect(self._loading, client_flag=CLIENT.MULTI_STATEMENTS))
        return self._loader

    def _account(self, name: str, rights: str, databases: str) -> None:
        """An account with these rights on the databases of this pattern, and with no others."""
        whole = f"`{name}`@'{self._host}'"
        for statement in (
            f"DROP USER IF EXISTS {whole}",
            f"CREATE USER {whole} IDENTIFIED BY '{self._password}'",
            f"GRANT {rights} ON `{databases}`.* TO {whole}",
        ):
            self._admin.query(statement)

    def _create_database(self, name: str) -> None:
        """An empty database, with the account of its name that may only read it."""
        self._empty_database(name)
        self._account(name, "SELECT", name.replace("_", r"\_"))

    def _empty_database(self, name: str) -> None:
        self._admin.query(f"DROP DATABASE IF EXISTS {name}")
        self._admin.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")

    def _drop_database(self, name: str) -> None:
        self._admin.query(f"DROP DATABASE IF EXISTS {name}")
        self._admin.query(f"DROP USER IF EXISTS `{name}`@'{self._host}'")

    def _use(self, schema: Schema, loose: bool) -> str:
        """The database of a schema; it is made where there is none yet."""
        key = hashlib.sha256(f"{loose}{schema.ddl}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = self._prefix + key
        if key not in self._schemas:
            self._create_database(name)
            engine = " ENGINE=MyISAM" if loose else " ENGINE=InnoDB"
            # The text of a schema is the caller's: a session of its own, and one statement to a request.
            maker = self._connect(self._loading, database=name)
            try:
                maker.query(_state(Settings(), STATEMENT_SECONDS, 0))
                for statement in create_statements(schema, constrained=not loose, suffix=engine):
                    maker.query(statement)
            except pymysql.Error as error:
                self._drop_database(name)
                raise OracleError(f"schema: MariaDB: {error.args[-1]}") from error
            finally:
                drop(maker)
            self._schemas[key] = name
            if len(self._schemas) > KEPT_SCHEMAS:
                _, oldest = self._schemas.popitem(last=False)
                if oldest in self._readers:
                    self._readers.pop(oldest).discard()
                self._drop_database(oldest)
        self._schemas.move_to_end(key)
        return name

    def _reader(self, database: str) -> Reader:
        """The session that reads a database."""
        if database not in self._readers:
            self._readers[database] = self._new_reader(database)
            if len(self._readers) > KEPT_READERS:
                self._readers.popitem(last=False)[1].discard()
        self._readers.move_to_end(database)
        return self._readers[database]

    def _new_reader(self, database: str) -> Reader:
        return Reader(self._connect(database, database=database), self._admin)

    @contextlib.contextmanager
    def _run_on(
        self, database: str, settings: Settings, seconds: float, arrangement: int
    ) -> Iterator[Reader]:
        """A run in the session that reads a database, which is discarded where anything is odd."""
        reader = self._reader(database)
        try:
            try:
                reader.begin(_state(settings, seconds, arrangement, reading=True), _mode(settings))
            except pymysql.Error as error:
                if code_of(error) in LOST:
                    raise
                raise OracleError(f"settings: MariaDB: {error.args[-1]}") from error
            yield reader
            reader.end()
        except BaseException:
            self._readers.pop(database, None)
            reader.discard()
            raise

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        self._open()
        database = ""
        try:
            database = self._use(schema, loose=False)
            with self._run_on(database, settings, STATEMENT_SECONDS, 0) as reader:
                reader.describe(text)
        except NotAQuery as error:
            return Rejection(ReasonCode.FORBIDDEN, str(error))
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start)
        except pymysql.Error as error:
            code, message = code_of(error), str(error.args[-1])
            if code in STOPPED or code in LOST:
                self._forget()
                raise Stopped(f"MariaDB: {message}") from error
            return Rejection(kind(code), f"MariaDB: {shown(code, message).replace(database + '.', '')}")
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
        # Children first.
        before = [f"DELETE FROM {identifier(t.name, schema)}" for t in reversed(parents_first(schema))]
        if any(key.table == table.name for table in schema.tables for key in table.foreign_keys):
            # A table that refers to itself would hold its own rows.
            before = ["SET foreign_key_checks=0", *before, "SET foreign_key_checks=1"]
        try:
            loader = self._open()
            name = self._use(schema, loose=arrangement > 0)
            with self._run_on(name, settings, seconds, arrangement) as reader:
                # Its own limit: another one for each run would reset its session each time.
                loader.begin(name, _state(settings, STATEMENT_SECONDS, 0))
                return [self._answer(loader, reader, [*before, *inserts], queries) for inserts in databases]
        except pymysql.Error as error:
            self._forget()
            stopped = Stopped(f"MariaDB: {error.args[-1] if error.args else error!r}")
            return [stopped for _ in databases]

    def _answer(
        self, loader: Loader, reader: Reader, fill: Sequence[str], queries: Sequence[str]
    ) -> Answered:
        """What the queries yield on one database; an error of `pymysql` where the server is lost."""
        try:
            loader.fill(fill)
        except pymysql.Error as error:
            if code_of(error) in LOST:
                raise
            message = f"MariaDB: {error.args[-1]}"
            return Stopped(message) if code_of(error) in STOPPED else BadDatabase(message)
        outcomes: list[Outcome] = []
        for query in queries:
            try:
                reader.describe(query)
                outcomes.append(rows(*reader.fetch(query)))
            except UnicodeEncodeError as error:
                raise NotAQuery(f"MariaDB: {error}") from error
            except pymysql.Error as error:
                if code_of(error) in LOST:
                    raise
                if code_of(error) in STOPPED or code_of(error) in OVERFLOW:
                    return Stopped(f"MariaDB: {error.args[-1]}")
                if code_of(error) in FORBIDDEN:
                    raise NotAQuery(f"MariaDB: {error.args[-1]}") from error
                outcomes.append(Failure(str(error.args[-1])))
            except Stopped as stopped:
                return stopped
        return outcomes

    def _forget(self) -> None:
        for session in (self._loader, *self._readers.values()):
            if session is not None:
                session.discard()
        self._readers.clear()
        self._replays, self._replayed = False, None
        self._loader = None
        if self._admin is not None:
            drop(self._admin)
        self._admin = None

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        # Queries cannot change the database: it stays for the next replay of the same statements.
        self._open()
        name = f"{self._prefix}replay"
        try:
            if self._replayed != (*statements,):
                self._make_replayed(name, statements)
            with self._run_on(name, settings, STATEMENT_SECONDS, 0) as reader:
                reader.describe(query)
                return reader.fetch(query)[0]
        except pymysql.Error as error:
            if code_of(error) in STOPPED or code_of(error) in LOST:
                raise Stopped(f"MariaDB: {error.args[-1]}") from error
            raise

    def _make_replayed(self, name: str, statements: Sequence[str]) -> None:
        """The database of a replay, anew."""
        self._replayed = None
        if name in self._readers:
            self._readers.pop(name).discard()
        if self._replays:
            self._empty_database(name)
        else:
            self._create_database(name)
            self._replays = True
        maker = self._connect(self._loading, database=name)
        try:
            maker.query(_state(Settings(), STATEMENT_SECONDS, 0))
            for statement in statements:
                maker.query(statement)
        finally:
            drop(maker)
        self._replayed = (*statements,)

    def close(self) -> None:
        if self._server is None and self._admin is not None:
            with contextlib.suppress(pymysql.Error):
                for name in (*self._schemas.values(), f"{self._prefix}replay"):
                    self._drop_database(name)
                self._admin.query(f"DROP USER IF EXISTS `{self._loading}`@'{self._host}'")
        self._forget()
        if self._server:
            self._server.stop()


def _mode(settings: Settings) -> str:
    return SQL_MODE if settings.sql_mode is None else settings.sql_mode


def _state(settings: Settings, seconds: float, arrangement: int, *, reading: bool = False) -> str:
    """The SET statement of a session."""
    assigned = {
        "sql_mode": f"'{pymysql.converters.escape_string(_mode(settings))}'",
        "max_statement_time": f"{max(seconds, 0.01):.2f}",
        "div_precision_increment": str(settings.digits),
        "time_zone": "'+00:00'",
        "lock_wait_timeout": "2",
        "tx_read_only": str(int(reading)),
        "max_error_count": "1024",
    }
    parts = [f"SESSION {name}={value}" for name, value in assigned.items()]
    return f"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, {', '.join(parts)}, {_ARRANGED[arrangement]}"
