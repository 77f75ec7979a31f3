"""Real engines: what they accept, yield and refuse to do, and that nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.accept import accept
from truespec.domains.sql.engines.contract import (
    BadDatabase,
    Engine,
    NotAQuery,
    Rejection,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Failure, Rows
from truespec.domains.sql.schema import Schema, read_schema
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import ReasonCode, SpecificationError, ToolMissing

DDL = """
CREATE TABLE Dept (id INT PRIMARY KEY, name VARCHAR(20));
CREATE TABLE Emp (
  id INT PRIMARY KEY, d INT, sal DECIMAL(10, 2), FOREIGN KEY (d) REFERENCES Dept (id), CHECK (sal >= 0)
)
"""
INSERTS = [
    "INSERT INTO Dept VALUES (1, 'a'), (2, NULL)",
    "INSERT INTO Emp VALUES (1, 1, 2.5), (2, NULL, NULL)",
]
NEEDED = {"mysql": "mariadbd", "postgres": "psql"}


@pytest.fixture(
    params=[
        "sqlite",
        "duckdb",
        pytest.param("mysql", marks=pytest.mark.live),
        pytest.param("postgres", marks=pytest.mark.live),
    ]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param in NEEDED:
        needs.tool(NEEDED[request.param])
    if request.param == "duckdb":
        needs.module("duckdb")
    return registry.engine(request.param)


@pytest.fixture
def schema(engine: Engine) -> Schema:
    return read_schema(DDL, engine.dialect)


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    registry.close_all()


def test_a_query_is_accepted_or_named(engine: Engine, schema: Schema) -> None:
    assert engine.check("SELECT name FROM Dept", schema, Settings()) is None
    for text, code in [
        ("SELECT nope FROM Dept", ReasonCode.SCOPE),
        ("SELECT 1 FROM nope", ReasonCode.SCOPE),
        ("SELECT nope(1) FROM Dept", ReasonCode.SCOPE),
        ("SELEC 1", ReasonCode.SYNTAX),
        ("SELECT 1 +", ReasonCode.SYNTAX),
    ]:
        rejection = engine.check(text, schema, Settings())
        assert rejection is not None, text
        assert rejection.code is code, rejection


@pytest.mark.parametrize("arrangement", range(4))
def test_rows_come_back_as_they_are(engine: Engine, schema: Schema, arrangement: int) -> None:
    (found, total) = engine.run(
        schema,
        INSERTS,
        ["SELECT e.id, sal, name FROM Emp e JOIN Dept ON d = Dept.id", "SELECT COUNT(*) FROM Emp"],
        Settings(),
        arrangement=arrangement,
    )
    assert found == Rows(((1, Decimal("2.5"), "a"),), ("id", "sal", "name"))
    assert isinstance(total, Rows)
    assert total.rows == ((2,),)


SHOWN = {
    "duckdb": ["TIMESTAMPTZ '2024-01-01 00:00:00+00'", "[1]"],
    "mysql": ["b'10'"],
    "postgres": ["TIME '24:00'", "'infinity'::date", "ROW(1.0, 'a', '2.0')"],
    "sqlite": [],
}
"""Values that a driver has none for, that need a package, or whose type only the server knows."""
READ: dict[str, list[str | int]] = {
    "duckdb": ["2024-01-01 00:00:00+00", "[1]"],
    "mysql": ["\x02"],
    "postgres": ["24:00:00", "infinity", "(1,a,2)"],
    "sqlite": [],
}


def test_what_a_driver_cannot_read_is_no_error(engine: Engine, schema: Schema) -> None:
    queries = [f"SELECT {value} AS v" for value in SHOWN[engine.dialect]]
    found = engine.run(schema, [], queries, Settings())
    assert [one.rows for one in found if isinstance(one, Rows)] == [
        ((value,),) for value in READ[engine.dialect]
    ]


def test_nothing_stays_between_runs(engine: Engine, schema: Schema) -> None:
    for arrangement in (0, 1, 0):
        engine.run(schema, INSERTS, ["SELECT 1"], Settings(), arrangement=arrangement)
        (left,) = engine.run(schema, [], ["SELECT id FROM Emp"], Settings(), arrangement=arrangement)
        assert left == Rows((), ("id",))


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO Emp VALUES (1, 7, 1)",
        "INSERT INTO Emp VALUES (1, NULL, -1)",
        "INSERT INTO Dept VALUES (1, 'a'), (1, 'b')",
        "INSERT INTO Dept VALUES (NULL, 'a')",
    ],
)
def test_rows_that_violate_a_constraint_are_refused(engine: Engine, schema: Schema, insert: str) -> None:
    with pytest.raises(BadDatabase):
        engine.run(schema, [insert], ["SELECT 1"], Settings())


def test_a_run_time_error_is_an_outcome_and_costs_no_other_query(engine: Engine, schema: Schema) -> None:
    two_rows = (
        "SELECT (SELECT id FROM Dept)"
        if engine.dialect != "sqlite"
        else "SELECT abs(-9223372036854775807 - 1)"
    )
    failed, found = engine.run(schema, INSERTS, [two_rows, "SELECT COUNT(*) FROM Emp"], Settings())
    assert isinstance(failed, Failure)
    assert isinstance(found, Rows)
    assert found.rows == ((2,),)


@pytest.mark.parametrize("statement", ["DELETE FROM Emp", "DROP TABLE Emp", "CREATE TABLE x (a INT)"])
def test_a_query_cannot_write(engine: Engine, schema: Schema, statement: str) -> None:
    try:
        (outcome,) = engine.run(schema, INSERTS, [statement], Settings())
        assert isinstance(outcome, Failure)
    except NotAQuery:
        pass  # it did not run
    (left,) = engine.run(schema, INSERTS, ["SELECT COUNT(*) FROM Emp"], Settings())
    assert isinstance(left, Rows)
    assert left.rows == ((2,),)


ENDLESS = "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"
EXPLOSIVE = {
    "mysql": ["SELECT SLEEP(60)", ENDLESS],
    "postgres": ["SELECT COUNT(*) FROM generate_series(1, 1000000000)"],
    "sqlite": [ENDLESS],
    "duckdb": ["SELECT COUNT(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0"],
}
HUGE = "SELECT 1 FROM Emp" + "".join(f", Emp e{place}" for place in range(20))


def test_what_explodes_is_stopped(engine: Engine, schema: Schema) -> None:
    for query in [*EXPLOSIVE[engine.dialect], HUGE]:
        with pytest.raises(Stopped):
            engine.run(schema, INSERTS, [query], Settings(), seconds=0.2)
    (found,) = engine.run(schema, INSERTS, ["SELECT COUNT(*) FROM Emp"], Settings())
    assert isinstance(found, Rows)
    assert found.rows == ((2,),)


FILES = {
    "mysql": ["SELECT LOAD_FILE('/etc/hostname')", "SELECT 1 INTO OUTFILE '/tmp/truespec-test'"],
    "postgres": ["SELECT pg_read_file('/etc/hostname')", "COPY Emp TO '/tmp/truespec-test'"],
    "sqlite": ["ATTACH '/tmp/truespec-test' AS x", "PRAGMA database_list", "SELECT load_extension('x')"],
    "duckdb": [
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY Emp TO '/tmp/truespec-test'",
        "ATTACH '/tmp/x' AS x",
    ],
}


def test_a_check_cut_short_blames_no_text(
    engine: Engine, schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = (
        f"SELECT {' + '.join(['e.sal'] * 800)} FROM {', '.join(f'Emp AS e{n}' for n in range(30))}, Emp AS e"
    )
    assert engine.check(long, schema, Settings()) is None
    monkeypatch.setattr(sys.modules[type(engine).__module__], "STATEMENT_SECONDS", 0.0)
    with contextlib.suppress(Stopped):
        assert engine.check(long, schema, Settings()) is None


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads of a library are counted on Linux")
def test_databases_of_duckdb_need_no_threads() -> None:
    needs.module("duckdb")
    engine = registry.engine("duckdb")
    known = len(os.listdir("/proc/self/task"))
    for number in range(3):
        table = read_schema(f"CREATE TABLE t{number} (a INT)", "duckdb")
        assert engine.check(f"SELECT a FROM t{number}", table, Settings()) is None
    assert len(os.listdir("/proc/self/task")) <= known + 1, "the one that stops late statements"


def test_duckdb_draws_no_bar_in_an_interactive_session() -> None:
    needs.module("duckdb")
    ask = "SELECT value FROM duckdb_settings() WHERE name = 'enable_progress_bar'"
    lines = [
        "from truespec.domains.sql.engines import registry",
        f"print(registry.engine('duckdb').replay([], {ask!r}, None))",
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert run.stdout == "[('false',)]\n"


def test_no_query_reaches_a_file(engine: Engine, schema: Schema) -> None:
    for query in FILES[engine.dialect]:
        try:
            (outcome,) = engine.run(schema, INSERTS, [query], Settings())
            assert isinstance(outcome, Failure) or outcome.rows == ((None,),), query
        except NotAQuery:
            pass  # it did not run
    assert not Path("/tmp/truespec-test").exists()


def test_an_engine_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.close_all()
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("truespec.domains.sql.engines.mariadb.find", lambda *_, **__: None)
    with pytest.raises(ToolMissing, match="apt-get install mariadb-server"):
        registry.engine("mysql")
    registry.close_all()


@pytest.mark.live
@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_a_server_needs_nothing_of_the_callers_temporary_folder(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root, servers run under an account that cannot write where a worker keeps its files."""
    needs.tool({"mysql": "mariadbd", "postgres": "psql"}[dialect])
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    registry.close_all()
    monkeypatch.setenv("TMPDIR", str(closed))
    assert registry.engine(dialect).label()
    registry.close_all()


