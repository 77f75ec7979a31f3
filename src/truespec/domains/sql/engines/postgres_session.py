"""A session of PostgreSQL: one statement to a request, only queries, reset and checked for each run."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from truespec.domains.sql.engines.contract import MAX_ROWS, NotAQuery, SessionChanged, Stopped

RECORD = 2249
"""The type of records without a name."""
FIRST_OF_USERS = 16_384
"""Types beyond it are those of tables and of the schema."""
_FIELD = re.compile(r'"[^"]*"|(?<=[(,])-?\d+(?:\.\d+)?(?=[,)])')
KEPT_TEXTS = 1_000
"""How many texts a session remembers as queries."""
WATCHED = (
    "DateStyle",
    "IntervalStyle",
    "TimeZone",
    "array_nulls",
    "bytea_output",
    "client_encoding",
    "constraint_exclusion",
    "default_transaction_read_only",
    "enable_bitmapscan",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_indexonlyscan",
    "enable_indexscan",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_seqscan",
    "enable_sort",
    "extra_float_digits",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "role",
    "row_security",
    "search_path",
    "session_authorization",
    "session_replication_role",
    "standard_conforming_strings",
    "statement_timeout",
    "transaction_isolation",
    "transaction_read_only",
    "transform_null_equals",
    "work_mem",
    "xmlbinary",
    "xmloption",
)
"""The settings that a session is asked before and after queries: all that results and limits depend on."""
_WATCH = "SELECT " + ", ".join(f"current_setting('{name}')" for name in WATCHED)
OWNER_MAY = ("nextval", "random", "clock_timestamp", "timeofday", "gen_random_uuid")
"""Volatile functions that a schema may name in its defaults."""
CLOSE_FUNCTIONS = f"""
DO $$ DECLARE f record; BEGIN
  FOR f IN SELECT oid::regprocedure AS name, proname FROM pg_proc WHERE provolatile = 'v' LOOP
    EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', f.name);
    IF f.proname = ANY ('{{{",".join(OWNER_MAY)}}}') THEN
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO truespec_owner', f.name);
    END IF;
  END LOOP;
END $$
"""
"""Takes all volatile functions from every account: no other function may have an effect."""


class Session:
    """A connection on which texts are sent by the extended protocol, which takes a single statement."""

    def __init__(self, connection: Any, psycopg: Any) -> None:
        """A connection of `psycopg` in autocommit mode."""
        self.connection = connection
        self._psycopg = psycopg
        self._queries: set[tuple[str, str]] = set()
        self._expected: dict[str, list[bytes]] = {}

    def reset(self) -> None:
        """Put settings and role back; drop prepared statements, temporary tables and locks."""
        self.rollback()
        self.one("DISCARD ALL")

    def rollback(self) -> None:
        """End the transaction, if there is one, and undo it."""
        if self.connection.info.transaction_status != self._psycopg.pq.TransactionStatus.IDLE:
            self.one("ROLLBACK")

    def one(self, text: str) -> Any:
        """The result of one statement; an error of `psycopg` where there is none, or more than one."""
        if "\0" in text:
            raise ValueError("a NUL character at offset " + str(text.index("\0")))
        return self._good(self.connection.pgconn.exec_params(text.encode(), None))

    def _good(self, result: Any) -> Any:
        status = self._psycopg.pq.ExecStatus
        if result.status not in (status.COMMAND_OK, status.TUPLES_OK):
            raise self._psycopg.errors.error_from_result(result, encoding="utf-8")
        return result

    def describe(self, text: str, schema: str) -> None:
        """`NotAQuery` unless the server describes columns for a text, and reads EXPLAIN before it.

        EXPLAIN takes queries and the statements that change rows, for which the account lacks the rights.
        """
        if (schema, text) in self._queries:
            return
        if len(self._queries) >= KEPT_TEXTS:
            self._queries.clear()
        if "\0" in text:
            raise ValueError("a NUL character at offset " + str(text.index("\0")))
        server = self.connection.pgconn
        self._good(server.prepare(b"", text.encode()))
        described = self._good(server.describe_prepared(b""))
        if described.nparams:
            raise NotAQuery("PostgreSQL: a query without parameters was expected")
        if not described.nfields or server.prepare(b"", b"EXPLAIN " + text.encode()).error_message:
            raise NotAQuery("PostgreSQL: one statement that returns rows and only reads was expected")
        self._queries.add((schema, text))

    def compare(self, state: str) -> None:
        """`SessionChanged` names a setting that is not what it was when this state was first met."""
        result = self.one(_WATCH)
        found = [result.get_value(0, column) for column in range(len(WATCHED))]
        expected = self._expected.setdefault(state, found)
        changed = [
            f"{name} ({was.decode()!r} before, {now.decode()!r} after)"
            for name, was, now in zip(WATCHED, expected, found, strict=True)
            if was != now
        ]
        if changed:
            raise SessionChanged(f"sql: PostgreSQL: a query changed the session's {', '.join(changed)}")

    def fetch(self, query: str) -> tuple[Sequence[Sequence[object]], list[str]]:
        """The rows of a query and the names of its columns; `Stopped` where they are too many."""
        result = self.one(query)
        if result.ntuples > MAX_ROWS:
            raise Stopped(f"PostgreSQL: a result of more than {MAX_ROWS} rows")
        reader = self._psycopg.adapt.Transformer(self.connection)
        reader.set_pgresult(result)
        names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
        kinds = [result.ftype(column) for column in range(result.nfields)]
        if not any(kind == RECORD or kind >= FIRST_OF_USERS for kind in kinds):
            with contextlib.suppress(self._psycopg.DataError, ValueError, OverflowError):
                return reader.load_rows(0, result.ntuples, tuple), names
        columns = [_Column(self._psycopg, reader, result, place) for place in range(result.nfields)]
        found = [tuple(column.value(row) for column in columns) for row in range(result.ntuples)]
        return found, names


class _Column:
    """One column of a result, whose values are read one by one.

    What Python has no value for is its text: the hour 24, the year 10000, infinity. So is a record, whose
    members have types that only the server knows.
    """

    def __init__(self, psycopg: Any, reader: Any, result: Any, place: int) -> None:
        self._result, self._place = result, place
        self._errors = (psycopg.DataError, ValueError, OverflowError)
        kind = result.ftype(place)
        self._may_be_record = kind == RECORD or kind >= FIRST_OF_USERS
        self._load = reader.get_loader(kind, psycopg.pq.Format.TEXT).load

    def value(self, row: int) -> object:
        """The value in a row."""
        found = self._result.get_value(row, self._place)
        if found is None:
            return None
        if self._may_be_record and found.startswith(b"("):
            return record(found.decode())
        try:
            return self._load(found)
        except self._errors:
            return found.decode()


def record(text: str) -> str:
    """The text of a record with numbers by value, whatever they are written as.

    >>> record('(1.0,a,"b,2.0",2.50)')
    '(1,a,"b,2.0",2.5)'
    """
    return _FIELD.sub(lambda found: found[0] if found[0].startswith('"') else _number(found[0]), text)


def _number(text: str) -> str:
    shown = format(Decimal(text), "f")
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return "0" if shown in ("-0", "") else shown
