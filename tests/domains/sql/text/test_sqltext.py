"""A bounded sample of `python -m benchmarks sqltext`: the lexer beside each engine."""

from __future__ import annotations

import pytest
from benchmarks import sqltext

import needs
from truespec.domains.sql.schema import read_schema
from truespec.verdict import OracleError


@pytest.mark.live
@pytest.mark.parametrize(
    ("dialect", "count"), [("mysql", 100), ("postgres", 100), ("sqlite", 500), ("duckdb", 30)]
)
def test_the_lexer_reads_as_the_engine_does(dialect: str, count: int) -> None:
    for tool in {"mysql": ["mariadbd"], "postgres": ["psql"]}.get(dialect, []):
        needs.tool(tool)
    seen, finds = sqltext.attack(dialect, count, 7)
    assert not finds
    assert seen["accepted"]
    assert seen["rejected"]


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE t (a INT /*! NOT NULL */)",
        "CREATE TABLE t (a INT /*'*/ /*! UNIQUE */ /*'*/)",
        "CREATE TABLE t (a INT /*M! CHECK (a > 1) */)",
        "CREATE TABLE t (a INT, CHECK (a > 1 /*! OR 1 */))",
    ],
)
def test_a_schema_with_executable_comments_is_not_read(ddl: str) -> None:
    with pytest.raises(OracleError, match="executable comment"):
        read_schema(ddl, "mysql")


def test_comments_of_a_schema_go() -> None:
    assert "note" not in read_schema("CREATE TABLE t (a INT -- note\n)", "mysql").ddl
