"""DuckDB, in this process: no access to files or networks, little memory, one thread."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from truespec.domains.sql.engines.alarm import Alarm
from truespec.domains.sql.engines.contract import (
    MAX_ROWS,
    STATEMENT_SECONDS,
    BadDatabase,
    Engine,
    NotAQuery,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Failure, Outcome, rows
from truespec.domains.sql.engines.script import create_statements
from truespec.domains.sql.schema import Schema
from truespec.verdict import OracleError, ReasonCode, ToolMissing

KEPT_SCHEMAS = 16
"""How many schemas keep their connection."""
KEPT_TEXTS = 1_000
"""How many texts are remembered as queries."""
REPLAYED = "truespec_replayed"
"""The name of the database of a replay."""
ZONED = "TIMESTAMP WITH TIME ZONE"
"""The type of moments with a time zone, which others may hold."""
_LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "256MB",
    "threads": "1",
    "max_temp_directory_size": "0MB",
}
_ALONE = {**_LOCKED, "async_threads": "0"}
"""Since DuckDB 2 a database has eight more threads, which read files; their stacks fill the address space."""


class DuckDB(Engine):
    """One in-memory database per schema and arrangement, with a new connection to it for each run.

    The settings of a database are locked. What a connection has (variables, temporary tables, the seed of
    random numbers, a transaction) ends with it.
    """

    dialect = "duckdb"
    arranged_like = (0, 1, 1, 1)
    first = 5  # it takes some 5 ms for a database, ten times what the others take

    def __init__(self) -> None:
        try:
            self._module: Any = importlib.import_module("duckdb")
        except ImportError as error:
            message = "DuckDB is not installed; its queries are run on it (pip install 'truespec[engines]')"
            raise ToolMissing(message) from error
        self._config = _ALONE
        self._connections: OrderedDict[tuple[str, bool], Any] = OrderedDict()
        self._checking: dict[tuple[str, bool], Any] = {}
        self._read: dict[tuple[str, str], Any] = {}
        self._alarm = Alarm()
        self._replaying: Any = None
        self._replayed: tuple[str, ...] | None = None

    def label(self) -> str:
        return f"DuckDB {self._module.__version__}"

    def _connect(self) -> Any:
        try:
            connection = self._module.connect(":memory:", config=self._config)
        except self._module.InvalidInputException:  # an older DuckDB has neither the setting nor the threads
            self._config = _LOCKED
            connection = self._module.connect(":memory:", config=self._config)
        # In an interactive session a slow query would draw a bar on standard output.
        connection.execute("PRAGMA disable_progress_bar")
        return connection

    def _use(self, schema: Schema, loose: bool) -> Any:
        key = (schema.ddl, loose)
        if key not in self._connections:
            connection = self._connect()
            try:
                for statement in create_statements(schema, constrained=not loose):
                    self._make(connection, statement)
                # Optimizing evaluates constants: REPEAT('a', 1000000000) must not be run to be accepted.
                checking = connection.cursor()
                checking.execute("PRAGMA disable_optimizer")
                connection.execute("SET lock_configuration=true")
            except self._module.Error as error:
                raise OracleError(f"schema: DuckDB: {error}") from error
            self._connections[key] = connection
            self._checking[key] = checking
            self._read.clear()
            if len(self._connections) > KEPT_SCHEMAS:
                oldest, dropped = self._connections.popitem(last=False)
                self._checking.pop(oldest)
                dropped.close()
        self._connections.move_to_end(key)
        return self._connections[key]

    def _statement(self, connection: Any, text: str) -> Any:
        """The one SELECT that a text holds; DuckDB itself would run several."""
        found = connection.extract_statements(text)
        if len(found) != 1 or found[0].type != self._module.StatementType.SELECT:
            raise NotAQuery("DuckDB: one SELECT statement was expected")
        return found[0]

    def _only_reads(self, connection: Any, text: str) -> None:
        """`NotAQuery` for a SELECT that changes rows, in WITH: those may not stand in a derived table.

        What DuckDB objects to in the text itself comes as its own error. A plan takes half the time as JSON.
        """
        inner = text.rstrip().rstrip(";")
        try:
            connection.execute(f"EXPLAIN (FORMAT json) SELECT 1 FROM ({inner}\n) AS truespec_text")
        except (self._module.BinderException, self._module.ParserException) as error:
            connection.execute(f"EXPLAIN {text}")  # its own error comes first
            raise NotAQuery(f"DuckDB: one query that only reads was expected: {_first(error)}") from error

    def _make(self, connection: Any, text: str) -> None:
        """Run one statement that makes or fills a table."""
        kinds = (self._module.StatementType.CREATE, self._module.StatementType.INSERT)
        found = connection.extract_statements(text)
        if len(found) != 1 or found[0].type not in kinds:
            raise self._module.ParserException("one CREATE TABLE or INSERT statement was expected")
        connection.execute(found[0])

    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        connection = self._use(schema, loose=False)
        try:
            text.encode()
            statement = self._statement(connection, text)
            self._only_reads(self._checking[schema.ddl, False], text)
            self._remember((schema.ddl, text), statement)
        except NotAQuery as error:
            return Rejection(ReasonCode.FORBIDDEN, str(error))
        except UnicodeEncodeError as error:
            return Rejection(ReasonCode.SYNTAX, "the text holds a lone surrogate", error.start)
        except (self._module.OutOfMemoryException, self._module.InterruptException) as error:
            raise Stopped(f"DuckDB: {_first(error)}") from error  # says nothing of the text
        except self._module.ParserException as error:
            return Rejection(ReasonCode.SYNTAX, f"DuckDB: {_first(error)}", _offset(error, text))
        except self._module.CatalogException as error:
            return Rejection(ReasonCode.SCOPE, f"DuckDB: {_first(error)}", _offset(error, text))
        except self._module.PermissionException as error:
            return Rejection(ReasonCode.FORBIDDEN, f"DuckDB: {_first(error)}")
        except self._module.Error as error:
            message = _first(error)
            scope = "not found" in message or "Ambiguous reference" in message or "does not have" in message
            code = ReasonCode.SCOPE if scope else ReasonCode.TYPE
            return Rejection(code, f"DuckDB: {message}", _offset(error, text))
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
        connection = self._use(schema, arrangement > 0).cursor()
        try:
            self._begin(connection, inserts)
            outcomes: list[Outcome] = []
            for query in queries:
                if outcomes and isinstance(outcomes[-1], Failure):  # an error ends the transaction
                    connection.execute("ROLLBACK")
                    self._begin(connection, inserts)
                outcomes.append(self._query(connection, query, seconds, (schema.ddl, arrangement > 0)))
            return outcomes
        finally:
            connection.close()  # undoes the transaction

    def _begin(self, connection: Any, inserts: Sequence[str]) -> None:
        connection.execute("BEGIN")
        try:
            for statement in inserts:
                connection.execute(statement)
        except self._module.Error as error:
            raise BadDatabase(f"DuckDB: {_first(error)}") from error

    def _query(self, connection: Any, query: str, seconds: float, key: tuple[str, bool]) -> Outcome:
        """The outcome of a query; one that was found to only read is not read again."""
        known = (key[0], query)
        try:
            with self._within(seconds, connection):
                if known not in self._read:
                    self._remember(known, self._reading(self._checking[key], query))
                return rows(*self._fetch(connection, self._read[known]))
        except self._module.OutOfMemoryException as error:
            raise Stopped(f"DuckDB: {_first(error)}") from error
        except self._module.OutOfRangeException as error:
            raise Stopped(f"DuckDB: {_first(error)}") from error
        except self._module.PermissionException as error:
            raise NotAQuery(f"DuckDB: {_first(error)}") from error
        except self._module.Error as error:
            return Failure(_first(error))

    @contextlib.contextmanager
    def _within(self, seconds: float, connection: Any) -> Iterator[None]:
        try:
            with self._alarm.within(seconds, connection.interrupt):
                yield
        except self._module.InterruptException as error:
            raise Stopped(f"DuckDB: stopped after {seconds:g} s") from error

    def _remember(self, known: tuple[str, str], statement: Any) -> None:
        if len(self._read) >= KEPT_TEXTS:
            self._read.clear()
        self._read[known] = statement

    def _reading(self, connection: Any, query: str) -> Any:
        """The statement of a query that only reads."""
        statement = self._statement(connection, query)
        self._only_reads(connection, query)
        return statement

    def _fetch(self, connection: Any, statement: Any) -> tuple[list[tuple[object, ...]], list[str]]:
        """The rows of a query and the names of its columns.

        Moments with a time zone come as texts: the driver needs a package that is not always there for them.
        """
        cursor = connection.execute(statement)
        columns = cursor.description or ()
        names = [column[0] for column in columns]
        zoned = [ZONED in str(column[1]) for column in columns]
        if any(zoned):
            places = enumerate(zoned, 1)
            shown = ", ".join(f"CAST(#{at} AS VARCHAR)" if zone else f"#{at}" for at, zone in places)
            inner = statement.query.rstrip().rstrip(";")
            cursor = connection.execute(f"SELECT {shown} FROM ({inner}\n) AS truespec_text")
        found = cursor.fetchmany(MAX_ROWS + 1)
        if len(found) > MAX_ROWS:
            raise Stopped(f"DuckDB: a result of more than {MAX_ROWS} rows")
        return found, names

    def takes(self, statements: Sequence[str], settings: Settings) -> None:
        # Queries cannot change the database: it stays for the next replay of the same statements.
        if self._replayed != (*statements,):
            self._forget_replayed()
            self._fill_replayed(statements)

    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        self.takes(statements, settings)
        connection = self._replaying.cursor()
        try:
            connection.execute(f"USE {REPLAYED}")
            with self._within(STATEMENT_SECONDS, connection):
                return self._fetch(connection, self._reading(connection, query))[0]
        finally:
            connection.close()

    def _fill_replayed(self, statements: Sequence[str]) -> None:
        """A new database with these tables and rows, in an instance in which nothing else is done."""
        if self._replaying is None:
            self._replaying = self._connect()
            self._replaying.execute("SET lock_configuration=true")
        self._replaying.execute(f"ATTACH ':memory:' AS {REPLAYED}")
        self._replayed = ()
        connection = self._replaying.cursor()
        try:
            connection.execute(f"USE {REPLAYED}")
            for statement in statements:
                self._make(connection, statement)
        finally:
            connection.close()
        self._replayed = (*statements,)

    def _forget_replayed(self) -> None:
        if self._replayed is None:
            return
        self._replayed = None
        try:
            self._replaying.execute(f"DETACH {REPLAYED}")
        except self._module.Error:  # a new instance has no such database either
            self._close_replaying()

    def _close_replaying(self) -> None:
        self._replayed = None
        if self._replaying is not None:
            self._replaying.close()
            self._replaying = None

    def close(self) -> None:
        self._close_replaying()
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        self._checking.clear()


def _first(error: Exception) -> str:
    return str(error).split("\n\n")[0].replace("\n", " ")


def _offset(error: Exception, text: str) -> int | None:
    """Where the caret below the quoted line points to."""
    shown = re.search(r"^(LINE (\d+): )(.*)\n( *)\^", str(error), re.MULTILINE)
    if shown is None:
        return None
    quoted, column = shown[3], len(shown[4]) - len(shown[1])
    for before in ("...", "EXPLAIN "):
        if quoted.startswith(before):
            quoted, column = quoted.removeprefix(before), column - len(before)
    quoted = quoted.removesuffix("...")
    lines, number = text.split("\n"), int(shown[2]) - 1
    if column < 0 or number >= len(lines) or lines[number].count(quoted) != 1:
        return None
    return sum(len(line) + 1 for line in lines[:number]) + lines[number].find(quoted) + column