def test_a_pair_without_its_engine_says_that_the_engine_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.close_all()
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("truespec.domains.sql.engines.mariadb.find", lambda *_, **__: None)
    context = {"schema": "CREATE TABLE t (a INT)", "dialect": "mysql"}
    verdict = verify_pair(Pair("sql", "SELECT a FROM t", "SELECT a + 1 FROM t", context), 60.0)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.UNAVAILABLE
    registry.close_all()


@pytest.mark.live
def test_kill_minus_nine_leaves_neither_server_nor_files() -> None:
    needs.tool("mariadbd")
    needs.tool("psql")
    program = (
        "import sys, time\n"
        "from truespec.domains.sql.engines.registry import engine, warm_up\n"
        "warm_up()\n"
        "print(engine('mysql')._server.directory, engine('postgres')._server.directory, flush=True)\n"
        "time.sleep(600)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    folders = [Path(name) for name in victim.stdout.readline().split()]
    assert len(folders) == 2
    assert all(folder.exists() for folder in folders)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    for _ in range(200):
        if not any(folder.exists() for folder in folders) and not any(map(_mentioned, folders)):
            return
        time.sleep(0.05)
    pytest.fail("a server or its folder outlived its starter")


def _mentioned(folder: Path) -> bool:
    """Whether a process has this folder on its command line."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in entry.read_bytes():
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("arrangement", range(2))
def test_many_databases_answer_as_they_do_alone(engine: Engine, schema: Schema, arrangement: int) -> None:
    databases = [
        INSERTS,
        [],
        ["INSERT INTO Dept VALUES (3, 'x;y'), (4, NULL)"],
        ["INSERT INTO Dept VALUES (3, 'a'), (3, 'b')"],
        ["INSERT INTO Dept VALUES (5, 'zz')", "INSERT INTO Emp VALUES (9, 5, 0)"],
        ["INSERT INTO Dept VALUES (6, '')"],
    ]
    zero = "1 / (id - 5)"  # a warning in MariaDB, an error in PostgreSQL, NULL elsewhere
    queries = [
        "SELECT name FROM Dept ORDER BY id",
        "SELECT (SELECT id FROM Dept WHERE id < 3)",  # an error on the first database but for SQLite
        f"SELECT {zero} FROM Dept",
    ]
    alone: list[object] = []
    for inserts in databases:
        try:
            alone.append(engine.run(schema, inserts, queries, Settings(), arrangement=arrangement))
        except BadDatabase as error:
            alone.append(type(error))
    together = engine.run_many(schema, databases, queries, Settings(), arrangement=arrangement)
    assert [found if isinstance(found, list) else type(found) for found in together] == alone
    assert (BadDatabase in alone) == (arrangement == 0 or engine.dialect == "postgres")


def test_an_exploding_database_costs_the_others_nothing(engine: Engine, schema: Schema) -> None:
    few = ["INSERT INTO Dept VALUES (1, 'a')"]
    many = ["INSERT INTO Dept VALUES " + ", ".join(f"({number}, 'a')" for number in range(30))]
    query = "SELECT COUNT(*) FROM Dept a" + "".join(f", Dept d{place}" for place in range(10))
    found = engine.run_many(schema, [few, many, few], [query], Settings(), seconds=1.5)
    assert isinstance(found[1], Stopped)
    assert [
        one[0].rows for one in (found[0], found[2]) if isinstance(one, list) and isinstance(one[0], Rows)
    ] == [((1,),), ((1,),)]


def test_a_query_remembers_nothing_of_the_last_database(engine: Engine, schema: Schema) -> None:
    # MariaDB's prepared queries do: executed again, `NULL NOT IN (no rows)` was not true.
    query = (
        "SELECT id FROM Emp WHERE d NOT IN (SELECT e.d FROM Emp e JOIN Dept x ON e.d = x.id WHERE name = 'i')"
    )
    some = ["INSERT INTO Dept VALUES (1, 'i')", "INSERT INTO Emp VALUES (1, 1, 1), (2, NULL, 1)"]
    none = ["INSERT INTO Dept VALUES (1, 's')", "INSERT INTO Emp VALUES (1, 1, 1), (2, NULL, 1)"]
    found = engine.run_many(schema, [none, some, none, some, none], [query], Settings())
    sizes = [len(one[0].rows) for one in found if isinstance(one, list) and isinstance(one[0], Rows)]
    assert sizes == [2, 0, 2, 0, 2]


@pytest.mark.parametrize(("dialect", "times"), [("duckdb", 1), ("sqlite", 3)])
def test_an_accepted_text_is_not_asked_of_an_engine_again(
    dialect: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's tables are made anew with each pair, by what asks."""
    target = registry.engine(dialect)
    asked: list[str] = []
    check = target.check

    def seen(text: str, *more: Any) -> Rejection | None:
        asked.append(text)
        return check(text, *more)

    monkeypatch.setattr(target, "check", seen)
    one, other = (read_schema(f"CREATE TABLE once_asked (a INT, {b} INT)", dialect) for b in "bc")
    text = "SELECT b FROM once_asked"
    for _ in range(3):
        accept(text, one, Settings())
        for _ in range(2):  # a refusal is no acceptance, nor does it hold in another schema
            with pytest.raises(SpecificationError):
                accept(text, other, Settings())
    assert len(asked) == times + 6
