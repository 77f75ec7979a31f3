"""MariaDB's sessions: what their accounts may do, and that nothing passes from one run to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pymysql
import pytest

import needs
from truespec.domains.sql.engines import mariadb_session, registry
from truespec.domains.sql.engines.contract import NotAQuery, SessionChanged, Settings, Stopped
from truespec.domains.sql.engines.mariadb import MariaDB
from truespec.domains.sql.engines.result import Failure, Rows
from truespec.domains.sql.schema import read_schema

pytestmark = pytest.mark.live
SCHEMA = read_schema("CREATE TABLE t (a INT, b INT)", "mysql")
OTHER = read_schema("CREATE TABLE secret (a INT)", "mysql")
ROWS = ["INSERT INTO t VALUES (1, 2), (3, NULL)"]
READ = "SELECT a FROM t ORDER BY a"


@pytest.fixture(scope="module")
def engine() -> Iterator[MariaDB]:
    needs.tool("mariadbd")
    yield cast("MariaDB", registry.engine("mysql"))
    registry.close_all()


REFUSED = [
    "SET SESSION sql_select_limit = 0",
    "SET STATEMENT sql_select_limit = 0 FOR SELECT a FROM t",
    "SET SESSION sql_select_limit = 0 * COALESCE(0, ( SELECT MAX(a) FROM t ))",
    "SET @x = 1",
    "SET PASSWORD = ''",
    "SET ROLE NONE",
    "SET SESSION max_statement_time = 0",
    "SET SESSION TRANSACTION READ WRITE",
    "SET NAMES latin1",
    "COMMIT",
    "ROLLBACK",
    "START TRANSACTION",
    "BEGIN NOT ATOMIC INSERT INTO t VALUES (9, 9); END",
    "BEGIN NOT ATOMIC SELECT 1; END",
    "INSERT INTO t VALUES (9, 9)",
    "INSERT INTO t VALUES (9, 9) RETURNING a",
    "DELETE FROM t",
    "UPDATE t SET a = 9",
    "TRUNCATE t",
    "REPLACE INTO t VALUES (9, 9)",
    "ALTER TABLE t ADD c INT",
    "CREATE TEMPORARY TABLE t (a INT)",
    "CREATE TABLE u AS SELECT 1",
    "CREATE DATABASE truespec_x",
    "CREATE USER x",
    "LOCK TABLES t READ",
    "HANDLER t OPEN",
    "PREPARE s FROM 'SELECT 1'",
    "EXECUTE IMMEDIATE 'SELECT 1'",
    "USE mysql",
    "KILL 1",
    "FLUSH TABLES",
    "DO GET_LOCK('x', 0)",
    "CALL p()",
    "XA START 'x'",
    "SELECT a FROM t; SELECT 1",
    "SELECT a FROM t; SET SESSION sql_select_limit = 0",
    "SELECT a INTO @x FROM t LIMIT 1",
    "SELECT a FROM t INTO OUTFILE '/tmp/truespec-test'",
    "SELECT a FROM t FOR UPDATE",
    "SHOW TABLES",
    "SHOW GRANTS",
    "EXPLAIN SELECT a FROM t",
    "ANALYZE SELECT a FROM t",
    "HELP 'x'",
    "CHECK TABLE t",
    "SELECT ?",
    "SELECT User FROM mysql.global_priv",
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_query_does_not_run(engine: MariaDB, text: str) -> None:
    try:
        (outcome,) = engine.run(SCHEMA, ROWS, [text], Settings())
        assert isinstance(outcome, Failure), outcome
    except NotAQuery:
        pass
    assert engine.check(text, SCHEMA, Settings()) is not None
    assert engine.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]


@pytest.mark.parametrize(
    ("text", "trace", "clean"),
    [
        ("SELECT @x := 5", "SELECT @x", None),
        ("SELECT GET_LOCK('x', 0)", "SELECT IS_USED_LOCK('x')", None),
        ("SELECT LAST_INSERT_ID(77)", "SELECT LAST_INSERT_ID()", 0),
    ],
)
def test_what_a_query_leaves_in_its_session_is_gone_in_the_next_run(
    engine: MariaDB, text: str, trace: str, clean: int | None
) -> None:
    engine.run(SCHEMA, ROWS, [text], Settings())
    assert engine.run(SCHEMA, ROWS, [trace], Settings()) == [
        Rows(((clean,),), (trace.removeprefix("SELECT "),))
    ]


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("SET SESSION sql_select_limit=0", "sql_select_limit"),
        ("SET SESSION max_statement_time=0", "max_statement_time"),
        ("SET SESSION sql_mode=''", "sql_mode"),
        ("SET SESSION tx_read_only=0", "tx_read_only"),
        ("SET NAMES latin1", "character_set_client"),
        ("SET SESSION optimizer_switch='materialization=off'", "optimizer_switch"),
    ],
)
def test_a_changed_setting_is_named_and_its_session_discarded(
    engine: MariaDB, monkeypatch: pytest.MonkeyPatch, statement: str, named: str
) -> None:
    """A statement that gets past every refusal is planted where queries run."""
    fetch = mariadb_session.Reader.fetch

    def planted(reader: mariadb_session.Reader, query: str) -> tuple[list[tuple[object, ...]], list[str]]:
        reader._connection.query(statement)
        return fetch(reader, query)

    with monkeypatch.context() as patch:
        patch.setattr(mariadb_session.Reader, "fetch", planted)
        with pytest.raises(SessionChanged, match=named):
            engine.run(SCHEMA, ROWS, ["SELECT 1"], Settings())
    assert engine.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]


def test_an_account_may_only_select_on_its_own_database(engine: MariaDB) -> None:
    engine._open()
    mine, other = engine._use(SCHEMA, loose=False), engine._use(OTHER, loose=False)
    connection = engine._connect(mine, database=mine)
    with connection.cursor() as cursor:
        cursor.execute("SHOW GRANTS")
        grants = [str(row[0]).split(" TO ")[0] for row in cursor.fetchall()]
        assert sorted(grants) == sorted(
            ["GRANT USAGE ON *.*", "GRANT SELECT ON `" + mine.replace("_", r"\_") + "`.*"]
        )
        for text in (f"SELECT * FROM {other}.secret", "SELECT 1; SELECT 2", "DELETE FROM t"):
            with pytest.raises(pymysql.Error):
                cursor.execute(text)
    connection.close()


def test_a_result_too_large_costs_the_session_nothing(engine: MariaDB) -> None:
    many = ["INSERT INTO t VALUES " + ", ".join(f"({number}, 1)" for number in range(200))]
    before = engine._reader(engine._use(SCHEMA, loose=False))
    with pytest.raises(Stopped, match="more than"):
        engine.run(SCHEMA, many, ["SELECT x.a FROM t x, t y, t z"], Settings())
    assert engine.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]
    assert engine._reader(engine._use(SCHEMA, loose=False)) is before


def test_a_statement_hidden_in_a_schema_does_not_run_as_one_of_ours(engine: MariaDB) -> None:
    """The account that makes tables has no rights beyond our own databases, and sends one statement."""
    engine._open()
    connection = engine._connect(engine._loading)
    for text in ("CREATE USER x", "CREATE DATABASE other", "SELECT 1; SELECT 2", "SELECT * FROM mysql.user"):
        with pytest.raises(pymysql.Error):
            connection.query(text)
    connection.close()


def test_a_lock_that_a_query_took_is_not_seen_from_another_database(engine: MariaDB) -> None:
    engine.run(SCHEMA, ROWS, ["SELECT GET_LOCK('y', 0)"], Settings())
    assert engine.run(OTHER, [], ["SELECT IS_USED_LOCK('y')"], Settings()) == [
        Rows(((None,),), ("IS_USED_LOCK('y')",))
    ]


def test_a_function_that_does_not_exist_is_said_to_be_missing() -> None:
    schema = read_schema("CREATE TABLE t (s VARCHAR(9))", "mysql")
    refused = registry.engine("mysql").check("SELECT INITCAP(s) FROM t", schema, Settings())
    assert refused is not None
    assert refused.message == "MariaDB: there is no function INITCAP"
